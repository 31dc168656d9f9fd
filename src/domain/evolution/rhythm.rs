//! How often, in words: "every other week" and `biweekly` are one rhythm, `every two weeks`.
//!
//! Knows the phrases of `lexicon.json` and no key.

use std::ops::Range;

use crate::domain::evolution::lexicon;

/// Words of the longest phrase.
const WORDS_MAX: usize = 4;

/// The rhythm that lemmas say, and where: that of their longest phrase, the first among equals.
pub fn of(lemmas: &[String]) -> Option<(&'static str, Range<usize>)> {
    (1..=WORDS_MAX).rev().find_map(|length| {
        let mut windows = lemmas.windows(length).enumerate();
        windows.find_map(|(at, window)| {
            let rhythm = lexicon::classes().rhythm.get(&window.join(" "))?;
            Some((rhythm.as_str(), at..at + length))
        })
    })
}

/// The phrases (lemmas) that mean each of some values, where these are rhythms.
pub fn phrases(values: &[String]) -> impl Iterator<Item = (String, String)> {
    let meant = |rhythm: &String| values.contains(rhythm);
    let phrases = lexicon::classes()
        .rhythm
        .iter()
        .filter(move |(_, rhythm)| meant(rhythm));
    phrases.map(|(phrase, rhythm)| (phrase.clone(), rhythm.clone()))
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::domain::evolution::lexicon;

    /// The rhythm that a text is, and nothing else.
    fn named(text: &str) -> Option<&'static str> {
        let tokens = lexicon::tokens(text);
        let lemmas: Vec<String> = tokens.iter().map(|token| lexicon::lemma(&token.word)).collect();
        let (rhythm, place) = of(&lemmas)?;
        (place == (0..lemmas.len())).then_some(rhythm)
    }

    #[test]
    fn one_rhythm_has_many_names_z111() {
        for text in [
            "every two weeks",
            "Every other week",
            "biweekly",
            "bi-weekly",
            "once every 2 weeks",
            "fortnightly",
        ] {
            assert_eq!(named(text), Some("every two weeks"), "{text}");
        }
        assert_eq!(
            (named("weekly"), named("once a week"), named("once")),
            (Some("weekly"), Some("weekly"), Some("once"))
        );
        assert_eq!((named("a week"), named("weekly fish"), named("")), (None, None, None));
    }
}
