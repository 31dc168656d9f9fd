//! Random templates and payloads against the exports, with the exchange's validator as the judge of what is accepted.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::gemini;
use super::grammar::Grammar;
use crate::effective::EffectiveTemplate;
use crate::exchange::other::OtherLimits;
use crate::exchange::repair;
use crate::exchange::validator::Validator;
use crate::export::Export;
use crate::export::Form;
use crate::export::loss::Effect;
use crate::export::shape::Members;
use crate::export::shape::Shape;
use crate::export::sheet::Sheet;
use crate::json_schema::compile;
use crate::key::KeyType;
use crate::tests::drawn::Drawn;
use crate::tests::drawn::NAMES;
use crate::tests::drawn::drawn;
use crate::tests::drawn::template;
use crate::tests::drawn::value;

const LIMITS: OtherLimits = OtherLimits {
    strings_max: 100,
    bytes_max: 1_000,
};

/// Whether every value of a payload is used as it stands.
fn accepted(template: &EffectiveTemplate, payload: &Value) -> bool {
    let validator = Validator::compile(template, LIMITS);
    let verdict = validator.check(&payload.to_string(), &|_| true, true).expect("JSON");
    let passed_over = verdict.warnings.iter().any(|warning| warning.code == "patch_value");
    verdict.violations.is_empty() && !passed_over
}

fn matches(schema: &Value, value: &Value) -> bool {
    compile::<jsonschema::json::SerdeJson>(schema)
        .expect("a schema")
        .is_valid(value)
}

fn schema(export: &Export) -> Value {
    serde_json::from_str(&export.text).expect("JSON")
}

fn lost(export: &Export, effect: Effect) -> BTreeSet<&str> {
    let of = export.lost.iter().filter(|loss| loss.effect == effect);
    of.map(|loss| loss.key_name.as_str()).collect()
}

/// A payload in the sheet's order, with the keys for which there is a number.
fn payload(sheet: &Sheet<'_>, keys: &[Drawn], choices: &[Option<usize>]) -> Map<String, Value> {
    let mut payload = Map::new();
    for key in &sheet.keys {
        let drawn = NAMES
            .iter()
            .position(|name| *name == key.name)
            .and_then(|place| keys.get(place).zip(choices.get(place)));
        match drawn {
            Some((drawn, Some(choice))) => {
                let value = value(drawn, *choice);
                if drawn.key_type != KeyType::Integer || !is_inexact(&value) {
                    payload.insert(key.name.clone(), value);
                }
            }
            Some((_, None)) => {}
            None => {
                if let Some(Some(choice)) = choices.last() {
                    let said = [json!("and more"), json!(["a", "b"]), json!([])];
                    payload.insert(key.name.clone(), said[choice % said.len()].clone());
                }
            }
        }
    }
    payload
}

/// A value in the order of the sheet with null for what was omitted, as a strict decoder writes it.
fn filled(shape: &Shape, value: &Value) -> Value {
    match (shape, value) {
        (Shape::Array(each, _), Value::Array(values)) => values.iter().map(|value| filled(each, value)).collect(),
        (Shape::Object(Members { declared, rest: _ }), Value::Object(held)) => {
            let mut whole = Map::new();
            for member in declared {
                let value = held.get(&member.name).map(|value| filled(&member.shape, value));
                whole.insert(member.name.clone(), value.unwrap_or(Value::Null));
            }
            for (name, value) in held {
                whole.entry(name.clone()).or_insert_with(|| value.clone());
            }
            Value::Object(whole)
        }
        (_, value) => value.clone(),
    }
}

/// A value with the members of its objects in the order in which a grammar writes them.
fn ordered(shape: &Shape, value: &Value) -> Value {
    match (shape, value) {
        (Shape::Array(each, _), Value::Array(values)) => values.iter().map(|value| ordered(each, value)).collect(),
        (Shape::Object(Members { declared, rest }), Value::Object(held)) => {
            let mut whole = Map::new();
            for member in declared {
                if let Some(value) = held.get(&member.name) {
                    whole.insert(member.name.clone(), ordered(&member.shape, value));
                }
            }
            for (name, value) in held {
                let value = rest
                    .as_deref()
                    .map_or_else(|| value.clone(), |rest| ordered(rest, value));
                whole.entry(name.clone()).or_insert(value);
            }
            Value::Object(whole)
        }
        (Shape::Any(shapes), value) => {
            let kind = shapes.iter().find(|shape| {
                matches!(
                    (shape, value),
                    (Shape::Array(..), Value::Array(_)) | (Shape::Object(_), Value::Object(_))
                )
            });
            kind.map_or_else(|| value.clone(), |kind| ordered(kind, value))
        }
        (_, Value::Number(number)) => plain(number),
        (_, value) => value.clone(),
    }
}

/// `7.0` as `7`: a grammar writes one of the two.
fn plain(number: &serde_json::Number) -> Value {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e15 => json!(float as i64),
        _ => Value::Number(number.clone()),
    }
}

/// Whether an integer key refuses a whole number for how it is written (`1e25`), which no schema can say.
fn is_inexact(value: &Value) -> bool {
    let double = value.as_number().filter(|number| number.is_f64());
    double
        .and_then(serde_json::Number::as_f64)
        .is_some_and(|double| double.fract() == 0.0 && repair::whole(double).is_none())
}

/// Numbers that have an exponent or over 19 digits are not written by a grammar.
fn writable(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            let text = number.to_string();
            !text.contains('e') && text.len() < 16
        }
        Value::Array(values) => values.iter().all(writable),
        Value::Object(members) => members.values().all(writable),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

fn cases() -> u32 {
    let asked = std::env::var("EXPORT_CASES").ok().and_then(|cases| cases.parse().ok());
    asked.unwrap_or(128)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn json_schema_allows_exactly_what_is_accepted_z017_z036_z048_z077(
        keys in proptest::collection::vec(drawn(), 1..6),
        strict in any::<bool>(),
        choices in proptest::collection::vec(proptest::option::of(any::<usize>()), 7),
        stranger in any::<bool>(),
    ) {
        let template = template(&keys, strict);
        let export = template.export(Form::JsonSchema, None, true);
        prop_assert_eq!(&export.lost, &Vec::new());
        let sheet = Sheet::of(&template, None, true);
        let mut payload = payload(&sheet, &keys, &choices);
        // A null key of an optional key is an omission and is left out here.
        payload.retain(|_, value| !value.is_null());
        if stranger {
            payload.insert("stranger".to_owned(), json!(1));
        }
        let payload = Value::Object(payload);
        let schema = schema(&export);
        let omitted = accepted(&template, &payload) && !matches(&schema, &payload) && payload.to_string().contains("null");
        prop_assert!(
            omitted || matches(&schema, &payload) == accepted(&template, &payload),
            "{} {}", payload, schema
        );
    }

    #[test]
    fn the_strict_schema_allows_what_is_accepted_but_for_what_is_lost_z017_z036_z048_z077(
        keys in proptest::collection::vec(drawn(), 1..6),
        choices in proptest::collection::vec(proptest::option::of(any::<usize>()), 7),
    ) {
        let template = template(&keys, false);
        let export = template.export(Form::JsonSchemaStrict, None, true);
        super::openai::check(&schema(&export)).map_err(TestCaseError::fail)?;
        let sheet = Sheet::of(&template, None, true);
        let said = payload(&sheet, &keys, &choices);
        let schema = schema(&export);
        let (widened, narrowed) = (lost(&export, Effect::Unenforced), lost(&export, Effect::Narrowed));
        for key in &sheet.keys {
            let value = said.get(&key.name).map_or(Value::Null, |value| filled(&key.shape, value));
            // A key that the form cannot hold is not in it.
            let property = schema["properties"].get(&key.name).unwrap_or(&Value::Bool(false));
            let own = json!({"properties": {&key.name: property}});
            let one = json!({&key.name: value});
            let allowed = matches(&own, &one);
            // What the others lack is their own matter.
            let validator = Validator::compile(&template, LIMITS);
            let verdict = validator.check(&one.to_string(), &|_| true, true).expect("JSON");
            let right = !verdict.violations.iter().any(|violation| violation.key == key.name)
                && !verdict.warnings.iter().any(|warning| warning.key == key.name && warning.code == "patch_value");
            if allowed && !widened.contains(key.name.as_str()) {
                prop_assert!(right, "allowed and refused: {} {}", one, own);
            }
            if right && !narrowed.contains(key.name.as_str()) {
                prop_assert!(allowed, "accepted and not allowed: {} {}", one, own);
            }
        }
        // As a whole: every key is written.
        let whole: Map<String, Value> = sheet.keys.iter().map(|key| {
            let value = said.get(&key.name).map_or(Value::Null, |value| filled(&key.shape, value));
            (key.name.clone(), value)
        }).collect();
        let whole = Value::Object(whole);
        if narrowed.is_empty() && accepted(&template, &whole) {
            prop_assert!(matches(&schema, &whole), "{} {}", whole, schema);
        }
        if widened.is_empty() && matches(&schema, &whole) {
            prop_assert!(accepted(&template, &whole), "{} {}", whole, schema);
        }
    }

    #[test]
    fn a_declaration_of_gemini_allows_what_is_accepted_but_for_what_is_lost_z017_z036_z048_z077(
        keys in proptest::collection::vec(drawn(), 1..6),
        choices in proptest::collection::vec(proptest::option::of(any::<usize>()), 7),
    ) {
        let template = template(&keys, false);
        let export = template.export(Form::GeminiTool, None, true);
        let parameters = gemini::as_json_schema(&schema(&export)["parameters"]).map_err(TestCaseError::fail)?;
        let whole = schema(&template.export(Form::JsonSchema, None, true));
        let sheet = Sheet::of(&template, None, true);
        let said = payload(&sheet, &keys, &choices);
        let (widened, narrowed) = (lost(&export, Effect::Unenforced), lost(&export, Effect::Narrowed));
        for (name, value) in said {
            let property = |schema: &Value| schema["properties"].get(&name).cloned().unwrap_or(Value::Bool(false));
            let one = |schema: &Value| json!({"properties": {&name: property(schema)}});
            let (allowed, right) = (matches(&one(&parameters), &json!({&name: value})), matches(&one(&whole), &json!({&name: value})));
            prop_assert!(!allowed || right || widened.contains(name.as_str()), "allowed and refused: {} {} {}", name, value, export.text);
            prop_assert!(!right || allowed || narrowed.contains(name.as_str()), "accepted and not allowed: {} {} {}", name, value, export.text);
        }
        prop_assert_eq!(
            parameters["required"].as_array().map_or(0, Vec::len),
            sheet.keys.iter().filter(|key| key.required && parameters["properties"].get(&key.name).is_some()).count()
        );
    }

    #[test]
    fn the_openai_forms_hold_one_schema_within_the_limits_z048(keys in proptest::collection::vec(drawn(), 1..6)) {
        let template = template(&keys, false);
        let [tool, format, responses] = [Form::OpenaiTool, Form::OpenaiResponseFormat, Form::OpenaiResponsesTool]
            .map(|form| schema(&template.export(form, None, true)));
        let parameters = &tool["function"]["parameters"];
        super::openai::check(parameters).map_err(TestCaseError::fail)?;
        prop_assert_eq!(&responses["parameters"], parameters);
        prop_assert_eq!(&format["json_schema"]["schema"], parameters);
    }

    #[test]
    fn the_grammar_writes_what_is_accepted_but_for_what_is_lost_z017_z036_z048_z077(
        keys in proptest::collection::vec(drawn(), 1..6),
        choices in proptest::collection::vec(proptest::option::of(any::<usize>()), 7),
        seeds in proptest::collection::vec(any::<u64>(), 4),
    ) {
        let template = template(&keys, false);
        let export = template.export(Form::Gbnf, None, true);
        let grammar = Grammar::read(&export.text);
        let sheet = Sheet::of(&template, None, true);
        let (widened, narrowed) = (lost(&export, Effect::Unenforced), lost(&export, Effect::Narrowed));
        let mut said = payload(&sheet, &keys, &choices);
        said.retain(|name, value| !value.is_null() && writable(value) && !narrowed.contains(name.as_str()));
        for key in &sheet.keys {
            if let Some(value) = said.get_mut(&key.name) {
                *value = ordered(&key.shape, value);
            }
        }
        let said = Value::Object(said);
        let by_itself = matches(&schema(&template.export(Form::JsonSchema, None, true)), &said);
        if by_itself && !said.to_string().contains("\\u") {
            prop_assert!(grammar.matches(&said.to_string()), "not written: {}\n{}", said, export.text);
        }
        if widened.is_empty() && !by_itself {
            prop_assert!(!grammar.matches(&said.to_string()), "written and refused: {}\n{}", said, export.text);
        }
        for seed in seeds {
            let Some(text) = grammar.sentence(seed) else { continue };
            let value: Value = serde_json::from_str(&text).map_err(|e| TestCaseError::fail(format!("{e}: {text}\n{}", export.text)))?;
            if widened.is_empty() {
                prop_assert!(accepted(&template, &value), "written and refused: {}\n{}", text, export.text);
            }
        }
    }
}
