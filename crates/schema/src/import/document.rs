//! What kind of document is imported, and which part of it is the payload: a JSON Schema, an operation of an OpenAPI document, or a
//! tool of the Model Context Protocol.

use serde_json::Value;

use crate::defect::pointer_to;
use crate::import::ImportFault;
use crate::import::Options;
use crate::import::dialect::Dialect;
use crate::import::openapi;
use crate::import::source::Source;
use crate::import::source::bundled;
use crate::import::source::names;

/// Finds the part that the options ask for.
///
/// # Errors
/// Why there is none, with what there is.
pub fn find<'d>(document: &'d Value, options: &Options<'_>) -> Result<Source<'d>, ImportFault> {
    let asks = |name: &str| document.get(name).is_some();
    let result = document.get("result").filter(|result| result.get("tools").is_some());
    let listed = document
        .get("tools")
        .or_else(|| result?.get("tools"))
        .and_then(Value::as_array);
    let base = if result.is_some() { "/result/tools" } else { "/tools" };
    let is_openapi = asks("openapi") || asks("swagger");
    if options.operation.is_some() && !is_openapi {
        return Err(ImportFault::Unasked {
            option: "operation",
            form: "an OpenAPI document",
        });
    }
    if options.tool.is_some() && listed.is_none() && !asks("inputSchema") {
        return Err(ImportFault::Unasked {
            option: "tool",
            form: "a list of tools",
        });
    }
    if is_openapi {
        return openapi::find(document, options.operation);
    }
    if let Some(tools) = listed {
        let (place, tool) = chosen(tools, options.tool)?;
        return tool_source(tool, format!("{base}/{place}"));
    }
    if asks("inputSchema") {
        let (_, tool) = chosen(std::slice::from_ref(document), options.tool)?;
        return tool_source(tool, String::new());
    }
    if !document.is_object() {
        return Err(ImportFault::NoSource);
    }
    let id = document.get("$id").and_then(Value::as_str).and_then(|id| {
        let id = id.trim_end_matches(['#', '/']);
        let last = id.rsplit(['/', ':']).next()?;
        Some(last.split('.').next().unwrap_or(last).to_owned())
    });
    let title = document.get("title").and_then(Value::as_str).map(str::to_owned);
    Ok(Source {
        root: document,
        base: String::new(),
        dialect: Dialect::of_schema(document),
        payload: Some((document, String::new())),
        parameters: Vec::new(),
        name: title.or(id).filter(|name| !name.trim().is_empty()),
        description: None,
        response: None,
        left_out: Vec::new(),
        is_operation: false,
        optional_at: None,
    })
}

/// The tool of a name, or the only one.
fn chosen<'d>(tools: &'d [Value], name: Option<&str>) -> Result<(usize, &'d Value), ImportFault> {
    let name_of = |tool: &'d Value| tool.get("name").and_then(Value::as_str);
    let mut found = tools.iter().enumerate();
    match name {
        Some(name) => found.find(|(_, tool)| name_of(tool) == Some(name)),
        None if tools.len() == 1 => found.next(),
        None => None,
    }
    .ok_or_else(|| ImportFault::Choose {
        option: "tool",
        names: names(tools.iter().filter_map(name_of).map(str::to_owned)),
    })
}

fn tool_source(tool: &Value, base: String) -> Result<Source<'_>, ImportFault> {
    let schema = tool
        .get("inputSchema")
        .ok_or(ImportFault::NoPayload { at: base.clone() })?;
    let text = |name: &str| tool.get(name).and_then(Value::as_str).map(str::to_owned);
    let members = tool.as_object().into_iter().flatten();
    let kept = ["name", "description", "title", "inputSchema", "outputSchema"];
    let left_out = members.filter(|(name, _)| !kept.contains(&name.as_str()));
    let at = pointer_to(&base, "inputSchema");
    Ok(Source {
        root: schema,
        dialect: Dialect::of_schema(schema),
        payload: Some((schema, at.clone())),
        parameters: Vec::new(),
        name: text("name"),
        description: text("description").or_else(|| text("title")),
        response: tool.get("outputSchema").map(|schema| {
            let itself = bundled(schema, schema, Dialect::of_schema(schema));
            (itself, pointer_to(&base, "outputSchema"))
        }),
        left_out: left_out
            .map(|(name, _)| (pointer_to(&base, name), name.clone()))
            .collect(),
        base: at,
        is_operation: false,
        optional_at: None,
    })
}
