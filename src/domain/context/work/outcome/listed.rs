//! A result that names some of those who were named together and not the others, and one with another e-mail address.
//!
//! Invariant: a result that speaks of all of them, by a word or a number, is right; so is any answer to a question.

use crate::domain::context::work::outcome::contradiction::Contradiction;
use crate::domain::context::work::outcome::naming::is_name;
use crate::domain::context::work::outcome::table::TABLE;
use crate::domain::context::work::outcome::wording::Text;
use crate::domain::context::work::outcome::wording::Word;

/// Words that speak of those who are not named.
const TOGETHER: [&str; 6] = ["they", "them", "others", "other", "rest", "two"];

pub fn found(asked: &Text, said: &Text) -> Option<Contradiction> {
    address(asked, said).or_else(|| listed(asked, said))
}

/// Another address than any that was asked for.
fn address(asked: &Text, said: &Text) -> Option<Contradiction> {
    let addresses = |text: &Text| -> Vec<usize> {
        let is_address = |place: &usize| text.words.get(*place).is_some_and(|word| word.lower.contains('@'));
        (0..text.words.len()).filter(is_address).collect()
    };
    let (wanted, told) = (addresses(asked), addresses(said));
    let (first, other) = (*wanted.first()?, *told.first()?);
    let written = |text: &Text, place: usize| text.words.get(place).map(|word| word.lower.clone());
    let is_held = wanted
        .iter()
        .any(|own| told.iter().any(|other| written(asked, *own) == written(said, *other)));
    (!is_held).then(|| Contradiction {
        says: said.shown(other, other),
        asked: asked.shown(first, first),
    })
}

/// Some of those who are named with "and" between them, where nothing speaks of the others.
fn listed(asked: &Text, said: &Text) -> Option<Contradiction> {
    let speaks_of_all =
        |word: &Word| TABLE.wholes.contains(&word.lower) || TOGETHER.contains(&word.lower.as_str()) || word.has_digit();
    if asked.is_inquiry() || asked.begins_with(&TABLE.comparing) || said.words.iter().any(speaks_of_all) {
        return None;
    }
    // What follows "and" may look like a verb at the head of its clause; only the first one is surely one.
    let head = asked.heads().first().copied();
    let named = |place: usize| {
        let word = asked.words.get(place).filter(|_| head != Some(place));
        word.filter(|word| is_name(word))
    };
    (1..asked.words.len()).find_map(|place| {
        asked.words.get(place).filter(|word| word.lower == "and")?;
        let (one, other) = (named(place - 1)?, named(place + 1)?);
        let at = |word: &Word| said.words.iter().position(|own| own.root == word.root);
        let told = match (at(one), at(other)) {
            (Some(told), None) | (None, Some(told)) => told,
            (Some(_), Some(_)) | (None, None) => return None,
        };
        // A name of two words may be said by its other one.
        let is_full = place.checked_sub(2).and_then(named).is_some() || named(place + 2).is_some();
        (!is_full).then(|| Contradiction {
            says: said.shown(told, told),
            asked: asked.shown(place - 1, place + 1),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::domain::context::work::outcome::contradiction::tests::assert_says;

    #[test]
    fn who_is_left_out_and_another_address_are_seen_c056() {
        assert_says(
            found,
            &[
                ("Thank Ann and Ott", "Thanked Ott", Some("Ott")),
                (
                    "Write to ann@example.org",
                    "Written to ott@example.org",
                    Some("ott@example.org"),
                ),
            ],
        );
    }

    #[test]
    fn all_of_them_in_any_words_are_right_c056() {
        assert_says(
            found,
            &[
                ("Thank Ann and Ott", "Ott and Ann were thanked", None),
                ("Thank Ann and Ott", "Thanked both, Ott by phone", None),
                ("Thank Ann and Ott", "Everybody was thanked", None),
                ("Compare Ulm and Bonn", "Bonn is larger", None),
                ("Find out whether Ann and Ott come", "Ott comes", None),
                (
                    "Write to ann@example.org",
                    "Written to Ann@example.org and ott@example.org",
                    None,
                ),
                ("Write to ann@example.org", "Written to Ann", None),
            ],
        );
    }
}
