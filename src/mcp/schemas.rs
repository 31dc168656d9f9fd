//! What each call takes and gives, as JSON Schema (2020-12): objects of the contract ([`crate::api`]) where HTTP has them too. Members
//! that are not named there may stand in what is given.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::json;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use crate::api::pool::PoolReview;
use crate::api::pool::Taken;
use crate::api::scenarios::Scenarios;
use crate::api::sessions::ContextAction;
use crate::api::submissions::Accepted;
use crate::api::submissions::ExtensionReply;
use crate::api::submissions::ExtensionRequest;
use crate::api::submissions::Submission;
use crate::api::templates::NegotiationParams;
use crate::api::templates::Updates;
use crate::wire::calls::Call;
use engine::evolution::review::answer;

/// What a call takes.
pub fn input(call: Call) -> Value {
    let scenario = text("Name of the scenario, such as flight_booking; list_scenarios lists them.");
    let key = json!({"type": "string", "minLength": 1, "maxLength": 255, "description":
        "The same key with the same arguments is carried out once, and answered the same. One that is made for retries alone begins with generated:."});
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
        Call::GetSchemaTemplate => contract::<NegotiationParams>(),
        Call::ValidatePayload => contract::<Submission>(),
        Call::SubmitPayload => with(contract::<Submission>(), "idempotency_key", key, false),
        Call::GetSchemaUpdates => {
            let named = &contract::<NegotiationParams>()["properties"];
            object(
                json!({
                    "scenario": scenario,
                    "schema_id": named["schema_id"],
                    "version": named["version"],
                    "since": {"type": "integer", "minimum": 0, "description": "The revision that is held; 0 where nothing is said."},
                }),
                &["scenario"],
            )
        }
        Call::SharedContext => {
            let session = text("The session; whoever launched you says which.");
            with(contract::<ContextAction>(), "session_id", session, true)
        }
        Call::ReviewPool => object(json!({ "scenario": scenario }), &["scenario"]),
        Call::ProposeKeys => {
            let mut taken = with(answer::schema(), "scenario", scenario, true);
            taken["properties"]["by"] = text("Who or what read it; the caller where nothing is said.");
            taken["properties"]["digest"] = text("The digest that review_pool gave.");
            taken
        }
        Call::RequestExtension => {
            let request = with(contract::<ExtensionRequest>(), "scenario", scenario, true);
            with(request, "idempotency_key", key, false)
        }
    }
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
        Call::GetSchemaTemplate => object(
            json!({
                "revision": {"type": "integer"},
                "language": {"type": "string"},
                "keys": {"type": "array", "description": "Of the template itself.", "items": {"type": "object"}},
                "text": text("With `format`: the export."),
            }),
            &["revision", "language"],
        ),
        // Each action answers in its own way.
        Call::SharedContext => object(json!({}), &[]),
    }
}

/// The schema of a type of the contract without what it names in turn, for what each tool of a scenario bears.
pub fn brief<T: ToSchema>() -> Value {
    let mut schema = json!(T::schema());
    let members = schema["properties"].as_object_mut().into_iter().flatten();
    for member in members.filter_map(|(_, member)| member.as_object_mut()) {
        member.retain(|keyword, _| keyword == "type" || keyword == "description");
    }
    schema
}

/// The schema of a type of the contract, with those that it names beside it.
pub fn contract<T: ToSchema>() -> Value {
    let mut named: Vec<(String, RefOr<Schema>)> = Vec::new();
    T::schemas(&mut named);
    let mut schema = json!(T::schema());
    if !named.is_empty() {
        schema["$defs"] = json!(named.into_iter().collect::<BTreeMap<_, _>>());
    }
    let text = schema.to_string().replace("#/components/schemas/", "#/$defs/");
    let mut schema = serde_json::from_str(&text).unwrap_or(schema);
    drop_number_formats(&mut schema);
    schema
}

/// Removes the formats of numbers, such as `int64`: they are of OpenAPI, and validators of JSON Schema refuse a schema with a format that
/// they do not know.
fn drop_number_formats(schema: &mut Value) {
    if let Some(members) = schema.as_object_mut() {
        if members.get("type").is_some_and(is_number) {
            members.shift_remove("format");
        }
        members.values_mut().for_each(drop_number_formats);
    }
    if let Some(items) = schema.as_array_mut() {
        items.iter_mut().for_each(drop_number_formats);
    }
}

/// Returns whether a `type` is of numbers, alone or in a list.
fn is_number(kind: &Value) -> bool {
    let is_one = |kind: &Value| kind == "integer" || kind == "number";
    is_one(kind) || kind.as_array().is_some_and(|kinds| kinds.iter().any(is_one))
}

/// An object with one more member.
fn with(mut schema: Value, name: &str, member: Value, required: bool) -> Value {
    schema["properties"][name] = member;
    if required && let Some(names) = schema["required"].as_array_mut() {
        names.push(json!(name));
    }
    schema
}

/// An object of these members.
pub fn object(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}

/// A text that means this.
pub fn text(description: &str) -> Value {
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
                let text = schema.to_string();
                let told = text.matches(r#""format":""#).count();
                assert_eq!(told, text.matches(r#""format":"date-time""#).count(), "{text}");
                jsonschema::draft202012::new(&schema).expect("a schema");
            }
        }
    }
}
