//! A description that asks whether something is so, and what answers it.
//!
//! Either answer is what was asked for: "not reachable" as well as "reachable". Invariant: only what denies a word of the question
//! itself is an answer, so that "not checked" and "unknown" are none.

use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Phrase;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

/// Words that begin what is asked after a verb such as "check".
const WHETHER: [&str; 4] = ["whether", "if", "ob", "si"];
/// Verbs that begin a question by themselves.
const ASKING: [&str; 9] = ["is", "are", "was", "were", "does", "did", "has", "can", "will"];
/// Words between a denial and what it denies.
const BETWEEN: [&str; 8] = ["yet", "currently", "any", "longer", "really", "at", "all", "fully"];

/// The words of what is asked: none where nothing is asked that "no" would answer.
fn asked_words(asked: &Text) -> &[Word] {
    let whether = asked.words.iter().position(is_whether);
    let begins = asked
        .words
        .first()
        .is_some_and(|word| ASKING.contains(&word.lower.as_str()));
    let from = whether.filter(|_| asked.is_inquiry()).or(begins.then_some(0));
    from.and_then(|from| asked.words.get(from + 1..)).unwrap_or_default()
}

fn is_whether(word: &Word) -> bool {
    WHETHER.contains(&word.lower.as_str())
}

/// Whether a result says something of what is asked without asking it again.
pub fn is_answered(asked: &Text, said: &Text) -> bool {
    let words = asked_words(asked);
    let is_of_it = |word: &Word| word.has_content() && words.iter().any(|own| gist(own) == gist(word));
    !said.words.iter().any(is_whether) && said.words.iter().any(is_of_it)
}

/// Whether the words at these places deny just what is asked.
pub fn is_denied(asked: &Text, said: &Text, from: usize, length: usize) -> bool {
    let words = asked_words(asked);
    let is_asked = |gist: &str| words.iter().any(|own| own.has_content() && self::gist(own) == gist);
    (from..from + length).any(|place| {
        let Some(word) = said.words.get(place) else {
            return false;
        };
        let rest = ["un", "in"]
            .into_iter()
            .find_map(|prefix| gist(word).strip_prefix(prefix));
        let plainly_no = word.lower == "no" && said.after(place, 1).is_none() && !words.is_empty();
        let denies = |next: usize| {
            said.words.get(next).is_some_and(|word| is_asked(gist(word))) && !has_object(asked, said, next)
        };
        plainly_no || rest.is_some_and(is_asked) || (word.is_negation() && next(said, place).is_some_and(denies))
    })
}

/// Whether a verb is said of something that nobody asked about: "could not reach the guard".
fn has_object(asked: &Text, said: &Text, verb: usize) -> bool {
    let article = said
        .after(verb, 1)
        .filter(|word| TABLE.determiners.contains(&word.lower));
    let object = said
        .after(verb, 2)
        .filter(|word| article.is_some() && word.has_content());
    object.is_some_and(|object| !asked.has_root(&object.root))
}

/// Whether a trouble is the other answer: "it failed" where was asked whether it passes.
pub fn is_contrary(asked: &Text, trouble: &Phrase) -> bool {
    let words = asked_words(asked);
    let is_asked = |verb: &Phrase| match verb.words.as_slice() {
        [verb] => words.iter().any(|own| own.root == verb.root),
        _ => false,
    };
    let mut opposites = TABLE.opposites.iter();
    opposites.any(|(verbs, contraries)| {
        verbs.iter().any(is_asked) && contraries.iter().any(|contrary| contrary.is_form_of(trouble))
    })
}

/// Whether a trouble at this place is told as the cause that was asked for: "caused by a failed disk", "cause: a failed disk".
pub fn is_cause(asked: &Text, said: &Text, place: usize) -> bool {
    let names_cause = |word: &Word| TABLE.causes.contains(&word.lower);
    if !asked.is_inquiry() || !asked.words.iter().any(names_cause) {
        return false;
    }
    let clause = said.words.get(place).map(|word| word.clause);
    let is_beside = |at: &usize| said.words.get(*at).map(|word| word.clause) == clause;
    let is = |at: usize, words: &[&str]| {
        let word = said.words.get(at);
        word.is_some_and(|word| words.contains(&word.lower.as_str()))
    };
    let mut places = (0..said.words.len()).filter(is_beside);
    let begins = places.clone().next().unwrap_or(place);
    let is_headed = begins
        .checked_sub(1)
        .and_then(|at| said.words.get(at))
        .is_some_and(names_cause);
    let is_told = |at: usize| {
        let follows = at + 2 == place || is(at + 2, &["a", "an", "the", "that"]);
        let is_named = said.words.get(at).is_some_and(names_cause) && is(at + 1, &["is", "was"]) && follows;
        let leads = is_named || (is(at, &["due"]) && is(at + 1, &["to"]));
        (is(at, &["caused"]) && said.denied_at(at).is_none()) || (at < place && leads)
    };
    is_headed || places.any(is_told)
}

/// Where the word stands that a denial is about.
fn next(said: &Text, place: usize) -> Option<usize> {
    let mut after = (1..).map_while(|on| Some((place + on, said.after(place, on)?)));
    let next = after.find(|(_, word)| word.has_content() && !BETWEEN.contains(&word.lower.as_str()))?;
    Some(next.0)
}

/// What "reach" and "reachable" share.
fn gist(word: &Word) -> &str {
    word.root.strip_suffix("abl").unwrap_or(&word.root)
}

#[cfg(test)]
mod tests {
    use super::Text;
    use super::is_answered;
    use super::is_cause;
    use super::is_denied;

    #[test]
    fn only_what_denies_the_question_itself_is_its_answer_c056() {
        for (asked, said, place, wanted) in [
            ("Check whether the server is reachable", "Server not reachable", 1, true),
            (
                "Check whether the server is reachable",
                "The server is unreachable",
                3,
                true,
            ),
            ("See if the shop is open", "No, it closed in May", 0, true),
            ("Is the lift repaired", "not yet repaired since May", 0, true),
            ("Check whether the server is reachable", "not checked", 0, false),
            ("Check whether the server is reachable", "not sure", 0, false),
            ("Check whether the server is reachable", "not reach the guard", 0, false),
            ("Find a shop that is open", "not open", 0, false),
            ("Check the server", "not reachable", 0, false),
        ] {
            assert_eq!(is_denied(&Text::of(asked), &Text::of(said), place, 1), wanted, "{said}");
        }
    }

    #[test]
    fn a_trouble_is_the_cause_only_where_one_was_asked_for_and_is_told_c056() {
        let crash = "Identify the cause of the crash";
        for (asked, said, place, wanted) in [
            (crash, "The crash was caused by a failed disk", 6, true),
            (crash, "A failed disk caused the crash", 1, true),
            (crash, "The cause was a failed disk", 4, true),
            (crash, "Root cause: failed disk", 2, true),
            (crash, "Finding the cause failed", 3, false),
            (crash, "The cause was sought and the search failed", 7, false),
            ("Find the root cause of the crash", "Caused by a failed disk", 3, true),
            ("Delete the logs", "Caused by a failed disk", 3, false),
        ] {
            assert_eq!(
                is_cause(&Text::of(asked), &Text::of(said), place),
                wanted,
                "{asked} / {said}"
            );
        }
    }

    #[test]
    fn a_question_said_again_is_no_answer_c056() {
        let asked = Text::of("Check whether the server is reachable");
        assert!(is_answered(&asked, &Text::of("The server is reachable")));
        assert!(!is_answered(&asked, &Text::of("Check whether the server is reachable")));
        assert!(!is_answered(&asked, &Text::of("Done")));
    }
}
