//! A result that did to what was to be kept as it is what was to be done to something else, or in which it stands otherwise.
//!
//! Invariant: a result that says itself that something was kept or left out is right.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

/// Roots of verbs that tell to leave something as it is.
const KEEPING: [&str; 5] = ["keep", "leav", "retain", "spar", "preserv"];
/// Words before a thing that leave it out.
const LEAVING_OUT: [&str; 6] = ["but", "except", "besides", "excluding", "without", "not"];
const LEFT_OUT_WITHIN: usize = 3;

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    let keeps = |place: &usize| asked.words.get(*place).is_some_and(is_keeping);
    let heads = asked.heads();
    let follows_but = |place: usize| asked.before(place, 1).is_some_and(|word| word.lower == "but");
    let places = (0..asked.words.len()).filter(keeps);
    let mut places = places.filter(|place| heads.contains(place) || follows_but(*place));
    places.find_map(|place| {
        let object = object(asked, place);
        let (first, last) = (*object.first()?, *object.last()?);
        let thing = asked.words.get(first)?;
        let asks = asked.shown(place, last);
        let told = (0..said.words.len()).find(|at| said.words.get(*at).is_some_and(|word| word.root == thing.root))?;
        let state = asked.words.get(last).filter(|_| first != last);
        let at = match state {
            Some(state) => otherwise(said, told, state)?,
            None => treated(asked, said, told, &heads)?,
        };
        Some(Contradiction {
            says: said.shown(told.min(at), told.max(at)),
            asked: asks,
        })
    })
}

fn is_keeping(word: &Word) -> bool {
    KEEPING.contains(&word.root.as_str())
}

/// Where the words stand of what is to be kept, and as what: "door closed" of "keep the door closed".
fn object(asked: &Text, place: usize) -> Vec<usize> {
    let after = (1..).map_while(|on| asked.after(place, on).map(|word| (place + on, word)));
    let after = after.skip_while(|(_, word)| TABLE.determiners.contains(&word.lower));
    after
        .take_while(|(_, word)| word.has_content())
        .map(|(at, _)| at)
        .collect()
}

/// Where a result says that another verb of the description was done with the thing, in the same clause.
fn treated(asked: &Text, said: &Text, thing: usize, heads: &[usize]) -> Option<usize> {
    let mut before = (1..=LEFT_OUT_WITHIN).filter_map(|back| said.before(thing, back));
    let is_left_out = before.any(|word| LEAVING_OUT.contains(&word.lower.as_str()));
    if is_left_out || said.words.iter().any(is_keeping) || said.denied_at(thing).is_some() {
        return None;
    }
    let verbs = heads.iter().filter_map(|head| asked.words.get(*head));
    let verbs: Vec<&Word> = verbs.filter(|verb| !is_keeping(verb)).collect();
    in_clause(said, thing).into_iter().find(|&place| {
        let word = said.words.get(place);
        let is_done = word.is_some_and(|word| word.is_done_form() && verbs.iter().any(|verb| verb.root == word.root));
        is_done && said.denied_at(place).is_none()
    })
}

/// Where a result says that the thing stands in a way that is contrary to the one in which it was to be kept.
fn otherwise(said: &Text, thing: usize, state: &Word) -> Option<usize> {
    if said.has_root(&state.root) {
        return None;
    }
    let is_state = |word: &Word| word.root == state.root;
    let contraries = TABLE.opposites.iter().filter(|(verbs, _)| {
        verbs
            .iter()
            .any(|verb| matches!(verb.words.as_slice(), [word] if is_state(word)))
    });
    let mut contraries = contraries.flat_map(|(_, contraries)| contraries);
    let clause = in_clause(said, thing);
    contraries.find_map(|contrary| {
        let mut places = said.places(contrary);
        places.find(|place| clause.contains(place) && said.denied_at(*place).is_none())
    })
}

/// The places of the clause of a word.
fn in_clause(said: &Text, place: usize) -> Vec<usize> {
    let clause = said.words.get(place).map(|word| word.clause);
    let is_own = |place: &usize| said.words.get(*place).map(|word| word.clause) == clause;
    (0..said.words.len()).filter(is_own).collect()
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn what_was_to_be_kept_and_was_not_is_seen_c056() {
        assert_says(
            found,
            &[
                (
                    "Erase the draft files but keep the photos",
                    "Draft files and photos erased",
                    Some("photos erased"),
                ),
                (
                    "Keep the gate closed and feed the hens",
                    "Hens fed, gate left open",
                    Some("gate left open"),
                ),
            ],
        );
    }

    #[test]
    fn what_was_kept_or_left_out_is_right_c056() {
        assert_says(
            found,
            &[
                (
                    "Erase the draft files but keep the photos",
                    "Draft files erased, photos kept",
                    None,
                ),
                (
                    "Erase the draft files but keep the photos",
                    "Erased all files but the photos",
                    None,
                ),
                ("Erase the draft files but keep the photos", "Draft files erased", None),
                (
                    "Erase the draft files but keep the photos",
                    "Draft files erased, photos untouched",
                    None,
                ),
                ("Keep the gate closed and feed the hens", "Hens fed, gate closed", None),
                (
                    "Keep the gate closed and feed the hens",
                    "Hens fed with the gate shut",
                    None,
                ),
            ],
        );
    }
}
