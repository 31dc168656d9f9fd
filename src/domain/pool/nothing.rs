//! What nobody said: words that stand in a field only so that it is not empty (Z-065).
//!
//! Knows whole texts alone: a wish that holds such a word is one all the same. All languages of the tables are asked of every text.

use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::domain::pool::table::Table;

/// Whole texts, and what a sentence that says nothing is made of: small letters, no accents, one space between words.
static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("tables/nothing.tsv")));

/// Bytes of a text that is looked at: the longest row, four times over.
const LOOKED_AT_MAX: usize = 160;

/// Words of the longest whole text in the table.
const ROW_WORDS_MAX: usize = 4;

/// Whether a text says nothing, whatever stands around it: `N/A`, `(none)`, `- keine -`, `---`, "no special requests, thanks",
/// "Special requests: none".
pub fn says_nothing(text: &str) -> bool {
    if text.len() > LOOKED_AT_MAX {
        return false;
    }
    let plain = plain(text);
    let words: Vec<&str> = plain.split(' ').filter(|word| !word.is_empty()).collect();
    let is_polite = |word: &&&str| TABLE.holds("courtesy", word);
    let front = words.iter().take_while(is_polite).count();
    let back = words.iter().skip(front).rev().take_while(is_polite).count();
    let said = words.get(front..words.len() - back).unwrap_or_default();
    is_nothing(&words) || is_nothing(said)
}

/// Whether the value of a key that nobody knows says nothing; "smoking: no" says something.
pub fn is_no_value(value: &str) -> bool {
    const NO: &[&str] = &["no", "nope", "nein", "non", "nao", "nee", "ne"];
    says_nothing(value) && !NO.contains(&plain(value).as_str())
}

fn is_nothing(words: &[&str]) -> bool {
    if are_nothings(words) {
        return true;
    }
    let run = |from: usize, sort: &str| {
        words
            .iter()
            .skip(from)
            .take_while(|word| TABLE.holds(sort, word))
            .count()
    };
    // "We have no special requests", "I don't have any".
    let opens = |word: &&&str| TABLE.holds("lead", word) || TABLE.holds("denial", word);
    let denied = words.iter().take_while(opens).count();
    let denials = words
        .iter()
        .take(denied)
        .filter(|word| TABLE.holds("denial", word))
        .count();
    let matter = denied + run(denied, "sort");
    let behind = matter + run(matter, "matter");
    let end = behind + run(behind, "sort");
    if denials > 0 && behind > matter && end == words.len() {
        return true;
    }
    // "Special requests: none".
    let matter = run(0, "sort");
    let rest = matter + run(matter, "matter");
    let rest_is_nothing = || {
        words
            .get(rest..)
            .is_some_and(|rest| !rest.is_empty() && is_nothing(rest))
    };
    rest > matter && rest_is_nothing()
}

/// Whether words are whole texts that say nothing, one after another: "none / n/a", "null null".
fn are_nothings(words: &[&str]) -> bool {
    let mut is_end = vec![true];
    for end in 1..=words.len() {
        let is_whole = |from: usize| {
            words
                .get(from..end)
                .is_some_and(|row| TABLE.holds("whole", &row.join(" ")))
        };
        let reached = (end.saturating_sub(ROW_WORDS_MAX)..end).any(|from| is_end[from] && is_whole(from));
        is_end.push(reached);
    }
    is_end.last() == Some(&true)
}

/// Words in small letters without accents, one space between them.
fn plain(text: &str) -> String {
    let letters: String = text
        .nfkd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .collect();
    letters
        .replace('ß', "ss")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::is_no_value;
    use super::says_nothing;

    #[test]
    fn what_only_fills_a_field_says_nothing_in_every_language_z065() {
        for text in [
            "",
            " ",
            "-",
            "---",
            "?",
            "n/a",
            "N/A",
            "N.A.",
            "nil",
            "NULL",
            "None",
            "none.",
            "none / n/a",
            "null null",
            "no, keine",
            "(none)",
            "unknown",
            "TBD",
            "tbd!",
            "undefined",
            "not applicable",
            "Not specified",
            "no preference",
            "No preferences.",
            "no special requests",
            "No special requests, thank you.",
            "I have no special requests",
            "we don't have any special requirements",
            "There are no further comments",
            "Special requests: none",
            "Preference: n/a",
            "nothing",
            "nothing special",
            "keine",
            "Keine besonderen Wünsche",
            "keine Angabe",
            "Keine Präferenz, danke",
            "- keine -",
            "nichts weiter",
            "Ich habe keine Sonderwünsche",
            "ninguna",
            "Ninguno",
            "sin preferencias",
            "no aplica",
            "ninguna petición especial",
            "aucune",
            "Aucune préférence",
            "Rien",
            "sans objet",
            "pas de demande particulière",
            "nessuna",
            "nessuna richiesta particolare",
            "non applicabile",
            "nenhuma",
            "sem preferência",
            "não se aplica",
            "geen voorkeur",
            "n.v.t.",
            "please none",
            "anything is fine",
            "Best regards,",
            "Mit freundlichen Grüßen",
            "Sent from my iPhone",
        ] {
            assert!(says_nothing(text), "{text:?}");
        }
    }

    #[test]
    fn what_asks_for_something_is_no_nothing_z065() {
        for text in [
            "no nuts",
            "none of the middle seats",
            "no smoking room",
            "keine Nüsse",
            "ohne Zwiebeln",
            "sin gluten",
            "sans gluten",
            "no onions please",
            "nothing spicy",
            "any seat by the window",
            "not on Monday",
            "special meal",
            "a note for the driver",
            "no comments on the card",
            "unknown caller blocked",
            "preference: window",
            "no preference for the wing but by the aisle",
            "nil by mouth",
            "for two",
            "null alkohol",
            "instructions in French",
            "don't ring the bell",
        ] {
            assert!(!says_nothing(text), "{text:?}");
        }
    }

    #[test]
    fn a_value_that_denies_says_something_z065_z101() {
        for (value, is_nothing) in [
            ("no", false),
            ("nein", false),
            ("null", true),
            ("[]", true),
            ("", true),
            ("[\"none\"]", true),
            ("false", false),
        ] {
            assert_eq!(is_no_value(value), is_nothing, "{value}");
        }
    }
}
