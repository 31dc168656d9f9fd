//! Values that are read over: for their type, or only to find the end of them.
//!
//! Invariant: as strict as reading the value would be, unlike serde's own `IgnoredAny`: what is too deep or out of range
//! is an error whichever key it stands under.

use std::fmt;

use serde::de::DeserializeSeed;
use serde::de::Deserializer;
use serde::de::MapAccess;
use serde::de::SeqAccess;
use serde::de::Visitor;
use serde_json::Value;

/// The type of a value as messages name it.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// What is kept of a value: a text, or the type alone.
#[derive(Debug)]
pub enum Kinded {
    Text(String),
    Other(&'static str),
}

/// Reads a value and keeps its type alone, but for a text.
#[derive(Clone, Copy, Debug)]
pub struct Kind;

impl<'de> DeserializeSeed<'de> for Kind {
    type Value = Kinded;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Kinded, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Kind {
    type Value = Kinded;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Kinded, E> {
        Ok(Kinded::Other("null"))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Kinded, E> {
        Ok(Kinded::Other("boolean"))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Kinded, E> {
        Ok(Kinded::Other("integer"))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Kinded, E> {
        Ok(Kinded::Other("integer"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Kinded, E> {
        Ok(Kinded::Other("number"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Kinded, E> {
        Ok(Kinded::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, sequence: A) -> Result<Kinded, A::Error> {
        Skim.visit_seq(sequence).map(|()| Kinded::Other("array"))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Kinded, A::Error> {
        Skim.visit_map(map).map(|()| Kinded::Other("object"))
    }
}

/// Reads a value and keeps nothing of it.
#[derive(Clone, Copy, Debug)]
pub struct Skim;

impl<'de> DeserializeSeed<'de> for Skim {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Skim {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        while sequence.next_element_seed(Skim)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_key_seed(Skim)?.is_some() {
            map.next_value_seed(Skim)?;
        }
        Ok(())
    }
}
