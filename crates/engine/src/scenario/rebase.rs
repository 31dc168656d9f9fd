//! Rebase: what is stable for everyone, moved from the patch layer into a new minor version of the base (docs/design.md §7).
//!
//! Makes a template and publishes nothing. Keys on trial, deprecated ones and those of one client stay in the layer. Invariant:
//! the new base says to everyone what the old one and its stable patches said together.

use crate::pool::cohort::Addressee;
use crate::scenario::layer;
use crate::scenario::state::State;
use schema::effective::EffectiveTemplate;
use schema::effective::LayeredChange;
use schema::effective::Standing;
use schema::name::PatchId;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;
use schema::template::Version;

/// A new base.
#[derive(Clone, Debug, PartialEq)]
pub struct Rebased {
    pub template: SchemaTemplate,
    /// The patches that it takes in.
    pub patches: Vec<PatchId>,
}

/// Why there is no new base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRebase {
    /// Nothing is in force.
    NoBase,
    /// No patch is stable for everyone that the base does not say already.
    NothingStable,
    /// The scenario's name is too long for a schema id, or there is no further minor version.
    NoId,
}

/// The base in force with its stable patches taken in, under the first id `{scenario}_v{major}_{minor}` above its version that
/// is not `taken`.
///
/// # Errors
/// [`NoRebase`].
pub fn rebase(state: &State, taken: impl Fn(&SchemaId) -> bool) -> Result<Rebased, NoRebase> {
    let base = &state.base_in_force().ok_or(NoRebase::NoBase)?.template;
    let stable: Vec<LayeredChange> = layer::layer(state, base, Addressee::default())
        .into_iter()
        .filter(|change| change.standing == Standing::Stable)
        .collect();
    let keys: Vec<_> = EffectiveTemplate::compose(base, &stable, 0)
        .keys
        .into_iter()
        .map(|key| key.definition)
        .collect();
    if keys == base.keys {
        return Err(NoRebase::NothingStable);
    }
    let (schema_id, version) = free(base, taken).ok_or(NoRebase::NoId)?;
    let patches = stable.into_iter().map(|change| change.patch_id).collect();
    Ok(Rebased {
        template: SchemaTemplate {
            schema_id,
            version: Some(version.to_string()),
            keys,
            ..base.clone()
        },
        patches,
    })
}

/// The next minor version whose id is free. A scenario whose name no schema id can hold lends the stem of its base's id.
fn free(base: &SchemaTemplate, taken: impl Fn(&SchemaId) -> bool) -> Option<(SchemaId, Version)> {
    let Version { major, minor, patch: _ } = base.version();
    let scenario = base.scenario_key();
    let stem = match SchemaId::parse(scenario.as_str()) {
        Some(_) => scenario.as_str(),
        None => base.schema_id.as_str().rsplit_once("_v")?.0,
    };
    let mut minors = minor.checked_add(1)?..=u32::MAX;
    minors.find_map(|minor| {
        let version = Version { major, minor, patch: 0 };
        match SchemaId::parse(&format!("{stem}_v{major}_{minor}")) {
            Some(schema_id) if taken(&schema_id) => None,
            found => Some(found.map(|schema_id| (schema_id, version))),
        }
    })?
}

#[cfg(test)]
mod tests;
