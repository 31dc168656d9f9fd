//! What a session may have beside the core: conditions, prefixes, batches, history, snapshots, and those who follow.

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::Agent;
use super::closed;
use super::usual;
use crate::support::events;

#[test]
fn extensions_are_chosen_session_by_session_s044_s074_s078_s079_s082() {
    let server = usual();
    let lead = Agent::new(&server, "lead");
    lead.create(
        &json!({"session_id": "plain", "config": {"batch_read": false, "snapshots": false, "if_version": false,
        "subscriptions": false}}),
    );
    for (action, code) in [
        (json!({"action": "write", "key": "inv:k", "value": "v"}), "INVALID_KEY"),
        (
            json!({"action": "write", "key": "k", "value": "v", "if_version": 0}),
            "EXTENSION_OFF",
        ),
        (json!({"action": "read_batch", "keys": ["k"]}), "EXTENSION_OFF"),
        (json!({"action": "read_history", "key": "k"}), "EXTENSION_OFF"),
        (json!({"action": "snapshot", "label": "l"}), "EXTENSION_OFF"),
        (json!({"action": "list_snapshots"}), "EXTENSION_OFF"),
    ] {
        assert_eq!(lead.refused("plain", &action), code, "{action}");
    }
    let follow = lead.told("GET", "/v1/sessions/plain/events", &Value::Null);
    assert!(follow.ends_with("extension_off"), "{follow}");
    lead.create(
        &json!({"session_id": "full", "config": {"prefixes": true, "history_versions": 2},
        "participants": [{"principal": "analyst", "roles": ["subagent:analysis"]}]}),
    );
    let analyst = Agent::new(&server, "analyst");
    for value in ["one", "two", "three"] {
        lead.write("full", "inv:k", value);
    }
    let history = lead.does(
        "full",
        &json!({"action": "read_history", "key": "inv:k", "versions": [1, 2, 3]}),
    );
    let told = &history["history"];
    assert_eq!((&told[0]["value"], &told[1]["version"]), (&json!("two"), &json!(3)));
    assert_eq!(history["not_kept"], json!([1]));
    lead.does("full", &json!({"action": "snapshot", "label": "before"}));
    lead.does("full", &json!({"action": "delete", "key": "inv:k"}));
    let seen = analyst.does("full", &json!({"action": "read_snapshot", "label": "before"}));
    let keys = seen["contents"].as_array().expect("keys").iter();
    let keys: Vec<&str> = keys.filter_map(|key| key["key"].as_str()).collect();
    assert_eq!(keys, ["inv:k"]);
    let back = json!({"action": "rollback", "label": "before"});
    lead.write("full", "later", "what the snapshot does not have");
    let back = lead.does("full", &back);
    assert_eq!(back["restored"], json!([{"key": "inv:k", "version": 1}]));
    assert_eq!(back["removed"], json!([{"key": "later", "previous_version": 1}]));
    assert_eq!(lead.value("full", "inv:k"), "three");
    assert_eq!(
        lead.does("full", &json!({"action": "list_snapshots"}))["snapshots"][0]["key_count"],
        1
    );
}

#[test]
fn changes_are_followed_without_values_and_from_where_one_was_s083() {
    let server = closed(|settings| settings.sessions.followers_max = 1, PartsOverride::default());
    let (lead, analyst) = (Agent::new(&server, "lead"), Agent::new(&server, "analyst"));
    lead.create(
        &json!({"session_id": "s", "participants": [{"principal": "analyst", "roles": ["subagent:analysis"]}]}),
    );
    lead.write("s", "before", "x");
    let open = |name: &str, last: Option<u64>| {
        let (key, last) = (format!("{name}-key"), last.map(|last| last.to_string()));
        let mut headers = vec![("X-API-Key", key.as_str())];
        headers.extend(last.as_deref().map(|last| ("Last-Event-ID", last)));
        events::open(server.base(), "/v1/sessions/s/events?keys=find*,scope", &headers)
    };
    assert_eq!(open("stranger", None).0, 404);
    let mut stream = open("lead", None).2.expect("a stream");
    let (refused, again, _) = open("lead", None);
    assert_eq!(
        (refused, again.as_deref()),
        (429, Some("10")),
        "one more than may follow, until one leaves"
    );
    analyst.write("s", "other", "x");
    analyst.write("s", "findings", "not to be told");
    let (name, first, data) = stream.told();
    assert_eq!(
        (name.as_str(), &data["key"], &data["version"]),
        ("written", &json!("findings"), &json!(1))
    );
    assert_eq!(
        (&data["written_by"], &data["value_size_tokens"]),
        (&json!("subagent:analysis"), &json!(4))
    );
    assert!(data.get("value").is_none());
    drop(stream);
    lead.write("s", "scope", "one");
    lead.write("s", "scope", "two");
    lead.does("s", &json!({"action": "delete", "key": "findings"}));
    let mut stream = loop {
        // The place of the one that was dropped is given back when it is noticed.
        if let Some(stream) = open("lead", first).2 {
            break stream;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    let (_, _, data) = stream.told();
    assert_eq!(
        (&data["key"], &data["version"]),
        (&json!("scope"), &json!(2)),
        "how it stands"
    );
    let (_, _, data) = stream.told();
    assert_eq!(
        (&data["deleted"], &data["previous_version"]),
        (&json!("findings"), &json!(1))
    );
    lead.call("DELETE", "/v1/sessions/s", "");
    let (gone, _, data) = stream.told();
    assert_eq!((gone.as_str(), data), ("gone", json!({"session_id": "s"})));
}
