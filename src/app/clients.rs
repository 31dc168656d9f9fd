//! Who uses a scenario, client by client.
//!
//! Reads the state alone, one page of it, so that a call costs the same whatever the journal and the number of clients are. Invariant:
//! names and counts, no value that a client sent.

use std::collections::BTreeSet;

use crate::api::clients::Client;
use crate::api::clients::Clients;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::queues;
use engine::evolution::stage::Stage;
use engine::scenario::clients;
use engine::scenario::state::State;
use schema::name::ClientId;
use schema::name::KeyName;
use schema::template::Version;
use schema::time::At;

/// Clients on a page where nobody says how many.
pub const PAGE: u64 = 100;

impl App {
    /// A page of a scenario's clients, in the order of their names.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], or [`ServiceError::BadParameter`] for a limit that is not 1 to
    /// [`queues::PAGE_MAX`] and an `after` that is no client's name.
    pub fn clients(
        &self,
        caller: &Caller,
        scenario: &str,
        limit: Option<u64>,
        after: Option<&str>,
    ) -> Result<Clients, ServiceError> {
        caller.require(Permission::Inspect)?;
        let handle = self.registry().by_scenario(scenario)?;
        let limit = queues::page_size(limit, PAGE)?;
        let after = queues::place(after, ClientId::parse)?;
        let state = handle.state();
        Ok(page(&state, self.now(&state), limit, after.as_ref()))
    }
}

fn page(state: &State, now: At, limit: usize, after: Option<&ClientId>) -> Clients {
    let open = state.bases.values().filter(|base| base.retired.is_none());
    let versions: BTreeSet<Version> = open.map(|base| base.template.version()).collect();
    let trials = state.patches.iter().filter_map(|patch| match patch.stage {
        Stage::Experimental(_) => Some((patch.change.key_name(), &state.ledger.keys.get(&patch.patch_id)?.used)),
        _ => None,
    });
    let trials: Vec<(&KeyName, &BTreeSet<ClientId>)> = trials.collect();
    let row = |(id, client): (&ClientId, &clients::Client)| {
        let version = state.bases.get(&client.schema_id).map(|base| base.template.version());
        let version = version.unwrap_or_default();
        let used = trials.iter().filter(|(_, used)| used.contains(id));
        Client {
            client: id.to_string(),
            state: client.activity(now).into(),
            last_seen: client.seen.rfc3339(),
            submissions_7d: client.submissions(now),
            schema_id: client.schema_id.to_string(),
            version: version.to_string(),
            revision: client.revision,
            versions_behind: versions.iter().filter(|other| **other > version).count() as u64,
            sample: client.sample(),
            other_ratio: client.other().map(rounded),
            keys: client
                .filled()
                .map(|(key, share)| (key.to_string(), rounded(share)))
                .collect(),
            trial_keys: used.map(|(key, _)| key.to_string()).collect(),
        }
    };
    let mut known = state.clients.after(after);
    let clients: Vec<Client> = known.by_ref().take(limit).map(row).collect();
    let last = clients.last().map(|client| client.client.clone());
    Clients {
        clients,
        total: state.clients.count() as u64,
        next: known.next().and(last),
    }
}

/// Three digits: a share of 64 holds no more.
fn rounded(share: f64) -> f64 {
    (share * 1_000.0).round() / 1_000.0
}
