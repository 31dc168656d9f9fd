//! What a value may be, read from type and constraints: one reading for all forms.
//!
//! Invariant: a list of values holds only what everything else that is said accepts too, so that a form which can list
//! values loses nothing by saying no more.

use std::collections::BTreeSet;

use serde_json::Value;
use strum::VariantArray;

use crate::format;
use crate::json_schema;
use crate::json_schema::Says;
use crate::json_schema::Schema;
use crate::key::KeyType;
use crate::keyword::Keyword;
use crate::rule::Rule;

/// The keywords that ask nothing of a value itself.
const HOLDING: [Keyword; 6] = [
    Keyword::Enum,
    Keyword::Const,
    Keyword::Items,
    Keyword::Properties,
    Keyword::Required,
    Keyword::AdditionalProperties,
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
    pub fn of_key(key_type: KeyType, constraints: &Schema) -> Shape {
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
    fn of_schema(schema: &Schema) -> Shape {
        let is_structural = |name: &String| {
            let keyword = Keyword::parse(name);
            keyword.is_some_and(|keyword| !matches!(keyword, Keyword::Enum | Keyword::Const))
        };
        let plain = match schema.key_type() {
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

    fn of_type(key_type: KeyType, schema: &Schema) -> Shape {
        let says_nothing = |value: &Value| value == &Value::from(0) || value == &Value::Bool(false);
        let counts =
            |keyword: Keyword| matches!(keyword, Keyword::MinLength | Keyword::MinItems | Keyword::UniqueItems);
        let facts = Keyword::VARIANTS
            .iter()
            .copied()
            .filter(|keyword| !HOLDING.contains(keyword) && keyword.speaks_of(key_type));
        let facts = facts.filter_map(|keyword| {
            let value = schema.value(keyword)?;
            (!counts(keyword) || !says_nothing(value)).then(|| Fact {
                keyword,
                value: value.clone(),
            })
        });
        match key_type {
            KeyType::Array => {
                let each = schema.below(Keyword::Items).map_or(Shape::Anything, Shape::of_schema);
                Shape::Array(Box::new(each), facts.collect())
            }
            KeyType::Object => members(schema),
            scalar => Shape::Scalar(scalar, facts.collect()),
        }
    }
}

fn members(schema: &Schema) -> Shape {
    let rest = schema.additional().map(|rest| Shape::of_schema(&rest));
    let required = schema.required();
    let properties = schema.below(Keyword::Properties);
    let own = |name: &str| properties.and_then(|properties| properties.get(name));
    let member = |name: &str, shape: Shape| Member {
        name: name.to_owned(),
        required: required.contains(&name),
        shape,
    };
    let read = |schema: &Value| schema.as_object().map_or(Shape::Anything, Shape::of_schema);
    let declared = properties.into_iter().flatten();
    let mut declared: Vec<Member> = declared.map(|(name, schema)| member(name, read(schema))).collect();
    let undeclared = required.iter().filter(|name| own(name).is_none());
    declared.extend(undeclared.map(|name| member(name, rest.clone().unwrap_or(Shape::Anything))));
    let never = rest.is_none() && required.iter().any(|name| own(name).is_none());
    declared.sort_by_key(|member| !member.required);
    let object = Shape::Object(Members {
        declared,
        rest: rest.map(Box::new),
    });
    if never { Shape::Never(Box::new(object)) } else { object }
}

/// The list of values where there is one, without those that nothing else accepts.
fn listed(schema: &Schema, of: Shape) -> Shape {
    let constant = schema.value(Keyword::Const).map(std::slice::from_ref);
    let list = schema.value(Keyword::Enum).map(|_| schema.list(Keyword::Enum));
    let Some(list) = list.or(constant) else { return of };
    let of = Box::new(of);
    let rule = Rule::of_schema(schema);
    let mut seen = BTreeSet::new();
    let fitting = list.iter().filter(|value| rule.accepts(value)).map(plain);
    let values: Vec<Value> = fitting.filter(|value| seen.insert(value.to_string())).collect();
    if values.is_empty() {
        // What was published is still what the words speak of.
        return Shape::Never(Box::new(Shape::Listed {
            values: list.to_vec(),
            of,
        }));
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
