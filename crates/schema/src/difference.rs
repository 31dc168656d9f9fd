//! What changed between two templates, key by key, and whom it may break (docs/design.md §3).
//!
//! Knows two templates and payloads as their keys read them; not which changes are allowed. Invariant: `breaking` is shown by a payload that one template accepts and
//! the other refuses, `compatible` is proved, and `may_break` is everything between.

pub mod change;

mod key;

mod payload;

pub mod succession;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::defect::pointer_to;
use crate::difference::change::Change;
use crate::difference::change::Direction;
use crate::difference::change::Effect;
use crate::difference::change::Kind;
use crate::difference::change::Reading;
use crate::difference::payload::Writer;
use crate::key::KeyDefinition;
use crate::name::KeyName;
use crate::name::OTHER;
use crate::nearest::nearest;
use crate::template::SchemaTemplate;

/// A key that neither template has, for showing what `strict` does.
const UNDECLARED: &str = "a_key_of_nobody";

/// Two versions, each as a source of payloads that the other reads.
struct Versions<'a> {
    old: &'a SchemaTemplate,
    new: &'a SchemaTemplate,
    before: Writer<'a>,
    after: Writer<'a>,
}

/// Every change from `old` to `new`: what concerns the whole template first, then keys in the old order, then new keys.
pub fn difference(old: &SchemaTemplate, new: &SchemaTemplate) -> Vec<Change> {
    let versions = Versions {
        old,
        new,
        before: Writer::of(old, new),
        after: Writer::of(new, old),
    };
    let mut changes = versions.whole();
    for key in &old.keys {
        match place(new, key) {
            Some((at, kept)) => changes.extend(versions.kept(key, kept, &at)),
            None => changes.extend(versions.removed(key)),
        }
    }
    changes.extend(new.keys.iter().filter_map(|key| versions.added(key)));
    changes
}

/// The key of the same name, and where it stands.
fn place<'a>(template: &'a SchemaTemplate, key: &KeyDefinition) -> Option<(String, &'a KeyDefinition)> {
    let mut keys = template.keys.iter().enumerate();
    let (place, found) = keys.find(|(_, other)| other.key_name == key.key_name)?;
    Some((format!("/keys/{place}"), found))
}

impl Versions<'_> {
    fn added(&self, key: &KeyDefinition) -> Option<Change> {
        let name = &key.key_name;
        if name.as_str() == OTHER || self.old.key(name).is_some() {
            return None;
        }
        let (at, _) = place(self.new, key)?;
        let mut change = Change::of_key(Kind::KeyAdded, key, &at);
        change.message = if key.required {
            format!("`{name}` is new and required: who knows the older version does not send it")
        } else {
            format!("`{name}` is new and optional")
        };
        if key.required {
            let sent = self.before.without(name);
            change.shown(Direction::Backward, Reading::Breaking, sent, Effect::Refused);
        }
        if self.old.strict() {
            let sent = self.after.sample(key).and_then(|value| self.after.with(name, value));
            // In the lenient reading an optional key may always be added; a required one is in every payload.
            let reading = if key.required {
                Reading::Breaking
            } else {
                Reading::MayBreak
            };
            change.shown(Direction::Forward, reading, sent, Effect::Refused);
            change
                .message
                .push_str("; the older version is strict, so that it refuses a payload that has it");
        }
        Some(change)
    }

    fn removed(&self, key: &KeyDefinition) -> Option<Change> {
        let name = &key.key_name;
        if name.as_str() == OTHER {
            return None;
        }
        let (at, _) = place(self.old, key)?;
        let mut change = Change::of_key(Kind::KeyRemoved, key, &at);
        let sent = self.before.sample(key).and_then(|value| self.before.with(name, value));
        if self.new.strict() {
            change.message =
                format!("`{name}` is gone, and the newer version is strict: it refuses a payload that has it");
            change.shown(Direction::Backward, Reading::Breaking, sent, Effect::Refused);
        } else {
            change.message =
                format!("`{name}` is gone: who still sends it is accepted, and what it says is passed over");
            change.shown(Direction::Backward, Reading::MayBreak, sent, Effect::PassedOver);
        }
        if key.required {
            change.message.push_str("; the older version requires it");
            let sent = self.after.without(name);
            change.shown(Direction::Forward, Reading::Breaking, sent, Effect::Refused);
        }
        if let Some(renamed) = successor(key, self.old, self.new) {
            change
                .message
                .push_str(&format!("; it seems to be called `{renamed}` now"));
            change.renamed_to = Some(renamed.to_string());
        }
        Some(change)
    }

    /// What concerns every payload, or none.
    fn whole(&self) -> Vec<Change> {
        let (old, new) = (self.old, self.new);
        let mut changes = Vec::new();
        if old.scenario_key() != new.scenario_key() {
            let mut change = Change::of_template(Kind::ScenarioChanged, "/scenario");
            change.message = "another scenario: who negotiates by its name finds another template".to_owned();
            change.shown(Direction::Backward, Reading::MayBreak, None, Effect::Refused);
            change.shown(Direction::Forward, Reading::MayBreak, None, Effect::Refused);
            changes.push(change);
        } else if old.scenario != new.scenario {
            changes.push(wording("/scenario", "the scenario is spelt otherwise"));
        }
        if old.description != new.description {
            changes.push(wording("/description", "the template's description"));
        }
        if old.language() != new.language() {
            changes.push(wording("/language", "the language of the descriptions"));
        }
        if old.strict() != new.strict() {
            changes.push(self.strict());
        }
        for name in members(&old.unknown, &new.unknown) {
            let at = pointer_to("", &name);
            if name == "response_schema" {
                let mut change = Change::of_template(Kind::MemberChanged, &at);
                change.message =
                    "what a reply looks like changes: who reads replies by the older version may not".to_owned();
                change.shown(Direction::Backward, Reading::MayBreak, None, Effect::ReadOtherwise);
                changes.push(change);
            } else if name != "strict" {
                changes.push(wording(&at, &format!("`{name}`, by which no payload is judged")));
            }
        }
        changes
    }

    fn strict(&self) -> Change {
        let (direction, writer, message) = if self.new.strict() {
            let message = "strict now: a key that the template does not have is refused, not passed over; the payload shown has one, which \
                           the older version takes and does not read";
            (Direction::Backward, &self.before, message)
        } else {
            let message = "no longer strict: the older version refuses a key that it does not have; the payload shown has one, which the \
                           newer version takes and does not read";
            (Direction::Forward, &self.after, message)
        };
        let mut change = Change::of_template(Kind::StrictChanged, "/strict");
        change.message = message.to_owned();
        let stray = writer.least().map(|mut payload| {
            payload.insert(UNDECLARED.to_owned(), json!("anything"));
            payload
        });
        change.shown(direction, Reading::MayBreak, stray, Effect::Refused);
        change
    }
}

/// The names that keys of an older version had, each with the name that it seems to have now.
pub fn former_names(old: &SchemaTemplate, new: &SchemaTemplate) -> Vec<(KeyName, KeyName)> {
    let gone = old.keys.iter().filter(|key| new.key(&key.key_name).is_none());
    let renamed = gone.filter_map(|key| Some((key.key_name.clone(), successor(key, old, new)?)));
    renamed.collect()
}

/// The one new key that a removed one seems to have become: the same description, or nearly the same name and the same type.
fn successor(key: &KeyDefinition, old: &SchemaTemplate, new: &SchemaTemplate) -> Option<KeyName> {
    let fresh = || {
        new.keys
            .iter()
            .filter(|other| other.key_type == key.key_type && old.key(&other.key_name).is_none())
    };
    let mut same_words = fresh().filter(|other| other.semantic_description == key.semantic_description);
    match (same_words.next(), same_words.next()) {
        (Some(only), None) => Some(only.key_name.clone()),
        (Some(_), Some(_)) => None,
        (None, _) => {
            let near = nearest(key.key_name.as_str(), fresh().map(|other| other.key_name.as_str()))?;
            KeyName::parse(near)
        }
    }
}

fn wording(at: &str, what: &str) -> Change {
    let mut change = Change::of_template(Kind::MemberChanged, at);
    change.message = format!("changed: {what}");
    change
}

/// The members that are not the same on both sides, in order.
pub(in crate::difference) fn members(old: &Map<String, Value>, new: &Map<String, Value>) -> Vec<String> {
    let same = |name: &String| match (old.get(name), new.get(name)) {
        (Some(a), Some(b)) => jsonschema::json::cmp::equal(a, b),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    let gained = new.keys().filter(|name| !old.contains_key(*name));
    old.keys().chain(gained).filter(|name| !same(name)).cloned().collect()
}

#[cfg(test)]
mod tests;
