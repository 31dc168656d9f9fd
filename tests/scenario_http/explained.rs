//! What evidence says of a key from its proposal to its promotion: why it is so, what its history foretold, what came.
use serde_json::Value;
use serde_json::json;

use super::name_of;
use super::small_gates;
use super::timed;
use crate::support::server::Server;
use crate::support::wishes::SEAT;

use schema::time::DAY_MS;

fn sentences(evidence: &Value) -> String {
    let said: Vec<&str> = evidence["explanation"]
        .as_array()
        .expect("sentences")
        .iter()
        .map(|sentence| sentence.as_str().expect("a sentence"))
        .collect();
    said.join("\n")
}

/// A booking by a client that says what it wants, with the key or without.
fn use_key(server: &Server, client: &str, name: &str, value: Option<Value>) {
    let mut payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"});
    if let Some(value) = value {
        payload[name] = value;
    }
    let body = json!({
        "schema_id": "flight_booking_v1", "payload": payload, "utterance": "Beijing to Shanghai, a window seat please",
    });
    let headers = [("Otherwise-Client", client)];
    let reply = server.call("POST", "/v1/submissions", &headers, &body.to_string());
    assert_eq!(reply.status, 200, "{}", reply.body);
    server.settle();
}

#[test]
fn a_key_is_explained_tried_promoted_and_compared_with_what_was_foretold_z109_z143_z144() {
    let policy = small_gates(&json!({"trial_payloads_min": 4, "trial_judgements_min": 2}));
    let (server, clock) = timed(policy, |_| {});
    // Two payloads that ask for nothing, so that not everybody asks.
    server.book("quiet", &[]);
    server.book("quiet", &[]);
    let patch = server.wanted_by_many(&SEAT);
    let name = name_of(&patch);

    let proposed = server.evidence(&patch);
    let said = sentences(&proposed);
    assert!(said.contains("It was proposed for all because"), "{said}");
    assert!(said.contains(&format!("It is called `{name}` because")), "{said}");
    assert!(said.contains("It was compared with 5 existing keys"), "{said}");
    assert!(said.contains("accepted payloads since 2026-05-01"), "{said}");
    assert_eq!(proposed["grounds"]["name"]["name"], json!(name));
    assert!(proposed["grounds"]["fragments"].as_u64() >= Some(3), "{proposed}");
    let backtest = &proposed["backtest"];
    let (payloads, asked) = (backtest["payloads"].as_u64(), backtest["asked"].as_u64());
    assert_eq!(payloads, asked.map(|asked| asked + 2), "{backtest}");
    assert_eq!(backtest["prediction"]["verdict"], "promote", "{backtest}");
    assert_eq!(proposed["outcome"]["verdict"], Value::Null);

    for client in ["reader", "writer"] {
        server.template_of(client);
    }
    for number in 0..8 {
        let value = (number % 4 != 3).then(|| json!(true));
        use_key(&server, if number % 2 == 0 { "reader" } else { "writer" }, &name, value);
    }
    clock.advance_ms(7 * DAY_MS);
    server.tick();
    server.settle();

    let promoted = server.evidence(&patch);
    assert_eq!(promoted["stage"], "stable", "{promoted}");
    assert_eq!(
        promoted["backtest"], proposed["backtest"],
        "what was foretold stays as it was"
    );
    assert_eq!(promoted["grounds"], proposed["grounds"]);
    let outcome = &promoted["outcome"];
    assert_eq!(outcome["verdict"], "promote", "{outcome}");
    let usage = outcome["usage"].as_f64().expect("a usage");
    let decided = &promoted["history"]
        .as_array()
        .expect("a history")
        .last()
        .expect("a decision")["ledger"];
    assert_eq!(
        outcome["usage"], decided["usage_frequency"],
        "as it was read for the decision"
    );
    let said = sentences(&promoted);
    let share = format!("{:.0} % of the payloads came with it", usage * 100.0);
    assert!(said.contains(&share), "{said}");
    assert!(said.contains("the decision was the one foretold."), "{said}");
}
