//! Can the key be filled, and does an array or object say what is in it (Z-017, Z-051)?

use crate::domain::template::advice::Advice;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::Says;

/// Looks at the type and what is asked below it.
pub fn look(key: &KeyDefinition, says: &mut Says<'_>) {
    let says_any = |keywords: &[&str]| keywords.iter().any(|keyword| key.constraints.contains_key(*keyword));
    match key.key_type {
        KeyType::Array if !says_any(&["items", "enum", "const"]) => {
            let message = "does not say what an element is; add `\"items\": {\"type\": …}`";
            says.say(Advice::OpenShape, "constraints", message, None);
        }
        KeyType::Object if !says_any(&["properties", "additionalProperties", "enum", "const"]) => {
            let message = "does not say which members there are; add `\"properties\": {…}`";
            says.say(Advice::OpenShape, "constraints", message, None);
        }
        KeyType::Null if key.required => {
            let message = "null means omitted, so that a required key of type null refuses every payload";
            says.say(
                Advice::NeverFillable,
                "key_type",
                message,
                Some(serde_json::json!({"required": false})),
            );
        }
        KeyType::String
        | KeyType::Integer
        | KeyType::Number
        | KeyType::Boolean
        | KeyType::Array
        | KeyType::Object
        | KeyType::Null => {}
    }
}
