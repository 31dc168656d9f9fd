//! What the demo tells: one shape for each kind of happening, as the lines of `--json` and as what the story is made of.
//!
//! Invariant: every member was read from an event, or from the state and the view after it; nothing is made up here.
//! Heat is in units, ratios are 0 to 1 and `null` where undefined.

use serde::Serialize;
use serde_json::Value;

use crate::domain::evolution::ledger::KeyReading;
use crate::domain::evolution::policy::EvolutionPolicy;
use crate::domain::pool::gate::Audience;
use crate::domain::pool::gate::GateReading;
use crate::domain::pool::heat::MICRO;
use crate::domain::pool::policy::PoolPolicy;

/// One happening with its day, counted from 1, and its moment (RFC 3339).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Told {
    pub day: u32,
    pub at: String,
    #[serde(flatten)]
    pub what: Happening,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Happening {
    /// The first day begins.
    Began {
        seed: u64,
        days: u32,
        clients: u64,
        template: Value,
        thresholds: Box<Thresholds>,
    },
    /// One of the first things that somebody said in `other`.
    Heard { client: String, fragments: Vec<String> },
    /// A cluster passed the heat that the gate asks for, for the first time.
    Hot {
        cluster: u64,
        heat: f64,
        members: u64,
        clients: u64,
    },
    /// A gate opened.
    GateOpened {
        cluster: u64,
        audience: Audience,
        gate: GateShown,
        says: String,
    },
    /// A gate opened, and no key came of it.
    Settled {
        cluster: u64,
        audience: Audience,
        says: String,
    },
    /// A key, or better words for one, was proposed.
    Proposed(Box<Proposal>),
    /// A client filled a learned key for the first time in the whole service. Better words for a key have no first use.
    FirstUse {
        patch_id: String,
        key_name: String,
        client: String,
    },
    /// Half of the clients that know a key have used it.
    HalfAdopted {
        patch_id: String,
        key_name: String,
        used: u64,
        received: u64,
    },
    /// A key changed its stage, or its stage was prolonged.
    Staged(Box<Change>),
    /// A key that had gone is wanted again.
    Revived {
        patch_id: String,
        key_name: String,
        stage: String,
        /// When the stage ends by itself.
        until: Option<String>,
        says: String,
    },
    /// A day is over.
    Day(Box<DayTold>),
    /// The last day is over.
    Ended(Box<Ending>),
}

/// The numbers that decide, as the policy has them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Thresholds {
    pub heat: f64,
    pub heat_increment: f64,
    pub heat_half_life_hours: i64,
    pub gate_window_days: i64,
    pub gate_clients: u64,
    pub gate_occurrences: u64,
    pub trial_days: i64,
    pub experimental_max: usize,
    pub grace_days: i64,
    pub promote_usage: f64,
    pub promote_alignment: f64,
    pub promote_type: f64,
    pub deprecate_usage: f64,
    pub deprecate_alignment: f64,
    pub deprecate_type: f64,
}

const DAY_S: i64 = 86_400;

impl Thresholds {
    /// Out of the policy in force.
    pub fn of(pool: &PoolPolicy, evolution: &EvolutionPolicy) -> Thresholds {
        Thresholds {
            heat: pool.heat_threshold,
            heat_increment: pool.heat_increment,
            heat_half_life_hours: pool.heat_half_life_s / 3_600,
            gate_window_days: pool.gate_window_s / DAY_S,
            gate_clients: pool.gate_clients_min,
            gate_occurrences: pool.gate_occurrences_min,
            trial_days: evolution.trial_s / DAY_S,
            experimental_max: evolution.experimental_max,
            grace_days: evolution.grace_s / DAY_S,
            promote_usage: evolution.promote_usage_min,
            promote_alignment: evolution.promote_alignment_min,
            promote_type: evolution.promote_type_min,
            deprecate_usage: evolution.deprecate_usage_below,
            deprecate_alignment: evolution.deprecate_alignment_below,
            deprecate_type: evolution.deprecate_type_below,
        }
    }
}

/// What a gate read when it opened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateShown {
    pub heat: f64,
    pub capped_heat: f64,
    pub clients: u64,
    pub occurrences: u64,
    pub top_occurrences: u64,
    pub top_heat: f64,
}

impl GateShown {
    /// In units.
    pub fn of(gate: &GateReading) -> GateShown {
        GateShown {
            heat: units(gate.heat_micro),
            capped_heat: units(gate.capped_heat_micro),
            clients: gate.clients,
            occurrences: gate.occurrences,
            top_occurrences: gate.top_occurrences,
            top_heat: units(gate.top_heat_micro),
        }
    }
}

/// A patch as it was proposed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proposal {
    pub patch_id: String,
    pub key_name: String,
    pub stage: String,
    pub audience: Audience,
    /// As published (DESIGN §8).
    pub patch: Value,
    pub members: u64,
    pub gate: GateShown,
    /// Redacted; none where too few clients said something alike.
    pub examples: Vec<String>,
    /// What its history foretells.
    pub backtest: Value,
    /// Highest heat of its cluster on each day so far, the first day first.
    pub heat: Vec<f64>,
    pub because: Vec<String>,
    pub says: String,
}

/// A change of stage, with the ledger as it was read for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    pub patch_id: String,
    pub key_name: String,
    /// Whether it is a key, and not better words or more values for one.
    pub adds_key: bool,
    pub stage: String,
    pub reason: Value,
    pub audience: Audience,
    pub ledger: Option<LedgerShown>,
    /// RFC 3339: when this stage ends or is looked at.
    pub until: Option<String>,
    pub because: Vec<String>,
    pub says: String,
}

/// What a trial is decided by.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LedgerShown {
    pub payloads: u64,
    pub usage: Option<f64>,
    pub judged: u64,
    pub alignment: Option<f64>,
    pub type_correctness: Option<f64>,
    pub received: u64,
    pub used: u64,
    pub adoption: Option<f64>,
}

impl LedgerShown {
    /// What decides, out of all that is read.
    pub fn of(reading: &KeyReading, audience: &Audience) -> LedgerShown {
        LedgerShown {
            payloads: reading.payloads_of(audience),
            usage: reading.usage(audience),
            judged: reading.judged,
            alignment: reading.semantic_alignment_accuracy,
            type_correctness: reading.value_type_correctness,
            received: reading.received,
            used: reading.used,
            adoption: reading.client_adoption_rate,
        }
    }
}

/// A day in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DayTold {
    /// `YYYY-MM-DD`.
    pub date: String,
    pub payloads: u64,
    pub refused: u64,
    /// Payloads that said something in `other`.
    pub with_other: u64,
    /// Fragments that joined the pool.
    pub pooled: u64,
    pub clusters: u64,
    /// Every key that was ever on trial, in the order of the proposals.
    pub keys: Vec<KeyDay>,
}

/// A key on one day.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KeyDay {
    pub patch_id: String,
    pub key_name: String,
    pub stage: String,
    /// Highest heat of its cluster on this day.
    pub heat: f64,
    /// Payloads that hold it, of those of clients that know it, on this day.
    pub payloads_with_key: u64,
    pub payloads_of_recipients: u64,
    /// Clients that have used it, of those that know it, so far.
    pub used: u64,
    pub received: u64,
    pub adoption: Option<f64>,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ending {
    pub payloads: u64,
    pub refused: u64,
    pub events: u64,
    pub before: Value,
    /// The template as everyone sees it.
    pub after: Value,
    /// What single clients see beyond that.
    pub personal: Vec<PersonalTold>,
    pub schema_id: String,
    /// Wall time, the only thing that differs between two runs with one seed.
    pub seconds: f64,
}

/// A key for one client.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PersonalTold {
    pub client: String,
    pub patch_id: String,
    pub key: Value,
    pub stage: String,
    /// How many of the other clients can see it.
    pub seen_by_others: u64,
}

/// Heat in units, to the hundredth.
pub fn units(micro: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "shown to people, with two places")]
    let units = micro as f64 / MICRO as f64;
    (units * 100.0).round() / 100.0
}
