//! What each call takes and gives, as JSON Schema (2020-12). What is given is an object; members that are not named here
//! may stand in it.

use serde_json::Value;
use serde_json::json;

use crate::wire::calls::Call;
use context::session::request::ACTIONS;
use engine::evolution::review::answer;
use schema::export::NAMES;

/// What a call takes.
pub fn input(call: Call) -> Value {
    match call {
        Call::ListScenarios => object(
            &json!({
                "q": text("What is wanted, in plain words; without it everything is listed."),
                "label": text("Only scenarios that bear this label, as name:value."),
                "limit": {"type": "integer", "minimum": 1, "maximum": 1000,
                          "description": "How many: of answers to q at most 100, and 10 where nothing is said."},
                "after": text("The next of the page before; goes without q."),
            }),
            &[],
        ),
        Call::GetSchemaTemplate => object(
            &json!({
                "scenario": text("Name of the scenario, such as flight_booking; list_scenarios lists them."),
                "schema_id": text("One of the scenario's schemas instead of the one in force."),
                "version": text("The schema of this version, as MAJOR.MINOR.PATCH."),
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
        Call::ValidatePayload => submission(false),
        Call::SubmitPayload => submission(true),
        Call::GetSchemaUpdates => object(
            &json!({
                "scenario": text("Name of the scenario."),
                "since": {"type": "integer", "minimum": 0, "description": "The revision that is held; 0 where nothing is said."},
            }),
            &["scenario"],
        ),
        Call::SharedContext => shared_context(),
        Call::ReviewPool => object(&json!({"scenario": text("Name of the scenario.")}), &["scenario"]),
        Call::ProposeKeys => proposals(),
        Call::RequestExtension => object(
            &json!({
                "scenario": text("Name of the scenario."),
                "wishes": {"type": "array", "minItems": 1, "items": {"type": "string"}, "description":
                    "What the template should be able to say, each wish in plain words."},
                "revision": {"type": "integer", "minimum": 0, "description": "The revision of the template that is held."},
                "idempotency_key": {"type": "string", "minLength": 1, "maxLength": 255, "description":
                    "The same key with the same arguments is carried out once, and answered the same."},
            }),
            &["scenario", "wishes"],
        ),
    }
}

fn proposals() -> Value {
    let mut taken = answer::schema();
    taken["properties"]["scenario"] = text("Name of the scenario.");
    taken["properties"]["by"] = text("Who or what read it; the caller where nothing is said.");
    taken["properties"]["digest"] = text("The digest that review_pool gave.");
    taken["required"] = json!(["scenario", "wishes", "held", "nothing"]);
    taken
}

fn shared_context() -> Value {
    let patterns = json!({"type": "array", "maxItems": 16, "items": {"type": "string"}, "description":
        "write, with access control: participants such as orchestrator, subagent:review or subagent:*."});
    object(
        &json!({
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
            "ttl_s": {"type": "integer", "minimum": 1, "description": "write, with expiry: seconds after which the key is gone."},
            "readable_by": patterns,
            "writable_by": patterns,
            "keys": {"type": "array", "minItems": 1, "items": {"type": "string"}, "description": "read_batch: the keys."},
            "versions": {"type": "array", "items": {"type": "integer"}, "description": "read_history: these alone."},
            "label": {"type": "string", "maxLength": 64, "description": "snapshot, read_snapshot, rollback, delete_snapshot: its name."},
        }),
        &["session_id", "action"],
    )
}

fn submission(keyed: bool) -> Value {
    let mut members = json!({
        "schema_id": text("The schema_id of the template that the payload was made by."),
        "payload": {"type": "object", "description":
            "Keys and values as the template says. What no key holds goes into `other`, word for word."},
        "utterance": text("What the user said."),
        "language": text("BCP 47 tag of the utterance."),
        "revision": {"type": "integer", "minimum": 0, "description": "The revision of the template that is held."},
        "pinned": {"type": "boolean", "description": "Whether to be judged by the template of that revision."},
    });
    if keyed {
        members["idempotency_key"] = json!({"type": "string", "minLength": 1, "maxLength": 255, "description":
            "The same key with the same arguments is carried out once, and answered the same."});
    }
    object(&members, &["schema_id", "payload"])
}

/// What a call gives when it succeeds.
pub fn output(call: Call) -> Value {
    match call {
        Call::ListScenarios => object(
            &json!({
                "scenarios": {"type": "array", "items": object(&json!({
                    "scenario": {"type": "string"}, "schema_id": {"type": "string"}, "version": {"type": "string"},
                    "revision": {"type": "integer"}, "description": {"type": ["string", "null"]},
                }), &["scenario", "schema_id", "revision"])},
                "outcome": {"type": "string", "enum": ["match", "no_match"]},
                "likeness_min": {"type": "number", "description": "With `q`: what a scenario must reach to fit."},
                "unread": {"type": "integer", "description": "With `q`: scenarios that were not read yet, right after a start; \
                           where it is not 0, no_match may be wrong: ask again in a moment."},
                "next": {"type": ["string", "null"], "description": "Where there are more: what `after` is to say next."},
            }),
            &["scenarios"],
        ),
        Call::GetSchemaTemplate => {
            let key = object(
                &json!({
                    "key_name": {"type": "string"}, "key_type": {"type": "string"}, "required": {"type": "boolean"},
                    "semantic_description": {"type": "string"}, "constraints": {"type": "object"},
                    "experimental": {"type": "boolean"}, "deprecated": {"type": "boolean"},
                }),
                &["key_name", "key_type", "required", "semantic_description"],
            );
            object(
                &json!({
                    "schema_id": {"type": "string"}, "scenario": {"type": "string"}, "version": {"type": "string"},
                    "revision": {"type": "integer"}, "language": {"type": "string"},
                    "patches": {"type": "array", "items": {"type": "object"}}, "keys": {"type": "array", "items": key},
                    "key_digests": {"type": "object", "additionalProperties": {"type": "string"}},
                    "format": {"type": "string"}, "text": text("With `format`: the export."),
                    "media_type": {"type": "string"}, "tokens": {"type": "integer"},
                    "lost": {"type": "array", "description": "With `format`: what the export cannot say."},
                    "capabilities": {"type": "object", "description": "With `capabilities`: what was not heeded."},
                }),
                &["revision", "language"],
            )
        }
        Call::ValidatePayload | Call::SubmitPayload => object(
            &json!({
                "payload": {"type": "object", "description": "The payload as it was understood, where nothing is executed."},
                "exchange": object(&json!({
                    "submission_id": {"type": "string"}, "schema_id": {"type": "string"}, "revision": {"type": "integer"},
                    "status": {"type": "string"}, "defaults_applied": {"type": "array", "items": {"type": "string"}},
                    "kept_out": {"type": "array", "items": {"type": "string"}},
                    "warnings": {"type": "array", "items": {"type": "object"}},
                    "template_change": {"type": "object"}, "replayed": {"type": "boolean"},
                }), &["schema_id", "revision", "status"]),
                "schema_update_suggestion": {"type": "object"},
            }),
            &["exchange"],
        ),
        Call::GetSchemaUpdates => object(
            &json!({
                "revision": {"type": "integer"}, "schema_id": {"type": "string"},
                "patches": {"type": "array", "items": {"type": "object"}},
                "withdrawn_keys": {"type": "array", "items": {"type": "string"}},
            }),
            &["revision", "schema_id", "patches", "withdrawn_keys"],
        ),
        Call::ReviewPool => object(
            &json!({
                "digest": {"type": "string"}, "instructions": {"type": "string"}, "material": {"type": "object"},
                "answer_schema": {"type": "object"},
            }),
            &["digest", "instructions", "material", "answer_schema"],
        ),
        Call::ProposeKeys => object(
            &json!({
                "wishes": {"type": "integer", "description": "Wishes that the pool holds now by a reader's word."},
                "refused": {"type": "array", "items": object(&json!({"at": {"type": "string"}, "why": {"type": "string"}}), &["at", "why"])},
            }),
            &["wishes", "refused"],
        ),
        Call::SharedContext => object(
            &json!({
                "keys": {"type": "array", "description": "list_keys", "items": object(&json!({
                    "key": {"type": "string"}, "written_by": {"type": "string"}, "written_at": {"type": "string"},
                    "version": {"type": "integer"}, "value_size_tokens": {"type": "integer"},
                }), &["key", "written_by", "written_at", "version", "value_size_tokens"])},
                "total_size_tokens": {"type": "integer"}, "max_total_tokens": {"type": "integer"},
                "key": {"type": "string"}, "value": text("read"), "version": {"type": "integer"},
                "written_by": {"type": "string"}, "written_at": {"type": "string"},
                "warning": {"type": "string"}, "hint": {"type": "string"},
                "deleted": {"type": "string"}, "previous_version": {"type": "integer"},
                "results": {"type": "array", "items": {"type": "object"}},
                "history": {"type": "array", "items": {"type": "object"}},
            }),
            &[],
        ),
        Call::RequestExtension => object(
            &json!({
                "wishes": {"type": "array", "items": object(&json!({
                    "text": {"type": "string"}, "fate": {"type": "string", "enum": ["pooled", "covered", "no_demand", "captured"]},
                    "key_name": text("The key that says it already."),
                }), &["text", "fate"])},
                "exchange": {"type": "object"}, "schema_update_suggestion": {"type": "object"},
            }),
            &["wishes", "exchange"],
        ),
    }
}

fn object(properties: &Value, required: &[&str]) -> Value {
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
        for call in Call::ALL {
            for schema in [input(call), output(call)] {
                assert_eq!(schema["type"], "object");
                jsonschema::draft202012::new(&schema).expect("a schema");
            }
        }
    }
}
