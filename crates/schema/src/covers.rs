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
use serde_json::Value;

use crate::budget::Budget;
use crate::cost;
use crate::format;
use crate::json_schema::PATTERN_COMPILED_BYTES_MAX;
use crate::json_schema::Says;
use crate::json_schema::Schema;
use crate::json_schema::engine_pattern;
use crate::keyword::Keyword;
use crate::pattern;
use crate::pattern::Inclusion;
use crate::pattern::Length;

/// Units of a byte of a schema that is brought into canonical form.
const FORM_UNITS: u64 = 8;
/// Bytes of a listed value, about.
const VALUE_BYTES: u64 = 8;

/// Whether whatever `writer` accepts is proved to be accepted by `reader`.
pub fn covers(reader: &Schema, writer: &Schema, budget: &Budget<'_>) -> bool {
    if jsonschema::json::cmp::equal_objects(reader, writer) {
        return true;
    }
    let [read, written] = [reader, writer].map(cost::units);
    // Listed values are compared with each other.
    let pairs = (read / VALUE_BYTES).saturating_mul(written / VALUE_BYTES);
    if !budget.spend(pairs.saturating_add(FORM_UNITS.saturating_mul(read.saturating_add(written)))) {
        return false;
    }
    let reads = canonical_form(settle(reader, writer, budget));
    let writes = canonical_form(writer.clone());
    let covered = reads.zip(writes).map(|(reads, writes)| reads.covers(&writes));
    matches!(covered, Some(Ok(Containment::Yes)))
}

/// Whether it is proved that a schema accepts nothing.
pub fn accepts_nothing(schema: &Schema, budget: &Budget<'_>) -> bool {
    budget.spend(FORM_UNITS.saturating_mul(cost::units(schema)))
        && canonical_form(schema.clone()).is_some_and(|form| form.satisfiability() == Satisfiability::No)
}

/// How many characters a schema's texts have, as far as it says so itself.
pub fn length(schema: &Schema) -> Length {
    Length {
        least: schema.count(Keyword::MinLength).unwrap_or(0),
        most: schema.count(Keyword::MaxLength),
    }
}

/// The reader's schema without the patterns that whatever the writer accepts there matches.
fn settle(reader: &Schema, writer: &Schema, budget: &Budget<'_>) -> Schema {
    let mut settled = reader.clone();
    let mut set =
        |keyword: Keyword, below: Schema| drop(settled.insert(keyword.name().to_owned(), Value::Object(below)));
    if let Some(items) = reader.below(Keyword::Items) {
        let own = writer.below(Keyword::Items).cloned().unwrap_or_default();
        set(Keyword::Items, settle(items, &own, budget));
    }
    let rest = writer.below(Keyword::AdditionalProperties).cloned().unwrap_or_default();
    let declared = writer.below(Keyword::Properties).cloned().unwrap_or_default();
    let mut members = reader.below(Keyword::Properties).cloned().unwrap_or_default();
    if let Some(others) = reader.below(Keyword::AdditionalProperties) {
        for name in declared.keys() {
            let unsaid = || Value::Object(others.clone());
            members.entry(name.clone()).or_insert_with(unsaid);
        }
        set(Keyword::AdditionalProperties, settle(others, &rest, budget));
    }
    for (name, member) in &mut members {
        let own = declared.get(name).and_then(Value::as_object).unwrap_or(&rest);
        if let Value::Object(asked) = member {
            *asked = settle(asked, own, budget);
        }
    }
    if !members.is_empty() {
        set(Keyword::Properties, members);
    }
    let own = writer.text(Keyword::Pattern).unwrap_or_default();
    let holds = |asked: &str| pattern::compare(own, asked, length(writer), budget) == Inclusion::Holds;
    if reader.text(Keyword::Pattern).is_some_and(holds) {
        settled.shift_remove(Keyword::Pattern.name());
    }
    settled
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
    use crate::budget::Budget;
    use crate::witness::samples;

    fn schema(document: &Value) -> Map<String, Value> {
        document.as_object().expect("an object").clone()
    }

    /// Rows of a reader, a writer, and whether the one is proved to take all that the other does.
    fn proved(rows: &[Value]) {
        for row in rows {
            let proved = covers(&schema(&row[0]), &schema(&row[1]), &Budget::default());
            assert_eq!(json!(proved), row[2], "{} within {}", row[1], row[0]);
        }
    }

    #[test]
    fn a_type_holds_itself_and_numbers_hold_integers_z036() {
        proved(&[
            json!([{"type": "number"}, {"type": "integer"}, true]),
            json!([{"type": "integer"}, {"type": "number"}, false]),
            json!([{"type": "string"}, {"type": "string"}, true]),
            json!([{"type": "string"}, {"type": "array"}, false]),
            json!([{}, {"type": "array"}, true]),
            json!([{"type": "array"}, {}, false]),
        ]);
    }

    #[test]
    fn a_list_is_looked_at_value_by_value_z048() {
        proved(&[
            json!([{"type": "string", "enum": ["a", "b"]}, {"type": "string", "enum": ["b"]}, true]),
            json!([{"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["a", "b"]}, false]),
            json!([{"type": "string", "maxLength": 1}, {"type": "string", "enum": ["a", "b"]}, true]),
            json!([{"type": "string", "maxLength": 1}, {"type": "string", "enum": ["a", "bc"]}, false]),
            json!([{"type": "string", "enum": ["a"]}, {"type": "string"}, false]),
            json!([{"type": "boolean", "const": true}, {"type": "boolean"}, false]),
            json!([{"type": "boolean", "enum": [false, true]}, {"type": "boolean"}, true]),
            json!([{"type": "integer", "enum": [3, 1, 2]},
                {"type": "integer", "minimum": 1, "exclusiveMaximum": 4}, true]),
            // A value that its own schema refuses breaks nobody.
            json!([{"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["a", "bcd"], "maxLength": 2}, true]),
        ]);
    }

    #[test]
    fn bounds_are_compared_exactly_at_their_edge_z048() {
        proved(&[
            json!([{"type": "number", "minimum": 1}, {"type": "number", "minimum": 1}, true]),
            json!([{"type": "number", "minimum": 1}, {"type": "number", "minimum": 0.5}, false]),
            json!([{"type": "number", "minimum": 1}, {"type": "number", "exclusiveMinimum": 1}, true]),
            json!([{"type": "number", "exclusiveMinimum": 1}, {"type": "number", "minimum": 1}, false]),
            json!([{"type": "number", "maximum": 9}, {"type": "number", "exclusiveMaximum": 9.5}, false]),
            json!([{"type": "number", "exclusiveMaximum": 9}, {"type": "number", "maximum": 8}, true]),
            json!([{"type": "integer", "minimum": 1}, {"type": "integer", "exclusiveMinimum": 0}, true]),
            json!([{"type": "integer", "exclusiveMinimum": 0.5}, {"type": "integer", "minimum": 1}, true]),
            json!([{"type": "integer", "minimum": 2}, {"type": "integer", "exclusiveMinimum": 0}, false]),
            json!([{"type": "integer", "minimum": 1}, {"type": "integer", "maximum": 9}, false]),
        ]);
    }

    #[test]
    fn multiples_lengths_patterns_and_formats_are_compared_z048() {
        proved(&[
            json!([{"multipleOf": 5}, {"multipleOf": 10}, true]),
            json!([{"multipleOf": 10}, {"multipleOf": 5}, false]),
            json!([{"multipleOf": 0.1}, {"multipleOf": 0.1}, true]),
            json!([{"type": "integer", "multipleOf": 1}, {"type": "integer"}, true]),
            json!([{"type": "string", "maxLength": 5}, {"type": "string", "maxLength": 5}, true]),
            json!([{"type": "string", "maxLength": 5}, {"type": "string", "maxLength": 6}, false]),
            json!([{"type": "string", "minLength": 2}, {"type": "string", "minLength": 1}, false]),
            json!([{"type": "string", "minLength": 0}, {"type": "string", "maxLength": 1}, true]),
            json!([{"type": "string", "maxLength": 3}, {"type": "string", "pattern": "^[A-Z]{3}$"}, true]),
            json!([{"type": "string", "pattern": "^a$"}, {"type": "string", "pattern": "^a$", "maxLength": 9}, true]),
            json!([{"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "^a$"}, true]),
            json!([{"type": "string", "pattern": "^a$"}, {"type": "string", "pattern": "^a"}, false]),
            json!([{"type": "string", "format": "date"}, {"type": "string"}, false]),
            json!([{"type": "string", "format": "date", "pattern": "^2"}, {"type": "string", "format": "date"}, false]),
            json!([{"type": "string", "format": "date", "minLength": 11}, {"type": "string", "format": "date"}, false]),
            json!([{"type": "string", "format": "airport"}, {"type": "string"}, true]),
        ]);
    }

    #[test]
    fn arrays_and_objects_are_compared_member_by_member_z051() {
        let object = |properties: Value, required: Value, additional: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": additional});
        let integer = json!({"a": {"type": "integer"}});
        let closed = object(integer.clone(), json!(["a"]), json!(false));
        let open = object(integer.clone(), json!(["a"]), json!(true));
        let optional = object(integer, json!([]), json!(false));
        let typed = object(json!({}), json!([]), json!({"type": "number"}));
        let coded = |pattern: &str| json!({"type": "string", "pattern": pattern});
        proved(&[
            json!([{"type": "array", "items": {"type": "number"}},
                {"type": "array", "items": {"type": "integer"}}, true]),
            json!([{"type": "array", "items": {"type": "integer"}},
                {"type": "array", "items": {"type": "number"}}, false]),
            json!([{"type": "array", "items": {"type": "integer"}}, {"type": "array"}, false]),
            json!([{"type": "array", "uniqueItems": true}, {"type": "array", "maxItems": 1}, true]),
            json!([{"type": "array", "items": coded("^a")}, {"type": "array", "items": coded("^ab")}, true]),
            json!([
                object(json!({}), json!([]), coded("^a")),
                object(json!({"b": coded("^ab")}), json!([]), json!(false)),
                true
            ]),
            json!([open, closed, true]),
            json!([closed, open, false]),
            json!([typed, closed, true]),
            json!([typed, open, false]),
            json!([closed, typed, false]),
            json!([optional, closed, true]),
            json!([closed, optional, false]),
        ]);
    }

    #[test]
    fn what_is_left_of_a_key_is_known_where_it_is_sure_z017() {
        for nothing in [
            json!({"type": "string", "enum": ["a", "b"], "minLength": 2}),
            json!({"type": "string", "const": "a", "enum": ["b"]}),
            json!({"type": "string", "const": "a", "pattern": "^[A-Z]$"}),
            json!({"type": "string", "enum": ["soon"], "format": "date"}),
            json!({"type": "integer", "minimum": 1.2, "maximum": 1.8}),
            json!({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2}),
            json!({"type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 10}),
            json!({"type": "number", "minimum": 1, "maximum": 9, "multipleOf": 10}),
            json!({"type": "number", "minimum": 0.1, "maximum": 0.2, "multipleOf": 0.5}),
            json!({"type": "string", "pattern": "^[A-Z]{8}$", "maxLength": 4}),
            json!({"type": "string", "pattern": "^[A-Z]{2}$", "minLength": 4}),
            json!({"type": "string", "format": "date", "maxLength": 4}),
            json!({"type": "string", "format": "uuid", "pattern": "^[0-9a-f]{32}$"}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"], "additionalProperties": false}),
            json!({"type": "array", "items": {"type": "string", "maxLength": 0}, "minItems": 2, "uniqueItems": true}),
            json!({"type": "array", "items": {"type": "string", "enum": ["a", "bc", "d"], "maxLength": 1}, "minItems": 3, "uniqueItems": true}),
            json!({"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 3, "uniqueItems": true}),
            json!({"type": "array", "items": {"type": "string", "pattern": "^a$", "minLength": 2}, "minItems": 1}),
            json!({"type": "array", "items": {"type": "string", "enum": ["a"], "minLength": 2}, "minItems": 1}),
            json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 3, "uniqueItems": true}),
            json!({"type": "object", "properties": {"n": {"type": "integer", "enum": [7], "maximum": 6}}, "required": ["n"]}),
        ] {
            let nothing = schema(&nothing);
            assert!(accepts_nothing(&nothing, &Budget::default()), "{nothing:?}");
            assert_eq!(
                samples(&nothing, &Map::new(), &Budget::default()),
                Vec::<Value>::new(),
                "{nothing:?}"
            );
        }
        for something in [
            json!({"type": "string", "enum": ["a", "bc"], "minLength": 2}),
            json!({"type": "string", "pattern": "^a$", "maxLength": 1}),
            json!({"type": "integer", "minimum": 1.2, "maximum": 2}),
            json!({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 3}),
            json!({"type": "integer", "minimum": 1, "maximum": 10, "multipleOf": 10}),
            json!({"type": "number", "minimum": 1.2, "maximum": 1.8}),
            json!({"type": "number", "minimum": 0.1, "maximum": 0.3, "multipleOf": 0.3}),
            json!({"type": "integer", "minimum": 1, "maximum": 5, "multipleOf": 2.5}),
            json!({"type": "integer", "minimum": 1, "maximum": 2, "multipleOf": 0.1}),
            json!({"type": "string", "pattern": "^[A-Z]{8}", "minLength": 9}),
            json!({"type": "string", "pattern": "^(?=x)[A-Z]{2}$", "minLength": 4}),
            json!({"type": "string", "format": "date-time", "minLength": 40}),
            json!({"type": "string", "format": "airport", "maxLength": 4}),
            json!({"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"], "additionalProperties": false}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}),
            json!({"type": "array", "items": {"type": "string", "maxLength": 0}, "minItems": 2}),
            json!({"type": "array", "items": {"type": "string", "enum": ["a"], "minLength": 2}}),
            json!({"type": "object", "properties": {"n": {"type": "integer", "enum": [7], "maximum": 6}}}),
        ] {
            assert!(!accepts_nothing(&schema(&something), &Budget::default()), "{something}");
        }
    }
}
