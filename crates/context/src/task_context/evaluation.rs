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

/// What the structure says of an item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Structure {
    Unfinished(&'static str),
    /// C-057: a state alone is no evidence.
    Silent,
    Whole,
}

const NOTHING_SAID: &str = "its state is 1, but no key information says what came of it";
const NOT_JUDGED: &str =
    "its state is 1 and its key information says what came of it; no verdict of the master's verifies it yet";

/// What is said where the master verifies what shows nothing.
const PASSED_OVER: &str = "the master's verdict that it is verified does not count before something was done";

/// Evaluates what was given back; `own` holds the master's verdicts by item. A master cannot verify an item that is unfinished by
/// its own state, nor one of which nothing was said.
pub fn evaluate(context: &AgentContext, own: &BTreeMap<String, Overruled>) -> SubtaskEvaluation {
    let verdicts: Vec<ItemVerdict> = context
        .todo_items
        .iter()
        .map(|item| verdict(context, &item.item_id, own.get(&item.item_id)))
        .collect();
    let rejected = own.values().any(|own| !own.verified);
    let mut items = context.todo_items.iter();
    SubtaskEvaluation {
        complete: verdicts.iter().all(|verdict| verdict.verdict == Judged::Verified),
        structural: !rejected && items.all(|item| structure(context, &item.item_id) == Structure::Whole),
        verdicts,
    }
}

fn structure(context: &AgentContext, item_id: &str) -> Structure {
    match context.state(item_id) {
        Some(1) if context.information(item_id).is_some_and(|said| !said.trim().is_empty()) => Structure::Whole,
        Some(1) => Structure::Silent,
        Some(_) => Structure::Unfinished("its state is 0"),
        None => Structure::Unfinished("no state was given back for it"),
    }
}

fn verdict(context: &AgentContext, item_id: &str, own: Option<&Overruled>) -> ItemVerdict {
    let structure = structure(context, item_id);
    let (verdict, phase, basis, reason) = match structure {
        Structure::Unfinished(reason) => (Judged::Unfinished, 1, Basis::State, reason),
        Structure::Silent => (Judged::Unverified, 2, Basis::Information, NOTHING_SAID),
        Structure::Whole => (Judged::Unverified, 2, Basis::Information, NOT_JUDGED),
    };
    let by_structure = |reason: String| (verdict, phase, basis, reason);
    let (verdict, phase, basis, reason) = match own {
        Some(own) if !own.verified => (Judged::Unverified, 2, Basis::Master, own.reason.clone()),
        Some(own) if structure == Structure::Whole => (Judged::Verified, 2, Basis::Master, own.reason.clone()),
        Some(_) => by_structure(format!("{reason}; {PASSED_OVER}")),
        None => by_structure(reason.to_owned()),
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
    use std::collections::BTreeMap;

    use serde_json::Value;
    use serde_json::json;

    use super::AgentContext;
    use super::Basis;
    use super::Judged;
    use super::Overruled;
    use super::SubtaskEvaluation;
    use super::evaluate;
    use crate::task_context::form::Form;

    /// A context of one item, with its state and what was said of it.
    fn context(state: Option<u8>, said: Option<&str>) -> AgentContext {
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
        AgentContext::read(&Form::of_agent().expect("a form"), &document).expect("it fits")
    }

    fn of(context: &AgentContext, own: Option<bool>) -> SubtaskEvaluation {
        let own = own.map(|verified| {
            let reason = "the master's reason".to_owned();
            ("1".to_owned(), Overruled { verified, reason })
        });
        evaluate(context, &own.into_iter().collect::<BTreeMap<_, _>>())
    }

    /// Verdict, phase, basis, and whether the structure is whole.
    fn told(state: Option<u8>, said: Option<&str>, own: Option<bool>) -> (Judged, u8, Basis, bool) {
        let evaluation = of(&context(state, said), own);
        let one = &evaluation.verdicts[0];
        assert_eq!(evaluation.complete, one.verdict == Judged::Verified);
        assert!(!one.reason.is_empty());
        (one.verdict, one.phase, one.basis, evaluation.structural)
    }

    #[test]
    fn the_masters_verdict_is_the_second_phase_c005_c056() {
        let said = Some("Hotel Capo d'Africa");
        let yes = of(&context(Some(1), said), Some(true));
        assert!(yes.complete && yes.structural);
        assert_eq!(yes.verdicts[0].reason, "the master's reason");
        assert_eq!(
            told(Some(1), said, Some(false)),
            (Judged::Unverified, 2, Basis::Master, false)
        );
        assert_eq!(told(Some(0), said, Some(false)).2, Basis::Master, "a no always counts");
    }

    #[test]
    fn evaluations_of_old_journals_are_read_c022() {
        let old = json!({"complete": true, "verdicts": [{"itemId": "1", "verdict": "verified", "phase": 2, "basis": "words",
            "reason": "its key information holds 4 of the 7 words that matter"}]});
        let read: SubtaskEvaluation = serde_json::from_value(old).expect("an evaluation");
        assert!(read.complete && !read.structural);
    }
}
