//! Names of tasks, subtasks and contents.

use serde::Deserialize;
use serde::Serialize;

use text::name::hexadecimal;
use text::name::is_plain;

/// Characters of a subtask's id, and of a task's: they stand in addresses.
pub const SUBTASK_CHARS_MAX: usize = 64;
/// What the address of a content begins with, where it is written.
pub const CONTENTS: &str = "/v1/contents/";
/// Hexadecimal digits of a content's hash.
const HASH_DIGITS: usize = 64;

text::plain_name! {
    /// A task's id: its master's own, or `work_` and 32 hexadecimal digits by chance, so that nobody can tell whether another one's
    /// exists.
    TaskId
}

impl TaskId {
    /// The id made of sixteen random bytes.
    pub fn of(random: [u8; 16]) -> TaskId {
        TaskId(format!("work_{}", hexadecimal(&random)))
    }

    /// Checks an id of a master's own: 1 to 64 characters out of `[A-Za-z0-9._-]`.
    pub fn parse(text: &str) -> Option<TaskId> {
        is_plain(text, SUBTASK_CHARS_MAX).then(|| TaskId(text.to_owned()))
    }

    /// The id that somebody names, whether or not there is such a task.
    pub fn named(text: &str) -> TaskId {
        TaskId(text.to_owned())
    }
}

text::plain_name! {
    /// A subtask's id, chosen by the master and unique in its task: 1 to 64 characters out of `[A-Za-z0-9._-]` (C-039).
    SubtaskId
}

impl SubtaskId {
    /// Checks an id.
    pub fn parse(text: &str) -> Option<SubtaskId> {
        is_plain(text, SUBTASK_CHARS_MAX).then(|| SubtaskId(text.to_owned()))
    }
}

text::plain_name! {
    /// A content's id: the SHA-256 of its text in 64 lower-case hexadecimal digits (C-058).
    ContentId
}

impl ContentId {
    /// Checks an id.
    pub fn parse(text: &str) -> Option<ContentId> {
        let ok = text.len() == HASH_DIGITS && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        ok.then(|| ContentId(text.to_owned()))
    }

    /// The address of the content, as a context refers to it.
    pub fn uri(&self) -> String {
        format!("{CONTENTS}{}", self.0)
    }

    /// Every content whose address stands in a text, in their order.
    pub fn within(text: &str) -> impl Iterator<Item = ContentId> + '_ {
        text.split(CONTENTS)
            .skip(1)
            .filter_map(|rest| ContentId::parse(rest.get(..HASH_DIGITS)?))
    }
}

#[cfg(test)]
mod tests {
    use super::ContentId;
    use super::SubtaskId;
    use super::TaskId;

    #[test]
    fn ids_have_one_form_c023_c039() {
        assert_eq!(TaskId::of([0xab; 16]).as_str(), format!("work_{}", "ab".repeat(16)));
        for good in ["a", "hotel-1", "step_2.b", &"x".repeat(64)] {
            assert!(SubtaskId::parse(good).is_some(), "{good}");
        }
        for bad in ["", "a b", "a/b", "ä", "a:b", &"x".repeat(65)] {
            assert!(SubtaskId::parse(bad).is_none(), "{bad}");
        }
        assert!(ContentId::parse(&"a0".repeat(32)).is_some());
        for bad in ["A0".repeat(32), "a0".repeat(31), "g0".repeat(32)] {
            assert!(ContentId::parse(&bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn addresses_of_contents_are_found_in_a_text_c058() {
        let id = ContentId::parse(&"0f".repeat(32)).expect("an id");
        let text = format!("see {} and ({}), not /v1/contents/0f", id.uri(), id.uri());
        assert_eq!(ContentId::within(&text).count(), 2);
        assert!(ContentId::within(&text).all(|found| found == id));
        assert_eq!(ContentId::within("/v1/contents/").count(), 0);
        assert_eq!(ContentId::within("/v1/contents/äöü").count(), 0);
    }
}
