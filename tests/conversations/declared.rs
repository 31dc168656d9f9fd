//! What is declared for an agent: that it gets this and nothing else, and what no declaration can say.

use otherwise::app::caller::Role;
use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::Talk;
use super::of_type;
use super::part;
use super::said;
use super::server;
use super::started;
use super::told;
use crate::support::principal::with_key;

#[test]
fn each_agent_gets_what_is_declared_for_it_and_nothing_else_p024_p030_p035() {
    let server = server();
    let talk = Talk::begin(&server);
    let user = json!({"userProfile": {"location": "Sample City", "preferredLanguage": "en-US"},
        "foundItems": {"query": "laptops", "items": [{"url": "u", "itemId": "item-123"}], "totalCount": 1}});
    talk.say(&[
        said("user", "I want a laptop. Call me at +49 170 1234567."),
        json!({"role": "user", "content": "My illness is a secret.", "sensitive": true}),
        json!({"role": "assistant", "parts": [{"text": "I see."}, part(user, "UserContext", "1.0")]}),
    ]);
    let passed = |agent: &str, declared: Value| {
        talk.declare(agent, &declared);
        talk.embed(&json!({"agent": agent, "text": "go on"}))["message"].clone()
    };
    let members = json!({"UserContext": ["/foundItems/items/itemId"]});
    let narrow = passed("a", json!({"types": ["UserContext"], "members": members}));
    assert_eq!(narrow["parts"].as_array().map(Vec::len), Some(2), "{narrow}");
    let selected = &of_type(&narrow, "UserContext").expect("a context")["data"];
    assert_eq!(*selected, json!({"foundItems": {"items": [{"itemId": "item-123"}]}}));
    let last = passed("b", json!({"types": ["ConversationHistory"], "last_turns": 2}));
    let history = of_type(&last, "ConversationHistory").expect("a history");
    assert_eq!(history["data"], json!([{"role": "assistant", "content": "I see."}]));
    assert_eq!(history["metadata"]["sensitiveTurnsLeftOut"], 1);
    let redacted = passed("c", json!({"types": ["ConversationHistory"]})).to_string();
    assert!(
        redacted.contains("Call me at [phone]") && !redacted.contains("illness"),
        "{redacted}"
    );
    let all = json!({"types": ["ConversationHistory", "UserContext"], "sensitive": true});
    let trusted = passed("d", all.clone()).to_string();
    assert!(trusted.contains("illness") && trusted.contains("+49 170"), "{trusted}");
    let nothing = passed("e", json!({"types": []}));
    assert_eq!(nothing["parts"], json!([{"text": "go on"}]));
    // What is sensitive now takes the place of the part of its type.
    let mut secret = part(json!({"userProfile": {"location": "Elsewhere"}}), "UserContext", "1.0");
    secret["metadata"]["sensitive"] = json!(true);
    talk.say(&[json!({"role": "user", "parts": [{"text": "moved"}, secret]})]);
    let without = passed("a", json!({"types": ["UserContext"]}));
    assert!(of_type(&without, "UserContext").is_none(), "{without}");
    assert!(passed("d", all).to_string().contains("Elsewhere"));
    told(
        &server,
        "ada",
        "DELETE",
        &format!("{}/recipients/d", talk.at),
        &Value::Null,
        200,
    );
    for agent in ["nobody", "d"] {
        let asked = json!({"agent": agent, "text": "x"});
        let refused = told(&server, "ada", "POST", &format!("{}:embed", talk.at), &asked, 404);
        assert_eq!(refused["code"], "unknown_recipient");
    }
}

#[test]
fn a_declaration_that_could_not_do_what_it_says_is_refused_p024_p025_p030() {
    let principals = ["ada", "laptops"].map(|name| with_key(name, Role::Client, &format!("{name}-key")));
    let server = started(
        |settings| settings.principals = principals.to_vec(),
        PartsOverride::default(),
    );
    let ada = [("X-API-Key", "ada-key")];
    let begun = server.call("POST", "/v1/conversations", &ada, "{}").body;
    let id = begun["context_id"].as_str().expect("an id");
    let declare = |agent: &str, declared: &Value| {
        let path = format!("/v1/conversations/{id}/recipients/{agent}");
        let reply = server.call("PUT", &path, &ada, &declared.to_string());
        (reply.status, reply.body)
    };
    let shared = json!({"pattern": "shared", "types": ["ConversationHistory"]});
    let beyond = json!({"types": ["ConversationHistory"], "members": {"UserContext": ["/foundItems"]}});
    for (agent, declared, place) in [
        ("laptops", &beyond, "members.UserContext"),
        ("laptop", &shared, "agent"),
    ] {
        let (status, refused) = declare(agent, declared);
        assert_eq!(
            (status, &refused["fields"][0]["field"]),
            (400, &json!(place)),
            "{refused}"
        );
    }
    let (status, known) = declare("laptops", &shared);
    assert_eq!((status, known.get("warnings")), (200, None), "{known}");
    // An agent of others has no key here, and reads the message alone (P-026).
    for pattern in ["embedded", "own"] {
        let (status, foreign) = declare("laptop", &json!({"pattern": pattern, "types": ["ConversationHistory"]}));
        assert_eq!(status, 200, "{foreign}");
        assert!(foreign["warnings"][0].to_string().contains("no principal"), "{pattern}");
    }
}

#[test]
fn a_declaration_warns_of_types_that_are_not_hosted_or_spelt_otherwise_p024() {
    let server = server();
    let talk = Talk::begin(&server);
    for (types, warned) in [
        (json!(["UserContext", "ConversationHistory"]), None),
        (json!(["user_context_v1"]), None),
        (json!(["ConversationHistory", "ShoeContext"]), Some("`ShoeContext`")),
        (
            json!(["UserContext", "userContext"]),
            Some("published as `UserContext`"),
        ),
        (
            json!(["UserContex"]),
            Some("nearest that is published is `UserContext`"),
        ),
    ] {
        let warnings = talk.declare("laptops", &json!({"types": types}))["warnings"].clone();
        let told = warnings.as_array().map_or(0, Vec::len);
        assert_eq!(told, usize::from(warned.is_some()), "{types}: {warnings}");
        assert!(
            warned.is_none_or(|warned| warnings[0].to_string().contains(warned)),
            "{types}: {warnings}"
        );
    }
}
