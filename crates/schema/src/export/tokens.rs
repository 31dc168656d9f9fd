//! How many tokens a text is, about: a rule that needs no vocabulary, for the byte-pair encodings of today's models.
//!
//! Reads the text as such an encoding splits it before it merges: words with the space before them, digits, signs, white
//! space. `make decoders` measures the rule's error; docs/exports.md says it.

/// Letters of one word that are one token, and how many further ones are one more.
const WORD_LETTERS: usize = 10;
const WORD_LETTERS_MORE: usize = 4;
/// Digits of one token.
const DIGITS: usize = 3;
/// Signs of one token.
const SIGNS: usize = 4;
/// Tenths of a token for a letter of another alphabet, and for a character of one that writes words in few.
const FOREIGN_TENTHS: u64 = 4;
const DENSE_TENTHS: u64 = 9;

/// What a character counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Letter,
    Digit,
    Space,
    Break,
    Sign,
    Foreign,
    Dense,
}

impl Kind {
    fn of(c: char) -> Kind {
        match c {
            'a'..='z' | 'A'..='Z' => Kind::Letter,
            '0'..='9' => Kind::Digit,
            ' ' | '\t' => Kind::Space,
            '\n' | '\r' => Kind::Break,
            _ if c.is_ascii() => Kind::Sign,
            // Kana, ideographs and Hangul, with their marks.
            '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}' => {
                Kind::Dense
            }
            '\u{20000}'..='\u{3FFFF}' => Kind::Dense,
            _ => Kind::Foreign,
        }
    }
}

/// About how many tokens a text has for a model of today.
pub fn estimate(text: &str) -> u64 {
    let mut tenths = 0;
    let mut run = (Kind::Break, 0_usize);
    for kind in text.chars().map(Kind::of) {
        if kind == run.0 {
            run.1 += 1;
        } else {
            tenths += cost(run.0, run.1);
            run = (kind, 1);
        }
    }
    tenths += cost(run.0, run.1);
    tenths.div_ceil(10)
}

/// Tenths of a token for a run of one kind.
fn cost(kind: Kind, length: usize) -> u64 {
    let tokens = |count: usize| 10 * count as u64;
    match kind {
        _ if length == 0 => 0,
        Kind::Letter => tokens(1 + length.saturating_sub(WORD_LETTERS).div_ceil(WORD_LETTERS_MORE)),
        Kind::Digit => tokens(length.div_ceil(DIGITS)),
        // One space goes with the word after it; more of them are a token.
        Kind::Space => tokens(usize::from(length > 1)),
        // It goes with the signs before it, or with the indentation after it.
        Kind::Break => 5,
        Kind::Sign => tokens(length.div_ceil(SIGNS)),
        Kind::Foreign => FOREIGN_TENTHS * length as u64,
        Kind::Dense => DENSE_TENTHS * length as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::estimate;

    #[test]
    fn each_kind_counts_by_its_rule_at_its_edge() {
        for (text, tokens) in [
            ("", 0),
            ("nineteenth", 1),
            ("nineteenths", 2),
            ("two words", 2),
            ("123", 1),
            ("1234", 2),
            ("{\":[", 1),
            ("{\":[{", 2),
            ("a\n  b", 4),
            ("日本", 2),
            ("привет", 3),
        ] {
            assert_eq!(estimate(text), tokens, "{text:?}");
        }
    }
}
