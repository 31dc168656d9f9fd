//! Whether everything that one key's schema accepts is accepted by another, and whether a schema accepts anything at all.
//!
//! Decided by the canonical form of the `jsonschema` crate, for which a pattern is a word: what patterns say of each other and of
//! lengths is put beside them first. Reads schemas in the form of [`crate::json_schema::key_schema`] and looks for no counter-example.
//! Invariant: `true` is a proof, `false` means that none was found.

use jsonschema::Draft;
use jsonschema::PatternOptions;
use jsonschema::canonical;
use jsonschema::canonical::CanonicalSchema;
use jsonschema::canonical::Containment;
use jsonschema::canonical::Satisfiability;
use serde_json::Map;
use serde_json::Value;

use crate::format;
use crate::json_schema::PATTERN_COMPILED_BYTES_MAX;
use crate::json_schema::engine_pattern;
use crate::keyword::Keyword;
use crate::pattern;
use crate::pattern::Inclusion;
use crate::pattern::Length;

type Schema = Map<String, Value>;

/// Whether whatever `writer` accepts is proved to be accepted by `reader`.
pub fn covers(reader: &Schema, writer: &Schema) -> bool {
    if jsonschema::json::cmp::equal_objects(reader, writer) {
        return true;
    }
    let reads = canonical_form(settled(reader, writer));
    let writes = canonical_form(writer.clone());
    let covered = reads.zip(writes).map(|(reads, writes)| reads.covers(&writes));
    matches!(covered, Some(Ok(Containment::Yes)))
}

/// Whether it is proved that a schema accepts nothing.
pub fn accepts_nothing(schema: &Schema) -> bool {
    canonical_form(schema.clone()).is_some_and(|form| form.satisfiability() == Satisfiability::No)
}

/// How many characters a schema's texts have, as far as it says so itself.
pub fn length(schema: &Schema) -> Length {
    let count = |keyword: Keyword| schema.get(keyword.name()).and_then(Value::as_u64);
    Length {
        least: count(Keyword::MinLength).unwrap_or(0),
        most: count(Keyword::MaxLength),
    }
}

/// The reader's schema without the patterns that whatever the writer accepts there matches.
fn settled(reader: &Schema, writer: &Schema) -> Schema {
    let mut settled = reader.clone();
    if let Some(asked) = reader.get(Keyword::Pattern.name()).and_then(Value::as_str) {
        let own = writer.get(Keyword::Pattern.name()).and_then(Value::as_str);
        if pattern::compare(own.unwrap_or_default(), asked, length(writer)) == Inclusion::Holds {
            settled.shift_remove(Keyword::Pattern.name());
        }
    }
    let below = |schema: &Schema, keyword: Keyword| schema.get(keyword.name()).and_then(Value::as_object).cloned();
    if let Some(items) = below(reader, Keyword::Items) {
        let own = below(writer, Keyword::Items).unwrap_or_default();
        settled.insert(Keyword::Items.name().to_owned(), settle(&items, &own));
    }
    let rest = below(writer, Keyword::AdditionalProperties).unwrap_or_default();
    let declared = below(writer, Keyword::Properties).unwrap_or_default();
    let mut members = below(reader, Keyword::Properties).unwrap_or_default();
    if let Some(others) = below(reader, Keyword::AdditionalProperties) {
        for name in declared.keys() {
            members
                .entry(name.clone())
                .or_insert_with(|| Value::Object(others.clone()));
        }
        settled.insert(Keyword::AdditionalProperties.name().to_owned(), settle(&others, &rest));
    }
    for (name, member) in &mut members {
        let own = declared.get(name).and_then(Value::as_object).unwrap_or(&rest);
        if let Value::Object(asked) = member {
            *member = settle(asked, own);
        }
    }
    if !members.is_empty() {
        settled.insert(Keyword::Properties.name().to_owned(), Value::Object(members));
    }
    settled
}

fn settle(reader: &Schema, writer: &Schema) -> Value {
    Value::Object(settled(reader, writer))
}

/// A schema in canonical form; `None` for one that has none.
fn canonical_form(mut schema: Schema) -> Option<CanonicalSchema> {
    spell_out(&mut schema);
    canonical::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .with_pattern_options(
            PatternOptions::regex()
                .size_limit(PATTERN_COMPILED_BYTES_MAX)
                .dfa_size_limit(PATTERN_COMPILED_BYTES_MAX),
        )
        .offline()
        .canonicalize(&Value::Object(schema))
        .ok()
}

/// Says of every schema in it what canonical forms do not know: how long the texts of a pattern are, and which formats are not enforced.
fn spell_out(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut(Keyword::Pattern.name()) {
        let written = pattern::lengths(text);
        *text = engine_pattern(text);
        let own = length(schema);
        if let Some(written) = written {
            let least = own.least.max(written.least);
            schema.insert(Keyword::MinLength.name().to_owned(), least.into());
            let most = own.most.into_iter().chain(written.most).min();
            schema.extend(most.map(|most| (Keyword::MaxLength.name().to_owned(), most.into())));
        }
    }
    let is_shown_only = |named: &Value| named.as_str().and_then(format::find).is_none();
    if schema.get(Keyword::Format.name()).is_some_and(is_shown_only) {
        schema.shift_remove(Keyword::Format.name());
    }
    for (name, value) in schema {
        match (Keyword::parse(name), value) {
            (Some(Keyword::Items | Keyword::AdditionalProperties), Value::Object(below)) => spell_out(below),
            (Some(Keyword::Properties), Value::Object(members)) => {
                members
                    .values_mut()
                    .filter_map(Value::as_object_mut)
                    .for_each(spell_out);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;
    use serde_json::Value;
    use serde_json::json;

    use super::accepts_nothing;
    use super::covers;
    use crate::specimen::specimens;

    fn schema(document: &Value) -> Map<String, Value> {
        document.as_object().expect("an object").clone()
    }

    #[track_caller]
    fn proved(reader: &Value, writer: &Value, holds: bool) {
        assert_eq!(
            covers(&schema(reader), &schema(writer)),
            holds,
            "{writer} within {reader}"
        );
    }

    #[test]
    fn a_type_holds_itself_and_numbers_hold_integers_z036() {
        proved(&json!({"type": "number"}), &json!({"type": "integer"}), true);
        proved(&json!({"type": "integer"}), &json!({"type": "number"}), false);
        proved(&json!({"type": "string"}), &json!({"type": "string"}), true);
        proved(&json!({"type": "string"}), &json!({"type": "array"}), false);
        proved(&json!({}), &json!({"type": "array"}), true);
        proved(&json!({"type": "array"}), &json!({}), false);
    }

    #[test]
    fn a_list_is_looked_at_value_by_value_z048() {
        let list = |values: Value| json!({"type": "string", "enum": values});
        proved(&list(json!(["a", "b"])), &list(json!(["b"])), true);
        proved(&list(json!(["a"])), &list(json!(["a", "b"])), false);
        proved(
            &json!({"type": "string", "maxLength": 1}),
            &list(json!(["a", "b"])),
            true,
        );
        proved(
            &json!({"type": "string", "maxLength": 1}),
            &list(json!(["a", "bc"])),
            false,
        );
        proved(&list(json!(["a"])), &json!({"type": "string"}), false);
        proved(
            &json!({"type": "boolean", "const": true}),
            &json!({"type": "boolean"}),
            false,
        );
        proved(
            &json!({"type": "boolean", "enum": [false, true]}),
            &json!({"type": "boolean"}),
            true,
        );
        proved(
            &json!({"type": "integer", "enum": [3, 1, 2]}),
            &json!({"type": "integer", "minimum": 1, "exclusiveMaximum": 4}),
            true,
        );
        // A value that its own schema refuses breaks nobody.
        proved(
            &list(json!(["a"])),
            &json!({"type": "string", "enum": ["a", "bcd"], "maxLength": 2}),
            true,
        );
    }

    #[test]
    fn bounds_are_compared_exactly_at_their_edge_z048() {
        let number = |keyword: &str, bound: Value| json!({"type": "number", keyword: bound});
        proved(&number("minimum", json!(1)), &number("minimum", json!(1)), true);
        proved(&number("minimum", json!(1)), &number("minimum", json!(0.5)), false);
        proved(
            &number("minimum", json!(1)),
            &number("exclusiveMinimum", json!(1)),
            true,
        );
        proved(
            &number("exclusiveMinimum", json!(1)),
            &number("minimum", json!(1)),
            false,
        );
        proved(
            &number("maximum", json!(9)),
            &number("exclusiveMaximum", json!(9.5)),
            false,
        );
        proved(
            &number("exclusiveMaximum", json!(9)),
            &number("maximum", json!(8)),
            true,
        );
        let integer = |keyword: &str, bound: Value| json!({"type": "integer", keyword: bound});
        proved(
            &integer("minimum", json!(1)),
            &integer("exclusiveMinimum", json!(0)),
            true,
        );
        proved(
            &integer("exclusiveMinimum", json!(0.5)),
            &integer("minimum", json!(1)),
            true,
        );
        proved(
            &integer("minimum", json!(2)),
            &integer("exclusiveMinimum", json!(0)),
            false,
        );
        proved(&integer("minimum", json!(1)), &integer("maximum", json!(9)), false);
    }

    #[test]
    fn multiples_lengths_patterns_and_formats_are_compared_z048() {
        let proofs = [
            (json!({"multipleOf": 5}), json!({"multipleOf": 10}), true),
            (json!({"multipleOf": 10}), json!({"multipleOf": 5}), false),
            (json!({"multipleOf": 0.1}), json!({"multipleOf": 0.1}), true),
        ];
        for (reader, writer, holds) in proofs {
            proved(&reader, &writer, holds);
        }
        proved(
            &json!({"type": "integer", "multipleOf": 1}),
            &json!({"type": "integer"}),
            true,
        );
        let text = |keyword: &str, value: Value| json!({"type": "string", keyword: value});
        proved(&text("maxLength", json!(5)), &text("maxLength", json!(5)), true);
        proved(&text("maxLength", json!(5)), &text("maxLength", json!(6)), false);
        proved(&text("minLength", json!(2)), &text("minLength", json!(1)), false);
        proved(&text("minLength", json!(0)), &text("maxLength", json!(1)), true);
        proved(&text("pattern", json!("^a$")), &text("pattern", json!("^a$")), true);
        proved(&text("pattern", json!("^a")), &text("pattern", json!("^a$")), true);
        proved(&text("pattern", json!("^a$")), &text("pattern", json!("^a")), false);
        proved(&text("format", json!("date")), &json!({"type": "string"}), false);
        proved(&text("format", json!("airport")), &json!({"type": "string"}), true);
    }

    #[test]
    fn arrays_and_objects_are_compared_member_by_member_z051() {
        let items = |of: Value| json!({"type": "array", "items": of});
        proved(
            &items(json!({"type": "number"})),
            &items(json!({"type": "integer"})),
            true,
        );
        proved(
            &items(json!({"type": "integer"})),
            &items(json!({"type": "number"})),
            false,
        );
        proved(&items(json!({"type": "integer"})), &json!({"type": "array"}), false);
        proved(
            &json!({"type": "array", "uniqueItems": true}),
            &json!({"type": "array", "maxItems": 1}),
            true,
        );
        let object = |properties: Value, required: Value, additional: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": additional});
        let closed = object(json!({"a": {"type": "integer"}}), json!(["a"]), json!(false));
        let open = object(json!({"a": {"type": "integer"}}), json!(["a"]), json!(true));
        let typed = object(json!({}), json!([]), json!({"type": "number"}));
        proved(&open, &closed, true);
        proved(&closed, &open, false);
        proved(&typed, &closed, true);
        proved(&typed, &open, false);
        proved(&closed, &typed, false);
        let optional = object(json!({"a": {"type": "integer"}}), json!([]), json!(false));
        proved(&optional, &closed, true);
        proved(&closed, &optional, false);
    }

    #[test]
    fn what_is_left_of_a_key_is_known_where_it_is_sure_z017() {
        for (key_type, constraints, none) in [
            ("string", json!({"enum": ["a", "b"], "minLength": 2}), true),
            ("string", json!({"enum": ["a", "bc"], "minLength": 2}), false),
            ("string", json!({"const": "a", "enum": ["b"]}), true),
            ("string", json!({"const": "a", "pattern": "^[A-Z]$"}), true),
            ("string", json!({"enum": ["soon"], "format": "date"}), true),
            ("string", json!({"pattern": "^a$", "maxLength": 1}), false),
            ("integer", json!({"minimum": 1.2, "maximum": 1.8}), true),
            ("integer", json!({"minimum": 1.2, "maximum": 2}), false),
            ("integer", json!({"exclusiveMinimum": 1, "exclusiveMaximum": 2}), true),
            ("integer", json!({"exclusiveMinimum": 1, "exclusiveMaximum": 3}), false),
            ("integer", json!({"minimum": 1, "maximum": 9, "multipleOf": 10}), true),
            ("integer", json!({"minimum": 1, "maximum": 10, "multipleOf": 10}), false),
            ("number", json!({"minimum": 1.2, "maximum": 1.8}), false),
            ("number", json!({"minimum": 1, "maximum": 9, "multipleOf": 10}), true),
            (
                "number",
                json!({"minimum": 0.1, "maximum": 0.2, "multipleOf": 0.5}),
                true,
            ),
            (
                "number",
                json!({"minimum": 0.1, "maximum": 0.3, "multipleOf": 0.3}),
                false,
            ),
            ("integer", json!({"minimum": 1, "maximum": 5, "multipleOf": 2.5}), false),
            ("integer", json!({"minimum": 1, "maximum": 2, "multipleOf": 0.1}), false),
            ("string", json!({"pattern": "^[A-Z]{8}$", "maxLength": 4}), true),
            ("string", json!({"pattern": "^[A-Z]{8}", "minLength": 9}), false),
            ("string", json!({"pattern": "^[A-Z]{2}$", "minLength": 4}), true),
            ("string", json!({"pattern": "^(?=x)[A-Z]{2}$", "minLength": 4}), false),
            ("string", json!({"format": "date", "maxLength": 4}), true),
            ("string", json!({"format": "date-time", "minLength": 40}), false),
            ("string", json!({"format": "uuid", "pattern": "^[0-9a-f]{32}$"}), true),
            ("string", json!({"format": "airport", "maxLength": 4}), false),
            (
                "object",
                json!({"properties": {"a": {"type": "string"}}, "required": ["b"], "additionalProperties": false}),
                true,
            ),
            (
                "object",
                json!({"properties": {"b": {"type": "string"}}, "required": ["b"], "additionalProperties": false}),
                false,
            ),
            (
                "object",
                json!({"properties": {"a": {"type": "string"}}, "required": ["b"]}),
                false,
            ),
            (
                "array",
                json!({"items": {"type": "string", "maxLength": 0}, "minItems": 2, "uniqueItems": true}),
                true,
            ),
            (
                "array",
                json!({"items": {"type": "string", "maxLength": 0}, "minItems": 2}),
                false,
            ),
            (
                "array",
                json!({"items": {"type": "string", "enum": ["a", "bc", "d"], "maxLength": 1}, "minItems": 3, "uniqueItems": true}),
                true,
            ),
            (
                "array",
                json!({"items": {"enum": ["a", "b"]}, "minItems": 3, "uniqueItems": true}),
                true,
            ),
            (
                "array",
                json!({"items": {"type": "string", "pattern": "^a$", "minLength": 2}, "minItems": 1}),
                true,
            ),
            (
                "array",
                json!({"items": {"type": "string", "enum": ["a"], "minLength": 2}, "minItems": 1}),
                true,
            ),
            (
                "array",
                json!({"items": {"type": "string", "enum": ["a"], "minLength": 2}}),
                false,
            ),
            (
                "array",
                json!({"items": {"type": "string", "enum": ["a", "b"]}, "minItems": 3, "uniqueItems": true}),
                true,
            ),
            (
                "object",
                json!({"properties": {"n": {"type": "integer", "enum": [7], "maximum": 6}}, "required": ["n"]}),
                true,
            ),
            (
                "object",
                json!({"properties": {"n": {"type": "integer", "enum": [7], "maximum": 6}}}),
                false,
            ),
        ] {
            let mut whole = schema(&constraints);
            whole.insert("type".to_owned(), json!(key_type));
            assert_eq!(accepts_nothing(&whole), none, "{constraints:?}");
            assert!(!none || specimens(&whole, &Map::new()).is_empty(), "{constraints:?}");
        }
    }
}
