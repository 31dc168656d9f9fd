//! The demo as its user and a program see it: what it claims must hold in its events, one seed tells one tale, and what it
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
        .env_remove("NO_COLOR")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("the program runs")
}

fn text(output: &Output) -> String {
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn events(output: &Output) -> Vec<Value> {
    let lines = text(output);
    lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

/// The whole demo, run once, with the journal that it kept.
static WHOLE: LazyLock<(TempDir, Vec<Value>)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data").display().to_string();
    let told = events(&demo(&["--json", "--keep", &data]));
    (folder, told)
});

fn of<'a>(events: &'a [Value], event: &str) -> Vec<&'a Value> {
    events.iter().filter(|told| told["event"] == event).collect()
}

fn staged<'a>(events: &'a [Value], patch: &Value, stage: &str) -> Option<&'a Value> {
    of(events, "staged")
        .into_iter()
        .find(|told| told["patch_id"] == patch["patch_id"] && told["stage"] == stage)
}

#[test]
fn a_key_is_born_of_heat_and_clients_adopted_and_promoted_z093_z095_z144() {
    let (_, told) = &*WHOLE;
    let born: Vec<&Value> = of(told, "proposed")
        .into_iter()
        .filter(|born| born["audience"]["kind"] == "global")
        .collect();
    let gates = of(told, "gate_opened");
    for born in &born {
        let opened = gates
            .iter()
            .find(|gate| gate["at"] == born["at"] && gate["audience"] == born["audience"]);
        let gate = &opened.expect("its gate")["gate"];
        assert!(gate["capped_heat"].as_f64() > Some(50.0), "{gate}");
        let (clients, occurrences) = (gate["clients"].as_u64(), gate["occurrences"].as_u64());
        assert!(
            clients >= Some(5) || (occurrences >= Some(10) && clients >= Some(2)),
            "{gate}"
        );
        assert!(!born["because"].as_array().expect("reasons").is_empty());
    }
    let promoted: Vec<&Value> = born
        .iter()
        .filter_map(|born| staged(told, born, "stable"))
        .filter(|change| change["reason"] == "promoted")
        .collect();
    assert!(!promoted.is_empty(), "nothing is promoted");
    for change in promoted {
        let ledger = &change["ledger"];
        assert!(ledger["usage"].as_f64() >= Some(0.15), "{ledger}");
        assert!(ledger["alignment"].as_f64() >= Some(0.80), "{ledger}");
        assert!(ledger["type_correctness"].as_f64() >= Some(0.90), "{ledger}");
        assert!(ledger["adoption"].as_f64() > Some(0.5), "{ledger}");
    }
}

/// What a story must tell to be recommended: nothing learned that nobody meant, and each turn that the demo is about.
fn is_right(told: &[Value]) {
    let ended = of(told, "ended").pop().expect("an end");
    let keys = ended["after"]["keys"].as_array().expect("keys");
    let learned: Vec<&Value> = keys.iter().filter(|key| !key["patch_id"].is_null()).collect();
    assert!(learned.len() >= 2, "{ended}");
    // Each is called by words that travellers said about what they were meant to wish.
    let topics = ["window", "bag", "final", "cello"];
    for key in &learned {
        let name = key["key_name"].as_str().unwrap_or_default();
        assert!(topics.iter().any(|topic| name.contains(topic)), "{key}");
    }
    let proposed = |kind: &str| of(told, "proposed").iter().any(|born| born["audience"]["kind"] == kind);
    assert!(
        proposed("global") && proposed("client"),
        "a key for everyone, and one of one's own"
    );
    // Better words for a key are no key: nobody is the first to fill it then.
    let proposals = of(told, "proposed");
    for used in of(told, "first_use").into_iter().chain(of(told, "half_adopted")) {
        let born = proposals.iter().find(|born| born["patch_id"] == used["patch_id"]);
        assert!(
            born.expect("its proposal")["patch"]["new_keys"][0].is_object(),
            "{used}"
        );
    }
    let changed = |reason: &str| of(told, "staged").iter().any(|change| change["reason"] == reason);
    assert!(changed("promoted") && changed("low_usage"));
}

#[test]
fn the_stories_that_are_told_and_recommended_are_right() {
    let (_, told) = &*WHOLE;
    is_right(told);
    let story = text(&demo(&["--no-color", "--days", "1"]));
    let (_, rest) = story.split_once("otherwise demo --seed ").expect("another seed");
    let seed: String = rest.chars().take_while(char::is_ascii_digit).collect();
    is_right(&events(&demo(&["--json", "--seed", &seed])));
}

#[test]
fn what_was_kept_is_whole_without_any_folder_of_schemas() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let _ = text(&demo(&[
        "--json",
        "--days",
        SHORT_DAYS,
        "--keep",
        &data.display().to_string(),
    ]));
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).expect("made");
    let served = Program::serve(&data, &empty, &folder.path().join("log"), &[]);
    let evidence = served
        .caller()
        .call(
            "GET",
            "/v1/patches/flight_booking.p1/evidence",
            &[("Otherwise-Client", "olga")],
            "",
        )
        .expect("an answer");
    assert_eq!(evidence.status, 200, "{}", evidence.body);
    let scenarios = served
        .caller()
        .call("GET", "/v1/scenarios", &[("Otherwise-Client", "olga")], "");
    assert_eq!(
        scenarios.expect("an answer").body["scenarios"].as_array().map(Vec::len),
        Some(1)
    );
}

#[test]
fn where_to_go_on_names_what_is_there() {
    let short = text(&demo(&["--no-color", "--days", "1"]));
    assert!(!short.contains("/v1/patches/"), "nothing was born: {short}");
    assert!(
        short.contains("One day at a glance") && !short.contains("day 1day 1"),
        "{short}"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder
        .path()
        .join("a_folder_with_a_name_of_some_length")
        .display()
        .to_string();
    let told = text(&demo(&["--no-color", "--days", SHORT_DAYS, "--keep", &data]));
    assert!(told.contains("/v1/patches/flight_booking.p1/evidence\n"), "{told}");
    let line = format!("   otherwise verify --data {data}\n");
    assert!(told.contains(&line), "the path stands alone: {told}");
}

#[test]
fn a_fad_is_deprecated_for_want_of_use_z146() {
    let (_, told) = &*WHOLE;
    let gone: Vec<&Value> = of(told, "staged")
        .into_iter()
        .filter(|change| change["stage"] == "deprecated" && change["reason"] == "low_usage")
        .collect();
    let fad = gone.iter().find(|change| change["ledger"]["used"].as_u64() >= Some(5));
    let fad = fad.expect("a key that many used for a while and then nobody");
    assert!(fad["ledger"]["usage"].as_f64() < Some(0.05), "{fad}");
    let on = |day: &Value| -> u64 {
        let keys = day["keys"].as_array().expect("keys");
        let found = keys.iter().find(|key| key["patch_id"] == fad["patch_id"]);
        found.and_then(|key| key["payloads_with_key"].as_u64()).unwrap_or(0)
    };
    let days: Vec<u64> = of(told, "day").into_iter().map(on).collect();
    assert!(days.iter().any(|used| *used >= 5), "{days:?}");
    assert_eq!(days.iter().rev().take(5).sum::<u64>(), 0, "{days:?}");
}

#[test]
fn a_key_of_ones_own_is_404_to_others_and_the_journal_is_whole_and_served_z123_z130() {
    let (folder, told) = &*WHOLE;
    let ended = of(told, "ended");
    let own = &ended.first().expect("an end")["personal"][0];
    assert_eq!(
        (own["client"].as_str(), own["seen_by_others"].as_u64()),
        (Some("noor"), Some(0))
    );
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
        verified["records"].as_u64() >= ended[0]["events"].as_u64(),
        "{verified}"
    );
    let patch = own["patch_id"].as_str().expect("an id");
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
        let mut told = events(&demo(&["--json", "--days", SHORT_DAYS, "--seed", seed]));
        let ended = told.last_mut().expect("an end");
        assert!(ended["seconds"].is_f64(), "{ended}");
        ended["seconds"] = Value::Null;
        told
    };
    let once = short("5");
    assert_eq!(once, short("5"));
    assert_ne!(once, short("6"));
    assert_eq!(of(&once, "day").len(), 4);
}

#[test]
fn a_pipe_gets_no_control_codes_and_ascii_where_it_is_asked_for() {
    let told = text(&demo(&["--days", SHORT_DAYS]));
    assert!(!told.chars().any(|letter| letter.is_control() && letter != '\n'));
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    for words in [
        "Day 1",
        "born",
        "Heat:",
        "Gate:",
        "Trial:",
        "before and after",
        "Where to go on",
        "Time goes on",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(!told.is_ascii());
    let plain = text(&demo(&["--days", SHORT_DAYS, "--ascii", "--no-color"]));
    assert!(plain.is_ascii() && !plain.contains('?'), "{plain}");
    let said = demo(&["--days", "0"]);
    assert_eq!(said.status.code(), Some(2));
}
