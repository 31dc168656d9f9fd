//! The client in Rust at the real service: what the table of cases says of it with a server that plays a script.

use std::time::Duration;

use otherwise_client::Error;
use otherwise_client::Options;
use otherwise_client::Otherwise;
use otherwise_client::Pin;
use otherwise_client::Submit;
use otherwise_client::Tool;
use serde_json::Value;
use serde_json::json;

use super::flight;
use crate::support::server::Server;

#[test]
fn a_client_in_rust_fills_submits_follows_and_keeps_what_it_agreed_to_z105() {
    let server = Server::with(&[("v1.json", flight("flight_booking_v1", "1.0.0"))]);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let options = Options {
            client: Some("ada".to_owned()),
            ..Options::default()
        };
        let otherwise = Otherwise::new(server.base(), options).expect("a client");
        let hosted = otherwise.scenarios(Some("book a flight")).await.expect("they are told");
        assert_eq!(hosted[0].scenario, "flight_booking");
        let mut flights = otherwise.scenario("flight_booking");
        flights.max_age = Duration::ZERO;
        assert!(flights.tool(Tool::Openai).await.expect("a tool")["function"]["parameters"].is_object());
        assert!(flights.prompt().await.expect("a prompt").contains("origin"));

        let good = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-06-04"});
        let reply = flights.validate(&good).await.expect("it fits");
        assert_eq!(reply.exchange.submission_id, None, "nothing is recorded");
        let mut spoken = good.clone();
        spoken["passenger_count"] = json!("2");
        let submit = Submit { utterance: Some("two of us".to_owned()), ..Submit::default() };
        let reply = flights.submit(&spoken, submit).await.expect("it is repaired");
        assert_eq!(reply.document["payload"]["passenger_count"], 2);
        let refused = flights.submit(json!({"origin": "PEK"}), Submit::default()).await;
        assert!(matches!(&refused, Err(Error::InvalidPayload { violations, .. }) if violations.len() == 2), "{refused:?}");

        // A model that forgets a date until it is told.
        let mut asked = 0;
        let filled = flights.fill("to Shanghai on the fourth", |messages: Vec<Value>, _tool| {
            asked += 1;
            let knows = messages.last().is_some_and(|last| last.to_string().contains("departure_date"));
            let said = if knows { good.clone() } else { json!({"origin": "PEK", "destination": "SHA"}) };
            std::future::ready(Ok::<_, std::io::Error>(said))
        });
        let filled = filled.await.expect("it is filled");
        assert_eq!((asked, filled.exchange.status.as_str()), (2, "accepted"));

        let mut exact = otherwise.scenario("flight_booking");
        (exact.pin, exact.max_age) = (Pin::Exact, Duration::ZERO);
        exact.template().await.expect("a template");
        let mut changes = flights.changes().await.expect("they are followed");
        let mut wider = flight("flight_booking_v1_1", "1.1.0");
        let meal = json!({"key_name": "meal", "key_type": "string", "required": false, "semantic_description": "The meal: 'vegan' -> 'vegan'."});
        wider["keys"].as_array_mut().expect("keys").push(meal);
        assert_eq!(server.put("/v1/schemas/flight_booking_v1_1", &wider).status, 201);
        let update = tokio::time::timeout(Duration::from_secs(20), changes.next()).await;
        let update = update.expect("in time").expect("it follows");
        assert_eq!(update.schema_id, "flight_booking_v1_1");

        assert_eq!(flights.template().await.expect("it is taken").version, "1.1.0");
        let refused = exact.template().await;
        assert!(matches!(&refused, Err(Error::DigestRefused { keys }) if keys == &["meal"]), "{refused:?}");
        exact.accept();
        assert!(exact.digests().contains_key("meal"));
        assert!(exact.submit(&good, Submit::default()).await.is_ok(), "what was accepted is submitted by");
    });
}
