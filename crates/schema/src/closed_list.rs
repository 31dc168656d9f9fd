//! The closed list of a key that holds texts: reading it, lengthening it, shortening what is shown of it.
//!
//! Knows nothing of why a list changes. Invariant: what stays keeps its order, and `none` stays last.

use serde_json::Map;
use serde_json::Value;

/// What a list accepts when nothing is wanted.
pub const NONE: &str = "none";

/// The values of a closed list of texts, in order; `None` where there is no list, or one that holds anything else.
pub fn values(constraints: &Map<String, Value>) -> Option<Vec<&str>> {
    constraints.get("enum")?.as_array()?.iter().map(Value::as_str).collect()
}

/// Values that a sentence names, and bytes of one of them.
const NAMED_MAX: usize = 12;
const NAMED_BYTES_MAX: usize = 120;

/// Values in words: the first ones, and how many more there are.
pub fn named<'v>(values: impl IntoIterator<Item = &'v Value>) -> String {
    let mut values = values.into_iter();
    let named: Vec<String> = values.by_ref().take(NAMED_MAX).map(short).collect();
    match values.count() {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// A value in words, or how it begins.
pub fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.len() <= NAMED_BYTES_MAX {
        true => text,
        false => format!("{} …", &text[..text.floor_char_boundary(NAMED_BYTES_MAX)]),
    }
}

/// Adds values that are not held yet, before `none`; does nothing where there is no list (Z-107).
fn widen(constraints: &mut Map<String, Value>, values: &[String]) {
    let Some(Value::Array(list)) = constraints.get_mut("enum") else {
        return;
    };
    for value in values {
        let value = Value::String(value.clone());
        if !list.contains(&value) {
            let end = list.iter().position(|held| held == NONE).unwrap_or(list.len());
            list.insert(end, value);
        }
    }
}

/// What a refinement does with its values: they are the first that are listed, or more of them.
pub fn take_in(constraints: &mut Map<String, Value>, values: &[String], closes: bool) {
    if closes {
        close(constraints, values);
    } else {
        widen(constraints, values);
    }
}

/// Closes what is open over these values and `none`; does nothing where the values are restricted already.
fn close(constraints: &mut Map<String, Value>, values: &[String]) {
    if !constraints.contains_key("enum") {
        let list: Vec<Value> = values.iter().cloned().map(Value::String).collect();
        constraints.insert("enum".to_owned(), Value::Array(list));
        widen(constraints, &[NONE.to_owned()]);
    }
}

/// Takes values out of what is shown.
pub fn hide(constraints: &mut Map<String, Value>, values: &[&str]) {
    if let Some(Value::Array(list)) = constraints.get_mut("enum") {
        list.retain(|held| held.as_str().is_none_or(|held| !values.contains(&held)));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;
    use serde_json::Value;
    use serde_json::json;

    use super::NAMED_BYTES_MAX;
    use super::NAMED_MAX;
    use super::hide;
    use super::named;
    use super::take_in;
    use super::values;

    /// What a list is after more was taken into it.
    fn taken(list: Option<Value>, more: &[&str], closes: bool) -> Value {
        let mut constraints: Map<String, Value> = list.map(|list| ("enum".to_owned(), list)).into_iter().collect();
        let more: Vec<String> = more.iter().map(|value| (*value).to_owned()).collect();
        take_in(&mut constraints, &more, closes);
        json!(values(&constraints))
    }

    #[test]
    fn so_many_values_are_named_and_the_others_are_counted_z048() {
        let listed = |count: usize| (0..count).map(Value::from).collect::<Vec<Value>>();
        assert_eq!(named(&listed(2)), "0, 1");
        assert!(named(&listed(NAMED_MAX)).ends_with(", 11"));
        assert!(named(&listed(NAMED_MAX + 31)).ends_with(", 11 and 31 more"));
        let long = json!("é".repeat(NAMED_BYTES_MAX));
        assert!(named([&long]).len() <= NAMED_BYTES_MAX + " …".len());
    }

    #[test]
    fn a_value_is_added_once_and_before_none_and_what_is_open_is_closed_once_z107_z111() {
        let seats = || Some(json!(["window", "aisle", "none"]));
        for (list, more, closes, expected) in [
            (
                seats(),
                &["middle", "aisle", "exit row"][..],
                false,
                json!(["window", "aisle", "middle", "exit row", "none"]),
            ),
            (None, &["middle"], false, json!(null)),
            (None, &["window", "aisle"], true, json!(["window", "aisle", "none"])),
            (seats(), &["middle"], true, json!(["window", "aisle", "none"])),
            (Some(json!(["a", 1])), &["b"], true, json!(null)),
        ] {
            assert_eq!(taken(list, more, closes), expected);
        }
        let mut list = Map::from_iter([("enum".to_owned(), json!(["window", "middle", "none"]))]);
        hide(&mut list, &["middle"]);
        assert_eq!(values(&list), Some(vec!["window", "none"]));
    }
}
