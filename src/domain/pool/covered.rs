//! Covered demand: a fragment that says what a key in force for its client already holds (DESIGN §5.5, Z-088).

use crate::domain::pool::reading::Reading;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::name::KeyName;

/// The key that already holds what the fragment says, judged by the key's values and cues rather than by similarity.
/// Demand finer than the key's type (Z-071, Z-072) is not covered.
pub fn covered_by(fragment: &str, reading: &Reading, keys: &[EffectiveKey]) -> Option<KeyName> {
    let _ = (fragment, reading, keys);
    todo!()
}
