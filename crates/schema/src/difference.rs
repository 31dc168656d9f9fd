//! What changed between two templates, key by key, and whom it may break (docs/design.md §3).
//!
//! Knows two templates and payloads as their keys read them; not which changes are allowed. Invariant: `breaking` is shown by a payload that one template accepts and
//! the other refuses, `compatible` is proved, and `may_break` is everything between.

pub mod change;

mod payload;

use jsonschema::json::cmp::equal;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::budget::Budget;
use crate::closed_list::named;
use crate::closed_list::short;
use crate::covers::covers;
use crate::defect::pointer_to;
use crate::difference::change::Change;
use crate::difference::change::Class;
use crate::difference::change::Direction;
use crate::difference::change::Effect;
use crate::difference::change::Kind;
use crate::difference::change::Reading;
use crate::difference::change::Unproved;
use crate::difference::payload::Writer;
use crate::difference::payload::accepted;
use crate::key::KeyDefinition;
use crate::name::KeyName;
use crate::name::OTHER;
use crate::nearest::nearest;
use crate::template::SchemaTemplate;
use crate::witness;

/// A key that neither template has, for showing what `strict` does.
const UNDECLARED: &str = "a_key_of_nobody";

/// Two versions, each as a source of payloads that the other reads.
struct Versions<'a> {
    old: &'a SchemaTemplate,
    new: &'a SchemaTemplate,
    before: Writer<'a>,
    after: Writer<'a>,
    budget: &'a Budget<'a>,
}

/// Every change from `old` to `new`: what concerns the whole template first, then keys in the old order, then new keys.
/// What the budget does not reach may break.
pub fn difference(old: &SchemaTemplate, new: &SchemaTemplate, budget: &Budget<'_>) -> Vec<Change> {
    let versions = Versions {
        old,
        new,
        before: Writer::of(old, new, budget),
        after: Writer::of(new, old, budget),
        budget,
    };
    // Where no payload was found for lack of work, nothing that it would show is decided.
    let is_cut = budget.take_exceeded();
    let mut changes = versions.whole();
    for (place, key) in old.keys.iter().enumerate() {
        match new.keys.iter().position(|other| other.key_name == key.key_name) {
            Some(at) => changes.extend(versions.kept(key, &new.keys[at], &format!("/keys/{at}"))),
            None => changes.extend(versions.removed(key, format!("/keys/{place}"))),
        }
    }
    let keys = new.keys.iter().enumerate();
    changes.extend(keys.filter_map(|(place, key)| versions.added(key, format!("/keys/{place}"))));
    for change in &mut changes {
        if (is_cut || budget.left() == 0) && change.is_unshown() {
            change.reason = Some(Unproved::Budget);
        }
    }
    changes
}

impl Versions<'_> {
    fn added(&self, key: &KeyDefinition, at: String) -> Option<Change> {
        let name = &key.key_name;
        if name.as_str() == OTHER || self.old.key(name).is_some() {
            return None;
        }
        let said = match key.required {
            true => "required: who knows the older version does not send it",
            false => "optional",
        };
        let mut change = Change::new(Kind::KeyAdded, Some(key), at, format!("`{name}` is new and {said}"));
        if key.required {
            let sent = self.before.without(name);
            change = change.shown(Direction::Backward, Reading::Breaking, sent, Effect::Refused);
        }
        if self.old.strict() {
            let sent = self.after.with_sample(key);
            change = change.shown(Direction::Forward, Reading::Breaking, sent, Effect::Refused);
            change.message += "; the older version is strict, so that it refuses a payload that has it";
        }
        Some(change)
    }

    fn removed(&self, key: &KeyDefinition, at: String) -> Option<Change> {
        let name = &key.key_name;
        if name.as_str() == OTHER {
            return None;
        }
        let (said, reading, effect) = match self.new.strict() {
            true => (
                ", and the newer version is strict: it refuses a payload that has it",
                Reading::Breaking,
                Effect::Refused,
            ),
            false => (
                ": who still sends it is accepted, and what it says is passed over",
                Reading::MayBreak,
                Effect::PassedOver,
            ),
        };
        let sent = self.before.with_sample(key);
        let mut change = Change::new(Kind::KeyRemoved, Some(key), at, format!("`{name}` is gone{said}"));
        change = change.shown(Direction::Backward, reading, sent, effect);
        if key.required {
            change.message += "; the older version requires it";
            let sent = self.after.without(name);
            change = change.shown(Direction::Forward, Reading::Breaking, sent, Effect::Refused);
        }
        if let Some(renamed) = successor(key, self.old, self.new) {
            change.message += &format!("; it seems to be called `{renamed}` now");
            change.renamed_to = Some(renamed.to_string());
        }
        Some(change)
    }

    /// What concerns every payload, or none.
    fn whole(&self) -> Vec<Change> {
        let (old, new) = (self.old, self.new);
        let change = |kind: Kind, member: &str, message: &str| {
            Change::new(kind, None, pointer_to("", member), message.to_owned())
        };
        let mut changes = Vec::new();
        let is_another = old.scenario_key() != new.scenario_key();
        if is_another {
            let message = "another scenario: who negotiates by its name finds another template";
            let both = [Direction::Backward, Direction::Forward].into_iter();
            let change = change(Kind::ScenarioChanged, "scenario", message);
            changes.push(both.fold(change, |change, direction| {
                change.shown(direction, Reading::MayBreak, None, Effect::Refused)
            }));
        }
        let worded = [
            (
                !is_another && old.scenario != new.scenario,
                "scenario",
                "the scenario is spelt otherwise",
            ),
            (
                old.description != new.description,
                "description",
                "the template's description",
            ),
            (
                old.language() != new.language(),
                "language",
                "the language of the descriptions",
            ),
        ];
        for (_, member, what) in worded.into_iter().filter(|(differs, ..)| *differs) {
            changes.push(change(Kind::MemberChanged, member, &format!("changed: {what}")));
        }
        if old.strict() != new.strict() {
            changes.push(self.strict());
        }
        for name in differing(&old.unknown, &new.unknown)
            .into_iter()
            .filter(|name| *name != "strict")
        {
            changes.push(if name == "response_schema" {
                let message = "what a reply looks like changes: who reads replies by the older version may not";
                let change = change(Kind::MemberChanged, name, message);
                change.shown(Direction::Backward, Reading::MayBreak, None, Effect::ReadOtherwise)
            } else {
                let message = format!("changed: `{name}`, by which no payload is judged");
                change(Kind::MemberChanged, name, &message)
            });
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
        let stray = writer.least().map(|mut payload| {
            payload.insert(UNDECLARED.to_owned(), json!("anything"));
            payload
        });
        let change = Change::new(Kind::StrictChanged, None, "/strict".to_owned(), message.to_owned());
        change.shown(direction, Reading::Breaking, stray, Effect::Refused)
    }

    /// Every change of a key that both have; `at` is its place in the newer document.
    fn kept(&self, old: &KeyDefinition, new: &KeyDefinition, at: &str) -> Vec<Change> {
        let mut changes = Vec::new();
        // What `other` holds is never a reason to refuse (Z-060), whatever is declared of it.
        if old.key_name.as_str() != OTHER {
            changes.extend(self.required(old, new, at));
            changes.extend(self.values(old, new, at));
            changes.extend(self.default(old, new, at));
        }
        let own = [
            (
                old.semantic_description != new.semantic_description,
                Kind::DescriptionChanged,
                "semantic_description",
                "another description",
            ),
            (
                old.semantic_descriptions != new.semantic_descriptions,
                Kind::DescriptionChanged,
                "semantic_descriptions",
                "other translations",
            ),
            (
                old.sensitive != new.sensitive,
                Kind::SensitiveChanged,
                "sensitive",
                "another `sensitive`, which says who has to approve a change of it",
            ),
        ];
        let own = own.into_iter().filter(|(differs, ..)| *differs);
        let own = own.map(|(_, kind, member, what)| (kind, member, what.to_owned()));
        let unknown = differing(&old.unknown, &new.unknown).into_iter();
        let unknown = unknown.map(|member| {
            (
                Kind::MemberChanged,
                member,
                format!("`{member}`, which has no meaning here"),
            )
        });
        changes.extend(own.chain(unknown).map(|(kind, member, what)| {
            Change::new(
                kind,
                Some(new),
                pointer_to(at, member),
                format!("`{}`: {what}", new.key_name),
            )
        }));
        changes
    }

    fn required(&self, old: &KeyDefinition, new: &KeyDefinition, at: &str) -> Option<Change> {
        if old.required == new.required {
            return None;
        }
        let name = &new.key_name;
        let (kind, direction, writer, message) = if new.required {
            let message = format!("`{name}` is required now: who knows the older version may leave it out");
            (Kind::MadeRequired, Direction::Backward, &self.before, message)
        } else {
            let message = format!("`{name}` may be left out now: the older version requires it");
            (Kind::MadeOptional, Direction::Forward, &self.after, message)
        };
        let change = Change::new(kind, Some(new), pointer_to(at, "required"), message);
        Some(change.shown(direction, Reading::Breaking, writer.without(name), Effect::Refused))
    }

    fn values(&self, old: &KeyDefinition, new: &KeyDefinition, at: &str) -> Option<Change> {
        let differing = differing(&old.constraints, &new.constraints);
        let typed = old.key_type != new.key_type;
        if !typed && differing.is_empty() {
            return None;
        }
        self.budget.take_exceeded();
        let (backward, forward) = (read(old, new, self.budget), read(new, old, self.budget));
        let is_cut = self.budget.take_exceeded();
        let holds = [&backward, &forward].map(|(reading, _)| *reading == Reading::Compatible);
        let (kind, member) = match (typed, holds) {
            (true, _) => (Kind::TypeChanged, "key_type"),
            (false, [true, true]) => (Kind::Restated, "constraints"),
            (false, [true, false]) => (Kind::Widened, "constraints"),
            (false, [false, true]) => (Kind::Narrowed, "constraints"),
            (false, [false, false]) => (Kind::ConstraintsChanged, "constraints"),
        };
        let name = &new.key_name;
        let types = typed.then(|| format!("type {} -> {}", old.key_type.name(), new.key_type.name()));
        let keywords = differing
            .iter()
            .map(|keyword| told(keyword, old.constraints.get(*keyword), new.constraints.get(*keyword)));
        let said: Vec<String> = types.into_iter().chain(keywords).collect();
        let message = format!("`{name}`: {}", said.join("; "));
        let mut change = Change::new(kind, Some(new), pointer_to(at, member), message);
        let sides = [
            (Direction::Backward, backward, &self.before, "older", "newer"),
            (Direction::Forward, forward, &self.after, "newer", "older"),
        ];
        for (direction, (reading, value), writer, sender, reader) in sides {
            if reading == Reading::Compatible {
                continue;
            }
            if let (Reading::Breaking, None, true) = (reading, &value, writer.can_send()) {
                change.message +=
                    &format!("; lengths that the {sender} version accepts are refused by the {reader} one");
                change = change.proved(direction);
                continue;
            }
            let sent = value.and_then(|value| writer.with(name, value));
            if sent.is_none() {
                change.message +=
                    &format!("; not proved that all that the {sender} version accepts is accepted by the {reader} one");
                change.reason = Some(match is_cut {
                    true => Unproved::Budget,
                    false => Unproved::Undecided,
                });
            }
            change = change.shown(direction, reading, sent, Effect::Refused);
        }
        Some(change)
    }

    /// A default speaks where a key is left out, so that another one means something else to the same payload (Z-043).
    fn default(&self, old: &KeyDefinition, new: &KeyDefinition, at: &str) -> Option<Change> {
        if same(old.default_value.as_ref(), new.default_value.as_ref()) {
            return None;
        }
        let name = &new.key_name;
        let [was, is] = [old, new].map(|key| key.default_value.as_ref().map_or_else(|| "none".to_owned(), short));
        let message = format!("`{name}`: default {was} -> {is}");
        let mut change = Change::new(
            Kind::DefaultChanged,
            Some(new),
            pointer_to(at, "default_value"),
            message,
        );
        if old.required || new.required {
            change.message += "; a required key has no use for one";
            change.class = Class::Wording;
        } else if old.default_value.is_some() {
            change.message += "; who leaves it out means the former one";
            let sent = self.before.without(name);
            change = change.shown(Direction::Backward, Reading::Breaking, sent, Effect::ReadOtherwise);
        }
        Some(change)
    }
}

/// Decides how what `writer` accepts is read, and the value that shows it, where it is short enough to be made.
fn read(writer: &KeyDefinition, reader: &KeyDefinition, budget: &Budget<'_>) -> (Reading, Option<Value>) {
    let asked = accepted(reader);
    // A value of type `null` means omitted, on either side, but for who asks for a key: it is sent where it is required, and
    // is no value of another type.
    let Some(written) = accepted(writer) else {
        return match writer.required && reader.required && asked.is_some() {
            true => (Reading::Breaking, Some(Value::Null)),
            false => (Reading::Compatible, None),
        };
    };
    // Of type `null` a key takes nothing but omission.
    let asked = asked.unwrap_or_else(|| Map::from_iter([("type".to_owned(), json!("null"))]));
    if covers(&asked, &written, budget) {
        return (Reading::Compatible, None);
    }
    match witness::witness(&written, &asked, budget) {
        Some(value) => (Reading::Breaking, Some(value)),
        None if witness::breaks_by_length(&written, &asked, budget) => (Reading::Breaking, None),
        None => (Reading::MayBreak, None),
    }
}

/// One keyword in words.
fn told(keyword: &str, old: Option<&Value>, new: Option<&Value>) -> String {
    let said = match (old, new) {
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            let parts = [("gains", beyond(new, old)), ("loses", beyond(old, new))];
            let parts = parts.into_iter().filter(|(_, values)| !values.is_empty());
            let parts: Vec<String> = parts.map(|(verb, values)| format!("{verb} {values}")).collect();
            match parts.is_empty() {
                true => "in another order".to_owned(),
                false => parts.join(" and "),
            }
        }
        (None, Some(new)) => format!("is new: {}", short(new)),
        (Some(old), None) => format!("is gone: {}", short(old)),
        (Some(old), Some(new)) => format!("{} -> {}", short(old), short(new)),
        (None, None) => String::new(),
    };
    format!("`{keyword}` {said}")
}

/// The values of one list that are not in another.
fn beyond(these: &[Value], those: &[Value]) -> String {
    named(these.iter().filter(|value| !those.contains(value)))
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
        let is_fresh = |other: &&KeyDefinition| other.key_type == key.key_type && old.key(&other.key_name).is_none();
        new.keys.iter().filter(is_fresh)
    };
    let mut same_words = fresh().filter(|other| other.semantic_description == key.semantic_description);
    match (same_words.next(), same_words.next()) {
        (Some(only), None) => Some(only.key_name.clone()),
        (Some(_), Some(_)) => None,
        (None, _) => KeyName::parse(nearest(
            key.key_name.as_str(),
            fresh().map(|other| other.key_name.as_str()),
        )?),
    }
}

/// The members that are not the same on both sides, in order.
fn differing<'a>(old: &'a Map<String, Value>, new: &'a Map<String, Value>) -> Vec<&'a str> {
    let gained = new.keys().filter(|name| !old.contains_key(*name));
    let names = old.keys().chain(gained).map(String::as_str);
    names.filter(|name| !same(old.get(*name), new.get(*name))).collect()
}

fn same(old: Option<&Value>, new: Option<&Value>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => equal(old, new),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

#[cfg(test)]
mod tests;
