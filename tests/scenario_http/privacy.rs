//! What a client says of a person stays with the service: no document and no log line holds it.

use serde_json::json;

use super::flight;
use super::small_gates;
use crate::support::child::Caller;
use crate::support::child::Program;

/// What must be nowhere.
const PRIVATE: [&str; 8] = [
    "ada.lovelace",
    "quuxmail",
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    "4111111111111111",
    "5500000000000004",
    "170 1234567",
    "Zebrowski",
];

const SAID: [&str; 8] = [
    "a window seat please",
    "I prefer a window seat",
    "window seat if possible",
    "a window seat please, confirm to ada.lovelace@quuxmail.test",
    "window seat, my name is Ada Zebrowski",
    "I would like a window seat, call me on +49 170 1234567",
    "please book me a window seat with card 4111 1111 1111 1111",
    "a window seat for Mrs Zebrowski",
];
const PAID: [&str; 8] = [
    "pay with my credit card 4111 1111 1111 1111",
    "charge my credit card 5500000000000004",
    "pay by credit card, receipt to ada.lovelace@quuxmail.test",
    "use credit card 4111-1111-1111-1111 to pay",
    "I want to pay by credit card",
    "pay with credit card",
    "please pay with my credit card 4111111111111111",
    "I pay by credit card",
];

fn submit(caller: &Caller, client: &str, payload: &serde_json::Value) -> u16 {
    let body = json!({
        "schema_id": "flight_booking_v1", "payload": payload,
        "utterance": "Ada Zebrowski, ada.lovelace@quuxmail.test, card 4111 1111 1111 1111",
    });
    let headers = [("Otherwise-Client", client)];
    let reply = caller.call("POST", "/v1/submissions", &headers, &body.to_string());
    reply.expect("an answer").status
}

#[test]
fn what_is_personal_is_in_no_document_and_no_log_z112_z153_z169_z171_x03() {
    let folder = tempfile::tempdir().expect("a folder");
    let [shelf, data, log] = ["schemas", "data", "log"].map(|name| folder.path().join(name));
    std::fs::create_dir(&shelf).expect("the shelf");
    let template = flight(small_gates(&json!({})));
    std::fs::write(shelf.join("flight.json"), template.to_string()).expect("the schema");
    let program = Program::serve(&data, &shelf, &log, &[("OTHERWISE_LOG__LEVEL", "trace")]);
    let caller = program.caller();
    let settle = || {
        for _ in 0..2_000 {
            let pool = caller
                .call("GET", "/v1/scenarios/flight_booking/pool", &[], "")
                .expect("the pool");
            if pool.body["pending"] == 0 && !pool.body.to_string().contains("inducing") {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(25));
        }
        panic!("it does not come to rest");
    };
    for (number, said) in SAID.iter().chain(&SAID).chain(&PAID).chain(&PAID).enumerate() {
        let mut payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "other": said});
        payload["contact"] = json!("ada.lovelace@quuxmail.test");
        assert_eq!(submit(&caller, &format!("agent-{}", number % 5), &payload), 200);
        settle();
    }
    // Refusals and what cannot be read are logged too.
    assert_eq!(
        submit(&caller, "agent-0", &json!({"origin": {"ada.lovelace": "Zebrowski"}})),
        422
    );
    let broken = "{\"schema_id\": \"flight_booking_v1\", \"payload\": {\"other\": \"Zebrowski 4111 1111 1111 1111";
    let reply = caller.call("POST", "/v1/submissions", &[], broken).expect("an answer");
    assert_eq!(reply.status, 400);
    let mut shown = reply.body.to_string();
    let patches = caller
        .call("GET", "/v1/scenarios/flight_booking/patches", &[], "")
        .expect("patches");
    let patches = patches.body["patches"].as_array().expect("patches").clone();
    assert!(!patches.is_empty(), "nothing was learned, so nothing is tested");
    let mut paths: Vec<String> = ["template", "updates?since=0", "pool", "patches", "ledger"]
        .iter()
        .map(|path| format!("/v1/scenarios/flight_booking/{path}"))
        .collect();
    paths.extend(
        [
            "/v1/scenarios",
            "/v1/schemas/flight_booking_v1",
            "/metrics",
            "/problems",
        ]
        .map(str::to_owned),
    );
    for patch in &patches {
        let id = patch["patch_id"].as_str().expect("an id");
        caller.call("POST", &format!("/v1/patches/{id}:approve"), &[], "");
        paths.push(format!("/v1/patches/{id}"));
        paths.push(format!("/v1/patches/{id}/evidence"));
    }
    let mut examples = 0;
    for path in &paths {
        let reply = caller
            .call("GET", path, &[("Otherwise-Client", "reader")], "")
            .expect("an answer");
        assert_eq!(reply.status, 200, "{path}");
        examples += reply.body["examples"].as_array().map_or(0, Vec::len);
        shown.push_str(&reply.body.to_string());
    }
    assert!(examples > 0, "evidence holds examples");
    // A withdrawn key is logged by its name alone.
    let id = patches[0]["patch_id"].as_str().expect("an id");
    let name = patches[0]["new_keys"][0]["key_name"].as_str().expect("a name");
    let withdrawn = caller.call("POST", &format!("/v1/patches/{id}:withdraw"), &[], "");
    assert_eq!(withdrawn.expect("an answer").status, 200);
    let mut payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"});
    payload[name] = json!("Zebrowski");
    assert_eq!(submit(&caller, "agent-0", &payload), 200);
    assert_eq!(program.log().matches("a withdrawn key was received").count(), 1);
    assert_eq!(program.log().matches(" ERROR ").count(), 0, "{}", program.log());
    let log = program.log();
    program.stop();
    assert!(log.len() > 1_000, "the log says something");
    for private in PRIVATE {
        let lower = private.to_lowercase();
        assert!(!shown.to_lowercase().contains(&lower), "{private} is shown: {shown}");
        assert!(!log.to_lowercase().contains(&lower), "{private} is in the log");
    }
}
