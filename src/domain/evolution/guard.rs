//! The convergence guard (Z-154 … Z-156): how many keys may be on trial at once.

use crate::domain::evolution::patch::Patch;
use crate::domain::evolution::policy::EvolutionPolicy;
use crate::domain::pool::gate::Audience;

/// Whether a patch for this audience may begin its trial now.
pub fn has_room<'a>(patches: impl Iterator<Item = &'a Patch>, audience: &Audience, policy: &EvolutionPolicy) -> bool {
    let _ = (patches.count(), audience, policy);
    todo!()
}
