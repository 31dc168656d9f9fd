//! What a value may be, read from type and constraints: one reading for all forms.
//!
//! Invariant: a list of values holds only what everything else that is said accepts too, so that a form which can list
//! values loses nothing by saying no more.

use std::collections::BTreeSet;

use jsonschema::json::SerdeJson;
use serde_json::Map;
use serde_json::Number;
use serde_json::Value;

use crate::format;
use crate::json_schema;
use crate::key::KeyType;
use crate::keyword::Keyword;
use crate::numeral::Numeral;

/// What a value may be.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// The key `other`: a string or an array of strings (Z-059).
    Other,
    /// One of these, which `of` describes without the list.
    Listed {
        values: Vec<Value>,
        of: Box<Shape>,
    },
    Text(Text),
    Number(Range),
    Boolean,
    Null,
    Array(Elements),
    Object(Members),
    /// A value of any type for which nothing is said.
    Anything,
    /// Of any type, with something said of some.
    Any(Vec<Shape>),
    /// No value is accepted; this comes nearest.
    Never(Box<Shape>),
}

/// A text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    /// In code points.
    pub length_min: Option<u64>,
    pub length_max: Option<u64>,
    pub pattern: Option<String>,
    /// One that is enforced.
    pub format: Option<String>,
    /// One that is shown and not enforced.
    pub hint: Option<String>,
}

/// A number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Range {
    pub integer: bool,
    pub minimum: Option<Number>,
    pub maximum: Option<Number>,
    pub exclusive_minimum: Option<Number>,
    pub exclusive_maximum: Option<Number>,
    pub multiple_of: Option<Number>,
}

/// An array.
#[derive(Clone, Debug, PartialEq)]
pub struct Elements {
    pub each: Box<Shape>,
    pub items_min: Option<u64>,
    pub items_max: Option<u64>,
    pub unique: bool,
}

/// An object.
#[derive(Clone, Debug, PartialEq)]
pub struct Members {
    /// Required ones first, in the order in which they were declared.
    pub declared: Vec<Member>,
    /// What a member that is not declared may be; `None` where there may be none.
    pub rest: Option<Box<Shape>>,
}

/// A declared member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub name: String,
    pub required: bool,
    pub shape: Shape,
}

impl Shape {
    /// The shape of a key's value.
    pub fn of_key(key_type: KeyType, constraints: &Map<String, Value>) -> Shape {
        listed(constraints, Some(key_type), Shape::of_type(key_type, constraints))
    }

    /// The shape below a key, where a type may be named.
    fn of_schema(schema: &Map<String, Value>) -> Shape {
        let declared = json_schema::key_type(schema);
        let plain = match declared {
            Some(key_type) => Shape::of_type(key_type, schema),
            None => {
                let kinds = [
                    KeyType::String,
                    KeyType::Number,
                    KeyType::Boolean,
                    KeyType::Null,
                    KeyType::Array,
                    KeyType::Object,
                ];
                let structural = schema
                    .keys()
                    .filter_map(|name| Keyword::parse(name))
                    .any(|keyword| !matches!(keyword, Keyword::Enum | Keyword::Const));
                if structural {
                    Shape::Any(kinds.map(|kind| Shape::of_type(kind, schema)).to_vec())
                } else {
                    Shape::Anything
                }
            }
        };
        listed(schema, declared, plain)
    }

    fn of_type(key_type: KeyType, schema: &Map<String, Value>) -> Shape {
        let number = |keyword: Keyword| schema.get(keyword.name()).and_then(Value::as_number).cloned();
        let count = |keyword: Keyword| schema.get(keyword.name()).and_then(Value::as_u64);
        let text = |keyword: Keyword| schema.get(keyword.name()).and_then(Value::as_str).map(str::to_owned);
        match key_type {
            KeyType::String => {
                let format = text(Keyword::Format);
                let enforced = format.as_deref().is_some_and(|name| format::find(name).is_some());
                Shape::Text(Text {
                    length_min: count(Keyword::MinLength).filter(|least| *least > 0),
                    length_max: count(Keyword::MaxLength),
                    pattern: text(Keyword::Pattern),
                    hint: format.clone().filter(|_| !enforced),
                    format: format.filter(|_| enforced),
                })
            }
            KeyType::Integer | KeyType::Number => Shape::Number(Range {
                integer: key_type == KeyType::Integer,
                minimum: number(Keyword::Minimum),
                maximum: number(Keyword::Maximum),
                exclusive_minimum: number(Keyword::ExclusiveMinimum),
                exclusive_maximum: number(Keyword::ExclusiveMaximum),
                multiple_of: number(Keyword::MultipleOf),
            }),
            KeyType::Boolean => Shape::Boolean,
            KeyType::Null => Shape::Null,
            KeyType::Array => Shape::Array(Elements {
                each: Box::new(match schema.get(Keyword::Items.name()).and_then(Value::as_object) {
                    Some(items) => Shape::of_schema(items),
                    None => Shape::Anything,
                }),
                items_min: count(Keyword::MinItems).filter(|least| *least > 0),
                items_max: count(Keyword::MaxItems),
                unique: schema.get(Keyword::UniqueItems.name()) == Some(&Value::Bool(true)),
            }),
            KeyType::Object => members(schema),
        }
    }
}

fn members(schema: &Map<String, Value>) -> Shape {
    let rest = match schema.get(Keyword::AdditionalProperties.name()) {
        Some(Value::Bool(false)) => None,
        Some(Value::Object(rest)) => Some(Shape::of_schema(rest)),
        Some(_) | None => Some(Shape::Anything),
    };
    let required: Vec<&str> = schema
        .get(Keyword::Required.name())
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let properties = schema.get(Keyword::Properties.name()).and_then(Value::as_object);
    let mut declared: Vec<Member> = properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| Member {
            name: name.clone(),
            required: required.contains(&name.as_str()),
            shape: schema.as_object().map_or(Shape::Anything, Shape::of_schema),
        })
        .collect();
    let mut never = false;
    for name in required {
        if !properties.is_some_and(|properties| properties.contains_key(name)) {
            never |= rest.is_none();
            declared.push(Member {
                name: name.to_owned(),
                required: true,
                shape: rest.clone().unwrap_or(Shape::Anything),
            });
        }
    }
    declared.sort_by_key(|member| !member.required);
    let object = Shape::Object(Members {
        declared,
        rest: rest.map(Box::new),
    });
    if never { Shape::Never(Box::new(object)) } else { object }
}

/// The list of values where there is one, without those that nothing else accepts.
fn listed(schema: &Map<String, Value>, key_type: Option<KeyType>, of: Shape) -> Shape {
    let constant = schema.get(Keyword::Const.name()).map(|value| vec![value.clone()]);
    let list = schema.get(Keyword::Enum.name()).and_then(Value::as_array).cloned();
    let Some(list) = list.or(constant) else { return of };
    let alone = schema.keys().filter_map(|name| Keyword::parse(name)).nth(1).is_none();
    // Publishing has held a list to its type; compiling is for what stands beside it.
    let accepts = (!alone).then(|| match key_type {
        Some(key_type) => json_schema::compile::<SerdeJson>(&json_schema::key_schema(key_type, schema)),
        None => json_schema::compile::<SerdeJson>(&Value::Object(schema.clone())),
    });
    let mut values: Vec<Value> = Vec::new();
    let mut seen = BTreeSet::new();
    let fitting = list.iter().filter(|value| match &accepts {
        Some(accepts) => accepts.as_ref().is_ok_and(|accepts| accepts.is_valid(value)),
        None => true,
    });
    for value in fitting.map(plain) {
        if seen.insert(value.to_string()) {
            values.push(value);
        }
    }
    if values.is_empty() {
        // What was published is still what the words speak of.
        let of = Box::new(of);
        return Shape::Never(Box::new(Shape::Listed { values: list, of }));
    }
    Shape::Listed {
        values,
        of: Box::new(of),
    }
}

/// A whole number without its fraction, as `7` for `7.0`.
fn plain(value: &Value) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) => match Numeral::of(number) {
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and within 2^53")]
            Numeral::Float(float) if float.fract() == 0.0 && float.abs() <= EXACT => Value::from(float as i64),
            Numeral::Float(_) | Numeral::Integer(_) => value.clone(),
        },
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => value.clone(),
    }
}
