//! `typescript`: an interface with every description above its key.
//!
//! A compiler holds types and lists of values; what it does not is said in the comment and lost.

use crate::export::loss::Losses;
use crate::export::notation;
use crate::export::notation::Reader;
use crate::export::safe_name;
use crate::export::shape::Shape;
use crate::export::sheet::Mark;
use crate::export::sheet::Sheet;
use crate::export::sheet::SheetKey;
use crate::export::wording;

/// The module's text.
pub fn text(sheet: &Sheet<'_>, losses: &mut Losses) -> String {
    let about = match sheet.description {
        Some(description) => format!("{}\n\n{}", description.trim(), sheet.schema_id),
        None => sheet.schema_id.to_owned(),
    };
    let mut text = doc(&about, "");
    text.push_str(&format!(
        "export interface {} {{\n",
        safe_name::type_name(sheet.scenario)
    ));
    for key in &sheet.keys {
        losses.enter(&key.name);
        let optional = if key.required { "" } else { "?" };
        let type_of = Reader::Compiler(losses).type_of(&key.shape);
        text.push_str(&doc(&said(key), "  "));
        text.push_str(&format!("  {}{optional}: {type_of};\n", key.name));
    }
    text.push_str("}\n");
    text
}

fn said(key: &SheetKey) -> String {
    let mut phrases: Vec<String> = Vec::new();
    if let Shape::Number(range) = &key.shape
        && range.integer
    {
        phrases.push("a whole number".to_owned());
    }
    for fact in wording::facts(&key.shape) {
        if !wording::says_itself(key, fact.keyword) {
            phrases.push(fact.phrase);
        }
    }
    let sentences: Vec<String> = wording::sentence(&phrases).into_iter().collect();
    let mut said = wording::joined(&key.description, &sentences);
    if let Some(default) = &key.default {
        said.push_str(&format!("\n@default {default}"));
    }
    match key.mark {
        Some(Mark::Experimental) => {
            said.push_str(&format!("\n@experimental {}", wording::standing(Mark::Experimental)))
        }
        Some(Mark::Deprecated) => said.push_str(&format!("\n@deprecated {}", wording::standing(Mark::Deprecated))),
        None => {}
    }
    said
}

/// A doc comment, one line for each line of the text.
fn doc(text: &str, indent: &str) -> String {
    let text = notation::comment(text);
    let mut lines = text.lines();
    match (lines.next(), lines.next()) {
        (Some(one), None) => format!("{indent}/** {one} */\n"),
        _ => {
            let lines: Vec<String> = text
                .lines()
                .map(|line| format!("{indent} * {line}").trim_end().to_owned())
                .collect();
            format!("{indent}/**\n{}\n{indent} */\n", lines.join("\n"))
        }
    }
}
