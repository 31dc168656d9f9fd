//! Which part of a document becomes a template: a JSON Schema, an operation of an OpenAPI document, or a tool of the Model Context
//! Protocol. Places are JSON pointers into the document.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::defect::pointer_to;
use crate::import::ImportFault;
use crate::import::finding::Effect;
use crate::import::finding::Findings;

/// How a schema is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Drafts 4 to 7: a reference stands alone.
    Draft7,
    /// Drafts 2019-09 and 2020-12, and OpenAPI 3.1.
    Draft2020,
    /// OpenAPI 3.0: draft 5 with `nullable`.
    OpenApi30,
}

/// A value and its place.
pub type Located<'d> = (&'d Value, String);

/// A member of the payload that stands elsewhere in a request, as OpenAPI has it.
#[derive(Debug)]
pub struct Parameter<'d> {
    pub name: String,
    /// Path or query.
    pub place: String,
    pub required: bool,
    pub description: Option<String>,
    pub schema: Located<'d>,
}

/// The part of a document that becomes a template.
#[derive(Debug)]
pub struct Source<'d> {
    /// What references lead into, and where it stands.
    pub root: Located<'d>,
    pub dialect: Dialect,
    /// The schema of the payload.
    pub payload: Option<Located<'d>>,
    /// Members of the payload beside it.
    pub parameters: Vec<Parameter<'d>>,
    /// What the scenario may be called, where nothing else is said.
    pub name: Option<String>,
    pub description: Option<String>,
    /// The schema of what comes back.
    pub response: Option<Value>,
    /// True if it is a tool, which may take no arguments at all.
    pub is_tool: bool,
    /// True if it is a request of an API, of which members that are `readOnly` are not required.
    pub is_request: bool,
    /// What is left out of it.
    pub findings: Findings,
}

/// Names in a message.
const NAMES_SAID_MAX: usize = 20;

/// References that are followed one after the other.
const HOPS_MAX: usize = 16;

impl<'d> Source<'d> {
    /// A schema as the payload; its references lead into `root`.
    pub fn of_schema((schema, at): Located<'d>, root: Located<'d>) -> Source<'d> {
        let id = text(schema, "$id").unwrap_or_default();
        let id = id.trim_end_matches(['#', '/']).rsplit(['/', ':']).next();
        let id = id.and_then(|last| last.split('.').next()).map(str::to_owned);
        let name = text(schema, "title").or(id).filter(|name| !name.trim().is_empty());
        // The name of a part is the step that leads to it, as in `/components/schemas/Parcel`.
        let step = at.rsplit('/').next().map(str::to_owned);
        let step = step.filter(|step| !step.is_empty() && step.parse::<usize>().is_err() && at != root.1);
        let dialect = dialect_of(schema).or_else(|| dialect_of(root.0));
        let mut findings = Findings::default();
        let named = text(schema, "$schema").filter(|named| !named.contains("json-schema.org"));
        if named.is_some() {
            let why = "`$schema` names no draft of JSON Schema; it is read as one of draft 2020-12";
            findings.note(Effect::Changed, &pointer_to(&at, "$schema"), "$schema", why);
        }
        Source {
            payload: Some((schema, at)),
            name: name.or(step),
            is_request: root.0.get("openapi").or(root.0.get("swagger")).is_some(),
            findings,
            ..Source::within(root, dialect.unwrap_or(Dialect::Draft2020))
        }
    }

    /// Nothing yet, whose references lead into `root`.
    pub fn within(root: Located<'d>, dialect: Dialect) -> Source<'d> {
        Source {
            root,
            dialect,
            payload: None,
            parameters: Vec::new(),
            name: None,
            description: None,
            response: None,
            is_tool: false,
            is_request: false,
            findings: Findings::default(),
        }
    }
}

/// The dialect that a document names. A schema that names none is of draft 2020-12, as the Model Context Protocol has it.
fn dialect_of(document: &Value) -> Option<Dialect> {
    let drafts = ["draft-03", "draft-04", "draft-05", "draft-06", "draft-07"];
    if let Some(named) = text(document, "$schema") {
        let is_old = drafts.iter().any(|draft| named.contains(draft));
        return Some(if is_old { Dialect::Draft7 } else { Dialect::Draft2020 });
    }
    let openapi = text(document, "openapi").or_else(|| text(document, "swagger"))?;
    Some(match openapi.get(..3) {
        Some("3.1" | "3.2") => Dialect::Draft2020,
        _ => Dialect::OpenApi30,
    })
}

/// Finds what the references of a part lead into: the nearest schema around it that says what it is, or the document.
pub fn root<'d>(document: &'d Value, pointer: &str) -> Located<'d> {
    let ends = pointer
        .char_indices()
        .filter(|(end, c)| *end > 0 && *c == '/')
        .map(|(end, _)| end);
    let around = ends
        .chain([pointer.len()])
        .filter_map(|end| Some((document.pointer(&pointer[..end])?, end)));
    let mut own = around.filter(|(value, _)| value.get("$schema").or(value.get("$id")).is_some_and(Value::is_string));
    let (value, end) = own.next_back().unwrap_or((document, 0));
    (value, pointer[..end].to_owned())
}

/// Finds the schema at a place, or the one its references lead to within the document.
pub fn followed<'d>(document: &'d Value, (mut value, mut at): Located<'d>) -> Located<'d> {
    for _ in 0..HOPS_MAX {
        let pointer = value.get("$ref").and_then(Value::as_str).and_then(pointer_of);
        let Some((target, pointer)) = pointer.and_then(|pointer| Some((document.pointer(&pointer)?, pointer))) else {
            break;
        };
        (value, at) = (target, pointer);
    }
    (value, at)
}

/// The pointer that a reference into its own document is.
pub fn pointer_of(reference: &str) -> Option<String> {
    let pointer = percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?;
    Some(pointer.into_owned())
}

/// The text of a member.
pub fn text(holder: &Value, name: &str) -> Option<String> {
    holder.get(name)?.as_str().map(str::to_owned)
}

/// The one of a name, or the only one.
///
/// # Errors
/// [`ImportFault::Ask`] with what there is.
pub fn chosen<'a, T>(
    all: &'a [T],
    option: &str,
    asked: Option<&str>,
    names: impl Fn(&T) -> Vec<String>,
) -> Result<&'a T, ImportFault> {
    let is_meant = |one: &&T| asked.is_none_or(|asked| names(one).iter().any(|name| name == asked));
    let meant: Vec<&T> = all.iter().filter(is_meant).collect();
    if let [one] = meant[..] {
        return Ok(one);
    }
    let why = match asked {
        None => String::new(),
        Some(asked) if meant.is_empty() => format!("no {option} is called `{asked}`; "),
        Some(asked) => format!("several are called `{asked}`; "),
    };
    let listed = if meant.is_empty() { all.iter().collect() } else { meant };
    let first: Vec<String> = listed.iter().filter_map(|one| names(one).into_iter().next()).collect();
    // Where the first names are not distinct, the last ones are.
    let there = match first.iter().collect::<BTreeSet<_>>().len() == first.len() {
        true => first,
        false => listed.iter().filter_map(|one| names(one).pop()).collect(),
    };
    let there: Vec<String> = there.into_iter().take(NAMES_SAID_MAX).collect();
    let there = if there.is_empty() { "none" } else { &there.join(", ") };
    Err(ImportFault::Ask(format!(
        "{why}say which {option} is meant; there is: {there}"
    )))
}
