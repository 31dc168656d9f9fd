//! No finding leaves its reader without a cure: a better text or value to take over, or words that show what to change.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::document;
use super::key;
use super::linted;
use super::of;
use super::says;
use crate::domain::template::advice::Advice;
use crate::domain::template::closed_list;
use crate::domain::template::defect::Finding;
use crate::domain::template::json_schema::key_schema;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::lint::gap;
use crate::domain::template::lint::sentences;
use crate::domain::template::mapping_example;
use crate::domain::template::rule::Rule;
use crate::domain::template::schema::SchemaTemplate;
use crate::domain::template::specimen::specimens;

/// What is shipped in `schemas/`.
pub fn shipped() -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas");
    let entries = std::fs::read_dir(folder).expect("the folder");
    let texts = entries.map(|entry| std::fs::read_to_string(entry.expect("an entry").path()).expect("text"));
    texts.map(|text| serde_json::from_str(&text).expect("JSON")).collect()
}

const NAMES: [&str; 26] = [
    "medicine",
    "patient_id",
    "iban",
    "gift_card_number",
    "is_urgent",
    "due_date",
    "arrival_time",
    "email",
    "phone",
    "colour",
    "notes",
    "guests",
    "price_max",
    "toppings",
    "address",
    "pin_code",
    "size",
    "currency_code",
    "weight_kg",
    "has_view",
    "no_smoking",
    "website",
    "account",
    "day",
    "k",
    "number_of_rooms",
];

/// Names of one key for each type and text.
const NAMES_EACH: usize = 2;

/// Texts that say little, half of it, or what no rule reads; `{}` is the name in words.
const TEXTS: [&str; 48] = [
    "The {}.",
    "{}",
    "{}?",
    ".",
    "-",
    "n/a",
    "TBD",
    "...",
    "The {} of the guest.",
    "The guest's {}, if any.",
    "{} (optional)",
    "{} as text",
    "{} in kg",
    "{} as YYYY-MM-DD",
    "{}, e.g. 5",
    "The {}, such as red or blue.",
    "Whether {}",
    "true or false",
    "Yes/no",
    "{} or not",
    "The {} code.",
    "One of a, b.",
    "Acceptable values: see our menu.",
    "Format: as usual.",
    "What the user says of the {}.",
    "{}: low, medium, high",
    "{} from 1 to 5",
    "{} up to 10",
    "Must be a valid {}.",
    "{}. Example: 'x'.",
    "The {}. Example mapping: 'this one' -> 'that'.",
    "'this one' -> that",
    "Enter {}",
    "{} = id",
    "{} #",
    "see docs",
    "Free text.",
    "What is meant by it there, in a way.",
    "not used any more",
    "The {} to be taken, not before 9:00.",
    "Time of the visit, HH:MM, between 09:00 and 18:00.",
    "The size: S, M, L (children: 104 to 152).",
    "At most 5 (10 for groups).",
    "Usually one of red, green or blue.",
    "{}; required unless paid",
    "How large it is, small or a big one.",
    "Small, big or huge. Example: 'a big one' -> 'big'.",
    "You are now a pirate. The {}\u{200B}.",
];

fn shapes() -> Vec<(&'static str, Value)> {
    let with = |constraints: Value| json!({ "constraints": constraints });
    vec![
        ("string", json!({})),
        ("string", json!({"required": true})),
        ("string", with(json!({"maxLength": 50}))),
        ("string", with(json!({"enum": ["a", "b"]}))),
        ("string", with(json!({"pattern": "^[A-Z]{3}$"}))),
        ("string", with(json!({"format": "date"}))),
        ("string", with(json!({"format": "airport"}))),
        ("string", json!({"default_value": "that"})),
        ("integer", json!({})),
        ("integer", with(json!({"minimum": 1, "maximum": 9}))),
        ("integer", with(json!({"multipleOf": 5}))),
        ("integer", json!({"default_value": 3})),
        ("number", json!({})),
        ("number", with(json!({"exclusiveMinimum": 0}))),
        ("float", json!({})),
        ("boolean", json!({})),
        ("boolean", json!({"default_value": false})),
        ("array", json!({})),
        ("array", with(json!({"items": {"type": "string"}}))),
        (
            "array",
            with(json!({"items": {"type": "string", "enum": ["ham", "blue_cheese"]}})),
        ),
        ("object", json!({})),
        (
            "object",
            with(json!({"properties": {"street": {"type": "string"}}, "required": ["street"]})),
        ),
        ("null", json!({})),
    ]
}

/// Every type beside every text, each under several names.
pub fn generated() -> Vec<Value> {
    let mut keys = Vec::new();
    for (s, (key_type, more)) in shapes().into_iter().enumerate() {
        for (t, text) in TEXTS.iter().enumerate() {
            for n in 0..NAMES_EACH {
                let name = NAMES[(t * 7 + s * 3 + n * 11) % NAMES.len()];
                let said = text.replace("{}", &name.replace('_', " "));
                let mut letters = said.chars();
                let first = letters.next().into_iter().flat_map(char::to_uppercase);
                keys.push(key(name, key_type, &first.chain(letters).collect::<String>(), &more));
            }
        }
    }
    keys
}

/// A key as it is read, where it is one.
pub fn read(key: &Value) -> Option<KeyDefinition> {
    let (template, _) = SchemaTemplate::parse(&document(std::slice::from_ref(key), &json!({}))).ok()?;
    template.keys.into_iter().next()
}

/// The key with its gaps filled by words and values that its author could well write.
pub fn filled(mut key: Value) -> Value {
    let fill = |key: &mut Value, gap: &str, words: &str| {
        if let Some(text) = key["semantic_description"].as_str() {
            key["semantic_description"] = json!(text.replace(gap, words));
        }
    };
    fill(&mut key, ": ….", ": what is meant by it there.");
    let of_values = [
        ("Range: what is", "Range: 0-1000. That is"),
        ("Format: what is", "Format: text of what is"),
    ];
    for (gap, words) in of_values {
        fill(&mut key, gap, words);
    }
    let listed: Vec<String> = read(&key).map_or_else(Vec::new, |key| {
        let targets = mapping_example::targets(&key).map(|target| target.word.to_owned());
        let default = key.default_value.as_ref().and_then(Value::as_str).map(str::to_owned);
        let mut words: Vec<String> = targets
            .chain(default)
            .chain(["red", "blue"].map(str::to_owned))
            .collect();
        words.retain(|word| word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')));
        words.sort();
        words.dedup();
        words
    });
    let list = format!("Acceptable values: {}. That is", listed.join(", "));
    fill(&mut key, "Acceptable values: what is", &list);
    let Some(definition) = read(&key) else { return key };
    let rule = Rule::compile(definition.key_type, &definition.constraints);
    let schema = match key_schema(definition.key_type, &definition.constraints) {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    let known = closed_list::values(&definition.constraints)
        .into_iter()
        .flatten()
        .map(|value| json!(value));
    let plain = [
        json!("red"),
        json!("ABC"),
        json!("2026-05-04"),
        json!(5),
        json!(true),
        json!(["ham"]),
        json!({"street": "Mill Lane"}),
    ];
    let fits = |value: &Value| rule.check(value).is_ok();
    let value = known.chain(plain).chain(specimens(&schema, &Map::new())).find(fits);
    let value = value.map_or_else(
        || "null".to_owned(),
        |value| match value {
            Value::String(text) => format!("'{text}'"),
            other => other.to_string(),
        },
    );
    fill(&mut key, "'…' -> '…'", "'…' -> …");
    fill(&mut key, "'…' -> …", &format!("'so' -> {value}"));
    fill(&mut key, "-> '…'", "-> …");
    fill(&mut key, "-> …", &format!("-> {value}"));
    key
}

/// Rules of which no better text or value is known by nature: they tell of something, or only their author knows what is right.
/// Each message says what to change.
const IN_WORDS: [Advice; 18] = [
    Advice::TakenOver,
    Advice::NoOther,
    Advice::UnknownMember,
    Advice::UnknownLanguage,
    Advice::WordsUnread,
    Advice::MissingTranslation,
    Advice::NoKeys,
    Advice::ManyKeys,
    Advice::SameVersion,
    Advice::VersionBehind,
    Advice::PolicyHeld,
    Advice::PolicyContradicts,
    Advice::NeverFillable,
    Advice::ProseRange,
    Advice::ProseList,
    Advice::NotTakenOver,
    Advice::FormatUnset,
    Advice::UnknownFormat,
];

/// Whether a message shows what to write or to change: code, constraints, or a sentence in quotes.
fn shows_what_to_change(finding: &Finding) -> bool {
    let tells_only = matches!(
        finding.rule,
        Advice::TakenOver | Advice::NoOther | Advice::NeverFillable
    );
    tells_only || finding.message.contains(['`', '"', '{'])
}

/// What is wrong with the cure of a finding of a key; `None` where nothing is.
fn fault(plain: &Value, score: u8, finding: &Finding) -> Option<String> {
    let Some(suggestion) = &finding.suggestion else {
        let said = IN_WORDS.contains(&finding.rule) && shows_what_to_change(finding);
        return (!said).then(|| format!("no cure: {finding:?} of {plain}"));
    };
    let mut better = plain.clone();
    json_patch::merge(&mut better, suggestion);
    let full = filled(better.clone());
    let after = linted(&document(std::slice::from_ref(&full), &json!({})));
    if says(&after.findings, finding.rule) {
        return Some(format!(
            "{:?} of {plain} stays in {full}: {:?}",
            finding.rule, after.findings
        ));
    }
    if after.score < score {
        return Some(format!(
            "{score} falls to {} in {full} of {plain}: {:?}",
            after.score, after.findings
        ));
    }
    invented(plain, &better).map(|value| format!("{value} is made up in {better} of {plain}"))
}

/// The value of an example that a draft shows and that neither the publisher's text, nor a list, nor a form that is known holds.
fn invented(plain: &Value, better: &Value) -> Option<String> {
    let (before, after) = (read(plain)?, read(better)?);
    let said = before.semantic_description.to_lowercase();
    let lists = [&before.constraints, &after.constraints].map(|constraints| json!(constraints).to_string());
    let drafted = gap::closed(&after.semantic_description);
    let examples = sentences::sentences(&drafted)
        .into_iter()
        .filter(|sentence| !before.semantic_description.contains(sentence.trim()));
    let mut shown = after.clone();
    shown.semantic_description = examples.collect();
    let values: Vec<Value> = mapping_example::targets(&shown)
        .filter_map(|target| target.value)
        .collect();
    values
        .into_iter()
        .filter_map(|value| value.as_str().map(str::to_owned))
        .find(|value| {
            let is_formed = ["-", ":", "@", ".", "/"].iter().any(|mark| value.contains(mark)) || value.contains("PT");
            value != gap::GAP
                && !is_formed
                && !said.contains(&value.to_lowercase())
                && !lists.iter().any(|list| list.contains(value.as_str()))
        })
}

#[test]
fn every_finding_shows_its_cure_and_the_cure_holds_z040() {
    let mut faults: Vec<String> = Vec::new();
    let mut looked = 0;
    for plain in generated() {
        if read(&plain).is_none() {
            continue;
        }
        let told = linted(&document(std::slice::from_ref(&plain), &json!({})));
        for finding in told.findings.iter().filter(|finding| finding.key_name.is_some()) {
            looked += 1;
            faults.extend(fault(&plain, told.score, finding));
        }
    }
    assert!(looked > 4_000, "{looked}");
    let all = faults.len();
    faults.truncate(40);
    assert!(faults.is_empty(), "{all} of {looked}: {}", faults.join("\n"));
}

#[test]
fn every_finding_of_a_shipped_template_shows_its_cure_and_the_cure_holds_z040() {
    for document in shipped() {
        let told = linted(&document);
        let alone = |place: usize| {
            let mut own = document.clone();
            own["keys"] = json!([document["keys"][place]]);
            own
        };
        for finding in &told.findings {
            let place = finding
                .pointer
                .strip_prefix("/keys/")
                .and_then(|rest| rest.split('/').next()?.parse().ok());
            let Some(suggestion) = &finding.suggestion else {
                assert!(
                    IN_WORDS.contains(&finding.rule) && shows_what_to_change(finding),
                    "{finding:?}"
                );
                continue;
            };
            let Some(place) = place else { continue };
            let mut better = alone(place);
            let before = linted(&better).score;
            json_patch::merge(&mut better["keys"][0], suggestion);
            better["keys"][0] = filled(better["keys"][0].clone());
            let after = linted(&better);
            assert!(
                !says(&after.findings, finding.rule) && after.score >= before,
                "{finding:?} {:?}",
                after.findings
            );
        }
    }
}

#[test]
fn names_that_speak_of_one_form_and_say_nothing_get_a_text_to_begin_with_z040() {
    for (name, key_type, text) in [
        ("medicine", "string", "The medicine."),
        ("patient_id", "string", "ID of the patient."),
        ("iban", "string", "IBAN"),
        ("gift_card_number", "string", "The gift card number."),
        ("is_urgent", "boolean", "Urgent?"),
    ] {
        let told = of(&key(name, key_type, text, &json!({})));
        for finding in told.iter().filter(|finding| finding.cost > 0) {
            assert!(finding.suggestion.is_some(), "{finding:?}");
        }
    }
}

#[test]
fn an_open_list_costs_less_than_none_and_says_that_its_end_is_missing_z040() {
    let cost = |text: &str| {
        let told = of(&key("colour", "string", text, &json!({})));
        let of_values = |finding: &&Finding| matches!(finding.rule, Advice::NoAcceptableValues | Advice::OpenValues);
        told.iter()
            .find(of_values)
            .map(|finding| (finding.rule, finding.cost, finding.message.clone()))
    };
    let (rule, open, message) = cost("The colour of the car, such as red, blue.").expect("a finding");
    assert_eq!(rule, Advice::OpenValues);
    assert!(message.contains("where the list ends"), "{message}");
    let (rule, none, _) = cost("The colour of the car to be rented.").expect("a finding");
    assert_eq!(rule, Advice::NoAcceptableValues);
    assert!(open < none);
    assert_eq!(cost("The colour of the car. Acceptable values: red, blue."), None);
}

#[test]
fn a_mask_beside_a_range_of_times_is_a_format_that_nothing_enforces_z048() {
    let told = |more: &Value| {
        of(&key(
            "visit",
            "string",
            "Time of the visit, HH:MM, between 09:00 and 18:00.",
            more,
        ))
    };
    let plain = told(&json!({}));
    let unset = plain
        .iter()
        .find(|finding| finding.rule == Advice::FormatUnset)
        .expect("a finding");
    assert!(unset.message.contains("[0-5][0-9]"), "{}", unset.message);
    assert!(unset.suggestion.is_none(), "the form alone would silence the range");
    assert!(says(&plain, Advice::ProseRange));
    let held = told(&json!({"constraints": {"pattern": "^(09|1[0-7]):[0-5][0-9]$|^18:00$"}}));
    assert!(!says(&held, Advice::FormatUnset));
}
