//! The evidence of a patch: everything that it rests on, as one document for those who may decide about it.
//!
//! Decides nothing; every sentence of it is the explanation's.

use serde::Serialize;
use utoipa::ToSchema;

use crate::evolution::backtest::Backtest;
use crate::evolution::backtest::Experience;
use crate::evolution::backtest::Prediction;
use crate::evolution::backtest::Verdict;
use crate::evolution::days;
use crate::evolution::days::TrialDay;
use crate::evolution::explanation;
use crate::evolution::ledger::KeyReading;
use crate::evolution::ledger::Ledger;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::operator_action::Scope;
use crate::evolution::outcome::Outcome;
use crate::evolution::patch::Patch;
use crate::evolution::patch::StageChange;
use crate::evolution::policy::EvolutionPolicy;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::evolution::stage::StageName;
use crate::evolution::stage::Waiting;
use crate::pool::gate::Audience;
use crate::pool::heat::MICRO;
use crate::pool::hold::Hold;
use crate::pool::rationale::Rationale;
use schema::act::By;
use schema::effective::ShownChange;
use schema::name::SchemaId;
use schema::time::At;
use schema::time::Day;
use schema::time::SECOND_MS;

/// What a patch rests on.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Evidence {
    pub patch_id: String,
    pub key_name: String,
    pub stage: StageName,
    pub audience: Audience,
    pub sensitive: Option<String>,
    /// What else a person has to look at first.
    pub holds: Vec<Hold>,
    /// What was said, redacted.
    pub examples: Vec<String>,
    pub surfaces: Vec<String>,
    pub expected_coverage: f64,
    pub heat_curve: Vec<HeatOfDay>,
    pub gate: Gate,
    /// As it is read now.
    pub ledger: KeyReading,
    /// The same by day, from the beginning of the trial or of the ledger's window, days with nothing too; empty before a trial.
    pub trial_curve: Vec<TrialDay>,
    /// What decides a trial, by the policy in force.
    pub gates: TrialGates,
    pub times: u32,
    /// What a person is waited for to decide.
    pub waits_for: Option<Waiting>,
    /// The base in force, where that says the same by itself: what is submitted under it is not counted for the patch.
    pub taken_over_by: Option<String>,
    pub stood_still_s: i64,
    #[schema(format = DateTime)]
    pub cool_until: Option<String>,
    pub approved_by: Option<String>,
    /// What became of the definition since it was proposed, oldest first.
    pub edits: Vec<Edited>,
    pub history: Vec<Staged>,
    /// Why, in sentences.
    pub explanation: Vec<String>,
    /// Why, as data.
    pub grounds: Option<Box<Rationale>>,
    /// The candidate tried on the past.
    pub backtest: Option<Tried>,
    /// What was foretold beside what became of it.
    pub outcome: Became,
}

/// Heat at the end of a day.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct HeatOfDay {
    #[schema(format = Date)]
    pub day: String,
    pub heat: f64,
}

impl HeatOfDay {
    /// A heat curve as it is shown.
    pub fn curve(curve: &[(Day, i64)]) -> Vec<HeatOfDay> {
        let shown = curve.iter().map(|(day, micro)| HeatOfDay {
            day: day.start().date(),
            heat: units(*micro),
        });
        shown.collect()
    }
}

/// The demand when it was proposed.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Gate {
    pub heat: f64,
    pub capped_heat: f64,
    pub clients: u64,
    pub occurrences: u64,
    pub top_occurrences: u64,
    pub top_heat: f64,
}

/// Between which ratios a key is tried for longer: it stays at `stays` and above, and goes below `leaves`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = TrialEdges)]
pub struct Edges {
    pub stays: f64,
    pub leaves: f64,
}

/// The gates of a trial. A key stays by all three together, and goes by any of them.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct TrialGates {
    /// Of all payloads; of a key for a cohort or one client, of those of clients that received it.
    pub usage: Edges,
    pub alignment: Edges,
    #[serde(rename = "type")]
    pub value_type: Edges,
    /// Payloads and judgements that a decision needs.
    pub payloads_min: u64,
    pub judgements_min: u64,
    /// When it is decided next: at the end of the trial's period, or when a stable key is looked at again.
    #[schema(format = DateTime)]
    pub until: Option<String>,
}

/// What was measured of a patch, and by which policy that decides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    pub reading: KeyReading,
    pub days: Vec<TrialDay>,
    pub policy: EvolutionPolicy,
}

/// One change of a patch's definition.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Edited {
    #[schema(format = DateTime)]
    pub at: String,
    /// Who edited it; null where it was made anew of what was said.
    pub by: Option<By>,
    pub because: Option<String>,
    pub was: ShownChange,
    pub became: ShownChange,
}

/// A change of stage.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = StageChange)]
pub struct Staged {
    #[schema(format = DateTime)]
    pub at: String,
    #[schema(value_type = StageName)]
    pub to: String,
    pub reason: Reason,
    pub by: Option<By>,
    pub hand: Option<OperatorAction>,
    /// What a rejection is about.
    pub scope: Option<Scope>,
    pub because: Option<String>,
    /// As it was read for the decision.
    pub ledger: Option<KeyReading>,
}

/// A candidate over the history before its trial, with the prediction that counts by name.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = Backtest)]
pub struct Tried {
    #[schema(format = DateTime)]
    pub at: String,
    pub key_name: String,
    /// The oldest submission that was looked at.
    #[schema(format = DateTime)]
    pub since: String,
    /// Accepted submissions that were looked at, those that ask for the key, and known clients that do.
    pub payloads: u64,
    pub asked: u64,
    pub clients: u64,
    /// Of the payloads that ask: those out of which a value was read that fits type and constraints.
    pub fitting: u64,
    /// Asked over payloads; null without payloads.
    pub share: Option<f64>,
    #[serde(flatten)]
    pub experience: Experience,
    /// If every client took it up that asks for it and has a value for it.
    pub if_all: Option<Prediction>,
    /// If as many did as took up the other keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Prediction)]
    pub at_adoption: Option<Prediction>,
    pub prediction: Option<Prediction>,
}

/// What became of a patch, by the first decision of the rule, else as it stands now.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = TrialOutcome)]
pub struct Became {
    pub stage: StageName,
    #[schema(format = DateTime)]
    pub decided_at: Option<String>,
    pub verdict: Option<Verdict>,
    pub payloads: u64,
    pub usage: Option<f64>,
    pub semantic_alignment_accuracy: Option<f64>,
    pub value_type_correctness: Option<f64>,
    pub client_adoption_rate: Option<f64>,
}

impl Measured {
    /// As it is read at a moment.
    pub fn read(ledger: &Ledger, patch: &Patch, at: At, policy: &EvolutionPolicy) -> Measured {
        let window_days = policy.window_days;
        Measured {
            reading: ledger.read(&patch.patch_id, at, window_days),
            days: days::of_trial(ledger, &patch.patch_id, at, window_days),
            policy: policy.clone(),
        }
    }
}

impl TrialGates {
    fn of(patch: &Patch, policy: &EvolutionPolicy) -> TrialGates {
        let edges = |stays, leaves| Edges { stays, leaves };
        let due = match patch.stage {
            Stage::Experimental(_) | Stage::Stable { .. } => patch.due(),
            Stage::Queued { .. }
            | Stage::AwaitingApproval { .. }
            | Stage::Deprecated { .. }
            | Stage::Withdrawn { .. }
            | Stage::Expired { .. }
            | Stage::Lapsed { .. }
            | Stage::Rejected { .. } => None,
        };
        TrialGates {
            usage: edges(policy.promote_usage_min, policy.deprecate_usage_below),
            alignment: edges(policy.promote_alignment_min, policy.deprecate_alignment_below),
            value_type: edges(policy.promote_type_min, policy.deprecate_type_below),
            payloads_min: policy.trial_payloads_min,
            judgements_min: policy.trial_judgements_min,
            until: due.map(At::rfc3339),
        }
    }
}

impl Evidence {
    /// Of a patch, with what is measured of it now, and the base in force where that says the same by itself.
    pub fn of(patch: &Patch, measured: &Measured, taken_over_by: Option<&SchemaId>) -> Evidence {
        let Measured { reading, days, policy } = measured;
        let became = patch.edits.iter().skip(1).map(|edited| &edited.was);
        let edits = patch.edits.iter().zip(became.chain([&patch.change]));
        let edits = edits.map(|(edited, became)| Edited {
            at: edited.at.rfc3339(),
            by: edited.by.clone(),
            because: edited.because.clone(),
            was: edited.was.shown(),
            became: became.shown(),
        });
        Evidence {
            patch_id: patch.patch_id.to_string(),
            key_name: patch.change.key_name().to_string(),
            stage: StageName::from(&patch.stage),
            audience: patch.audience.clone(),
            sensitive: patch.sensitive.clone(),
            holds: patch.holds.clone(),
            examples: patch.examples.clone(),
            surfaces: patch.surfaces.clone(),
            expected_coverage: patch.expected_coverage(),
            heat_curve: HeatOfDay::curve(&patch.heat_curve),
            gate: Gate {
                heat: units(patch.gate.heat_micro),
                capped_heat: units(patch.gate.capped_heat_micro),
                clients: patch.gate.clients,
                occurrences: patch.gate.occurrences,
                top_occurrences: patch.gate.top_occurrences,
                top_heat: units(patch.gate.top_heat_micro),
            },
            ledger: reading.clone(),
            trial_curve: days.clone(),
            gates: TrialGates::of(patch, policy),
            times: patch.times,
            waits_for: patch.waits_for(),
            taken_over_by: taken_over_by.map(ToString::to_string),
            stood_still_s: patch.stood_still_ms / SECOND_MS,
            cool_until: patch.cool_until.map(At::rfc3339),
            approved_by: patch.approved_by().map(str::to_owned),
            edits: edits.collect(),
            history: patch.history.iter().map(Staged::of).collect(),
            explanation: explanation::of(patch, reading, taken_over_by),
            grounds: patch.grounds.clone(),
            backtest: patch.backtest.as_deref().map(Tried::of),
            outcome: Became::of(patch, reading),
        }
    }
}

impl Staged {
    fn of(change: &StageChange) -> Staged {
        Staged {
            at: change.at.rfc3339(),
            to: change.to.clone(),
            reason: change.reason.clone(),
            by: change.by.clone(),
            hand: change.hand,
            scope: change.scope,
            because: change.because.clone(),
            ledger: change.reading.clone(),
        }
    }
}

impl Tried {
    /// A backtest as it is shown.
    pub fn of(backtest: &Backtest) -> Tried {
        let prediction = backtest.prediction().cloned();
        let backtest = backtest.clone();
        Tried {
            at: backtest.at.rfc3339(),
            key_name: backtest.key_name.to_string(),
            since: backtest.since.rfc3339(),
            payloads: backtest.payloads,
            asked: backtest.asked,
            clients: backtest.clients,
            fitting: backtest.fitting,
            share: backtest.share,
            experience: backtest.experience,
            if_all: backtest.if_all,
            at_adoption: backtest.at_adoption,
            prediction,
        }
    }
}

impl Became {
    fn of(patch: &Patch, now: &KeyReading) -> Became {
        let Outcome { decided, reading } = Outcome::of(patch, now);
        Became {
            stage: StageName::from(&patch.stage),
            decided_at: decided.map(|(change, _)| change.at.rfc3339()),
            verdict: decided.map(|(_, verdict)| verdict),
            payloads: reading.payloads_of(&patch.audience),
            usage: reading.usage(&patch.audience),
            semantic_alignment_accuracy: reading.semantic_alignment_accuracy,
            value_type_correctness: reading.value_type_correctness,
            client_adoption_rate: reading.client_adoption_rate,
        }
    }
}

/// Heat in units with at most six decimals.
fn units(micro: i64) -> f64 {
    micro as f64 / MICRO as f64
}
