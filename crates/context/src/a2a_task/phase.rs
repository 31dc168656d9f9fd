//! Where a task stands (A2A §4.1.3).

use serde::Deserialize;
use serde::Serialize;
use strum::IntoStaticStr;
use strum::VariantArray;
use utoipa::ToSchema;

/// A task's state, by the names of the protocol.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr, VariantArray, ToSchema,
)]
#[strum(serialize_all = "snake_case")]
#[schema(as = TaskState)]
pub enum Phase {
    #[serde(rename = "TASK_STATE_SUBMITTED")]
    Submitted,
    #[serde(rename = "TASK_STATE_WORKING")]
    Working,
    #[serde(rename = "TASK_STATE_COMPLETED")]
    Completed,
    #[serde(rename = "TASK_STATE_FAILED")]
    Failed,
    #[serde(rename = "TASK_STATE_CANCELED")]
    Canceled,
    #[serde(rename = "TASK_STATE_INPUT_REQUIRED")]
    InputRequired,
    #[serde(rename = "TASK_STATE_REJECTED")]
    Rejected,
    #[serde(rename = "TASK_STATE_AUTH_REQUIRED")]
    AuthRequired,
}

impl Phase {
    /// Every state.
    pub fn all() -> impl Iterator<Item = Phase> {
        Phase::VARIANTS.iter().copied()
    }

    /// The name that the protocol gives it.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Submitted => "TASK_STATE_SUBMITTED",
            Phase::Working => "TASK_STATE_WORKING",
            Phase::Completed => "TASK_STATE_COMPLETED",
            Phase::Failed => "TASK_STATE_FAILED",
            Phase::Canceled => "TASK_STATE_CANCELED",
            Phase::InputRequired => "TASK_STATE_INPUT_REQUIRED",
            Phase::Rejected => "TASK_STATE_REJECTED",
            Phase::AuthRequired => "TASK_STATE_AUTH_REQUIRED",
        }
    }

    /// The word for it in metrics, such as `input_required`.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The state of this name.
    pub fn named(name: &str) -> Option<Phase> {
        Phase::all().find(|phase| phase.name() == name)
    }

    /// Whether nothing comes after it.
    pub const fn has_ended(self) -> bool {
        match self {
            Phase::Completed | Phase::Failed | Phase::Canceled | Phase::Rejected => true,
            Phase::Submitted | Phase::Working | Phase::InputRequired | Phase::AuthRequired => false,
        }
    }

    /// Whether the client is to speak next.
    pub const fn waits_for_client(self) -> bool {
        match self {
            Phase::InputRequired | Phase::AuthRequired => true,
            Phase::Submitted
            | Phase::Working
            | Phase::Completed
            | Phase::Failed
            | Phase::Canceled
            | Phase::Rejected => false,
        }
    }

    /// Whether the service is at it.
    pub const fn is_under_way(self) -> bool {
        !self.has_ended() && !self.waits_for_client()
    }
}

#[cfg(test)]
mod tests {
    use super::Phase;

    #[test]
    fn a_state_is_under_way_or_waits_or_has_ended() {
        for phase in Phase::all() {
            let ways = [phase.is_under_way(), phase.waits_for_client(), phase.has_ended()];
            assert_eq!(ways.iter().filter(|way| **way).count(), 1, "{}", phase.name());
            assert_eq!(Phase::named(phase.name()), Some(phase));
            let word = phase.name().trim_start_matches("TASK_STATE_").to_lowercase();
            assert_eq!(phase.word(), word);
            assert_eq!(serde_json::to_value(phase).expect("JSON"), phase.name());
        }
        assert_eq!(Phase::named("TASK_STATE_UNSPECIFIED"), None);
    }
}
