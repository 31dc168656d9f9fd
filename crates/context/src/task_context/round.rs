//! In which round a subtask's turn comes (C-017, C-042), and whose turn it is: which subtasks are handed out, and how far each round is (C-006, C-007, C-016 … C-020).
//!
//! In an asynchronous task a subtask is handed out as soon as all that it depends on is complete, which is at once where it
//! depends on nothing. In a synchronous one the whole round before must be complete. Complete is what the master found so; a task
//! may be content with the structure of what was given back ([`Task::releases`]). Invariant: a subtask's round is greater than the
//! rounds of its dependencies, so that no cycle can come about.

use std::collections::BTreeMap;

use crate::task_context::event::Mode;
use crate::task_context::id::SubtaskId;
use crate::task_context::tasks::Standing;
use crate::task_context::tasks::Subtask;
use crate::task_context::tasks::Task;
use schema::time::At;

/// Where a round stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    Complete,
    /// It is its turn.
    Current,
    /// Its turn comes later.
    Ahead,
}

impl Turn {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Turn::Complete => "complete",
            Turn::Current => "current",
            Turn::Ahead => "ahead",
        }
    }
}

/// What a subtask's state may be called, in the order of its life.
pub const STATES: [&str; 5] = ["waiting", "sent", "returned", "incomplete", "complete"];

/// What a subtask's state is called: `waiting` until it is handed out.
pub fn state(task: &Task, subtask: &Subtask) -> &'static str {
    named(subtask, is_handed_out(task, subtask))
}

/// The states of all subtasks, in one pass.
pub fn states(task: &Task) -> impl Iterator<Item = &'static str> + '_ {
    let turn = turn(task);
    let all = task.subtasks.values();
    all.map(move |subtask| named(subtask, has_turn(task, subtask, turn)))
}

fn named(subtask: &Subtask, is_handed_out: bool) -> &'static str {
    match subtask.standing {
        Standing::Complete => "complete",
        _ if !is_handed_out => "waiting",
        Standing::Sent => "sent",
        Standing::Returned => "returned",
        Standing::Incomplete => "incomplete",
    }
}

/// Whether its agent may have it. What is complete stays its agent's, also where something before it is opened again.
pub fn is_handed_out(task: &Task, subtask: &Subtask) -> bool {
    task.releases(subtask) || has_turn(task, subtask, turn(task))
}

/// Since when its state is what it is: of one that was handed out and not given back, since nothing before it was open.
pub fn since(task: &Task, subtask: &Subtask) -> At {
    if subtask.standing != Standing::Sent || !is_handed_out(task, subtask) {
        return subtask.at;
    }
    let is_before = |(id, other): &(&SubtaskId, &Subtask)| match task.mode() {
        Mode::Asynchronous => subtask.after.contains(id),
        Mode::Synchronous => other.round < subtask.round,
    };
    let before = task.subtasks.iter().filter(is_before).map(|(_, before)| before.at);
    before.fold(subtask.at, At::max)
}

/// The round whose turn it is; `None` in an asynchronous task, which has no turns.
fn turn(task: &Task) -> Option<u32> {
    match task.mode() {
        Mode::Asynchronous => None,
        Mode::Synchronous => Some(current(task)),
    }
}

fn has_turn(task: &Task, subtask: &Subtask, turn: Option<u32>) -> bool {
    match turn {
        None => subtask.after.iter().all(|id| {
            let before = task.subtasks.get(id);
            before.is_some_and(|before| task.releases(before))
        }),
        Some(current) => subtask.round <= current,
    }
}

/// How many rounds are complete.
pub fn complete(task: &Task) -> usize {
    let all = rounds(task);
    all.iter().filter(|(_, turn, _)| *turn == Turn::Complete).count()
}

/// The first round that is not complete; the one after the last when all are.
pub fn current(task: &Task) -> u32 {
    let open = task.subtasks.values().filter(|subtask| !task.releases(subtask));
    let last = || task.subtasks.values().map(|subtask| subtask.round).max();
    open.map(|subtask| subtask.round)
        .min()
        .unwrap_or_else(|| last().unwrap_or(0) + 1)
}

/// The first round that a new subtask may stand in: what is over is not begun anew (C-017).
pub fn earliest(task: &Task) -> u32 {
    match task.mode() {
        Mode::Synchronous => current(task),
        Mode::Asynchronous => 1,
    }
}

/// Every round with its subtasks, first to last.
pub fn rounds(task: &Task) -> Vec<(u32, Turn, Vec<&SubtaskId>)> {
    let mut by_round: BTreeMap<u32, Vec<&SubtaskId>> = BTreeMap::new();
    for (id, subtask) in &task.subtasks {
        by_round.entry(subtask.round).or_default().push(id);
    }
    let current = turn(task);
    let all = by_round.into_iter().map(|(round, ids)| {
        let found: Vec<&Subtask> = ids.iter().filter_map(|id| task.subtasks.get(*id)).collect();
        let turn = if found.iter().all(|subtask| task.releases(subtask)) {
            Turn::Complete
        } else if found.iter().any(|subtask| has_turn(task, subtask, current)) {
            Turn::Current
        } else {
            Turn::Ahead
        };
        (round, turn, ids)
    });
    all.collect()
}

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
pub fn places(
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
    use super::Turn;
    use super::current;
    use super::earliest;
    use super::is_handed_out;
    use super::places;
    use super::rounds;
    use super::since;
    use super::state;
    use crate::task_context::event::Mode;
    use crate::task_context::event::TaskContextEvent;
    use crate::task_context::id::SubtaskId;
    use crate::task_context::tasks::tests::begun;
    use crate::task_context::tasks::tests::evaluated;
    use crate::task_context::tasks::tests::returned;
    use crate::task_context::tasks::tests::sent;
    use crate::task_context::tasks::tests::sub;
    use crate::task_context::tasks::tests::told;
    use crate::task_context::tasks::tests::work;

    /// The names of what is handed out after these events of a task.
    fn out(mode: Option<Mode>, events: &[TaskContextEvent]) -> Vec<String> {
        let mut all = vec![begun(1, "m", mode)];
        all.extend_from_slice(events);
        let tasks = told(&all);
        let work = &tasks.tasks[&work(1)];
        let out = work.subtasks.iter().filter(|(_, subtask)| is_handed_out(work, subtask));
        out.map(|(id, _)| id.as_str().to_owned()).collect()
    }

    fn diamond() -> Vec<TaskContextEvent> {
        vec![
            sent(1, "a", "x", 1, &[], &[]),
            sent(1, "b", "y", 1, &[], &[]),
            sent(1, "c", "z", 2, &["a"], &[]),
            sent(1, "d", "x", 3, &["b", "c"], &[]),
        ]
    }

    #[test]
    fn a_synchronous_round_begins_when_the_one_before_is_complete_c007_c012_c016_c017_c020() {
        let mut events = diamond();
        assert_eq!(out(None, &events), ["a", "b"]);
        events.extend([returned(1, "a"), evaluated(1, "a", true)]);
        assert_eq!(out(None, &events), ["a", "b"], "b belongs to the round");
        assert_eq!(
            out(Some(Mode::Asynchronous), &events),
            ["a", "b", "c"],
            "c depends on a alone"
        );
        events.extend([returned(1, "b")]);
        assert_eq!(out(None, &events), ["a", "b"], "returned is not complete");
        events.extend([evaluated(1, "b", false)]);
        assert_eq!(out(None, &events), ["a", "b"]);
        events.extend([evaluated(1, "b", true)]);
        assert_eq!(out(None, &events), ["a", "b", "c"]);
    }

    #[test]
    fn what_is_complete_stays_its_agents_and_a_hand_out_has_its_moment_c034_c036_c059() {
        let mut events = diamond();
        events.extend([returned(1, "a"), evaluated(1, "a", true)]);
        let all = |events: &[TaskContextEvent]| {
            told(&[vec![begun(1, "m", Some(Mode::Asynchronous))], events.to_vec()].concat())
        };
        let tasks = all(&events);
        let found = &tasks.tasks[&work(1)];
        let moment = |name: &str| since(found, &found.subtasks[&sub(name)]);
        assert_eq!(
            moment("c"),
            moment("a"),
            "handed out when what it waited for was complete"
        );
        assert_eq!(
            moment("d"),
            found.subtasks[&sub("d")].at,
            "it waits since it was made out"
        );
        events.extend([returned(1, "c"), evaluated(1, "c", true), evaluated(1, "a", false)]);
        assert_eq!(out(Some(Mode::Asynchronous), &events), ["a", "b", "c"]);
        let tasks = all(&events);
        let turns = rounds(&tasks.tasks[&work(1)]);
        assert_eq!(turns[1].1, Turn::Complete);
    }

    #[test]
    fn rounds_are_told_with_their_turn_and_what_is_over_is_not_begun_anew_c017_c059() {
        let mut events = vec![begun(1, "m", None)];
        events.extend(diamond());
        events.extend([evaluated(1, "a", true), evaluated(1, "b", true)]);
        let tasks = told(&events);
        let found = &tasks.tasks[&work(1)];
        let turns: Vec<(u32, Turn, usize)> = rounds(found)
            .into_iter()
            .map(|(round, turn, ids)| (round, turn, ids.len()))
            .collect();
        assert_eq!(
            turns,
            [(1, Turn::Complete, 2), (2, Turn::Current, 1), (3, Turn::Ahead, 1)]
        );
        assert_eq!((current(found), earliest(found)), (2, 2));
        let states: Vec<&str> = found.subtasks.values().map(|subtask| state(found, subtask)).collect();
        assert_eq!(states, ["complete", "complete", "sent", "waiting"]);
        events.extend([evaluated(1, "c", true), evaluated(1, "d", true)]);
        let tasks = told(&events);
        assert_eq!(current(&tasks.tasks[&work(1)]), 4, "all are complete");
        assert_eq!(state(found, &found.subtasks[&sub("d")]), "waiting");
    }

    fn id(text: &str) -> SubtaskId {
        SubtaskId::parse(text).expect("an id")
    }

    fn placed(new: &[(&str, &[&str])]) -> Result<Vec<u32>, Disorder> {
        let owned: Vec<(SubtaskId, Vec<SubtaskId>)> = new
            .iter()
            .map(|(name, after)| (id(name), after.iter().map(|name| id(name)).collect()))
            .collect();
        let new: Vec<(&SubtaskId, &[SubtaskId])> = owned.iter().map(|(id, after)| (id, after.as_slice())).collect();
        places(&BTreeMap::from([(id("there"), 4)]), &new, 1)
    }

    #[test]
    fn a_round_comes_after_those_of_all_dependencies_c007_c017_c042() {
        assert_eq!(
            placed(&[("a", &[]), ("b", &["a"]), ("c", &["a", "b"])]),
            Ok(vec![1, 2, 3])
        );
        assert_eq!(
            placed(&[("c", &["b"]), ("b", &["a"]), ("a", &[])]),
            Ok(vec![3, 2, 1]),
            "in whatever order they come"
        );
        assert_eq!(placed(&[("a", &[]), ("b", &[])]), Ok(vec![1, 1]));
        assert_eq!(placed(&[("a", &["there"])]), Ok(vec![5]));
    }

    #[test]
    fn cycles_unknown_and_doubled_ids_are_refused_c042() {
        assert_eq!(placed(&[("a", &["a"])]), Err(Disorder::Cycle { nth: 0 }));
        assert_eq!(
            placed(&[("x", &[]), ("a", &["b"]), ("b", &["a"])]),
            Err(Disorder::Cycle { nth: 1 })
        );
        assert_eq!(
            placed(&[("a", &["there", "z"])]),
            Err(Disorder::Unknown { nth: 0, place: 1 })
        );
        assert_eq!(placed(&[("a", &[]), ("a", &[])]), Err(Disorder::Taken { nth: 1 }));
        assert_eq!(placed(&[("there", &[])]), Err(Disorder::Taken { nth: 0 }));
    }

    proptest! {
        #[test]
        fn what_has_an_order_is_put_in_one_c042(edges in proptest::collection::vec((0..6_usize, 0..6_usize), 0..12)) {
            let ids: Vec<SubtaskId> = (0..6).map(|n| id(&format!("s{n}"))).collect();
            let after: Vec<Vec<SubtaskId>> = (0..6)
                .map(|n| edges.iter().filter(|(to, _)| *to == n).map(|(_, from)| ids[*from].clone()).collect())
                .collect();
            let new: Vec<(&SubtaskId, &[SubtaskId])> = ids.iter().zip(&after).map(|(id, after)| (id, after.as_slice())).collect();
            match places(&BTreeMap::new(), &new, 1) {
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
