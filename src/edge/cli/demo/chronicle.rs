//! The chronicle of a demo: watches the engine and notes what a person should be told, with the engine's numbers.
//!
//! Decides nothing. Invariants: days are told in order, each once, after everything that happened on it; a happening is
//! noted when its event was applied, never earlier.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde_json::Value;

use crate::domain::evolution::backtest::Backtest;
use crate::domain::evolution::patch::Patch;
use crate::domain::pool::cohort::Addressee;
use crate::domain::pool::gate::Audience;
use crate::domain::pool::placement::Placement;
use crate::domain::pool::state::ClusterId;
use crate::domain::scenario::account;
use crate::domain::scenario::event::Event;
use crate::domain::scenario::layer;
use crate::domain::scenario::policy::Policy;
use crate::domain::scenario::state::State;
use crate::domain::scenario::submission::Sealed;
use crate::domain::scenario::submission::Submitted;
use crate::domain::template::effective::KeyChange;
use crate::domain::template::name::ClientId;
use crate::domain::template::name::PatchId;
use crate::domain::time::At;
use crate::domain::time::DAY_MS;
use crate::edge::cli::demo::happening;
use crate::edge::cli::demo::happening::Change;
use crate::edge::cli::demo::happening::DayTold;
use crate::edge::cli::demo::happening::Ending;
use crate::edge::cli::demo::happening::GateShown;
use crate::edge::cli::demo::happening::Happening;
use crate::edge::cli::demo::happening::KeyDay;
use crate::edge::cli::demo::happening::LedgerShown;
use crate::edge::cli::demo::happening::PersonalTold;
use crate::edge::cli::demo::happening::Proposal;
use crate::edge::cli::demo::happening::Thresholds;
use crate::edge::cli::demo::happening::Told;
use crate::service::replay::Glimpse;
use crate::service::replay::Onlooker;

/// What is said in `other` at the very beginning is quoted so often.
const HEARD_MAX: usize = 4;
/// Clusters of which it is told that they grew hot.
const HOT_MAX: usize = 2;

/// Who is told.
pub type Listener<'a> = &'a dyn Fn(&Told);

/// Watches a replay.
pub struct Chronicle<'a> {
    seed: u64,
    days: u32,
    start: At,
    clients: &'a [&'a str],
    listener: Listener<'a>,
    notes: RefCell<Notes>,
}

#[derive(Default)]
struct Notes {
    /// 0 before the first entry.
    day: u32,
    today: DayTold,
    before: Value,
    payloads: u64,
    refused: u64,
    heard: BTreeSet<String>,
    hot: BTreeSet<ClusterId>,
    /// Highest heat of each cluster on each day, in micro-units.
    heats: BTreeMap<ClusterId, BTreeMap<u32, i64>>,
    used: BTreeSet<PatchId>,
    half: BTreeSet<PatchId>,
}

impl<'a> Chronicle<'a> {
    /// Begins; `clients` are all that will submit.
    pub fn new(seed: u64, days: u32, start: At, clients: &'a [&'a str], listener: Listener<'a>) -> Chronicle<'a> {
        Chronicle {
            seed,
            days,
            start,
            clients,
            listener,
            notes: RefCell::new(Notes::default()),
        }
    }

    fn day_of(&self, at: At) -> u32 {
        u32::try_from(at.since_ms(self.start) / DAY_MS + 1).unwrap_or(u32::MAX)
    }

    fn tell(&self, day: u32, at: At, what: Happening) {
        (self.listener)(&Told {
            day,
            at: at.rfc3339(),
            what,
        });
    }

    /// Tells the last day and the end.
    pub fn finish(&self, state: &State, policy: &Policy, seconds: f64) {
        let mut notes = self.notes.borrow_mut();
        self.close(&mut notes, state, policy);
        let last = self.start.plus_ms(i64::from(self.days) * DAY_MS - 1);
        let base = state.base_in_force();
        let after = base.map_or(Value::Null, |base| {
            layer::effective(state, base, Addressee::default()).document(None, true)
        });
        let personal = state.patches.iter().filter_map(|patch| {
            let owner = patch.audience.client()?;
            patch.stage.standing()?;
            Some(PersonalTold {
                client: owner.to_string(),
                patch_id: patch.patch_id.to_string(),
                key: patch.document()["new_keys"][0].clone(),
                stage: patch.stage.name().to_owned(),
                seen_by_others: self.seen_by_others(state, patch, owner),
            })
        });
        let ending = Ending {
            payloads: notes.payloads,
            refused: notes.refused,
            events: state.seq,
            before: notes.before.take(),
            after,
            personal: personal.collect(),
            schema_id: base.map_or_else(String::new, |base| base.template.schema_id.to_string()),
            seconds,
        };
        self.tell(self.days, last, Happening::Ended(Box::new(ending)));
    }

    fn seen_by_others(&self, state: &State, patch: &Patch, owner: &ClientId) -> u64 {
        let sees = |client: &&&str| {
            let client = ClientId::parse(client);
            let to = Addressee {
                client: client.as_ref(),
                cohort: None,
            };
            client.as_ref() != Some(owner) && layer::in_force(state, to).any(|seen| seen.patch_id == patch.patch_id)
        };
        self.clients.iter().filter(sees).count() as u64
    }

    /// Ends the day under way and begins the next one.
    fn close(&self, notes: &mut Notes, state: &State, policy: &Policy) {
        if notes.day == 0 {
            return;
        }
        let day = notes.day;
        let end = self.start.plus_ms(i64::from(day) * DAY_MS - 1);
        let mut told = std::mem::take(&mut notes.today);
        told.date = end.date();
        told.clusters = state.pool.clusters.len() as u64;
        told.keys = state
            .patches
            .iter()
            .filter(|patch| layer::was_in_force(patch) && adds_key(patch))
            .filter_map(|patch| key_day(notes, state, patch, day, end))
            .collect();
        self.tell(day, end, Happening::Day(Box::new(told)));
        // What was hot is cooler by now; the new day begins with that.
        notes.day += 1;
        for cluster in state.pool.clusters.keys() {
            let heat = state.pool.heat_micro(*cluster, end, &policy.pool);
            notes.heat(*cluster, heat);
        }
    }

    fn submitted(&self, notes: &mut Notes, submitted: &Submitted, glimpse: &Glimpse<'_>) {
        let Glimpse {
            entry, sealed, state, ..
        } = glimpse;
        notes.payloads += 1;
        notes.today.payloads += 1;
        notes.refused += u64::from(!submitted.accepted);
        notes.today.refused += u64::from(!submitted.accepted);
        notes.today.with_other += u64::from(submitted.with_other);
        let Some(client) = &submitted.client else { return };
        if notes.heard.len() < HEARD_MAX
            && submitted.fragments > 0
            && let Some(sealed) = Sealed::parse(sealed)
            && notes.heard.insert(client.to_string())
        {
            let (client, fragments) = (client.to_string(), sealed.fragments);
            self.tell(notes.day, entry.at, Happening::Heard { client, fragments });
        }
        for seen in &submitted.observed {
            let Some(patch) = state.patch(&seen.patch_id).filter(|patch| adds_key(patch)) else {
                continue;
            };
            let (patch_id, key_name) = (seen.patch_id.to_string(), seen.key.to_string());
            if notes.used.insert(seen.patch_id.clone()) {
                let client = client.to_string();
                let what = Happening::FirstUse {
                    patch_id: patch_id.clone(),
                    key_name: key_name.clone(),
                    client,
                };
                self.tell(notes.day, entry.at, what);
            }
            let global = patch.audience == Audience::Global;
            let reading = state.ledger.keys.get(&seen.patch_id);
            let (used, received) = reading.map_or((0, 0), |keys| (keys.used.len() as u64, keys.received.len() as u64));
            let half = used * 2 >= self.clients.len() as u64;
            if global && half && notes.half.insert(seen.patch_id.clone()) {
                let what = Happening::HalfAdopted {
                    patch_id,
                    key_name,
                    used,
                    received,
                };
                self.tell(notes.day, entry.at, what);
            }
        }
    }

    fn digested(&self, notes: &mut Notes, placements: &[Placement], heats: &[(ClusterId, i64)], glimpse: &Glimpse<'_>) {
        let joined = placements
            .iter()
            .filter(|placement| matches!(placement, Placement::Joined { .. }));
        notes.today.pooled += joined.count() as u64;
        let policy = &glimpse.view.policy.pool;
        for (cluster, heat) in heats {
            notes.heat(*cluster, *heat);
            let threshold = happening::units(*heat) > policy.heat_threshold;
            if threshold && notes.hot.len() < HOT_MAX && notes.hot.insert(*cluster) {
                let gate = glimpse.state.pool.gate(*cluster, glimpse.entry.at, policy);
                let what = Happening::Hot {
                    cluster: cluster.0,
                    heat: happening::units(*heat),
                    members: glimpse.state.pool.members(*cluster),
                    clients: gate.clients,
                };
                self.tell(notes.day, glimpse.entry.at, what);
            }
        }
    }
}

impl Onlooker for Chronicle<'_> {
    fn saw(&self, glimpse: &Glimpse<'_>) {
        let Glimpse { entry, state, view, .. } = glimpse;
        let mut notes = self.notes.borrow_mut();
        let notes = &mut *notes;
        let day = self.day_of(entry.at).min(self.days);
        while notes.day != 0 && notes.day < day {
            self.close(notes, state, &view.policy);
        }
        if notes.day == 0 {
            notes.day = 1;
        }
        let tell = |what: Happening| self.tell(notes.day, entry.at, what);
        match &entry.event {
            Event::BasePublished { template: _, by: _ } => {
                let base = state.base_in_force();
                let base = base.map_or(Value::Null, |base| {
                    layer::effective(state, base, Addressee::default()).document(None, true)
                });
                notes.before = base.clone();
                self.tell(
                    notes.day,
                    entry.at,
                    Happening::Began {
                        seed: self.seed,
                        days: self.days,
                        clients: self.clients.len() as u64,
                        template: base,
                        thresholds: Box::new(Thresholds::of(&view.policy.pool, &view.policy.evolution)),
                    },
                );
            }
            Event::Submitted(submitted) => self.submitted(notes, submitted, glimpse),
            Event::Digested { placements, heats, .. } => self.digested(notes, placements, heats, glimpse),
            Event::Regrouped(_) => {
                for cluster in state.pool.clusters.keys() {
                    notes.heat(*cluster, state.pool.heat_micro(*cluster, entry.at, &view.policy.pool));
                }
            }
            Event::Triggered {
                cluster,
                audience,
                gate,
            } => tell(Happening::GateOpened {
                cluster: cluster.0,
                audience: audience.clone(),
                gate: GateShown::of(gate),
                says: account::tell(&entry.event, state).unwrap_or_default(),
            }),
            Event::Settled { cluster, audience, .. } => tell(Happening::Settled {
                cluster: cluster.0,
                audience: audience.clone(),
                says: account::tell(&entry.event, state).unwrap_or_default(),
            }),
            Event::Proposed { patch } => tell(Happening::Proposed(Box::new(proposal(notes, patch, glimpse)))),
            Event::Revived { patch_id, stage, .. } => tell(Happening::Revived {
                patch_id: patch_id.to_string(),
                key_name: name(state, patch_id),
                stage: stage.name().to_owned(),
                until: stage.due().map(At::rfc3339),
                says: account::tell(&entry.event, state).unwrap_or_default(),
            }),
            Event::Staged {
                patch_id,
                stage,
                reason,
                reading,
                ..
            } => {
                let Some(patch) = state.patch(patch_id) else { return };
                tell(Happening::Staged(Box::new(Change {
                    patch_id: patch_id.to_string(),
                    key_name: name(state, patch_id),
                    adds_key: adds_key(patch),
                    stage: stage.name().to_owned(),
                    reason: serde_json::to_value(reason).unwrap_or(Value::Null),
                    audience: patch.audience.clone(),
                    ledger: reading
                        .as_ref()
                        .map(|reading| LedgerShown::of(reading, &patch.audience)),
                    until: stage.due().map(At::rfc3339),
                    because: account::tell_why(&entry.event, state),
                    says: account::tell(&entry.event, state).unwrap_or_default(),
                })));
            }
            Event::Continued
            | Event::Received { .. }
            | Event::Reviewed(_)
            | Event::ReviewFailed { .. }
            | Event::Rehomed { .. }
            | Event::Reembedded { .. }
            | Event::BaseRetired { .. }
            | Event::BaseRestored { .. }
            | Event::Judged(_)
            | Event::Audited(_)
            | Event::Executed(_)
            | Event::Redacted { .. }
            | Event::Frozen { .. }
            | Event::Thawed { .. }
            | Event::Erased { .. }
            | Event::Trimmed { .. } => {}
        }
    }
}

impl Notes {
    fn heat(&mut self, cluster: ClusterId, heat: i64) {
        let of_day = self.heats.entry(cluster).or_default().entry(self.day).or_default();
        *of_day = (*of_day).max(heat);
    }

    fn heat_on(&self, cluster: ClusterId, day: u32) -> f64 {
        let heat = self.heats.get(&cluster).and_then(|days| days.get(&day));
        happening::units(heat.copied().unwrap_or_default())
    }
}

/// Whether a patch is a key, and not better words or more values for one.
fn adds_key(patch: &Patch) -> bool {
    matches!(patch.change, KeyChange::Add(_))
}

fn name(state: &State, patch_id: &PatchId) -> String {
    state
        .patch(patch_id)
        .map_or_else(|| patch_id.to_string(), |patch| patch.change.key_name().to_string())
}

fn proposal(notes: &Notes, patch: &Patch, glimpse: &Glimpse<'_>) -> Proposal {
    Proposal {
        patch_id: patch.patch_id.to_string(),
        key_name: patch.change.key_name().to_string(),
        stage: patch.stage.name().to_owned(),
        audience: patch.audience.clone(),
        patch: patch.document(),
        members: patch.members,
        gate: GateShown::of(&patch.gate),
        examples: patch.examples.clone(),
        backtest: patch.backtest.as_deref().map_or(Value::Null, Backtest::document),
        heat: (1..=notes.day).map(|day| notes.heat_on(patch.cluster, day)).collect(),
        because: account::tell_why(&glimpse.entry.event, glimpse.state),
        says: account::tell(&glimpse.entry.event, glimpse.state).unwrap_or_default(),
    }
}

/// A key at the end of a day; none before it was proposed. The state may have gone on already.
fn key_day(notes: &Notes, state: &State, patch: &Patch, day: u32, end: At) -> Option<KeyDay> {
    let until = patch.history.iter().take_while(|change| change.at <= end);
    let stage = until.last()?.to.clone();
    let reading = state.ledger.read(&patch.patch_id, end, 1);
    Some(KeyDay {
        patch_id: patch.patch_id.to_string(),
        key_name: patch.change.key_name().to_string(),
        stage,
        heat: notes.heat_on(patch.cluster, day),
        payloads_with_key: reading.payloads_with_key,
        payloads_of_recipients: reading.payloads_of_recipients,
        used: reading.used,
        received: reading.received,
        adoption: reading.client_adoption_rate,
    })
}
