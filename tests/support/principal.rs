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
