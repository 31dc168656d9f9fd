//! Webhooks, told over real sockets: signed, in order, at least once, through failures and restarts.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use ring::hmac;
use serde_json::Value;
use serde_json::json;
use store::journal::Journal;
use store::journal::JournalName;
use store::journal_store::JournalStore;
use store::options::StoreOptions;

use super::LEGROOM;
use super::OLGA;
use super::flight;
use super::operator_actions::PAYMENT;
use super::small_gates;
use super::timed;
use super::waiting::week;
use crate::support::child::Caller;
use crate::support::child::Program;
use crate::support::patience::eventually;
use crate::support::random::Random;
use crate::support::receiver::Do;
use crate::support::receiver::Got;
use crate::support::receiver::Receiver;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::wishes::SEAT;

const WELL: Do = Do::Answer(204, "");

fn airline(change: impl FnOnce(&mut Settings)) -> Server {
    Server::start(
        &[("template.json", flight(small_gates(&json!({}))))],
        |settings| {
            settings.delivery.webhook_first_pause_ms = 10;
            settings.delivery.webhook_timeout_s = 1;
            change(settings);
        },
        PartsOverride::default(),
    )
}

/// Registers; id and secret.
fn register(server: &Server, asked: &Value) -> (String, String) {
    let reply = server.call("POST", "/v1/webhooks", &[OLGA], &asked.to_string());
    assert_eq!(reply.status, 201, "{}", reply.body);
    let text = |name: &str| reply.body[name].as_str().expect(name).to_owned();
    (text("id"), text("secret"))
}

fn webhook(server: &Server, id: &str) -> Value {
    server.call("GET", &format!("/v1/webhooks/{id}"), &[OLGA], "").body
}

/// Another version of the shipped template.
fn version(number: u32) -> (String, Value) {
    let id = format!("flight_booking_v1_{number}");
    let mut next = flight(small_gates(&json!({})));
    next["schema_id"] = json!(id);
    next["version"] = json!(format!("1.{number}.0"));
    (format!("/v1/schemas/{id}"), next)
}

fn publish(server: &Server, number: u32) {
    let (path, next) = version(number);
    let reply = server.call("PUT", &path, &[OLGA], &next.to_string());
    assert_eq!(reply.status, 201, "{}", reply.body);
}

fn signed_well(secret: &str, got: &Got) -> bool {
    let secret = STANDARD
        .decode(secret.strip_prefix("whsec_").expect("a secret"))
        .expect("base64");
    let key = hmac::Key::new(hmac::HMAC_SHA256, &secret);
    let signed = format!("{}.{}.{}", got.id, got.timestamp, got.text);
    let tag = got
        .signature
        .strip_prefix("v1,")
        .and_then(|tag| STANDARD.decode(tag).ok());
    tag.is_some_and(|tag| hmac::verify(&key, signed.as_bytes(), &tag).is_ok())
}

fn ids(got: &[Got]) -> Vec<&str> {
    got.iter().map(|got| got.id.as_str()).collect()
}

/// The schemas that letters are about.
fn schemas(got: &[Got]) -> Vec<&str> {
    got.iter()
        .filter_map(|got| got.body["data"]["schema_id"].as_str())
        .collect()
}

#[test]
fn a_receiver_is_told_what_happened_in_order_signed_and_without_what_is_personal() {
    let receiver = Receiver::start(|_, _| WELL);
    let server = airline(|_| {});
    let (id, secret) = register(&server, &json!({"url": receiver.url()}));
    let patch = server.wanted_by_many(&SEAT);
    let own = server.wanted_by_one("a-traveller", &LEGROOM);
    assert_eq!(own["audience"]["kind"], "client");
    for deed in ["promote", "deprecate"] {
        let path = format!("/v1/patches/{}:{deed}", patch["patch_id"].as_str().expect("an id"));
        assert_eq!(server.call("POST", &path, &[OLGA], "").status, 200);
    }
    publish(&server, 1);
    let path = "/v1/schemas/flight_booking_v1_1";
    assert_eq!(
        server.call("POST", &format!("{path}:deprecate"), &[OLGA], "").status,
        200
    );
    assert_eq!(server.call("DELETE", path, &[OLGA], "").status, 200);
    assert_eq!(server.call("POST", &format!("{path}:restore"), &[OLGA], "").status, 200);
    let got = receiver.wait_for(7);
    let told: Vec<(&str, &str)> = got
        .iter()
        .map(|got| {
            let data = &got.body["data"];
            let what = data["stage"].as_str().or(data["schema_id"].as_str());
            (got.body["type"].as_str().expect("a type"), what.expect("something"))
        })
        .collect();
    assert_eq!(
        told,
        [
            ("dev.otherwise.patch.staged", "experimental"),
            ("dev.otherwise.patch.staged", "stable"),
            ("dev.otherwise.patch.staged", "deprecated"),
            ("dev.otherwise.schema.published", "flight_booking_v1_1"),
            ("dev.otherwise.schema.deprecated", "flight_booking_v1_1"),
            ("dev.otherwise.schema.retired", "flight_booking_v1_1"),
            ("dev.otherwise.schema.restored", "flight_booking_v1_1"),
        ]
    );
    for got in &got {
        assert!(signed_well(&secret, got), "{got:?}");
        assert!(!signed_well(&format!("whsec_{}", STANDARD.encode([7; 32])), got));
        assert_eq!(got.content_type, "application/cloudevents+json");
        has(
            &got.body,
            json!({
                "specversion": "1.0", "id": got.id, "subject": "flight_booking",
                "source": "/v1/namespaces/default/scenarios/flight_booking", "datacontenttype": "application/json"
            }),
        );
        for personal in ["a-traveller", "agent-", "legroom"] {
            assert!(!got.text.contains(personal), "{personal}: {}", got.text);
        }
    }
    assert_eq!(got[0].body["data"].get("by"), None, "a rule did it");
    for got in &got[1..] {
        let by = &got.body["data"]["by"];
        has(by, json!({"principal": "olga", "method": "open", "key": null}));
        assert!(by["request_id"].is_string(), "{by}");
    }
    let mut distinct = ids(&got);
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 7);
    eventually("all is told", || webhook(&server, &id)["waiting"] == 0);
    let shown = webhook(&server, &id);
    assert_eq!((&shown["status"], &shown["delivered"]), (&json!("active"), &json!(7)));
    assert_eq!(shown.get("secret"), None, "shown once");
    let listed = server.call("GET", "/v1/webhooks", &[OLGA], "").body;
    assert_eq!(listed, json!({"webhooks": [shown]}));
    let page = server.page("/metrics");
    for line in [
        format!("otherwise_webhook_letters_total{{outcome=\"delivered\",webhook=\"{id}\"}} 7"),
        format!("otherwise_webhook_waiting{{webhook=\"{id}\"}} 0"),
    ] {
        assert!(page.contains(&line), "{line}\n{page}");
    }
    assert_eq!(receiver.got().len(), 7, "nothing twice");
}

#[test]
fn a_receiver_is_told_in_codes_what_begins_to_wait_for_a_person_z127_z157_z165() {
    let receiver = Receiver::start(|_, _| WELL);
    let policy = small_gates(&json!({"extensions_max": 1, "trial_payloads_min": 20, "trial_judgements_min": 2}));
    let (server, clock) = timed(policy, |_| {});
    register(
        &server,
        &json!({"url": receiver.url(), "events": ["patch.awaiting_approval"]}),
    );
    let seat = server.wanted_by_many(&SEAT);
    for _ in 0..3 {
        week(&server, &clock, &seat);
    }
    server.wanted_by_many(&PAYMENT);
    let got = receiver.wait_for(2);
    let told: Vec<[&Value; 3]> = got
        .iter()
        .map(|got| &got.body["data"])
        .map(|data| [&data["patch_id"], &data["stage"], &data["waits_for"]])
        .collect();
    assert_eq!(
        told[0],
        [&seat["patch_id"], &json!("experimental"), &json!(["usage_between"])]
    );
    assert_eq!(told[1][1], "awaiting_approval");
    let codes = told[1][2].as_array().expect("codes");
    assert!(codes.contains(&json!("sensitive")), "{codes:?}");
    for got in &got {
        for said in SEAT.iter().chain(&PAYMENT) {
            assert!(!got.text.contains(said), "{said}: {}", got.text);
        }
    }
    assert_eq!(receiver.got().len(), 2, "nothing twice");
    let page = server.page("/metrics");
    for line in [
        r#"otherwise_waits{reason="usage_between",scenario="flight_booking"} 1"#,
        r#"otherwise_waits{reason="sensitive",scenario="flight_booking"} 1"#,
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
}

#[test]
fn a_webhook_that_fails_for_long_is_paused_and_goes_on_after_a_test_that_it_takes() {
    let well = Arc::new(AtomicBool::new(false));
    let now = Arc::clone(&well);
    let receiver = Receiver::start(move |number, _| match (now.load(Ordering::SeqCst), number) {
        (true, _) => WELL,
        (false, 0) => Do::Hang(Duration::from_secs(3)),
        (false, _) => Do::Answer(503, ""),
    });
    let server = airline(|settings| settings.delivery.webhook_attempts_max = 3);
    let (id, secret) = register(&server, &json!({"url": receiver.url()}));
    publish(&server, 1);
    eventually("it is paused", || webhook(&server, &id)["status"] == "paused");
    assert_eq!(receiver.got().len(), 3);
    assert!(
        server
            .page("/metrics")
            .contains(&format!("otherwise_webhook_paused{{webhook=\"{id}\"}} 1"))
    );
    assert_eq!(webhook(&server, &id)["last_failure"]["status"], 503);
    let try_out = || {
        server
            .call("POST", &format!("/v1/webhooks/{id}:test"), &[OLGA], "")
            .body
    };
    let failed = try_out();
    assert_eq!((&failed["delivered"], &failed["status"]), (&json!(false), &json!(503)));
    assert_eq!(webhook(&server, &id)["status"], "paused");
    well.store(true, Ordering::SeqCst);
    assert_eq!(try_out()["delivered"], true);
    let got = receiver.wait_for(6);
    let types: Vec<&str> = got[3..].iter().filter_map(|got| got.body["type"].as_str()).collect();
    assert_eq!(
        types,
        [
            "dev.otherwise.webhook.test",
            "dev.otherwise.webhook.test",
            "dev.otherwise.schema.published"
        ]
    );
    assert!(got.iter().all(|got| signed_well(&secret, got)));
    eventually("it goes on", || webhook(&server, &id)["status"] == "active");
}

#[test]
fn a_receiver_that_is_gone_is_told_nothing_more_and_so_is_a_deleted_one() {
    let receiver = Receiver::start(|_, _| Do::Answer(410, ""));
    let server = airline(|_| {});
    let (id, _) = register(&server, &json!({"url": receiver.url()}));
    publish(&server, 1);
    receiver.wait_for(1);
    let path = format!("/v1/webhooks/{id}");
    eventually("it is gone", || server.call("GET", &path, &[OLGA], "").status == 404);
    let deaf = Receiver::start(|_, _| WELL);
    let (id, _) = register(&server, &json!({"url": deaf.url()}));
    let path = format!("/v1/webhooks/{id}");
    assert_eq!(server.call("DELETE", &path, &[OLGA], "").body["deleted"], true);
    let again = server.call("DELETE", &path, &[OLGA], "");
    assert_eq!(again.told(), (404, "unknown_webhook"));
    publish(&server, 2);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!((receiver.got().len(), deaf.got().len()), (1, 0));
}

#[test]
fn a_webhook_hears_the_scenarios_and_events_that_it_asked_for() {
    let (all, some, elsewhere) = (
        Receiver::start(|_, _| WELL),
        Receiver::start(|_, _| WELL),
        Receiver::start(|_, _| WELL),
    );
    let server = airline(|_| {});
    publish(&server, 1);
    register(&server, &json!({"url": all.url(), "scenarios": ["Flight Booking"]}));
    register(&server, &json!({"url": some.url(), "events": ["schema.retired"]}));
    register(
        &server,
        &json!({"url": elsewhere.url(), "scenarios": ["train_booking"]}),
    );
    publish(&server, 2);
    assert_eq!(
        server
            .call("DELETE", "/v1/schemas/flight_booking_v1_2", &[OLGA], "")
            .status,
        200
    );
    assert_eq!(
        schemas(&all.wait_for(2)),
        ["flight_booking_v1_2"; 2],
        "nothing of before it came"
    );
    assert_eq!(some.wait_for(1)[0].body["type"], "dev.otherwise.schema.retired");
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!((all.got().len(), some.got().len(), elsewhere.got().len()), (2, 1, 0));
}

#[test]
fn registrations_are_bounded_and_checked() {
    let server = airline(|settings| settings.delivery.webhooks_max = 2);
    let ask = |body: &Value| {
        let reply = server.call("POST", "/v1/webhooks", &[OLGA], &body.to_string());
        (reply.status, reply.body["code"].as_str().unwrap_or_default().to_owned())
    };
    for bad in [
        json!({}),
        json!({"url": "http://example.com/hook"}),
        json!({"url": "http://10.0.0.1/hook"}),
        json!({"url": "https://192.168.0.1/hook"}),
        json!({"url": "ftp://localhost"}),
        json!({"url": "http://127.0.0.1:9", "events": ["everything"]}),
        json!({"url": "http://127.0.0.1:9", "secret": "mine"}),
        json!({"url": format!("https://a/{}", "u".repeat(2_048))}),
        json!({"url": "http://127.0.0.1:9", "scenarios": ["a/b"]}),
        json!({"url": "http://127.0.0.1:9", "scenarios": vec!["flight_booking"; 101]}),
    ] {
        assert_eq!(ask(&bad), (400, "bad_request".to_owned()), "{bad}");
    }
    let good = json!({"url": "http://127.0.0.1:9/hook"});
    assert_eq!(ask(&good).0, 201);
    assert_eq!(ask(&good).0, 201);
    assert_eq!(ask(&good), (429, "limit_reached".to_owned()));
    let nobody = server.call("POST", "/v1/webhooks/wh_nowhere:test", &[OLGA], "");
    assert_eq!(nobody.told(), (404, "unknown_webhook"));
}

#[test]
fn whatever_a_receiver_does_every_change_is_taken_once_and_in_order() {
    for seed in 0..3 {
        let random = Mutex::new(Random::new(seed));
        let taken: Arc<Mutex<Vec<(String, u64, String)>>> = Arc::default();
        let kept = Arc::clone(&taken);
        let receiver = Receiver::start(move |_, got| match random.lock().expect("no panic").below(5) {
            0 => Do::Answer(503, "Retry-After: 0\r\n"),
            1 => Do::Die,
            2 => Do::Answer(307, "Location: /elsewhere\r\n"),
            _ => {
                let subject = got.body["subject"].as_str().expect("a subject").to_owned();
                let revision = got.body["data"]["revision"].as_u64().expect("a revision");
                kept.lock().expect("no panic").push((subject, revision, got.id.clone()));
                WELL
            }
        });
        let train = json!({"schema_id": "train_v1", "scenario": "train", "keys": [
            {"key_name": "origin", "key_type": "string", "required": true,
             "semantic_description": "City of departure. Example: 'from Bonn' -> 'Bonn'."}]});
        let server = Server::start(
            &[("flight.json", flight(small_gates(&json!({})))), ("train.json", train)],
            |settings| {
                settings.delivery.webhook_first_pause_ms = 1;
                settings.delivery.webhook_longest_pause_s = 1;
                settings.delivery.webhook_attempts_max = 1_000;
            },
            PartsOverride::default(),
        );
        register(&server, &json!({"url": receiver.url()}));
        let mut expected: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for round in 0..8 {
            for (scenario, schema) in [("flight_booking", "flight_booking_v1"), ("train", "train_v1")] {
                let path = format!("/v1/schemas/{schema}");
                let reply = if round % 2 == 0 {
                    server.call("DELETE", &path, &[OLGA], "")
                } else {
                    server.call("POST", &format!("{path}:restore"), &[OLGA], "")
                };
                assert_eq!(reply.status, 200, "{}", reply.body);
                let live = server.service().handle(scenario).expect("hosted");
                let last = live.state().news.last().copied().expect("an entry");
                expected.entry(scenario.to_owned()).or_default().push(last);
            }
        }
        eventually("everything is taken", || taken.lock().expect("no panic").len() >= 16);
        let taken = taken.lock().expect("no panic").clone();
        let mut told: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        let mut ids = BTreeSet::new();
        for (subject, revision, id) in taken {
            told.entry(subject).or_default().push(revision);
            assert!(ids.insert(id), "seed {seed}: taken twice");
        }
        assert_eq!(told, expected, "seed {seed}");
    }
}

/// The program in a process of its own, told to try again soon.
fn serve(folder: &Path) -> Program {
    let settings = [
        ("OTHERWISE_DELIVERY__WEBHOOK_FIRST_PAUSE_MS", "20"),
        ("OTHERWISE_DELIVERY__WEBHOOK_LONGEST_PAUSE_S", "1"),
        ("OTHERWISE_LOG__LEVEL", "info"),
    ];
    let at = |name: &str| folder.join(name);
    Program::serve(&at("data"), &at("schemas"), &at("log"), &settings)
}

#[test]
fn what_was_not_delivered_survives_kills_and_what_was_is_not_told_again() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("schemas")).expect("the shelf");
    let well = Arc::new(AtomicBool::new(false));
    let now = Arc::clone(&well);
    let receiver = Receiver::start(move |_, _| {
        if now.load(Ordering::SeqCst) {
            WELL
        } else {
            Do::Answer(500, "")
        }
    });
    let program = serve(folder.path());
    let caller = program.caller();
    let put = |caller: &Caller, number: u32| {
        let (path, next) = version(number);
        assert_eq!(
            caller
                .call("PUT", &path, &[OLGA], &next.to_string())
                .expect("an answer")
                .status,
            201
        );
    };
    let asked = json!({"url": receiver.url()}).to_string();
    let registered = caller.call("POST", "/v1/webhooks", &[OLGA], &asked).expect("an answer");
    assert_eq!(registered.status, 201, "{}", registered.body);
    let secret = registered.body["secret"].as_str().expect("a secret").to_owned();
    put(&caller, 1);
    put(&caller, 2);
    receiver.wait_for(1);
    program.kill();

    let program = serve(folder.path());
    put(&program.caller(), 3);
    let before = receiver.wait_for(receiver.got().len() + 1).len();
    assert_eq!(receiver.got()[before - 1].id, receiver.got()[0].id, "still the first");
    program.kill();

    well.store(true, Ordering::SeqCst);
    let failed = receiver.got().len();
    let program = serve(folder.path());
    let got = receiver.wait_for(failed + 3);
    assert_eq!(
        schemas(&got[failed..]),
        ["flight_booking_v1_1", "flight_booking_v1_2", "flight_booking_v1_3"]
    );
    assert_eq!(got[failed].id, got[0].id, "the same letter before and after the kills");
    assert!(got.iter().all(|got| signed_well(&secret, got)));
    assert_eq!(program.stop().code(), Some(0));

    let program = serve(folder.path());
    put(&program.caller(), 4);
    let all = receiver.wait_for(failed + 4);
    assert_eq!(
        schemas(&all[failed + 3..]),
        ["flight_booking_v1_4"],
        "nothing that was told before"
    );
    let log = program.log();
    assert_eq!(program.stop().code(), Some(0));
    let bare = secret.strip_prefix("whsec_").expect("a secret");
    let bytes = STANDARD.decode(bare).expect("base64");
    assert!(
        !log.contains(bare) && !log.contains(&receiver.url()),
        "neither secrets nor addresses are logged"
    );
    let store = JournalStore::open(&folder.path().join("data"), StoreOptions::default()).expect("the store");
    let records = store
        .read(&JournalName("namespace/default".to_owned()), 1, 100)
        .expect("records");
    let sealed: Vec<&Vec<u8>> = records
        .iter()
        .map(|record| &record.sealed)
        .filter(|sealed| !sealed.is_empty())
        .collect();
    assert_eq!(sealed, [&bytes], "the secret lies in a sealed part");
    for record in &records {
        let open = String::from_utf8_lossy(&record.open).into_owned();
        assert!(!open.contains(bare), "and in no open one: {open}");
    }
    store.close();
}

#[test]
fn the_snippet_that_receivers_are_given_tells_a_true_letter_from_a_false_one() {
    let page = include_str!("../../docs/delivery.md");
    let snippet = page
        .split("```python\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("a snippet");
    let receiver = Receiver::start(|_, _| WELL);
    let server = airline(|_| {});
    let (_, secret) = register(&server, &json!({"url": receiver.url()}));
    publish(&server, 1);
    let got = receiver.wait_for(1).remove(0);
    let check = |id: &str, text: &str, secret: &str, age_s: i64| {
        let main = format!(
            "{snippet}\nimport json, sys\nasked = json.load(sys.stdin)\n\
             print(verify(asked['secret'], asked['headers'], asked['body'].encode(), asked['now']))\n"
        );
        let now = got.timestamp.parse::<i64>().expect("seconds") + age_s;
        let asked = json!({"secret": secret, "body": text, "now": now, "headers": {
            "webhook-id": id, "webhook-timestamp": got.timestamp, "webhook-signature": got.signature}});
        let mut child = Command::new("python3")
            .args(["-c", &main])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3");
        std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), asked.to_string().as_bytes())
            .expect("written");
        let output = child.wait_with_output().expect("an end");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    assert_eq!(check(&got.id, &got.text, &secret, 0), "True");
    assert_eq!(check(&got.id, &got.text, &secret, 300), "True");
    assert_eq!(check(&got.id, &got.text, &secret, 301), "False", "too old");
    assert_eq!(check("msg_other", &got.text, &secret, 0), "False");
    assert_eq!(check(&got.id, &format!("{} ", got.text), &secret, 0), "False");
    let other = format!("whsec_{}", STANDARD.encode([7; 32]));
    assert_eq!(check(&got.id, &got.text, &other, 0), "False");
}
