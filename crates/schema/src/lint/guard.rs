//! Could the template do harm: characters that nobody sees and orders to a model, in a key's texts and in those at the head of every
//! prompt and listing (description, owner, labels); a sensitive meaning that is not marked (Z-165, Z-170)?

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::advice::Advice;
use crate::advice::Finding;
use crate::defect::pointer_to;
use crate::key::KeyDefinition;
use crate::lint::Says;
use crate::template::LABELS;
use crate::template::OWNER;
use crate::template::SchemaTemplate;
use crate::unsafe_text;

static ORDERS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b(?:ignore|disregard|forget|override)\b[^.]{0,40}\b(?:previous|prior|above|earlier|all|other)\b[^.]{0,20}
            \b(?:instructions?|prompts?|rules?|keys?|messages?)\b
        | \bsystem\s+prompt\b
        | \byou\s+are\s+(?:now\s+)?an?\s
        | </?[a-z][a-z0-9]*(?:\s[^<>]{0,80})?/?>
        | \{\{ | \{% | <\|",
    )
    .expect("the pattern is a constant")
});

/// Words of a key's name that speak of something sensitive.
const WORDS: [(&str, &str); 3] = [
    (
        "payment",
        "iban cvv cvc card_number credit_card debit_card bank_account payment_method",
    ),
    (
        "identity",
        "passport ssn social_security tax_id national_id id_number driving_licence",
    ),
    (
        "access_control",
        "password passcode pin_code api_key access_token secret",
    ),
];

/// Looks at the description and every translation, and at the name.
pub fn look(key: &KeyDefinition, says: &mut Says<'_>) {
    let own = ("semantic_description", None, &key.semantic_description);
    let translated = key.semantic_descriptions.iter();
    let translated = translated.map(|(tag, text)| ("semantic_descriptions", Some(tag), text));
    let texts = || [own].into_iter().chain(translated.clone());
    for (member, tag, text) in texts().filter(|(_, _, text)| unsafe_text::hides(text)) {
        let shown = unsafe_text::shown(text);
        let (whose, better) = match tag {
            None => (String::new(), json!({ member: shown })),
            Some(tag) => (format!("the translation {tag} "), json!({member: {tag: shown}})),
        };
        let message = format!("{whose}holds control, direction or invisible characters");
        says.say(Advice::HiddenCharacters, member, message, Some(better));
    }
    if texts().any(|(_, _, text)| speaks(text)) {
        let message = "reads like an order to a model, or like markup; describe the key and nothing else";
        says.of_description(Advice::SpeaksToModel, message);
    }
    if key.sensitive.is_none() {
        let name = format!("_{}_", key.key_name.as_str());
        let names = |words: &str| words.split(' ').any(|word| name.contains(&format!("_{word}_")));
        if let Some((kind, _)) = WORDS.iter().find(|(_, words)| names(words)) {
            let message = format!("the name speaks of {kind}; marked so, no change of it happens without a person");
            says.say(
                Advice::UnmarkedSensitive,
                "sensitive",
                message,
                Some(json!({ "sensitive": kind })),
            );
        }
    }
}

/// Looks at each text that concerns no key.
pub fn look_at_heading(template: &SchemaTemplate, findings: &mut Vec<Finding>) {
    let owner = template.unknown.get(OWNER).and_then(Value::as_str);
    for (member, text) in [("description", template.description.as_deref()), (OWNER, owner)] {
        let Some(text) = text else { continue };
        let named = format!("`{member}`");
        findings.extend(faults(
            &pointer_to("", member),
            &named,
            text,
            |clean| json!({ member: clean }),
        ));
    }
    let labels = template.unknown.get(LABELS).and_then(Value::as_object);
    for (name, value) in labels.into_iter().flatten() {
        findings.extend(of_label(name, value.as_str().unwrap_or_default()));
    }
}

/// What is said of a label: its name is read as well as its value.
fn of_label(name: &str, value: &str) -> Vec<Finding> {
    let at = pointer_to(&pointer_to("", LABELS), name);
    let of = |labels: Map<String, Value>| json!({ LABELS: labels });
    let mut found = faults(&at, "a label's value", value, |clean| {
        of(Map::from_iter([(name.to_owned(), json!(clean))]))
    });
    found.extend(faults(&at, "a label's name", name, |clean| {
        let renamed = clean
            .filter(|clean| !clean.is_empty())
            .map(|clean| (clean, json!(value)));
        of([(name.to_owned(), Value::Null)].into_iter().chain(renamed).collect())
    }));
    found
}

/// What is wrong with one text; `patch` makes a suggestion of the better one, which is none where nothing is left of it.
fn faults(at: &str, what: &str, text: &str, patch: impl Fn(Option<String>) -> Value) -> Vec<Finding> {
    let mut found = Vec::new();
    if unsafe_text::hides(text) {
        let clean = Some(unsafe_text::shown(text)).filter(|clean| !clean.trim().is_empty());
        found.push(Finding {
            suggestion: Some(patch(clean)),
            ..Finding::new(
                Advice::HiddenCharacters,
                at,
                format!("{what} holds control, direction or invisible characters"),
            )
        });
    }
    if speaks(text) {
        let message = format!("{what} reads like an order to a model, or like markup; it stands in every prompt");
        found.push(Finding::new(Advice::SpeaksToModel, at, message));
    }
    found
}

/// Whether a text gives orders to a model, which keeps a template from being published, or holds what reads like them, or markup.
fn speaks(text: &str) -> bool {
    ORDERS.is_match(text) || unsafe_text::orders(text)
}
