//! Whether what an agent gave back is what was asked for, in two phases (C-005, C-054 … C-057).
//!
//! The first is structure: an item at 0 is unfinished and nothing more is asked, and one at 1 of which no key information says
//! anything shows nothing. The second is the master's verdict: no rule reads a result here. Invariant: an item is verified only
//! where something was said to have come of it and the master said so.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;
use utoipa::ToSchema;

use crate::task_context::agent_context::AgentContext;

/// Characters of a master's reason: some sentences, since an agent reads it beside its context.
pub const REASON_CHARS_MAX: usize = 1_000;

/// What is held of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    /// Its state is not 1: nothing more was asked.
    Unfinished,
    /// Its state is 1, and nobody verified it.
    Unverified,
    Verified,
}

impl Judged {
    pub const ALL: [Judged; 3] = [Judged::Unfinished, Judged::Unverified, Judged::Verified];

    /// The word for it, as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Judged::Unfinished => "unfinished",
            Judged::Unverified => "unverified",
            Judged::Verified => "verified",
        }
    }
}

/// What a verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The state alone.
    State,
    /// Whether anything was said to have come of it.
    Information,
    /// Words that description and result share: read in old journals, given by nothing.
    Words,
    /// What an embedding says of both: read in old journals, given by nothing.
    Meaning,
    /// The master's own word.
    Master,
}

/// What is held of one item, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ItemVerdict {
    #[serde(rename = "itemId")]
    pub item_id: String,
    /// unfinished, unverified or verified.
    #[schema(value_type = String)]
    pub verdict: Judged,
    /// 1 by the state, 2 by the key information and the master's verdict.
    pub phase: u8,
    pub basis: Basis,
    pub reason: String,
}

/// What is held of a subtask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SubtaskEvaluation {
    /// Every item is verified.
    pub complete: bool,
    /// Every item is at 1 with something said of it, and the master said no to none.
    #[serde(default)]
    #[schema(required = true)]
    pub structural: bool,
    pub verdicts: Vec<ItemVerdict>,
}

/// A verdict of the master's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overruled {
    pub verified: bool,
    pub reason: String,
}

const NOTHING_SAID: &str = "its state is 1, but no key information says what came of it";
const NOT_JUDGED: &str =
    "its state is 1 and its key information says what came of it; no verdict of the master's verifies it yet";

/// What is said where the master verifies what shows nothing.
const PASSED_OVER: &str = "the master's verdict that it is verified does not count before something was done";

/// Evaluates what was given back; `own` holds the master's verdicts by item. A master cannot verify an item that is unfinished by
/// its own state, nor one of which nothing was said.
pub fn evaluate(context: &AgentContext, own: &BTreeMap<String, Overruled>) -> SubtaskEvaluation {
    let items = || context.todo_items.iter().map(|item| item.item_id.as_str());
    let verdicts: Vec<ItemVerdict> = items().map(|item| verdict(context, item, own.get(item))).collect();
    SubtaskEvaluation {
        complete: verdicts.iter().all(|verdict| verdict.verdict == Judged::Verified),
        structural: own.values().all(|own| own.verified) && items().all(|item| is_whole(context, item)),
        verdicts,
    }
}

/// Whether an item is done with something said of it; a state alone is no evidence (C-057).
fn is_whole(context: &AgentContext, item_id: &str) -> bool {
    let said = context.information(item_id);
    context.state(item_id) == Some(1) && said.is_some_and(|said| !said.trim().is_empty())
}

fn verdict(context: &AgentContext, item_id: &str, own: Option<&Overruled>) -> ItemVerdict {
    let is_whole = is_whole(context, item_id);
    let (verdict, phase, basis, reason) = match context.state(item_id) {
        Some(1) if is_whole => (Judged::Unverified, 2, Basis::Information, NOT_JUDGED),
        Some(1) => (Judged::Unverified, 2, Basis::Information, NOTHING_SAID),
        Some(_) => (Judged::Unfinished, 1, Basis::State, "its state is 0"),
        None => (Judged::Unfinished, 1, Basis::State, "no state was given back for it"),
    };
    let (verdict, phase, basis, reason) = match own {
        Some(own) if !own.verified => (Judged::Unverified, 2, Basis::Master, own.reason.clone()),
        Some(own) if is_whole => (Judged::Verified, 2, Basis::Master, own.reason.clone()),
        Some(_) => (verdict, phase, basis, format!("{reason}; {PASSED_OVER}")),
        None => (verdict, phase, basis, reason.to_owned()),
    };
    ItemVerdict {
        item_id: item_id.to_owned(),
        verdict,
        phase,
        basis,
        reason,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::AgentContext;
    use super::Basis;
    use super::Judged;
    use super::Overruled;
    use super::SubtaskEvaluation;
    use super::evaluate;
    use crate::task_context::form::Form;

    /// What is held of the only item, and the structure, where so much was given back and the master said that.
    fn told(state: Option<u8>, said: Option<&str>, own: Option<bool>) -> (Judged, u8, Basis, bool) {
        let states: Vec<Value> = state
            .iter()
            .map(|state| json!({"itemId": "1", "state": state}))
            .collect();
        let said: Vec<Value> = said
            .iter()
            .map(|said| json!({"itemId": "1", "outputabstract": said}))
            .collect();
        let document = json!({"AgentID": "a", "AgentName": "A", "SubTaskID": "s", "SubTaskName": "S", "Dependencies": [],
            "Context": "", "todoItems": [{"itemId": "1", "description": "Find a hotel near the Colosseum"}],
            "ItemstateUpdates": states, "KeyInformation": said});
        let context = AgentContext::read(&Form::of_agent().expect("a form"), &document).expect("it fits");
        let reason = "the master's reason".to_owned();
        let own = own.map(|verified| ("1".to_owned(), Overruled { verified, reason }));
        let evaluation = evaluate(&context, &own.into_iter().collect());
        let one = &evaluation.verdicts[0];
        assert_eq!(evaluation.complete, one.verdict == Judged::Verified);
        assert_eq!(one.basis == Basis::Master, one.reason == "the master's reason");
        (one.verdict, one.phase, one.basis, evaluation.structural)
    }

    #[test]
    fn the_masters_verdict_is_the_second_phase_c005_c054_c055_c056_c057() {
        let said = Some("Hotel Capo d'Africa");
        for (state, said, own, held) in [
            (Some(1), said, Some(true), (Judged::Verified, 2, Basis::Master, true)),
            (
                Some(1),
                said,
                Some(false),
                (Judged::Unverified, 2, Basis::Master, false),
            ),
            (Some(1), said, None, (Judged::Unverified, 2, Basis::Information, true)),
            (
                Some(1),
                None,
                Some(true),
                (Judged::Unverified, 2, Basis::Information, false),
            ),
            (
                Some(1),
                Some(" "),
                None,
                (Judged::Unverified, 2, Basis::Information, false),
            ),
            (Some(0), said, Some(true), (Judged::Unfinished, 1, Basis::State, false)),
            (None, said, None, (Judged::Unfinished, 1, Basis::State, false)),
            // A no always counts.
            (
                Some(0),
                said,
                Some(false),
                (Judged::Unverified, 2, Basis::Master, false),
            ),
        ] {
            assert_eq!(told(state, said, own), held, "{state:?} {said:?} {own:?}");
        }
    }

    #[test]
    fn evaluations_of_old_journals_are_read_c022() {
        let old = json!({"complete": true, "verdicts": [{"itemId": "1", "verdict": "verified", "phase": 2, "basis": "words",
            "reason": "its key information holds 4 of the 7 words that matter"}]});
        let read: SubtaskEvaluation = serde_json::from_value(old).expect("an evaluation");
        assert!(read.complete && !read.structural);
    }
}
