//! Killed under load, again and again, on one data folder: what was acknowledged is on record, exactly once.
//!
//! Each round starts the real program, lets several clients submit, and kills it within half a second. What nobody
//! acknowledged may be on record or not, but not twice. The number of rounds is `OTHERWISE_KILL_ROUNDS`.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use engine::scenario::event;
use engine::scenario::event::Event;
use engine::scenario::submission::Sealed;
use engine::scenario::submission::Submitted;
use otherwise::app::restore;
use serde_json::Value;
use serde_json::json;
use store::journal::Journal;
use store::journal::JournalName;
use store::journal_store::JournalStore;
use store::options::StoreOptions;

use crate::support::child::Caller;
use crate::support::child::Folder;
use crate::support::child::program;
use crate::support::random::Random;

const ROUNDS: u64 = 50;
// Enough of them that their appends are committed together, as a crowd.
const CLIENTS: u64 = 12;
const SCENARIO: &str = "ferry";
/// Snapshots come often, so that kills fall into their writing too.
const SETTINGS: [(&str, &str); 2] = [
    ("OTHERWISE_SERVICE__SNAPSHOT_EVERY_RECORDS", "150"),
    ("OTHERWISE_LOG__LEVEL", "warn"),
];
const WISHES: [&str; 6] = [
    "a quiet cabin please",
    "I would like a quiet cabin",
    "a place for my bicycle",
    "I bring a bicycle",
    "vegetarian dinner on board",
    "a vegetarian meal please",
];

/// One submission that a client made.
#[derive(Clone, Debug)]
struct Made {
    client: String,
    body: String,
    key: Option<String>,
    /// The mark in its payload: no other submission has it.
    mark: String,
    /// Status and answer; none when the program was killed before they came.
    answer: Option<(u16, Value)>,
}

/// What one client does until nobody answers any more.
fn load(caller: &Caller, round: u64, client: u64, over: &AtomicBool) -> Vec<Made> {
    let mut random = Random::new(round * 1_000 + client);
    let name = format!("agent-{client}");
    let mut made = Vec::new();
    while !over.load(Ordering::Relaxed) {
        let mark = format!("{round}-{client}-{}", made.len());
        let mut payload = json!({"port": format!("Kiel {mark}")});
        if random.one_in(3) {
            let wish = WISHES[usize::try_from(random.below(WISHES.len() as u64)).unwrap_or(0)];
            payload["other"] = json!(wish);
        }
        if random.one_in(8) {
            // Refused, and on record too.
            payload["cars"] = json!("many");
        }
        let body = json!({"schema_id": "ferry_v1", "payload": payload}).to_string();
        let key = random.one_in(3).then(|| format!("key-{mark}"));
        let mut one = Made {
            client: name.clone(),
            body,
            key,
            mark,
            answer: None,
        };
        let reply = submit(caller, &one);
        let lost = reply.is_none();
        if let Some((status, answer, replayed)) = reply {
            assert!(!replayed, "{one:?}");
            if matches!(status, 200 | 422) {
                one.answer = Some((status, answer));
            } else {
                assert_eq!(status, 503, "{answer}");
            }
        }
        made.push(one);
        if lost {
            break;
        }
    }
    made
}

/// Status, body, and whether it is said to be a stored reply.
fn submit(caller: &Caller, made: &Made) -> Option<(u16, Value, bool)> {
    let mut headers = vec![("Otherwise-Client", made.client.as_str())];
    if let Some(key) = &made.key {
        headers.push(("Idempotency-Key", key));
    }
    let reply = caller.call("POST", "/v1/submissions", &headers, &made.body)?;
    let replayed = reply
        .headers
        .get("idempotent-replayed")
        .is_some_and(|value| value == "true");
    Some((reply.status, reply.body, replayed))
}

/// Makes the keyed submissions of the last round once more: what was acknowledged is answered as it was; what was not
/// is answered now, whether it is on record or not.
fn again(caller: &Caller, made: &mut [Made]) -> usize {
    let mut replayed_in_all = 0;
    for one in made.iter_mut().filter(|one| one.key.is_some()) {
        let (status, answer, replayed) = submit(caller, one).expect("an answer");
        match &one.answer {
            Some((first_status, first)) => {
                assert_eq!((status, said(&answer)), (*first_status, said(first)), "{one:?}");
                assert!(replayed, "{one:?}");
                replayed_in_all += 1;
            }
            None => {
                assert!(matches!(status, 200 | 422), "{status} {answer}");
                one.answer = Some((status, answer));
            }
        }
    }
    replayed_in_all
}

/// An answer's text, but for what tells this occurrence of a problem from another.
fn said(answer: &Value) -> String {
    let mut answer = answer.clone();
    if let Some(members) = answer.as_object_mut() {
        members.shift_remove("request_id");
        members.shift_remove("instance");
    }
    answer.to_string()
}

fn rounds() -> u64 {
    let set = std::env::var("OTHERWISE_KILL_ROUNDS").ok();
    set.map_or(ROUNDS, |set| set.parse().expect("OTHERWISE_KILL_ROUNDS is a number"))
}

fn ferry() -> Folder {
    let template = json!({"schema_id": "ferry_v1", "scenario": SCENARIO, "keys": [
        {"key_name": "port", "key_type": "string", "required": true,
         "semantic_description": "Port of departure. Example: 'from Kiel' -> 'Kiel'."},
        {"key_name": "cars", "key_type": "integer", "required": false, "default_value": 0,
         "semantic_description": "Number of cars. Example: 'with our car' -> 1."},
    ]});
    Folder::new(&[("ferry_v1.json", &template)])
}

/// Starts, loads, kills. The submissions of the round before are made once more first.
fn round(folder: &Folder, number: u64, random: &mut Random, before: &mut [Made]) -> (Vec<Made>, usize) {
    let serving = folder.serve(&SETTINGS);
    let replayed = again(&serving.caller(), before);
    let over = AtomicBool::new(false);
    let pause = Duration::from_millis(random.between(50, 400));
    let made = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let caller = serving.caller();
                let over = &over;
                scope.spawn(move || load(&caller, number, client, over))
            })
            .collect();
        thread::sleep(pause);
        serving.kill();
        over.store(true, Ordering::Relaxed);
        let done = clients.into_iter().map(|client| client.join().expect("a client"));
        done.flatten().collect::<Vec<_>>()
    });
    (made, replayed)
}

/// Serves once more until everything is digested, and ends in order.
fn finish(folder: &Folder, before: &mut [Made]) {
    let serving = folder.serve(&SETTINGS);
    let caller = serving.caller();
    again(&caller, before);
    let begun = Instant::now();
    loop {
        let pool = caller
            .call("GET", "/v1/scenarios/ferry/pool", &[], "")
            .expect("the pool");
        if pool.body["pending"] == 0 {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{}", pool.body);
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(serving.stop().code(), Some(0));
}

fn open(data: &Path) -> JournalStore {
    JournalStore::open(data, StoreOptions::default()).expect("the store opens")
}

fn journal() -> JournalName {
    JournalName(format!("scenario/default/{SCENARIO}"))
}

/// State from snapshot and tail, and from the first record on, are the same bytes. Gives back where the snapshot stood.
fn check_restored(data: &Path) -> u64 {
    let store = open(data);
    let short = restore::restore(&store, &journal()).expect("a state");
    let long = restore::replay(&store, &journal()).expect("a state");
    assert_eq!(short.hash, long.hash);
    let [one, other] = [&short.state, &long.state].map(|state| serde_json::to_vec(state).expect("a state as JSON"));
    assert!(one == other, "snapshot and tail give another state than the journal");
    store.close();
    short.snapshot_seq
}

/// Every submission on record, by sequence, and how often each was digested.
fn records(data: &Path) -> (BTreeMap<u64, (Submitted, Sealed)>, Vec<u64>) {
    let store = open(data);
    let mut submissions = BTreeMap::new();
    let mut digested = Vec::new();
    let mut next = 1;
    loop {
        let chunk = store.read(&journal(), next, 1_000).expect("records");
        if chunk.is_empty() {
            break;
        }
        for record in chunk {
            assert_eq!(record.seq, next, "a gap");
            next += 1;
            match event::read(&record.open).expect("an event") {
                Event::Submitted(submitted) => {
                    let sealed = Sealed::parse(&record.sealed).expect("a sealed part");
                    submissions.insert(record.seq, (submitted, sealed));
                }
                Event::Digested { of, .. } => digested.push(of),
                _ => {}
            }
        }
    }
    store.close();
    (submissions, digested)
}

fn check_records(data: &Path, made: &[Made]) {
    let (submissions, digested) = records(data);
    let mut by_mark: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (seq, (_, sealed)) in &submissions {
        let port = sealed.payload["port"].as_str().expect("a port");
        by_mark
            .entry(port.strip_prefix("Kiel ").expect("a mark"))
            .or_default()
            .push(*seq);
    }
    for one in made {
        let found = by_mark.get(one.mark.as_str()).map_or(&[][..], Vec::as_slice);
        assert!(found.len() <= 1, "on record {} times: {one:?}", found.len());
        let Some((status, answer)) = &one.answer else { continue };
        let id = answer["exchange"]["submission_id"].as_str().expect("an id");
        let [seq] = found else {
            panic!("acknowledged and not on record: {one:?}")
        };
        assert_eq!(id, format!("{SCENARIO}.{seq}"), "{one:?}");
        let (submitted, _) = &submissions[seq];
        assert_eq!(
            submitted.client.as_ref().map(|client| client.as_str()),
            Some(one.client.as_str())
        );
        assert_eq!(submitted.accepted, *status == 200, "{one:?}");
        assert_eq!(
            submitted.idempotency.as_ref().map(|used| used.key.as_str()),
            one.key.as_deref()
        );
    }
    assert!(by_mark.len() <= made.len(), "more on record than was ever sent");
    let keys: Vec<&str> = submissions
        .values()
        .filter_map(|(submitted, _)| submitted.idempotency.as_ref())
        .map(|used| used.key.as_str())
        .collect();
    assert_eq!(
        keys.iter().collect::<BTreeSet<_>>().len(),
        keys.len(),
        "a key has two records"
    );
    let once: BTreeSet<u64> = digested.iter().copied().collect();
    assert_eq!(once.len(), digested.len(), "digested twice");
    for of in &once {
        assert!(submissions.contains_key(of), "{of} is no submission");
    }
    for (seq, (submitted, _)) in &submissions {
        if submitted.fragments > 0 {
            assert!(once.contains(seq), "{seq} was never digested");
        }
    }
}

#[test]
fn what_was_acknowledged_survives_every_kill() {
    let folder = ferry();
    let data = folder.path("data");
    let mut random = Random::new(9);
    let mut made: Vec<Made> = Vec::new();
    let mut last = 0;
    let (mut replayed, mut from_snapshot) = (0, 0);
    let rounds = rounds();
    for number in 0..rounds {
        let (own, again) = round(&folder, number, &mut random, &mut made[last..]);
        last = made.len();
        made.extend(own);
        replayed += again;
        if number % 10 == 9 {
            from_snapshot = check_restored(&data);
        }
    }
    finish(&folder, &mut made[last..]);
    check_restored(&data);
    check_records(&data, &made);
    let arguments = ["verify", "--data", &data.display().to_string()];
    let verified = program(&arguments).output().expect("verify runs");
    let report = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert_eq!(verified.status.code(), Some(0), "{report}");
    let acknowledged = made.iter().filter(|one| one.answer.is_some()).count();
    if rounds >= 10 {
        assert!(acknowledged > 500, "hardly any load: {acknowledged}");
        assert!(replayed > 50 && from_snapshot > 0, "{replayed} {from_snapshot}");
        assert!(made.len() > acknowledged, "no kill hit a submission under way");
    }
}
