//! The examples of the document: requests in the order in which they can be sent, a story of one service, and what it answered.
//!
//! They stand in `examples.json`. A test sends them to the real service, where several clients have already asked for a window seat,
//! and holds its answers against the document and against those that are kept (`UPDATE_DOCS=1` rewrites them).

use std::sync::LazyLock;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::Required;
use utoipa::openapi::example::Example;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::path::ParameterBuilder;
use utoipa::openapi::schema::Schema;

/// All of them.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Examples {
    pub requests: Vec<Recorded>,
    pub beginnings: Vec<Beginning>,
}

/// A request and its answer. A later one may rest on an earlier one.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Recorded {
    /// The operation's id.
    pub operation: String,
    /// Unique within the operation, snake_case.
    pub name: String,
    pub summary: String,
    /// Who asks, where it is not the one who asks the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// Texts by the names of parameters, wherever those stand.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub parameters: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    pub status: u16,
    /// What `Location` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// A JSON document, or the first lines of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
}

/// How a success begins that no test can ask for: of streams that end with their reader, of bytes, and of pages.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Beginning {
    pub operation: String,
    pub summary: String,
    pub media_type: String,
    pub text: String,
}

/// Those that are kept.
pub static EXAMPLES: LazyLock<Examples> = LazyLock::new(|| {
    serde_json::from_str(include_str!("examples.json")).unwrap_or(Examples {
        requests: Vec::new(),
        beginnings: Vec::new(),
    })
});

impl Recorded {
    /// Its name among all: `publish_schema/new`.
    pub fn key(&self) -> String {
        format!("{}/{}", self.operation, self.name)
    }
}

/// The requests of an operation.
pub fn requests(operation: &str) -> impl Iterator<Item = &'static Recorded> {
    EXAMPLES.requests.iter().filter(move |one| one.operation == operation)
}

/// Adds to parameters what the first request that has them says, and to a body what is sent.
pub fn add_requests(operation: &mut Operation, id: &str) {
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(parameter) = parameter {
            let shown = requests(id).find_map(|one| one.parameters.get(&parameter.name)?.as_str());
            let shown = shown.map(|text| match text {
                "true" | "false" => Value::Bool(text == "true"),
                text => text.parse::<u64>().map_or_else(|_| Value::from(text), Value::from),
            });
            *parameter = ParameterBuilder::from(parameter.clone()).example(shown).build();
        }
    }
    let Some(RefOr::T(body)) = &mut operation.request_body else {
        return;
    };
    body.required.get_or_insert(Required::False);
    for content in body.content.values_mut() {
        if let RefOr::T(content) = content {
            content.schema = content.schema.take().map(without_null);
            let sent =
                requests(id).filter_map(|one| Some((one.name.clone(), example(&one.summary, one.body.clone()?))));
            content.examples.extend(sent);
        }
    }
}

/// A body that may be left out is not null.
fn without_null(schema: RefOr<Schema>) -> RefOr<Schema> {
    match schema {
        RefOr::T(Schema::OneOf(either)) => {
            let named = either.items.iter().find(|item| matches!(item, RefOr::Ref(_)));
            named.cloned().unwrap_or(RefOr::T(Schema::OneOf(either)))
        }
        other => other,
    }
}

/// The answers of an operation with a status: JSON documents, or texts.
pub fn answers(id: &str, status: u16, json: bool) -> impl Iterator<Item = (String, RefOr<Example>)> {
    let asked = requests(id).filter(move |one| one.status == status);
    asked.filter_map(move |one| {
        let answer = one.answer.as_ref().filter(|answer| answer.is_string() != json)?;
        Some((one.name.clone(), example(&one.summary, answer.clone())))
    })
}

/// How an answer begins that no example could be asked for.
pub fn beginning(id: &str, media_type: &str) -> Option<(String, RefOr<Example>)> {
    let mut all = EXAMPLES.beginnings.iter();
    let one = all.find(|one| one.operation == id && one.media_type == media_type)?;
    Some((
        "beginning".to_owned(),
        example(&one.summary, Value::from(one.text.clone())),
    ))
}

/// An example with a sentence that says what it is of.
pub fn example(summary: &str, value: Value) -> RefOr<Example> {
    RefOr::T(ExampleBuilder::new().summary(summary).value(Some(value)).build())
}
