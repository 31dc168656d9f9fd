//! Whose turn it is: which subtasks are handed out, how far each round is, and in which round a new subtask stands (C-006, C-007,
//! C-016 … C-020, C-042).
//!
//! In an asynchronous task a subtask is handed out as soon as all that it depends on is complete, which is at once where it
//! depends on nothing. In a synchronous one the whole round before must be complete. Complete is what the master found so. Invariant:
//! a subtask's round is greater than the rounds of its dependencies, so that no cycle can come about.

use std::collections::BTreeMap;

use crate::task_context::agent_context::AgentContext;
use crate::task_context::agent_context::wrong;
use crate::task_context::event::Mode;
use crate::task_context::id::SubtaskId;
use crate::task_context::tasks::Standing;
use crate::task_context::tasks::Subtask;
use crate::task_context::tasks::Task;
use schema::exchange::verdict::Violation;
use schema::exchange::verdict::ViolationCode;
use schema::time::At;

/// What a subtask's state may be called, in the order of its life.
pub const STATES: [&str; 5] = ["waiting", "sent", "returned", "incomplete", "complete"];

impl Task {
    /// What a subtask's state is called: `waiting` until it is handed out.
    pub fn state(&self, subtask: &Subtask) -> &'static str {
        match subtask.standing {
            Standing::Complete => "complete",
            _ if !self.hands_out(subtask) => "waiting",
            Standing::Sent => "sent",
            Standing::Returned => "returned",
            Standing::Incomplete => "incomplete",
        }
    }

    /// Whether a subtask's agent may have it. What is complete stays its agent's, also where something before it is opened again.
    pub fn hands_out(&self, subtask: &Subtask) -> bool {
        subtask.is_complete() || self.has_turn(subtask)
    }

    fn has_turn(&self, subtask: &Subtask) -> bool {
        let is_complete = |id| self.subtasks.get(id).is_some_and(Subtask::is_complete);
        match self.mode() {
            Mode::Asynchronous => subtask.after.iter().all(is_complete),
            Mode::Synchronous => subtask.round <= self.current_round(),
        }
    }

    /// Since when a subtask's state is what it is: of one that was handed out and not given back, since nothing before it was open.
    pub fn since(&self, subtask: &Subtask) -> At {
        if subtask.standing != Standing::Sent || !self.hands_out(subtask) {
            return subtask.at;
        }
        let is_before = |(id, other): &(&SubtaskId, &Subtask)| match self.mode() {
            Mode::Asynchronous => subtask.after.contains(id),
            Mode::Synchronous => other.round < subtask.round,
        };
        let before = self.subtasks.iter().filter(is_before).map(|(_, before)| before.at);
        before.fold(subtask.at, At::max)
    }

    /// The first round that is not complete; the one after the last when all are.
    fn current_round(&self) -> u32 {
        let open = self.subtasks.values().filter(|subtask| !subtask.is_complete());
        let last = || self.subtasks.values().map(|subtask| subtask.round).max();
        let first_open = open.map(|subtask| subtask.round).min();
        first_open.unwrap_or_else(|| last().unwrap_or(0) + 1)
    }

    /// Every round, first to last: whether it is `complete`, `current` or `ahead`, and its subtasks.
    pub fn rounds(&self) -> Vec<(u32, &'static str, Vec<&SubtaskId>)> {
        let mut by_round: BTreeMap<u32, Vec<(&SubtaskId, &Subtask)>> = BTreeMap::new();
        for (id, subtask) in &self.subtasks {
            by_round.entry(subtask.round).or_default().push((id, subtask));
        }
        let all = by_round.into_iter().map(|(round, subtasks)| {
            let turn = if subtasks.iter().all(|(_, subtask)| subtask.is_complete()) {
                "complete"
            } else if subtasks.iter().any(|(_, subtask)| self.has_turn(subtask)) {
                "current"
            } else {
                "ahead"
            };
            (round, turn, subtasks.into_iter().map(|(id, _)| id).collect())
        });
        all.collect()
    }
}

/// The rounds of new subtasks, in their order, beside those of a task that is there. What is over is not begun anew (C-017).
///
/// # Errors
/// What is in the way of which of them.
pub fn places(task: Option<&Task>, new: &[AgentContext]) -> Result<Vec<u32>, (usize, Vec<Violation>)> {
    let there = task.into_iter().flat_map(|task| &task.subtasks);
    let mut placed: BTreeMap<&SubtaskId, u32> = there.map(|(id, subtask)| (id, subtask.round)).collect();
    for (nth, context) in new.iter().enumerate() {
        let is_new = |id: &SubtaskId, among: &[AgentContext]| among.iter().any(|other| other.sub_task_id == *id);
        let id = &context.sub_task_id;
        if placed.contains_key(id) || is_new(id, new.get(..nth).unwrap_or_default()) {
            let message = "the task has a subtask with this `SubTaskID` already";
            return Err((nth, vec![wrong("SubTaskID", "", ViolationCode::NotAcceptable, message)]));
        }
        let is_known = |id: &SubtaskId| placed.contains_key(id) || is_new(id, new);
        if let Some(place) = context.dependencies.iter().position(|id| !is_known(id)) {
            let message = "the task has no subtask with this id";
            let below = format!("/{place}");
            return Err((
                nth,
                vec![wrong("Dependencies", &below, ViolationCode::NotAcceptable, message)],
            ));
        }
    }
    let earliest = match task {
        Some(task) if task.mode() == Mode::Synchronous => task.current_round(),
        Some(_) | None => 1,
    };
    let mut open: Vec<(usize, &AgentContext)> = new.iter().enumerate().collect();
    while let Some((nth, _)) = open.first().copied() {
        let before = open.len();
        open.retain(|(_, context)| {
            let rounds: Option<Vec<u32>> = context.dependencies.iter().map(|id| placed.get(id).copied()).collect();
            let Some(rounds) = rounds else { return true };
            let after = rounds.into_iter().max().unwrap_or(0);
            placed.insert(&context.sub_task_id, earliest.max(after + 1));
            false
        });
        if open.len() == before {
            let message = "the subtask would wait for itself, be it by way of others";
            return Err((nth, vec![wrong("Dependencies", "", ViolationCode::BadShape, message)]));
        }
    }
    let rounds = new.iter().filter_map(|context| placed.get(&context.sub_task_id));
    Ok(rounds.copied().collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::proptest;

    use super::places;
    use crate::task_context::event::Mode;
    use crate::task_context::event::TaskContextEvent;
    use crate::task_context::tasks::tests::begun;
    use crate::task_context::tasks::tests::context;
    use crate::task_context::tasks::tests::evaluated;
    use crate::task_context::tasks::tests::returned;
    use crate::task_context::tasks::tests::sent;
    use crate::task_context::tasks::tests::sub;
    use crate::task_context::tasks::tests::task;

    fn diamond(more: &[TaskContextEvent]) -> Vec<TaskContextEvent> {
        let mut events = vec![
            sent(1, "a", "x", 1, &[], &[]),
            sent(1, "b", "y", 1, &[], &[]),
            sent(1, "c", "z", 2, &["a"], &[]),
            sent(1, "d", "x", 3, &["b", "c"], &[]),
        ];
        events.extend_from_slice(more);
        events
    }

    /// The states of all subtasks after these events of a task, in the order of their names.
    fn states(mode: Option<Mode>, events: &[TaskContextEvent]) -> String {
        let task = task(&[&[begun(1, "m", mode)], events].concat());
        let states = task.subtasks.values().map(|subtask| task.state(subtask));
        states.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_synchronous_round_begins_when_the_one_before_is_complete_c007_c012_c016_c017_c020_c059() {
        let mut events = diamond(&[]);
        assert_eq!(states(None, &events), "sent sent waiting waiting");
        for (step, synchronous, asynchronous) in [
            (
                returned(1, "a"),
                "returned sent waiting waiting",
                "returned sent waiting waiting",
            ),
            // b belongs to the round; c depends on a alone.
            (
                evaluated(1, "a", true),
                "complete sent waiting waiting",
                "complete sent sent waiting",
            ),
            (
                returned(1, "b"),
                "complete returned waiting waiting",
                "complete returned sent waiting",
            ),
            (
                evaluated(1, "b", false),
                "complete incomplete waiting waiting",
                "complete incomplete sent waiting",
            ),
            (
                evaluated(1, "b", true),
                "complete complete sent waiting",
                "complete complete sent waiting",
            ),
            (
                evaluated(1, "c", true),
                "complete complete complete sent",
                "complete complete complete sent",
            ),
            // What is complete stays its agent's.
            (
                evaluated(1, "a", false),
                "incomplete complete complete waiting",
                "incomplete complete complete sent",
            ),
        ] {
            events.push(step);
            assert_eq!(states(None, &events), synchronous);
            assert_eq!(states(Some(Mode::Asynchronous), &events), asynchronous);
        }
    }

    #[test]
    fn a_hand_out_has_its_moment_and_a_round_its_turn_c017_c034_c036_c059() {
        let over = [returned(1, "a"), evaluated(1, "a", true), evaluated(1, "b", true)];
        let task = task(&[vec![begun(1, "m", None)], diamond(&over)].concat());
        let since = |name: &str| task.since(&task.subtasks[&sub(name)]);
        assert_eq!(
            since("c"),
            since("b"),
            "handed out when what it waited for was complete"
        );
        assert_eq!(
            since("d"),
            task.subtasks[&sub("d")].at,
            "it waits since it was made out"
        );
        let rounds = task.rounds();
        let turns: Vec<(u32, &str, usize)> = rounds
            .iter()
            .map(|(round, turn, ids)| (*round, *turn, ids.len()))
            .collect();
        assert_eq!(turns, [(1, "complete", 2), (2, "current", 1), (3, "ahead", 1)]);
        assert_eq!(
            places(Some(&task), &[context("e", &[])]),
            Ok(vec![2]),
            "what is over is not begun anew"
        );
        assert_eq!(places(Some(&task), &[context("e", &["d"])]), Ok(vec![4]));
    }

    #[test]
    fn a_round_comes_after_those_of_all_dependencies_or_there_is_none_c007_c017_c042() {
        type New<'a> = &'a [(&'a str, &'a [&'a str])];
        let placed = |new: New<'_>| {
            let new: Vec<_> = new.iter().map(|(id, after)| context(id, after)).collect();
            places(None, &new).map_err(|(nth, violations)| (nth, violations[0].pointer.clone()))
        };
        for (new, rounds) in [
            (&[("a", &[][..]), ("b", &["a"]), ("c", &["a", "b"])][..], vec![1, 2, 3]),
            (&[("c", &["b"]), ("b", &["a"]), ("a", &[])], vec![3, 2, 1]),
            (&[("a", &[]), ("b", &[])], vec![1, 1]),
        ] {
            assert_eq!(placed(new), Ok(rounds), "{new:?}");
        }
        for (new, nth, pointer) in [
            (&[("a", &["a"][..])][..], 0, "/AgentContext/Dependencies"),
            (
                &[("x", &[]), ("a", &["b"]), ("b", &["a"])],
                1,
                "/AgentContext/Dependencies",
            ),
            (&[("x", &[]), ("a", &["x", "z"])], 1, "/AgentContext/Dependencies/1"),
            (&[("a", &[]), ("a", &[])], 1, "/AgentContext/SubTaskID"),
        ] {
            assert_eq!(placed(new), Err((nth, pointer.to_owned())), "{new:?}");
        }
    }

    proptest! {
        #[test]
        fn what_has_an_order_is_put_in_one_c042(edges in proptest::collection::btree_set((0..6_usize, 0..6_usize), 0..12)) {
            let ids: Vec<String> = (0..6).map(|n| format!("s{n}")).collect();
            let new: Vec<_> = (0..6)
                .map(|n| {
                    let after: Vec<&str> = edges.iter().filter(|(to, _)| *to == n).map(|(_, from)| ids[*from].as_str()).collect();
                    context(&ids[n], &after)
                })
                .collect();
            match places(None, &new) {
                Ok(found) => for (to, from) in edges {
                    assert!(found[to] > found[from]);
                },
                // By its own edges it can be walked on from forever: there is a cycle.
                Err((nth, _)) => {
                    let mut reached = vec![nth];
                    for _ in 0..6 {
                        reached = edges.iter().filter(|(to, _)| reached.contains(to)).map(|(_, from)| *from).collect();
                    }
                    assert!(!reached.is_empty());
                }
            }
        }
    }
}
