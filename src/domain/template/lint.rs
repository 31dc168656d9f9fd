//! The lint of a template (Z-040): what its descriptions leave out, contradict or hide, with a score that says how much.
//!
//! Refuses nothing. The score is explained: each key begins with a hundred points and loses what its findings cost; the
//! template's score is the mean over its keys but `other`, less what findings about the template cost; neither falls
//! below 0. A suggestion is a merge patch: applied, its finding is gone and the score no worse (`proof.rs`), but for one that leaves
//! a gap for what its author alone knows: its finding stays until that is filled (`gap.rs`).

mod reach;

mod announced;

mod composed;

mod contradiction;

mod draft;

mod example;

mod gap;

mod guard;

mod heading;

mod mapping;

mod meaning;

mod proof;

pub mod rest;

mod sentences;

mod shape;

mod tongue;

mod values;

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::json;

use crate::domain::template::advice::Advice;
use crate::domain::template::annotation;
use crate::domain::template::defect::Finding;
use crate::domain::template::defect::pointer_to;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::name::OTHER;
use crate::domain::template::punctuation::is_stop;
use crate::domain::template::schema::SchemaTemplate;

/// The member that most suggestions are for.
const TEXT: &str = "semantic_description";

/// Keys of one template that a prompt holds without trouble.
const KEYS_WELL_MAX: usize = 40;

/// What the lint found.
#[derive(Clone, Debug, PartialEq)]
pub struct Lint {
    /// 0 to 100.
    pub score: u8,
    /// Each key but `other` with its own score, in the template's order.
    pub key_scores: Vec<(String, u8)>,
    /// In the document's order of keys, those of the template first.
    pub findings: Vec<Finding>,
}

/// Gathers what is said of one key.
struct Says<'a> {
    place: usize,
    key: &'a KeyDefinition,
    /// Whether the description is in the language that drafts are written in.
    english: bool,
    /// Whether a draft left open what the key means.
    awaits_meaning: bool,
    findings: &'a mut Vec<Finding>,
}

impl Says<'_> {
    /// Adds a finding about a member of the key.
    fn say(&mut self, rule: Advice, member: &str, message: impl Into<String>, suggestion: Option<Value>) {
        self.findings.push(Finding {
            key_name: Some(self.key.key_name.to_string()),
            suggestion,
            ..Finding::new(rule, &pointer_to(&format!("/keys/{}", self.place), member), message)
        });
    }

    /// Adds a finding about the description.
    fn of_description(&mut self, rule: Advice, message: impl Into<String>, better: Option<String>) {
        let suggestion = better.map(|text| json!({ "semantic_description": text }));
        self.say(rule, "semantic_description", message, suggestion);
    }
}

/// Looks at every key but `other`, and scores what was `read` of the document beside it.
pub fn lint(template: &SchemaTemplate, read: Vec<Finding>) -> Lint {
    let mut findings = found(template, read);
    composed::compose(template, &mut findings);
    proof::prove(template, &mut findings);
    mapping::show(&mut findings);
    scored(template, findings)
}

/// What is found of every key but `other` and of the template, with suggestions that are not tried yet.
fn found(template: &SchemaTemplate, read: Vec<Finding>) -> Vec<Finding> {
    let written = template;
    let beyond = reach::beyond(written);
    let template = &reach::without(&beyond, gap::without_gaps(written));
    let mut findings: Vec<Finding> = read.into_iter().map(|finding| mended(finding, template)).collect();
    let english = tongue::read_as_english(template);
    let described = || {
        template
            .keys
            .iter()
            .enumerate()
            .filter(|(_, key)| key.key_name.as_str() != OTHER)
    };
    if described().next().is_none() {
        let message = "no key but `other`: the template teaches a client nothing; say with a key each what is wanted";
        findings.push(Finding::new(Advice::NoKeys, "/keys", message));
    }
    if described().count() > KEYS_WELL_MAX {
        let names: Vec<&str> = described().map(|(_, key)| key.key_name.as_str()).collect();
        let message = format!(
            "{} keys; a model mixes up more than {KEYS_WELL_MAX}: think of two scenarios, or of keys that belong \
             together in one object, {}",
            names.len(),
            together(&names)
        );
        findings.push(Finding::new(Advice::ManyKeys, "/keys", message));
    }
    let mut told: BTreeMap<&str, &str> = BTreeMap::new();
    for (place, key) in described() {
        let is_beyond = beyond.contains(&place);
        let key = written.keys.get(place).filter(|_| is_beyond).unwrap_or(key);
        let mut says = Says {
            place,
            key,
            english: english.get(place).copied().unwrap_or(false),
            awaits_meaning: written_text(written, place)
                .is_some_and(|text| gap::left_open(text).contains(&Advice::TooShort)),
            findings: &mut findings,
        };
        if is_beyond {
            let message = format!(
                "too long to be linted, or of too many parts: a description has at most {} characters",
                reach::CHARS_MAX
            );
            says.of_description(Advice::Unlinted, message, None);
            guard::look(key, &mut says);
            continue;
        }
        meaning::look(key, &mut says);
        let text = key.semantic_description.trim();
        if let Some(first) = told.get(text) {
            let message = format!("`{first}` has the same description; say what sets the two apart");
            let better = says.english.then(|| draft::apart(key, first));
            says.of_description(Advice::SameDescription, message, better);
        }
        told.entry(text).or_insert(key.key_name.as_str());
        values::look(key, &mut says);
        mapping::look(key, &mut says);
        shape::look(key, &mut says);
        guard::look(key, &mut says);
    }
    heading::look(template, &mut findings);
    tongue::look(template, &mut findings);
    drafted(template, &english, &mut findings);
    keep_gaps(written, &mut findings);
    findings.extend(tongue::unread(template, &english));
    findings.sort_by_key(|finding| place_of(&finding.pointer));
    findings
}

/// An example of keys that belong together: most of those whose names begin with one word.
fn together(names: &[&str]) -> String {
    let mut alike: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (first, rest) in names.iter().filter_map(|name| name.split_once('_')) {
        alike.entry(first).or_default().push(rest);
    }
    let most = alike.iter().max_by_key(|(_, rest)| rest.len());
    match most.map(|(first, rest)| (first, rest.as_slice())) {
        Some((first, [one, other, more @ ..])) => {
            let further = match more.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("such as `{first}` with the members `{one}` and `{other}`{further}")
        }
        Some(_) | None => "such as `address` with the members `street` and `city`".to_owned(),
    }
}

/// Whether a template is in the language that drafts are written in.
fn is_english(template: &SchemaTemplate) -> bool {
    template.language().starts_with("en")
}

/// Gives what lacks meaning, values or an example a better text to begin with; in the language that drafts are written in.
fn drafted(template: &SchemaTemplate, english: &[bool], findings: &mut [Finding]) {
    const MAIN: [Advice; 4] = [
        Advice::TooShort,
        Advice::NoAcceptableValues,
        Advice::OpenValues,
        Advice::NoMappingExample,
    ];
    for finding in findings.iter_mut().filter(|finding| MAIN.contains(&finding.rule)) {
        let place = place_of(&finding.pointer).filter(|place| english.get(*place) == Some(&true));
        let key = place.and_then(|place| template.keys.get(place));
        if finding.suggestion.is_none() {
            finding.suggestion = key
                .and_then(draft::better)
                .map(|text| json!({ "semantic_description": text }));
        }
    }
}

/// Has each text that is suggested keep the gaps of the one in whose place it stands.
fn keep_gaps(written: &SchemaTemplate, findings: &mut [Finding]) {
    for finding in findings {
        let before = place_of(&finding.pointer).and_then(|place| written_text(written, place));
        let better = finding.suggestion.as_mut().and_then(|patch| patch.get_mut(TEXT));
        if let (Some(before), Some(Value::String(better))) = (before, better) {
            *better = gap::kept(before, better);
        }
    }
}

/// The description of the key at a place, as it was written.
fn written_text(written: &SchemaTemplate, place: usize) -> Option<&str> {
    written.keys.get(place).map(|key| key.semantic_description.as_str())
}

/// The place of the key that a pointer leads to; none sorts first.
fn place_of(pointer: &str) -> Option<usize> {
    pointer.strip_prefix("/keys/")?.split('/').next()?.parse().ok()
}

/// A finding of the reading, with its key, and with what mends it.
fn mended(mut finding: Finding, template: &SchemaTemplate) -> Finding {
    let key = place_of(&finding.pointer).and_then(|place| template.keys.get(place));
    finding.key_name = key.map(|key| key.key_name.to_string());
    let default_put_right = |key: &KeyDefinition| {
        let closed = annotation::closed_by(key)?;
        Some(values::fitting_default(key, &Value::Object(closed)))
    };
    let better = [
        (Advice::FloatAlias, Some(json!({"key_type": "number"}))),
        (Advice::DefaultOfRequired, Some(json!({"default_value": null}))),
        (Advice::OtherConstrained, Some(json!({"constraints": null}))),
        (Advice::NotTakenOver, key.and_then(default_put_right)),
        (
            Advice::UnknownFormat,
            key.and_then(|key| values::known_format(key, &finding.pointer)),
        ),
    ];
    if let Some((_, better)) = better.into_iter().find(|(rule, _)| *rule == finding.rule) {
        finding.suggestion = better;
    }
    finding
}

fn scored(template: &SchemaTemplate, findings: Vec<Finding>) -> Lint {
    let keys = template.keys.iter().filter(|key| key.key_name.as_str() != OTHER);
    let costs_of = |key_name: Option<&str>| -> u32 {
        findings
            .iter()
            .filter(|finding| finding.key_name.as_deref().filter(|name| *name != OTHER) == key_name)
            .map(|finding| u32::from(finding.cost))
            .sum()
    };
    let key_scores: Vec<(String, u8)> = keys
        .map(|key| {
            let name = key.key_name.to_string();
            let score = 100_u32.saturating_sub(costs_of(Some(&name)));
            (name, u8::try_from(score).unwrap_or(0))
        })
        .collect();
    let sum: usize = key_scores.iter().map(|(_, score)| usize::from(*score)).sum();
    let mean = sum.checked_div(key_scores.len()).unwrap_or(100);
    let score = u32::try_from(mean).unwrap_or(100).saturating_sub(costs_of(None));
    Lint {
        score: u8::try_from(score).unwrap_or(0),
        key_scores,
        findings,
    }
}

/// A description with a sentence more.
fn with_sentence(text: &str, sentence: &str) -> String {
    let text = text.trim_end();
    let end = if text.ends_with(|c| is_stop(c) || c == ';') {
        ""
    } else {
        "."
    };
    format!("{text}{end} {sentence}")
}

#[cfg(test)]
mod tests;
