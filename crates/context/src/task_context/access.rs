//! Who may read what (C-003, C-021, C-035, C-036, C-065, C-067).
//!
//! The one place that lets anyone in: every call asks here, by the names that the identity layer established. Invariant: what is
//! not one's own is as if it were not there.

use crate::task_context::content::Content;
use crate::task_context::id::ContentId;
use crate::task_context::id::SubtaskId;
use crate::task_context::id::WorkId;
use crate::task_context::round;
use crate::task_context::works::Subtask;
use crate::task_context::works::Work;
use crate::task_context::works::Works;
use schema::name::ClientId;
use schema::time::At;

/// How long tasks are kept without a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lives {
    pub open_kept_ms: i64,
    pub closed_kept_ms: i64,
}

impl Lives {
    /// When a task ends by itself if nothing happens any more.
    pub fn end(&self, work: &Work) -> At {
        let kept = if work.closed {
            self.closed_kept_ms
        } else {
            self.open_kept_ms
        };
        work.changed.plus_ms(kept)
    }

    /// Whether a task is over, be it removed already or not.
    pub fn is_over(&self, work: &Work, now: At) -> bool {
        self.end(work) <= now
    }
}

impl Works {
    /// A task by its master.
    pub fn of_master(&self, client: &ClientId, id: &str, now: At, lives: &Lives) -> Option<&Work> {
        let work = self.works.get(&WorkId::named(id))?;
        (work.master == *client && !lives.is_over(work, now)).then_some(work)
    }

    /// A task by whoever runs the service, who may end it and read nothing of it.
    pub fn of_operator(&self, id: &str, now: At, lives: &Lives) -> Option<&WorkId> {
        let work = self.works.get(&WorkId::named(id))?;
        (!lives.is_over(work, now)).then_some(&work.id)
    }

    /// A subtask by its agent: its own, and only once it was handed out.
    pub fn of_agent(
        &self,
        client: &ClientId,
        id: &str,
        subtask: &str,
        now: At,
        lives: &Lives,
    ) -> Option<(&Work, &SubtaskId, &Subtask)> {
        let work = self.works.get(&WorkId::named(id))?;
        let (subtask, found) = work.subtasks.get_key_value(&SubtaskId::parse(subtask)?)?;
        let own = found.agent == *client && round::is_handed_out(work, found);
        (own && !lives.is_over(work, now)).then_some((work, subtask, found))
    }

    /// What an agent's list holds: its subtasks of tasks that are not closed, in the order of their names.
    pub fn assigned<'a>(
        &'a self,
        client: &'a ClientId,
        now: At,
        lives: &'a Lives,
    ) -> impl Iterator<Item = (&'a Work, &'a SubtaskId, &'a Subtask)> {
        self.handed_out(client, now, lives).filter(|(work, ..)| !work.closed)
    }

    /// Every subtask that was handed out to an agent, of closed tasks too.
    pub fn handed_out<'a>(
        &'a self,
        client: &'a ClientId,
        now: At,
        lives: &'a Lives,
    ) -> impl Iterator<Item = (&'a Work, &'a SubtaskId, &'a Subtask)> {
        let own = self.by_agent.get(client).into_iter().flatten();
        own.filter_map(move |(id, subtask)| self.of_agent(client, id.as_str(), subtask.as_str(), now, lives))
    }

    /// A content by who stored it, by the master of a task that refers to it, or by the agent whose own context does, once that
    /// was handed out (C-058).
    pub fn of_reader(&self, client: &ClientId, id: &ContentId, now: At, lives: &Lives) -> Option<&Content> {
        let content = self.contents.get(id)?;
        (content.is_owned(client, now) || self.is_told(client, id, now, lives)).then_some(content)
    }

    /// Whether a context of a task that goes on lets this client read a content, whoever stored it.
    pub fn is_told(&self, client: &ClientId, id: &ContentId, now: At, lives: &Lives) -> bool {
        let told = |work: &Work| {
            let own = |subtask: &Subtask| {
                subtask.agent == *client
                    && subtask.refers().any(|refers| refers == id)
                    && round::is_handed_out(work, subtask)
            };
            !lives.is_over(work, now) && (work.master == *client || work.subtasks.values().any(own))
        };
        let mut works = self.referred.get(id).into_iter().flatten();
        works.any(|work| self.works.get(work).is_some_and(told))
    }
}

#[cfg(test)]
mod tests {
    use super::Lives;
    use crate::aggregate::Aggregate;
    use crate::task_context::event::WorkEvent;
    use crate::task_context::works::Works;
    use crate::task_context::works::tests::begun;
    use crate::task_context::works::tests::content;
    use crate::task_context::works::tests::evaluated;
    use crate::task_context::works::tests::sent;
    use crate::task_context::works::tests::stored;
    use crate::task_context::works::tests::told;
    use crate::task_context::works::tests::who;
    use crate::task_context::works::tests::work;
    use schema::time::At;

    const LIVES: Lives = Lives {
        open_kept_ms: 100,
        closed_kept_ms: 10,
    };
    const NOW: At = At(10);

    fn doctor() -> Works {
        told(&[
            stored(7, "master"),
            stored(8, "master"),
            begun(1, "master", None),
            sent(1, "diagnosis", "d", 1, &[], &[7]),
            sent(1, "prescription", "p", 2, &["diagnosis"], &[8]),
            begun(2, "p", None),
        ])
    }

    fn agent(works: &Works, name: &str, subtask: &str) -> bool {
        let found = works.of_agent(&who(name), work(1).as_str(), subtask, NOW, &LIVES);
        found.is_some()
    }

    fn reads(works: &Works, name: &str, n: u8) -> bool {
        works.of_reader(&who(name), &content(n), NOW, &LIVES).is_some()
    }

    #[test]
    fn nobody_but_the_master_has_the_task_c021_c065() {
        let works = doctor();
        let has = |name: &str| works.of_master(&who(name), work(1).as_str(), NOW, &LIVES).is_some();
        assert_eq!(["master", "d", "p", "stranger"].map(has), [true, false, false, false]);
    }

    #[test]
    fn an_agent_has_its_own_subtask_once_it_is_handed_out_c035_c036_c067() {
        let works = doctor();
        assert!(agent(&works, "d", "diagnosis"));
        assert!(!agent(&works, "d", "prescription"), "another one's");
        assert!(!agent(&works, "p", "prescription"), "not handed out yet");
        assert!(!agent(&works, "master", "diagnosis") && !agent(&works, "stranger", "diagnosis"));
        assert!(!agent(&works, "d", "nothing") && !agent(&works, "d", "a b"));
        let mut works = works;
        works.evolve(9, At(9), &evaluated(1, "diagnosis", true));
        assert!(agent(&works, "p", "prescription"));
        assert!(agent(&works, "d", "diagnosis"), "its own stays its own");
    }

    #[test]
    fn what_is_closed_is_in_no_agents_list_and_can_still_be_fetched_c059() {
        let mut works = doctor();
        let listed = |works: &Works| works.assigned(&who("d"), NOW, &LIVES).count();
        assert_eq!(listed(&works), 1);
        works.evolve(9, At(9), &WorkEvent::Closed { work: work(1) });
        assert_eq!(listed(&works), 0);
        assert!(agent(&works, "d", "diagnosis"));
    }

    #[test]
    fn a_content_is_read_by_who_is_told_of_it_c058_c067() {
        let works = doctor();
        assert!(reads(&works, "master", 7) && reads(&works, "master", 8));
        assert!(reads(&works, "d", 7), "its context refers to it");
        assert!(!reads(&works, "d", 8), "another one's does");
        assert!(!reads(&works, "p", 8), "its own is not handed out");
        assert!(!reads(&works, "stranger", 7), "to know the address is not enough");
        let own = told(&[stored(7, "agent")]);
        assert!(reads(&own, "agent", 7));
        assert!(own.of_reader(&who("agent"), &content(7), At(999), &LIVES).is_some());
        assert!(
            own.of_reader(&who("agent"), &content(7), At(1_000), &LIVES).is_none(),
            "its time is over"
        );
    }

    #[test]
    fn what_is_over_is_gone_for_everyone_c022() {
        let works = doctor();
        let last = works.works[&work(1)].changed;
        for (after, there) in [(99, true), (100, false)] {
            let now = last.plus_ms(after);
            assert_eq!(
                works.of_master(&who("master"), work(1).as_str(), now, &LIVES).is_some(),
                there
            );
            assert_eq!(
                works
                    .of_agent(&who("d"), work(1).as_str(), "diagnosis", now, &LIVES)
                    .is_some(),
                there
            );
            assert_eq!(works.of_reader(&who("d"), &content(7), now, &LIVES).is_some(), there);
        }
        let closed = told(&[begun(1, "master", None), WorkEvent::Closed { work: work(1) }]);
        assert!(
            closed
                .of_master(&who("master"), work(1).as_str(), At(11), &LIVES)
                .is_some()
        );
        assert!(
            closed
                .of_master(&who("master"), work(1).as_str(), At(12), &LIVES)
                .is_none()
        );
    }
}
