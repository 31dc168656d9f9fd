//! What one key accepts, compiled: checks a scalar where it lies, an array or object as a whole.
//!
//! Invariant: says the same as the `jsonschema` crate says of [`crate::json_schema::key_schema`]. A scalar is looked at in
//! [`crate::scalar_rule`], an array or an object in [`crate::tree`].

use serde_json::Map;
use serde_json::Value;

use crate::json_schema;
use crate::key::KeyType;
use crate::numeral::Numeral;
use crate::omission;
use crate::scalar_rule::Misfit;
use crate::scalar_rule::ScalarRule;
use crate::tree::Node;

/// The compiled rule of one key.
#[derive(Debug)]
pub enum Rule {
    Scalar(ScalarRule),
    Tree(TreeRule),
}

/// A rule for array or object.
#[derive(Debug)]
pub struct TreeRule {
    pub key_type: KeyType,
    pub root: Node,
    /// Whether nothing but the type is asked.
    is_free: bool,
    /// The constraints, where they declare a member that may be omitted.
    omissible: Option<Map<String, Value>>,
}

impl Rule {
    /// Compiles type and constraints. A keyword that says nothing of the type, or does not compile, enforces nothing:
    /// publishing has refused both already.
    pub fn compile(key_type: KeyType, constraints: &Map<String, Value>) -> Rule {
        match key_type {
            KeyType::String | KeyType::Integer | KeyType::Number | KeyType::Boolean | KeyType::Null => {
                Rule::Scalar(ScalarRule::compile(key_type, constraints))
            }
            KeyType::Array | KeyType::Object => Rule::Tree(TreeRule {
                key_type,
                root: match json_schema::key_schema(key_type, constraints) {
                    Value::Object(schema) => Node::compile(&schema),
                    _ => Node::compile(&Map::new()),
                },
                is_free: constraints.is_empty(),
                omissible: omission::possible(constraints).then(|| constraints.clone()),
            }),
        }
    }

    /// Checks a whole value.
    ///
    /// # Errors
    /// What does not hold; for a tree the keyword is the one that failed at its root or inside it.
    pub fn check(&self, value: &Value) -> Result<(), Misfit> {
        match self {
            Rule::Scalar(rule) => match value {
                Value::String(text) => rule.text(text),
                Value::Number(number) => rule.number(Numeral::of(number)),
                Value::Bool(value) => rule.boolean(*value),
                Value::Null => rule.null(),
                Value::Array(_) | Value::Object(_) => Err(Misfit::Type),
            },
            Rule::Tree(rule) => rule.check(value),
        }
    }
}

impl TreeRule {
    /// Checks an array or an object.
    ///
    /// # Errors
    /// The first thing that does not hold, as the keyword that asks for it.
    pub fn check(&self, value: &Value) -> Result<(), Misfit> {
        match self.root.first(value) {
            None => Ok(()),
            Some(problem) => Err(problem.misfit()),
        }
    }

    /// The value without the members that are null and may be omitted, where it has to be read so (docs/design.md §3).
    pub fn without_omitted(&self, value: &Value) -> Option<Value> {
        let mut said = value.clone();
        omission::leave_out(&mut said, self.omissible.as_ref()?);
        Some(said)
    }

    /// Whether nothing but the type is asked.
    pub fn is_free(&self) -> bool {
        self.is_free
    }
}
