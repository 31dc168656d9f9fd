//! What a client that holds an older template does not know yet, and how much that asks of it.
//!
//! Compares by [`crate::difference`], and looks one way only: at payloads made by the older template and
//! judged by the newer one. Invariant: where nothing that is served differs, there is nothing to tell.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::difference::change::Change;
use crate::difference::change::Class;
use crate::difference::change::Reading;
use crate::difference::difference;
use crate::document::WITHHELD;
use crate::effective::EffectiveTemplate;
use crate::effective::Standing;
use crate::name::KeyName;
use crate::template::SchemaTemplate;

/// Changes that are listed; the class speaks for all of them.
pub const CHANGES_MAX: usize = 64;

/// What changed from the template that a client holds to the one that it would fetch now.
#[derive(Clone, Debug, PartialEq)]
pub struct Missed {
    /// The gravest of all; none where nothing that is served differs.
    pub class: Option<Class>,
    changes: Vec<(Class, Change)>,
    /// Keys that are in their grace period now and were not.
    deprecated: Vec<KeyName>,
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
    /// Compares two templates as they are served.
    pub fn between(held: &EffectiveTemplate, now: &EffectiveTemplate) -> Missed {
        let changes = difference(&served(held), &served(now)).into_iter();
        let changes: Vec<(Class, Change)> = changes.map(|change| (class_of(&change), change)).collect();
        let leaves = |template: &EffectiveTemplate, name: &KeyName| {
            let key = template.key(name);
            key.is_some_and(|key| key.standing() == Standing::Deprecated)
        };
        let names = now.keys.iter().map(|key| &key.definition.key_name);
        let deprecated = names.filter(|name| leaves(now, name) && !leaves(held, name));
        let deprecated: Vec<KeyName> = deprecated.cloned().collect();
        let told = (!deprecated.is_empty()).then_some(Class::Wording);
        Missed {
            class: changes.iter().map(|(class, _)| *class).chain(told).max(),
            changes,
            deprecated,
        }
    }

    /// `{"class", "changes": [{"kind", "key_name"?, "class", "renamed_to"?}], "more"?, "deprecated_keys"?}`; `more` counts
    /// changes that are not listed.
    pub fn document(&self) -> Map<String, Value> {
        let changes: Vec<Value> = self.changes.iter().take(CHANGES_MAX).map(told).collect();
        let mut document = Map::from_iter([
            ("class".to_owned(), json!(self.class.map_or("none", Class::name))),
            ("changes".to_owned(), Value::Array(changes)),
        ]);
        let more = self.changes.len().saturating_sub(CHANGES_MAX);
        if more > 0 {
            document.insert("more".to_owned(), json!(more));
        }
        if !self.deprecated.is_empty() {
            document.insert("deprecated_keys".to_owned(), json!(self.deprecated));
        }
        document
    }
}

fn told((class, change): &(Class, Change)) -> Value {
    let mut told = json!({"kind": change.kind});
    let stated = [
        ("key_name", &change.key_name),
        ("class", &Some(class.name().to_owned())),
        ("renamed_to", &change.renamed_to),
    ];
    for (member, value) in stated {
        if let Some(value) = value {
            told[member] = json!(value);
        }
    }
    told
}

/// An effective template as a template of its own, without what clients are never shown.
fn served(effective: &EffectiveTemplate) -> SchemaTemplate {
    let mut template = effective.base.clone();
    template.unknown.retain(|name, _| !WITHHELD.contains(&name.as_str()));
    template.keys = effective.keys.iter().map(|key| key.definition.clone()).collect();
    template
}

#[cfg(test)]
mod tests;
