//! A number against what was counted.

use crate::domain::evolution::judge::Case;
use crate::domain::evolution::judge::cues;
use crate::domain::evolution::judge::is_default;
use crate::domain::evolution::judge::measure;
use crate::domain::evolution::judge::measure::Measure;
use crate::domain::evolution::judge::said::REACH;
use crate::domain::evolution::judge::said::Said;
use crate::domain::evolution::judge::said::Span;
use crate::domain::evolution::lexicon;
use crate::domain::template::key::KeyType;

/// A number beside the key's own noun decides; else any number said that does not count something else. "A bag" is
/// one, "no bags" is zero, "just me" a party of one.
pub fn judge(value: f64, said: &Said, case: &Case<'_>) -> Option<bool> {
    let cues = cues(case.key);
    let wanted = measure::of_key(case.key);
    let apart = |found: Option<Measure>| matches!((wanted, found), (Some(wanted), Some(found)) if wanted != found);
    if let Some(cue) = said.first_of(&cues) {
        let near = said
            .numbers
            .iter()
            .filter(|(span, _)| span.to <= cue && cue + 1 - span.to <= REACH && !apart(measure::of_number(said, *span)))
            .max_by_key(|(span, _)| span.to)
            .or_else(|| {
                said.numbers
                    .iter()
                    .find(|(span, _)| span.from > cue && span.from - cue <= REACH)
            });
        let near = near.or_else(|| equated(said, cue).filter(|(span, _)| !apart(measure::of_number(said, *span))));
        if let Some((_, number)) = near {
            return Some(*number == value);
        }
        if said.negated(cue) {
            return Some(value == 0.0);
        }
        if cue > 0 && matches!(said.word(cue - 1), "a" | "an" | "another") && said.numbers.is_empty() {
            return Some(value == 1.0);
        }
    }
    // A number alone tells nothing of what is rarely counted, where a party or a stay could be meant.
    let rare = matches!(
        wanted,
        Some(Measure::Stops | Measure::Bags | Measure::Rooms | Measure::Rating | Measure::Distance)
    );
    let commoner = case
        .siblings
        .iter()
        .take(64)
        .filter(|sibling| matches!(sibling.key_type, KeyType::Integer | KeyType::Number))
        .any(|sibling| matches!(measure::of_key(sibling), Some(Measure::Party | Measure::Duration)));
    let fits = |span: Span| {
        let found = measure::of_number(said, span);
        !(apart(found) || rare && commoner && found.is_none())
    };
    if said
        .numbers
        .iter()
        .any(|(span, number)| *number == value && fits(*span))
    {
        return Some(true);
    }
    if wanted == Some(Measure::Party)
        && let Some(people) = people(said)
    {
        return Some(people == value);
    }
    if wanted.is_some() && value <= 1.0 && article(said, wanted) {
        return Some(value == 1.0);
    }
    // A number that nobody said was invented; one that is the default was not asked for, so it is not wrong either.
    if is_default(case) { None } else { Some(false) }
}

/// The number that a sentence equates with its subject, or bounds it by: "the bags that I have to check are three", "a
/// rating of at least 4".
fn equated(said: &Said, cue: usize) -> Option<&(Span, f64)> {
    let found = said.numbers.iter().find(|(span, _)| span.from > cue)?;
    let whole = (cue + 1..=found.0.from).all(|at| !said.breaks_before(at));
    let copula = matches!(said.word(found.0.from - 1), "is" | "are" | "be" | "=");
    let light = |word: &str| lexicon::stop(word) || matches!(word, "least" | "minimum" | "above" | "higher" | "than");
    let bounds = (cue + 1..found.0.from).all(|at| light(said.word(at)));
    (whole && (copula || bounds)).then_some(found)
}

/// A party told without a number: "just me", "my wife and I", "me and two friends".
fn people(said: &Said) -> Option<f64> {
    let me = (0..said.words()).find(|at| matches!(said.word(*at), "me" | "myself" | "i"))?;
    let joined = |at: usize| said.word(at) == "and";
    if said.word(me) != "i" && me > 0 && matches!(said.word(me - 1), "just" | "only" | "by" | "for" | "but") {
        return Some(1.0);
    }
    let other = |at: usize| matches!(said.word(at), "my" | "a" | "his" | "her");
    let company = (me > 2 && joined(me - 1) && other(me - 3)) || (joined(me + 1) && other(me + 2));
    company.then_some(2.0)
}

/// Whether one of what is counted was said with an article: "a ticket".
fn article(said: &Said, wanted: Option<Measure>) -> bool {
    (1..said.words()).any(|at| {
        let word = said.word(at);
        matches!(said.word(at - 1), "a" | "an" | "single")
            && lexicon::lemma(word) == word
            && !matches!(word, "party" | "group" | "family" | "stay" | "rating" | "star")
            && measure::of_word(word) == wanted
    })
}
