//! The ledger as it is published (docs/design.md §8): how each key is used, with the interval around each ratio.
//!
//! Counts nothing itself.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::Serializer;
use strum::VariantArray;
use utoipa::ToSchema;

use crate::evolution::ledger::Basis;
use crate::evolution::ledger::CLIENTS_TRACKED_MAX;
use crate::evolution::ledger::ClientMean;
use crate::evolution::ledger::KeyReading;
use crate::evolution::ledger::Ledger;
use crate::evolution::patch::Patch;
use crate::evolution::share::ratio;
use crate::evolution::stage::StageName;
use crate::evolution::stage::Waiting;
use crate::evolution::wilson;
use schema::time::At;

/// How keys are used. Ratios of nothing are null.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = Ledger)]
pub struct Usage {
    pub window_days: i64,
    /// Submissions, accepted and refused, each once.
    pub payloads: u64,
    pub clients: u64,
    pub other_ratio: Option<f64>,
    /// By key, in the order of the patches. Where several patches concern one key (clients' own, refinements), the first bears the
    /// key's name and the others `key@patch_id`.
    #[serde(serialize_with = "in_order")]
    #[schema(value_type = BTreeMap<String, KeyUsage>)]
    pub keys: Vec<(String, KeyUsage)>,
}

/// How one key is used.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = KeyLedger)]
pub struct KeyUsage {
    pub patch_id: String,
    pub stage: StageName,
    /// What a person is waited for to decide; null where nobody is.
    pub waits_for: Option<Waiting>,
    pub payloads_with_key: u64,
    pub usage_frequency: Option<f64>,
    pub usage_frequency_interval: Option<[f64; 2]>,
    pub usage_among_recipients: Option<f64>,
    pub usage_among_recipients_interval: Option<[f64; 2]>,
    pub aligned: u64,
    pub judged: u64,
    /// Judgements by what decided them.
    pub basis: BTreeMap<Basis, u64>,
    pub basis_share: BTreeMap<Basis, Option<f64>>,
    pub semantic_alignment_accuracy: Option<f64>,
    pub semantic_alignment_accuracy_interval: Option<[f64; 2]>,
    pub type_ok: u64,
    pub value_type_correctness: Option<f64>,
    pub value_type_correctness_interval: Option<[f64; 2]>,
    pub received: u64,
    pub used: u64,
    pub client_adoption_rate: Option<f64>,
    /// As the ratio itself, over those that can be told apart.
    pub client_adoption_rate_interval: Option<[f64; 2]>,
    pub client_mean: ClientMean,
}

impl Usage {
    /// The ledger of these patches over the last `window_days` days up to `at`.
    pub fn of<'a>(ledger: &Ledger, patches: impl IntoIterator<Item = &'a Patch>, at: At, window_days: i64) -> Usage {
        let (payloads, clients, other_ratio) = ledger.totals(at, window_days);
        let mut keys: Vec<(String, KeyUsage)> = Vec::new();
        for patch in patches {
            let mut label = patch.change.key_name().to_string();
            if keys.iter().any(|(known, _)| *known == label) {
                label = format!("{label}@{}", patch.patch_id);
            }
            keys.push((
                label,
                KeyUsage::of(patch, ledger.read(&patch.patch_id, at, window_days)),
            ));
        }
        Usage {
            window_days,
            payloads,
            clients,
            other_ratio,
            keys,
        }
    }
}

impl KeyUsage {
    fn of(patch: &Patch, read: KeyReading) -> KeyUsage {
        let judged = |basis: &Basis| read.basis.get(basis).copied().unwrap_or(0);
        let around = |ratio: Option<f64>, whole| ratio.and_then(|ratio| wilson::around(ratio, whole));
        let told_apart = read.received.min(CLIENTS_TRACKED_MAX as u64);
        KeyUsage {
            patch_id: patch.patch_id.to_string(),
            stage: StageName::from(&patch.stage),
            waits_for: patch.waits_for(),
            payloads_with_key: read.payloads_with_key,
            usage_frequency: read.usage_frequency,
            usage_frequency_interval: wilson::interval(read.payloads_with_key, read.payloads),
            usage_among_recipients: read.usage_among_recipients,
            usage_among_recipients_interval: around(read.usage_among_recipients, read.payloads_of_recipients),
            aligned: read.aligned,
            judged: read.judged,
            basis: Basis::VARIANTS.iter().map(|basis| (*basis, judged(basis))).collect(),
            basis_share: Basis::VARIANTS
                .iter()
                .map(|basis| (*basis, ratio(judged(basis), read.judged)))
                .collect(),
            semantic_alignment_accuracy: read.semantic_alignment_accuracy,
            semantic_alignment_accuracy_interval: wilson::interval(read.aligned, read.judged),
            type_ok: read.type_ok,
            value_type_correctness: read.value_type_correctness,
            value_type_correctness_interval: wilson::interval(read.type_ok, read.payloads_with_key),
            received: read.received,
            used: read.used,
            client_adoption_rate: read.client_adoption_rate,
            client_adoption_rate_interval: around(read.client_adoption_rate, told_apart),
            client_mean: read.client_mean,
        }
    }
}

fn in_order<S: Serializer>(keys: &[(String, KeyUsage)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(keys.iter().map(|(name, usage)| (name, usage)))
}

#[cfg(test)]
mod tests;
