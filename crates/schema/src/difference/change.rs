//! One change between two versions of a template, in the form in which it is told.
//!
//! Holds no rule but the order of severity.

use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use crate::key::KeyDefinition;

/// Who reads whose payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Payloads of the older version, read by the newer one.
    Backward,
    /// Payloads of the newer version, read by the older one.
    Forward,
}

/// How one direction comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// Proved: whatever the one accepts is accepted by the other.
    Compatible,
    /// Neither proved nor shown, or accepted with another meaning.
    MayBreak,
    /// Shown by a payload.
    Breaking,
}

/// How much a change asks of those who know the other version, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Says the same in other words.
    Wording,
    /// Adds what nobody has to know.
    Additive,
    /// Accepted with another meaning, or not decided.
    MayBreak,
    /// Refuses somebody.
    Breaking,
}

/// What changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Example {
    /// `backward`: accepted by the older version, read by the newer one.
    pub direction: Direction,
    pub effect: Effect,
    pub payload: Map<String, Value>,
}

/// One change. `{"kind", "key_name"?, "pointer", "class", "backward", "forward", "message", "renamed_to"?, "examples"}`
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub kind: Kind,
    /// The key, where it is one's.
    pub key_name: Option<String>,
    /// JSON pointer into the newer document; into the older one for what is gone.
    pub pointer: String,
    /// Whether it only says something otherwise.
    pub words_only: bool,
    pub backward: Reading,
    pub forward: Reading,
    pub message: String,
    /// The new key that a removed one seems to have become.
    pub renamed_to: Option<String>,
    pub examples: Vec<Example>,
}

impl Kind {
    /// Whether a change of this kind leaves what is accepted as it was.
    fn words_only(self) -> bool {
        match self {
            Kind::Restated | Kind::DescriptionChanged | Kind::SensitiveChanged | Kind::MemberChanged => true,
            Kind::KeyAdded
            | Kind::KeyRemoved
            | Kind::TypeChanged
            | Kind::MadeRequired
            | Kind::MadeOptional
            | Kind::Widened
            | Kind::Narrowed
            | Kind::ConstraintsChanged
            | Kind::DefaultChanged
            | Kind::StrictChanged
            | Kind::ScenarioChanged => false,
        }
    }
}

impl Class {
    /// As it is spelt in JSON and on a terminal.
    pub fn name(self) -> &'static str {
        match self {
            Class::Wording => "wording",
            Class::Additive => "additive",
            Class::MayBreak => "may_break",
            Class::Breaking => "breaking",
        }
    }
}

impl Direction {
    /// As it is spelt in JSON and on a terminal.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Backward => "backward",
            Direction::Forward => "forward",
        }
    }
}

impl Change {
    /// A change of one key that is compatible until it was shown not to be.
    pub(in crate::difference) fn of_key(kind: Kind, key: &KeyDefinition, pointer: &str) -> Change {
        Change {
            key_name: Some(key.key_name.to_string()),
            ..Change::of_template(kind, pointer)
        }
    }

    /// The same, of the template as a whole.
    pub(in crate::difference) fn of_template(kind: Kind, pointer: &str) -> Change {
        Change {
            kind,
            key_name: None,
            pointer: pointer.to_owned(),
            words_only: kind.words_only(),
            backward: Reading::Compatible,
            forward: Reading::Compatible,
            message: String::new(),
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

    /// The graver of both directions.
    pub fn class(&self) -> Class {
        match self.backward.max(self.forward) {
            Reading::Breaking => Class::Breaking,
            Reading::MayBreak => Class::MayBreak,
            Reading::Compatible if self.words_only => Class::Wording,
            Reading::Compatible => Class::Additive,
        }
    }
}

impl Serialize for Change {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let Change {
            kind,
            key_name,
            pointer,
            words_only: _,
            backward,
            forward,
            message,
            renamed_to,
            examples,
        } = self;
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("kind", kind)?;
        if let Some(key_name) = key_name {
            members.serialize_entry("key_name", key_name)?;
        }
        members.serialize_entry("pointer", pointer)?;
        members.serialize_entry("class", &self.class())?;
        members.serialize_entry("backward", backward)?;
        members.serialize_entry("forward", forward)?;
        members.serialize_entry("message", message)?;
        if let Some(renamed_to) = renamed_to {
            members.serialize_entry("renamed_to", renamed_to)?;
        }
        members.serialize_entry("examples", examples)?;
        members.end()
    }
}
