//! What a payload says in `other` (Z-059 … Z-063): a string or an array of strings, never refused for its length.
//!
//! Reads and bounds; what it means is the pool's. Invariant: at most the limits are taken, whatever was sent.

use std::fmt;

use serde::de::DeserializeSeed;
use serde::de::Deserializer;
use serde::de::MapAccess;
use serde::de::SeqAccess;
use serde::de::Visitor;
use serde_json::Value;

use crate::exchange::skim::Skim;

/// Bounds on what is taken from `other` (Z-063). Never a reason to refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherLimits {
    /// Strings taken from one payload.
    pub strings_max: usize,
    /// Bytes taken from one string, cut at a character's edge.
    pub bytes_max: usize,
}

/// What was read from `other`.
#[derive(Debug)]
pub enum OtherRead {
    Null,
    /// A string or an array of strings.
    Said(Said),
    /// Another type: of the value, or of the first element that is not a string, which has that position.
    WrongType {
        received_type: &'static str,
        position: Option<usize>,
    },
}

/// The strings taken.
#[derive(Debug, Default)]
pub struct Said {
    pub strings: Vec<String>,
    pub truncated: bool,
    /// The whole value, when it was asked for: each text as [`visible`].
    pub whole: Option<Value>,
}

/// Reads the value of `other`.
#[derive(Clone, Copy, Debug)]
pub struct OtherSeed {
    pub limits: OtherLimits,
    /// Whether the whole value is wanted beside the strings.
    pub whole: bool,
}

/// A text as it was said, with each character that would act on whoever shows it written out: `<U+202E>` stands for one that
/// turns the writing round. Line ends and tabs are left as they are.
pub fn visible(text: &str) -> String {
    let acts = |c: char| {
        let bidi = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        bidi || (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
    };
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) {
            shown.push_str(&format!("<U+{:04X}>", u32::from(c)));
        } else {
            shown.push(c);
        }
    }
    shown
}

impl Said {
    fn take(&mut self, text: &str, limits: OtherLimits) {
        if self.strings.len() >= limits.strings_max {
            self.truncated = true;
            return;
        }
        let kept = &text[..text.floor_char_boundary(limits.bytes_max)];
        self.truncated |= kept.len() < text.len();
        self.strings.push(kept.to_owned());
    }
}

impl<'de> DeserializeSeed<'de> for OtherSeed {
    type Value = OtherRead;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<OtherRead, D::Error> {
        deserializer.deserialize_any(self)
    }
}

fn wrong<E>(received_type: &'static str) -> Result<OtherRead, E> {
    Ok(OtherRead::WrongType {
        received_type,
        position: None,
    })
}

impl<'de> Visitor<'de> for OtherSeed {
    type Value = OtherRead;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<OtherRead, E> {
        Ok(OtherRead::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<OtherRead, E> {
        wrong("boolean")
    }

    fn visit_i64<E>(self, _: i64) -> Result<OtherRead, E> {
        wrong("integer")
    }

    fn visit_u64<E>(self, _: u64) -> Result<OtherRead, E> {
        wrong("integer")
    }

    fn visit_f64<E>(self, _: f64) -> Result<OtherRead, E> {
        wrong("number")
    }

    fn visit_str<E>(self, text: &str) -> Result<OtherRead, E> {
        let mut said = Said::default();
        said.take(text, self.limits);
        said.whole = self.whole.then(|| Value::String(visible(text)));
        Ok(OtherRead::Said(said))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<OtherRead, A::Error> {
        let mut said = Said::default();
        let mut whole = self.whole.then(Vec::new);
        let mut wrong_at = None;
        let mut position = 0;
        while let Some(other_type) = sequence.next_element_seed(ElementSeed {
            limits: self.limits,
            said: &mut said,
            whole: whole.as_mut(),
        })? {
            wrong_at = wrong_at.or(other_type.map(|received_type| (received_type, position)));
            position += 1;
        }
        if let Some((received_type, position)) = wrong_at {
            return Ok(OtherRead::WrongType {
                received_type,
                position: Some(position),
            });
        }
        said.whole = whole.map(Value::Array);
        Ok(OtherRead::Said(said))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OtherRead, A::Error> {
        Skim.visit_map(map)?;
        wrong("object")
    }
}

/// One element of the array; answers its type when it is no string.
struct ElementSeed<'s> {
    limits: OtherLimits,
    said: &'s mut Said,
    whole: Option<&'s mut Vec<Value>>,
}

impl<'de> DeserializeSeed<'de> for ElementSeed<'_> {
    type Value = Option<&'static str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<&'static str>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ElementSeed<'_> {
    type Value = Option<&'static str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Option<&'static str>, E> {
        Ok(Some("null"))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Option<&'static str>, E> {
        Ok(Some("boolean"))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Option<&'static str>, E> {
        Ok(Some("integer"))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Option<&'static str>, E> {
        Ok(Some("integer"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Option<&'static str>, E> {
        Ok(Some("number"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Option<&'static str>, E> {
        self.said.take(text, self.limits);
        if let Some(whole) = self.whole {
            whole.push(Value::String(visible(text)));
        }
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, sequence: A) -> Result<Option<&'static str>, A::Error> {
        Skim.visit_seq(sequence).map(|()| Some("array"))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Option<&'static str>, A::Error> {
        Skim.visit_map(map).map(|()| Some("object"))
    }
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_acts_on_whoever_shows_it_is_written_out_and_nothing_is_left_away_z169() {
        for (said, shown) in [
            ("set the safe to 4711", "set the safe to 4711"),
            ("two\nlines\tand a tab\r", "two\nlines\tand a tab\r"),
            (
                "a\u{0}b\u{1b}[31mc\u{7f}\u{85}",
                "a<U+0000>b<U+001B>[31mc<U+007F><U+0085>",
            ),
            (
                "\u{202e}txt.exe\u{202c}\u{2066}\u{2069}\u{61c}",
                "<U+202E>txt.exe<U+202C><U+2066><U+2069><U+061C>",
            ),
            ("naïve 👩‍🚀 窓側", "naïve 👩‍🚀 窓側"),
        ] {
            assert_eq!(visible(said), shown);
        }
    }
}
