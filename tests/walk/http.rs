//! Every address of the service, in the order in which a publisher, a client and an operator would meet them.

mod agents;

use serde_json::Value;
use serde_json::json;

use super::Step;
use super::Walk;
use super::get;
use super::post;
use crate::support::receiver::Do;
use crate::support::receiver::Receiver;
use crate::support::wishes::SEAT;
use crate::support::wishes::SUITCASE;

const FLIGHT: &str = include_str!("../../schemas/flight_booking_v1.json");
const HISTORY: &str = include_str!("../../schemas/conversation_history_v1.json");
const USER: &str = include_str!("../../schemas/user_context_v1.json");
/// The shipped flight booking, where a few wishes are enough and every key waits for a person.
fn flight() -> Value {
    let mut template: Value = serde_json::from_str(FLIGHT).expect("a template");
    template["description"] = json!("Book flights");
    template["policy"] = json!({
        "pool": {"look_every_fragments": 4, "gate_occurrences_min": 4, "gate_clients_min": 3, "mature_members_min": 4},
        "evolution": {"autonomy": "review"},
    });
    template
}

fn ferry() -> Value {
    json!({
        "schema_id": "ferry_v1", "scenario": "ferry", "description": "Crossings by ferry", "labels": {"team": "harbour"}, "keys": [
            {"key_name": "port", "key_type": "string", "required": true,
                "semantic_description": "Port of departure. Acceptable values: dover, calais. Example mapping: 'from Dover' -> 'dover'."},
            {"key_name": "cabin", "key_type": "boolean", "required": false, "semantic_description": "Whether a cabin is wanted."},
        ],
    })
}

fn booking(more: &[(&str, Value)]) -> Value {
    let mut payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"});
    for (key, value) in more {
        payload[*key] = value.clone();
    }
    json!({"schema_id": "flight_booking_v1", "payload": payload})
}

/// Walks to the end.
pub fn walk() -> Walk {
    let mut walk = Walk::begin(&[("flight.json", flight())]);
    operations(&mut walk);
    publishing(&mut walk);
    negotiating(&mut walk);
    submitting(&mut walk);
    calling(&mut walk);
    learning(&mut walk);
    operating(&mut walk);
    telling(&mut walk);
    auditing(&mut walk);
    agents::sharing(&mut walk);
    agents::agents(&mut walk);
    agents::conversing(&mut walk);
    agents::messaging(&mut walk);
    agents::working(&mut walk);
    watching(&mut walk);
    walk
}

fn operations(walk: &mut Walk) {
    walk.chapter(
        "Is it there?",
        "Neither needs a key. `/readyz` answers 200 once journals are read and schemas published.",
    );
    walk.show(&get("", "/"), 200);
    walk.show(&get("", "/healthz"), 200);
    walk.show(&get("", "/readyz"), 200);
}

fn publishing(walk: &mut Walk) {
    walk.chapter(
        "Publishing",
        "A publisher asks first what publishing would say; nothing is stored by that.",
    );
    walk.show(&post("paul", "/v1/schemas:check", Some(ferry())), 200);
    walk.say("What is described in another way already is imported; [import.md](import.md) says from what, and what is told of it.");
    let berth = json!({"title": "Berth", "type": "object", "properties": {
        "berthKind": {"type": "string", "enum": ["seat", "cabin"], "description": "Where one sleeps.", "examples": ["cabin"]},
        "luggage": {"type": "array", "items": {"type": "string"}, "minItems": 1, "contains": {"const": "bag"}, "description": "What one brings."},
    }, "required": ["berthKind"]});
    walk.show(&post("paul", "/v1/schemas:import", Some(berth)), 200);
    walk.say("Publishing itself. The same content again is accepted, other content under the same id is not.");
    let put = Step {
        who: "paul",
        method: "PUT",
        path: "/v1/schemas/ferry_v1",
        headers: &[],
        body: Some(ferry()),
    };
    walk.silently(&put);
    let mut other = ferry();
    other["description"] = json!("Something else");
    walk.show(
        &Step {
            body: Some(other),
            ..put
        },
        409,
    );
    walk.show(&get("paul", "/v1/schemas/ferry_v1"), 200);
    walk.say("That a schema is to go is announced before; nothing else changes by that, and restoring it lifts the announcement.");
    let sunset = json!({"sunset": "2099-01-01T00:00:00Z", "reason": "the quay closes"});
    walk.show(&post("paul", "/v1/schemas/ferry_v1:deprecate", Some(sunset)), 200);
    walk.say("What is retired takes no more submissions, and can be brought back.");
    walk.show(
        &Step {
            who: "paul",
            method: "DELETE",
            path: "/v1/schemas/ferry_v1",
            headers: &[],
            body: None,
        },
        200,
    );
    walk.show(&post("paul", "/v1/schemas/ferry_v1:restore", None), 200);
}

fn negotiating(walk: &mut Walk) {
    walk.chapter(
        "Finding and fetching",
        "A client agent looks for a service: by list, or by what it is for.",
    );
    walk.show(&get("ana", "/v1/scenarios"), 200);
    walk.say("By a label; and by way of the namespace, in which everything under `/v1` is found as well.");
    walk.show(&get("ana", "/v1/namespaces/default/scenarios?label=team:harbour"), 200);
    let wish = get("ana", "/v1/scenarios?q=take+the+boat+to+calais");
    while walk.silently(&wish).body["unread"] != 0 {}
    walk.show(&wish, 200);
    walk.show(&get("ana", "/v1/scenarios?q=tell+me+a+joke"), 200);
    walk.say("The effective template for this client; with its `ETag` it need not be sent again.");
    let template = walk.show(&get("ana", "/v1/scenarios/ferry/template"), 200);
    let tag = template.headers["ETag"].to_str().expect("text").to_owned();
    let again = Step {
        headers: &[("If-None-Match", &tag)],
        ..get("ana", "/v1/scenarios/ferry/template")
    };
    walk.show(&again, 304);
    walk.say("The same for a tool interface; [exports.md](exports.md) shows every form.");
    walk.show(&get("ana", "/v1/scenarios/ferry/template?format=anthropic-tool"), 200);
    walk.say("The draft's own request.");
    let draft = json!({"method": "get_schema_template", "params": {"scenario": "ferry", "preferred_language": "en"}});
    walk.show(&post("ana", "/v1/scenarios:negotiate", Some(draft)), 200);
}

fn submitting(walk: &mut Walk) {
    walk.chapter(
        "Submitting",
        "A payload that fits is on disk when it is answered. What no key holds goes into `other`.",
    );
    let wish = booking(&[
        ("passenger_count", json!("2")),
        ("other", json!("a window seat please")),
    ]);
    walk.say("A dry run finds what is wrong and, where that is determined, how it is mended.");
    walk.show(&post("ana", "/v1/submissions:validate", Some(wish)), 422);
    let headers: &[(&str, &str)] = &[("Idempotency-Key", "trip-1")];
    let right = booking(&[("passenger_count", json!(2)), ("other", json!(SEAT[0]))]);
    walk.show(
        &Step {
            headers,
            ..post("ana", "/v1/submissions", Some(right))
        },
        200,
    );
    walk.say("The key is remembered: the same body gets the same answer, another one is refused.");
    walk.show(
        &Step {
            headers,
            ..post("ana", "/v1/submissions", Some(booking(&[])))
        },
        422,
    );
    walk.say("Several at once, each judged by itself.");
    let batch =
        json!({"submissions": [booking(&[]), {"schema_id": "flight_booking_v1", "payload": {"origin": "PEK"}}]});
    walk.show(&post("ana", "/v1/submissions:batch", Some(batch)), 200);
    walk.say("A client may also ask for what the template cannot say, without a payload.");
    let wishes = json!({"wishes": ["let me sit at the window"]});
    walk.show(
        &post("ana", "/v1/scenarios/flight_booking/extensions", Some(wishes)),
        202,
    );
}

fn calling(walk: &mut Walk) {
    walk.chapter(
        "In another protocol",
        "The same calls as JSON-RPC 2.0: by one envelope, by many at once, or by the draft's request as it stands.",
    );
    let call =
        |id: u64, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let template = call(1, "get_schema_template", json!({"scenario": "flight_booking"}));
    walk.show(&post("ana", "/rpc", Some(template)), 200);
    let batch = json!([
        call(2, "submit_payload", booking(&[])),
        call(3, "validate_payload", booking(&[("passenger_count", json!("2"))])),
    ]);
    walk.show(&post("ana", "/rpc", Some(batch)), 200);
    let bare = json!({"method": "get_schema_template", "params": {"scenario": "no such thing"}});
    walk.show(&post("ana", "/rpc", Some(bare)), 404);
    walk.say(
        "`/mcp` is for clients of the Model Context Protocol, which know what to send ([docs/mcp.md](mcp.md)); here is what they do not.",
    );
    for method in ["POST", "GET", "DELETE"] {
        let step = Step {
            method,
            body: (method == "POST").then(|| call(4, "tools/list", json!({}))),
            ..get("ana", "/mcp")
        };
        walk.show(&step, 400);
    }
}

/// Several clients want the same.
fn want(walk: &mut Walk, said: &[&str]) {
    for (number, said) in said.iter().enumerate() {
        let who = format!("agent-{}", number % 5);
        walk.clock.advance_ms(60_000);
        let reply = walk.silently(&post(&who, "/v1/submissions", Some(booking(&[("other", json!(said))]))));
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
}

fn learning(walk: &mut Walk) {
    walk.chapter(
        "What was learned",
        "Eight more clients ask for a window seat in their own words. They share a cluster, and it gets warm.",
    );
    want(walk, &SEAT);
    walk.show(&get("olga", "/v1/scenarios/flight_booking/pool?words=true"), 200);
    walk.say("One of them: its heat day by day, what it lacks to become a key, and what lies near it.");
    walk.show(&get("olga", "/v1/scenarios/flight_booking/pool/0"), 200);
    walk.say(
        "A client is told what became of its own wishes, and a reader is given what all said, without who said it.",
    );
    walk.show(&get("agent-1", "/v1/scenarios/flight_booking/wishes?limit=1"), 200);
    walk.show(&get("olga", "/v1/scenarios/flight_booking/pool:review"), 200);
    let nothing = json!({"wishes": [], "held": [], "nothing": [], "by": "a person who sees no other wish"});
    walk.show(
        &post("olga", "/v1/scenarios/flight_booking/proposals", Some(nothing)),
        200,
    );
    walk.say("Its gate opened, and a key was made of it. Here every key waits for a person (autonomy `review`).");
    walk.say("Who looks on holds one stream open that says what to read anew.");
    walk.show(&get("olga", "/v1/me"), 200);
    walk.listen("olga", "/v1/events", None);
    walk.show(&get("olga", "/v1/approvals"), 200);
    walk.show(&get("olga", "/v1/patches/flight_booking.p1/evidence"), 200);
    walk.show(&get("olga", "/v1/scenarios/flight_booking/patches"), 200);
    walk.say("One of them. Until somebody approves it, it is in no template.");
    walk.show(&get("olga", "/v1/patches/flight_booking.p1"), 200);
}

fn operating(walk: &mut Walk) {
    walk.chapter(
        "Operator actions",
        "Each hand may say why; who, when and why stand in the evidence.",
    );
    let reason = || Some(json!({"reason": "asked for by many"}));
    let hand = |walk: &mut Walk, deed: &str, body: Option<Value>| {
        walk.clock.advance_ms(60_000);
        walk.show(
            &post("olga", &format!("/v1/patches/flight_booking.p1:{deed}"), body),
            200,
        );
    };
    hand(walk, "approve", reason());
    walk.say("Now it is on trial. A client that polls is told, one that submits is told in its reply.");
    walk.show(&get("ana", "/v1/scenarios/flight_booking/updates?since=0"), 200);
    let seat = walk.silently(&get("ana", "/v1/patches/flight_booking.p1")).body;
    let name = seat["new_keys"][0]["key_name"].as_str().expect("a name").to_owned();
    walk.show(
        &post("ana", "/v1/submissions", Some(booking(&[(&name, json!(true))]))),
        200,
    );
    walk.show(&get("olga", "/v1/scenarios/flight_booking/ledger"), 200);
    walk.say("Who would rather not poll holds a stream open ([delivery.md](delivery.md)).");
    let stream = "/v1/scenarios/flight_booking/updates/stream";
    let heard = walk.listen("ana", stream, None);
    walk.say("Who wants agreed keys alone asks without those on trial; and what was agreed before is kept.");
    for asked in ["experimental=false", "as_of=1"] {
        let path = format!("/v1/scenarios/flight_booking/template?{asked}");
        walk.show(&get("ana", &path), 200);
    }
    walk.say("What differs between two versions, or two moments, is told as a check tells it.");
    walk.show(&get("ana", "/v1/scenarios/flight_booking/diff?from=1"), 200);
    hand(walk, "promote", None);
    walk.say("What is stable can become the base's own, in its next minor version.");
    walk.show(
        &post("paul", "/v1/scenarios/flight_booking:rebase?dry_run=true", None),
        200,
    );
    walk.say("A promotion can be taken back; a key can go at once, and come back.");
    for deed in ["demote", "deprecate", "restore", "withdraw"] {
        hand(walk, deed, None);
    }
    walk.say("A stream that was cut goes on where it was, by the id of the last event.");
    walk.listen("ana", stream, heard);
    walk.say("A second wish is turned down.");
    want(walk, &SUITCASE);
    walk.clock.advance_ms(60_000);
    walk.show(
        &post(
            "olga",
            "/v1/patches/flight_booking.p2:reject",
            Some(json!({"reason": "handled at the airport"})),
        ),
        200,
    );
    walk.say("And what asked for it is no wish for a while.");
    let pool = walk.silently(&get("olga", "/v1/scenarios/flight_booking/pool")).body;
    let clusters = pool["clusters"].as_array().expect("clusters");
    let rejected = clusters
        .iter()
        .find(|cluster| cluster["triggers"][0]["patch_id"] == "flight_booking.p2");
    let path = format!(
        "/v1/scenarios/flight_booking/pool/{}:dismiss",
        rejected.expect("its cluster")["id"]
    );
    let body = json!({"reason": "handled at the airport", "days": 90});
    walk.show(&post("olga", &path, Some(body)), 200);
    walk.chapter(
        "Standing still",
        "Evolution of a scenario can be stopped, and writing of the whole service.",
    );
    walk.show(
        &post(
            "olga",
            "/v1/scenarios/flight_booking:freeze",
            Some(json!({"reason": "holiday season"})),
        ),
        200,
    );
    walk.clock.advance_ms(60_000);
    walk.show(&post("olga", "/v1/scenarios/flight_booking:thaw", None), 200);
    walk.say("Every decision stands in one log, newest first.");
    walk.show(&get("olga", "/v1/scenarios/flight_booking/decision-log?limit=2"), 200);
    walk.show(&get("olga", "/v1/scenarios/flight_booking/versions"), 200);
    walk.show(&get("olga", "/v1/scenarios/flight_booking/clients?limit=2"), 200);
    walk.show(&get("olga", "/v1/scenarios/flight_booking/stats?days=2"), 200);
    walk.show(&get("olga", "/v1/scenarios/flight_booking/owner"), 200);
    let give = Step {
        method: "PUT",
        body: Some(json!({"owner": "paul", "reason": "he wrote it"})),
        ..get("olga", "/v1/scenarios/flight_booking/owner")
    };
    walk.show(&give, 200);
    walk.show(
        &post(
            "olga",
            "/v1/service:read-only",
            Some(json!({"reason": "moving the disk"})),
        ),
        200,
    );
    walk.show(&post("ana", "/v1/submissions", Some(booking(&[]))), 503);
    walk.show(&get("olga", "/v1/service"), 200);
    walk.show(&post("olga", "/v1/service:read-write", None), 200);
}

fn telling(walk: &mut Walk) {
    walk.chapter(
        "Telling others",
        "A webhook is told of changes by signed CloudEvents; its secret is shown once.",
    );
    let receiver = Receiver::start(|_, _| Do::Answer(204, ""));
    let body = json!({"url": receiver.url(), "scenarios": ["flight_booking"]});
    let webhook = walk.show(&post("olga", "/v1/webhooks", Some(body)), 201).body;
    let path = format!("/v1/webhooks/{}", webhook["id"].as_str().expect("an id"));
    walk.show(&post("olga", &format!("{path}:test"), None), 200);
    walk.show(&get("olga", &path), 200);
    walk.silently(&get("olga", "/v1/webhooks"));
    walk.show(
        &Step {
            who: "olga",
            method: "DELETE",
            path: &path,
            headers: &[],
            body: None,
        },
        200,
    );
}

fn auditing(walk: &mut Walk) {
    walk.chapter(
        "Auditing",
        "A sample of what the judge said is put before people ([audits.md](audits.md)); here nothing was drawn yet.",
    );
    walk.show(&get("olga", "/v1/audits?scenario=flight_booking"), 200);
    walk.show(&get("olga", "/v1/audits:summary?scenario=flight_booking"), 200);
    walk.silently(&get("olga", "/v1/audits/flight_booking.p1.1"));
    let verdict = json!({"verdict": "not_aligned", "reason": "the aisle was meant"});
    walk.show(&post("olga", "/v1/audits/flight_booking.p1.1", Some(verdict)), 404);
    walk.chapter(
        "Backing up",
        "Everything that was acknowledged, as one stream, while the service goes on.",
    );
    walk.silently(&get("olga", "/v1/backup"));
    walk.say("```\n$ curl -s localhost:8080/v1/backup -H 'Otherwise-Client: olga' -o otherwise.backup\n```");
}

fn watching(walk: &mut Walk) {
    walk.chapter(
        "Watching, and what errors mean",
        "Prometheus scrapes `/metrics`; `/problems` lists every error.",
    );
    walk.silently(&get("", "/metrics"));
    let page = walk.server.page("/metrics");
    let told: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("otherwise_submissions_total{"))
        .collect();
    let shown = format!(
        "```\n$ curl -s localhost:8080/metrics | grep ^otherwise_submissions_total\n{}\n```",
        told.join("\n")
    );
    walk.say(&shown);
    walk.say("`/openapi.json` describes all of this for programs, `/docs` for people.");
    for path in ["/openapi.json", "/docs", "/docs/index.html", "/problems"] {
        walk.silently(&get("", path));
    }
    walk.show(&get("", "/problems/invalid_payload"), 200);
    walk.say("Nothing is signed yet, so that there are no keys to check a signature by.");
    walk.show(&get("", "/.well-known/jwks.json"), 404);
}
