//! What is declared for an agent: that it gets this and nothing else, and what no declaration can say.

use otherwise::app::caller::Role;
use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::declare;
use super::embed;
use super::of_type;
use super::opened;
use super::part;
use super::said;
use super::say_all;
use super::server;
use super::started;
use super::told;
use crate::support::principal::with_key;

#[test]
fn each_agent_gets_what_is_declared_for_it_and_nothing_else_p024_p030_p035() {
    let server = server();
    let at = opened(&server, "ada");
    let user = json!({"userProfile": {"location": "Sample City", "preferredLanguage": "en-US"},
        "foundItems": {"query": "laptops", "items": [{"url": "u", "itemId": "item-123"}], "totalCount": 1}});
    let mut secret = part(json!({"userProfile": {"location": "Elsewhere"}}), "UserContext", "1.0");
    secret["metadata"]["sensitive"] = json!(true);
    let turns = [
        said("user", "I want a laptop. Call me at +49 170 1234567."),
        json!({"role": "user", "content": "My illness is a secret.", "sensitive": true}),
        json!({"role": "assistant", "parts": [{"text": "I see."}, part(user, "UserContext", "1.0")]}),
    ];
    say_all(&server, "ada", &at, &turns);
    let passed = |agent: &str, declared: Value| {
        declare(&server, &at, agent, &declared);
        let asked = json!({"agent": agent, "text": "go on"});
        embed(&server, &at, &asked)["message"].clone()
    };
    let narrow = passed(
        "a",
        json!({"types": ["UserContext"], "members": {"UserContext": ["/foundItems/items/itemId"]}}),
    );
    assert_eq!(narrow["parts"].as_array().map(Vec::len), Some(2), "{narrow}");
    assert_eq!(
        of_type(&narrow, "UserContext").expect("a context")["data"],
        json!({"foundItems": {"items": [{"itemId": "item-123"}]}})
    );
    let last = passed("b", json!({"types": ["ConversationHistory"], "last_turns": 2}));
    let history = of_type(&last, "ConversationHistory").expect("a history");
    assert_eq!(history["data"], json!([{"role": "assistant", "content": "I see."}]));
    assert_eq!(history["metadata"]["sensitiveTurnsLeftOut"], 1);
    let redacted = passed("c", json!({"types": ["ConversationHistory"]}));
    assert!(redacted.to_string().contains("Call me at [phone]"), "{redacted}");
    assert!(!redacted.to_string().contains("illness"), "{redacted}");
    let trusted = passed(
        "d",
        json!({"types": ["ConversationHistory", "UserContext"], "sensitive": true}),
    );
    assert!(
        trusted.to_string().contains("illness") && trusted.to_string().contains("+49 170"),
        "{trusted}"
    );
    let nothing = passed("e", json!({"types": []}));
    assert_eq!(nothing["parts"], json!([{"text": "go on"}]));
    // What is sensitive now takes the place of the part of its type.
    say_all(
        &server,
        "ada",
        &at,
        &[json!({"role": "user", "parts": [{"text": "moved"}, secret]})],
    );
    let without = passed("a", json!({"types": ["UserContext"]}));
    assert!(of_type(&without, "UserContext").is_none(), "{without}");
    assert!(
        passed("d", json!({"types": ["UserContext"], "sensitive": true}))
            .to_string()
            .contains("Elsewhere")
    );
    let unknown = json!({"agent": "nobody"});
    let refused = told(&server, "ada", "POST", &format!("{at}:embed"), &unknown, 404);
    assert_eq!(refused["code"], "unknown_recipient");
    told(
        &server,
        "ada",
        "DELETE",
        &format!("{at}/recipients/d"),
        &Value::Null,
        200,
    );
    told(
        &server,
        "ada",
        "POST",
        &format!("{at}:embed"),
        &json!({"agent": "d", "text": "x"}),
        404,
    );
}

#[test]
fn a_declaration_that_could_not_do_what_it_says_is_refused_p024_p025_p030() {
    let principals = [
        with_key("ada", Role::Client, "ada-key"),
        with_key("laptops", Role::Client, "laptops-key"),
    ];
    let server = started(
        |settings| settings.principals = principals.to_vec(),
        PartsOverride::default(),
    );
    let ada = [("X-API-Key", "ada-key")];
    let begun = server.call("POST", "/v1/conversations", &ada, "{}");
    let at = format!(
        "/v1/conversations/{}",
        begun.body["context_id"].as_str().expect("an id")
    );
    let declare = |agent: &str, declared: Value| {
        let path = format!("{at}/recipients/{agent}");
        server.call("PUT", &path, &ada, &declared.to_string())
    };
    let beyond = declare(
        "laptops",
        json!({"types": ["ConversationHistory"], "members": {"UserContext": ["/foundItems"]}}),
    );
    assert_eq!(beyond.status, 400, "{}", beyond.body);
    assert_eq!(beyond.body["fields"][0]["field"], "members.UserContext");
    let shared = json!({"pattern": "shared", "types": ["ConversationHistory"]});
    let unknown = declare("laptop", shared.clone());
    assert_eq!(unknown.status, 400, "{}", unknown.body);
    assert_eq!(unknown.body["fields"][0]["field"], "agent");
    let known = declare("laptops", shared);
    assert_eq!(
        (known.status, known.body.get("warnings")),
        (200, None),
        "{}",
        known.body
    );
    // An agent of others has no key here, and reads the message alone (P-026).
    for pattern in ["embedded", "own"] {
        let foreign = declare("laptop", json!({"pattern": pattern, "types": ["ConversationHistory"]}));
        assert_eq!(foreign.status, 200, "{}", foreign.body);
        let warnings = foreign.body["warnings"].as_array().expect("warnings");
        assert!(warnings[0].to_string().contains("no principal"), "{pattern}");
    }
}

#[test]
fn a_declaration_warns_of_types_that_are_not_hosted_or_differ_in_case_alone_p024() {
    let server = server();
    let at = opened(&server, "ada");
    let warned = |types: Value| declare(&server, &at, "laptops", &json!({"types": types}))["warnings"].clone();
    assert_eq!(warned(json!(["ConversationHistory", "UserContext"])), Value::Null);
    let unknown = warned(json!(["ConversationHistory", "ShoeContext"]));
    assert_eq!(unknown.as_array().map(Vec::len), Some(1), "{unknown}");
    assert!(unknown[0].to_string().contains("`ShoeContext`"), "{unknown}");
    let alike = warned(json!(["UserContext", "userContext"]));
    assert!(alike[0].to_string().contains("case alone"), "{alike}");
    let other = warned(json!(["usercontext"]));
    assert!(other[0].to_string().contains("published as `UserContext`"), "{other}");
    let near = warned(json!(["UserContex"]));
    assert!(
        near[0]
            .to_string()
            .contains("nearest that is published is `UserContext`"),
        "{near}"
    );
    for right in [
        json!(["UserContext", "ConversationHistory"]),
        json!(["user_context_v1"]),
    ] {
        assert_eq!(warned(right), Value::Null);
    }
}
