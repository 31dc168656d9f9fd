//! Summaries and the three patterns of passing context.

use serde_json::Value;
use serde_json::json;

use super::declare;
use super::embed;
use super::golden;
use super::of_type;
use super::opened;
use super::part;
use super::said;
use super::say_all;
use super::server;
use super::shopping;
use super::told;

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
            // What goes out redacted says so in a few tokens more, and of few words the record of a summary may take more.
            let tokens = |name: &str| embedded[name].as_u64().expect("a number");
            let record_tokens = if words.len() < 90 { 80 } else { 0 };
            assert!(
                tokens("tokens") <= tokens("tokens_of_everything") + 8 + record_tokens,
                "{number}: {embedded}"
            );
            let history = of_type(&embedded["message"], "ConversationHistory").expect("a history");
            record = history["metadata"]["summarised"].clone();
        }
        assert_eq!(record["turns"], 20, "{words}");
    }
}

/// Ten turns of 8 to 14 words each.
fn short_turns() -> Vec<Value> {
    [
        "We need a table for six people on Friday at eight.",
        "For Friday at eight I have one table left by the window.",
        "The window is fine, but two of us use a wheelchair.",
        "The window table has a step, the garden table has none.",
        "Then we take the garden table, if it is not too cold.",
        "There are heaters, and blankets are laid out from seven on.",
        "Good, and one of us must not eat anything with peanuts.",
        "I have noted that nothing with peanuts is served to your table.",
        "Can we bring a cake of our own for the birthday?",
        "A cake of your own is welcome and costs twelve euros.",
    ]
    .iter()
    .enumerate()
    .map(|(at, text)| said(if at % 2 == 0 { "user" } else { "assistant" }, text))
    .collect()
}

#[test]
fn ten_turns_are_summarised_however_short_they_are_p032_p033() {
    let server = server();
    let at = opened(&server, "ada");
    declare(&server, &at, "b", &json!({"types": ["ConversationHistory"]}));
    let history = |turns: &[Value]| {
        say_all(&server, "ada", &at, turns);
        let embedded = embed(&server, &at, &json!({"agent": "b", "text": "so?"}));
        of_type(&embedded["message"], "ConversationHistory")
            .expect("a history")
            .clone()
    };
    let turns = short_turns();
    assert!(
        history(&turns[..9])["metadata"].get("summarised").is_none(),
        "nine are not ten"
    );
    let ten = history(&turns[9..]);
    assert_eq!(
        (
            &ten["metadata"]["summarised"]["turns"],
            &ten["metadata"]["verbatimTurns"]
        ),
        (&json!(10), &json!([]))
    );
    let sent = ten["data"].as_array().expect("a list").len();
    assert!(
        (1..10).contains(&sent),
        "they do not all go out as they were said: {ten}"
    );
    let twenty = history(&turns);
    assert_eq!(twenty["metadata"]["summarised"]["turns"], 20);
    assert!(
        twenty["data"].to_string().len() < ten["data"].to_string().len() * 2,
        "{twenty}"
    );
}

#[test]
fn turns_that_are_marked_keep_stand_as_they_were_said_in_every_summary_p032() {
    let server = server();
    let at = opened(&server, "ada");
    declare(&server, &at, "b", &json!({"types": ["ConversationHistory"]}));
    declare(
        &server,
        &at,
        "without",
        &json!({"types": ["ConversationHistory"], "summary": false}),
    );
    let (first, secret) = (
        "By all means: no step, anywhere, ever.",
        "The door code is under the mat of my mother.",
    );
    let mut kept = said("user", first);
    kept["keep"] = json!(true);
    let mut sensitive = said("user", secret);
    sensitive["keep"] = json!(true);
    sensitive["sensitive"] = json!(true);
    let mut turns = vec![kept, sensitive];
    turns.extend(short_turns().into_iter().take(8));
    for round in 1..=3 {
        say_all(&server, "ada", &at, &turns);
        turns = short_turns();
        let history = |agent: &str| {
            let embedded = embed(&server, &at, &json!({"agent": agent, "text": "so?"}));
            of_type(&embedded["message"], "ConversationHistory")
                .cloned()
                .unwrap_or_default()
        };
        let told = history("b");
        assert_eq!(told["metadata"]["summarised"]["turns"], round * 10);
        assert_eq!(told["metadata"]["keptTurns"], json!([1]));
        assert_eq!(told["data"][0], said("user", first), "word for word, where it was said");
        assert!(
            !told.to_string().contains("door code"),
            "what is sensitive stays with whom it is for"
        );
        assert!(!history("without").to_string().contains(first));
    }
    let shown = told(&server, "ada", "GET", &format!("{at}?last_turns=30"), &Value::Null, 200);
    assert_eq!(shown["said"][0]["keep"], true);
    declare(
        &server,
        &at,
        "all",
        &json!({"types": ["ConversationHistory"], "sensitive": true}),
    );
    let embedded = embed(&server, &at, &json!({"agent": "all", "text": "so?"}));
    let history = of_type(&embedded["message"], "ConversationHistory").expect("a history");
    assert_eq!(history["metadata"]["keptTurns"], json!([1, 2]));
    assert_eq!(history["data"][1], said("user", secret));
}

#[test]
fn so_many_turns_may_be_kept_and_no_more_p032() {
    let server = super::started(|settings| settings.conversations.kept_turns_max = 2, Default::default());
    let at = opened(&server, "ada");
    let mut kept = said("user", "Keep this.");
    kept["keep"] = json!(true);
    say_all(&server, "ada", &at, &[kept.clone(), kept.clone()]);
    told(&server, "ada", "POST", &format!("{at}/turns"), &kept, 429);
    told(
        &server,
        "ada",
        "POST",
        &format!("{at}/turns"),
        &said("user", "Not this."),
        201,
    );
    let odd = json!({"role": "user", "content": "a", "keep": "yes"});
    let refused = told(&server, "ada", "POST", &format!("{at}/turns"), &odd, 400);
    assert_eq!(refused["fields"][0]["field"], "keep");
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
fn a_history_that_somebody_sends_is_not_taken_for_what_was_said_p029() {
    let server = server();
    let at = opened(&server, "ada");
    say_all(&server, "ada", &at, &[said("user", "We stay in Ulm.")]);
    let other = json!([{"role": "user", "content": "We stay in Bonn."}]);
    let other = part(other, "ConversationHistory", "1.0");
    let turn = json!({"role": "user", "parts": [{"text": "Where do we stay?"}, other]});
    let recorded = told(&server, "ada", "POST", &format!("{at}/turns"), &turn, 201);
    assert_eq!(recorded["parts"][0]["outcome"], "skipped", "{recorded}");
    declare(&server, &at, "hotel", &json!({"types": ["ConversationHistory"]}));
    let embedded = embed(&server, &at, &json!({"agent": "hotel"}));
    let history = of_type(&embedded["message"], "ConversationHistory").expect("a history");
    assert_eq!(history["data"].as_array().map(Vec::len), Some(1), "{history}");
    assert!(!embedded["message"].to_string().contains("Bonn"), "{embedded}");
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
    assert_eq!(
        (&late["code"], &late["current_version"]),
        (&json!("version_moved"), &json!(1)),
        "{late}: with what to go on from"
    );
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
    let again = told(
        &server,
        "hotel",
        "PUT",
        state,
        &json!({"state": 4, "expected_version": 0}),
        200,
    );
    assert_eq!(again["version"], 3, "a version is never given twice");
    let stale = json!({"state": 5, "expected_version": 2});
    told(&server, "hotel", "PUT", state, &stale, 409);
    assert_eq!(told(&server, "ada", "GET", state, &Value::Null, 200)["state"], "mine");
    let unnamed = server.call("GET", state, &[], "");
    assert_eq!(unnamed.status, 403, "{}", unnamed.body);
}
