//! What an operator reads of demand that has come to no key.

use serde_json::Value;
use serde_json::json;

use super::SEAT;
use super::airline;
use super::get;
use super::wanted_by_many;
use super::wish;
use crate::support::server::Server;

/// What the clusters of the pool wait for, the hottest first.
fn waiting(server: &Server) -> Vec<Value> {
    let pool = get(server, "operator", "/v1/scenarios/flight_booking/pool");
    let clusters = pool.body["clusters"].as_array().expect("clusters").clone();
    clusters.iter().map(|cluster| cluster["waits_for"].clone()).collect()
}

#[test]
fn a_cluster_without_a_key_says_what_it_waits_for_z096() {
    let server = airline(&json!({}));
    wish(&server, "agent-0", SEAT[0]);
    let early = waiting(&server);
    assert_eq!(early[0]["code"], "demand", "{early:?}");
    let detail = early[0]["detail"].as_str().expect("a sentence");
    assert!(detail.contains("needs more demand"), "{detail}");
    wanted_by_many(&server, &SEAT);
    assert_eq!(waiting(&server)[0], Value::Null, "it has its key");
}

#[test]
fn wishes_of_which_nothing_is_left_but_a_secret_are_counted_as_such_z171_x02() {
    let server = airline(&json!({}));
    for (number, said) in [
        "use 5519 as pickup PIN",
        "pickup PIN 4711 please",
        "the pickup PIN should be 9034",
        "make 5521 the pickup PIN",
        "set the pickup PIN to 2210",
    ]
    .iter()
    .enumerate()
    {
        wish(&server, &format!("agent-{number}"), said);
    }
    assert_eq!(waiting(&server), [Value::Null; 0]);
    let page = server.page("/metrics");
    let counted = r#"otherwise_fragments_total{fate="secret",scenario="flight_booking"} 5"#;
    assert!(page.contains(counted), "{page}");
    assert!(
        !page.contains(r#"{fate="dropped",scenario="flight_booking"} 5"#),
        "{page}"
    );
}
