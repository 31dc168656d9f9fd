//! What a schema accepts, type by type: the form in which schemas of a source are put together before a template is written.
//!
//! Invariant: a type stands at most once among the kinds, and of `integer` and `number` only one does.

use serde_json::Map;
use serde_json::Value;

use crate::key::KeyType;

/// Every type of a value that nothing is said of.
const EVERY: [KeyType; 6] = [
    KeyType::String,
    KeyType::Number,
    KeyType::Boolean,
    KeyType::Array,
    KeyType::Object,
    KeyType::Null,
];

/// What a schema accepts: values of each of these types that meet what is asked of it. Two shapes are equal where they accept the
/// same, whatever is said about them.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub kinds: Vec<(KeyType, Facts)>,
    pub about: About,
}

/// What is asked of a value of one type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Keywords of which none holds a schema; a constant is a list of one.
    pub plain: Map<String, Value>,
    pub items: Option<Box<Shape>>,
    pub members: Vec<(String, Shape)>,
    pub required: Vec<String>,
    pub rest: Rest,
}

/// What members that are not declared have to be.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Rest {
    #[default]
    Open,
    Closed,
    Like(Box<Shape>),
}

/// What is said about a schema, and where it stands in the source.
#[derive(Clone, Debug, Default)]
pub struct About {
    pub pointer: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub default: Option<Value>,
    pub examples: Vec<Value>,
}

impl PartialEq for Shape {
    fn eq(&self, other: &Shape) -> bool {
        self.kinds == other.kinds
    }
}

impl Shape {
    /// A value of one of these types.
    pub fn of_types(types: &[KeyType], pointer: &str) -> Shape {
        Shape {
            kinds: types.iter().map(|kind| (*kind, Facts::default())).collect(),
            about: About {
                pointer: pointer.to_owned(),
                ..About::default()
            },
        }
    }

    /// Any value.
    pub fn any(pointer: &str) -> Shape {
        Shape::of_types(&EVERY, pointer)
    }

    /// Whether no type is left out.
    pub fn is_of_every_type(&self) -> bool {
        EVERY.iter().all(|kind| self.kinds.iter().any(|(own, _)| own == kind))
    }

    /// Whether nothing is asked.
    pub fn is_any(&self) -> bool {
        self.is_of_every_type() && self.kinds.iter().all(|(_, facts)| facts.is_empty())
    }

    /// Takes null out of it, and says whether it was in.
    pub fn take_null(&mut self) -> bool {
        let before = self.kinds.len();
        if before > 1 {
            self.kinds.retain(|(kind, _)| *kind != KeyType::Null);
        }
        self.kinds.len() < before
    }
}

impl Facts {
    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self == &Facts::default()
    }

    /// The values that are listed, where they are.
    pub fn listed(&self) -> Option<&Vec<Value>> {
        self.plain.get("enum").and_then(Value::as_array)
    }

    /// Whether a list of values is all that is asked.
    pub fn is_list(&self) -> bool {
        self.plain.len() == 1 && self.listed().is_some()
    }
}
