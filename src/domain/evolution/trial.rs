//! The trial's verdict: promote, deprecate, extend (Z-143 … Z-146, Z-157 … Z-160).

use crate::domain::evolution::ledger::KeyReading;
use crate::domain::evolution::policy::EvolutionPolicy;
use crate::domain::evolution::stage::Reason;

/// What a period's end brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assessment {
    Promote,
    Deprecate(Reason),
    /// Middle band: counts against the extensions.
    Extend,
    /// Too little data: extends and does not count.
    Wait,
}

/// Assesses a trial at the end of a period after `extensions` extensions.
pub fn assess(reading: &KeyReading, extensions: u32, policy: &EvolutionPolicy) -> Assessment {
    let _ = (reading, extensions, policy);
    todo!()
}

/// Assesses a stable key (Z-164): the reason for which it must go, if any. Too little data never deprecates.
pub fn assess_stable(reading: &KeyReading, policy: &EvolutionPolicy) -> Option<Reason> {
    let _ = (reading, policy);
    todo!()
}
