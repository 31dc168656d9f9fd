//! Whoever does what the lint says is never worse off: what breaks by it is told in the same round.

use serde_json::Value;
use serde_json::json;

use super::cures::generated;
use super::cures::shipped;
use super::document;
use super::key;
use super::linted;
use super::of;
use super::says;
use crate::domain::template::advice::Advice;
use crate::domain::template::defect::Finding;
use crate::domain::template::mapping_example;
use crate::domain::template::schema::SchemaTemplate;

/// Rounds after which nothing is left to take over.
const ROUNDS_MAX: usize = 6;

/// The constraints that a message shows, as whoever follows it by hand writes them.
fn shown_constraints(finding: &Finding) -> Option<Value> {
    let states = matches!(
        finding.rule,
        Advice::ProseList | Advice::ProseRange | Advice::FormatUnset
    );
    let start = finding.message.find("{\"").filter(|_| states)?;
    let mut values = serde_json::Deserializer::from_str(&finding.message[start..]).into_iter::<Value>();
    values.next()?.ok()
}

/// The template with all that is suggested of its keys, and what messages show without a suggestion.
fn followed(template: &Value, findings: &[Finding]) -> Value {
    let mut better = template.clone();
    for finding in findings.iter().filter(|finding| finding.key_name.is_some()) {
        let place = finding
            .pointer
            .split('/')
            .nth(2)
            .and_then(|place| place.parse::<usize>().ok());
        let shown = || Some(json!({ "constraints": shown_constraints(finding)? }));
        let patch = finding.suggestion.clone().or_else(shown);
        if let Some((place, patch)) = place.zip(patch) {
            json_patch::merge(&mut better["keys"][place], &patch);
        }
    }
    better
}

/// What goes wrong when a template's advice is followed round by round.
fn falls(template: &Value) -> Option<String> {
    let mut now = template.clone();
    let mut told = linted(&now);
    for _ in 0..ROUNDS_MAX {
        let better = followed(&now, &told.findings);
        if better == now {
            return None;
        }
        if let Err(defects) = SchemaTemplate::parse(&better) {
            return Some(format!("{now} becomes {better}, which is none: {defects:?}"));
        }
        let after = linted(&better);
        let lower = told
            .key_scores
            .iter()
            .zip(&after.key_scores)
            .find(|(before, after)| before.1 > after.1);
        if let Some((before, after)) = lower {
            return Some(format!("{before:?} falls to {after:?}: {now} becomes {better}"));
        }
        (now, told) = (better, after);
    }
    Some(format!("it never ends: {now} {:?}", told.findings))
}

/// A shipped template's keys, each as it is, without its constraints, and with an example that leads elsewhere.
fn variations(template: &Value) -> Vec<Value> {
    let keys = template["keys"].as_array().expect("keys");
    let mut all = Vec::new();
    for plain in keys.iter().filter(|key| key["key_name"] != "other") {
        let mut free = plain.clone();
        free["constraints"] = Value::Null;
        for mut key in [plain.clone(), free] {
            all.push(key.clone());
            let text = key["semantic_description"].as_str().expect("a text").to_owned();
            for wrong in ["elsewhere, a long way off", "-7", "1000000"] {
                let target = {
                    let (read, _) =
                        SchemaTemplate::parse(&document(std::slice::from_ref(&key), &json!({}))).expect("a template");
                    mapping_example::targets(&read.keys[0])
                        .next()
                        .map(|target| target.word.to_owned())
                };
                if let Some(target) = target {
                    key["semantic_description"] = json!(text.replacen(&target, wrong, 1));
                    all.push(key.clone());
                }
            }
        }
    }
    all
}

#[test]
fn following_all_that_is_said_of_a_shipped_template_never_lowers_a_score_z040() {
    let mut faults: Vec<String> = Vec::new();
    let mut looked = 0;
    for template in shipped() {
        faults.extend(falls(&template));
        for key in variations(&template) {
            looked += 1;
            let mut alone = template.clone();
            alone["keys"] = json!([key]);
            faults.extend(falls(&alone));
        }
    }
    assert!(looked > 300, "{looked}");
    let all = faults.len();
    faults.truncate(20);
    assert!(faults.is_empty(), "{all} of {looked}: {}", faults.join("\n"));
}

#[test]
fn following_all_that_is_said_of_a_key_never_lowers_its_score_z040() {
    let plain = generated().into_iter();
    let all: Vec<Value> = plain
        .filter(|key| SchemaTemplate::parse(&document(std::slice::from_ref(key), &json!({}))).is_ok())
        .collect();
    let mut faults: Vec<String> = all
        .iter()
        .filter_map(|key| falls(&document(std::slice::from_ref(key), &json!({}))))
        .collect();
    let count = faults.len();
    faults.truncate(20);
    assert!(faults.is_empty(), "{count} of {}: {}", all.len(), faults.join("\n"));
}

#[test]
fn an_example_outside_of_what_the_description_states_is_told_at_once_z040_z048() {
    for (key_type, text, states) in [
        (
            "string",
            "Number of the room, at most 3 characters. Example mapping: 'room four' -> 'room four'.",
            Advice::ProseRange,
        ),
        (
            "string",
            "Colour of the car: red, blue or green. Example mapping: 'a dark one' -> 'black'.",
            Advice::ProseList,
        ),
        (
            "string",
            "Day of the visit as YYYY-MM-DD. Example mapping: 'on May 4th' -> '4 May 2026'.",
            Advice::FormatUnset,
        ),
        (
            "integer",
            "How many people come along, between 1 and 9. Example mapping: 'the ten of us' -> 10.",
            Advice::ProseRange,
        ),
        (
            "array",
            "Pets that come along. Acceptable values: dog, cat. Example mapping: 'my rabbit' -> ['rabbit'].",
            Advice::ProseList,
        ),
    ] {
        let told = of(&key("thing", key_type, text, &json!({})));
        let refused = told.iter().find(|finding| finding.rule == Advice::ExampleRefused);
        let refused = refused.unwrap_or_else(|| panic!("{text} {told:?}"));
        assert!(refused.message.contains("the description says"), "{}", refused.message);
        let better = refused.suggestion.as_ref().unwrap_or_else(|| panic!("{text} {told:?}"));
        let (said, _) = text.rsplit_once("-> ").expect("an example");
        let better = better["semantic_description"].as_str().expect("a text");
        assert!(
            better.contains(said.rsplit_once(": ").expect("a label").1) && better.contains('…'),
            "{better}"
        );
        let stated = told
            .iter()
            .find(|finding| finding.rule == states)
            .unwrap_or_else(|| panic!("{text} {told:?}"));
        assert!(stated.suggestion.is_some(), "{text} {told:?}");
    }
}

#[test]
fn an_example_that_awaits_its_value_is_told_until_it_has_one_z040() {
    let text = "Number of people. Range: 1-9. Example mapping: 'the two of us' -> ….";
    let told = of(&key("people", "integer", text, &json!({})));
    assert!(
        says(&told, Advice::ExampleRefused) && !says(&told, Advice::NoMappingExample),
        "{told:?}"
    );
    let told = of(&key("people", "integer", &text.replace('…', "2"), &json!({})));
    assert!(!says(&told, Advice::ExampleRefused), "{told:?}");
}

#[test]
fn entries_with_brackets_or_conjunctions_get_a_better_text_z048() {
    for (text, values, better) in [
        (
            "Kind of the room. Acceptable values: single (1 bed), double (2 beds), suite. Example mapping: 'a suite' -> 'suite'.",
            json!(["single", "double", "suite"]),
            "Acceptable values: single, double, suite. In words: single (1 bed), double (2 beds). Example",
        ),
        (
            "Board of the guest. Acceptable values: bed and breakfast, half board, none. Example mapping: 'no food' -> 'none'.",
            json!(["bed and breakfast", "half board", "none"]),
            "",
        ),
    ] {
        let told = of(&key("thing", "string", text, &json!({})));
        let list = told.iter().find(|finding| finding.rule == Advice::ProseList);
        let patch = list
            .and_then(|finding| finding.suggestion.as_ref())
            .unwrap_or_else(|| panic!("{told:?}"));
        assert_eq!(patch["constraints"]["enum"], values, "{text}");
        let said = patch["semantic_description"].as_str().unwrap_or_default();
        assert!(said.contains(better), "{said}");
    }
    let unclear = "Kind of the room. Acceptable values: single (or double), suite (if there is one). Example mapping: 'a suite' -> 'suite'.";
    let told = of(&key("thing", "string", unclear, &json!({})));
    let list = told.iter().find(|finding| finding.rule == Advice::ProseList);
    let patch = list
        .and_then(|finding| finding.suggestion.as_ref())
        .unwrap_or_else(|| panic!("{told:?}"));
    let said = patch["semantic_description"].as_str().unwrap_or_default();
    assert!(
        said.contains("Values: single (or double)") && said.contains("Acceptable values: …."),
        "{said}"
    );
}

#[test]
fn what_is_said_of_values_and_cannot_hold_is_not_passed_over_in_silence_z040_z048() {
    for (key_type, text, rule, has_better) in [
        (
            "string",
            "Colour of the car. Acceptable values: red, blue, etc. Example mapping: 'a red one' -> 'red'.",
            Advice::OpenValues,
            true,
        ),
        (
            "boolean",
            "Whether the heat is on. Acceptable values: on, off. Example mapping: 'warm, please' -> true.",
            Advice::ProseList,
            true,
        ),
        (
            "string",
            "Code of the booking. 8-12 characters. Range: 1-12. Example mapping: 'my AB123456' -> 'AB123456'.",
            Advice::ProseRange,
            false,
        ),
        (
            "integer",
            "How many come, between 1 and 9. At most 5. Example mapping: 'two' -> 2.",
            Advice::ProseRange,
            true,
        ),
        (
            "integer",
            "How many come, between 1 and 9. Range: 2-8. Example mapping: 'two' -> 2.",
            Advice::ContradictedConstraint,
            true,
        ),
        (
            "string",
            "Start of the tour. Format: HH:MM 24h format. Example mapping: 'at nine' -> '9 am'.",
            Advice::ExampleRefused,
            true,
        ),
        (
            "string",
            "Start of the tour, an ISO date. Example mapping: 'on May 4th' -> '4 May'.",
            Advice::ExampleRefused,
            true,
        ),
        (
            "string",
            "Start of the tour. HH:MM 24h format. Example mapping: 'at nine' -> '09:00'.",
            Advice::FormatUnset,
            true,
        ),
        (
            "integer",
            "Year of the car, after 1900 but before 2000. Example mapping: 'of 1950' -> 1950.",
            Advice::ProseRange,
            true,
        ),
        (
            "integer",
            "Humidity that is wanted, 0%-100%. Example mapping: 'half' -> 50.",
            Advice::ProseRange,
            true,
        ),
        (
            "number",
            "Humidity that is wanted, 0%-100%. Example mapping: 'half' -> 0.5.",
            Advice::ProseRange,
            true,
        ),
    ] {
        let told = of(&key("thing", key_type, text, &json!({})));
        let finding = told
            .iter()
            .find(|finding| finding.rule == rule)
            .unwrap_or_else(|| panic!("{text} {told:?}"));
        assert_eq!(finding.suggestion.is_some(), has_better, "{text} {finding:?}");
    }
    let humid = "Humidity that is wanted, 0%-100%. Example mapping: 'half' -> 0.5.";
    let told = of(&key("thing", "number", humid, &json!({})));
    let range = told.iter().find(|finding| finding.rule == Advice::ProseRange);
    let patch = range.and_then(|finding| finding.suggestion.as_ref()).expect("a range");
    assert_eq!(patch["constraints"]["maximum"], 1.0, "the example is a share of one");
}

#[test]
fn a_long_description_always_gets_a_shorter_one_z026() {
    let spoken = "What the guest said of it, in a way that is clear. ";
    let example = "'one of these' -> 'one of those'";
    for text in [
        format!("{spoken}{}", "It goes on about what is meant by saying so. ".repeat(20)),
        format!("{spoken}{}", format!("Example mapping: {example}. ").repeat(20)),
        format!("{spoken}Example mapping: {}.", vec![example; 40].join("; ")),
        format!(
            "{}the rest of it. Example mapping: {example}.",
            "What is meant by this and ".repeat(40)
        ),
    ] {
        let told = of(&key("thing", "string", &text, &json!({})));
        let long = told
            .iter()
            .find(|finding| finding.rule == Advice::LongDescription)
            .expect("a finding");
        let better = long.suggestion.as_ref().unwrap_or_else(|| panic!("{text}"));
        let better = better["semantic_description"].as_str().expect("a text");
        assert!(
            better.chars().count() <= 800 && better.contains("->") == text.contains("->")
                || better.contains("'…' -> '…'"),
            "{better}"
        );
    }
}
