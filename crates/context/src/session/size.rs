//! How large values are, and what is said of large ones (Shared Context §4.1, §8.2, S-033 … S-035, S-064, S-089 … S-091).

use serde::Deserialize;
use serde::Serialize;

/// Characters of a token, as it is estimated.
const CHARS_A_TOKEN: usize = 4;

/// About how many tokens a text is: a quarter of its characters (Unicode scalar values, not bytes), rounded up.
pub fn tokens(text: &str) -> u64 {
    text.chars().count().div_ceil(CHARS_A_TOKEN) as u64
}

/// Bounds of one session's values, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeLimits {
    /// Of one value; a larger one is refused.
    pub value_max: u64,
    /// From which a write is answered with a warning.
    pub value_warned: u64,
    /// Above which it is answered with a hint.
    pub value_hinted: u64,
    /// Of all values together.
    pub total_max: u64,
}

/// What is said of a value that fits and is large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// It comes near the limit (S-034).
    Warning,
    /// It may hold raw data rather than conclusions (S-064).
    Hint,
}

/// What is said of a value of this size, if anything.
pub fn advice(tokens: u64, limits: &SizeLimits) -> Option<Advice> {
    if tokens >= limits.value_warned {
        Some(Advice::Warning)
    } else if tokens > limits.value_hinted {
        Some(Advice::Hint)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Advice;
    use super::SizeLimits;
    use super::advice;
    use super::tokens;

    #[test]
    fn a_token_is_four_characters_begun_s089_s090() {
        for (chars, expected) in [(0, 0), (1, 1), (4, 1), (5, 2), (4_000, 1_000), (4_001, 1_001)] {
            assert_eq!(tokens(&"x".repeat(chars)), expected, "{chars}");
        }
    }

    #[test]
    fn characters_count_and_bytes_do_not_s091() {
        for letter in ["ü", "語", "🚀", "א"] {
            assert_eq!(tokens(&letter.repeat(4_000)), 1_000, "{letter}");
        }
        assert_eq!(tokens("e\u{301}"), 1, "a combining mark is a character of its own");
        assert_eq!(tokens("e\u{301}e\u{301}e"), 2);
    }

    #[test]
    fn large_values_are_spoken_of_at_their_bounds_s034_s064() {
        let limits = SizeLimits {
            value_max: 1_000,
            value_warned: 800,
            value_hinted: 500,
            total_max: 10_000,
        };
        for (tokens, expected) in [
            (500, None),
            (501, Some(Advice::Hint)),
            (799, Some(Advice::Hint)),
            (800, Some(Advice::Warning)),
            (1_000, Some(Advice::Warning)),
        ] {
            assert_eq!(advice(tokens, &limits), expected, "{tokens}");
        }
    }
}
