//! A person's reason as it is kept and shown to others.

use text::secrets::words::scrubbed_words;

use crate::app::error::ServiceError;
use engine::evolution::operator_action;
use engine::evolution::operator_action::BECAUSE_CHARS_MAX;
use text::redaction;

/// A person's reason as it is kept and shown to others: without secrets and what is personal, like every free text (Z-171, X-02).
///
/// # Errors
/// [`ServiceError::BadRequest`] for one that is too long.
pub fn because(reason: Option<&str>) -> Result<Option<String>, ServiceError> {
    let said = reason.map(operator_action::because).transpose();
    let told = said.map_err(|chars| {
        ServiceError::BadRequest(format!(
            "reason has {chars} characters; it may have {BECAUSE_CHARS_MAX}"
        ))
    })?;
    Ok(told.flatten().map(|told| {
        let kept = scrubbed_words(&told).unwrap_or(told);
        redaction::redacted(&kept)
    }))
}

#[cfg(test)]
mod tests {
    use super::because;

    #[test]
    fn a_reason_is_kept_without_what_is_personal_and_without_secrets_z171_x02() {
        for (said, gone, stays) in [
            ("Jane called from +1 212 555 0143 about it", "0143", "called from"),
            ("write to jane.doe@example.com first", "jane.doe", "write to"),
            ("his card 4111 1111 1111 1111 was refused", "1111", "was refused"),
            ("the password is hunter2hunter2, use that", "hunter2", "the password is"),
            ("rotated sk-proj-Zx81mNq0TTyvLrB3kPdw29Qa today", "Zx81m", "rotated"),
            ("my name is Maria Lopez, and I approve", "Lopez", "I approve"),
        ] {
            let kept = because(Some(said)).expect("short").expect("something");
            assert!(!kept.contains(gone) && kept.contains(stays), "{said} -> {kept}");
        }
        for plain in [
            "audit of the third quarter",
            "the bank agreed",
            "its examples are wrong",
        ] {
            assert_eq!(because(Some(plain)).expect("short").as_deref(), Some(plain));
        }
        assert_eq!(because(Some(" ")).expect("short"), None);
        assert!(because(Some(&"x".repeat(501))).is_err());
    }
}
