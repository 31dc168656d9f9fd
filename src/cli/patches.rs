//! `otherwise patches`, `evidence` and `promote`: the keys that a running service learned, and what they rest on.
//!
//! Knows the service's HTTP interface and nothing else of it. Invariant: what the service sends steers no terminal.

use clap::Args;
use otherwise_client::address::segment;
use serde_json::Value;
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::approve::hand;
use crate::cli::approve::shown;
use crate::cli::output::Output;
use crate::cli::remote::OfScenario;
use crate::cli::remote::Service;
use crate::cli::remote::Whom;
use crate::cli::remote::items;
use crate::cli::remote::text;
use crate::cli::remote::told;

/// Which patch.
#[derive(Clone, Debug, Args)]
pub struct EvidenceArguments {
    /// The patch, such as flight_booking.p1.
    #[arg(value_name = "PATCH")]
    id: String,
    #[command(flatten)]
    whom: Whom,
    /// Say it as one JSON document.
    #[arg(long)]
    json: bool,
}

/// Which patch is kept.
#[derive(Clone, Debug, Args)]
pub struct PromoteArguments {
    /// The patch, such as flight_booking.p1.
    #[arg(value_name = "PATCH")]
    id: String,
    #[command(flatten)]
    whom: Whom,
    /// Why, for the record.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Say it as one JSON document.
    #[arg(long)]
    json: bool,
}

/// Lists a scenario's patches.
pub fn list(arguments: &OfScenario) -> ExitStatus {
    let listed = Service::open(&arguments.whom)
        .and_then(|service| service.get(&format!("/v1/scenarios/{}/patches", segment(&arguments.scenario))));
    Output::new("patches", arguments.json).report(listed.map(|listed| {
        told(listed, |listed| match items(listed, "patches").as_slice() {
            [] => vec!["nothing was learned yet".to_owned()],
            patches => patches.iter().flat_map(shown).collect(),
        })
    }))
}

/// Says what a patch rests on.
pub fn evidence(arguments: &EvidenceArguments) -> ExitStatus {
    let found = Service::open(&arguments.whom)
        .and_then(|service| service.get(&format!("/v1/patches/{}/evidence", segment(&arguments.id))));
    Output::new("evidence", arguments.json).report(found.map(|found| told(found, grounds)))
}

/// Keeps a key whose trial has not ended.
pub fn promote(arguments: &PromoteArguments) -> ExitStatus {
    let said = json!({"reason": arguments.reason});
    let promoted = Service::open(&arguments.whom).and_then(|service| hand(&service, &arguments.id, "promote", &said));
    Output::new("promote", arguments.json).report(promoted.map(|patch| told(patch, shown)))
}

/// Evidence in lines: why there is such a key, what was said, how it is used, and what became of it.
fn grounds(evidence: &Value) -> Vec<String> {
    let [id, key, stage] = ["patch_id", "key_name", "stage"].map(|name| text(&evidence[name]));
    let mut lines = vec![format!("{id}  {key} ({stage})")];
    let said = [
        ("why", items(evidence, "explanation")),
        ("said", items(evidence, "examples")),
    ];
    for (label, texts) in said {
        lines.extend(texts.iter().map(|said| format!("  {label:<6} {}", text(said))));
    }
    let ledger = &evidence["ledger"];
    let figures = [
        ("usage_frequency", "used"),
        ("semantic_alignment_accuracy", "aligned"),
        ("value_type_correctness", "of the right type"),
        ("client_adoption_rate", "adopted"),
    ];
    let figures = figures.map(|(name, word)| {
        let share = ledger[name].as_f64().map(|share| format!("{:.0} %", share * 100.0));
        format!("{word} {}", share.as_deref().unwrap_or("-"))
    });
    lines.push(format!(
        "  trial  {}, of {} payloads",
        figures.join(", "),
        text(&ledger["payloads"])
    ));
    for change in items(evidence, "history") {
        let [at, to, reason] = ["at", "to", "reason"].map(|name| text(&change[name]));
        lines.push(format!("  {at}  {to}: {reason}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::grounds;

    #[test]
    fn evidence_says_why_and_how_it_is_used_and_steers_no_terminal() {
        let evidence = json!({"patch_id": "tram.p1", "key_name": "pram", "stage": "experimental", "explanation": ["Five asked."],
            "examples": ["a pr\u{1b}am"], "ledger": {"payloads": 12, "usage_frequency": 0.25, "client_adoption_rate": null},
            "history": [{"at": "2026-05-01T09:00:00Z", "to": "experimental", "reason": "gate"}]});
        assert_eq!(
            grounds(&evidence),
            [
                "tram.p1  pram (experimental)",
                "  why    Five asked.",
                "  said   a pr am",
                "  trial  used 25 %, aligned -, of the right type -, adopted -, of 12 payloads",
                "  2026-05-01T09:00:00Z  experimental: gate",
            ]
        );
    }
}
