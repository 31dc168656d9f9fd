//! The conformance kit: our own service passes all of it, and each check fails at a server that is wrong in that one thing.

mod proxy;

mod wrong;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use std::time::Duration;

use conformance::checks;
use conformance::examination::Ask;
use conformance::examination::examine;
use conformance::exit_status::ExitStatus;
use conformance::report::Report;
use conformance::verdict::Finding;
use otherwise::bootstrap::parts::PartsOverride;
use schema::time::At;
use serde_json::Value;
use serde_json::json;

use self::wrong::WRONG;
use crate::support::child::program;
use crate::support::clock::VirtualClock;
use crate::support::loopback;
use crate::support::loopback::Loopback;
use crate::support::loopback::Then;
use crate::support::server::Server;
use crate::support::wishes::SEAT;

const FLIGHT: &str = include_str!("../schemas/flight_booking_v1.json");

fn ask(url: &str, publish: bool, only: &[&str]) -> Ask {
    Ask {
        url: url.to_owned(),
        scenario: None,
        key: None,
        timeout: Duration::from_secs(20),
        publish,
        submit: false,
        only: only.iter().map(|id| (*id).to_owned()).collect(),
    }
}

fn flights() -> Server {
    let template: Value = serde_json::from_str(FLIGHT).expect("a template");
    Server::with(&[("flight_booking_v1.json", template)])
}

/// The ids with a verdict.
fn with(report: &Report, verdict: &str) -> Vec<&'static str> {
    let results = report.results.iter().filter(|result| result.verdict() == verdict);
    results.map(|result| result.check.id).collect()
}

fn finding<'a>(report: &'a Report, id: &str) -> Option<&'a Finding> {
    let result = report.results.iter().find(|result| result.check.id == id);
    result.expect("it was asked for").finding.as_ref()
}

fn run(arguments: &[&str]) -> Output {
    program(arguments).output().expect("the program runs")
}

#[test]
fn our_service_passes_and_a_scratch_schema_is_retired() {
    let server = flights();
    let report = examine(&ask(server.base(), true, &[])).expect("a report");
    assert_eq!(with(&report, "fail"), Vec::<&str>::new(), "{:#?}", report.lines());
    assert_eq!(with(&report, "not_tried"), Vec::<&str>::new());
    assert_eq!(report.status(), ExitStatus::Success);
    assert!(report.left.is_empty() && report.requests <= 100, "{}", report.requests);
    // A scenario of an hour has learned nothing yet, and nothing goes over a network.
    let silent: BTreeSet<&str> = with(&report, "not_applicable").into_iter().collect();
    let learned = checks::all().filter(|check| check.group == "Patches and updates");
    let mut learned: BTreeSet<&str> = learned.map(|check| check.id).collect();
    learned.retain(|id| !["Z-106", "Z-107", "Z-108-base", "Z-121"].contains(id));
    learned.insert("Z-166");
    assert_eq!(silent, learned);
    let listed = server.call("GET", "/v1/scenarios", &[], "").body;
    let scratch = report.scenario.as_deref().expect("a scenario");
    assert!(scratch.starts_with("otherwise_conformance_x"), "{scratch}");
    assert!(!listed.to_string().contains(scratch), "{listed}");
}

#[test]
fn a_server_that_has_learned_passes_everything_that_applies() {
    let server = flights();
    let proxy = proxy::before(server.base(), &[wrong::learned]);
    let report = examine(&ask(&proxy.url(""), true, &[])).expect("a report");
    assert_eq!(with(&report, "fail"), Vec::<&str>::new(), "{:#?}", report.lines());
    assert_eq!(with(&report, "not_applicable"), ["Z-166"]);
    assert_eq!(with(&report, "not_tried"), Vec::<&str>::new());
}

#[test]
fn our_service_passes_when_it_has_really_learned_z116_z142_z151() {
    let mut template: Value = serde_json::from_str(FLIGHT).expect("a template");
    template["policy"] = json!({
        "pool": {"look_every_fragments": 4, "gate_occurrences_min": 4, "gate_clients_min": 3, "mature_members_min": 4},
    });
    let clock = VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment"));
    let parts = PartsOverride {
        clock: Some(Arc::new(clock)),
        ..PartsOverride::default()
    };
    let server = Server::start(&[("flight_booking_v1.json", template)], |_| {}, parts);
    for (number, said) in SEAT.iter().enumerate() {
        let payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "other": said});
        let body = json!({"schema_id": "flight_booking_v1", "payload": payload}).to_string();
        let client = format!("agent-{}", number % 5);
        let reply = server.call("POST", "/v1/submissions", &[("Otherwise-Client", &client)], &body);
        assert_eq!(reply.status, 200, "{}", reply.body);
        server.settle();
    }
    let passes = |ids: &[&str]| {
        // An answer to a dry run holds no suggestion.
        let mut earnest = ask(server.base(), false, &[]);
        earnest.submit = true;
        earnest.scenario = Some("flight_booking".to_owned());
        let report = examine(&earnest).expect("a report");
        assert_eq!(with(&report, "fail"), Vec::<&str>::new(), "{:#?}", report.lines());
        for id in ids {
            assert_eq!(finding(&report, id), None, "{id}");
        }
    };
    passes(&[
        "Z-116",
        "Z-117",
        "Z-118",
        "Z-119",
        "Z-128",
        "Z-115",
        "Z-054-patch",
        "Z-125",
        "Z-142",
        "Z-113",
        "Z-155",
        "Z-120",
        "Z-131",
    ]);
    let news = server
        .call("GET", "/v1/scenarios/flight_booking/updates?since=0", &[], "")
        .body;
    let patch = news["patches"][0]["patch_id"].as_str().expect("a patch").to_owned();
    for (hand, ids) in [
        ("promote", &["Z-145"][..]),
        ("deprecate", &["Z-147"]),
        ("withdraw", &["Z-150", "Z-151"]),
    ] {
        let path = format!("/v1/patches/{patch}:{hand}");
        let reply = server.call("POST", &path, &[("Otherwise-Client", "olga")], "");
        assert_eq!(reply.status, 200, "{hand}: {}", reply.body);
        server.settle();
        passes(ids);
    }
}

#[test]
fn every_check_fails_at_a_server_that_is_wrong_in_that_one_thing() {
    let named: BTreeSet<&str> = WRONG.iter().map(|(id, _)| *id).chain(["Z-166"]).collect();
    let all: BTreeSet<&str> = checks::all().map(|check| check.id).collect();
    assert_eq!(named, all, "each check has its wrong server");
    assert_eq!(WRONG.len() + 1, all.len(), "and each has one");
    let server = flights();
    let mut blind: Vec<String> = Vec::new();
    for (id, change) in WRONG {
        let proxy = proxy::before(server.base(), &[wrong::learned, *change]);
        let report = examine(&ask(&proxy.url(""), true, &[id])).expect("a report");
        let found = finding(&report, id);
        let must = checks::all().any(|check| check.id == *id && check.is_must());
        if !matches!(found, Some(Finding::Fails(_))) || (must && report.status() != ExitStatus::Findings) {
            blind.push(format!("{id}: {found:?}"));
        }
        // The service behind refused it, so that there is nothing to retire, and the report says so.
        if id.ends_with("-publish") && *id != "Z-037-publish" {
            assert_eq!(report.left.len(), 1, "{id}");
        }
    }
    assert!(blind.is_empty(), "{blind:#?}");
}

#[test]
fn what_stands_in_an_answer_that_is_no_success_is_no_evidence() {
    let server = flights();
    let redirecting: proxy::Change = |_, said| said.status = 302;
    let proxy = proxy::before(server.base(), &[wrong::learned, redirecting]);
    let mut asked = ask(&proxy.url(""), false, &[]);
    asked.scenario = Some("flight_booking".to_owned());
    let report = examine(&asked).expect("a report");
    assert_eq!(with(&report, "pass"), Vec::<&str>::new(), "{:#?}", report.lines());
    // The same of one answer alone.
    let updates: proxy::Change = |asked, said| {
        if asked.path.contains("/updates") {
            said.status = 302;
        }
    };
    let proxy = proxy::before(server.base(), &[wrong::learned, updates]);
    let mut asked = ask(&proxy.url(""), false, &["Z-113", "Z-150", "Z-151"]);
    asked.scenario = Some("flight_booking".to_owned());
    let report = examine(&asked).expect("a report");
    assert_eq!(with(&report, "pass"), Vec::<&str>::new(), "{:#?}", report.lines());
}

#[test]
fn what_a_server_took_by_mistake_is_retired() {
    let server = flights();
    let proxy = proxy::before(
        server.base(),
        &[|asked, said| {
            if asked.path.contains("_bad4_") {
                said.instead(200, json!({}));
            }
        }],
    );
    let report = examine(&ask(&proxy.url(""), true, &["Z-035-publish"])).expect("a report");
    assert!(matches!(finding(&report, "Z-035-publish"), Some(Finding::Fails(_))));
    assert!(report.left.is_empty(), "{:?}", report.left);
    let heard = proxy.heard();
    let retired = heard.iter().filter(|heard| heard.head.starts_with("DELETE "));
    let lines: Vec<&str> = retired.filter_map(|heard| heard.head.split(' ').nth(1)).collect();
    assert_eq!(lines.len(), 2, "the scratch schema and the defective one: {lines:?}");
}

#[test]
fn http_to_another_machine_fails_z166() {
    let server = flights();
    let proxy = proxy::before(server.base(), &[]);
    // An address of this machine that is not called loopback.
    let url = proxy.url("").replace("127.0.0.1", "0.0.0.0");
    let report = examine(&ask(&url, false, &["Z-166"])).expect("a report");
    assert!(
        matches!(finding(&report, "Z-166"), Some(Finding::Fails(_))),
        "{report:?}"
    );
    assert_eq!(report.status(), ExitStatus::Findings);
}

#[test]
fn without_publish_nothing_is_changed_and_no_key_is_shown() {
    let server = flights();
    let proxy = proxy::before(server.base(), &[]);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("key").display().to_string();
    std::fs::write(&file, "kept-secret\n").expect("written");
    let output = run(&["conformance", "--url", &proxy.url(""), "--key-file", &file, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        !told.contains("kept-secret") && !told.to_lowercase().contains("bearer"),
        "{told}"
    );
    let document: Value = serde_json::from_str(&told).expect("one document");
    assert_eq!(document["command"], "conformance");
    assert_eq!(document["scenario"], "flight_booking");
    assert_eq!(document["summary"]["fail"], 0);
    let checks = document["checks"].as_array().expect("checks");
    assert_eq!(checks.len(), checks::all().count());
    let missing = checks.iter().find(|told| told["id"] == "Z-019").expect("the check");
    assert_eq!(missing["evidence"][1]["status"], 422, "{missing}");
    assert_eq!(missing["evidence"][1]["asked"], "POST /v1/submissions:validate");
    let heard = proxy.heard();
    assert!(heard.len() > 20);
    for heard in heard {
        let line = heard.head.lines().next().expect("a line");
        let harmless = [
            "GET /v1/",
            "POST /v1/scenarios:negotiate ",
            "POST /v1/submissions:validate ",
        ];
        assert!(harmless.iter().any(|start| line.starts_with(start)), "{line}");
        assert_eq!(heard.header("authorization"), Some("Bearer kept-secret"));
    }
}

#[test]
fn exit_codes_say_how_it_went() {
    let server = flights();
    let wrong = |id: &str| {
        let (_, change) = WRONG.iter().find(|(own, _)| *own == id).expect("a wrong server");
        proxy::before(server.base(), &[*change])
    };
    let (must, should) = (wrong("Z-060"), wrong("Z-016"));
    let closed = Loopback::start(|_, _, _| Then::Ends);
    let forbidding = Loopback::start(|_, _, out| loopback::say(out, &loopback::answer(401, "", "")));
    let page = Loopback::start(|_, _, out| loopback::say(out, &loopback::answer(200, "", "<html></html>")));
    let busy = Loopback::start(|_, _, out| loopback::say(out, &loopback::answer(429, "", "{}")));
    let broken = Loopback::start(|_, _, out| loopback::say(out, &loopback::answer(500, "", "{}")));
    let no_submitting = proxy::before(
        server.base(),
        &[|asked, said| {
            if asked.path.starts_with("/v1/submissions") {
                said.instead(403, json!({"code": "forbidden"}));
            }
        }],
    );
    let empty = Loopback::start(|_, _, out| loopback::say(out, &loopback::answer(200, "", r#"{"scenarios": []}"#)));
    let folder = tempfile::tempdir().expect("a folder");
    let absent = folder.path().join("absent").display().to_string();
    for (url, more, code, says) in [
        (server.base(), &[][..], 0, "0 fail"),
        (&must.url(""), &[], 1, "FAIL            MUST    Z-060"),
        (&must.url(""), &["--only", "Z-035"], 0, "1 pass, 0 fail"),
        (&should.url(""), &[], 0, "1 fail (0 of them MUST)"),
        (server.base(), &["--only", "Z-999"], 2, "Z-999"),
        (server.base(), &["--key-file", &absent], 2, "absent"),
        (server.base(), &["--publish", "--scenario", "../x"], 2, "--scenario"),
        ("ftp://127.0.0.1", &[], 2, "--url"),
        (&forbidding.url(""), &[], 2, "wants a key"),
        (&page.url(""), &[], 2, "is another web server"),
        (
            &format!("{}/v1", server.base()),
            &[],
            2,
            "has nothing of the draft there",
        ),
        (
            server.base(),
            &["--scenario", "nope"],
            2,
            "does not host the scenario that --scenario names",
        ),
        (&forbidding.url(""), &["--scenario", "a"], 2, "401"),
        (&empty.url(""), &[], 2, "no scenario is listed"),
        (&busy.url(""), &[], 3, "answered 429 to"),
        (&busy.url(""), &["--scenario", "a"], 3, "answered 429 to"),
        (&broken.url(""), &[], 3, "answered 500 to"),
        (&no_submitting.url(""), &[], 2, "no submission could be tried"),
        (server.base(), &["--publish"], 0, "0 fail"),
        (&closed.url(""), &[], 3, "broke off"),
    ] {
        let arguments = [&["conformance", "--url", url], more].concat();
        let output = run(&arguments);
        let told = [output.stdout, output.stderr].concat();
        let told = String::from_utf8_lossy(&told);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
        assert!(told.contains(says), "{arguments:?}: {told}");
    }
    assert_eq!(closed.heard().len(), 1, "it is left alone at once");
}

#[test]
fn a_server_that_does_not_answer_is_left_alone() {
    let server = flights();
    let base = server.base().to_owned();
    // It negotiates, and hangs on every submission.
    let slow = proxy::before(
        &base,
        &[|asked, _| {
            if asked.path.starts_with("/v1/submissions") {
                std::thread::sleep(Duration::from_secs(3));
            }
        }],
    );
    let mut asked = ask(&slow.url(""), false, &[]);
    asked.timeout = Duration::from_millis(300);
    let report = examine(&asked).expect("a report");
    assert_eq!(report.status(), ExitStatus::Fault);
    assert!(matches!(finding(&report, "Z-060"), Some(Finding::NotTried(_))));
    let sent = slow
        .heard()
        .iter()
        .filter(|heard| heard.head.contains("/v1/submissions"))
        .count();
    assert_eq!(sent, 3, "three requests in a row, and no more");
    // More than is read of an answer.
    let vast = proxy::before(
        &base,
        &[|asked, said| {
            if asked.path.ends_with("/template") {
                said.body = json!("x".repeat(5 << 20));
            }
        }],
    );
    let report = examine(&ask(&vast.url(""), false, &["Z-002"])).expect("a report");
    assert!(
        matches!(finding(&report, "Z-002"), Some(Finding::NotTried(why)) if why.contains("too large")),
        "{report:?}"
    );
}

#[test]
fn a_server_without_dry_runs_is_not_blamed_and_can_be_sent_real_submissions() {
    let server = flights();
    let proxy = proxy::before(
        server.base(),
        &[|asked, said| {
            if asked.path.ends_with(":validate") {
                said.instead(404, json!({}));
            }
        }],
    );
    let report = examine(&ask(&proxy.url(""), false, &[])).expect("a report");
    assert_eq!(with(&report, "fail"), Vec::<&str>::new());
    assert!(matches!(finding(&report, "Z-060"), Some(Finding::NotTried(why)) if why.contains("--submit")));
    let mut earnest = ask(&proxy.url(""), false, &[]);
    earnest.submit = true;
    earnest.scenario = Some("flight_booking".to_owned());
    let report = examine(&earnest).expect("a report");
    assert_eq!(with(&report, "fail"), Vec::<&str>::new(), "{:#?}", report.lines());
    assert_eq!(finding(&report, "Z-060"), None);
}

#[test]
fn the_list_names_every_check_and_sends_nothing() {
    let output = run(&["conformance", "--list"]);
    assert_eq!(output.status.code(), Some(0));
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(checks::all().all(|check| told.contains(check.id)), "{told}");
    assert!(
        told.contains("Not visible from outside") && told.contains("Z-082 … Z-104"),
        "{told}"
    );
    let output = run(&["conformance", "--list", "--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("one document");
    assert_eq!(document["checks"].as_array().map(Vec::len), Some(checks::all().count()));
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/conformance-kit.md");
    let page = std::fs::read_to_string(page).expect("the page");
    assert!(checks::all().all(|check| page.contains(&format!("| {} |", check.id))));
}
