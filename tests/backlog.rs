//! Learning that cannot follow: what is said is recorded and answered as ever, waits within a bound, and is read later.

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

use otherwise::app::ports::EmbedFault;
use otherwise::app::ports::Embedder;
use otherwise::app::restore;
use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use schema::time::At;
use schema::time::DAY_MS;
use serde_json::Value;
use serde_json::json;
use store::journal::JournalName;
use store::journal::Promise;
use store::journal_store::JournalStore;
use store::options::StoreOptions;
use text::vector::Vector;

use crate::support::clock::VirtualClock;
use crate::support::patience::eventually;
use crate::support::random::Random;
use crate::support::server::Server;
use crate::support::server::has;

/// Submissions that a scenario holds.
const HELD: usize = 3;
/// No model likes it.
const BAD: &str = "an unreadable corner";

/// A model that can be gone, and never reads [`BAD`].
#[derive(Default)]
struct Ill {
    gone: AtomicBool,
    read: Mutex<Vec<String>>,
}

impl Ill {
    fn gone(is_gone: bool) -> Arc<Ill> {
        let ill = Ill::default();
        ill.gone.store(is_gone, Ordering::SeqCst);
        Arc::new(ill)
    }

    fn comes_back(&self) {
        self.gone.store(false, Ordering::SeqCst);
    }

    fn has_read(&self, text: &str) -> bool {
        let read = self.read.lock().expect("what was read");
        read.iter().any(|other| other == text)
    }
}

impl Embedder for Ill {
    fn model(&self) -> &str {
        "signs/64"
    }

    fn embed(&self, texts: Vec<String>) -> Promise<'_, Result<Vec<Vector>, EmbedFault>> {
        let fails = self.gone.load(Ordering::SeqCst) || texts.iter().any(|text| text.contains(BAD));
        let vector = |text: &String| {
            let seed = text.bytes().fold(7_u64, |seed, byte| {
                seed.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte)
            });
            let mut random = Random::new(seed);
            let signs: Vec<f32> = (0..64).map(|_| if random.one_in(2) { 1.0 } else { -1.0 }).collect();
            Vector::quantise(&signs).expect("a vector")
        };
        let vectors = texts.iter().map(vector).collect();
        Box::pin(async move {
            if fails {
                return Err(EmbedFault::Model("it is ill".to_owned()));
            }
            self.read.lock().expect("what was read").extend(texts);
            Ok(vectors)
        })
    }
}

fn start(folder: &Path, model: &Arc<Ill>, clock: &Arc<VirtualClock>, change: impl Fn(&mut Settings)) -> Server {
    let template = json!({"schema_id": "train_v1", "scenario": "train_booking", "keys": [
        {"key_name": "origin", "key_type": "string", "required": true, "semantic_description": "Where from."}]});
    let parts = PartsOverride {
        clock: Some(clock.clone()),
        embedder: Some(model.clone()),
        ..PartsOverride::default()
    };
    let set = |settings: &mut Settings| {
        settings.data.folder = folder.display().to_string();
        settings.service.tick_s = 3_600;
        settings.policy.pool.pending_max = HELD;
        change(settings);
    };
    Server::start(&[("train_v1.json", template)], set, parts)
}

fn now() -> Arc<VirtualClock> {
    Arc::new(VirtualClock::at(At(20_000 * DAY_MS)))
}

/// Says something, which is answered whatever becomes of it.
fn say(server: &Server, said: &str) {
    let body = json!({"schema_id": "train_v1", "payload": {"origin": "Bern", "other": said}});
    let headers = [("Otherwise-Client", "ana")];
    let reply = server.call("POST", "/v1/submissions", &headers, &body.to_string());
    assert_eq!(reply.status, 200, "{}", reply.body);
}

fn pool(server: &Server) -> Value {
    server.call("GET", "/v1/scenarios/train_booking/pool", &[], "").body
}

/// How many submissions are held, and how many wait in the journal alone.
fn waits(server: &Server) -> (usize, u64) {
    let handle = server.service().handle("train_booking").expect("hosted");
    let state = handle.state();
    (state.pending.len(), state.unread() - state.pending.len() as u64)
}

fn is_stalled(server: &Server) -> bool {
    server.measured("otherwise_scenario_stalled{scenario=\"train_booking\"} 1")
}

/// The state as a snapshot and the rest of the journal give it, which is what the whole journal gives.
fn replayed(folder: &Path) {
    let store = JournalStore::open(folder, StoreOptions::default()).expect("a store");
    let name = JournalName("scenario/default/train_booking".to_owned());
    let replayed = restore::replay(&store, &name).expect("whole").state;
    assert_eq!(replayed, restore::restore(&store, &name).expect("whole").state);
}

#[test]
fn with_the_model_gone_what_is_said_waits_within_a_bound_and_is_read_when_it_is_back_z084_z103() {
    let (folder, clock, model) = (tempfile::tempdir().expect("a folder"), now(), Ill::gone(true));
    let data = folder.path();
    let server = start(data, &model, &clock, |_| {});
    for place in 0..HELD {
        say(&server, &format!("I want a corner {place}"));
    }
    eventually("it is said that nothing is learned", || is_stalled(&server));
    eventually("as many are held as may be", || waits(&server) == (HELD, 0));
    say(&server, "I want one more");
    eventually("one beyond it waits in the journal", || waits(&server) == (HELD, 1));
    for place in 0..4 {
        say(&server, &format!("I want a table {place}"));
    }
    eventually("all the others too", || waits(&server) == (HELD, 5));
    // As often as it is tried again.
    for _ in 0..3 {
        server.tick();
    }
    eventually("it stays so", || is_stalled(&server));
    has(&pool(&server), json!({"pending": 8, "demand": 0}));
    assert!(server.measured("otherwise_submissions_pending{scenario=\"train_booking\"} 8"));
    let ready = server.call("GET", "/readyz", &[], "");
    ready.has(200, json!({"status": "degraded", "stalled_scenarios": 1}));
    drop(server);
    replayed(data);

    let server = start(data, &model, &clock, |_| {});
    say(&server, "I want it after the restart");
    eventually("nothing is forgotten", || waits(&server) == (HELD, 6));
    model.comes_back();
    server.tick();
    server.settle();
    assert_eq!(waits(&server), (0, 0));
    has(&pool(&server), json!({"pending": 0, "demand": 9}));
    assert!(!is_stalled(&server));
    let page = server.page("/metrics");
    let mut failed = page.lines().filter(|line| line.contains("fate=\"failed\""));
    assert!(failed.all(|line| line.ends_with(" 0")), "{page}");
    for said in ["I want a corner 0", "I want a table 3", "I want it after the restart"] {
        assert!(model.has_read(said), "{said}");
    }
    drop(server);
    replayed(data);
}

#[test]
fn a_text_on_which_a_model_fails_alone_holds_nothing_up_z084() {
    let (folder, clock, model) = (tempfile::tempdir().expect("a folder"), now(), Ill::gone(false));
    let server = start(folder.path(), &model, &clock, |_| {});
    for said in ["I want a corner", BAD, "I want a table"] {
        say(&server, said);
    }
    server.settle();
    has(&pool(&server), json!({"pending": 0, "demand": 2}));
    let failed = "otherwise_fragments_total{fate=\"failed\",scenario=\"train_booking\"} 1";
    assert!(server.measured(failed), "{}", server.page("/metrics"));
    assert!(!is_stalled(&server));
}

#[test]
fn what_waits_too_long_is_erased_unread_and_waited_for_no_more_z167() {
    let (folder, clock, model) = (tempfile::tempdir().expect("a folder"), now(), Ill::gone(true));
    let server = start(folder.path(), &model, &clock, |settings| {
        settings.service.texts_kept_days = 2
    });
    for place in 0..HELD + 3 {
        say(&server, &format!("I want a corner {place}"));
    }
    eventually("some wait in the journal alone", || waits(&server) == (HELD, 3));
    clock.advance_ms(2 * DAY_MS + 1);
    server.tick();
    has(&pool(&server), json!({"pending": 6}));
    clock.advance_ms(2 * DAY_MS);
    say(&server, "I want it later");
    server.tick();
    eventually("only what can be read is waited for", || waits(&server) == (1, 0));
    model.comes_back();
    server.tick();
    server.settle();
    has(&pool(&server), json!({"pending": 0, "demand": 1}));
    assert!(model.has_read("I want it later") && !model.has_read("I want a corner 0"));
    assert!(!model.has_read("I want a corner 5"));
    drop(server);
    replayed(folder.path());
}

#[test]
fn a_search_does_not_say_that_nothing_fits_before_every_template_was_read_z009_z015() {
    let (folder, clock, model) = (tempfile::tempdir().expect("a folder"), now(), Ill::gone(false));
    let server = start(folder.path(), &model, &clock, |_| {});
    let unread =
        json!({"schema_id": "nook_v1", "scenario": "nook", "description": BAD, "labels": {"team": "a"}, "keys": []});
    assert_eq!(server.put("/v1/schemas/nook_v1", &unread).status, 201);
    let search = |team: &str| {
        let path = format!("/v1/scenarios?q=a+quiet+place&label=team:{team}");
        server.call("GET", &path, &[], "")
    };
    search("a").has(200, json!({"outcome": "reading", "unread": 1, "scenarios": []}));
    search("b").has(200, json!({"outcome": "no_match", "unread": 0, "scenarios": []}));
}
