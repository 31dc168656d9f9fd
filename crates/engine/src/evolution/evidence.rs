//! The evidence of a patch: everything that it rests on, as one document for those who may decide about it.
//!
//! Decides nothing; every sentence of it is the explanation's.

use serde_json::Value;
use serde_json::json;

use crate::evolution::backtest::Backtest;
use crate::evolution::explanation;
use crate::evolution::ledger::KeyReading;
use crate::evolution::outcome::Outcome;
use crate::evolution::patch::Edited;
use crate::evolution::patch::Patch;
use crate::evolution::patch::StageChange;
use crate::evolution::patch::waiting_document;
use crate::pool::heat::MICRO;
use schema::effective::KeyChange;
use schema::name::SchemaId;
use schema::time::At;
use schema::time::SECOND_MS;

/// What the patch rests on: redacted examples, heat, gate, the ledger as read now, and its history with the ledger
/// as it was read for each decision and who decided; why it was proposed, as data (`grounds`) and in sentences
/// (`explanation`); what its history foretold (`backtest`) beside what became of it (`outcome`); and the base in force,
/// where that says the same by itself (`taken_over_by`).
pub fn document(patch: &Patch, reading: &KeyReading, taken_over_by: Option<&SchemaId>) -> Value {
    let heat_curve: Vec<Value> = patch
        .heat_curve
        .iter()
        .map(|(day, micro)| json!({"day": day.start().date(), "heat": units(*micro)}))
        .collect();
    json!({
        "patch_id": patch.patch_id.as_str(),
        "key_name": patch.change.key_name().as_str(),
        "stage": patch.stage.name(),
        "audience": patch.audience,
        "sensitive": patch.sensitive,
        "holds": patch.holds,
        "examples": patch.examples,
        "surfaces": patch.surfaces,
        "expected_coverage": patch.coverage_ppm as f64 / 1_000_000.0,
        "heat_curve": heat_curve,
        "gate": {
            "heat": units(patch.gate.heat_micro),
            "capped_heat": units(patch.gate.capped_heat_micro),
            "clients": patch.gate.clients,
            "occurrences": patch.gate.occurrences,
            "top_occurrences": patch.gate.top_occurrences,
            "top_heat": units(patch.gate.top_heat_micro),
        },
        "ledger": reading,
        "times": patch.times,
        "waits_for": patch.waits_for().map(waiting_document),
        "taken_over_by": taken_over_by,
        "stood_still_s": patch.stood_still_ms / SECOND_MS,
        "cool_until": patch.cool_until.map(At::rfc3339),
        "approved_by": patch.approved_by(),
        "edits": edit_documents(patch),
        "history": patch.history.iter().map(StageChange::document).collect::<Vec<_>>(),
        "explanation": explanation::of(patch, reading, taken_over_by),
        "grounds": patch.grounds,
        "backtest": patch.backtest.as_deref().map(Backtest::document),
        "outcome": Outcome::of(patch, reading).document(patch),
    })
}

/// Each change of its definition: when, by whom, what it was and what it became.
fn edit_documents(patch: &Patch) -> Vec<Value> {
    let became = patch
        .edits
        .iter()
        .skip(1)
        .map(|edited| &edited.was)
        .chain([&patch.change]);
    let document = |(edited, became): (&Edited, &KeyChange)| {
        json!({
            "at": edited.at.rfc3339(),
            "by": edited.by,
            "because": edited.because,
            "was": edited.was.document(),
            "became": became.document(),
        })
    };
    patch.edits.iter().zip(became).map(document).collect()
}

/// Heat in units with at most six decimals.
fn units(micro: i64) -> f64 {
    micro as f64 / MICRO as f64
}
