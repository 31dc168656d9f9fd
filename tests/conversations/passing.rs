//! Typed parts, summaries, declarations, and the three patterns of passing context.

use std::time::Duration;
use std::time::Instant;

use otherwise::edge::boot::parts::PartsOverride;
use otherwise::service::caller::Role;
use serde_json::Value;
use serde_json::json;

use super::GOLDEN;
use super::call;
use super::declare;
use super::embed;
use super::opened;
use super::said;
use super::say_all;
use super::server;
use super::shopping;
use super::started;
use super::told;
use crate::support::principal::with_key;
use crate::support::server::Server;

fn golden() -> Value {
    let golden: Value = serde_json::from_str(GOLDEN).expect("JSON");
    golden["message"].clone()
}

fn part(data: Value, name: &str, version: &str) -> Value {
    json!({"data": data, "metadata": {"type": name, "schemaVersion": version}})
}

fn check(server: &Server, parts: Value) -> Value {
    let body = json!({"role": "user", "parts": parts});
    told(server, "ada", "POST", "/v1/messages:check", &body, 200)["parts"].clone()
}

/// The parts of a message but its text, by their types.
fn of_type<'a>(message: &'a Value, name: &str) -> Option<&'a Value> {
    let parts = message["parts"].as_array().expect("parts");
    parts.iter().find(|part| part["metadata"]["type"] == name)
}

#[test]
fn the_golden_messages_parts_fit_what_is_hosted_p008_p009_p017_p018_p019_p038() {
    let server = server();
    let golden = golden();
    let checked = told(&server, "ada", "POST", "/v1/messages:check", &golden, 200);
    let rows = checked["parts"].as_array().expect("a list");
    assert_eq!(rows.len(), 2, "the text is no typed part");
    for (row, (name, id)) in rows.iter().zip([
        ("ConversationHistory", "conversation_history_v1"),
        ("UserContext", "user_context_v1"),
    ]) {
        let expected = (json!("processed"), json!(name), json!(id), json!("1.0.0"));
        let found = (&row["outcome"], &row["type"], &row["schema_id"], &row["version"]);
        assert_eq!(found, (&expected.0, &expected.1, &expected.2, &expected.3), "{row}");
    }
}

#[test]
fn the_version_decides_part_by_part_and_never_fails_the_message_p011_p012_p013_p014_p015_p016_p020_p022() {
    let server = server();
    let turn = json!({"role": "user", "content": "hi"});
    let data = json!({"userProfile": {"location": "Ulm"}, "mood": "good"});
    let rows = check(
        &server,
        json!([
            part(data.clone(), "UserContext", "1.0"),
            part(data.clone(), "UserContext", "1.7.2"),
            part(data.clone(), "UserContext", "2.0"),
            part(data.clone(), "Nobody", "1.0"),
            {"data": data},
            part(json!([turn]), "conversationhistory", "1.0"),
            part(json!([{"role": "robot", "content": "x"}]), "ConversationHistory", "1.0"),
            part(json!(7), "ConversationHistory", "1.0"),
        ]),
    );
    let outcomes: Vec<&str> = rows
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| row["outcome"].as_str().expect("a word"))
        .collect();
    let expected = [
        "processed",
        "processed",
        "refused",
        "skipped",
        "skipped",
        "processed",
        "refused",
        "refused",
    ];
    assert_eq!(outcomes, expected, "{rows}");
    assert!(rows[1]["warnings"][0].as_str().expect("a warning").contains("newer"));
    assert!(
        rows[2]["why"].as_str().expect("a reason").contains("1.0.0"),
        "what is hosted is said"
    );
    assert!(
        rows[6]["why"]
            .as_str()
            .expect("a reason")
            .contains("conversation_history_v1")
    );
    assert!(!rows[6].to_string().contains("robot"), "no value is said");
    let mut needed = part(json!({}), "Nobody", "1.0");
    needed["metadata"]["required"] = json!(true);
    let body = json!({"role": "user", "parts": [needed]});
    let refused = told(&server, "ada", "POST", "/v1/messages:check", &body, 400);
    assert_eq!(refused["fields"][0]["field"], "parts[0].metadata.type");
}

#[test]
fn a_file_is_skipped_and_a_message_is_read_in_its_envelope_p007_p016_p017() {
    let server = server();
    let outcomes = |body: &Value| -> Vec<(Value, Value)> {
        let checked = told(&server, "ada", "POST", "/v1/messages:check", body, 200);
        let rows = checked["parts"].as_array().expect("rows");
        rows.iter()
            .map(|row| (row["part"].clone(), row["outcome"].clone()))
            .collect()
    };
    let user = part(json!({"userProfile": {"location": "Ulm"}}), "UserContext", "1.0");
    let message = json!({"messageId": "m", "role": "user", "parts": [
        {"text": "look"},
        {"file": {"uri": "https://h/a.pdf", "mimeType": "application/pdf", "name": "a.pdf"}},
        {"kind": "file", "file": {"bytes": "YQ=="}, "metadata": {"type": "UserContext"}},
        {"url": "https://h/a.pdf"}, {"raw": "YQ=="}, user]});
    let expected: Vec<(Value, Value)> = [
        (1, "skipped"),
        (2, "skipped"),
        (3, "skipped"),
        (4, "skipped"),
        (5, "processed"),
    ]
    .map(|(place, outcome)| (json!(place), json!(outcome)))
    .to_vec();
    assert_eq!(outcomes(&message), expected);
    assert_eq!(outcomes(&json!({"message": message, "configuration": {}})), expected);
    let enveloped: Value = serde_json::from_str(GOLDEN).expect("JSON");
    let golden = outcomes(&json!({"message": enveloped["message"]}));
    assert_eq!(golden, outcomes(&enveloped["message"]), "with and without its envelope");
    let needed = json!({"url": "https://h/a.pdf", "metadata": {"required": true}});
    let body = json!({"role": "user", "parts": [needed]});
    told(&server, "ada", "POST", "/v1/messages:check", &body, 400);
    // Who keeps what was said keeps no file.
    let at = opened(&server, "ada");
    let refused = told(&server, "ada", "POST", &format!("{at}/turns"), &message, 400);
    assert_eq!(refused["fields"][0]["field"], "parts[1]");
}

#[test]
fn context_ids_are_given_out_and_one_of_them_maps_to_many_tasks_p001_p002_p003_p004() {
    let server = server();
    let first = json!({"role": "user", "content": "Hello, I need a flight.", "taskId": "task_1"});
    let begun = told(&server, "ada", "POST", "/v1/conversations", &first, 201);
    assert_eq!(begun["turn"], 1);
    let id = begun["context_id"].as_str().expect("an id");
    let at = format!("/v1/conversations/{id}");
    let second = json!({"role": "assistant", "content": "Where to?", "taskId": "task_2", "contextId": id});
    say_all(&server, "ada", &at, &[second, said("user", "To Ulm.")]);
    let shown = told(&server, "ada", "GET", &at, &Value::Null, 200);
    assert_eq!(shown["tasks"], json!(["task_1", "task_2"]));
    let words: Vec<&Value> = shown["said"]
        .as_array()
        .expect("turns")
        .iter()
        .map(|turn| &turn["content"])
        .collect();
    assert_eq!(words, ["Hello, I need a flight.", "Where to?", "To Ulm."]);
    let own = json!({"role": "user", "content": "a", "contextId": "ctx_mine"});
    let refused = told(&server, "ada", "POST", "/v1/conversations", &own, 400);
    assert_eq!(refused["fields"][0]["field"], "contextId");
    let other = told(&server, "ada", "POST", &format!("{at}/turns"), &own, 400);
    assert_eq!(other["fields"][0]["field"], "contextId");
}

#[test]
fn a_follow_up_is_embedded_with_history_and_context_p021_p023_p026_p028_p031() {
    let server = server();
    let at = opened(&server, "ada");
    say_all(&server, "ada", &at, &shopping()[..4]);
    let turn = json!({"role": "user", "parts": [golden()["parts"][0], golden()["parts"][2]]});
    let recorded = told(&server, "ada", "POST", &format!("{at}/turns"), &turn, 201);
    assert_eq!(
        (&recorded["turn"], &recorded["parts"][0]["outcome"]),
        (&json!(5), &json!("processed"))
    );
    let declared = json!({"types": ["ConversationHistory", "UserContext"]});
    declare(&server, &at, "laptops", &declared);
    let asked = json!({"agent": "laptops", "metadata": {"userId": "2"}});
    let embedded = embed(&server, &at, &asked);
    let message = &embedded["message"];
    assert!(
        message.get("contextId").is_none(),
        "the agent gives one out itself: {message}"
    );
    assert_eq!(
        (&message["role"], &message["metadata"]["userId"]),
        (&json!("ROLE_USER"), &json!("2"))
    );
    assert_eq!(message["parts"][0], json!({"text": "tell me more about option 4"}));
    let history = of_type(message, "ConversationHistory").expect("a history");
    assert_eq!(history["metadata"]["schemaVersion"], "1.0.0");
    let words: Vec<&Value> = history["data"]
        .as_array()
        .expect("turns")
        .iter()
        .map(|turn| &turn["role"])
        .collect();
    assert_eq!(
        words,
        ["user", "assistant", "user", "assistant"],
        "the query is not its own history"
    );
    assert_eq!(
        of_type(message, "UserContext").expect("a context")["data"],
        golden()["parts"][2]["data"]
    );
    // What is sent fits what is hosted, and is the same for the same conversation.
    let checked = told(&server, "laptops", "POST", "/v1/messages:check", message, 200);
    assert!(
        checked["parts"]
            .as_array()
            .expect("rows")
            .iter()
            .all(|row| row["outcome"] == "processed"),
        "{checked}"
    );
    let again = embed(&server, &at, &asked);
    assert_eq!(again["message"]["parts"], message["parts"]);
    // The agent's own context id is echoed from then on.
    let declared = json!({"types": ["ConversationHistory"], "agent_context_id": "ctx-123"});
    declare(&server, &at, "laptops", &declared);
    let next = json!({"agent": "laptops", "text": "and option 5?"});
    let next = embed(&server, &at, &next);
    assert_eq!(next["message"]["contextId"], "ctx-123");
    assert_eq!(
        of_type(&next["message"], "ConversationHistory").expect("a history")["data"]
            .as_array()
            .map(Vec::len),
        Some(5)
    );
    assert!(
        of_type(&next["message"], "UserContext").is_none(),
        "it is not declared any more"
    );
}

#[test]
fn after_ten_turns_a_summary_stands_for_them_and_says_so_p032_p033_p034_p035() {
    let server = server();
    let at = opened(&server, "ada");
    say_all(&server, "ada", &at, &shopping());
    say_all(&server, "ada", &at, &[said("user", "When does it arrive?")]);
    let declared = json!({"types": ["ConversationHistory"]});
    declare(&server, &at, "parcels", &declared);
    let embedded = embed(&server, &at, &json!({"agent": "parcels"}));
    let message = &embedded["message"];
    assert_eq!(message["parts"][0]["text"], "When does it arrive?");
    let history = of_type(message, "ConversationHistory").expect("a history");
    let record = &history["metadata"]["summarised"];
    assert_eq!(
        (&record["turns"], &record["method"]),
        (&json!(10), &json!("extractive")),
        "{record}"
    );
    assert_eq!(record["items"], json!(history["data"].as_array().expect("items").len()));
    let text = history["data"].to_string();
    for kept in ["option 4", "899", "2026-05-04", "16 GB", "1,000"] {
        assert!(text.contains(kept), "{kept} is missing in {text}");
    }
    for gone in ["anna@example.org", "You're welcome"] {
        assert!(!text.contains(gone), "{gone} is in {text}");
    }
    let shown = told(&server, "ada", "GET", &at, &Value::Null, 200);
    assert_eq!((&shown["turns"], &shown["summarised_turns"]), (&json!(11), &json!(10)));
    assert_eq!(
        shown["said"].as_array().map(Vec::len),
        Some(11),
        "the coordinator keeps what was said"
    );
    assert!(
        shown["said"][4]["content"]
            .as_str()
            .expect("words")
            .contains("anna@example.org")
    );
}

#[test]
fn a_message_stays_bounded_however_long_the_conversation_p026_p033() {
    let server = server();
    let at = opened(&server, "ada");
    let declared = json!({"types": ["ConversationHistory"]});
    declare(&server, &at, "b", &declared);
    let mut sizes = Vec::new();
    for round in 0..4 {
        let turns: Vec<Value> = (0..10)
            .map(|turn| {
                let city = ["Ulm", "Bonn", "Kiel", "Jena", "Trier"][turn % 5];
                said(
                    "user",
                    &format!("On day {round}{turn} we visit {city}. We pay {round}{turn} euros there. It may rain."),
                )
            })
            .collect();
        say_all(&server, "ada", &at, &turns);
        let asked = json!({"agent": "b", "text": "What is next?"});
        let embedded = embed(&server, &at, &asked);
        let tokens = |name: &str| embedded[name].as_u64().expect("a number");
        sizes.push((tokens("tokens"), tokens("tokens_of_everything")));
    }
    let (sent, everything) = sizes[3];
    assert!(sent * 2 < everything, "{sizes:?}");
    assert!(
        sent < sizes[0].0 * 3 / 2,
        "it does not grow with the conversation: {sizes:?}"
    );
}

#[test]
fn a_summary_is_never_larger_than_the_turns_it_stands_for_p032_p033() {
    let server = server();
    let lengths = [1, 3, 9, 30].map(|words| "blue whale ".repeat(words));
    for words in lengths {
        let at = opened(&server, "ada");
        declare(&server, &at, "b", &json!({"types": ["ConversationHistory"]}));
        let mut record = Value::Null;
        for number in 0..20 {
            let role = if number % 2 == 0 { "user" } else { "assistant" };
            say_all(
                &server,
                "ada",
                &at,
                &[said(role, &format!("Number {number}: {words}."))],
            );
            let embedded = embed(&server, &at, &json!({"agent": "b", "text": "so?"}));
            // What goes out redacted says so in a few tokens more.
            let tokens = |name: &str| embedded[name].as_u64().expect("a number");
            assert!(
                tokens("tokens") <= tokens("tokens_of_everything") + 8,
                "{number}: {embedded}"
            );
            let history = of_type(&embedded["message"], "ConversationHistory").expect("a history");
            record = history["metadata"]["summarised"].clone();
        }
        assert_eq!(record["turns"], 20, "{words}");
    }
}

#[test]
fn the_threshold_is_a_setting_p032() {
    for (turns, summarised) in [(2, false), (3, true)] {
        let server = super::started(
            |settings| settings.conversations.summarise_after_turns = 3,
            Default::default(),
        );
        let at = opened(&server, "ada");
        let visit = "We visit the old town, the harbour and two museums, and have lunch by the river. ";
        say_all(&server, "ada", &at, &vec![said("user", &visit.repeat(4)); turns]);
        declare(&server, &at, "b", &json!({"types": ["ConversationHistory"]}));
        let embedded = embed(&server, &at, &json!({"agent": "b", "text": "so?"}));
        let history = of_type(&embedded["message"], "ConversationHistory").expect("a history");
        assert_eq!(
            history["metadata"].get("summarised").is_some(),
            summarised,
            "after {turns}"
        );
    }
}

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
}

#[test]
fn an_agent_fetches_what_it_may_see_under_the_context_id_alone_p025_p029() {
    let server = server();
    let at = opened(&server, "ada");
    say_all(&server, "ada", &at, &shopping());
    let declared = json!({"pattern": "shared", "types": ["ConversationHistory"]});
    declare(&server, &at, "laptops", &declared);
    let asked = json!({"agent": "laptops", "text": "tell me more about option 4"});
    let embedded = embed(&server, &at, &asked);
    let id = at.rsplit('/').next().expect("an id");
    assert_eq!(embedded["message"]["contextId"], id);
    assert_eq!(
        embedded["message"]["parts"],
        json!([{"text": "tell me more about option 4"}]),
        "the id alone travels"
    );
    let fetched = told(&server, "laptops", "GET", &format!("{at}/context"), &Value::Null, 200);
    assert_eq!(fetched["parts"][0]["metadata"]["summarised"]["turns"], 10);
    for (who, path, status) in [
        ("ben", format!("{at}/context"), 404),
        ("laptops", at.clone(), 404),
        ("ada", format!("{at}/context"), 404),
    ] {
        told(&server, who, "GET", &path, &Value::Null, status);
    }
    told(
        &server,
        "laptops",
        "POST",
        &format!("{at}/turns"),
        &said("assistant", "Mine!"),
        404,
    );
    told(&server, "ada", "DELETE", &at, &Value::Null, 200);
    told(&server, "laptops", "GET", &format!("{at}/context"), &Value::Null, 404);
}

#[test]
fn an_agent_keeps_its_own_under_a_context_id_p027() {
    let server = server();
    let at = opened(&server, "ada");
    let declared = declare(&server, &at, "hotel", &json!({"pattern": "own"}));
    assert_eq!(declared["types"], json!([]));
    let asked = json!({"agent": "hotel", "text": "two nights"});
    let embedded = embed(&server, &at, &asked);
    assert_eq!(embedded["message"]["parts"], json!([{"text": "two nights"}]));
    let slip = json!({"agent": "hotel", "txt": "two nights"});
    let slip = told(&server, "ada", "POST", &format!("{at}:embed"), &slip, 400);
    assert_eq!(
        slip["fields"][0]["field"], "txt",
        "passing over it would send other words"
    );
    let state = "/v1/conversations/ctx-of-the-hotel/state";
    told(&server, "hotel", "GET", state, &Value::Null, 404);
    let kept = told(
        &server,
        "hotel",
        "PUT",
        state,
        &json!({"state": {"nights": 2}, "expected_version": 0}),
        200,
    );
    assert_eq!((&kept["version"], &kept["state"]), (&json!(1), &json!({"nights": 2})));
    let late = told(
        &server,
        "hotel",
        "PUT",
        state,
        &json!({"state": 1, "expected_version": 0}),
        409,
    );
    assert_eq!(late["code"], "version_moved");
    let kept = told(
        &server,
        "hotel",
        "PUT",
        state,
        &json!({"state": [3], "expected_version": 1}),
        200,
    );
    assert_eq!(kept["version"], 2);
    let slip = json!({"state": 2, "expected_verson": 2});
    let slip = told(&server, "hotel", "PUT", state, &slip, 400);
    assert_eq!(
        slip["fields"][0]["field"], "expected_verson",
        "passing over it could lose an update"
    );
    for who in ["ada", "flights"] {
        told(&server, who, "GET", state, &Value::Null, 404);
        told(&server, who, "PUT", state, &json!({"state": "mine"}), 200);
    }
    assert_eq!(
        told(&server, "hotel", "GET", state, &Value::Null, 200)["state"],
        json!([3])
    );
    told(&server, "hotel", "DELETE", state, &Value::Null, 200);
    told(&server, "hotel", "GET", state, &Value::Null, 404);
    assert_eq!(told(&server, "ada", "GET", state, &Value::Null, 200)["state"], "mine");
    let unnamed = server.call("GET", state, &[], "");
    assert_eq!(unnamed.status, 403, "{}", unnamed.body);
}

#[test]
fn what_is_said_over_a2a_under_a_conversations_id_is_a_turn_of_it_p002_p004_p010() {
    let server = server();
    let at = opened(&server, "ada");
    let id = at.rsplit('/').next().expect("an id");
    let headers = [("Otherwise-Client", "ada"), ("A2A-Version", "1.0")];
    let booking = json!({"schema_id": "flight_booking_v1",
        "payload": {"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"}});
    let mut golden = golden();
    golden["role"] = json!("ROLE_USER");
    golden["contextId"] = json!(id);
    golden["parts"][0] = json!({"text": "book a flight from Beijing to Shanghai"});
    let wish = json!({"message": golden}).to_string();
    let answered = server.call("POST", "/a2a/message:send", &headers, &wish);
    assert_eq!(answered.status, 200, "{}", answered.body);
    assert!(
        answered.body["message"]["metadata"].get("skipped").is_none(),
        "context is understood: {}",
        answered.body
    );
    let message = json!({"message": {"messageId": "m-2", "contextId": id, "role": "ROLE_USER",
        "parts": [{"text": "this one"}, {"data": booking}]}});
    let sent = server.call("POST", "/a2a/message:send", &headers, &message.to_string());
    let task = sent.body["task"]["id"].as_str().expect("a task");
    let shown = told(&server, "ada", "GET", &at, &Value::Null, 200);
    let said = shown["said"].as_array().expect("turns");
    assert_eq!(said[0]["content"], "book a flight from Beijing to Shanghai");
    assert_eq!(said[1]["role"], "assistant");
    assert_eq!(
        (&said[2]["content"], &said[2]["task_id"]),
        (&json!("this one"), &json!(task))
    );
    assert_eq!(
        (&shown["tasks"], &shown["parts"][0]["type"]),
        (&json!([task]), &json!("UserContext"))
    );
    assert_eq!(
        (&said[3]["role"], &said[3]["task_id"]),
        (&json!("assistant"), &json!(task)),
        "the reply is a turn as well: {shown}"
    );
    // Data alone are a turn, named and not told; their reply is one too.
    let alone =
        json!({"message": {"messageId": "m-4", "contextId": id, "role": "ROLE_USER", "parts": [{"data": booking}]}});
    let sent = server.call("POST", "/a2a/message:send", &headers, &alone.to_string());
    let second = sent.body["task"]["id"].as_str().expect("a task");
    let shown = told(&server, "ada", "GET", &at, &Value::Null, 200);
    assert_eq!(
        (&shown["said"][4]["content"], &shown["said"][4]["task_id"]),
        (&json!("[data: flight_booking_v1]"), &json!(second))
    );
    assert_eq!(
        (&shown["said"][5]["role"], &shown["tasks"]),
        (&json!("assistant"), &json!([task, second]))
    );
    let other = json!({"message": {"messageId": "m-3", "contextId": id, "role": "ROLE_USER", "parts": [{"text": "hello flight"}]}});
    let ben = [("Otherwise-Client", "ben"), ("A2A-Version", "1.0")];
    assert_eq!(
        server
            .call("POST", "/a2a/message:send", &ben, &other.to_string())
            .status,
        200
    );
    let still = told(&server, "ada", "GET", &at, &Value::Null, 200);
    assert_eq!(still["turns"], 6, "nobody else speaks in it");
}

#[test]
fn an_answer_that_nobody_waits_for_is_a_turn_too_p002_p010() {
    let server = server();
    let at = opened(&server, "ada");
    let id = at.rsplit('/').next().expect("an id");
    let headers = [("Otherwise-Client", "ada"), ("A2A-Version", "1.0")];
    let booking = json!({"schema_id": "flight_booking_v1",
        "payload": {"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"}});
    let sent = |number: usize| {
        json!({"message": {"messageId": format!("m-{number}"), "contextId": id, "role": "ROLE_USER", "parts": [{"data": booking}]},
            "configuration": {"returnImmediately": true}})
    };
    let turns = |count: u64| {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let shown = told(&server, "ada", "GET", &at, &Value::Null, 200);
            if shown["turns"] == count {
                return shown["said"].clone();
            }
            assert!(Instant::now() < deadline, "{count} turns: {shown}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    server.call("POST", "/a2a/message:send", &headers, &sent(1).to_string());
    let said = turns(2);
    assert_eq!(
        (&said[0]["role"], &said[1]["role"]),
        (&json!("user"), &json!("assistant"))
    );
    let (status, _) = server.call_with_text("POST", "/a2a/message:stream", &headers, &sent(2).to_string());
    assert_eq!(status.status, 200);
    let said = turns(4);
    assert_eq!(
        (&said[2]["role"], &said[3]["role"]),
        (&json!("user"), &json!("assistant"))
    );
    assert_eq!(said[2]["task_id"], said[3]["task_id"]);
}

#[test]
fn a_part_that_does_not_fit_is_passed_over_over_a2a_p014_p016() {
    let server = server();
    let headers = [("Otherwise-Client", "ada"), ("A2A-Version", "1.0")];
    let mut golden = golden();
    golden["role"] = json!("ROLE_USER");
    golden["parts"] = json!([{"text": "book a flight to Shanghai"},
        part(json!([7]), "ConversationHistory", "1.0"), part(json!({}), "UserContext", "2.0")]);
    let answered = server.call(
        "POST",
        "/a2a/message:send",
        &headers,
        &json!({"message": golden}).to_string(),
    );
    assert_eq!(answered.status, 200, "{}", answered.body);
    let skipped = &answered.body["message"]["metadata"]["skipped"];
    assert_eq!(
        (&skipped[0]["part"], &skipped[1]["part"]),
        (&json!(1), &json!(2)),
        "{skipped}"
    );
    assert!(
        skipped[1]["why"].as_str().expect("a reason").contains("1.0.0"),
        "{skipped}"
    );
    golden["parts"][2]["metadata"]["required"] = json!(true);
    let refused = server.call(
        "POST",
        "/a2a/message:send",
        &headers,
        &json!({"message": golden}).to_string(),
    );
    assert_eq!(refused.status, 400, "{}", refused.body);
    let reply = call(&server, "ada", "GET", "/v1/conversations", &Value::Null);
    assert_eq!(reply.body["total"], 0);
}
