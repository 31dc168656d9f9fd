//! Which words of a text refuse what it speaks of, and which only seem to: "without ice" and "I don't want ice" refuse;
//! "don't forget the ice", "why not ice" and "can't do without ice" ask for it.
//!
//! Knows the words of `lexicon.json` and no key; the judge and induction read by it. Invariant: a refusal governs no word
//! beyond its own clause.

use crate::domain::evolution::lexicon;
use crate::domain::evolution::lexicon::Token;

/// Words from a negation to the word that it undoes: "must not ever go without".
const GOVERNED_WITHIN: usize = 4;
/// Words from `leave` to its particle: "leave the ice out".
const PARTICLE_WITHIN: usize = 3;

/// Words from a refusal to the last that it may still deny.
const DENIED_WITHIN: usize = 8;
/// What is said of a thing that is not wanted, behind its refusal: "ice is not needed".
const UNWANTED: [&str; 6] = ["desired", "necessary", "needed", "required", "wanted", "wished"];
/// Behind a refusal, these add to what they stand before: "not only ice".
const ADDING: [&str; 4] = ["just", "merely", "only", "simply"];

/// Words that begin a clause of their own.
const JOINING: [&str; 7] = ["and", "because", "but", "or", "since", "so", "then"];

/// Places of the words that refuse what stands behind them.
pub fn refusals(text: &str, tokens: &[Token]) -> Vec<usize> {
    let classes = lexicon::classes();
    let mut refusals: Vec<usize> = Vec::new();
    // The last negation, as long as its clause goes on.
    let mut governing: Option<usize> = None;
    for (at, token) in tokens.iter().enumerate() {
        governing = governing
            .filter(|by| at - by <= GOVERNED_WITHIN)
            .filter(|_| !begins_clause(text, tokens, at));
        let negates = classes.negation.contains(&token.word) || leaves_out(text, tokens, at);
        if let Some(by) = governing.filter(|by| yields(text, tokens, *by, at)) {
            refusals.retain(|refusal| *refusal != by);
            governing = None;
        } else if negates && (asks(text, tokens, at) || supposes(text, tokens, at)) {
            governing = None;
        } else if negates {
            refusals.push(at);
            governing = Some(at);
        } else if classes.inability.contains(&token.word) {
            governing = Some(at);
        }
    }
    refusals
}

/// Whether a clause ends between one word and a later one.
pub fn clause_ends(text: &str, tokens: &[Token], word: usize, later: usize) -> bool {
    let gap = tokens
        .get(word)
        .zip(tokens.get(later))
        .and_then(|(one, other)| text.get(one.end..other.start));
    gap.is_some_and(|gap| gap.contains([',', '.', ';', ':', '!', '?']))
}

/// Whether a thing, the words from one place to just before another, is mentioned only to refuse it: "no ice", "I don't want any
/// ice", "ice is not needed"; in "not ice but water" the water is not. `refusals` are those of the text.
pub fn denied(text: &str, tokens: &[Token], refusals: &[usize], from: usize, to: usize) -> bool {
    let before = |refusal: &usize| {
        (*refusal + 1..=*refusal + DENIED_WITHIN).contains(&from)
            && !ADDING.contains(&word(tokens, refusal + 1))
            && (*refusal + 1..=from).all(|at| !says_anew(text, tokens, at))
    };
    let after = |refusal: &usize| {
        let said = *refusal == to || (*refusal == to + 1 && lexicon::classes().be.contains(word(tokens, to)));
        said && UNWANTED.contains(&word(tokens, refusal + 1))
            && (to..=*refusal).all(|at| !clause_ends(text, tokens, at - 1, at))
    };
    refusals.iter().any(|refusal| before(refusal) || after(refusal))
}

/// Whether a word begins what a refusal before it does not reach. "And" does where a new thing or deed follows it, and not between
/// two things: "no ice and a straw", "no ice and straw".
fn says_anew(text: &str, tokens: &[Token], at: usize) -> bool {
    let begins = match word(tokens, at) {
        "or" => false,
        "and" => lexicon::stop(word(tokens, at + 1)),
        "please" | "i" | "we" => true,
        other => JOINING.contains(&other),
    };
    begins
        || at
            .checked_sub(1)
            .is_some_and(|before| clause_ends(text, tokens, before, at))
}

fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| token.word.as_str())
}

fn word_before(tokens: &[Token], at: usize) -> &str {
    at.checked_sub(1).map_or("", |before| word(tokens, before))
}

/// Whether a clause begins with a word.
fn begins_clause(text: &str, tokens: &[Token], at: usize) -> bool {
    JOINING.contains(&word(tokens, at))
        || at
            .checked_sub(1)
            .is_none_or(|before| clause_ends(text, tokens, before, at))
}

/// Whether a word, negated by another, asks for what follows or lets it be.
fn yields(text: &str, tokens: &[Token], by: usize, at: usize) -> bool {
    match word(tokens, at) {
        // "Never mind the ice" and "I don't care for ice" refuse it.
        "mind" => word(tokens, by) != "never",
        "care" => !matches!(word(tokens, at + 1), "for" | "to"),
        // "I wouldn't say no to ice".
        "no" => word_before(tokens, at) == "say",
        // "I cannot wait for the ice".
        "wait" => matches!(word(tokens, by), "can't" | "cannot"),
        other => lexicon::classes().yielding.contains(other) || leaves_out(text, tokens, at),
    }
}

/// Whether a negation asks: "why not ice", "don't you have ice", "isn't there any ice".
fn asks(text: &str, tokens: &[Token], at: usize) -> bool {
    let pronoun = matches!(word(tokens, at + 1), "i" | "it" | "there" | "they" | "we" | "you");
    word_before(tokens, at) == "why"
        || (word(tokens, at).ends_with("n't") && pronoun && begins_clause(text, tokens, at))
}

/// Behind "if", these make no clause: "if possible no ice".
const ASIDES: [&str; 5] = ["any", "at", "not", "possible", "so"];

/// Whether a negation says what may be and not what is wanted: "if you don't have ice", "if there is no ice".
fn supposes(text: &str, tokens: &[Token], at: usize) -> bool {
    let negates_verb = matches!(word(tokens, at), "not" | "never")
        || word(tokens, at).ends_with("n't")
        || lexicon::classes().be.contains(word_before(tokens, at));
    let clause = (0..at)
        .rev()
        .take_while(|before| !clause_ends(text, tokens, *before, before + 1));
    negates_verb
        && clause
            .into_iter()
            .any(|place| word(tokens, place) == "if" && !ASIDES.contains(&word(tokens, place + 1)))
}

/// Whether something is left out there: "leave out the ice", "leave the ice out"; who leaves out of a place goes.
fn leaves_out(text: &str, tokens: &[Token], at: usize) -> bool {
    let particle = |place: &usize| matches!(word(tokens, *place), "behind" | "off" | "out");
    matches!(word(tokens, at), "leave" | "leaving")
        && (at + 1..=at + PARTICLE_WITHIN)
            .take_while(|place| !begins_clause(text, tokens, *place))
            .find(particle)
            .is_some_and(|place| word(tokens, place + 1) != "of")
}

#[cfg(test)]
mod tests {
    use super::denied;
    use super::refusals;
    use crate::domain::evolution::lexicon;

    fn refuses(text: &str) -> bool {
        !refusals(text, &lexicon::tokens(text)).is_empty()
    }

    #[test]
    fn what_is_not_wanted_is_refused_z112_z136() {
        for text in [
            "no ice",
            "without ice please",
            "I don't want ice",
            "I do not need any ice",
            "no need for ice",
            "never mind the ice",
            "I don't care for ice",
            "skip the ice",
            "leave out the ice",
            "leave the ice out",
            "I'd rather do without ice",
            "no, skip the ice",
            "if possible no ice",
            "if not, no ice",
            "if you have tea, I don't want ice",
            "not a problem, but no ice",
            "why not skip the ice",
            "no ice, and don't forget the straw",
        ] {
            assert!(refuses(text), "{text}");
        }
    }

    #[test]
    fn the_negation_of_leaving_out_and_of_minding_asks_z112_z136() {
        for text in [
            "ice please",
            "don't forget the ice",
            "please don’t forget about the ice",
            "do not ever forget the ice",
            "I must not miss the ice",
            "I don't want to miss the ice",
            "never skip the ice",
            "don't leave out the ice",
            "do not leave the ice out",
            "I can't do without ice",
            "we cannot go without ice",
            "not without ice",
            "without fail, the ice",
            "don't hesitate to add ice",
            "I'd hate to go without ice",
            "why not ice",
            "why don't you add ice",
            "don't you have ice?",
            "isn't there any ice",
            "I don't mind ice",
            "ice is not a problem",
            "no problem with ice",
            "I wouldn't say no to ice",
            "I cannot wait for the ice",
            "we are leaving out of the old harbour",
            "if you don't have tea, ice",
            "ice if there is no tea",
        ] {
            assert!(!refuses(text), "{text}");
        }
    }

    #[test]
    fn a_refusal_ends_with_its_clause_z112_z136() {
        let places = |text: &str| refusals(text, &lexicon::tokens(text));
        assert_eq!(places("no straw, don't forget the ice"), [0]);
        assert_eq!(places("I don't want it so skip the ice"), [1, 5]);
        assert!(places("").is_empty());
    }

    #[test]
    fn a_thing_is_denied_where_it_is_mentioned_to_refuse_it_z112() {
        let denies = |text: &str| {
            let tokens = lexicon::tokens(text);
            let at = tokens.iter().position(|token| token.word == "ice").expect("ice");
            denied(text, &tokens, &refusals(text, &tokens), at, at + 1)
        };
        for text in [
            "no ice",
            "just water, no ice",
            "no straw or ice",
            "without straw and ice",
            "I really don't want to have it served with ice",
            "ice is not needed",
            "ice not wanted",
        ] {
            assert!(denies(text), "{text}");
        }
        for text in [
            "ice please",
            "no straw, ice please",
            "no straw but ice",
            "no straw and some ice",
            "not only ice",
            "don't forget the ice",
            "ice, not water",
            "I am not thirsty so ice",
        ] {
            assert!(!denies(text), "{text}");
        }
    }
}
