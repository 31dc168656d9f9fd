//! One scenario: its template and the forms of it, held as long as they are fresh and taken as the pin says.

use std::collections::BTreeMap;
use std::error;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::time::Duration;

use http::header::IF_NONE_MATCH;
use serde::Serialize;
use serde_json::Value;
use serde_json::json;
use tokio::time::Instant;

use crate::address::query;
use crate::address::segment;
use crate::error::Error;
use crate::pin::Agreed;
use crate::pin::Pin;
use crate::submission::Reply;
use crate::submission::Submission;
use crate::template::Template;
use crate::transport::Answer;
use crate::transport::Request;
use crate::transport::Transport;
use crate::updates::Follower;
use crate::updates::Stream;
use crate::updates::Told;
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
    pub(crate) transport: Transport,
    name: String,
    pub(crate) pin: Pin,
    language: Option<String>,
    experimental: bool,
    max_age: Duration,
    state: Arc<Mutex<State>>,
}

/// What is held.
#[derive(Default)]
struct State {
    held: Option<Held>,
    /// What came since and is not taken, and the keys to blame.
    refused: Option<(Held, Vec<String>)>,
    /// When the service was asked; `None` where what is held is known to be outdated.
    asked_at: Option<Instant>,
    forms: BTreeMap<String, HeldForm>,
}

struct Held {
    template: Arc<Template>,
    agreed: Agreed,
    etag: Option<String>,
    digest: Option<String>,
}

/// A template in one form, and which template that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    pub text: String,
    pub schema_id: String,
    pub version: String,
    pub revision: u64,
    /// What the wording of all its keys comes to, where the service says it.
    pub digest: Option<String>,
}

struct HeldForm {
    form: Form,
    etag: Option<String>,
    asked_at: Option<Instant>,
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario")
            .field("name", &self.name)
            .field("pin", &self.pin)
            .finish_non_exhaustive()
    }
}

impl Scenario {
    pub(crate) fn new(transport: Transport, name: String) -> Scenario {
        Scenario {
            transport,
            name,
            pin: Pin::default(),
            language: None,
            experimental: true,
            max_age: MAX_AGE,
            state: Arc::default(),
        }
    }

    /// With another pin than [`Pin::Additive`].
    #[must_use]
    pub fn pin(self, pin: Pin) -> Scenario {
        Scenario { pin, ..self }
    }

    /// With descriptions in this language (BCP 47).
    #[must_use]
    pub fn language(self, tag: impl Into<String>) -> Scenario {
        let language = Some(tag.into());
        Scenario { language, ..self }
    }

    /// With or without keys on trial; with them where nothing is said.
    #[must_use]
    pub fn experimental(self, experimental: bool) -> Scenario {
        Scenario { experimental, ..self }
    }

    /// How long what is held is not asked for again; 30 s where nothing is said.
    #[must_use]
    pub fn max_age(self, max_age: Duration) -> Scenario {
        Scenario { max_age, ..self }
    }

    /// The template in force, as far as the pin takes it.
    ///
    /// # Errors
    /// [`Error::DigestRefused`] where the pin does not take it; else why the service does not give one.
    pub async fn template(&self) -> Result<Arc<Template>, Error> {
        match self.held_fresh() {
            Some(held) => held,
            None => self.fetch().await,
        }
    }

    /// The template in this form, such as `typescript`.
    ///
    /// # Errors
    /// As [`Scenario::template`].
    pub async fn form(&self, format: &str) -> Result<Form, Error> {
        let mut template = self.template().await?;
        let etag = {
            let state = self.state();
            let held = state.forms.get(format);
            match held.filter(|held| self.is_fresh(held.asked_at)) {
                Some(held) => return Ok(held.form.clone()),
                None => held.and_then(|held| held.etag.clone()),
            }
        };
        let answer = self.ask(Some(format), etag.as_deref()).await?;
        let digest = answer.header("otherwise-digest");
        let is_of_other = {
            let state = self.state();
            let held = state.held.as_ref().and_then(|held| held.digest.as_deref());
            digest.is_some() && held.is_some() && digest != held
        };
        if is_of_other {
            template = self.fetch().await?;
        }
        let mut state = self.state();
        let form = match (answer.status, state.forms.get(format)) {
            (304, Some(held)) => held.form.clone(),
            _ => {
                let named = |name: &str, held: &str| answer.header(name).unwrap_or(held).to_owned();
                let revision = answer
                    .header("otherwise-revision")
                    .and_then(|revision| revision.parse().ok());
                Form {
                    text: answer.text(),
                    schema_id: named("otherwise-schema-id", &template.schema_id),
                    version: named("otherwise-version", &template.version),
                    revision: revision.unwrap_or(template.revision),
                    digest: digest.map(str::to_owned),
                }
            }
        };
        let held = HeldForm {
            form: form.clone(),
            etag: answer.header("etag").map(str::to_owned),
            asked_at: Some(Instant::now()),
        };
        state.forms.insert(format.to_owned(), held);
        Ok(form)
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

    /// What the wording of each key that is held comes to; asks nobody.
    pub fn digests(&self) -> BTreeMap<String, String> {
        let state = self.state();
        let held = state.held.as_ref().map(|held| held.template.key_digests.clone());
        held.unwrap_or_default()
    }

    /// Agrees to the template that was refused last.
    pub fn accept(&self) {
        let mut state = self.state();
        if let Some((held, _)) = state.refused.take() {
            state.held = Some(held);
        }
    }

    /// Submits a payload: an object by the template's keys. Awaited it is sent, repaired where every violation says how.
    pub fn submit(&self, payload: impl Serialize) -> Submission<'_> {
        Submission::new(self, serde_json::to_value(payload))
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
        Submission::new(self, joined)
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
        let held = self.state().held.as_ref().map(|held| held.template.revision);
        let revision = match held {
            Some(revision) => revision,
            None => self.template().await?.revision,
        };
        let version = query([("version", self.version())]);
        let path = format!("/v1/scenarios/{}/updates/stream{version}", segment(&self.name));
        Ok(Changes {
            scenario: self.clone(),
            stream: Stream::new(self.transport.clone(), path, revision),
        })
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

    /// Has the template and its forms asked for again with the next call.
    pub(crate) fn outdate(&self) {
        let mut state = self.state();
        state.asked_at = None;
        state.forms.values_mut().for_each(|form| form.asked_at = None);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No holder of the lock panics, and what is held would be whole all the same.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_fresh(&self, asked_at: Option<Instant>) -> bool {
        asked_at.is_some_and(|at| at.elapsed() < self.max_age)
    }

    /// The versions that are asked for.
    fn version(&self) -> Option<&str> {
        match &self.pin {
            Pin::Range(range) => Some(range),
            Pin::None | Pin::Additive | Pin::Exact => None,
        }
    }

    /// What is held or refused, as long as it is fresh.
    fn held_fresh(&self) -> Option<Result<Arc<Template>, Error>> {
        let state = self.state();
        if !self.is_fresh(state.asked_at) {
            return None;
        }
        match (&state.refused, &state.held) {
            (Some((_, keys)), _) => Some(Err(Error::DigestRefused { keys: keys.clone() })),
            (None, Some(held)) => Some(Ok(Arc::clone(&held.template))),
            (None, None) => None,
        }
    }

    /// Asks for the template, and takes it if the pin does.
    async fn fetch(&self) -> Result<Arc<Template>, Error> {
        let etag = self.state().held.as_ref().and_then(|held| held.etag.clone());
        let answer = self.ask(None, etag.as_deref()).await?;
        let newer = match answer.status {
            304 => None,
            _ => Some(Template::read(answer.json()).map_err(|error| answer.unreadable(&error))?),
        };
        let mut state = self.state();
        state.asked_at = Some(Instant::now());
        state.refused = None;
        if let Some(newer) = newer {
            let offered = Held {
                agreed: Agreed::to(&newer),
                template: Arc::new(newer),
                etag: answer.header("etag").map(str::to_owned),
                digest: answer.header("otherwise-digest").map(str::to_owned),
            };
            let held = state.held.as_ref();
            let keys = held.map_or_else(Vec::new, |held| held.agreed.refused(&self.pin, &offered.template));
            if !keys.is_empty() {
                state.refused = Some((offered, keys.clone()));
                return Err(Error::DigestRefused { keys });
            }
            state.held = Some(offered);
        }
        let held = state.held.as_ref().map(|held| Arc::clone(&held.template));
        held.ok_or_else(|| answer.unreadable(&"nothing is held that could be unchanged"))
    }

    /// Asks for the template or a form of it: 200, or 304 where the tag is still right.
    async fn ask(&self, format: Option<&str>, etag: Option<&str>) -> Result<Answer, Error> {
        let asked = [
            ("version", self.version()),
            ("preferred_language", self.language.as_deref()),
            ("experimental", (!self.experimental).then_some("false")),
            ("format", format),
        ];
        let path = format!("/v1/scenarios/{}/template{}", segment(&self.name), query(asked));
        let mut request = Request::get(path);
        if let Some(etag) = etag {
            request = request.with(IF_NONE_MATCH, etag)?;
        }
        let answer = self.transport.insist(request).await?;
        match answer.status {
            200 | 304 => Ok(answer),
            _ => Err(Error::Refused(answer.problem())),
        }
    }
}

/// Changes of one scenario, one after another.
#[derive(Debug)]
pub struct Changes {
    scenario: Scenario,
    stream: Stream,
}

impl Changes {
    /// Waits for the next change.
    ///
    /// # Errors
    /// The service refuses to be followed.
    pub async fn next(&mut self) -> Result<Update, Error> {
        loop {
            match self.stream.next().await? {
                Told::Update(update) => {
                    self.scenario.outdate();
                    return Ok(update);
                }
                Told::OtherHistory => {
                    self.scenario.outdate();
                    // Whether the pin takes it is a matter of who uses it.
                    match self.scenario.fetch().await {
                        Ok(_) | Err(Error::DigestRefused { .. }) => {}
                        Err(other) => return Err(other),
                    }
                    let state = self.scenario.state();
                    let newest = state.refused.as_ref().map(|(held, _)| held).or(state.held.as_ref());
                    if let Some(held) = newest {
                        self.stream.go_on_from(held.template.revision);
                    }
                }
            }
        }
    }
}
