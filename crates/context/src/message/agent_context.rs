//! The Agent Context Message as types: five contexts, each of which may be left out (M-008 … M-028).
//!
//! Invariant: what is not known is kept and written again as it came, so that a message goes through here unharmed, but for
//! its secrets.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use crate::fields::FieldFault;
use crate::fields::refuse_repeated;
use crate::message::shape;
use text::secrets;
use text::secrets::Scope;

/// The whole message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    pub agent_context: AgentContext,
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// The five contexts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentContext {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_context: Option<TaskContext>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_context: Option<McpContext>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_context: Option<PolicyContext>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_context: Option<ResourceContext>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub security_context: Option<SecurityContext>,
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// What is to be done, and how far it is (M-010, M-015).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskContext {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_name: Option<String>,
    /// Such as `30%`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_progress: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goals: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub todo_items: Option<Vec<TodoItem>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_updates: Option<Vec<StatusUpdate>>,
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Something to be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TodoItem {
    pub item_id: String,
    pub description: String,
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusUpdate {
    pub update_id: String,
    /// RFC 3339.
    pub timestamp: String,
    pub message: String,
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// What an agent offers by MCP (M-016).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct McpContext {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_service_list: Option<Vec<McpService>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_function_list: Option<Vec<McpFunction>>,
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// An MCP service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct McpService {
    pub service_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A function of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct McpFunction {
    pub function_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Rules that are guidance (M-007, M-022).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PolicyContext {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policies: Option<Vec<Policy>>,
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Policy {
    pub policy_id: String,
    pub rule: String,
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// What is needed and what there is (M-025 … M-027).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceContext {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required_resources: Option<Vec<Resource>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub available_resources: Option<Vec<Resource>>,
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// One resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    pub resource_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<String>,
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// What is said of security. Guidance, never a ground for letting anybody do anything (M-028, M-034).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecurityContext {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_control: Option<AccessControl>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_protection: Option<DataProtection>,
    /// `authenticationInfo` among them, its secrets taken out.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// What somebody claims to be allowed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AccessControl {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<String>>,
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// How data are said to be protected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DataProtection {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encryption_enabled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encryption_algorithm: Option<String>,
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A message as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    pub message: Message,
    /// JSON pointers of secrets that were taken out, of words too.
    pub redacted: Vec<String>,
}

/// Reads a message from JSON text; its secrets are gone before anything else is done.
///
/// # Errors
/// Everything that is wrong, by its place.
pub fn read(text: &str) -> Result<Read, Vec<FieldFault>> {
    refuse_repeated(text).map_err(|fault| vec![fault])?;
    let scrubbed = secrets::scrubbed(text, Scope::Everywhere);
    let redacted = scrubbed
        .as_ref()
        .map(|scrubbed| scrubbed.places.clone())
        .unwrap_or_default();
    let text = scrubbed.as_ref().map_or(text, |scrubbed| &scrubbed.text);
    let value: Value = serde_json::from_str(text).map_err(|_| vec![FieldFault::new("the body", "must be JSON")])?;
    let faults = shape::faults(&value, shape::MESSAGE, "");
    if !faults.is_empty() {
        return Err(faults);
    }
    let message = serde_json::from_value(value);
    let message = message.map_err(|_| vec![FieldFault::new("the body", "cannot be read")])?;
    Ok(Read { message, redacted })
}

/// Reads what an agent offers by MCP, as JSON text (M-019).
///
/// # Errors
/// Everything that is wrong, by its place.
pub fn read_services(text: &str) -> Result<McpContext, Vec<FieldFault>> {
    refuse_repeated(text).map_err(|fault| vec![fault])?;
    let text = secrets::scrubbed_whole(text, Scope::Everywhere);
    let value: Value =
        serde_json::from_str(&text).map_err(|_| vec![FieldFault::new("the body", "must be a JSON object")])?;
    // Both the bare context and the one that names itself.
    let value = match value {
        Value::Object(mut members) => members.remove("mcpContext").unwrap_or(Value::Object(members)),
        other => other,
    };
    let faults = shape::faults(&value, shape::MCP, "");
    if !faults.is_empty() {
        return Err(faults);
    }
    let context: McpContext =
        serde_json::from_value(value).map_err(|_| vec![FieldFault::new("the body", "cannot be read")])?;
    let faults = repeats(&context);
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(context)
}

/// What is listed twice, so that nobody could tell which of the two is meant. A service may be offered in several versions, and
/// functions of several services may share a name.
fn repeats(context: &McpContext) -> Vec<FieldFault> {
    let services = context.mcp_service_list.iter().flatten();
    let services: Vec<_> = services.map(|one| (&one.service_name, &one.version)).collect();
    let functions = context.mcp_function_list.iter().flatten();
    let functions: Vec<_> = functions.map(|one| (&one.function_name, &one.description)).collect();
    [
        ("mcpServiceList", services, "serviceName", "service in this version"),
        (
            "mcpFunctionList",
            functions,
            "functionName",
            "function with this description",
        ),
    ]
    .into_iter()
    .flat_map(|(list, listed, name, kind)| {
        let mut first: BTreeMap<_, usize> = BTreeMap::new();
        let mut faults = Vec::new();
        for (place, one) in listed.into_iter().enumerate() {
            if let Some(before) = first.get(&one) {
                let what = format!("is listed already at {list}[{before}]: list each {kind} once");
                faults.push(FieldFault::new(format!("{list}[{place}].{name}"), what));
            } else {
                first.insert(one, place);
            }
        }
        faults
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::read;
    use super::read_services;
    use text::secrets::prose::MARK;

    const FIGURE_2: &str = include_str!("figure_2.json");

    #[test]
    fn figure_2_is_read_and_written_as_it_is_but_for_its_token_m008_m009_m024_m026_m030() {
        let figure = read(FIGURE_2).expect("a message");
        assert_eq!(
            figure.redacted,
            ["/agentContext/securityContext/authenticationInfo/token"]
        );
        let mut expected: Value = serde_json::from_str(FIGURE_2).expect("JSON");
        expected["agentContext"]["securityContext"]["authenticationInfo"]["token"] = json!(MARK);
        let written = serde_json::to_value(&figure.message).expect("JSON");
        assert_eq!(written, expected);
        let again = read(&written.to_string()).expect("a message");
        assert_eq!((again.message, again.redacted.len()), (figure.message.clone(), 0));
        let context = figure.message.agent_context;
        let task = context.task_context.expect("a task");
        assert_eq!(
            (task.task_id.as_deref(), task.task_progress.as_deref()),
            (Some("T123456"), Some("30%"))
        );
        assert_eq!(task.goals.map(|goals| goals.len()), Some(2));
        let resources = context
            .resource_context
            .expect("resources")
            .available_resources
            .expect("a list");
        assert_eq!(resources[1].bandwidth.as_deref(), Some("1 Gbps"));
        let security = context.security_context.expect("security");
        assert_eq!(
            security.access_control.and_then(|access| access.role).as_deref(),
            Some("DataAnalyst")
        );
    }

    #[test]
    fn what_is_not_known_is_kept_wherever_it_stands_m001() {
        let text = json!({"agentContext": {
            "taskContext": {"taskName": "t", "owner": "x", "todoItems": [{"itemId": "1", "description": "d", "state": 0}]},
            "mcpContext": {"mcpServiceList": [{"serviceName": "s", "url": "u"}], "vendor": {"a": [1]}},
            "deviceContext": {"os": "linux"}}, "version": "2"});
        let read = read(&text.to_string()).expect("a message");
        assert_eq!(serde_json::to_value(&read.message).expect("JSON"), text);
        assert!(read.redacted.is_empty());
    }

    #[test]
    fn what_is_listed_twice_is_refused_by_its_place_m017_m018_m019() {
        let service = |name: &str, version: &str| json!({"serviceName": name, "version": version});
        let function = |name: &str, says: &str| json!({"functionName": name, "description": says});
        let places = |services: Value, functions: Value| -> Vec<String> {
            let context = json!({"mcpServiceList": services, "mcpFunctionList": functions});
            let faults = read_services(&context.to_string()).err().unwrap_or_default();
            faults.into_iter().map(|fault| fault.field).collect()
        };
        let right = json!([service("a", "1.0.0"), service("a", "2.0.0"), service("b", "1.0.0"), {"serviceName": "a"}]);
        let named_alike = json!([function("search", "finds files"), function("search", "finds mails")]);
        assert!(places(right, named_alike).is_empty());
        let twice = json!([service("a", "1"), service("b", "1"), service("a", "1"), {"serviceName": "c"}, {"serviceName": "c"}]);
        let again = json!([function("f", "x"), function("f", "x")]);
        assert_eq!(
            places(twice, again),
            [
                "mcpServiceList[2].serviceName",
                "mcpServiceList[4].serviceName",
                "mcpFunctionList[1].functionName"
            ]
        );
    }

    #[test]
    fn services_are_read_bare_and_named_m019() {
        let bare = json!({"mcpServiceList": [{"serviceName": "s", "version": "1.0.0"}]});
        let named = json!({"mcpContext": bare});
        let one = read_services(&bare.to_string()).expect("services");
        assert_eq!(read_services(&named.to_string()), Ok(one));
        let wrong = read_services(r#"{"mcpFunctionList":[{"description":"d"}]}"#).expect_err("wrong");
        assert_eq!(wrong[0].field, "mcpFunctionList[0].functionName");
        assert!(read_services("[]").is_err());
    }
}
