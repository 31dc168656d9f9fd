//! What can happen to a scenario. Events are read forever: a member may be added with a default, none may change.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;
use utoipa::ToSchema;

use crate::evolution::audit::Verdict;
use crate::evolution::backtest::Backtest;
use crate::evolution::induction::Abstention;
use crate::evolution::ledger::Basis;
use crate::evolution::ledger::KeyReading;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::operator_action::Scope;
use crate::evolution::patch::Patch;
use crate::evolution::patch::Remade;
use crate::evolution::review::Review;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::pool::assignment::Assignment;
use crate::pool::gate::Audience;
use crate::pool::gate::GateReading;
use crate::pool::micro::ClusterId;
use crate::pool::reclustering::Reclustering;
use crate::pool::reembed::Anew;
use crate::pool::source::Source;
use crate::scenario::submission::Executed;
use crate::scenario::submission::Pending;
use crate::scenario::submission::Submitted;
use schema::act::By;
use schema::effective::KeyChange;
use schema::name::ClientId;
use schema::name::KeyName;
use schema::name::PatchId;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;
use schema::time::At;
use schema::time::Day;

/// The format of events in the journal.
pub const FORMAT: u32 = 1;

/// How a client came to know of patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    Fetch,
    Poll,
    Stream,
}

/// Why a triggered cluster came to no patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Settlement {
    Abstained(Abstention),
    // An existing key stands for it, and nothing is added to that now.
    Covered(#[schema(inline)] KeyName),
    // The key it would revive is cooling down until then, or leaving and without room to come back at once.
    CoolingDown(#[schema(inline)] At),
    /// As many personal keys as may be.
    PersonalFull,
    // A person rejected the key that it came to as the wrong one.
    Refused(#[schema(inline)] KeyName),
}

impl Settlement {
    /// Fragments with which a cluster is tried again that came to no patch with so many.
    pub fn again_at(&self, members: u64) -> u64 {
        match self {
            // Others may have come while these were read.
            Settlement::Abstained(Abstention::FewFragments(read)) => read.saturating_add(1),
            // Each new client may say the word.
            Settlement::Abstained(Abstention::Words) => members.saturating_add(members / 4).saturating_add(1),
            _ => members.saturating_mul(2).max(1),
        }
    }

    /// Whether a cluster that was settled with so many fragments is held back by that, with as many as it has now.
    pub fn holds(&self, settled_with: u64, members: u64, at: At) -> bool {
        match self {
            Settlement::CoolingDown(until) => at < *until,
            _ => members < self.again_at(settled_with),
        }
    }
}

/// One alignment, judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    pub patch_id: PatchId,
    pub aligned: bool,
    pub basis: Basis,
}

/// One alignment, judged by a model after the submission was digested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// The submission.
    pub of: u64,
    /// Its moment.
    pub said_at: At,
    /// Who sent it; `None` in an entry of a time before it was noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    pub judgement: Judgement,
    /// What the rules had said of it, which no longer counts: aligned or not, and by what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<(bool, Basis)>,
    /// The model.
    pub by: String,
}

/// Values of one submission that a person is to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drawn {
    /// Whose keys they were given to.
    pub patches: Vec<PatchId>,
    /// How many values wait then at most.
    pub kept: u32,
}

/// One alignment, judged by a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audited {
    /// The submission.
    pub of: u64,
    pub patch_id: PatchId,
    /// Its moment.
    pub said_at: At,
    /// What was counted of it until then: aligned or not, and by what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<(bool, Basis)>,
    pub verdict: Verdict,
    /// The reviewer.
    pub by: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// Whether the ledger counts the verdict instead.
    pub counted: bool,
}

/// What happened. Facts first, then decisions.
///
/// Whoever adds one says in `evolve` what it means, which the compiler asks for, and besides whether it is a fact, changes
/// templates, is told to outsiders (`change_feed`) or to who looks on (`activity`), or stands in the decision log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A client submitted; accepted or refused.
    Submitted(Submitted),
    /// The sealed part of the submission or execution before it goes on here.
    Continued,
    /// The execution of a submission ended.
    Executed(Executed),
    /// What the executor of a submission was sent lies no longer in the journal: what is kept of it holds no secret.
    Redacted { of: u64 },
    /// A client was shown patches (Z-139).
    Received {
        client: ClientId,
        revision: u64,
        patches: Vec<PatchId>,
        via: Via,
    },
    /// A base schema was published for this scenario; with parts before it, `template` is without what they hold.
    BasePublished {
        template: Box<SchemaTemplate>,
        /// Who did it; nobody is known of a time before it was kept, nor where the record was lost and made again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<By>,
        /// True if its owner accepted what is neither proved nor shown to keep the line's promise.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unproved: bool,
    },
    BaseRetired {
        schema_id: SchemaId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<By>,
    },
    /// It is in use again, and nothing is announced of its end any more.
    BaseRestored {
        schema_id: SchemaId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<By>,
    },
    /// It was announced that a base is to go, or announced anew; it goes on working.
    BaseDeprecated {
        schema_id: SchemaId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sunset: Option<At>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<By>,
    },
    /// A candidate for the next version was held against stored submissions (`would_break`); nothing was published.
    SchemaChecked {
        /// The candidate's id.
        schema_id: SchemaId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<By>,
    },
    /// A submission's fragments were placed and its patch values judged.
    Digested {
        of: u64,
        /// The model that the vectors come from (Z-103).
        model: String,
        placements: Vec<Assignment>,
        judgements: Vec<Judgement>,
        /// Heat of each joined cluster afterwards, in micro-units.
        heats: Vec<(ClusterId, i64)>,
        /// Values that a person is to look at, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        drawn: Option<Drawn>,
    },
    /// More submissions wait to be looked at than are held: those of the source after this one, or all, wait in the journal alone.
    Deferred {
        after: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<Source>,
    },
    /// Some of them are held again.
    Recalled {
        /// Up to which entry none waits in the journal alone any more.
        through: u64,
        submissions: BTreeMap<u64, Pending>,
        /// How many of them are waited for no more, since what they said was erased.
        #[serde(default)]
        erased: u64,
        /// Whose they are, where those of one source alone waited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<Source>,
    },
    /// A value was judged again, or late.
    Judged(Judged),
    /// A person said whether a value is right (Z-137).
    Audited(Audited),
    /// Reclustering brought new clusters.
    Regrouped(Reclustering),
    /// A key whose cluster fell to that of another key goes on with another one that means it (Z-113).
    Rehomed { patch_id: PatchId, cluster: ClusterId },
    /// Micro-clusters were embedded by another model than the pool's; the last of them puts all of it in place (Z-103).
    Reembedded {
        /// The model that the pool is to have.
        model: String,
        micros: Vec<Anew>,
    },
    /// A reader said which wishes there are.
    Reviewed(Review),
    /// A reader was asked and gave no answer that could be taken; the engine goes on without.
    ReviewFailed { why: String },
    /// A gate opened (Z-093).
    Triggered {
        cluster: ClusterId,
        audience: Audience,
        gate: GateReading,
    },
    /// A triggered cluster came to no patch.
    Settled {
        cluster: ClusterId,
        audience: Audience,
        settlement: Settlement,
    },
    /// A patch was made (Z-109); its first stage is in it.
    Proposed { patch: Box<Patch> },
    /// A patch that had gone is wanted again, with what is known now.
    Revived {
        patch_id: PatchId,
        cluster: ClusterId,
        gate: GateReading,
        stage: Stage,
        expiration: At,
        /// What the history foretells for the new trial.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        backtest: Option<Box<Backtest>>,
    },
    /// A patch got another definition: one that waits by a person, or one that nobody relies on of what was said since.
    Edited {
        patch_id: PatchId,
        change: KeyChange,
        /// The known values that are left.
        surfaces: Vec<String>,
        /// Who changed it; none where it was made anew.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<By>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        because: Option<String>,
        /// What the history foretells for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        backtest: Option<Box<Backtest>>,
        /// What else is new where it was made anew.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        remade: Option<Box<Remade>>,
    },
    /// A patch changed its stage, or its stage was prolonged.
    Staged {
        patch_id: PatchId,
        stage: Stage,
        reason: Reason,
        /// The operator, when it was a person.
        by: Option<By>,
        reading: Option<KeyReading>,
        cool_until: Option<At>,
        /// What that person did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hand: Option<OperatorAction>,
        /// The reason that the person gave.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        because: Option<String>,
        /// What a rejection is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope: Option<Scope>,
        /// The patch's new date, where it gets one (Z-119).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expiration: Option<At>,
    },
    /// A person stopped evolution.
    Frozen {
        by: By,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A person let it go on; the time in between does not count.
    Thawed {
        by: By,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A person found a cluster to be no wish: nothing is proposed of it until then.
    Dismissed {
        cluster: ClusterId,
        until: At,
        by: By,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// What lies outside every window was forgotten.
    Trimmed {
        arrivals_before: At,
        ledger_before: Day,
        /// Of use to earlier versions alone, which kept idempotency keys in the state.
        idempotency_before: At,
        /// Examples of patches that ended before this are forgotten.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        examples_before: Option<At>,
    },
    /// The sealed parts of the records up to there were erased, as retention asks: what a client said is there no more.
    Erased { through: u64 },
}

impl Event {
    /// A patch comes to a stage by a rule alone, by what was measured where anything was: nobody ordered it.
    pub fn staged(patch: &Patch, stage: Stage, reason: Reason, reading: Option<KeyReading>) -> Event {
        Event::Staged {
            patch_id: patch.patch_id.clone(),
            stage,
            reason,
            by: None,
            reading,
            cool_until: None,
            hand: None,
            because: None,
            scope: None,
            expiration: None,
        }
    }

    /// The same, where no new proposal for the key is made until then.
    pub fn cooling(mut self, until: Option<At>) -> Event {
        if let Event::Staged { cool_until, .. } = &mut self {
            *cool_until = until;
        }
        self
    }

    /// The same, of a base that a caller published, retired, restored, deprecated or checked.
    pub fn done_by(mut self, who: Option<&By>) -> Event {
        if let Event::BasePublished { by, .. }
        | Event::BaseRetired { by, .. }
        | Event::BaseRestored { by, .. }
        | Event::BaseDeprecated { by, .. }
        | Event::SchemaChecked { by, .. } = &mut self
        {
            *by = who.cloned();
        }
        self
    }

    /// Who did it, where it was somebody.
    pub fn by(&self) -> Option<&By> {
        match self {
            Event::BasePublished { by, .. }
            | Event::BaseRetired { by, .. }
            | Event::BaseRestored { by, .. }
            | Event::BaseDeprecated { by, .. }
            | Event::SchemaChecked { by, .. }
            | Event::Edited { by, .. }
            | Event::Staged { by, .. } => by.as_ref(),
            Event::Frozen { by, .. } | Event::Thawed { by, .. } | Event::Dismissed { by, .. } => Some(by),
            _ => None,
        }
    }

    /// The patch that a decision is about.
    pub fn patch_id(&self) -> Option<&PatchId> {
        match self {
            Event::Proposed { patch } => Some(&patch.patch_id),
            Event::Revived { patch_id, .. }
            | Event::Edited { patch_id, .. }
            | Event::Staged { patch_id, .. }
            | Event::Rehomed { patch_id, .. } => Some(patch_id),
            Event::Audited(audited) => Some(&audited.patch_id),
            _ => None,
        }
    }

    /// The base that a decision is about.
    pub fn schema_id(&self) -> Option<&SchemaId> {
        match self {
            Event::BasePublished { template, .. } => Some(&template.schema_id),
            Event::BaseRetired { schema_id, .. }
            | Event::BaseRestored { schema_id, .. }
            | Event::BaseDeprecated { schema_id, .. }
            | Event::SchemaChecked { schema_id, .. } => Some(schema_id),
            _ => None,
        }
    }

    /// Whether this is a fact, appended without looking; everything else is a decision.
    pub fn is_fact(&self) -> bool {
        matches!(
            self,
            Event::Submitted(_)
                | Event::Continued
                | Event::Executed(_)
                | Event::Redacted { .. }
                | Event::Received { .. }
        )
    }

    /// Whether some client's effective template may look different afterwards, or what is told beside it.
    pub fn changes_templates(&self) -> bool {
        matches!(
            self,
            Event::BasePublished { .. }
                | Event::BaseRetired { .. }
                | Event::BaseRestored { .. }
                | Event::BaseDeprecated { .. }
                | Event::Proposed { .. }
                | Event::Revived { .. }
                | Event::Edited { .. }
                | Event::Staged { .. }
                // Dates that patches are shown with move on.
                | Event::Thawed { .. }
        )
    }
}

/// An event with its place in the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub seq: u64,
    pub at: At,
    pub event: Event,
}

#[derive(Serialize, Deserialize)]
struct Written<E> {
    v: u32,
    event: E,
}

/// An event as the open part of a record.
pub fn write(event: &Event) -> Vec<u8> {
    serde_json::to_vec(&Written { v: FORMAT, event }).unwrap_or_default()
}

/// Reads the open part of a record.
///
/// # Errors
/// What is wrong, in words, when it is not an event or of a later format.
pub fn read(bytes: &[u8]) -> Result<Event, String> {
    let written: Written<Event> = serde_json::from_slice(bytes).map_err(|error| format!("not an event: {error}"))?;
    if written.v > FORMAT {
        return Err(format!(
            "format {} is newer than this program, which reads up to {FORMAT}",
            written.v
        ));
    }
    Ok(written.event)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::evolution::patch::sample;

    fn written(event: &serde_json::Value) -> Event {
        let written = json!({"v": FORMAT, "event": event}).to_string();
        read(written.as_bytes()).expect("an event")
    }

    #[test]
    fn what_was_written_before_members_came_or_went_is_read_and_a_later_format_is_named() {
        let looked = json!({"regrouped": {"looked_at": 5, "next_id": 6, "absorbed": {}, "dropped": [],
            "groups": [{"cluster": 0, "micros": [0, 3], "mature": true}]}});
        assert!(matches!(written(&looked), Event::Regrouped(look) if look.groups.len() == 1));
        let audited = json!({"audited": {"of": 7, "patch_id": "s.p1", "said_at": 0, "judged": [true, "lexical"],
            "verdict": "not_aligned", "by": "ada", "counted": true, "corrects": ["lexical"]}});
        assert!(matches!(written(&audited), Event::Audited(audited) if audited.counted));
        let judged = json!({"judged": {"of": 7, "said_at": 0, "by": "m",
            "judgement": {"patch_id": "s.p1", "aligned": true, "basis": "llm"}}});
        assert!(matches!(written(&judged), Event::Judged(judged) if judged.source.is_none()));
        let staged = json!({"staged": {"patch_id": "s.p1", "stage": {"stage": "rejected", "since": 5},
            "reason": "operator", "by": "ada", "reading": null, "cool_until": 9}});
        assert!(matches!(written(&staged), Event::Staged { scope: None, .. }));
        let mut patch = serde_json::to_value(sample::patch(1)).expect("a patch");
        assert_eq!(patch.get("edits"), None, "what was never edited is written as before");
        patch["history"] = json!([{"at": 0, "to": "queued", "reason": "guard_full", "by": null, "reading": null}]);
        let Event::Proposed { patch } = written(&json!({"proposed": {"patch": patch}})) else {
            panic!("no proposal")
        };
        assert_eq!((patch.edits.len(), patch.history[0].scope), (0, None));
        let later = json!({"v": FORMAT + 1, "event": judged}).to_string();
        assert!(read(later.as_bytes()).is_err_and(|what| what.contains("newer")));
        assert!(read(b"{}").is_err());
    }
}
