//! Killed while agents write: what was acknowledged is there after the start, no version is given twice, and what was deleted
//! cannot be read from the disk.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;
use store::journal::Journal;
use store::journal::JournalName;
use store::journal_store::JournalStore;
use store::options::StoreOptions;

use crate::support::child::Caller;
use crate::support::child::Program;
use crate::support::child::program;
use crate::support::random::Random;

const ROUNDS: u64 = 12;
const AGENTS: u64 = 4;
const KEYS: u64 = 6;
const SETTINGS: [(&str, &str); 3] = [
    ("OTHERWISE_SERVICE__SNAPSHOT_EVERY_RECORDS", "100"),
    ("OTHERWISE_LOG__LEVEL", "warn"),
    ("OTHERWISE_SERVER__CLIENT_REQUESTS_PER_S", "0"),
];

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("schemas")).expect("the shelf");
        Folder(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn serve(&self) -> Program {
        Program::serve(&self.path("data"), &self.path("schemas"), &self.path("log"), &SETTINGS)
    }
}

/// What one agent knows of its own session: the last thing that it did to each key, and whether it was acknowledged.
#[derive(Clone, Debug, Default)]
struct Mine {
    /// Acknowledged: incarnation, version and value; none where it was deleted.
    kept: BTreeMap<String, ((u64, u64), Option<String>)>,
    /// Sent and not answered: a value, or none for a delete.
    in_flight: BTreeMap<String, Option<String>>,
    writes: u64,
}

fn act(caller: &Caller, agent: u64, action: &Value) -> Option<(u16, Value)> {
    let name = format!("agent-{agent}");
    let path = format!("/v1/sessions/work-{agent}/context");
    let reply = caller.call("POST", &path, &[("Otherwise-Client", &name)], &action.to_string())?;
    Some((reply.status, reply.body))
}

/// Incarnation and version, which together come once.
fn stamp(answer: &Value) -> Option<(u64, u64)> {
    Some((answer["incarnation"].as_u64()?, answer["version"].as_u64()?))
}

fn load(caller: &Caller, round: u64, agent: u64, mut mine: Mine, over: &AtomicBool) -> Mine {
    let mut random = Random::new(round * 1_000 + agent);
    while !over.load(Ordering::Relaxed) {
        let key = format!("k{}", random.below(KEYS));
        let deletes = random.one_in(4);
        let value = (!deletes).then(|| format!("{round}-{agent}-{}-語", mine.writes));
        let action = match &value {
            Some(value) => json!({"action": "write", "key": key, "value": value}),
            None => json!({"action": "delete", "key": key}),
        };
        mine.writes += 1;
        mine.in_flight.insert(key.clone(), value.clone());
        let Some((status, answer)) = act(caller, agent, &action) else {
            break;
        };
        mine.in_flight.remove(&key);
        let last = mine.kept.get(&key).map_or((0, 0), |(stamp, _)| *stamp);
        match (status, value) {
            (200, Some(value)) => {
                let stamp = stamp(&answer).expect("a version");
                assert!(stamp > last, "{key}: {stamp:?} after {last:?}");
                mine.kept.insert(key, (stamp, Some(value)));
            }
            (200, None) => {
                assert_eq!(answer["previous_version"], last.1, "{key}");
                mine.kept.insert(key, (last, None));
            }
            (404, None) => assert!(
                mine.kept.get(&key).is_none_or(|(_, value)| value.is_none()),
                "{key}: {answer}"
            ),
            (503, _) => {}
            other => panic!("{other:?}: {answer}"),
        }
    }
    mine
}

/// Whether everything that was acknowledged is there, or what was under way when the program was killed.
fn check(caller: &Caller, agent: u64, mine: &mut Mine) {
    for n in 0..KEYS {
        let key = format!("k{n}");
        let (status, answer) = act(caller, agent, &json!({"action": "read", "key": key})).expect("an answer");
        let found = (status == 200).then(|| answer["value"].as_str().expect("a value").to_owned());
        let (last, kept) = mine.kept.get(&key).cloned().unwrap_or_default();
        let under_way = mine.in_flight.remove(&key);
        let happened = under_way.as_ref().is_some_and(|value| *value == found);
        assert!(
            found == kept || happened,
            "{key}: {found:?} is there, {kept:?} was acknowledged, {under_way:?} under way"
        );
        if let Some(stamp) = stamp(&answer) {
            if found == kept && !happened {
                assert_eq!(stamp, last, "{key}");
            } else {
                assert!(stamp > last, "{key}: {stamp:?} after {last:?}");
            }
            mine.kept.insert(key, (stamp, found));
        } else {
            // A delete that was under way may have ended a write that was under way before it.
            mine.kept.insert(key, (last, None));
        }
    }
    mine.in_flight.clear();
}

#[test]
fn what_was_acknowledged_survives_every_kill_and_no_version_is_given_twice_s012_s045_s048_s085_c022() {
    let folder = Folder::new();
    let mut random = Random::new(3);
    let mut all: Vec<Mine> = vec![Mine::default(); usize::try_from(AGENTS).expect("a few")];
    for round in 0..ROUNDS {
        let serving = folder.serve();
        let caller = serving.caller();
        for (agent, mine) in (0..AGENTS).zip(&mut all) {
            let headers = [("Otherwise-Client", format!("agent-{agent}"))];
            let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
            let body = json!({"session_id": format!("work-{agent}")}).to_string();
            let made = caller.call("POST", "/v1/sessions", &headers, &body).expect("an answer");
            assert_eq!(made.status, if round == 0 { 201 } else { 409 }, "{}", made.body);
            check(&caller, agent, mine);
        }
        let over = AtomicBool::new(false);
        let pause = Duration::from_millis(random.between(60, 300));
        all = thread::scope(|scope| {
            let agents = (0..AGENTS).zip(all).map(|(agent, mine)| {
                let (caller, over) = (serving.caller(), &over);
                scope.spawn(move || load(&caller, round, agent, mine, over))
            });
            let agents: Vec<_> = agents.collect();
            thread::sleep(pause);
            serving.kill();
            over.store(true, Ordering::Relaxed);
            agents
                .into_iter()
                .map(|agent| agent.join().expect("an agent"))
                .collect()
        });
    }
    let serving = folder.serve();
    for (agent, mine) in (0..AGENTS).zip(&mut all) {
        check(&serving.caller(), agent, mine);
    }
    assert_eq!(serving.stop().code(), Some(0));
    let data = folder.path("data").display().to_string();
    let verified = program(&["verify", "--data", &data]).output().expect("verify runs");
    assert_eq!(
        verified.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&verified.stdout)
    );
    assert!(all.iter().map(|mine| mine.writes).sum::<u64>() > 100, "hardly any load");
}

/// How many records of the sessions hold a text in their sealed part, and whether any open part does.
fn holding(folder: &Folder, text: &str) -> (usize, bool) {
    let store = JournalStore::open(&folder.path("data"), StoreOptions::default()).expect("the store opens");
    let records = store
        .read(&JournalName("sessions/default".to_owned()), 1, 10_000)
        .expect("records");
    store.close();
    let has = |bytes: &[u8]| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    let sealed = records.iter().filter(|record| has(&record.sealed)).count();
    (sealed, records.iter().any(|record| has(&record.open)))
}

#[test]
fn a_deleted_sessions_values_are_erased_at_once_and_overwritten_ones_with_time_s047_s096_s099() {
    let folder = Folder::new();
    let name = [("Otherwise-Client", "agent-0")];
    let serving = folder.serve();
    let caller = serving.caller();
    let body = json!({"session_id": "work-0", "config": {"history_versions": 2, "namespace": [
        {"title": "secretive", "keys": []}]}});
    caller
        .call("POST", "/v1/sessions", &name, &body.to_string())
        .expect("an answer");
    for n in 0..4 {
        let write = json!({"action": "write", "key": "k", "value": format!("secretive {n}")});
        assert_eq!(act(&caller, 0, &write).expect("an answer").0, 200);
    }
    serving.kill();
    assert_eq!(
        holding(&folder, "secretive"),
        (5, false),
        "values lie in sealed parts alone"
    );
    let serving = folder.serve();
    let begun = Instant::now();
    let history = act(&serving.caller(), 0, &json!({"action": "read_history", "key": "k"}))
        .expect("an answer")
        .1;
    assert_eq!(history["history"].as_array().map(Vec::len), Some(2));
    // What is not kept any more is erased right after the start.
    thread::sleep(Duration::from_millis(500).saturating_sub(begun.elapsed()));
    serving.kill();
    assert_eq!(
        holding(&folder, "secretive"),
        (3, false),
        "the namespace and two versions"
    );
    let serving = folder.serve();
    let gone = serving
        .caller()
        .call("DELETE", "/v1/sessions/work-0", &name, "")
        .expect("an answer");
    assert_eq!(gone.status, 200);
    serving.kill();
    assert_eq!(holding(&folder, "secretive"), (0, false), "as soon as it is answered");
    let serving = folder.serve();
    let after = act(&serving.caller(), 0, &json!({"action": "list_keys"})).expect("an answer");
    assert_eq!(after.1["error"]["code"], "SESSION_NOT_FOUND");
    assert_eq!(serving.stop().code(), Some(0));
}
