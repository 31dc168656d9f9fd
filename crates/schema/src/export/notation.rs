//! Shapes in the notation of TypeScript: exact for a compiler, and the shortest that a model knows well.

use serde_json::Value;

use crate::export::loss::Losses;
use crate::export::shape::Elements;
use crate::export::shape::Members;
use crate::export::shape::Shape;
use crate::export::wording;
use crate::keyword::Keyword;

/// Whole numbers up to which a double, and so a program in TypeScript, tells one from the next.
const EXACT_MAX: u64 = 1 << 53;

/// For whom a type is written.
pub enum Reader<'l> {
    /// A compiler: what it cannot hold is lost, and said in comments above members.
    Compiler(&'l mut Losses),
    /// A model: everything is said in words, and nothing is enforced.
    Model,
}

impl Reader<'_> {
    /// The type of a value.
    pub fn type_of(&mut self, shape: &Shape) -> String {
        let facts = wording::facts(shape);
        if let Reader::Compiler(losses) = self {
            for fact in facts {
                let hint =
                    matches!(shape, Shape::Text(text) if fact.keyword == Keyword::Format && text.format.is_none());
                if !hint {
                    losses.unenforced(fact.keyword.name());
                }
            }
        }
        match shape {
            Shape::Other => match self {
                Reader::Compiler(_) => "string | string[]".to_owned(),
                Reader::Model => "string or array of strings".to_owned(),
            },
            Shape::Listed { values, of } => {
                if let Reader::Compiler(losses) = self
                    && values.iter().any(inexact)
                {
                    losses.unenforced(Keyword::Enum.name());
                    return self.type_of(of);
                }
                let ways: Vec<String> = values.iter().map(literal).collect();
                ways.join(" | ")
            }
            Shape::Text(_) => "string".to_owned(),
            Shape::Number(range) => match self {
                Reader::Compiler(losses) if range.integer => {
                    losses.unenforced("type");
                    "number".to_owned()
                }
                Reader::Model if range.integer => "integer".to_owned(),
                Reader::Compiler(_) | Reader::Model => "number".to_owned(),
            },
            Shape::Boolean => "boolean".to_owned(),
            Shape::Null => "null".to_owned(),
            Shape::Array(Elements {
                each,
                items_min: _,
                items_max: _,
                unique: _,
            }) => {
                let each = self.below(each, Keyword::Items, None);
                let simple = each.bytes().all(|b| b.is_ascii_alphanumeric());
                if simple {
                    format!("{each}[]")
                } else {
                    format!("({each})[]")
                }
            }
            Shape::Object(members) => self.object(members),
            Shape::Anything => "unknown".to_owned(),
            Shape::Never(nearest) => {
                if let Reader::Compiler(losses) = self {
                    losses.unenforced("not");
                }
                self.type_of(nearest)
            }
            Shape::Any(shapes) => {
                let ways: Vec<String> = shapes.iter().map(|shape| self.noted(shape)).collect();
                ways.join(" | ")
            }
        }
    }

    /// What lies below a keyword, so that what is lost of it is told as there.
    fn below(&mut self, shape: &Shape, keyword: Keyword, member: Option<&str>) -> String {
        let before = match self {
            Reader::Compiler(losses) => Some(losses.descend(keyword, member)),
            Reader::Model => None,
        };
        let noted = self.noted(shape);
        if let (Reader::Compiler(losses), Some(before)) = (self, before) {
            losses.ascend(before);
        }
        noted
    }

    /// The type, and for a model what is asked of the value beside it.
    fn noted(&mut self, shape: &Shape) -> String {
        let plain = self.type_of(shape);
        let phrases: Vec<String> = match self {
            Reader::Compiler(_) => Vec::new(),
            Reader::Model => wording::facts(shape).into_iter().map(|fact| fact.phrase).collect(),
        };
        if phrases.is_empty() {
            plain
        } else {
            format!("{plain} {}", phrases.join(", "))
        }
    }

    fn object(&mut self, Members { declared, rest }: &Members) -> String {
        let mut members: Vec<String> = Vec::new();
        for member in declared {
            let optional = if member.required { "" } else { "?" };
            let noted = match self {
                Reader::Model => self.noted(&member.shape),
                Reader::Compiler(_) => {
                    let phrases: Vec<String> = wording::facts(&member.shape)
                        .into_iter()
                        .map(|fact| fact.phrase)
                        .collect();
                    let above = wording::sentence(&phrases).map(|said| format!("/** {} */ ", comment(&said)));
                    members.push(format!(
                        "{}{}{optional}: {}",
                        above.unwrap_or_default(),
                        name(&member.name),
                        self.below(&member.shape, Keyword::Properties, Some(&member.name))
                    ));
                    continue;
                }
            };
            members.push(format!("{}{optional}: {noted}", name(&member.name)));
        }
        match rest.as_deref() {
            None => {}
            // What is declared must fit the index too, so that beside members it says nothing.
            Some(rest) if declared.is_empty() && *rest != Shape::Anything => {
                let each = self.below(rest, Keyword::AdditionalProperties, None);
                members.push(format!("[name: string]: {each}"));
            }
            Some(rest) => {
                if let Reader::Compiler(losses) = self
                    && *rest != Shape::Anything
                {
                    losses.unenforced(Keyword::AdditionalProperties.name());
                }
                let told = match (&self, rest) {
                    (Reader::Model, rest) if *rest != Shape::Anything => self.noted(rest),
                    (Reader::Model | Reader::Compiler(_), _) => "unknown".to_owned(),
                };
                members.push(format!("[name: string]: {told}"));
            }
        }
        if members.is_empty() {
            "Record<string, never>".to_owned()
        } else {
            format!("{{ {} }}", members.join("; "))
        }
    }
}

/// Whether a value has no literal type that is it alone.
fn inexact(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            let far = |n: u64| n > EXACT_MAX;
            number.as_u64().is_some_and(far) || number.as_i64().is_some_and(|n| far(n.unsigned_abs()))
        }
        Value::Array(values) => values.iter().any(inexact),
        Value::Object(members) => members.values().any(inexact),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// The literal type of a value; a text in JSON is one in TypeScript.
fn literal(value: &Value) -> String {
    match value {
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(literal).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Object(members) if members.is_empty() => "Record<string, never>".to_owned(),
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{}: {}", name(key), literal(value)))
                .collect();
            format!("{{ {} }}", members.join("; "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

/// A member's name, quoted where it is no identifier.
fn name(text: &str) -> String {
    let mut letters = text.bytes();
    let begins = letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    if begins && letters.all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        text.to_owned()
    } else {
        Value::String(text.to_owned()).to_string()
    }
}

/// A text that ends no comment.
pub fn comment(text: &str) -> String {
    text.replace("*/", "*\\/")
}
