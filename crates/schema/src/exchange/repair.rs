//! Repairs (RFC 6902): what puts a violation right, where that is determined (docs/design.md §4).
//!
//! A repair is offered only where it is determined: an exact coercion, the ISO form of a date that names one day, a number in words, a
//! unique nearest value of a closed list, another spelling of a key, a payload that stands one level too deep, and leaving out an
//! optional value that is none. Never an invented or clamped value. A repair is lossless where the text can mean nothing else and all of
//! it is kept. Invariant: a repaired value conforms to the whole rule of its place, so that applying all repairs of a verdict, in order,
//! removes exactly the violations that carry one and brings no other; where they would not, because a list or `uniqueItems` looks at
//! several of them at once, none is offered.

use serde_json::Map;
use serde_json::Number;
use serde_json::Value;
use serde_json::json;

use crate::defect::pointer_to;
use crate::exchange::calendar_date;
use crate::exchange::verdict::RepairOperation;
use crate::json_text;
use crate::key::KeyType;
use crate::keyword::Keyword;
use crate::nearest::is_same_word;
use crate::nearest::nearest;
use crate::numeral::Numeral;
use crate::rule::Breach;
use crate::rule::Others;
use crate::rule::Problem;
use crate::rule::Rule;
use text::number;

/// Breaches of one value that are compared before and after its repairs; where there are more, no repair is offered.
pub const COMPARED_MAX: usize = 1_000;
/// Undeclared members of one value that a near name is looked for: each costs a comparison with every declared one.
const NAMES_MAX: usize = 64;
/// Bytes of a text that may hold a number: more would be rounded.
const NUMBER_BYTES_MAX: usize = 24;
/// Significant digits that a double keeps.
const DIGITS_MAX: usize = 15;
/// Whole doubles from 2^53 on stand for more than one integer.
const EXACT_BELOW: f64 = 9_007_199_254_740_992.0;
/// Places of a JSON text that are put right with it.
const BREACHES_MAX: usize = 100;
/// Levels of JSON in a text that is put right: with it the payload must still be one that a parser reads, which stops at 128.
const LEVELS_MAX: usize = 64;
/// What stands between the parts of a text that lists several things, so that one list of one is not what was meant.
const SEPARATORS: [char; 8] = [',', ';', '\n', '|', '、', '，', '；', '،'];

/// Operations that belong to one violation.
pub type Repair = Vec<RepairOperation>;

/// A value put right.
struct Mended {
    value: Value,
    lossless: bool,
}

impl Mended {
    fn exactly(value: impl Into<Value>) -> Mended {
        Mended {
            value: value.into(),
            lossless: true,
        }
    }
}

/// The first breaches of a value, each with what would remove it, paths beginning at the value; `breaches` are those of `value` without
/// the members that are null for being omitted. `is_optional` is true where the value itself may be left out.
pub fn of_breaches<'a>(
    rule: &Rule,
    value: &Value,
    mut breaches: Vec<Breach<'a>>,
    most: usize,
    is_optional: bool,
) -> Vec<(Breach<'a>, Option<Repair>)> {
    let is_cut = breaches.len() == COMPARED_MAX;
    let goes = |breach: &Breach<'_>| {
        let may_go = breach.is_optional || (is_optional && breach.pointer.is_empty());
        may_go
            && breach.exact
            && breach.member.is_none()
            && breach.value.and_then(Value::as_str).is_some_and(says_nothing)
    };
    // What is left out is one violation, however many rules it breaks.
    breaches.dedup_by(|next, first| next.pointer == first.pointer && goes(first));
    let mut names_left = NAMES_MAX;
    let repair = |breach: &Breach<'_>| {
        let left_out = || goes(breach).then(|| vec![removal(&breach.pointer)]);
        of_breach(breach, &mut names_left).or_else(left_out)
    };
    let repairs: Vec<Option<Repair>> = breaches.iter().take(most).map(repair).collect();
    let is_whole = |repair: &Option<Repair>| {
        repair
            .iter()
            .flatten()
            .any(|step| step.op == "remove" && step.path.is_empty())
    };
    let holds = repairs.iter().any(is_whole) || (!is_cut && remove_exactly(rule, value, &breaches, &repairs));
    let offered = repairs.into_iter().map(|repair| repair.filter(|_| holds));
    breaches.into_iter().zip(offered).collect()
}

/// Returns true for a text that stands for no value, as forms and programs in JSON, Python or JavaScript write it.
fn says_nothing(text: &str) -> bool {
    matches!(text.trim().to_lowercase().as_str(), "" | "null" | "none" | "undefined")
}

fn of_breach(breach: &Breach<'_>, names_left: &mut usize) -> Option<Repair> {
    let Some((holder, members, name)) = breach.member else {
        let mended = of_value(breach.rule, breach.value.filter(|_| breach.exact)?)?;
        return Some(vec![RepairOperation {
            value: Some(mended.value),
            ..operation("replace", &breach.pointer, None, mended.lossless)
        }]);
    };
    let renames = renames(holder, members, names_left);
    let (above, _) = breach.pointer.rsplit_once('/').filter(|_| breach.exact)?;
    let lacks = breach.problem == Problem::Lacks;
    let (from, to) = renames
        .into_iter()
        .find(|(from, to)| *if lacks { to } else { from } == name)?;
    let halves = matches!(holder.others, Others::None) && holder.requires(to);
    let lossless = is_same_word(from, to);
    let (from, to) = (pointer_to(above, from), pointer_to(above, to));
    Some(match halves && lacks {
        true => copy(&from, &to, lossless),
        false => rename(&from, &to, lossless),
    })
}

/// The members of an object that are known to be others misspelt, by the same rule as the keys of a payload.
fn renames<'a>(holder: &'a Rule, members: &'a Map<String, Value>, names_left: &mut usize) -> Vec<(&'a str, &'a str)> {
    if matches!(holder.others, Others::Like(_)) {
        return Vec::new();
    }
    let mut meant: Vec<(&str, &str)> = Vec::new();
    for name in members.keys().filter(|name| !holder.members.contains_key(*name)) {
        if *names_left == 0 {
            return Vec::new();
        }
        *names_left -= 1;
        meant.extend(nearest(name, holder.members.keys().map(String::as_str)).map(|to| (name.as_str(), to)));
    }
    let is_known = |(from, to): &(&str, &str)| {
        let conforms = holder.members.get(*to).zip(members.get(*from));
        conforms.is_some_and(|(rule, value)| rule.accepts(value))
            && !members.contains_key(*to)
            && meant.iter().filter(|(_, other)| other == to).count() == 1
    };
    meant.iter().copied().filter(is_known).collect()
}

/// Whether the repairs, applied together, leave exactly the breaches that carry none.
fn remove_exactly(rule: &Rule, value: &Value, breaches: &[Breach<'_>], repairs: &[Option<Repair>]) -> bool {
    if repairs.iter().all(Option::is_none) {
        return true;
    }
    let mut patched = value.clone();
    let operations: Vec<&RepairOperation> = repairs.iter().flatten().flatten().collect();
    let patch: Option<json_patch::Patch> = serde_json::from_value(json!(operations)).ok();
    if patch.is_none_or(|patch| json_patch::patch(&mut patched, &patch).is_err()) {
        return false;
    }
    if !rule.accepts(&patched) {
        rule.leave_out(&mut patched);
    }
    let told = |breach: &Breach<'_>| (breach.pointer.clone(), breach.problem);
    let mut left: Vec<_> = rule.breaches(&patched, COMPARED_MAX).iter().map(told).collect();
    let carries_none = |place: usize| repairs.get(place).is_none_or(Option::is_none);
    let kept = breaches.iter().enumerate().filter(|(place, _)| carries_none(*place));
    let mut kept: Vec<_> = kept.map(|(_, breach)| told(breach)).collect();
    left.sort_unstable();
    kept.sort_unstable();
    left == kept
}

/// A value at any place of a key's rule that does not conform, put right.
fn of_value(rule: &Rule, value: &Value) -> Option<Mended> {
    let own = match (rule.key_type, value) {
        (None | Some(KeyType::String), Value::String(text)) => of_listed(rule, text).or_else(|| of_date(rule, text)),
        (Some(key_type), Value::String(text)) => of_text(rule, key_type, text),
        (Some(KeyType::String), Value::Number(number)) if !number.is_f64() => Some(Mended::exactly(number.to_string())),
        _ => None,
    };
    own.filter(|mended| rule.accepts(&mended.value))
        .or_else(|| in_a_list(rule, value))
}

/// The listed value that a text is meant to be. A text that stands for no value is near to no other word.
fn of_listed(rule: &Rule, text: &str) -> Option<Mended> {
    let meant = nearest(text, rule.choices.iter().map(String::as_str))?;
    let lossless = is_same_word(text, meant);
    (lossless || !says_nothing(text)).then(|| Mended {
        value: Value::from(meant),
        lossless,
    })
}

/// A date in another form than RFC 3339.
fn of_date(rule: &Rule, text: &str) -> Option<Mended> {
    let format = rule.expected.get(Keyword::Format.name());
    let (day, lossless) = format
        .filter(|format| *format == "date")
        .and_then(|_| calendar_date::read(text))?;
    Some(Mended {
        value: Value::from(day),
        lossless,
    })
}

/// A text where another type is asked.
fn of_text(rule: &Rule, key_type: KeyType, text: &str) -> Option<Mended> {
    match key_type {
        KeyType::Integer | KeyType::Number => {
            // A word may be of another language than it is read in: `null` is a number in German.
            let in_words = number::in_words(text)
                .filter(|_| !says_nothing(text))
                .map(|number| Mended {
                    value: Value::from(number),
                    lossless: false,
                });
            exact_number(text, key_type).map(Mended::exactly).or(in_words)
        }
        KeyType::Boolean if text.eq_ignore_ascii_case("true") => Some(Mended::exactly(true)),
        KeyType::Boolean if text.eq_ignore_ascii_case("false") => Some(Mended::exactly(false)),
        KeyType::Array if text.trim_start().starts_with('[') => of_json(rule, text),
        KeyType::Object if text.trim_start().starts_with('{') => of_json(rule, text),
        KeyType::Boolean | KeyType::Array | KeyType::Object | KeyType::String | KeyType::Null => None,
    }
}

/// An array or object that was sent as the text of its JSON.
fn of_json(rule: &Rule, text: &str) -> Option<Mended> {
    // What reading would change or choose among is not determined.
    let mut is_exact = true;
    let mut value = json_text::read_closely(text, &mut |_, _| is_exact = false).ok()?;
    if !is_exact || levels(&value) > LEVELS_MAX {
        return None;
    }
    let mut put_right: Vec<(String, Mended)> = Vec::new();
    for breach in rule.breaches(&value, BREACHES_MAX) {
        let own = breach.value.filter(|_| breach.exact && breach.member.is_none())?;
        put_right.push((breach.pointer, of_value(breach.rule, own)?));
    }
    let lossless = put_right.iter().all(|(_, mended)| mended.lossless);
    for (pointer, mended) in put_right {
        *value.pointer_mut(&pointer)? = mended.value;
    }
    Some(Mended { value, lossless })
}

/// One value in place of a list of such, as a list of one: an offer, since several may have been meant.
fn in_a_list(rule: &Rule, value: &Value) -> Option<Mended> {
    let items = rule
        .items
        .as_deref()
        .filter(|_| rule.key_type == Some(KeyType::Array))?;
    let wants_one = items.key_type.is_some_and(|key_type| key_type != KeyType::Array);
    if !wants_one || value.is_null() || value.is_array() || value.as_str().is_some_and(says_nothing) {
        return None;
    }
    if let Value::String(text) = value
        && items.key_type == Some(KeyType::String)
        && !items.is_listed()
        && (text.trim_start().starts_with(['[', '{']) || text.contains(SEPARATORS))
    {
        return None;
    }
    let one = match items.accepts(value) {
        true => value.clone(),
        false => of_value(items, value)?.value,
    };
    let list = Value::Array(vec![one]);
    rule.accepts(&list).then_some(Mended {
        value: list,
        lossless: false,
    })
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

/// The number that a text writes in JSON's notation, if nothing is lost in reading it.
fn exact_number(text: &str, key_type: KeyType) -> Option<Number> {
    if text.len() > NUMBER_BYTES_MAX || text.bytes().any(|b| b.is_ascii_whitespace()) {
        return None;
    }
    let number: Number = serde_json::from_str(text).ok()?;
    let Numeral::Float(value) = Numeral::of(&number) else {
        return Some(number);
    };
    let digits = text.split(['e', 'E']).next().unwrap_or(text).bytes();
    if digits.filter(u8::is_ascii_digit).count() > DIGITS_MAX {
        return None;
    }
    match key_type {
        KeyType::Integer => whole(value).map(Number::from),
        _ => Some(number),
    }
}

/// The integer that a double stands for, if it stands for one only.
pub fn whole(value: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
    (value.fract() == 0.0 && value.abs() < EXACT_BELOW).then_some(value as i64)
}

/// Renames a member.
pub fn rename(from: &str, to: &str, lossless: bool) -> Repair {
    vec![operation("move", to, Some(from), lossless)]
}

/// Copies a member, for the violation of a missing key whose value is moved for the violation of the unknown one: in this order both apply.
pub fn copy(from: &str, to: &str, lossless: bool) -> Repair {
    vec![operation("copy", to, Some(from), lossless)]
}

/// Removes a member.
pub fn removal(path: &str) -> RepairOperation {
    operation("remove", path, None, false)
}

fn operation(op: &'static str, path: &str, from: Option<&str>, lossless: bool) -> RepairOperation {
    RepairOperation {
        op,
        path: path.to_owned(),
        from: from.map(str::to_owned),
        value: None,
        lossless,
    }
}
