//! The port alone: time, money, patience, and the key.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;
use std::time::Instant;

use otherwise::adapters::model::ChatModel;
use otherwise::adapters::model::Told;
use otherwise::adapters::model::budget::Budget;
use otherwise::app::ports::Model;
use otherwise::app::ports::ModelFault;
use otherwise::config::agents::Model as ModelSettings;
use schema::question::Question;
use schema::question::Use;
use schema::question::one_word;
use schema::time::At;
use serde_json::Value;
use serde_json::json;

use crate::support::chat::Chat;
use crate::support::chat::Say;
use crate::support::clock::VirtualClock;

const NOON: At = At(20_000 * 86_400_000 + 43_200_000);

struct Bench {
    model: Arc<ChatModel>,
    budget: Arc<Budget>,
    told: Arc<Mutex<Vec<Told>>>,
    runtime: tokio::runtime::Runtime,
}

impl Bench {
    fn new(chat: &Chat, change: impl FnOnce(&mut ModelSettings)) -> Bench {
        let mut settings = ModelSettings {
            url: chat.url(),
            name: "small-model".to_owned(),
            timeout_s: 3,
            judge_budget_share: 1.0,
            ..ModelSettings::default()
        };
        change(&mut settings);
        let clock = Arc::new(VirtualClock::at(NOON));
        let budget = Arc::new(Budget::new(settings.calls_per_day, settings.tokens_per_day));
        let told: Arc<Mutex<Vec<Told>>> = Arc::default();
        let telling = Arc::clone(&told);
        let model = ChatModel::open(
            &settings,
            Arc::clone(&budget),
            clock,
            Box::new(move |one| telling.lock().expect("no panic").push(one)),
        );
        Bench {
            model: Arc::new(model.expect("a model")),
            budget,
            told,
            runtime: tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .expect("a runtime"),
        }
    }

    fn ask(&self) -> Result<Value, ModelFault> {
        self.runtime.block_on(self.model.ask(question(Use::Judge)))
    }
}

fn question(for_use: Use) -> Question {
    Question {
        for_use,
        system: "Answer.",
        user: "{}".to_owned(),
        schema: one_word("same", &["yes", "no"]),
    }
}

fn yes() -> Value {
    json!({"same": "yes"})
}

#[test]
fn a_question_travels_in_the_protocols_form_with_the_key_in_its_header_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("key");
    std::fs::write(&file, "sk-very-secret\n").expect("written");
    let chat = Chat::start(|_, _| Say::Content(yes()));
    let bench = Bench::new(&chat, |settings| settings.key_file = file.display().to_string());
    assert_eq!(bench.ask(), Ok(yes()));
    let asked = chat.asked().remove(0);
    let head = asked.head.to_lowercase();
    assert!(head.starts_with("post /v1/chat/completions http/1.1\r\n"), "{head}");
    assert!(head.contains("authorization: bearer sk-very-secret"), "{head}");
    assert!(!asked.body.to_string().contains("secret"));
    assert_eq!(
        (&asked.body["model"], &asked.body["temperature"]),
        (&json!("small-model"), &json!(0))
    );
    assert_eq!(
        bench.budget.left(NOON),
        (499, 1_000_000 - 100),
        "what the server counted"
    );
    let told = bench.told.lock().expect("no panic").clone();
    assert_eq!(
        (told[0].outcome, told[0].tokens, told[0].purpose),
        ("answered", 100, Use::Judge)
    );
}

#[test]
fn a_question_ends_within_its_time() {
    let chat = Chat::start(|_, _| Say::Stall(Duration::from_secs(8), yes()));
    let bench = Bench::new(&chat, |settings| settings.timeout_s = 1);
    let begun = Instant::now();
    assert_eq!(bench.ask(), Err(ModelFault::Timeout));
    let took = begun.elapsed();
    assert!((900..4_000).contains(&took.as_millis()), "{took:?}");
    let (calls, tokens) = bench.budget.left(NOON);
    assert!(calls == 499 && tokens < 1_000_000, "it may have cost what was reserved");
}

#[test]
fn a_second_attempt_is_made_once_where_patience_is_asked_for_that_there_is_and_where_a_connection_breaks() {
    let again = Say::Status(429, "Retry-After: 0\r\n");
    for (first, second, ended, asked, waited_s) in [
        (
            Say::Status(429, "Retry-After: 1\r\n"),
            Say::Content(yes()),
            Ok(yes()),
            2,
            1,
        ),
        (
            Say::Status(503, "Retry-After: 1\r\n"),
            Say::Content(yes()),
            Ok(yes()),
            2,
            1,
        ),
        (again.clone(), again, Err(ModelFault::Http(429)), 2, 0),
        // Beyond the time of the question.
        (
            Say::Status(429, "Retry-After: 3\r\n"),
            Say::Content(yes()),
            Err(ModelFault::Http(429)),
            1,
            0,
        ),
        (Say::Hang, Say::Content(yes()), Ok(yes()), 2, 0),
        (Say::Hang, Say::Hang, Err(ModelFault::Unreachable), 2, 0),
    ] {
        let told = format!("{first:?}, {second:?}");
        let chat = Chat::start(move |number, _| if number == 0 { first.clone() } else { second.clone() });
        let begun = Instant::now();
        assert_eq!(Bench::new(&chat, |_| {}).ask(), ended, "{told}");
        assert!(begun.elapsed() >= Duration::from_secs(waited_s), "{told}");
        assert_eq!(chat.asked().len(), asked, "{told}");
    }
}

#[test]
fn what_is_no_answer_is_a_fault_and_is_asked_once() {
    let cases: [(Say, ModelFault); 5] = [
        (Say::Status(500, ""), ModelFault::Http(500)),
        (Say::Status(401, ""), ModelFault::Http(401)),
        (Say::Status(302, "Location: /elsewhere\r\n"), ModelFault::Http(302)),
        (Say::Nonsense, ModelFault::Malformed("the response is not JSON")),
        (Say::Huge(1_025), ModelFault::Malformed("it is too large")),
    ];
    for (say, fault) in cases {
        let chat = Chat::start(move |_, _| say.clone());
        let bench = Bench::new(&chat, |settings| settings.answer_bytes_max = 1_024);
        assert_eq!(bench.ask(), Err(fault));
        assert_eq!(chat.asked().len(), 1, "{fault}");
    }
    let chat = Chat::start(|_, _| Say::Huge(1_024));
    let bench = Bench::new(&chat, |settings| settings.answer_bytes_max = 1_024);
    let fault = bench.ask().expect_err("no JSON");
    assert_eq!(fault, ModelFault::Malformed("the response is not JSON"), "it was read");
}

#[test]
fn what_it_is_not_to_be_asked_for_is_not_sent() {
    let chat = Chat::start(|_, _| Say::Content(yes()));
    let bench = Bench::new(&chat, |settings| settings.uses = vec![Use::Reader]);
    assert_eq!(bench.ask(), Err(ModelFault::Off));
    assert!(bench.model.takes(Use::Reader) && !bench.model.takes(Use::Judge));
    assert!(chat.asked().is_empty());
}

#[test]
fn questions_beyond_the_queue_are_refused_at_once() {
    let chat = Chat::start(|_, _| Say::Stall(Duration::from_millis(800), yes()));
    let bench = Bench::new(&chat, |settings| {
        settings.concurrency_max = 1;
        settings.queue_max = 1;
    });
    let spawn = || {
        let model = Arc::clone(&bench.model);
        let task = bench
            .runtime
            .spawn(async move { model.ask(question(Use::Judge)).await });
        std::thread::sleep(Duration::from_millis(150));
        task
    };
    let (first, second, third) = (spawn(), spawn(), spawn());
    let end =
        |task: tokio::task::JoinHandle<Result<Value, ModelFault>>| bench.runtime.block_on(task).expect("no panic");
    assert_eq!(end(third), Err(ModelFault::Busy));
    assert_eq!((end(first), end(second)), (Ok(yes()), Ok(yes())));
    assert_eq!(chat.asked().len(), 2);
}

#[test]
fn after_faults_in_a_row_it_is_left_alone_for_a_while() {
    let chat = Chat::start(|number, _| {
        if number < 3 {
            Say::Status(500, "")
        } else {
            Say::Content(yes())
        }
    });
    let bench = Bench::new(&chat, |settings| {
        settings.pause_after_faults = 3;
        settings.pause_s = 1;
    });
    for _ in 0..3 {
        assert_eq!(bench.ask(), Err(ModelFault::Http(500)));
    }
    assert_eq!(bench.ask(), Err(ModelFault::Paused));
    assert_eq!(chat.asked().len(), 3);
    std::thread::sleep(Duration::from_millis(1_100));
    assert_eq!(bench.ask(), Ok(yes()));
}

#[test]
fn no_fault_and_no_name_holds_the_key_or_what_was_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("key");
    std::fs::write(&file, "sk-very-secret").expect("written");
    let chat = Chat::start(|_, _| Say::Document(json!({"error": {"message": "bad key sk-very-secret"}})));
    let bench = Bench::new(&chat, |settings| settings.key_file = file.display().to_string());
    let fault = bench.ask().expect_err("an error");
    let told = bench.told.lock().expect("no panic").clone();
    assert!(!format!("{fault} {fault:?} {told:?}").contains("secret"));
}
