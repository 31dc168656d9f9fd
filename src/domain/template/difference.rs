//! What changed between two templates, key by key, and whom it may break (DESIGN §3).
//!
//! Knows two templates and payloads as their keys read them; not which changes are allowed: that is
//! [`crate::domain::template::compatibility`]. Invariant: `breaking` is shown by a payload that one template accepts and
//! the other refuses, `compatible` is proved, and `may_break` is everything between.

pub mod change;

mod key;

mod payload;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::domain::template::defect::pointer_to;
use crate::domain::template::difference::change::Change;
use crate::domain::template::difference::change::Direction;
use crate::domain::template::difference::change::Effect;
use crate::domain::template::difference::change::Example;
use crate::domain::template::difference::change::Kind;
use crate::domain::template::difference::change::Reading;
use crate::domain::template::difference::payload::Writer;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::name::OTHER;
use crate::domain::template::nearest::nearest;
use crate::domain::template::schema::SchemaTemplate;

/// A key that neither template has, for showing what `strict` does.
const UNDECLARED: &str = "a_key_of_nobody";

/// Every change from `old` to `new`: what concerns the whole template first, then keys in the old order, then new keys.
pub fn difference(old: &SchemaTemplate, new: &SchemaTemplate) -> Vec<Change> {
    let before = Writer::of(old, new);
    let after = Writer::of(new, old);
    let mut changes = Vec::new();
    whole(old, new, &before, &after, &mut changes);
    for key in &old.keys {
        let at = place(new, key).map(|place| format!("/keys/{place}"));
        match (new.key(&key.key_name), at) {
            (Some(kept), Some(at)) => key::compare(key, kept, &at, &before, &after, &mut changes),
            (None, _) | (_, None) => removed(key, old, new, &before, &after, &mut changes),
        }
    }
    for (place, key) in new.keys.iter().enumerate() {
        if old.key(&key.key_name).is_none() {
            added(key, &format!("/keys/{place}"), old, &before, &after, &mut changes);
        }
    }
    changes
}

fn place(template: &SchemaTemplate, key: &KeyDefinition) -> Option<usize> {
    template.keys.iter().position(|other| other.key_name == key.key_name)
}

fn added(
    key: &KeyDefinition,
    at: &str,
    old: &SchemaTemplate,
    before: &Writer<'_>,
    after: &Writer<'_>,
    changes: &mut Vec<Change>,
) {
    if key.key_name.as_str() == OTHER {
        return;
    }
    let name = &key.key_name;
    let mut change = Change::of_key(Kind::KeyAdded, key, at);
    change.message = if key.required {
        format!("`{name}` is new and required: who knows the older version does not send it")
    } else {
        format!("`{name}` is new and optional")
    };
    if key.required {
        change.shown(
            Direction::Backward,
            Reading::Breaking,
            before.without(name),
            Effect::Refused,
        );
    }
    if old.strict() {
        let sent = after.sample(key).and_then(|value| after.with(name, value));
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
    changes.push(change);
}

fn removed(
    key: &KeyDefinition,
    old: &SchemaTemplate,
    new: &SchemaTemplate,
    before: &Writer<'_>,
    after: &Writer<'_>,
    changes: &mut Vec<Change>,
) {
    if key.key_name.as_str() == OTHER {
        return;
    }
    let name = &key.key_name;
    let at = place(old, key).map_or_else(String::new, |place| format!("/keys/{place}"));
    let mut change = Change::of_key(Kind::KeyRemoved, key, &at);
    let sent = before.sample(key).and_then(|value| before.with(name, value));
    if new.strict() {
        change.message = format!("`{name}` is gone, and the newer version is strict: it refuses a payload that has it");
        change.shown(Direction::Backward, Reading::Breaking, sent, Effect::Refused);
    } else {
        change.message = format!("`{name}` is gone: who still sends it is accepted, and what it says is passed over");
        change.shown(Direction::Backward, Reading::MayBreak, sent, Effect::PassedOver);
    }
    if key.required {
        change.message.push_str("; the older version requires it");
        change.shown(
            Direction::Forward,
            Reading::Breaking,
            after.without(name),
            Effect::Refused,
        );
    }
    if let Some(renamed) = successor(key, old, new) {
        change
            .message
            .push_str(&format!("; it seems to be called `{renamed}` now"));
        change.renamed_to = Some(renamed);
    }
    changes.push(change);
}

/// The new key that a removed one seems to have become: the same description, or nearly the same name and the same type.
fn successor(key: &KeyDefinition, old: &SchemaTemplate, new: &SchemaTemplate) -> Option<String> {
    let fresh = || {
        new.keys
            .iter()
            .filter(|other| other.key_type == key.key_type && old.key(&other.key_name).is_none())
    };
    let same_words = fresh().find(|other| other.semantic_description == key.semantic_description);
    match same_words {
        Some(other) => Some(other.key_name.to_string()),
        None => nearest(key.key_name.as_str(), fresh().map(|other| other.key_name.as_str())).map(str::to_owned),
    }
}

/// What concerns every payload, or none.
fn whole(
    old: &SchemaTemplate,
    new: &SchemaTemplate,
    before: &Writer<'_>,
    after: &Writer<'_>,
    changes: &mut Vec<Change>,
) {
    if old.scenario_key() != new.scenario_key() {
        let mut change = Change::of_template(Kind::ScenarioChanged, "/scenario");
        change.message = "another scenario: who negotiates by its name finds another template".to_owned();
        change.shown(Direction::Backward, Reading::MayBreak, None, Effect::Refused);
        change.shown(Direction::Forward, Reading::MayBreak, None, Effect::Refused);
        changes.push(change);
    } else if old.scenario != new.scenario {
        wording("/scenario", "the scenario is spelt otherwise", changes);
    }
    if old.description != new.description {
        wording("/description", "the template's description", changes);
    }
    if old.language() != new.language() {
        wording("/language", "the language of the descriptions", changes);
    }
    if old.strict() != new.strict() {
        let (direction, writer, message) = if new.strict() {
            let message = "strict now: a key that the template does not have is refused, not passed over";
            (Direction::Backward, before, message)
        } else {
            let message = "no longer strict: the older version refuses a key that it does not have";
            (Direction::Forward, after, message)
        };
        let mut change = Change::of_template(Kind::StrictChanged, "/strict");
        change.message = message.to_owned();
        let stray = writer.least().map(|mut payload| {
            payload.insert(UNDECLARED.to_owned(), json!("anything"));
            payload
        });
        change.shown(direction, Reading::MayBreak, stray, Effect::Refused);
        changes.push(change);
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
            wording(&at, &format!("`{name}`, by which no payload is judged"), changes);
        }
    }
}

fn wording(at: &str, what: &str, changes: &mut Vec<Change>) {
    let mut change = Change::of_template(Kind::MemberChanged, at);
    change.message = format!("changed: {what}");
    changes.push(change);
}

/// The members that are not the same on both sides, in order.
pub(in crate::domain::template::difference) fn members(
    old: &Map<String, Value>,
    new: &Map<String, Value>,
) -> Vec<String> {
    let same = |name: &String| match (old.get(name), new.get(name)) {
        (Some(a), Some(b)) => jsonschema::json::cmp::equal(a, b),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    let gained = new.keys().filter(|name| !old.contains_key(*name));
    old.keys().chain(gained).filter(|name| !same(name)).cloned().collect()
}

impl Change {
    /// Records how one direction reads; an example goes with what was shown.
    fn shown(&mut self, direction: Direction, reading: Reading, payload: Option<Map<String, Value>>, effect: Effect) {
        // What no payload shows breaks nobody for certain.
        let reading = match (reading, &payload) {
            (Reading::Breaking, None) => Reading::MayBreak,
            (reading, _) => reading,
        };
        match direction {
            Direction::Backward => self.backward = self.backward.max(reading),
            Direction::Forward => self.forward = self.forward.max(reading),
        }
        if let Some(payload) = payload {
            self.examples.push(Example {
                direction,
                effect,
                payload,
            });
        }
    }
}

#[cfg(test)]
mod tests;
