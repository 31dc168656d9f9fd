//! One scenario: its template in every form, payloads by it, and its changes.

use std::collections::BTreeMap;
use std::error;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use serde_json::json;

use crate::cache::Form;
use crate::cache::TemplateCache;
use crate::error::Error;
use crate::pin::Pin;
use crate::submission;
use crate::submission::Reply;
use crate::submission::Submission;
use crate::template::Template;
use crate::transport::Transport;
use crate::updates::Changes;
use crate::updates::Follower;
use crate::updates::Update;

/// How long what is held is fresh unless the caller says otherwise.
const MAX_AGE: Duration = Duration::from_secs(30);
/// How often a model is asked for one text.
const FILL_ROUNDS: usize = 3;
/// What a model is told before the text.
const INSTRUCTION: &str = "Call the tool with what the user asks for. Take values from what the user says alone, and say in \
                           `other`, in the user's own words, what no other key holds.";

/// Whose tool definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    OpenAi,
    OpenAiResponses,
    Anthropic,
    Gemini,
    Mcp,
}

impl Tool {
    /// The form of a template that it is.
    pub fn format(self) -> &'static str {
        match self {
            Tool::OpenAi => "openai-tool",
            Tool::OpenAiResponses => "openai-responses-tool",
            Tool::Anthropic => "anthropic-tool",
            Tool::Gemini => "gemini-tool",
            Tool::Mcp => "mcp-tool",
        }
    }
}

/// One scenario of a service. Clones hold the same template.
#[derive(Clone)]
pub struct Scenario {
    cache: TemplateCache,
}

impl Scenario {
    pub(crate) fn new(transport: Transport, name: String) -> Scenario {
        Scenario {
            cache: TemplateCache::new(transport, name, MAX_AGE),
        }
    }

    /// With another pin than [`Pin::Additive`].
    #[must_use]
    pub fn pin(mut self, pin: Pin) -> Scenario {
        self.cache.pin = pin;
        self
    }

    /// With descriptions in this language (BCP 47).
    #[must_use]
    pub fn language(mut self, tag: impl Into<String>) -> Scenario {
        self.cache.language = Some(tag.into());
        self
    }

    /// With or without keys on trial; with them where nothing is said.
    #[must_use]
    pub fn experimental(mut self, experimental: bool) -> Scenario {
        self.cache.experimental = experimental;
        self
    }

    /// How long what is held is not asked for again; 30 s where nothing is said.
    #[must_use]
    pub fn max_age(mut self, max_age: Duration) -> Scenario {
        self.cache.max_age = max_age;
        self
    }

    /// The template in force, as far as the pin takes it.
    ///
    /// # Errors
    /// [`Error::DigestRefused`] where the pin does not take it; else why the service does not give one.
    pub async fn template(&self) -> Result<Arc<Template>, Error> {
        self.cache.template().await
    }

    /// The template in this form, such as `typescript`.
    ///
    /// # Errors
    /// As [`Scenario::template`].
    pub async fn form(&self, format: &str) -> Result<Form, Error> {
        self.cache.form(format).await
    }

    /// What the wording of each key that is held comes to; asks nobody.
    pub fn digests(&self) -> BTreeMap<String, String> {
        self.cache.digests()
    }

    /// Agrees to the template that was refused last.
    pub fn accept(&self) {
        self.cache.accept();
    }

    /// Judges a payload by the template in force; nothing is recorded, and nothing repaired.
    ///
    /// # Errors
    /// [`Error::InvalidPayload`] where it does not fit; else why it was not judged.
    pub async fn validate(&self, payload: impl Serialize) -> Result<Reply, Error> {
        submission::validate(&self.cache, serde_json::to_value(payload)).await
    }

    /// The template as the definition of a tool.
    ///
    /// # Errors
    /// As [`Scenario::template`].
    pub async fn tool(&self, tool: Tool) -> Result<Value, Error> {
        let form = self.form(tool.format()).await?;
        serde_json::from_str(&form.text).map_err(|error| Error::Misused(format!("the tool cannot be read: {error}")))
    }

    /// The template as a text for a prompt (Markdown).
    ///
    /// # Errors
    /// As [`Scenario::template`].
    pub async fn prompt(&self) -> Result<String, Error> {
        Ok(self.form("markdown").await?.text)
    }

    /// Submits a payload: an object by the template's keys. Awaited it is sent, repaired where every violation says how.
    pub fn submit(&self, payload: impl Serialize) -> Submission<'_> {
        Submission::new(&self.cache, serde_json::to_value(payload))
    }

    /// Submits a payload with what no key of it holds, in the user's own words, beside what its `other` says already.
    pub fn other(&self, text: &str, payload: impl Serialize) -> Submission<'_> {
        let joined = serde_json::to_value(payload).map(|mut payload| {
            if let Some(members) = payload.as_object_mut() {
                let other = match members.remove("other") {
                    None | Some(Value::Null) => json!(text),
                    Some(Value::Array(mut said)) => {
                        said.push(json!(text));
                        Value::Array(said)
                    }
                    Some(said) => json!([said, text]),
                };
                members.insert("other".to_owned(), other);
            }
            payload
        });
        Submission::new(&self.cache, joined)
    }

    /// Lets a model fill the template out of a text, and submits what it says. The model is a function of messages (`role` and
    /// `content`) and a tool as OpenAI has it, that gives the tool's arguments. It is told what does not fit, three times at most.
    ///
    /// # Errors
    /// [`Error::Model`] where the function fails, [`Error::InvalidPayload`] where its last arguments do not fit, else as
    /// [`Scenario::submit`].
    pub async fn fill<F, A, E>(&self, text: &str, mut llm: F) -> Result<Reply, Error>
    where
        F: FnMut(Vec<Value>, Value) -> A,
        A: Future<Output = Result<Value, E>>,
        E: Into<Box<dyn error::Error + Send + Sync>>,
    {
        let tool = self.tool(Tool::OpenAi).await?;
        let mut messages = vec![
            json!({"role": "system", "content": INSTRUCTION}),
            json!({"role": "user", "content": text}),
        ];
        let mut round = 0;
        loop {
            round += 1;
            let arguments = llm(messages.clone(), tool.clone()).await;
            let arguments = arguments.map_err(|error| Error::Model(error.into()))?;
            match self.submit(&arguments).utterance(text).await {
                Err(Error::InvalidPayload { violations, .. }) if round < FILL_ROUNDS => {
                    let wrong = violations
                        .iter()
                        .map(|wrong| format!("{}: {}", wrong.pointer, wrong.message));
                    let wrong = wrong.collect::<Vec<_>>().join("\n");
                    messages.push(json!({"role": "assistant", "content": arguments.to_string()}));
                    messages.push(json!({"role": "user", "content": format!("That does not fit. Call the tool again, with this mended:\n{wrong}")}));
                }
                ended => return ended,
            }
        }
    }

    /// Follows the template's changes, one after another, over as many connections as it takes.
    ///
    /// # Errors
    /// The template cannot be fetched, where none is held.
    pub async fn changes(&self) -> Result<Changes, Error> {
        let revision = match self.cache.revision() {
            Some(revision) => revision,
            None => self.template().await?.revision,
        };
        Ok(Changes::new(self.cache.clone(), revision))
    }

    /// Calls back with each change, in the background of the runtime that runs this, until the follower is closed or dropped. An error
    /// is the last that comes: the service refuses to be followed.
    pub fn on_change(&self, mut callback: impl FnMut(Result<Update, Error>) + Send + 'static) -> Follower {
        let scenario = self.clone();
        Follower(tokio::spawn(async move {
            match scenario.changes().await {
                Err(error) => callback(Err(error)),
                Ok(mut changes) => loop {
                    let next = changes.next().await;
                    let is_over = next.is_err();
                    callback(next);
                    if is_over {
                        break;
                    }
                },
            }
        }))
    }
}
