//! A page of somebody's tasks, those that changed last first (A2A §3.1.4).

use crate::a2a_task::book::Book;
use crate::a2a_task::book::Task;
use crate::a2a_task::phase::Phase;
use schema::name::ClientId;
use schema::time::At;

/// Tasks of a page where nothing is said.
pub const SIZE: usize = 50;
/// Tasks of a page at most.
pub const SIZE_MAX: usize = 100;

/// Which tasks are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Empty for any.
    pub context: String,
    pub phase: Option<Phase>,
    /// Only those that changed then or later.
    pub after: Option<At>,
}

/// A page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<'a> {
    pub tasks: Vec<&'a Task>,
    /// Where the next page begins; `None` on the last one.
    pub next: Option<u64>,
    /// How many tasks there are on all pages.
    pub total: usize,
}

impl Book {
    /// At most `size` tasks of an owner, from the last change before `before` on.
    pub fn page(&self, owner: Option<&ClientId>, filter: &Filter, size: usize, before: Option<u64>) -> Page<'_> {
        let own = self.by_owner.get(&owner.cloned());
        let mut changes: Vec<u64> = own
            .into_iter()
            .flat_map(|order| order.ended.keys().chain(order.open.keys()))
            .copied()
            .collect();
        changes.sort_unstable_by(|one, other| other.cmp(one));
        let found = |changed: u64| {
            let order = own?;
            let id = order.ended.get(&changed).or_else(|| order.open.get(&changed))?;
            self.tasks.get(id).filter(|task| filter.takes(task))
        };
        let matching: Vec<&Task> = changes.into_iter().filter_map(found).collect();
        let total = matching.len();
        let mut rest = matching
            .into_iter()
            .filter(|task| before.is_none_or(|before| task.changed < before));
        let tasks: Vec<&Task> = rest.by_ref().take(size).collect();
        let next = rest.next().and_then(|_| tasks.last().map(|task| task.changed));
        Page { tasks, next, total }
    }
}

impl Filter {
    fn takes(&self, task: &Task) -> bool {
        (self.context.is_empty() || self.context == task.context)
            && self.phase.is_none_or(|phase| phase == task.phase)
            && self.after.is_none_or(|after| task.at >= after)
    }
}

#[cfg(test)]
mod tests {
    use super::At;
    use super::Book;
    use super::ClientId;
    use super::Filter;
    use super::Phase;
    use crate::a2a_task::event::TaskEvent;
    use crate::a2a_task::event::TaskId;
    use crate::aggregate::Aggregate;

    fn book() -> Book {
        let mut book = Book::default();
        let begun = |n: u8, owner| TaskEvent::Begun {
            task: TaskId::of([n; 16]),
            context: format!("c{}", n % 2),
            owner,
            more: 0,
        };
        for n in 1..=5 {
            book.evolve(u64::from(n), At(i64::from(n)), &begun(n, None));
        }
        book.evolve(6, At(6), &begun(6, ClientId::parse("ana")));
        let ended = TaskEvent::Became {
            task: TaskId::of([2; 16]),
            phase: Phase::Completed,
            said: false,
            more: 0,
        };
        book.evolve(7, At(7), &ended);
        book
    }

    fn seqs(book: &Book, filter: &Filter, size: usize, before: Option<u64>) -> (Vec<u64>, Option<u64>, usize) {
        let page = book.page(None, filter, size, before);
        (
            page.tasks.iter().map(|task| task.changed).collect(),
            page.next,
            page.total,
        )
    }

    #[test]
    fn pages_follow_each_other_without_gap_or_overlap() {
        let (book, all) = (book(), Filter::default());
        assert_eq!(seqs(&book, &all, 2, None), (vec![7, 5], Some(5), 5));
        assert_eq!(seqs(&book, &all, 2, Some(5)), (vec![4, 3], Some(3), 5));
        assert_eq!(seqs(&book, &all, 2, Some(3)), (vec![1], None, 5));
        assert_eq!(seqs(&book, &all, 5, None), (vec![7, 5, 4, 3, 1], None, 5));
        assert_eq!(seqs(&book, &all, 2, Some(1)), (Vec::new(), None, 5));
    }

    #[test]
    fn only_own_tasks_that_fit_are_shown() {
        let book = book();
        let of_context = Filter {
            context: "c1".to_owned(),
            ..Filter::default()
        };
        assert_eq!(seqs(&book, &of_context, 9, None).0, [5, 3, 1]);
        let ended = Filter {
            phase: Some(Phase::Completed),
            ..Filter::default()
        };
        assert_eq!(seqs(&book, &ended, 9, None).0, [7]);
        let later = Filter {
            after: Some(At(4)),
            ..Filter::default()
        };
        assert_eq!(seqs(&book, &later, 9, None).0, [7, 5, 4]);
        let ana = ClientId::parse("ana");
        assert_eq!(book.page(ana.as_ref(), &Filter::default(), 9, None).total, 1);
        let ben = ClientId::parse("ben");
        assert_eq!(book.page(ben.as_ref(), &Filter::default(), 9, None).total, 0);
    }
}
