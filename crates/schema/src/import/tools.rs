//! Tools as agents and their hosts list them: those of MCP, OpenAI, Anthropic, Gemini and Bedrock, alone, wrapped or in a list.

use serde_json::Value;

use crate::defect::pointer_to;
use crate::import::ImportFault;
use crate::import::source::Located;
use crate::import::source::Source;
use crate::import::source::text;

/// Members that hold the schema of a tool's arguments; the first one alone marks a tool, the others do beside a name.
const ARGUMENTS: [&str; 6] = [
    "inputSchema",
    "input_schema",
    "parameters",
    "parametersJsonSchema",
    "parameters_json_schema",
    "schema",
];
/// Members that hold tools, or the one that is wrapped.
const HOLDERS: [&str; 9] = [
    "tools",
    "result",
    "functions",
    "functionDeclarations",
    "function_declarations",
    "function",
    "json_schema",
    "toolSpec",
    "toolConfig",
];

/// Lists the tools of a document with their places; none where it holds no list and no tool.
pub fn list<'d>(document: Located<'d>) -> Option<Vec<Located<'d>>> {
    let mut tools = Vec::new();
    let has_list = document.0["tools"].is_array() || document.0["result"]["tools"].is_array();
    collect(document, false, &mut tools);
    (has_list || !tools.is_empty()).then_some(tools)
}

fn collect<'d>((value, at): Located<'d>, is_listed: bool, tools: &mut Vec<Located<'d>>) {
    for (n, tool) in value.as_array().into_iter().flatten().enumerate() {
        collect((tool, format!("{at}/{n}")), true, tools);
    }
    let Some(members) = value.as_object() else { return };
    let held = HOLDERS.into_iter().filter_map(|name| Some((name, members.get(name)?)));
    let held: Vec<(&str, &Value)> = held.filter(|(_, held)| held.is_array() || held.is_object()).collect();
    let is_named = members.get("name").is_some_and(Value::is_string);
    let is_tool = match arguments(value) {
        Some((name, _)) => is_named || name == ARGUMENTS[0],
        None => is_named && is_listed && held.is_empty(),
    };
    if is_tool {
        tools.push((value, at));
    } else {
        for (name, held) in held {
            collect((held, pointer_to(&at, name)), true, tools);
        }
    }
}

/// Finds the schema of a tool's arguments, and the member that holds it.
fn arguments(tool: &Value) -> Option<(&'static str, &Value)> {
    let mut each = ARGUMENTS.into_iter().filter_map(|name| Some((name, tool.get(name)?)));
    each.find(|(_, schema)| schema.is_object())
}

/// Reads a tool: its arguments are the payload.
///
/// # Errors
/// [`ImportFault::Unfit`] without a schema of its arguments.
pub fn source<'d>((tool, at): &Located<'d>) -> Result<Source<'d>, ImportFault> {
    let no_payload = || {
        ImportFault::Unfit(format!(
            "there is no `inputSchema` at {at}, nor a member that means the same"
        ))
    };
    let (member, mut schema) = arguments(tool).ok_or_else(no_payload)?;
    let mut place = pointer_to(at, member);
    // Bedrock's `inputSchema` names the format of its schema.
    if let Some(json) = schema.get("json").filter(|json| json.is_object()) {
        (schema, place) = (json, pointer_to(&place, "json"));
    }
    let mut source = Source::of_schema((schema, place.clone()), (schema, place));
    source.is_tool = true;
    source.name = text(tool, "name").or(source.name);
    source.description = text(tool, "description").or_else(|| text(tool, "title"));
    source.response = tool.get("outputSchema").cloned();
    // Which draft it is of goes without saying, and its name is its own.
    if let Some(Value::Object(members)) = &mut source.response {
        members.retain(|name, _| !["$schema", "$id"].contains(&name.as_str()));
    }
    Ok(source)
}
