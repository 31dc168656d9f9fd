//! What summaries keep of invented dialogues: how many of their facts, how many courtesies, and at what size.

use serde_json::Value;
use serde_json::json;

use super::Talk;
use super::alternating;
use super::server;

/// Dialogues of ten turns, with what an agent that goes on with them must know and what it need not.
const DIALOGUES: &str = include_str!("dialogues.json");

fn texts<'a>(dialogue: &'a Value, name: &str) -> Vec<&'a str> {
    let list = dialogue[name].as_array().expect("a list");
    list.iter().map(|text| text.as_str().expect("a text")).collect()
}

#[test]
fn summaries_keep_facts_and_leave_courtesies_out_p032_p033_p034() {
    let server = server();
    let dialogues: Vec<Value> = serde_json::from_str(DIALOGUES).expect("JSON");
    // Facts, courtesies and tokens: so many of so many.
    let mut all = [(0, 0); 3];
    for dialogue in &dialogues {
        let talk = Talk::begin(&server);
        talk.say(&alternating(&texts(dialogue, "turns")));
        talk.declare("b", &json!({"types": ["ConversationHistory"]}));
        let embedded = talk.embed(&json!({"agent": "b", "text": "go on"}));
        let history = embedded["message"]["parts"][1]["data"].to_string();
        let kept = |name: &str| {
            let texts = texts(dialogue, name);
            (
                texts.iter().filter(|text| history.contains(**text)).count(),
                texts.len(),
            )
        };
        let tokens = ["tokens", "tokens_of_everything"].map(|name| embedded[name].as_u64().expect("a number") as usize);
        // The mark of redaction is no part of what was said.
        assert!(tokens[0] <= tokens[1] + 8, "{}: {tokens:?}", dialogue["name"]);
        println!("{}: {history}", dialogue["name"]);
        for (sum, one) in all
            .iter_mut()
            .zip([kept("facts"), kept("courtesies"), (tokens[0], tokens[1])])
        {
            *sum = (sum.0 + one.0, sum.1 + one.1);
        }
    }
    let [facts, courtesies, tokens] = all;
    assert!(facts.0 * 100 >= facts.1 * 90, "{all:?}");
    assert!(courtesies.0 * 100 <= courtesies.1 * 25, "{all:?}");
    assert!(tokens.0 * 100 <= tokens.1 * 92, "{all:?}");
}
