//! What is added to every operation, whichever protocol it speaks: how a caller says who it is, and the examples.

use serde_json::Map;
use serde_json::Value;
use utoipa::openapi::Ref;
use utoipa::openapi::RefOr;
use utoipa::openapi::Required;
use utoipa::openapi::example::Example;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::path::ParameterBuilder;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::security::SecurityRequirement;

use crate::http::openapi::examples::Ask;
use crate::http::openapi::examples::written;

/// How a caller says who it is.
pub fn security() -> Vec<SecurityRequirement> {
    ["key", "header", "name"]
        .map(|scheme| SecurityRequirement::new(scheme, [""; 0]))
        .to_vec()
}

/// Parameters with what the first example that has them says, and the bodies of the examples.
pub fn show_what_is_sent(operation: &mut Operation, asks: &[&Ask]) {
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(parameter) = parameter {
            let shown = asks.iter().find_map(|ask| ask.value(&parameter.name));
            let shown = shown.map(|text| match text {
                "true" | "false" => Value::Bool(text == "true"),
                text => text.parse::<u64>().map_or_else(|_| Value::from(text), Value::from),
            });
            *parameter = ParameterBuilder::from(parameter.clone()).example(shown).build();
        }
    }
    if let Some(RefOr::T(body)) = &mut operation.request_body {
        body.required.get_or_insert(Required::False);
        for content in body.content.values_mut() {
            if let RefOr::T(content) = content {
                content.schema = content.schema.take().map(without_null);
                content.examples.extend(named(sent(asks)));
            }
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

/// A header that components describe.
pub fn header_ref(name: &str) -> Ref {
    Ref::new(format!("#/components/headers/{name}"))
}

/// Examples by their names.
pub fn named(
    examples: impl IntoIterator<Item = (&'static str, Example)>,
) -> impl Iterator<Item = (String, RefOr<Example>)> {
    let examples = examples.into_iter();
    examples.map(|(name, example)| (name.to_owned(), RefOr::T(example)))
}

/// What the examples send.
fn sent(asks: &[&Ask]) -> Vec<(&'static str, Example)> {
    let bodies = asks.iter().filter_map(|ask| Some((ask, ask.body.clone()?)));
    bodies
        .map(|(ask, body)| (ask.name, example(ask.summary, body)))
        .collect()
}

/// What they were answered with a status.
pub fn told(asks: &[&Ask], answers: &Map<String, Value>, status: u16) -> Vec<(&'static str, Example)> {
    let asked = asks.iter().filter(|ask| ask.status == status);
    let told = asked.filter_map(|ask| Some((ask, answers.get(&ask.key())?.clone())));
    told.map(|(ask, told)| (ask.name, example(ask.summary, told))).collect()
}

/// How an answer begins that no example could be asked for.
pub fn beginning(operation: &str, media: &str) -> Option<(&'static str, Example)> {
    let written = written::of(operation, media)?;
    Some(("beginning", example(written.summary, Value::from(written.text))))
}

/// An example with a sentence that says what it is of.
pub fn example(summary: &str, value: Value) -> Example {
    ExampleBuilder::new().summary(summary).value(Some(value)).build()
}
