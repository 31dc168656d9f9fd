//! What a payload says in `other` (Z-059 … Z-063): a string or an array of strings, never refused for its length.
//!
//! Reads and bounds; what it means is the pool's. Invariant: at most the limits are taken, whatever was sent.

use serde_json::Value;

/// Bounds on what is taken from `other` (Z-063). Never a reason to refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherLimits {
    /// Strings taken from one payload.
    pub strings_max: usize,
    /// Bytes taken from one string, cut at a character's edge.
    pub bytes_max: usize,
}

/// The strings that are said, in order; of what is neither a string nor an array of strings, what is wrong and where: the first
/// element with its position, else the value itself.
pub(super) fn texts(value: &Value) -> Result<Vec<&str>, (Option<usize>, &Value)> {
    match value {
        Value::String(text) => Ok(vec![text]),
        Value::Array(elements) => {
            let texts = elements.iter().enumerate();
            let texts = texts.map(|(place, element)| element.as_str().ok_or((Some(place), element)));
            texts.collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Err((None, value)),
    }
}

/// What is taken of the strings, and whether that is less than was said.
pub(super) fn taken(texts: &[&str], limits: OtherLimits) -> (Vec<String>, bool) {
    let cut = |text: &&str| text[..text.floor_char_boundary(limits.bytes_max)].to_owned();
    let taken: Vec<String> = texts.iter().take(limits.strings_max).map(cut).collect();
    let is_whole = taken.len() == texts.len() && taken.iter().zip(texts).all(|(taken, text)| taken == text);
    (taken, !is_whole)
}

/// The value with each text as [`visible`].
pub(super) fn shown(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(visible(&text)),
        Value::Array(elements) => elements.into_iter().map(shown).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => value,
    }
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
