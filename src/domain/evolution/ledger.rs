//! The ledger: what became of every patch key on real traffic, in daily buckets (Z-132 … Z-139, Z-158 … Z-164).

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;

use crate::domain::exchange::verdict::Observed;
use crate::domain::template::name::ClientId;
use crate::domain::template::name::PatchId;
use crate::domain::time::At;
use crate::domain::time::Day;

/// Who or what judged an alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    Lexical,
    Proxy,
    Llm,
    Audit,
}

/// Counts of one day for the scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DayTotals {
    /// Accepted and refused submissions, each once.
    pub payloads: u64,
    pub with_other: u64,
    pub clients: BTreeSet<ClientId>,
}

/// Counts of one day for one patch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DayCounts {
    pub payloads_with_key: u64,
    /// Payloads of clients that had received the patch (Z-162), with or without the key.
    pub payloads_of_recipients: u64,
    pub recipients_with_key: u64,
    pub type_ok: u64,
    /// Basis -> (aligned, judged).
    pub judged: BTreeMap<Basis, (u64, u64)>,
}

/// What is kept for one patch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyLedger {
    pub since: At,
    pub days: BTreeMap<Day, DayCounts>,
    pub received: BTreeSet<ClientId>,
    /// Clients that used it with a right value.
    pub used: BTreeSet<ClientId>,
}

/// The ledger of one scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    pub days: BTreeMap<Day, DayTotals>,
    pub keys: BTreeMap<PatchId, KeyLedger>,
}

/// The ledger of one key, read over a window. Undefined ratios are `None`, never zero (Z-160).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyReading {
    pub payloads: u64,
    pub payloads_with_key: u64,
    /// Z-135: payloads with the key over all payloads of the scenario.
    pub usage_frequency: Option<f64>,
    /// Z-162: the same among clients that received the patch; decisions use this.
    pub usage_among_recipients: Option<f64>,
    pub payloads_of_recipients: u64,
    pub aligned: u64,
    pub judged: u64,
    pub basis: BTreeMap<Basis, u64>,
    pub semantic_alignment_accuracy: Option<f64>,
    pub value_type_correctness: Option<f64>,
    pub received: u64,
    pub used: u64,
    pub client_adoption_rate: Option<f64>,
}

impl Ledger {
    /// Opens the ledger of a patch; opening it again starts it anew (a revival), but remembers who received it.
    pub fn open(&mut self, patch: &PatchId, at: At) {
        let _ = (patch, at);
        todo!()
    }

    /// Counts one submission. `active` are the patches in force for its client. First use counts as receipt.
    pub fn submitted(
        &mut self,
        at: At,
        client: Option<&ClientId>,
        with_other: bool,
        accepted: bool,
        observed: &[Observed],
        active: &[PatchId],
    ) {
        let _ = (at, client, with_other, accepted, observed, active);
        todo!()
    }

    /// Records that a client received patches; once per client and patch counts.
    pub fn received(&mut self, client: &ClientId, patches: &[PatchId]) {
        let _ = (client, patches);
        todo!()
    }

    /// Counts a judgement on the day of the submission.
    pub fn judged(&mut self, patch: &PatchId, at: At, aligned: bool, basis: Basis) {
        let _ = (patch, at, aligned, basis);
        todo!()
    }

    /// Reads one key over the last `window_days` days up to `at`, but not before its ledger opened (Z-158).
    pub fn read(&self, patch: &PatchId, at: At, window_days: i64) -> KeyReading {
        let _ = (patch, at, window_days);
        todo!()
    }

    /// Payloads, clients, and share of payloads with `other` over the window.
    pub fn totals(&self, at: At, window_days: i64) -> (u64, u64, Option<f64>) {
        let _ = (at, window_days);
        todo!()
    }

    /// Forgets days before one.
    pub fn forget_before(&mut self, day: Day) {
        let _ = day;
        todo!()
    }
}
