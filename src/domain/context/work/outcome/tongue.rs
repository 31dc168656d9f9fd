//! Verbs of other languages as the English ones, and names of places as English writes them.
//!
//! The rules go by English verbs, so a form that comes of a known German, French or Spanish stem is read as a form of the English
//! verb: whoever is asked to "stornieren" is told that it is "gebucht" as if both were English. Invariant: a word that comes of no
//! known stem is left as it is, and no stem makes an English word of these tables out of another English word.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// How a language makes forms of its verbs.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tongue {
    /// What follows a stem, the longest first.
    endings: Vec<String>,
    /// What stands before a stem or within it: "gebucht", "abgesagt", "abzusagen".
    inserts: Vec<String>,
    /// Stems and the English verbs for them.
    stems: BTreeMap<String, String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tongues {
    german: Tongue,
    french: Tongue,
    spanish: Tongue,
    /// Forms that no ending tells.
    forms: BTreeMap<String, String>,
    names: BTreeMap<String, String>,
}

/// What the file holds; its test says that it can be read.
static TONGUES: LazyLock<Tongues> = LazyLock::new(|| read().unwrap_or_default());

fn read() -> Result<Tongues, serde_json::Error> {
    serde_json::from_str(include_str!("../tables/tongues.json"))
}

/// The English word for a lower-case one of another language.
pub fn english(word: &str) -> Option<&'static str> {
    let known = TONGUES.forms.get(word).or_else(|| TONGUES.names.get(word));
    let tongues = [&TONGUES.german, &TONGUES.french, &TONGUES.spanish];
    let verb = || tongues.into_iter().find_map(|tongue| tongue.verb(word));
    known.or_else(verb).map(String::as_str)
}

/// Whether a lower-case word of another language is a form of a verb.
pub fn is_verb(word: &str) -> bool {
    let tongues = [&TONGUES.german, &TONGUES.french, &TONGUES.spanish];
    TONGUES.forms.contains_key(word) || tongues.into_iter().any(|tongue| tongue.verb(word).is_some())
}

/// Whether a lower-case word is a German verb as it stands at the end of what is to be done ("Zimmer stornieren").
pub fn is_infinitive(word: &str) -> bool {
    word.ends_with('n') && TONGUES.german.verb(word).is_some()
}

impl Tongue {
    fn verb(&self, word: &str) -> Option<&String> {
        let bases = self
            .endings
            .iter()
            .filter_map(|ending| word.strip_suffix(ending.as_str()));
        bases.into_iter().find_map(|base| self.stem(base))
    }

    /// The verb of a stem, also where something was put before or into it.
    fn stem(&self, base: &str) -> Option<&String> {
        let without = |insert: &String| {
            let cut = base.match_indices(insert.as_str());
            cut.into_iter().find_map(|(at, _)| {
                self.stems
                    .get(&format!("{}{}", &base[..at], &base[at + insert.len()..]))
            })
        };
        self.stems.get(base).or_else(|| self.inserts.iter().find_map(without))
    }
}

#[cfg(test)]
mod tests {
    use super::english;
    use super::is_infinitive;
    use super::read;

    #[test]
    fn the_table_can_be_read_and_its_endings_stand_longest_first() {
        let tongues = read().expect("the table");
        for tongue in [&tongues.german, &tongues.french, &tongues.spanish] {
            let lengths: Vec<usize> = tongue.endings.iter().map(|ending| ending.chars().count()).collect();
            assert!(lengths.is_sorted_by(|one, next| one >= next), "{lengths:?}");
        }
    }

    #[test]
    fn forms_of_one_verb_are_one_english_verb() {
        for (verb, forms) in [
            (
                "cancel",
                "stornieren storniere storniert stornierte abgesagt absagen abzusagen annulé annulée cancelado",
            ),
            ("book", "buchen buche bucht buchte gebucht"),
            ("open", "öffnen geöffnet eröffnet ouvrir ouverte abierto"),
            ("reserve", "réserver réservée réservez reservado reservieren"),
            ("delete", "löschen gelöscht supprimée borrado eliminar"),
        ] {
            for form in forms.split(' ') {
                assert_eq!(english(form), Some(verb), "{form}");
            }
        }
        assert_eq!(english("wien"), Some("vienna"));
    }

    #[test]
    fn english_words_stay_what_they_are() {
        for word in
            "page active die window table open closed report ferment buck sender kind rate art mail order".split(' ')
        {
            assert_eq!(english(word), None, "{word}");
        }
        assert!(is_infinitive("stornieren") && !is_infinitive("storniert") && !is_infinitive("open"));
    }
}
