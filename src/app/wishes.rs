//! What became of a client's own wishes: of each thing that it said in `other`, whether a key holds it, whether it waits, or why nothing
//! is made of it.
//!
//! Reads the end of the scenario's journal, newest first; invariant: nothing of another client is in it, no word, no name and no count,
//! and no key that this client is not served.

use std::collections::BTreeMap;

use crate::api::pool::OwnWish;
use crate::api::pool::WishState;
use crate::api::pool::Wishes;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::queues;
use crate::app::sealed;
use engine::evolution::patch::Patch;
use engine::pool::analysis::NoDemand;
use engine::pool::assignment::Assignment;
use engine::pool::heading::Heading;
use engine::pool::micro::MicroId;
use engine::scenario::event;
use engine::scenario::event::Event;
use engine::scenario::layer;
use engine::scenario::policy::Policy;
use engine::scenario::state::Claim;
use engine::scenario::state::State;
use schema::name::ClientId;
use schema::time::At;
use std::sync::Arc;
use store::journal::Journal;

/// Wishes in one answer where nobody says how many.
pub const PAGE: u64 = 50;
/// Records that are looked through, from the newest back: some days of a busy scenario, read in well below a second.
const RECORDS_MAX: u64 = 5_000;
/// Records that are read together.
const TOGETHER: u64 = 256;

impl App {
    /// What became of the caller's own wishes, newest first.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::Forbidden`], [`ServiceError::BadRequest`] for a caller without a name, or
    /// [`ServiceError::BadParameter`] for a limit that is not 1 to [`PAGE_MAX`].
    pub async fn wishes(&self, caller: &Caller, scenario: &str, limit: Option<u64>) -> Result<Wishes, ServiceError> {
        caller.require(Permission::Submit)?;
        let unnamed = || {
            ServiceError::BadRequest("wishes are told to the client who said them, and this call names none".to_owned())
        };
        let client = caller.client.clone().ok_or_else(unnamed)?;
        let limit = queues::page_size(limit, PAGE)?;
        let (handle, deps) = (
            self.registry().by_scenario(scenario)?,
            Arc::clone(&self.registry().deps),
        );
        let told = tokio::task::spawn_blocking(move || wishes(deps.journal.as_ref(), &handle, &client, limit));
        Ok(told.await?)
    }
}

/// Newest first.
fn wishes(journal: &dyn Journal, handle: &ScenarioHandle, client: &ClientId, limit: usize) -> Wishes {
    let (head, mut looked_back_to) = {
        let state = handle.state();
        (state.seq, state.at)
    };
    let mut placed: BTreeMap<u64, Vec<Assignment>> = BTreeMap::new();
    let mut said: Vec<Own> = Vec::new();
    let oldest = head.saturating_sub(RECORDS_MAX).max(1);
    let mut before = head.saturating_add(1);
    while before > oldest && said.len() < limit {
        let from = before.saturating_sub(TOGETHER).max(oldest);
        let count = usize::try_from(before - from).unwrap_or(usize::MAX);
        let Ok(records) = journal.read(&handle.journal, from, count) else {
            break;
        };
        for record in records.into_iter().rev() {
            looked_back_to = record.at;
            match event::read(&record.open) {
                Ok(Event::Digested { of, placements, .. }) => {
                    placed.insert(of, placements);
                }
                Ok(Event::Submitted(submitted))
                    if submitted.client.as_ref() == Some(client) && submitted.fragments > 0 =>
                {
                    let texts = sealed::read(journal, &handle.journal, record.seq).map(|kept| kept.sealed.fragments);
                    let mut texts = texts.unwrap_or_default().into_iter();
                    let placements = placed.remove(&record.seq).unwrap_or_default();
                    said.extend((0..submitted.fragments).map(|ordinal| Own {
                        submission: record.seq,
                        at: record.at,
                        text: texts.next(),
                        placement: placements.iter().find(|placed| is_of(placed, ordinal)).cloned(),
                    }));
                }
                Ok(_) | Err(_) => {}
            }
        }
        before = from;
    }
    said.truncate(limit);
    let policy = handle.view.load().policy.clone();
    let state = handle.state();
    let wishes = said.into_iter().map(|own| {
        let (state, key) = fate(&state, &policy, client, own.placement.as_ref());
        OwnWish {
            submission_id: handle.submission_id(own.submission),
            at: own.at.rfc3339(),
            text: own.text,
            state,
            key,
        }
    });
    Wishes {
        wishes: wishes.collect(),
        looked_back_to: looked_back_to.rfc3339(),
    }
}

/// One thing that the client said, as the journal holds it.
struct Own {
    submission: u64,
    at: At,
    text: Option<String>,
    placement: Option<Assignment>,
}

fn is_of(placement: &Assignment, ordinal: u32) -> bool {
    match placement {
        Assignment::Dropped { fragment, .. }
        | Assignment::Covered { fragment, .. }
        | Assignment::Joined { fragment, .. }
        | Assignment::Failed { fragment } => fragment.ordinal == ordinal,
    }
}

/// What became of one fragment, in a word, and the key that it is about.
fn fate(
    state: &State,
    policy: &Policy,
    client: &ClientId,
    placement: Option<&Assignment>,
) -> (WishState, Option<String>) {
    match placement {
        None => (WishState::Captured, None),
        Some(Assignment::Covered { key, .. }) => (WishState::Held, Some(key.to_string())),
        Some(Assignment::Dropped { reason, .. }) => (dropped(*reason), None),
        Some(Assignment::Failed { .. }) => (WishState::NotRead, None),
        Some(Assignment::Joined { micro, .. }) => joined(state, policy, client, *micro),
    }
}

fn dropped(reason: NoDemand) -> WishState {
    match reason {
        // What a secret was told in is read for nothing else.
        NoDemand::Unread | NoDemand::Secret => WishState::NotRead,
        NoDemand::Empty
        | NoDemand::Acknowledgement
        | NoDemand::Thanks
        | NoDemand::Question
        | NoDemand::NothingAsked => WishState::AsksForNothing,
    }
}

fn joined(state: &State, policy: &Policy, client: &ClientId, micro: MicroId) -> (WishState, Option<String>) {
    // What was dropped to stay within the bound is read no more.
    let Some(cluster) = state.pool.cluster_of(micro) else {
        return (WishState::NotRead, None);
    };
    let heading = state
        .pool
        .clusters
        .get(&cluster)
        .and_then(|cluster| cluster.heading.as_ref());
    match heading {
        Some(Heading::Nothing) => return (WishState::AsksForNothing, None),
        Some(Heading::Held(key)) => return (WishState::Held, Some(key.to_string())),
        Some(Heading::Wish(_)) | None => {}
    }
    let to = policy.cohorts.addressee(Some(client));
    let claims = state.claims_of(cluster);
    let patches = claims.iter().filter_map(|(_, claim)| match claim {
        Claim::Patched(id) => state.patch(id),
        Claim::Inducing { .. } | Claim::Settled { .. } => None,
    });
    let served = patches.filter(|patch| layer::concerns(patch, to));
    let key = |patch: &Patch| Some(patch.change.key_name().to_string());
    let mut states = served.filter_map(|patch| match patch.stage.name() {
        "experimental" => Some((WishState::OnTrial, key(patch))),
        "stable" => Some((WishState::Held, key(patch))),
        _ => None,
    });
    // A key that waits, or that is another client's own, is nothing that this client can use.
    states.next().unwrap_or((WishState::Waits, None))
}
