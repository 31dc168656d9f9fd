//! The real program with a model: where its key is read, and where it never is seen.

use std::time::Duration;
use std::time::Instant;

use serde_json::json;

use super::SEATS;
use super::template;
use crate::support::chat::Chat;
use crate::support::chat::Say;
use crate::support::child::Folder;

#[test]
fn the_key_is_in_no_log_line_at_any_level() {
    let folder = Folder::new(&[("flight.json", &template(&json!({})))]);
    let chat = Chat::start(|_, _| Say::Content(json!({"verdict": "aligned"})));
    let url = chat.url();
    let settings = [
        ("OTHERWISE_MODEL__URL", url.as_str()),
        ("OTHERWISE_MODEL__NAME", "small-model"),
        ("OTHERWISE_MODEL__KEY_ENV", "SMALL_MODEL_KEY"),
        ("OTHERWISE_MODEL__USES", "judge"),
        ("OTHERWISE_POLICY__EVOLUTION__MODEL_JUDGE_SHARE", "1"),
        ("SMALL_MODEL_KEY", "sk-very-secret"),
        ("OTHERWISE_LOG__LEVEL", "trace"),
    ];
    let program = folder.serve(&settings);
    let caller = program.caller();
    let submit = |number: usize, more: &str, value: &serde_json::Value| {
        let mut payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"});
        payload[more] = value.clone();
        if more != "other" {
            payload["other"] = json!("a vegetarian meal");
        }
        let body = json!({"schema_id": "flight_booking_v1", "payload": payload});
        let client = format!("agent-{}", number % 5);
        let headers = [("Otherwise-Client", client.as_str())];
        let reply = caller.call("POST", "/v1/submissions", &headers, &body.to_string());
        assert_eq!(reply.expect("an answer").status, 200);
        std::thread::sleep(Duration::from_millis(50));
    };
    for (number, said) in SEATS.iter().enumerate() {
        submit(number, "other", &json!(said));
    }
    let begun = Instant::now();
    while chat.count("judge") == 0 && begun.elapsed() < Duration::from_secs(20) {
        let found = caller.call("GET", "/v1/scenarios/flight_booking/patches", &[], "");
        let patch = found.expect("an answer").body["patches"][0].clone();
        let Some(name) = patch["new_keys"][0]["key_name"].as_str() else {
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        // How much was said when it was made hangs on the moment: a key of few fragments waits for a person.
        let id = patch["patch_id"].as_str().expect("an id");
        let _ = caller.call("POST", &format!("/v1/patches/{id}:approve"), &[], "");
        submit(0, name, &json!(true));
    }
    let head = chat.asked().first().expect("it is asked").head.to_lowercase();
    assert!(head.contains("bearer sk-very-secret"), "{head}");
    let log = program.log();
    assert!(log.contains("a language model helps the rules"), "the log is read");
    assert!(!log.contains("very-secret"));
    assert_eq!(program.stop().code(), Some(0));
}
