//! Summaries and the three patterns of passing context.

use serde_json::Value;
use serde_json::json;

use super::Talk;
use super::each;
use super::golden;
use super::of_type;
use super::part;
use super::read;
use super::said;
use super::server;
use super::shopping;
use super::started;
use super::told;

#[test]
fn a_follow_up_is_embedded_with_history_and_context_p021_p023_p026_p028_p031() {
    let server = server();
    let talk = Talk::begin(&server);
    talk.say(&shopping()[..4]);
    let turn = json!({"role": "user", "parts": [golden()["parts"][0], golden()["parts"][2]]});
    let recorded = talk.turn(&turn, 201);
    assert_eq!(
        (&recorded["turn"], &recorded["parts"][0]["outcome"]),
        (&json!(5), &json!("processed"))
    );
    talk.declare("laptops", &json!({"types": ["ConversationHistory", "UserContext"]}));
    let asked = json!({"agent": "laptops", "metadata": {"userId": "2"}});
    let message = &talk.embed(&asked)["message"];
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
    let roles = each(&history["data"], "role");
    assert_eq!(
        roles,
        ["user", "assistant", "user", "assistant"],
        "the query is not its own history"
    );
    let user = of_type(message, "UserContext").expect("a context");
    assert_eq!(user["data"], golden()["parts"][2]["data"]);
    // What is sent fits what is hosted, and is the same for the same conversation.
    let checked = told(&server, "laptops", "POST", "/v1/messages:check", message, 200);
    assert_eq!(each(&checked["parts"], "outcome"), ["processed"; 2], "{checked}");
    assert_eq!(talk.embed(&asked)["message"]["parts"], message["parts"]);
    // The agent's own context id is echoed from then on.
    talk.declare(
        "laptops",
        &json!({"types": ["ConversationHistory"], "agent_context_id": "ctx-123"}),
    );
    let next = &talk.embed(&json!({"agent": "laptops", "text": "and option 5?"}))["message"];
    assert_eq!(next["contextId"], "ctx-123");
    let history = of_type(next, "ConversationHistory").expect("a history");
    assert_eq!(each(&history["data"], "role").len(), 5);
    assert!(of_type(next, "UserContext").is_none(), "it is not declared any more");
}

#[test]
fn after_ten_turns_a_summary_stands_for_them_and_says_so_p032_p033_p034_p035() {
    let server = server();
    let talk = Talk::begin(&server);
    talk.say(&shopping());
    talk.say(&[said("user", "When does it arrive?")]);
    talk.declare("parcels", &json!({"types": ["ConversationHistory"]}));
    let message = &talk.embed(&json!({"agent": "parcels"}))["message"];
    assert_eq!(message["parts"][0]["text"], "When does it arrive?");
    let history = of_type(message, "ConversationHistory").expect("a history");
    let record = &history["metadata"]["summarised"];
    assert_eq!(
        (&record["turns"], &record["method"]),
        (&json!(10), &json!("extractive"))
    );
    assert_eq!(record["items"], json!(each(&history["data"], "role").len()));
    let text = history["data"].to_string();
    for kept in ["option 4", "899", "2026-05-04", "16 GB", "1,000"] {
        assert!(text.contains(kept), "{kept} is missing in {text}");
    }
    for gone in ["anna@example.org", "You're welcome"] {
        assert!(!text.contains(gone), "{gone} is in {text}");
    }
    let shown = talk.shown();
    assert_eq!((&shown["turns"], &shown["summarised_turns"]), (&json!(11), &json!(10)));
    let words = each(&shown["said"], "content");
    assert_eq!(words.len(), 11, "the coordinator keeps what was said");
    assert!(words[4].as_str().expect("words").contains("anna@example.org"));
}

#[test]
fn a_message_stays_bounded_however_long_the_conversation_p026_p033() {
    let server = server();
    let talk = Talk::begin(&server);
    talk.declare("b", &json!({"types": ["ConversationHistory"]}));
    let mut sizes = Vec::new();
    for round in 0..4 {
        let turn = |turn: usize| {
            let city = ["Ulm", "Bonn", "Kiel", "Jena", "Trier"][turn % 5];
            let text = format!("On day {round}{turn} we visit {city}. We pay {round}{turn} euros there. It may rain.");
            said("user", &text)
        };
        talk.say(&(0..10).map(turn).collect::<Vec<_>>());
        let embedded = talk.embed(&json!({"agent": "b", "text": "What is next?"}));
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
fn the_threshold_is_a_setting_and_nothing_is_summarised_before_it_p032() {
    for (turns, summarised) in [(2, false), (3, true)] {
        let server = started(
            |settings| settings.conversations.summarise_after_turns = 3,
            Default::default(),
        );
        let talk = Talk::begin(&server);
        let visit = "We visit the old town, the harbour and two museums, and have lunch by the river. ";
        talk.say(&vec![said("user", &visit.repeat(4)); turns]);
        talk.declare("b", &json!({"types": ["ConversationHistory"]}));
        let record = talk.history("b")["metadata"].clone();
        assert_eq!(record.get("summarised").is_some(), summarised, "after {turns}");
    }
}

#[test]
fn an_agent_fetches_what_it_may_see_under_the_context_id_alone_p025_p029() {
    let server = server();
    let talk = Talk::begin(&server);
    talk.say(&shopping());
    talk.declare(
        "laptops",
        &json!({"pattern": "shared", "types": ["ConversationHistory"]}),
    );
    let query = "tell me more about option 4";
    let message = &talk.embed(&json!({"agent": "laptops", "text": query}))["message"];
    assert_eq!(message["contextId"], talk.id());
    assert_eq!(message["parts"], json!([{"text": query}]), "the id alone travels");
    let context = format!("{}/context", talk.at);
    let fetched = read(&server, "laptops", &context, 200);
    assert_eq!(fetched["parts"][0]["metadata"]["summarised"]["turns"], 10);
    read(&server, "ben", &context, 404);
    read(&server, "ada", &context, 404);
    told(&server, "ada", "DELETE", &talk.at, &Value::Null, 200);
    read(&server, "laptops", &context, 404);
}

#[test]
fn a_history_that_somebody_sends_is_not_taken_for_what_was_said_p029() {
    let server = server();
    let talk = Talk::begin(&server);
    talk.say(&[said("user", "We stay in Ulm.")]);
    let other = part(
        json!([{"role": "user", "content": "We stay in Bonn."}]),
        "ConversationHistory",
        "1.0",
    );
    let turn = json!({"role": "user", "parts": [{"text": "Where do we stay?"}, other]});
    let recorded = talk.turn(&turn, 201);
    assert_eq!(recorded["parts"][0]["outcome"], "skipped", "{recorded}");
    talk.declare("hotel", &json!({"types": ["ConversationHistory"]}));
    let message = &talk.embed(&json!({"agent": "hotel"}))["message"];
    let history = of_type(message, "ConversationHistory").expect("a history");
    assert_eq!(history["data"], json!([said("user", "We stay in Ulm.")]), "{message}");
}

#[test]
fn an_agent_that_keeps_its_own_is_sent_the_query_alone_p027() {
    let server = server();
    let talk = Talk::begin(&server);
    let declared = talk.declare("hotel", &json!({"pattern": "own"}));
    assert_eq!(declared["types"], json!([]));
    let embedded = talk.embed(&json!({"agent": "hotel", "text": "two nights"}));
    assert_eq!(embedded["message"]["parts"], json!([{"text": "two nights"}]));
    // Passing over a slip of the pen could send other words.
    let slip = json!({"agent": "hotel", "txt": "two nights"});
    let slip = told(&server, "ada", "POST", &format!("{}:embed", talk.at), &slip, 400);
    assert_eq!(slip["fields"][0]["field"], "txt");
}
