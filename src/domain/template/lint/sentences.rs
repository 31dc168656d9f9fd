//! A text by its sentences, so that one can be left out and the others stay as they were written.
//!
//! Knows no language: a sentence ends with a full stop, a question or exclamation mark before white space, with one of those
//! that need no white space behind them, or with the line.

use crate::domain::template::punctuation::is_stop;
use crate::domain::template::punctuation::is_wide_stop;

/// The sentences of a text, each with the white space behind it; put together they are the text.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut ended = false;
    let mut before = ['\0'; 2];
    for (at, c) in text.char_indices() {
        if ended && !c.is_whitespace() {
            parts.push(&text[start..at]);
            start = at;
            ended = false;
        }
        let next = text[at + c.len_utf8()..].chars().next();
        let ends_here = is_wide_stop(c) && !next.is_some_and(|next| is_stop(next) || "」』）”’)\"'".contains(next));
        let before_space = is_stop(c) && next.is_some_and(char::is_whitespace);
        // "e.g." and "i.e." end nothing.
        let shortened = c == '.' && before[1].is_alphabetic() && before[0] == '.';
        if c == '\n' || ends_here || (before_space && !shortened) {
            ended = true;
        }
        before = [before[1], c];
    }
    if start < text.len() {
        parts.push(&text[start..]);
    }
    parts
}

/// The text without the sentences that `out` picks; `None` where nothing is left.
pub fn without(text: &str, out: impl Fn(&str) -> bool) -> Option<String> {
    let kept: String = sentences(text).into_iter().filter(|sentence| !out(sentence)).collect();
    let kept = kept.trim();
    (!kept.is_empty()).then(|| kept.to_owned())
}

#[cfg(test)]
mod tests {
    use super::sentences;
    use super::without;

    #[test]
    fn sentences_put_together_are_the_text_z040() {
        for (text, parts) in [
            ("One. Two!  Three", vec!["One. ", "Two!  ", "Three"]),
            (
                "Codes, e.g. PEK. At 3.5 stars.",
                vec!["Codes, e.g. PEK. ", "At 3.5 stars."],
            ),
            ("一。二！三", vec!["一。", "二！", "三"]),
            ("「一。」二。", vec!["「一。」二。"]),
            ("एक। दो", vec!["एक। ", "दो"]),
            ("One\nTwo", vec!["One\n", "Two"]),
            ("a, b. C", vec!["a, b. ", "C"]),
            ("", vec![]),
        ] {
            assert_eq!(sentences(text), parts);
            assert_eq!(sentences(text).concat(), text);
        }
        let out = |sentence: &str| sentence.contains("Two");
        assert_eq!(without("One. Two! Three.", out).as_deref(), Some("One. Three."));
        assert_eq!(without("Two.", out), None);
    }
}
