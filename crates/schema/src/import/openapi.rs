//! An operation of an OpenAPI document (3.0 or 3.1): its parameters and its JSON body are the payload, its answer the response.

use serde_json::Map;
use serde_json::Value;

use crate::defect::pointer_to;
use crate::import::ImportFault;
use crate::import::finding::Effect;
use crate::import::finding::Findings;
use crate::import::source::Dialect;
use crate::import::source::Located;
use crate::import::source::Source;
use crate::import::source::bundled;
use crate::import::source::chosen;
use crate::import::source::target;
use crate::import::source::text;
use crate::import::source::unread;

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "patch", "options", "head", "trace"];
/// Answers that a result may come with, the first of them that there is.
const SUCCESSES: [&str; 6] = ["200", "201", "202", "203", "2XX", "default"];
/// Members of an operation that are read, or are for people who look through a document.
const READ: [&str; 7] = [
    "operationId",
    "summary",
    "description",
    "tags",
    "parameters",
    "requestBody",
    "responses",
];
/// References that lead to another reference, one after another.
const STEPS_MAX: usize = 16;

/// One operation, by `POST /path`, and what its path has for all.
struct Operation<'d> {
    address: String,
    own: Located<'d>,
    item: Located<'d>,
}

/// Finds the operation of a name, or the only one.
///
/// # Errors
/// Why there is none, with those that there are.
pub fn find<'d>(document: &'d Value, name: Option<&str>) -> Result<Source<'d>, ImportFault> {
    let version = text(document, "openapi").unwrap_or_default();
    let dialect = match version.get(..3) {
        Some("3.0") => Dialect::OpenApi30,
        Some("3.1" | "3.2") => Dialect::Draft2020,
        _ => {
            let why = "OpenAPI 3.0 and 3.1 are read; convert the document to one of them";
            return Err(ImportFault::Unfit(why.to_owned()));
        }
    };
    let operations = operations(document);
    let names = |operation: &Operation<'_>| -> Vec<String> {
        let id = text(operation.own.0, "operationId");
        id.into_iter().chain([operation.address.clone()]).collect()
    };
    let operation = chosen(&operations, "operation", name, names)?;
    let (own, at) = &operation.own;
    let mut source = Source::within((document, String::new()), dialect);
    source.name = names(operation).into_iter().next();
    source.payload = body(document, own, at, &mut source.findings)?;
    source.parameters = parameters(document, operation, &mut source.findings);
    if source.payload.is_none() && source.parameters.is_empty() {
        let why = format!("there are no parameters and no body at {at} that a payload could be made of");
        return Err(ImportFault::Unfit(why));
    }
    let said = [text(own, "summary"), text(own, "description")].into_iter().flatten();
    let said: Vec<String> = said
        .map(|said| said.trim().to_owned())
        .filter(|said| !said.is_empty())
        .collect();
    source.description = (!said.is_empty()).then(|| said.join("\n\n"));
    unread(own, at, &READ, &mut source.findings);
    let response = response(document, own, at, &mut source.findings);
    source.response = response.map(|(schema, at)| (bundled(schema, document), at));
    let is_nullable = |(schema, _): &mut (Value, String)| {
        schema["type"] == "object" && schema.to_string().contains("\"nullable\":true")
    };
    if let Some((_, at)) = source
        .response
        .take_if(|response| dialect == Dialect::OpenApi30 && is_nullable(response))
    {
        let why = "what comes back is not checked, since it says `nullable`, which only OpenAPI 3.0 has";
        source.findings.note(Effect::LeftOut, &at, "nullable", why);
    }
    Ok(source)
}

fn operations(document: &Value) -> Vec<Operation<'_>> {
    let paths = document.get("paths").and_then(Value::as_object).into_iter().flatten();
    let each = paths.flat_map(|(path, item)| {
        let item = followed(document, item, pointer_to("/paths", path));
        METHODS.into_iter().filter_map(move |method| {
            Some(Operation {
                address: format!("{} {path}", method.to_uppercase()),
                own: (item.0.get(method)?, pointer_to(&item.1, method)),
                item: item.clone(),
            })
        })
    });
    each.collect()
}

/// What stands at a place, or what its reference leads to; a reference that leads nowhere stays what it is.
fn followed<'d>(document: &'d Value, value: &'d Value, at: String) -> Located<'d> {
    let mut here = (value, at);
    for _ in 0..STEPS_MAX {
        here = target(here.0, document).unwrap_or(here);
    }
    here
}

/// The schema of the JSON body, where there is a body.
fn body<'d>(
    document: &'d Value,
    own: &'d Value,
    at: &str,
    findings: &mut Findings,
) -> Result<Option<Located<'d>>, ImportFault> {
    let Some(body) = own.get("requestBody") else {
        return Ok(None);
    };
    let (body, at) = followed(document, body, pointer_to(at, "requestBody"));
    if body.get("required") != Some(&Value::Bool(true)) {
        let why = "the body may be left out as a whole; its required members are asked for all the same";
        findings.note(Effect::Narrowed, &at, "required", why);
    }
    let schema = json_schema(body, &at, findings);
    let why = format!("the body at {at} has no JSON with a schema, and no other form is read");
    schema.map(Some).ok_or(ImportFault::Unfit(why))
}

/// The schema of the JSON among the forms of a content; the other forms have no place in a template.
fn json_schema<'d>(holder: &'d Value, at: &str, findings: &mut Findings) -> Option<Located<'d>> {
    let content = holder.get("content")?.as_object()?;
    let at = pointer_to(at, "content");
    let plain = |media: &str| media.split(';').next().unwrap_or(media).trim().to_ascii_lowercase();
    let is_json = |media: &&String| ["/json", "+json", "*/*"].iter().any(|end| plain(media).ends_with(end));
    let media = content.keys().find(is_json);
    left_out(content, media.map(String::as_str), &at, "content", findings);
    let form = content.get(media?)?;
    Some((form.get("schema")?, pointer_to(&pointer_to(&at, media?), "schema")))
}

/// Notes all of several forms but the one that is taken.
fn left_out(all: &Map<String, Value>, taken: Option<&str>, at: &str, what: &str, findings: &mut Findings) {
    for name in all.keys().filter(|name| Some(name.as_str()) != taken) {
        findings.annotation(&pointer_to(at, name), what);
    }
}

/// The parameters in path and query, of the operation and those of its path that it does not have itself.
fn parameters<'d>(document: &'d Value, operation: &Operation<'d>, findings: &mut Findings) -> Vec<Located<'d>> {
    let mut found: Vec<Located<'d>> = Vec::new();
    for (holder, at) in [&operation.own, &operation.item] {
        let listed = holder.get("parameters").and_then(Value::as_array).into_iter().flatten();
        for (n, parameter) in listed.enumerate() {
            let place = format!("{}/{n}", pointer_to(at, "parameters"));
            let (parameter, pointer) = followed(document, parameter, place);
            let place = |parameter: &Value| (text(parameter, "name"), text(parameter, "in"));
            let is_read = matches!(place(parameter), (Some(_), Some(place)) if place == "path" || place == "query");
            if !is_read || parameter.get("schema").is_none() {
                findings.annotation(&pointer, "parameters");
            } else if !found.iter().any(|(known, _)| place(known) == place(parameter)) {
                let read = ["name", "in", "required", "description", "schema", "style", "explode"];
                unread(parameter, &pointer, &read, findings);
                found.push((parameter, pointer));
            }
        }
    }
    found
}

/// The schema of what a success answers, and its place.
fn response<'d>(document: &'d Value, own: &'d Value, at: &str, findings: &mut Findings) -> Option<Located<'d>> {
    let responses = own.get("responses")?.as_object()?;
    let at = pointer_to(at, "responses");
    let code = SUCCESSES.into_iter().find(|code| responses.contains_key(*code));
    left_out(responses, code, &at, "responses", findings);
    let (response, at) = followed(document, responses.get(code?)?, pointer_to(&at, code?));
    json_schema(response, &at, findings)
}
