//! Whether a pool speaks English, which alone is read well enough to let a key go on trial by itself (Z-041).
//!
//! Two votes over all that was said together, since one wish is too short to tell: the dictionary knows most words of English and few
//! of any other language, and a detector must not be sure of another one. Unknown words are no English: when in doubt it waits.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use whatlang::Detector;
use whatlang::Lang;

use crate::domain::evolution::lexicon;

/// Share of the words that the dictionary must hold. English wishes of ten services had 0.75 and more, seven other languages 0.30
/// and less, English mixed with German 0.31 to 0.70.
const KNOWN_MIN: f64 = 0.70;
/// The same within a pool that is surely English, and from which share on it is: English pools had 0.88 and more, the mixed one 0.58.
const KNOWN_AMONG_ENGLISH_MIN: f64 = 0.50;
const ENGLISH_MIN: f64 = 0.80;
/// Characters from which on the detector is asked, and those that it gets.
const DETECTED_CHARS_MIN: usize = 60;
const DETECTED_BYTES_MAX: usize = 8_192;

static DETECTOR: LazyLock<Detector> = LazyLock::new(|| {
    // Languages that short texts are mistaken for are left out: the vote is whether it is English, not which it is.
    Detector::with_allowlist(vec![
        Lang::Eng,
        Lang::Deu,
        Lang::Spa,
        Lang::Fra,
        Lang::Ita,
        Lang::Por,
        Lang::Nld,
        Lang::Swe,
        Lang::Dan,
        Lang::Nob,
        Lang::Pol,
        Lang::Tur,
        Lang::Cat,
        Lang::Ron,
        Lang::Ces,
        Lang::Fin,
        Lang::Hun,
    ])
});

/// Whether the texts of a cluster, and those of the pool around it, are English as far as can be told.
pub fn is_english<'t>(cluster: impl Iterator<Item = &'t str>, pool: impl Iterator<Item = &'t str>) -> bool {
    let cluster = joined(cluster);
    let around = joined(pool);
    let by_pool = known(&around).unwrap_or(0.0);
    let own = known(&cluster).unwrap_or(by_pool);
    // A word of the trade that the dictionary lacks is no other language where the pool is surely English.
    let is_known = own >= KNOWN_MIN || (own >= KNOWN_AMONG_ENGLISH_MIN && by_pool >= ENGLISH_MIN);
    is_known && !is_foreign(&cluster) && !is_foreign(&around)
}

/// Distinct texts as one.
fn joined<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut seen = BTreeSet::new();
    let mut joined = String::new();
    for text in texts.filter(|text| seen.insert(*text)) {
        if joined.len() + text.len() > DETECTED_BYTES_MAX {
            break;
        }
        joined.push_str(text);
        joined.push_str(". ");
    }
    joined
}

/// Share of the words that the dictionary holds, each time that it is said or once, whichever is more: one word of the trade is said by
/// all. `None` where there are none, as in numbers.
fn known(text: &str) -> Option<f64> {
    let words = text.split(|c: char| !(c.is_alphabetic() || c == '\''));
    let words = words.filter(|word| word.chars().count() > 1).map(str::to_lowercase);
    // Of each word: how often it is said, and whether it is known.
    let mut said: BTreeMap<String, (usize, bool)> = BTreeMap::new();
    for word in words {
        let (times, is_known) = said.entry(word.clone()).or_default();
        *times += 1;
        *is_known = lexicon::known(&word) || lexicon::stop(&word) || lexicon::known(&lexicon::lemma(&word));
    }
    let share = |weigh: fn(usize) -> usize| {
        let all: usize = said.values().map(|(times, _)| weigh(*times)).sum();
        let known: usize = said
            .values()
            .filter(|(_, is_known)| *is_known)
            .map(|(times, _)| weigh(*times))
            .sum();
        known as f64 / all.max(1) as f64
    };
    (!said.is_empty()).then(|| share(|times| times).max(share(|_| 1)))
}

/// Whether it is surely another language.
fn is_foreign(text: &str) -> bool {
    if text.chars().count() < DETECTED_CHARS_MIN {
        return false;
    }
    match DETECTOR.detect(text) {
        Some(found) => found.lang() != Lang::Eng && found.is_reliable(),
        // No letter of a script that it knows.
        None => text.chars().any(char::is_alphabetic),
    }
}

#[cfg(test)]
mod tests {
    use super::is_english;

    fn english(cluster: &[&str], pool: &[&str]) -> bool {
        is_english(cluster.iter().copied(), pool.iter().copied())
    }

    #[test]
    fn plain_english_wishes_are_english_however_short_z041() {
        for cluster in [
            &["window seat", "window seat please", "by the window"][..],
            &["decaf", "decaf please", "make it decaf"],
            &["no onions", "without onions", "hold the onions pls"],
            &[
                "can we have a late checkout",
                "late check out if possible",
                "check out at noon please",
            ],
            &["12", "14", "20"],
        ] {
            assert!(
                english(
                    cluster,
                    &["two bags", "a quiet room", "back on Monday", "with breakfast please"]
                ),
                "{cluster:?}"
            );
        }
    }

    #[test]
    fn other_languages_are_not_and_mixed_ones_neither_z041() {
        for cluster in [
            &["Fensterplatz bitte", "ein Platz am Fenster", "gerne am Fenster"][..],
            &["sin cebolla", "sin cebolla por favor", "quiero sin cebolla"],
            &["près de la fenêtre", "une place côté fenêtre", "fenêtre svp"],
            &["posto vicino al finestrino", "finestrino per favore", "lato finestrino"],
            &["sem glúten", "sem glúten por favor", "pão sem glúten"],
            &["窓側の席", "窓側をお願いします", "窓側"],
            &["место у окна", "у окна пожалуйста", "окно"],
            &["helmet bitte dazu", "mit Helm", "a helmet für die Kinder"],
        ] {
            assert!(!english(cluster, cluster), "{cluster:?}");
        }
        assert!(
            !english(&["12", "14"], &["ein Zimmer mit Balkon", "zwei Betten"]),
            "numbers are read as their pool"
        );
    }
}
