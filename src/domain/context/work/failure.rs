//! Whether what was said of an item is rather a failure, an intention or a doubt than a result (C-056, C-057).
//!
//! A table of plain words in four languages, and nothing learned: the master is asked once more, in words, and says so itself
//! where a cue deceives. What the item's own description says ("no smoking") is no cue as often as it stands there. Invariant: a
//! word that good results hold as well counts only where a text begins to say something, or where a clause says nothing else.

/// Words and phrases that count wherever they stand. Whole words, in lower case.
const ALWAYS: [&str; 97] = [
    // English.
    "could not",
    "couldn't",
    "can not",
    "cannot",
    "can't",
    "did not",
    "didn't",
    "was not able",
    "were not able",
    "not able to",
    "unable",
    "failed",
    "failure",
    "fails to",
    "error",
    "unfortunately",
    "unavailable",
    "unsuccessful",
    "unsuccessfully",
    "not available",
    "no availability",
    "not possible",
    "impossible",
    "not found",
    "nothing found",
    "found nothing",
    "no results",
    "no result",
    "no luck",
    "not done",
    "not yet",
    "not clear",
    "not sure",
    "not known",
    "to be done",
    "to be determined",
    "tbd",
    "still pending",
    "pending",
    "in progress",
    "timed out",
    "timeout",
    "gave up",
    "given up",
    "aborted",
    "refused",
    "denied",
    "sold out",
    "out of stock",
    "fully booked",
    "unclear",
    "unknown",
    "uncertain",
    "undecided",
    "i will",
    "we will",
    "i'll",
    "we'll",
    "i am going to",
    "i'm going to",
    "i plan to",
    "waiting for",
    "awaiting",
    "please provide",
    "please specify",
    "please confirm",
    // German.
    "leider",
    "konnte nicht",
    "konnten nicht",
    "nicht gefunden",
    "nicht möglich",
    "nicht verfügbar",
    "noch nicht",
    "unmöglich",
    "fehlgeschlagen",
    "gescheitert",
    "fehler",
    "ausgebucht",
    "ausverkauft",
    "unklar",
    "unbekannt",
    "ausstehend",
    // French.
    "malheureusement",
    "pas encore",
    "échec",
    "échoué",
    "erreur",
    "indisponible",
    "introuvable",
    "inconnu",
    // Spanish.
    "lamentablemente",
    "desgraciadamente",
    "no se pudo",
    "no pude",
    "imposible",
    "pendiente",
    "desconocido",
];

/// Words that stand in good results as well.
const AT_FIRST: [&str; 42] = [
    "no",
    "not",
    "nothing",
    "none",
    "nobody",
    "nowhere",
    "never",
    "neither",
    "without",
    "isn't",
    "aren't",
    "wasn't",
    "weren't",
    "don't",
    "doesn't",
    "sorry",
    "will",
    "todo",
    "tomorrow",
    "later",
    "maybe",
    "perhaps",
    "kein",
    "keine",
    "keinen",
    "keiner",
    "keines",
    "nicht",
    "nichts",
    "niemand",
    "werde",
    "morgen",
    "vielleicht",
    "aucun",
    "aucune",
    "rien",
    "pas",
    "demain",
    "ningún",
    "ninguno",
    "ninguna",
    "nada",
];

/// Words after which something is taken back.
const TURNS: [&str; 6] = ["but", "however", "although", "aber", "mais", "pero"];

/// Words of a result one after another, and whether each is in the open: where the text begins to say something.
struct Told {
    words: Vec<(String, bool)>,
}

/// The cue by which a text says that something was not done, is still to be done, or is not known; `None` where there is none.
/// `says_more` tells whether a clause says something that the description does not.
pub fn cue(said: &str, description: &str, says_more: impl Fn(&str) -> bool) -> Option<&'static str> {
    let told = told(said, says_more);
    let text = joined(told.words.iter().map(|(word, _)| word.as_str()));
    let own: Vec<String> = words(description).collect();
    let asked = joined(own.iter().map(String::as_str));
    let open: Vec<&str> = told
        .words
        .iter()
        .filter(|(_, open)| *open)
        .map(|(word, _)| word.as_str())
        .collect();
    let open = joined(open.into_iter());
    let always = ALWAYS.into_iter().find(|cue| count(&text, cue) > count(&asked, cue));
    let at_first = || AT_FIRST.into_iter().find(|cue| count(&open, cue) > count(&asked, cue));
    let question = || said.trim_end().ends_with('?').then_some("?");
    always.or_else(at_first).or_else(question)
}

fn told(said: &str, says_more: impl Fn(&str) -> bool) -> Told {
    let lower = said.to_lowercase().replace('\u{2019}', "'");
    let clauses: Vec<&str> = lower
        .split(['.', ',', ';', ':', '!', '?', '(', ')', '\n', '–', '—'])
        .collect();
    let mut begins = true;
    let mut told = Told { words: Vec::new() };
    for (place, clause) in clauses.iter().enumerate() {
        let own: Vec<String> = words(clause).collect();
        // "No. 5" is a number.
        let next = clauses.get(place + 1).map_or("", |next| next.trim_start());
        let is_number = own.last().is_some_and(|word| word == "no") && next.starts_with(|c: char| c.is_ascii_digit());
        let alone = own.iter().all(|word| AT_FIRST.contains(&word.as_str()));
        let mut open = begins || alone;
        for (nth, word) in own.iter().enumerate() {
            open |= TURNS.contains(&word.as_str());
            let counts = open && !(is_number && nth + 1 == own.len());
            told.words.push((word.clone(), counts));
        }
        begins &= !says_more(clause);
    }
    told
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<String> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    words.into_iter()
}

/// Words with two spaces between them, so that a word that ends one phrase may begin another.
fn joined<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!(" {word} ")).collect()
}

/// How often a cue stands in joined words.
fn count(text: &str, cue: &str) -> usize {
    text.matches(&joined(cue.split(' '))).count()
}

#[cfg(test)]
mod tests {
    use super::cue;

    const ASKED: &str = "Find a hotel near the Colosseum that takes dogs";

    /// Something new stands in a clause that holds a word which the description does not.
    fn found(said: &str, asked: &str) -> Option<&'static str> {
        let known: Vec<String> = super::words(asked).collect();
        cue(said, asked, |clause| {
            super::words(clause).any(|word| !known.contains(&word))
        })
    }

    #[test]
    fn plain_failures_intentions_and_doubts_are_known_c056_c057() {
        for (said, wanted) in [
            ("No hotel near the Colosseum that takes dogs was found", "no"),
            ("Unfortunately nothing near the Colosseum takes dogs", "unfortunately"),
            ("Hotel Colosseum dogs: error 503 from the booking site", "error"),
            (
                "I will find a hotel near the Colosseum that takes dogs tomorrow",
                "i will",
            ),
            ("Hotel near Colosseum takes dogs? unclear", "unclear"),
            ("Todo: hotel near Colosseum dogs", "todo"),
            ("Kein Hotel beim Colosseum gefunden", "kein"),
            ("Aucun hôtel près du Colosseum", "aucun"),
            ("Ningún hotel cerca del Colosseum", "ningún"),
            ("Find a hotel: none of them takes dogs", "none"),
            ("Capo d'Africa takes dogs, but it is not near", "not"),
            ("Hotel near the Colosseum: Capo d'Africa. Dogs: no", "no"),
            ("Capo d'Africa takes dogs?", "?"),
            ("We couldn\u{2019}t reach the hotel", "couldn't"),
        ] {
            assert_eq!(found(said, ASKED), Some(wanted), "{said}");
        }
    }

    #[test]
    fn what_the_description_says_and_what_is_said_beside_a_result_is_no_cue_c056() {
        for (said, asked) in [
            (
                "Capo d'Africa, 300 m from the Colosseum, takes dogs, no breakfast",
                ASKED,
            ),
            ("Rest; come back if it is not better", "Say what to do"),
            (
                "Oseltamivir 75 mg; no allergy speaks against it",
                "Prescribe a medicine",
            ),
            ("No smoking room at the Capo d'Africa", "Find a room with no smoking"),
            ("Invoice No. 114 went out", "Send the invoice"),
            ("The error was a wrong path", "Find the error"),
            ("Nowy Dom hotel, Notting Hill", ASKED),
        ] {
            assert_eq!(found(said, asked), None, "{said}");
        }
        let twice = "No room with no smoking";
        assert_eq!(
            found(twice, "Find a room with no smoking"),
            Some("no"),
            "one of them is its own"
        );
    }
}
