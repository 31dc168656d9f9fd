//! Does an example show how what a user says becomes a value, and is that value accepted (Z-040)?
//!
//! Accepted by the constraints, and by those that the description states: what an example breaks is told together with what
//! states it. Invariant: a better text keeps what the publisher has users say, or leaves the example out where others stand.

use serde_json::Value;

use crate::domain::template::advice::Advice;
use crate::domain::template::closed_list;
use crate::domain::template::defect::Finding;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::Says;
use crate::domain::template::lint::announced;
use crate::domain::template::lint::draft;
use crate::domain::template::lint::gap;
use crate::domain::template::lint::sentences;
use crate::domain::template::lint::values;
use crate::domain::template::lint::with_sentence;
use crate::domain::template::mapping_example;
use crate::domain::template::mapping_example::Target;
use crate::domain::template::mapping_example::is_quote;
use crate::domain::template::nearest::nearest;
use crate::domain::template::punctuation::without_stop;
use crate::domain::template::rule::Rule;

/// What is said of a description without an arrow.
const NONE: &str = "has no mapping example; add one from what users say";

/// Looks at every arrow of the description.
pub fn look(key: &KeyDefinition, says: &mut Says<'_>) {
    let text = &key.semantic_description;
    let rule = Rule::compile(key.key_type, &key.constraints);
    if !has_arrow(text) {
        let message = format!("{NONE}, as `'…' -> …`");
        let better = literal_example(key, &rule).filter(|_| says.english);
        let better = better.map(|example| with_sentence(text, &example));
        says.of_description(Advice::NoMappingExample, message, better);
        return;
    }
    // What the description states is refused as soon as it is enforced.
    let meant = announced::as_meant(&values::as_formed(key));
    let stated = Rule::compile(meant.key_type, &meant.constraints);
    if let Some(target) = refused(&meant, &stated) {
        let refuses = if is_refused(&target, &rule) {
            "the key refuses"
        } else {
            "is not among what the description says is right"
        };
        let message = format!("an example leads to {:?}, which {refuses}", target.word);
        let better = all_put_right(&meant, &stated).or_else(|| without_refused(&meant, &stated, says.english));
        says.of_description(Advice::ExampleRefused, message, better);
    } else if gap::awaits_value(text) {
        let message = "an example waits for its value; write it in the place of `…`";
        says.of_description(Advice::ExampleRefused, message, None);
    }
}

/// Shows in words the example that is suggested, and no other: once it is known which one it is.
pub fn show(findings: &mut [Finding]) {
    for finding in findings
        .iter_mut()
        .filter(|finding| finding.rule == Advice::NoMappingExample)
    {
        let text = finding
            .suggestion
            .as_ref()
            .and_then(|patch| patch["semantic_description"].as_str());
        let example = text.and_then(|text| {
            sentences::sentences(text)
                .into_iter()
                .find(|sentence| has_arrow(sentence) && gap::closed(sentence) == **sentence)
        });
        if let Some(example) = example {
            finding.message = format!("{NONE}, such as \"{}\"", example.trim());
        }
    }
}

/// The first example whose value the key refuses, but for one that waits for its value.
fn refused<'k>(key: &'k KeyDefinition, rule: &Rule) -> Option<Target<'k>> {
    mapping_example::targets(key).find(|target| target.word != gap::GAP && is_refused(target, rule))
}

fn is_refused(target: &Target<'_>, rule: &Rule) -> bool {
    target.value.as_ref().is_none_or(|value| rule.check(value).is_err())
}

/// The description with gaps in the place of the values that are refused.
fn awaiting(key: &KeyDefinition, rule: &Rule) -> String {
    let mut open = key.clone();
    for _ in 0..mapping_example::EXAMPLES_MAX {
        let Some(target) = refused(&open, rule) else { break };
        let place = target.start..target.start + target.word.len();
        open.semantic_description.replace_range(place, gap::GAP);
    }
    open.semantic_description
}

/// The description without the examples that are refused; where no other is left, with what users say in them and a gap for the value.
fn without_refused(key: &KeyDefinition, rule: &Rule, english: bool) -> Option<String> {
    let mut left = key.clone();
    for _ in 0..mapping_example::EXAMPLES_MAX {
        let Some(target) = refused(&left, rule) else {
            return Some(if has_arrow(&left.semantic_description) {
                draft::anew(&left, &left.semantic_description, english)
            } else {
                draft::completed(key, awaiting(key, rule), english)
            });
        };
        left.semantic_description = without_example(&left.semantic_description, target.start);
    }
    None
}

/// The text without the example that leads to what stands at a place.
fn without_example(text: &str, at: usize) -> String {
    let mut kept = String::new();
    let mut start = 0;
    for sentence in sentences::sentences(text) {
        if (start..start + sentence.len()).contains(&at) {
            kept.push_str(&without_part(sentence, at - start));
        } else {
            kept.push_str(sentence);
        }
        start += sentence.len();
    }
    kept.trim().to_owned()
}

/// A sentence without the one of its examples that holds a place; nothing, where it has no other.
fn without_part(sentence: &str, at: usize) -> String {
    let core = without_stop(sentence);
    let end = &sentence[core.len()..];
    let parts = parts(core);
    let (label, first) = parts.first().map_or(("", ""), |part| labelled(part));
    let mut start = 0;
    let mut kept: Vec<&str> = Vec::new();
    for (n, part) in parts.iter().enumerate() {
        if !(start..=start + part.len()).contains(&at) {
            kept.push(if n == 0 { first } else { part }.trim());
        }
        start += part.len() + 1;
    }
    if !kept.iter().any(|part| has_arrow(part)) {
        return String::new();
    }
    format!("{label}{}{end}", kept.join("; "))
}

/// A sentence without the last of its examples; `None` where it has no other.
pub fn without_last(sentence: &str) -> Option<String> {
    let spaces = &sentence[sentence.trim_end().len()..];
    let core = without_stop(sentence);
    let end = &sentence.trim_end()[core.len()..];
    let parts = parts(core);
    let (last, others) = parts.split_last()?;
    let others = if last.trim().is_empty() {
        others.split_last()?.1
    } else {
        others
    };
    let left = others.iter().any(|part| has_arrow(part));
    left.then(|| format!("{}{end}{spaces}", others.join(";").trim_end_matches([';', ' '])))
}

/// The examples of a sentence: at each semicolon, and at a comma behind an example and before a quotation mark; not within
/// an array or object.
fn parts(core: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut depth = 0_usize;
    for (at, c) in core.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let next = core[at + c.len_utf8()..].trim_start();
        let divides = c == ';' || (c == ',' && next.starts_with(['\'', '"']) && has_arrow(&core[start..at]));
        if divides && depth == 0 {
            parts.push(&core[start..at]);
            start = at + 1;
        }
    }
    parts.push(&core[start..]);
    parts
}

/// What stands before the first example, as "Example mapping: ", and the example.
fn labelled(part: &str) -> (&str, &str) {
    let said = part.find(['\'', '"']).unwrap_or(0);
    match part[..said].rfind(": ") {
        Some(colon) => part.split_at(colon + 2),
        None => ("", part),
    }
}

/// Whether a text has an example at all.
pub fn has_arrow(text: &str) -> bool {
    text.contains("->") || text.contains('→')
}

/// The description with what was meant in the place of each value that is refused; `None` where that is not known of one.
fn all_put_right(key: &KeyDefinition, rule: &Rule) -> Option<String> {
    let mut right = key.clone();
    for _ in 0..mapping_example::EXAMPLES_MAX {
        let text = match refused(&right, rule) {
            Some(target) => put_right(&right, rule, target.start, target.word)?,
            None => return Some(right.semantic_description.clone()),
        };
        right.semantic_description = text;
    }
    None
}

/// The description with the value that was nearly written: a listed one, or the truth value that a yes or no stands for.
fn put_right(key: &KeyDefinition, rule: &Rule, start: usize, word: &str) -> Option<String> {
    let text = &key.semantic_description;
    let (before, behind) = (&text[..start], text.get(start + word.len()..)?);
    if key.key_type == KeyType::Boolean {
        let meant = truth_of(word).filter(|meant| rule.check(&Value::Bool(*meant)).is_ok())?;
        let unquoted = before.strip_suffix(is_quote).zip(behind.strip_prefix(is_quote));
        let (before, behind) = unquoted.unwrap_or((before, behind));
        return Some(format!("{before}{meant}{behind}"));
    }
    let meant = nearest(word, accepted(key, rule)?)?;
    Some(format!("{before}{meant}{behind}"))
}

/// The truth value that a word stands for.
pub fn truth_of(word: &str) -> Option<bool> {
    match word.to_lowercase().as_str() {
        "yes" | "y" | "on" | "true" | "t" | "1" => Some(true),
        "no" | "n" | "off" | "false" | "f" | "0" => Some(false),
        _ => None,
    }
}

/// An example that is true of any list: the value as a user asks for it.
pub fn literal_example(key: &KeyDefinition, rule: &Rule) -> Option<String> {
    let value = accepted(key, rule)?.find(|value| *value != closed_list::NONE)?;
    let plain = value
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '));
    plain.then(|| {
        format!(
            "Example mapping: '{}, please' -> '{value}'.",
            value.replace(['_', '-'], " ")
        )
    })
}

/// The listed values that nothing else about the key refuses: a list beside a format may hold what the format does not.
fn accepted<'k>(key: &'k KeyDefinition, rule: &'k Rule) -> Option<impl Iterator<Item = &'k str>> {
    let values = closed_list::values(&key.constraints)?;
    let holds = |value: &&str| rule.check(&Value::String((*value).to_owned())).is_ok();
    Some(values.into_iter().filter(holds))
}
