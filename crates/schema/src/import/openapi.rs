//! An operation of an OpenAPI document (3.0 or 3.1): its parameters and its JSON body are the payload, its answer the response.

use serde_json::Value;

use crate::defect::pointer_to;
use crate::import::ImportFault;
use crate::import::dialect::Dialect;
use crate::import::source::LeftOut;
use crate::import::source::Parameter;
use crate::import::source::Source;
use crate::import::source::bundled;
use crate::import::source::names;

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "patch", "options", "head", "trace"];
/// Answers that a result may come with, the first of them that there is.
const SUCCESSES: [&str; 6] = ["200", "201", "202", "203", "2XX", "default"];
/// Headers that OpenAPI itself has passed over among parameters.
const OWN_HEADERS: [&str; 3] = ["accept", "content-type", "authorization"];
/// References that lead to another reference, one after another.
const STEPS_MAX: usize = 16;

/// One operation and where it stands.
struct Operation<'d> {
    method: &'static str,
    path: &'d str,
    item: &'d Value,
    item_at: String,
    own: &'d Value,
    at: String,
}

impl Operation<'_> {
    fn id(&self) -> Option<&str> {
        self.own.get("operationId")?.as_str()
    }

    fn address(&self) -> String {
        format!("{} {}", self.method.to_uppercase(), self.path)
    }

    fn is_named(&self, name: &str) -> bool {
        let (method, path) = name.split_once(' ').unwrap_or_default();
        self.id() == Some(name) || (self.method.eq_ignore_ascii_case(method) && self.path == path.trim())
    }
}

/// Finds the operation of a name, or the only one.
///
/// # Errors
/// Why there is none, with those that there are.
pub fn find<'d>(document: &'d Value, name: Option<&str>) -> Result<Source<'d>, ImportFault> {
    let version = document.get("openapi").and_then(Value::as_str).unwrap_or_default();
    let dialect = match version {
        _ if version.starts_with("3.0") => Dialect::OpenApi30,
        _ if version.starts_with("3.") => Dialect::Draft2020,
        _ => return Err(ImportFault::OpenApiVersion),
    };
    let operations = operations(document);
    let found = match name {
        Some(name) => operations.iter().find(|operation| operation.is_named(name)),
        None => operations.first().filter(|_| operations.len() == 1),
    };
    let operation = found.ok_or_else(|| ImportFault::Choose {
        option: "operation",
        names: names(
            operations
                .iter()
                .map(|own| own.id().map_or_else(|| own.address(), str::to_owned)),
        ),
    })?;
    let mut left_out = Vec::new();
    let (payload, optional_at) = body(document, operation, &mut left_out)?;
    let text = |name: &str| {
        operation
            .own
            .get(name)
            .and_then(Value::as_str)
            .map(str::trim)
            .filter(|text| !text.is_empty())
    };
    let said: Vec<&str> = [text("summary"), text("description")].into_iter().flatten().collect();
    let parameters = parameters(document, operation, &mut left_out);
    if payload.is_none() && parameters.is_empty() {
        return Err(ImportFault::NoPayload {
            at: operation.at.clone(),
        });
    }
    for name in ["security", "callbacks", "servers"] {
        left_out.extend(
            operation
                .own
                .get(name)
                .map(|_| (pointer_to(&operation.at, name), name.to_owned())),
        );
    }
    Ok(Source {
        root: document,
        base: String::new(),
        dialect,
        payload,
        parameters,
        name: Some(operation.id().map_or_else(|| operation.address(), str::to_owned)),
        description: (!said.is_empty()).then(|| said.join("\n\n")),
        response: response(document, operation, dialect, &mut left_out),
        left_out,
        is_operation: true,
        optional_at,
    })
}

fn operations(document: &Value) -> Vec<Operation<'_>> {
    let paths = document.get("paths").and_then(Value::as_object).into_iter().flatten();
    let each = paths.flat_map(|(path, item)| {
        let (item, item_at) = followed(document, item, pointer_to("/paths", path));
        METHODS.into_iter().filter_map(move |method| {
            let own = item.get(method)?;
            let at = pointer_to(&item_at, method);
            Some(Operation {
                method,
                path,
                item,
                item_at: item_at.clone(),
                own,
                at,
            })
        })
    });
    each.collect()
}

/// What stands at a place, or what its reference leads to; a reference that leads nowhere stays what it is.
fn followed<'d>(document: &'d Value, value: &'d Value, at: String) -> (&'d Value, String) {
    let mut here = (value, at);
    for _ in 0..STEPS_MAX {
        let pointer = here
            .0
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| reference.strip_prefix('#'));
        let Some((pointer, target)) = pointer.and_then(|pointer| Some((pointer, document.pointer(pointer)?))) else {
            break;
        };
        here = (target, pointer.to_owned());
    }
    here
}

type Located<'d> = (&'d Value, String);

/// The schema of the JSON body, and where it may be left out.
fn body<'d>(
    document: &'d Value,
    operation: &Operation<'d>,
    left_out: &mut Vec<LeftOut>,
) -> Result<(Option<Located<'d>>, Option<String>), ImportFault> {
    let Some(body) = operation.own.get("requestBody") else {
        return Ok((None, None));
    };
    let (body, at) = followed(document, body, pointer_to(&operation.at, "requestBody"));
    let schema = json_schema(body, &at, left_out).ok_or_else(|| ImportFault::NoJsonBody { at: at.clone() })?;
    let is_optional = body.get("required") != Some(&Value::Bool(true));
    Ok((Some(schema), is_optional.then_some(at)))
}

/// The schema of the JSON among the forms of a content; the other forms have no place in a template.
fn json_schema<'d>(holder: &'d Value, at: &str, left_out: &mut Vec<LeftOut>) -> Option<Located<'d>> {
    let content = holder.get("content")?.as_object()?;
    let is_json = |media: &str| {
        let media = media.split(';').next().unwrap_or(media).trim().to_ascii_lowercase();
        media == "application/json" || media.ends_with("+json") || media == "*/*"
    };
    let (media, form) = content.iter().find(|(media, _)| is_json(media))?;
    let at = pointer_to(at, "content");
    left_out.extend(
        content
            .keys()
            .filter(|other| *other != media)
            .map(|other| (pointer_to(&at, other), "content".to_owned())),
    );
    Some((form.get("schema")?, pointer_to(&pointer_to(&at, media), "schema")))
}

/// The parameters of the operation and those of its path that it does not have itself.
fn parameters<'d>(document: &'d Value, operation: &Operation<'d>, left_out: &mut Vec<LeftOut>) -> Vec<Parameter<'d>> {
    let mut found: Vec<Parameter<'d>> = Vec::new();
    for (holder, at) in [(operation.own, &operation.at), (operation.item, &operation.item_at)] {
        let listed = holder.get("parameters").and_then(Value::as_array).into_iter().flatten();
        for (n, parameter) in listed.enumerate() {
            let place = format!("{}/{n}", pointer_to(at, "parameters"));
            let (parameter, pointer) = followed(document, parameter, place);
            let text = |name: &str| parameter.get(name).and_then(Value::as_str);
            let (Some(name), Some(place)) = (text("name"), text("in")) else {
                left_out.push((pointer, "parameters".to_owned()));
                continue;
            };
            let is_known = found.iter().any(|known| (known.name, known.place) == (name, place));
            let is_own = place == "header" && OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str());
            if is_known || is_own {
                continue;
            }
            for name in ["example", "examples"] {
                let stated = parameter
                    .get(name)
                    .map(|_| (pointer_to(&pointer, name), "examples".to_owned()));
                left_out.extend(stated);
            }
            let own = parameter
                .get("schema")
                .map(|schema| (schema, pointer_to(&pointer, "schema")));
            match own
                .or_else(|| json_schema(parameter, &pointer, left_out))
                .filter(|_| place != "cookie")
            {
                Some((schema, pointer)) => found.push(Parameter {
                    name,
                    place,
                    required: parameter.get("required") == Some(&Value::Bool(true)),
                    description: text("description"),
                    schema,
                    pointer,
                }),
                None => left_out.push((pointer, "parameters".to_owned())),
            }
        }
    }
    found
}

/// The schema of what a success answers.
fn response(
    document: &Value,
    operation: &Operation<'_>,
    dialect: Dialect,
    left_out: &mut Vec<LeftOut>,
) -> Option<(Value, String)> {
    let responses = operation.own.get("responses")?.as_object()?;
    let at = pointer_to(&operation.at, "responses");
    let code = SUCCESSES.into_iter().find(|code| responses.contains_key(*code));
    left_out.extend(
        responses
            .keys()
            .filter(|other| Some(other.as_str()) != code)
            .map(|other| (pointer_to(&at, other), "responses".to_owned())),
    );
    let code = code?;
    let (response, at) = followed(document, responses.get(code)?, pointer_to(&at, code));
    let (schema, at) = json_schema(response, &at, left_out)?;
    Some((bundled(schema, document, dialect), at))
}
