//! The template of one scenario and the forms of it: held by their ETags as long as they are fresh, and taken as the pin says.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::time::Duration;

use http::header::IF_NONE_MATCH;
use tokio::time::Instant;

use crate::address::query;
use crate::address::segment;
use crate::error::Error;
use crate::pin::Pin;
use crate::template::Deprecation;
use crate::template::Outlook;
use crate::template::Template;
use crate::transport::Answer;
use crate::transport::Request;
use crate::transport::Transport;

/// Asks for one template as its caller wants it, and holds it. Clones hold the same.
#[derive(Clone)]
pub(crate) struct TemplateCache {
    pub transport: Transport,
    /// The scenario.
    pub name: String,
    pub pin: Pin,
    pub language: Option<String>,
    pub experimental: bool,
    pub max_age: Duration,
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
    forms: BTreeMap<String, Form>,
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
    etag: Option<String>,
    outlook: Outlook,
    asked_at: Option<Instant>,
}

impl Form {
    /// That the schema is to go, where its publisher announced that.
    pub fn deprecation(&self) -> Option<&Deprecation> {
        self.outlook.deprecation.as_ref()
    }

    /// The version in force, where that is another one.
    pub fn latest(&self) -> Option<&str> {
        self.outlook.latest.as_deref()
    }
}

impl TemplateCache {
    /// Holds nothing yet.
    pub fn new(transport: Transport, name: String, max_age: Duration) -> TemplateCache {
        TemplateCache {
            transport,
            name,
            pin: Pin::default(),
            language: None,
            experimental: true,
            max_age,
            state: Arc::default(),
        }
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
    /// As [`TemplateCache::template`].
    pub async fn form(&self, format: &str) -> Result<Form, Error> {
        let mut template = self.template().await?;
        let held = self.state().forms.get(format).cloned();
        if let Some(held) = held.as_ref().filter(|held| self.is_fresh(held.asked_at)) {
            return Ok(held.clone());
        }
        let etag = held.as_ref().and_then(|held| held.etag.as_deref());
        let answer = self.ask(Some(format), etag).await?;
        let header = |name: &str| answer.header(name).map(str::to_owned);
        let digest = header("otherwise-digest");
        if digest.is_some() && template.digest.is_some() && digest != template.digest {
            template = self.fetch().await?;
        }
        let revision = header("otherwise-revision").and_then(|revision| revision.parse().ok());
        let text = held.filter(|_| answer.status == 304).map(|held| held.text);
        let form = Form {
            text: text.unwrap_or_else(|| answer.text()),
            schema_id: header("otherwise-schema-id").unwrap_or_else(|| template.schema_id.clone()),
            version: header("otherwise-version").unwrap_or_else(|| template.version.clone()),
            revision: revision.unwrap_or(template.revision),
            digest,
            etag: header("etag"),
            outlook: Outlook::read(&answer),
            asked_at: Some(Instant::now()),
        };
        self.state().forms.insert(format.to_owned(), form.clone());
        Ok(form)
    }

    /// What the wording of each key that is held comes to; asks nobody.
    pub fn digests(&self) -> BTreeMap<String, String> {
        let state = self.state();
        let held = state.held.as_ref().map(|held| held.key_digests.clone());
        held.unwrap_or_default()
    }

    /// Agrees to the template that was refused last.
    pub fn accept(&self) {
        let mut state = self.state();
        if let Some((held, _)) = state.refused.take() {
            state.held = Some(held);
        }
    }

    /// The revision that came last, taken or not.
    pub fn revision(&self) -> Option<u64> {
        let state = self.state();
        let newest = state.refused.as_ref().map(|(held, _)| held).or(state.held.as_ref());
        newest.map(|held| held.revision)
    }

    /// Has the template and its forms asked for again with the next call.
    pub fn outdate(&self) {
        let mut state = self.state();
        state.asked_at = None;
        state.forms.values_mut().for_each(|form| form.asked_at = None);
    }

    /// Takes what an answer says of the schema that is held, by which it was asked.
    pub fn heed(&self, schema_id: &str, answer: &Answer) {
        let (mut state, outlook) = (self.state(), Outlook::read(answer));
        if let Some(held) = state.held.as_mut().filter(|held| held.schema_id == schema_id)
            && held.outlook != outlook
        {
            Arc::make_mut(held).outlook = outlook;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No holder of the lock panics, and what is held would be whole all the same.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_fresh(&self, asked_at: Option<Instant>) -> bool {
        asked_at.is_some_and(|at| at.elapsed() < self.max_age)
    }

    /// The versions that are asked for.
    pub fn version(&self) -> Option<&str> {
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
            (None, Some(held)) => Some(Ok(Arc::clone(held))),
            (None, None) => None,
        }
    }

    /// Asks for the template, and takes it if the pin does.
    pub async fn fetch(&self) -> Result<Arc<Template>, Error> {
        let etag = self.state().held.as_ref().and_then(|held| held.etag.clone());
        let answer = self.ask(None, etag.as_deref()).await?;
        let newer = match answer.status {
            304 => None,
            _ => Some(Arc::new(
                Template::read(&answer).map_err(|error| answer.unreadable(&error))?,
            )),
        };
        let mut state = self.state();
        state.asked_at = Some(Instant::now());
        state.refused = None;
        if let Some(newer) = newer {
            let held = state.held.as_ref();
            let keys = held.map_or_else(Vec::new, |held| self.pin.refused(held, &newer));
            if !keys.is_empty() {
                state.refused = Some((newer, keys.clone()));
                return Err(Error::DigestRefused { keys });
            }
            state.held = Some(newer);
        } else if let Some(held) = state.held.as_mut() {
            Arc::make_mut(held).outlook = Outlook::read(&answer);
        }
        let held = state.held.clone();
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
            request = request.with(IF_NONE_MATCH, etag);
        }
        let answer = self.transport.insist(request).await?;
        match answer.status {
            200 | 304 => Ok(answer),
            _ => Err(Error::Refused(answer.problem())),
        }
    }
}
