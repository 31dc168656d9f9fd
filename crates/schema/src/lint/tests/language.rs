//! In which language a text is, and what is translated.

use serde_json::Value;
use serde_json::json;

use super::WHOLE;
use super::document;
use super::key;
use super::linted;
use super::says;
use crate::advice::Advice;
use crate::advice::Finding;

const GERMAN: &str = "Die Klasse, die der Gast für den Flug wünscht, und ob sie mit dem Preis vereinbar ist.";
const CHINESE: &str = "旅客希望的舱位等级以及是否接受更高的价格或者更早的时间";

fn told(keys: &[Value], language: &Value) -> Vec<Finding> {
    linted(&document(keys, &json!({ "language": language }))).findings
}

#[test]
fn a_text_in_another_language_is_found_where_that_is_sure_z041() {
    let is_foreign = |text: &str, language: Value| {
        let told = told(&[key("k", "string", text, &json!({}))], &language);
        says(&told, Advice::LanguageMismatch)
    };
    let english = "The class that the guest wants for the flight.";
    for (text, language) in [
        (GERMAN, json!(null)),
        (GERMAN, json!("en-US")),
        (GERMAN, json!("fr")),
        (CHINESE, json!("en")),
        (english, json!("zh")),
    ] {
        assert!(is_foreign(text, language.clone()), "{language} {text}");
    }
    for (text, language) in [
        (GERMAN, "de"),
        (GERMAN, "de-AT"),
        ("Die Klasse.", "en"),
        ("Número de adultos en total, de 1 a 30, de la familia.", "es"),
        (
            "The class that 'der Gast und die Frau mit dem Hund' wants for the flight.",
            "en",
        ),
        (
            "旅客希望的舱位等级。可接受的值：economy, premium_economy, business, first, delivery.",
            "zh",
        ),
        (CHINESE, "zh"),
        (english, "zh-Latn"),
        (english, "tlh"),
    ] {
        assert!(!is_foreign(text, json!(language)), "{language} {text}");
    }
}

#[test]
fn a_template_all_in_another_language_is_told_once_and_by_its_tag_z041() {
    let both = [
        key("a", "string", GERMAN, &json!({})),
        key("b", "string", &format!("{GERMAN} Und mehr."), &json!({})),
    ];
    let findings = told(&both, &json!(null));
    let found: Vec<_> = findings
        .iter()
        .filter(|finding| finding.rule == Advice::LanguageMismatch)
        .collect();
    assert_eq!((found.len(), found[0].pointer.as_str()), (1, "/language"));
    assert_eq!(found[0].suggestion, Some(json!({"language": "de"})));
    assert!(!says(&told(&both, &json!("de")), Advice::LanguageMismatch));
}

#[test]
fn translations_are_there_for_all_keys_and_in_their_language_z041_z056() {
    let with = |name: &str, translations: Value| {
        let text = format!("{WHOLE} {name}");
        key(name, "string", &text, &json!({ "semantic_descriptions": translations }))
    };
    let told = |keys: &[Value]| told(keys, &json!(null));
    let right = told(&[with("a", json!({"de": GERMAN})), with("b", json!({"DE": GERMAN}))]);
    assert!(
        !says(&right, Advice::MissingTranslation) && !says(&right, Advice::LanguageMismatch),
        "{right:?}"
    );
    let missing = told(&[with("a", json!({"de": GERMAN})), with("b", json!({}))]);
    assert!(says(&missing, Advice::MissingTranslation), "{missing:?}");
    let swapped = told(&[with("a", json!({"fr": GERMAN}))]);
    let found = swapped.iter().find(|finding| finding.rule == Advice::LanguageMismatch);
    let better = json!({"semantic_descriptions": {"fr": null, "de": GERMAN}});
    assert_eq!(found.and_then(|finding| finding.suggestion.clone()), Some(better));
}

#[test]
fn markers_are_not_looked_for_in_other_languages_and_that_is_said_once_z040_z041() {
    let open = [
        key("klasse", "string", GERMAN, &json!({})),
        key("tag", "string", "An welchem Tag der Flug geht.", &json!({})),
    ];
    for (language, unread) in [(json!("de"), 1), (json!(null), 0)] {
        let told = told(&open[..1], &language);
        assert!(!says(&told, Advice::NoAcceptableValues), "{told:?}");
        let said = told.iter().filter(|finding| finding.rule == Advice::WordsUnread);
        assert_eq!(said.count(), unread, "{told:?}");
    }
    let both = told(&open, &json!("de"));
    let said = both.iter().filter(|finding| finding.rule == Advice::WordsUnread);
    assert_eq!(said.count(), 1, "{both:?}");
    let closed = json!({"constraints": {"enum": ["a", "b"]}});
    let told = told(&[key("klasse", "string", GERMAN, &closed)], &json!("de"));
    assert!(!says(&told, Advice::WordsUnread), "{told:?}");
}

#[test]
fn a_few_signs_of_an_east_asian_script_say_as_much_as_a_sentence_z040_z041() {
    let told = |text: &str| {
        let told = told(&[key("k", "string", text, &json!({}))], &json!("zh"));
        says(&told, Advice::TooShort)
    };
    assert!(!told("旅客希望的舱位等级"));
    assert!(told("舱位"));
}
