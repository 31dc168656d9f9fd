//! What a goal's status may be, and what all of them add up to (C-032, C-033).
//!
//! A status is one of six words in any case and spacing, or in a usual other word for it; after it, it may say more in plain words. What
//! begins with none of them is kept as it was said, and adds up as something that is under way.

use strum::IntoStaticStr;
use strum::VariantArray;

/// Other words that masters write for them, without case and spacing.
const WORDS: [(&str, Status); 24] = [
    ("notstarted", Status::Pending),
    ("todo", Status::Pending),
    ("open", Status::Pending),
    ("new", Status::Pending),
    ("planned", Status::Pending),
    ("queued", Status::Pending),
    ("ongoing", Status::InProgress),
    ("started", Status::InProgress),
    ("running", Status::InProgress),
    ("active", Status::InProgress),
    ("working", Status::InProgress),
    ("underway", Status::InProgress),
    ("onhold", Status::Blocked),
    ("stuck", Status::Blocked),
    ("complete", Status::Completed),
    ("done", Status::Completed),
    ("finished", Status::Completed),
    ("succeeded", Status::Completed),
    ("success", Status::Completed),
    ("failure", Status::Failed),
    ("error", Status::Failed),
    ("cancelled", Status::Canceled),
    ("aborted", Status::Canceled),
    ("dropped", Status::Canceled),
];

/// How far something has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Status {
    /// Nobody has begun.
    Pending,
    InProgress,
    /// Something must happen first.
    Blocked,
    Completed,
    Failed,
    /// It is not wanted any more.
    Canceled,
}

impl Status {
    /// Its word.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Reads a word that is known, in any case and spacing, whatever is said behind it; nothing said at all is pending. `None`
    /// for words of the master's own.
    pub fn read(text: &str) -> Option<Status> {
        if text.trim().is_empty() {
            return Some(Status::Pending);
        }
        let ends = [':', ';', ',', '(', '\u{2013}', '\u{2014}'];
        let head = text.split(ends).next().and_then(|head| head.split(" - ").next());
        let word: String = head
            .into_iter()
            .flat_map(str::chars)
            .filter(|c| c.is_alphanumeric())
            .collect();
        let word = word.to_lowercase();
        let own = Status::VARIANTS
            .iter()
            .find(|status| status.name().replace('_', "") == word);
        let other = || WORDS.iter().find(|(other, _)| *other == word).map(|(_, status)| status);
        own.or_else(other).copied()
    }

    /// The same of a goal, where words of the master's own say that it is under way (C-033).
    pub fn of_goal(text: &str) -> Status {
        Status::read(text).unwrap_or(Status::InProgress)
    }

    /// What goals add up to: canceled ones do not count, unless there are no others. Then the first that holds: one has failed
    /// and so has the whole; all are completed; one is blocked; none was begun; else it is in progress. No goals are pending.
    pub fn overall(goals: &[Status]) -> Status {
        let wanted: Vec<Status> = goals.iter().copied().filter(|goal| *goal != Status::Canceled).collect();
        let all = |status| wanted.iter().all(|goal| *goal == status);
        match (goals, wanted.as_slice()) {
            ([], []) => Status::Pending,
            ([..], []) => Status::Canceled,
            _ if wanted.contains(&Status::Failed) => Status::Failed,
            _ if all(Status::Completed) => Status::Completed,
            _ if wanted.contains(&Status::Blocked) => Status::Blocked,
            _ if all(Status::Pending) => Status::Pending,
            _ => Status::InProgress,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::proptest;
    use proptest::sample::select;

    use strum::VariantArray;

    use super::Status;

    #[test]
    fn a_status_is_a_word_in_any_spelling_with_more_behind_it_c027_c033() {
        for (text, read) in [
            ("completed", Some(Status::Completed)),
            ("blocked: the hotel: no answer", Some(Status::Blocked)),
            (" in_progress : half", Some(Status::InProgress)),
            ("In Progress", Some(Status::InProgress)),
            ("IN-PROGRESS", Some(Status::InProgress)),
            ("inProgress", Some(Status::InProgress)),
            ("done", Some(Status::Completed)),
            ("Completed", Some(Status::Completed)),
            ("COMPLETE (see invoice)", Some(Status::Completed)),
            ("Not started", Some(Status::Pending)),
            ("to-do", Some(Status::Pending)),
            ("cancelled - no rooms", Some(Status::Canceled)),
            ("", Some(Status::Pending)),
            ("half done", None),
            ("not done", None),
            ("???", None),
        ] {
            assert_eq!(Status::read(text), read, "{text}");
        }
        assert_eq!(
            Status::of_goal("half done"),
            Status::InProgress,
            "words of the master's own"
        );
    }

    #[test]
    fn goals_add_up_by_the_first_rule_that_holds_c028_c032_c033() {
        use Status::Blocked;
        use Status::Canceled;
        use Status::Completed;
        use Status::Failed;
        use Status::InProgress;
        use Status::Pending;
        for (goals, overall) in [
            (&[][..], Pending),
            (&[Canceled], Canceled),
            (&[Completed], Completed),
            (&[Completed, Canceled], Completed),
            (&[Completed, Pending], InProgress),
            (&[Completed, InProgress], InProgress),
            (&[Pending, Pending], Pending),
            (&[Pending, Canceled], Pending),
            (&[Pending, InProgress], InProgress),
            (&[InProgress, Blocked], Blocked),
            (&[Completed, Blocked, Failed], Failed),
        ] {
            assert_eq!(Status::overall(goals), overall, "{goals:?}");
        }
    }

    proptest! {
        #[test]
        fn the_order_of_goals_does_not_matter_c033(goals in proptest::collection::vec(select(Status::VARIANTS), 0..8)) {
            let mut turned = goals.clone();
            turned.reverse();
            assert_eq!(Status::overall(&goals), Status::overall(&turned));
            turned.sort();
            assert_eq!(Status::overall(&goals), Status::overall(&turned));
            let completed = Status::overall(&goals) == Status::Completed;
            let all = goals.iter().all(|goal| matches!(goal, Status::Completed | Status::Canceled));
            assert_eq!(completed, all && goals.contains(&Status::Completed));
        }
    }
}
