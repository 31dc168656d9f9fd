//! Could the key do harm: characters that nobody sees, orders to a model, a sensitive meaning that is not marked
//! (Z-165, Z-170)?

use std::sync::LazyLock;

use regex::Regex;
use serde_json::json;

use crate::advice::Advice;
use crate::key::KeyDefinition;
use crate::lint::Says;
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
const WORDS: [(&str, &[&str]); 3] = [
    (
        "payment",
        &[
            "iban",
            "cvv",
            "cvc",
            "card_number",
            "credit_card",
            "debit_card",
            "bank_account",
            "payment_method",
        ],
    ),
    (
        "identity",
        &[
            "passport",
            "ssn",
            "social_security",
            "tax_id",
            "national_id",
            "id_number",
            "driving_licence",
        ],
    ),
    (
        "access_control",
        &["password", "passcode", "pin_code", "api_key", "access_token", "secret"],
    ),
];

/// Looks at the description and every translation, and at the name.
pub fn look(key: &KeyDefinition, says: &mut Says<'_>) {
    let text = &key.semantic_description;
    if unsafe_text::hides(text) {
        let message = "holds control, direction or invisible characters";
        let better = json!({"semantic_description": unsafe_text::shown(text)});
        says.say(Advice::HiddenCharacters, "semantic_description", message, Some(better));
    }
    for (tag, translation) in &key.semantic_descriptions {
        if unsafe_text::hides(translation) {
            let better = json!({"semantic_descriptions": {tag: unsafe_text::shown(translation)}});
            let message = format!("the translation {tag} holds control, direction or invisible characters");
            says.say(Advice::HiddenCharacters, "semantic_descriptions", message, Some(better));
        }
    }
    if std::iter::once(text)
        .chain(key.semantic_descriptions.values())
        .any(|text| speaks(text))
    {
        let message = "reads like an order to a model, or like markup; describe the key and nothing else";
        says.of_description(Advice::SpeaksToModel, message);
    }
    if key.sensitive.is_none() {
        let name = format!("_{}_", key.key_name.as_str());
        let names = |words: &[&str]| words.iter().any(|word| name.contains(&format!("_{word}_")));
        if let Some((kind, _)) = WORDS.iter().find(|(_, words)| names(words)) {
            let message = format!("the name speaks of {kind}; marked so, no change of it happens without a person");
            let better = json!({ "sensitive": kind });
            says.say(Advice::UnmarkedSensitive, "sensitive", message, Some(better));
        }
    }
}

/// Whether a text gives orders to a model, which keeps a template from being published, or holds what reads like them, or markup.
pub fn speaks(text: &str) -> bool {
    ORDERS.is_match(text) || unsafe_text::orders(text)
}
