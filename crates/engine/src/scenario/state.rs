//! The state of one scenario: a view of its journal.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::evolution::ledger::Ledger;
use crate::evolution::patch::Patch;
use crate::evolution::review::Asked;
use crate::evolution::review::Refused;
use crate::pool::gate::Audience;
use crate::pool::gate::GateReading;
use crate::pool::heading::Wish;
use crate::pool::micro::ClusterId;
use crate::pool::source::Source;
use crate::pool::state::Pool;
use crate::scenario::audits::Audits;
use crate::scenario::clients::Clients;
use crate::scenario::event::Event;
use crate::scenario::event::Settlement;
use crate::scenario::submission::Pending;
use schema::act::By;
use schema::effective::Standing;
use schema::name::ClientId;
use schema::name::PatchId;
use schema::name::ScenarioKey;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;
use schema::time::At;
use schema::time::Day;

/// A published base schema.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Base {
    pub template: SchemaTemplate,
    /// Journal sequence of its publication, or of its last retirement or restoration.
    pub revision: u64,
    pub retired: Option<At>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<Deprecation>,
    /// Journal sequence of its publication; 0 where a snapshot of an earlier version does not say it.
    #[serde(default)]
    pub published: u64,
}

/// An announcement that a base is to go. It changes nothing: what ends a base is that it is retired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deprecation {
    /// When it was announced first.
    pub since: At,
    /// From when on it may be gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sunset: Option<At>,
    /// What its publisher said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Submissions to be looked at that are held nowhere but in the journal, since too many are. While there are any, further ones wait
/// with them, so that all are read in the order in which they came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deferred {
    /// The entry after which they lie; nothing after it was looked at, and nothing after it is held.
    pub after: u64,
    /// The first of them is not older.
    pub since: At,
    pub count: u64,
}

/// What a triggered cluster came to, for one audience (Z-102).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// Triggered; induction is on its way.
    Inducing { since: At, gate: GateReading },
    /// It became this patch.
    Patched(PatchId),
    /// It came to nothing; it may fire again when it has twice the members.
    Settled {
        at: At,
        members: u64,
        settlement: Settlement,
    },
}

/// What a client knows of the patch layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acquaintance {
    /// Highest revision that it fetched or used.
    pub revision: u64,
    /// The revision suggested inline last, and how often.
    pub suggested: u64,
    pub times: u32,
}

/// Records that lie one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    pub first: u64,
    pub last: u64,
}

/// Evolution, stopped by a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frozen {
    pub since: At,
    pub by: By,
    /// What the person said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// That a person found a cluster to be no wish: until then nothing is proposed of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dismissal {
    pub since: At,
    pub until: At,
    pub by: By,
    /// What the person said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Which entries the decision log tells, so that a page of it is found without reading what lies between.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decisions {
    /// The first entry from which on it is known; 0 before there is one. A snapshot of a time before this was kept says nothing of
    /// what it holds.
    pub since: u64,
    /// Sequences, ascending.
    pub told: Vec<u64>,
}

/// Everything that is known of one scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The last entry applied; 0 before the first.
    pub seq: u64,
    pub at: At,
    /// Sequence of the last decision.
    pub decided: u64,
    pub scenario: Option<ScenarioKey>,
    pub bases: BTreeMap<SchemaId, Base>,
    /// In the order of their proposals; the n-th has number n.
    pub patches: Vec<Patch>,
    pub pool: Pool,
    pub ledger: Ledger,
    /// By journal sequence.
    pub pending: BTreeMap<u64, Pending>,
    /// What waits beyond them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deferred: Option<Deferred>,
    /// Submissions that wait beyond them, of single sources that send much, while those of others are held.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub deferred_by_source: BTreeMap<Source, Deferred>,
    pub claims: BTreeMap<ClusterId, Vec<(Audience, Claim)>>,
    pub acquaintances: BTreeMap<ClientId, Acquaintance>,
    /// Submissions whose execution has no ending on record, by sequence, with their moment.
    #[serde(default)]
    pub unexecuted: BTreeMap<u64, At>,
    /// Submissions of which the journal holds what their executor gets as it was said, by sequence.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub as_said: BTreeMap<u64, Run>,
    /// The day on which windows were trimmed last.
    pub trimmed: Day,
    /// Triggers so far: for all, for one client.
    pub triggers_global: u64,
    pub triggers_client: u64,
    /// … and for one cohort.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub triggers_cohort: u64,
    /// Who stopped evolution, while it is stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frozen: Option<Frozen>,
    /// Up to which record sealed parts were erased; 0 when none were.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub erased_through: u64,
    /// Sequences of the entries that outsiders may be told of, ascending.
    #[serde(default)]
    pub news: Vec<u64>,
    /// From which entry on each patch stood how, so that a template of any revision can be put together. A snapshot of a
    /// time before this was kept cannot be read, and its journal is read from the first record on.
    pub standings: Standings,
    /// Values that people look at.
    #[serde(default, skip_serializing_if = "Audits::is_unused")]
    pub audits: Audits,
    /// When a reader was asked last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Asked>,
    /// What of the last keys that a person made of clusters was refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused_by_hand: Vec<Refused>,
    /// Who uses the scenario. In a snapshot of a time before this was kept nobody is: a client is known from when it is seen again.
    #[serde(default)]
    pub clients: Clients,
    /// What was found to be no wish, by its cluster; some of it may be over.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dismissals: BTreeMap<ClusterId, Dismissal>,
    #[serde(default)]
    pub decisions: Decisions,
}

/// From which entry on each patch stood how, so that what a client was served at any revision can be put together without the
/// journal; `None` while it is in no template. What its change was then a patch knows itself. Invariant: the sequences of one
/// patch ascend, and no two neighbours say the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standings(BTreeMap<PatchId, Vec<(u64, Option<Standing>)>>);

impl Standings {
    /// Notes how a patch stands since its revision.
    pub fn note(&mut self, patch: &Patch) {
        let standing = patch.stage.standing();
        let noted = self.0.entry(patch.patch_id.clone()).or_default();
        if noted.last().is_none_or(|(_, last)| *last != standing) {
            noted.push((patch.revision, standing));
        }
    }

    /// How a patch stood at a revision; `None` also before it was proposed.
    pub fn at(&self, patch_id: &PatchId, revision: u64) -> Option<Standing> {
        let (_, standing) = self.noted(patch_id, revision)?;
        *standing
    }

    /// The entry by which a patch came to stand as it did at a revision.
    pub fn since(&self, patch_id: &PatchId, revision: u64) -> Option<u64> {
        self.noted(patch_id, revision).map(|(since, _)| *since)
    }

    fn noted(&self, patch_id: &PatchId, revision: u64) -> Option<&(u64, Option<Standing>)> {
        let noted = self.0.get(patch_id)?;
        noted.iter().rev().find(|(since, _)| *since <= revision)
    }
}

fn is_zero(seq: &u64) -> bool {
    *seq == 0
}

impl State {
    /// Where a patch stands in the list.
    pub fn place(&self, id: &PatchId) -> Option<usize> {
        let is_it = |patch: &Patch| &patch.patch_id == id;
        let place = id.number().and_then(|number| number.checked_sub(1));
        let numbered = place.filter(|place| self.patches.get(*place).is_some_and(is_it));
        numbered.or_else(|| self.patches.iter().position(is_it))
    }

    /// A patch by its id.
    pub fn patch(&self, id: &PatchId) -> Option<&Patch> {
        self.patches.get(self.place(id)?)
    }

    pub fn patch_mut(&mut self, id: &PatchId) -> Option<&mut Patch> {
        let place = self.place(id)?;
        self.patches.get_mut(place)
    }

    /// What a cluster came to, audience by audience.
    pub fn claims_of(&self, cluster: ClusterId) -> &[(Audience, Claim)] {
        self.claims.get(&cluster).map_or(&[], Vec::as_slice)
    }

    /// What a cluster came to for an audience, if anything yet.
    pub fn claim(&self, cluster: ClusterId, audience: &Audience) -> Option<&Claim> {
        let mut claims = self.claims_of(cluster).iter();
        claims.find_map(|(other, held)| (other == audience).then_some(held))
    }

    /// Notes what a cluster came to for an audience, in place of what it had come to.
    pub fn set_claim(&mut self, cluster: ClusterId, audience: &Audience, claim: Claim) {
        let claims = self.claims.entry(cluster).or_default();
        match claims.iter_mut().find(|(other, _)| other == audience) {
            Some((_, held)) => *held = claim,
            None => claims.push((audience.clone(), claim)),
        }
    }

    /// How a cluster was dismissed, while it is.
    pub fn dismissed(&self, cluster: ClusterId, at: At) -> Option<&Dismissal> {
        self.dismissals.get(&cluster).filter(|dismissal| at < dismissal.until)
    }

    /// Returns what waits in the journal alone: of a source, or of all.
    pub fn deferred_of(&self, source: Option<&Source>) -> Option<Deferred> {
        source.map_or(self.deferred, |source| self.deferred_by_source.get(source).copied())
    }

    /// Notes what waits in the journal alone: of a source, or of all.
    pub fn defer(&mut self, source: Option<&Source>, deferred: Option<Deferred>) {
        match (source, deferred) {
            (None, deferred) => self.deferred = deferred,
            (Some(source), Some(deferred)) => drop(self.deferred_by_source.insert(source.clone(), deferred)),
            (Some(source), None) => drop(self.deferred_by_source.remove(source)),
        }
    }

    fn all_deferred(&self) -> impl Iterator<Item = &Deferred> {
        self.deferred.iter().chain(self.deferred_by_source.values())
    }

    /// How many submissions were not looked at yet, wherever they wait.
    pub fn unread(&self) -> u64 {
        self.pending.len() as u64 + self.all_deferred().map(|deferred| deferred.count).sum::<u64>()
    }

    /// Returns whether a submission was not looked at yet; where its source is not known, whether that may be.
    pub fn is_unread(&self, submission: u64, source: Option<&Source>) -> bool {
        let mut of_source = self.deferred_by_source.iter();
        let of_source =
            of_source.any(|(of, deferred)| source.is_none_or(|source| source == of) && submission > deferred.after);
        let of_all = self.deferred.is_some_and(|deferred| submission > deferred.after);
        of_source || of_all || self.pending.contains_key(&submission)
    }

    /// The sequence before which everything was looked at, and a moment before which nothing that waits was said.
    pub fn first_unread(&self) -> Option<(u64, At)> {
        let held = self.pending.iter().map(|(seq, pending)| (*seq, pending.at)).next();
        let beyond = self.all_deferred().filter(|deferred| deferred.count > 0);
        let beyond = beyond.map(|deferred| (deferred.after + 1, deferred.since));
        let waiting = held.into_iter().chain(beyond);
        waiting.reduce(|(first, since), (seq, at)| (first.min(seq), since.min(at)))
    }

    /// What a reader says that a cluster is.
    pub fn wish(&self, cluster: ClusterId) -> Option<&Wish> {
        self.pool.clusters.get(&cluster)?.heading.as_ref()?.wish()
    }

    /// The patch that an event puts forward, as it stands in this state or else as proposed: a new one, or one that is
    /// wanted again.
    pub fn put_forward<'a>(&'a self, event: &'a Event) -> Option<&'a Patch> {
        match event {
            Event::Proposed { patch } => Some(self.patch(&patch.patch_id).unwrap_or(patch)),
            Event::Revived { patch_id, .. } => self.patch(patch_id),
            _ => None,
        }
    }

    /// Since when the scenario is closed: every schema retired, so that nothing is in force.
    pub fn closed_since(&self) -> Option<At> {
        if self.bases.is_empty() || self.base_in_force().is_some() {
            return None;
        }
        self.bases.values().filter_map(|base| base.retired).max()
    }

    /// The base in force: the highest version that is not retired, the latest published among equals (docs/design.md §3).
    pub fn base_in_force(&self) -> Option<&Base> {
        self.bases
            .values()
            .filter(|base| base.retired.is_none())
            .max_by_key(|base| (base.template.version(), base.revision))
    }
}
