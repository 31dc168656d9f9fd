//! The server agents' executors, called over HTTP (Z-007): within a deadline, with attempts, and no more at once than the
//! settings say.
//!
//! Knows addresses, patience and the form of an answer; nothing of templates' keys or of journals. Invariants: a call ends
//! within its time; it goes to no host that the operator does not allow, and to no inner address but a listed one; neither a
//! token nor anything sent or received stands in a fault, a log line or a metric.

pub mod hosts;

pub mod token;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use backon::BackoffBuilder;
use backon::ExponentialBuilder;
use http::HeaderMap;
use http::Uri;
use http::header::ACCEPT;
use http::header::AUTHORIZATION;
use http::header::CONTENT_TYPE;
use http::header::HeaderName;
use http::header::HeaderValue;
use serde_json::Map;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::adapters::execute::hosts::Barred;
use crate::adapters::execute::hosts::Hosts;
use crate::adapters::execute::token::Tokens;
use crate::adapters::outbound::Answer;
use crate::adapters::outbound::Outbound;
use crate::adapters::outbound::OutboundFault;
use crate::adapters::outbound::breaker::Breaker;
use crate::adapters::outbound::breaker::Standing;
use crate::adapters::outbound::egress_policy::Reach;
use crate::app::ports::Executor;
use crate::app::ports::ExecutorFault;
use crate::app::ports::Order;
use crate::config::agents::Executors as ExecutorSettings;
use crate::wire::percent;
use schema::defect::Defect;
use schema::executor;
use schema::executor::ExecutorSpec;
use schema::json_text;
use store::journal::Promise;

/// The header that every call for one submission bears alike.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The pause before the second attempt, and before any, at least.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_millis(2_500);
/// Addresses whose state is remembered; beyond them those that nobody calls and that are well are forgotten.
const LINES_MAX: usize = 4_096;

/// One executor: who may call it now, and whether it is well.
struct Line {
    turns: Semaphore,
    breaker: Breaker,
}

/// Calls executors over HTTP.
pub struct HttpExecutor {
    settings: ExecutorSettings,
    hosts: Hosts,
    tokens: Tokens,
    /// Of all executors together.
    turns: Semaphore,
    /// By address.
    lines: Mutex<BTreeMap<String, Arc<Line>>>,
    plain: Outbound,
    /// Why there is no https, where there is none.
    public: Result<Outbound, String>,
    inner: Result<Outbound, String>,
}

/// What one attempt brought; a fault comes with the seconds of patience that the executor asks for.
type Attempt = Result<Map<String, Value>, (ExecutorFault, Option<u64>)>;

impl HttpExecutor {
    /// Executors within these settings. Nothing is sent yet.
    pub fn open(settings: &ExecutorSettings) -> Result<HttpExecutor, String> {
        Ok(HttpExecutor {
            hosts: Hosts::read(&settings.hosts, &settings.inner_hosts)?,
            tokens: Tokens::open(&settings.tokens)?,
            turns: Semaphore::new(settings.calls_max),
            lines: Mutex::default(),
            plain: Outbound::plain(Reach::Anywhere)?,
            public: Outbound::https(Reach::Public { loopback: false }),
            inner: Outbound::https(Reach::Anywhere),
            settings: settings.clone(),
        })
    }

    /// How many executors are left alone, and how many are on probation: (open, half open).
    pub fn left_alone(&self) -> (usize, usize) {
        let now = Instant::now();
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let standings = || lines.values().map(|line| line.breaker.standing(now));
        let count = |standing| standings().filter(|found| *found == standing).count();
        (count(Standing::Open), count(Standing::HalfOpen))
    }

    fn line(&self, url: &str) -> Arc<Line> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = lines.get(url) {
            return Arc::clone(line);
        }
        if lines.len() >= LINES_MAX {
            let now = Instant::now();
            lines.retain(|_, line| Arc::strong_count(line) > 1 || line.breaker.standing(now) != Standing::Closed);
        }
        let line = Arc::new(Line {
            turns: Semaphore::new(self.settings.calls_each_max),
            breaker: Breaker::new(
                self.settings.pause_after_faults,
                Duration::from_secs(self.settings.pause_s),
            ),
        });
        lines.insert(url.to_owned(), Arc::clone(&line));
        line
    }

    async fn bounded(&self, order: Order) -> Result<Map<String, Value>, ExecutorFault> {
        let begun = Instant::now();
        let spec = &order.executor;
        let way = self.hosts.way(spec).map_err(|_| ExecutorFault::NotAllowed)?;
        let outbound = match (way, spec.url.starts_with("https://")) {
            (_, false) => Ok(&self.plain),
            (Reach::Public { .. }, true) => self.public.as_ref(),
            (Reach::Anywhere, true) => self.inner.as_ref(),
        };
        let outbound = outbound.map_err(|_| ExecutorFault::Unreachable)?;
        let address: Uri = spec.url.parse().map_err(|_| ExecutorFault::NotAllowed)?;
        let line = self.line(&spec.url);
        let pass = line.breaker.pass(begun).map_err(|left| ExecutorFault::Paused {
            retry_after_s: left.as_secs().max(1),
        })?;
        // Nobody waits for a turn: whoever called can come again, and knows when.
        let _turn = line.turns.try_acquire().map_err(|_| ExecutorFault::Busy)?;
        let _turn_of_all = self.turns.try_acquire().map_err(|_| ExecutorFault::Busy)?;
        let headers = self.headers(&order).ok_or(ExecutorFault::NotAllowed)?;
        let body = serde_json::to_vec(&order.request).unwrap_or_default();
        let call = Call {
            outbound,
            address,
            headers,
            body,
            answer_bytes_max: self.settings.answer_bytes_max,
            attempt_timeout: Duration::from_millis(spec.attempt_timeout_ms),
            deadline: begun + Duration::from_millis(spec.timeout_ms.min(self.settings.timeout_ms_max)),
        };
        let outcome = self
            .attempts(&call, spec.attempts.min(self.settings.attempts_max))
            .await;
        match &outcome {
            // It is there and answers; what it says is another matter.
            Ok(_) | Err(ExecutorFault::Malformed(_)) => pass.answered(),
            Err(ExecutorFault::Status(status)) if *status < 500 && *status != 429 => pass.answered(),
            Err(
                ExecutorFault::Status(_) | ExecutorFault::TimedOut | ExecutorFault::Unreachable | ExecutorFault::Cut,
            ) => {
                if pass.failed(Instant::now()) {
                    tracing::warn!(host = spec.place(), "an executor is left alone for a while");
                }
            }
            Err(ExecutorFault::Busy | ExecutorFault::Paused { .. } | ExecutorFault::NotAllowed) => drop(pass),
        }
        outcome
    }

    fn headers(&self, order: &Order) -> Option<HeaderMap> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        // A scenario's name may hold letters that no header does.
        headers.insert(
            IDEMPOTENCY_KEY,
            HeaderValue::from_str(&percent::header(&order.request.submission_id)).ok()?,
        );
        if let Some(token) = self.tokens.of(&order.executor) {
            headers.insert(AUTHORIZATION, token.clone());
        }
        Some(headers)
    }

    async fn attempts(&self, call: &Call<'_>, attempts: u64) -> Result<Map<String, Value>, ExecutorFault> {
        let mut number = 1;
        let mut came_through = None;
        // With its jitter each pause is as long again at most: calls that failed at one moment do not come back at one.
        let pauses = ExponentialBuilder::default()
            .with_min_delay(FIRST_PAUSE)
            .with_max_delay(LONGEST_PAUSE);
        let mut pauses = pauses.with_jitter().without_max_times().build();
        loop {
            let (fault, asked_s) = match call.attempt().await {
                Ok(result) => return Ok(result),
                Err(fault) => fault,
            };
            if fault != ExecutorFault::Unreachable {
                came_through = Some(fault);
            }
            // That the last attempt reached nobody says nothing of one before it that did.
            let outcome = Err(came_through.unwrap_or(fault));
            let again = match fault {
                ExecutorFault::Unreachable | ExecutorFault::Cut | ExecutorFault::TimedOut => true,
                ExecutorFault::Status(status) => matches!(status, 429 | 502 | 503 | 504),
                ExecutorFault::Busy
                | ExecutorFault::Paused { .. }
                | ExecutorFault::NotAllowed
                | ExecutorFault::Malformed(_) => false,
            };
            if !again || number >= attempts {
                return outcome;
            }
            let asked = Duration::from_secs(asked_s.unwrap_or_default());
            let wait = pauses.next().unwrap_or(LONGEST_PAUSE).max(asked);
            if call.deadline.saturating_duration_since(Instant::now()) <= wait {
                return outcome;
            }
            tokio::time::sleep(wait).await;
            number += 1;
        }
    }
}

/// What every attempt of one call has in common.
struct Call<'a> {
    outbound: &'a Outbound,
    address: Uri,
    headers: HeaderMap,
    body: Vec<u8>,
    answer_bytes_max: usize,
    attempt_timeout: Duration,
    deadline: Instant,
}

impl Call<'_> {
    async fn attempt(&self) -> Attempt {
        let until = self.deadline.min(Instant::now() + self.attempt_timeout);
        let posted = self.outbound.post(
            &self.address,
            self.headers.clone(),
            self.body.clone(),
            self.answer_bytes_max,
        );
        match tokio::time::timeout_at(until, posted).await {
            Err(_) => Err((ExecutorFault::TimedOut, None)),
            Ok(Ok(answer)) => read(&answer),
            Ok(Err(OutboundFault::Unreachable)) => Err((ExecutorFault::Unreachable, None)),
            Ok(Err(OutboundFault::Inner)) => Err((ExecutorFault::NotAllowed, None)),
            Ok(Err(OutboundFault::Cut)) => Err((ExecutorFault::Cut, None)),
            Ok(Err(OutboundFault::TooLarge)) => Err((ExecutorFault::Malformed("it is too large"), None)),
        }
    }
}

/// The result in an answer: an object of JSON, said to be so.
fn read(answer: &Answer) -> Attempt {
    if !(200..300).contains(&answer.status) {
        return Err((ExecutorFault::Status(answer.status), answer.retry_after_s));
    }
    let malformed = |what| Err((ExecutorFault::Malformed(what), None));
    let kind = answer.content_type.as_deref().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if kind != "application/json" && !(kind.starts_with("application/") && kind.ends_with("+json")) {
        return malformed("its Content-Type is not application/json");
    }
    if json_text::check_depth(&answer.body).is_err() {
        return malformed("it nests too deep");
    }
    match serde_json::from_slice(&answer.body) {
        Ok(Value::Object(result)) => {
            // Of two members of one name a reader takes the first and another the last: which one is meant is not known.
            let text = std::str::from_utf8(&answer.body).unwrap_or_default();
            if json_text::repeated(text).is_empty() {
                return Ok(result);
            }
            malformed("it has a member twice in one object")
        }
        Ok(_) => malformed("it is not a JSON object"),
        Err(_) => malformed("it is not JSON"),
    }
}

impl Executor for HttpExecutor {
    fn objections(&self, spec: &ExecutorSpec) -> Vec<Defect> {
        let mut found = Vec::new();
        let mut object = |member: &str, message: String| found.push(executor::defect(member, message));
        let limits = [
            ("timeout_ms", spec.timeout_ms, self.settings.timeout_ms_max, "ms"),
            ("attempts", spec.attempts, self.settings.attempts_max, "attempts"),
        ];
        for (member, wanted, max, unit) in limits {
            if wanted > max {
                let what = format!("this service allows at most {max} {unit} (executors.{member}_max)");
                object(member, what);
            }
        }
        let barred = match self.hosts.way(spec) {
            Ok(_) => None,
            Err(Barred::NotListed) => Some("this service calls only hosts that its operator lists (executors.hosts)"),
            Err(Barred::Inner) => Some(
                "this host lies inside, and this service calls it only where its operator lists it (executors.inner_hosts)",
            ),
        };
        let no_address = spec.url.parse::<Uri>().is_err().then_some("`url` is no address");
        for what in [barred, no_address].into_iter().flatten() {
            object("url", what.to_owned());
        }
        found
    }

    fn execute(&self, order: Order) -> Promise<'_, Result<Map<String, Value>, ExecutorFault>> {
        Box::pin(self.bounded(order))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ExecutorFault;
    use super::HttpExecutor;
    use super::read;
    use crate::adapters::outbound::Answer;
    use crate::app::ports::Executor;
    use crate::config::agents::Executors;
    use schema::executor::ExecutorSpec;
    use schema::json_text::DEPTH_MAX;

    fn answer(status: u16, kind: Option<&str>, body: &str) -> Answer {
        Answer {
            status,
            retry_after_s: Some(3),
            content_type: kind.map(str::to_owned),
            body: body.as_bytes().to_vec(),
        }
    }

    #[test]
    fn a_result_is_an_object_of_json_that_is_said_to_be_so_z007() {
        for kind in [
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/problem+json",
        ] {
            assert!(read(&answer(200, Some(kind), "{}")).is_ok(), "{kind}");
        }
        let deep = format!("{{\"a\": {}{}}}", "[".repeat(DEPTH_MAX), "]".repeat(DEPTH_MAX));
        for (kind, body) in [
            (None, "{}"),
            (Some("text/html"), "{}"),
            (Some("text/json"), "{}"),
            (Some("application/json"), "[]"),
            (Some("application/json"), "\"x\""),
            (Some("application/json"), "{} {}"),
            (Some("application/json"), ""),
            (Some("application/json"), deep.as_str()),
            (Some("application/json"), r#"{"ticket": "a", "ticket": "b"}"#),
            (Some("application/json"), r#"{"of": [{"a": 1, "\u0061": 2}]}"#),
        ] {
            let fault = read(&answer(201, kind, body)).expect_err(body);
            assert!(matches!(fault, (ExecutorFault::Malformed(_), None)), "{fault:?}");
        }
        for status in [199, 300, 302, 400, 503] {
            let fault = read(&answer(status, Some("application/json"), "{}")).expect_err("no success");
            assert_eq!(fault, (ExecutorFault::Status(status), Some(3)));
        }
    }

    #[test]
    fn what_is_beyond_the_settings_cannot_be_published_z007() {
        let settings = Executors {
            timeout_ms_max: 5_000,
            attempts_max: 2,
            inner_hosts: vec!["127.0.0.1:9".to_owned()],
            ..Executors::default()
        };
        let executor = HttpExecutor::open(&settings).expect("an executor");
        let objections = |document: &serde_json::Value| {
            let document = json!({ "executor": document });
            let spec = ExecutorSpec::of(document.as_object().expect("an object")).expect("an executor");
            let found = executor.objections(&spec);
            found.into_iter().map(|defect| defect.pointer).collect::<Vec<_>>()
        };
        let nothing: Vec<String> = Vec::new();
        let near = json!({"url": "http://127.0.0.1:9/", "timeout_ms": 5_000, "attempts": 2});
        assert_eq!(objections(&near), nothing);
        let far = json!({"url": "http://127.0.0.1:8/", "timeout_ms": 5_001, "attempts": 3});
        assert_eq!(
            objections(&far),
            ["/executor/timeout_ms", "/executor/attempts", "/executor/url"]
        );
    }
}
