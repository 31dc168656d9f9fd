//! The client against the table of cases that clients in every language are held to (`clients/cases.json`): a server on loopback answers
//! a script request by request, and holds what was asked against it.

mod stub;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use otherwise_client::Error;
use otherwise_client::Options;
use otherwise_client::Otherwise;
use otherwise_client::Pin;
use otherwise_client::Repairs;
use otherwise_client::Scenario;
use otherwise_client::Submit;
use otherwise_client::Tool;
use serde_json::Value;
use serde_json::json;

use crate::stub::Stub;
use crate::stub::misfit;

const CASES: &str = include_str!("../../../clients/cases.json");
/// How long a change may take to come; none takes longer than a connection on loopback.
const PATIENCE: Duration = Duration::from_secs(20);

type Pauses = Arc<Mutex<Vec<Duration>>>;

fn client(told: &Value, base: &str, pauses: &Pauses) -> (Otherwise, Scenario) {
    let text = |name: &str| told[name].as_str().map(str::to_owned);
    let recorded = Arc::clone(pauses);
    let options = Options {
        client: text("client"),
        key: text("key"),
        sleep: Some(Arc::new(move |pause| {
            recorded.lock().expect("no panic").push(pause);
            Box::pin(std::future::ready(()))
        })),
        ..Options::default()
    };
    let otherwise = Otherwise::new(base, options).expect("a client");
    let mut scenario = otherwise.scenario(text("scenario").expect("a scenario"));
    scenario.pin = match text("pin").as_deref() {
        None => Pin::default(),
        Some("none") => Pin::None,
        Some("additive") => Pin::Additive,
        Some("exact") => Pin::Exact,
        Some(range) => Pin::Range(range.to_owned()),
    };
    if let Some(seconds) = told["max_age"].as_u64() {
        scenario.max_age = Duration::from_secs(seconds);
    }
    scenario.language = text("language");
    scenario.experimental = told["experimental"].as_bool().unwrap_or(true);
    scenario.agreed = told
        .get("pin_state")
        .map(|state| serde_json::from_value(state.clone()).expect("a state"));
    (otherwise, scenario)
}

async fn fill(scenario: &Scenario, step: &Value) -> Result<Value, Error> {
    let calls = step["llm"].as_array().expect("calls");
    let mut called = 0;
    let filled = scenario.fill(step["text"].as_str().expect("a text"), |messages, tool| {
        let call = calls
            .get(called)
            .unwrap_or_else(|| panic!("called {} times", called + 1));
        called += 1;
        let given = json!([messages, tool]).to_string();
        for seen in call["sees"].as_array().into_iter().flatten() {
            let seen = seen.as_str().expect("a text");
            assert!(given.contains(seen), "{seen} stands not in {given}");
        }
        std::future::ready(Ok::<Value, std::io::Error>(call["gives"].clone()))
    });
    let filled = filled.await.map(|reply| reply.document);
    assert_eq!(called, calls.len(), "the model is called as often as it is written");
    filled
}

async fn follow(scenario: &Scenario, count: usize) -> Result<Value, Error> {
    let (mut changes, mut came) = (scenario.changes().await?, Vec::new());
    while came.len() < count {
        let update = tokio::time::timeout(PATIENCE, movable(changes.next())).await;
        came.push(json!(update.expect("in time")?));
    }
    Ok(json!(came))
}

async fn call(otherwise: &Otherwise, scenario: &Scenario, step: &Value) -> Result<Value, Error> {
    let (payload, text) = (&step["payload"], step["text"].as_str().unwrap_or_default());
    let form = || {
        step["form"]
            .as_str()
            .and_then(|name| name.parse::<Tool>().ok())
            .expect("a form")
    };
    match step["call"].as_str().expect("a call") {
        "template" => {
            let template = scenario.template().await?;
            let mut told = template.answer.json();
            told["deprecation"] = json!(template.deprecation());
            told["latest"] = json!(template.latest());
            Ok(told)
        }
        "tool" => movable(scenario.tool(form())).await,
        "prompt" => scenario.prompt().await.map(Value::String),
        "validate" => Ok(scenario.validate(payload).await?.document),
        "submit" => {
            let text = |name: &str| step[name].as_str().map(str::to_owned);
            let submit = Submit {
                utterance: text("utterance"),
                idempotency_key: text("idempotency_key"),
                repairs: match &step["repair"] {
                    Value::Bool(false) => Repairs::None,
                    Value::String(_) => Repairs::All,
                    _ => Repairs::Lossless,
                },
            };
            Ok(movable(scenario.submit(payload, submit)).await?.document)
        }
        "other" => Ok(scenario.other(text, payload, Submit::default()).await?.document),
        "fill" => fill(scenario, step).await,
        "on_change" => follow(scenario, step["expect"].as_array().expect("updates").len()).await,
        "digests" => Ok(json!(scenario.digests())),
        "pin_state" => Ok(json!(scenario.pin_state())),
        "accept" => {
            scenario.accept();
            Ok(Value::Null)
        }
        "scenarios" => Ok(json!(otherwise.scenarios(step["query"].as_str()).await?)),
        other => panic!("no call {other}"),
    }
}

/// The class of an error, and what a program reads of it.
fn told(error: &Error) -> (&'static str, Value) {
    let class = match error {
        Error::InvalidPayload { .. } => "InvalidPayload",
        Error::DigestRefused { .. } => "DigestRefused",
        Error::Stale(_) => "Stale",
        Error::Unavailable { .. } => "Unavailable",
        Error::Refused(_) => "OtherwiseError",
        Error::Misused(_) => "Misused",
        Error::Model(_) => "Model",
    };
    let mut members = error.problem().map_or(json!({}), |problem| problem.document.clone());
    members["code"] = json!(error.code());
    members["status"] = json!(error.problem().map(|problem| problem.status));
    match error {
        Error::DigestRefused { keys } => members["keys"] = json!(keys),
        Error::InvalidPayload { violations, .. } => {
            let each = violations
                .iter()
                .map(|one| json!({"key": one.key, "code": one.code, "message": one.message}));
            members["violations"] = each.collect();
        }
        _ => {}
    }
    (class, members)
}

/// What is spawned has to be able to move between threads.
fn movable<T>(call: impl Future<Output = T> + Send) -> impl Future<Output = T> + Send {
    call
}

async fn hold(case: &Value, templates: &Value) {
    let name = case["name"].as_str().expect("a name");
    let stub = Stub::start(case["script"].clone(), templates.clone()).await;
    let pauses = Pauses::default();
    let (otherwise, scenario) = client(&case["client"], &stub.base, &pauses);
    for step in case["steps"].as_array().expect("steps") {
        let ended = call(&otherwise, &scenario, step).await;
        stub.hold(name);
        match (ended, step["error"].as_str()) {
            (Ok(came), None) => {
                if let Some(why) = step.get("expect").and_then(|expect| misfit(expect, &came)) {
                    panic!("{name}: {step}: {why}");
                }
            }
            (Err(error), Some(class)) => {
                let (is, members) = told(&error);
                assert_eq!(is, class, "{name}: {error}");
                for part in step["error_says"].as_array().into_iter().flatten() {
                    let part = part.as_str().expect("a text");
                    assert!(error.to_string().contains(part), "{name}: {part} stands not in {error}");
                }
                if let Some(why) = step.get("error_has").and_then(|expect| misfit(expect, &members)) {
                    panic!("{name}: {step}: {why}");
                }
            }
            (Ok(came), Some(_)) => panic!("{name}: {step} came to {came}"),
            (Err(error), None) => panic!("{name}: {step} failed: {error}"),
        }
        if let Some(after) = step.get("payload_after") {
            assert_eq!(&step["payload"], after, "{name}");
        }
    }
    stub.end(name);
    if let Some(expected) = case["pauses"].as_array() {
        let pauses: Vec<f64> = pauses
            .lock()
            .expect("no panic")
            .iter()
            .map(Duration::as_secs_f64)
            .collect();
        assert_eq!(pauses.len(), expected.len(), "{name}: {pauses:?}");
        for (pause, bounds) in pauses.iter().zip(expected) {
            let [least, most] = [0, 1].map(|side| bounds[side].as_f64().expect("seconds"));
            assert!((least..=most).contains(pause), "{name}: {pause} is not in {bounds}");
        }
    }
}

#[tokio::test]
async fn every_case_of_the_table_holds() {
    let table: Value = serde_json::from_str(CASES).expect("the table");
    let cases = table["cases"].as_array().expect("cases");
    let names: BTreeSet<&str> = cases.iter().filter_map(|case| case["name"].as_str()).collect();
    assert_eq!(names.len(), cases.len(), "each case has a name of its own");
    for case in cases {
        hold(case, &table["templates"]).await;
    }
}
