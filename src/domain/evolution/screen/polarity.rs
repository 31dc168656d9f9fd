//! Whether `true` says of a switch what clients said, or its opposite (Z-112): "without nuts" is true of `nut_free` and false of `nuts`.
//!
//! Reads the name and one example at a time. What it cannot tell is no example; where that is much, a person decides.

use crate::domain::evolution::lexicon;
use crate::domain::evolution::negation;

/// Share of a switch's examples that may be unclear before a person has to look at it.
pub const UNCLEAR_MAX: f64 = 0.2;

/// Words of a name that deny what it speaks of: at its end, or anywhere else in it.
const DENYING_ENDS: &[&str] = &["free", "less", "out", "off", "not"];
const DENYING: &[&str] = &[
    "no",
    "non",
    "not",
    "without",
    "never",
    "skip",
    "exclude",
    "excluding",
    "avoid",
    "omit",
    "remove",
    "anti",
    "decline",
    "disable",
    "hide",
    "reject",
    "refuse",
    "hold",
    "leave",
    "opt",
    "minus",
    "sans",
    "zero",
    "un",
];
/// Words of a name that only make it a name.
const SHAPE: &[&str] = &[
    "has",
    "have",
    "is",
    "are",
    "needs",
    "wants",
    "with",
    "want",
    "need",
    "option",
    "preference",
    "request",
    "requested",
    "wanted",
];
/// Denials of other languages: what they deny is not read.
const FOREIGN: &[&str] = &[
    "ohne", "kein", "keine", "keinen", "nicht", "sin", "sans", "pas", "senza", "sem", "non", "zonder", "geen", "niet",
    "utan", "uden",
];

/// What a switch of that name is where a client says this; `None` where it cannot be told.
pub fn meant(name: &str, said: &str) -> Option<bool> {
    let words: Vec<&str> = name.split('_').filter(|word| !SHAPE.contains(word)).collect();
    let denies = |at: usize, word: &str| {
        DENYING.contains(&word) || (at > 0 && at + 1 == words.len() && DENYING_ENDS.contains(&word))
    };
    let is_denial = words.iter().enumerate().any(|(at, word)| denies(at, word));
    let things: Vec<String> = words
        .iter()
        .enumerate()
        .filter(|(at, word)| !denies(*at, word))
        .map(|(_, word)| lexicon::lemma(word))
        .collect();
    let tokens = lexicon::tokens(said);
    let lemmas: Vec<String> = tokens.iter().map(|token| lexicon::lemma(&token.word)).collect();
    if tokens.iter().any(|token| FOREIGN.contains(&token.word.as_str())) {
        return None;
    }
    let refusals = negation::refusals(said, &tokens);
    let parts = |at: usize| -> Vec<&str> { lemmas.get(at).map_or("", String::as_str).split('-').collect() };
    let is_thing = |at: usize| {
        parts(at).iter().any(|part| {
            things
                .iter()
                .any(|thing| thing == part || lexicon::lemma(part) == *thing)
        })
    };
    let thing = (0..lemmas.len()).find(|at| is_thing(*at));
    let free = said.to_lowercase().contains("free") && !matches!(words.first(), Some(&"free"));
    match (refusals.as_slice(), thing) {
        // Nothing is denied: "nut free" is what the name says, "with nuts" its opposite or something else.
        ([], Some(_)) if is_denial => free.then_some(true),
        ([], None) if is_denial => None,
        ([], _) => (!free || words.contains(&"free")).then_some(true),
        // One denial, of the very thing that the name speaks of.
        ([refusal], Some(thing))
            if thing > *refusal && !free && negation::denied(said, &tokens, &refusals, thing, thing + 1) =>
        {
            Some(is_denial)
        }
        // "Isn't nut free", "no onions" where the name says something else, and more than one denial.
        (_, _) => None,
    }
}

/// Words behind a refusal that make a bound of it: "no later than nine" denies nothing.
const BOUNDS: &[&str] = &[
    "more", "less", "later", "earlier", "longer", "fewer", "sooner", "over", "under", "than",
];

/// Whether a text denies something: of a key that takes other values than true and false it is not clear that such a text says one.
pub fn denies(said: &str) -> bool {
    let tokens = lexicon::tokens(said);
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word.as_str());
    let is_foreign = tokens.iter().any(|token| FOREIGN.contains(&token.word.as_str()));
    let is_free =
        tokens.iter().any(|token| token.word.ends_with("-free")) || word(tokens.len().wrapping_sub(1)) == "free";
    let refusals = negation::refusals(said, &tokens);
    is_foreign || is_free || refusals.iter().any(|refusal| !BOUNDS.contains(&word(refusal + 1)))
}

#[cfg(test)]
mod tests {
    use super::denies;
    use super::meant;

    #[test]
    fn a_text_that_denies_is_told_from_one_that_bounds_z112() {
        for said in [
            "not spicy please",
            "no spice",
            "without gluten",
            "gluten-free",
            "make it gluten free",
            "ohne Zucker",
        ] {
            assert!(denies(said), "{said}");
        }
        for said in [
            "spicy please",
            "no later than nine",
            "not more than 50 euros",
            "free parking",
            "medium rare",
        ] {
            assert!(!denies(said), "{said}");
        }
    }

    #[test]
    fn a_denial_is_true_of_a_name_that_denies_and_false_of_one_that_does_not_z112() {
        for (name, said, value) in [
            ("nut_free", "without nuts", Some(true)),
            ("nut_free", "no nuts please", Some(true)),
            ("nut_free", "nut-free please", Some(true)),
            ("nut_free", "a nut free meal", Some(true)),
            ("nut_free", "with nuts", None),
            ("no_onions", "no onions", Some(true)),
            ("without_ice", "I don't want ice", Some(true)),
            ("skip_cutlery", "no cutlery", Some(true)),
            ("has_insurance", "no insurance", Some(false)),
            ("insurance", "without insurance please", Some(false)),
            ("insurance", "I want the insurance", Some(true)),
            ("free_parking", "free parking", Some(true)),
            ("free_parking", "with free parking please", Some(true)),
            ("pet_friendly", "somewhere I can bring my pet", Some(true)),
            ("vegetarian_options", "no stopovers please", None),
            ("has_nuts", "nut free", None),
            ("nuts", "ohne Nüsse", None),
            ("smoking", "don't forget: no smoking, no pets", None),
        ] {
            assert_eq!(meant(name, said), value, "{name}: {said}");
        }
    }
}
