//! What a value may be, read from type and constraints: one reading for all forms.
//!
//! Invariant: a list of values holds only what everything else that is said accepts too, so that a form which can list
//! values loses nothing by saying no more.

use std::collections::BTreeSet;

use serde_json::Map;
use serde_json::Value;

use crate::format;
use crate::json_schema;
use crate::json_schema::below;
use crate::key::KeyType;
use crate::keyword::Keyword;
use crate::rule::Rule;

/// The keywords that are facts, in the order in which they are said.
const SAID: [Keyword; 12] = [
    Keyword::MinLength,
    Keyword::MaxLength,
    Keyword::Pattern,
    Keyword::Format,
    Keyword::Minimum,
    Keyword::ExclusiveMinimum,
    Keyword::Maximum,
    Keyword::ExclusiveMaximum,
    Keyword::MultipleOf,
    Keyword::MinItems,
    Keyword::MaxItems,
    Keyword::UniqueItems,
];

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
    /// A string, integer, number, boolean or null.
    Scalar(KeyType, Vec<Fact>),
    /// An array of such elements.
    Array(Box<Shape>, Vec<Fact>),
    Object(Members),
    /// A value of any type for which nothing is said.
    Anything,
    /// Of any type, with something said of some.
    Any(Vec<Shape>),
    /// No value is accepted; this comes nearest.
    Never(Box<Shape>),
}

/// One thing that is asked of a value itself beside its type and its list.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    pub keyword: Keyword,
    pub value: Value,
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

impl Fact {
    /// Whether it is enforced: of a format that nobody knows it is shown alone.
    pub fn is_enforced(&self) -> bool {
        self.keyword != Keyword::Format || self.value.as_str().and_then(format::find).is_some()
    }
}

impl Shape {
    /// The shape of a key's value.
    pub fn of_key(key_type: KeyType, constraints: &Map<String, Value>) -> Shape {
        Shape::of_schema(&json_schema::of_key(key_type, constraints))
    }

    /// What is asked of the value itself; nothing of what lies in it.
    pub fn facts(&self) -> &[Fact] {
        match self {
            Shape::Scalar(_, facts) | Shape::Array(_, facts) => facts,
            _ => &[],
        }
    }

    /// The shape of what a schema accepts; below a key it may name no type.
    fn of_schema(schema: &Map<String, Value>) -> Shape {
        let is_structural = |name: &String| {
            let keyword = Keyword::parse(name);
            keyword.is_some_and(|keyword| !matches!(keyword, Keyword::Enum | Keyword::Const))
        };
        let plain = match json_schema::key_type(schema) {
            Some(key_type) => Shape::of_type(key_type, schema),
            None if schema.keys().any(is_structural) => Shape::Any(
                [
                    KeyType::String,
                    KeyType::Number,
                    KeyType::Boolean,
                    KeyType::Null,
                    KeyType::Array,
                    KeyType::Object,
                ]
                .map(|kind| Shape::of_type(kind, schema))
                .to_vec(),
            ),
            None => Shape::Anything,
        };
        listed(schema, plain)
    }

    fn of_type(key_type: KeyType, schema: &Map<String, Value>) -> Shape {
        let says_nothing = |value: &Value| value == &Value::from(0) || value == &Value::Bool(false);
        let counts =
            |keyword: Keyword| matches!(keyword, Keyword::MinLength | Keyword::MinItems | Keyword::UniqueItems);
        let facts = SAID.into_iter().filter(|keyword| keyword.speaks_of(key_type));
        let facts = facts.filter_map(|keyword| {
            let value = schema.get(keyword.name())?;
            (!counts(keyword) || !says_nothing(value)).then(|| Fact {
                keyword,
                value: value.clone(),
            })
        });
        match key_type {
            KeyType::Array => {
                let each = below(schema, Keyword::Items).map_or(Shape::Anything, Shape::of_schema);
                Shape::Array(Box::new(each), facts.collect())
            }
            KeyType::Object => members(schema),
            scalar => Shape::Scalar(scalar, facts.collect()),
        }
    }
}

fn members(schema: &Map<String, Value>) -> Shape {
    let rest = match schema.get(Keyword::AdditionalProperties.name()) {
        Some(Value::Bool(false)) => None,
        Some(Value::Object(rest)) => Some(Shape::of_schema(rest)),
        Some(_) | None => Some(Shape::Anything),
    };
    let required = schema.get(Keyword::Required.name()).and_then(Value::as_array);
    let required: Vec<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = below(schema, Keyword::Properties);
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
fn listed(schema: &Map<String, Value>, of: Shape) -> Shape {
    let constant = schema.get(Keyword::Const.name()).map(|value| vec![value.clone()]);
    let list = schema.get(Keyword::Enum.name()).and_then(Value::as_array).cloned();
    let Some(list) = list.or(constant) else { return of };
    let of = Box::new(of);
    let rule = Rule::of_schema(schema);
    let mut seen = BTreeSet::new();
    let fitting = list.iter().filter(|value| rule.accepts(value)).map(plain);
    let values: Vec<Value> = fitting.filter(|value| seen.insert(value.to_string())).collect();
    if values.is_empty() {
        // What was published is still what the words speak of.
        return Shape::Never(Box::new(Shape::Listed { values: list, of }));
    }
    Shape::Listed { values, of }
}

/// A whole number without its fraction, as `7` for `7.0`.
fn plain(value: &Value) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value.as_f64().filter(|_| value.is_f64()) {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and within 2^53")]
        Some(float) if float.fract() == 0.0 && float.abs() <= EXACT => Value::from(float as i64),
        Some(_) | None => value.clone(),
    }
}
