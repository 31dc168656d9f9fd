//! The effective template for a caller: now, as it was served earlier, and what changed in it since a revision, asked for once or watched.
//!
//! A watch holds no queue: it looks at the view when it is woken, so that whatever happened meanwhile is one piece of news, and a reader
//! that is slow costs no memory. What was served earlier is read from the journal anew, one reading at a time, of a bounded number of
//! records. Invariants: a client is told of patches for all and of its own, and of no other client's (Z-122); what it names is served or
//! refused, never passed over (Z-182); what is rendered of the past has the bytes of then.

use std::sync::Arc;
use std::time::Duration;

use sha2::Digest;
use sha2::Sha256;
use tokio::sync::watch;

use crate::api::submissions::SchemaStatus;
use crate::api::templates::Updates;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::reply::Held;
use crate::app::reply::TemplateReply;
use crate::app::reply::Wanted;
use crate::app::restore;
use crate::app::view::BaseView;
use crate::app::view::ScenarioView;
use engine::scenario::event::Via;
use engine::scenario::evolve;
use engine::scenario::state::State;
use schema::name::ClientId;
use schema::name::SchemaId;
use schema::time::At;
use schema::version_range::VersionRange;
use store::journal::Journal;
use store::journal::JournalName;
use text::name::hexadecimal;

/// Characters of a client's own word that a refusal repeats.
const WORD_CHARS_MAX: usize = 128;
/// Schemas that a refusal lists.
const LISTED_MAX: usize = 16;

/// The schema that a client names, by its id, its version, or both; nothing where it takes the one in force.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pin {
    pub schema_id: Option<String>,
    pub version: Option<VersionRange>,
}

impl Pin {
    /// Whether the one in force is taken.
    pub fn is_open(&self) -> bool {
        self.schema_id.is_none() && self.version.is_none()
    }

    fn means(&self, schema_id: &SchemaId, base: &BaseView) -> bool {
        let version = base.template.version();
        self.schema_id
            .as_deref()
            .is_none_or(|named| named == schema_id.as_str())
            && self.version.as_ref().is_none_or(|taken| taken.includes(version))
    }

    /// Whether it names one schema rather than what there is of a range of versions.
    fn names_one(&self) -> bool {
        self.schema_id.is_some() || matches!(self.version, Some(VersionRange::One(_)))
    }

    /// The client's words, cut.
    fn words(&self) -> String {
        let version = self.version.as_ref().map(|version| format!("of version {version}"));
        let words: Vec<String> = self.schema_id.iter().cloned().chain(version).collect();
        let words: String = words.join(" ").chars().take(WORD_CHARS_MAX).collect();
        words.escape_debug().to_string()
    }
}

impl ScenarioView {
    /// The schema of a scenario that is meant: the highest version that is not retired, among several of one version the one that
    /// was published last.
    ///
    /// # Errors
    /// [`ServiceError::UnknownSchema`] with what there is, [`ServiceError::SchemaRetired`] where one is named that is, and
    /// [`ServiceError::UnknownScenario`] where none is in force.
    pub fn meant(&self, scenario: &str, pin: &Pin) -> Result<&SchemaId, ServiceError> {
        let in_force = self.in_force.as_ref();
        if pin.is_open() {
            return in_force.ok_or_else(|| ServiceError::UnknownScenario(scenario.to_owned()));
        }
        let meant = || self.bases.iter().filter(|(schema_id, base)| pin.means(schema_id, base));
        let open = meant().filter(|(_, base)| !base.retired);
        if let Some((schema_id, _)) = open.max_by_key(|(_, base)| (base.template.version(), base.published)) {
            return Ok(schema_id);
        }
        match meant().next().filter(|_| pin.names_one()) {
            Some((schema_id, _)) => Err(ServiceError::SchemaRetired(schema_id.to_string())),
            None => {
                let there: Vec<String> = self
                    .bases
                    .iter()
                    .filter(|(_, base)| !base.retired)
                    .map(|(schema_id, base)| format!("{schema_id} ({})", base.template.version()))
                    .take(LISTED_MAX)
                    .collect();
                let told = match there.is_empty() {
                    true => "none is open".to_owned(),
                    false => format!("there are {}", there.join(", ")),
                };
                let words = pin.words();
                Err(ServiceError::UnknownSchema(format!("{words} in this scenario; {told}")))
            }
        }
    }
}

impl App {
    /// The effective template for the caller. `held` says whether the caller holds what bears an entity tag: then it
    /// comes back as [`Held`] within, and no receipt is recorded.
    pub fn template(
        &self,
        caller: &Caller,
        scenario: &str,
        pin: &Pin,
        wanted: Wanted<'_>,
        held: impl Fn(&str) -> bool,
    ) -> Result<Result<TemplateReply, Held<TemplateReply>>, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let handle = self.registry().by_scenario(scenario)?;
        let view = handle.view.load();
        let unknown = || ServiceError::UnknownScenario(scenario.to_owned());
        let schema_id = view.meant(scenario, pin)?;
        let compiled = view.compiled(schema_id, caller.client.as_ref()).ok_or_else(unknown)?;
        let (reply, status) = (compiled.render(wanted), view.status(schema_id));
        if held(&reply.etag) {
            return Ok(Err(Held(TemplateReply { status, ..reply })));
        }
        receipt(&handle, &view, schema_id, self.remembered(caller), Via::Fetch);
        Ok(Ok(TemplateReply { status, ..reply }))
    }

    /// What changed for the caller since a revision, over the schema that is meant; [`Held`] and no receipt where the caller holds
    /// the answer already.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::BadParameter`] for a revision that the journal has not reached, and what
    /// [`ScenarioView::meant`] says.
    pub fn updates(
        &self,
        caller: &Caller,
        scenario: &str,
        pin: &Pin,
        since: u64,
        held: impl Fn(&str) -> bool,
    ) -> Result<Result<News, Held<News>>, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let handle = self.registry().by_scenario(scenario)?;
        has_been(&handle, since)?;
        let view = handle.view.load();
        let schema_id = view.meant(scenario, pin)?;
        let news = News::since(&view, schema_id, caller.client.as_ref(), since)
            .ok_or_else(|| ServiceError::UnknownScenario(scenario.to_owned()))?;
        if held(&news.etag()) {
            return Ok(Err(Held(news)));
        }
        receipt(&handle, &view, schema_id, self.remembered(caller), Via::Poll);
        Ok(Ok(news))
    }

    /// Follows what changes for the caller over the schema that is meant, see [`Watch::from`].
    pub fn watch(&self, caller: &Caller, scenario: &str, pin: Pin, since: Option<u64>) -> Result<Watch, ServiceError> {
        caller.require(Permission::Negotiate)?;
        Watch::from(self.registry().by_scenario(scenario)?, caller, pin, since)
    }
}

/// What changed, ready to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// Of the effective template that the caller has now.
    pub revision: u64,
    /// [`Updates`] in one line of JSON.
    pub body: String,
    pub status: SchemaStatus,
}

impl News {
    /// What is new to a client over a schema since a revision; `None` where there is no such schema.
    pub fn since(view: &ScenarioView, schema_id: &SchemaId, client: Option<&ClientId>, since: u64) -> Option<News> {
        let revision = view.revision(schema_id, client)?;
        let new = view.since(schema_id, client, since);
        let updates = Updates {
            revision,
            schema_id: schema_id.to_string(),
            patches: new.patches,
            withdrawn_keys: new.withdrawn_keys,
            left_out: view.left_out_since(schema_id, client, since),
        };
        Some(News {
            revision,
            body: serde_json::to_string(&updates).ok()?,
            status: view.status(schema_id),
        })
    }

    /// Strong entity tag, with its quotes.
    pub fn etag(&self) -> String {
        let digest = Sha256::digest(self.body.as_bytes());
        format!("\"{}\"", hexadecimal(&digest[..12]))
    }
}

/// Follows one scenario for one caller.
pub struct Watch {
    handle: Arc<ScenarioHandle>,
    client: Option<ClientId>,
    /// Whether what the caller is told leaves no receipt.
    looks_only: bool,
    pin: Pin,
    changes: watch::Receiver<u64>,
    /// The revision up to which the caller was told.
    known: u64,
    /// What it was told last: the base that was meant and the revision. `None` before the first time.
    told: Option<(SchemaId, u64)>,
}

impl Watch {
    /// Follows from a revision on, or from now on. What changed since is told at once; where that revision is the current one,
    /// nothing is.
    ///
    /// # Errors
    /// [`ServiceError::BadParameter`] for a revision that the journal has not reached, and what [`ScenarioView::meant`] says of a
    /// schema that is named.
    pub fn from(
        handle: Arc<ScenarioHandle>,
        caller: &Caller,
        pin: Pin,
        known: Option<u64>,
    ) -> Result<Watch, ServiceError> {
        let client = caller.client.clone();
        has_been(&handle, known.unwrap_or_default())?;
        let changes = handle.view_changes();
        let view = handle.view.load();
        let meant = match view.meant(handle.key.as_str(), &pin) {
            Ok(schema_id) => Some(schema_id),
            // One may come into force.
            Err(_) if pin.is_open() => None,
            Err(error) => return Err(error),
        };
        let current = meant.and_then(|schema_id| {
            let revision = view.revision(schema_id, client.as_ref())?;
            known
                .is_none_or(|known| revision == known)
                .then(|| (schema_id.clone(), revision))
        });
        let now = current.as_ref().map_or(0, |(_, revision)| *revision);
        drop(view);
        Ok(Watch {
            handle,
            client,
            looks_only: caller.origin.looks_only,
            pin,
            changes,
            known: known.unwrap_or(now),
            told: current,
        })
    }

    /// The next piece of news; waits for it. Nothing is lost when this is given up before it answers. `None` when the
    /// scenario is gone.
    pub async fn next(&mut self) -> Option<News> {
        loop {
            // Before the view is read: a change after that wakes again.
            self.changes.borrow_and_update();
            if let Some(news) = self.fresh() {
                return Some(news);
            }
            self.changes.changed().await.ok()?;
        }
    }

    fn fresh(&mut self) -> Option<News> {
        let view = self.handle.view.load();
        let schema_id = view.meant(self.handle.key.as_str(), &self.pin).ok()?;
        let revision = view.revision(schema_id, self.client.as_ref())?;
        let current = Some((schema_id.clone(), revision));
        if current == self.told {
            return None;
        }
        let news = News::since(&view, schema_id, self.client.as_ref(), self.known)?;
        // It falls when the base is retired and an older one takes its place. No patch lies between the two.
        self.known = revision;
        self.told = current;
        Some(news)
    }

    /// Says that the caller was handed what it was told (docs/design.md §7).
    pub fn received(&self) {
        let Some((schema_id, _)) = self.told.as_ref().filter(|_| !self.looks_only) else {
            return;
        };
        let view = self.handle.view.load();
        receipt(&self.handle, &view, schema_id, self.client.as_ref(), Via::Stream);
    }
}

/// Whether the scenario has come so far: a client that holds a later revision holds one of another history, and would be told
/// nothing of this one.
fn has_been(handle: &ScenarioHandle, revision: u64) -> Result<(), ServiceError> {
    if handle.has_applied(revision) {
        return Ok(());
    }
    Err(ServiceError::BadParameter(
        "the revision to go on from lies in the future: this scenario has not come so far; fetch the template and go on from \
         its revision"
            .to_owned(),
    ))
}

/// Records that a client was shown a base with the patches over it, unless it is known to have seen them or has no name. That a caller
/// was served the revision is noted in any case.
pub fn receipt(
    handle: &ScenarioHandle,
    view: &ScenarioView,
    schema_id: &SchemaId,
    client: Option<&ClientId>,
    via: Via,
) {
    let latest = view.patch_revision(schema_id, client).max(view.came(schema_id));
    handle.note_served(latest);
    let Some(client) = client else { return };
    let known = handle
        .state()
        .acquaintances
        .get(client)
        .map_or(0, |known| known.revision);
    if latest > known {
        handle.receive(client, schema_id, via);
    }
}

/// Records read at once.
const CHUNK: usize = 2_048;

/// How long a reading of an earlier template waits for those before it.
const TURN: Duration = Duration::from_secs(10);

/// Milliseconds of a second.
const SECOND_MS: i64 = 1_000;

/// Up to where history is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Everything that had happened by then, this millisecond included.
    Moment(At),
    /// Everything that had happened by the end of the second that begins then.
    Second(At),
    /// Everything up to this sequence of the journal.
    Revision(u64),
}

impl Until {
    /// Reads `as_of`: a revision, or an RFC 3339 moment. One without a fraction stands for its whole second: who read the time of a
    /// publication to the second is served what was published in it.
    pub fn parse(text: &str) -> Option<Until> {
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return text.parse().ok().map(Until::Revision);
        }
        let is_exact = text.contains('.');
        At::parse(text).map(if is_exact { Until::Moment } else { Until::Second })
    }

    fn includes(self, seq: u64, at: At) -> bool {
        match self {
            Until::Moment(moment) => at <= moment,
            Until::Second(begin) => at.0 < begin.0.saturating_add(SECOND_MS),
            Until::Revision(revision) => seq <= revision,
        }
    }
}

impl App {
    /// The effective template for a caller as it was, in the form in which it was served. One is read at a time, the others wait.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::BadParameter`] for what is still to come; [`ServiceError::UnknownScenario`], also where nothing was published yet;
    /// what [`ScenarioView::meant`] says of a schema that is named; [`ServiceError::Busy`] where other readings go on
    /// for long; [`ServiceError::LimitReached`] where too many records would have to be read; or a fault.
    pub async fn template_as_of(
        &self,
        caller: &Caller,
        scenario: &str,
        pin: Pin,
        wanted: Wanted<'_>,
        until: Until,
    ) -> Result<TemplateReply, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let (registry, turns) = (self.registry(), self.history());
        let handle = registry.by_scenario(scenario)?;
        let now = registry.deps.clock.now().max(handle.state().at);
        let comes = match until {
            Until::Moment(moment) | Until::Second(moment) => moment > now,
            Until::Revision(revision) => !handle.has_applied(revision),
        };
        if comes {
            let what = "the parameter as_of lies in the future: what will be served then is not known";
            return Err(ServiceError::BadParameter(what.to_owned()));
        }
        let turn = tokio::time::timeout(TURN, Arc::clone(turns).acquire_owned()).await;
        let Ok(Ok(turn)) = turn else {
            return Err(ServiceError::Busy { retry_after_s: 1 });
        };
        let held = Arc::clone(registry);
        let (client, language) = (caller.client.clone(), wanted.language.map(str::to_owned));
        let (experimental, form) = (wanted.experimental, wanted.form);
        let named = format!("{scenario} at that time");
        let read = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let deps = &held.deps;
            let state = state(
                deps.journal.as_ref(),
                &handle.journal,
                until,
                deps.options.history_records_max,
            )?;
            let view = ScenarioView::build(&state, &deps.policy, deps.options.other_limits());
            let schema_id = view.meant(&named, &pin)?;
            let Some(compiled) = view.compiled(schema_id, client.as_ref()) else {
                return Ok::<_, ServiceError>(None);
            };
            let reply = compiled.render(Wanted {
                language: language.as_deref(),
                experimental,
                form,
            });
            // What it is to its scenario is told as of now.
            let status = handle.view.load().status(schema_id);
            Ok(Some(TemplateReply { status, ..reply }))
        });
        read.await??
            .ok_or_else(|| ServiceError::UnknownScenario(format!("{scenario} at that time")))
    }
}

/// The state as it was; a snapshot that is not later is a shortcut.
fn state(journal: &dyn Journal, name: &JournalName, until: Until, records_max: u64) -> Result<State, ServiceError> {
    let shortcut = restore::shortcut(journal, name, |last| until.includes(last.seq, last.at))?;
    let mut state = shortcut.unwrap_or_default().state;
    let mut read = 0;
    loop {
        let records = journal.read(name, state.seq + 1, CHUNK)?;
        if records.is_empty() {
            return Ok(state);
        }
        for record in records {
            if !until.includes(record.seq, record.at) {
                return Ok(state);
            }
            read += 1;
            if read > records_max {
                return Err(ServiceError::LimitReached(format!(
                    "an earlier template is found by reading at most {records_max} records (service.history_records_max)"
                )));
            }
            evolve::evolve(&mut state, &restore::entry(name, &record)?);
        }
    }
}

#[cfg(test)]
mod tests;
