//! Killed while agents write: what was acknowledged is there after the start, and no version is given twice.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;

use crate::support::child::Caller;
use crate::support::child::Program;
use crate::support::child::program;
use crate::support::random::Random;

const ROUNDS: u64 = 12;
const AGENTS: u64 = 4;
const KEYS: u64 = 6;
/// Snapshots come often, so that kills fall into their writing too.
const SETTINGS: [(&str, &str); 3] = [
    ("OTHERWISE_SERVICE__SNAPSHOT_EVERY_RECORDS", "100"),
    ("OTHERWISE_LOG__LEVEL", "warn"),
    ("OTHERWISE_SERVER__CLIENT_REQUESTS_PER_S", "0"),
];

/// What one agent knows of its own session: the last thing that it did to each key, and whether it was acknowledged.
#[derive(Clone, Debug, Default)]
struct Mine {
    /// Acknowledged: incarnation, version and value; none where it was deleted.
    kept: BTreeMap<String, ((u64, u64), Option<String>)>,
    /// Sent and not answered: a value, or none for a delete.
    in_flight: BTreeMap<String, Option<String>>,
    writes: u64,
}

fn call(caller: &Caller, agent: u64, path: &str, body: &Value) -> Option<(u16, Value)> {
    let name = format!("agent-{agent}");
    let reply = caller.call("POST", path, &[("Otherwise-Client", &name)], &body.to_string())?;
    Some((reply.status, reply.body))
}

fn act(caller: &Caller, agent: u64, action: &Value) -> Option<(u16, Value)> {
    call(caller, agent, &format!("/v1/sessions/work-{agent}/context"), action)
}

/// Incarnation and version, which together come once.
fn stamp(answer: &Value) -> Option<(u64, u64)> {
    Some((answer["incarnation"].as_u64()?, answer["version"].as_u64()?))
}

/// Writes and deletes until nobody answers any more.
fn load(caller: &Caller, round: u64, agent: u64, mut mine: Mine, over: &AtomicBool) -> Mine {
    let mut random = Random::new(round * 1_000 + agent);
    while !over.load(Ordering::Relaxed) {
        let key = format!("k{}", random.below(KEYS));
        let value = (!random.one_in(4)).then(|| format!("{round}-{agent}-{}-語", mine.writes));
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
        let (last, held) = mine.kept.get(&key).cloned().unwrap_or_default();
        match (status, &value) {
            (200, Some(_)) => {
                let stamp = stamp(&answer).expect("a version");
                assert!(stamp > last, "{key}: {stamp:?} after {last:?}");
                mine.kept.insert(key, (stamp, value));
            }
            (200, None) => {
                assert_eq!(answer["previous_version"], last.1, "{key}");
                mine.kept.insert(key, (last, None));
            }
            (404, None) => assert_eq!(held, None, "{key}: {answer}"),
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
        let said = format!("{key}: {found:?} is there, {kept:?} was acknowledged, {under_way:?} under way");
        assert!(found == kept || happened, "{said}");
        // A delete that was under way may have ended a write that was under way before it.
        let now = stamp(&answer).unwrap_or(last);
        let is_right = if found == kept && !happened {
            now == last
        } else {
            now > last || found.is_none()
        };
        assert!(is_right, "{said}: {now:?} after {last:?}");
        mine.kept.insert(key, (now, found));
    }
    mine.in_flight.clear();
}

#[test]
fn what_was_acknowledged_survives_every_kill_and_no_version_is_given_twice_s012_s045_s048_s085_c022() {
    let folder = tempfile::tempdir().expect("a folder");
    let [data, schemas, log] = ["data", "schemas", "log"].map(|name| folder.path().join(name));
    std::fs::create_dir(&schemas).expect("the shelf");
    let serve = || Program::serve(&data, &schemas, &log, &SETTINGS);
    let mut random = Random::new(3);
    let mut all: Vec<Mine> = vec![Mine::default(); usize::try_from(AGENTS).expect("a few")];
    for round in 0..ROUNDS {
        let serving = serve();
        let caller = serving.caller();
        for (agent, mine) in (0..AGENTS).zip(&mut all) {
            let body = json!({"session_id": format!("work-{agent}")});
            let (status, made) = call(&caller, agent, "/v1/sessions", &body).expect("an answer");
            assert_eq!(status, if round == 0 { 201 } else { 409 }, "{made}");
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
    let serving = serve();
    for (agent, mine) in (0..AGENTS).zip(&mut all) {
        check(&serving.caller(), agent, mine);
    }
    assert_eq!(serving.stop().code(), Some(0));
    let data = data.display().to_string();
    let verified = program(&["verify", "--data", &data]).output().expect("verify runs");
    assert_eq!(
        verified.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&verified.stdout)
    );
    assert!(all.iter().map(|mine| mine.writes).sum::<u64>() > 100, "hardly any load");
}
