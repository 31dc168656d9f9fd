//! `typescript`: an interface with every description above its key, in a notation that a model knows well too.
//!
//! A compiler holds types and lists of values; what it does not is said in a comment and lost.

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

/// What no type says.
const WHOLE: &str = "a whole number";

/// The module's text.
pub fn text(sheet: &Sheet<'_>, losses: &mut Losses) -> String {
    let mut text = about(sheet);
    let name = safe_name::type_name(sheet.scenario);
    text.push_str(&format!("export interface {name} {{\n"));
    for key in &sheet.keys {
        losses.enter(&key.name);
        let optional = if key.required { "" } else { "?" };
        let type_of = type_of(&key.shape, losses);
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
        phrases.push(WHOLE.to_owned());
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

/// The type of a value; what a compiler does not hold is lost.
pub fn type_of(shape: &Shape, losses: &mut Losses) -> String {
    for fact in shape.facts().iter().filter(|fact| fact.is_enforced()) {
        losses.unenforced(fact.keyword.name());
    }
    let joined = |ways: Vec<String>| ways.join(" | ");
    match shape {
        Shape::Other => "string | string[]".to_owned(),
        // A value in JSON is its own literal type.
        Shape::Listed { values, of: _ } => joined(values.iter().map(Value::to_string).collect()),
        Shape::Scalar(KeyType::Integer, _) => {
            losses.unenforced("type");
            "number".to_owned()
        }
        Shape::Scalar(key_type, _) => key_type.name().to_owned(),
        Shape::Array(each, _) => {
            let each = below(each, Keyword::Items, None, losses);
            match each.bytes().all(|b| b.is_ascii_alphanumeric()) {
                true => format!("{each}[]"),
                false => format!("({each})[]"),
            }
        }
        Shape::Object(members) => object(members, losses),
        Shape::Anything => "unknown".to_owned(),
        Shape::Never(nearest) => {
            losses.unenforced("not");
            type_of(nearest, losses)
        }
        Shape::Any(shapes) => joined(shapes.iter().map(|shape| noted(shape, losses)).collect()),
    }
}

/// What lies below a keyword, so that what is lost of it is told as there.
fn below(shape: &Shape, keyword: Keyword, member: Option<&str>, losses: &mut Losses) -> String {
    let before = losses.descend(keyword, member);
    let noted = noted(shape, losses);
    losses.ascend(before);
    noted
}

/// The type, and what is asked of the value beside it.
fn noted(shape: &Shape, losses: &mut Losses) -> String {
    let whole = matches!(shape, Shape::Scalar(KeyType::Integer, _)).then(|| WHOLE.to_owned());
    let phrases: Vec<String> = whole
        .into_iter()
        .chain(shape.facts().iter().map(Fact::phrase))
        .collect();
    let said = wording::sentence(&phrases).map(|said| format!("/** {} */ ", comment(&said)));
    said.unwrap_or_default() + &type_of(shape, losses)
}

fn object(Members { declared, rest }: &Members, losses: &mut Losses) -> String {
    let mut members: Vec<String> = Vec::new();
    for member in declared {
        let optional = if member.required { "" } else { "?" };
        let noted = below(&member.shape, Keyword::Properties, Some(&member.name), losses);
        members.push(format!("{}{optional}: {noted}", name(&member.name)));
    }
    match rest.as_deref() {
        None => {}
        Some(rest) if declared.is_empty() => {
            let each = below(rest, Keyword::AdditionalProperties, None, losses);
            members.push(format!("[name: string]: {each}"));
        }
        // What is declared must fit the index too, so that beside members it says nothing to a compiler.
        Some(rest) => {
            if *rest != Shape::Anything {
                losses.unenforced(Keyword::AdditionalProperties.name());
            }
            members.push("[name: string]: unknown".to_owned());
        }
    }
    match members.is_empty() {
        true => "Record<string, never>".to_owned(),
        false => format!("{{ {} }}", members.join("; ")),
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
