//! The JSON Schema (draft 2020-12) that says what a key accepts, and the one way to compile such a schema.
//!
//! Formats are asserted; a format that the draft does not know is an annotation. Nothing is ever fetched.

use jsonschema::Draft;
use jsonschema::PatternOptions;
use jsonschema::Validator;
use jsonschema::json::Json;
use serde_json::Map;
use serde_json::Value;

use crate::defect::pointer_to;
use crate::ecma;
use crate::key::KeyType;
use crate::keyword::Keyword;

/// Bytes that one compiled pattern may take; what needs more does not compile (docs/design.md §3).
pub const PATTERN_COMPILED_BYTES_MAX: usize = 1 << 20;

/// What one key accepts: its type and its constraints.
pub fn of_key(key_type: KeyType, constraints: &Map<String, Value>) -> Map<String, Value> {
    let own = ("type".to_owned(), Value::String(key_type.name().to_owned()));
    let stated = constraints.iter().map(|(name, value)| (name.clone(), value.clone()));
    std::iter::once(own).chain(stated).collect()
}

/// The same as a document.
pub fn key_schema(key_type: KeyType, constraints: &Map<String, Value>) -> Value {
    Value::Object(of_key(key_type, constraints))
}

/// A schema in the form of [`of_key`].
pub type Schema = Map<String, Value>;

/// What a schema says under its keywords.
pub trait Says {
    fn value(&self, keyword: Keyword) -> Option<&Value>;

    /// The type that it names.
    fn key_type(&self) -> Option<KeyType>;

    fn text(&self, keyword: Keyword) -> Option<&str> {
        self.value(keyword)?.as_str()
    }

    fn count(&self, keyword: Keyword) -> Option<u64> {
        self.value(keyword)?.as_u64()
    }

    fn list(&self, keyword: Keyword) -> &[Value] {
        let list = self.value(keyword).and_then(Value::as_array);
        list.map_or(&[], Vec::as_slice)
    }

    /// What lies below a keyword: a schema, or members with one each.
    fn below(&self, keyword: Keyword) -> Option<&Schema> {
        self.value(keyword)?.as_object()
    }

    /// The members that an object must have.
    fn required(&self) -> Vec<&str> {
        let names = self.list(Keyword::Required).iter();
        names.filter_map(Value::as_str).collect()
    }

    /// What members that are not declared have to be; `None` where there may be none.
    fn additional(&self) -> Option<Schema> {
        match self.value(Keyword::AdditionalProperties) {
            Some(Value::Bool(false)) => None,
            Some(Value::Object(own)) => Some(own.clone()),
            Some(_) | None => Some(Map::new()),
        }
    }
}

impl Says for Schema {
    fn value(&self, keyword: Keyword) -> Option<&Value> {
        self.get(keyword.name())
    }

    fn key_type(&self) -> Option<KeyType> {
        self.get("type").and_then(Value::as_str).and_then(KeyType::parse)
    }
}

/// A pattern as the engine runs it. One that was stored before patterns were ECMA-262, and is none, keeps the meaning that
/// it has in the engine's own dialect.
pub fn engine_pattern(pattern: &str) -> String {
    ecma::to_rust(pattern).unwrap_or_else(|_| pattern.to_owned())
}

/// Changes every `pattern` of a schema, whichever of its schemas it stands in, and gives each the place.
pub fn each_pattern(schema: &mut Value, at: &str, change: &mut impl FnMut(&str, &mut String)) {
    let members = match schema {
        Value::Object(members) => members,
        Value::Array(schemas) => {
            for (index, schema) in schemas.iter_mut().enumerate() {
                each_pattern(schema, &pointer_to(at, &index.to_string()), change);
            }
            return;
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return,
    };
    for (name, value) in members {
        let here = pointer_to(at, name);
        match (name.as_str(), value) {
            ("pattern", Value::String(pattern)) => change(&here, pattern),
            ("enum" | "const" | "default" | "examples", _) => {}
            (
                "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions",
                Value::Object(named),
            ) => {
                for (name, schema) in named {
                    each_pattern(schema, &pointer_to(&here, name), change);
                }
            }
            (_, value) => each_pattern(value, &here, change),
        }
    }
}

/// Compiles a schema for instances in the representation `F`. Patterns are ECMA-262 and run in linear time.
///
/// # Errors
/// The compiler's message when the schema is not one.
pub fn compile<F: Json>(schema: &Value) -> Result<Validator<F>, String> {
    let mut schema = schema.clone();
    each_pattern(&mut schema, "", &mut |_, pattern| *pattern = engine_pattern(pattern));
    jsonschema::options_for::<F>()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .should_ignore_unknown_formats(true)
        .with_pattern_options(
            PatternOptions::regex()
                .size_limit(PATTERN_COMPILED_BYTES_MAX)
                .dfa_size_limit(PATTERN_COMPILED_BYTES_MAX),
        )
        .offline()
        .build(&schema)
        .map_err(|error| error.to_string())
}
