//! Who may call, by name: the principals of the settings, or anybody where there are none (open mode).
//!
//! Knows names and roles, no keys. Invariant: what is made out for a name that can never call is refused when it is made out.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;

use arc_swap::ArcSwap;

use crate::service::caller::Deed;
use crate::service::caller::Role;
use crate::service::caller::allowed;
use schema::name::ClientId;

/// Every principal with its roles; without any, everybody may do everything.
#[derive(Debug, Default)]
pub struct Roster {
    principals: ArcSwap<BTreeMap<ClientId, BTreeSet<Role>>>,
}

impl Roster {
    /// These principals.
    pub fn of(principals: BTreeMap<ClientId, BTreeSet<Role>>) -> Roster {
        Roster {
            principals: ArcSwap::from_pointee(principals),
        }
    }

    /// These principals from now on.
    pub fn replace(&self, principals: BTreeMap<ClientId, BTreeSet<Role>>) {
        self.principals.store(Arc::new(principals));
    }

    /// Whether nobody of this name could ever do this.
    pub fn lacks(&self, name: &ClientId, deed: Deed) -> bool {
        let principals = self.principals.load();
        let roles = principals.get(name);
        let may = roles.is_some_and(|roles| roles.iter().any(|role| allowed(*role, deed)));
        !principals.is_empty() && !may
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::collections::BTreeSet;

    use super::ClientId;
    use super::Deed;
    use super::Role;
    use super::Roster;

    #[test]
    fn a_name_that_can_never_call_is_known_c041() {
        let name = |text: &str| ClientId::parse(text).expect("a name");
        let of = |role| BTreeSet::from([role]);
        let roster = Roster::of(BTreeMap::from([
            (name("a"), of(Role::Client)),
            (name("b"), of(Role::Auditor)),
        ]));
        assert!(!roster.lacks(&name("a"), Deed::Share) && !roster.lacks(&name("b"), Deed::Negotiate));
        assert!(roster.lacks(&name("b"), Deed::Share) && roster.lacks(&name("c"), Deed::Negotiate));
        roster.replace(BTreeMap::from([(name("c"), of(Role::Client))]));
        assert!(roster.lacks(&name("a"), Deed::Share) && !roster.lacks(&name("c"), Deed::Share));
        assert!(!Roster::default().lacks(&name("c"), Deed::Share), "open mode");
    }
}
