//! Which value of a key a text says, as far as words tell.
//!
//! Knows what the key's examples show and the values that were read for it; judges nothing, for whoever looks at a report alone.
//! Invariant: where two values stand apart in a text, it says neither.

use schema::mapping_example::Shown;
use text::clause::Words;

/// What a key is known to be said by.
pub struct Known<'a> {
    /// Words and the value that they say.
    said: Vec<(Words, &'a str)>,
    /// Values that are said by themselves, in whatever words a number has.
    values: &'a [String],
}

impl<'a> Known<'a> {
    /// By what its examples show, and by the values that were read.
    pub fn of(shown: &[Shown<'a>], values: &'a [String]) -> Known<'a> {
        let shown = shown.iter().map(|example| (Words::read(example.said), example.value));
        let by_itself = values.iter().map(|value| (Words::read(value), value.as_str()));
        Known {
            said: shown.chain(by_itself).collect(),
            values,
        }
    }

    /// The value in a text: of "front" and "front row" the longer is meant.
    pub fn value_in(&self, text: &str) -> Option<String> {
        let text = Words::read(text);
        let found: Vec<&(Words, &str)> = self
            .said
            .iter()
            .filter(|(words, _)| !text.runs(words).is_empty())
            .collect();
        let Some((longest, value)) = found.iter().max_by_key(|(words, _)| words.len()) else {
            let numbers = text.numbers();
            let mut read = numbers.iter().filter(|number| self.values.contains(&number.value));
            return read
                .next()
                .filter(|_| read.next().is_none())
                .map(|number| number.value.clone());
        };
        let is_one = |(words, other): &&(Words, &str)| other == value || !longest.runs(words).is_empty();
        found.iter().all(is_one).then(|| (*value).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::Known;
    use schema::mapping_example;

    fn value(text: &str) -> Option<String> {
        let shown = mapping_example::shown("Seat. Examples: 'by the glass' -> window; 'a front seat' -> front.");
        let values = ["front", "front row", "aisle", "2", "15:30"].map(str::to_owned);
        Known::of(&shown, &values).value_in(text)
    }

    #[test]
    fn a_text_says_the_value_that_its_words_led_to_or_that_stands_in_it() {
        for (text, says) in [
            ("somewhere by the glass", Some("window")),
            ("An AISLE seat", Some("aisle")),
            ("the front row", Some("front row")),
            ("a front seat please", Some("front")),
            ("two of them", Some("2")),
            ("at half past three, 15:30", Some("15:30")),
            ("aisle, or by the glass", None),
            ("in the middle", None),
            ("12 of them", None),
        ] {
            assert_eq!(value(text).as_deref(), says, "{text}");
        }
    }
}
