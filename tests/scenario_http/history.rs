//! What changed: the difference between two templates, and the log of decisions.

use otherwise::app::caller::Role;
use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use super::LEGROOM;
use super::OLGA;
use super::SCENARIO;
use super::airline;
use super::flight;
use super::name_of;
use super::payload;
use super::small_gates;
use crate::support::principal::with_key;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::wishes::SEAT;

/// Tickets of a tram; `zones` are those that there are.
fn tram(id: &str, version: &str, zones: &[&str]) -> Value {
    json!({"schema_id": id, "scenario": "tram", "version": version, "keys": [
        {"key_name": "zone", "key_type": "string", "required": true, "constraints": {"enum": zones},
         "semantic_description": "Zone of the ticket."},
        {"key_name": "line", "key_type": "integer", "required": false, "semantic_description": "Line."}]})
}

fn tram_diff(server: &Server, query: &str) -> Reply {
    server.get("olga", &format!("/v1/scenarios/tram/diff?{query}"))
}

#[test]
fn two_versions_are_compared_as_a_check_compares_them() {
    let first = tram("tram_v1", "1.0.0", &["inner", "outer", "coast"]);
    let second = tram("tram_v2", "2.0.0", &["inner", "outer"]);
    let server = Server::set(&[("tram_v1.json", first)], |_| {});
    let revision = server.get("olga", "/v1/scenarios/tram/template").body["revision"].clone();
    let same = tram_diff(&server, "from=tram_v1");
    same.has(
        200,
        json!({"class": "none", "changes": [], "from/revision": revision, "to/schema_id": "tram_v1"}),
    );
    let checked = server
        .call("POST", "/v1/schemas:check", &[OLGA], &second.to_string())
        .body;
    assert_eq!(server.put("/v1/schemas/tram_v2", &second).status, 201);

    let told = tram_diff(&server, "from=tram_v1&to=tram_v2");
    told.has(
        200,
        json!({"class": "breaking", "from/version": "1.0.0", "to/version": "2.0.0"}),
    );
    assert_eq!(told.body["changes"], checked["compatibility"]["compared"][0]["changes"]);
    let zone = &told.body["key_digests"]["zone"];
    assert!(zone["from"].is_string() && zone["from"] != zone["to"], "{zone}");
    let line = &told.body["key_digests"]["line"];
    assert!(line["from"].is_string() && line["from"] == line["to"], "{line}");
    assert_eq!(
        tram_diff(&server, "from=tram_v1").body,
        told.body,
        "the one in force is meant"
    );
    let by_revision = tram_diff(&server, &format!("from={revision}&to=tram_v2")).body;
    assert_eq!(by_revision["changes"], told.body["changes"]);
    let back = tram_diff(&server, "from=tram_v2&to=tram_v1").body;
    assert_eq!(
        (&back["class"], &back["to"]["schema_id"]),
        (&json!("breaking"), &json!("tram_v1"))
    );
    // A retired one can still be compared.
    assert_eq!(server.delete("/v1/schemas/tram_v1").status, 200);
    assert_eq!(tram_diff(&server, "from=tram_v1").body["changes"], told.body["changes"]);

    for (query, answer) in [
        ("", (400, "bad_parameter")),
        ("to=tram_v2", (400, "bad_parameter")),
        ("from=tram_v2&client=%01", (400, "bad_parameter")),
        ("from=999999", (400, "bad_parameter")),
        ("from=0", (404, "unknown_schema")),
        ("from=ferry_v1", (404, "unknown_schema")),
        ("from=tram_v1&to=no%20such%20thing", (404, "unknown_schema")),
        ("from=tram_v1&since=1", (400, "unknown_parameter")),
    ] {
        assert_eq!(tram_diff(&server, query).told(), answer, "{query}");
    }
    let nowhere = server.get("olga", "/v1/scenarios/ferry/diff?from=1");
    assert_eq!(nowhere.told(), (404, "unknown_scenario"));
}

#[test]
fn what_a_client_has_to_itself_is_compared_for_it_and_for_who_may_inspect_z122() {
    let roles = [
        ("ana", Role::Client),
        ("ben", Role::Client),
        ("olga", Role::Operator),
        ("paul", Role::Publisher),
    ];
    let principals = || roles.map(|(name, role)| with_key(name, role, &format!("{name}-key")));
    let set = |settings: &mut Settings| settings.principals = principals().into_iter().collect();
    let server = Server::set(&[("template.json", flight(small_gates(&json!({}))))], set);
    let call = |who: &str, method: &str, path: &str, body: &str| {
        server.call(method, path, &[("X-API-Key", &format!("{who}-key"))], body)
    };
    for said in LEGROOM.iter().cycle().take(8) {
        let mut payload = payload();
        payload["other"] = json!(said);
        let body = json!({"schema_id": "flight_booking_v1", "payload": payload}).to_string();
        assert_eq!(call("ana", "POST", "/v1/submissions", &body).status, 200);
        server.settle();
    }
    let classes = |who: &str, more: &str| {
        let reply = call(who, "GET", &format!("{SCENARIO}/diff?from=1{more}"), "");
        match reply.status {
            200 => reply.body["changes"]
                .as_array()
                .expect("changes")
                .iter()
                .map(|change| change["kind"].as_str().expect("a kind").to_owned())
                .collect(),
            _ => vec![format!("{:?}", reply.told())],
        }
    };
    let forbidden = format!("{:?}", (403, "forbidden"));
    for (who, more, told) in [
        ("ana", "", vec!["key_added"]),
        ("ana", "&client=ana", vec!["key_added"]),
        ("ana", "&client=ben", vec![forbidden.as_str()]),
        ("ben", "", vec![]),
        ("ben", "&client=ana", vec![forbidden.as_str()]),
        ("olga", "", vec![]),
        ("olga", "&client=ana", vec!["key_added"]),
        ("paul", "&client=ana", vec!["key_added"]),
        ("paul", "&client=nobody", vec![]),
    ] {
        assert_eq!(classes(who, more), told, "{who}{more}");
    }
}

fn log(server: &Server, query: &str) -> Value {
    let reply = server.get("olga", &format!("{SCENARIO}/decision-log?{query}"));
    assert_eq!(reply.status, 200, "{query}: {}", reply.body);
    reply.body
}

/// All of it, a page after another.
fn whole(server: &Server, limit: u64) -> Vec<Value> {
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let page = log(server, &format!("limit={limit}{after}"));
        seen.extend(page["decisions"].as_array().expect("decisions").iter().cloned());
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => return seen,
        }
    }
}

#[test]
fn every_decision_is_listed_newest_first_with_who_and_why_z137_z169() {
    let server = airline(&json!({}));
    let seat = server.wanted_by_many(&SEAT);
    server.act(&seat, "promote", r#"{"reason": "asked for by many"}"#);
    server.post(&format!("{SCENARIO}:freeze"), r#"{"reason": "audit"}"#);
    server.post(&format!("{SCENARIO}:thaw"), "");
    let all = whole(&server, 200);
    let seqs: Vec<u64> = all.iter().map(|one| one["seq"].as_u64().expect("a place")).collect();
    assert!(seqs.is_sorted_by(|one, other| one > other), "{seqs:?}");
    let find = |what: &str| {
        let found = all.iter().find(|one| one["what"] == what);
        found.unwrap_or_else(|| panic!("{what} in {all:?}")).clone()
    };
    has(
        &all[0],
        json!({"what": "thawed", "by/principal": "olga", "reason": null, "because": []}),
    );
    has(&find("frozen"), json!({"by/principal": "olga", "reason": "audit"}));
    has(
        &all[all.len() - 1],
        json!({"what": "schema_published", "schema_id": "flight_booking_v1"}),
    );
    has(&find("triggered"), json!({"by": null}));
    let proposed = find("proposed");
    has(&proposed, json!({"patch_id": seat["patch_id"], "by": null}));
    assert!(
        proposed["says"]
            .as_str()
            .is_some_and(|says| says.contains(&name_of(&seat))),
        "{proposed}"
    );
    assert!(
        proposed["because"]
            .as_array()
            .is_some_and(|because| !because.is_empty()),
        "{proposed}"
    );
    let promoted = all
        .iter()
        .find(|one| one["reason"] == "asked for by many")
        .expect("it is told");
    has(
        promoted,
        json!({"what": "staged", "patch_id": seat["patch_id"], "by/principal": "olga"}),
    );
    for limit in [1, 2, 3] {
        assert_eq!(whole(&server, limit), all, "pages of {limit}");
    }

    // A state that does not list what was decided before reads the journal for it.
    {
        let handle = server.service().handle("flight_booking").expect("it is hosted");
        let mut state = handle.state();
        let middle = seqs[seqs.len() / 2];
        state.decisions.since = middle;
        state.decisions.told.retain(|seq| *seq >= middle);
    }
    for limit in [1, 4, 200] {
        assert_eq!(whole(&server, limit), all, "pages of {limit} without a list");
    }

    for wrong in ["limit=0", "limit=201", "after=x", "after=-1"] {
        let reply = server.get("olga", &format!("{SCENARIO}/decision-log?{wrong}"));
        assert_eq!(reply.told(), (400, "bad_parameter"), "{wrong}");
    }
    let nowhere = server.get("olga", "/v1/scenarios/nowhere/decision-log");
    assert_eq!(nowhere.told(), (404, "unknown_scenario"));
}
