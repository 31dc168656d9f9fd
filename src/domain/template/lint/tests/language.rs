//! In which language a text is, and what is translated.

use serde_json::Value;
use serde_json::json;

use super::WHOLE;
use super::document;
use super::key;
use super::linted;
use super::says;
use crate::domain::template::advice::Advice;

#[test]
fn a_text_in_another_language_is_found_and_a_short_one_is_not_z041_z056() {
    let german = "Die Klasse, die der Gast für den Flug wünscht, und ob sie mit dem Preis vereinbar ist.";
    let told = |text: &str, language: Value| {
        let document = document(&[key("k", "string", text, &json!({}))], &json!({"language": language}));
        says(&linted(&document).findings, Advice::LanguageMismatch)
    };
    assert!(told(german, json!(null)) && told(german, json!("en-US")) && told(german, json!("fr")));
    assert!(!told(german, json!("de")) && !told(german, json!("de-AT")));
    assert!(!told("Die Klasse.", json!("en")), "too little to tell");
    assert!(
        !told("Número de adultos en total, de 1 a 30, de la familia.", json!("es")),
        "words that languages share"
    );
    assert!(!told(
        "The class that 'der Gast und die Frau mit dem Hund' wants for the flight.",
        json!("en")
    ));
    assert!(told(
        "旅客希望的舱位等级以及是否接受更高的价格或者更早的时间",
        json!("en")
    ));
    assert!(!told(
        "旅客希望的舱位等级。可接受的值：economy, premium_economy, business, first, delivery.",
        json!("zh")
    ));
    assert!(!told(
        "旅客希望的舱位等级以及是否接受更高的价格或者更早的时间",
        json!("zh")
    ));
    assert!(told("The class that the guest wants for the flight.", json!("zh")));
    assert!(!told(
        "The class that the guest wants for the flight.",
        json!("zh-Latn")
    ));
    assert!(
        !told("The class that the guest wants for the flight.", json!("tlh")),
        "a language not known here"
    );
    let both = [
        key("a", "string", german, &json!({})),
        key("b", "string", &format!("{german} Und mehr."), &json!({})),
    ];
    let mut whole = document(&both, &json!({}));
    let findings = linted(&whole).findings;
    let found: Vec<_> = findings
        .iter()
        .filter(|finding| finding.rule == Advice::LanguageMismatch)
        .collect();
    assert_eq!((found.len(), found[0].pointer.as_str()), (1, "/language"));
    json_patch::merge(&mut whole, found[0].suggestion.as_ref().expect("a suggestion"));
    assert!(!says(&linted(&whole).findings, Advice::LanguageMismatch));
}

#[test]
fn translations_are_there_for_all_keys_and_in_their_language_z041_z056() {
    let german = "Die Klasse, die der Gast für den Flug wünscht, und ob sie mit dem Preis vereinbar ist.";
    let with = |name: &str, translations: Value| {
        key(
            name,
            "string",
            &format!("{WHOLE} {name}"),
            &json!({"semantic_descriptions": translations}),
        )
    };
    let told = |keys: &[Value]| linted(&document(keys, &json!({}))).findings;
    let right = told(&[with("a", json!({"de": german})), with("b", json!({"DE": german}))]);
    assert!(
        !says(&right, Advice::MissingTranslation) && !says(&right, Advice::LanguageMismatch),
        "{right:?}"
    );
    assert!(says(
        &told(&[with("a", json!({"de": german})), with("b", json!({}))]),
        Advice::MissingTranslation
    ));
    assert!(says(
        &told(&[with("a", json!({"fr": german}))]),
        Advice::LanguageMismatch
    ));
}

#[test]
fn what_is_missing_or_in_another_language_is_shown_z041_z056() {
    let german = "Die Klasse, die der Gast für den Flug wünscht, und ob sie mit dem Preis vereinbar ist.";
    let english = "The class that the guest wants for the flight, and whether it is fine with the price.";
    let told = |keys: &[Value], rule: Advice| {
        let findings = linted(&document(keys, &json!({}))).findings;
        findings
            .into_iter()
            .find(|finding| finding.rule == rule)
            .expect("a finding")
    };
    let one = key("a", "string", WHOLE, &json!({"semantic_descriptions": {"de": german}}));
    let missing = told(
        &[one.clone(), key("b", "string", english, &json!({}))],
        Advice::MissingTranslation,
    );
    assert!(
        missing.message.contains("as `a`; add {\"de\": \"…\"}"),
        "{}",
        missing.message
    );
    let foreign = told(
        &[one, key("cabin", "string", german, &json!({}))],
        Advice::LanguageMismatch,
    );
    let better = foreign.suggestion.expect("a suggestion");
    assert_eq!(
        better["semantic_descriptions"],
        json!({"de": german}),
        "it becomes a translation"
    );
    let said = better["semantic_description"].as_str().expect("a text");
    assert!(said.starts_with("The cabin that the user asks for."), "{said}");
    let swapped = key("a", "string", WHOLE, &json!({"semantic_descriptions": {"fr": german}}));
    let better = told(&[swapped], Advice::LanguageMismatch).suggestion;
    assert_eq!(
        better,
        Some(json!({"semantic_descriptions": {"fr": null, "de": german}}))
    );
}
