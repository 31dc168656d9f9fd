//! Meanings for which a person must say yes (Z-165): payment, identity, access control, what is personal.

use crate::domain::evolution::induction::cluster::Cluster;
use crate::domain::evolution::lexicon;
use crate::domain::template::key::Sensitive;

/// Share of the fragments that must say it where the name does not.
const SHARE_MIN: f64 = 0.30;

/// Phrases by meaning, in the order in which they are asked. Each word is compared by its lemma.
const MEANINGS: [(Sensitive, &[&str]); 4] = [
    (
        Sensitive::AccessControl,
        &[
            "password",
            "passcode",
            "passphrase",
            "pin",
            "puk",
            "otp",
            "one time code",
            "login",
            "log in",
            "admin",
            "administrator",
            "permission",
            "access code",
            "access level",
            "access token",
            "api key",
            "credential",
            "two factor",
            "security question",
            "door code",
            "role assignment",
            "grant access",
            "sudo",
        ],
    ),
    (
        Sensitive::Payment,
        &[
            "payment",
            "credit card",
            "debit card",
            "card number",
            "cvv",
            "cvc",
            "iban",
            "bank account",
            "account number",
            "routing number",
            "paypal",
            "apple pay",
            "google pay",
            "billing",
            "invoice",
            "pay by",
            "pay with",
            "pay in",
            "pay cash",
            "by card",
            "by cash",
            "bank transfer",
            "wallet",
            "visa card",
            "mastercard",
            "cryptocurrency",
            "bitcoin",
        ],
    ),
    (
        Sensitive::Identity,
        &[
            "passport",
            "social security",
            "ssn",
            "national id",
            "id card",
            "id number",
            "identity",
            "driver license",
            "driver licence",
            "driving license",
            "driving licence",
            "license number",
            "licence number",
            "birth date",
            "date of birth",
            "birth",
            "citizenship",
            "nationality",
            "tax id",
            "visa number",
            "maiden name",
            "biometric",
            "fingerprint",
            "face scan",
        ],
    ),
    (
        Sensitive::Personal,
        &[
            "phone number",
            "email",
            "e mail",
            "home address",
            "medical condition",
            "diagnosis",
            "disease",
            "medication",
            "prescription",
            "pregnant",
            "pregnancy",
            "disability",
            "religion",
            "religious",
            "ethnicity",
            "race",
            "sexual",
            "sexual orientation",
            "political",
            "criminal record",
            "health record",
            "blood type",
        ],
    ),
];

/// The word under which a sensitive meaning is published.
pub fn word(sensitive: Sensitive) -> &'static str {
    match sensitive {
        Sensitive::Payment => "payment",
        Sensitive::Identity => "identity",
        Sensitive::AccessControl => "access_control",
        Sensitive::Personal => "personal",
    }
}

/// The first meaning that the name bears, else the first that enough fragments say.
pub fn of(name: &str, cluster: &Cluster) -> Option<Sensitive> {
    let name: Vec<String> = name.split('_').map(lexicon::lemma).collect();
    let named = MEANINGS
        .iter()
        .find(|(_, phrases)| phrases.iter().any(|phrase| holds(&name, phrase)));
    let said = || {
        MEANINGS.iter().find(|(_, phrases)| {
            cluster.share_where(|fragment| phrases.iter().any(|phrase| holds(&fragment.lemmas, phrase))) >= SHARE_MIN
        })
    };
    named.or_else(said).map(|(sensitive, _)| *sensitive)
}

fn holds(lemmas: &[String], phrase: &str) -> bool {
    let words: Vec<&str> = phrase.split(' ').collect();
    lemmas
        .windows(words.len())
        .any(|window| window.iter().map(String::as_str).eq(words.iter().copied()))
}
