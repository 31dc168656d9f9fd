//! In which language a text is, and what is translated.

use serde_json::Value;
use serde_json::json;

use super::WHOLE;
use super::document;
use super::key;
use super::linted;
use super::says;
use crate::domain::template::advice::Advice;
use crate::domain::template::defect::Finding;

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
    assert!(said.starts_with("What `cabin` means: …."), "{said}");
    let swapped = key("a", "string", WHOLE, &json!({"semantic_descriptions": {"fr": german}}));
    let better = told(&[swapped], Advice::LanguageMismatch).suggestion;
    assert_eq!(
        better,
        Some(json!({"semantic_descriptions": {"fr": null, "de": german}}))
    );
}

#[test]
fn english_words_are_not_looked_for_in_other_languages_and_that_is_said_once_z040_z041() {
    let keys = [
        key(
            "klasse",
            "string",
            "Die Klasse. Zulässig sind: Economy, Business.",
            &json!({}),
        ),
        key(
            "gepaeck",
            "integer",
            "Die Anzahl der Gepäckstücke, die der Gast mit in den Flug nimmt.",
            &json!({"constraints": {"minimum": 1, "maximum": 3}}),
        ),
        key(
            "sitz",
            "string",
            "Der Sitz.",
            &json!({"constraints": {"enum": ["fenster", "gang"]}}),
        ),
        key("date", "string", "An welchem Tag der Flug geht.", &json!({})),
    ];
    for language in [json!("de"), json!(null)] {
        let told = linted(&document(&keys, &json!({ "language": language }))).findings;
        assert!(!says(&told, Advice::NoAcceptableValues), "{told:?}");
        let unread: Vec<_> = told
            .iter()
            .filter(|finding| finding.rule == Advice::WordsUnread)
            .collect();
        assert!(
            matches!(unread[..], [once] if once.pointer == "/language" && once.cost == 0),
            "{told:?}"
        );
        if language.is_null() {
            continue;
        }
        for finding in told.iter().filter(|finding| finding.rule != Advice::LanguageMismatch) {
            let text = finding
                .suggestion
                .as_ref()
                .and_then(|patch| patch["semantic_description"].as_str());
            assert!(
                !text.is_some_and(|text| text.contains("Example") || text.contains("alues")),
                "{finding:?}"
            );
            assert!(!finding.message.contains("please"), "{finding:?}");
        }
        let better = |name: &str| {
            let unsaid = |finding: &&Finding| {
                finding.rule == Advice::UnsaidConstraint && finding.key_name.as_deref() == Some(name)
            };
            let finding = told.iter().find(unsaid).expect("a finding");
            finding
                .suggestion
                .as_ref()
                .map(|patch| patch["semantic_description"].clone())
        };
        assert_eq!(better("sitz"), Some(json!("Der Sitz (fenster, gang).")));
        let of_bags = better("gepaeck").map(|text| text.to_string()).unwrap_or_default();
        assert!(of_bags.ends_with("nimmt (≥ 1, ≤ 3).\""), "{of_bags}");
    }
    let english = [key("klasse", "string", "The class that is wanted.", &json!({}))];
    let told = linted(&document(&english, &json!({}))).findings;
    assert!(says(&told, Advice::NoAcceptableValues) && !says(&told, Advice::WordsUnread));
    let mixed = [english[0].clone(), keys[1].clone()];
    let told = linted(&document(&mixed, &json!({}))).findings;
    let unread = told.iter().find(|finding| finding.rule == Advice::WordsUnread);
    assert!(
        unread.is_some_and(|finding| finding.message.contains("`gepaeck`") && !finding.message.contains("`klasse`"))
    );
    assert!(says(&told, Advice::NoAcceptableValues), "of the English one: {told:?}");
}

#[test]
fn a_few_signs_of_an_east_asian_script_say_as_much_as_a_sentence_z040_z041() {
    let told = |text: &str| {
        let document = document(&[key("k", "string", text, &json!({}))], &json!({"language": "zh"}));
        says(&linted(&document).findings, Advice::TooShort)
    };
    assert!(!told("旅客希望的舱位等级"));
    assert!(told("舱位"));
}

#[test]
fn a_text_that_may_not_be_english_is_drafted_nothing_in_english_z040_z041() {
    let told = |text: &str, more: &Value| linted(&document(&[key("k", "string", text, &json!({}))], more)).findings;
    let drafted = |findings: &[Finding]| findings.iter().any(|finding| finding.suggestion.is_some());
    for text in [
        "Die Farbe des Autos.",
        "Anzahl der Gäste.",
        "Gewünschte Größe",
        "La couleur de la voiture.",
        "El color del coche.",
        "Il colore della macchina.",
        "房间的数量和类型",
    ] {
        for more in [json!({}), json!({"language": "en"})] {
            let told = told(text, &more);
            assert!(says(&told, Advice::WordsUnread) && !drafted(&told), "{text}: {told:?}");
        }
    }
    for text in [
        "Rooms per night.",
        "Van type that is wanted.",
        "The colour of the car.",
        "Cabin kind wanted.",
        "The café for the guests.",
        "Die to be cast.",
    ] {
        let told = told(text, &json!({}));
        assert!(!says(&told, Advice::WordsUnread) && drafted(&told), "{text}: {told:?}");
    }
    let listed = "Die Klasse, die der Gast für den Flug und mit dem Preis wünscht: Economy, Business oder First.";
    let told = told(listed, &json!({}));
    let mismatch = told.iter().find(|finding| finding.rule == Advice::LanguageMismatch);
    assert_eq!(
        mismatch.map(|finding| &finding.suggestion),
        Some(&None),
        "its values would be lost"
    );
}

#[test]
fn codes_in_a_list_are_words_of_no_language_z040_z041() {
    for text in [
        "Language of the guide: en, de, fr.",
        "Which of en, de, fr, es, it the guide speaks.",
        "Languages that are spoken there (de, en, la).",
        "The tongue, as de/fr/es/nl.",
    ] {
        let told = linted(&document(&[key("k", "string", text, &json!({}))], &json!({}))).findings;
        assert!(!says(&told, Advice::WordsUnread), "{text}: {told:?}");
    }
    let german = "Die Farbe: rot, en oder la.";
    let told = linted(&document(&[key("k", "string", german, &json!({}))], &json!({}))).findings;
    assert!(says(&told, Advice::WordsUnread), "{told:?}");
}
