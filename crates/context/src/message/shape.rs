//! What the members of a message must be, as a table, so that what is wrong is told by its place (M-009 … M-028).
//!
//! Members that no row names are not looked at. Invariant: what passes here can be read into an agent context without fail.

use serde_json::Map;
use serde_json::Value;

use crate::fields::FieldFault;
use schema::time::At;
use schema::time::SUPPORTED;

/// Faults that are told at once.
const FAULTS_MAX: usize = 32;

/// What a member must be.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Text,
    /// A text that names something: never empty.
    Name,
    /// A share such as `30%`, from 0 to 100 (M-011).
    Percent,
    /// RFC 3339 (M-014).
    Moment,
    Flag,
    Texts,
    /// Anything; it is kept as it is.
    Free,
    Object(&'static [Member]),
    Objects(&'static [Member]),
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub name: &'static str,
    pub shape: Shape,
    pub required: bool,
}

pub(crate) const fn may(name: &'static str, shape: Shape) -> Member {
    Member {
        name,
        shape,
        required: false,
    }
}

const fn must(name: &'static str, shape: Shape) -> Member {
    Member {
        name,
        shape,
        required: true,
    }
}

/// The whole message (M-009).
pub const MESSAGE: &[Member] = &[must("agentContext", Shape::Object(AGENT_CONTEXT))];

/// The five contexts (M-009).
pub const AGENT_CONTEXT: &[Member] = &[
    may("taskContext", Shape::Object(TASK)),
    may("mcpContext", Shape::Object(MCP)),
    may("policyContext", Shape::Object(POLICY)),
    may("resourceContext", Shape::Object(RESOURCE)),
    may("securityContext", Shape::Object(SECURITY)),
];

/// `taskContext` (M-010).
pub const TASK: &[Member] = &[
    may("taskId", Shape::Text),
    may("taskName", Shape::Text),
    may("taskProgress", Shape::Percent),
    may("goals", Shape::Texts),
    may(
        "todoItems",
        Shape::Objects(&[must("itemId", Shape::Name), must("description", Shape::Text)]),
    ),
    may(
        "statusUpdates",
        Shape::Objects(&[
            must("updateId", Shape::Name),
            must("timestamp", Shape::Moment),
            must("message", Shape::Text),
        ]),
    ),
];

/// `mcpContext` (M-016 … M-018).
pub const MCP: &[Member] = &[
    may(
        "mcpServiceList",
        Shape::Objects(&[must("serviceName", Shape::Name), may("version", Shape::Text)]),
    ),
    may(
        "mcpFunctionList",
        Shape::Objects(&[must("functionName", Shape::Name), may("description", Shape::Text)]),
    ),
];

const POLICY: &[Member] = &[may(
    "policies",
    Shape::Objects(&[must("policyId", Shape::Name), must("rule", Shape::Text)]),
)];

const RESOURCES: Shape = Shape::Objects(&[
    must("resourceType", Shape::Name),
    may("quantity", Shape::Text),
    may("bandwidth", Shape::Text),
]);

const RESOURCE: &[Member] = &[
    may("requiredResources", RESOURCES),
    may("availableResources", RESOURCES),
];

const SECURITY: &[Member] = &[
    may("authenticationInfo", Shape::Object(&[may("token", Shape::Free)])),
    may(
        "accessControl",
        Shape::Object(&[may("role", Shape::Text), may("permissions", Shape::Texts)]),
    ),
    may(
        "dataProtection",
        Shape::Object(&[
            may("encryptionEnabled", Shape::Flag),
            may("encryptionAlgorithm", Shape::Text),
        ]),
    ),
];

/// What of an object is not as its rows say; `place` is where it stands, empty at the top.
pub fn faults(value: &Value, rows: &'static [Member], place: &str) -> Vec<FieldFault> {
    let mut faults = Vec::new();
    check(value, Shape::Object(rows), place, &mut faults);
    faults.truncate(FAULTS_MAX);
    faults
}

/// How much of the whole is done, from 0 to 100.
pub fn percent(text: &str) -> Option<f64> {
    let number = text.strip_suffix('%')?.trim_end();
    let plain = number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let share: f64 = number.parse().ok().filter(|_| plain)?;
    (0.0..=100.0).contains(&share).then_some(share)
}

fn check(value: &Value, shape: Shape, place: &str, faults: &mut Vec<FieldFault>) {
    if faults.len() >= FAULTS_MAX {
        return;
    }
    let expected = match (shape, value) {
        (Shape::Free, _) | (Shape::Text, Value::String(_)) | (Shape::Flag, Value::Bool(_)) => return,
        (Shape::Name, Value::String(text)) if !text.is_empty() => return,
        (Shape::Percent, Value::String(text)) if percent(text).is_some() => return,
        (Shape::Moment, Value::String(text)) if At::parse(text).is_some() => return,
        (Shape::Texts, Value::Array(items)) if items.iter().all(Value::is_string) => return,
        (Shape::Object(rows), Value::Object(members)) => return within(members, rows, place, faults),
        (Shape::Objects(rows), Value::Array(items)) => {
            for (n, item) in items.iter().enumerate() {
                check(item, Shape::Object(rows), &format!("{place}[{n}]"), faults);
            }
            return;
        }
        (Shape::Text, _) => "a text",
        (Shape::Name, _) => "a text that is not empty",
        (Shape::Flag, _) => "true or false",
        (Shape::Percent, _) => "a share such as 30%, from 0% to 100%",
        (Shape::Moment, Value::String(text)) if At::is_beyond(text) => SUPPORTED,
        (Shape::Moment, _) => "a moment as RFC 3339 writes it, such as 2026-05-01T08:00:00Z",
        (Shape::Texts, _) => "a list of texts",
        (Shape::Object(_), _) => "an object",
        (Shape::Objects(_), _) => "a list of objects",
    };
    let place = if place.is_empty() { "the body" } else { place };
    faults.push(FieldFault::new(place, format!("must be {expected}")));
}

fn within(members: &Map<String, Value>, rows: &'static [Member], place: &str, faults: &mut Vec<FieldFault>) {
    for row in rows {
        let place = if place.is_empty() {
            row.name.to_owned()
        } else {
            format!("{place}.{}", row.name)
        };
        match members.get(row.name).filter(|value| !value.is_null()) {
            Some(value) => check(value, row.shape, &place, faults),
            None if row.required => faults.push(FieldFault::new(place, "is required")),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::MESSAGE;
    use super::Shape;
    use super::faults;
    use super::percent;

    fn places(value: &Value) -> Vec<String> {
        let faults = faults(value, MESSAGE, "");
        faults.into_iter().map(|fault| fault.field).collect()
    }

    #[test]
    fn progress_is_a_share_m011() {
        for (text, share) in [
            ("30%", Some(30.0)),
            ("0%", Some(0.0)),
            ("100%", Some(100.0)),
            ("33.5 %", Some(33.5)),
            ("100.1%", None),
            ("-1%", None),
            ("30", None),
            ("1e1%", None),
            ("%", None),
        ] {
            assert_eq!(percent(text), share, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_by_its_place_m009_m010_m012_m013_m014_m016_m017_m018_m022_m025_m028() {
        assert_eq!(places(&json!({})), ["agentContext"]);
        assert_eq!(places(&json!([])), ["the body"]);
        assert_eq!(places(&json!({"agentContext": {}})), Vec::<String>::new());
        let wrong = json!({"agentContext": {
            "taskContext": {"taskId": 7, "taskProgress": "most", "goals": ["a", 1], "todoItems": [{"itemId": "i"}],
                "statusUpdates": [{"updateId": "", "timestamp": "yesterday", "message": "m"}]},
            "mcpContext": {"mcpServiceList": {}, "mcpFunctionList": [{"functionName": "f"}, 1]},
            "policyContext": {"policies": [{"rule": "r"}]},
            "resourceContext": {"requiredResources": [{"quantity": "1"}], "availableResources": null},
            "securityContext": {"accessControl": {"permissions": "all"}, "dataProtection": {"encryptionEnabled": "yes"}}}});
        let expected = [
            "taskContext.taskId",
            "taskContext.taskProgress",
            "taskContext.goals",
            "taskContext.todoItems[0].description",
            "taskContext.statusUpdates[0].updateId",
            "taskContext.statusUpdates[0].timestamp",
            "mcpContext.mcpServiceList",
            "mcpContext.mcpFunctionList[1]",
            "policyContext.policies[0].policyId",
            "resourceContext.requiredResources[0].resourceType",
            "securityContext.accessControl.permissions",
            "securityContext.dataProtection.encryptionEnabled",
        ];
        assert_eq!(places(&wrong), expected.map(|place| format!("agentContext.{place}")));
        let many = json!({"agentContext": {"policyContext": {"policies": vec![json!({}); 100]}}});
        assert_eq!(places(&many).len(), super::FAULTS_MAX);
    }

    /// What a shape is as JSON Schema; nothing for what may be anything. That a name is not empty is left to the messages.
    fn json_schema(shape: Shape) -> Option<Value> {
        Some(match shape {
            Shape::Text | Shape::Name => json!({"type": "string"}),
            Shape::Percent => json!({"type": "string", "pattern": r"^(100(\.0+)?|[0-9]{1,2}(\.[0-9]+)?) ?%$"}),
            Shape::Moment => json!({"type": "string", "format": "date-time"}),
            Shape::Flag => json!({"type": "boolean"}),
            Shape::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Shape::Free => return None,
            Shape::Objects(rows) => json!({"type": "array", "items": json_schema(Shape::Object(rows))}),
            Shape::Object(rows) => {
                let mut schema = json!({"type": "object"});
                for row in rows {
                    if let Some(member) = json_schema(row.shape) {
                        schema["properties"][row.name] = member;
                    }
                    if row.required {
                        schema["required"] = [
                            schema["required"].as_array().cloned().unwrap_or_default(),
                            vec![json!(row.name)],
                        ]
                        .concat()
                        .into();
                    }
                }
                schema
            }
        })
    }

    #[test]
    fn the_shipped_templates_say_what_messages_are_checked_by_m009_m010_m016_m022_m025_m028() {
        for (shipped, rows) in [
            (
                include_str!("../../../../schemas/agent_context_message_v1.json"),
                MESSAGE,
            ),
            (
                include_str!("../../../../schemas/message_task_context_v1.json"),
                super::TASK,
            ),
            (
                include_str!("../../../../schemas/message_mcp_context_v1.json"),
                super::MCP,
            ),
            (
                include_str!("../../../../schemas/message_policy_context_v1.json"),
                super::POLICY,
            ),
            (
                include_str!("../../../../schemas/message_resource_context_v1.json"),
                super::RESOURCE,
            ),
            (
                include_str!("../../../../schemas/message_security_context_v1.json"),
                super::SECURITY,
            ),
        ] {
            let document: Value = serde_json::from_str(shipped).expect("JSON");
            let mut constraints = document["keys"][0]["constraints"].clone();
            constraints["type"] = json!("object");
            assert_eq!(
                Some(constraints),
                json_schema(Shape::Object(rows)),
                "{}",
                document["schema_id"]
            );
        }
    }
}
