//! What a schema accepts, type by type: the form in which schemas of a source are put together before a template is written. Two both
//! hold (`allOf`, a reference with keywords beside it), or one of several does (`anyOf`, `oneOf`).
//!
//! A type stands at most once among the kinds, and of `integer` and `number` only one does. What cannot be said in one schema is left
//! open, with a finding; nothing is refused that one of the alternatives accepts, but for members that only one of them declares.

use std::collections::BTreeSet;

use jsonschema::json::cmp;
use serde_json::Map;
use serde_json::Value;

use crate::defect::pointer_to;
use crate::import::finding::Effect;
use crate::import::finding::Findings;
use crate::key::KeyType;

/// Every type of a value that nothing is said of.
pub const EVERY: [KeyType; 6] = [
    KeyType::String,
    KeyType::Number,
    KeyType::Boolean,
    KeyType::Array,
    KeyType::Object,
    KeyType::Null,
];

/// What a schema accepts: values of each of these types that meet what is asked of it. Two shapes are equal where they accept the
/// same, whatever is said about them.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub kinds: Vec<(KeyType, Facts)>,
    pub about: About,
}

/// What is asked of a value of one type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Keywords of which none holds a schema; a constant is a list of one.
    pub plain: Map<String, Value>,
    pub items: Option<Box<Shape>>,
    pub members: Vec<(String, Shape)>,
    pub required: Vec<String>,
    /// What members that are not declared have to be: of no type where there may be none.
    pub rest: Option<Box<Shape>>,
}

/// What is said about a schema, and where it stands in the source.
#[derive(Clone, Debug, Default)]
pub struct About {
    pub pointer: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub default: Option<Value>,
    pub examples: Vec<Value>,
}

impl PartialEq for Shape {
    fn eq(&self, other: &Shape) -> bool {
        self.kinds == other.kinds
    }
}

impl Shape {
    /// A value of one of these types.
    pub fn of_types(types: &[KeyType], pointer: &str) -> Shape {
        let about = About {
            pointer: pointer.to_owned(),
            ..About::default()
        };
        let kinds = types.iter().map(|kind| (*kind, Facts::default())).collect();
        Shape { kinds, about }
    }

    /// Whether no type is left out.
    pub fn is_of_every_type(&self) -> bool {
        EVERY.iter().all(|kind| self.kinds.iter().any(|(own, _)| own == kind))
    }

    /// Whether nothing is asked.
    pub fn is_any(&self) -> bool {
        self.is_of_every_type() && self.kinds.iter().all(|(_, facts)| *facts == Facts::default())
    }

    /// Takes null out of it where other types are named, and says whether it was in.
    pub fn take_null(&mut self) -> bool {
        let before = self.kinds.len();
        if before > 1 && !self.is_of_every_type() {
            self.kinds.retain(|(kind, _)| *kind != KeyType::Null);
        }
        self.kinds.len() < before
    }
}

impl Facts {
    /// The values that are listed, where they are.
    pub fn listed(&self) -> Option<&Vec<Value>> {
        self.plain.get("enum").and_then(Value::as_array)
    }
}

/// Whether what is not declared is refused.
pub fn is_nothing(rest: &Option<Box<Shape>>) -> bool {
    rest.as_ref().is_some_and(|rest| rest.kinds.is_empty())
}

/// How two schemas hold.
#[derive(Clone, Copy, PartialEq)]
enum How {
    Both,
    Either,
}

/// Keywords of which the larger value asks more, and those of which the smaller does.
const LOWER: [&str; 4] = ["minimum", "exclusiveMinimum", "minLength", "minItems"];
const UPPER: [&str; 4] = ["maximum", "exclusiveMaximum", "maxLength", "maxItems"];

/// What both accept.
pub fn both(one: Shape, two: Shape, findings: &mut Findings) -> Shape {
    let mut kinds = Vec::new();
    for (kind, facts) in one.kinds {
        let mut others = two.kinds.iter();
        if let Some((kind, other)) = others.find_map(|(other, facts)| Some((met(kind, *other)?, facts))) {
            let mut met = joined(How::Both, facts, other.clone(), &two.about.pointer, findings);
            if let Some(Value::Array(listed)) = met.plain.get_mut("enum") {
                listed.retain(|value| kind.holds(value));
            }
            let has_values = met.listed().is_none_or(|listed| !listed.is_empty());
            kinds.extend(has_values.then_some((kind, met)));
        }
    }
    let about = both_said(one.about, two.about, findings);
    Shape { kinds, about }
}

/// The type of values that are of both.
fn met(one: KeyType, two: KeyType) -> Option<KeyType> {
    match (one, two) {
        (KeyType::Integer, KeyType::Number) | (KeyType::Number, KeyType::Integer) => Some(KeyType::Integer),
        _ => (one == two).then_some(one),
    }
}

fn both_said(one: About, two: About, findings: &mut Findings) -> About {
    if two.description.is_some() && one.description.is_some() && one.description != two.description {
        findings.annotation(&pointer_to(&two.pointer, "description"), "description");
    }
    let has_examples = !one.examples.is_empty();
    About {
        pointer: one.pointer,
        title: one.title.or(two.title),
        description: one.description.or(two.description),
        default: one.default.or(two.default),
        examples: if has_examples { one.examples } else { two.examples },
    }
}

type Members = Vec<(String, Shape)>;

/// The members of two objects side by side, in the order of the first.
fn paired(one: Members, mut two: Members) -> Vec<(String, Option<Shape>, Option<Shape>)> {
    let mut pairs = Vec::new();
    for (name, shape) in one {
        let other = two.iter().position(|(other, _)| *other == name);
        pairs.push((name, Some(shape), other.map(|other| two.remove(other).1)));
    }
    pairs.extend(two.into_iter().map(|(name, shape)| (name, None, Some(shape))));
    pairs
}

/// The value of a keyword for both, or for either, where there is one.
fn joined_value(how: How, name: &str, one: &Value, two: &Value) -> Option<Value> {
    let is_larger = one.as_f64() >= two.as_f64();
    let asks_more = (LOWER.contains(&name) && is_larger) || (UPPER.contains(&name) && !is_larger);
    match (one, two) {
        (Value::Array(one), Value::Array(two)) if how == How::Both => {
            Some(one.iter().filter(|value| holds(two, value)).cloned().collect())
        }
        (Value::Array(one), Value::Array(two)) => {
            let more = two.iter().filter(|value| !holds(one, value));
            Some(one.iter().chain(more).cloned().collect())
        }
        _ if cmp::equal(one, two) => Some(one.clone()),
        _ if !LOWER.contains(&name) && !UPPER.contains(&name) => None,
        _ if asks_more == (how == How::Both) => Some(one.clone()),
        _ => Some(two.clone()),
    }
}

fn holds(list: &[Value], value: &Value) -> bool {
    list.iter().any(|listed| cmp::equal(listed, value))
}

/// What at least one of the alternatives accepts; `exclusive` where the source takes what exactly one accepts.
pub fn either(alternatives: Vec<Shape>, exclusive: bool, at: &str, findings: &mut Findings) -> Shape {
    let about = either_said(&alternatives, at);
    let all: Vec<(KeyType, Facts)> = alternatives.into_iter().flat_map(|shape| shape.kinds).collect();
    let names = |wanted: KeyType| all.iter().any(|(kind, _)| *kind == wanted);
    let is_widened = names(KeyType::Number) && names(KeyType::Integer);
    if is_widened && !all.contains(&(KeyType::Number, Facts::default())) {
        let why = "whole numbers and others are one type here, so that what is asked of either alone is not asked";
        findings.note(Effect::Unenforced, at, "type", why);
    }
    let mut grouped: Vec<(KeyType, Vec<Facts>)> = Vec::new();
    for (kind, facts) in all {
        let is_widened = is_widened && kind == KeyType::Integer;
        let kind = if is_widened { KeyType::Number } else { kind };
        match grouped.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, all)) => all.push(facts),
            None => grouped.push((kind, vec![facts])),
        }
    }
    let each = grouped.into_iter();
    let kinds = each.map(|(kind, all)| (kind, either_facts(all, exclusive, at, findings)));
    Shape {
        kinds: kinds.collect(),
        about,
    }
}

/// What alternatives say of themselves: of one beside null the same, of several all their descriptions.
fn either_said(alternatives: &[Shape], at: &str) -> About {
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
    let mut about = Shape::of_types(&[], at).about;
    about.description = (!said.is_empty()).then(|| said.join("; or "));
    about
}

/// What one of several accepts, of one type.
fn either_facts(mut all: Vec<Facts>, exclusive: bool, at: &str, findings: &mut Findings) -> Facts {
    let lists = all
        .iter()
        .filter(|facts| facts.plain.len() == 1)
        .filter_map(Facts::listed);
    let (lists, values) = lists.fold((0, 0), |(lists, values), list| (lists + 1, values + list.len()));
    let (is_one, are_lists) = (all.len() == 1, lists == all.len());
    let is_open = all.contains(&Facts::default());
    all.dedup();
    let are_alike = is_open || are_lists || all.len() == 1;
    let joined = match is_open {
        true => None,
        false => all
            .into_iter()
            .reduce(|one, two| joined(How::Either, one, two, at, findings)),
    };
    let joined = joined.unwrap_or_default();
    let are_apart = are_lists && joined.listed().is_some_and(|listed| listed.len() == values);
    if !(is_one || are_apart || (are_alike && !exclusive)) {
        let keyword = at.rsplit('/').next().unwrap_or_default();
        let why = "which demands of the alternatives belong together is not kept: mixtures are accepted, and what several accept";
        findings.note(Effect::Unenforced, at, keyword, why);
    }
    joined
}

/// What two ask of one type, put together: all that both accept, or what accepts all that either does and as little else as can be
/// said in few words.
fn joined(how: How, one: Facts, two: Facts, at: &str, findings: &mut Findings) -> Facts {
    let mut plain = Map::new();
    for (name, value) in &one.plain {
        let kept = match two.plain.get(name) {
            Some(other) => joined_value(how, name, value, other),
            None => (how == How::Both).then(|| value.clone()),
        };
        if kept.is_none() && how == How::Both {
            let why = format!("a key has one `{name}`, and another one is kept");
            findings.note(Effect::Unenforced, &pointer_to(at, name), name, why);
        }
        let kept = kept.or_else(|| (how == How::Both).then(|| value.clone()));
        plain.extend(kept.map(|kept| (name.clone(), kept)));
    }
    let mut shapes = |all: Vec<Shape>| match how {
        How::Both => all.into_iter().reduce(|one, two| both(one, two, findings)),
        How::Either if all.len() > 1 => Some(either(all, false, at, findings)),
        How::Either => all.into_iter().next(),
    };
    let mut members = Vec::new();
    let mut open = Vec::new();
    for (name, own, other) in paired(one.members, two.members) {
        // What one does not declare is for its rest.
        let rest = match (&own, &other) {
            (Some(_), Some(_)) => &None,
            (None, _) => &one.rest,
            (_, None) => &two.rest,
        };
        let is_alone = own.is_none() || other.is_none();
        if is_alone && how == How::Either && !is_nothing(rest) {
            open.push(name.clone());
        }
        if how == How::Either || !is_nothing(rest) {
            let rest = rest.as_deref().filter(|_| how == How::Both).cloned();
            let shape = shapes(own.into_iter().chain(other).chain(rest).collect());
            members.extend(shape.map(|shape| (name, shape)));
        }
    }
    let mut boxed = |one: Option<Box<Shape>>, two: Option<Box<Shape>>| {
        let asked: Vec<Shape> = one.into_iter().chain(two).map(|shape| *shape).collect();
        let is_asked = how == How::Both || asked.len() > 1;
        shapes(asked).filter(|_| is_asked).map(Box::new)
    };
    let (items, rest) = (boxed(one.items, two.items), boxed(one.rest, two.rest));
    for name in open {
        let why = format!("`{name}` has to be as one alternative has it, though another leaves it open");
        findings.note(Effect::Narrowed, at, &name, why);
    }
    let mut required = one.required;
    match how {
        How::Both => required.extend(two.required),
        How::Either => required.retain(|name| two.required.contains(name)),
    }
    let mut seen = BTreeSet::new();
    required.retain(|name| seen.insert(name.clone()));
    if how == How::Both {
        let more = two.plain.into_iter().filter(|(name, _)| !one.plain.contains_key(name));
        plain.extend(more);
    }
    Facts {
        plain,
        items,
        members,
        required,
        rest,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::How;
    use super::joined_value;

    #[test]
    fn of_two_demands_the_stricter_one_holds_both() {
        for (name, one, two, both) in [
            ("minimum", json!(1), json!(2.5), Some(json!(2.5))),
            ("maxLength", json!(9), json!(3), Some(json!(3))),
            ("enum", json!([1, 2]), json!([2.0, 3]), Some(json!([2]))),
            ("pattern", json!("a"), json!("b"), None),
            ("pattern", json!("a"), json!("a"), Some(json!("a"))),
            ("multipleOf", json!(2), json!(3), None),
        ] {
            assert_eq!(joined_value(How::Both, name, &one, &two), both, "{name}");
        }
    }
}
