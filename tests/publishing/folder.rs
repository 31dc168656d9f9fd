//! Templates of any size that the body limit admits, and files of the schemas folder that are none.

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::check;
use super::ferry;
use super::put;
use super::submitted;
use crate::support::server::Server;
use crate::support::server::has;

/// A template of some 50 KiB a key, each a list of 750 values.
fn large(id: &str, scenario: &str, keys: usize) -> Value {
    let values: Vec<String> = (0..750)
        .map(|n| format!("\"port\" número {n} {}", "x".repeat(40)))
        .collect();
    let keys = (0..keys).map(|n| {
        json!({"key_name": format!("port_{n}"), "key_type": "string", "required": n == 0, "semantic_description": "Port of call.",
            "constraints": {"enum": values}})
    });
    let other =
        json!({"key_name": "other", "key_type": "string", "required": false, "semantic_description": "Anything else."});
    json!({"schema_id": id, "scenario": scenario, "keys": keys.chain([other]).collect::<Vec<_>>()})
}

#[test]
fn a_template_that_one_record_does_not_hold_is_published_and_stays_over_restarts_z030() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = || {
        let set = |settings: &mut otherwise::config::Settings| {
            settings.data.folder = folder.path().display().to_string();
        };
        Server::start(
            &[("cruise.json", large("cruise_v1", "cruise", 1))],
            set,
            PartsOverride::default(),
        )
    };
    let mut server = start();
    let freight = large("freight_v1", "freight", 4);
    assert!(freight.to_string().len() > 150 << 10);
    assert_eq!(check(&server, &freight).body["publishable"], true);
    assert_eq!(put(&server, &freight).status, 201);
    let last = freight["keys"][0]["constraints"]["enum"][749].clone();
    for restarts in [false, true] {
        if restarts {
            drop(server);
            server = start();
        }
        let served = server.call("GET", "/v1/schemas/freight_v1", &[], "").body;
        assert_eq!(served["keys"], freight["keys"]);
        assert_eq!(put(&server, &freight).status, 200, "the same content");
        assert_eq!(
            submitted(&server, "freight_v1", &json!({"payload": {"port_0": last}})),
            200
        );
        assert_eq!(
            submitted(&server, "freight_v1", &json!({"payload": {"port_0": "none"}})),
            422
        );
        assert_eq!(
            submitted(&server, "cruise_v1", &json!({"payload": {"port_0": "none"}})),
            422
        );
    }
}

#[test]
fn a_bad_file_of_the_schemas_folder_is_left_out_and_the_others_are_published_z029() {
    let mut refused = ferry("ship_v1", "1.0.0", &["inner"]);
    refused["scenario"] = json!("ship");
    refused["keys"][0]["key_type"] = json!("text");
    let good = ferry("ferry_v1", "1.0.0", &["inner"]);
    let schemas = [
        ("a.json", json!({"no": "schema"})),
        ("b.json", refused),
        ("ferry.json", good),
    ];
    let server = Server::with(&schemas);
    let listed = server.call("GET", "/v1/scenarios", &[], "").body;
    assert_eq!(listed["scenarios"].as_array().map(Vec::len), Some(1), "{listed}");
    has(&listed, json!({"scenarios/0/scenario": "ferry"}));
    let ready = server.call("GET", "/readyz", &[], "");
    ready.has(200, json!({"status": "degraded", "schemas_left_out": 2}));
    let whole = Server::with(&schemas[2..]);
    whole
        .call("GET", "/readyz", &[], "")
        .has(200, json!({"status": "ready", "schemas_left_out": null}));
}
