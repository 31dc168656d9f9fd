//! By which right something of an agent's is ended: by its creator, or by whoever runs the service where the creator is gone.
//!
//! Invariant: an operator ends and reads nothing, and never without a name, which goes into the journal and the log.

use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use schema::name::ClientId;

/// Under which name the lines of the log go out.
const TARGET: &str = "otherwise::context";

/// By which right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Right {
    /// It is the caller's own.
    #[default]
    Own,
    /// The caller runs the service.
    Operator,
}

impl Right {
    /// The operator by name; `None` for who ends what is its own.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] for who does not run the service, [`ServiceError::Nameless`] for who cannot be named on record.
    pub fn operator(self, caller: &Caller) -> Result<Option<ClientId>, ServiceError> {
        match self {
            Right::Own => Ok(None),
            Right::Operator if !caller.may(Permission::Operate) => Err(ServiceError::Forbidden),
            Right::Operator => caller.client.clone().map(Some).ok_or(ServiceError::Nameless),
        }
    }
}

/// A line in the log for what an operator ended; none for others.
pub fn log(what: &'static str, id: &str, done: &'static str, operator: Option<&ClientId>) {
    if let Some(operator) = operator {
        tracing::info!(target: TARGET, what, id, %operator, "{done}");
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Caller;
    use super::ClientId;
    use super::Right;
    use super::ServiceError;
    use crate::app::caller::Origin;
    use crate::app::caller::Role;

    #[test]
    fn only_who_runs_the_service_ends_what_is_anothers_and_never_without_a_name_s098() {
        let caller = |role, name| Caller {
            client: ClientId::parse(name),
            roles: BTreeSet::from([role]),
            speaks_as: None,
            origin: Origin::default(),
        };
        let olga = caller(Role::Operator, "olga");
        assert!(matches!(Right::Own.operator(&olga), Ok(None)));
        assert!(matches!(Right::Operator.operator(&olga), Ok(Some(name)) if name.as_str() == "olga"));
        let nobody = caller(Role::Operator, "");
        assert!(matches!(Right::Operator.operator(&nobody), Err(ServiceError::Nameless)));
        for role in [Role::Client, Role::Publisher, Role::Auditor] {
            let other = caller(role, "ada");
            assert!(matches!(Right::Operator.operator(&other), Err(ServiceError::Forbidden)));
        }
    }
}
