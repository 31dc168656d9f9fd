//! The calls that every mouth makes.

pub mod conversing;
pub mod governing;
pub mod running;
pub mod sharing;
pub mod tasking;
pub mod working;

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;
use tokio::sync::watch as channel;

use crate::service::batch;
use crate::service::caller::Caller;
use crate::service::caller::Deed;
use crate::service::error::ServiceError;
use crate::service::extension;
use crate::service::history;
use crate::service::history::Until;
use crate::service::hosting;
use crate::service::hosting::Hosting;
use crate::service::idempotency;
use crate::service::intake;
use crate::service::listing;
use crate::service::live::Live;
use crate::service::observed::Outcome;
use crate::service::ownership;
use crate::service::parts::Parts;
use crate::service::pin::Pin;
use crate::service::publishing;
use crate::service::search;
use crate::service::secrets::Body;
use crate::service::updates;
use crate::service::updates::News;
use crate::service::updates::Watch;
use crate::service::wishes;
use engine::evolution::review::Seat;
use engine::scenario::event::Via;
use schema::export::Form;
use schema::export::loss::Loss;
use schema::name::ClientId;
use schema::name::SchemaId;
use schema::template;

/// What a published schema is answered with.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// False when the same content was published before.
    pub created: bool,
    /// `{"schema_id", "scenario", "version", "score", "key_scores": {"k": 100}, "findings": [finding], "constraints": {…},
    /// "compatibility": assessment, "taken_over": [{"patch_id", "key_name", "stage", "changes"}]}`
    pub document: Value,
}

/// An effective template, ready to send.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateReply {
    /// JSON text.
    pub body: Arc<str>,
    /// Strong entity tag, with its quotes.
    pub etag: String,
    pub revision: u64,
    /// BCP 47 tag of the descriptions.
    pub language: String,
    /// What is known of the text where it is in a form of its own; `None` for the template itself.
    pub exported: Option<Exported>,
}

impl TemplateReply {
    /// The body for a mouth that has no headers for what is known of it: the template as it is, or `{"format", "media_type",
    /// "language", "revision", "tokens", "lost", "text"}` of an export, whose text need not be JSON. Either with `capabilities` where
    /// some of them were not heeded.
    pub fn told(&self, ignored: &[String]) -> String {
        let mut text = self.exported.as_ref().map_or_else(
            || self.body.to_string(),
            |exported| self.export_document(exported).to_string(),
        );
        if !ignored.is_empty() && text.ends_with('}') {
            text.pop();
            text.push_str(&format!(",\"capabilities\":{}}}", json!({ "ignored": ignored })));
        }
        text
    }

    fn export_document(&self, exported: &Exported) -> Value {
        let lost: Vec<Value> = exported.lost.iter().map(|loss| json!(loss)).collect();
        json!({
            "format": exported.form.name(),
            "media_type": exported.form.media_type(),
            "language": self.language,
            "revision": self.revision,
            "tokens": exported.tokens,
            "lost": lost,
            "text": &*self.body,
        })
    }
}

/// What is known of an export beside its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    pub form: Form,
    /// Estimated.
    pub tokens: u64,
    pub lost: Arc<[Loss]>,
}

/// How a template is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// BCP 47.
    pub language: Option<&'a str>,
    /// With what is on trial.
    pub experimental: bool,
    /// `None` for the template itself.
    pub form: Option<Form>,
}

/// The caller holds what bears this entity tag: nothing is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held(pub String);

/// An accepted submission, ready to send.
#[derive(Clone, Debug, PartialEq)]
pub struct SubmitReply {
    /// JSON text in the shape `accepted` of DESIGN §8.
    pub body: String,
    pub submission_id: Option<String>,
    /// Whether this is the stored reply of an earlier call with the same idempotency key.
    pub replayed: bool,
    /// Seconds of the time to this reply that an executor took.
    pub executor_seconds: f64,
}

impl SubmitReply {
    /// The body for a mouth that has no header for it: a stored one says so in its `exchange`.
    pub fn told(self) -> String {
        if !self.replayed {
            return self.body;
        }
        let Ok(mut reply) = serde_json::from_str::<Value>(&self.body) else {
            return self.body;
        };
        say_replayed(&mut reply);
        reply.to_string()
    }
}

/// Says in the `exchange` of a reply or of a refusal that it is a stored one.
pub fn say_replayed(reply: &mut Value) {
    if let Some(members) = reply.get_mut("exchange").and_then(Value::as_object_mut) {
        members.insert("replayed".to_owned(), Value::Bool(true));
    }
}

/// The service. Cheap to clone; one per process.
#[derive(Clone)]
pub struct Otherwise {
    hosting: Arc<Hosting>,
}

impl Otherwise {
    /// Reads every journal, restores every scenario, begins to work.
    ///
    /// # Errors
    /// The first fault of the store, named.
    pub async fn open(parts: Parts) -> Result<Otherwise, ServiceError> {
        Ok(Otherwise {
            hosting: Hosting::open(parts).await?,
        })
    }

    /// What is hosted, or what of it bears a label with this value:
    /// `{"scenarios": [{"scenario","schema_id","version","revision","description","language","owner"?,"labels"?,
    /// "frozen"?}]}`.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn scenarios(&self, caller: &Caller, label: Option<(&str, &str)>) -> Result<Value, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        let listed = listing::listed(&self.hosting, caller, label);
        let rows: Vec<Value> = listed.into_iter().map(|(_, row)| row).collect();
        Ok(json!({ "scenarios": rows }))
    }

    /// Moves whenever what is hosted may read otherwise: who follows the list of scenarios compares it then.
    pub fn list_changes(&self) -> channel::Receiver<u64> {
        self.hosting.shown.subscribe()
    }

    /// What is hosted and answers a wish in plain words, see [`search::find`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`search::find`] says.
    pub async fn search(&self, caller: &Caller, asked: search::Asked<'_>) -> Result<Value, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        search::find(&self.hosting, caller, asked).await
    }

    /// Publishes a base schema under its id; the same content again is accepted.
    ///
    /// # Errors
    /// [`ServiceError::InvalidTemplate`] with all defects, [`ServiceError::SchemaImmutable`],
    /// [`ServiceError::SchemaRetired`], [`ServiceError::Incompatible`] with what breaks, or a fault.
    pub async fn publish(&self, caller: &Caller, schema_id: &str, document: &str) -> Result<Published, ServiceError> {
        demand(caller, Deed::Publish)?;
        publishing::publish(&self.hosting, caller, schema_id, document).await
    }

    /// What publishing a template would say, nothing stored; with it why it would be refused, if it would be.
    ///
    /// # Errors
    /// [`ServiceError::InvalidTemplate`] with all defects, [`ServiceError::BadRequest`], [`ServiceError::Forbidden`].
    pub async fn check_schema(
        &self,
        caller: &Caller,
        document: &str,
    ) -> Result<(Value, Option<ServiceError>), ServiceError> {
        demand(caller, Deed::Publish)?;
        publishing::check(&self.hosting, caller, document).await
    }

    /// Publishes the base in force with its stable keys in it, see [`publishing::rebase`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`publishing::rebase`] says.
    pub async fn rebase(&self, caller: &Caller, scenario: &str, dry_run: bool) -> Result<Value, ServiceError> {
        demand(caller, Deed::Publish)?;
        publishing::rebase(&self.hosting, caller, scenario, dry_run).await
    }

    /// A base schema as published.
    ///
    /// # Errors
    /// [`ServiceError::UnknownSchema`], [`ServiceError::Forbidden`].
    pub fn schema(&self, caller: &Caller, schema_id: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        let (live, id) = self.by_schema(schema_id)?;
        let view = live.view.load();
        let base = view
            .bases
            .get(&id)
            .ok_or_else(|| ServiceError::UnknownSchema(schema_id.to_owned()))?;
        let mut document =
            serde_json::to_value(&base.template).map_err(|error| ServiceError::Fault(error.to_string()))?;
        if let Some(members) = document.as_object_mut().filter(|_| base.retired) {
            members.insert(template::RETIRED.to_owned(), Value::Bool(true));
        }
        Ok(document)
    }

    /// Retires a base schema: submissions by it are refused from now on (410).
    ///
    /// # Errors
    /// As [`ownership::retire`], and [`ServiceError::Forbidden`].
    pub async fn retire(&self, caller: &Caller, schema_id: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Publish)?;
        let (live, id) = self.by_schema(schema_id)?;
        ownership::retire(&self.hosting, caller, &live, id).await
    }

    /// Restores a retired base schema, if it still keeps what its line promises.
    ///
    /// # Errors
    /// As [`ownership::restore`], and [`ServiceError::Forbidden`].
    pub async fn restore_schema(&self, caller: &Caller, schema_id: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Publish)?;
        let (live, id) = self.by_schema(schema_id)?;
        ownership::restore(&self.hosting, caller, &live, id).await
    }

    /// Whose a scenario is.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub async fn owner(&self, caller: &Caller, scenario: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Inspect)?;
        let live = self.hosting.by_scenario(scenario)?;
        Ok(ownership::told(&*self.hosting.namespace.lock().await, &live.key))
    }

    /// Gives a scenario to somebody, or to nobody.
    ///
    /// # Errors
    /// As [`ownership::give`], [`ServiceError::UnknownScenario`] and [`ServiceError::Forbidden`].
    pub async fn give_scenario(&self, caller: &Caller, scenario: &str, body: &str) -> Result<Value, ServiceError> {
        demand(caller, Deed::Operate)?;
        let live = self.hosting.by_scenario(scenario)?;
        ownership::give(&self.hosting, caller, &live.key, body).await
    }

    /// The effective template for the caller. `held` says whether the caller holds what bears an entity tag: then `Err`
    /// of that tag comes back within, and no receipt is recorded.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`].
    pub fn template(
        &self,
        caller: &Caller,
        scenario: &str,
        pin: &Pin,
        wanted: Wanted<'_>,
        held: impl Fn(&str) -> bool,
    ) -> Result<Result<TemplateReply, Held>, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        let live = self.hosting.by_scenario(scenario)?;
        let view = live.view.load();
        let unknown = || ServiceError::UnknownScenario(scenario.to_owned());
        let schema_id = view.meant(scenario, pin)?;
        let compiled = view.compiled(schema_id, caller.client.as_ref()).ok_or_else(unknown)?;
        let reply = compiled.render(wanted);
        if held(&reply.etag) {
            return Ok(Err(Held(reply.etag)));
        }
        updates::receipt(&live, &view, self.remembered(caller), Via::Fetch);
        Ok(Ok(reply))
    }

    /// The effective template for the caller as it was served at a moment or revision, byte for byte; no receipt.
    ///
    /// # Errors
    /// As [`history::template`], and [`ServiceError::Forbidden`].
    pub async fn template_as_of(
        &self,
        caller: &Caller,
        scenario: &str,
        pin: Pin,
        wanted: Wanted<'_>,
        until: Until,
    ) -> Result<TemplateReply, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        history::template(&self.hosting, caller, scenario, pin, wanted, until).await
    }

    /// What became of the caller's own wishes, see [`wishes::wishes`].
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], [`ServiceError::BadRequest`] for a caller without a name, or
    /// [`ServiceError::BadParameter`] for a limit that is not 1 to [`wishes::PAGE_MAX`].
    pub async fn wishes(&self, caller: &Caller, scenario: &str, limit: Option<u64>) -> Result<Value, ServiceError> {
        demand(caller, Deed::Submit)?;
        let unnamed = || {
            ServiceError::BadRequest("wishes are told to the client who said them, and this call names none".to_owned())
        };
        let client = caller.client.clone().ok_or_else(unnamed)?;
        let limit = limit.unwrap_or(wishes::PAGE);
        if !(1..=wishes::PAGE_MAX).contains(&limit) {
            return Err(ServiceError::BadParameter(format!(
                "the parameter limit must be 1 to {}",
                wishes::PAGE_MAX
            )));
        }
        let (live, parts) = (self.hosting.by_scenario(scenario)?, Arc::clone(&self.hosting.parts));
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let told = tokio::task::spawn_blocking(move || wishes::wishes(parts.journal.as_ref(), &live, &client, limit));
        Ok(told.await?)
    }

    /// What changed for the caller since a revision; [`Held`] and no receipt where the caller holds the answer already.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], [`ServiceError::BadParameter`] for a revision that the
    /// journal has not reached.
    pub fn updates(
        &self,
        caller: &Caller,
        scenario: &str,
        since: u64,
        held: impl Fn(&str) -> bool,
    ) -> Result<Result<News, Held>, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        let live = self.hosting.by_scenario(scenario)?;
        updates::has_been(&live, since)?;
        let view = live.view.load();
        let news = News::since(&view, caller.client.as_ref(), since)
            .ok_or_else(|| ServiceError::UnknownScenario(scenario.to_owned()))?;
        let etag = news.etag();
        if held(&etag) {
            return Ok(Err(Held(etag)));
        }
        updates::receipt(&live, &view, self.remembered(caller), Via::Poll);
        Ok(Ok(news))
    }

    /// Follows what changes for the caller from a revision on, see [`Watch::from`].
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], [`ServiceError::BadParameter`].
    pub fn watch(&self, caller: &Caller, scenario: &str, since: u64) -> Result<Watch, ServiceError> {
        demand(caller, Deed::Negotiate)?;
        Watch::from(self.hosting.by_scenario(scenario)?, caller.client.clone(), since)
    }

    /// Submits: validates, records durably, answers. The whole body as text.
    ///
    /// # Errors
    /// Whatever the check, the idempotency key or the journal say.
    pub async fn submit(
        &self,
        caller: &Caller,
        body: &str,
        idempotency_key: Option<&str>,
    ) -> Result<SubmitReply, ServiceError> {
        demand(caller, Deed::Submit)?;
        let begin = Instant::now();
        let client = caller.client.as_ref();
        // Before anything is kept of it.
        let body = Body::of(&self.hosting, client, body);
        let sent = body.sent()?;
        idempotency::one_key(sent.kept(), idempotency_key)?;
        let (live, schema_id) = self.by_schema(&sent.kept().schema_id)?;
        if sent.kept().dry_run {
            return intake::validate(&live, client, &sent);
        }
        if idempotency_key.is_none() && !intake::executes(&live, &self.hosting.parts, &schema_id) {
            let outcome = intake::submit(&live, &self.hosting.parts, client, &body, None).await;
            self.observe(&live, &outcome, begin);
            return outcome;
        }
        // A caller that hangs up must not leave the key held or its submission half done: this runs to its end.
        let (parts, client) = (Arc::clone(&self.hosting.parts), caller.client.clone());
        let (body, key) = (body.clone().into_owned(), idempotency_key.map(str::to_owned));
        let held = Arc::clone(&live);
        let outcome =
            tokio::spawn(async move { intake::submit(&live, &parts, client.as_ref(), &body, key.as_deref()).await })
                .await?;
        self.observe(&held, &outcome, begin);
        outcome
    }

    /// How many submissions a batch holds, of which each counts for one request.
    ///
    /// # Errors
    /// [`ServiceError::BadRequest`] when it is none, is empty, or holds too many.
    pub fn size_of_batch(&self, caller: &Caller, body: &str) -> Result<usize, ServiceError> {
        demand(caller, Deed::Submit)?;
        Ok(batch::texts(body, self.hosting.parts.options.batch_submissions_max)?.len())
    }

    /// Submits many: each as [`Otherwise::submit`] would, recorded together, answered in their order. `idempotency_key` in an
    /// item is what the header is for a single one.
    ///
    /// # Errors
    /// [`ServiceError::BadRequest`] when the body is no batch or too long, [`ServiceError::Forbidden`]; what is wrong with one
    /// submission stands in its place among the outcomes.
    pub async fn submit_batch(
        &self,
        caller: &Caller,
        body: &str,
    ) -> Result<Vec<Result<SubmitReply, ServiceError>>, ServiceError> {
        demand(caller, Deed::Submit)?;
        let begin = Instant::now();
        let (service, client, body) = (self.clone(), caller.client.clone(), body.to_owned());
        // As with a single one: what has begun runs to its end.
        let ended = tokio::spawn(async move {
            let parts = &service.hosting.parts;
            let texts = batch::texts(&body, parts.options.batch_submissions_max)?;
            let of = |text| Body::of(&service.hosting, client.as_ref(), text);
            let bodies: Vec<Body<'_>> = texts.into_iter().map(of).collect();
            let find = |schema_id: &str| service.by_schema(schema_id).map(|(live, _)| live);
            Ok::<_, ServiceError>(batch::submit(parts, client.as_ref(), &bodies, find).await)
        });
        let ended = ended.await??;
        let observed = ended.into_iter().map(|(live, outcome)| {
            if let Some(live) = live {
                self.observe(&live, &outcome, begin);
            }
            outcome
        });
        Ok(observed.collect())
    }

    /// Asks for what a scenario's template cannot say (Z-022): recorded durably, pooled with the weight of an explicit request.
    ///
    /// # Errors
    /// As [`extension::request`], or [`ServiceError::UnknownScenario`].
    pub async fn request_extension(
        &self,
        caller: &Caller,
        scenario: &str,
        body: &str,
        idempotency_key: Option<&str>,
    ) -> Result<SubmitReply, ServiceError> {
        demand(caller, Deed::Submit)?;
        let live = self.hosting.by_scenario(scenario)?;
        let (parts, client) = (Arc::clone(&self.hosting.parts), caller.client.clone());
        let (body, key, asked) = (body.to_owned(), idempotency_key.map(str::to_owned), Arc::clone(&live));
        // As with a submission: what has begun runs to its end.
        let outcome =
            tokio::spawn(
                async move { extension::request(&asked, &parts, client.as_ref(), &body, key.as_deref()).await },
            )
            .await?;
        let ended = Outcome::after(&outcome);
        self.hosting.parts.observer.extension(live.key.as_str(), ended);
        outcome
    }

    /// The same check, nothing recorded.
    ///
    /// # Errors
    /// Whatever the check says.
    pub fn validate(&self, caller: &Caller, body: &str) -> Result<SubmitReply, ServiceError> {
        demand(caller, Deed::Submit)?;
        let client = caller.client.as_ref();
        let body = Body::of(&self.hosting, client, body);
        let sent = body.sent()?;
        idempotency::one_key(sent.kept(), None)?;
        let (live, _) = self.by_schema(&sent.kept().schema_id)?;
        intake::validate(&live, client, &sent)
    }

    fn observe(&self, live: &Live, outcome: &Result<SubmitReply, ServiceError>, begin: Instant) {
        let ended = Outcome::after(outcome);
        // How long an executor takes is the server agent's affair, and measured by itself.
        let elsewhere = match outcome {
            Ok(reply) => reply.executor_seconds,
            Err(ServiceError::NotExecuted { seconds, .. }) => *seconds,
            Err(_) => 0.0,
        };
        let seconds = (begin.elapsed().as_secs_f64() - elsewhere).max(0.0);
        self.hosting
            .parts
            .observer
            .submission(live.key.as_str(), ended, seconds);
    }

    /// Whether some scenario lets somebody read what its clients said.
    pub fn seats_a_reader(&self) -> bool {
        let catalogue = self.hosting.catalogue.load();
        let mut scenarios = catalogue.scenarios.values();
        scenarios.any(|live| live.view.load().policy.evolution.reader != Seat::None)
    }

    /// Now, but never before the scenario's last entry.
    fn now(&self, state: &engine::scenario::state::State) -> schema::time::At {
        self.hosting.parts.clock.now().max(state.at)
    }

    /// The caller's name, unless nothing may be written: then nothing is remembered of it.
    fn remembered<'a>(&self, caller: &'a Caller) -> Option<&'a ClientId> {
        caller.client.as_ref().filter(|_| self.hosting.parts.writes.are_open())
    }

    fn by_schema(&self, schema_id: &str) -> Result<(Arc<Live>, SchemaId), ServiceError> {
        let unknown = || ServiceError::UnknownSchema(schema_id.to_owned());
        let id = SchemaId::parse(schema_id).ok_or_else(unknown)?;
        let catalogue = self.hosting.catalogue.load();
        let live = catalogue
            .schemas
            .get(&id)
            .and_then(|key| catalogue.scenarios.get(key))
            .cloned();
        live.map(|live| (hosting::noted(live), id)).ok_or_else(unknown)
    }
}

pub(in crate::service) fn demand(caller: &Caller, deed: Deed) -> Result<(), ServiceError> {
    if caller.may(deed) {
        Ok(())
    } else {
        Err(ServiceError::Forbidden)
    }
}
