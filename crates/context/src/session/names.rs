//! Names of sessions, keys, snapshots and participants, and the patterns that stand for several participants (Shared Context §2.2,
//! §4.3, §7.2, §8.3).
//!
//! Invariant: of two principals' patterns no participant matches both, which [`Pattern::overlaps`] tells, so that a name in
//! `written_by` is one caller's.

use serde::Deserialize;
use serde::Serialize;

use text::name::hexadecimal;
use text::name::is_plain;

/// Characters of a key, its prefix included.
pub const KEY_CHARS_MAX: usize = 64;
/// Patterns of one list.
pub const PATTERNS_MAX: usize = 16;
/// The participant that leads.
const ORCHESTRATOR: &str = "orchestrator";
/// What every other participant's name begins with.
const SUBAGENT: &str = "subagent:";

text::plain_name! {
    /// A session, unique in the service: 1 to 128 characters out of `[A-Za-z0-9._-]`.
    SessionId
}
text::plain_name! {
    /// A key: 1 to 64 characters out of `[a-z0-9_]`, and with the extension of prefixes one colon between two such parts.
    Key
}
text::plain_name! {
    /// A snapshot's label: 1 to 64 characters out of `[A-Za-z0-9._-]`.
    Label
}
text::plain_name! {
    /// A participant: `orchestrator`, `subagent:{task}` or `subagent:{task}:{id}`.
    Participant
}
text::plain_name! {
    /// Participants by name: one, or with `*` at the end all whose name begins so.
    Pattern
}

impl SessionId {
    /// Checks a session's id.
    pub fn parse(text: &str) -> Option<SessionId> {
        is_plain(text, 128).then(|| SessionId(text.to_owned()))
    }

    /// An id that nobody can guess, out of random bytes.
    pub fn given_out(random: [u8; 16]) -> SessionId {
        SessionId(format!("ses_{}", hexadecimal(&random)))
    }
}

impl Label {
    /// Checks a label.
    pub fn parse(text: &str) -> Option<Label> {
        is_plain(text, 64).then(|| Label(text.to_owned()))
    }
}

impl Key {
    /// Checks a key; `prefixes` says whether one colon may stand in it.
    pub fn parse(text: &str, prefixes: bool) -> Option<Key> {
        let is_part = |part: &str| {
            let right = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
            !part.is_empty() && part.bytes().all(right)
        };
        let right = match text.split_once(':') {
            Some((prefix, rest)) => prefixes && is_part(prefix) && is_part(rest),
            None => is_part(text),
        };
        (right && text.len() <= KEY_CHARS_MAX).then(|| Key(text.to_owned()))
    }
}

impl Participant {
    /// Checks a name.
    pub fn parse(text: &str) -> Option<Participant> {
        let right = text == ORCHESTRATOR
            || text.strip_prefix(SUBAGENT).is_some_and(|rest| {
                let (task, id) = rest.split_once(':').map_or((rest, None), |(task, id)| (task, Some(id)));
                is_segment(task) && id.is_none_or(is_segment)
            });
        right.then(|| Participant(text.to_owned()))
    }

    /// The one that leads.
    pub fn orchestrator() -> Participant {
        Participant(ORCHESTRATOR.to_owned())
    }
}

impl Pattern {
    /// Checks a pattern: a participant, `subagent:*`, `subagent:{task}:*`, or the beginning of a task or an id with `*`.
    pub fn parse(text: &str) -> Option<Pattern> {
        let is_begun = |segment: &str| segment.is_empty() || is_segment(segment);
        let right = match text.strip_suffix('*') {
            None => Participant::parse(text).is_some(),
            Some(begun) => begun
                .strip_prefix(SUBAGENT)
                .is_some_and(|rest| match rest.split_once(':') {
                    Some((task, id)) => is_segment(task) && is_begun(id),
                    None => is_begun(rest),
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

    /// The one participant that it means, if it means no others.
    pub fn one(&self) -> Option<Participant> {
        (!self.0.ends_with('*')).then(|| Participant(self.0.clone()))
    }
}

/// Whether a text is one segment of a participant's name: 1 to 64 characters out of `[A-Za-z0-9._-]`.
fn is_segment(text: &str) -> bool {
    is_plain(text, 64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::Strategy;
    use proptest::prop_assert;
    use proptest::proptest;

    use super::Key;
    use super::Label;
    use super::Participant;
    use super::Pattern;
    use super::SessionId;

    #[test]
    fn names_have_one_form_each_s006_s039_s040_s041_s053_s074_s075_s093() {
        let longest = |letter: &str, count: usize| letter.repeat(count);
        let (key, prefixed) = (longest("k", 64), format!("p:{}", longest("k", 62)));
        let task = format!("subagent:{}", longest("t", 64));
        type Check = fn(&str) -> bool;
        let cases: [(Check, &[&str], &[&str]); 6] = [
            (
                |text| Key::parse(text, false).is_some(),
                &["a", "current_phase", "k9", "_", "0", &key],
                &[
                    "",
                    "A",
                    "a-b",
                    "a.b",
                    "a/b",
                    "a b",
                    "schlüssel",
                    "a:b",
                    "a\n",
                    &longest("k", 65),
                ],
            ),
            (
                |text| Key::parse(text, true).is_some(),
                &["inv:findings_summary", "plain", &prefixed],
                &[":a", "a:", ":", "a:b:c", "a::b", "A:b", &format!("{prefixed}k")],
            ),
            (
                |text| SessionId::parse(text).is_some(),
                &["CAPA-2026.17", &longest("s", 128)],
                &["", "a b", "a:b", "a/b", "ü", &longest("s", 129)],
            ),
            (
                |text| Label::parse(text).is_some(),
                &["pre_approval_phase_3", &longest("s", 64)],
                &["", "a b", "a:b", "a/b", "ü", &longest("s", 65)],
            ),
            (
                |text| Participant::parse(text).is_some(),
                &[
                    "orchestrator",
                    "subagent:investigation",
                    "subagent:investigation:3",
                    &task,
                ],
                &[
                    "",
                    "agent",
                    "subagent",
                    "subagent:",
                    "subagent:a:",
                    "subagent:a:b:c",
                    "orchestrator:1",
                    "*",
                    &format!("{task}t"),
                ],
            ),
            (
                |text| Pattern::parse(text).is_some(),
                &[
                    "orchestrator",
                    "subagent:*",
                    "subagent:a*",
                    "subagent:a:*",
                    "subagent:a:1*",
                ],
                &["", "*", "**", "orch*", "subagent*", "subagent:*:1", "subagent::*", "a*"],
            ),
        ];
        for (number, (is_one, right, wrong)) in cases.into_iter().enumerate() {
            right.iter().for_each(|text| assert!(is_one(text), "{number}: {text}"));
            wrong.iter().for_each(|text| assert!(!is_one(text), "{number}: {text}"));
        }
    }

    #[test]
    fn a_pattern_means_one_or_all_that_begin_so_s092() {
        for (text, name, meant) in [
            ("orchestrator", "orchestrator", true),
            ("subagent:*", "orchestrator", false),
            ("subagent:*", "subagent:a", true),
            ("subagent:a", "subagent:a:1", false),
            ("subagent:a:*", "subagent:a", false),
            ("subagent:a:*", "subagent:a:1", true),
            ("subagent:a*", "subagent:ab", true),
            ("subagent:a:*", "subagent:ab:1", false),
        ] {
            let pattern = Pattern::parse(text).expect("a pattern");
            let who = Participant::parse(name).expect("a participant");
            assert_eq!(pattern.matches(&who), meant, "{text} {name}");
        }
    }

    fn patterns() -> impl Strategy<Value = Pattern> {
        "(orchestrator|subagent:(\\*|[ab]{1,2}\\*?|[ab]{1,2}:(\\*|[12]{1,2}\\*?)))"
            .prop_map(|text| Pattern::parse(&text).expect("a pattern"))
    }

    proptest! {
        #[test]
        fn who_is_meant_by_two_patterns_shows_that_they_overlap_s027(
            one in patterns(),
            other in patterns(),
            who in "(orchestrator|subagent:[ab]{1,3}(:[12]{1,3})?)",
        ) {
            let who = Participant::parse(&who).expect("a participant");
            prop_assert!(one.overlaps(&other) == other.overlaps(&one));
            if one.matches(&who) && other.matches(&who) {
                prop_assert!(one.overlaps(&other));
            }
        }
    }
}
