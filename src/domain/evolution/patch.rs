//! A patch: one change for one audience, with what it came from and how it fared (Z-115 … Z-119).

use serde::Deserialize;
use serde::Serialize;

use crate::domain::evolution::stage::Reason;
use crate::domain::evolution::stage::Stage;
use crate::domain::pool::gate::Audience;
use crate::domain::pool::gate::GateReading;
use crate::domain::pool::state::ClusterId;
use crate::domain::template::effective::KeyChange;
use crate::domain::template::name::PatchId;
use crate::domain::template::name::SchemaId;
use crate::domain::time::At;

/// One change of stage, kept with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageChange {
    pub at: At,
    /// Stage name.
    pub to: String,
    pub reason: Reason,
    /// Who decided, when it was a person.
    pub by: Option<String>,
    /// The ledger as it was read for the decision.
    pub reading: Option<crate::domain::evolution::ledger::KeyReading>,
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
    /// Journal sequence of the last change of stage.
    pub revision: u64,
    pub audience: Audience,
    /// Exactly one change: an empty patch cannot be built (Z-115).
    pub change: KeyChange,
    pub stage: Stage,
    /// Deprecations and rejections so far: the cool-down doubles with each.
    pub times: u32,
    /// No new proposal for this key before that moment.
    pub cool_until: Option<At>,
    pub cluster: ClusterId,
    /// What the gate read when it opened.
    pub gate: GateReading,
    /// Redacted (DESIGN §11).
    pub examples: Vec<String>,
    /// Known surface values for the judge.
    pub surfaces: Vec<String>,
    pub sensitive: Option<String>,
    /// Expected coverage: 7-day count over payloads, in millionths; orders the queue (Z-164).
    pub coverage_ppm: u64,
    /// Highest heat of each day since the proposal, in micro-units: (day, heat).
    pub heat_curve: Vec<(crate::domain::time::Day, i64)>,
    /// Fragments that said what this key holds while it was in force (DESIGN §5.5): clients do not use it.
    pub credited: u64,
    pub history: Vec<StageChange>,
}

impl Patch {
    /// The patch in the shape of DESIGN §8.
    pub fn document(&self) -> serde_json::Value {
        todo!()
    }

    /// Why it exists and how it fared.
    pub fn evidence(&self, reading: &crate::domain::evolution::ledger::KeyReading) -> serde_json::Value {
        let _ = reading;
        todo!()
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
}
