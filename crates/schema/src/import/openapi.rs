//! An operation of an OpenAPI document (3.0 or 3.1): its parameters and its JSON body are the payload.

use serde_json::Value;

use crate::defect::pointer_to;
use crate::import::ImportFault;
use crate::import::finding::Effect;
use crate::import::finding::Findings;
use crate::import::kind;
use crate::import::source::Dialect;
use crate::import::source::Located;
use crate::import::source::Parameter;
use crate::import::source::Source;
use crate::import::source::chosen;
use crate::import::source::followed;
use crate::import::source::text;

const METHODS: [&str; 9] = [
    "get", "put", "post", "delete", "patch", "options", "head", "trace", "query",
];
/// Headers that OpenAPI leaves to the rest of its document.
const HEADERS_PASSED_OVER: [&str; 3] = ["accept", "content-type", "authorization"];

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
            return Err(ImportFault::Unfit(format!(
                "{why}, or {}",
                kind::ways_on(document, true)
            )));
        }
    };
    let mut operations = Vec::new();
    let mut unread = String::new();
    for holder in ["paths", "webhooks"] {
        for (path, item) in document.get(holder).and_then(Value::as_object).into_iter().flatten() {
            let own = (item, pointer_to(&format!("/{holder}"), path));
            let target = followed(document, own.clone());
            if target.0.get("$ref").is_some() {
                unread = format!("; `$ref` at {} leads to nothing in this document", target.1);
            }
            // A path item may say more beside its reference.
            let items = if target.1 == own.1 {
                vec![own]
            } else {
                vec![own, target]
            };
            for (item, above) in &items {
                for method in METHODS {
                    let address = format!("{} {path}", method.to_uppercase());
                    let own = item.get(method).map(|own| (own, pointer_to(above, method)));
                    operations.extend(own.map(|own| (address, items.clone(), own)));
                }
            }
        }
    }
    let (address, items, (own, at)) = chosen(&operations, "operation", name, |(address, _, (own, _))| {
        text(own, "operationId").into_iter().chain([address.clone()]).collect()
    })
    .map_err(|fault| ImportFault::Ask(format!("{fault}{unread}")))?;
    let mut source = Source::within((document, String::new()), dialect);
    source.name = text(own, "operationId").or_else(|| Some(address.clone()));
    source.is_request = true;
    source.payload = body(document, own, at, &mut source.findings)?;
    for (holder, at) in [&(*own, at.clone())].into_iter().chain(items) {
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
        .note(Effect::LeftOut, &pointer_to(at, "responses"), "responses", why);
    Ok(source)
}

/// The schema of the body, where there is one: of JSON, of any media type, or of a form, whose fields are members as well.
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
    let at = pointer_to(&at, "content");
    let forms = body.get("content").and_then(Value::as_object).into_iter().flatten();
    let schemas = forms.filter_map(|(media, form)| {
        let at = pointer_to(&pointer_to(&at, media), "schema");
        Some((media.as_str(), (form.get("schema")?, at)))
    });
    let schemas: Vec<(&str, Located<'d>)> = schemas.collect();
    let is_form = |media: &str| media.starts_with("application/x-www-form-urlencoded");
    let ranks: [&dyn Fn(&str) -> bool; 3] = [
        &|media| media.contains("json"),
        &|media| media.starts_with("*/*") || media.starts_with("application/*"),
        &is_form,
    ];
    let mut ranked = ranks
        .iter()
        .flat_map(|is_read| schemas.iter().filter(|(media, _)| is_read(media)));
    if let Some((media, schema)) = ranked.next() {
        if is_form(media) {
            let why = "it is a form: the executor of a submission writes it as one";
            findings.note(Effect::Changed, &schema.1, "content", why);
        }
        return Ok(Some(schema.clone()));
    }
    let others: Vec<&str> = schemas.iter().map(|(_, (_, at))| at.as_str()).collect();
    let ways = match others.is_empty() {
        true => format!("no schema stands at {at}"),
        false => format!(
            "name the schema of another media type with `pointer`: {}",
            others.join(", ")
        ),
    };
    Err(ImportFault::Unfit(format!(
        "the body is neither JSON nor a form of URL-encoded fields with a schema; {ways}"
    )))
}

/// Reads the parameters in path and query that are not there yet: an operation's own come before those of its path.
fn parameters<'d>(document: &'d Value, (holder, at): Located<'d>, source: &mut Source<'d>) {
    let listed = holder.get("parameters").and_then(Value::as_array).into_iter().flatten();
    for (n, parameter) in listed.enumerate() {
        let (parameter, at) = followed(document, (parameter, format!("{at}/{n}")));
        let [name, place] = ["name", "in"].map(|member| text(parameter, member).unwrap_or_default());
        let required = parameter.get("required") == Some(&Value::Bool(true));
        let is_known = |known: &Parameter<'_>| (&known.name, &known.place) == (&name, &place);
        // A parameter that is written in a media type has its schema there.
        let content = parameter
            .get("content")
            .and_then(Value::as_object)
            .and_then(|content| content.iter().next());
        let schema = match (parameter.get("schema"), content) {
            (Some(schema), _) => Some((schema, pointer_to(&at, "schema"))),
            (None, Some((media, form))) => form.get("schema").map(|schema| {
                let at = pointer_to(&pointer_to(&at, "content"), media);
                (schema, pointer_to(&at, "schema"))
            }),
            (None, None) => None,
        };
        match (place.as_str(), schema) {
            _ if source.parameters.iter().any(is_known) => {}
            ("path" | "query", Some(schema)) => source.parameters.push(Parameter {
                required,
                description: text(parameter, "description"),
                schema,
                name,
                place,
            }),
            ("header", _) if HEADERS_PASSED_OVER.contains(&name.to_lowercase().as_str()) => {
                source.findings.annotation(&at, "parameters");
            }
            ("header" | "cookie", _) if !required => source.findings.annotation(&at, "parameters"),
            _ => {
                let why = match place.is_empty() {
                    true => "it leads to nothing in this document, or names no place: no key is made of it".to_owned(),
                    false => format!("no key is made of the parameter `{name}` in the {place}; it may be left out"),
                };
                source.findings.note(Effect::Unenforced, &at, "parameters", why);
            }
        }
    }
}
