//! How much there may be of sessions, how large values are, and what is said of large ones (Shared Context §4, §8.2).

/// Bounds of all sessions together and of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLimits {
    pub sessions_max: usize,
    pub sessions_per_client_max: usize,
    /// Keys of one session.
    pub keys_max: usize,
    /// Principals beside the creator.
    pub participants_max: usize,
    pub history_versions_max: usize,
    /// Snapshots of one session.
    pub snapshots_max: usize,
    /// Keys of one batch.
    pub batch_keys_max: usize,
    /// Bytes of a session's conventions.
    pub namespace_bytes_max: usize,
    pub size: SizeLimits,
}

/// Bounds of one session's values, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl SizeLimits {
    /// The warning about a value that comes near the limit (S-034).
    pub fn warning(&self, tokens: u64) -> Option<String> {
        let max = self.value_max;
        (tokens >= self.value_warned).then(|| {
            format!("the value is {tokens} tokens; above {max} it is refused: store conclusions, not raw data")
        })
    }

    /// The hint about a smaller value that may hold raw data rather than conclusions (S-064).
    pub fn hint(&self, tokens: u64) -> Option<String> {
        (tokens > self.value_hinted && tokens < self.value_warned)
            .then(|| format!("the value is {tokens} tokens: see whether it holds raw data, and distil it"))
    }
}

/// About how many tokens a text is: a quarter of its characters (Unicode scalar values, not bytes), rounded up (S-089 … S-091).
pub fn tokens(text: &str) -> u64 {
    text.chars().count().div_ceil(4) as u64
}

#[cfg(test)]
pub mod tests {
    use super::SessionLimits;
    use super::SizeLimits;
    use super::tokens;

    /// What the tests of this folder hold sessions to.
    pub const LIMITS: SessionLimits = SessionLimits {
        sessions_max: 3,
        sessions_per_client_max: 2,
        keys_max: 20,
        participants_max: 2,
        history_versions_max: 10,
        snapshots_max: 2,
        batch_keys_max: 10,
        namespace_bytes_max: 1_000,
        size: SizeLimits {
            value_max: 1_000,
            value_warned: 800,
            value_hinted: 500,
            total_max: 10_000,
        },
    };

    #[test]
    fn a_token_is_four_characters_begun_and_not_bytes_s089_s090_s091() {
        for (chars, expected) in [(0, 0), (1, 1), (4, 1), (5, 2), (4_000, 1_000), (4_001, 1_001)] {
            for letter in ["x", "ü", "語", "🚀", "א", "\u{301}"] {
                assert_eq!(tokens(&letter.repeat(chars)), expected, "{letter} {chars}");
            }
        }
    }

    #[test]
    fn large_values_are_spoken_of_at_their_bounds_s034_s064() {
        let limits = LIMITS.size;
        for (tokens, warned, hinted) in [
            (500, false, false),
            (501, false, true),
            (799, false, true),
            (800, true, false),
            (1_000, true, false),
        ] {
            let said = (limits.warning(tokens).is_some(), limits.hint(tokens).is_some());
            assert_eq!(said, (warned, hinted), "{tokens}");
        }
    }
}
