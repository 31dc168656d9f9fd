//! The published templates of the Agent Context Message and of each of its five contexts, written from the table that messages are
//! checked by, so that neither says what the other does not (M-009, M-010, M-016, M-022, M-025, M-028).
//!
//! Pure: documents as JSON. `schemas/` holds them as files, and a test holds the files to this. Invariant: a document of a version
//! that was released says the same for good.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::message::shape;
use crate::message::shape::Member;
use crate::message::shape::Shape;

/// Of all of them.
const VERSION: &str = "1.0.0";
/// What [`shape::percent`] takes, as JSON Schema says it.
const PERCENT: &str = r"^(100(\.0+)?|[0-9]{1,2}(\.[0-9]+)?) ?%$";

/// The template of a whole message.
const WHOLE: &str = "agent_context_message";

/// One of the five contexts as a template.
#[derive(Clone, Copy, Debug)]
struct Context {
    /// Its name in a message.
    member: &'static str,
    scenario: &'static str,
    /// The key that holds it.
    key: &'static str,
    description: &'static str,
    /// What its key means.
    says: &'static str,
}

const CONTEXTS: [Context; 5] = [
    Context {
        member: "taskContext",
        scenario: "message_task_context",
        key: "task_context",
        description: "The task context of an Agent Context Message by itself: what is to be done, and how far it is.",
        says: "The taskContext of an Agent Context Message: id and name of the task, its progress as a share, goals, \
            to-do items, and what happened so far. Members that are not named here are kept. Example mapping: 'a \
            third of the analysis is done' -> {\"taskProgress\": \"33%\"}.",
    },
    Context {
        member: "mcpContext",
        scenario: "message_mcp_context",
        key: "mcp_context",
        description: "The MCP context of an Agent Context Message by itself: which services and functions there are to choose \
            from.",
        says: "The mcpContext of an Agent Context Message: MCP services with their versions, and functions with what \
            they do, so that another agent picks the right one. Members that are not named here are kept. Example \
            mapping: 'raw data can be fetched with fetchData' -> {\"mcpFunctionList\": [{\"functionName\": \"fetchData\", \
            \"description\": \"Fetches raw data.\"}]}.",
    },
    Context {
        member: "policyContext",
        scenario: "message_policy_context",
        key: "policy_context",
        description: "The policy context of an Agent Context Message by itself: which rules to keep.",
        says: "The policyContext of an Agent Context Message: rules of the organisation, each with its id, as guidance \
            and never as a permission. Members that are not named here are kept. Example mapping: 'encrypt everything \
            with TLS 1.2 or higher' -> {\"policies\": [{\"policyId\": \"P002\", \"rule\": \"Ensure all communications are \
            encrypted using TLS 1.2 or higher.\"}]}.",
    },
    Context {
        member: "resourceContext",
        scenario: "message_resource_context",
        key: "resource_context",
        description: "The resource context of an Agent Context Message by itself: what a task needs, and what there is.",
        says: "The resourceContext of an Agent Context Message: resources that tasks and tools need, and those that the \
            system can provide, each with its quantity or bandwidth. Members that are not named here are kept. \
            Example mapping: 'it needs four CPU cores' -> {\"requiredResources\": [{\"resourceType\": \"CPU\", \"quantity\": \
            \"4 cores\"}]}.",
    },
    Context {
        member: "securityContext",
        scenario: "message_security_context",
        key: "security_context",
        description: "The security context of an Agent Context Message by itself: what is said of access and protection, as \
            guidance alone.",
        says: "The securityContext of an Agent Context Message: a role with its permissions, and how data are encrypted, \
            as guidance alone: nothing is decided by it, and tokens in it are never kept. Members that are not named \
            here are kept. Example mapping: 'the analyst may read' -> {\"accessControl\": {\"role\": \"data_analyst\", \
            \"permissions\": [\"read\"]}}.",
    },
];

/// Every template with its schema id: that of the message, then those of its contexts in their order in a message.
pub fn documents() -> Vec<(String, Value)> {
    let message = document(
        WHOLE,
        "message",
        "What a piece of work is about, passed between agents beside the work itself: task, MCP services, \
         policies, resources and security.",
        "An Agent Context Message: its member agentContext holds up to five contexts. taskContext says what is to \
         be done and how far it is; mcpContext which services and functions there are to choose from; \
         policyContext which rules to keep; resourceContext what is needed and what there is; securityContext what \
         is said of access and protection, as guidance alone. Tokens in it are never kept. Example mapping: 'a \
         third of the analysis is done' -> {\"agentContext\": {\"taskContext\": {\"taskProgress\": \"33%\"}}}.",
        shape::MESSAGE,
    );
    let mut all = vec![message];
    for context in CONTEXTS {
        all.push(document(
            context.scenario,
            context.key,
            context.description,
            context.says,
            rows(context.member),
        ));
    }
    all
}

/// What a context is made of; nothing for one that a message does not have.
fn rows(context: &str) -> &'static [Member] {
    let found = shape::AGENT_CONTEXT.iter().find(|member| member.name == context);
    match found.map(|member| member.shape) {
        Some(Shape::Object(rows)) => rows,
        Some(
            Shape::Text
            | Shape::Name
            | Shape::Percent
            | Shape::Moment
            | Shape::Flag
            | Shape::Texts
            | Shape::Free
            | Shape::Objects(_),
        )
        | None => &[],
    }
}

/// The template whose one key holds an object of these members; a typed part holds the object as its data.
fn document(scenario: &str, key: &str, description: &str, says: &str, rows: &'static [Member]) -> (String, Value) {
    let schema_id = format!("{scenario}_v1");
    let mut constraints = object(rows);
    constraints.remove("type");
    let document = json!({
        "schema_id": schema_id,
        "scenario": scenario,
        "version": VERSION,
        "description": description,
        "owner": "Otherwise",
        "labels": {"part_data": key},
        "keys": [{
            "key_name": key,
            "key_type": "object",
            "required": true,
            "semantic_description": says,
            "constraints": constraints,
        }],
    });
    (schema_id, document)
}

fn object(rows: &'static [Member]) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    let properties: Map<String, Value> = rows
        .iter()
        .filter_map(|row| Some((row.name.to_owned(), schema_of(row.shape)?)))
        .collect();
    if !properties.is_empty() {
        schema.insert("properties".to_owned(), Value::Object(properties));
    }
    let required: Vec<&str> = rows.iter().filter(|row| row.required).map(|row| row.name).collect();
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

/// What a member must be, as JSON Schema; nothing for what may be anything.
fn schema_of(shape: Shape) -> Option<Value> {
    Some(match shape {
        // That a name is not empty is left to the messages: a template that was published stays as it is.
        Shape::Text | Shape::Name => json!({"type": "string"}),
        Shape::Percent => json!({"type": "string", "pattern": PERCENT}),
        Shape::Moment => json!({"type": "string", "format": "date-time"}),
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Texts => json!({"type": "array", "items": {"type": "string"}}),
        Shape::Free => return None,
        Shape::Object(rows) => Value::Object(object(rows)),
        Shape::Objects(rows) => json!({"type": "array", "items": object(rows)}),
    })
}

#[cfg(test)]
mod tests {
    use super::CONTEXTS;
    use super::documents;
    use crate::message::shape;
    use schema::template::SchemaTemplate;

    #[test]
    fn every_context_of_a_message_has_a_template_of_its_own_m009_m010_m016_m022_m025_m028() {
        let names: Vec<&str> = shape::AGENT_CONTEXT.iter().map(|member| member.name).collect();
        assert_eq!(names, CONTEXTS.map(|context| context.member));
        for (schema_id, document) in documents() {
            let parsed = SchemaTemplate::parse(&document);
            assert!(parsed.is_ok(), "{schema_id}: {parsed:?}");
        }
    }
}
