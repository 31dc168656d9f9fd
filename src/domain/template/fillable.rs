//! Can anything be given for a key: what of a list its constraints refuse, and whether they leave no value at all.
//!
//! Says that nothing is left where that is sure, and that something is where it was found; between the two lie patterns and
//! formats. Invariant: a schema that a value was found for is never said to leave none.

use serde_json::Map;
use serde_json::Value;

use crate::domain::template::containment;
use crate::domain::template::json_schema::key_schema;
use crate::domain::template::key::KeyType;
use crate::domain::template::rule::Rule;
use crate::domain::template::specimen::specimens;

/// Whole numbers beyond which a step is not counted exactly.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// The values of a list that constraints refuse, whatever list these have themselves.
pub fn refused(key_type: KeyType, constraints: &Map<String, Value>, listed: &[Value]) -> Vec<Value> {
    let rule = Rule::compile(key_type, constraints);
    let is_refused = |value: &&Value| rule.check(value).is_err();
    listed.iter().filter(is_refused).cloned().collect()
}

/// Whether a value is known that type and constraints accept.
pub fn has_value(key_type: KeyType, constraints: &Map<String, Value>) -> bool {
    match key_schema(key_type, constraints) {
        Value::Object(schema) => !specimens(&schema, &Map::new()).is_empty(),
        _ => false,
    }
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
        KeyType::String | KeyType::Boolean | KeyType::Null => false,
    }
}

/// Whether no number lies between the bounds: no whole one, or no multiple of the step.
fn no_number(key_type: KeyType, constraints: &Map<String, Value>) -> bool {
    let bound = |keyword: &str| constraints.get(keyword).and_then(Value::as_f64);
    let step = match (bound("multipleOf"), key_type) {
        (Some(step), _) if step.fract() == 0.0 => step,
        (None, KeyType::Integer) => 1.0,
        (_, _) => return false,
    };
    let low = bound("minimum").map(|low| (low / step).ceil());
    let above = bound("exclusiveMinimum").map(|low| (low / step).floor() + 1.0);
    let high = bound("maximum").map(|high| (high / step).floor());
    let below = bound("exclusiveMaximum").map(|high| (high / step).ceil() - 1.0);
    let least = low.into_iter().chain(above).reduce(f64::max);
    let most = high.into_iter().chain(below).reduce(f64::min);
    least
        .zip(most)
        .is_some_and(|(least, most)| least.abs() < EXACT_MAX && most.abs() < EXACT_MAX && least > most)
}

/// Whether an array must have elements, or so many that differ, and there are none.
fn no_elements(constraints: &Map<String, Value>) -> bool {
    let least = constraints.get("minItems").and_then(Value::as_u64).unwrap_or(0);
    let Some(Value::Object(items)) = constraints.get("items").filter(|_| least > 0) else {
        return false;
    };
    let distinct = constraints.get("uniqueItems") == Some(&Value::Bool(true));
    let few = containment::listed(items)
        .is_some_and(|listed| distinct && u64::try_from(listed.len()).is_ok_and(|count| count < least));
    few || nested_leaves_none(items)
}

/// Whether an object must have a member that nothing can be given for.
fn no_member(constraints: &Map<String, Value>) -> bool {
    let required = constraints.get("required").and_then(Value::as_array);
    let member = |name: &str| constraints.get("properties")?.get(name)?.as_object();
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    names.filter_map(member).any(nested_leaves_none)
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

    use super::has_value;
    use super::leaves_none;
    use super::refused;
    use crate::domain::template::key::KeyType;

    fn map(constraints: &Value) -> Map<String, Value> {
        constraints.as_object().expect("an object").clone()
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
