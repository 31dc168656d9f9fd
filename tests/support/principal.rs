//! Callers that have keys.

use otherwise::app::caller::Role;
use otherwise::config::OneOrMany;
use otherwise::config::Principal;
use sha2::Digest;
use sha2::Sha256;
use text::name::hexadecimal;

/// Somebody of one role, in no cohort, who has this key.
pub fn with_key(name: &str, role: Role, key: &str) -> Principal {
    Principal {
        name: name.to_owned(),
        roles: vec![role],
        key_sha256: OneOrMany::One(hexadecimal(&Sha256::digest(key))),
        cohort: None,
        disabled: false,
    }
}

/// Somebody of each role, whose key is `key of` and the name.
pub fn one_of_each() -> Vec<Principal> {
    let people = [
        ("paul", Role::Publisher),
        ("olga", Role::Operator),
        ("adam", Role::Auditor),
        ("ada", Role::Client),
    ];
    let people = people.map(|(name, role)| with_key(name, role, &format!("key of {name}")));
    people.into()
}
