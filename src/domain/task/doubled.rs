//! Members that an object gives twice, wherever in a text they stand.
//!
//! Which of them counts nobody knows: one reader takes the first, another the last, so what one of them allowed the other never saw.
//! A text whose shape is read member by member is asked by [`Fields`](crate::domain::task::field::Fields); this is for those that
//! are read as a whole. Invariant: a text that is no JSON has none; what is wrong with it is told by whoever reads it.

use std::collections::BTreeSet;
use std::fmt::Formatter;

use serde::Deserializer;
use serde::de::DeserializeSeed;
use serde::de::MapAccess;
use serde::de::SeqAccess;
use serde::de::Visitor;

use crate::domain::task::field::FieldFault;
use crate::domain::task::field::shown;

/// Says no to a text of which an object, at whatever depth, gives a member twice.
///
/// # Errors
/// The first such member, by its place.
pub fn refused(text: &str) -> Result<(), FieldFault> {
    let mut found = Found::default();
    let mut source = serde_json::Deserializer::from_str(text);
    let read = Walk(&mut found).deserialize(&mut source);
    match found.first {
        Some(place) if read.is_ok() => Err(FieldFault::new(place, "is given twice")),
        Some(_) | None => Ok(()),
    }
}

/// The way to what is read, and the first member that was there already.
#[derive(Default)]
struct Found {
    place: String,
    first: Option<String>,
}

struct Walk<'w>(&'w mut Found);

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<(), D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
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

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let length = self.0.place.len();
        for nth in 0.. {
            self.0.place.push_str(&format!("[{nth}]"));
            let item = items.next_element_seed(Walk(self.0))?;
            self.0.place.truncate(length);
            if item.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let length = self.0.place.len();
        let mut names = BTreeSet::new();
        while let Some(name) = members.next_key::<String>()? {
            if length > 0 {
                self.0.place.push('.');
            }
            self.0.place.push_str(&shown(&name));
            if !names.insert(name) {
                self.0.first.get_or_insert_with(|| self.0.place.clone());
            }
            members.next_value_seed(Walk(self.0))?;
            self.0.place.truncate(length);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::refused;

    #[test]
    fn the_first_member_that_is_given_twice_is_named_by_its_place() {
        for (text, place) in [
            (r#"{"a": 1, "a": 1}"#, "a"),
            (
                r#"{"a": {"b": [0, {"c": 1, "d": null, "\u0063": 2}]}, "a": 0}"#,
                "a.b[1].c",
            ),
            (r#"[{"a": "x"}, {"a": 1.5, "a": -7, "a": true}]"#, "[1].a"),
        ] {
            let fault = refused(text).expect_err(text);
            assert_eq!(
                (fault.field.as_str(), fault.description.as_str()),
                (place, "is given twice")
            );
        }
    }

    #[test]
    fn a_name_in_several_objects_is_given_once_and_what_is_no_json_is_told_by_its_reader() {
        for text in [
            r#"{"a": {"a": [{"a": 1}, {"a": 1e999999}]}, "b": 123456789012345678901234567890}"#,
            r#"{"a": 1, "a": 1"#,
            "",
            "7",
        ] {
            assert_eq!(refused(text), Ok(()), "{text}");
        }
    }
}
