//! Texts and translations in the language that a template says.

use serde_json::Value;
use serde_json::json;

use super::CHINESE;
use super::GERMAN;
use super::WHOLE;
use super::document;
use super::key;
use super::linted;
use super::says;
use super::suggested;
use super::text;
use crate::advice::Advice;

#[test]
fn a_text_in_another_language_is_found_where_that_is_sure_z041() {
    let english = "The class that the guest wants for the flight.";
    let spanish = "Número de adultos en total, de 1 a 30, de la familia.";
    let quoted = "The class that 'der Gast und die Frau mit dem Hund' wants for the flight.";
    let mixed = "旅客希望的舱位等级。可接受的值：economy, premium_economy, business, first, delivery.";
    let told = |keys: &[&Value], language: &str| linted(&document(keys, &json!({ "language": language }))).findings;
    for (words, tags, is_foreign) in [
        (GERMAN, &["en-US", "fr"][..], true),
        (CHINESE, &["en"], true),
        (english, &["zh"], true),
        (GERMAN, &["de", "de-AT"], false),
        ("Die Klasse.", &["en"], false),
        (spanish, &["es"], false),
        (quoted, &["en"], false),
        (mixed, &["zh"], false),
        (CHINESE, &["zh"], false),
        (english, &["zh-Latn", "tlh"], false),
    ] {
        for tag in tags {
            let said = says(&told(&[&text("k", words)], tag), Advice::LanguageMismatch);
            assert_eq!(said, is_foreign, "{tag} {words}");
        }
    }
    let both = [text("a", GERMAN), text("b", &format!("{GERMAN} Und mehr."))];
    let mut mismatches = told(&[&both[0], &both[1]], "en");
    mismatches.retain(|finding| finding.rule == Advice::LanguageMismatch);
    let [once] = &mismatches[..] else {
        panic!("{mismatches:?}")
    };
    assert_eq!(
        json!([once.pointer, once.suggestion]),
        json!(["/language", {"language": "de"}])
    );
    // A few signs say as much as a sentence.
    for (signs, short) in [("旅客希望的舱位等级", false), ("舱位", true)] {
        assert_eq!(
            says(&told(&[&text("k", signs)], "zh"), Advice::TooShort),
            short,
            "{signs}"
        );
    }
}

#[test]
fn translations_are_there_for_all_keys_and_in_their_language_z041_z056() {
    let with = |name: &str, translations: Value| {
        key(
            name,
            "string",
            &format!("{WHOLE} {name}"),
            &json!({ "semantic_descriptions": translations }),
        )
    };
    let told = |keys: &[&Value]| linted(&document(keys, &json!({}))).findings;
    let german = with("a", json!({"de": GERMAN}));
    let right = told(&[&german, &with("b", json!({"DE": GERMAN}))]);
    assert!(
        !says(&right, Advice::MissingTranslation) && !says(&right, Advice::LanguageMismatch),
        "{right:?}"
    );
    let missing = told(&[&german, &with("b", json!({}))]);
    assert!(says(&missing, Advice::MissingTranslation), "{missing:?}");
    let swapped = with("a", json!({"fr": GERMAN}));
    let better = json!({"semantic_descriptions": {"fr": null, "de": GERMAN}});
    assert_eq!(suggested(&swapped, Advice::LanguageMismatch), better);
}

#[test]
fn markers_are_not_looked_for_in_other_languages_and_that_is_said_once_z040_z041() {
    let open = [text("klasse", GERMAN), text("tag", "An welchem Tag der Flug geht.")];
    let closed = key(
        "klasse",
        "string",
        GERMAN,
        &json!({"constraints": {"enum": ["a", "b"]}}),
    );
    for (keys, language, unread) in [
        (&[&open[0]][..], json!("de"), 1),
        (&[&open[0]], json!(null), 0),
        (&[&open[0], &open[1]], json!("de"), 1),
        (&[&closed], json!("de"), 0),
    ] {
        let told = linted(&document(keys, &json!({ "language": language }))).findings;
        assert!(!says(&told, Advice::NoAcceptableValues), "{told:?}");
        let said = told.iter().filter(|finding| finding.rule == Advice::WordsUnread);
        assert_eq!(said.count(), unread, "{told:?}");
    }
}
