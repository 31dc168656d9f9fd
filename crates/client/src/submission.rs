//! One submission: sent under one idempotency key, repaired where every violation has a lossless repair, and its outcome.

use std::error;

use http::Method;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;
use serde_json::json;
use sha2::Digest;
use sha2::Sha256;
use uuid::Uuid;

use crate::error::Error;
use crate::error::Violation;
use crate::error::lines;
use crate::scenario::Scenario;
use crate::scenario::Tool;
use crate::template::Pin;
use crate::transport::Answer;

/// How often one payload is repaired: a repair may bring another violation to light, a third one in a row repairs nothing.
const REPAIRS_MAX: usize = 2;

/// Bytes of JSON that a copied value may take: copies of copies would grow without an end.
const COPIED_BYTES_MAX: usize = 1 << 20;
/// The beginning of an idempotency key that serves the client's own retries.
const GENERATED: &str = "generated:";

/// How often a model is asked for one text.
const FILL_ROUNDS: usize = 3;
/// What a model is told before the text.
const INSTRUCTION: &str = "Call the tool with what the user asks for. Take values from what the user says alone, and say in \
                           `other`, in the user's own words, what no other key holds.";

/// How a payload is submitted.
#[derive(Clone, Debug, Default)]
pub struct Submit {
    /// What the user said.
    pub utterance: Option<String>,
    /// The caller's own, kept as long as the service keeps keys. Without one a key is generated, which is kept ten minutes: enough for the
    /// retries of one call. A repaired payload is another submission, under a key that is derived from this one.
    pub idempotency_key: Option<String>,
    /// The repairs that are applied without asking.
    pub repairs: Repairs,
}

/// The repairs of a refused payload that are applied, where every violation has one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repairs {
    /// Those that lose and guess nothing.
    #[default]
    Lossless,
    /// Also those that may lose something of what was written.
    All,
    None,
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
    pub submission_id: Option<String>,
    pub status: String,
}

impl Scenario {
    /// Judges a payload by the template in force; nothing is recorded, and nothing repaired. Fails as [`Scenario::submit`] does.
    pub async fn validate(&self, payload: impl Serialize) -> Result<Reply, Error> {
        send(self, serde_json::to_value(payload), Submit::default(), false).await
    }

    /// Submits a payload: an object by the template's keys. It is repaired where every violation has a lossless repair.
    /// Fails with [`Error::InvalidPayload`] where it does not fit.
    pub async fn submit(&self, payload: impl Serialize, submit: Submit) -> Result<Reply, Error> {
        send(self, serde_json::to_value(payload), submit, true).await
    }

    /// Submits a payload with what no key of it holds, in the user's own words, beside what its `other` says already.
    pub async fn other(&self, text: &str, payload: impl Serialize, submit: Submit) -> Result<Reply, Error> {
        let mut payload = serde_json::to_value(payload);
        if let Ok(Value::Object(members)) = &mut payload {
            let other = match members.remove("other").unwrap_or_default() {
                Value::Null => json!(text),
                Value::Array(said) => said.into_iter().chain([json!(text)]).collect(),
                said => json!([said, text]),
            };
            members.insert("other".to_owned(), other);
        }
        send(self, payload, submit, true).await
    }

    /// Lets a model fill the template out of a text, and submits what it says. The model is a function of messages (`role` and
    /// `content`) and a tool as OpenAI has it, that gives the tool's arguments. It is told what does not fit, three times at most.
    /// Fails with [`Error::Model`] where the function does.
    pub async fn fill<E: Into<Box<dyn error::Error + Send + Sync>>>(
        &self,
        text: &str,
        mut llm: impl AsyncFnMut(Vec<Value>, Value) -> Result<Value, E>,
    ) -> Result<Reply, Error> {
        let spoken = Submit {
            utterance: Some(text.to_owned()),
            ..Submit::default()
        };
        let tool = self.tool(Tool::Openai).await?;
        let message = |role: &str, content: &str| json!({"role": role, "content": content});
        let mut messages = vec![message("system", INSTRUCTION), message("user", text)];
        let mut round = 0;
        loop {
            round += 1;
            let arguments = llm(messages.clone(), tool.clone()).await;
            let arguments = arguments.map_err(|error| Error::Model(error.into()))?;
            match self.submit(&arguments, spoken.clone()).await {
                Err(Error::InvalidPayload { violations, .. }) if round < FILL_ROUNDS => {
                    let wrong = lines(&violations);
                    let wrong = format!("That does not fit. Call the tool again, with this mended:\n{wrong}");
                    messages.push(message("assistant", &arguments.to_string()));
                    messages.push(message("user", &wrong));
                }
                ended => return ended,
            }
        }
    }
}

/// Sends a payload to be recorded, or to be judged alone.
async fn send(
    scenario: &Scenario,
    payload: Result<Value, serde_json::Error>,
    submit: Submit,
    is_recorded: bool,
) -> Result<Reply, Error> {
    let not_json = |error| Error::Misused(format!("the payload cannot be written as JSON: {error}"));
    let mut payload = payload.map_err(not_json)?;
    let template = scenario.template().await?;
    let pinned = scenario.pin == Pin::Exact;
    // One key is for one body, which a revision would make another one once the template has moved on.
    let revision = (submit.idempotency_key.is_none() || pinned).then_some(template.revision);
    let mut key = submit
        .idempotency_key
        .unwrap_or_else(|| format!("{GENERATED}{}", Uuid::new_v4()));
    let (may_repair, mut repairs) = (is_recorded && submit.repairs != Repairs::None, 0);
    loop {
        let (schema_id, utterance) = (&template.schema_id, &submit.utterance);
        // To the service, null is the same as absent.
        let body = json!({"schema_id": schema_id, "payload": payload, "revision": revision, "pinned": pinned.then_some(true), "utterance": utterance});
        let (path, transport) = ("/v1/submissions", &scenario.transport);
        let request = match is_recorded {
            true => transport
                .send(Method::POST, path, body.to_string())
                .header("Idempotency-Key", &key),
            false => transport.send(Method::POST, &format!("{path}:validate"), body.to_string()),
        };
        let answer = transport.insist(request).await?;
        match judged(scenario, schema_id, &answer) {
            Err(Error::InvalidPayload { problem, violations }) if may_repair && repairs < REPAIRS_MAX => {
                let mended = repaired(&payload, &violations, submit.repairs);
                payload = mended.ok_or(Error::InvalidPayload { problem, violations })?;
                repairs += 1;
                key = key_of_repaired(&key);
            }
            ended => return ended,
        }
    }
}

/// The idempotency key of a repaired payload, which is another submission: short, kept as long as the first one, and the same where a
/// caller makes the same call again.
fn key_of_repaired(key: &str) -> String {
    let digest = Sha256::digest(format!("{key}/repaired"));
    let class = if key.starts_with(GENERATED) { GENERATED } else { "" };
    format!("{class}{}", Uuid::from_slice(&digest[..16]).unwrap_or_default())
}

/// The payload with every violation mended; `None` where one has no repair that may be applied, or a repair does not fit.
fn repaired(payload: &Value, violations: &[Violation], repairs: Repairs) -> Option<Value> {
    let mut document = json!({ "payload": payload });
    for violation in violations {
        let steps = violation
            .repair
            .as_ref()?
            .as_array()
            .filter(|steps| !steps.is_empty())?;
        if repairs != Repairs::All && steps.iter().any(|step| step["lossless"] != true) {
            return None;
        }
        for step in steps {
            let copied = step["from"].as_str().filter(|_| step["op"] == "copy");
            let copied = copied.and_then(|from| document.pointer(from));
            if copied.is_some_and(|value| value.to_string().len() > COPIED_BYTES_MAX) {
                return None;
            }
            let step = serde_json::from_value::<json_patch::PatchOperation>(step.clone()).ok()?;
            json_patch::patch(&mut document, &[step]).ok()?;
        }
    }
    let mended = document.get_mut("payload").map(Value::take);
    mended.filter(|mended| !violations.is_empty() && mended.is_object())
}

/// Reads what came of a payload, and what it says of the template that is held.
fn judged(scenario: &Scenario, schema_id: &str, answer: &Answer) -> Result<Reply, Error> {
    let document = answer.json();
    let change = document["exchange"]["template_change"]["class"].as_str();
    let problem = answer.problem();
    let is_retired = problem.code() == "schema_retired";
    if is_retired || !document["schema_update_suggestion"].is_null() || change.is_some_and(|class| class != "none") {
        scenario.outdate();
    }
    if matches!(answer.status, 200 | 422) {
        scenario.heed(schema_id, answer);
    }
    match problem.code() {
        _ if answer.status == 200 => match Exchange::deserialize(&document["exchange"]) {
            Ok(exchange) => Ok(Reply { exchange, document }),
            Err(error) => Err(answer.unreadable(&error)),
        },
        "invalid_payload" => Err(Error::InvalidPayload {
            violations: Vec::deserialize(&document["violations"]).unwrap_or_default(),
            problem,
        }),
        _ if is_retired => Err(Error::Stale(problem)),
        _ => Err(Error::Refused(problem)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Repairs;
    use super::key_of_repaired;
    use super::repaired;
    use crate::error::Violation;

    #[test]
    fn the_key_of_a_repaired_payload_is_short_and_of_its_own() {
        // As long as the service takes one.
        let longest = "k".repeat(255);
        let keys = [longest.as_str(), "order-7", "order-7.1"].map(key_of_repaired);
        assert!(keys.iter().all(|key| key.len() == 36), "{keys:?}");
        assert_eq!(keys[0], key_of_repaired(&longest));
        assert!(keys[0] != keys[1] && keys[1] != keys[2] && !keys.contains(&"order-7.1".to_owned()));
        let generated = key_of_repaired("generated:9f1c6a1e-2c35-4a31-8f6f-0d6a3c1f5b77");
        assert!(generated.starts_with("generated:") && generated.len() == 46);
    }

    #[test]
    fn repairs_that_multiply_a_value_are_none() {
        let copy =
            |n: usize| json!({"op": "copy", "from": "/payload", "path": format!("/payload/x{n}"), "lossless": true});
        let violation = Violation {
            repair: Some((0..60).map(copy).collect()),
            ..Violation::default()
        };
        let payload = json!({"a": "b".repeat(1_000)});
        assert!(repaired(&payload, &[violation], Repairs::All).is_none());
    }
}
