//! The lint of a template (Z-040): what its descriptions leave out, contradict or hide, with a score that says how much.
//!
//! Refuses nothing and reads no prose: of what a description says it knows markers, arrows and the two sentences of
//! [`crate::annotation`]. The score is explained: each key begins with a hundred points and loses what its findings
//! cost; the template's score is the mean over its keys but `other`, less what findings about the template cost; neither falls below 0.
//! Invariant: a suggestion is a merge patch with which its finding is gone (`proof.rs`).

mod description;
mod guard;
pub mod proof;
mod shape;
mod tongue;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::advice::Advice;
use crate::advice::Finding;
use crate::defect::pointer_to;
use crate::key::KeyDefinition;
use crate::name::OTHER;
use crate::template::SchemaTemplate;

/// Keys of one template that a prompt holds without trouble.
const KEYS_WELL_MAX: usize = 40;
/// Characters of a description that is linted. Those of published tools end at 1,500.
const CHARS_MAX: usize = 2_000;

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

    /// Adds a finding about the description, which its author alone can mend.
    fn of_description(&mut self, rule: Advice, message: impl Into<String>) {
        self.say(rule, "semantic_description", message, None);
    }
}

/// Looks at every key but `other`, and scores what was `read` of the document beside it.
pub fn lint(template: &SchemaTemplate, read: Vec<Finding>) -> Lint {
    let mut findings = found(template, read);
    proof::prove(template, &mut findings);
    scored(template, findings)
}

/// What is found of every key but `other` and of the template, with suggestions that are not tried yet.
fn found(template: &SchemaTemplate, read: Vec<Finding>) -> Vec<Finding> {
    let mut findings = read;
    for finding in &mut findings {
        let key = place_of(&finding.pointer).and_then(|place| template.keys.get(place));
        finding.key_name = key.map(|key| key.key_name.to_string());
    }
    let described: Vec<(usize, &KeyDefinition)> = described(template).collect();
    if described.is_empty() {
        let message = "no key but `other`: the template teaches a client nothing; say with a key each what is wanted";
        findings.push(Finding::new(Advice::NoKeys, "/keys", message));
    }
    if described.len() > KEYS_WELL_MAX {
        let message = format!(
            "{} keys; a model mixes up more than {KEYS_WELL_MAX}: think of two scenarios, or of keys that belong together in one object, \
             such as `address` with the members `street` and `city`",
            described.len()
        );
        findings.push(Finding::new(Advice::ManyKeys, "/keys", message));
    }
    if template
        .description
        .as_deref()
        .is_none_or(|text| text.trim().is_empty())
    {
        let message = "says nothing of what it is for; a model that chooses among tools reads its `description`: add one, in a sentence";
        findings.push(Finding::new(Advice::NoDescription, "/description", message));
    }
    let mut told: BTreeMap<&str, &str> = BTreeMap::new();
    for (place, key) in described {
        let mut says = Says {
            place,
            key,
            findings: &mut findings,
        };
        if is_linted(key) {
            let text = key.semantic_description.trim();
            if let Some(first) = told.get(text) {
                let message = format!("`{first}` has the same description; say what sets the two apart");
                says.of_description(Advice::SameDescription, message);
            }
            told.entry(text).or_insert(key.key_name.as_str());
            description::look(key, tongue::is_english(template, key), &mut says);
            shape::look(key, &mut says);
        } else {
            let message = format!("too long to be linted: a description has at most {CHARS_MAX} characters");
            says.of_description(Advice::Unlinted, message);
        }
        guard::look(key, &mut says);
    }
    guard::look_at_heading(template, &mut findings);
    tongue::look(template, &mut findings);
    findings.sort_by_key(|finding| place_of(&finding.pointer));
    findings
}

/// The keys but `other`, each with its place.
fn described(template: &SchemaTemplate) -> impl Iterator<Item = (usize, &KeyDefinition)> {
    let keys = template.keys.iter().enumerate();
    keys.filter(|(_, key)| key.key_name.as_str() != OTHER)
}

/// Whether a key's description is short enough to be looked at.
fn is_linted(key: &KeyDefinition) -> bool {
    key.semantic_description.chars().nth(CHARS_MAX).is_none()
}

/// The place of the key that a pointer leads to; none sorts first.
fn place_of(pointer: &str) -> Option<usize> {
    pointer.strip_prefix("/keys/")?.split('/').next()?.parse().ok()
}

fn scored(template: &SchemaTemplate, findings: Vec<Finding>) -> Lint {
    let costs_of = |key_name: Option<&str>| -> u32 {
        findings
            .iter()
            .filter(|finding| finding.key_name.as_deref().filter(|name| *name != OTHER) == key_name)
            .map(|finding| u32::from(finding.cost))
            .sum()
    };
    let key_scores: Vec<(String, u8)> = described(template)
        .map(|(_, key)| {
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

#[cfg(test)]
mod tests;
