//! The unique nearest among known words: what a misspelt key or value was meant to be, where that is determined.
//!
//! Words that differ only in case, spaces, hyphens and `_` are the same word. Else the edit distance decides: at most
//! [`DISTANCE_MAX`] and less than half of the shorter word, with no second word as near. Costs are bounded: words
//! longer than [`WORD_CHARS_MAX`] are nobody's neighbours.

/// Insertions, deletions and substitutions between two words that may still be meant to be one.
pub const DISTANCE_MAX: usize = 2;
/// Characters of a word that is looked at.
pub const WORD_CHARS_MAX: usize = 64;

/// The one candidate that `word` was meant to be.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(word)?;
    let mut best: Option<(usize, &'a str)> = None;
    let mut tied = false;
    for candidate in candidates {
        let Some(other) = fold(candidate) else {
            continue;
        };
        let (length, other_length) = (folded.chars().count(), other.chars().count());
        if length.abs_diff(other_length) > DISTANCE_MAX {
            continue;
        }
        let distance = strsim::levenshtein(&folded, &other);
        if distance > DISTANCE_MAX || (distance > 0 && distance * 2 >= length.min(other_length)) {
            continue;
        }
        match best {
            Some((least, _)) if distance > least => {}
            Some((least, _)) if distance == least => tied = true,
            Some(_) | None => {
                best = Some((distance, candidate));
                tied = false;
            }
        }
    }
    best.filter(|_| !tied).map(|(_, candidate)| candidate)
}

/// Returns an unknown name for an error, with the one that was meant among the names that the caller may see. A name that the caller may
/// not see takes no part, so that not even a tie reveals it.
pub fn with_near<'a>(name: &str, visible: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(name, visible.into_iter()) {
        Some(near) => format!("{name}; the nearest is `{near}`"),
        None => name.to_owned(),
    }
}

/// Returns true for words that differ in case, spaces, hyphens and `_` alone.
pub fn is_same_word(one: &str, other: &str) -> bool {
    fold(one).is_some_and(|folded| fold(other) == Some(folded))
}

/// Lower case without separators; `None` when nothing or too much is left.
fn fold(word: &str) -> Option<String> {
    let letters = word.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_'));
    let folded: String = letters.flat_map(char::to_lowercase).take(WORD_CHARS_MAX + 1).collect();
    (1..=WORD_CHARS_MAX).contains(&folded.chars().count()).then_some(folded)
}

#[cfg(test)]
mod tests {
    use super::WORD_CHARS_MAX;
    use super::nearest;
    use super::with_near;

    fn among(word: &str, candidates: &[&'static str]) -> Option<&'static str> {
        nearest(word, candidates.iter().copied())
    }

    #[test]
    fn the_nearest_key_is_unique_within_two_and_less_than_half_z023() {
        let keys = ["origin", "destination", "cabin_class", "seat"];
        assert_eq!(among("orgin", &keys), Some("origin"));
        assert_eq!(among("destnatoin", &["destination"]), None, "three edits");
        assert_eq!(among("destnaton", &keys), Some("destination"), "two edits");
        assert_eq!(among("Cabin-Class", &keys), Some("cabin_class"));
        assert_eq!(among("cabinClass", &keys), Some("cabin_class"));
        assert_eq!(among("seta", &keys), None, "two edits are half of four letters");
        assert_eq!(among("sea", &keys), Some("seat"), "one edit is less than half of three");
        assert_eq!(among("", &keys), None);
        assert_eq!(among("__", &keys), None);
    }

    #[test]
    fn two_as_near_are_none_z023() {
        assert_eq!(among("cat1", &["cat2", "cat3"]), None);
        assert_eq!(
            among("cat-2", &["cat2", "cat3"]),
            Some("cat2"),
            "the same word is nearer than a similar one"
        );
        assert_eq!(among("a-b", &["a_b", "ab"]), None, "two spellings of the same word");
    }

    #[test]
    fn an_unknown_name_is_told_with_the_one_that_the_caller_may_see() {
        let told = |visible: &[&'static str]| with_near("fligt", visible.iter().copied());
        assert_eq!(told(&["flight", "hotel"]), "fligt; the nearest is `flight`");
        assert_eq!(told(&["flight", "fligh"]), "fligt");
        assert_eq!(told(&["hotel"]), "fligt");
    }

    #[test]
    fn long_words_have_no_neighbours_z023() {
        let long: &'static str = Box::leak("a".repeat(WORD_CHARS_MAX).into_boxed_str());
        let longer: &'static str = Box::leak("a".repeat(WORD_CHARS_MAX + 1).into_boxed_str());
        assert_eq!(among(long, &[long]), Some(long));
        assert_eq!(among(longer, &[longer]), None);
    }
}
