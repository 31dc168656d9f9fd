//! One change between two versions of a template, in the form in which it is told.
//!
//! Holds no rule but the order of severity.

use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use strum::IntoStaticStr;
use utoipa::ToSchema;

use crate::key::KeyDefinition;

/// Who reads whose payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, IntoStaticStr, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Direction {
    /// Payloads of the older version, read by the newer one.
    Backward,
    /// Payloads of the newer version, read by the older one.
    Forward,
}

/// How one direction comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// Proved: whatever the one accepts is accepted by the other.
    Compatible,
    /// Neither proved nor shown, or accepted with another meaning.
    MayBreak,
    /// Shown by a payload, or by the bounds of lengths that are too long for one.
    Breaking,
}

/// How much a change asks of those who know the other version, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, IntoStaticStr, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schema(as = ChangeClass)]
pub enum Class {
    /// Nothing that is served differs.
    None,
    /// Says the same in other words.
    Wording,
    /// Adds what nobody has to know.
    Additive,
    /// Accepted with another meaning, or not decided.
    MayBreak,
    /// Refuses a payload, or reads it with another meaning.
    Breaking,
}

/// Reason for which a direction is neither proved nor shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unproved {
    /// The comparison ended at its budget of work.
    Budget,
    /// Nothing was found either way.
    Undecided,
}

/// What changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ChangeKind)]
pub enum Kind {
    KeyAdded,
    KeyRemoved,
    TypeChanged,
    MadeRequired,
    MadeOptional,
    /// The newer version accepts more.
    Widened,
    /// The newer version accepts less.
    Narrowed,
    /// The constraints differ and accept the same.
    Restated,
    /// Each version accepts what the other does not, or it was not decided.
    ConstraintsChanged,
    DefaultChanged,
    DescriptionChanged,
    /// `sensitive`: who has to approve changes of the key.
    SensitiveChanged,
    /// A member of a key, or of the template, by which no payload is judged.
    MemberChanged,
    StrictChanged,
    ScenarioChanged,
}

/// What happens to a payload that somebody sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The other version refuses it (422).
    Refused,
    /// It is accepted, and what the key says is passed over with a warning.
    PassedOver,
    /// It is accepted and means something else, such as another default.
    ReadOtherwise,
}

/// A payload that one version accepts, and what the other makes of it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = ChangeExample)]
pub struct Example {
    /// `backward`: accepted by the older version, read by the newer one.
    pub direction: Direction,
    pub effect: Effect,
    #[schema(value_type = Object)]
    pub payload: Map<String, Value>,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Change {
    pub kind: Kind,
    /// The key, where it is one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    pub key_name: Option<String>,
    /// JSON pointer into the newer document; into the older one for what is gone.
    pub pointer: String,
    /// The graver of both directions.
    pub class: Class,
    pub backward: Reading,
    pub forward: Reading,
    /// Reason for which a direction may break, where that is neither proved nor shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Unproved)]
    pub reason: Option<Unproved>,
    pub message: String,
    /// The new key that a removed one seems to have become.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    pub renamed_to: Option<String>,
    /// Payloads that show it.
    pub examples: Vec<Example>,
}

impl Class {
    /// As it is spelt in JSON and on a terminal.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Direction {
    /// As it is spelt in JSON and on a terminal.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Change {
    /// Returns whether a payload would have to show how a direction reads, and none does.
    pub(in crate::difference) fn is_unshown(&self) -> bool {
        let is_shown = |direction| self.examples.iter().any(|example| example.direction == direction);
        let lacks = |direction| self.reading(direction) == Reading::MayBreak && !is_shown(direction);
        let needs_none = matches!(self.kind, Kind::ScenarioChanged | Kind::MemberChanged);
        !needs_none && (lacks(Direction::Backward) || lacks(Direction::Forward))
    }

    /// A change of one key, or of the template as a whole, that is compatible until it was shown not to be.
    pub(in crate::difference) fn new(
        kind: Kind,
        key: Option<&KeyDefinition>,
        pointer: String,
        message: String,
    ) -> Change {
        Change {
            kind,
            key_name: key.map(|key| key.key_name.to_string()),
            pointer,
            class: match kind {
                Kind::Restated | Kind::DescriptionChanged | Kind::SensitiveChanged | Kind::MemberChanged => {
                    Class::Wording
                }
                _ => Class::Additive,
            },
            backward: Reading::Compatible,
            forward: Reading::Compatible,
            reason: None,
            message,
            renamed_to: None,
            examples: Vec::new(),
        }
    }

    /// How one direction comes out.
    pub fn reading(&self, direction: Direction) -> Reading {
        match direction {
            Direction::Backward => self.backward,
            Direction::Forward => self.forward,
        }
    }

    /// The change with one direction that breaks for certain, by a payload that is too long to be shown.
    pub(in crate::difference) fn proved(mut self, direction: Direction) -> Change {
        match direction {
            Direction::Backward => self.backward = Reading::Breaking,
            Direction::Forward => self.forward = Reading::Breaking,
        }
        self.class = Class::Breaking;
        self
    }

    /// The change with how one direction reads; an example goes with what was shown.
    pub(in crate::difference) fn shown(
        mut self,
        direction: Direction,
        reading: Reading,
        payload: Option<Map<String, Value>>,
        effect: Effect,
    ) -> Change {
        // What no payload shows breaks nobody for certain.
        let reading = match payload {
            None => reading.min(Reading::MayBreak),
            Some(_) => reading,
        };
        let side = match direction {
            Direction::Backward => &mut self.backward,
            Direction::Forward => &mut self.forward,
        };
        *side = reading.max(*side);
        self.class = match reading {
            Reading::Compatible => self.class,
            Reading::MayBreak => Class::MayBreak.max(self.class),
            Reading::Breaking => Class::Breaking,
        };
        self.examples.extend(payload.map(|payload| Example {
            direction,
            effect,
            payload,
        }));
        self
    }
}
