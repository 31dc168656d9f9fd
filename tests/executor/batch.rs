//! Many submissions in one call.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::time::Duration;

use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use crate::executor::ADA;
use crate::executor::server;
use crate::executor::template;
use crate::executor::ticket;
use crate::support::agent::Act;
use crate::support::agent::Agent;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::has;

/// The same service without an executor.
fn plain(change: impl FnOnce(&mut Settings)) -> Server {
    let agent = Agent::start(|_, _| Act::Hang);
    let mut document = template(&agent, &json!({}));
    document.as_object_mut().expect("an object").shift_remove("executor");
    Server::set(&[("tram_v1.json", document)], change)
}

fn batch(server: &Server, submissions: &Value) -> Reply {
    let body = json!({ "submissions": submissions }).to_string();
    server.call("POST", "/v1/submissions:batch", &[ADA], &body)
}

fn to(stop: &str) -> Value {
    json!({"schema_id": "tram_v1", "payload": {"stop": stop}})
}

/// A member of each item.
fn each<'a>(reply: &'a Reply, pointer: &str) -> Vec<&'a Value> {
    let items = reply.body["items"].as_array().expect("items");
    items
        .iter()
        .map(|item| item.pointer(pointer).unwrap_or(&Value::Null))
        .collect()
}

#[test]
fn each_is_judged_by_itself_and_answered_in_its_place_z176() {
    let server = plain(|_| {});
    let mut dry = to("dry");
    dry["dry_run"] = json!(true);
    let reply = batch(
        &server,
        &json!([to("castle"), {"schema_id": "tram_v1", "payload": {}}, {"schema_id": "nowhere_v1", "payload": {}}, 7,
            dry, to("harbour")]),
    );
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(each(&reply, "/status"), [200, 422, 404, 400, 200, 200]);
    has(
        &reply.body,
        json!({"items/0/body/payload/stop": "castle", "items/5/body/payload/stop": "harbour"}),
    );
    assert_eq!(
        each(&reply, "/body/code"),
        [
            &Value::Null,
            &json!("invalid_payload"),
            &json!("unknown_schema"),
            &json!("bad_request"),
            &Value::Null,
            &Value::Null
        ]
    );
    let ids = each(&reply, "/body/exchange/submission_id");
    let number = |id: &Value| id.as_str().and_then(|id| id.rsplit_once('.')?.1.parse::<u64>().ok());
    let first = number(ids[0]).expect("an id");
    assert_eq!(number(ids[1]), Some(first + 1), "a refusal is on record too: {ids:?}");
    assert_eq!(number(ids[5]), Some(first + 2), "one after another: {ids:?}");
    assert!(ids[4].is_null(), "a dry run is not");
    let single = server.call("POST", "/v1/submissions", &[ADA], &to("castle").to_string());
    let mut alike = reply.body["items"][0]["body"].clone();
    alike["exchange"]["submission_id"] = single.body["exchange"]["submission_id"].clone();
    assert_eq!(
        alike.to_string(),
        single.body.to_string(),
        "the same shape as a single one"
    );
    assert_eq!(server.payloads(), 4);
}

#[test]
fn a_whole_batch_takes_one_sync_z176() {
    let server = plain(|_| {});
    let count = |server: &Server| {
        let page = server.page("/metrics");
        let line = page
            .lines()
            .find_map(|line| line.strip_prefix("otherwise_journal_batch_size_count "));
        line.expect("the metric").parse::<u64>().expect("a number")
    };
    server.settle();
    let before = count(&server);
    let reply = batch(
        &server,
        &Value::Array((0..50).map(|n| to(&format!("stop {n}"))).collect()),
    );
    assert!(each(&reply, "/status").iter().all(|status| **status == 200));
    assert_eq!(count(&server), before + 1);
    assert_eq!(server.payloads(), 50);
}

#[test]
fn a_batch_is_bounded_and_must_be_one_z176() {
    let server = plain(|settings| settings.service.batch_submissions_max = 2);
    assert_eq!(batch(&server, &json!([to("a"), to("b")])).status, 200);
    for (wrong, said) in [
        (json!([to("a"), to("b"), to("c")]), "1 to 2 submissions"),
        (json!([]), "1 to 2 submissions"),
        (json!({}), "a list of submissions"),
        (json!("secret-marker"), "a list of submissions"),
    ] {
        let reply = batch(&server, &wrong);
        assert_eq!(reply.told(), (400, "bad_request"), "{}", reply.body);
        assert!(reply.detail().contains(said), "{}", reply.body);
        assert!(!reply.body.to_string().contains("secret"), "{}", reply.body);
    }
    for (key, status) in [
        (json!("k".repeat(255)), 200),
        (json!("k".repeat(256)), 400),
        (json!(""), 400),
        (json!("a b"), 400),
        (json!(1), 400),
        (json!(null), 200),
    ] {
        let mut keyed = to("d");
        keyed["idempotency_key"] = key;
        assert_eq!(each(&batch(&server, &json!([keyed])), "/status"), [status], "{keyed}");
    }
    assert_eq!(server.payloads(), 4);
}

#[test]
fn each_has_an_idempotency_key_of_its_own_z176() {
    let server = plain(|_| {});
    let keyed = |key: &str, stop: &str| {
        let mut one = to(stop);
        one["idempotency_key"] = json!(key);
        one
    };
    let first = batch(
        &server,
        &json!([keyed("a", "castle"), keyed("b", "harbour"), keyed("a", "castle")]),
    );
    assert_eq!(each(&first, "/status"), [200, 200, 200], "{}", first.body);
    has(
        &first.body,
        json!({"items/2/replayed": true, "items/2/body": first.body["items"][0]["body"]}),
    );
    let again = batch(
        &server,
        &json!([
            keyed("b", "harbour"),
            keyed("a", "castle"),
            keyed("a", "mill"),
            keyed("a b", "x")
        ]),
    );
    assert_eq!(each(&again, "/status"), [200, 200, 422, 400], "{}", again.body);
    assert_eq!(again.body["items"][0]["replayed"], true);
    assert_eq!(
        again.body["items"][0]["body"].to_string(),
        first.body["items"][1]["body"].to_string()
    );
    assert_eq!(again.body["items"][1]["body"], first.body["items"][0]["body"]);
    assert_eq!(server.payloads(), 2);
}

#[test]
fn executors_are_called_a_few_at_once_and_one_failure_is_no_other_z007() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (inside, seen) = (Arc::clone(&now), Arc::clone(&most));
    let agent = Agent::start(move |number, called| {
        let at_once = inside.fetch_add(1, Ordering::SeqCst) + 1;
        seen.fetch_max(at_once, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(100));
        inside.fetch_sub(1, Ordering::SeqCst);
        if called.body["payload"]["stop"] == "bad" {
            return Act::Answer(json!({"ticket": 1}));
        }
        let mut result = ticket(number);
        result["ticket"] = called.body["payload"]["stop"].clone();
        Act::Answer(result)
    });
    let server = server(&agent, &json!({}), |settings| settings.service.batch_executions_max = 2);
    let reply = batch(
        &server,
        &json!([to("a"), to("b"), to("bad"), to("c"), {"schema_id": "tram_v1", "payload": {}}, to("d")]),
    );
    assert_eq!(
        each(&reply, "/status"),
        [200, 200, 502, 200, 422, 200],
        "{}",
        reply.body
    );
    let tickets = each(&reply, "/body/ticket");
    assert_eq!(
        tickets,
        [
            &json!("a"),
            &json!("b"),
            &Value::Null,
            &json!("c"),
            &Value::Null,
            &json!("d")
        ],
        "each its own"
    );
    assert_eq!(reply.body["items"][2]["body"]["code"], "bad_result");
    assert_eq!(most.load(Ordering::SeqCst), 2);
    assert_eq!(agent.called().len(), 5);
}

#[test]
fn a_failed_one_is_executed_again_by_its_key_in_the_next_batch_z007() {
    let agent = Agent::start(|number, _| match number {
        0 => Act::Say(500, String::new(), String::new()),
        _ => Act::Answer(ticket(number)),
    });
    let server = server(&agent, &json!({}), |_| {});
    let mut one = to("castle");
    one["idempotency_key"] = json!("k");
    let first = batch(&server, &json!([one.clone()]));
    assert_eq!(each(&first, "/body/code"), [&json!("executor_failed")]);
    let again = batch(&server, &json!([one]));
    assert_eq!(each(&again, "/status"), [200], "{}", again.body);
    let id = "/body/exchange/submission_id";
    assert_eq!(each(&again, id), each(&first, id));
}
