//! `typescript`: an interface with every description above its key; and its notation of types, the shortest that a model knows well.
//!
//! A compiler holds types and lists of values; what it does not is said in the comment and lost. For a model all is said in words.

use serde_json::Value;

use crate::export::loss::Losses;
use crate::export::safe_name;
use crate::export::shape::Fact;
use crate::export::shape::Members;
use crate::export::shape::Shape;
use crate::export::sheet::Sheet;
use crate::export::sheet::SheetKey;
use crate::export::wording;
use crate::key::KeyType;
use crate::keyword::Keyword;

/// Whole numbers up to which a double, and so a program in TypeScript, tells one from the next.
const EXACT_MAX: u64 = 1 << 53;

/// The module's text.
pub fn text(sheet: &Sheet<'_>, losses: &mut Losses) -> String {
    let mut text = about(sheet);
    let name = safe_name::type_name(sheet.scenario);
    text.push_str(&format!("export interface {name} {{\n"));
    for key in &sheet.keys {
        losses.enter(&key.name);
        let optional = if key.required { "" } else { "?" };
        let type_of = Notation(Some(losses)).type_of(&key.shape);
        text.push_str(&doc(&said(key), "  "));
        text.push_str(&format!("  {}{optional}: {type_of};\n", key.name));
    }
    text.push_str("}\n");
    text
}

/// The comment above the whole: what the scenario is, and by which schema.
pub fn about(sheet: &Sheet<'_>) -> String {
    let about = match sheet.description {
        Some(description) => format!("{}\n\n{}", description.trim(), sheet.schema_id),
        None => sheet.schema_id.to_owned(),
    };
    doc(&about, "")
}

/// What the comment above a key says.
pub fn said(key: &SheetKey) -> String {
    let mut phrases: Vec<String> = Vec::new();
    if matches!(key.shape, Shape::Scalar(KeyType::Integer, _)) {
        phrases.push("a whole number".to_owned());
    }
    phrases.extend(wording::unsaid(key));
    let sentences: Vec<String> = wording::sentence(&phrases).into_iter().collect();
    let mut said = wording::joined(&key.description, &sentences);
    if let Some(default) = &key.default {
        said.push_str(&format!("\n@default {default}"));
    }
    if let Some(mark) = key.mark {
        said.push_str(&format!("\n@{mark} {}", wording::standing(mark)));
    }
    said
}

/// A doc comment, one line for each line of the text.
pub fn doc(text: &str, indent: &str) -> String {
    let text = comment(text);
    if text.lines().count() == 1 {
        return format!("{indent}/** {text} */\n");
    }
    let lines = text
        .lines()
        .map(|line| format!("{indent} * {line}").trim_end().to_owned());
    format!("{indent}/**\n{}\n{indent} */\n", lines.collect::<Vec<_>>().join("\n"))
}

/// A text that ends no comment.
fn comment(text: &str) -> String {
    text.replace("*/", "*\\/")
}

/// Types for a compiler, which loses what it cannot hold; or for a model, to whom everything is said in words.
pub struct Notation<'l>(pub Option<&'l mut Losses>);

impl Notation<'_> {
    /// The type of a value.
    pub fn type_of(&mut self, shape: &Shape) -> String {
        for fact in shape.facts().iter().filter(|fact| fact.is_enforced()) {
            self.lose(fact.keyword.name());
        }
        let joined = |ways: Vec<String>| ways.join(" | ");
        match shape {
            Shape::Other if self.0.is_some() => "string | string[]".to_owned(),
            Shape::Other => "string or array of strings".to_owned(),
            Shape::Listed { values, of } if self.0.is_some() && values.iter().any(inexact) => {
                self.lose(Keyword::Enum.name());
                self.type_of(of)
            }
            Shape::Listed { values, of: _ } => joined(values.iter().map(literal).collect()),
            Shape::Scalar(KeyType::Integer, _) if self.0.is_some() => {
                self.lose("type");
                "number".to_owned()
            }
            Shape::Scalar(key_type, _) => key_type.name().to_owned(),
            Shape::Array(each, _) => {
                let each = self.below(each, Keyword::Items, None);
                match each.bytes().all(|b| b.is_ascii_alphanumeric()) {
                    true => format!("{each}[]"),
                    false => format!("({each})[]"),
                }
            }
            Shape::Object(members) => self.object(members),
            Shape::Anything => "unknown".to_owned(),
            Shape::Never(nearest) => {
                self.lose("not");
                self.type_of(nearest)
            }
            Shape::Any(shapes) => joined(shapes.iter().map(|shape| self.noted(shape)).collect()),
        }
    }

    fn lose(&mut self, keyword: &'static str) {
        if let Some(losses) = &mut self.0 {
            losses.unenforced(keyword);
        }
    }

    /// What lies below a keyword, so that what is lost of it is told as there.
    fn below(&mut self, shape: &Shape, keyword: Keyword, member: Option<&str>) -> String {
        let before = self.0.as_mut().map(|losses| losses.descend(keyword, member));
        let noted = self.noted(shape);
        if let (Some(losses), Some(before)) = (&mut self.0, before) {
            losses.ascend(before);
        }
        noted
    }

    /// The type, and for a model what is asked of the value beside it.
    fn noted(&mut self, shape: &Shape) -> String {
        let plain = self.type_of(shape);
        if self.0.is_some() || shape.facts().is_empty() {
            return plain;
        }
        format!("{plain} {}", phrases(shape).join(", "))
    }

    fn object(&mut self, Members { declared, rest }: &Members) -> String {
        let mut members: Vec<String> = Vec::new();
        for member in declared {
            let optional = if member.required { "" } else { "?" };
            let noted = self.below(&member.shape, Keyword::Properties, Some(&member.name));
            let above = wording::sentence(&phrases(&member.shape)).filter(|_| self.0.is_some());
            let above = above
                .map(|said| format!("/** {} */ ", comment(&said)))
                .unwrap_or_default();
            members.push(format!("{above}{}{optional}: {noted}", name(&member.name)));
        }
        if let Some(rest) = rest.as_deref() {
            // What is declared must fit the index too, so that beside members it says nothing to a compiler.
            let each = if *rest == Shape::Anything {
                "unknown".to_owned()
            } else if declared.is_empty() || self.0.is_none() {
                self.below(rest, Keyword::AdditionalProperties, None)
            } else {
                self.lose(Keyword::AdditionalProperties.name());
                "unknown".to_owned()
            };
            members.push(format!("[name: string]: {each}"));
        }
        match members.is_empty() {
            true => "Record<string, never>".to_owned(),
            false => format!("{{ {} }}", members.join("; ")),
        }
    }
}

fn phrases(shape: &Shape) -> Vec<String> {
    shape.facts().iter().map(Fact::phrase).collect()
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
            let members = members
                .iter()
                .map(|(key, value)| format!("{}: {}", name(key), literal(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join("; "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

/// A member's name, quoted where it is no identifier.
fn name(text: &str) -> String {
    let is_plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    match is_plain && text.starts_with(|first: char| !first.is_ascii_digit()) {
        true => text.to_owned(),
        false => Value::String(text.to_owned()).to_string(),
    }
}
