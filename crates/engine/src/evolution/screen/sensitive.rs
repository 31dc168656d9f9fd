//! Meanings for which a person must say yes (Z-165): payment, identity, access control, what is personal — in whatever words.
//!
//! A table of English phrases, for services without the model whose vectors tell what is said in other words and languages; it names the
//! meaning as well. When in doubt, a person: a false alarm costs a look, a miss gives something away. Knows no cluster.

use std::sync::LazyLock;

use schema::key::Sensitive;
use text::table::Table;

/// Share of the texts that must say it where the name does not: one in six is more than a client or two that mention their reasons.
const SHARE_MIN: f64 = 0.15;
/// The same, as the mean over the clients of the share of their own fragments, where a model's vectors tell it. Of the wishes of 19
/// services that it was not trained on, in six languages, it finds 6 of 7 sensitive ones and flags 10 of 155 others (two to twelve in a
/// hundred, by a bootstrap over services; at .35 as many and 15, at .5 five and 3; area under the curve .963).
pub const BY_MODEL_MIN: f64 = 0.4;
/// Words that are looked at of one text.
const WORDS_MAX: usize = 80;

/// Meanings in the order in which they are asked.
const MEANINGS: [Sensitive; 4] = [
    Sensitive::AccessControl,
    Sensitive::Payment,
    Sensitive::Identity,
    Sensitive::Personal,
];

/// Phrases that say a meaning, by its word.
static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read([include_str!("../tables/sensitive.tsv")]));

/// The word under which a sensitive meaning is published.
pub fn word(sensitive: Sensitive) -> &'static str {
    match sensitive {
        Sensitive::Payment => "payment",
        Sensitive::Identity => "identity",
        Sensitive::AccessControl => "access_control",
        Sensitive::Personal => "personal",
    }
}

/// The first meaning that the name bears, else the one that most of the texts say, where enough of them say any.
pub fn of<'t>(name: &str, texts: impl IntoIterator<Item = &'t str>) -> Option<Sensitive> {
    meaning(&name.replace('_', " ")).or_else(|| {
        let said: Vec<Option<Sensitive>> = texts.into_iter().map(meaning).collect();
        let telling = said.iter().flatten().count() as f64;
        most_said(&said).filter(|_| telling >= SHARE_MIN * said.len() as f64)
    })
}

/// The meaning that is likeliest where it is known that there is one: the one that most of the texts say, however few; where none says
/// any in the tables' words, what covers most.
pub fn likeliest<'t>(texts: impl IntoIterator<Item = &'t str>) -> Sensitive {
    let said: Vec<Option<Sensitive>> = texts.into_iter().map(meaning).collect();
    most_said(&said).unwrap_or(Sensitive::Personal)
}

/// Of several equally frequent ones the first of the table.
fn most_said(said: &[Option<Sensitive>]) -> Option<Sensitive> {
    let often = |wanted: &Sensitive| said.iter().flatten().filter(|meaning| *meaning == wanted).count();
    let meanings = MEANINGS.into_iter().rev().filter(|meaning| often(meaning) > 0);
    meanings.max_by_key(often)
}

/// The meaning that a text says.
pub fn meaning(text: &str) -> Option<Sensitive> {
    // "I'd" is no `id`, and a driver's licence one of a driver.
    let lower = text.to_lowercase().replace('’', "'").replace("'s", "");
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(WORDS_MAX)
        .collect();
    let says = |meaning: &Sensitive| TABLE.words(word(*meaning)).any(|phrase| holds(&words, phrase));
    MEANINGS.into_iter().find(says)
}

fn holds(words: &[&str], phrase: &str) -> bool {
    let wanted: Vec<&str> = phrase.split(' ').collect();
    let is = |said: &[&str]| said.iter().zip(&wanted).all(|(word, wanted)| is_form(word, wanted));
    words.windows(wanted.len()).any(is)
}

/// Whether a word is another one or an inflection of it: `pays`, `paid` by its own row, `allergies`, `authorised`.
fn is_form(word: &str, wanted: &str) -> bool {
    if word == wanted {
        return true;
    }
    let Some(rest) = word.strip_prefix(wanted.strip_suffix(['e', 'y']).unwrap_or(wanted)) else {
        return false;
    };
    // Short words have too many neighbours: `pin`, `id`, `ill`.
    if wanted.len() <= 3 {
        return matches!(rest, "s" | "ing") && word.starts_with(wanted);
    }
    matches!(rest, "s" | "es" | "ed" | "ing" | "ies" | "ied" | "d") || (rest == "e" && wanted.ends_with('e'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meanings_are_found_in_many_words_z165() {
        for (sensitive, texts) in [
            (
                Sensitive::AccessControl,
                &[
                    "I consent to the recording",
                    "skip the security check",
                    "use door code from last time",
                    "my lawyer signs on my behalf",
                ][..],
            ),
            (
                Sensitive::Payment,
                &[
                    "send the invoice to my employer",
                    "charge it to the company",
                    "I pay in cash",
                    "in three instalments",
                ],
            ),
            (
                Sensitive::Identity,
                &[
                    "my frequent flyer number",
                    "loyalty points on this stay",
                    "I travel on a diplomatic passport",
                    "check my licence plate",
                ],
            ),
            (
                Sensitive::Personal,
                &[
                    "a female driver please",
                    "I am diabetic",
                    "because of my bad knee",
                    "share my location with the driver",
                    "halal food",
                    "a minor without parents",
                ],
            ),
        ] {
            for text in texts {
                assert_eq!(meaning(text), Some(sensitive), "{text}");
            }
        }
    }

    #[test]
    fn what_a_model_tells_is_called_by_what_most_say_and_else_personal_z165() {
        let texts = ["use the door code", "in by the side door", "open for me"];
        assert_eq!(likeliest(texts), Sensitive::AccessControl);
        assert_eq!(likeliest(["mit der Karte meiner Mutter"]), Sensitive::Personal);
    }

    #[test]
    fn ordinary_wishes_are_not_sensitive_z165() {
        for text in [
            "a window seat",
            "extra legroom",
            "two suitcases",
            "quiet room on a high floor",
            "ring the bell twice",
            "a table by the window",
            "I'd like to sit by the window",
            "with lemon",
        ] {
            assert_eq!(meaning(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_tells_at_once_and_texts_when_enough_of_them_do_z165() {
        assert_eq!(of("payment_method", []), Some(Sensitive::Payment));
        let mostly = |sick: usize| {
            let texts =
                std::iter::repeat_n("I am diabetic", sick).chain(std::iter::repeat_n("a special meal", 20 - sick));
            of("special_meal", texts)
        };
        assert_eq!((mostly(2), mostly(3)), (None, Some(Sensitive::Personal)));
    }
}
