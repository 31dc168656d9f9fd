//! One submission: sent under one idempotency key, repaired where every violation says how, and what came of it.

use std::future::Future;
use std::future::IntoFuture;
use std::pin::Pin as Pinned;

use http::HeaderName;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;
use sha2::Digest;
use sha2::Sha256;
use uuid::Uuid;

use crate::cache::TemplateCache;
use crate::error::Error;
use crate::error::Violation;
use crate::pin::Pin;
use crate::repair::repaired;
use crate::template::Template;
use crate::transport::Answer;
use crate::transport::Request;

/// How often one payload is repaired: a repair may bring another violation to light, a third one in a row repairs nothing.
const REPAIRS_MAX: usize = 2;

/// A payload on its way; awaited it is sent.
#[must_use = "a submission that is not awaited is not sent"]
pub struct Submission<'a> {
    cache: &'a TemplateCache,
    payload: Result<Value, serde_json::Error>,
    utterance: Option<String>,
    idempotency_key: Option<String>,
    repair: bool,
}

/// What came of an accepted payload.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub exchange: Exchange,
    /// As it was answered: `payload` as it was understood, or the executor's result.
    pub document: Value,
}

/// How a submission was taken.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Exchange {
    /// Missing where nothing was recorded.
    #[serde(default)]
    pub submission_id: Option<String>,
    #[serde(default)]
    pub schema_id: String,
    #[serde(default)]
    pub revision: u64,
    pub status: String,
    #[serde(default)]
    pub warnings: Vec<Value>,
    /// What the client does not know of the template yet.
    #[serde(default)]
    pub template_change: Option<Value>,
}

impl<'a> Submission<'a> {
    pub(crate) fn new(cache: &'a TemplateCache, payload: Result<Value, serde_json::Error>) -> Submission<'a> {
        Submission {
            cache,
            payload,
            utterance: None,
            idempotency_key: None,
            repair: true,
        }
    }

    /// With what the user said.
    pub fn utterance(self, text: impl Into<String>) -> Self {
        let utterance = Some(text.into());
        Submission { utterance, ..self }
    }

    /// Under the caller's own key instead of a drawn one. A repaired payload is another submission, under a key that is made of this one.
    pub fn idempotency_key(self, key: impl Into<String>) -> Self {
        let idempotency_key = Some(key.into());
        Submission {
            idempotency_key,
            ..self
        }
    }

    /// Whether a payload is repaired where every violation says how; true where nothing is said.
    pub fn repair(self, repair: bool) -> Self {
        Submission { repair, ..self }
    }

    async fn send(self) -> Result<Reply, Error> {
        let mut payload = self.payload.map_err(not_json)?;
        let template = self.cache.template().await?;
        // One key is for one body, which a revision would make another one once the template has moved on.
        let has_revision = self.idempotency_key.is_none() || self.cache.pin == Pin::Exact;
        let mut key = self.idempotency_key.unwrap_or_else(|| Uuid::new_v4().to_string());
        let mut repairs = 0;
        loop {
            let mut body = envelope(self.cache, &template, &payload);
            if let Some(members) = body.as_object_mut().filter(|_| !has_revision) {
                members.remove("revision");
            }
            if let Some(utterance) = &self.utterance {
                body["utterance"] = json!(utterance);
            }
            let request = Request::post("/v1/submissions", body.to_string())
                .with(HeaderName::from_static("idempotency-key"), &key);
            let answer = self.cache.transport.insist(request).await?;
            match judged(self.cache, &template, &answer) {
                Err(Error::InvalidPayload { problem, violations }) if self.repair && repairs < REPAIRS_MAX => {
                    let mended = repaired(&payload, &violations);
                    payload = mended.ok_or(Error::InvalidPayload { problem, violations })?;
                    repairs += 1;
                    key = key_of_repaired(&key);
                }
                ended => return ended,
            }
        }
    }
}

impl<'a> IntoFuture for Submission<'a> {
    type Output = Result<Reply, Error>;
    type IntoFuture = Pinned<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// The idempotency key of a repaired payload, which is another submission: short, and the same where a caller makes the same call again.
fn key_of_repaired(key: &str) -> String {
    let digest = Sha256::digest(format!("{key}/repaired"));
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(digest).for_each(|(byte, own)| *byte = own);
    Uuid::from_bytes(bytes).to_string()
}

/// That a payload cannot be written as JSON.
fn not_json(error: serde_json::Error) -> Error {
    Error::Misused(format!("the payload cannot be written as JSON: {error}"))
}

/// Judges a payload by the template in force; nothing is recorded, and nothing repaired.
pub(crate) async fn validate(cache: &TemplateCache, payload: Result<Value, serde_json::Error>) -> Result<Reply, Error> {
    let payload = payload.map_err(not_json)?;
    let template = cache.template().await?;
    let body = envelope(cache, &template, &payload).to_string();
    let answer = cache
        .transport
        .insist(Request::post("/v1/submissions:validate", body))
        .await?;
    judged(cache, &template, &answer)
}

/// A payload with what it was made by.
fn envelope(cache: &TemplateCache, template: &Template, payload: &Value) -> Value {
    let mut body = json!({"schema_id": template.schema_id, "payload": payload, "revision": template.revision});
    if cache.pin == Pin::Exact {
        body["pinned"] = json!(true);
    }
    body
}

/// Reads what came of a payload, and whether the template is still the one that is held.
fn judged(cache: &TemplateCache, template: &Template, answer: &Answer) -> Result<Reply, Error> {
    let document = answer.json();
    let change = &document["exchange"]["template_change"]["class"];
    if document.get("schema_update_suggestion").is_some() || !(change.is_null() || change == "none") {
        cache.outdate();
    }
    if matches!(answer.status, 200 | 422) {
        cache.heed(&template.schema_id, answer);
    }
    if answer.status == 200 {
        return match Exchange::deserialize(&document["exchange"]) {
            Ok(exchange) => Ok(Reply { exchange, document }),
            Err(error) => Err(answer.unreadable(&error)),
        };
    }
    let problem = answer.problem();
    match problem.code.as_str() {
        "invalid_payload" => {
            let violations: Vec<Violation> = Vec::deserialize(&document["violations"]).unwrap_or_default();
            Err(Error::InvalidPayload { problem, violations })
        }
        "schema_retired" => {
            cache.outdate();
            Err(Error::Stale(problem))
        }
        _ => Err(Error::Refused(problem)),
    }
}

#[cfg(test)]
mod tests {
    use super::key_of_repaired;

    #[test]
    fn the_key_of_a_repaired_payload_is_short_and_of_its_own() {
        // As long as the service takes one.
        let longest = "k".repeat(255);
        let keys = [longest.as_str(), "order-7", "order-7.1"].map(key_of_repaired);
        assert!(keys.iter().all(|key| key.len() == 36), "{keys:?}");
        assert_eq!(keys[0], key_of_repaired(&longest));
        assert!(keys[0] != keys[1] && keys[1] != keys[2] && !keys.contains(&"order-7.1".to_owned()));
    }
}
