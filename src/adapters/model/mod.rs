//! A language model at the other end of an OpenAI-compatible address: asked one question at a time, within bounds of time,
//! money and patience.
//!
//! Owns the queue, the deadline, the second attempt, the pause after faults and the budget of the day. Knows nothing of
//! keys, clusters or judgements. Invariants: a question ends within its time; nothing goes out that the budget does not
//! hold; neither the bearer key nor anything sent or received stands in a fault, a log line or a metric.

pub mod budget;

pub mod protocol;

use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use http::Uri;
use http::header::AUTHORIZATION;
use http::header::CONTENT_TYPE;
use http::header::HeaderValue;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::adapters::model::budget::Budget;
use crate::adapters::outbound::Answer;
use crate::adapters::outbound::Outbound;
use crate::adapters::outbound::OutboundFault;
use crate::adapters::outbound::bearer::Place;
use crate::adapters::outbound::breaker::Breaker;
use crate::adapters::outbound::egress_policy::Reach;
use crate::app::ports::Clock;
use crate::app::ports::Model;
use crate::app::ports::ModelFault;
use crate::config::agents::Model as ModelSettings;
use crate::config::endpoint;
use schema::question::Question;
use schema::question::Use;
use store::journal::Promise;

/// How long is waited before the second attempt where the server does not say.
const RETRY_AFTER_S: u64 = 1;
/// Bytes of a question for one token, at least: what a question may cost is never guessed too low for long.
const BYTES_PER_TOKEN: u64 = 3;

/// How many times as long as another answer a reader's may be: some 350 fragments and ten wishes take 4,000 to 6,000 tokens.
const READER_ANSWERS: u64 = 8;

/// What one attempt brought; a fault comes with the seconds of patience that the server asks for.
type Attempt = Result<Value, (ModelFault, Option<u64>)>;

/// What is told of each question when it has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Told {
    pub purpose: Use,
    /// `answered`, or the kind of fault.
    pub outcome: &'static str,
    pub seconds: f64,
    /// As the server counted them.
    pub tokens: u64,
}

/// Is told of each question. Must not block.
pub type OnAsked = Box<dyn Fn(Told) + Send + Sync>;

/// A model behind an OpenAI-compatible address.
pub struct ChatModel {
    settings: ModelSettings,
    address: Uri,
    authorization: Option<HeaderValue>,
    outbound: Outbound,
    /// Questions that are asked or wait to be.
    room: Semaphore,
    turns: Semaphore,
    breaker: Breaker,
    budget: Arc<Budget>,
    clock: Arc<dyn Clock>,
    on_asked: OnAsked,
}

impl ChatModel {
    /// A model as the settings name it. Nothing is sent yet.
    ///
    /// # Errors
    /// What is missing, in a sentence: the key, or the certificates that https is checked with.
    pub fn open(
        settings: &ModelSettings,
        budget: Arc<Budget>,
        clock: Arc<dyn Clock>,
        on_asked: OnAsked,
    ) -> Result<ChatModel, String> {
        let base = endpoint::parse(&settings.url).map_err(|what| format!("model.url must {what}"))?;
        let address = format!("{}{}", settings.url.trim_end_matches('/'), protocol::PATH)
            .parse()
            .map_err(|_| "model.url is no address".to_owned())?;
        let secure = base.scheme_str() == Some("https");
        let outbound = if secure { Outbound::https } else { Outbound::plain };
        Ok(ChatModel {
            address,
            authorization: authorization(settings)?,
            outbound: outbound(Reach::Anywhere)?,
            room: Semaphore::new(settings.concurrency_max + settings.queue_max),
            turns: Semaphore::new(settings.concurrency_max),
            breaker: Breaker::new(settings.pause_after_faults, Duration::from_secs(settings.pause_s)),
            budget,
            clock,
            on_asked,
            settings: settings.clone(),
        })
    }

    async fn ended(&self, question: Question) -> Result<Value, ModelFault> {
        let (purpose, begun) = (question.for_use, Instant::now());
        let deadline = begun + Duration::from_secs(self.settings.timeout_s);
        let mut tokens = 0;
        let outcome = self.bounded(&question, deadline, &mut tokens).await;
        (self.on_asked)(Told {
            purpose,
            outcome: outcome.as_ref().map_or_else(|fault| kind(*fault), |_| "answered"),
            seconds: begun.elapsed().as_secs_f64(),
            tokens,
        });
        outcome
    }

    async fn bounded(&self, question: &Question, deadline: Instant, tokens: &mut u64) -> Result<Value, ModelFault> {
        if !self.takes(question.for_use) {
            return Err(ModelFault::Off);
        }
        let _room = self.room.try_acquire().map_err(|_| ModelFault::Busy)?;
        let turn = tokio::time::timeout_at(deadline, self.turns.acquire()).await;
        let _turn = turn.map_err(|_| ModelFault::Busy)?.map_err(|_| ModelFault::Busy)?;
        // A pause may have begun while it waited.
        let pass = self.breaker.pass(Instant::now()).map_err(|_| ModelFault::Paused)?;
        let attempts = self.attempts(question, deadline, tokens);
        let outcome = tokio::time::timeout_at(deadline, attempts)
            .await
            .unwrap_or(Err(ModelFault::Timeout));
        match outcome {
            Ok(_) | Err(ModelFault::Refused) => pass.answered(),
            Err(ModelFault::Off | ModelFault::Busy | ModelFault::Budget | ModelFault::Paused) => drop(pass),
            Err(
                fault
                @ (ModelFault::Timeout | ModelFault::Unreachable | ModelFault::Http(_) | ModelFault::Malformed(_)),
            ) => {
                if pass.failed(Instant::now()) {
                    let model = &self.settings.name;
                    tracing::warn!(%model, %fault, "the model is left alone for a while; the rules decide");
                }
            }
        }
        outcome
    }

    /// One attempt, and a second where the server asks for patience or cannot be reached and there is time for it.
    async fn attempts(&self, question: &Question, deadline: Instant, tokens: &mut u64) -> Result<Value, ModelFault> {
        let body = protocol::request(self.name(), question, self.answer_tokens(question.for_use));
        let first = self.attempt(question, body.clone(), tokens).await;
        let (fault, wait_s) = match first {
            Err((fault @ (ModelFault::Http(429 | 503) | ModelFault::Unreachable), wait_s)) => {
                (fault, wait_s.unwrap_or(RETRY_AFTER_S))
            }
            Err((fault, _)) => return Err(fault),
            Ok(answer) => return Ok(answer),
        };
        let wait = Duration::from_secs(wait_s);
        if deadline.saturating_duration_since(Instant::now()) <= wait {
            return Err(fault);
        }
        tokio::time::sleep(wait).await;
        self.attempt(question, body, tokens).await.map_err(|(fault, _)| fault)
    }

    /// What an answer may cost: a reader's names the fragments of many wishes, a judge's says a word.
    fn answer_tokens(&self, purpose: Use) -> u64 {
        match purpose {
            Use::Judge => self.settings.answer_tokens_max,
            Use::Reader => self.settings.answer_tokens_max.saturating_mul(READER_ANSWERS),
        }
    }

    async fn attempt(&self, question: &Question, body: Vec<u8>, tokens: &mut u64) -> Attempt {
        let expected = (body.len() as u64)
            .div_ceil(BYTES_PER_TOKEN)
            .saturating_add(self.answer_tokens(question.for_use));
        let share = match question.for_use {
            Use::Judge => self.settings.judge_budget_share,
            Use::Reader => 1.0,
        };
        let (budget, now) = (Arc::clone(&self.budget), self.clock.now());
        // The budget is noted on disk before anything goes out. Where this future is dropped, the reservation stands.
        let reserved = tokio::task::spawn_blocking(move || budget.reserve(expected, share, now)).await;
        let reserved = reserved.ok().flatten().ok_or((ModelFault::Budget, None))?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(authorization) = &self.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        let posted = self
            .outbound
            .post(&self.address, headers, body, self.settings.answer_bytes_max)
            .await;
        let (outcome, cost) = self.read(posted, &question.schema);
        if let Some(cost) = cost {
            *tokens += cost;
            let (budget, now) = (Arc::clone(&self.budget), self.clock.now());
            let _ = tokio::task::spawn_blocking(move || budget.settle(reserved, cost, now)).await;
        }
        outcome
    }

    /// What came of an attempt, and its cost where that is known; what was reserved stands where it is not.
    fn read(&self, posted: Result<Answer, OutboundFault>, schema: &Value) -> (Attempt, Option<u64>) {
        match posted {
            Ok(answer) if (200..300).contains(&answer.status) => {
                let read = protocol::response(&answer.body, schema);
                (read.answer.map_err(|fault| (fault, None)), read.tokens)
            }
            Ok(answer) => (Err((ModelFault::Http(answer.status), answer.retry_after_s)), Some(0)),
            Err(OutboundFault::Unreachable | OutboundFault::Inner) => (Err((ModelFault::Unreachable, None)), Some(0)),
            Err(OutboundFault::Cut) => (Err((ModelFault::Unreachable, None)), None),
            Err(OutboundFault::TooLarge) => (Err((ModelFault::Malformed("it is too large"), None)), None),
        }
    }
}

impl Model for ChatModel {
    fn name(&self) -> &str {
        self.settings.name.trim()
    }

    fn takes(&self, purpose: Use) -> bool {
        self.settings.uses.contains(&purpose)
    }

    fn ask(&self, question: Question) -> Promise<'_, Result<Value, ModelFault>> {
        Box::pin(self.ended(question))
    }
}

/// The header with the key that the model's server wants; `None` where the settings name no place of one.
fn authorization(settings: &ModelSettings) -> Result<Option<HeaderValue>, String> {
    let (place, setting) = if !settings.key_env.is_empty() {
        (Place::Environment(settings.key_env.clone()), "model.key_env")
    } else if !settings.key_file.is_empty() {
        (Place::File(settings.key_file.clone()), "model.key_file")
    } else {
        return Ok(None);
    };
    let value = place.authorization();
    value.map(Some).map_err(|why| format!("{setting}: {why}"))
}

/// The kind of a fault, as a label.
fn kind(fault: ModelFault) -> &'static str {
    match fault {
        ModelFault::Off => "off",
        ModelFault::Busy => "busy",
        ModelFault::Budget => "budget",
        ModelFault::Paused => "paused",
        ModelFault::Timeout => "timeout",
        ModelFault::Unreachable => "unreachable",
        ModelFault::Http(_) => "http",
        ModelFault::Refused => "refused",
        ModelFault::Malformed(_) => "malformed",
    }
}
