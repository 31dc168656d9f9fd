//! `null` for an optional member of an object means that it is omitted, as it does for an optional key (docs/design.md §3).
//!
//! Knows members that are declared, not required, and cannot be null; everything else that is null stays. Depth is that of
//! the constraints, which publishing bounds.

use serde_json::Map;
use serde_json::Value;

use crate::keyword::Keyword;

/// Whether a schema declares a member that null may stand for the omission of.
pub fn possible(schema: &Map<String, Value>) -> bool {
    let own = declared(schema).any(|(name, member)| is_omissible(schema, name, member));
    own || below(schema).any(possible)
}

/// Takes out the members that are null and may be omitted, at every level.
pub fn leave_out(value: &mut Value, schema: &Map<String, Value>) {
    match value {
        Value::Object(members) => {
            for (name, member) in declared(schema) {
                match members.get_mut(name) {
                    Some(Value::Null) if is_omissible(schema, name, member) => {
                        members.shift_remove(name);
                    }
                    Some(held) => leave_out(held, member),
                    None => {}
                }
            }
            if let Some(rest) = object(schema, Keyword::AdditionalProperties) {
                let names = object(schema, Keyword::Properties);
                for (name, held) in members {
                    if !names.is_some_and(|names| names.contains_key(name)) {
                        leave_out(held, rest);
                    }
                }
            }
        }
        Value::Array(elements) => {
            if let Some(items) = object(schema, Keyword::Items) {
                elements.iter_mut().for_each(|element| leave_out(element, items));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn object(schema: &Map<String, Value>, keyword: Keyword) -> Option<&Map<String, Value>> {
    schema.get(keyword.name()).and_then(Value::as_object)
}

fn declared(schema: &Map<String, Value>) -> impl Iterator<Item = (&String, &Map<String, Value>)> {
    let members = object(schema, Keyword::Properties).into_iter().flatten();
    members.filter_map(|(name, member)| Some((name, member.as_object()?)))
}

/// The schemas one level down.
fn below(schema: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    let nested = [Keyword::Items, Keyword::AdditionalProperties];
    declared(schema)
        .map(|(_, member)| member)
        .chain(nested.into_iter().filter_map(|keyword| object(schema, keyword)))
}

fn is_omissible(schema: &Map<String, Value>, name: &str, member: &Map<String, Value>) -> bool {
    let required = schema.get(Keyword::Required.name()).and_then(Value::as_array);
    let asked = required.is_some_and(|names| names.iter().any(|asked| asked == name));
    !asked && refuses_null(member)
}

fn refuses_null(schema: &Map<String, Value>) -> bool {
    let other_type = schema.get("type").is_some_and(|declared| declared != "null");
    let listed = schema.get(Keyword::Enum.name()).and_then(Value::as_array);
    let unlisted = listed.is_some_and(|values| !values.contains(&Value::Null));
    let other_value = schema.get(Keyword::Const.name()).is_some_and(|value| !value.is_null());
    other_type || unlisted || other_value
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::leave_out;
    use super::possible;

    fn left(schema: &Value, mut value: Value) -> Value {
        leave_out(&mut value, schema.as_object().expect("an object"));
        value
    }

    #[test]
    fn null_for_an_optional_member_is_its_omission_at_every_level() {
        let leg = json!({"properties": {"from": {"type": "string"}, "seat": {"enum": ["a"]}, "gap": {"type": "null"},
            "any": {}}, "required": ["from"]});
        let schema = json!({"items": leg});
        assert!(possible(schema.as_object().expect("an object")));
        assert_eq!(
            left(
                &schema,
                json!([{"from": null, "seat": null, "gap": null, "any": null, "new": null}])
            ),
            json!([{"from": null, "gap": null, "any": null, "new": null}]),
            "only what is declared, optional and no null itself"
        );
        let map = json!({"properties": {"a": {"type": "array"}}, "additionalProperties": leg});
        assert_eq!(left(&map, json!({"a": null, "b": {"seat": null}})), json!({"b": {}}));
    }

    #[test]
    fn nothing_is_omissible_where_everything_is_required_or_undeclared() {
        for schema in [
            json!({}),
            json!({"properties": {"a": {"type": "string"}}, "required": ["a"]}),
            json!({"additionalProperties": {"type": "string"}}),
            json!({"properties": {"a": {"minimum": 1}}}),
        ] {
            assert!(!possible(schema.as_object().expect("an object")), "{schema}");
        }
    }
}
