//! What holds of a template and of each of its keys (Z-028 … Z-059).

use serde_json::Value;

use crate::edge::cli::conformance::check;
use crate::edge::cli::conformance::check::Check;
use crate::edge::cli::conformance::check::Judged;
use crate::edge::cli::conformance::check::Level;
use crate::edge::cli::conformance::check::fails;
use crate::edge::cli::conformance::check::holds;
use crate::edge::cli::conformance::check::none_wrong;
use crate::edge::cli::conformance::check::not_applicable;
use crate::edge::cli::conformance::probe::Probe;
use crate::edge::cli::conformance::scene::Scene;
use crate::edge::cli::conformance::subject::Subject;
use schema::key::KeyType;
use schema::name::OTHER;

const fn check(
    id: &'static str,
    also: &'static [&'static str],
    level: Level,
    title: &'static str,
    judge: fn(&Scene) -> Judged,
) -> Check {
    check::check(id, also, level, title, &[Probe::Negotiate], judge)
}

/// The checks of this group, in the order in which they are told.
pub const CHECKS: &[Check] = &[
    check(
        "Z-028",
        &["Z-016", "Z-005", "Z-024"],
        Level::Must,
        "a negotiation is answered with a template, which is a JSON object",
        is_an_object,
    ),
    check("Z-029", &[], Level::Must, "schema_id is there, a string", |scene| {
        has_text(scene, "schema_id")
    }),
    check("Z-031", &[], Level::Must, "scenario is there, a string", |scene| {
        has_text(scene, "scenario")
    }),
    check(
        "Z-032",
        &[],
        Level::Must,
        "keys is there, an array of objects",
        has_keys,
    ),
    check(
        "Z-033",
        &[],
        Level::Must,
        "every key has a key_name, a string",
        |scene| every(scene, "without a key_name", |key| key["key_name"].is_string()),
    ),
    check("Z-034", &[], Level::Must, "every key_name is snake_case", |scene| {
        every(scene, "not snake_case", |key| {
            key["key_name"].as_str().is_none_or(is_snake_case)
        })
    }),
    check(
        "Z-035",
        &[],
        Level::Must,
        "no two keys share a key_name",
        names_are_unique,
    ),
    check(
        "Z-036",
        &["Z-037", "Z-038"],
        Level::Must,
        "every key_type is a type of JSON Schema",
        |scene| {
            every(scene, "without a type of JSON Schema", |key| {
                key["key_type"].as_str().is_some_and(is_type)
            })
        },
    ),
    check(
        "Z-039",
        &["Z-054"],
        Level::Must,
        "every key has a semantic_description with something in it",
        |scene| {
            every(scene, "without a semantic_description", |key| {
                key["semantic_description"]
                    .as_str()
                    .is_some_and(|text| !text.trim().is_empty())
            })
        },
    ),
    check(
        "Z-042",
        &[],
        Level::Must,
        "every key says whether it is required",
        |scene| every(scene, "without a boolean required", |key| key["required"].is_boolean()),
    ),
    check(
        "Z-047",
        &[],
        Level::May,
        "a default_value has the type of its key",
        |scene| {
            every(scene, "with a default_value of another type", |key| {
                let default = &key["default_value"];
                default.is_null() || key["key_type"].as_str().is_none_or(|name| fits(default, name))
            })
        },
    ),
    check(
        "Z-062",
        &["Z-057"],
        Level::May,
        "the template has the key other",
        |scene| {
            let subject = scene.subject()?;
            holds(subject.key(OTHER).is_some(), "no key is named other")
        },
    ),
    check(
        "Z-058",
        &[],
        Level::Must,
        "other is not required",
        |scene| match scene.subject()?.key(OTHER) {
            None => not_applicable("no key is named other"),
            Some(other) => holds(other["required"] == false, "other does not say required: false"),
        },
    ),
    check(
        "Z-059-declared",
        &[],
        Level::Must,
        "other is declared as a string or an array",
        |scene| match scene.subject()?.key(OTHER) {
            None => not_applicable("no key is named other"),
            Some(other) => holds(
                other["key_type"] == "string" || other["key_type"] == "array",
                format!("other has the key_type {}", other["key_type"]),
            ),
        },
    ),
];

fn is_an_object(scene: &Scene) -> Judged {
    let answered = scene.answer(Probe::Negotiate)?;
    if !answered.is_success() {
        return fails(format!("answered {}", answered.told()));
    }
    let subject = Subject::of(&answered.body);
    let template =
        subject.is_some_and(|subject| subject.template.contains_key("keys") || subject.text("schema_id").is_some());
    holds(template, "what came is no object that could be a template")
}

fn has_text(scene: &Scene, member: &str) -> Judged {
    let text = scene.subject()?.text(member);
    holds(
        text.is_some_and(|text| !text.is_empty()),
        format!("{member} is missing, empty or no string"),
    )
}

fn has_keys(scene: &Scene) -> Judged {
    let subject = scene.subject()?;
    let keys = subject.template.get("keys").and_then(Value::as_array);
    match keys {
        None => fails("keys is missing or no array"),
        Some(keys) => holds(
            !keys.is_empty() && keys.iter().all(Value::is_object),
            "keys is empty, or holds something that is no object",
        ),
    }
}

fn names_are_unique(scene: &Scene) -> Judged {
    let mut names: Vec<&str> = scene
        .subject()?
        .keys()
        .into_iter()
        .filter_map(|key| key["key_name"].as_str())
        .collect();
    names.sort_unstable();
    let twice: Vec<String> = names
        .windows(2)
        .filter(|pair| pair.first() == pair.last())
        .filter_map(|pair| pair.first().map(|name| (*name).to_owned()))
        .collect();
    none_wrong(&twice, "more than once")
}

/// A rule of each key.
fn every(scene: &Scene, wrong: &str, rule: fn(&Value) -> bool) -> Judged {
    let subject = scene.subject()?;
    none_wrong(&misfits(&subject.keys(), rule), wrong)
}

/// The keys, by name or by place, that do not follow a rule.
pub fn misfits(keys: &[&Value], rule: fn(&Value) -> bool) -> Vec<String> {
    let named = |(place, key): (usize, &&Value)| match key["key_name"].as_str() {
        Some(name) => name.to_owned(),
        None => format!("key {place}"),
    };
    keys.iter()
        .enumerate()
        .filter(|(_, key)| !rule(key))
        .map(named)
        .collect()
}

/// Words of small letters and digits with single underscores between, the first one beginning with a letter. The draft
/// bounds no length.
pub fn is_snake_case(name: &str) -> bool {
    let word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('_').all(word)
}

/// A type of JSON Schema by its own name; `float` is none (Z-038).
pub fn is_type(name: &str) -> bool {
    KeyType::parse(name).is_some_and(|read| read.name() == name)
}

/// Whether a value has a type.
fn fits(value: &Value, name: &str) -> bool {
    match KeyType::parse(name) {
        None => true,
        Some(KeyType::String) => value.is_string(),
        // A whole number may be written as 1.0.
        Some(KeyType::Integer) => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        Some(KeyType::Number) => value.is_number(),
        Some(KeyType::Boolean) => value.is_boolean(),
        Some(KeyType::Array) => value.is_array(),
        Some(KeyType::Object) => value.is_object(),
        Some(KeyType::Null) => value.is_null(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::fits;
    use super::is_snake_case;
    use super::is_type;

    #[test]
    fn types_are_those_of_json_schema_z036_z038() {
        for name in ["string", "integer", "number", "boolean", "array", "object", "null"] {
            assert!(is_type(name), "{name}");
        }
        for name in ["float", "String", "int", "", "date"] {
            assert!(!is_type(name), "{name}");
        }
    }

    #[test]
    fn names_are_words_with_single_underscores_between_z034() {
        let long = "a".repeat(80);
        for name in ["a", "port", "port_of_call", "a1", "a_1", &long] {
            assert!(is_snake_case(name), "{name}");
        }
        for name in [
            "",
            "Port",
            "portOfCall",
            "1a",
            "_a",
            "a_",
            "a__b",
            "a-b",
            "a b",
            "hafen_ä",
        ] {
            assert!(!is_snake_case(name), "{name}");
        }
    }

    #[test]
    fn a_default_is_held_against_its_type_z047() {
        for (value, name, well) in [
            (json!(1), "integer", true),
            (json!(1.0), "integer", true),
            (json!(1.5), "integer", false),
            (json!(1.5), "number", true),
            (json!("1"), "number", false),
            (json!([]), "array", true),
            (json!({}), "array", false),
            (json!(true), "boolean", true),
            (json!("x"), "a type of its own", true),
        ] {
            assert_eq!(fits(&value, name), well, "{value} {name}");
        }
    }
}
