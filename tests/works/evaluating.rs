//! What is held of what was given back: by two phases, by the master, and how a wrong verdict is mended.

use serde_json::Value;
use serde_json::json;

use super::Agent;
use super::FLIGHT;
use super::HOTEL;
use super::MASTER;
use super::at;
use super::done;
use super::subtask;
use super::task;
use super::tour;
use super::word;
use crate::support::server::Server;

#[test]
fn what_was_given_back_is_evaluated_in_two_phases_with_reasons_c005_c054_c055_c056_c057() {
    let server = Server::with(&[]);
    let (master, hotel) = (Agent::new(&server, MASTER), Agent::new(&server, HOTEL));
    let path = format!("{}/subtasks/hotel", tour(&server));
    let evaluate = format!("{path}:evaluate");
    assert_eq!(master.no(&format!("POST {evaluate}"), &Value::Null), "409 task_forbids");
    let sent = hotel.get(&path)["AgentContext"].clone();
    let good = json!([{"itemId": "1", "outputabstract": "Hotel Capo d'Africa near the Colosseum, 164 EUR"}]);
    let bad = json!([{"itemId": "1", "outputabstract": "I could not find a hotel"}]);
    let (nothing, yes, no) = (Value::Null, word(true), word(false));
    for (state, said, own, stands, verdict) in [
        (0, &good, &nothing, "incomplete", ("unfinished", 1, "state")),
        (0, &good, &yes, "incomplete", ("unfinished", 1, "state")),
        (1, &json!([]), &nothing, "incomplete", ("unverified", 2, "information")),
        (1, &json!([]), &yes, "incomplete", ("unverified", 2, "information")),
        // No rule reads what was said: right and wrong wait for the master alike.
        (1, &good, &nothing, "returned", ("unverified", 2, "information")),
        (1, &bad, &nothing, "returned", ("unverified", 2, "information")),
        (1, &bad, &no, "incomplete", ("unverified", 2, "master")),
        (1, &good, &yes, "complete", ("verified", 2, "master")),
    ] {
        let mut back = sent.clone();
        back["ItemstateUpdates"] = json!([{"itemId": "1", "state": state}]);
        back["KeyInformation"] = said.clone();
        hotel.put(&path, &json!({"AgentContext": back}));
        let told = master.post(&evaluate, own);
        let found = &told["evaluation"]["verdicts"][0];
        let (verdict, phase, basis) = verdict;
        assert_eq!(
            (&told["state"], &found["verdict"], &found["phase"], &found["basis"]),
            (&json!(stands), &json!(verdict), &json!(phase), &json!(basis)),
            "{state} {said} {own}"
        );
        assert!(found["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
        assert_eq!(
            hotel.get(&path)["evaluation"],
            told["evaluation"],
            "its agent is told, to do better"
        );
    }
    // A wrong verdict is not for ever, and without one nothing is evaluated anew.
    for body in [&nothing, &yes] {
        assert_eq!(master.no(&format!("POST {evaluate}"), body), "409 task_forbids");
    }
    let again = master.post(&evaluate, &no);
    assert_eq!(
        (&again["state"], &again["evaluation"]["complete"]),
        (&json!("incomplete"), &json!(false))
    );
    assert_eq!(hotel.gives_back(&path, "Hotel Artemide")["state"], "returned");
}

#[test]
fn nothing_that_depends_on_a_result_begins_before_it_is_verified_c055_c056() {
    let server = Server::with(&[]);
    let names = [MASTER, HOTEL, FLIGHT];
    let [master, first, second] = names.map(|name| Agent::new(&server, name));
    for mode in ["synchronous", "asynchronous"] {
        let contexts = json!([subtask("hotel", HOTEL, &[]), subtask("flight", FLIGHT, &["hotel"])]);
        let body = json!({"TaskContext": task(&["g"]), "mode": mode, "AgentContexts": contexts});
        let path = at(&master.post("/tasks", &body));
        let [hotel, flight] = ["hotel", "flight"].map(|name| format!("{path}/subtasks/{name}"));
        let begins = || second.call(&format!("GET {flight}"), &Value::Null).status == 200;
        let evaluates = |own: &Value| {
            let told = master.post(&format!("{hotel}:evaluate"), own);
            (
                told["evaluation"]["structural"] == true,
                told["evaluation"]["complete"] == true,
            )
        };
        let mut bare = done(&first.get(&hotel)["AgentContext"], "");
        bare["AgentContext"]["KeyInformation"] = json!([]);
        first.put(&hotel, &bare);
        assert_eq!(
            (evaluates(&Value::Null), begins()),
            ((false, false), false),
            "nothing says what came of it"
        );
        first.gives_back(&hotel, "Hotel Capo d'Africa");
        assert!(!begins(), "given back alone");
        assert_eq!((evaluates(&Value::Null), begins()), ((true, false), false), "{mode}");
        let again = done(&first.get(&hotel)["AgentContext"], "Hotel Artemide");
        assert_eq!(
            (evaluates(&word(false)), begins()),
            ((false, false), false),
            "the master said no"
        );
        first.put(&hotel, &again);
        assert_eq!((evaluates(&word(true)), begins()), ((true, true), true), "{mode}");
    }
}

#[test]
fn the_master_may_overrule_with_a_reason_c005_c056() {
    let server = Server::with(&[]);
    let (master, hotel) = (Agent::new(&server, MASTER), Agent::new(&server, HOTEL));
    let path = format!("{}/subtasks/hotel", tour(&server));
    hotel.gives_back(&path, "Hotel Capo d'Africa near the Colosseum");
    let evaluate = format!("{path}:evaluate");
    for wrong in [
        json!({"verdicts": [{"itemId": "2", "verified": true, "reason": "r"}]}),
        json!({"verdicts": [{"itemId": "1", "verified": "yes", "reason": "r"}]}),
        json!({"verdicts": [{"itemId": "1", "verdict": "unfinished", "reason": "r"}]}),
        json!({"verdicts": [{"itemId": "1", "verified": true, "verdict": "unverified", "reason": "r"}]}),
        json!({"verdicts": [{"itemId": "1", "verified": true, "reason": " "}]}),
        json!({"verdicts": [{"itemId": "1", "verified": true}]}),
        json!({"verdicts": [{"itemId": "1", "reason": "r"}]}),
        json!({"verdicts": [{"itemId": "1", "verified": true, "reason": "r", "note": "n"}]}),
        json!({"verdicts": {}}),
        json!({"verdict": []}),
    ] {
        let reply = master.call(&format!("POST {evaluate}"), &wrong);
        assert_eq!(
            (reply.status, &reply.body["code"]),
            (400, &json!("bad_request")),
            "{wrong}"
        );
        assert!(
            reply.body["detail"]
                .as_str()
                .is_some_and(|detail| detail.contains("verdict")),
            "{}",
            reply.body
        );
    }
    let verdict = json!({"itemId": "1", "verdict": "unverified", "phase": 2, "basis": "master", "reason": "the price is missing"});
    let own = json!({"itemId": "1", "verified": false, "reason": "the price is missing"});
    let told = master.post(&evaluate, &json!({"verdicts": [own]}));
    assert_eq!(
        told["evaluation"],
        json!({"complete": false, "structural": false, "verdicts": [verdict]})
    );
    assert_eq!(
        master.post(&evaluate, &word(true))["state"],
        "complete",
        "on second thought"
    );
}
