//! The effective template: a base and the patches in force for one client (Z-105 … Z-108, Z-122).

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use crate::domain::template::key::KeyDefinition;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::PatchId;
use crate::domain::template::schema::SchemaTemplate;

/// What one patch does to a template. Additive or wording only, by construction (Z-106, Z-107, Z-108).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyChange {
    /// A new optional key (Z-125).
    Add(KeyDefinition),
    /// A refined description of a key that exists (Z-114).
    Refine {
        key_name: KeyName,
        semantic_description: String,
    },
}

impl KeyChange {
    /// The key that is added or refined.
    pub fn key_name(&self) -> &KeyName {
        match self {
            KeyChange::Add(key) => &key.key_name,
            KeyChange::Refine {
                key_name,
                semantic_description: _,
            } => key_name,
        }
    }
}

/// How firmly a patch's change stands for the client that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// On trial: advertised with `experimental: true` (Z-142).
    Experimental,
    Stable,
    /// In its grace period: advertised with `deprecated: true` (Z-147).
    Deprecated,
    /// No longer advertised, still accepted with a warning (Z-150, Z-151).
    Withdrawn,
}

/// One change of the patch layer that is in force for a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayeredChange {
    pub patch_id: PatchId,
    pub change: KeyChange,
    pub standing: Standing,
}

/// A key as one client sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectiveKey {
    pub definition: KeyDefinition,
    /// The patch that added it and its standing; `None` for a base key.
    pub patch: Option<(PatchId, Standing)>,
    /// The patch that refined its description last.
    pub refined_by: Option<(PatchId, Standing)>,
}

/// Base + patch layer for one client.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectiveTemplate {
    pub base: SchemaTemplate,
    /// Advertised keys in base order, then added keys in patch order; `other` stays last of the base's own place.
    pub keys: Vec<EffectiveKey>,
    /// Keys that are accepted but not advertised (Z-151).
    pub withdrawn: Vec<EffectiveKey>,
    /// Journal sequence of the last change that this client sees.
    pub revision: u64,
}

impl EffectiveTemplate {
    /// Lays the changes over the base, in order. A change that names a base key as new, or refines a key that is not
    /// there, is passed over: the base always wins (Z-106).
    pub fn compose(base: &SchemaTemplate, layer: &[LayeredChange], revision: u64) -> EffectiveTemplate {
        let _ = (base, layer, revision);
        todo!()
    }

    /// The template as served (DESIGN §8 without its `patches` member): draft members, `revision`, `language`, keys
    /// with `experimental`, `deprecated` and `patch_id`. Descriptions are chosen by BCP 47 look-up (RFC 4647 §3.4) from
    /// `preferred_language`; the second value says which language was chosen when it is not the preferred one (Z-174).
    /// With `experimental` false, keys on trial are left out.
    pub fn document(&self, preferred_language: Option<&str>, experimental: bool) -> Value {
        let _ = (preferred_language, experimental);
        todo!()
    }
}
