//! `json-schema`: what a template accepts as JSON Schema 2020-12, with every keyword that is enforced and no other.
//!
//! Loses nothing. A format that is not enforced is said in words instead, since a decoder may take it for a rule or refuse
//! what it does not know. An optional key is left out, not null; what the template does not have is allowed unless it is
//! strict.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::export::shape::Shape;
use crate::export::sheet::Sheet;
use crate::export::sheet::SheetKey;
use crate::export::wording;
use crate::format;
use crate::json_schema;
use crate::json_schema::Says;
use crate::keyword::Keyword;

/// The schema as JSON text.
pub fn text(sheet: &Sheet<'_>) -> String {
    let mut document = Map::new();
    document.insert(
        "$schema".to_owned(),
        json!("https://json-schema.org/draft/2020-12/schema"),
    );
    document.insert("title".to_owned(), json!(sheet.schema_id));
    if let Some(description) = sheet.description {
        document.insert("description".to_owned(), json!(description));
    }
    document.extend(object(sheet));
    Value::Object(document).to_string()
}

/// The schema of the payload alone, as a tool's input.
pub fn object(sheet: &Sheet<'_>) -> Map<String, Value> {
    let properties: Map<String, Value> = sheet.keys.iter().map(|key| (key.name.clone(), property(key))).collect();
    let required: Vec<&str> = sheet
        .keys
        .iter()
        .filter(|key| key.required)
        .map(|key| key.name.as_str())
        .collect();
    let mut object = Map::from_iter([
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), Value::Object(properties)),
        ("required".to_owned(), json!(required)),
    ]);
    if sheet.strict {
        object.insert("additionalProperties".to_owned(), json!(false));
    }
    object
}

fn property(key: &SheetKey) -> Value {
    let mut hints = Vec::new();
    let own = match key.shape {
        Shape::Other => json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
        _ => json_schema::key_schema(key.key_type, &enforced(&key.constraints, &mut hints)),
    };
    let mut sentences: Vec<String> = hints.iter().map(|hint| format!("In the format {hint}.")).collect();
    sentences.extend(key.mark.map(|mark| wording::standing(mark).to_owned()));
    let mut property = Map::new();
    property.insert(
        "description".to_owned(),
        json!(wording::joined(&key.description, &sentences)),
    );
    if let Value::Object(own) = own {
        property.extend(own);
    }
    if let Some(default) = &key.default {
        property.insert("default".to_owned(), default.clone());
    }
    if key.mark == Some("deprecated") {
        property.insert("deprecated".to_owned(), json!(true));
    }
    Value::Object(property)
}

/// A schema without the formats that nobody enforces, which are noted. Nesting is bounded by publishing.
fn enforced(schema: &Map<String, Value>, hints: &mut Vec<String>) -> Map<String, Value> {
    let mut kept = schema.clone();
    if let Some(name) = schema.text(Keyword::Format).filter(|name| format::find(name).is_none()) {
        kept.shift_remove(Keyword::Format.name());
        if !hints.iter().any(|hint| hint == name) {
            hints.push(name.to_owned());
        }
    }
    for (name, value) in &mut kept {
        match (Keyword::parse(name), value) {
            (Some(Keyword::Items | Keyword::AdditionalProperties), Value::Object(below)) => {
                *below = enforced(below, hints)
            }
            (Some(Keyword::Properties), Value::Object(members)) => {
                for below in members.values_mut().filter_map(Value::as_object_mut) {
                    *below = enforced(below, hints);
                }
            }
            _ => {}
        }
    }
    kept
}
