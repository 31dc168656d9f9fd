//! The values of a closed key: mutually exclusive phrases that together cover the cluster.
//!
//! A local search ([`search`]) over phrases that recur ([`phrase`]), without what they are said of ([`frame`]); bounded by numbers
//! whatever the cluster says.

pub mod mask;

pub mod phrase;

mod frame;
mod search;

use std::collections::BTreeSet;

use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::induction::values::mask::Mask;
use crate::domain::evolution::induction::values::phrase::Phrase;
use crate::domain::evolution::induction::values::search::Search;

/// The values found.
#[derive(Clone, Debug, Default)]
pub struct ValueSet {
    /// Most frequent first; `held_by` leaves out fragments that hold the phrase within a longer value.
    pub values: Vec<Phrase>,
    /// Share of the fragments with any value, and share of the values that are the most frequent one.
    pub coverage: f64,
    pub top: f64,
    /// Nouns that close noun phrases with several different modifiers: the frame and not the value.
    pub frame: BTreeSet<String>,
}

/// Finds the values. `entity` is the service's own noun: a frame, never a value.
pub fn find(cluster: &Cluster, entity: &str) -> ValueSet {
    find_beside(cluster, entity, &[])
}

/// The same for a key that is called after some words: `seat` is no seat preference, it is what all of them are about.
pub fn find_for(cluster: &Cluster, entity: &str, name: &str, found: ValueSet) -> ValueSet {
    let called: Vec<&str> = name.split('_').collect();
    let own = |value: &Phrase| value.lemmas.split(' ').all(|word| called.contains(&word));
    if found.values.iter().any(own) {
        find_beside(cluster, entity, &called)
    } else {
        found
    }
}

fn find_beside(cluster: &Cluster, entity: &str, besides: &[&str]) -> ValueSet {
    let mut frame = frame::frame(cluster, entity);
    frame.extend(besides.iter().chain([&entity]).map(|word| (*word).to_owned()));
    let phrases = phrase::phrases(cluster, &frame);
    let search = Search::new(cluster, &phrases);
    let mut chosen = search.run();
    search.add_modified(&mut chosen);
    let held = search.held(&chosen);
    let mut values: Vec<Phrase> = chosen
        .iter()
        .zip(held)
        .filter_map(|(at, held_by)| {
            let phrase = phrases.get(*at)?;
            Some(Phrase {
                held_by,
                ..phrase.clone()
            })
        })
        .collect();
    values.sort_by(|a, b| {
        b.held_by
            .count()
            .cmp(&a.held_by.count())
            .then_with(|| a.lemmas.cmp(&b.lemmas))
    });
    let all = values.iter().fold(Mask::default(), |all, value| all.or(&value.held_by));
    let total: usize = values.iter().map(|value| value.held_by.count()).sum();
    ValueSet {
        coverage: all.count() as f64 / cluster.size(),
        top: values
            .first()
            .map_or(1.0, |first| first.held_by.count() as f64 / total.max(1) as f64),
        values,
        frame,
    }
}

/// Groups of values that share no word.
pub fn families(values: &[Phrase]) -> usize {
    let mut groups: Vec<BTreeSet<&str>> = Vec::new();
    for value in values {
        let mut words: BTreeSet<&str> = value.lemmas.split(' ').collect();
        let (touching, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| !group.is_disjoint(&words));
        words.extend(touching.into_iter().flatten());
        groups = apart;
        groups.push(words);
    }
    groups.len()
}

/// Whether there are two values and one denies the other: `furnished` and `unfurnished`.
pub fn opposite(values: &[Phrase]) -> bool {
    let denies = |one: &str, other: &str| {
        ["un", "non", "in", "im", "dis"]
            .iter()
            .any(|prefix| one.strip_prefix(prefix) == Some(other))
    };
    match values {
        [one, other] => denies(&one.lemmas, &other.lemmas) || denies(&other.lemmas, &one.lemmas),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::find;
    use super::find_for;
    use super::mask::Mask;
    use super::opposite;
    use super::phrase::Phrase;
    use crate::domain::evolution::induction::cluster::Cluster;
    use crate::domain::evolution::induction::fragment::Fragment;
    use crate::domain::evolution::induction::pooled;
    use crate::domain::time::At;

    fn phrases(lemmas: &[&str]) -> Vec<Phrase> {
        let phrase = |lemmas: &&str| Phrase {
            lemmas: (*lemmas).to_owned(),
            held_by: Mask::default(),
            contrast: 1.0,
            surface: (*lemmas).to_owned(),
        };
        lemmas.iter().map(phrase).collect()
    }

    #[test]
    fn two_values_of_which_one_denies_the_other_are_a_switch_z111() {
        assert!(opposite(&phrases(&["furnished", "unfurnished"])));
        assert!(opposite(&phrases(&["inactive", "active"])));
        assert!(!opposite(&phrases(&["furnished", "rented"])));
        assert!(
            !opposite(&phrases(&["furnished", "unfurnished", "rented"])),
            "three are a list"
        );
        assert!(!opposite(&phrases(&["unfurnished"])));
    }

    #[test]
    fn what_a_key_is_called_after_is_no_value_of_it_z111() {
        let members = [
            "BOOK AISLE SEAT",
            "a seat next to the aisle would be lovely",
            "aisle seat if possible",
            "kindly make that a seat at the window",
            "a seat next to the window please",
            "I want a seat by the aisle",
            "a seat at the window if possible",
        ];
        let read = |text: &str| Fragment::read(text.to_owned(), None, At(0), pooled::eyes());
        let cluster = Cluster::count(members.map(read).to_vec(), vec![read("four bags to check in")]);
        let found = find(&cluster, "flight");
        let listed = |name: &str| {
            let values = find_for(&cluster, "flight", name, found.clone()).values;
            values.into_iter().map(|value| value.lemmas).collect::<Vec<_>>()
        };
        assert!(
            listed("place_on_board").contains(&"seat".to_owned()),
            "{:?}",
            found.values
        );
        assert_eq!(listed("seat_preference"), ["aisle", "window"]);
    }
}
