//! Looking on: one stream that says what happens, in names and numbers, through breaks and restarts.

use std::path::Path;

use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use super::OLGA;
use super::SCENARIO;
use super::flight;
use super::id_of;
use super::small_gates;
use crate::support::events;
use crate::support::events::Events;
use crate::support::events::Said;
use crate::support::principal::one_of_each;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::wishes::SEAT;

const EVENTS: &str = "/v1/events";

/// A service in which every key waits, on this folder, with a second scenario.
fn start(data: &Path, change: impl FnOnce(&mut Settings)) -> Server {
    let tram = json!({"schema_id": "tram_v1", "scenario": "tram", "keys": [
        {"key_name": "zone", "key_type": "string", "required": true, "semantic_description": "Zone of the ticket."}]});
    Server::start(
        &[
            ("template.json", flight(small_gates(&json!({"autonomy": "review"})))),
            ("tram.json", tram),
        ],
        |settings| {
            settings.data.folder = data.display().to_string();
            settings.delivery.stream_heartbeat_s = 1;
            change(settings);
        },
        PartsOverride::default(),
    )
}

fn listen(server: &Server, path: &str, after: Option<u64>) -> Events {
    let after = after.map(|id| id.to_string());
    let mut headers = vec![OLGA];
    headers.extend(after.as_deref().map(|id| ("Last-Event-ID", id)));
    let (status, _, events) = events::open(server.base(), path, &headers);
    assert_eq!(status, 200);
    events.expect("a stream")
}

/// The next event that is not of figures.
fn next(stream: &mut Events) -> (String, u64, Value) {
    loop {
        match stream.told() {
            (name, ..) if name == "stats" => {}
            (name, id, data) => return (name, id.expect("an id"), data),
        }
    }
}

/// Events up to the one of this name about this patch.
fn until(stream: &mut Events, name: &str, patch: &str) -> u64 {
    loop {
        let (said, id, data) = next(stream);
        if said == name && data["patch_id"] == patch {
            return id;
        }
    }
}

#[test]
fn what_happens_is_told_in_names_and_numbers_and_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = start(folder.path(), |_| {});
    let mut stream = listen(&server, EVENTS, None);
    assert_eq!(next(&mut stream).0, "reset", "there is nothing to go on from");
    let mut tram = listen(&server, "/v1/events?scenario=tram", None);
    assert_eq!(next(&mut tram).0, "reset");
    let patch = server.wanted_by_many(&SEAT);
    let (name, born, data) = next(&mut stream);
    assert_eq!(
        (name.as_str(), &data),
        (
            "proposal",
            &json!({"scenario": "flight_booking", "patch_id": patch["patch_id"], "revision": patch["revision"]})
        )
    );
    let (name, id, data) = stream.told();
    assert_eq!(name, "stats", "{data}");
    has(
        &data,
        json!({"scenario": "flight_booking", "counts/waits": 1, "counts/on_trial": 0, "counts/pending": 0}),
    );
    assert!(id >= Some(born));
    assert!(!data.to_string().contains("window"), "no word: {data}");
    assert!(tram.is_quiet(), "of another scenario");
    drop((stream, tram));

    assert_eq!(server.post(&format!("{SCENARIO}:freeze"), "").status, 200);
    assert_eq!(server.act(&patch, "reject", "").status, 200);
    drop(server);
    let server = start(folder.path(), |_| {});
    let mut stream = listen(&server, EVENTS, Some(born));
    let mut told = Vec::new();
    // What happened just before the break may come twice.
    while told.last().is_none_or(|(name, _)| name != "patch") {
        let (name, id, data) = next(&mut stream);
        assert!(id >= born, "{name}: {data}");
        assert_ne!(name, "reset");
        told.push((name, data));
    }
    assert!(
        told.iter()
            .any(|(name, data)| name == "scenario" && data["scenario"] == "flight_booking"),
        "{told:?}"
    );
    assert_eq!(told.last().expect("the end").1["patch_id"], patch["patch_id"]);

    // What is read back is not told again as it comes.
    let mut both = listen(&server, &format!("{EVENTS}?after={born}"), None);
    until(&mut both, "patch", &id_of(&patch));
    assert_eq!(server.post(&format!("{SCENARIO}:thaw"), "").status, 200);
    assert_eq!(next(&mut both).0, "scenario");
    let far = listen(&server, EVENTS, Some(9_000_000_000_000)).told();
    assert_eq!(far.0, "reset", "of another clock");
    let mut old = listen(&server, EVENTS, Some(1));
    assert_eq!(next(&mut old).0, "schema", "everything, where it is not much");
}

#[test]
fn a_schema_a_value_and_a_trial_are_told_and_bye_at_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = start(folder.path(), |settings| settings.server.shutdown_s = 30);
    let mut stream = listen(&server, EVENTS, None);
    let patch = server.wanted_by_many(&SEAT);
    until(&mut stream, "proposal", &id_of(&patch));
    assert_eq!(
        server.act(&patch, "approve", r#"{"edit": {"title": "Seat"}}"#).status,
        200
    );
    let (edited, staged) = (next(&mut stream), next(&mut stream));
    assert_eq!((edited.0.as_str(), staged.0.as_str()), ("patch", "patch"));
    assert_eq!(staged.2["patch_id"], patch["patch_id"]);
    let line = json!({"schema_id": "tram_v1_1", "scenario": "tram", "version": "1.1.0", "keys": [
        {"key_name": "zone", "key_type": "string", "required": true, "semantic_description": "Zone of the ticket."}]});
    assert_eq!(server.put("/v1/schemas/tram_v1_1", &line).status, 201);
    let (name, _, data) = next(&mut stream);
    assert_eq!(name, "schema");
    has(
        &data,
        json!({"scenario": "tram", "schema_id": "tram_v1_1", "patch_id": null}),
    );
    let ending = std::thread::spawn(move || drop(server));
    let bye = loop {
        match stream.next() {
            Said::Event { name, id, data } if name != "stats" => break (name, id, data),
            Said::End => panic!("it says nothing"),
            _ => {}
        }
    };
    assert_eq!(bye, ("bye".to_owned(), None, json!({})));
    assert_eq!(stream.next(), Said::End);
    ending.join().expect("it ends");
}

#[test]
fn who_may_inspect_looks_on_and_takes_a_place_among_the_streams() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = start(folder.path(), |settings| {
        settings.principals = one_of_each();
        settings.delivery.streams_per_client_max = 1;
    });
    let open = |name: &str, path: &str| events::open(server.base(), path, &[("X-API-Key", &format!("key of {name}"))]);
    let mut held = Vec::new();
    for (name, status) in [("paul", 200), ("olga", 200), ("adam", 200), ("ada", 403), ("olga", 429)] {
        let (answered, _, stream) = open(name, EVENTS);
        assert_eq!(answered, status, "{name}");
        held.extend(stream);
    }
    drop(held);
    let key = ("X-API-Key", "key of paul");
    let sse = ("Accept", "text/event-stream");
    for (path, headers, told) in [
        ("/v1/events?scenario=nowhere", vec![key, sse], (404, "unknown_scenario")),
        ("/v1/events?after=x", vec![key, sse], (400, "bad_parameter")),
        ("/v1/events?since=1", vec![key, sse], (400, "unknown_parameter")),
        (EVENTS, vec![key, sse, ("Last-Event-ID", "x")], (400, "bad_header")),
        (
            EVENTS,
            vec![key, ("Accept", "application/json")],
            (406, "not_acceptable"),
        ),
        (EVENTS, vec![sse], (401, "unauthenticated")),
    ] {
        assert_eq!(server.call("GET", path, &headers, "").told(), told, "{path}");
    }
}
