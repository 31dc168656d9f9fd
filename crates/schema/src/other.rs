//! The key `other`: the escape valve that every template has (Z-057 … Z-062).
//!
//! Says how it may be declared. How its value is read lies with the exchange.

use std::collections::BTreeMap;

use serde_json::Map;
use serde_json::json;

use crate::advice::Advice;
use crate::defect::pointer_to;
use crate::key::KeyDefinition;
use crate::key::KeyType;
use crate::name::KeyName;
use crate::report::Report;

/// The meaning of an `other` that no publisher described.
pub const DESCRIPTION: &str = "Escape valve: what the user asks for that no other key can hold, as a string or an \
    array of strings in the user's own words. Use it only after every other key has been tried. \
    Example mapping: 'and please keep it a surprise' -> 'keep it a surprise'.";

/// The implicit definition (Z-062).
pub fn implicit(key_name: KeyName) -> KeyDefinition {
    KeyDefinition {
        key_name,
        key_type: KeyType::String,
        required: false,
        default_value: None,
        semantic_description: DESCRIPTION.to_owned(),
        semantic_descriptions: BTreeMap::new(),
        constraints: Map::new(),
        sensitive: None,
        unknown: Map::new(),
    }
}

/// Checks a declared `other`. Its value is free text by definition, so a closed list, a default or a sensitive meaning
/// would be another meaning (Z-057); lengths and the like are kept and never enforced, since no payload is refused for
/// its `other` (Z-060).
pub(crate) fn check(key: &mut KeyDefinition, pointer: &str, report: &mut Report) {
    if key.required {
        report.defect(&pointer_to(pointer, "required"), "Z-058", "`other` is never required");
    }
    match key.key_type {
        KeyType::String | KeyType::Array => {}
        KeyType::Integer | KeyType::Number | KeyType::Boolean | KeyType::Object | KeyType::Null => {
            report.defect(
                &pointer_to(pointer, "key_type"),
                "Z-059",
                "`other` is a string or an array of strings",
            );
        }
    }
    let constraints = pointer_to(pointer, "constraints");
    for keyword in ["enum", "const"] {
        if key.constraints.contains_key(keyword) {
            let message = "`other` is the escape valve for what no key holds: it has no closed list of values";
            report.defect(&pointer_to(&constraints, keyword), "Z-057", message);
        }
    }
    if key.default_value.is_some() {
        let message = "`other` holds what the user said; a default would be another meaning";
        report.defect(&pointer_to(pointer, "default_value"), "Z-057", message);
    }
    if key.sensitive.is_some() {
        let message = "`other` is the escape valve for what no key holds: it has no meaning of its own";
        report.defect(&pointer_to(pointer, "sensitive"), "Z-057", message);
    }
    if !key.constraints.is_empty() {
        let message = "constraints on `other` are kept and never enforced";
        report.suggestion(
            Advice::OtherConstrained,
            &constraints,
            message,
            json!({"constraints": null}),
        );
    }
}
