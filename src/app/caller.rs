//! Who calls, what each role may do, and who may call by name: the principals of the settings, or anybody where there are none (open mode).
//!
//! Knows names and roles, no keys.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;

use arc_swap::ArcSwap;
use strum::IntoStaticStr;
use strum::VariantArray;

use crate::app::error::ServiceError;
use context::session::names::Participant;
use engine::namespace::SCHEMAS_FOLDER;
use schema::act::By;
use schema::act::Method;
use schema::name::ClientId;

/// The four roles of docs/design.md §11.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    Publisher,
    Client,
    Operator,
    Auditor,
}

impl Role {
    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// What a call wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Permission {
    /// Publish or retire a schema.
    Publish,
    /// Read scenarios, base schemas, templates, updates; hold task contexts and contents of one's own. Every role has it.
    Negotiate,
    /// Submit or validate.
    Submit,
    /// Take part in sessions of shared context.
    Share,
    /// Read pool, patches, evidence, ledger.
    Inspect,
    /// Look at drawn values with the words that they came of, and say whether they are right.
    Audit,
    /// The hand on a patch, on a scenario and on the service.
    Operate,
}

impl Permission {
    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A caller as the identity layer established it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The principal's name; `None` for an anonymous one in open mode.
    pub client: Option<ClientId>,
    pub roles: BTreeSet<Role>,
    /// As what it says that it takes part in a session; what a session grants it decides.
    pub speaks_as: Option<Participant>,
    pub origin: Origin,
}

/// How a call came: what its caller was known by, in which request, and whether it counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    pub method: Method,
    /// What the key is called, where there is one.
    pub key: Option<Arc<str>>,
    pub request_id: Option<Arc<str>>,
    /// Whether the caller only looks: what it reads leaves no receipt, so that no figure of a trial moves by it (Z-139).
    pub looks_only: bool,
    /// True where the request prefers that wrong values of optional keys are kept out to a refusal (RFC 7240, `handling=lenient`).
    pub lenient: bool,
}

impl Caller {
    /// Whoever may submit and no more, under this name or none.
    pub fn client(name: Option<ClientId>) -> Caller {
        Caller {
            client: name,
            roles: BTreeSet::from([Role::Client]),
            speaks_as: None,
            origin: Origin::default(),
        }
    }

    /// Whether one of the caller's roles may do this.
    pub fn may(&self, permission: Permission) -> bool {
        self.roles.iter().any(|role| allowed(*role, permission))
    }

    /// Refuses what none of the caller's roles may do.
    pub fn require(&self, permission: Permission) -> Result<(), ServiceError> {
        if self.may(permission) {
            Ok(())
        } else {
            Err(ServiceError::Forbidden)
        }
    }

    /// As it stands on record beside what it did.
    pub fn by(&self) -> By {
        let Origin {
            method,
            key,
            request_id,
            looks_only: _,
            lenient: _,
        } = &self.origin;
        let name = match (&self.client, method) {
            (Some(client), _) => client.as_str(),
            (None, Method::System) => "system",
            (None, Method::Open | Method::ApiKey) => "anonymous",
        };
        By {
            method: Some(*method),
            key: key.as_deref().map(str::to_owned),
            request_id: request_id.as_deref().map(str::to_owned),
            ..By::from(name)
        }
    }

    /// The name that it was proved to have, under which something may be its own.
    pub fn proved(&self) -> Option<&str> {
        let proved = self.origin.method == Method::ApiKey;
        self.client.as_ref().filter(|_| proved).map(ClientId::as_str)
    }

    /// The name under which a scenario is owned from its first schema on: the proved one, or the schemas folder's for the service itself.
    pub fn owner_name(&self) -> Option<&str> {
        match self.origin.method {
            Method::System => Some(SCHEMAS_FOLDER),
            Method::ApiKey | Method::Open => self.proved(),
        }
    }

    /// The caller in a client's place: it is served what that client is, and leaves no receipt.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] for who neither operates nor publishes, [`ServiceError::BadParameter`] for what is no name.
    pub fn in_place_of(&self, client: &str) -> Result<Caller, ServiceError> {
        if !self.may(Permission::Operate) {
            self.require(Permission::Publish)?;
        }
        let wrong = || ServiceError::BadParameter("the parameter client must be the name of a client".to_owned());
        Ok(Caller {
            client: Some(ClientId::parse(client).ok_or_else(wrong)?),
            origin: Origin {
                looks_only: true,
                ..self.origin.clone()
            },
            ..self.clone()
        })
    }

    /// Whether the caller sees patches of every audience (operator, auditor, publisher), not only its own.
    pub fn sees_all(&self) -> bool {
        self.may(Permission::Inspect)
    }
}

/// The table of docs/design.md §11: rows are roles.
pub fn allowed(role: Role, permission: Permission) -> bool {
    match (role, permission) {
        (_, Permission::Negotiate) => true,
        (Role::Publisher, Permission::Publish | Permission::Inspect) => true,
        (Role::Publisher | Role::Client | Role::Operator, Permission::Share) => true,
        (Role::Client, Permission::Submit) => true,
        (Role::Operator, Permission::Publish | Permission::Inspect | Permission::Audit | Permission::Operate) => true,
        (Role::Auditor, Permission::Inspect | Permission::Audit) => true,
        (Role::Publisher, Permission::Submit | Permission::Audit | Permission::Operate)
        | (Role::Client, Permission::Publish | Permission::Inspect | Permission::Audit | Permission::Operate)
        | (Role::Operator, Permission::Submit)
        | (Role::Auditor, Permission::Publish | Permission::Submit | Permission::Share | Permission::Operate) => false,
    }
}

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
