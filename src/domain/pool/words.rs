//! Words and the closed classes that the readers of a fragment share.

use std::sync::LazyLock;

use regex::Regex;

use crate::domain::pool::pattern::exact;
use crate::domain::template::common_words;

static TOKEN: LazyLock<Regex> = LazyLock::new(|| exact(r"[a-z][a-z'-]*"));

const PREPOSITIONS: [&str; 22] = [
    "from", "to", "in", "at", "on", "by", "for", "until", "till", "before", "after", "of", "with", "near", "around",
    "under", "as", "is", "be", "called", "named", "titled",
];

/// Whether a lower-case word asks for nothing by itself.
pub fn is_empty_word(word: &str) -> bool {
    common_words::is_empty(word)
}

/// Whether a lower-case word is too common to name anything.
pub fn is_stop_word(word: &str) -> bool {
    common_words::is_stop(word)
}

/// Whether a lower-case word is one of the prepositions that the cues are made of.
pub fn is_preposition(word: &str) -> bool {
    PREPOSITIONS.contains(&word)
}

/// Lower-case words of plain letters, with inner apostrophes and hyphens.
pub fn tokens(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    TOKEN.find_iter(&lower).map(|found| found.as_str().to_owned()).collect()
}

/// A word without the endings of English plurals and verb forms.
pub fn stem(word: &str) -> String {
    let word = word
        .strip_suffix('s')
        .and_then(|w| w.strip_suffix('\''))
        .unwrap_or(word);
    let word = word.strip_suffix('\'').unwrap_or(word);
    for ending in ["ing", "ed", "es", "s"] {
        let Some(base) = word.strip_suffix(ending) else {
            continue;
        };
        if base.chars().count() <= 3 {
            continue;
        }
        let mut back = base.chars().rev();
        let (last, before) = (back.next(), back.next());
        let doubled = last == before && !matches!(last, Some('s' | 'l'));
        let cut = last.filter(|_| doubled).map_or(0, char::len_utf8);
        return base[..base.len() - cut].to_owned();
    }
    let cut = usize::from(word.chars().count() > 4 && word.ends_with('e'));
    word[..word.len() - cut].to_owned()
}

#[cfg(test)]
mod tests {
    use super::stem;
    use super::tokens;

    #[test]
    fn words_keep_apostrophes_and_hyphens() {
        assert_eq!(
            tokens("I'd like 2 Non-stop flights!"),
            ["i'd", "like", "non-stop", "flights"]
        );
    }

    #[test]
    fn plurals_and_verb_forms_share_a_stem() {
        assert_eq!(stem("tickets"), "ticket");
        assert_eq!(stem("dinners'"), "dinner");
        assert_eq!(stem("stopping"), "stop");
        assert_eq!(stem("passes"), "pass");
        assert_eq!(stem("suitcase"), "suitcas");
        assert_eq!(stem("suitcases"), "suitcas");
        assert_eq!(stem("bus"), "bus");
    }
}
