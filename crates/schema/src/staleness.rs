//! What a client that holds an older template does not know yet, and how much that asks of it.
//!
//! Compares by [`crate::difference`], and looks one way only: at payloads made by the older template and
//! judged by the newer one. Invariant: where nothing that is served differs, there is nothing to tell.

use serde::Serialize;
use utoipa::ToSchema;

use crate::budget;
use crate::budget::Budget;
use crate::difference::change::Change;
use crate::difference::change::Class;
use crate::difference::change::Kind;
use crate::difference::change::Reading;
use crate::difference::difference;
use crate::document::WITHHELD;
use crate::effective::EffectiveTemplate;
use crate::effective::Standing;
use crate::name::KeyName;
use crate::name::SchemaId;
use crate::template::SchemaTemplate;

/// Changes that are listed; the class speaks for all of them.
pub const CHANGES_MAX: usize = 64;

/// Units of one comparison: some tens of milliseconds, since a submission waits for it.
const UNITS: u64 = budget::CALL / 16;

/// What changed from the template that a client holds to the one that it would fetch now.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = TemplateChange)]
pub struct Missed {
    /// The revision that the submission said.
    pub since: u64,
    /// The schema in force.
    #[schema(value_type = String)]
    pub schema_id: SchemaId,
    /// Its revision.
    pub revision: u64,
    /// The gravest of all.
    pub class: Class,
    pub changes: Vec<MissedChange>,
    /// Changes that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = u64)]
    pub more: Option<usize>,
    /// Keys that are in their grace period now and were not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub deprecated_keys: Vec<KeyName>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct MissedChange {
    /// As `POST /v1/schemas:check` names it.
    pub kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    pub key_name: Option<String>,
    pub class: Class,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    pub renamed_to: Option<String>,
}

/// How much a change asks of who holds the older template; a renamed key as its publisher was told, whichever direction breaks.
fn class_of(change: &Change) -> Class {
    let reading = match change.renamed_to {
        Some(_) => change.backward.max(change.forward),
        None => change.backward,
    };
    match reading {
        Reading::Breaking => Class::Breaking,
        Reading::MayBreak => Class::MayBreak,
        Reading::Compatible => change.class.min(Class::Additive),
    }
}

impl Missed {
    /// Compares two templates as they are served; the older one was held at the revision `since`.
    pub fn between(held: &EffectiveTemplate, now: &EffectiveTemplate, since: u64) -> Missed {
        // A submission waits for it.
        let budget = Budget::new(UNITS);
        let changes = difference(&served(held), &served(now), &budget).into_iter();
        let mut changes: Vec<MissedChange> = changes
            .map(|change| MissedChange {
                kind: change.kind,
                class: class_of(&change),
                key_name: change.key_name,
                renamed_to: change.renamed_to,
            })
            .collect();
        let leaves = |template: &EffectiveTemplate, name: &KeyName| {
            let key = template.key(name);
            key.is_some_and(|key| key.standing() == Standing::Deprecated)
        };
        let names = now.keys.iter().map(|key| &key.definition.key_name);
        let deprecated = names.filter(|name| leaves(now, name) && !leaves(held, name));
        let deprecated_keys: Vec<KeyName> = deprecated.cloned().collect();
        let told = (!deprecated_keys.is_empty()).then_some(Class::Wording);
        let class = changes.iter().map(|change| change.class).chain(told).max();
        let more = changes.len().checked_sub(CHANGES_MAX).filter(|more| *more > 0);
        changes.truncate(CHANGES_MAX);
        Missed {
            since,
            schema_id: now.base.schema_id.clone(),
            revision: now.revision,
            class: class.unwrap_or(Class::None),
            changes,
            more,
            deprecated_keys,
        }
    }
}

/// An effective template as a template of its own, without what clients are never shown.
pub fn served(effective: &EffectiveTemplate) -> SchemaTemplate {
    let mut template = effective.base.clone();
    template.unknown.retain(|name, _| !WITHHELD.contains(&name.as_str()));
    template.keys = effective.keys.iter().map(|key| key.definition.clone()).collect();
    template
}

#[cfg(test)]
mod tests;
