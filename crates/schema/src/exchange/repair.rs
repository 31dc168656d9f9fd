//! Repairs (RFC 6902): what puts a violation right, where that is determined (docs/design.md §4).
//!
//! Three ways, and no other: an exact coercion, a unique nearest value of a closed list, a known rename. Coerced are a number or
//! a boolean in a text, a whole number into one, an array or object that was sent as JSON text, and one value where a list of
//! such is asked. Never an invented or clamped value. Invariant: a repaired value conforms to the whole rule of its place, so that
//! applying all repairs of a verdict, in order, removes exactly the violations that carry one.

use serde_json::Map;
use serde_json::Number;
use serde_json::Value;

use crate::defect::pointer_to;
use crate::exchange::long_number;
use crate::exchange::repeated;
use crate::exchange::violation::RepairOperation;
use crate::key::KeyType;
use crate::nearest::nearest;
use crate::numeral::Numeral;
use crate::scalar_rule::ScalarRule;
use crate::tree::Node;
use crate::tree::Problem;

/// Bytes of a text that may hold a number: more would be rounded.
const NUMBER_BYTES_MAX: usize = 24;
/// Significant digits that a double keeps.
const DIGITS_MAX: usize = 15;
/// Places of a JSON text that are put right with it.
const BREACHES_MAX: usize = 100;

/// Levels of JSON in a text that is put right: with it the payload must still be one that a parser reads, which stops at 128.
const LEVELS_MAX: usize = 64;
/// What stands between the parts of a text that lists several things, so that one list of one is not what was meant.
const SEPARATORS: [char; 8] = [',', ';', '\n', '|', '、', '，', '；', '،'];

/// A value at any place of a key's tree that does not conform, put right.
pub fn of_value(node: &Node, value: &Value) -> Option<Value> {
    let own = match value {
        Value::String(text) => match node.rule_for(KeyType::String) {
            Some(rule) => of_text(rule, text),
            None => of_json(node, text),
        },
        Value::Number(number) => {
            let rule = node.rule_for(KeyType::Number);
            rule.and_then(|rule| of_number(rule, Numeral::of(number)))
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    own.or_else(|| in_a_list(node, value))
}

/// An array or object that was sent as the text of its JSON.
fn of_json(node: &Node, text: &str) -> Option<Value> {
    let opening = match node.key_type? {
        KeyType::Array => '[',
        KeyType::Object => '{',
        KeyType::String | KeyType::Integer | KeyType::Number | KeyType::Boolean | KeyType::Null => return None,
    };
    if !text.trim_start().starts_with(opening) {
        return None;
    }
    let mut value: Value = serde_json::from_str(text).ok()?;
    // What reading would change or choose among is not determined.
    let is_exact = long_number::places(text, 1).is_empty() && repeated::first(text, |_| String::new()).is_none();
    if !is_exact || levels(&value) > LEVELS_MAX {
        return None;
    }
    let breaches = node.breaches(&value, BREACHES_MAX);
    let repairs: Option<Vec<RepairOperation>> = breaches
        .iter()
        .map(|breach| {
            let is_misfit = matches!(breach.problem, Problem::Misfit(_)) && breach.exact;
            let put_right = of_value(breach.node, breach.value?)?;
            is_misfit
                .then(|| replace(&breach.pointer, put_right))
                .and_then(|all| all.into_iter().next())
        })
        .collect();
    for operation in repairs? {
        apply(&mut value, &operation).then_some(())?;
    }
    node.accepts(&value).then_some(value)
}

/// One value where a list of such is asked, as a list of one.
fn in_a_list(node: &Node, value: &Value) -> Option<Value> {
    let items = node
        .items
        .as_deref()
        .filter(|_| node.key_type == Some(KeyType::Array))?;
    let wants_one = items.key_type.is_some_and(|key_type| key_type != KeyType::Array);
    if !wants_one || value.is_null() || value.is_array() {
        return None;
    }
    if let Value::String(text) = value
        && items.key_type == Some(KeyType::String)
        && !items.is_listed()
        && (text.trim().is_empty() || text.trim_start().starts_with('[') || text.contains(SEPARATORS))
    {
        return None;
    }
    let one = if items.accepts(value) {
        value.clone()
    } else {
        of_value(items, value)?
    };
    let list = Value::Array(vec![one]);
    node.accepts(&list).then_some(list)
}

/// How deep a value nests.
fn levels(value: &Value) -> usize {
    let below = match value {
        Value::Array(elements) => elements.iter().map(levels).max(),
        Value::Object(members) => members.values().map(levels).max(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return 0,
    };
    1 + below.unwrap_or(0)
}

/// A string that does not conform, put right.
pub fn of_text(rule: &ScalarRule, text: &str) -> Option<Value> {
    match rule.key_type {
        KeyType::String => {
            let choice = nearest(text, rule.choices()?.iter().map(String::as_str))?;
            rule.text(choice).ok()?;
            Some(Value::String(choice.to_owned()))
        }
        KeyType::Integer | KeyType::Number => {
            let number = exact_number(text, rule.key_type)?;
            rule.number(Numeral::of(&number)).ok()?;
            Some(Value::Number(number))
        }
        KeyType::Boolean => {
            let value = if text.eq_ignore_ascii_case("true") {
                true
            } else if text.eq_ignore_ascii_case("false") {
                false
            } else {
                return None;
            };
            rule.boolean(value).ok()?;
            Some(Value::Bool(value))
        }
        KeyType::Null | KeyType::Array | KeyType::Object => None,
    }
}

/// A number that does not conform, put right: an integer where a string is asked.
pub fn of_number(rule: &ScalarRule, numeral: Numeral) -> Option<Value> {
    match (rule.key_type, numeral) {
        (KeyType::String, Numeral::Integer(whole)) => {
            let text = whole.to_string();
            rule.text(&text).ok()?;
            Some(Value::String(text))
        }
        (KeyType::String, Numeral::Float(_)) => None,
        (
            KeyType::Integer | KeyType::Number | KeyType::Boolean | KeyType::Null | KeyType::Array | KeyType::Object,
            _,
        ) => None,
    }
}

/// The number that a text writes in JSON's notation, if nothing is lost in reading it.
fn exact_number(text: &str, key_type: KeyType) -> Option<Number> {
    if text.len() > NUMBER_BYTES_MAX || text.bytes().any(|b| b.is_ascii_whitespace()) {
        return None;
    }
    let number: Number = serde_json::from_str(text).ok()?;
    match Numeral::of(&number) {
        Numeral::Integer(_) => Some(number),
        Numeral::Float(value) => {
            let digits = text.split(['e', 'E']).next().unwrap_or(text).bytes();
            if digits.filter(u8::is_ascii_digit).count() > DIGITS_MAX {
                return None;
            }
            if key_type == KeyType::Number {
                return Some(number);
            }
            long_number::whole(value).map(Number::from)
        }
    }
}

/// Replaces what stands at a place.
pub fn replace(path: &str, value: Value) -> Vec<RepairOperation> {
    vec![RepairOperation {
        op: "replace",
        path: path.to_owned(),
        from: None,
        value: Some(value),
    }]
}

/// The pointer to a member of what a pointer points to.
pub fn pointer_below(pointer: &str, name: &str) -> String {
    pointer_to(pointer, name)
}

/// Applies an operation of this file to a value that its paths begin at; `false` where there is no such place.
pub fn apply(root: &mut Value, operation: &RepairOperation) -> bool {
    let RepairOperation { op, path, from, value } = operation;
    let taken = match (*op, from) {
        ("move", Some(from)) => take(root, from),
        ("copy", Some(from)) => root.pointer(from).cloned(),
        ("remove", _) => return take(root, path).is_some(),
        _ => value.clone(),
    };
    match (taken, root.pointer_mut(path)) {
        (Some(value), Some(place)) => *place = value,
        (Some(value), None) => {
            let Some((holder, name)) = member(root, path) else {
                return false;
            };
            holder.insert(name, value);
        }
        (None, _) => return false,
    }
    true
}

fn take(root: &mut Value, path: &str) -> Option<Value> {
    let (holder, name) = member(root, path)?;
    holder.shift_remove(&name)
}

/// The object that a pointer leads into, and the name of the member there.
fn member<'r>(root: &'r mut Value, path: &str) -> Option<(&'r mut Map<String, Value>, String)> {
    let (holder, name) = path.rsplit_once('/')?;
    let name = name.replace("~1", "/").replace("~0", "~");
    Some((root.pointer_mut(holder)?.as_object_mut()?, name))
}

/// Renames a member.
pub fn rename(from: &str, to: &str) -> Vec<RepairOperation> {
    vec![RepairOperation {
        op: "move",
        path: to.to_owned(),
        from: Some(from.to_owned()),
        value: None,
    }]
}

/// The two halves of a rename, for the two violations that it removes: the missing key comes first, then the unknown
/// one goes.
pub fn rename_in_halves(from: &str, to: &str) -> (Vec<RepairOperation>, Vec<RepairOperation>) {
    let copy = RepairOperation {
        op: "copy",
        path: to.to_owned(),
        from: Some(from.to_owned()),
        value: None,
    };
    let remove = RepairOperation {
        op: "remove",
        path: from.to_owned(),
        from: None,
        value: None,
    };
    (vec![copy], vec![remove])
}
