//! One pass over a payload's text: every value is checked while it is parsed, and a scalar that is right is never built.
//!
//! Finds facts per key; what they mean (refused, warned about, observed) is the validator's. Invariant: of a key that is
//! written twice the last one counts, as everywhere where JSON is read into a map; that it was is noted.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::ControlFlow;

use serde::de::DeserializeSeed;
use serde::de::Deserializer;
use serde::de::MapAccess;
use serde::de::SeqAccess;
use serde::de::Visitor;
use serde_json::Number;
use serde_json::Value;

use crate::exchange::key_check::Fault;
use crate::exchange::key_check::KeyCheck;
use crate::exchange::key_check::Reading;
use crate::exchange::key_table::KeyTable;
use crate::exchange::long_number;
use crate::exchange::nested;
use crate::exchange::other::OtherLimits;
use crate::exchange::other::OtherRead;
use crate::exchange::other::OtherSeed;
use crate::exchange::other::Said;
use crate::exchange::repair;
use crate::exchange::skim::Kind;
use crate::exchange::skim::Kinded;
use crate::exchange::skim::Skim;
use crate::key::KeyType;
use crate::numeral::Numeral;
use crate::rule::Rule;
use crate::rule::TreeRule;
use crate::scalar_rule::Found;
use crate::scalar_rule::Misfit;
use crate::scalar_rule::ScalarRule;
use crate::tree::Problem;

/// Distinct unknown keys of one payload that are looked at; more are counted.
pub const UNKNOWN_MAX: usize = 64;

/// What was found for one known key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Absent,
    /// Present as `null`, where null is no value of its type.
    Null,
    Right,
    Wrong,
}

/// What was found in a payload.
#[derive(Debug, Default)]
pub struct Scan {
    /// The type of a payload that is no object.
    pub not_object: Option<&'static str>,
    /// Per key of the table.
    pub presence: Vec<Presence>,
    /// Of the keys whose value is wrong, in no order.
    pub faults: Vec<(usize, Fault)>,
    /// Of the keys whose value is right, or of the right type at least, when values were asked for.
    pub values: Vec<(usize, Value)>,
    pub said: Said,
    /// Keys that are written more than once, each once.
    pub repeated: BTreeSet<usize>,
    /// The same of the unknown members that are kept.
    pub unknown_repeated: BTreeSet<usize>,
    /// Unknown members with their values.
    pub unknown: Vec<(String, Value)>,
    /// Further unknown members, beyond [`UNKNOWN_MAX`].
    pub unknown_beyond: usize,
}

impl Scan {
    /// Forgets what an earlier member of the same name said.
    fn forget(&mut self, index: usize) {
        self.faults.retain(|(at, _)| *at != index);
        self.values.retain(|(at, _)| *at != index);
    }
}

/// Parses and checks a payload.
pub(in crate::exchange) struct PayloadSeed<'v> {
    pub keys: &'v KeyTable,
    pub limits: OtherLimits,
    pub values: bool,
}

impl<'de> DeserializeSeed<'de> for PayloadSeed<'_> {
    type Value = Scan;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Scan, D::Error> {
        deserializer.deserialize_any(self)
    }
}

fn not_object<E>(received_type: &'static str) -> Result<Scan, E> {
    Ok(Scan {
        not_object: Some(received_type),
        ..Scan::default()
    })
}

impl<'de> Visitor<'de> for PayloadSeed<'_> {
    type Value = Scan;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Scan, E> {
        not_object("null")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Scan, E> {
        not_object("boolean")
    }

    fn visit_i64<E>(self, _: i64) -> Result<Scan, E> {
        not_object("integer")
    }

    fn visit_u64<E>(self, _: u64) -> Result<Scan, E> {
        not_object("integer")
    }

    fn visit_f64<E>(self, _: f64) -> Result<Scan, E> {
        not_object("number")
    }

    fn visit_str<E>(self, _: &str) -> Result<Scan, E> {
        not_object("string")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, sequence: A) -> Result<Scan, A::Error> {
        Skim.visit_seq(sequence)?;
        not_object("array")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scan, A::Error> {
        let PayloadSeed { keys, limits, values } = self;
        let checks = keys.checks();
        let mut scan = Scan {
            presence: vec![Presence::Absent; checks.len()],
            values: Vec::with_capacity(if values { checks.len() } else { 0 }),
            ..Scan::default()
        };
        // Clients mostly write keys in the template's order: the next one is tried first.
        let mut expected = 0;
        while let Some(member) = map.next_key_seed(MemberSeed {
            keys,
            expected,
            unknown_free: scan.unknown.len() < UNKNOWN_MAX,
            unknown: &scan.unknown,
        })? {
            match member {
                Member::Known(index) => {
                    expected = index + 1;
                    let Some(check) = checks.get(index) else {
                        continue;
                    };
                    if scan.presence.get(index).is_some_and(|seen| *seen != Presence::Absent) {
                        scan.forget(index);
                        scan.repeated.insert(index);
                    }
                    let presence = read_value(&mut map, check, index, values, limits, &mut scan)?;
                    if let Some(seen) = scan.presence.get_mut(index) {
                        *seen = presence;
                    }
                }
                Member::Unknown(name) => {
                    let value = map.next_value::<Value>()?;
                    scan.unknown.push((name, value));
                }
                Member::UnknownAgain(place) => {
                    let value = map.next_value::<Value>()?;
                    if let Some((_, former)) = scan.unknown.get_mut(place) {
                        *former = value;
                    }
                    scan.unknown_repeated.insert(place);
                }
                Member::UnknownBeyond => {
                    map.next_value_seed(Skim)?;
                    scan.unknown_beyond += 1;
                }
            }
        }
        Ok(scan)
    }
}

fn read_value<'de, A: MapAccess<'de>>(
    map: &mut A,
    check: &KeyCheck,
    index: usize,
    values: bool,
    limits: OtherLimits,
    scan: &mut Scan,
) -> Result<Presence, A::Error> {
    match &check.reading {
        Reading::Rule(Rule::Scalar(rule)) => {
            let seen = map.next_value_seed(ScalarSeed { rule, values })?;
            Ok(scan.note(index, seen))
        }
        Reading::Rule(Rule::Tree(rule)) => {
            let seen = if rule.is_free() && !values {
                match map.next_value_seed(Kind)? {
                    // A text may be the JSON of what is asked.
                    Kinded::Text(text) => tree(rule, Value::String(text), values),
                    Kinded::Other(kind) => tree_of_kind(rule, kind),
                }
            } else {
                tree(rule, map.next_value::<Value>()?, values)
            };
            Ok(scan.note(index, seen))
        }
        Reading::Other => {
            scan.said = Said::default();
            Ok(match map.next_value_seed(OtherSeed { limits, whole: values })? {
                OtherRead::Null => Presence::Null,
                OtherRead::Said(mut said) => {
                    scan.values.extend(said.whole.take().map(|value| (index, value)));
                    scan.said = said;
                    Presence::Right
                }
                OtherRead::WrongType {
                    received_type,
                    position,
                } => {
                    let below = position.map(|position| format!("/{position}")).unwrap_or_default();
                    scan.faults.push((index, Fault::of_type(received_type, below)));
                    Presence::Wrong
                }
            })
        }
    }
}

impl Scan {
    fn note(&mut self, index: usize, seen: Seen) -> Presence {
        match seen {
            Seen::Null => Presence::Null,
            Seen::Right(value) => {
                self.values.extend(value.map(|value| (index, value)));
                Presence::Right
            }
            Seen::Wrong(faults, value) => {
                self.values.extend(value.map(|value| (index, value)));
                self.faults.extend(faults.into_iter().map(|fault| (index, fault)));
                Presence::Wrong
            }
        }
    }
}

impl Fault {
    fn of_type(received_type: &'static str, below: String) -> Fault {
        Fault {
            problem: Problem::Misfit(Misfit::Type),
            received_type: Some(received_type),
            below,
            lacks: None,
            expected: None,
            nearest: None,
            repair: None,
        }
    }
}

/// The name of a member.
enum Member {
    Known(usize),
    Unknown(String),
    /// The place among those kept.
    UnknownAgain(usize),
    UnknownBeyond,
}

struct MemberSeed<'s> {
    keys: &'s KeyTable,
    expected: usize,
    unknown_free: bool,
    unknown: &'s [(String, Value)],
}

impl<'de> DeserializeSeed<'de> for MemberSeed<'_> {
    type Value = Member;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Member, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for MemberSeed<'_> {
    type Value = Member;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Member, E> {
        if let Some(index) = self.keys.find(name, self.expected) {
            return Ok(Member::Known(index));
        }
        if let Some(place) = self.unknown.iter().position(|(known, _)| known == name) {
            return Ok(Member::UnknownAgain(place));
        }
        Ok(if self.unknown_free {
            Member::Unknown(name.to_owned())
        } else {
            Member::UnknownBeyond
        })
    }
}

/// What was found as a key's value.
enum Seen {
    Null,
    Right(Option<Value>),
    /// With the value, where what it misses may not be its type.
    Wrong(Vec<Fault>, Option<Value>),
}

struct ScalarSeed<'s> {
    rule: &'s ScalarRule,
    values: bool,
}

impl ScalarSeed<'_> {
    /// What a value is that breaks a rule, if it does: every fault of it, each with what puts all of them right.
    fn seen(
        &self,
        misfits: Vec<Misfit>,
        received_type: &'static str,
        value: impl FnOnce() -> Value,
        put_right: impl FnOnce() -> Option<Value>,
    ) -> Seen {
        if misfits.is_empty() {
            return Seen::Right(self.values.then(value));
        }
        let repair = put_right().map(|value| repair::replace("", value));
        let fault = |misfit| Fault {
            problem: Problem::Misfit(misfit),
            repair: repair.clone(),
            ..Fault::of_type(received_type, String::new())
        };
        Seen::Wrong(misfits.into_iter().map(fault).collect(), self.values.then(value))
    }

    fn number(&self, numeral: Numeral, number: impl FnOnce() -> Option<Number>) -> Seen {
        let received_type = match numeral {
            Numeral::Integer(_) => "integer",
            Numeral::Float(_) => "number",
        };
        let mut misfits = every(|found| self.rule.each_of_number(numeral, found));
        if misfits.is_empty() {
            misfits.extend(long_number::check(self.rule, numeral).err());
        }
        self.seen(
            misfits,
            received_type,
            || number().map_or(Value::Null, Value::Number),
            || repair::of_number(self.rule, numeral),
        )
    }
}

/// Every misfit that a check finds.
fn every(check: impl FnOnce(Found<'_>) -> ControlFlow<()>) -> Vec<Misfit> {
    let mut misfits = Vec::new();
    let _ = check(&mut |misfit| {
        misfits.push(misfit);
        ControlFlow::Continue(())
    });
    misfits
}

impl<'de> DeserializeSeed<'de> for ScalarSeed<'_> {
    type Value = Seen;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Seen, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ScalarSeed<'_> {
    type Value = Seen;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Seen, E> {
        Ok(match self.rule.null() {
            Ok(()) => Seen::Right(self.values.then_some(Value::Null)),
            Err(_) => Seen::Null,
        })
    }

    fn visit_bool<E>(self, value: bool) -> Result<Seen, E> {
        let misfits = every(|found| self.rule.each_of_boolean(value, found));
        Ok(self.seen(misfits, "boolean", || Value::Bool(value), || None))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Seen, E> {
        Ok(self.number(Numeral::Integer(i128::from(value)), || Some(Number::from(value))))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Seen, E> {
        Ok(self.number(Numeral::Integer(i128::from(value)), || Some(Number::from(value))))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Seen, E> {
        Ok(self.number(Numeral::Float(value), || {
            // An integer key holds an integer for those who execute it, however the client wrote it.
            let whole = (self.rule.key_type == KeyType::Integer)
                .then(|| long_number::whole(value))
                .flatten();
            whole.map(Number::from).or_else(|| Number::from_f64(value))
        }))
    }

    fn visit_str<E>(self, text: &str) -> Result<Seen, E> {
        Ok(self.seen(
            every(|found| self.rule.each_of_text(text, found)),
            "string",
            || Value::String(text.to_owned()),
            || repair::of_text(self.rule, text),
        ))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, sequence: A) -> Result<Seen, A::Error> {
        Skim.visit_seq(sequence)?;
        Ok(Seen::Wrong(vec![Fault::of_type("array", String::new())], None))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Seen, A::Error> {
        Skim.visit_map(map)?;
        Ok(Seen::Wrong(vec![Fault::of_type("object", String::new())], None))
    }
}

fn tree(rule: &TreeRule, value: Value, values: bool) -> Seen {
    if value.is_null() {
        return Seen::Null;
    }
    if rule.check(&value).is_ok() {
        return Seen::Right(values.then_some(value));
    }
    // A decoder that must write every member says null where it means none, as it does for a key.
    match rule.without_omitted(&value).filter(|said| rule.check(said).is_ok()) {
        Some(said) => Seen::Right(values.then_some(said)),
        None => Seen::Wrong(nested::faults(rule, &value), values.then_some(value)),
    }
}

/// A tree of which nothing but the type is asked.
fn tree_of_kind(rule: &TreeRule, kind: &'static str) -> Seen {
    match kind {
        "null" => Seen::Null,
        kind if kind == rule.key_type.name() => Seen::Right(None),
        kind => Seen::Wrong(vec![Fault::of_type(kind, String::new())], None),
    }
}
