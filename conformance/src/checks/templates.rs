//! What holds of a template and of each of its keys (Z-028 … Z-059).

use serde_json::Value;

use crate::checks;
use crate::probe::Probe;
use crate::template::Template;
use crate::transcript::Transcript;
use crate::verdict::Verdict;
use crate::verdict::fails;
use crate::verdict::holds;
use crate::verdict::none_wrong;
use crate::verdict::not_applicable;
use schema::key::KeyType;
use schema::name::OTHER;

checks! {
    Must "Z-028" ["Z-016" "Z-005" "Z-024"] "a negotiation is answered with a template, which is a JSON object"
        (Negotiate) is_an_object;
    Must "Z-029" [] "schema_id is there, a string"
        (Negotiate) |t, _| has_text(t, "schema_id");
    Must "Z-031" [] "scenario is there, a string"
        (Negotiate) |t, _| has_text(t, "scenario");
    Must "Z-032" [] "keys is there, an array of objects"
        (Negotiate) |t, _| match t.template()?.members.get("keys").and_then(Value::as_array) {
            None => fails("keys is missing or no array"),
            Some(keys) => holds(
                !keys.is_empty() && keys.iter().all(Value::is_object),
                "keys is empty, or holds something that is no object",
            ),
        };
    Must "Z-033" [] "every key has a key_name, a string"
        (Negotiate) |t, _| each_key(t, "without a key_name", |key| key["key_name"].is_string());
    Must "Z-034" [] "every key_name is snake_case"
        (Negotiate) |t, _| each_key(t, "not snake_case", |key| key["key_name"].as_str().is_none_or(is_snake_case));
    Must "Z-035" [] "no two keys share a key_name"
        (Negotiate) |t, _| {
            let mut names: Vec<&str> = t.template()?.names().collect();
            names.sort_unstable();
            let twice = names.windows(2).filter(|pair| pair.first() == pair.last());
            none_wrong(twice.filter_map(|pair| pair.first().copied()), "more than once")
        };
    Must "Z-036" ["Z-037" "Z-038"] "every key_type is a type of JSON Schema"
        (Negotiate) |t, _| each_key(t, "without a type of JSON Schema", |key| key["key_type"].as_str().is_some_and(is_type));
    Must "Z-039" ["Z-054"] "every key has a semantic_description with something in it"
        (Negotiate) |t, _| each_key(t, "without a semantic_description", |key| has_words(&key["semantic_description"]));
    Must "Z-042" [] "every key says whether it is required"
        (Negotiate) |t, _| each_key(t, "without a boolean required", |key| key["required"].is_boolean());
    May "Z-047" [] "a default_value has the type of its key"
        (Negotiate) |t, _| each_key(t, "with a default_value of another type", |key| {
            let default = &key["default_value"];
            default.is_null() || key["key_type"].as_str().is_none_or(|name| fits(default, name))
        });
    May "Z-062" ["Z-057"] "the template has the key other"
        (Negotiate) |t, _| holds(t.template()?.key(OTHER).is_some(), "no key is named other");
    Must "Z-058" [] "other is not required"
        (Negotiate) |t, _| match t.template()?.key(OTHER) {
            None => not_applicable("no key is named other"),
            Some(other) => holds(other["required"] == false, "other does not say required: false"),
        };
    Must "Z-059-declared" [] "other is declared as a string or an array"
        (Negotiate) |t, _| match t.template()?.key(OTHER).map(|other| &other["key_type"]) {
            None => not_applicable("no key is named other"),
            Some(declared) => holds(
                declared == "string" || declared == "array",
                format!("other has the key_type {declared}"),
            ),
        };
}

fn is_an_object(transcript: &Transcript, probe: Probe) -> Verdict {
    let answered = transcript.answer(probe)?;
    if !answered.is_success() {
        return fails(format!("answered {}", answered.summary()));
    }
    let could_be = |found: Template<'_>| found.members.contains_key("keys") || found.text("schema_id").is_some();
    holds(
        answered.template().is_some_and(could_be),
        "what came is no object that could be a template",
    )
}

fn has_text(transcript: &Transcript, member: &str) -> Verdict {
    let text = transcript.template()?.text(member);
    holds(
        text.is_some_and(|text| !text.is_empty()),
        format!("{member} is missing, empty or no string"),
    )
}

/// A rule of each key.
fn each_key(transcript: &Transcript, wrong: &str, rule: fn(&Value) -> bool) -> Verdict {
    let misfits = misfits(&transcript.template()?.keys(), "key_name", rule);
    none_wrong(misfits.iter().map(String::as_str), wrong)
}

/// Those, by this member or by place, that do not follow a rule.
pub fn misfits(documents: &[&Value], member: &str, rule: fn(&Value) -> bool) -> Vec<String> {
    let wrong = documents.iter().enumerate().filter(|(_, document)| !rule(document));
    let name = |(place, document): (usize, &&Value)| match document[member].as_str() {
        Some(name) => name.to_owned(),
        None => format!("number {place}"),
    };
    wrong.map(name).collect()
}

/// A string with something in it.
pub fn has_words(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
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
