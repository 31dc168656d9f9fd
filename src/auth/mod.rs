//! Who calls: principals by key, or whoever a loopback caller says it is when no principal is configured.
//!
//! Knows headers as text, no transport. Invariant: a key is never kept, logged or compared other than as its SHA-256,
//! in constant time; open mode exists on loopback alone.

pub mod api_keys;

use std::collections::BTreeSet;
use std::sync::Arc;

use arc_swap::ArcSwap;

use crate::app::caller::Caller;
use crate::app::caller::Origin;
use crate::app::caller::Role;
use crate::auth::api_keys::ApiKeys;
use crate::auth::api_keys::KeyChanges;
use crate::config::Principal;
use crate::wire::authenticator::Authenticator;
use crate::wire::authenticator::Credentials;
use crate::wire::authenticator::NAME_HEADER;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use schema::name::ClientId;

/// How callers are known: by key; or, without any principal, not at all, and everyone has every role, on loopback only.
#[derive(Debug)]
pub struct Identity {
    keys: Option<ArcSwap<ApiKeys>>,
}

impl Identity {
    /// Reads the configured principals; none means open mode.
    pub fn of(principals: &[Principal]) -> Result<Identity, String> {
        if principals.is_empty() {
            return Ok(Identity { keys: None });
        }
        let keys = ApiKeys::of(principals)?;
        Ok(Identity {
            keys: Some(ArcSwap::from_pointee(keys)),
        })
    }

    /// Puts these principals in force, and returns which keys changed. Whether there are any decides where the service may listen and whom
    /// it may call, so that this is settled at the start.
    ///
    /// # Errors
    /// The first principal that is wrong, named; or that there are some where there were none, or none any more. Those of before
    /// stay then.
    pub fn replace(&self, principals: &[Principal]) -> Result<KeyChanges, String> {
        match &self.keys {
            None if principals.is_empty() => Ok(KeyChanges::default()),
            None => Err("the service runs open: it takes principals only at a start".to_owned()),
            Some(_) if principals.is_empty() => {
                Err("no principal is left, and a service begins to run open only at a start".to_owned())
            }
            Some(keys) => {
                let next = ApiKeys::of(principals)?;
                let changes = keys.load().changes(&next);
                keys.store(Arc::new(next));
                Ok(changes)
            }
        }
    }
}

impl Authenticator for Identity {
    fn is_open(&self) -> bool {
        self.keys.is_none()
    }

    fn is_current(&self, caller: &Caller) -> bool {
        self.keys.as_ref().is_none_or(|keys| keys.load().is_current(caller))
    }

    fn caller(&self, credentials: &Credentials<'_>) -> Result<Caller, Problem> {
        let Some(keys) = &self.keys else {
            return open_caller(&credentials.name);
        };
        let key = presented(credentials)?;
        keys.load().caller(key).ok_or_else(|| {
            let mut problem = Problem::new(Code::Unauthenticated, "the key is not known");
            problem.challenge = Some(r#"Bearer realm="otherwise", error="invalid_token""#);
            problem
        })
    }
}

/// Every role there is.
pub fn all_roles() -> BTreeSet<Role> {
    BTreeSet::from([Role::Publisher, Role::Client, Role::Operator, Role::Auditor])
}

fn open_caller(names: &[&str]) -> Result<Caller, Problem> {
    let client = match names {
        [] => None,
        [name] => Some(ClientId::parse(name).ok_or_else(|| {
            Problem::new(
                Code::BadHeader,
                format!("{NAME_HEADER} must be 1 to 128 visible ASCII characters"),
            )
        })?),
        [_, _, ..] => {
            return Err(Problem::new(
                Code::BadHeader,
                format!("{NAME_HEADER} is given more than once"),
            ));
        }
    };
    Ok(Caller {
        client,
        roles: all_roles(),
        speaks_as: None,
        origin: Origin::default(),
    })
}

/// The one key that was sent.
fn presented<'a>(credentials: &Credentials<'a>) -> Result<&'a str, Problem> {
    let mut keys = Vec::new();
    for value in &credentials.authorization {
        let (scheme, key) = value.split_once(' ').unwrap_or((value, ""));
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(Problem::new(
                Code::Unauthenticated,
                "the header Authorization must have the form `Bearer KEY`",
            ));
        }
        keys.push(key.trim());
    }
    keys.extend(credentials.key.iter().map(|key| key.trim()));
    match keys.as_slice() {
        [] => Err(Problem::new(
            Code::Unauthenticated,
            "a key is needed: `Authorization: Bearer KEY` or `X-API-Key: KEY`",
        )),
        [key] => Ok(key),
        [_, _, ..] => Err(Problem::new(
            Code::Unauthenticated,
            "more than one key was sent; send one",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::Identity;
    use super::all_roles;
    use crate::wire::authenticator::Authenticator;
    use crate::wire::authenticator::Credentials;
    use crate::wire::codes::Code;

    fn named<'a>(names: &[&'a str]) -> Credentials<'a> {
        Credentials {
            name: names.to_vec(),
            ..Credentials::default()
        }
    }

    #[test]
    fn in_open_mode_a_caller_names_itself_or_is_anonymous_z104() {
        let open = Identity::of(&[]).expect("open mode");
        let caller = open.caller(&named(&["travel-desk"])).expect("a caller");
        assert_eq!(
            caller.client.as_ref().map(|client| client.as_str()),
            Some("travel-desk")
        );
        assert_eq!(caller.roles, all_roles());
        assert_eq!(open.caller(&named(&[])).map(|caller| caller.client), Ok(None));
    }

    #[test]
    fn a_name_that_is_none_is_refused() {
        let open = Identity::of(&[]).expect("open mode");
        let long = "x".repeat(129);
        for names in [&["a b"][..], &[""], &["ü"], &[long.as_str()], &["a", "b"]] {
            assert_eq!(
                open.caller(&named(names)).map_err(|problem| problem.code),
                Err(Code::BadHeader),
                "{names:?}"
            );
        }
    }
}
