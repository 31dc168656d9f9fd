//! The demo as its user and a program see it: what it claims must hold in its lines, one seed tells one tale, and what it
//! keeps can be verified and served.

use std::path::Path;
use std::process::Output;
use std::sync::LazyLock;

use serde_json::Value;
use sha2::Digest;
use sha2::Sha256;
use tempfile::TempDir;

use crate::support::child::Program;
use crate::support::child::program;

/// Enough for a birth, a promotion and a key of one's own.
const SHORT_DAYS: &str = "4";

fn demo(arguments: &[&str]) -> Output {
    program(&["demo"])
        .args(arguments)
        .args(["--models", concat!(env!("CARGO_MANIFEST_DIR"), "/models")])
        .output()
        .expect("the program runs")
}

fn text(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn lines(output: &Output) -> Vec<Value> {
    let line = |line: &str| serde_json::from_str(line).expect("a line of JSON");
    text(output).lines().map(line).collect()
}

/// The whole demo, run once, with the journal that it kept.
static WHOLE: LazyLock<(TempDir, Vec<Value>)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data").display().to_string();
    let told = lines(&demo(&["--json", "--keep", &data]));
    (folder, told)
});

/// The keys that there are at the end.
fn keys(told: &[Value]) -> &Vec<Value> {
    told.last().and_then(|end| end["keys"].as_array()).expect("an end")
}

/// What a tale must tell to be recommended: nothing learned that nobody meant, and each turn that the demo is about.
fn is_right(told: &[Value]) {
    let keys = keys(told);
    let topics = ["window", "bag", "final", "cello"];
    for key in keys {
        let name = key["key_name"].as_str().unwrap_or_default();
        assert!(topics.iter().any(|topic| name.contains(topic)), "{key}");
    }
    let changed = |key: &&Value, stage: &str, reason: &str| {
        let mut stages = key["stages"].as_array().expect("stages").iter();
        stages.any(|change| change["to"] == stage && change["reason"] == reason)
    };
    let global = keys.iter().filter(|key| key["audience"]["kind"] == "global");
    let promoted = global.filter(|key| changed(key, "stable", "promoted"));
    assert!(promoted.count() >= 2, "{keys:#?}");
    assert!(
        keys.iter().any(|key| changed(&key, "deprecated", "low_usage")),
        "{keys:#?}"
    );
    assert!(keys.iter().any(|key| key["audience"]["kind"] == "client"), "{keys:#?}");
}

#[test]
fn what_is_learned_of_two_seeds_is_right_z093_z144_z146() {
    let (_, told) = &*WHOLE;
    is_right(told);
    is_right(&lines(&demo(&["--json", "--seed", "1"])));
}

#[test]
fn every_decision_says_when_what_and_why_z109_z143() {
    let (_, told) = &*WHOLE;
    let (_, decisions) = told.split_last().expect("an end");
    let mut days: Vec<u64> = decisions.iter().filter_map(|line| line["day"].as_u64()).collect();
    assert_eq!(days.len(), decisions.len());
    assert!(days.is_sorted() && days.first() >= Some(&1), "{days:?}");
    days.dedup();
    assert!(days.len() > 5, "{days:?}");
    for line in decisions {
        assert!(line["says"].as_str().is_some_and(|says| !says.is_empty()), "{line}");
    }
    let is_proposal = |line: &&Value| line["says"].to_string().contains("was proposed");
    for line in decisions.iter().filter(is_proposal) {
        assert!(line["because"].as_array().is_some_and(|why| why.len() > 2), "{line}");
        assert!(line["patch_id"].is_string(), "{line}");
    }
}

#[test]
fn what_was_kept_is_whole_without_any_folder_of_schemas() {
    let folder = tempfile::tempdir().expect("a folder");
    let [data, empty, log] = ["data", "empty", "log"].map(|name| folder.path().join(name));
    let kept = data.display().to_string();
    text(&demo(&["--json", "--days", SHORT_DAYS, "--keep", &kept]));
    std::fs::create_dir(&empty).expect("made");
    let served = Program::serve(&data, &empty, &log, &[]);
    let read = |path: &str| {
        let reply = served.caller().call("GET", path, &[("Otherwise-Client", "olga")], "");
        let reply = reply.expect("an answer");
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.body
    };
    read("/v1/patches/flight_booking.p1/evidence");
    assert_eq!(read("/v1/scenarios")["scenarios"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_person_is_told_the_decisions_and_the_keys() {
    let told = text(&demo(&["--days", SHORT_DAYS]));
    assert!(!told.chars().any(|letter| letter.is_control() && letter != '\n'));
    for words in [
        "day 2, ",
        "was proposed for all",
        " payloads, ",
        "  window_seat (boolean) ",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert_eq!(demo(&["--days", "0"]).status.code(), Some(2));
}

#[test]
fn a_key_of_ones_own_is_404_to_others_and_the_journal_is_whole_and_served_z123_z130() {
    let (folder, told) = &*WHOLE;
    let own = keys(told).iter().find(|key| key["audience"]["kind"] == "client");
    let own = own.expect("a key of one's own");
    assert_eq!(own["audience"]["id"], "noor");
    let data = folder.path().join("data");
    let verified = program(&["verify", "--json", "--data"])
        .arg(&data)
        .output()
        .expect("the program runs");
    let verified: Value = serde_json::from_slice(&verified.stdout).expect("a document");
    assert_eq!(
        (&verified["ending"], &verified["faults"]),
        (&"well".into(), &serde_json::json!([]))
    );
    assert!(
        verified["records"].as_u64() >= told.last().and_then(|end| end["records"].as_u64()),
        "{verified}"
    );
    let says = |line: &&Value| {
        line["says"]
            .as_str()
            .is_some_and(|says| says.contains("proposed for noor alone"))
    };
    let proposed = told.iter().find(says).expect("its proposal");
    let patch = proposed["patch_id"].as_str().expect("an id");
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let config = folder.path().join("keys.toml");
    let principal = |name: &str| {
        let digest = Sha256::digest(name.as_bytes());
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("[[principals]]\nname = \"{name}\"\nroles = [\"client\"]\nkey_sha256 = \"{digest}\"\n")
    };
    std::fs::write(&config, principal("noor") + &principal("alba")).expect("written");
    let config = config.display().to_string();
    let log = folder.path().join("log");
    let served = Program::serve(&data, &schemas, &log, &[("OTHERWISE_CONFIG", &config)]);
    let path = format!("/v1/patches/{patch}");
    let status = |client: &str| {
        let key = format!("Bearer {client}");
        let reply = served.caller().call("GET", &path, &[("Authorization", &key)], "");
        reply.expect("an answer").status
    };
    assert_eq!((status("noor"), status("alba")), (200, 404));
    let again = demo(&["--json", "--keep", &data.display().to_string()]);
    assert_eq!(
        again.status.code(),
        Some(2),
        "a folder that holds something is left alone"
    );
    let said: Value = serde_json::from_slice(&again.stdout).expect("a document");
    assert_eq!((&said["command"], &said["ending"]), (&"demo".into(), &"usage".into()));
}

#[test]
fn one_seed_tells_one_tale_but_for_the_seconds() {
    let short = |seed: &str| {
        let mut told = lines(&demo(&["--json", "--days", SHORT_DAYS, "--seed", seed]));
        let end = told.last_mut().expect("an end");
        assert!(end["seconds"].is_f64(), "{end}");
        end["seconds"] = Value::Null;
        told
    };
    let once = short("5");
    assert_eq!(once, short("5"));
    assert_ne!(once, short("6"));
}
