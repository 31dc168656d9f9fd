//! What was acknowledged is kept over a restart and a kill, what was removed is erased, and how much there may be is bounded.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::Duration;

use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use schema::time::At;
use schema::time::DAY_MS;
use serde_json::Value;
use serde_json::json;
use store::journal::Journal;
use store::journal::JournalName;
use store::journal::Record;
use store::journal_store::JournalStore;

use super::declare;
use super::embed;
use super::opened;
use super::part;
use super::said;
use super::say_all;
use super::schemas;
use super::shopping;
use super::started;
use super::told;
use crate::support::child::Program;
use crate::support::clock::VirtualClock;

fn records(journal: &Arc<JournalStore>) -> Vec<Record> {
    let name = JournalName("conversations/default".to_owned());
    journal.read(&name, 1, 10_000).expect("records")
}

fn over(journal: &Arc<JournalStore>) -> PartsOverride {
    PartsOverride {
        journal: Some(journal.clone()),
        ..PartsOverride::default()
    }
}

fn settled(server: &crate::support::server::Server, at: &str) -> Value {
    let declared = json!({"types": ["ConversationHistory"]});
    declare(server, at, "b", &declared);
    // Whatever is due to be summarised is, once something went out.
    embed(server, at, &json!({"agent": "b", "text": "so?"}));
    told(server, "ada", "GET", at, &Value::Null, 200)
}

#[test]
fn a_restart_loses_nothing_that_was_said_summarised_or_declared_p021() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().display().to_string();
    let long = "word ".repeat(2_000);
    let (at, before) = {
        let change = |settings: &mut Settings| {
            settings.data.folder.clone_from(&data);
            settings.service.snapshot_every_records = 4;
        };
        let server = started(change, PartsOverride::default());
        let at = opened(&server, "ada");
        say_all(&server, "ada", &at, &shopping());
        say_all(&server, "ada", &at, &[said("user", &long)]);
        told(
            &server,
            "hotel",
            "PUT",
            &format!("{at}/state"),
            &json!({"state": {"n": 1.50}}),
            200,
        );
        server.tick();
        let shown = settled(&server, &at);
        (at, shown)
    };
    let server = started(
        |settings| settings.data.folder.clone_from(&data),
        PartsOverride::default(),
    );
    assert_eq!(told(&server, "ada", "GET", &at, &Value::Null, 200), before);
    assert_eq!(
        told(&server, "hotel", "GET", &format!("{at}/state"), &Value::Null, 200)["state"],
        json!({"n": 1.5})
    );
    let next = told(
        &server,
        "ada",
        "POST",
        &format!("{at}/turns"),
        &said("user", "still here"),
        201,
    );
    assert_eq!(next["turn"], 12);
}

#[test]
fn what_is_removed_is_erased_and_contents_never_lie_in_the_open_part() {
    let journal = Arc::new(JournalStore::in_memory());
    let server = started(|_| {}, over(&journal));
    let (kept, gone) = (opened(&server, "ada"), opened(&server, "ada"));
    say_all(&server, "ada", &kept, &[said("user", "apricot")]);
    say_all(
        &server,
        "ada",
        &gone,
        &[said("user", "quince one"), said("user", "quince two")],
    );
    told(
        &server,
        "hotel",
        "PUT",
        &format!("{kept}/state"),
        &json!({"state": "medlar"}),
        200,
    );
    let holds = |word: &str, open: bool| {
        let all = records(&journal);
        let texts = all
            .iter()
            .map(|record| if open { &record.open } else { &record.sealed });
        texts
            .filter(|text| String::from_utf8_lossy(text).contains(word))
            .count()
    };
    for word in ["apricot", "quince", "medlar"] {
        assert_eq!(holds(word, true), 0, "{word} is sealed");
    }
    assert_eq!((holds("quince", false), holds("medlar", false)), (2, 1));
    told(&server, "ada", "DELETE", &gone, &Value::Null, 200);
    told(&server, "hotel", "DELETE", &format!("{kept}/state"), &Value::Null, 200);
    assert_eq!(
        (holds("quince", false), holds("medlar", false), holds("apricot", false)),
        (0, 0, 1)
    );
    told(&server, "ada", "GET", &gone, &Value::Null, 404);
    assert_eq!(
        told(&server, "ada", "GET", &kept, &Value::Null, 200)["said"][0]["content"],
        "apricot"
    );
}

#[test]
fn a_conversation_is_over_when_nothing_new_was_said_for_as_long_as_is_set() {
    let journal = Arc::new(JournalStore::in_memory());
    let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T00:00:00Z").expect("a moment")));
    let parts = PartsOverride {
        clock: Some(clock.clone()),
        ..over(&journal)
    };
    let server = started(|settings| settings.conversations.kept_s = 86_400, parts);
    let at = opened(&server, "ada");
    say_all(&server, "ada", &at, &[said("user", "apricot")]);
    clock.advance_ms(DAY_MS - 1);
    told(&server, "ada", "GET", &at, &Value::Null, 200);
    clock.advance_ms(1);
    told(&server, "ada", "GET", &at, &Value::Null, 404);
    assert_eq!(
        told(&server, "ada", "GET", "/v1/conversations", &Value::Null, 200)["total"],
        0
    );
    server.tick();
    let left = records(&journal)
        .iter()
        .any(|record| String::from_utf8_lossy(&record.sealed).contains("apricot"));
    assert!(!left, "what was said is erased");
}

#[test]
fn everything_is_bounded_by_settings() {
    let server = started(
        |settings| {
            let set = &mut settings.conversations;
            (set.conversations_max, set.per_client_max, set.turns_max) = (2, 1, 2);
            (set.turn_bytes_max, set.parts_max, set.part_bytes_max) = (8, 0, 4);
            (set.recipients_max, set.states_per_client_max) = (1, 1);
            settings.messages.agents_max = 1;
        },
        PartsOverride::default(),
    );
    let full = |who: &str, method: &str, path: &str, body: &Value| {
        let told = told(&server, who, method, path, body, 429);
        assert_eq!(told["code"], "limit_reached", "{told}");
    };
    let at = opened(&server, "ada");
    full("ada", "POST", "/v1/conversations", &json!({}));
    let shared = json!({"role": "user", "parts": [{"data": {}, "metadata": {"type": "UserContext"}}]});
    let types = told(&server, "eve", "POST", "/v1/conversations", &shared, 429);
    assert!(
        types["detail"]
            .as_str()
            .is_some_and(|detail| detail.contains("types of parts")),
        "{types}"
    );
    opened(&server, "ben");
    full("eve", "POST", "/v1/conversations", &json!({}));
    let turns = format!("{at}/turns");
    told(&server, "ada", "POST", &turns, &said("user", "123456789"), 400);
    full("ada", "POST", &turns, &shared);
    say_all(&server, "ada", &at, &[said("user", "12345678"), said("user", "b")]);
    full("ada", "POST", &turns, &said("user", "c"));
    declare(&server, &at, "a", &json!({"types": []}));
    full("ada", "PUT", &format!("{at}/recipients/b"), &json!({"types": []}));
    let state = |n: u8| format!("/v1/conversations/{n}/state");
    full("ada", "PUT", &state(1), &json!({"state": "abc"}));
    told(&server, "ada", "PUT", &state(1), &json!({"state": "ab"}), 200);
    full("ada", "PUT", &state(2), &json!({"state": 1}));
    told(&server, "ada", "PUT", "/v1/agents/ada/services", &json!({}), 200);
    full("ben", "PUT", "/v1/agents/ben/services", &json!({}));
    for wrong in ["limit=0", "limit=1001", "limit=x"] {
        told(
            &server,
            "ada",
            "GET",
            &format!("/v1/conversations?{wrong}"),
            &Value::Null,
            400,
        );
    }
}

#[test]
fn a_kill_loses_no_turn_that_was_acknowledged() {
    let folder = tempfile::tempdir().expect("a folder");
    let [data, shelf, log] = ["data", "schemas", "log"].map(|name| folder.path().join(name));
    std::fs::create_dir(&shelf).expect("a shelf");
    for (name, document) in schemas() {
        std::fs::write(shelf.join(name), document.to_string()).expect("written");
    }
    let ada = [("Otherwise-Client", "ada")];
    let settings = [("OTHERWISE_CONVERSATIONS__SUMMARISE_AFTER_TURNS", "5")];
    let mut acknowledged: Vec<String> = Vec::new();
    let mut at = String::new();
    for round in 0..3 {
        let program = Program::serve(&data, &shelf, &log, &settings);
        let caller = program.caller();
        if at.is_empty() {
            let begun = caller.call("POST", "/v1/conversations", &ada, "{}").expect("an answer");
            at = format!(
                "/v1/conversations/{}",
                begun.body["context_id"].as_str().expect("an id")
            );
        }
        let shown = caller
            .call("GET", &format!("{at}?last_turns=1000"), &ada, "")
            .expect("an answer");
        assert_eq!(shown.status, 200, "{}", shown.body);
        let words: Vec<&str> = shown.body["said"]
            .as_array()
            .expect("turns")
            .iter()
            .filter_map(|turn| turn["content"].as_str())
            .collect();
        let kept: Vec<&str> = words
            .iter()
            .copied()
            .filter(|word| acknowledged.iter().any(|said| said == word))
            .collect();
        assert_eq!(
            kept, acknowledged,
            "round {round}: what was acknowledged is there, once, in its order"
        );
        let over = AtomicBool::new(false);
        let made: Vec<String> = std::thread::scope(|scope| {
            let talker = scope.spawn(|| {
                let mut made = Vec::new();
                while !over.load(Ordering::Relaxed) {
                    let word = format!("round {round}, turn {} costs {} euros.", made.len(), made.len() + 100);
                    let body = said("user", &word).to_string();
                    match caller.call("POST", &format!("{at}/turns"), &ada, &body) {
                        Some(reply) if reply.status == 201 => made.push(word),
                        Some(reply) => assert_eq!(reply.status, 503, "{}", reply.body),
                        None => break,
                    }
                }
                made
            });
            std::thread::sleep(Duration::from_millis(700));
            program.kill();
            over.store(true, Ordering::Relaxed);
            talker.join().expect("it talked")
        });
        assert!(!made.is_empty(), "round {round}: something was said");
        acknowledged.extend(made);
    }
}

#[test]
fn what_bears_the_name_of_a_secret_is_kept_nowhere_whatever_is_declared_x02() {
    let journal = Arc::new(JournalStore::in_memory());
    let server = started(|_| {}, over(&journal));
    let at = opened(&server, "ada");
    let profile = json!({"userProfile": {"location": "Ulm", "password": "hunter2", "access_token": ["hunter3"]}});
    let turn = json!({"role": "user", "parts": [{"text": "hi"}, part(profile, "UserContext", "1.0")]});
    say_all(&server, "ada", &at, &[turn]);
    declare(&server, &at, "b", &json!({"types": ["UserContext"]}));
    let sent = embed(&server, &at, &json!({"agent": "b", "text": "so?"})).to_string();
    assert!(sent.contains("Ulm") && !sent.contains("hunter"), "{sent}");
    let state = format!("{at}/state");
    let own = json!({"state": {"api_key": "hunter4", "n": 1}});
    told(&server, "hotel", "PUT", &state, &own, 200);
    assert_eq!(
        told(&server, "hotel", "GET", &state, &Value::Null, 200)["state"],
        json!({"api_key": "[redacted]", "n": 1})
    );
}
