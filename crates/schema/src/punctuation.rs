//! The marks that end a sentence, in whatever script it is written.
//!
//! Knows no language. Invariant: a mark that may stand within a number or a word ends a sentence before white space only.

/// Marks that end a sentence.
const STOPS: [char; 15] = [
    '.', '!', '?', '。', '｡', '！', '？', '।', '॥', '۔', '؟', '։', '።', '။', '។',
];

/// Marks that divide the parts of a sentence and need no white space behind them.
pub const DIVIDING: &str = "；，、،؛";

/// Whether a mark may end a sentence.
pub fn is_stop(c: char) -> bool {
    STOPS.contains(&c)
}

/// Whether a mark ends a sentence though no white space follows.
pub fn is_wide_stop(c: char) -> bool {
    matches!(c, '。' | '｡' | '！' | '？')
}

#[cfg(test)]
mod tests {
    use super::is_stop;
    use super::is_wide_stop;

    #[test]
    fn a_stop_of_any_script_ends_a_sentence_z040() {
        assert!(['.', '。', '！', '?', '।', '۔', '؟'].into_iter().all(is_stop));
        assert!(is_wide_stop('。') && !is_wide_stop('.') && !is_stop(','));
    }
}
