//! Could the template do harm: characters that nobody sees and orders to a model, in a key's texts and in those at the head of every
//! prompt and listing (description, owner, labels); a sensitive meaning that is not marked (Z-165, Z-170)?

use std::sync::LazyLock;

use regex::Regex;
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
    const TEXT: &str = "semantic_description";
    let at = |member: &str| pointer_to(&format!("/keys/{}", says.place), member);
    let mut found = faults(
        &at(TEXT),
        "the description",
        &key.semantic_description,
        |clean| json!({ TEXT: clean }),
    );
    for (tag, text) in &key.semantic_descriptions {
        let at = pointer_to(&at("semantic_descriptions"), tag);
        let better = |clean: &Value| json!({"semantic_descriptions": {tag: clean}});
        found.extend(faults(&at, &format!("the translation {tag}"), text, better));
    }
    let key_name = Some(key.key_name.to_string());
    says.findings.extend(found.into_iter().map(|finding| Finding {
        key_name: key_name.clone(),
        ..finding
    }));
    let name = format!("_{}_", key.key_name.as_str());
    let names = |words: &str| words.split(' ').any(|word| name.contains(&format!("_{word}_")));
    let kind = WORDS.iter().find(|(_, words)| names(words));
    if let Some((kind, _)) = kind.filter(|_| key.sensitive.is_none()) {
        let message = format!("the name speaks of {kind}; marked so, no change of it happens without a person");
        let better = Some(json!({ "sensitive": kind }));
        says.say(Advice::UnmarkedSensitive, "sensitive", message, better);
    }
}

/// Looks at each text that concerns no key; of a label the name is read as well as the value.
pub fn look_at_heading(template: &SchemaTemplate, findings: &mut Vec<Finding>) {
    let owner = template.unknown.get(OWNER).and_then(Value::as_str);
    for (member, text) in [("description", template.description.as_deref()), (OWNER, owner)] {
        let (at, named) = (pointer_to("", member), format!("`{member}`"));
        findings.extend(faults(
            &at,
            &named,
            text.unwrap_or_default(),
            |clean| json!({ member: clean }),
        ));
    }
    let labels = template.unknown.get(LABELS).and_then(Value::as_object);
    for (name, value) in labels.into_iter().flatten() {
        let at = pointer_to(&pointer_to("", LABELS), name);
        let text = value.as_str().unwrap_or_default();
        findings.extend(faults(
            &at,
            "a label's value",
            text,
            |clean| json!({LABELS: {name: clean}}),
        ));
        findings.extend(faults(&at, "a label's name", name, |clean| match clean.as_str() {
            Some(clean) => json!({LABELS: {name: null, clean: value}}),
            None => json!({LABELS: {name: null}}),
        }));
    }
}

/// What is wrong with one text; `better` makes a suggestion of the text as it is shown, which is null where nothing is left of it.
fn faults(at: &str, what: &str, text: &str, better: impl Fn(&Value) -> Value) -> Vec<Finding> {
    let mut found = Vec::new();
    if unsafe_text::hides(text) {
        let shown = Some(unsafe_text::shown(text)).filter(|shown| !shown.trim().is_empty());
        let message = format!("{what} holds control, direction or invisible characters");
        found.push(Finding {
            suggestion: Some(better(&json!(shown))),
            ..Finding::new(Advice::HiddenCharacters, at, message)
        });
    }
    // What gives orders keeps a template from being published; other markup is only told.
    if ORDERS.is_match(text) || unsafe_text::orders(text) {
        let message = format!("{what} reads like an order to a model, or like markup; it stands in prompts");
        found.push(Finding::new(Advice::SpeaksToModel, at, message));
    }
    found
}
