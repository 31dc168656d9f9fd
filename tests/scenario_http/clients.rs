//! Who uses a scenario, and whom another version of its schema would refuse.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering;

use otherwise::app::caller::Role;
use otherwise::app::ports::Clock;
use otherwise::app::would_break;
use otherwise::app::would_break::BOUNDS;
use otherwise::app::would_break::Bounds;
use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use schema::template::SchemaTemplate;
use schema::time::At;
use schema::time::DAY_MS;
use serde_json::Value;
use serde_json::json;

use super::airline;
use super::payload;
use crate::support::clock::VirtualClock;
use crate::support::journals::journals;
use crate::support::principal::with_key;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::server::over;
use crate::support::server::under;
use crate::support::wishes::SEAT;

const CLIENTS: &str = "/v1/scenarios/tram/clients";

/// Tickets of a tram; `zones` are those that there are.
fn tram(id: &str, version: &str, zones: &[&str]) -> Value {
    json!({"schema_id": id, "scenario": "tram", "version": version, "keys": [
        {"key_name": "zone", "key_type": "string", "required": true, "constraints": {"enum": zones},
         "semantic_description": "Zone of the ticket."},
        {"key_name": "line", "key_type": "integer", "required": false, "semantic_description": "Line."},
        {"key_name": "name", "key_type": "string", "required": false, "semantic_description": "Whose it is."}]})
}

fn first() -> Value {
    tram("tram_v1", "1.0.0", &["inner", "outer", "coast"])
}

/// Without the coast.
fn narrower() -> Value {
    tram("tram_v2", "2.0.0", &["inner", "outer"])
}

/// Asks for the line.
fn asks() -> Value {
    let mut asks = first();
    (asks["schema_id"], asks["version"], asks["keys"][1]["required"]) = (json!("tram_v3"), json!("3.0.0"), json!(true));
    asks
}

fn start(folder: &Path, clock: &Arc<VirtualClock>, change: impl FnOnce(&mut Settings)) -> Server {
    let set = |settings: &mut Settings| {
        settings.data.folder = folder.display().to_string();
        settings.service.tick_s = 3_600;
        change(settings);
    };
    Server::start(&[("tram_v1.json", first())], set, under(clock))
}

/// The clock stands at noon.
fn noon() -> Arc<VirtualClock> {
    Arc::new(VirtualClock::at(At(20_000 * DAY_MS + DAY_MS / 2)))
}

fn submit(server: &Server, client: &str, schema_id: &str, payload: &Value) -> Reply {
    let body = json!({"schema_id": schema_id, "payload": payload}).to_string();
    let named = [("Otherwise-Client", client)];
    let headers = if client.is_empty() { &[][..] } else { &named[..] };
    let reply = server.call("POST", "/v1/submissions", headers, &body);
    server.settle();
    reply
}

fn clients(server: &Server) -> Value {
    let reply = server.call("GET", CLIENTS, &[], "");
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.body
}

fn would_break(server: &Server, document: &Value) -> Value {
    let checked = server.call("POST", "/v1/schemas:check", &[], &document.to_string());
    assert_eq!(checked.status, 200, "{}", checked.body);
    checked.body["would_break"].clone()
}

#[test]
fn a_scenarios_clients_are_told_over_days_and_after_a_restart() {
    let (folder, clock) = (tempfile::tempdir().expect("a folder"), noon());
    let server = start(folder.path(), &clock, |_| {});
    assert_eq!(clients(&server), json!({"clients": [], "total": 0}));
    for line in [1, 2, 3] {
        submit(
            &server,
            "ada",
            "tram_v1",
            &json!({"zone": "coast", "line": line, "name": null}),
        );
    }
    submit(
        &server,
        "ada",
        "tram_v1",
        &json!({"zone": "coast", "other": "with a dog"}),
    );
    // Refused payloads are submissions too; nobody's are in no row.
    assert_eq!(submit(&server, "ben", "tram_v1", &json!({"zone": 7})).status, 422);
    assert_eq!(submit(&server, "", "tram_v1", &json!({"zone": "inner"})).status, 200);
    let mut newer = first();
    (newer["schema_id"], newer["version"]) = (json!("tram_v1_1"), json!("1.1.0"));
    assert_eq!(server.put("/v1/schemas/tram_v1_1", &newer).status, 201);
    let told = clients(&server);
    let ada = json!({
        "client": "ada", "state": "active", "last_seen": "2024-10-04T12:00:00Z", "submissions_7d": 4, "schema_id": "tram_v1",
        "version": "1.0.0", "revision": 1, "versions_behind": 1, "sample": 4, "other_ratio": 0.25,
        "keys": {"line": 0.75, "zone": 1.0}, "trial_keys": [],
    });
    assert_eq!((&told["total"], &told["clients"][0]), (&json!(2), &ada));
    has(
        &told,
        json!({"clients/1/client": "ben", "clients/1/submissions_7d": 1, "clients/1/keys": {"zone": 1.0}, "next": null}),
    );

    clock.advance_ms(7 * DAY_MS - 1);
    let told = clients(&server);
    has(
        &told,
        json!({"clients/0/state": "active", "clients/0/submissions_7d": 0}),
    );
    clock.advance_ms(1);
    submit(&server, "ada", "tram_v1_1", &json!({"zone": "inner"}));
    let told = clients(&server);
    has(
        &told,
        json!({
            "clients/0/state": "active", "clients/0/versions_behind": 0, "clients/0/submissions_7d": 1, "clients/0/other_ratio": 0.2,
            "clients/1/state": "stale", "clients/1/versions_behind": 1, "clients/1/other_ratio": 0.0,
        }),
    );
    let versions = server.call("GET", "/v1/scenarios/tram/versions", &[], "").body;
    let used: Vec<(&Value, &Value)> = [0, 1]
        .iter()
        .map(|place| &versions["versions"][place])
        .map(|row| (&row["schema_id"], &row["clients"]))
        .collect();
    assert_eq!(used, [(&json!("tram_v1_1"), &json!(1)), (&json!("tram_v1"), &json!(1))]);
    clock.advance_ms(23 * DAY_MS);
    has(
        &clients(&server),
        json!({"clients/0/state": "stale", "clients/1/state": "silent"}),
    );

    let told = clients(&server);
    drop(server);
    let server = start(folder.path(), &clock, |_| {});
    assert_eq!(clients(&server), told, "after a restart");
    // A version that is retired is none to go to.
    assert_eq!(server.delete("/v1/schemas/tram_v1_1").status, 200);
    has(
        &clients(&server),
        json!({"clients/0/versions_behind": 0, "clients/1/versions_behind": 0}),
    );
}

#[test]
fn clients_come_page_by_page_in_the_order_of_their_names() {
    let server = Server::with(&[("tram_v1.json", first())]);
    let names: Vec<String> = (0..101).map(|n| format!("c{n:03}")).collect();
    for name in names.iter().rev() {
        assert_eq!(submit(&server, name, "tram_v1", &json!({"zone": "inner"})).status, 200);
    }
    let page = |query: &str| {
        let told = server.call("GET", &format!("{CLIENTS}{query}"), &[], "");
        let rows = told.body["clients"].as_array().cloned().unwrap_or_default();
        let names: Vec<String> = rows
            .iter()
            .map(|row| row["client"].as_str().expect("a name").to_owned())
            .collect();
        assert!(told.status != 200 || told.body["total"] == 101, "{}", told.body);
        (names, told.body["next"].clone(), told.told().1.to_owned())
    };
    assert_eq!(page(""), (names[..100].to_vec(), json!("c099"), String::new()));
    assert_eq!(page("?after=c099"), (names[100..].to_vec(), Value::Null, String::new()));
    assert_eq!(
        page("?limit=101"),
        (names.clone(), Value::Null, String::new()),
        "all of them, and no more"
    );
    assert_eq!(
        page("?limit=1&after=c050"),
        (vec!["c051".to_owned()], json!("c051"), String::new())
    );
    assert_eq!(page("?limit=200&after=c100").0, [""; 0], "none is left");
    // A name need not be a client's any more.
    assert_eq!(page("?limit=1&after=c0505").0, ["c051"]);
    for (query, code) in [
        ("?limit=0", "bad_parameter"),
        ("?limit=201", "bad_parameter"),
        ("?after=a%20b", "bad_parameter"),
        ("?after=", "bad_parameter"),
        ("?offset=1", "unknown_parameter"),
    ] {
        assert_eq!(page(query).2, code, "{query}");
    }
    let unknown = server.call("GET", "/v1/scenarios/bus/clients", &[], "");
    assert_eq!(unknown.told(), (404, "unknown_scenario"));
}

#[test]
fn a_key_on_trial_is_told_of_those_who_use_it_rightly_z139() {
    let server = airline(&json!({}));
    let patch = server.wanted_by_many(&SEAT);
    let key = patch["new_keys"][0]["key_name"].as_str().expect("a key").to_owned();
    let row = |client: &str| {
        let told = server.call("GET", "/v1/scenarios/flight_booking/clients", &[], "").body;
        let rows = told["clients"].as_array().expect("clients").clone();
        rows.into_iter().find(|row| row["client"] == client)
    };
    assert_eq!(row("zoe"), None);
    // Who has fetched what is new is there, by the schema in force.
    server.template_of("zoe");
    server.settle();
    let fetched = row("zoe").expect("a client");
    has(
        &fetched,
        json!({"schema_id": "flight_booking_v1", "revision": patch["revision"], "sample": 0, "other_ratio": null, "trial_keys": []}),
    );
    let mut with_key = payload();
    with_key[&key] = json!(true);
    assert_eq!(submit(&server, "zoe", "flight_booking_v1", &with_key).status, 200);
    let used = row("zoe").expect("a client");
    assert_eq!(
        (&used["trial_keys"], &used["keys"][&key]),
        (&json!([key]), &json!(1.0)),
        "{used}"
    );
}

#[test]
fn a_check_names_the_clients_that_would_break_by_counts_and_keys_alone() {
    let (folder, clock) = (tempfile::tempdir().expect("a folder"), noon());
    let server = start(folder.path(), &clock, |_| {});
    let empty = json!({"looked_at": 0, "gone": 0, "looked_back_to": "2024-09-04T12:00:00Z", "clients": [], "clients_min": 5,
        "value_keys": ["zone"], "sensitive_keys": []});
    assert_eq!(would_break(&server, &narrower()), empty);
    let coast = json!({"zone": "coast", "plan": "elope"});
    for (client, payload, status) in [
        ("ada", json!({"zone": "coast", "line": 4}), 200),
        ("ada", coast.clone(), 200),
        ("ada", json!({"zone": "inner"}), 200),
        ("ben", json!({"zone": "outer"}), 200),
        // What its own version refuses no other one breaks.
        ("carl", json!({"zone": "moon"}), 422),
        ("", json!({"zone": "coast"}), 200),
    ] {
        assert_eq!(submit(&server, client, "tram_v1", &payload).status, status);
    }
    let wishes = json!({"wishes": ["a seat by the window"]}).to_string();
    let asked = server.call(
        "POST",
        "/v1/scenarios/tram/extensions",
        &[("Otherwise-Client", "ada")],
        &wishes,
    );
    assert_eq!(asked.status, 202, "{}", asked.body);
    let broken = |client: Value, submissions: u64, refused: u64, keys: Value| json!({"client": client, "submissions": submissions, "refused": refused, "keys": keys});
    let told = would_break(&server, &narrower());
    has(&told, json!({"looked_at": 6, "gone": 0, "clients": []}));
    assert_eq!(
        would_break(&server, &first())["clients"],
        json!([]),
        "the version that they use"
    );

    // A key that goes, and one that a client made up, refuse alike where a template is strict; the name of the latter is its own.
    let mut strict = narrower();
    (strict["strict"], strict["keys"][0]["constraints"]["enum"]) = (json!(true), json!(["inner", "outer", "coast"]));
    strict["keys"].as_array_mut().expect("keys").remove(1);
    let told = would_break(&server, &strict);
    assert_eq!(
        told["clients"],
        json!([broken(json!("ada"), 3, 2, json!(["line"]))]),
        "{told}"
    );
    for said in ["coast", "plan", "elope"] {
        assert!(!told.to_string().contains(said), "{said} in {told}");
    }

    // A key that is required from now on.
    let asks = asks();
    let told = would_break(&server, &asks);
    let expected = [
        broken(json!("ada"), 3, 2, json!(["line"])),
        broken(json!(null), 1, 1, json!(["line"])),
        broken(json!("ben"), 1, 1, json!(["line"])),
    ];
    assert_eq!(told["clients"], json!(expected));
    drop(server);

    let server = start(folder.path(), &clock, |_| {});
    assert_eq!(would_break(&server, &asks), told, "after a restart");
    clock.advance_ms(30 * DAY_MS);
    assert_eq!(would_break(&server, &asks)["looked_at"], 6, "thirty days are looked at");
    clock.advance_ms(1);
    assert_eq!(would_break(&server, &asks)["looked_at"], 0, "and no more");
}

#[test]
fn what_was_erased_is_counted_as_gone_z167() {
    let (folder, clock) = (tempfile::tempdir().expect("a folder"), noon());
    let server = start(folder.path(), &clock, |settings| settings.service.texts_kept_days = 2);
    // The second one is longer than a record.
    let long = json!({"zone": "coast", "name": "n".repeat(70_000)});
    for payload in [json!({"zone": "coast"}), long.clone()] {
        assert_eq!(submit(&server, "ada", "tram_v1", &payload).status, 200);
    }
    has(
        &would_break(&server, &asks()),
        json!({"looked_at": 2, "gone": 0, "clients/0/refused": 2}),
    );
    clock.advance_ms(2 * DAY_MS + 1);
    submit(&server, "ada", "tram_v1", &long);
    server.tick();
    let told = would_break(&server, &asks());
    has(
        &told,
        json!({"looked_at": 1, "gone": 2, "clients/0/submissions": 1, "clients/0/refused": 1}),
    );
    has(
        &clients(&server),
        json!({"clients/0/submissions_7d": 3, "clients/0/sample": 3}),
    );
}

#[test]
fn neither_a_secret_that_was_taken_out_nor_a_key_that_is_enforced_by_now_is_a_break_x02() {
    let server = Server::with(&[("tram_v1.json", first())]);
    let secret = json!({"zone": "inner", "password": "hunter2x9"});
    assert_eq!(submit(&server, "ada", "tram_v1", &secret).status, 200);
    let mut asks = first();
    (asks["schema_id"], asks["version"]) = (json!("tram_v2"), json!("2.0.0"));
    asks["keys"][2] = json!({"key_name": "password", "key_type": "string", "required": false,
        "constraints": {"pattern": "^[a-z0-9]+$"}, "semantic_description": "The word at the gate."});
    has(&would_break(&server, &asks), json!({"looked_at": 1, "clients": []}));

    let server = airline(&json!({}));
    let patch = server.wanted_by_many(&SEAT);
    let key = patch["new_keys"][0]["key_name"].as_str().expect("a key");
    server.template_of("zoe");
    server.settle();
    let mut wrong = payload();
    wrong[key] = json!(["neither", "nor"]);
    assert_eq!(
        submit(&server, "zoe", "flight_booking_v1", &wrong).status,
        200,
        "it is on trial"
    );
    assert_eq!(server.act(&patch, "promote", "").status, 200);
    assert_eq!(
        submit(&server, "zoe", "flight_booking_v1", &wrong).status,
        422,
        "it is stable"
    );
    let mut next = server.get("zoe", "/v1/schemas/flight_booking_v1").body;
    (next["schema_id"], next["version"]) = (json!("flight_booking_v2"), json!("2.0.0"));
    assert_eq!(would_break(&server, &next)["clients"], json!([]));
    next["keys"]
        .as_array_mut()
        .expect("keys")
        .retain(|key| key["key_name"] != "departure_date");
    next["strict"] = json!(true);
    let told = would_break(&server, &next);
    let zoe = told["clients"]
        .as_array()
        .expect("clients")
        .iter()
        .find(|row| row["client"] == "zoe");
    assert_eq!(zoe, None, "what is refused by both is broken by neither: {told}");
    assert_eq!(told["clients"][0]["keys"], json!(["departure_date"]), "{told}");
}

#[test]
fn only_who_may_publish_there_is_told_whom_it_would_break() {
    let people = [
        ("paul", Role::Publisher),
        ("rita", Role::Publisher),
        ("olga", Role::Operator),
        ("ada", Role::Client),
        ("adam", Role::Auditor),
    ];
    let people = people.map(|(name, role)| with_key(name, role, &format!("key of {name}")));
    let server = Server::start(
        &[],
        |settings| settings.principals = people.to_vec(),
        PartsOverride::default(),
    );
    let ask = |name: &str, method: &str, path: &str, body: &str| {
        server.call(method, path, &[("X-API-Key", &format!("key of {name}"))], body)
    };
    let (document, next) = (first().to_string(), asks().to_string());
    assert_eq!(ask("paul", "PUT", "/v1/schemas/tram_v1", &document).status, 201);
    let body = json!({"schema_id": "tram_v1", "payload": {"zone": "coast"}}).to_string();
    assert_eq!(ask("ada", "POST", "/v1/submissions", &body).status, 200);
    server.settle();
    for (name, sees, checks) in [
        ("paul", 200, Some(json!("ada"))),
        ("olga", 200, Some(json!("ada"))),
        ("rita", 200, None),
        ("adam", 200, None),
        ("ada", 403, None),
    ] {
        assert_eq!(ask(name, "GET", CLIENTS, "").status, sees, "{name}");
        let checked = ask(name, "POST", "/v1/schemas:check", &next);
        let told = checked.body.pointer("/would_break/clients/0/client").cloned();
        assert_eq!(told, checks, "{name}: {}", checked.body);
        assert_eq!(checked.body.get("would_break").is_some(), checks.is_some(), "{name}");
    }
}

/// Tells a later moment each time it is asked.
struct Running(AtomicI64);

impl Clock for Running {
    fn now(&self) -> At {
        At(self.0.fetch_add(1, Ordering::SeqCst))
    }
}

#[test]
fn a_look_back_ends_at_each_of_its_bounds() {
    let (clock, journal) = (noon(), Arc::new(journals()));
    let parts = PartsOverride {
        clock: Some(clock.clone()),
        ..over(&journal)
    };
    let server = Server::start(&[("tram_v1.json", first())], |_| {}, parts);
    for (client, times) in [("ada", 3), ("ben", 2)] {
        for _ in 0..times {
            clock.advance_ms(1_000);
            submit(&server, client, "tram_v1", &json!({"zone": "coast"}));
        }
    }
    let handle = server.service().handle("tram").expect("hosted");
    let template = SchemaTemplate::parse(&asks()).expect("a template").0;
    let look = |clock: &dyn Clock, bounds: Bounds| {
        let told = would_break::look(journal.as_ref(), clock, &handle, template.clone(), bounds).expect("read");
        let refused: Vec<u64> = told.clients.iter().map(|client| client.refused).collect();
        (told.looked_at, refused, told.looked_back_to)
    };
    let whole = "2024-09-04T12:00:05Z".to_owned();
    let all = (5, vec![3, 2], whole.clone());
    assert_eq!(look(&*clock, BOUNDS), all);
    let of_client = |of_client: u64| look(&*clock, Bounds { of_client, ..BOUNDS });
    assert_eq!(of_client(3), all);
    assert_eq!(of_client(2), (4, vec![2, 2], whole));
    let in_all = |in_all: u64| look(&*clock, Bounds { in_all, ..BOUNDS });
    assert_eq!(in_all(5), all);
    assert_eq!(
        in_all(4),
        (4, vec![2, 2], "2024-10-04T12:00:02Z".to_owned()),
        "the newest"
    );
    let running = || Running(AtomicI64::new(clock.now().0));
    let time_ms = |time_ms: i64| look(&running(), Bounds { time_ms, ..BOUNDS });
    assert_eq!(time_ms(1).0, 5);
    assert_eq!(
        time_ms(0),
        (0, vec![], "2024-10-04T12:00:05Z".to_owned()),
        "there is no time"
    );
}
