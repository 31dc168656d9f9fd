//! What becomes of a pool when the next start has another model: nothing is mixed, nothing is lost, nobody waits (Z-103).

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use engine::scenario::policy::Policy;
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
use tokio::sync::watch;

use crate::simulation::check::check;
use crate::support::clock::VirtualClock;
use crate::support::patience::eventually;
use crate::support::random::Random;
use crate::support::server::Server;
use crate::support::server::has;

const OLD: &str = "syllables/64";
const NEW: &str = "letters/47";
const WISH: &str = "I want a quiet corner";
/// Wishes are made of one of each.
const FIRST: [&str; 6] = ["ba", "ce", "di", "fo", "gu", "ha"];
const SECOND: [&str; 6] = ["lo", "mi", "nu", "pa", "re", "so"];

/// An embedder whose vectors depend on the text and on its name alone. Two wishes have nothing in common.
struct Fake {
    model: &'static str,
    width: usize,
    /// Calls that are answered; from then on none is before all are let go.
    calls: usize,
    let_go: watch::Sender<bool>,
    asked: Mutex<Vec<Vec<String>>>,
}

impl Fake {
    fn new(model: &'static str, calls: usize) -> Arc<Fake> {
        let width = model
            .split('/')
            .nth(1)
            .and_then(|width| width.parse().ok())
            .expect("a width");
        Arc::new(Fake {
            model,
            width,
            calls,
            let_go: watch::Sender::new(false),
            asked: Mutex::new(Vec::new()),
        })
    }

    fn vector(&self, text: &str) -> Vector {
        if let Some(place) = place(text) {
            let mut values = vec![0.0_f32; self.width];
            // Another direction under another name.
            values[(place * 5 + self.width) % self.width] = 1.0;
            return Vector::quantise(&values).expect("a vector");
        }
        let seed = self.model.bytes().chain(text.bytes());
        let seed = seed.fold(7_u64, |seed, byte| {
            seed.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte)
        });
        let mut random = Random::new(seed);
        let values: Vec<f32> = (0..self.width)
            .map(|_| if random.one_in(2) { 1.0 } else { -1.0 })
            .collect();
        Vector::quantise(&values).expect("a vector")
    }

    /// How often wishes were embedded.
    fn wishes(&self) -> usize {
        let asked = self.asked.lock().expect("asked");
        asked.iter().flatten().filter(|text| text.starts_with("I want")).count()
    }
}

/// Each wish has a place of its own; other texts have none.
fn place(text: &str) -> Option<usize> {
    if text == WISH {
        return Some(FIRST.len() * SECOND.len());
    }
    let word = text.strip_prefix("I want a ")?.split(' ').next()?;
    let first = FIRST.iter().position(|first| word.starts_with(first))?;
    match SECOND.iter().position(|second| word.ends_with(second)) {
        Some(second) => Some(first * SECOND.len() + second),
        None => Some(FIRST.len() * SECOND.len() + 1 + first),
    }
}

impl Embedder for Fake {
    fn model(&self) -> &str {
        self.model
    }

    fn embed(&self, texts: Vec<String>) -> Promise<'_, Result<Vec<Vector>, EmbedFault>> {
        let vectors = texts.iter().map(|text| self.vector(text)).collect();
        // What a scenario offers is embedded too, so that it can be found; that is not what is counted here.
        let counts = texts.iter().any(|text| text.starts_with("I want"));
        let mut asked = self.asked.lock().expect("asked");
        let answered = !counts || asked.len() < self.calls;
        if counts && answered {
            asked.push(texts);
        }
        Box::pin(async move {
            if !answered {
                let _ = self.let_go.subscribe().wait_for(|let_go| *let_go).await;
            }
            Ok(vectors)
        })
    }
}

fn start(folder: &Path, embedder: &Arc<Fake>, clock: &Arc<VirtualClock>, change: impl Fn(&mut Settings)) -> Server {
    let template = json!({"schema_id": "train_v1", "scenario": "train_booking", "keys": [
        {"key_name": "origin", "key_type": "string", "required": true, "semantic_description": "Where from."}]});
    let parts = PartsOverride {
        clock: Some(clock.clone()),
        embedder: Some(embedder.clone()),
        ..PartsOverride::default()
    };
    let set = |settings: &mut Settings| {
        settings.data.folder = folder.display().to_string();
        settings.service.tick_s = 3_600;
        change(settings);
    };
    Server::start(&[("train_v1.json", template)], set, parts)
}

/// Submits a wish without waiting for what becomes of it.
fn submit(server: &Server, client: &str, said: &str) {
    let body = json!({"schema_id": "train_v1", "payload": {"origin": "Bern", "other": said}});
    let reply = server.call(
        "POST",
        "/v1/submissions",
        &[("Otherwise-Client", client)],
        &body.to_string(),
    );
    assert_eq!(reply.status, 200, "{}", reply.body);
}

/// Thirty-six wishes that have nothing in common: more than are embedded anew in one step.
fn wish_for_many_things(server: &Server) {
    for first in FIRST {
        for second in SECOND {
            submit(server, "ana", &format!("I want a {first}{second} {second}{first}"));
        }
    }
    server.settle();
}

fn pool(server: &Server) -> Value {
    server.call("GET", "/v1/scenarios/train_booking/pool", &[], "").body
}

/// Every cluster's id and members.
fn clusters(pool: &Value) -> BTreeSet<(u64, u64)> {
    let clusters = pool["clusters"].as_array().expect("clusters");
    let number = |value: &Value| value.as_u64().expect("a number");
    clusters
        .iter()
        .map(|cluster| (number(&cluster["id"]), number(&cluster["members"])))
        .collect()
}

/// How many micro-clusters there are.
fn micros(pool: &Value) -> u64 {
    let clusters = pool["clusters"].as_array().expect("clusters");
    clusters
        .iter()
        .filter_map(|cluster| cluster["micro_clusters"].as_u64())
        .sum()
}

/// The state as the snapshot gives it; a replay of the whole journal, which has no model, must give the same.
fn restored(folder: &Path) -> String {
    let store = JournalStore::open(folder, StoreOptions::default()).expect("a store");
    let name = JournalName("scenario/default/train_booking".to_owned());
    let replayed = restore::replay(&store, &name).expect("whole").state;
    let restored = restore::restore(&store, &name).expect("whole").state;
    assert_eq!(check(&replayed, &Policy::default()), Ok(()));
    let text = serde_json::to_string(&restored).expect("a state");
    assert_eq!(serde_json::to_string(&replayed).expect("a state"), text);
    text
}

fn now() -> Arc<VirtualClock> {
    Arc::new(VirtualClock::at(At(20_000 * DAY_MS)))
}

#[test]
fn what_was_said_under_two_models_opens_one_gate_z103() {
    let (folder, clock) = (tempfile::tempdir().expect("a folder"), now());
    let old = Fake::new(OLD, usize::MAX);
    let server = start(folder.path(), &old, &clock, |_| {});
    wish_for_many_things(&server);
    for client in ["c1", "c2", "c3"] {
        submit(&server, client, WISH);
    }
    server.settle();
    let before = pool(&server);
    assert_eq!(before["model"], OLD);
    drop(server);

    let new = Fake::new(NEW, usize::MAX);
    let server = start(folder.path(), &new, &clock, |_| {});
    server.settle();
    let after = pool(&server);
    assert_eq!((&after["model"], &after["reembedding"]), (&json!(NEW), &Value::Null));
    assert_eq!(
        (clusters(&after), &after["demand"]),
        (clusters(&before), &before["demand"])
    );
    assert_eq!(
        after["clusters"][0]["heat"], before["clusters"][0]["heat"],
        "no time has passed"
    );
    assert_eq!(new.wishes(), 39, "each text once");
    let page = server.page("/metrics");
    assert!(
        page.contains("otherwise_pool_reembedding{scenario=\"train_booking\"} 0\n"),
        "{page}"
    );
    for client in ["c4", "c5"] {
        submit(&server, client, WISH);
    }
    server.settle();
    let told = pool(&server);
    let joined = told["clusters"].as_array().expect("clusters");
    let joined = joined
        .iter()
        .find(|cluster| cluster["members"] == 5)
        .expect("the same cluster");
    assert_eq!(joined["clients"], 5, "{joined}");
    drop(server);
    restored(folder.path());

    // The same model again has nothing to do in the pool. What the learned key shows is embedded so that the scenario can be found.
    let same = Fake::new(NEW, usize::MAX);
    let server = start(folder.path(), &same, &clock, |_| {});
    server.settle();
    let asked = same.asked.lock().expect("asked").clone();
    assert!(asked.iter().all(|texts| texts == &[WISH]), "{asked:?}");
}

#[test]
fn a_change_that_is_cut_short_goes_on_where_it_was_and_nobody_waits_z103() {
    let (folder, clock) = (tempfile::tempdir().expect("a folder"), now());
    let server = start(folder.path(), &Fake::new(OLD, usize::MAX), &clock, |_| {});
    wish_for_many_things(&server);
    let before = pool(&server);
    drop(server);

    // Answers one step and then no more.
    let slow = Fake::new(NEW, 1);
    let server = start(folder.path(), &slow, &clock, |_| {});
    let under_way = (0..200).find_map(|_| {
        thread::sleep(Duration::from_millis(25));
        let told = pool(&server);
        told["reembedding"].is_object().then_some(told)
    });
    let under_way = under_way.expect("the first step is recorded");
    let told = json!({"model": NEW, "micro_clusters": 36, "waiting": 20});
    assert_eq!((&under_way["model"], &under_way["reembedding"]), (&json!(OLD), &told));
    submit(&server, "ben", "I want a basa saba");
    let told = pool(&server);
    assert_eq!(
        (&told["demand"], clusters(&told)),
        (&json!(36), clusters(&before)),
        "it waits to be read"
    );
    let page = server.page("/metrics");
    assert!(
        page.contains("otherwise_pool_reembedding{scenario=\"train_booking\"} 20\n"),
        "{page}"
    );
    drop(server);
    restored(folder.path());

    let quick = Fake::new(NEW, usize::MAX);
    let server = start(folder.path(), &quick, &clock, |_| {});
    server.settle();
    let after = pool(&server);
    has(&after, json!({"model": NEW, "demand": 37, "pending": 0}));
    assert_eq!(quick.wishes(), 21, "twenty that were left, and what came meanwhile");
    assert_eq!(micros(&after), 37, "looks may group them anew, and lose none");
    drop(server);
    restored(folder.path());
}

#[test]
fn what_retention_erased_keeps_its_counts_and_meets_nobody_z103_z167() {
    let (folder, clock) = (tempfile::tempdir().expect("a folder"), now());
    let two_days = |settings: &mut Settings| settings.service.texts_kept_days = 2;
    let server = start(folder.path(), &Fake::new(OLD, usize::MAX), &clock, two_days);
    for client in ["c1", "c2"] {
        submit(&server, client, WISH);
    }
    server.settle();
    clock.advance_ms(2 * DAY_MS + 1);
    submit(&server, "c3", "I want a balo loba");
    server.settle();
    server.tick();
    let before = pool(&server);
    assert!(before["erased_through"].as_u64() > Some(0), "{before}");
    drop(server);

    let server = start(folder.path(), &Fake::new(NEW, usize::MAX), &clock, two_days);
    server.settle();
    let after = pool(&server);
    has(&after, json!({"model": NEW, "mute_fragments": 2, "demand": 3}));
    assert_eq!(clusters(&after), clusters(&before));
    // Nobody knows any more that this was said before; what was not erased is known.
    submit(&server, "c4", WISH);
    submit(&server, "c5", "I want a balo loba");
    server.settle();
    let members: Vec<u64> = clusters(&pool(&server))
        .into_iter()
        .map(|(_, members)| members)
        .collect();
    assert_eq!(members, [2, 2, 1]);
    drop(server);
    restored(folder.path());
}

#[test]
fn an_induction_that_comes_too_late_is_over_and_holds_nothing_up_z102() {
    let (folder, clock) = (tempfile::tempdir().expect("a folder"), now());
    let clients = ["c1", "c2", "c3", "c4", "c5"];
    let fake = Fake::new(OLD, clients.len());
    let server = start(folder.path(), &fake, &clock, |_| {});
    for client in &clients[..4] {
        submit(&server, client, WISH);
        server.settle();
    }
    submit(&server, clients[4], WISH);
    let handle = server.service().handle("train_booking").expect("a scenario");
    eventually("its gate opens", || handle.state().triggers_global == 1);
    // The template goes while its key is being made of the wish.
    let retired = server.call("DELETE", "/v1/schemas/train_v1", &[], "");
    assert_eq!(retired.status, 200, "{}", retired.body);
    fake.let_go.send_replace(true);
    server.settle();
    assert!(handle.state().patches.is_empty());
}
