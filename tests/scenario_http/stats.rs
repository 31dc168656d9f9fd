//! Scenarios in figures: a list that is sorted by them, one of them day by day, and a trial day by day.

use std::path::Path;
use std::sync::Arc;

use otherwise::app::caller::Role;
use otherwise::config::Settings;
use schema::time::DAY_MS;
use serde_json::Value;
use serde_json::json;

use super::FLIGHT;
use super::OLGA;
use super::id_of;
use super::name_of;
use super::payload;
use super::small_gates;
use super::timed;
use crate::support::clock::VirtualClock;
use crate::support::patience::eventually;
use crate::support::principal::with_key;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::server::under;
use crate::support::wishes::SEAT;
use schema::time::At;

/// Scenarios of one agency, in the order of their names.
const NAMES: [&str; 5] = ["ash", "birch", "cedar", "elm", "oak"];

const DAYS: &str = "/v1/scenarios/oak/stats";

/// The shipped flight booking under another name, where each proposal waits for a person.
fn template(name: &str) -> Value {
    let mut template: Value = serde_json::from_str(FLIGHT).expect("a template");
    template["scenario"] = json!(name);
    template["schema_id"] = json!(format!("{name}_v1"));
    template["policy"] = small_gates(&json!({"autonomy": "review"}));
    template
}

fn noon() -> Arc<VirtualClock> {
    Arc::new(VirtualClock::at(At(20_000 * DAY_MS + DAY_MS / 2)))
}

fn start(folder: &Path, clock: &Arc<VirtualClock>, change: impl FnOnce(&mut Settings)) -> Server {
    let set = |settings: &mut Settings| {
        settings.data.folder = folder.display().to_string();
        settings.service.tick_s = 86_400;
        change(settings);
    };
    let schemas: Vec<(String, Value)> = NAMES.map(|name| (format!("{name}.json"), template(name))).to_vec();
    let schemas: Vec<(&str, Value)> = schemas
        .iter()
        .map(|(file, schema)| (file.as_str(), schema.clone()))
        .collect();
    Server::start(&schemas, set, under(clock))
}

/// One submission to a scenario; of nobody where no client is named.
fn submit(server: &Server, scenario: &str, client: &str, more: Value) -> Reply {
    let mut payload = payload();
    for (key, value) in more.as_object().expect("members") {
        payload[key] = value.clone();
    }
    let body = json!({"schema_id": format!("{scenario}_v1"), "payload": payload}).to_string();
    let named = [("Otherwise-Client", client)];
    let headers = if client.is_empty() { &[][..] } else { &named[..] };
    let reply = server.call("POST", "/v1/submissions", headers, &body);
    server.settle();
    reply
}

fn list(server: &Server, query: &str) -> Reply {
    server.call("GET", &format!("/v1/scenarios?{query}"), &[OLGA], "")
}

/// The names that a list holds.
fn named(reply: &Reply) -> Vec<String> {
    assert_eq!(reply.status, 200, "{}", reply.body);
    let rows = reply.body["scenarios"].as_array().expect("rows").iter();
    rows.map(|row| row["scenario"].as_str().expect("a name").to_owned())
        .collect()
}

/// The figures of a scenario as the list shows them.
fn figures(server: &Server, name: &str) -> Value {
    let listed = list(server, "stats=true").body;
    let mut rows = listed["scenarios"].as_array().expect("rows").iter();
    let row = rows.find(|row| row["scenario"] == name).expect("the scenario");
    row["stats"].clone()
}

/// Waits until a figure is kept.
#[track_caller]
fn kept(server: &Server, name: &str, figure: &str, value: Value) {
    let what = format!("{figure} of {name} becomes {value}");
    eventually(&what, || figures(server, name)[figure] == value);
}

/// An agency on whose scenarios something differs: what waits, what `other` is needed for, what comes at all.
fn busy(server: &Server) {
    for name in ["birch", "ash"] {
        submit(server, name, "ana", json!({"other": SEAT[0]}));
        submit(server, name, "ana", json!({}));
    }
    for client in ["ana", "ben", ""] {
        assert_eq!(submit(server, "oak", client, json!({})).status, 200);
    }
    assert_eq!(submit(server, "oak", "ben", json!({"origin": 7})).status, 422);
    for (number, said) in SEAT.iter().enumerate() {
        submit(server, "elm", &format!("agent-{}", number % 5), json!({"other": said}));
    }
    for (name, payloads) in [("ash", 2), ("birch", 2), ("oak", 4), ("elm", 8)] {
        kept(server, name, "payloads_7d", json!(payloads));
    }
    kept(server, "elm", "waits", json!(1));
}

#[test]
fn scenarios_are_sorted_by_each_figure_and_paged_over_ties() {
    let (folder, clock) = (tempfile::tempdir().expect("a folder"), noon());
    let server = start(folder.path(), &clock, |_| {});
    busy(&server);
    for (sort, whole) in [
        ("name", ["ash", "birch", "cedar", "elm", "oak"]),
        ("waiting", ["elm", "ash", "birch", "cedar", "oak"]),
        ("other_ratio", ["elm", "ash", "birch", "oak", "cedar"]),
        ("payloads", ["elm", "oak", "ash", "birch", "cedar"]),
    ] {
        assert_eq!(named(&list(&server, &format!("sort={sort}"))), whole, "{sort}");
        for limit in 1..=5 {
            let (mut seen, mut after) = (Vec::new(), String::new());
            loop {
                let page = list(&server, &format!("stats=true&sort={sort}&limit={limit}{after}"));
                seen.extend(named(&page));
                let Some(next) = page.body["next"].as_str() else { break };
                after = format!("&after={next}");
            }
            assert_eq!(seen, whole, "{sort} in pages of {limit}");
        }
    }
    assert_eq!(named(&list(&server, "")), NAMES, "as before");
    let first = &list(&server, "").body["scenarios"][0];
    assert_eq!(first.get("stats"), None, "unasked");
    assert!(list(&server, "label=team:none&sort=payloads").body["scenarios"] == json!([]));
    let found = list(&server, "q=I+want+to+book+a+flight&stats=true&limit=2").body;
    for row in found["scenarios"].as_array().expect("rows") {
        assert!(
            row["likeness"].is_number() && row["stats"]["payloads_7d"].is_u64(),
            "{found}"
        );
    }
    for query in [
        "sort=clients",
        "sort=",
        "stats=yes",
        "q=a+flight&sort=name",
        "sort=payloads&after=ash",
        "sort=payloads&after=waiting.1.elm",
        "sort=waiting&after=waiting.x.elm",
    ] {
        assert_eq!(list(&server, query).told(), (400, "bad_parameter"), "{query}");
    }
}

#[test]
fn figures_are_those_that_are_read_one_by_one_and_follow_what_happens_z135_z160() {
    let (folder, clock) = (tempfile::tempdir().expect("a folder"), noon());
    let server = start(folder.path(), &clock, |_| {});
    has(
        &figures(&server, "cedar"),
        json!({"payloads_7d": 0, "other_ratio": null, "refused_ratio": null, "clients": 0, "waits": 0, "heat_max": 0.0}),
    );
    busy(&server);
    assert_eq!(
        figures(&server, "oak"),
        json!({
            "as_of": "2024-10-04T12:00:00Z", "payloads_7d": 4, "other_ratio": 0.0, "refused_ratio": 0.25, "clients": 2, "waits": 0,
            "on_trial": 0, "clusters": 0, "heat_max": 0.0, "frozen": false, "stalled": false,
        })
    );
    let elm = figures(&server, "elm");
    let read = |what: &str| server.get("olga", &format!("/v1/scenarios/elm/{what}")).body;
    let (pool, ledger) = (read("pool"), read("ledger"));
    let clusters = pool["clusters"].as_array().expect("clusters");
    has(
        &elm,
        json!({
            "other_ratio": ledger["other_ratio"], "clients": ledger["clients"], "refused_ratio": 0.0, "clusters": clusters.len(),
            "heat_max": clusters[0]["heat"],
        }),
    );
    let approvals = server.get("olga", "/v1/approvals").body;
    assert_eq!(elm["waits"], approvals["waiting"]);
    let heat = elm["heat_max"].as_f64().expect("a heat");
    assert!(server.measured(&format!(r#"otherwise_heat_max{{scenario="elm"}} {heat}"#)));

    // What a person does is shown at once.
    assert_eq!(server.post("/v1/scenarios/elm:freeze", "").status, 200);
    assert_eq!(figures(&server, "elm")["frozen"], true);
    assert_eq!(server.post("/v1/scenarios/elm:thaw", "").status, 200);
    let id = approvals["approvals"][0]["patch_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    assert_eq!(server.post(&format!("/v1/patches/{id}:approve"), "").status, 200);
    kept(&server, "elm", "on_trial", json!(1));
    assert_eq!(figures(&server, "elm")["waits"], 0);

    // They are there at once after a restart, and move with time alone.
    let before = figures(&server, "elm");
    drop(server);
    let server = start(folder.path(), &clock, |_| {});
    assert_eq!(figures(&server, "elm"), before);
    clock.advance_ms(7 * DAY_MS);
    kept(&server, "elm", "payloads_7d", json!(0));
    has(
        &figures(&server, "elm"),
        json!({"other_ratio": 1.0, "as_of": "2024-10-11T12:00:00Z"}),
    );
}

#[test]
fn figures_are_for_those_who_inspect_and_the_list_for_everybody() {
    let roles = [
        (Role::Publisher, "paul", 200),
        (Role::Client, "ana", 403),
        (Role::Operator, "olga", 200),
        (Role::Auditor, "adam", 200),
    ];
    let (folder, clock) = (tempfile::tempdir().expect("a folder"), noon());
    let server = start(folder.path(), &clock, |settings| {
        let principals = roles.iter().map(|(role, name, _)| with_key(name, *role, name));
        settings.principals = principals.collect();
    });
    for (_, name, status) in roles {
        let ask = |query: &str| server.call("GET", &format!("/v1/scenarios{query}"), &[("X-API-Key", name)], "");
        for open in ["", "?sort=name", "?stats=false", "?q=a+flight"] {
            assert_eq!(ask(open).status, 200, "{name} {open}");
        }
        for closed in [
            "?stats=true",
            "?sort=waiting",
            "?sort=other_ratio&limit=1",
            "?sort=payloads",
            "?q=a+flight&stats=true",
            "/oak/stats",
        ] {
            let reply = ask(closed);
            assert_eq!(reply.status, status, "{name} {closed}");
            assert!(status == 200 || reply.body["code"] == "forbidden", "{}", reply.body);
        }
    }
}

#[test]
fn a_scenario_is_told_day_by_day_with_days_of_nothing_and_an_entity_tag() {
    let (folder, clock) = (tempfile::tempdir().expect("a folder"), noon());
    let server = start(folder.path(), &clock, |settings| {
        settings.policy.evolution.window_days = 60
    });
    let ask = |query: &str, held: &str| {
        let headers = [OLGA, ("If-None-Match", held)];
        let headers = if held.is_empty() { &headers[..1] } else { &headers[..] };
        server.call("GET", &format!("{DAYS}{query}"), headers, "")
    };
    let days = |query: &str| {
        let reply = ask(query, "");
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.body["days"].as_array().expect("days").clone()
    };
    let day = |day: &str, [payloads, refused, with_other, clients]: [u64; 4]| json!({"day": day, "payloads": payloads, "refused": refused, "with_other": with_other, "clients": clients});
    submit(&server, "oak", "ana", json!({"other": SEAT[0]}));
    submit(&server, "oak", "ana", json!({"origin": 7}));
    submit(&server, "oak", "", json!({}));
    submit(&server, "oak", "ben", json!({}));
    clock.advance_ms(2 * DAY_MS);
    submit(&server, "oak", "ben", json!({"origin": 7, "other": SEAT[1]}));
    let told = [
        day("2024-10-03", [0; 4]),
        day("2024-10-04", [4, 1, 1, 2]),
        day("2024-10-05", [0; 4]),
        day("2024-10-06", [1, 1, 1, 1]),
    ];
    assert_eq!(days("?days=4"), told);
    assert_eq!(days("?days=1"), told[3..]);
    assert_eq!(days("").len(), 30, "where nothing is said");
    assert_eq!(days("?days=120").len(), 60, "as far back as the ledger is read");

    let first = ask("?days=4", "");
    assert_eq!(first.body["scenario"], "oak");
    let tag = first.headers["etag"].to_str().expect("text").to_owned();
    let held = ask("?days=4", &tag);
    assert_eq!(
        (held.status, &held.headers["etag"], &held.body),
        (304, &first.headers["etag"], &Value::Null)
    );
    assert_eq!(ask("?days=3", &tag).status, 200, "another span");
    submit(&server, "oak", "ben", json!({}));
    let moved = ask("?days=4", &tag);
    assert_eq!(moved.status, 200);
    assert_eq!(moved.body["days"][3], day("2024-10-06", [2, 1, 1, 1]));
    let tag = moved.headers["etag"].to_str().expect("text").to_owned();
    clock.advance_ms(DAY_MS);
    assert_eq!(ask("?days=4", &tag).status, 200, "another day");
    let before = days("?days=5");
    for (query, told) in [
        ("?days=0", (400, "bad_parameter")),
        ("?days=121", (400, "bad_parameter")),
        ("?days=x", (400, "bad_parameter")),
        ("?day=1", (400, "unknown_parameter")),
    ] {
        assert_eq!(ask(query, "").told(), told, "{query}");
    }
    let unknown = server.call("GET", "/v1/scenarios/yew/stats", &[OLGA], "");
    assert_eq!(unknown.told(), (404, "unknown_scenario"));
    drop(server);
    let server = start(folder.path(), &clock, |settings| {
        settings.policy.evolution.window_days = 60
    });
    let again = server.call("GET", &format!("{DAYS}?days=5"), &[OLGA], "");
    assert_eq!(again.body["days"], json!(before), "after a restart");
}

#[test]
fn evidence_holds_the_days_of_a_trial_and_its_gates_by_the_policy_in_force_z134_z143() {
    let policy =
        small_gates(&json!({"promote_usage_min": 0.1, "deprecate_usage_below": 0.02, "trial_payloads_min": 4}));
    let (server, clock) = timed(policy, |_| {});
    let patch = server.wanted_by_many(&SEAT);
    let name = name_of(&patch);
    server.template_of("reader");
    let begun = server.evidence(&patch);
    let value = json!(patch["new_keys"][0]["key_type"] == "boolean");
    let value = if value == json!(true) { value } else { json!("window") };
    assert_eq!(server.book("reader", &[(&name, value)]).status, 200);
    assert_eq!(server.book("writer", &[]).status, 200);
    clock.advance_ms(2 * DAY_MS);
    assert_eq!(server.book("reader", &[]).status, 200);
    let evidence = server.evidence(&patch);
    let days = evidence["trial_curve"].as_array().expect("days");
    let named: Vec<&Value> = days.iter().map(|day| &day["day"]).collect();
    assert_eq!(named, ["2026-05-01", "2026-05-02", "2026-05-03"]);
    let came = |figure: &str| {
        let count = |evidence: &Value| evidence["trial_curve"][0][figure].as_u64().expect("a count");
        count(&evidence) - count(&begun)
    };
    let figures = [
        "payloads",
        "payloads_of_recipients",
        "with_key",
        "recipients_with_key",
        "type_ok",
    ];
    assert_eq!(figures.map(came), [2, 1, 1, 1, 1], "{evidence:#}");
    let nothing = json!({
        "day": "2026-05-02", "payloads": 0, "payloads_of_recipients": 0, "with_key": 0, "recipients_with_key": 0, "type_ok": 0,
        "judged": 0, "aligned": 0,
    });
    assert_eq!(days[1], nothing);
    has(
        &days[2],
        json!({"payloads": 1, "payloads_of_recipients": 1, "with_key": 0}),
    );
    for (total, of_day) in [
        ("payloads", "payloads"),
        ("payloads_with_key", "with_key"),
        ("judged", "judged"),
        ("aligned", "aligned"),
    ] {
        let sum: u64 = days.iter().filter_map(|day| day[of_day].as_u64()).sum();
        assert_eq!(evidence["ledger"][total], sum, "{total}");
    }
    has(
        &evidence["gates"],
        json!({
            "usage": {"stays": 0.1, "leaves": 0.02}, "alignment": {"stays": 0.8, "leaves": 0.6},
            "type": {"stays": 0.9, "leaves": 0.7}, "payloads_min": 4, "judgements_min": 10, "until": "2026-05-08T08:00:00Z",
        }),
    );
    let withdrawn = server.act(&patch, "withdraw", "");
    assert_eq!(withdrawn.status, 200, "{} {}", id_of(&patch), withdrawn.body);
    assert_eq!(server.evidence(&patch)["gates"]["until"], Value::Null);
}
