//! One scenario: its template and the forms of it, held by their ETags as long as they are fresh and taken as the pin says.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::time::Duration;

use http::HeaderName;
use http::header::ETAG;
use http::header::IF_NONE_MATCH;
use serde_json::Value;
use tokio::time::Instant;

use crate::address::query;
use crate::address::segment;
use crate::error::Error;
use crate::template::DIGEST;
use crate::template::Form;
use crate::template::LOST;
use crate::template::OUTLOOK;
use crate::template::Pin;
use crate::template::PinState;
use crate::template::Template;
use crate::transport::Answer;
use crate::transport::Transport;

/// How long what is held is fresh unless the caller says otherwise.
const MAX_AGE: Duration = Duration::from_secs(30);

/// Whose tool definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Tool {
    Openai,
    OpenaiResponses,
    Anthropic,
    Gemini,
    Mcp,
}

/// One scenario of a service, and how its template is asked for. Clones hold the same template.
#[derive(Clone)]
pub struct Scenario {
    /// [`Pin::Additive`] where nothing is said.
    pub pin: Pin,
    /// What was agreed to before, as [`Scenario::pin_state`] gave it.
    pub agreed: Option<PinState>,
    /// In which language descriptions are wanted (BCP 47).
    pub language: Option<String>,
    /// Whether keys on trial are wanted; they are where nothing is said.
    pub experimental: bool,
    /// How long what is held is not asked for again; 30 s where nothing is said.
    pub max_age: Duration,
    pub(crate) transport: Transport,
    pub(crate) name: String,
    state: Arc<Mutex<State>>,
}

/// What is held.
#[derive(Default)]
struct State {
    held: Option<Arc<Template>>,
    /// What came since and is not taken, and the keys to blame.
    refused: Option<(Arc<Template>, Vec<String>)>,
    /// When the service was asked; `None` where what is held is known to be outdated.
    asked_at: Option<Instant>,
    forms: BTreeMap<String, (Answer, Option<Instant>)>,
}

impl Scenario {
    pub(crate) fn new(transport: Transport, name: String) -> Scenario {
        Scenario {
            pin: Pin::default(),
            agreed: None,
            language: None,
            experimental: true,
            max_age: MAX_AGE,
            transport,
            name,
            state: Arc::default(),
        }
    }

    /// The template in force. Fails with [`Error::DigestRefused`] where the pin does not take it.
    pub async fn template(&self) -> Result<Arc<Template>, Error> {
        if !self.is_fresh(self.state().asked_at) {
            self.fetch().await?;
        }
        self.current()
    }

    /// The template in this form, such as `typescript`. Fails as [`Scenario::template`] does.
    pub async fn form(&self, format: &str) -> Result<Form, Error> {
        let mut template = self.template().await?;
        let held = self.state().forms.get(format).cloned();
        let form = match held {
            Some((form, asked_at)) if self.is_fresh(asked_at) => form,
            held => {
                let form = self.ask(Some(format), held.map(|(form, _)| form)).await?;
                let asked = (form.clone(), Some(Instant::now()));
                self.state().forms.insert(format.to_owned(), asked);
                let of = form.header(DIGEST).or(template.digest.as_deref());
                if template.digest.is_some() && of != template.digest.as_deref() {
                    self.fetch().await?;
                    template = self.current()?;
                }
                form
            }
        };
        let text = String::from_utf8_lossy(&form.body).into_owned();
        let lost = form.header(LOST).map(str::to_owned);
        Ok(Form { text, lost, template })
    }

    /// The template as the definition of a tool. Fails as [`Scenario::template`] does.
    pub async fn tool(&self, tool: Tool) -> Result<Value, Error> {
        let form = self.form(&format!("{}-tool", <&str>::from(tool))).await?;
        serde_json::from_str(&form.text).map_err(|error| Error::Misused(format!("the tool cannot be read: {error}")))
    }

    /// The template as a text for a prompt (Markdown). Fails as [`Scenario::template`] does.
    pub async fn prompt(&self) -> Result<String, Error> {
        Ok(self.form("markdown").await?.text)
    }

    /// What was agreed to, to be kept and given back after a restart as `agreed`; none before the first template.
    pub fn pin_state(&self) -> Option<PinState> {
        let held = self.state().held.as_deref().map(PinState::of);
        held.or_else(|| self.agreed.clone())
    }

    /// What the wording of each key that was agreed to comes to; asks nobody.
    pub fn digests(&self) -> BTreeMap<String, String> {
        self.pin_state().map(|agreed| agreed.digests).unwrap_or_default()
    }

    /// Agrees to the template that was refused last.
    pub fn accept(&self) {
        let mut state = self.state();
        if let Some((held, _)) = state.refused.take() {
            state.held = Some(held);
        }
    }

    /// The revision that came last, taken or not.
    pub(crate) fn revision(&self) -> Option<u64> {
        let state = self.state();
        let refused = state.refused.as_ref().map(|(refused, _)| refused);
        refused.or(state.held.as_ref()).map(|newest| newest.revision)
    }

    /// Has the template and its forms asked for again with the next call.
    pub(crate) fn outdate(&self) {
        let mut state = self.state();
        state.asked_at = None;
        state.forms.values_mut().for_each(|(_, asked_at)| *asked_at = None);
    }

    /// Takes what an answer says of the schema that is held, by which it was asked.
    pub(crate) fn heed(&self, schema_id: &str, answer: &Answer) {
        let mut state = self.state();
        if let Some(held) = state.held.as_mut().filter(|held| held.schema_id == schema_id) {
            let headers = &mut Arc::make_mut(held).answer.headers;
            for name in OUTLOOK.map(HeaderName::from_static) {
                headers.remove(&name);
                headers.extend(answer.headers.get(&name).map(|value| (name, value.clone())));
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No holder of the lock panics, and what is held would be whole all the same.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The template that is held, unless another one came that is refused.
    fn current(&self) -> Result<Arc<Template>, Error> {
        let state = self.state();
        match (&state.refused, &state.held) {
            (Some((_, keys)), _) => Err(Error::DigestRefused { keys: keys.clone() }),
            (None, Some(held)) => Ok(Arc::clone(held)),
            (None, None) => Err(Error::Misused("no template is held yet".to_owned())),
        }
    }

    fn is_fresh(&self, asked_at: Option<Instant>) -> bool {
        asked_at.is_some_and(|at| at.elapsed() < self.max_age)
    }

    /// Asks for the template, and takes it if the pin does.
    pub(crate) async fn fetch(&self) -> Result<(), Error> {
        let held = self.state().held.as_ref().map(|held| held.answer.clone());
        let newer = Arc::new(Template::read(self.ask(None, held).await?)?);
        let agreed = self.pin_state();
        let keys = agreed.map(|agreed| self.pin.refused(&agreed, &PinState::of(&newer)));
        let mut state = self.state();
        state.asked_at = Some(Instant::now());
        state.refused = None;
        match keys.unwrap_or_default() {
            none if none.is_empty() => state.held = Some(newer),
            keys => state.refused = Some((newer, keys)),
        }
        Ok(())
    }

    /// Asks for the template or a form of it; what is held where its tag is still right, with what the answer says of it.
    async fn ask(&self, format: Option<&str>, held: Option<Answer>) -> Result<Answer, Error> {
        let asked = [
            ("version", self.pin.version()),
            ("preferred_language", self.language.as_deref()),
            ("experimental", (!self.experimental).then_some("false")),
            ("format", format),
        ];
        let path = format!("/v1/scenarios/{}/template{}", segment(&self.name), query(asked));
        let mut request = self.transport.get(&path);
        if let Some(tag) = held.as_ref().and_then(|held| held.headers.get(ETAG)) {
            request = request.header(IF_NONE_MATCH, tag);
        }
        let answer = self.transport.insist(request).await?;
        match (answer.status, held) {
            (200, _) => Ok(answer),
            (304, Some(Answer { status, body, .. })) => Ok(Answer { status, body, ..answer }),
            _ => Err(Error::Refused(answer.problem())),
        }
    }
}
