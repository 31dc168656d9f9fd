//! Two schemas that both hold (`allOf`, a reference with keywords beside it), and several of which one does (`anyOf`, `oneOf`).
//!
//! What cannot be said in one schema is left open, with a finding; nothing is refused that one of the alternatives accepts, but for
//! members that only one of them declares.

use jsonschema::json::cmp;
use serde_json::Map;
use serde_json::Value;

use crate::defect::pointer_to;
use crate::import::finding::Effect;
use crate::import::finding::Findings;
use crate::import::shape::About;
use crate::import::shape::Facts;
use crate::import::shape::Rest;
use crate::import::shape::Shape;
use crate::key::KeyType;

/// Keywords of which the larger value asks more, and those of which the smaller does.
const LOWER: [&str; 4] = ["minimum", "exclusiveMinimum", "minLength", "minItems"];
const UPPER: [&str; 4] = ["maximum", "exclusiveMaximum", "maxLength", "maxItems"];

/// What both accept.
pub fn both(one: Shape, two: Shape, findings: &mut Findings) -> Shape {
    let mut kinds = Vec::new();
    for (kind, facts) in one.kinds {
        let Some((kind, other)) = two
            .kinds
            .iter()
            .find_map(|(other, facts)| Some((met(kind, *other)?, facts)))
        else {
            continue;
        };
        let met = both_facts(kind, facts, other.clone(), &two.about.pointer, findings);
        kinds.extend(met.map(|facts| (kind, facts)));
    }
    Shape {
        kinds,
        about: one.about.or(two.about, findings),
    }
}

/// The type of values that are of both.
fn met(one: KeyType, two: KeyType) -> Option<KeyType> {
    match (one, two) {
        (KeyType::Integer, KeyType::Number) | (KeyType::Number, KeyType::Integer) => Some(KeyType::Integer),
        _ => (one == two).then_some(one),
    }
}

impl About {
    fn or(self, other: About, findings: &mut Findings) -> About {
        if let (Some(own), Some(lost)) = (&self.description, &other.description)
            && own != lost
        {
            findings.annotation(&pointer_to(&other.pointer, "description"), "description");
        }
        About {
            title: self.title.or(other.title),
            description: self.description.or(other.description),
            default: self.default.or(other.default),
            examples: if self.examples.is_empty() {
                other.examples
            } else {
                self.examples
            },
            pointer: self.pointer,
        }
    }
}

/// Both, of one type; nothing where no value is left.
fn both_facts(kind: KeyType, one: Facts, two: Facts, at: &str, findings: &mut Findings) -> Option<Facts> {
    let mut plain = one.plain;
    for (name, value) in two.plain {
        let own = plain.get(&name).cloned();
        match own.map_or(Some(value.clone()), |own| stricter(&name, &own, &value)) {
            Some(stricter) => drop(plain.insert(name, stricter)),
            None => {
                let why = format!("a key has one `{name}`, and another one is kept");
                findings.note(Effect::Unenforced, &pointer_to(at, &name), &name, why);
            }
        }
    }
    if let Some(Value::Array(listed)) = plain.get_mut("enum") {
        listed.retain(|value| kind.holds(value));
        if listed.is_empty() {
            return None;
        }
    }
    let items = match (one.items, two.items) {
        (Some(one), Some(two)) => Some(Box::new(both(*one, *two, findings))),
        (one, two) => one.or(two),
    };
    let members = paired(one.members, two.members, |_, pair| match pair {
        Pair::Both(one, other) => Some(both(one, other, findings)),
        Pair::First(shape) => allowed(shape, &two.rest, findings),
        Pair::Second(shape) => allowed(shape, &one.rest, findings),
    });
    let rest = match (one.rest, two.rest) {
        (Rest::Closed, _) | (_, Rest::Closed) => Rest::Closed,
        (Rest::Like(one), Rest::Like(two)) => Rest::Like(Box::new(both(*one, *two, findings))),
        (Rest::Open, rest) | (rest, Rest::Open) => rest,
    };
    let more = two.required.into_iter().filter(|name| !one.required.contains(name));
    let required = one.required.iter().cloned().chain(more).collect();
    Some(Facts {
        plain,
        items,
        members,
        required,
        rest,
    })
}

/// A member of two objects, or of one of them.
enum Pair {
    Both(Shape, Shape),
    First(Shape),
    Second(Shape),
}

type Members = Vec<(String, Shape)>;

/// The members of two objects put together, in the order of the first.
fn paired(one: Members, mut two: Members, mut join: impl FnMut(&str, Pair) -> Option<Shape>) -> Members {
    let mut joined = Vec::new();
    for (name, shape) in one {
        let other = two.iter().position(|(other, _)| *other == name);
        let pair = match other.map(|other| two.remove(other).1) {
            Some(other) => Pair::Both(shape, other),
            None => Pair::First(shape),
        };
        joined.extend(join(&name, pair).map(|shape| (name, shape)));
    }
    for (name, shape) in two {
        joined.extend(join(&name, Pair::Second(shape)).map(|shape| (name, shape)));
    }
    joined
}

/// A member that one schema declares and the other does not.
fn allowed(shape: Shape, rest: &Rest, findings: &mut Findings) -> Option<Shape> {
    match rest {
        Rest::Open => Some(shape),
        Rest::Closed => None,
        Rest::Like(like) => Some(both(shape, Shape::clone(like), findings)),
    }
}

/// The value of a keyword with which both hold, where there is one.
fn stricter(name: &str, one: &Value, two: &Value) -> Option<Value> {
    match (name, one, two) {
        ("enum", Value::Array(one), Value::Array(two)) => {
            Some(one.iter().filter(|value| holds(two, value)).cloned().collect())
        }
        _ if cmp::equal(one, two) => Some(one.clone()),
        ("uniqueItems", _, _) => Some(Value::Bool(true)),
        _ => bound(name, one, two, true),
    }
}

/// Of two bounds the one that asks more, or less.
fn bound(name: &str, one: &Value, two: &Value, stricter: bool) -> Option<Value> {
    // What is no number is refused later, as a keyword of the wrong form.
    let number = |value: &Value| value.as_f64().unwrap_or_default();
    let larger = match (LOWER.contains(&name), UPPER.contains(&name)) {
        (true, _) => stricter,
        (_, true) => !stricter,
        _ => return None,
    };
    let first = (number(one) >= number(two)) == larger;
    Some(if first { one.clone() } else { two.clone() })
}

fn holds(list: &[Value], value: &Value) -> bool {
    list.iter().any(|listed| cmp::equal(listed, value))
}

/// What at least one of the alternatives accepts; `exclusive` where the source takes what exactly one accepts.
pub fn either(alternatives: Vec<Shape>, exclusive: bool, at: &str, findings: &mut Findings) -> Shape {
    let kinds = |wanted: KeyType| {
        let all = alternatives.iter().flat_map(|shape| &shape.kinds);
        all.filter(move |(kind, _)| *kind == wanted).map(|(_, facts)| facts)
    };
    let is_widened = kinds(KeyType::Number).next().is_some();
    if is_widened && kinds(KeyType::Integer).next().is_some() && !kinds(KeyType::Number).any(Facts::is_empty) {
        let why = "whole numbers and others are one type here, so that what is asked of either alone is not asked";
        findings.note(Effect::Unenforced, at, "type", why);
    }
    let about = said_of(&alternatives, at);
    let mut grouped: Vec<(KeyType, Vec<Facts>)> = Vec::new();
    for (kind, facts) in alternatives.into_iter().flat_map(|shape| shape.kinds) {
        let is_widened = is_widened && kind == KeyType::Integer;
        let kind = if is_widened { KeyType::Number } else { kind };
        match grouped.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, all)) => all.push(facts),
            None => grouped.push((kind, vec![facts])),
        }
    }
    let overlap = |all: &[Facts]| {
        all.iter()
            .enumerate()
            .any(|(n, one)| all[n + 1..].iter().any(|two| !are_apart(one, two)))
    };
    if exclusive && grouped.iter().any(|(_, all)| overlap(all)) {
        let why = "what more than one of the alternatives accepts is accepted, not refused";
        findings.note(Effect::Unenforced, at, "oneOf", why);
    }
    let kinds = grouped
        .into_iter()
        .map(|(kind, all)| (kind, either_facts(all, at, findings)));
    Shape {
        kinds: kinds.collect(),
        about,
    }
}

/// What alternatives say of themselves: of one beside null the same, of several all their descriptions.
fn said_of(alternatives: &[Shape], at: &str) -> About {
    let is_null = |shape: &&Shape| matches!(shape.kinds.as_slice(), [(KeyType::Null, _)]);
    let meant: Vec<&Shape> = alternatives.iter().filter(|shape| !is_null(shape)).collect();
    if let [one] = meant.as_slice() {
        return one.about.clone();
    }
    let mut said: Vec<&str> = meant
        .iter()
        .filter_map(|shape| shape.about.description.as_deref())
        .collect();
    said.dedup();
    About {
        pointer: at.to_owned(),
        description: (!said.is_empty()).then(|| said.join("; or ")),
        ..About::default()
    }
}

/// Whether no value is accepted by both, as far as lists of values show.
fn are_apart(one: &Facts, two: &Facts) -> bool {
    let lists = one.listed().zip(two.listed());
    lists.is_some_and(|(one, two)| !one.iter().any(|value| holds(two, value)))
}

fn either_facts(all: Vec<Facts>, at: &str, findings: &mut Findings) -> Facts {
    if all.iter().any(Facts::is_empty) {
        return Facts::default();
    }
    let are_lists = all.iter().all(Facts::is_list);
    let mut all = all.into_iter();
    let first = all.next().unwrap_or_default();
    let others: Vec<Facts> = all.filter(|facts| facts != &first).collect();
    if !others.is_empty() && !are_lists {
        let keyword = at.rsplit('/').next().unwrap_or_default();
        let why = "which demands of the alternatives belong together is not kept: mixtures of them are accepted too";
        findings.note(Effect::Unenforced, at, keyword, why);
    }
    others
        .into_iter()
        .fold(first, |one, two| looser(one, two, at, findings))
}

/// What accepts all that either of two accepts, and as little else as can be said.
fn looser(one: Facts, two: Facts, at: &str, findings: &mut Findings) -> Facts {
    let mut plain = Map::new();
    for (name, value) in one.plain {
        let kept = match (two.plain.get(&name), &value) {
            (Some(Value::Array(two)), Value::Array(one)) if name == "enum" => {
                let more = two.iter().filter(|value| !holds(one, value));
                Some(one.iter().chain(more).cloned().collect())
            }
            (Some(other), value) if cmp::equal(value, other) => Some(value.clone()),
            (Some(other), value) => bound(&name, value, other, false),
            (None, _) => None,
        };
        plain.extend(kept.map(|kept| (name, kept)));
    }
    let items = one.items.zip(two.items);
    let items = items.map(|(one, two)| Box::new(either(vec![*one, *two], false, at, findings)));
    let members = paired(one.members, two.members, |name, pair| {
        let (shape, rest) = match pair {
            Pair::Both(shape, other) => return Some(either(vec![shape, other], false, at, findings)),
            Pair::First(shape) => (shape, &two.rest),
            Pair::Second(shape) => (shape, &one.rest),
        };
        if *rest != Rest::Closed {
            let why = format!("`{name}` has to be as one alternative has it, though another leaves it open");
            findings.note(Effect::Narrowed, at, name, why);
        }
        Some(shape)
    });
    let rest = match (one.rest, two.rest) {
        (Rest::Closed, rest) | (rest, Rest::Closed) => rest,
        (Rest::Like(one), Rest::Like(two)) => Rest::Like(Box::new(either(vec![*one, *two], false, at, findings))),
        (Rest::Open, _) | (_, Rest::Open) => Rest::Open,
    };
    let required = one.required.into_iter().filter(|name| two.required.contains(name));
    Facts {
        plain,
        items,
        members,
        required: required.collect(),
        rest,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::stricter;

    #[test]
    fn of_two_demands_the_stricter_one_holds_both() {
        for (name, one, two, both) in [
            ("minimum", json!(1), json!(2.5), Some(json!(2.5))),
            ("maxLength", json!(9), json!(3), Some(json!(3))),
            ("uniqueItems", json!(false), json!(true), Some(json!(true))),
            ("enum", json!([1, 2]), json!([2.0, 3]), Some(json!([2]))),
            ("pattern", json!("a"), json!("b"), None),
            ("pattern", json!("a"), json!("a"), Some(json!("a"))),
            ("multipleOf", json!(2), json!(3), None),
        ] {
            assert_eq!(stricter(name, &one, &two), both, "{name}");
        }
    }
}
