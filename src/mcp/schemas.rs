//! What each call takes and gives, as JSON Schema (2020-12). What is given is an object of the contract ([`crate::api`]); members that
//! are not named there may stand in it.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::json;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use crate::api::pool::PoolReview;
use crate::api::pool::Taken;
use crate::api::scenarios::Scenarios;
use crate::api::submissions::Accepted;
use crate::api::submissions::Exchange;
use crate::api::submissions::ExtensionReply;
use crate::api::templates::Suggestion;
use crate::api::templates::Updates;
use crate::wire::calls::Call;
use context::session::request::ACTIONS;
use engine::evolution::review::answer;
use schema::export::NAMES;

/// What a call takes.
pub fn input(call: Call) -> Value {
    let scenario = text("Name of the scenario, such as flight_booking; list_scenarios lists them.");
    let key = json!({"type": "string", "minLength": 1, "maxLength": 255, "description":
        "The same key with the same arguments is carried out once, and answered the same."});
    let schema_id = text("One of the scenario's schemas instead of the one in force.");
    let version =
        text("The schema of this version (1.3.0), or the highest that a requirement such as ^1 or ~1.2 lets through.");
    let revision =
        json!({"type": "integer", "minimum": 0, "description": "The revision of the template that is held."});
    match call {
        Call::ListScenarios => object(
            json!({
                "q": text("What is wanted, in plain words; without it everything is listed."),
                "label": text("Only scenarios that bear this label, as name:value."),
                "limit": {"type": "integer", "minimum": 1, "maximum": 1000,
                          "description": "How many: of answers to q at most 100, and 10 where nothing is said."},
                "after": text("The next of the page before; goes without q."),
            }),
            &[],
        ),
        Call::GetSchemaTemplate => object(
            json!({
                "scenario": scenario,
                "schema_id": schema_id,
                "version": version,
                "preferred_language": {"type": ["string", "array"], "items": {"type": "string"}, "description":
                    "BCP 47 tags of the descriptions in the order of preference, also with weights, as fr;q=0.5."},
                "experimental": {"type": "boolean", "description": "Whether keys on trial are wanted; true where nothing is said."},
                "format": {"type": "string", "enum": NAMES, "description": "An export instead of the template itself."},
                "as_of": {"type": ["integer", "string"], "description": "A revision, or an RFC 3339 moment: the template as it was then."},
                "capabilities": {"type": "object", "description":
                    "What the caller can take; what is not heeded comes back in capabilities.ignored.",
                    "properties": {"formats": {"type": "array", "items": {"type": "string"}, "description":
                        "Names of formats, the most wanted first, and template for the template itself; the first that there is \
                         comes back where format names none."}}},
            }),
            &["scenario"],
        ),
        Call::ValidatePayload | Call::SubmitPayload => {
            let mut members = json!({
                "schema_id": text("The schema_id of the template that the payload was made by."),
                "payload": {"type": "object", "description":
                    "Keys and values as the template says. What no key holds goes into `other`, word for word."},
                "utterance": text("What the user said."),
                "language": text("BCP 47 tag of the utterance."),
                "revision": revision,
                "pinned": {"type": "boolean", "description": "Whether to be judged by the template of that revision."},
            });
            if call == Call::SubmitPayload {
                members["idempotency_key"] = key;
            }
            object(members, &["schema_id", "payload"])
        }
        Call::GetSchemaUpdates => object(
            json!({
                "scenario": scenario,
                "schema_id": schema_id,
                "version": version,
                "since": {"type": "integer", "minimum": 0, "description": "The revision that is held; 0 where nothing is said."},
            }),
            &["scenario"],
        ),
        Call::SharedContext => shared_context(),
        Call::ReviewPool => object(json!({ "scenario": scenario }), &["scenario"]),
        Call::ProposeKeys => {
            let mut taken = answer::schema();
            taken["properties"]["scenario"] = scenario;
            taken["properties"]["by"] = text("Who or what read it; the caller where nothing is said.");
            taken["properties"]["digest"] = text("The digest that review_pool gave.");
            taken["required"] = json!(["scenario", "wishes", "held", "nothing"]);
            taken
        }
        Call::RequestExtension => object(
            json!({
                "scenario": scenario,
                "wishes": {"type": "array", "minItems": 1, "items": {"type": "string"}, "description":
                    "What the template should be able to say, each wish in plain words."},
                "revision": revision,
                "idempotency_key": key,
            }),
            &["scenario", "wishes"],
        ),
    }
}

fn shared_context() -> Value {
    object(
        json!({
            "session_id": text("The session; whoever launched you says which."),
            "action": {"type": "string", "enum": ACTIONS, "description":
                "list_keys: what there is, and how large. read, write, delete: one key. read_batch: several keys. The others are \
                 extensions that a session may have."},
            "key": {"type": "string", "maxLength": 64, "description": "read, write, delete, read_history: the key, out of a-z, 0-9 and _."},
            "value": text("write: the text, at most about 4000 characters."),
            "if_version": {"type": "integer", "minimum": 0, "description":
                "write, delete: only if the key is at this version; 0 if it must not be there."},
            "if_incarnation": {"type": "integer", "minimum": 0, "description":
                "write, delete: only if the key is of this incarnation: it was not deleted and written anew since you read it."},
            "keys": {"type": "array", "minItems": 1, "items": {"type": "string"}, "description": "read_batch: the keys."},
            "versions": {"type": "array", "items": {"type": "integer"}, "description": "read_history: these alone."},
            "label": {"type": "string", "maxLength": 64, "description": "snapshot, read_snapshot, rollback, delete_snapshot: its name."},
        }),
        &["session_id", "action"],
    )
}

/// What a call gives when it succeeds.
pub fn output(call: Call) -> Value {
    match call {
        Call::ListScenarios => contract::<Scenarios>(),
        Call::ValidatePayload | Call::SubmitPayload => contract::<Accepted>(),
        Call::GetSchemaUpdates => contract::<Updates>(),
        Call::ReviewPool => contract::<PoolReview>(),
        Call::ProposeKeys => contract::<Taken>(),
        Call::RequestExtension => contract::<ExtensionReply>(),
        // The template, or with `format` an export of it.
        Call::GetSchemaTemplate => object(
            json!({
                "schema_id": {"type": "string"}, "version": {"type": "string"}, "revision": {"type": "integer"},
                "language": {"type": "string"}, "keys": {"type": "array", "items": {"type": "object"}},
                "digest": text("With `format`: of the template's `key_digests`."),
                "format": {"type": "string"}, "text": text("With `format`: the export."),
                "lost": {"type": "array", "description": "With `format`: what the export cannot say."},
                "capabilities": {"type": "object", "description": "With `capabilities`: what was not heeded."},
            }),
            &["revision", "language"],
        ),
        // Each action answers in its own way.
        Call::SharedContext => object(
            json!({
                "keys": {"type": "array", "description": "list_keys", "items": {"type": "object"}},
                "key": {"type": "string"}, "value": text("read"), "version": {"type": "integer"},
                "written_by": {"type": "string"}, "written_at": {"type": "string"},
                "warning": {"type": "string"}, "hint": {"type": "string"},
            }),
            &[],
        ),
    }
}

/// What `find_scenario` takes.
pub fn input_of_find(found: u64, found_max: u64) -> Value {
    let limit = format!("How many at most; {found} where nothing is said.");
    object(
        json!({
            "q": text("What is wanted, in plain words."),
            "limit": {"type": "integer", "minimum": 1, "maximum": found_max, "description": limit},
        }),
        &["q"],
    )
}

/// What is said of an accepted submission beside its result, by the names of the members. Each tool of a scenario bears it, so what it
/// names in turn is told by its type alone.
pub fn said_of_a_submission() -> [(&'static str, Value); 2] {
    let suggestion = brief::<Suggestion>();
    [
        ("exchange", brief::<Exchange>()),
        ("schema_update_suggestion", suggestion),
    ]
}

/// The schema of a type of the contract, without those that it names.
fn brief<T: ToSchema>() -> Value {
    let mut schema = contract::<T>();
    let named = schema["$defs"].take();
    shorten(&mut schema, &named);
    if let Some(members) = schema.as_object_mut() {
        members.shift_remove("$defs");
    }
    schema
}

/// Puts type and listed values of what is named in the place of its name.
fn shorten(schema: &mut Value, named: &Value) {
    let target = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|pointer| pointer.rsplit('/').next());
    if let Some(target) = target {
        let target = &named[target];
        let told = ["type", "enum"].map(|keyword| (keyword.to_owned(), target[keyword].clone()));
        *schema = told.into_iter().filter(|(_, told)| !told.is_null()).collect();
        return;
    }
    match schema {
        Value::Object(members) => members.values_mut().for_each(|inner| shorten(inner, named)),
        Value::Array(items) => items.iter_mut().for_each(|inner| shorten(inner, named)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The schema of a type of the contract, with those that it names beside it.
pub fn contract<T: ToSchema>() -> Value {
    let mut named: Vec<(String, RefOr<Schema>)> = Vec::new();
    T::schemas(&mut named);
    let mut schema = json!(T::schema());
    schema["$defs"] = json!(named.into_iter().collect::<BTreeMap<_, _>>());
    let text = schema.to_string().replace("#/components/schemas/", "#/$defs/");
    serde_json::from_str(&text).unwrap_or(schema)
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

#[cfg(test)]
mod tests {
    use super::input;
    use super::output;
    use crate::wire::calls::Call;

    #[test]
    fn every_schema_compiles_and_is_an_object() {
        for call in Call::all() {
            for schema in [input(call), output(call)] {
                assert_eq!(schema["type"], "object");
                jsonschema::draft202012::new(&schema).expect("a schema");
            }
        }
    }
}
