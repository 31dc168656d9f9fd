//! What is held of what was given back: by two phases, by the master, and how a wrong verdict is mended.

use serde_json::Value;
use serde_json::json;

use super::HOTEL;
use super::MASTER;
use super::call;
use super::done;
use super::no;
use super::ok;
use super::server;
use super::tour;

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
    let sent = ok(&server, HOTEL, "GET", &at, &Value::Null)["AgentContext"].clone();
    let judged = |state: u8, said: Option<&str>, body: &Value| {
        let mut back = sent.clone();
        back["ItemstateUpdates"] = json!([{"itemId": "1", "state": state}]);
        back["KeyInformation"] = json!(
            said.iter()
                .map(|said| json!({"itemId": "1", "outputabstract": said}))
                .collect::<Vec<_>>()
        );
        ok(&server, HOTEL, "PUT", &at, &json!({"AgentContext": back}));
        let told = ok(&server, MASTER, "POST", &evaluate, body);
        let verdict = told["evaluation"]["verdicts"][0].clone();
        assert!(verdict["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
        assert_eq!(
            told["state"],
            if told["evaluation"]["complete"] == true {
                "complete"
            } else {
                "incomplete"
            }
        );
        // The agent is told of its own, so that it can do better.
        let own = ok(&server, HOTEL, "GET", &at, &Value::Null);
        assert_eq!(own["evaluation"], told["evaluation"]);
        (
            verdict["verdict"].clone(),
            verdict["phase"].clone(),
            verdict["basis"].clone(),
        )
    };
    let good = Some("Hotel Capo d'Africa near the Colosseum, 164 EUR");
    let is = |verdict: &str, phase: u8, basis: &str| (json!(verdict), json!(phase), json!(basis));
    assert_eq!(judged(0, good, &Value::Null), is("unfinished", 1, "state"));
    assert_eq!(judged(1, None, &Value::Null), is("unverified", 2, "information"));
    assert_eq!(
        judged(1, Some("I could not find a hotel"), &Value::Null),
        is("unverified", 2, "information")
    );
    assert_eq!(
        judged(1, Some("Quarterly revenue grew by four percent"), &Value::Null),
        is("unverified", 2, "meaning"),
        "no word in common, and the embeddings are asked"
    );
    let stay = Some("An inn with rooms for two beside the amphitheatre in Rome");
    assert_eq!(judged(1, stay, &Value::Null), is("verified", 2, "meaning"));
}

#[test]
fn the_master_may_overrule_with_a_reason_c005_c056() {
    let server = server();
    let id = tour(&server);
    let at = format!("/tasks/{id}/subtasks/hotel");
    let sent = ok(&server, HOTEL, "GET", &at, &Value::Null)["AgentContext"].clone();
    ok(
        &server,
        HOTEL,
        "PUT",
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
        let told = ok(&server, MASTER, "POST", &evaluate, &json!({"verdicts": [own]}));
        assert_eq!(
            told["evaluation"],
            json!({"complete": false, "verdicts": [verdict]}),
            "{own}"
        );
    }
    assert_eq!(
        ok(&server, MASTER, "POST", &evaluate, &Value::Null)["state"],
        "complete",
        "on second thought"
    );
}

#[test]
fn a_wrong_verdict_is_not_for_ever_c005_c055() {
    let server = server();
    let id = tour(&server);
    let path = format!("/tasks/{id}/subtasks/hotel");
    let own = ok(&server, HOTEL, "GET", &path, &Value::Null);
    let evaluate = format!("{path}:evaluate");
    let failed = done(&own["AgentContext"], "No hotel near the Colosseum was found");
    ok(&server, HOTEL, "PUT", &path, &failed);
    let told = ok(&server, MASTER, "POST", &evaluate, &Value::Null);
    assert_eq!(
        (&told["state"], &told["evaluation"]["verdicts"][0]["verdict"]),
        (&json!("incomplete"), &json!("unverified"))
    );
    ok(
        &server,
        HOTEL,
        "PUT",
        &path,
        &done(&own["AgentContext"], "Hotel Capo d'Africa near the Colosseum"),
    );
    assert_eq!(
        ok(&server, MASTER, "POST", &evaluate, &Value::Null)["state"],
        "complete"
    );
    let forbids = (409, "task_forbids".to_owned());
    let yes = json!({"verdicts": [{"itemId": "1", "verified": true, "reason": "it is"}]});
    assert_eq!(no(&server, MASTER, "POST", &evaluate, &Value::Null), forbids);
    assert_eq!(no(&server, MASTER, "POST", &evaluate, &yes), forbids);
    let not = json!({"verdicts": [{"itemId": "1", "verified": false, "reason": "there is no such hotel"}]});
    let again = ok(&server, MASTER, "POST", &evaluate, &not);
    assert_eq!(
        (&again["state"], &again["evaluation"]["verdicts"][0]["basis"]),
        (&json!("incomplete"), &json!("master"))
    );
    let back = done(&own["AgentContext"], "Hotel Artemide near the Colosseum");
    assert_eq!(ok(&server, HOTEL, "PUT", &path, &back)["state"], "returned");
}
