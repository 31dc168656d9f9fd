//! The stages of a patch and the ways between them (Z-140 … Z-152, DESIGN §7).

use serde::Deserialize;
use serde::Serialize;

use crate::domain::time::At;

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "stage")]
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
    /// Its gate no longer held while it waited in the queue.
    Lapsed {
        since: At,
    },
    Rejected {
        since: At,
    },
}

/// Why a patch changed its stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The expiration date came without evidence (Z-128).
    NoEvidence,
    GraceOver,
    WindowOver,
    GateClosed,
    /// A new proposal for a key that had gone.
    Revived,
    /// A person's decision.
    Operator,
}

impl Stage {
    /// The stage's name as it is published: `experimental`, `awaiting_approval` …
    pub fn name(&self) -> &'static str {
        todo!()
    }

    /// The moment at which this stage ends or is looked at by itself.
    pub fn due(&self) -> Option<At> {
        todo!()
    }

    /// Whether the change is laid over the base for its audience at all (experimental … withdrawn).
    pub fn standing(&self) -> Option<crate::domain::template::effective::Standing> {
        todo!()
    }

    /// Whether a way leads from this stage to the other (the table of DESIGN §7, and the operator's `restore`).
    pub fn leads_to(&self, next: &Stage) -> bool {
        let _ = next;
        todo!()
    }
}
