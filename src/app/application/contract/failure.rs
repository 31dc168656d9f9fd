//! What a failure leaves of a task: where it stands then, and in which words its client is told.
//!
//! Invariant: what passes ends no task.

use serde_json::Value;

use crate::app::a2a_tasks::documents::PROBLEM;
use crate::app::a2a_tasks::worker::Words;
use crate::app::error::ServiceError;
use context::a2a_task::message::Part;
use context::a2a_task::phase::Phase;

/// Violations that are said in plain words; all of them are in the data.
const SAID_MAX: usize = 8;

/// Where a failure leaves the task. What passes ends no task: it waits for the same message again.
pub(super) fn phase_of(error: &ServiceError) -> Phase {
    match error {
        ServiceError::InvalidPayload { .. }
        | ServiceError::RefusedBefore(_)
        | ServiceError::IdempotencyInFlight
        | ServiceError::Busy { .. }
        | ServiceError::LimitReached(_)
        | ServiceError::LimitReachedFor { .. }
        | ServiceError::ShuttingDown
        | ServiceError::DiskFull
        | ServiceError::StoreStalled
        | ServiceError::ReadOnly
        | ServiceError::ReadOnlyBySetting => Phase::InputRequired,
        ServiceError::BadRequest(_)
        | ServiceError::BadParameter(_)
        | ServiceError::UnknownSchema(_)
        | ServiceError::UnknownScenario(_)
        | ServiceError::SchemaRetired(_)
        | ServiceError::InvalidMessage(_)
        | ServiceError::UnsupportedMedia(_)
        | ServiceError::IdempotencyMismatch
        | ServiceError::Forbidden
        | ServiceError::NotItself => Phase::Rejected,
        ServiceError::InvalidTemplate(_)
        | ServiceError::UnknownPatch(_)
        | ServiceError::UnknownWebhook(_)
        | ServiceError::UnknownTask(_)
        | ServiceError::UnknownPush(_)
        | ServiceError::Context(_)
        | ServiceError::UnknownConversation(_)
        | ServiceError::UnknownRecipient(_)
        | ServiceError::NothingKept(_)
        | ServiceError::UnknownAgent(_)
        | ServiceError::FollowsItself { .. }
        | ServiceError::VersionMoved { .. }
        | ServiceError::UnknownSubtask(_)
        | ServiceError::UnknownContent
        | ServiceError::Nameless
        | ServiceError::NothingTaken(_)
        | ServiceError::InvalidContext(_)
        | ServiceError::TaskForbids(_)
        | ServiceError::NotCancelable(_)
        | ServiceError::UnknownAudit
        | ServiceError::Audited(_)
        | ServiceError::SchemaImmutable(_)
        | ServiceError::ScenarioOwned { .. }
        | ServiceError::Incompatible { .. }
        | ServiceError::NothingStable
        | ServiceError::NotExecuted { .. }
        | ServiceError::StageForbids(_)
        | ServiceError::UnfitKey(_)
        | ServiceError::NameTaken(_)
        | ServiceError::PatchMoved { .. }
        | ServiceError::NoReader
        | ServiceError::Fault(_) => Phase::Failed,
    }
}

/// A failure in words and as data.
pub(super) fn refusal(problem: &Value) -> Words {
    let detail = problem["detail"].as_str().unwrap_or_default();
    let violations = problem["violations"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut said: Vec<&str> = violations
        .iter()
        .filter_map(|violation| violation["message"].as_str())
        .collect();
    let more = said.len().saturating_sub(SAID_MAX);
    said.truncate(SAID_MAX);
    let mut text = match said.as_slice() {
        [] => detail.to_owned(),
        said => format!("{detail}: {}", said.join("; ")),
    };
    if more > 0 {
        text.push_str(&format!("; and {more} more"));
    }
    Words {
        parts: vec![Part::text(text), Part::data(problem.to_string(), PROBLEM)],
        metadata: serde_json::Map::new(),
        extensions: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::Phase;
    use super::SAID_MAX;
    use super::ServiceError;
    use super::phase_of;
    use super::refusal;
    use context::a2a_task::message::Content;

    #[test]
    fn what_passes_ends_no_task() {
        for passing in [
            ServiceError::IdempotencyInFlight,
            ServiceError::Busy { retry_after_s: 1 },
            ServiceError::LimitReached("so many".to_owned()),
            ServiceError::DiskFull,
            ServiceError::ReadOnly,
        ] {
            assert_eq!(phase_of(&passing), Phase::InputRequired, "{passing}");
        }
        assert_eq!(phase_of(&ServiceError::Fault("it broke".to_owned())), Phase::Failed);
    }

    #[test]
    fn so_many_violations_are_said_and_all_are_told() {
        let problem = |count: usize| {
            let violations: Vec<Value> = (0..count)
                .map(|n| json!({"message": format!("k{n} is required")}))
                .collect();
            json!({"detail": "it does not fit", "violations": violations})
        };
        let text = |count| match &refusal(&problem(count)).parts[0].content {
            Content::Text(text) => text.clone(),
            other => panic!("{other:?} is no text"),
        };
        assert_eq!(text(0), "it does not fit");
        assert_eq!(text(1), "it does not fit: k0 is required");
        assert!(!text(SAID_MAX).contains("more"));
        assert!(text(SAID_MAX + 1).ends_with("; and 1 more"));
    }
}
