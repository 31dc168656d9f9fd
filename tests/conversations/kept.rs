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

use super::Talk;
use super::each;
use super::part;
use super::read;
use super::said;
use super::schemas;
use super::shopping;
use super::started;
use super::told;
use crate::support::child::Program;
use crate::support::clock::VirtualClock;
use crate::support::journals::journals;
use crate::support::server::over;

fn records(journal: &Arc<JournalStore>) -> Vec<Record> {
    let name = JournalName("conversations/default".to_owned());
    journal.read(&name, 1, 10_000).expect("records")
}

#[test]
fn a_restart_loses_nothing_that_was_said_summarised_or_declared_p021() {
    let folder = tempfile::tempdir().expect("a folder");
    let begun = || {
        let change = |settings: &mut Settings| {
            settings.data.folder = folder.path().display().to_string();
            settings.service.snapshot_every_records = 4;
        };
        started(change, PartsOverride::default())
    };
    let (at, before) = {
        let server = begun();
        let talk = Talk::begin(&server);
        talk.say(&shopping());
        talk.say(&[said("user", &"word ".repeat(2_000))]);
        server.tick();
        talk.declare("b", &json!({"types": ["ConversationHistory"]}));
        // Whatever is due to be summarised is, once something went out.
        talk.history("b");
        (talk.at.clone(), talk.shown())
    };
    let server = begun();
    let talk = Talk { server: &server, at };
    assert_eq!(talk.shown(), before);
    assert_eq!(talk.turn(&said("user", "still here"), 201)["turn"], 12);
}

#[test]
fn what_is_removed_is_erased_and_contents_never_lie_in_the_open_part() {
    let journal = Arc::new(journals());
    let server = started(|_| {}, over(&journal));
    let (kept, gone) = (Talk::begin(&server), Talk::begin(&server));
    kept.say(&[said("user", "apricot")]);
    gone.say(&[said("user", "quince one"), said("user", "quince two")]);
    let holds = |word: &str| {
        let all = records(&journal);
        let is_open = all
            .iter()
            .any(|record| String::from_utf8_lossy(&record.open).contains(word));
        assert!(!is_open, "{word} is sealed");
        let sealed = all.iter().map(|record| String::from_utf8_lossy(&record.sealed));
        sealed.filter(|text| text.contains(word)).count()
    };
    assert_eq!(["apricot", "quince"].map(holds), [1, 2]);
    told(&server, "ada", "DELETE", &gone.at, &Value::Null, 200);
    assert_eq!(["apricot", "quince"].map(holds), [1, 0]);
    read(&server, "ada", &gone.at, 404);
    assert_eq!(kept.shown()["said"][0]["content"], "apricot");
}

#[test]
fn a_conversation_is_over_when_nothing_new_was_said_for_as_long_as_is_set() {
    let journal = Arc::new(journals());
    let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T00:00:00Z").expect("a moment")));
    let parts = PartsOverride {
        clock: Some(clock.clone()),
        ..over(&journal)
    };
    let server = started(|settings| settings.conversations.kept_s = 86_400, parts);
    let talk = Talk::begin(&server);
    talk.say(&[said("user", "apricot")]);
    clock.advance_ms(DAY_MS - 1);
    talk.shown();
    clock.advance_ms(1);
    read(&server, "ada", &talk.at, 404);
    assert_eq!(read(&server, "ada", "/v1/conversations", 200)["total"], 0);
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
            (set.conversations_max, set.per_client_max, set.turns_max) = (2, 1, 3);
            (set.turn_bytes_max, set.parts_max, set.part_bytes_max) = (8, 0, 4);
            set.recipients_max = 1;
            settings.messages.agents_max = 1;
        },
        PartsOverride::default(),
    );
    let talk = Talk::begin(&server);
    let [turns, first, second] = ["turns", "recipients/a", "recipients/b"].map(|rest| format!("{}/{rest}", talk.at));
    let shared = json!({"role": "user", "parts": [{"data": {}, "metadata": {"type": "UserContext"}}]});
    let none = json!({"types": []});
    for (who, method, path, body, status) in [
        ("ada", "POST", "/v1/conversations", &json!({}), 429),
        ("eve", "POST", "/v1/conversations", &shared, 429),
        ("ben", "POST", "/v1/conversations", &json!({}), 201),
        ("eve", "POST", "/v1/conversations", &json!({}), 429),
        ("ada", "POST", &turns, &said("user", "123456789"), 400),
        ("ada", "POST", &turns, &shared, 429),
        ("ada", "POST", &turns, &said("user", "a"), 201),
        ("ada", "POST", &turns, &said("user", "12345678"), 201),
        ("ada", "POST", &turns, &said("user", "b"), 201),
        ("ada", "POST", &turns, &said("user", "c"), 429),
        ("ada", "PUT", &first, &none, 200),
        ("ada", "PUT", &second, &none, 429),
        ("ada", "PUT", "/v1/agents/ada/services", &json!({}), 200),
        ("ben", "PUT", "/v1/agents/ben/services", &json!({}), 429),
        ("ada", "GET", "/v1/conversations?limit=0", &Value::Null, 400),
        ("ada", "GET", "/v1/conversations?limit=1001", &Value::Null, 400),
        ("ada", "GET", "/v1/conversations?limit=x", &Value::Null, 400),
    ] {
        let told = told(&server, who, method, path, body, status);
        assert_eq!(told["code"] == "limit_reached", status == 429, "{told}");
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
        let words = each(&shown.body["said"], "content").into_iter();
        let words = words.filter_map(Value::as_str);
        let kept: Vec<&str> = words
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
    let server = started(|_| {}, PartsOverride::default());
    let talk = Talk::begin(&server);
    let profile = json!({"userProfile": {"location": "Ulm", "password": "hunter2", "access_token": ["hunter3"]}});
    talk.say(&[json!({"role": "user", "parts": [{"text": "hi"}, part(profile, "UserContext", "1.0")]})]);
    talk.declare("b", &json!({"types": ["UserContext"]}));
    let sent = talk.embed(&json!({"agent": "b", "text": "so?"})).to_string();
    assert!(sent.contains("Ulm") && !sent.contains("hunter"), "{sent}");
}

#[test]
fn a_turn_that_is_kept_stands_word_for_word_beside_the_summary_p032_p033_p034() {
    let server = started(|_| {}, PartsOverride::default());
    let talk = Talk::begin(&server);
    let rule = "Between us, never ever book me on the red-eye, whatever the other one says.";
    let mut turns = shopping();
    turns[1] = json!({"role": "user", "content": rule, "keep": true});
    talk.say(&turns);
    talk.say(&[said("user", "And now?")]);
    talk.declare("b", &json!({"types": ["ConversationHistory"]}));
    let history = talk.history("b");
    assert_eq!(history["metadata"]["keptTurns"], json!([2]), "{history}");
    let words = history["data"]
        .as_array()
        .expect("words")
        .iter()
        .filter(|one| one["content"] == rule);
    assert_eq!(words.count(), 1);
    assert_eq!(talk.shown()["said"][1]["keep"], true);
    // As many as twenty turns.
    for _ in 0..19 {
        talk.turn(&json!({"role": "user", "content": "Keep this.", "keep": true}), 201);
    }
    talk.turn(&json!({"role": "user", "content": "Keep this.", "keep": true}), 429);
    talk.turn(&json!({"role": "user", "content": "Not this."}), 201);
}
