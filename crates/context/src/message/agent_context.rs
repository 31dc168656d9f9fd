//! The Agent Context Message: five contexts, each of which may be left out (M-008 … M-028). What it must be says the table
//! [`shape`](crate::message::shape).
//!
//! Invariant: what is not known is kept and written again as it came, so that a message goes through here unharmed, but for
//! its secrets.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Map;
use serde_json::Value;

use crate::fields::FieldFault;
use crate::fields::refuse_repeated;
use crate::message::shape;
use text::secrets;
use text::secrets::Scope;

/// A message as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The whole, without its secrets.
    pub document: Map<String, Value>,
    /// JSON pointers of secrets that were taken out, of words too.
    pub redacted: Vec<String>,
}

impl Message {
    /// One of its contexts, such as `taskContext`; empty where it is left out.
    pub fn context(&self, name: &str) -> &Map<String, Value> {
        let context = self.document.get("agentContext").and_then(|all| all.get(name));
        object(context)
    }
}

/// The members of an object; none of what is no object.
pub fn object(value: Option<&Value>) -> &Map<String, Value> {
    static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    value.and_then(Value::as_object).unwrap_or(&NOTHING)
}

/// The text of a member, where it has one.
pub fn text<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    members.get(name).and_then(Value::as_str)
}

/// The items of a list; none of what is no list.
pub fn items<'a>(members: &'a Map<String, Value>, name: &str) -> &'a [Value] {
    members.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Reads a message from JSON text; its secrets are gone before anything else is done.
///
/// # Errors
/// Everything that is wrong, by its place.
pub fn read(text: &str) -> Result<Message, Vec<FieldFault>> {
    refuse_repeated(text).map_err(|fault| vec![fault])?;
    let scrubbed = secrets::scrubbed(text, Scope::Everywhere);
    let clean = scrubbed.as_ref().map_or(text, |scrubbed| &scrubbed.text);
    let value: Value = serde_json::from_str(clean).map_err(|_| vec![FieldFault::new("the body", "must be JSON")])?;
    let faults = shape::faults(&value, shape::MESSAGE, "");
    match value {
        Value::Object(document) if faults.is_empty() => Ok(Message {
            document,
            redacted: scrubbed.map(|scrubbed| scrubbed.places).unwrap_or_default(),
        }),
        _ => Err(faults),
    }
}

/// Reads what an agent offers by MCP, as JSON text, bare or under its name `mcpContext` (M-019).
///
/// # Errors
/// Everything that is wrong, by its place.
pub fn read_services(text: &str) -> Result<Value, Vec<FieldFault>> {
    refuse_repeated(text).map_err(|fault| vec![fault])?;
    let text = secrets::scrubbed_whole(text, Scope::Everywhere);
    let no_object = |_| vec![FieldFault::new("the body", "must be a JSON object")];
    let value = match serde_json::from_str(&text).map_err(no_object)? {
        Value::Object(mut members) => members.remove("mcpContext").unwrap_or(Value::Object(members)),
        other => other,
    };
    let mut faults = shape::faults(&value, shape::MCP, "");
    if faults.is_empty() {
        faults = repeated(
            &value,
            "mcpServiceList",
            ["serviceName", "version"],
            "service in this version",
        );
        let kind = "function with this description";
        faults.extend(repeated(
            &value,
            "mcpFunctionList",
            ["functionName", "description"],
            kind,
        ));
    }
    if faults.is_empty() { Ok(value) } else { Err(faults) }
}

/// What is listed twice, so that nobody could tell which of the two is meant. A service may be offered in several versions, and
/// functions of several services may share a name.
fn repeated(value: &Value, list: &str, told_by: [&str; 2], kind: &str) -> Vec<FieldFault> {
    let mut first: BTreeMap<[Option<&str>; 2], usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for (place, item) in items(object(Some(value)), list).iter().enumerate() {
        let before = *first.entry(told_by.map(|name| item[name].as_str())).or_insert(place);
        if before != place {
            let what = format!("is listed already at {list}[{before}]: list each {kind} once");
            faults.push(FieldFault::new(format!("{list}[{place}].{}", told_by[0]), what));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::items;
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
        assert_eq!(Value::Object(figure.document.clone()), expected);
        let again = read(&expected.to_string()).expect("a message");
        assert_eq!((again.document, again.redacted.len()), (figure.document.clone(), 0));
        assert_eq!(items(figure.context("taskContext"), "goals").len(), 2);
        assert!(figure.context("deviceContext").is_empty());
    }

    #[test]
    fn what_is_not_known_is_kept_wherever_it_stands_m001() {
        let text = json!({"agentContext": {
            "taskContext": {"taskName": "t", "owner": "x", "todoItems": [{"itemId": "1", "description": "d", "state": 0}]},
            "mcpContext": {"mcpServiceList": [{"serviceName": "s", "url": "u"}], "vendor": {"a": [1]}},
            "deviceContext": {"os": "linux"}}, "version": "2"});
        let read = read(&text.to_string()).expect("a message");
        assert_eq!(Value::Object(read.document), text);
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
        let bare = json!({"mcpServiceList": [{"serviceName": "s", "version": "1.0.0", "port": 7}], "url": "u"});
        assert_eq!(read_services(&bare.to_string()), Ok(bare.clone()));
        assert_eq!(read_services(&json!({"mcpContext": bare}).to_string()), Ok(bare));
        let wrong = read_services(r#"{"mcpFunctionList":[{"description":"d"}]}"#).expect_err("wrong");
        assert_eq!(wrong[0].field, "mcpFunctionList[0].functionName");
        assert!(read_services("[]").is_err());
    }
}
