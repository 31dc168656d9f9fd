//! An operation of an OpenAPI document (3.0 or 3.1): its parameters and its JSON body are the payload.

use serde_json::Value;

use crate::defect::pointer_to;
use crate::import::ImportFault;
use crate::import::finding::Effect;
use crate::import::finding::Findings;
use crate::import::source::Dialect;
use crate::import::source::Located;
use crate::import::source::Parameter;
use crate::import::source::Source;
use crate::import::source::chosen;
use crate::import::source::text;

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "patch", "options", "head", "trace"];

/// Finds the operation of a name, or the only one.
///
/// # Errors
/// Why there is none, with those that there are.
pub fn find<'d>(document: &'d Value, name: Option<&str>) -> Result<Source<'d>, ImportFault> {
    let dialect = match text(document, "openapi").unwrap_or_default().get(..3) {
        Some("3.0") => Dialect::OpenApi30,
        Some("3.1" | "3.2") => Dialect::Draft2020,
        _ => {
            let why = "OpenAPI 3.0 and 3.1 are read; convert the document to one of them";
            return Err(ImportFault::Unfit(why.to_owned()));
        }
    };
    let mut operations = Vec::new();
    for (path, item) in document.get("paths").and_then(Value::as_object).into_iter().flatten() {
        for method in METHODS {
            let address = format!("{} {path}", method.to_uppercase());
            operations.extend(item.get(method).map(|own| (address, path, item, method, own)));
        }
    }
    let (address, path, item, method, own) = chosen(&operations, "operation", name, |(address, .., own)| {
        text(own, "operationId").into_iter().chain([address.clone()]).collect()
    })?;
    let above = pointer_to("/paths", path);
    let at = pointer_to(&above, method);
    let mut source = Source::within((document, String::new()), dialect);
    source.name = text(own, "operationId").or_else(|| Some(address.clone()));
    source.payload = body(document, own, &at, &mut source.findings)?;
    for (holder, at) in [(own, &at), (item, &above)] {
        parameters(document, (holder, pointer_to(at, "parameters")), &mut source);
    }
    if source.payload.is_none() && source.parameters.is_empty() {
        let why = format!("there are no parameters and no body at {at} that a payload could be made of");
        return Err(ImportFault::Unfit(why));
    }
    let said = ["summary", "description"]
        .into_iter()
        .filter_map(|member| text(own, member));
    let said = said.map(|said| said.trim().to_owned()).filter(|said| !said.is_empty());
    let said = said.collect::<Vec<_>>().join("\n\n");
    source.description = (!said.is_empty()).then_some(said);
    let why = "what comes back is not checked until you write a `response_schema`";
    source
        .findings
        .note(Effect::LeftOut, &pointer_to(&at, "responses"), "responses", why);
    Ok(source)
}

/// What stands at a place, or the component that it refers to.
fn followed<'d>(document: &'d Value, (value, at): Located<'d>) -> Located<'d> {
    let pointer = text(value, "$ref").and_then(|reference| Some(reference.strip_prefix('#')?.to_owned()));
    let target = pointer.and_then(|pointer| Some((document.pointer(&pointer)?, pointer)));
    target.unwrap_or((value, at))
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
    let (body, at) = followed(document, (body, pointer_to(at, "requestBody")));
    if body.get("required") != Some(&Value::Bool(true)) {
        let why = "the body may be left out as a whole; its required members are asked for all the same";
        findings.note(Effect::Narrowed, &at, "required", why);
    }
    let mut forms = body.get("content").and_then(Value::as_object).into_iter().flatten();
    let form = forms.find(|(media, _)| media.contains("json") || *media == "*/*");
    let schema = form.and_then(|(media, form)| {
        let at = pointer_to(&pointer_to(&at, "content"), media);
        Some((form.get("schema")?, pointer_to(&at, "schema")))
    });
    let why = format!("the body at {at} has no JSON with a schema, and no other form is read");
    schema.map(Some).ok_or(ImportFault::Unfit(why))
}

/// Reads the parameters in path and query that are not there yet: an operation's own come before those of its path.
fn parameters<'d>(document: &'d Value, (holder, at): Located<'d>, source: &mut Source<'d>) {
    let listed = holder.get("parameters").and_then(Value::as_array).into_iter().flatten();
    for (n, parameter) in listed.enumerate() {
        let (parameter, at) = followed(document, (parameter, format!("{at}/{n}")));
        let [name, place] = ["name", "in"].map(|member| text(parameter, member).unwrap_or_default());
        let is_read = place == "path" || place == "query";
        let is_known = |known: &Parameter<'_>| (&known.name, &known.place) == (&name, &place);
        match parameter.get("schema").filter(|_| is_read) {
            None => source.findings.annotation(&at, "parameters"),
            Some(_) if source.parameters.iter().any(is_known) => {}
            Some(schema) => source.parameters.push(Parameter {
                required: parameter.get("required") == Some(&Value::Bool(true)),
                description: text(parameter, "description"),
                schema: (schema, pointer_to(&at, "schema")),
                name,
                place,
            }),
        }
    }
}
