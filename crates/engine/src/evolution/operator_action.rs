//! An operator's action on one patch: what a person may do, and what they said of it (Z-127, Z-165).
//!
//! Owns the words alone; how far each action reaches is decided with the scenario at hand.

use serde::Deserialize;
use serde::Serialize;
use strum::IntoStaticStr;
use strum::VariantArray;
use utoipa::ToSchema;

use crate::evolution::edit::Edit;
use schema::act::By;

/// What a person does to a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantArray, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum OperatorAction {
    Approve,
    Reject,
    Promote,
    /// Takes a promotion back: the key goes on trial again.
    Demote,
    Deprecate,
    Withdraw,
    Restore,
}

impl OperatorAction {
    /// Every action.
    pub const ALL: &'static [OperatorAction] = OperatorAction::VARIANTS;

    /// As in an address and in a label: `approve`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// What a rejection is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantArray, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schema(as = RejectionScope)]
pub enum Scope {
    /// What was said is no wish: its cluster rests until the cool-down is over.
    #[default]
    Demand,
    /// This key is wrong for it: its cluster is read anew.
    Key,
}

impl Scope {
    /// Every scope.
    pub const ALL: &'static [Scope] = Scope::VARIANTS;

    /// As in a body and in the journal.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// An action with the person behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct OperatorRequest {
    pub hand: OperatorAction,
    pub by: By,
    /// The reason that the person gave, as [`because`] leaves it.
    pub because: Option<String>,
    /// What is approved instead of what was proposed.
    pub edit: Option<Box<Edit>>,
    /// What a rejection is about.
    pub scope: Scope,
    /// Revisions of the patch that the person had before them, where they said so: it has to be one of these.
    pub seen: Option<Vec<u64>>,
}

impl OperatorRequest {
    /// An action alone.
    pub fn of(hand: OperatorAction, by: By, because: Option<String>) -> OperatorRequest {
        OperatorRequest {
            hand,
            by,
            because,
            edit: None,
            scope: Scope::default(),
            seen: None,
        }
    }
}

/// Characters of a reason at most.
pub const BECAUSE_CHARS_MAX: usize = 500;

/// A reason fit to be kept and shown: control characters and marks of direction become spaces, spaces in a row one
/// (docs/design.md §11). `Ok(None)` where nothing was said.
///
/// # Errors
/// How many characters there are, when they are more than [`BECAUSE_CHARS_MAX`].
pub fn because(text: &str) -> Result<Option<String>, usize> {
    let chars = text.chars().count();
    if chars > BECAUSE_CHARS_MAX {
        return Err(chars);
    }
    let plain: String = text.chars().map(|c| if unfit(c) { ' ' } else { c }).collect();
    let said = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok((!said.is_empty()).then_some(said))
}

/// Control characters, and those that change the direction of what is shown after them.
fn unfit(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_taken_up_to_its_limit_and_made_plain_z169() {
        assert_eq!(because(""), Ok(None));
        assert_eq!(because(" \n\t"), Ok(None));
        assert_eq!(
            because("wrong\u{202e} examples,\r\n  see \u{7}ticket"),
            Ok(Some("wrong examples, see ticket".to_owned()))
        );
        for chars in [BECAUSE_CHARS_MAX - 1, BECAUSE_CHARS_MAX] {
            let text = "é".repeat(chars);
            assert_eq!(because(&text), Ok(Some(text)));
        }
        let one_more = "é".repeat(BECAUSE_CHARS_MAX + 1);
        assert_eq!(because(&one_more), Err(BECAUSE_CHARS_MAX + 1));
    }

    #[test]
    fn an_action_is_called_as_in_the_journal() {
        for action in OperatorAction::ALL {
            assert_eq!(serde_json::to_value(action).expect("a word"), action.name());
        }
        for scope in Scope::ALL {
            assert_eq!(serde_json::to_value(scope).expect("a word"), scope.name());
        }
    }
}
