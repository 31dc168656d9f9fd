//! Idempotency keys over HTTP: one key, one submission, one answer.

use std::path::Path;
use std::sync::Arc;
use std::sync::Barrier;
use std::thread;

use otherwise::app::restore;
use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use schema::time::At;
use schema::time::DAY_MS;
use serde_json::Value;
use serde_json::json;
use store::journal::Journal;
use store::journal::JournalName;
use store::journal_store::JournalStore;
use store::options::StoreOptions;

use crate::support::clock::VirtualClock;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::under;

const ADA: (&str, &str) = ("Otherwise-Client", "ada");
const BOB: (&str, &str) = ("Otherwise-Client", "bob");

fn template() -> Value {
    json!({"schema_id": "tram_v1", "scenario": "tram", "keys": [
        {"key_name": "stop", "key_type": "string", "required": true,
         "semantic_description": "Where to get on. Example: 'at the castle' -> 'castle'."},
        {"key_name": "tickets", "key_type": "integer", "required": false, "default_value": 1,
         "semantic_description": "Number of tickets. Example: 'for two' -> 2."},
    ]})
}

fn server(change: impl FnOnce(&mut Settings), parts: PartsOverride) -> Server {
    Server::start(&[("tram_v1.json", template())], change, parts)
}

fn body(stop: &str) -> String {
    json!({"schema_id": "tram_v1", "payload": {"stop": stop, "other": "a seat"}}).to_string()
}

fn submit(server: &Server, client: Option<(&str, &str)>, key: &str, body: &str) -> Reply {
    let mut headers: Vec<(&str, &str)> = client.into_iter().collect();
    headers.push(("Idempotency-Key", key));
    server.call("POST", "/v1/submissions", &headers, body)
}

fn replayed(reply: &Reply) -> bool {
    reply
        .headers
        .get("idempotent-replayed")
        .is_some_and(|value| value == "true")
}

/// How many submissions are on record.
fn payloads(server: &Server) -> Value {
    server.settle();
    server.call("GET", "/v1/scenarios/tram/ledger", &[], "").body["payloads"].clone()
}

#[test]
fn a_key_belongs_to_its_client_and_nobody_is_one_client_too() {
    let server = server(|_| {}, PartsOverride::default());
    let ids: Vec<Value> = [Some(ADA), Some(BOB), None]
        .into_iter()
        .map(|client| {
            let stop = client.map_or("nowhere", |(_, name)| name);
            let first = submit(&server, client, "k", &body(stop));
            assert_eq!((first.status, replayed(&first)), (200, false), "{}", first.body);
            let again = submit(&server, client, "k", &body(stop));
            assert!(replayed(&again));
            assert_eq!(again.body, first.body);
            first.body["exchange"]["submission_id"].clone()
        })
        .collect();
    assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2], "{ids:?}");
    let anonymous = submit(&server, None, "k", &body("castle"));
    assert_eq!(anonymous.body["code"], "idempotency_mismatch");
    assert_eq!(payloads(&server), 3);
}

#[test]
fn of_many_at_once_one_is_recorded_and_the_others_wait_or_get_its_answer() {
    const AT_ONCE: usize = 12;
    let server = server(|settings| settings.server.workers = 2, PartsOverride::default());
    for round in 0..5 {
        let key = format!("k-{round}");
        let text = body(&key);
        let barrier = Barrier::new(AT_ONCE);
        let replies: Vec<Reply> = thread::scope(|scope| {
            let callers: Vec<_> = (0..AT_ONCE)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        submit(&server, Some(ADA), &key, &text)
                    })
                })
                .collect();
            callers
                .into_iter()
                .map(|caller| caller.join().expect("a reply"))
                .collect()
        });
        let first: Vec<&Reply> = replies
            .iter()
            .filter(|reply| reply.status == 200 && !replayed(reply))
            .collect();
        assert_eq!(first.len(), 1, "{replies:?}");
        for reply in &replies {
            if reply.status == 200 {
                assert_eq!(reply.body, first[0].body);
            } else {
                assert_eq!(reply.told(), (409, "idempotency_in_flight"));
                assert!(reply.headers.contains_key("retry-after"));
            }
        }
        assert_eq!(payloads(&server), round + 1);
        let later = submit(&server, Some(ADA), &key, &text);
        assert!(replayed(&later));
        assert_eq!(later.body, first[0].body);
    }
}

#[test]
fn a_key_outlives_a_restart() {
    let data = tempfile::tempdir().expect("a folder");
    let place = data.path().display().to_string();
    let wrong = json!({"schema_id": "tram_v1", "payload": {}}).to_string();
    let (accepted, refused) = {
        let server = server(
            |settings| settings.data.folder.clone_from(&place),
            PartsOverride::default(),
        );
        (
            submit(&server, Some(ADA), "k", &body("castle")),
            submit(&server, Some(ADA), "r", &wrong),
        )
    };
    assert_eq!((accepted.status, refused.status), (200, 422));
    for _ in 0..2 {
        let server = server(
            |settings| settings.data.folder.clone_from(&place),
            PartsOverride::default(),
        );
        for (key, text, first) in [("k", body("castle"), &accepted), ("r", wrong.clone(), &refused)] {
            let again = submit(&server, Some(ADA), key, &text);
            assert_eq!((again.status, replayed(&again)), (first.status, true));
            assert_eq!(again.body.to_string(), first.body.to_string());
        }
        let other = submit(&server, Some(ADA), "k", &body("harbour"));
        assert_eq!(other.body["code"], "idempotency_mismatch");
        assert_eq!(payloads(&server), 2);
    }
}

#[test]
fn a_key_is_remembered_for_a_day_to_the_millisecond() {
    let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
    let parts = under(&clock);
    let server = server(|settings| settings.service.tick_s = 86_400, parts);
    let first = submit(&server, Some(ADA), "k", &body("castle"));
    server.settle();
    clock.advance_ms(DAY_MS - 1);
    server.tick();
    let last = submit(&server, Some(ADA), "k", &body("castle"));
    assert!(replayed(&last));
    assert_eq!(last.body, first.body);
    clock.advance_ms(1);
    let anew = submit(&server, Some(ADA), "k", &body("harbour"));
    assert_eq!((anew.status, replayed(&anew)), (200, false), "{}", anew.body);
    assert_ne!(
        anew.body["exchange"]["submission_id"],
        first.body["exchange"]["submission_id"]
    );
    server.settle();
    let again = submit(&server, Some(ADA), "k", &body("harbour"));
    assert!(replayed(&again));
    assert_eq!(payloads(&server), 2);
}

#[test]
fn a_generated_key_is_remembered_for_ten_minutes_and_in_a_batch_too() {
    let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
    let server = server(|settings| settings.service.tick_s = 86_400, under(&clock));
    let named = submit(&server, Some(ADA), "named", &body("castle"));
    let first = submit(&server, Some(ADA), "generated:k", &body("castle"));
    clock.advance_ms(599_999);
    assert_eq!(
        submit(&server, Some(ADA), "generated:k", &body("castle")).body,
        first.body
    );
    clock.advance_ms(1);
    let mut item: Value = serde_json::from_str(&body("harbour")).expect("a body");
    item["idempotency_key"] = json!("generated:k");
    let batch = json!({"submissions": [item]}).to_string();
    for replayed in [Value::Null, json!(true)] {
        let reply = server.call("POST", "/v1/submissions:batch", &[ADA], &batch);
        assert_eq!(reply.body["items"][0]["status"], 200, "{}", reply.body);
        assert_eq!(reply.body["items"][0]["replayed"], replayed);
    }
    assert_eq!(submit(&server, Some(ADA), "named", &body("castle")).body, named.body);
}

/// Puts a copy of the index of keys of one data folder into another one, or none.
fn replace_keys(data: &Path, by: Option<&Path>) {
    let keys = data.join("keys");
    let _ = std::fs::remove_dir_all(&keys);
    let Some(from) = by else { return };
    std::fs::create_dir_all(&keys).expect("made");
    for file in std::fs::read_dir(from.join("keys")).expect("an index") {
        let from = file.expect("a file").path();
        std::fs::copy(&from, keys.join(from.file_name().expect("a name"))).expect("copied");
    }
}

#[test]
fn an_index_that_lags_or_is_missing_or_of_another_folder_is_caught_up_before_a_key_is_taken() {
    let (folder, other) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    let (data, lagging) = (folder.path().join("data"), folder.path().join("lagging"));
    let start = |data: &Path| {
        let place = data.display().to_string();
        server(|settings| settings.data.folder = place, PartsOverride::default())
    };
    let record = |server: &Server, from: usize| -> Vec<(String, Reply)> {
        let keys = (from..from + 20).map(|number| format!("k{number}"));
        keys.map(|key| (key.clone(), submit(server, Some(ADA), &key, &body(&key))))
            .collect()
    };
    let mut first = record(&start(&data), 0);
    replace_keys(&lagging, Some(&data));
    first.extend(record(&start(&data), 20));
    record(&start(other.path()), 60);
    for by in [Some(lagging.as_path()), None, Some(other.path())] {
        replace_keys(&data, by);
        let server = start(&data);
        for (key, reply) in &first {
            let again = submit(&server, Some(ADA), key, &body(key));
            assert_eq!((again.status, replayed(&again)), (200, true), "{by:?} {key}");
            assert_eq!(again.body, reply.body);
        }
    }
}

#[test]
fn a_snapshot_of_before_that_holds_keys_is_read_and_its_keys_stand_in_the_journal() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().display().to_string();
    let start = || {
        server(
            |settings| settings.data.folder.clone_from(&place),
            PartsOverride::default(),
        )
    };
    let first = submit(&start(), Some(ADA), "k", &body("castle"));
    let journal = JournalName("scenario/default/tram".to_owned());
    let store = JournalStore::open(folder.path(), StoreOptions::default()).expect("opened");
    let mut snapshot = store.snapshot(&journal).expect("read").expect("one");
    let mut state: Value = serde_json::from_slice(&snapshot.state).expect("a state");
    assert_eq!(state.get("idempotency"), None, "no snapshot holds keys");
    state["idempotency"] = json!({"ada": {"k": {"submission": 2, "digest": "00", "at": 0}}});
    snapshot.state = state.to_string().into_bytes();
    store.keep_snapshot(&journal, &snapshot).expect("kept");
    let restored = restore::restore(&store, &journal).expect("restored");
    assert_eq!(restored.snapshot_seq, snapshot.seq);
    drop(store);
    replace_keys(folder.path(), None);
    let again = submit(&start(), Some(ADA), "k", &body("castle"));
    assert!(replayed(&again));
    assert_eq!(again.body, first.body);
}

#[test]
fn a_key_of_another_form_is_refused_and_nothing_is_recorded() {
    let server = server(|_| {}, PartsOverride::default());
    let long = "k".repeat(256);
    for key in ["", "two words", long.as_str()] {
        let reply = submit(&server, Some(ADA), key, &body("castle"));
        assert_eq!(reply.told(), (400, "bad_header"), "{key:?}");
    }
    let longest = "k".repeat(255);
    assert_eq!(submit(&server, Some(ADA), &longest, &body("castle")).status, 200);
    assert_eq!(payloads(&server), 1);
}
