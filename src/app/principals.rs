//! Who may call, by name: the principals of the settings, or anybody where there are none (open mode).
//!
//! Knows names and roles, no keys. Invariant: what is made out for a name that can never call is refused when it is made out.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;

use arc_swap::ArcSwap;

use crate::app::caller::Permission;
use crate::app::caller::Role;
use crate::app::caller::allowed;
use schema::name::ClientId;

/// Every principal with its roles; without any, everybody may do everything.
#[derive(Debug, Default)]
pub struct Principals {
    principals: ArcSwap<BTreeMap<ClientId, BTreeSet<Role>>>,
}

impl Principals {
    /// These principals.
    pub fn of(principals: BTreeMap<ClientId, BTreeSet<Role>>) -> Principals {
        Principals {
            principals: ArcSwap::from_pointee(principals),
        }
    }

    /// These principals from now on.
    pub fn replace(&self, principals: BTreeMap<ClientId, BTreeSet<Role>>) {
        self.principals.store(Arc::new(principals));
    }

    /// Whether nobody of this name could ever do this.
    pub fn lacks(&self, name: &ClientId, permission: Permission) -> bool {
        let principals = self.principals.load();
        let roles = principals.get(name);
        let may = roles.is_some_and(|roles| roles.iter().any(|role| allowed(*role, permission)));
        !principals.is_empty() && !may
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::collections::BTreeSet;

    use super::ClientId;
    use super::Permission;
    use super::Principals;
    use super::Role;

    #[test]
    fn a_name_that_can_never_call_is_known_c041() {
        let name = |text: &str| ClientId::parse(text).expect("a name");
        let of = |role| BTreeSet::from([role]);
        let principals = Principals::of(BTreeMap::from([
            (name("a"), of(Role::Client)),
            (name("b"), of(Role::Auditor)),
        ]));
        assert!(
            !principals.lacks(&name("a"), Permission::Share) && !principals.lacks(&name("b"), Permission::Negotiate)
        );
        assert!(principals.lacks(&name("b"), Permission::Share) && principals.lacks(&name("c"), Permission::Negotiate));
        principals.replace(BTreeMap::from([(name("c"), of(Role::Client))]));
        assert!(principals.lacks(&name("a"), Permission::Share) && !principals.lacks(&name("c"), Permission::Share));
        assert!(!Principals::default().lacks(&name("c"), Permission::Share), "open mode");
    }
}
