//! What summaries keep of invented dialogues: how many of their facts, how many courtesies, and at what size.

use serde_json::Value;
use serde_json::json;

use super::declare;
use super::embed;
use super::opened;
use super::said;
use super::say_all;
use super::server;
use crate::support::server::Server;

/// Dialogues of ten turns, with what an agent that goes on with them must know and what it need not.
const DIALOGUES: &str = include_str!("dialogues.json");

/// What became of one dialogue, or of all of them.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    facts: (usize, usize),
    courtesies: (usize, usize),
    tokens: (u64, u64),
}

impl Kept {
    fn and(self, other: Kept) -> Kept {
        Kept {
            facts: (self.facts.0 + other.facts.0, self.facts.1 + other.facts.1),
            courtesies: (
                self.courtesies.0 + other.courtesies.0,
                self.courtesies.1 + other.courtesies.1,
            ),
            tokens: (self.tokens.0 + other.tokens.0, self.tokens.1 + other.tokens.1),
        }
    }
}

fn texts<'a>(dialogue: &'a Value, name: &str) -> Vec<&'a str> {
    let list = dialogue[name].as_array().expect("a list");
    list.iter().map(|text| text.as_str().expect("a text")).collect()
}

fn kept(server: &Server, dialogue: &Value) -> Kept {
    let at = opened(server, "ada");
    let turns: Vec<Value> = texts(dialogue, "turns")
        .iter()
        .enumerate()
        .map(|(at, text)| said(if at % 2 == 0 { "user" } else { "assistant" }, text))
        .collect();
    say_all(server, "ada", &at, &turns);
    declare(server, &at, "b", &json!({"types": ["ConversationHistory"]}));
    let embedded = embed(server, &at, &json!({"agent": "b", "text": "go on"}));
    let history = embedded["message"]["parts"][1]["data"].to_string();
    let count = |name: &str| {
        let texts = texts(dialogue, name);
        (
            texts.iter().filter(|text| history.contains(**text)).count(),
            texts.len(),
        )
    };
    let tokens = |name: &str| embedded[name].as_u64().expect("a number");
    println!("{}: {history}", dialogue["name"]);
    Kept {
        facts: count("facts"),
        courtesies: count("courtesies"),
        tokens: (tokens("tokens"), tokens("tokens_of_everything")),
    }
}

#[test]
fn summaries_keep_facts_and_leave_courtesies_out_p032_p033_p034() {
    let server = server();
    let dialogues: Vec<Value> = serde_json::from_str(DIALOGUES).expect("JSON");
    let mut all = Kept::default();
    for dialogue in &dialogues {
        let one = kept(&server, dialogue);
        println!("{}: {one:?}", dialogue["name"]);
        // The mark of redaction is no part of what was said.
        assert!(one.tokens.0 <= one.tokens.1 + 8, "{}: {one:?}", dialogue["name"]);
        all = all.and(one);
    }
    println!("all: {all:?}");
    assert!(all.facts.0 * 100 >= all.facts.1 * 90, "{all:?}");
    assert!(all.courtesies.0 * 100 <= all.courtesies.1 * 25, "{all:?}");
    assert!(all.tokens.0 * 100 <= all.tokens.1 * 92, "{all:?}");
}
