//! What a client that holds an older template does not know yet, and how much that asks of it.
//!
//! Compares by [`crate::difference`], and looks one way only: at payloads made by the older template and
//! judged by the newer one. Invariant: where nothing that is served differs, there is nothing to tell.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::difference::change::Change;
use crate::difference::change::Class;
use crate::difference::change::Direction;
use crate::difference::change::Reading;
use crate::difference::difference;
use crate::document::WITHHELD;
use crate::effective::EffectiveTemplate;
use crate::effective::Standing;
use crate::name::KeyName;
use crate::template::SchemaTemplate;

/// Changes that are listed; the class speaks for all of them.
pub const CHANGES_MAX: usize = 64;

/// How much a change asks of who holds the older template, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Staleness {
    /// Nothing that is served differs.
    None,
    /// The same, in other words.
    Wording,
    /// More may be said.
    Additive,
    /// What was right may be refused, or is passed over or read otherwise.
    MayBreak,
    /// What was right is refused.
    Breaking,
}

impl Staleness {
    /// As it is spelt in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Staleness::None => "none",
            Staleness::Wording => "wording",
            Staleness::Additive => "additive",
            Staleness::MayBreak => "may_break",
            Staleness::Breaking => "breaking",
        }
    }

    /// Of one change; of a renamed key as its publisher was told, whichever direction breaks.
    fn of(change: &Change) -> Staleness {
        let backward = change.reading(Direction::Backward);
        let reading = match change.renamed_to {
            Some(_) => backward.max(change.reading(Direction::Forward)),
            None => backward,
        };
        match reading {
            Reading::Breaking => Staleness::Breaking,
            Reading::MayBreak => Staleness::MayBreak,
            Reading::Compatible if change.class == Class::Wording => Staleness::Wording,
            Reading::Compatible => Staleness::Additive,
        }
    }
}

/// What changed from the template that a client holds to the one that it would fetch now.
#[derive(Clone, Debug, PartialEq)]
pub struct Missed {
    pub class: Staleness,
    changes: Vec<(Staleness, Change)>,
    /// Keys that are in their grace period now and were not.
    deprecated: Vec<KeyName>,
}

impl Missed {
    /// Compares two templates as they are served.
    pub fn between(held: &EffectiveTemplate, now: &EffectiveTemplate) -> Missed {
        let changes: Vec<(Staleness, Change)> = difference(&served(held), &served(now))
            .into_iter()
            .map(|change| (Staleness::of(&change), change))
            .collect();
        let was_deprecated = |name: &KeyName| held.key(name).is_some_and(|key| key.standing() == Standing::Deprecated);
        let deprecated: Vec<KeyName> = now
            .keys
            .iter()
            .filter(|key| key.standing() == Standing::Deprecated && !was_deprecated(&key.definition.key_name))
            .map(|key| key.definition.key_name.clone())
            .collect();
        let told = if deprecated.is_empty() {
            Staleness::None
        } else {
            Staleness::Wording
        };
        let class = changes.iter().map(|(class, _)| *class).chain([told]).max();
        Missed {
            class: class.unwrap_or(Staleness::None),
            changes,
            deprecated,
        }
    }

    /// `{"class", "changes": [{"kind", "key_name"?, "class", "renamed_to"?}], "more"?, "deprecated_keys"?}`; `more` counts
    /// changes that are not listed.
    pub fn document(&self) -> Map<String, Value> {
        let changes: Vec<Value> = self.changes.iter().take(CHANGES_MAX).map(told).collect();
        let mut document = Map::new();
        document.insert("class".to_owned(), json!(self.class.name()));
        document.insert("changes".to_owned(), Value::Array(changes));
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

fn told((class, change): &(Staleness, Change)) -> Value {
    let mut told = Map::new();
    told.insert("kind".to_owned(), json!(change.kind));
    if let Some(key_name) = &change.key_name {
        told.insert("key_name".to_owned(), json!(key_name));
    }
    told.insert("class".to_owned(), json!(class.name()));
    if let Some(renamed_to) = &change.renamed_to {
        told.insert("renamed_to".to_owned(), json!(renamed_to));
    }
    Value::Object(told)
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
