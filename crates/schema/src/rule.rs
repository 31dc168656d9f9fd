//! What one key accepts, compiled place by place: finds everything in a value that does not hold, each with its own place.
//!
//! Types and the way down are looked at here, each other keyword by the `jsonschema` crate, compiled by itself so that the one that
//! fails can be named. Knows one schema and one value; what is said of a breach, and whether it can be put right, is the exchange's.
//! Invariant: a value without a breach is one that the `jsonschema` crate accepts, and no other but a text that is too long for the size
//! of its pattern ([`MATCHED_MAX`]).

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use jsonschema::Validator;
use jsonschema::json::SerdeJson;
use serde_json::Map;
use serde_json::Value;
use strum::VariantArray;

use crate::json_schema;
use crate::json_schema::Says;
use crate::json_schema::Schema;
use crate::key::KeyType;
use crate::keyword::Keyword;
use crate::pattern;
use crate::place::Place;
use crate::place::Step;

/// Bytes of a text times bytes of its pattern's automaton that are matched, about a second: what a text costs at most grows with both.
/// A pattern of a hundred letters is matched against any text that a body holds.
const MATCHED_MAX: u64 = 8_000_000_000;
/// Bytes of what is expected at one place: there may be a hundred places in an answer, and a longer list is in the template.
const EXPECTED_BYTES_MAX: usize = 2_048;

/// One schema, with those below it.
#[derive(Debug)]
pub struct Rule {
    /// `{"type"?, …}`: what would be right at this place, without the schemas below it.
    pub expected: Map<String, Value>,
    pub key_type: Option<KeyType>,
    /// The texts that are listed.
    pub choices: Vec<String>,
    pub items: Option<Box<Rule>>,
    pub members: BTreeMap<String, Rule>,
    pub others: Others,
    checks: Vec<(Keyword, Validator<SerdeJson>)>,
    required: Vec<String>,
    /// Bytes of the pattern's automaton, about.
    pattern_size: u64,
}

/// What members that are not declared have to be.
#[derive(Debug)]
pub enum Others {
    Any,
    None,
    Like(Box<Rule>),
}

/// What does not hold at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    /// The type is another one.
    Type,
    Keyword(Keyword),
    /// A member that must be there is not.
    Lacks,
    /// A member that may not be there is.
    Undeclared,
    /// The number stands for more than one whole number. No rule of a template says so: who reads a payload does.
    Inexact,
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
    pub rule: &'a Rule,
    /// What stands there; `None` for a member that is lacking.
    pub value: Option<&'a Value>,
    /// True for a member that its object need not have.
    pub is_optional: bool,
    /// The object that lacks the member, or has one too many, and the member's name.
    pub member: Option<(&'a Rule, &'a Map<String, Value>, &'a str)>,
}

impl Rule {
    /// Compiles the type and constraints of a key. A keyword that says nothing of the type, or does not compile, enforces nothing:
    /// publishing has refused both already.
    pub fn compile(key_type: KeyType, constraints: &Map<String, Value>) -> Rule {
        Rule::of_schema(&json_schema::of_key(key_type, constraints))
    }

    /// Compiles a schema with all that are below it; publishing bounds how deep they are.
    pub fn of_schema(schema: &Schema) -> Rule {
        let listed = match schema.value(Keyword::Const) {
            Some(constant) => std::slice::from_ref(constant),
            None => schema.list(Keyword::Enum),
        };
        let declared = schema.below(Keyword::Properties).into_iter().flatten();
        let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
        Rule {
            expected: expected(schema),
            key_type: schema.key_type(),
            choices: owned(listed.iter().filter_map(Value::as_str).collect()),
            items: schema
                .below(Keyword::Items)
                .map(|items| Box::new(Rule::of_schema(items))),
            members: declared
                .filter_map(|(name, member)| Some((name.clone(), Rule::of_schema(member.as_object()?))))
                .collect(),
            others: match schema.value(Keyword::AdditionalProperties) {
                Some(Value::Bool(false)) => Others::None,
                Some(Value::Object(others)) => Others::Like(Box::new(Rule::of_schema(others))),
                Some(_) | None => Others::Any,
            },
            checks: Keyword::VARIANTS
                .iter()
                .filter_map(|keyword| check(*keyword, schema))
                .collect(),
            required: owned(schema.required()),
            pattern_size: schema.text(Keyword::Pattern).map_or(0, pattern::size),
        }
    }

    /// Whether a value conforms.
    pub fn accepts(&self, value: &Value) -> bool {
        self.walk(value, &Place::ROOT, None, &mut |_, _| ControlFlow::Break(()))
            .is_continue()
    }

    /// What does not hold, in the value's order; at most so many.
    pub fn breaches<'a>(&'a self, value: &'a Value, most: usize) -> Vec<Breach<'a>> {
        let mut found = Vec::new();
        let _ = self.walk(value, &Place::ROOT, None, &mut |mut breach: Breach<'a>, place| {
            (breach.pointer, breach.exact) = place.pointer();
            found.push(breach);
            match found.len() < most {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        found
    }

    /// Whether an object must have a member.
    pub fn requires(&self, name: &str) -> bool {
        self.required.iter().any(|asked| asked == name)
    }

    /// Whether the values are listed.
    pub fn is_listed(&self) -> bool {
        let lists = |(keyword, _): &(Keyword, _)| matches!(keyword, Keyword::Enum | Keyword::Const);
        self.checks.iter().any(lists)
    }

    /// Takes out the members that are null and declared, not required, and cannot be null, at every level: `null` for one of these means
    /// that it is omitted, as it does for an optional key (docs/design.md §3).
    pub fn leave_out(&self, value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.retain(|name, held| {
                    let declared = self
                        .members
                        .get(name)
                        .filter(|_| held.is_null() && !self.requires(name));
                    declared.is_none_or(|member| member.accepts(held))
                });
                for (name, held) in members {
                    match (self.members.get(name), &self.others) {
                        (Some(member), _) => member.leave_out(held),
                        (None, Others::Like(member)) => member.leave_out(held),
                        (None, Others::Any | Others::None) => {}
                    }
                }
            }
            Value::Array(elements) => {
                if let Some(items) = &self.items {
                    elements.iter_mut().for_each(|element| items.leave_out(element));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Returns whether a text is too long to be matched against the pattern.
    fn costs_too_much(&self, value: &Value) -> bool {
        let bytes = value.as_str().map_or(0, str::len) as u64;
        bytes.saturating_mul(self.pattern_size) > MATCHED_MAX
    }

    /// `holder` is the rule of the object that has the value as a member, with the member's name.
    fn walk<'a, F>(
        &'a self,
        value: &'a Value,
        place: &Place<'_>,
        holder: Option<(&Rule, &str)>,
        found: &mut F,
    ) -> ControlFlow<()>
    where
        F: FnMut(Breach<'a>, &Place<'_>) -> ControlFlow<()>,
    {
        let breach = |problem: Problem| Breach {
            problem,
            pointer: String::new(),
            exact: true,
            rule: self,
            value: Some(value),
            is_optional: holder.is_some_and(|(holder, name)| !holder.requires(name)),
            member: None,
        };
        if self.key_type.is_some_and(|key_type| !key_type.holds(value)) {
            return found(breach(Problem::Type), place);
        }
        for (keyword, check) in &self.checks {
            let is_too_long = *keyword == Keyword::Pattern && self.costs_too_much(value);
            if is_too_long || !check.is_valid(value) {
                found(breach(Problem::Keyword(*keyword)), place)?;
            }
        }
        match value {
            Value::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    if let Some(items) = &self.items {
                        items.walk(element, &place.at(Step::Element(index)), None, found)?;
                    }
                }
            }
            Value::Object(members) => {
                for name in self.required.iter().filter(|name| !members.contains_key(*name)) {
                    let lacking = Breach {
                        rule: self.members.get(name).unwrap_or(self),
                        value: None,
                        member: Some((self, members, name)),
                        ..breach(Problem::Lacks)
                    };
                    found(lacking, &place.at(Step::Member(name)))?;
                }
                for (name, member) in members {
                    let (place, holder) = (place.at(Step::Member(name)), Some((self, name.as_str())));
                    match (self.members.get(name), &self.others) {
                        (Some(rule), _) => rule.walk(member, &place, holder, found)?,
                        (None, Others::Like(rule)) => rule.walk(member, &place, holder, found)?,
                        (None, Others::Any) => {}
                        (None, Others::None) => {
                            let undeclared = Breach {
                                value: Some(member),
                                member: Some((self, members, name)),
                                ..breach(Problem::Undeclared)
                            };
                            found(undeclared, &place)?;
                        }
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        ControlFlow::Continue(())
    }
}

/// The check of one keyword that looks at a value as a whole; `const` beside `enum` is looked at with that.
fn check(keyword: Keyword, schema: &Schema) -> Option<(Keyword, Validator<SerdeJson>)> {
    let with = match keyword {
        Keyword::Items | Keyword::Properties | Keyword::Required | Keyword::AdditionalProperties => return None,
        Keyword::Const if schema.value(Keyword::Enum).is_some() => return None,
        Keyword::Enum => Keyword::Const,
        own => own,
    };
    schema.value(keyword)?;
    let mut alone = schema.clone();
    alone.retain(|name, _| name == keyword.name() || name == with.name());
    let compiled = json_schema::compile(&Value::Object(alone)).ok()?;
    Some((keyword, compiled))
}

/// What is expected at one place: its own keywords; of those that are too long only the type.
fn expected(schema: &Schema) -> Schema {
    const BELOW: [Keyword; 3] = [Keyword::Items, Keyword::Properties, Keyword::AdditionalProperties];
    let mut own = schema.clone();
    own.retain(|name, value| !value.is_object() || !BELOW.iter().any(|keyword| keyword.name() == name));
    if Value::Object(own.clone()).to_string().len() > EXPECTED_BYTES_MAX {
        own.retain(|name, _| name == "type");
    }
    own
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Rule;

    #[test]
    fn a_text_is_matched_as_long_as_the_size_of_its_pattern_lets_it_z048() {
        let schema = json!({"type": "string", "pattern": "^[ab]*a[ab]{2000}$"});
        let rule = Rule::of_schema(schema.as_object().expect("a schema"));
        assert!(rule.accepts(&json!("a".repeat(4_000))));
        assert!(!rule.accepts(&json!("a".repeat(200_000))), "it would take seconds");
        let short = json!({"type": "string", "pattern": "^[ab]*a[ab]{20}$"});
        let rule = Rule::of_schema(short.as_object().expect("a schema"));
        assert!(rule.accepts(&json!("a".repeat(200_000))));
    }
}
