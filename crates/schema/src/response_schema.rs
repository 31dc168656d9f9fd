//! The member `response_schema` of a template (Z-020): what an executor's result must be.
//!
//! Any JSON Schema (draft 2020-12) that stays within itself: a `$ref` is a pointer into the same document, and no chain of
//! them comes back to where it began, so that a check ends after a bounded time. Invariant: what is admitted compiles, and
//! could be met by an object without the reserved names.

use jsonschema::Validator;
use jsonschema::json::SerdeJson;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use utoipa::ToSchema;

use crate::defect::pointer_to;
use crate::ecma;
use crate::json_schema;
use crate::name::RESERVED;
use crate::report::Report;

/// The member of a template.
pub const MEMBER: &str = "response_schema";
/// Bytes of a response schema as JSON.
pub const BYTES_MAX: usize = 64 * 1_024;
/// Values in it when every reference is replaced by what it points to.
pub const UNFOLDED_MAX: u64 = 20_000;
/// Levels in it, references followed.
pub const DEPTH_MAX: usize = 64;
/// Values of one `enum`.
pub const ENUM_MAX: usize = 1_000;

const REQUIREMENT: &str = "Z-020";
const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";
/// Keywords that give a part of the document another name, or look for one: references here are pointers alone.
const RENAMING: [&str; 5] = ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef"];

/// A compiled response schema.
#[derive(Debug)]
pub struct ResponseSchema {
    validator: Validator<SerdeJson>,
}

impl ResponseSchema {
    /// Compiles the member of a template that was published; `None` where it is absent, or was published before it had a
    /// meaning and cannot be used.
    pub fn of(members: &Map<String, Value>) -> Option<ResponseSchema> {
        read(members.get(MEMBER)?, &mut Report::default())
    }
}

/// Misfits told of one result; what lies beyond is the same again.
pub const MISFITS_MAX: usize = 20;

/// A place where an executor's result is not what was promised. Holds no value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Misfit {
    /// JSON pointer into the result.
    pub pointer: String,
    /// The keyword of the response schema that it breaks, or `reserved`.
    pub keyword: String,
}

/// Where a result has a reserved name, or differs from the response schema; none when it can be passed on.
pub fn misfits(result: &Map<String, Value>, schema: Option<&ResponseSchema>) -> Vec<Misfit> {
    let misfit = |pointer: String, keyword: &str| Misfit {
        pointer,
        keyword: keyword.to_owned(),
    };
    let reserved = RESERVED.into_iter().filter(|name| result.contains_key(*name));
    let mut found: Vec<Misfit> = reserved.map(|name| misfit(format!("/{name}"), "reserved")).collect();
    if let Some(schema) = schema {
        let result = Value::Object(result.clone());
        let errors = schema.validator.iter_errors(&result);
        let told = errors.map(|error| misfit(error.instance_path().as_str().to_owned(), error.kind().keyword()));
        found.extend(told.take(MISFITS_MAX - found.len()));
    }
    found
}

/// Reports what is wrong with the member, where it is there.
pub(crate) fn check(members: &Map<String, Value>, report: &mut Report) {
    if let Some(document) = members.get(MEMBER) {
        let _ = read(document, report);
    }
}

fn read(document: &Value, report: &mut Report) -> Option<ResponseSchema> {
    let at = pointer_to("", MEMBER);
    let wrong = objection(document).map(|(pointer, message)| (format!("{at}{pointer}"), message));
    let compiled = match wrong {
        Some(wrong) => Err(wrong),
        None => json_schema::compile::<SerdeJson>(document)
            .map_err(|message| (at, format!("`{MEMBER}` does not compile: {message}"))),
    };
    match compiled {
        Ok(validator) => Some(ResponseSchema { validator }),
        Err((pointer, message)) => {
            report.defect(&pointer, REQUIREMENT, message);
            None
        }
    }
}

/// Why a document is no response schema, with its place; compiling it is another matter.
fn objection(document: &Value) -> Option<(String, String)> {
    let here = String::new;
    let Value::Object(members) = document else {
        return Some((here(), format!("`{MEMBER}` is a JSON Schema, written as an object")));
    };
    if document.to_string().len() > BYTES_MAX {
        return Some((here(), format!("`{MEMBER}` has at most {BYTES_MAX} bytes")));
    }
    if members
        .get("$schema")
        .is_some_and(|draft| draft != DRAFT && draft != &format!("{DRAFT}#"))
    {
        return Some(("/$schema".to_owned(), format!("`{MEMBER}` is read as {DRAFT} alone")));
    }
    let object = match members.get("type") {
        None => true,
        Some(Value::Array(types)) => types.iter().any(|name| name == "object"),
        Some(name) => name == "object",
    };
    if !object {
        let message = "a result is an object, so that its `type` is `object`".to_owned();
        return Some(("/type".to_owned(), message));
    }
    let required = members.get("required").and_then(Value::as_array);
    for name in RESERVED {
        let named = members.get("properties").is_some_and(|own| own.get(name).is_some());
        if named || required.is_some_and(|required| required.iter().any(|own| own == name)) {
            let message = format!("`{name}` is a reserved name: no result may have it");
            return Some((here(), message));
        }
    }
    if let Some(foreign) = foreign_pattern(document) {
        return Some(foreign);
    }
    let mut unfolding = Unfolding {
        root: document,
        left: UNFOLDED_MAX,
        within: Vec::new(),
    };
    unfolding.follow("#", "", 0).err()
}

/// The first pattern that is none of ECMA-262, with its place.
fn foreign_pattern(document: &Value) -> Option<(String, String)> {
    let mut found = None;
    json_schema::each_pattern(&mut document.clone(), "", &mut |at, pattern| {
        if let (None, Err(fault)) = (&found, ecma::to_rust(pattern)) {
            let message = format!("`pattern` takes ECMA-262 with the flag `u`, as JSON Schema does: {fault}");
            found = Some((at.to_owned(), message));
        }
    });
    found
}

/// A walk through a schema with every reference followed.
struct Unfolding<'a> {
    root: &'a Value,
    /// Values that may still be met.
    left: u64,
    /// References that are being followed.
    within: Vec<&'a str>,
}

impl<'a> Unfolding<'a> {
    fn follow(&mut self, reference: &'a str, at: &str, depth: usize) -> Result<(), (String, String)> {
        let wrong = |message: &str| Err((at.to_owned(), message.to_owned()));
        if self.within.contains(&reference) {
            return wrong("a `$ref` comes back to where it began; a result is checked in bounded time");
        }
        let Some(pointer) = reference.strip_prefix('#').filter(|pointer| !pointer.contains('%')) else {
            return wrong("a `$ref` is a pointer into this schema, such as `#/$defs/name`; nothing is fetched");
        };
        let Some(target) = self.root.pointer(pointer) else {
            return wrong("this `$ref` points to nothing in this schema");
        };
        self.within.push(reference);
        self.walk(target, pointer, depth)?;
        self.within.pop();
        Ok(())
    }

    fn walk(&mut self, value: &'a Value, at: &str, depth: usize) -> Result<(), (String, String)> {
        let wrong = |at: &str, message: String| Err((at.to_owned(), message));
        if depth > DEPTH_MAX {
            return wrong(
                at,
                format!("`{MEMBER}` has at most {DEPTH_MAX} levels, references followed"),
            );
        }
        let Some(left) = self.left.checked_sub(1) else {
            return wrong(
                at,
                format!("`{MEMBER}` has at most {UNFOLDED_MAX} values when its references are unfolded"),
            );
        };
        self.left = left;
        match value {
            Value::Object(members) => members.iter().try_for_each(|(name, inner)| {
                let at = pointer_to(at, name);
                match inner {
                    Value::String(reference) if name == "$ref" => self.follow(reference, &at, depth + 1),
                    Value::String(_) if RENAMING.contains(&name.as_str()) => wrong(
                        &at,
                        format!("`{name}` cannot be used here: a `$ref` is a pointer into this schema"),
                    ),
                    Value::Array(values) if name == "enum" && values.len() > ENUM_MAX => {
                        wrong(&at, format!("an `enum` has at most {ENUM_MAX} values"))
                    }
                    inner => self.walk(inner, &at, depth + 1),
                }
            }),
            Value::Array(items) => {
                let mut items = items.iter().enumerate();
                items.try_for_each(|(index, inner)| self.walk(inner, &format!("{at}/{index}"), depth + 1))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;
    use serde_json::Value;
    use serde_json::json;

    use super::BYTES_MAX;
    use super::DEPTH_MAX;
    use super::ENUM_MAX;
    use super::MISFITS_MAX;
    use super::ResponseSchema;
    use super::check;
    use super::misfits;
    use crate::report::Report;

    fn read(schema: &Value) -> Result<ResponseSchema, (String, String)> {
        let members = Map::from_iter([("response_schema".to_owned(), schema.clone())]);
        let mut report = Report::default();
        check(&members, &mut report);
        let compiled = ResponseSchema::of(&members);
        match (compiled, report.defects.pop()) {
            (Some(compiled), None) => Ok(compiled),
            (None, Some(defect)) if defect.requirement == "Z-020" => Err((defect.pointer, defect.message)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_result_is_checked_and_its_places_are_named_without_values_z020() {
        let schema = read(&json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": ["code"],
            "properties": {"code": {"$ref": "#/$defs/code"}, "seats": {"items": {"$ref": "#/$defs/code"}}},
            "$defs": {"code": {"type": "string", "pattern": "^[A-Z]{2}$"}},
        }));
        let schema = schema.expect("a schema");
        let told = |result: Value, schema: Option<&ResponseSchema>| {
            let found = misfits(result.as_object().expect("an object"), schema).into_iter();
            found
                .map(|misfit| format!("{} {}", misfit.pointer, misfit.keyword))
                .collect::<Vec<_>>()
        };
        let none: [&str; 0] = [];
        assert_eq!(
            told(
                json!({"code": "AB", "seats": ["CD"], "more": {"exchange": 1}}),
                Some(&schema)
            ),
            none
        );
        assert_eq!(told(json!({"code": 7}), None), none);
        let wrong = json!({"exchange": {}, "schema_update_suggestion": 1, "code": "secret", "seats": ["CD", 7]});
        let expected = [
            "/exchange reserved",
            "/schema_update_suggestion reserved",
            "/code pattern",
            "/seats/1 type",
        ];
        assert_eq!(told(wrong, Some(&schema)), expected);
        assert_eq!(
            told(json!({"seats": vec![1; 100], "exchange": 1}), Some(&schema)).len(),
            MISFITS_MAX
        );
    }

    #[test]
    fn what_is_no_response_schema_is_a_defect_with_its_place_z020() {
        for (schema, pointer, said) in [
            (json!(true), "", "written as an object"),
            (json!({"type": 7}), "/type", "a result is an object"),
            (json!({"type": "string"}), "/type", "a result is an object"),
            (json!({"minProperties": "x"}), "", "does not compile"),
            (
                json!({"properties": {"a": {"pattern": "("}}}),
                "/properties/a/pattern",
                "takes ECMA-262",
            ),
            (
                json!({"$schema": "http://json-schema.org/draft-07/schema#"}),
                "/$schema",
                "alone",
            ),
            (json!({"properties": {"exchange": {}}}), "", "reserved"),
            (json!({"required": ["schema_update_suggestion"]}), "", "reserved"),
            (json!({"$id": "https://a.example/x"}), "/$id", "cannot be used"),
            (
                json!({"properties": {"a": {"$dynamicRef": "#a"}}}),
                "/properties/a/$dynamicRef",
                "cannot be used",
            ),
        ] {
            let (found, message) = read(&schema).expect_err("a defect");
            assert_eq!(found, format!("/response_schema{pointer}"), "{schema}");
            assert!(message.contains(said), "{schema}: {message}");
        }
        assert!(read(&json!({"type": ["object", "null"]})).is_ok());
    }

    #[test]
    fn nothing_is_fetched_and_no_reference_goes_in_circles_z020() {
        for (reference, said) in [
            ("https://a.example/schema", "nothing is fetched"),
            ("other.json#/a", "nothing is fetched"),
            ("#/%24defs/a", "nothing is fetched"),
            ("#/$defs/b", "points to nothing"),
            ("#", "comes back"),
            ("#/properties/a", "comes back"),
        ] {
            let schema = json!({"properties": {"a": {"$ref": reference}}, "$defs": {"a": {}}});
            let (pointer, message) = read(&schema).expect_err("a defect");
            assert_eq!(pointer, "/response_schema/properties/a/$ref");
            assert!(message.contains(said), "{reference}: {message}");
        }
    }

    #[test]
    fn references_do_not_multiply_without_bound_z020() {
        let doubling = |levels: usize| {
            let mut defs = Map::new();
            for level in 0..levels {
                let next = json!({"$ref": format!("#/$defs/l{}", level + 1)});
                defs.insert(format!("l{level}"), json!({"allOf": [next.clone(), next]}));
            }
            defs.insert(format!("l{levels}"), json!({"type": "object"}));
            json!({"$ref": "#/$defs/l0", "$defs": defs})
        };
        assert!(read(&doubling(8)).is_ok());
        let (_, message) = read(&doubling(16)).expect_err("65,536 times");
        assert!(message.contains("unfolded"), "{message}");
        let nested = |levels: usize| (0..levels).fold(json!({}), |inner, _| json!({"not": inner}));
        assert!(read(&nested(DEPTH_MAX)).is_ok());
        assert!(read(&nested(DEPTH_MAX + 1)).expect_err("deep").1.contains("levels"));
    }

    #[test]
    fn its_size_is_bounded_at_the_edge_z020() {
        let long = |bytes: usize| json!({"$comment": "x".repeat(bytes - 15)});
        assert_eq!(long(BYTES_MAX).to_string().len(), BYTES_MAX);
        assert!(read(&long(BYTES_MAX)).is_ok());
        assert!(read(&long(BYTES_MAX + 1)).expect_err("long").1.contains("bytes"));
        let listed = |values: usize| json!({"properties": {"a": {"enum": (0..values).collect::<Vec<_>>()}}});
        assert!(read(&listed(ENUM_MAX)).is_ok());
        assert!(
            read(&listed(ENUM_MAX + 1))
                .expect_err("many")
                .0
                .ends_with("/properties/a/enum")
        );
    }
}
