//! The stages of a patch and the ways between them (Z-140 … Z-152, docs/design.md §7).

use serde::Deserialize;
use serde::Serialize;
use strum::EnumDiscriminants;
use strum::IntoStaticStr;
use strum::VariantNames;
use utoipa::ToSchema;

use schema::effective::Standing;
use schema::time::At;

/// A trial under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    pub since: At,
    /// End of the current period.
    pub until: At,
    /// Extensions of the middle band so far (Z-157); periods without enough data do not count (Z-160).
    pub extensions: u32,
}

/// Where a patch stands. Each stage carries only its own data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, EnumDiscriminants)]
#[serde(rename_all = "snake_case", tag = "stage")]
#[strum(serialize_all = "snake_case")]
#[strum_discriminants(
    name(StageName),
    derive(Serialize, ToSchema, VariantNames),
    serde(rename_all = "snake_case")
)]
#[strum_discriminants(strum(serialize_all = "snake_case"), schema(as = Stage), doc = "Where a patch stands.")]
pub enum Stage {
    /// The guard is full (Z-156).
    Queued {
        since: At,
    },
    /// A person must say yes (Z-127, Z-165).
    AwaitingApproval {
        since: At,
    },
    Experimental(Trial),
    /// Promoted; looked at again at `next_look`.
    Stable {
        since: At,
        next_look: At,
    },
    Deprecated {
        since: At,
        until: At,
    },
    Withdrawn {
        since: At,
        until: At,
    },
    Expired {
        since: At,
    },
    /// Another key took its name or its meaning while it waited.
    Lapsed {
        since: At,
    },
    Rejected {
        since: At,
    },
}

/// What a patch or a cluster waits for, in a word and in a sentence with the numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Waiting {
    pub code: &'static str,
    pub detail: String,
}

impl Waiting {
    /// A code with its sentence.
    pub fn new(code: &'static str, detail: impl Into<String>) -> Waiting {
        let detail = detail.into();
        Waiting { code, detail }
    }
}

/// Why a patch changed its stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The gate opened and nothing stood against it.
    GateOpened,
    /// The convergence guard is full.
    GuardFull,
    /// Room in the guard.
    RoomInGuard,
    /// A sensitive meaning, or every proposal waits.
    NeedsApproval,
    /// All three of Z-144.
    Promoted,
    /// Middle band.
    MiddleBand,
    /// A stable key was looked at and stays (Z-164).
    Measured,
    /// Too little data to decide.
    TooLittleData,
    LowUsage,
    LowAlignment,
    LowType,
    /// Extended as often as it may be.
    ExtensionsSpent,
    /// Extended as often as it may be, and used neither enough to stay nor little enough to go: a person decides (Z-157).
    UsageBetween,
    /// The same, where one client's payloads say otherwise than most clients'.
    ClientsDisagree,
    /// The expiration date came without evidence (Z-128).
    NoEvidence,
    GraceOver,
    WindowOver,
    /// Its gate had closed while it waited; no rule does that any more.
    GateClosed,
    /// A key that the same clients have took its name while it waited for room (Z-156).
    NameTaken,
    /// Another key stands for the same cluster: their demand has become one.
    Folded,
    /// The key that it refines went, and it with that.
    WithKey,
    /// A new proposal for a key that had gone.
    Revived,
    /// Twice as many ask for it: it was made anew of what they say, and its trial begins again.
    Remade,
    /// A person's decision.
    Operator,
}

impl Reason {
    /// Whether a patch enters a stage for this reason; else the stage that it is in goes on.
    pub fn enters(&self) -> bool {
        !matches!(
            self,
            Reason::Measured
                | Reason::MiddleBand
                | Reason::UsageBetween
                | Reason::ClientsDisagree
                | Reason::TooLittleData
        )
    }

    /// What a patch on trial waits a person for, where this reason left it so (Z-157).
    pub fn waits_for(&self) -> Option<Waiting> {
        match self {
            Reason::UsageBetween => Some(Waiting::new(
                "usage_between",
                "its trial was prolonged as often as may be; its values are right, and it is used neither enough to be promoted nor \
                 little enough to be deprecated: a person promotes or deprecates it",
            )),
            Reason::ClientsDisagree => Some(Waiting::new(
                "clients_disagree",
                "its trial was prolonged as often as may be; the ratios over all payloads speak against it, and the mean over clients \
                 of each one's own does not: a person promotes or deprecates it",
            )),
            _ => None,
        }
    }
}

impl Stage {
    /// The stage's name as it is published: `experimental`, `awaiting_approval` …
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// The moment at which this stage was entered.
    pub fn since(&self) -> At {
        match self {
            Stage::Experimental(trial) => trial.since,
            Stage::Queued { since }
            | Stage::AwaitingApproval { since }
            | Stage::Stable { since, next_look: _ }
            | Stage::Deprecated { since, until: _ }
            | Stage::Withdrawn { since, until: _ }
            | Stage::Expired { since }
            | Stage::Lapsed { since }
            | Stage::Rejected { since } => *since,
        }
    }

    /// The moment at which this stage ends or is looked at by itself.
    pub fn due(&self) -> Option<At> {
        match self {
            Stage::Experimental(Trial { until, .. })
            | Stage::Stable { next_look: until, .. }
            | Stage::Deprecated { until, .. }
            | Stage::Withdrawn { until, .. } => Some(*until),
            Stage::Queued { .. }
            | Stage::AwaitingApproval { .. }
            | Stage::Expired { .. }
            | Stage::Lapsed { .. }
            | Stage::Rejected { .. } => None,
        }
    }

    /// Whether the change is laid over the base for its audience at all (experimental … withdrawn).
    pub fn standing(&self) -> Option<Standing> {
        match self {
            Stage::Experimental(_) => Some(Standing::Experimental),
            Stage::Stable { since: _, next_look: _ } => Some(Standing::Stable),
            Stage::Deprecated { since: _, until: _ } => Some(Standing::Deprecated),
            Stage::Withdrawn { since: _, until: _ } => Some(Standing::Withdrawn),
            Stage::Queued { since: _ }
            | Stage::AwaitingApproval { since: _ }
            | Stage::Expired { since: _ }
            | Stage::Lapsed { since: _ }
            | Stage::Rejected { since: _ } => None,
        }
    }

    /// Whether the patch has ended, so that its cluster may fire again (Z-102): its key has gone or is leaving.
    pub fn has_ended(&self) -> bool {
        match self {
            Stage::Queued { since: _ }
            | Stage::AwaitingApproval { since: _ }
            | Stage::Experimental(_)
            | Stage::Stable { since: _, next_look: _ } => false,
            Stage::Deprecated { since: _, until: _ }
            | Stage::Withdrawn { since: _, until: _ }
            | Stage::Expired { since: _ }
            | Stage::Lapsed { since: _ }
            | Stage::Rejected { since: _ } => true,
        }
    }

    /// Whether a patch may begin its life here: on trial, or waiting for room or for a person. Nothing begins stable
    /// (Z-140).
    pub fn begins(&self) -> bool {
        !self.has_ended() && !matches!(self, Stage::Stable { since: _, next_look: _ })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_begins_stands_and_is_due_as_the_design_says_z140_z142_z145_z147_z150_z151() {
        let (since, until) = (At(1), At(2));
        let next_look = until;
        let trial = Trial {
            since,
            until,
            extensions: 0,
        };
        for (stage, name, begins, standing) in [
            (Stage::Queued { since }, "queued", true, None),
            (Stage::AwaitingApproval { since }, "awaiting_approval", true, None),
            (
                Stage::Experimental(trial),
                "experimental",
                true,
                Some(Standing::Experimental),
            ),
            (
                Stage::Stable { since, next_look },
                "stable",
                false,
                Some(Standing::Stable),
            ),
            (
                Stage::Deprecated { since, until },
                "deprecated",
                false,
                Some(Standing::Deprecated),
            ),
            (
                Stage::Withdrawn { since, until },
                "withdrawn",
                false,
                Some(Standing::Withdrawn),
            ),
            (Stage::Expired { since }, "expired", false, None),
            (Stage::Lapsed { since }, "lapsed", false, None),
            (Stage::Rejected { since }, "rejected", false, None),
        ] {
            assert_eq!(stage.name(), name);
            assert_eq!(stage.begins(), begins);
            assert_eq!(stage.standing(), standing);
            assert_eq!((stage.since(), stage.due()), (since, standing.map(|_| until)), "{name}");
            let written = serde_json::to_value(&stage).expect("a stage");
            assert_eq!(written["stage"], name);
        }
    }
}
