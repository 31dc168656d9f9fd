//! The effective template: a base and the patches in force for one client (Z-105 … Z-108, Z-122).
//!
//! Knows the changes and how firmly each stands; knows nothing of trials, audiences or time. Invariant: the base's keys
//! are all there, in their order, with their types, required flags and defaults; a patch adds optional keys or words.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ops::Not;

use serde::Deserialize;
use serde::Serialize;
use utoipa::ToSchema;

use crate::closed_list;
use crate::key::KeyDefinition;
use crate::name::KeyName;
use crate::name::PatchId;
use crate::name::RESERVED;
use crate::template::SchemaTemplate;

/// What one patch does to a template: it adds an optional key, rewords a key, or lengthens the list of a learned key (Z-106, Z-107,
/// Z-108). Where it `closes`, it gives a learned key that took any text a list: the one change that refuses what was accepted before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    clippy::large_enum_variant,
    reason = "changes are few and mostly additions; a box would only hide the key"
)]
pub enum KeyChange {
    /// A new optional key (Z-125).
    Add(KeyDefinition),
    /// A refined description of a key that exists (Z-114); where a patch added the key, also more values for its list.
    Refine {
        key_name: KeyName,
        semantic_description: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        values: Vec<String>,
        /// Whether the values are the first that the key lists: until then it took any text.
        #[serde(default, skip_serializing_if = "Not::not")]
        closes: bool,
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
                values: _,
                closes: _,
            } => key_name,
        }
    }

    /// As it is shown: the definition of the key, or what is refined.
    pub fn shown(&self) -> ShownChange {
        match self {
            KeyChange::Add(key) => ShownChange::Added(Box::new(ServedKey::bare(key.clone()))),
            KeyChange::Refine {
                key_name,
                semantic_description,
                values,
                closes,
            } => {
                let values = |closing| if *closes == closing { values.clone() } else { Vec::new() };
                ShownChange::Refined(ModifiedKey {
                    key_name: key_name.clone(),
                    semantic_description: semantic_description.clone(),
                    added_values: values(false),
                    listed_values: values(true),
                })
            }
        }
    }

    /// Whether it says anything that this base does not say itself. What a publisher has taken over, by a rebase or by hand,
    /// says nothing more there.
    pub fn adds_to(&self, base: &SchemaTemplate) -> bool {
        let own = base.key(self.key_name());
        match self {
            KeyChange::Add(_) => own.is_none(),
            KeyChange::Refine {
                key_name: _,
                semantic_description,
                values,
                closes: _,
            } => own.is_none_or(|own| {
                let listed = closed_list::values(&own.constraints).unwrap_or_default();
                own.semantic_description != *semantic_description
                    || values.iter().any(|value| !listed.contains(&value.as_str()))
            }),
        }
    }
}

/// A change as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum ShownChange {
    Added(Box<ServedKey>),
    Refined(ModifiedKey),
}

/// A key whose description was refined.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ModifiedKey {
    #[schema(value_type = String)]
    pub key_name: KeyName,
    pub semantic_description: String,
    /// Values that it takes beside those of the base.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added_values: Vec<String>,
    /// Values that it takes alone from now on, beside `none`: until then it took any text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub listed_values: Vec<String>,
}

/// A key of an effective template.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = EffectiveKey)]
pub struct ServedKey {
    #[serde(flatten)]
    pub definition: KeyDefinition,
    /// The key is on trial.
    #[serde(skip_serializing_if = "Not::not")]
    pub experimental: bool,
    /// The key will go.
    #[serde(skip_serializing_if = "Not::not")]
    pub deprecated: bool,
    /// The patch that brought it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    pub patch_id: Option<PatchId>,
    /// The patch whose wording it bears.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    pub refined_by: Option<PatchId>,
}

impl ServedKey {
    /// A definition of which nothing else is known.
    pub fn bare(definition: KeyDefinition) -> ServedKey {
        ServedKey {
            definition,
            experimental: false,
            deprecated: false,
            patch_id: None,
            refined_by: None,
        }
    }

    /// A learned key with what clients have to know of how it stands; what an unknown member of such a name once said is not that.
    pub fn standing(mut definition: KeyDefinition, standing: Option<Standing>) -> ServedKey {
        for mark in ["experimental", "deprecated", "patch_id", "refined_by"] {
            definition.unknown.shift_remove(mark);
        }
        ServedKey {
            experimental: standing == Some(Standing::Experimental),
            deprecated: standing == Some(Standing::Deprecated),
            ..ServedKey::bare(definition)
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

impl Standing {
    /// What a client has to know of how a key stands, in a word.
    pub fn mark(self) -> Option<&'static str> {
        match self {
            Standing::Experimental => Some("experimental"),
            Standing::Deprecated => Some("deprecated"),
            Standing::Stable | Standing::Withdrawn => None,
        }
    }
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
    /// With the wording of the last refinement.
    pub definition: KeyDefinition,
    /// The patch that added it and its standing; `None` for a base key.
    pub patch: Option<(PatchId, Standing)>,
    /// The patch whose wording the definition bears, and its standing.
    pub refined_by: Option<(PatchId, Standing)>,
    /// The wording without refinements on trial; `None` while the definition's own is that.
    pub settled: Option<SettledWording>,
    /// What refinements added to the definition's list. All of it is accepted; what is on trial or withdrawn is not shown
    /// to everyone.
    pub widened: Vec<Widened>,
}

/// Values that one refinement added to a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Widened {
    pub patch_id: PatchId,
    pub standing: Standing,
    pub values: Vec<String>,
    /// Whether they are the first that the key lists.
    pub closes: bool,
}

/// A key's wording as it is served to those who want nothing on trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledWording {
    pub semantic_description: String,
    pub refined_by: Option<(PatchId, Standing)>,
}

/// Base + patch layer for one client.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectiveTemplate {
    pub base: SchemaTemplate,
    /// Advertised keys: the base's in their order, with `other` at its place, then the learned ones in the order of their patches.
    pub keys: Vec<EffectiveKey>,
    /// Keys that are accepted but not advertised (Z-151).
    pub withdrawn: Vec<EffectiveKey>,
    /// Journal sequence of the last change that this client sees.
    pub revision: u64,
}

impl EffectiveTemplate {
    /// Lays the changes over the base, in order. A change that names a base key as new, or refines a key that is not
    /// there, is passed over: the base always wins (Z-106). So is a second addition of one name, unless the first was
    /// withdrawn and the second is not; and the wording of a refinement that was withdrawn, whose values are still accepted.
    pub fn compose(base: &SchemaTemplate, layer: &[LayeredChange], revision: u64) -> EffectiveTemplate {
        let mut keys: Vec<EffectiveKey> = base.keys.iter().cloned().map(EffectiveKey::bare).collect();
        let mut places: BTreeMap<KeyName, usize> = keys
            .iter()
            .enumerate()
            .map(|(place, key)| (key.definition.key_name.clone(), place))
            .collect();
        for LayeredChange {
            patch_id,
            change,
            standing,
        } in layer
        {
            match change {
                KeyChange::Add(definition) => {
                    if RESERVED.contains(&definition.key_name.as_str()) {
                        continue;
                    }
                    let optional = KeyDefinition {
                        // A required addition would break who knows the base alone (Z-125).
                        required: false,
                        ..definition.clone()
                    };
                    let added = EffectiveKey {
                        patch: Some((patch_id.clone(), *standing)),
                        ..EffectiveKey::bare(optional)
                    };
                    match places.get(&definition.key_name).and_then(|place| keys.get_mut(*place)) {
                        None => {
                            places.insert(definition.key_name.clone(), keys.len());
                            keys.push(added);
                        }
                        Some(there) if there.is_withdrawn() && *standing != Standing::Withdrawn => *there = added,
                        Some(_) => {}
                    }
                }
                KeyChange::Refine {
                    key_name,
                    semantic_description,
                    values,
                    closes,
                } => {
                    let Some(key) = places.get(key_name).and_then(|place| keys.get_mut(*place)) else {
                        continue;
                    };
                    if *standing != Standing::Withdrawn {
                        key.refine(semantic_description, patch_id, *standing);
                    }
                    key.list(values, *closes, patch_id, *standing);
                }
            }
        }
        let (withdrawn, keys) = keys.into_iter().partition(EffectiveKey::is_withdrawn);
        EffectiveTemplate {
            base: base.clone(),
            keys,
            withdrawn,
            revision,
        }
    }

    /// An advertised key.
    pub fn key(&self, name: &KeyName) -> Option<&EffectiveKey> {
        self.keys.iter().find(|key| &key.definition.key_name == name)
    }
}

impl EffectiveKey {
    /// How firmly the key itself stands: a base key is stable by definition.
    pub fn standing(&self) -> Standing {
        self.patch.as_ref().map_or(Standing::Stable, |(_, standing)| *standing)
    }

    fn is_withdrawn(&self) -> bool {
        self.standing() == Standing::Withdrawn
    }

    /// A key as it is defined, with no patch behind it and none laid over it.
    pub fn bare(definition: KeyDefinition) -> EffectiveKey {
        EffectiveKey {
            definition,
            patch: None,
            refined_by: None,
            settled: None,
            widened: Vec::new(),
        }
    }

    /// Takes values into the list. A publisher's key stays as it was published (Z-106), and a first list that was withdrawn
    /// holds nobody to it.
    fn list(&mut self, values: &[String], closes: bool, patch_id: &PatchId, standing: Standing) {
        if self.patch.is_none() || values.is_empty() || closes && standing == Standing::Withdrawn {
            return;
        }
        closed_list::take_in(&mut self.definition.constraints, values, closes);
        self.widened.push(Widened {
            patch_id: patch_id.clone(),
            standing,
            values: values.to_vec(),
            closes,
        });
    }

    /// The added values that are not to be shown: those of which every refinement is withdrawn, or on trial where nothing
    /// on trial is wanted. A first list is shown to all: nothing else is accepted.
    pub fn unshown(&self, experimental: bool) -> Vec<&str> {
        let shows = |widened: &Widened| match widened.standing {
            Standing::Withdrawn => false,
            Standing::Experimental => experimental || widened.closes,
            Standing::Stable | Standing::Deprecated => true,
        };
        let added = |shown: bool| {
            let of = self.widened.iter().filter(move |widened| shows(widened) == shown);
            of.flat_map(|widened| &widened.values).map(String::as_str)
        };
        let shown: BTreeSet<&str> = added(true).collect();
        added(false).filter(|value| !shown.contains(value)).collect()
    }

    fn refine(&mut self, semantic_description: &str, patch_id: &PatchId, standing: Standing) {
        let worded_on_trial = matches!(self.refined_by, Some((_, Standing::Experimental)));
        let former = std::mem::replace(
            &mut self.definition.semantic_description,
            semantic_description.to_owned(),
        );
        let former_by = self.refined_by.replace((patch_id.clone(), standing));
        if standing != Standing::Experimental {
            self.settled = None;
        } else if !worded_on_trial {
            self.settled = Some(SettledWording {
                semantic_description: former,
                refined_by: former_by,
            });
        }
    }
}

#[cfg(test)]
mod tests;
