//! A patch: one change for one audience, with what it came from and how it fared (Z-115 … Z-119).
//!
//! Owns its published form and its cool-down; when it changes its stage is decided elsewhere. Invariant:
//! it holds exactly one change, so an empty patch cannot be built.

use serde::Deserialize;
use serde::Serialize;
use utoipa::ToSchema;

use crate::evolution::backtest::Backtest;
use crate::evolution::ledger::KeyReading;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::operator_action::Scope;
use crate::evolution::policy::EvolutionPolicy;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::evolution::stage::StageName;
use crate::evolution::stage::Waiting;
use crate::pool::gate::Audience;
use crate::pool::gate::GateReading;
use crate::pool::heading::Wish;
use crate::pool::hold::Hold;
use crate::pool::micro::ClusterId;
use crate::pool::rationale::NameSource;
use crate::pool::rationale::Rationale;
use schema::act::By;
use schema::effective::KeyChange;
use schema::effective::ModifiedKey;
use schema::effective::ServedKey;
use schema::effective::ShownChange;
use schema::name::PatchId;
use schema::name::SchemaId;
use schema::time::At;
use schema::time::SECOND_MS;

/// One change of stage, kept with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageChange {
    pub at: At,
    /// Stage name.
    pub to: String,
    pub reason: Reason,
    /// Who decided, when it was a person.
    pub by: Option<By>,
    /// The ledger as it was read for the decision.
    pub reading: Option<KeyReading>,
    /// What the person did; none of a time before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hand: Option<OperatorAction>,
    /// The reason that the person gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// What a rejection is about; none of a time before it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
}

impl StageChange {
    /// A change by a rule alone, for which nothing was measured.
    pub fn by_rule(at: At, to: &Stage, reason: Reason) -> StageChange {
        StageChange {
            at,
            to: to.name().to_owned(),
            reason,
            by: None,
            reading: None,
            hand: None,
            because: None,
            scope: None,
        }
    }
}

/// What a patch was before it got another definition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edited {
    /// Journal sequence from which on it was that no more.
    pub seq: u64,
    pub at: At,
    pub was: KeyChange,
    /// Who changed it; none where it was made anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

/// What comes with a definition that was made anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remade {
    /// Fragments that it was made of the cluster with.
    pub members: u64,
    pub examples: Vec<String>,
    pub sensitive: Option<String>,
    pub holds: Vec<Hold>,
    pub grounds: Box<Rationale>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Box<Wish>>,
    /// Whether clients use the key already, so that only its words are new and what was measured of it stays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_used: bool,
}

/// A patch of one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Patch {
    pub patch_id: PatchId,
    pub parent_schema_id: SchemaId,
    /// When it was proposed (Z-118).
    pub timestamp: At,
    /// Z-119.
    pub expiration: At,
    /// Journal sequence of the last change of stage that clients see, or of its definition.
    pub revision: u64,
    pub audience: Audience,
    /// Exactly one change: an empty patch cannot be built (Z-115).
    pub change: KeyChange,
    /// What it was before, oldest first: the first is what was proposed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<Edited>,
    pub stage: Stage,
    /// Deprecations and rejections so far: the cool-down doubles with each.
    pub times: u32,
    /// No new proposal for this key before that moment.
    pub cool_until: Option<At>,
    pub cluster: ClusterId,
    /// Fragments in the cluster when the change was induced, or when it was read again and nothing came of it; 0 where it is
    /// not known.
    #[serde(default)]
    pub members: u64,
    /// What the gate read when it opened.
    pub gate: GateReading,
    /// Redacted (docs/design.md §11).
    pub examples: Vec<String>,
    /// Known surface values for the judge.
    pub surfaces: Vec<String>,
    pub sensitive: Option<String>,
    /// What else a person had to look at before it began; none of a time before it was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<Hold>,
    /// Expected coverage: 7-day count over payloads, in millionths; orders the queue (Z-164).
    pub coverage_ppm: u64,
    /// Highest heat of each day since the proposal, in micro-units: (day, heat).
    pub heat_curve: Vec<(schema::time::Day, i64)>,
    /// Fragments that said what this key holds while it was in force (docs/design.md §5.5): clients do not use it.
    pub credited: u64,
    pub history: Vec<StageChange>,
    /// Why it is as it is; none for a patch of a time before grounds were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grounds: Option<Box<Rationale>>,
    /// What its history foretold for its trial, as of its last induction; none where that was switched off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backtest: Option<Box<Backtest>>,
    /// The wish that a reader put words to and that it was made of last, or was to be and could not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Box<Wish>>,
    /// How long its stages stood still because its scenario was frozen; they last longer by that.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stood_still_ms: i64,
}

/// A patch without its keys.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PatchHead {
    pub patch_id: String,
    pub parent_schema_id: String,
    #[schema(format = DateTime)]
    pub timestamp: String,
    #[schema(format = DateTime)]
    pub expiration_date: String,
    /// The last change of the patch.
    pub revision: u64,
    pub stage: StageName,
    pub audience: Audience,
}

/// A patch: a key that was learned, or a description that was.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = Patch)]
pub struct PublishedPatch {
    #[serde(flatten)]
    pub head: PatchHead,
    pub new_keys: Vec<ServedKey>,
    pub modified_keys: Vec<ModifiedKey>,
    /// What a person is waited for to decide, shown to those who see all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Waiting)]
    pub waits_for: Option<Waiting>,
}

fn is_zero(ms: &i64) -> bool {
    *ms == 0
}

impl Patch {
    /// What was proposed, whatever a person made of it.
    pub fn proposed(&self) -> &KeyChange {
        self.edits.first().map_or(&self.change, |edited| &edited.was)
    }

    /// Its change as it was at a revision.
    pub fn change_at(&self, revision: u64) -> &KeyChange {
        let later = self.edits.iter().find(|edited| edited.seq > revision);
        later.map_or(&self.change, |edited| &edited.was)
    }

    /// Whether a person rejected it as the wrong key for its demand.
    pub fn is_wrong_key(&self) -> bool {
        let last = self.history.last();
        matches!(self.stage, Stage::Rejected { .. }) && last.is_some_and(|last| last.scope == Some(Scope::Key))
    }

    /// When its stage ends or is looked at by itself; a trial also ends at the expiration.
    pub fn due(&self) -> Option<At> {
        let own = self.stage.due();
        if matches!(self.stage, Stage::Experimental(_)) {
            own.map(|due| due.min(self.expiration))
        } else {
            own
        }
    }

    /// The expiration date of a patch proposed at `timestamp` (Z-119), never before the end of its trial (Z-128).
    /// `trial_until` is the end of the trial when it has begun; a patch that waits gets its date moved on beginning.
    pub fn expiration_date(timestamp: At, trial_until: Option<At>, policy: &EvolutionPolicy) -> At {
        let own = later(timestamp, policy.expiration_s.max(policy.trial_s));
        trial_until.map_or(own, |until| own.max(until))
    }

    /// Whether a change to this stage for this reason counts against the key: a rejection, a deprecation on evidence, and
    /// a withdrawal by a person, which the very wishes that led to the key must not undo. A key that merely found no evidence may be proposed again at once (docs/design.md §7).
    fn counts_against(to: &Stage, reason: &Reason) -> bool {
        match to {
            Stage::Rejected { since: _ } => true,
            Stage::Deprecated { since: _, until: _ } => {
                !matches!(reason, Reason::NoEvidence | Reason::Folded | Reason::WithKey)
            }
            Stage::Withdrawn { since: _, until: _ } => *reason == Reason::Operator,
            _ => false,
        }
    }

    /// Until when no new proposal for this key is made after this change at `at`: the policy's cool-down, doubled for
    /// each deprecation or rejection before. `None` when the change does not count against the key. The caller raises
    /// `times` after asking.
    pub fn cool_down(&self, to: &Stage, reason: &Reason, at: At, policy: &EvolutionPolicy) -> Option<At> {
        let factor = 1_i64.checked_shl(self.times.min(62)).unwrap_or(i64::MAX);
        Patch::counts_against(to, reason).then(|| later(at, policy.cool_down_s.saturating_mul(factor)))
    }

    /// Whether a new proposal for this key is still held back. At the very moment it ends, no longer.
    pub fn cooling(&self, at: At) -> bool {
        self.cool_until.is_some_and(|until| at < until)
    }

    /// The patch without its keys.
    pub fn head(&self) -> PatchHead {
        PatchHead {
            patch_id: self.patch_id.to_string(),
            parent_schema_id: self.parent_schema_id.to_string(),
            timestamp: self.timestamp.rfc3339(),
            expiration_date: self.expiration.rfc3339(),
            revision: self.revision,
            stage: StageName::from(&self.stage),
            audience: self.audience.clone(),
        }
    }

    /// The patch as published (docs/design.md §8; Z-115 … Z-119, Z-131). Keys carry `experimental: true` only on trial (Z-142,
    /// Z-145) and `deprecated: true` only in their grace period (Z-147).
    pub fn published(&self) -> PublishedPatch {
        let (mut new_keys, mut modified_keys) = (Vec::new(), Vec::new());
        match self.change.shown() {
            ShownChange::Added(key) => new_keys.push(ServedKey::standing(key.definition, self.stage.standing())),
            ShownChange::Refined(key) => modified_keys.push(key),
        }
        PublishedPatch {
            head: self.head(),
            new_keys,
            modified_keys,
            waits_for: None,
        }
    }

    /// As it is shown to those who may decide about it.
    pub fn for_operators(&self) -> PublishedPatch {
        PublishedPatch {
            waits_for: self.waits_for(),
            ..self.published()
        }
    }

    /// What it waits a person for while it is on trial, if it does.
    pub fn waits_for(&self) -> Option<Waiting> {
        let last = self.history.last()?;
        last.reason
            .waits_for()
            .filter(|_| matches!(self.stage, Stage::Experimental(_)))
    }

    /// Since when it does.
    pub fn waits_since(&self) -> Option<At> {
        self.waits_for()?;
        let waits = |change: &&StageChange| change.reason.waits_for().is_some();
        self.history
            .iter()
            .rev()
            .take_while(waits)
            .last()
            .map(|change| change.at)
    }

    /// Since when it waits for a person: to let it pass, or to end a trial that its figures leave undecided.
    pub fn awaits_person_since(&self) -> Option<At> {
        match &self.stage {
            Stage::AwaitingApproval { since } => Some(*since),
            Stage::Experimental(_) => self.waits_since(),
            Stage::Queued { .. }
            | Stage::Stable { .. }
            | Stage::Deprecated { .. }
            | Stage::Withdrawn { .. }
            | Stage::Expired { .. }
            | Stage::Lapsed { .. }
            | Stage::Rejected { .. } => None,
        }
    }

    /// Its expected coverage as a share.
    pub fn expected_coverage(&self) -> f64 {
        self.coverage_ppm as f64 / 1_000_000.0
    }

    /// Why it may not begin without a person; empty where it may.
    pub fn held_for(&self) -> Vec<Waiting> {
        let sensitive = self.sensitive.iter().map(|meaning| {
            let meaning = meaning.replace('_', " ");
            Waiting::new("sensitive", format!("its meaning is sensitive ({meaning})"))
        });
        let held = self.holds.iter().map(|hold| Waiting::new(hold.code(), hold.reason()));
        sensitive.chain(held).collect()
    }

    /// The same in codes, for those who are told no more; `review` where nothing holds it but its scenario's autonomy.
    pub fn held_by(&self) -> Vec<&'static str> {
        let codes: Vec<&'static str> = self.held_for().into_iter().map(|held| held.code).collect();
        if codes.is_empty() { vec!["review"] } else { codes }
    }

    /// The sentences alone.
    pub fn held_because(&self) -> Vec<String> {
        self.held_for().into_iter().map(|held| held.detail).collect()
    }

    /// Who let it pass when it waited for a person, the last time that it did.
    pub fn approved_by(&self) -> Option<&str> {
        self.history
            .windows(2)
            .rev()
            .find_map(|pair| match pair {
                [before, after] if before.to == "awaiting_approval" && after.to != "rejected" => {
                    Some(after.by.as_ref().map(By::as_str))
                }
                _ => None,
            })
            .flatten()
    }

    /// Whether nothing of the patch has been in force or waited since before that moment.
    pub fn over_since(&self, before: At) -> bool {
        self.stage.has_ended() && self.stage.standing().is_none() && self.stage.since() < before
    }

    /// Whether it adds a key that is in force or on its way: a better description of a key is no second key.
    pub fn adds_in_life(&self) -> bool {
        matches!(self.change, KeyChange::Add(_)) && !self.stage.has_ended()
    }

    /// Who read the wish that it was made of; nobody where a reading was tried and came to nothing.
    pub fn read_by(&self) -> Option<&str> {
        let is_read = self.grounds.as_ref()?.name.source == NameSource::Reader;
        self.read.as_deref().filter(|_| is_read).map(|wish| wish.by.as_str())
    }

    /// Whether a person had a hand in it.
    pub fn is_handled(&self) -> bool {
        self.history.iter().any(|change| change.by.is_some())
    }

    /// Whether a person put it beside another key after the two had been folded into one: no rule folds it again.
    pub fn set_apart(&self) -> bool {
        let folded = self.history.iter().rposition(|change| change.reason == Reason::Folded);
        folded.is_some_and(|folded| {
            let mut since = self.history.iter().skip(folded);
            since.any(|change| change.reason == Reason::Operator)
        })
    }
}

fn later(at: At, seconds: i64) -> At {
    at.plus_ms(seconds.saturating_mul(SECOND_MS))
}

#[cfg(test)]
pub(crate) mod sample {
    use super::Patch;
    use crate::evolution::stage::Stage;
    use crate::evolution::stage::Trial;
    use crate::pool::gate::Audience;
    use crate::pool::gate::GateReading;
    use crate::pool::micro::ClusterId;
    use schema::effective::KeyChange;
    use schema::name::PatchId;
    use schema::name::ScenarioKey;
    use schema::name::SchemaId;
    use schema::time::At;

    /// The n-th patch of scenario `s`, on trial for all.
    pub(crate) fn patch(n: u64) -> Patch {
        let key = serde_json::from_str(
            r#"{"key_name": "seat_preference", "key_type": "string", "required": false, "default_value": "none",
                "semantic_description": "Seat preference. Acceptable values: window, aisle, none.",
                "constraints": {"enum": ["window", "aisle", "none"]}}"#,
        )
        .expect("a key");
        Patch {
            patch_id: PatchId::numbered(&ScenarioKey::parse("s").expect("a scenario"), n),
            parent_schema_id: SchemaId::parse("s_v1").expect("an id"),
            timestamp: At(0),
            expiration: At(90 * 86_400_000),
            revision: 7,
            audience: Audience::Global,
            change: KeyChange::Add(key),
            edits: Vec::new(),
            stage: Stage::Experimental(Trial {
                since: At(0),
                until: At(7 * 86_400_000),
                extensions: 0,
            }),
            times: 0,
            cool_until: None,
            cluster: ClusterId(1),
            members: 12,
            gate: GateReading {
                heat_micro: 61_500_000,
                capped_heat_micro: 60_000_000,
                clients: 5,
                occurrences: 12,
                top_client: None,
                top_occurrences: 3,
                top_heat_micro: 20_000_000,
            },
            examples: vec!["window seat please".to_owned()],
            surfaces: vec!["window".to_owned(), "aisle".to_owned()],
            sensitive: None,
            holds: Vec::new(),
            coverage_ppm: 120_000,
            credited: 0,
            heat_curve: vec![(At(0).day(), 61_500_000)],
            history: Vec::new(),
            grounds: None,
            backtest: None,
            read: None,
            stood_still_ms: 0,
        }
    }
}

#[cfg(test)]
mod tests;
