//! In which round a subtask's turn comes: after everything that it depends on (C-017, C-042).
//!
//! Invariant: a subtask's round is greater than the rounds of its dependencies, so that no cycle can come about.

use std::collections::BTreeMap;

use crate::task_context::id::SubtaskId;

/// Why subtasks cannot be put in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disorder {
    /// The n-th one names, at this place, a subtask that there is none of.
    Unknown { nth: usize, place: usize },
    /// The id of the n-th one is taken.
    Taken { nth: usize },
    /// The n-th one waits for itself, be it by way of others.
    Cycle { nth: usize },
}

/// The rounds of new subtasks, in their order, beside those that are there. None begins before `earliest`.
///
/// # Errors
/// What is in the way, of the first subtask that has something in its way.
pub fn rounds(
    there: &BTreeMap<SubtaskId, u32>,
    new: &[(&SubtaskId, &[SubtaskId])],
    earliest: u32,
) -> Result<Vec<u32>, Disorder> {
    for (nth, (id, after)) in new.iter().enumerate() {
        if there.contains_key(*id) || new.iter().take(nth).any(|(other, _)| other == id) {
            return Err(Disorder::Taken { nth });
        }
        let known = |id: &SubtaskId| there.contains_key(id) || new.iter().any(|(other, _)| *other == id);
        if let Some(place) = after.iter().position(|id| !known(id)) {
            return Err(Disorder::Unknown { nth, place });
        }
    }
    let mut placed = there.clone();
    let mut rounds: Vec<Option<u32>> = vec![None; new.len()];
    loop {
        let mut moved = false;
        for (round, (id, after)) in rounds.iter_mut().zip(new) {
            if round.is_some() {
                continue;
            }
            let before: Option<Vec<u32>> = after.iter().map(|id| placed.get(id).copied()).collect();
            if let Some(before) = before {
                let own = before
                    .into_iter()
                    .map(|round| round + 1)
                    .max()
                    .unwrap_or(1)
                    .max(earliest);
                *round = Some(own);
                placed.insert((*id).clone(), own);
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    match rounds.iter().position(Option::is_none) {
        Some(nth) => Err(Disorder::Cycle { nth }),
        None => Ok(rounds.into_iter().flatten().collect()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::proptest;

    use super::Disorder;
    use super::rounds;
    use crate::task_context::id::SubtaskId;

    fn id(text: &str) -> SubtaskId {
        SubtaskId::parse(text).expect("an id")
    }

    fn of(new: &[(&str, &[&str])]) -> Result<Vec<u32>, Disorder> {
        let owned: Vec<(SubtaskId, Vec<SubtaskId>)> = new
            .iter()
            .map(|(name, after)| (id(name), after.iter().map(|name| id(name)).collect()))
            .collect();
        let new: Vec<(&SubtaskId, &[SubtaskId])> = owned.iter().map(|(id, after)| (id, after.as_slice())).collect();
        rounds(&BTreeMap::from([(id("there"), 4)]), &new, 1)
    }

    #[test]
    fn a_round_comes_after_those_of_all_dependencies_c007_c017_c042() {
        assert_eq!(of(&[("a", &[]), ("b", &["a"]), ("c", &["a", "b"])]), Ok(vec![1, 2, 3]));
        assert_eq!(
            of(&[("c", &["b"]), ("b", &["a"]), ("a", &[])]),
            Ok(vec![3, 2, 1]),
            "in whatever order they come"
        );
        assert_eq!(of(&[("a", &[]), ("b", &[])]), Ok(vec![1, 1]));
        assert_eq!(of(&[("a", &["there"])]), Ok(vec![5]));
    }

    #[test]
    fn cycles_unknown_and_doubled_ids_are_refused_c042() {
        assert_eq!(of(&[("a", &["a"])]), Err(Disorder::Cycle { nth: 0 }));
        assert_eq!(
            of(&[("x", &[]), ("a", &["b"]), ("b", &["a"])]),
            Err(Disorder::Cycle { nth: 1 })
        );
        assert_eq!(
            of(&[("a", &["there", "z"])]),
            Err(Disorder::Unknown { nth: 0, place: 1 })
        );
        assert_eq!(of(&[("a", &[]), ("a", &[])]), Err(Disorder::Taken { nth: 1 }));
        assert_eq!(of(&[("there", &[])]), Err(Disorder::Taken { nth: 0 }));
    }

    proptest! {
        #[test]
        fn what_has_an_order_is_put_in_one_c042(edges in proptest::collection::vec((0..6_usize, 0..6_usize), 0..12)) {
            let ids: Vec<SubtaskId> = (0..6).map(|n| id(&format!("s{n}"))).collect();
            let after: Vec<Vec<SubtaskId>> = (0..6)
                .map(|n| edges.iter().filter(|(to, _)| *to == n).map(|(_, from)| ids[*from].clone()).collect())
                .collect();
            let new: Vec<(&SubtaskId, &[SubtaskId])> = ids.iter().zip(&after).map(|(id, after)| (id, after.as_slice())).collect();
            match rounds(&BTreeMap::new(), &new, 1) {
                Ok(found) => for (to, from) in edges {
                    assert!(found[to] > found[from]);
                },
                // By its own edges it can be walked on from forever: there is a cycle.
                Err(Disorder::Cycle { nth }) => {
                    let mut reached = vec![nth];
                    for _ in 0..6 {
                        reached = edges.iter().filter(|(to, _)| reached.contains(to)).map(|(_, from)| *from).collect();
                    }
                    assert!(!reached.is_empty());
                }
                Err(other) => panic!("{other:?}"),
            }
        }
    }
}
