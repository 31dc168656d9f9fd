//! How long what clients said is kept: on disk, in the state, and in what is served.

use std::path::Path;
use std::sync::Arc;

use otherwise::app::restore;
use otherwise::config::Settings;
use schema::time::At;
use schema::time::DAY_MS;
use serde_json::json;
use store::journal::JournalName;
use store::journal_store::JournalStore;
use store::options::StoreOptions;
use store::verify::verify;

use crate::support::clock::VirtualClock;
use crate::support::server::Server;
use crate::support::server::under;

const SAID: &str = "somewhere to hang my zither";
const UTTERED: &str = "and mind the goldfish";

fn start(folder: &Path, clock: &Arc<VirtualClock>, change: impl Fn(&mut Settings)) -> Server {
    let template = json!({"schema_id": "train_v1", "scenario": "train_booking", "keys": [
        {"key_name": "origin", "key_type": "string", "required": true, "semantic_description": "Where from."}]});
    let parts = under(clock);
    let set = |settings: &mut Settings| {
        settings.data.folder = folder.display().to_string();
        settings.service.tick_s = 3_600;
        change(settings);
    };
    Server::start(&[("train_v1.json", template)], set, parts)
}

fn submit(server: &Server, key: &str) -> u16 {
    let body = json!({"schema_id": "train_v1", "utterance": UTTERED, "payload": {"origin": "Bern", "other": SAID}});
    let headers = [("Otherwise-Client", "ana"), ("Idempotency-Key", key)];
    let reply = server.call("POST", "/v1/submissions", &headers, &body.to_string());
    server.settle();
    reply.status
}

/// Whether a file of the store holds a text, as bytes.
fn holds(folder: &Path, text: &str) -> bool {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).expect("a file");
                if bytes.windows(text.len()).any(|window| window == text.as_bytes()) {
                    return true;
                }
            }
        }
    }
    false
}

/// The state as it is, and as a replay of the whole journal makes it.
fn replayed(folder: &Path) -> (u64, String) {
    let store = JournalStore::open(folder, StoreOptions::default()).expect("a store");
    let name = JournalName("scenario/default/train_booking".to_owned());
    let replayed = restore::replay(&store, &name).expect("whole").state;
    let restored = restore::restore(&store, &name).expect("whole").state;
    let text = serde_json::to_string(&replayed).expect("a state");
    assert_eq!(text, serde_json::to_string(&restored).expect("a state"));
    (replayed.erased_through, text)
}

#[test]
fn what_clients_said_is_erased_in_time_and_everything_else_goes_on_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path();
    let clock = Arc::new(VirtualClock::at(At(20_000 * DAY_MS)));
    let two_days = |settings: &mut Settings| settings.service.texts_kept_days = 2;
    let server = start(data, &clock, two_days);
    assert_eq!(submit(&server, "k1"), 200);
    clock.advance_ms(2 * DAY_MS);
    server.tick();
    let pool = |server: &Server| server.call("GET", "/v1/scenarios/train_booking/pool", &[], "").body;
    assert_eq!(pool(&server)["erased_through"], 0, "not before it is older than that");
    clock.advance_ms(1);
    server.tick();
    let told = pool(&server);
    assert!(told["erased_through"].as_u64() > Some(0), "{told}");
    assert_eq!(told["demand"], 1, "what was counted stays counted");
    assert_eq!(submit(&server, "k2"), 200);
    let live =
        serde_json::to_string(&*server.service().handle("train_booking").expect("hosted").state()).expect("a state");
    drop(server);

    let (erased_through, state) = replayed(data);
    assert!(erased_through > 0);
    assert_eq!(state, live, "a replay needs none of it");
    // The second one is young.
    assert!(holds(data, SAID));
    clock.advance_ms(3 * DAY_MS);
    let server = start(data, &clock, two_days);
    server.tick();
    drop(server);
    // The next start leaves nothing of it on the disk.
    let server = start(data, &clock, two_days);
    let ledger = server.call("GET", "/v1/scenarios/train_booking/ledger", &[], "").body;
    assert_eq!((&ledger["payloads"], &pool(&server)["demand"]), (&json!(2), &json!(2)));
    drop(server);
    for text in [SAID, UTTERED] {
        assert!(!holds(data, text), "{text}");
    }
    let verified = verify(data, &|_, _| {}).expect("verified");
    assert_eq!((verified.erased, verified.faults), (2, vec![]));
}

#[test]
fn a_closed_scenario_keeps_its_texts_as_long_as_it_is_told_and_no_longer_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Arc::new(VirtualClock::at(At(20_000 * DAY_MS)));
    let server = start(folder.path(), &clock, |settings| settings.service.closed_kept_days = 10);
    assert_eq!(submit(&server, "k1"), 200);
    let erased = || {
        server.tick();
        let live = server.service().handle("train_booking").expect("hosted");
        let through = live.state().erased_through;
        through > 0
    };
    clock.advance_ms(30 * DAY_MS);
    assert!(!erased(), "it is open");
    assert_eq!(server.delete("/v1/schemas/train_v1").status, 200);
    clock.advance_ms(10 * DAY_MS - 1);
    assert!(!erased());
    clock.advance_ms(1);
    assert!(erased());
    // It can be opened again all the same.
    assert_eq!(server.call("POST", "/v1/schemas/train_v1:restore", &[], "").status, 200);
    assert_eq!(submit(&server, "k2"), 200);
}

#[test]
fn without_a_word_everything_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Arc::new(VirtualClock::at(At(20_000 * DAY_MS)));
    let server = start(folder.path(), &clock, |_| {});
    assert_eq!(submit(&server, "k1"), 200);
    clock.advance_ms(3_650 * DAY_MS);
    server.tick();
    drop(server);
    assert_eq!(replayed(folder.path()).0, 0);
    assert!(holds(folder.path(), SAID));
}
