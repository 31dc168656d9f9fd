//! Can anything be given for a key: what of a list its constraints refuse, and whether they leave no value at all.
//!
//! Says that nothing is left where that is sure, and that something is where it was found; between the two lie patterns and
//! formats beyond the lengths of their texts. Invariant: a schema that a value was found for is never said to leave none.

use serde_json::Map;
use serde_json::Value;

use crate::containment;
use crate::expression::Expression;
use crate::expression::Lengths;
use crate::key::KeyType;
use crate::rule::Rule;

/// Whole numbers beyond which a step is not counted exactly.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
/// Steps beyond which their count is not sure where a step is no whole number.
const COUNTED_MAX: f64 = 1e9;
/// Of a step, what a multiple may miss it by and be taken for one: far more than is lost in reckoning.
const ROUNDED: f64 = 1e-6;
/// Multiples of a step among which a whole one is looked for.
const STEPS_MAX: u32 = 1_000;

/// The values of a list that constraints refuse, whatever list these have themselves.
pub fn refused(key_type: KeyType, constraints: &Map<String, Value>, listed: &[Value]) -> Vec<Value> {
    let rule = Rule::compile(key_type, constraints);
    let is_refused = |value: &&Value| !rule.accepts(value);
    listed.iter().filter(is_refused).cloned().collect()
}

/// Whether it is sure that type and constraints accept nothing.
pub fn leaves_none(key_type: KeyType, constraints: &Map<String, Value>) -> bool {
    if let Some(listed) = containment::listed(constraints) {
        return refused(key_type, constraints, &listed).len() == listed.len();
    }
    match key_type {
        KeyType::Integer | KeyType::Number => no_number(key_type, constraints),
        KeyType::Array => no_elements(constraints),
        KeyType::Object => no_member(constraints),
        KeyType::String => lengths(constraints).is_none(),
        KeyType::Boolean | KeyType::Null => false,
    }
}

/// How many characters a text may have by its lengths, its pattern and its format; `None` where these leave none.
fn lengths(constraints: &Map<String, Value>) -> Option<Lengths> {
    let count = |keyword: &str| constraints.get(keyword).and_then(Value::as_u64);
    let text = |keyword: &str| constraints.get(keyword).and_then(Value::as_str);
    let said = Lengths {
        least: count("minLength").unwrap_or(0),
        most: count("maxLength"),
    };
    let pattern = text("pattern").and_then(Expression::read);
    let written = pattern.and_then(|pattern| pattern.lengths());
    let formatted = text("format").and_then(of_format);
    let all = || [said].into_iter().chain(written).chain(formatted);
    let least = all().map(|lengths| lengths.least).max().unwrap_or(0);
    let most = all().filter_map(|lengths| lengths.most).min();
    most.is_none_or(|most| least <= most).then_some(Lengths { least, most })
}

/// How many characters the texts of a format have that is enforced, where that is sure.
fn of_format(format: &str) -> Option<Lengths> {
    let (least, most) = match format {
        "date" => (10, Some(10)),
        // "2026-05-04T09:30:00Z", and any number of decimals.
        "date-time" => (20, None),
        "time" => (9, None),
        "duration" | "email" => (3, None),
        "uuid" => (36, Some(36)),
        "ipv4" => (7, Some(15)),
        "ipv6" => (2, Some(45)),
        _ => return None,
    };
    Some(Lengths { least, most })
}

/// Whether no number lies between the bounds: no whole one, or no multiple of the step.
fn no_number(key_type: KeyType, constraints: &Map<String, Value>) -> bool {
    let bound = |keyword: &str| constraints.get(keyword).and_then(Value::as_f64);
    let step = match (bound("multipleOf"), key_type) {
        (Some(step), _) if step.fract() == 0.0 => step,
        (None, KeyType::Integer) => 1.0,
        (Some(step), KeyType::Integer) => {
            return whole_multiple(step).is_some_and(|step| between_none(step, &bound, 0.0));
        }
        (Some(step), _) => return between_none(step, &bound, ROUNDED),
        (None, _) => return false,
    };
    between_none(step, &bound, 0.0)
}

/// Whether no multiple of a step lies between the bounds; one that misses them by so little of a step may be rounded into
/// them.
fn between_none(step: f64, bound: &impl Fn(&str) -> Option<f64>, rounded: f64) -> bool {
    let low = bound("minimum").map(|low| (low / step - rounded).ceil());
    let above = bound("exclusiveMinimum").map(|low| (low / step - rounded).floor() + 1.0);
    let high = bound("maximum").map(|high| (high / step + rounded).floor());
    let below = bound("exclusiveMaximum").map(|high| (high / step + rounded).ceil() - 1.0);
    let least = low.into_iter().chain(above).reduce(f64::max);
    let most = high.into_iter().chain(below).reduce(f64::min);
    let exact = if rounded > 0.0 { COUNTED_MAX } else { EXACT_MAX };
    least
        .zip(most)
        .is_some_and(|(least, most)| least.abs() < exact && most.abs() < exact && least > most)
}

/// The least whole multiple of a step that is no whole number, where it is found exactly.
fn whole_multiple(step: f64) -> Option<f64> {
    (2..=STEPS_MAX)
        .map(|times| f64::from(times) * step)
        .find(|multiple| (multiple - multiple.round()).abs() < ROUNDED)
        .map(f64::round)
}

/// Whether an array must have elements, or so many that differ, and there are none.
fn no_elements(constraints: &Map<String, Value>) -> bool {
    let least = constraints.get("minItems").and_then(Value::as_u64).unwrap_or(0);
    let Some(Value::Object(items)) = constraints.get("items").filter(|_| least > 0) else {
        return false;
    };
    let distinct = constraints.get("uniqueItems") == Some(&Value::Bool(true));
    let few = distinct && values_max(items).is_some_and(|count| count < least);
    few || nested_leaves_none(items)
}

/// How many values a schema accepts at most, where they can be counted.
fn values_max(schema: &Map<String, Value>) -> Option<u64> {
    if let Some(listed) = containment::listed(schema) {
        let left = match containment::key_type(schema) {
            Some(key_type) => listed.len() - refused(key_type, schema, &listed).len(),
            None => listed.len(),
        };
        return u64::try_from(left).ok();
    }
    let only = |keyword: &str| schema.get(keyword).and_then(Value::as_u64) == Some(0);
    let alone = match containment::key_type(schema)? {
        KeyType::String => lengths(schema).is_some_and(|lengths| lengths.most == Some(0)),
        KeyType::Array => only("maxItems"),
        KeyType::Object => !may_have_members(schema),
        KeyType::Integer | KeyType::Number | KeyType::Boolean | KeyType::Null => false,
    };
    alone.then_some(1)
}

/// Whether an object may have any member at all.
fn may_have_members(schema: &Map<String, Value>) -> bool {
    let declared = schema.get("properties").and_then(Value::as_object);
    schema.get("additionalProperties") != Some(&Value::Bool(false))
        || declared.is_some_and(|declared| !declared.is_empty())
}

/// Whether an object must have a member that nothing can be given for, or that it may not have.
fn no_member(constraints: &Map<String, Value>) -> bool {
    let required = constraints.get("required").and_then(Value::as_array);
    let mut names = required.into_iter().flatten().filter_map(Value::as_str);
    let declared = |name: &str| constraints.get("properties")?.get(name);
    let rest = constraints.get("additionalProperties");
    names.any(|name| match declared(name).or(rest) {
        Some(Value::Object(member)) => nested_leaves_none(member),
        Some(Value::Bool(allowed)) => !allowed,
        Some(_) | None => false,
    })
}

/// The same of a schema below a key, where it names its type.
fn nested_leaves_none(schema: &Map<String, Value>) -> bool {
    containment::key_type(schema).is_some_and(|key_type| leaves_none(key_type, schema))
}

#[cfg(test)]
mod tests {
    use serde_json::Map;
    use serde_json::Value;
    use serde_json::json;

    use super::leaves_none;
    use super::refused;
    use crate::json_schema::key_schema;
    use crate::key::KeyType;
    use crate::specimen::specimens;

    fn map(constraints: &Value) -> Map<String, Value> {
        constraints.as_object().expect("an object").clone()
    }

    /// Whether a value is known that type and constraints accept.
    fn has_value(key_type: KeyType, constraints: &Map<String, Value>) -> bool {
        match key_schema(key_type, constraints) {
            Value::Object(schema) => !specimens(&schema, &Map::new()).is_empty(),
            _ => false,
        }
    }

    #[test]
    fn what_is_left_of_a_key_is_known_where_it_is_sure_z017() {
        for (key_type, constraints, none) in [
            (KeyType::String, json!({"enum": ["a", "b"], "minLength": 2}), true),
            (KeyType::String, json!({"enum": ["a", "bc"], "minLength": 2}), false),
            (KeyType::String, json!({"const": "a", "enum": ["b"]}), true),
            (KeyType::String, json!({"const": "a", "pattern": "^[A-Z]$"}), true),
            (KeyType::String, json!({"enum": ["soon"], "format": "date"}), true),
            (KeyType::String, json!({"pattern": "^a$", "maxLength": 1}), false),
            (KeyType::Integer, json!({"minimum": 1.2, "maximum": 1.8}), true),
            (KeyType::Integer, json!({"minimum": 1.2, "maximum": 2}), false),
            (
                KeyType::Integer,
                json!({"exclusiveMinimum": 1, "exclusiveMaximum": 2}),
                true,
            ),
            (
                KeyType::Integer,
                json!({"exclusiveMinimum": 1, "exclusiveMaximum": 3}),
                false,
            ),
            (
                KeyType::Integer,
                json!({"minimum": 1, "maximum": 9, "multipleOf": 10}),
                true,
            ),
            (
                KeyType::Integer,
                json!({"minimum": 1, "maximum": 10, "multipleOf": 10}),
                false,
            ),
            (KeyType::Number, json!({"minimum": 1.2, "maximum": 1.8}), false),
            (
                KeyType::Number,
                json!({"minimum": 1, "maximum": 9, "multipleOf": 10}),
                true,
            ),
            (
                KeyType::Number,
                json!({"minimum": 0.1, "maximum": 0.2, "multipleOf": 0.5}),
                true,
            ),
            (
                KeyType::Number,
                json!({"minimum": 0.1, "maximum": 0.3, "multipleOf": 0.3}),
                false,
            ),
            (
                KeyType::Integer,
                json!({"minimum": 1, "maximum": 4, "multipleOf": 2.5}),
                true,
            ),
            (
                KeyType::Integer,
                json!({"minimum": 1, "maximum": 5, "multipleOf": 2.5}),
                false,
            ),
            (
                KeyType::Integer,
                json!({"minimum": 1, "maximum": 2, "multipleOf": 0.1}),
                false,
            ),
            (KeyType::String, json!({"pattern": "^[A-Z]{8}$", "maxLength": 4}), true),
            (KeyType::String, json!({"pattern": "^[A-Z]{8}", "minLength": 9}), false),
            (KeyType::String, json!({"pattern": "^[A-Z]{2}$", "minLength": 4}), true),
            (
                KeyType::String,
                json!({"pattern": "^(?=x)[A-Z]{2}$", "minLength": 4}),
                false,
            ),
            (KeyType::String, json!({"format": "date", "maxLength": 4}), true),
            (KeyType::String, json!({"format": "date-time", "minLength": 40}), false),
            (
                KeyType::String,
                json!({"format": "uuid", "pattern": "^[0-9a-f]{32}$"}),
                true,
            ),
            (KeyType::String, json!({"format": "airport", "maxLength": 4}), false),
            (
                KeyType::Object,
                json!({"properties": {"a": {"type": "string"}}, "required": ["b"], "additionalProperties": false}),
                true,
            ),
            (
                KeyType::Object,
                json!({"properties": {"b": {"type": "string"}}, "required": ["b"], "additionalProperties": false}),
                false,
            ),
            (
                KeyType::Object,
                json!({"properties": {"a": {"type": "string"}}, "required": ["b"]}),
                false,
            ),
            (
                KeyType::Array,
                json!({"items": {"type": "string", "maxLength": 0}, "minItems": 2, "uniqueItems": true}),
                true,
            ),
            (
                KeyType::Array,
                json!({"items": {"type": "string", "maxLength": 0}, "minItems": 2}),
                false,
            ),
            (
                KeyType::Array,
                json!({"items": {"type": "string", "enum": ["a", "bc", "d"], "maxLength": 1}, "minItems": 3, "uniqueItems": true}),
                true,
            ),
            (
                KeyType::Array,
                json!({"items": {"enum": ["a", "b"]}, "minItems": 3, "uniqueItems": true}),
                true,
            ),
            (
                KeyType::Array,
                json!({"items": {"type": "string", "pattern": "^a$", "minLength": 2}, "minItems": 1}),
                true,
            ),
            (
                KeyType::Array,
                json!({"items": {"type": "string", "enum": ["a"], "minLength": 2}, "minItems": 1}),
                true,
            ),
            (
                KeyType::Array,
                json!({"items": {"type": "string", "enum": ["a"], "minLength": 2}}),
                false,
            ),
            (
                KeyType::Array,
                json!({"items": {"type": "string", "enum": ["a", "b"]}, "minItems": 3, "uniqueItems": true}),
                true,
            ),
            (
                KeyType::Object,
                json!({"properties": {"n": {"type": "integer", "enum": [7], "maximum": 6}}, "required": ["n"]}),
                true,
            ),
            (
                KeyType::Object,
                json!({"properties": {"n": {"type": "integer", "enum": [7], "maximum": 6}}}),
                false,
            ),
        ] {
            let constraints = map(&constraints);
            assert_eq!(leaves_none(key_type, &constraints), none, "{constraints:?}");
            assert!(!none || !has_value(key_type, &constraints), "{constraints:?}");
        }
    }

    #[test]
    fn the_values_that_are_refused_are_named_z048() {
        let listed = [json!("S"), json!("XXL")];
        let left = refused(KeyType::String, &map(&json!({"maxLength": 2})), &listed);
        assert_eq!(left, [json!("XXL")]);
        assert!(has_value(KeyType::String, &map(&json!({"format": "date"}))));
        assert!(!has_value(
            KeyType::String,
            &map(&json!({"format": "date", "maxLength": 5}))
        ));
    }
}
