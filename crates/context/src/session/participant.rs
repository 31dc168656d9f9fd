//! As what somebody takes part in a session, and the patterns that stand for several (Shared Context §2.2, §7.2, §8.3, S-076,
//! S-093).
//!
//! Invariant: of two participants' patterns no participant matches both, which [`Pattern::overlaps`] tells, so that a name in
//! `written_by` is one caller's.

use serde::Deserialize;
use serde::Serialize;

use text::name::is_plain;

/// The one that leads.
pub const ORCHESTRATOR: &str = "orchestrator";
/// What every other one's name begins with.
const SUBAGENT: &str = "subagent:";
/// Bytes of a segment of a name.
const SEGMENT_BYTES_MAX: usize = 64;

text::plain_name! {
    /// A participant: `orchestrator`, `subagent:{task}` or `subagent:{task}:{id}`.
    Participant
}

impl Participant {
    /// Checks a name.
    pub fn parse(text: &str) -> Option<Participant> {
        let right = text == ORCHESTRATOR
            || text.strip_prefix(SUBAGENT).is_some_and(|rest| {
                let mut segments = rest.split(':');
                let (task, id, more) = (segments.next(), segments.next(), segments.next());
                task.is_some_and(is_segment) && id.is_none_or(is_segment) && more.is_none()
            });
        right.then(|| Participant(text.to_owned()))
    }

    /// The one that leads.
    pub fn orchestrator() -> Participant {
        Participant(ORCHESTRATOR.to_owned())
    }

    /// Whether it is the one that leads.
    pub fn leads(&self) -> bool {
        self.0 == ORCHESTRATOR
    }
}

text::plain_name! {
    /// Participants by name: one, or with `*` at the end all whose name begins so.
    Pattern
}

impl Pattern {
    /// Checks a pattern: a participant, `*`, `subagent:*`, `subagent:{task}:*`, or the beginning of a task or an id with `*`.
    pub fn parse(text: &str) -> Option<Pattern> {
        let right = match text.strip_suffix('*') {
            None => Participant::parse(text).is_some(),
            Some("") => true,
            Some(begun) => begun.strip_prefix(SUBAGENT).is_some_and(|rest| {
                let (task, id) = rest.split_once(':').unwrap_or((rest, ""));
                let open = |segment: &str| segment.is_empty() || is_segment(segment);
                open(id)
                    && if rest.contains(':') {
                        is_segment(task)
                    } else {
                        open(task)
                    }
            }),
        };
        right.then(|| Pattern(text.to_owned()))
    }

    /// Whether a participant is meant.
    pub fn matches(&self, who: &Participant) -> bool {
        match self.0.strip_suffix('*') {
            Some(begun) => who.0.starts_with(begun),
            None => who.0 == self.0,
        }
    }

    /// Whether there can be a participant that both mean.
    pub fn overlaps(&self, other: &Pattern) -> bool {
        match (self.0.strip_suffix('*'), other.0.strip_suffix('*')) {
            (None, None) => self.0 == other.0,
            (Some(begun), None) => other.0.starts_with(begun),
            (None, Some(begun)) => self.0.starts_with(begun),
            (Some(one), Some(other)) => one.starts_with(other) || other.starts_with(one),
        }
    }

    /// Whether it means everybody whom another one means.
    pub fn covers(&self, other: &Pattern) -> bool {
        match self.0.strip_suffix('*') {
            Some(begun) => other.0.strip_suffix('*').unwrap_or(&other.0).starts_with(begun),
            None => self.0 == other.0,
        }
    }

    /// The one participant that it means, if it means no others.
    pub fn one(&self) -> Option<Participant> {
        (!self.0.ends_with('*')).then(|| Participant(self.0.clone()))
    }
}

/// Whether somebody is meant by a list; an empty one means everybody, as `["*"]` does.
pub fn any_matches(patterns: &[Pattern], who: &Participant) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(who))
}

/// Whether a list means everybody.
pub fn is_everybody(patterns: &[Pattern]) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| pattern.0 == "*")
}

fn is_segment(text: &str) -> bool {
    is_plain(text, SEGMENT_BYTES_MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::Strategy;
    use proptest::prop_assert;
    use proptest::proptest;

    use super::Participant;
    use super::Pattern;
    use super::any_matches;

    fn who(text: &str) -> Participant {
        Participant::parse(text).expect("a participant")
    }

    fn pattern(text: &str) -> Pattern {
        Pattern::parse(text).unwrap_or_else(|| panic!("{text} is a pattern"))
    }

    #[test]
    fn participants_are_named_as_recommended_s093() {
        for text in ["orchestrator", "subagent:investigation", "subagent:investigation:3"] {
            assert_eq!(who(text).as_str(), text);
        }
        let long = format!("subagent:{}", "t".repeat(65));
        for text in [
            "",
            "agent",
            "subagent",
            "subagent:",
            "subagent:a:",
            "subagent:a:b:c",
            "subagent:a b",
            "orchestrator:1",
            "*",
            &long,
        ] {
            assert!(Participant::parse(text).is_none(), "{text}");
        }
        assert!(Participant::parse(&format!("subagent:{}", "t".repeat(64))).is_some());
    }

    #[test]
    fn a_pattern_means_one_or_all_that_begin_so_s076() {
        for (text, name, meant) in [
            ("*", "orchestrator", true),
            ("*", "subagent:a:1", true),
            ("orchestrator", "orchestrator", true),
            ("subagent:*", "orchestrator", false),
            ("subagent:*", "subagent:a", true),
            ("subagent:a", "subagent:a:1", false),
            ("subagent:a:*", "subagent:a", false),
            ("subagent:a:*", "subagent:a:1", true),
            ("subagent:a*", "subagent:ab", true),
            ("subagent:a:*", "subagent:ab:1", false),
        ] {
            assert_eq!(pattern(text).matches(&who(name)), meant, "{text} {name}");
        }
        for text in ["", "**", "orch*", "subagent*", "subagent:*:1", "subagent::*", "a*"] {
            assert!(Pattern::parse(text).is_none(), "{text}");
        }
        assert!(any_matches(&[], &who("subagent:a")));
        assert!(!any_matches(&[pattern("orchestrator")], &who("subagent:a")));
    }

    fn patterns() -> impl Strategy<Value = Pattern> {
        "(\\*|orchestrator|subagent:(\\*|[ab]{1,2}\\*?|[ab]{1,2}:(\\*|[12]{1,2}\\*?)))"
            .prop_map(|text| Pattern::parse(&text).expect("a pattern"))
    }

    fn participants() -> impl Strategy<Value = Participant> {
        "(orchestrator|subagent:[ab]{1,3}(:[12]{1,3})?)"
            .prop_map(|text| Participant::parse(&text).expect("a participant"))
    }

    proptest! {
        #[test]
        fn who_is_meant_by_two_patterns_shows_that_they_overlap_s027(one in patterns(), other in patterns(), who in participants()) {
            prop_assert!(one.overlaps(&other) == other.overlaps(&one));
            if one.matches(&who) && other.matches(&who) {
                prop_assert!(one.overlaps(&other));
            }
            if one.covers(&other) && other.matches(&who) {
                prop_assert!(one.matches(&who));
            }
        }
    }
}
