//! How the execution of a submission ended, as a fact (Z-007, docs/design.md §4).
//!
//! Holds no value of a result: that is sealed. Invariant: of each submission that is to be executed, either no ending is on
//! record, so that it is executed again after a crash, or its last one says what its caller was told.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

/// How one call of an executor ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Its result was passed on.
    Answered,
    /// It could not be reached, broke off, or failed by its own account.
    Failed,
    /// It refused, by a status that says so.
    Refused,
    /// Its result is not what the template promises.
    BadResult,
    /// It took too long.
    TimedOut,
    /// As many calls as may be were under way.
    Busy,
    /// It was left alone after failures in a row.
    Paused,
    /// Its address is not one that may be called.
    NotAllowed,
    /// It was not tried again after a crash, since too much time had passed; or who asked for it wanted no more of it.
    Abandoned,
}

impl Ending {
    pub const ALL: [Ending; 9] = [
        Ending::Answered,
        Ending::Failed,
        Ending::Refused,
        Ending::BadResult,
        Ending::TimedOut,
        Ending::Busy,
        Ending::Paused,
        Ending::NotAllowed,
        Ending::Abandoned,
    ];

    /// The word in metrics and logs.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Answered => "answered",
            Ending::Failed => "failed",
            Ending::Refused => "refused",
            Ending::BadResult => "bad_result",
            Ending::TimedOut => "timed_out",
            Ending::Busy => "busy",
            Ending::Paused => "paused",
            Ending::NotAllowed => "not_allowed",
            Ending::Abandoned => "abandoned",
        }
    }
}

/// The open part of an ending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executed {
    /// Sequence of the submission.
    pub of: u64,
    pub ending: Ending,
    /// Scope and key of its idempotency key, when its result is kept for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_for: Option<(String, String)>,
    /// Records after this one that hold the rest of the sealed part.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub continued: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// The sealed part as it is written.
#[derive(Debug, Serialize)]
pub struct SealedResultDraft<'a> {
    pub result: &'a Map<String, Value>,
}

/// The sealed part as it is read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct SealedResult {
    pub result: Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::Ending;
    use super::Executed;

    #[test]
    fn an_ending_is_read_back_and_its_words_are_distinct() {
        let names: BTreeSet<&str> = Ending::ALL.into_iter().map(Ending::name).collect();
        assert_eq!(names.len(), Ending::ALL.len());
        for ending in Ending::ALL {
            assert_eq!(serde_json::to_value(ending).expect("a word"), json!(ending.name()));
        }
        let least: Executed = serde_json::from_value(json!({"of": 7, "ending": "answered"})).expect("an ending");
        assert_eq!((least.of, least.kept_for, least.continued), (7, None, 0));
    }
}
