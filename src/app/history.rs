//! What changed in a scenario: what differs between two of its templates as one client is served them, and the log of its decisions.
//!
//! Decides nothing. A template of earlier is put together from the state; of the log a page reads the records that it tells and, of a
//! time before the state listed them, a bounded number of others. Invariant: nobody but whoever may inspect sees another client's keys.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::history::Compared;
use crate::api::history::Decision;
use crate::api::history::DecisionLog;
use crate::api::history::KeyDigests;
use crate::api::history::TemplateDifference;
use crate::app::application::App;
use crate::app::background;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::queues;
use crate::app::restore;
use crate::app::view::ScenarioView;
use engine::scenario::decision_log;
use engine::scenario::event::Entry;
use schema::budget::Budget;
use schema::difference::change::Class;
use schema::difference::difference;
use schema::effective::EffectiveTemplate;
use schema::name::ClientId;
use schema::name::SchemaId;
use schema::nearest::with_near;
use schema::staleness::served;
use store::journal::Journal;

/// Decisions on a page where nobody says how many.
pub const PAGE: u64 = 50;
/// Records that one page looks through of a time of which the state does not list the decisions: some days of a busy scenario.
const RECORDS_MAX: u64 = 5_000;
/// Records that are read together.
const TOGETHER: u64 = 256;

/// What is compared, for whom.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// A schema of the scenario, or a revision.
    pub from: Option<&'a str>,
    /// The same; the schema in force where nothing is said.
    pub to: Option<&'a str>,
    /// The caller where nobody is named.
    pub client: Option<&'a str>,
}

impl App {
    /// What differs between two templates of a scenario, as a client is served them.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::UnknownSchema`], also where nothing was published yet at a revision;
    /// [`ServiceError::BadParameter`] for a revision that is still to come, and where nothing is said to begin with;
    /// [`ServiceError::Forbidden`], also for another client's template to who may not inspect.
    pub async fn difference(
        &self,
        caller: &Caller,
        scenario: &str,
        wanted: Wanted<'_>,
    ) -> Result<TemplateDifference, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let handle = self.registry().by_scenario(scenario)?;
        let client = match wanted.client {
            None => caller.client.clone(),
            Some(named) => Some(seen_as(caller, named)?),
        };
        let Some(from) = wanted.from else {
            let what = "the parameter from must be a schema of the scenario or a revision";
            return Err(ServiceError::BadParameter(what.to_owned()));
        };
        let view = handle.view.load_full();
        let to = match wanted.to {
            Some(to) => to,
            None => view
                .in_force
                .as_ref()
                .map(SchemaId::as_str)
                .ok_or_else(|| ServiceError::UnknownScenario(scenario.to_owned()))?,
        };
        let old = side(&handle, &view, client.as_ref(), from)?;
        let new = side(&handle, &view, client.as_ref(), to)?;
        // Showing what a change breaks takes a while.
        background::within_budget(move |budget| compared(&old, &new, budget)).await
    }

    /// A page of a scenario's decisions, newest first.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], [`ServiceError::BadParameter`], or a fault of the journal.
    pub async fn decision_log(
        &self,
        caller: &Caller,
        scenario: &str,
        limit: Option<u64>,
        after: Option<&str>,
    ) -> Result<DecisionLog, ServiceError> {
        caller.require(Permission::Inspect)?;
        let handle = self.registry().by_scenario(scenario)?;
        let limit = queues::page_size(limit, PAGE)?;
        let after: Option<u64> = queues::place(after, |text| text.parse().ok())?;
        let deps = Arc::clone(&self.registry().deps);
        let page = move || page(deps.journal.as_ref(), &handle, after.unwrap_or(u64::MAX), limit);
        tokio::task::spawn_blocking(page).await?
    }
}

/// Another client, as whom whoever may inspect looks; anybody may name itself.
fn seen_as(caller: &Caller, named: &str) -> Result<ClientId, ServiceError> {
    let wrong = || ServiceError::BadParameter("the parameter client is no client's name".to_owned());
    let client = ClientId::parse(named).ok_or_else(wrong)?;
    if caller.client.as_ref() != Some(&client) {
        caller.require(Permission::Inspect)?;
    }
    Ok(client)
}

/// One side of a comparison: the template of a schema as it is served now, or the one that was served at a revision.
fn side(
    handle: &ScenarioHandle,
    view: &ScenarioView,
    client: Option<&ClientId>,
    named: &str,
) -> Result<EffectiveTemplate, ServiceError> {
    let schema = SchemaId::parse(named).filter(|schema_id| view.bases.contains_key(schema_id));
    let found = match (schema, named.parse::<u64>()) {
        (Some(schema_id), _) => view
            .compiled(&schema_id, client)
            .map(|compiled| compiled.effective.clone()),
        (None, Ok(revision)) if !handle.has_applied(revision) => {
            let what = format!("revision {revision} lies in the future: this scenario has not come so far");
            return Err(ServiceError::BadParameter(what));
        }
        (None, Ok(revision)) => view.served_at(client, revision),
        (None, Err(_)) => None,
    };
    found.ok_or_else(|| {
        let said: String = named.chars().take(128).collect();
        let near = with_near(&said, view.bases.keys().map(SchemaId::as_str));
        ServiceError::UnknownSchema(format!("{} in this scenario", near.escape_debug()))
    })
}

fn compared(old: &EffectiveTemplate, new: &EffectiveTemplate, budget: &Budget<'_>) -> TemplateDifference {
    let changes = difference(&served(old), &served(new), budget);
    let mut key_digests = BTreeMap::<String, KeyDigests>::new();
    for (name, digest) in digests(old) {
        key_digests.entry(name).or_default().from = Some(digest);
    }
    for (name, digest) in digests(new) {
        key_digests.entry(name).or_default().to = Some(digest);
    }
    let side = |template: &EffectiveTemplate| Compared {
        schema_id: template.base.schema_id.to_string(),
        version: template.base.version().to_string(),
        revision: template.revision,
    };
    TemplateDifference {
        from: side(old),
        to: side(new),
        class: changes.iter().map(|change| change.class).max().unwrap_or(Class::None),
        changes,
        key_digests,
    }
}

/// The digest of each key that a template serves.
fn digests(template: &EffectiveTemplate) -> Vec<(String, String)> {
    let document = template.document(None, true);
    let digests = document["key_digests"].as_object().into_iter().flatten();
    digests
        .filter_map(|(name, digest)| Some((name.clone(), digest.as_str()?.to_owned())))
        .collect()
}

/// The decisions before an entry, newest first.
fn page(
    journal: &dyn Journal,
    handle: &ScenarioHandle,
    before: u64,
    limit: usize,
) -> Result<DecisionLog, ServiceError> {
    let (listed, since) = {
        let state = handle.state();
        let told = &state.decisions.told;
        let end = told.partition_point(|seq| *seq < before);
        // One more, so that it is known whether there is one.
        let listed: Vec<u64> = told[..end].iter().rev().take(limit + 1).copied().collect();
        (listed, state.decisions.since)
    };
    let mut decisions = Vec::new();
    for seq in listed {
        let record = journal.read(&handle.journal, seq, 1)?.into_iter().next();
        if let Some(record) = record {
            decisions.extend(told(handle, &restore::entry(&handle.journal, &record)?));
        }
    }
    let mut reached = since.min(before);
    let oldest = reached.saturating_sub(RECORDS_MAX).max(1);
    while reached > oldest && decisions.len() <= limit {
        let from = reached.saturating_sub(TOGETHER).max(oldest);
        let count = usize::try_from(reached - from).unwrap_or(usize::MAX);
        for record in journal.read(&handle.journal, from, count)?.into_iter().rev() {
            decisions.extend(told(handle, &restore::entry(&handle.journal, &record)?));
        }
        reached = from;
    }
    let more = decisions.len() > limit;
    decisions.truncate(limit);
    let last = match more {
        true => decisions.last().map(|last| last.seq),
        false => Some(reached).filter(|reached| *reached > 1),
    };
    Ok(DecisionLog {
        decisions,
        next: last.map(|seq| seq.to_string()),
    })
}

fn told(handle: &ScenarioHandle, entry: &Entry) -> Option<Decision> {
    let decision_log::Decision {
        what,
        says,
        patch_id,
        schema_id,
        by,
        reason,
        because,
    } = decision_log::of(entry, &handle.state())?;
    Some(Decision {
        seq: entry.seq,
        at: entry.at.rfc3339(),
        what,
        says,
        patch_id: patch_id.map(|id| id.to_string()),
        schema_id: schema_id.map(|id| id.to_string()),
        by,
        reason,
        because,
    })
}
