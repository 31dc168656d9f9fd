//! Whose turn it is: which subtasks are handed out, and how far each round is (C-006, C-007, C-016 … C-020).
//!
//! In an asynchronous task a subtask is handed out as soon as all that it depends on is complete, which is at once where it
//! depends on nothing. In a synchronous one the whole round before must be complete. Complete is what the master found so; a task
//! may be content with the structure of what was given back ([`Work::releases`]).

use std::collections::BTreeMap;

use crate::task_context::event::Mode;
use crate::task_context::id::SubtaskId;
use crate::task_context::works::Standing;
use crate::task_context::works::Subtask;
use crate::task_context::works::Work;
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
pub fn state(work: &Work, subtask: &Subtask) -> &'static str {
    named(subtask, is_handed_out(work, subtask))
}

/// The states of all subtasks, in one pass.
pub fn states(work: &Work) -> impl Iterator<Item = &'static str> + '_ {
    let turn = turn(work);
    let all = work.subtasks.values();
    all.map(move |subtask| named(subtask, has_turn(work, subtask, turn)))
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
pub fn is_handed_out(work: &Work, subtask: &Subtask) -> bool {
    work.releases(subtask) || has_turn(work, subtask, turn(work))
}

/// Since when its state is what it is: of one that was handed out and not given back, since nothing before it was open.
pub fn since(work: &Work, subtask: &Subtask) -> At {
    if subtask.standing != Standing::Sent || !is_handed_out(work, subtask) {
        return subtask.at;
    }
    let is_before = |(id, other): &(&SubtaskId, &Subtask)| match work.mode() {
        Mode::Asynchronous => subtask.after.contains(id),
        Mode::Synchronous => other.round < subtask.round,
    };
    let before = work.subtasks.iter().filter(is_before).map(|(_, before)| before.at);
    before.fold(subtask.at, At::max)
}

/// The round whose turn it is; `None` in an asynchronous task, which has no turns.
fn turn(work: &Work) -> Option<u32> {
    match work.mode() {
        Mode::Asynchronous => None,
        Mode::Synchronous => Some(current(work)),
    }
}

fn has_turn(work: &Work, subtask: &Subtask, turn: Option<u32>) -> bool {
    match turn {
        None => subtask.after.iter().all(|id| {
            let before = work.subtasks.get(id);
            before.is_some_and(|before| work.releases(before))
        }),
        Some(current) => subtask.round <= current,
    }
}

/// How many rounds are complete.
pub fn complete(work: &Work) -> usize {
    let all = rounds(work);
    all.iter().filter(|(_, turn, _)| *turn == Turn::Complete).count()
}

/// The first round that is not complete; the one after the last when all are.
pub fn current(work: &Work) -> u32 {
    let open = work.subtasks.values().filter(|subtask| !work.releases(subtask));
    let last = || work.subtasks.values().map(|subtask| subtask.round).max();
    open.map(|subtask| subtask.round)
        .min()
        .unwrap_or_else(|| last().unwrap_or(0) + 1)
}

/// The first round that a new subtask may stand in: what is over is not begun anew (C-017).
pub fn earliest(work: &Work) -> u32 {
    match work.mode() {
        Mode::Synchronous => current(work),
        Mode::Asynchronous => 1,
    }
}

/// Every round with its subtasks, first to last.
pub fn rounds(work: &Work) -> Vec<(u32, Turn, Vec<&SubtaskId>)> {
    let mut by_round: BTreeMap<u32, Vec<&SubtaskId>> = BTreeMap::new();
    for (id, subtask) in &work.subtasks {
        by_round.entry(subtask.round).or_default().push(id);
    }
    let current = turn(work);
    let all = by_round.into_iter().map(|(round, ids)| {
        let found: Vec<&Subtask> = ids.iter().filter_map(|id| work.subtasks.get(*id)).collect();
        let turn = if found.iter().all(|subtask| work.releases(subtask)) {
            Turn::Complete
        } else if found.iter().any(|subtask| has_turn(work, subtask, current)) {
            Turn::Current
        } else {
            Turn::Ahead
        };
        (round, turn, ids)
    });
    all.collect()
}

#[cfg(test)]
mod tests {
    use super::Turn;
    use super::current;
    use super::earliest;
    use super::is_handed_out;
    use super::rounds;
    use super::since;
    use super::state;
    use crate::task_context::event::Mode;
    use crate::task_context::event::WorkEvent;
    use crate::task_context::works::tests::begun;
    use crate::task_context::works::tests::evaluated;
    use crate::task_context::works::tests::returned;
    use crate::task_context::works::tests::sent;
    use crate::task_context::works::tests::sub;
    use crate::task_context::works::tests::told;
    use crate::task_context::works::tests::work;

    /// The names of what is handed out after these events of a task.
    fn out(mode: Option<Mode>, events: &[WorkEvent]) -> Vec<String> {
        let mut all = vec![begun(1, "m", mode)];
        all.extend_from_slice(events);
        let works = told(&all);
        let work = &works.works[&work(1)];
        let out = work.subtasks.iter().filter(|(_, subtask)| is_handed_out(work, subtask));
        out.map(|(id, _)| id.as_str().to_owned()).collect()
    }

    fn diamond() -> Vec<WorkEvent> {
        vec![
            sent(1, "a", "x", 1, &[], &[]),
            sent(1, "b", "y", 1, &[], &[]),
            sent(1, "c", "z", 2, &["a"], &[]),
            sent(1, "d", "x", 3, &["b", "c"], &[]),
        ]
    }

    #[test]
    fn independent_subtasks_are_handed_out_at_once_c006_c018_c019_c020() {
        let independent = [sent(1, "a", "x", 1, &[], &[]), sent(1, "b", "y", 1, &[], &[])];
        assert_eq!(out(None, &independent), ["a", "b"]);
        let works = told(&[vec![begun(1, "m", None)], independent.to_vec()].concat());
        assert_eq!(
            works.works[&work(1)].mode(),
            Mode::Asynchronous,
            "nothing depends on anything"
        );
        let works = told(&[vec![begun(1, "m", None)], diamond()].concat());
        assert_eq!(works.works[&work(1)].mode(), Mode::Synchronous, "something does");
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
        let all =
            |events: &[WorkEvent]| told(&[vec![begun(1, "m", Some(Mode::Asynchronous))], events.to_vec()].concat());
        let works = all(&events);
        let found = &works.works[&work(1)];
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
        let works = all(&events);
        let turns = rounds(&works.works[&work(1)]);
        assert_eq!(turns[1].1, Turn::Complete);
    }

    #[test]
    fn rounds_are_told_with_their_turn_and_what_is_over_is_not_begun_anew_c017_c059() {
        let mut events = vec![begun(1, "m", None)];
        events.extend(diamond());
        events.extend([evaluated(1, "a", true), evaluated(1, "b", true)]);
        let works = told(&events);
        let found = &works.works[&work(1)];
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
        let works = told(&events);
        assert_eq!(current(&works.works[&work(1)]), 4, "all are complete");
        assert_eq!(state(found, &found.subtasks[&sub("d")]), "waiting");
    }
}
