//! Is each text in the language that it is said to be in, and is a translation there for every key (Z-041, Z-056)?
//!
//! Asks the detector of [`text::language`] and says nothing where that is not sure.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::json;
use text::language;

use crate::advice::Advice;
use crate::advice::Finding;
use crate::defect::pointer_to;
use crate::key::KeyDefinition;
use crate::key::TRANSLATIONS_MAX;
use crate::lint::described;
use crate::lint::description;
use crate::lint::is_linted;
use crate::template::SchemaTemplate;

/// A user's own words, which may be in any language.
static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?:^|\s)'[^']*'|"[^"]*"|“[^”]*”"#).expect("the pattern is a constant"));

/// Whether a key's description is in English, the language of the markers.
pub fn is_english(template: &SchemaTemplate, key: &KeyDefinition) -> bool {
    primary(template.language()) == "en" && foreign(&key.semantic_description, "en").is_none()
}

/// Looks at every description and translation.
pub fn look(template: &SchemaTemplate, findings: &mut Vec<Finding>) {
    descriptions(template, findings);
    translations(template, findings);
    let unread = |key: &KeyDefinition| is_linted(key) && !description::says_values(key);
    if primary(template.language()) != "en" && described(template).any(|(_, key)| unread(key)) {
        let message = "descriptions are not in English: whether they say which values are right is not looked at, `constraints` and \
                       examples are";
        findings.push(Finding::new(Advice::WordsUnread, "/language", message));
    }
}

/// Looks at the descriptions beside the template's own language.
fn descriptions(template: &SchemaTemplate, findings: &mut Vec<Finding>) {
    let own = template.language();
    let found: Vec<(usize, &KeyDefinition, &str)> = described(template)
        .filter(|(_, key)| is_linted(key))
        .filter_map(|(place, key)| Some((place, key, foreign(&key.semantic_description, own)?)))
        .collect();
    let first = found.first().map(|(_, _, tongue)| *tongue);
    let all = found.len() > 1 && found.len() == described(template).count();
    if let Some(tongue) = first.filter(|first| all && found.iter().all(|(_, _, tongue)| tongue == first)) {
        let message = format!("every description seems to be in {tongue}, and the template says {own}");
        findings.push(Finding {
            suggestion: Some(json!({ "language": tongue })),
            ..Finding::new(Advice::LanguageMismatch, "/language", message)
        });
        return;
    }
    for (place, key, tongue) in found {
        let message =
            format!("seems to be in {tongue}, and the template says {own}; say it in {own}, or set `language`");
        let at = format!("/keys/{place}/semantic_description");
        findings.push(of_key(key, Advice::LanguageMismatch, &at, message));
    }
}

/// Looks at the translations beside their tags, and for those that other keys have.
fn translations(template: &SchemaTemplate, findings: &mut Vec<Finding>) {
    let own = template.language();
    let tags: BTreeSet<&str> = described(template)
        .flat_map(|(_, key)| key.semantic_descriptions.keys().map(String::as_str))
        .collect();
    let tags: Vec<&str> = tags.into_iter().take(TRANSLATIONS_MAX).collect();
    for (place, key) in described(template) {
        let at = format!("/keys/{place}/semantic_descriptions");
        for (tag, text) in &key.semantic_descriptions {
            let Some(tongue) = foreign(text, tag) else { continue };
            let message = format!("the translation {tag} seems to be in {tongue}");
            let is_free = !is_translated(key, tongue) && tongue != primary(own);
            findings.push(Finding {
                suggestion: is_free.then(|| json!({"semantic_descriptions": {tag: null, tongue: text}})),
                ..of_key(key, Advice::LanguageMismatch, &pointer_to(&at, tag), message)
            });
        }
        let mut missing: Vec<&str> = tags.clone();
        missing.retain(|tag| !tag.eq_ignore_ascii_case(own) && !is_translated(key, tag));
        if let Some(first) = missing.first() {
            let message = format!(
                "is not translated into {}, and other keys are; add {{\"{first}\": \"…\"}} to `semantic_descriptions`: meaning and \
                 examples in that language, values as they stand",
                missing.join(", ")
            );
            findings.push(of_key(key, Advice::MissingTranslation, &at, message));
        }
    }
}

fn of_key(key: &KeyDefinition, rule: Advice, at: &str, message: String) -> Finding {
    Finding {
        key_name: Some(key.key_name.to_string()),
        ..Finding::new(rule, at, message)
    }
}

/// Whether a key has a translation of a tag.
fn is_translated(key: &KeyDefinition, tag: &str) -> bool {
    let mut tags = key.semantic_descriptions.keys();
    tags.any(|there| there.eq_ignore_ascii_case(tag))
}

/// The language that a tag begins with, in small letters.
fn primary(tag: &str) -> String {
    tag.split('-').next().unwrap_or_default().to_ascii_lowercase()
}

/// The language that a text is in, where that is surely not the one of its tag.
fn foreign(text: &str, tag: &str) -> Option<&'static str> {
    let own = primary(tag);
    // A tag that names its script may well be in another than usual.
    let names_script = tag.split('-').skip(1).any(|subtag| subtag.len() == 4);
    if names_script || !language::is_known(&own) {
        return None;
    }
    let found = language::sure(&QUOTED.replace_all(text, " "))?;
    // Japanese in Chinese signs alone is taken for Chinese.
    let is_own = found == own || (own == "ja" && found == "zh");
    (!is_own).then_some(found)
}
