//! A borrowed scalar that the `jsonschema` crate can look at, so that a string is checked where it lies.
//!
//! Holds null, booleans, numbers and text; has no arrays or objects, which are checked as whole values elsewhere.

use std::borrow::Cow;

use jsonschema::JsonType;
use jsonschema::json::Array;
use jsonschema::json::Json;
use jsonschema::json::Node;
use jsonschema::json::NodeIdentity;
use jsonschema::json::Object;
use serde_json::Number;
use serde_json::Value;

/// One scalar of a payload.
#[derive(Clone, Debug)]
pub enum Scalar<'a> {
    Null,
    Boolean(bool),
    Number(Number),
    Text(&'a str),
}

/// The representation whose only nodes are scalars.
#[derive(Debug)]
pub struct ScalarJson;

/// The arrays and objects of that representation: there are none.
#[derive(Clone, Debug)]
pub enum Nothing {}

impl Json for ScalarJson {
    type Node<'a> = Scalar<'a>;
    type PreparedKey = String;
    type StringBuffer = ();

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(Scalar<'_>) -> T) -> T {
        f(Scalar::Text(string))
    }
}

impl<'a> Node<'a, ScalarJson> for Scalar<'a> {
    type Object = Nothing;
    type Array = Nothing;
    type Number = Number;

    fn as_object(&self) -> Option<Nothing> {
        None
    }

    fn as_array(&self) -> Option<Nothing> {
        None
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        match self {
            Scalar::Text(text) => Some(Cow::Borrowed(text)),
            Scalar::Null | Scalar::Boolean(_) | Scalar::Number(_) => None,
        }
    }

    fn as_number(&self) -> Option<Number> {
        match self {
            Scalar::Number(number) => Some(number.clone()),
            Scalar::Null | Scalar::Boolean(_) | Scalar::Text(_) => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        match self {
            Scalar::Boolean(value) => Some(*value),
            Scalar::Null | Scalar::Number(_) | Scalar::Text(_) => None,
        }
    }

    fn is_null(&self) -> bool {
        matches!(self, Scalar::Null)
    }

    fn json_type(&self) -> JsonType {
        match self {
            Scalar::Null => JsonType::Null,
            Scalar::Boolean(_) => JsonType::Boolean,
            Scalar::Number(_) => JsonType::Number,
            Scalar::Text(_) => JsonType::String,
        }
    }

    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(match self {
            Scalar::Null => Value::Null,
            Scalar::Boolean(value) => Value::Bool(*value),
            Scalar::Number(number) => Value::Number(number.clone()),
            Scalar::Text(text) => Value::String((*text).to_owned()),
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        None
    }
}

impl<'a> Object<'a, ScalarJson> for Nothing {
    type Node = Scalar<'a>;
    type MemberName = &'a str;
    type MembersIter = std::iter::Empty<(&'a str, Scalar<'a>)>;

    fn len(&self) -> usize {
        match *self {}
    }

    fn get(&self, _key: &String) -> Option<Scalar<'a>> {
        match *self {}
    }

    fn members(&self) -> Self::MembersIter {
        match *self {}
    }
}

impl<'a> Array<'a, ScalarJson> for Nothing {
    type Node = Scalar<'a>;
    type ElementsIter = std::iter::Empty<Scalar<'a>>;

    fn len(&self) -> usize {
        match *self {}
    }

    fn elements(&self) -> Self::ElementsIter {
        match *self {}
    }
}
