//! Principals and the hashes of their keys.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use sha2::Digest;
use sha2::Sha256;

use crate::app::caller::Caller;
use crate::app::caller::Origin;
use crate::config::Principal;
use schema::act::Method;
use schema::name::ClientId;

/// Keys are of high entropy, so one round of SHA-256 keeps them.
type KeyHash = [u8; 32];

/// So many digits of its hash name a key: enough to find it in the settings, and too few to try texts against.
const KEY_NAME_CHARS: usize = 8;

/// Every key hash with whom it stands for. Disabled principals are not in it.
#[derive(Clone)]
pub struct ApiKeys {
    keys: Vec<(KeyHash, Caller)>,
}

impl std::fmt::Debug for ApiKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ApiKeys({} keys)", self.keys.len())
    }
}

/// Numbers of keys that a reload added, removed, or gave to another principal or other roles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyChanges {
    pub added: usize,
    pub removed: usize,
    pub changed: usize,
}

impl ApiKeys {
    /// Compares the keys with those that replace them.
    pub fn changes(&self, next: &ApiKeys) -> KeyChanges {
        let before: BTreeMap<_, _> = self.keys.iter().map(|(hash, caller)| (hash, caller)).collect();
        let after: BTreeMap<_, _> = next.keys.iter().map(|(hash, caller)| (hash, caller)).collect();
        let kept = || {
            before
                .iter()
                .filter_map(|(hash, caller)| Some((caller, after.get(hash)?)))
        };
        KeyChanges {
            added: after.len() - kept().count(),
            removed: before.len() - kept().count(),
            changed: kept().filter(|(before, after)| before != after).count(),
        }
    }

    /// Returns whether a key that established this caller is still in force, with the same roles.
    pub fn is_current(&self, caller: &Caller) -> bool {
        self.keys.iter().any(|(_, known)| {
            known.client == caller.client && known.roles == caller.roles && known.origin.key == caller.origin.key
        })
    }

    /// Reads principals.
    ///
    /// # Errors
    /// Names the first one that has no proper name, role or key, or shares its name or a key with another.
    pub fn of(principals: &[Principal]) -> Result<ApiKeys, String> {
        let mut names = BTreeSet::new();
        let mut hashes = BTreeSet::new();
        let mut keys = Vec::new();
        for (place, principal) in principals.iter().enumerate() {
            let what = format!("principals[{place}] ({:?})", principal.name);
            let name = ClientId::parse(&principal.name)
                .ok_or_else(|| format!("{what}: name must be 1 to 128 visible ASCII characters"))?;
            if !names.insert(name.clone()) {
                return Err(format!("{what}: another principal has this name"));
            }
            if principal.roles.is_empty() {
                return Err(format!("{what}: roles must name at least one role"));
            }
            if principal.key_sha256.all().is_empty() {
                return Err(format!("{what}: key_sha256 must hold at least one hash"));
            }
            for text in principal.key_sha256.all() {
                let hash = from_hex(text).ok_or_else(|| format!("{what}: key_sha256 must be 64 hexadecimal digits"))?;
                if !hashes.insert(hash) {
                    return Err(format!("{what}: this key is listed twice"));
                }
                if !principal.disabled {
                    let caller = Caller {
                        client: Some(name.clone()),
                        roles: principal.roles.iter().copied().collect(),
                        speaks_as: None,
                        origin: Origin {
                            method: Method::ApiKey,
                            key: Some(text.trim().chars().take(KEY_NAME_CHARS).collect::<String>().into()),
                            ..Origin::default()
                        },
                    };
                    keys.push((hash, caller));
                }
            }
        }
        Ok(ApiKeys { keys })
    }

    /// Whom a key stands for. Every hash is compared whole, so the time taken says nothing of the keys.
    pub fn caller(&self, key: &str) -> Option<Caller> {
        let presented: KeyHash = Sha256::digest(key.as_bytes()).into();
        let mut found = None;
        for (hash, caller) in &self.keys {
            if equal(hash, &presented) {
                found = Some(caller);
            }
        }
        found.cloned()
    }
}

/// Compares without an early end.
fn equal(a: &KeyHash, b: &KeyHash) -> bool {
    let difference = a.iter().zip(b).fold(0u8, |sum, (x, y)| sum | (x ^ y));
    std::hint::black_box(difference) == 0
}

fn from_hex(text: &str) -> Option<KeyHash> {
    let text = text.trim();
    if text.len() != 64 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let mut hash = [0u8; 32];
    for (place, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * place..2 * place + 2)?, 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use sha2::Digest;
    use sha2::Sha256;

    use super::ApiKeys;
    use crate::app::caller::Role;
    use crate::auth::Identity;
    use crate::config::OneOrMany;
    use crate::config::Principal;
    use crate::wire::authenticator::Authenticator;
    use crate::wire::authenticator::Credentials;
    use crate::wire::codes::Code;
    use text::name::hexadecimal;

    fn hash(key: &str) -> String {
        hexadecimal(&Sha256::digest(key.as_bytes()))
    }

    fn principal(name: &str, keys: &[&str]) -> Principal {
        Principal {
            name: name.to_owned(),
            roles: vec![Role::Client],
            key_sha256: OneOrMany::Many(keys.iter().map(|key| hash(key)).collect()),
            cohort: None,
            disabled: false,
        }
    }

    fn refused(principals: &[Principal]) -> String {
        ApiKeys::of(principals).expect_err("a wrong principal")
    }

    #[test]
    fn each_key_of_a_principal_stands_for_it_alone_and_none_for_one_that_is_disabled() {
        let mut off = principal("off", &["k4"]);
        off.disabled = true;
        let keys = ApiKeys::of(&[principal("a", &["k1", "k2"]), principal("b", &["k3"]), off]).expect("keys");
        let hash = hash("k1");
        for (key, name) in [
            ("k1", Some("a")),
            ("k2", Some("a")),
            ("k3", Some("b")),
            ("k4", None),
            ("k5", None),
            ("", None),
            // A hash is no key.
            (hash.as_str(), None),
        ] {
            let client = keys.caller(key).and_then(|caller| caller.client);
            assert_eq!(client.map(|client| client.to_string()).as_deref(), name, "{key}");
        }
    }

    #[test]
    fn wrong_principals_are_named() {
        let mut no_role = principal("a", &["k"]);
        no_role.roles.clear();
        let mut bad_hash = principal("a", &[]);
        bad_hash.key_sha256 = OneOrMany::One("xyz".to_owned());
        assert!(refused(&[no_role]).contains("roles"));
        assert!(refused(&[bad_hash]).contains("64 hexadecimal"));
        assert!(refused(&[principal("a", &[])]).contains("at least one hash"));
        assert!(refused(&[principal("a b", &["k"])]).contains("name"));
        assert!(refused(&[principal("a", &["k"]), principal("a", &["l"])]).contains("principals[1]"));
        assert!(refused(&[principal("a", &["k"]), principal("b", &["k"])]).contains("twice"));
    }

    #[test]
    fn a_key_comes_by_either_header_once() {
        let closed = Identity::of(&[principal("a", &["k1"])]).expect("closed mode");
        let ask = |authorization: &[&'static str], key: &[&'static str]| {
            closed
                .caller(&Credentials {
                    authorization: authorization.to_vec(),
                    key: key.to_vec(),
                    name: vec!["somebody-else"],
                })
                .map(|caller| caller.client.map(|client| client.to_string()))
                .map_err(|problem| problem.code)
        };
        let cases: [(&[&str], &[&str], bool); 9] = [
            (&["Bearer k1"], &[], true),
            (&["bearer  k1"], &[], true),
            (&[], &["k1"], true),
            (&[], &[], false),
            (&["Bearer k2"], &[], false),
            (&["Basic k1"], &[], false),
            (&["Bearer"], &[], false),
            (&["Bearer k1"], &["k2"], false),
            (&["Bearer k1", "Bearer k1"], &[], false),
        ];
        for (authorization, key, known) in cases {
            let a = known.then(|| Some("a".to_owned())).ok_or(Code::Unauthenticated);
            assert_eq!(ask(authorization, key), a, "{authorization:?} {key:?}");
        }
    }

    #[test]
    fn principals_are_replaced_whole_or_not_at_all() {
        let closed = Identity::of(&[principal("a", &["k1"])]).expect("closed mode");
        let knows = |key: &'static str| {
            let credentials = Credentials {
                key: vec![key],
                ..Credentials::default()
            };
            closed.caller(&credentials).is_ok()
        };
        for wrong in [vec![], vec![principal("b", &["k2"]), principal("b", &["k3"])]] {
            closed.replace(&wrong).expect_err("wrong");
            assert!(knows("k1") && !knows("k2"), "those of before stay");
        }
        closed.replace(&[principal("b", &["k2"])]).expect("right");
        assert!(!knows("k1") && knows("k2"));
        let open = Identity::of(&[]).expect("open mode");
        open.replace(&[]).expect("no change");
        open.replace(&[principal("a", &["k1"])]).expect_err("not while it runs");
    }
}
