//! What is held of what was given back: by two phases, by the master, and how a wrong verdict is mended.

use serde_json::Value;
use serde_json::json;

use super::FLIGHT;
use super::HOTEL;
use super::MASTER;
use super::call;
use super::done;
use super::get;
use super::id;
use super::no;
use super::post;
use super::put;
use super::server;
use super::subtask;
use super::task;
use super::tour;
use crate::support::server::Server;

#[test]
fn what_was_given_back_is_evaluated_in_two_phases_with_reasons_c005_c054_c055_c056_c057() {
    let server = server();
    let id = tour(&server);
    let at = format!("/tasks/{id}/subtasks/hotel");
    let evaluate = format!("{at}:evaluate");
    assert_eq!(
        no(&server, MASTER, "POST", &evaluate, &Value::Null),
        (409, "task_forbids".to_owned())
    );
    let sent = get(&server, HOTEL, &at)["AgentContext"].clone();
    let judged = |state: u8, said: Option<&str>, body: &Value, stands: &str| {
        let mut back = sent.clone();
        back["ItemstateUpdates"] = json!([{"itemId": "1", "state": state}]);
        back["KeyInformation"] = json!(
            said.iter()
                .map(|said| json!({"itemId": "1", "outputabstract": said}))
                .collect::<Vec<_>>()
        );
        put(&server, HOTEL, &at, &json!({"AgentContext": back}));
        let told = post(&server, MASTER, &evaluate, body);
        let verdict = told["evaluation"]["verdicts"][0].clone();
        assert!(verdict["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
        assert_eq!(told["state"], stands);
        // The agent is told of its own, so that it can do better.
        let own = get(&server, HOTEL, &at);
        assert_eq!(own["evaluation"], told["evaluation"]);
        (
            verdict["verdict"].clone(),
            verdict["phase"].clone(),
            verdict["basis"].clone(),
        )
    };
    let good = Some("Hotel Capo d'Africa near the Colosseum, 164 EUR");
    let is = |verdict: &str, phase: u8, basis: &str| (json!(verdict), json!(phase), json!(basis));
    let (yes, no) = (word(true), word(false));
    for body in [&Value::Null, &yes] {
        assert_eq!(judged(0, good, body, "incomplete"), is("unfinished", 1, "state"));
        assert_eq!(judged(1, None, body, "incomplete"), is("unverified", 2, "information"));
    }
    // No rule reads what was said: right and wrong wait for the master alike.
    for said in [good, Some("I could not find a hotel"), Some("Quarterly revenue grew")] {
        assert_eq!(
            judged(1, said, &Value::Null, "returned"),
            is("unverified", 2, "information")
        );
    }
    assert_eq!(judged(1, good, &no, "incomplete"), is("unverified", 2, "master"));
    assert_eq!(judged(1, good, &yes, "complete"), is("verified", 2, "master"));
}

/// The master's word on the only item.
fn word(verified: bool) -> Value {
    json!({"verdicts": [{"itemId": "1", "verified": verified, "reason": "as a person sees it"}]})
}

/// A task of two subtasks, the second of which depends on the first; with what lets it begin.
fn chain(server: &Server, release: Option<&str>, mode: &str) -> String {
    let contexts = json!([
        subtask("hotel", HOTEL, &[], "Find a hotel near the Colosseum"),
        subtask(
            "flight",
            FLIGHT,
            &["hotel"],
            "Find a flight for the nights of the hotel"
        ),
    ]);
    let mut body = json!({"TaskContext": task(&["g"]), "mode": mode, "AgentContexts": contexts});
    if let Some(release) = release {
        body["release"] = json!(release);
    }
    let begun = post(server, MASTER, "/tasks", &body);
    assert_eq!(begun["release"], release.unwrap_or("verified"));
    id(&begun)
}

#[test]
fn nothing_that_depends_on_a_result_begins_before_it_is_verified_c055_c056() {
    for mode in ["synchronous", "asynchronous"] {
        let server = server();
        let id = chain(&server, None, mode);
        let [hotel, flight] = ["hotel", "flight"].map(|name| format!("/tasks/{id}/subtasks/{name}"));
        let evaluate = format!("{hotel}:evaluate");
        let begins = || call(&server, FLIGHT, "GET", &flight, &Value::Null).status == 200;
        let own = get(&server, HOTEL, &hotel);
        put(
            &server,
            HOTEL,
            &hotel,
            &done(&own["AgentContext"], "Hotel Capo d'Africa"),
        );
        assert!(!begins(), "given back alone");
        let told = post(&server, MASTER, &evaluate, &Value::Null);
        assert_eq!(told["evaluation"]["verdicts"][0]["verdict"], "unverified");
        assert!(!begins(), "nobody verified it");
        post(&server, MASTER, &evaluate, &word(false));
        assert!(!begins(), "the master said no");
        post(&server, MASTER, &evaluate, &word(true));
        assert!(begins(), "{mode}");
    }
}

#[test]
fn a_task_may_be_content_with_the_structure_c055_c056() {
    for mode in ["synchronous", "asynchronous"] {
        let server = server();
        let id = chain(&server, Some("structural"), mode);
        let [hotel, flight] = ["hotel", "flight"].map(|name| format!("/tasks/{id}/subtasks/{name}"));
        let evaluate = format!("{hotel}:evaluate");
        let begins = || call(&server, FLIGHT, "GET", &flight, &Value::Null).status == 200;
        let own = get(&server, HOTEL, &hotel)["AgentContext"].clone();
        let mut bare = done(&own, "");
        bare["AgentContext"]["KeyInformation"] = json!([]);
        put(&server, HOTEL, &hotel, &bare);
        post(&server, MASTER, &evaluate, &Value::Null);
        assert!(!begins(), "nothing says what came of it");
        put(&server, HOTEL, &hotel, &done(&own, "Hotel Capo d'Africa"));
        assert!(!begins(), "not evaluated yet");
        let told = post(&server, MASTER, &evaluate, &Value::Null);
        assert_eq!(
            (
                &told["state"],
                &told["evaluation"]["structural"],
                &told["evaluation"]["complete"]
            ),
            (&json!("returned"), &json!(true), &json!(false))
        );
        assert!(begins(), "{mode}");
        let forbids = (409, "task_forbids".to_owned());
        let again = done(&own, "Hotel Artemide");
        assert_eq!(no(&server, HOTEL, "PUT", &hotel, &again), forbids, "others build on it");
        post(&server, MASTER, &evaluate, &word(false));
        assert!(!begins(), "the master said no");
        put(&server, HOTEL, &hotel, &again);
        post(&server, MASTER, &evaluate, &word(true));
        assert!(begins());
    }
    let server = server();
    let body = json!({"TaskContext": task(&["g"]), "release": "whatever comes"});
    assert_eq!(
        no(&server, MASTER, "POST", "/tasks", &body),
        (400, "bad_request".to_owned())
    );
}

#[test]
fn a_round_is_completed_once_however_often_it_is_evaluated_c017_c056() {
    for (release, answers) in [(None, [0, 0, 1, 1]), (Some("structural"), [0, 1, 1, 1])] {
        let server = server();
        let id = chain(&server, release, "synchronous");
        let completed = || {
            let page = server.page("/metrics");
            let line = page
                .lines()
                .find_map(|line| line.strip_prefix(r#"otherwise_task_context_events_total{event="round_completed"} "#));
            line.and_then(|count| count.parse::<u64>().ok()).expect("a count")
        };
        let hotel = format!("/tasks/{id}/subtasks/hotel");
        let own = get(&server, HOTEL, &hotel);
        put(
            &server,
            HOTEL,
            &hotel,
            &done(&own["AgentContext"], "Hotel Capo d'Africa"),
        );
        let mut counts = vec![completed()];
        for verdicts in [Value::Null, word(true)] {
            post(&server, MASTER, &format!("{hotel}:evaluate"), &verdicts);
            counts.push(completed());
        }
        // Said once more, or refused: the round is complete either way.
        call(&server, MASTER, "POST", &format!("{hotel}:evaluate"), &word(true));
        counts.push(completed());
        assert_eq!(counts, answers, "{release:?}");
    }
}

#[test]
fn the_master_may_overrule_with_a_reason_c005_c056() {
    let server = server();
    let id = tour(&server);
    let at = format!("/tasks/{id}/subtasks/hotel");
    let sent = get(&server, HOTEL, &at)["AgentContext"].clone();
    put(
        &server,
        HOTEL,
        &at,
        &done(&sent, "Hotel Capo d'Africa near the Colosseum"),
    );
    let evaluate = format!("{at}:evaluate");
    for wrong in [
        json!({"verdicts": [{"itemId": "2", "verified": true, "reason": "r"}]}),
        json!({"verdicts": [{"itemId": "1", "verified": "yes", "reason": "r"}]}),
        json!({"verdicts": [{"itemId": "1", "verdict": "yes", "reason": "r"}]}),
        json!({"verdicts": [{"itemId": "1", "verdict": "unfinished", "reason": "r"}]}),
        json!({"verdicts": [{"itemId": "1", "verified": true, "verdict": "unverified", "reason": "r"}]}),
        json!({"verdicts": [{"itemId": "1", "verified": true, "reason": " "}]}),
        json!({"verdicts": [{"itemId": "1", "verified": true}]}),
        json!({"verdicts": [{"itemId": "1", "verified": true, "reason": "r", "note": "n"}]}),
        json!({"verdicts": {}}),
        json!({"verdict": []}),
    ] {
        assert_eq!(
            no(&server, MASTER, "POST", &evaluate, &wrong),
            (400, "bad_request".to_owned()),
            "{wrong}"
        );
    }
    let neither = json!({"verdicts": [{"itemId": "1", "accepted": true, "reason": "r"}]});
    let reply = call(&server, MASTER, "POST", &evaluate, &neither);
    let wanted =
        "verdicts[0] must have the member verified, true or false (or verdict, \"verified\" or \"unverified\")";
    assert_eq!((reply.status, &reply.body["detail"]), (400, &json!(wanted)));
    let verdict = json!({"itemId": "1", "verdict": "unverified", "phase": 2, "basis": "master", "reason": "the price is missing"});
    for own in [
        json!({"itemId": "1", "verified": false, "reason": "the price is missing"}),
        json!({"itemId": "1", "verdict": "unverified", "reason": "the price is missing"}),
        json!({"itemId": "1", "verified": false, "verdict": "unverified", "reason": "the price is missing"}),
    ] {
        let told = post(&server, MASTER, &evaluate, &json!({"verdicts": [own]}));
        assert_eq!(
            told["evaluation"],
            json!({"complete": false, "structural": false, "verdicts": [verdict]}),
            "{own}"
        );
    }
    assert_eq!(
        post(&server, MASTER, &evaluate, &word(true))["state"],
        "complete",
        "on second thought"
    );
}

#[test]
fn a_wrong_verdict_is_not_for_ever_c005_c055() {
    let server = server();
    let id = tour(&server);
    let path = format!("/tasks/{id}/subtasks/hotel");
    let own = get(&server, HOTEL, &path);
    let evaluate = format!("{path}:evaluate");
    let failed = done(&own["AgentContext"], "No hotel near the Colosseum was found");
    put(&server, HOTEL, &path, &failed);
    let told = post(&server, MASTER, &evaluate, &word(false));
    assert_eq!(
        (&told["state"], &told["evaluation"]["verdicts"][0]["verdict"]),
        (&json!("incomplete"), &json!("unverified"))
    );
    put(
        &server,
        HOTEL,
        &path,
        &done(&own["AgentContext"], "Hotel Capo d'Africa near the Colosseum"),
    );
    assert_eq!(post(&server, MASTER, &evaluate, &word(true))["state"], "complete");
    let forbids = (409, "task_forbids".to_owned());
    let yes = json!({"verdicts": [{"itemId": "1", "verified": true, "reason": "it is"}]});
    assert_eq!(no(&server, MASTER, "POST", &evaluate, &Value::Null), forbids);
    assert_eq!(no(&server, MASTER, "POST", &evaluate, &yes), forbids);
    let not = json!({"verdicts": [{"itemId": "1", "verified": false, "reason": "there is no such hotel"}]});
    let again = post(&server, MASTER, &evaluate, &not);
    assert_eq!(
        (&again["state"], &again["evaluation"]["verdicts"][0]["basis"]),
        (&json!("incomplete"), &json!("master"))
    );
    let back = done(&own["AgentContext"], "Hotel Artemide near the Colosseum");
    assert_eq!(put(&server, HOTEL, &path, &back)["state"], "returned");
}
