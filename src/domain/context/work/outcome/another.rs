//! A result that tells of the deed that was asked for, done to another thing: the lawn watered for the roses.
//!
//! Counts only where both are plain: one thing that the description takes for known, and a sentence about another one, alike in number.
//! Invariant: a result that holds a word of the thing, or a name, does not tell of another one.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::naming;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

/// What takes a thing for known.
const KNOWN: [&str; 9] = ["the", "my", "our", "your", "his", "her", "their", "this", "that"];
/// Between a thing and what was done to it.
const BETWEEN: [&str; 7] = ["was", "were", "is", "are", "has", "have", "been"];
/// Letters from which on a word may be part of another.
const PART_MIN: usize = 4;

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    let heads = asked.heads();
    let [head] = heads[..] else { return None };
    if asked.is_inquiry() || asked.denied_at(head).is_some() {
        return None;
    }
    let (from, thing) = known(asked, head + 1)?;
    let own = asked.words.get(from..=thing)?;
    let is_held = |own: &Word| said.has_root(&own.root) || said.words.iter().any(|word| is_of(word, own));
    if own.iter().any(is_held) {
        return None;
    }
    let verb = asked.words.get(head)?;
    let mut done = (0..said.words.len()).filter(|place| {
        let word = said.words.get(*place);
        word.is_some_and(|word| word.root == verb.root && word.is_done_form())
    });
    let (first, last) = done.find_map(|place| subject(said, place))?;
    let other = said.words.get(first..=last)?;
    let is_new = other
        .iter()
        .all(|word| !asked.has_root(&word.root) && !naming::is_name(word) && !own.iter().any(|own| is_of(word, own)));
    let is_alike = said.words.get(last).map(is_many) == asked.words.get(thing).map(is_many);
    (is_new && is_alike).then(|| Contradiction {
        says: said.shown(first, last),
        asked: asked.shown(from, thing),
    })
}

/// A thing that is taken for known and stands from here on, with nothing after it in its clause but what is said by a preposition.
fn known(text: &Text, place: usize) -> Option<(usize, usize)> {
    let is_known = text
        .words
        .get(place)
        .is_some_and(|word| KNOWN.contains(&word.lower.as_str()));
    let from = (is_known && text.after(place - 1, 1).is_some()).then_some(place + 1)?;
    let mut last = None;
    for at in from.. {
        let word = text
            .words
            .get(at)
            .filter(|_| at == from || text.before(at, 1).is_some());
        match word {
            Some(word) if word.has_content() => last = Some(at),
            Some(word) if word.lower == "and" || word.lower == "or" => return None,
            _ => break,
        }
    }
    Some((from, last?))
}

/// What a deed at a place was done to, where that begins the clause and is taken for known: "the lawn was watered".
fn subject(said: &Text, deed: usize) -> Option<(usize, usize)> {
    let before = (1..=deed).map_while(|back| Some((deed - back, said.before(deed, back)?)));
    let before: Vec<(usize, &Word)> = before.collect();
    let between = before
        .iter()
        .take_while(|(_, word)| BETWEEN.contains(&word.lower.as_str()))
        .count();
    let (begin, words) = before.get(between..)?.split_last()?;
    let is_known = KNOWN.contains(&begin.1.lower.as_str());
    let all = !words.is_empty() && words.iter().all(|(_, word)| word.has_content());
    (between > 0 && is_known && all && said.denied_at(deed).is_none()).then_some((begin.0 + 1, begin.0 + words.len()))
}

/// Whether a word is made of another: "rosebed" of "rose".
fn is_of(word: &Word, of: &Word) -> bool {
    let is_within = |whole: &str, part: &str| part.chars().count() >= PART_MIN && whole.contains(part);
    is_within(&word.root, &of.root) || is_within(&of.root, &word.root)
}

/// Whether a word is of many.
fn is_many(word: &Word) -> bool {
    word.lower.ends_with('s') || TABLE.collectives.contains(&word.lower)
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn a_deed_that_was_done_to_another_thing_is_seen_c056() {
        assert_says(
            found,
            &[
                ("Sharpen the axe", "The saw was sharpened", Some("saw")),
                (
                    "Sharpen the axe",
                    "The old saw has been sharpened today",
                    Some("old saw"),
                ),
                ("Dust the shelves", "The lamps are dusted", Some("lamps")),
                ("Bolt the gate at night", "The hatch was bolted", Some("hatch")),
            ],
        );
    }

    #[test]
    fn the_thing_itself_and_what_is_of_it_or_named_is_right_c056() {
        assert_says(
            found,
            &[
                ("Sharpen the axe", "The axe was sharpened", None),
                ("Sharpen the axe", "The edge of the axe was sharpened", None),
                ("Sharpen the axe", "Sharpened at 9:12", None),
                ("Sharpen the axe", "The blade and the tip were sharpened", None),
                ("Feed the cats", "The tabby was fed", None),
                ("Feed the cats", "Tom and Mimi were fed", None),
                ("Dust the bookshelf", "The books were dusted", None),
                ("Buy an axe", "The saw was bought", None),
                ("Check whether the axe was sharpened", "The saw was sharpened", None),
                ("Sharpen the axe", "The saw was not sharpened", None),
            ],
        );
    }
}
