//! How somebody can be reached: what most fragments give is a phone number or an e-mail address.
//!
//! Such fragments are personal and no text of theirs is read. Redaction says what stood where, and a word takes its place,
//! so that what is asked for can be told and nobody's number with it (Z-169).

/// A way to be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contact {
    Phone,
    Email,
}

/// Share of the members that must give one before a key for it is asked for.
pub const SHARE_MIN: f64 = 0.45;

impl Contact {
    /// Both of them.
    pub const ALL: [Contact; 2] = [Contact::Phone, Contact::Email];

    /// What redaction leaves in its place.
    const fn mark(self) -> &'static str {
        match self {
            Contact::Phone => "[phone]",
            Contact::Email => "[email]",
        }
    }

    /// The word that stands for it where a fragment is shown.
    pub const fn word(self) -> &'static str {
        match self {
            Contact::Phone => "PHONE",
            Contact::Email => "EMAIL",
        }
    }

    /// Names for its key, the usual one first.
    pub const fn names(self) -> [&'static str; 2] {
        match self {
            Contact::Phone => ["phone_number", "contact_number"],
            Contact::Email => ["email", "contact_email"],
        }
    }

    /// What the key holds, for its description.
    pub const fn gloss(self) -> &'static str {
        match self {
            Contact::Phone => "number at which somebody can be reached",
            Contact::Email => "address at which somebody can be reached",
        }
    }
}

/// The contact that a redacted fragment gives, with a word in its place; `None` where it gives none.
pub fn told(redacted: &str) -> Option<(Contact, String)> {
    let contact = Contact::ALL
        .into_iter()
        .find(|contact| redacted.contains(contact.mark()))?;
    Some((contact, redacted.replace(contact.mark(), contact.word())))
}

#[cfg(test)]
mod tests {
    use super::Contact;
    use super::told;
    use crate::domain::pool::redact::redacted;

    #[test]
    fn a_word_stands_where_a_number_or_an_address_stood_z169() {
        let said = |text: &str| told(&redacted(text));
        assert_eq!(
            said("Text me at 303-555-3130"),
            Some((Contact::Phone, "Text me at PHONE".to_owned()))
        );
        assert_eq!(
            said("write to ann.lee@example.org please"),
            Some((Contact::Email, "write to EMAIL please".to_owned()))
        );
        assert_eq!(said("two bags"), None);
        assert_eq!(said("card 4111 1111 1111 1111"), None, "no way to be reached");
    }
}
