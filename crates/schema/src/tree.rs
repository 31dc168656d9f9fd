//! What an array or an object accepts, compiled place by place: finds everything in a value that does not hold, each with its
//! own place.
//!
//! Knows one schema and one value; what is said of a breach, and whether it can be put right, is the exchange's. Invariant: a
//! value without a breach is one that the `jsonschema` crate accepts, and no other.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use jsonschema::Validator;
use jsonschema::json::SerdeJson;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::defect::pointer_to;
use crate::json_schema;
use crate::key::KeyType;
use crate::keyword::Keyword;
use crate::numeral::Numeral;
use crate::scalar_rule::Misfit;
use crate::scalar_rule::ScalarRule;
use crate::scalar_rule::choices;

/// Bytes of a pointer below a key: a place that needs more is told by what it lies in, so that no list of breaches repeats
/// a long name of a client's many times.
const POINTER_BYTES_MAX: usize = 1_024;
/// Bytes of what is expected at one place: there may be a hundred places in an answer, and a longer list is in the template.
const EXPECTED_BYTES_MAX: usize = 2_048;

/// Whether an array has no element twice, by JSON Schema's own equality.
static DISTINCT: LazyLock<Option<Validator<SerdeJson>>> =
    LazyLock::new(|| json_schema::compile(&json!({"uniqueItems": true})).ok());

/// One schema, with those below it.
#[derive(Debug)]
pub struct Node {
    /// `{"type"?, …}`: what would be right at this place, without the schemas below it.
    pub expected: Map<String, Value>,
    pub key_type: Option<KeyType>,
    /// One for each type of scalar that may stand here.
    scalars: Vec<ScalarRule>,
    /// The values that `enum` and `const` leave.
    choices: Option<(Keyword, Vec<Value>)>,
    pub items: Option<Box<Node>>,
    items_min: u64,
    items_max: u64,
    distinct: bool,
    pub members: BTreeMap<String, Node>,
    required: Vec<String>,
    pub others: Others,
}

/// What members that are not declared have to be.
#[derive(Debug)]
pub enum Others {
    Any,
    None,
    Like(Box<Node>),
}

/// What does not hold at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    Misfit(Misfit),
    /// A member that must be there is not.
    Lacks,
    /// A member that may not be there is.
    Undeclared,
}

/// Something that does not hold, and where.
#[derive(Debug)]
pub struct Breach<'a> {
    pub problem: Problem,
    /// JSON pointer below the value that was looked at.
    pub pointer: String,
    /// Whether the pointer is that of the place itself: it is that of what holds it, where its own would be too long.
    pub exact: bool,
    /// What is asked at that place; of a member that is not declared, what is asked of its object.
    pub node: &'a Node,
    /// What stands there; `None` for a member that is lacking.
    pub value: Option<&'a Value>,
    /// The object that lacks the member, or has one too many, and the member's name.
    pub member: Option<(&'a Node, &'a Map<String, Value>, &'a str)>,
}

impl Problem {
    /// The problem as the keyword that asks for what does not hold.
    pub fn misfit(self) -> Misfit {
        match self {
            Problem::Misfit(misfit) => misfit,
            Problem::Lacks => Misfit::Keyword(Keyword::Required),
            Problem::Undeclared => Misfit::Keyword(Keyword::AdditionalProperties),
        }
    }
}

/// A place within a value, from its end to its beginning.
struct Place<'p> {
    above: Option<&'p Place<'p>>,
    step: Step<'p>,
}

enum Step<'p> {
    Root,
    Member(&'p str),
    Element(usize),
}

impl Node {
    /// Compiles a schema with all that are below it; publishing bounds how deep they are.
    pub fn compile(schema: &Map<String, Value>) -> Node {
        let key_type = schema.get("type").and_then(Value::as_str).and_then(KeyType::parse);
        let count = |keyword: Keyword| schema.get(keyword.name()).and_then(Value::as_u64);
        let below = |keyword: Keyword| schema.get(keyword.name()).and_then(Value::as_object);
        let scalar_types: &[KeyType] = match key_type {
            None => &[KeyType::String, KeyType::Number, KeyType::Boolean],
            Some(KeyType::Null | KeyType::Array | KeyType::Object) => &[],
            Some(KeyType::String) => &[KeyType::String],
            Some(KeyType::Integer) => &[KeyType::Integer],
            Some(KeyType::Number) => &[KeyType::Number],
            Some(KeyType::Boolean) => &[KeyType::Boolean],
        };
        let declared = below(Keyword::Properties).into_iter().flatten();
        let required = schema.get(Keyword::Required.name()).and_then(Value::as_array);
        Node {
            expected: expected(schema),
            key_type,
            scalars: scalar_types
                .iter()
                .map(|scalar| ScalarRule::compile(*scalar, schema))
                .collect(),
            choices: choices(schema).map(|(keyword, values)| (keyword, values.into_iter().cloned().collect())),
            items: below(Keyword::Items).map(|items| Box::new(Node::compile(items))),
            items_min: count(Keyword::MinItems).unwrap_or(0),
            items_max: count(Keyword::MaxItems).unwrap_or(u64::MAX),
            distinct: schema.get(Keyword::UniqueItems.name()) == Some(&Value::Bool(true)),
            members: declared
                .filter_map(|(name, member)| Some((name.clone(), Node::compile(member.as_object()?))))
                .collect(),
            required: required
                .into_iter()
                .flatten()
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect(),
            others: match schema.get(Keyword::AdditionalProperties.name()) {
                Some(Value::Bool(false)) => Others::None,
                Some(Value::Object(others)) => Others::Like(Box::new(Node::compile(others))),
                Some(_) | None => Others::Any,
            },
        }
    }

    /// Whether a value conforms.
    pub fn accepts(&self, value: &Value) -> bool {
        self.walk(value, &Place::ROOT, &mut |_, _, _| ControlFlow::Break(()))
            .is_continue()
    }

    /// The first thing that does not hold.
    pub fn first(&self, value: &Value) -> Option<Problem> {
        let mut found = None;
        let _ = self.walk(value, &Place::ROOT, &mut |breach, _, _| {
            found = Some(breach.problem);
            ControlFlow::Break(())
        });
        found
    }

    /// What does not hold, in the value's order; at most so many.
    pub fn breaches<'a>(&'a self, value: &'a Value, most: usize) -> Vec<Breach<'a>> {
        let mut found = Vec::new();
        let _ = self.walk(value, &Place::ROOT, &mut |mut breach: Breach<'a>, place, name| {
            (breach.pointer, breach.exact) = place.pointer(name);
            found.push(breach);
            match found.len() < most {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        found
    }

    /// The rule for a scalar of that type.
    pub fn scalar(&self, key_type: KeyType) -> Option<&ScalarRule> {
        self.scalars.iter().find(|rule| {
            rule.key_type == key_type || (key_type == KeyType::Number && rule.key_type == KeyType::Integer)
        })
    }

    /// The rule that a scalar of that type is to be put right by: its own, or that of the type that is asked.
    pub fn rule_for(&self, key_type: KeyType) -> Option<&ScalarRule> {
        self.scalar(key_type)
            .or_else(|| self.scalars.first().filter(|_| self.key_type.is_some()))
    }

    /// Whether an object must have a member.
    pub fn requires(&self, name: &str) -> bool {
        self.required.iter().any(|asked| asked == name)
    }

    /// Whether the values are listed.
    pub fn is_listed(&self) -> bool {
        self.choices.is_some()
    }

    fn walk<'a, F>(&'a self, value: &'a Value, place: &Place<'_>, found: &mut F) -> ControlFlow<()>
    where
        F: FnMut(Breach<'a>, &Place<'_>, Option<&str>) -> ControlFlow<()>,
    {
        let mut tell = |problem: Problem| {
            let breach = Breach {
                problem,
                pointer: String::new(),
                exact: true,
                node: self,
                value: Some(value),
                member: None,
            };
            found(breach, place, None)
        };
        match value {
            Value::Null => {
                if self.key_type.is_some_and(|key_type| key_type != KeyType::Null) {
                    return tell(Problem::Misfit(Misfit::Type));
                }
                self.choose(value, &mut tell)
            }
            Value::Bool(truth) => self.scalar_of(KeyType::Boolean, &mut tell, |rule, tell| {
                rule.each_of_boolean(*truth, tell)
            }),
            Value::Number(number) => self.scalar_of(KeyType::Number, &mut tell, |rule, tell| {
                rule.each_of_number(Numeral::of(number), tell)
            }),
            Value::String(text) => {
                self.scalar_of(KeyType::String, &mut tell, |rule, tell| rule.each_of_text(text, tell))
            }
            Value::Array(elements) => {
                if self.key_type.is_some_and(|key_type| key_type != KeyType::Array) {
                    return tell(Problem::Misfit(Misfit::Type));
                }
                self.choose(value, &mut tell)?;
                let length = elements.len() as u64;
                let is_distinct = || DISTINCT.as_ref().is_none_or(|distinct| distinct.is_valid(value));
                for (keyword, holds) in [
                    (Keyword::MinItems, length >= self.items_min),
                    (Keyword::MaxItems, length <= self.items_max),
                    (Keyword::UniqueItems, !self.distinct || is_distinct()),
                ] {
                    if !holds {
                        tell(Problem::Misfit(Misfit::Keyword(keyword)))?;
                    }
                }
                if let Some(items) = &self.items {
                    for (index, element) in elements.iter().enumerate() {
                        items.walk(element, &place.at(Step::Element(index)), found)?;
                    }
                }
                ControlFlow::Continue(())
            }
            Value::Object(members) => {
                if self.key_type.is_some_and(|key_type| key_type != KeyType::Object) {
                    return tell(Problem::Misfit(Misfit::Type));
                }
                self.choose(value, &mut tell)?;
                self.object(members, place, found)
            }
        }
    }

    fn object<'a, F>(&'a self, members: &'a Map<String, Value>, place: &Place<'_>, found: &mut F) -> ControlFlow<()>
    where
        F: FnMut(Breach<'a>, &Place<'_>, Option<&str>) -> ControlFlow<()>,
    {
        let breach = |problem: Problem, node: &'a Node, value: Option<&'a Value>| Breach {
            problem,
            pointer: String::new(),
            exact: true,
            node,
            value,
            member: None,
        };
        for name in self.required.iter().filter(|name| !members.contains_key(*name)) {
            let mut lacking = breach(Problem::Lacks, self.members.get(name).unwrap_or(self), None);
            lacking.member = Some((self, members, name));
            found(lacking, place, Some(name))?;
        }
        for (name, member) in members {
            match (self.members.get(name), &self.others) {
                (Some(node), _) => node.walk(member, &place.at(Step::Member(name)), found)?,
                (None, Others::Like(node)) => node.walk(member, &place.at(Step::Member(name)), found)?,
                (None, Others::Any) => {}
                (None, Others::None) => {
                    let mut undeclared = breach(Problem::Undeclared, self, Some(member));
                    undeclared.member = Some((self, members, name));
                    found(undeclared, place, Some(name))?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// A scalar by the rule for its type.
    fn scalar_of<'s, T: FnMut(Problem) -> ControlFlow<()>>(
        &'s self,
        key_type: KeyType,
        tell: &mut T,
        check: impl FnOnce(&'s ScalarRule, &mut dyn FnMut(Misfit) -> ControlFlow<()>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        match self.scalar(key_type) {
            None => tell(Problem::Misfit(Misfit::Type)),
            Some(rule) => check(rule, &mut |misfit| tell(Problem::Misfit(misfit))),
        }
    }

    /// A value that is no scalar beside a list.
    fn choose<T: FnMut(Problem) -> ControlFlow<()>>(&self, value: &Value, tell: &mut T) -> ControlFlow<()> {
        match &self.choices {
            Some((keyword, values)) if !values.iter().any(|choice| jsonschema::json::cmp::equal(choice, value)) => {
                tell(Problem::Misfit(Misfit::Keyword(*keyword)))
            }
            Some(_) | None => ControlFlow::Continue(()),
        }
    }
}

/// What is expected at one place: its own keywords; of those that are too long only the type.
fn expected(schema: &Map<String, Value>) -> Map<String, Value> {
    const BELOW: [Keyword; 3] = [Keyword::Items, Keyword::Properties, Keyword::AdditionalProperties];
    let mut own = schema.clone();
    own.retain(|name, value| !value.is_object() || !BELOW.iter().any(|keyword| keyword.name() == name));
    if Value::Object(own.clone()).to_string().len() > EXPECTED_BYTES_MAX {
        own.retain(|name, _| name == "type");
    }
    own
}

impl Place<'_> {
    const ROOT: Place<'static> = Place {
        above: None,
        step: Step::Root,
    };

    fn at<'p>(&'p self, step: Step<'p>) -> Place<'p> {
        Place {
            above: Some(self),
            step,
        }
    }

    /// The pointer to this place, or to a member of it, and whether it was short enough.
    fn pointer(&self, name: Option<&str>) -> (String, bool) {
        let (mut pointer, mut exact) = match self.above {
            None => (String::new(), true),
            Some(above) => above.pointer(None),
        };
        let mut go = |token: &str| {
            let further = pointer_to(&pointer, token);
            exact = exact && further.len() <= POINTER_BYTES_MAX;
            if exact {
                pointer = further;
            }
        };
        match &self.step {
            Step::Root => {}
            Step::Member(name) => go(name),
            Step::Element(index) => go(&index.to_string()),
        }
        if let Some(name) = name {
            go(name);
        }
        (pointer, exact)
    }
}
