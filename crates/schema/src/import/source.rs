//! Which part of a document becomes a template: a JSON Schema, an operation of an OpenAPI document, or a tool of the Model Context
//! Protocol. Places are JSON pointers into the document.

use serde_json::Value;

use crate::defect::pointer_to;
use crate::import::ImportFault;
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
    /// What is left out of it.
    pub findings: Findings,
}

/// Names in a message.
const NAMES_SAID_MAX: usize = 20;

impl<'d> Source<'d> {
    /// A schema as the payload.
    pub fn of_schema(schema: &'d Value, at: &str) -> Source<'d> {
        let id = text(schema, "$id").unwrap_or_default();
        let id = id.trim_end_matches(['#', '/']).rsplit(['/', ':']).next();
        let id = id.and_then(|last| last.split('.').next()).map(str::to_owned);
        let name = text(schema, "title").or(id).filter(|name| !name.trim().is_empty());
        Source {
            payload: Some((schema, at.to_owned())),
            name,
            ..Source::within((schema, at.to_owned()), dialect_of(schema))
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
            findings: Findings::default(),
        }
    }
}

/// The dialect that a schema names; none of itself is draft 2020-12, as the Model Context Protocol has it.
fn dialect_of(schema: &Value) -> Dialect {
    let named = text(schema, "$schema").unwrap_or_default();
    match ["draft-04", "draft-05", "draft-06", "draft-07"].map(|draft| named.contains(draft)) {
        [false, false, false, false] => Dialect::Draft2020,
        _ => Dialect::Draft7,
    }
}

/// The text of a member.
pub fn text(holder: &Value, name: &str) -> Option<String> {
    holder.get(name)?.as_str().map(str::to_owned)
}

/// The tools of a list, of the answer that holds one, or the one that the document is, with their places.
pub fn tools(document: &Value) -> Option<Vec<Located<'_>>> {
    for base in ["/tools", "/result/tools"] {
        if let Some(tools) = document.pointer(base).and_then(Value::as_array) {
            let each = tools.iter().enumerate();
            return Some(each.map(|(n, tool)| (tool, format!("{base}/{n}"))).collect());
        }
    }
    document.get("inputSchema").map(|_| vec![(document, String::new())])
}

/// A tool.
///
/// # Errors
/// [`ImportFault::Unfit`] without a schema of its arguments.
pub fn of_tool<'d>((tool, at): &Located<'d>) -> Result<Source<'d>, ImportFault> {
    let no_payload = || ImportFault::Unfit(format!("there is no `inputSchema` at {at}"));
    let schema = tool.get("inputSchema").ok_or_else(no_payload)?;
    let mut source = Source::of_schema(schema, &pointer_to(at, "inputSchema"));
    source.name = text(tool, "name");
    source.description = text(tool, "description").or_else(|| text(tool, "title"));
    source.response = tool.get("outputSchema").cloned();
    // Which draft it is of goes without saying, and its name is its own.
    if let Some(Value::Object(members)) = &mut source.response {
        members.retain(|name, _| !["$schema", "$id"].contains(&name.as_str()));
    }
    Ok(source)
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
    let found = match asked {
        Some(asked) => all.iter().find(|one| names(one).iter().any(|name| name == asked)),
        None => all.first().filter(|_| all.len() == 1),
    };
    found.ok_or_else(|| {
        let there = all.iter().filter_map(|one| names(one).into_iter().next());
        let there: Vec<String> = there.take(NAMES_SAID_MAX).collect();
        let there = if there.is_empty() { "none" } else { &there.join(", ") };
        let none = asked.map(|asked| format!("no {option} is called `{asked}`; "));
        let none = none.unwrap_or_default();
        ImportFault::Ask(format!("{none}say which {option} is meant; there is: {there}"))
    })
}
