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

    use super::close;
    use super::hide;
    use super::values;
    use super::widen;

    fn constraints(list: &Value) -> Map<String, Value> {
        [("enum".to_owned(), list.clone())].into_iter().collect()
    }

    #[test]
    fn a_value_is_added_once_and_before_none_z107() {
        let mut list = constraints(&json!(["window", "aisle", "none"]));
        widen(
            &mut list,
            &["middle".to_owned(), "aisle".to_owned(), "exit row".to_owned()],
        );
        assert_eq!(
            values(&list),
            Some(vec!["window", "aisle", "middle", "exit row", "none"])
        );
        hide(&mut list, &["middle"]);
        assert_eq!(values(&list), Some(vec!["window", "aisle", "exit row", "none"]));
    }

    #[test]
    fn what_is_open_is_closed_once_and_ends_with_none_z111() {
        let mut open = Map::new();
        close(&mut open, &["window".to_owned(), "aisle".to_owned()]);
        assert_eq!(values(&open), Some(vec!["window", "aisle", "none"]));
        close(&mut open, &["middle".to_owned()]);
        assert_eq!(values(&open), Some(vec!["window", "aisle", "none"]));
    }

    #[test]
    fn where_there_is_no_list_of_texts_nothing_is_listed_z107() {
        let mut open = Map::new();
        widen(&mut open, &["middle".to_owned()]);
        hide(&mut open, &["middle"]);
        assert_eq!((values(&open), open.len()), (None, 0));
        assert_eq!(values(&constraints(&json!(["a", 1]))), None);
    }
}
