//! All numbers of one scenario.

use serde::Deserialize;
use serde::Serialize;

use crate::domain::evolution::policy::EvolutionPolicy;
use crate::domain::pool::policy::PoolPolicy;

/// Pool and evolution of one scenario. A template's `policy` member overrides single settings of the service's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    pub pool: PoolPolicy,
    pub evolution: EvolutionPolicy,
}
