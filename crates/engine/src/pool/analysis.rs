//! What the words of a fragment say before any vector is looked at: which language it is in, or that nothing is asked.

use std::sync::LazyLock;

use serde::Deserialize;
use serde::Serialize;

use text::placeholder;
use text::remembered::Remembered;
use text::secrets::prose::MARK;

/// Why a fragment does not reach the pool (Z-065).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoDemand {
    Empty,
    Acknowledgement,
    Thanks,
    Question,
    /// It asks for nothing, as far as its meaning tells.
    NothingAsked,
    /// Nothing is left of it without the secret that it told (X-02).
    Secret,
    /// It is too long, or holds too much, to be read: it is on record as it was said, and no more is made of it.
    Unread,
}

/// Characters of a fragment that is read; a wish takes 20 to 200, and what reading costs grows with them.
pub const READ_CHARS_MAX: usize = 400;

/// Whether a text is short enough to be read.
pub fn is_readable(text: &str) -> bool {
    text.chars().nth(READ_CHARS_MAX).is_none()
}

/// A fragment as read. What journals of before hold besides, types, roles and cues, is read over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Analysis {
    /// The language that it votes for, as two letters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

static REMEMBERED: LazyLock<Remembered<Result<Analysis, NoDemand>>> = LazyLock::new(Remembered::default);

/// Reads one fragment by its form alone: whether there is anything to embed. What it asks for is for its vector to say.
///
/// # Errors
/// Why there is nothing (Z-065).
pub fn analyse(fragment: &text::analysis::Analysis<'_>) -> Result<Analysis, NoDemand> {
    if !is_readable(fragment.text) {
        return Err(NoDemand::Unread);
    }
    if fragment.text.contains(MARK) {
        return Err(NoDemand::Secret);
    }
    if placeholder::says_nothing(fragment.text) {
        return Err(NoDemand::Empty);
    }
    REMEMBERED.of(fragment.text, |_| read(fragment))
}

/// The same of what is short enough, and says something.
fn read(fragment: &text::analysis::Analysis<'_>) -> Result<Analysis, NoDemand> {
    if text::phrase::is_courtesy(fragment) {
        return Err(NoDemand::Acknowledgement);
    }
    Ok(Analysis {
        language: text::language::vote(fragment).map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analysed(text: &str) -> Result<Analysis, NoDemand> {
        analyse(&text::analysis::Analysis::of(text))
    }

    #[test]
    fn what_says_nothing_is_not_read_and_the_rest_votes_for_its_language_z041_z065() {
        assert_eq!(analysed(""), Err(NoDemand::Empty));
        assert_eq!(analysed("thank you very much"), Err(NoDemand::Acknowledgement));
        assert!(analysed("something quiet").is_ok());
        assert_eq!(
            analysed("ohne Zwiebeln").expect("a demand").language.as_deref(),
            Some("de")
        );
        let of = |chars: usize| analysed(&"\u{e9}".repeat(chars));
        assert_ne!(of(READ_CHARS_MAX), Err(NoDemand::Unread), "characters, not bytes");
        assert_eq!(of(READ_CHARS_MAX + 1), Err(NoDemand::Unread));
    }

    #[test]
    fn what_was_read_of_a_fragment_before_is_read_over() {
        let before = r#"{"types": ["none"], "roles": ["DST"], "cues": ["p:to"], "language": "en"}"#;
        let reading: Analysis = serde_json::from_str(before).expect("a reading");
        assert_eq!(reading.language.as_deref(), Some("en"));
    }
}
