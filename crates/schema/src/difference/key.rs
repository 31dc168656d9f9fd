//! What changed in one key that both versions have.

use serde_json::Map;
use serde_json::Value;

use crate::covers::covers;
use crate::defect::pointer_to;
use crate::difference::Versions;
use crate::difference::change::Change;
use crate::difference::change::Class;
use crate::difference::change::Direction;
use crate::difference::change::Effect;
use crate::difference::change::Kind;
use crate::difference::change::Reading;
use crate::difference::members;
use crate::difference::payload;
use crate::key::KeyDefinition;
use crate::name::OTHER;
use crate::witness;

/// Values of a list that a message names.
const NAMED_MAX: usize = 8;

impl Versions<'_> {
    /// Every change of a key; `at` is its place in the newer document.
    pub(in crate::difference) fn kept(&self, old: &KeyDefinition, new: &KeyDefinition, at: &str) -> Vec<Change> {
        let mut changes = Vec::new();
        // What `other` holds is never a reason to refuse (Z-060), whatever is declared of it.
        if old.key_name.as_str() != OTHER {
            changes.extend(self.required(old, new, at));
            changes.extend(self.values(old, new, at));
            changes.extend(self.default(old, new, at));
        }
        words(old, new, at, &mut changes);
        changes
    }

    fn required(&self, old: &KeyDefinition, new: &KeyDefinition, at: &str) -> Option<Change> {
        if old.required == new.required {
            return None;
        }
        let name = &new.key_name;
        let at = pointer_to(at, "required");
        let (kind, direction, writer, message) = if new.required {
            let message = format!("`{name}` is required now: who knows the older version may leave it out");
            (Kind::MadeRequired, Direction::Backward, &self.before, message)
        } else {
            let message = format!("`{name}` may be left out now: the older version requires it");
            (Kind::MadeOptional, Direction::Forward, &self.after, message)
        };
        let mut change = Change::of_key(kind, new, &at);
        change.message = message;
        change.shown(direction, Reading::Breaking, writer.without(name), Effect::Refused);
        Some(change)
    }

    fn values(&self, old: &KeyDefinition, new: &KeyDefinition, at: &str) -> Option<Change> {
        let differing = members(&old.constraints, &new.constraints);
        let typed = old.key_type != new.key_type;
        if !typed && differing.is_empty() {
            return None;
        }
        let (backward, broken_by_new) = read(old, new);
        let (forward, broken_by_old) = read(new, old);
        let kind = match (typed, backward, forward) {
            (true, _, _) => Kind::TypeChanged,
            (false, Reading::Compatible, Reading::Compatible) => Kind::Restated,
            (false, Reading::Compatible, Reading::MayBreak | Reading::Breaking) => Kind::Widened,
            (false, Reading::MayBreak | Reading::Breaking, Reading::Compatible) => Kind::Narrowed,
            (false, Reading::MayBreak | Reading::Breaking, Reading::MayBreak | Reading::Breaking) => {
                Kind::ConstraintsChanged
            }
        };
        let name = &new.key_name;
        let at = pointer_to(at, if typed { "key_type" } else { "constraints" });
        let mut change = Change::of_key(kind, new, &at);
        let mut said: Vec<String> = Vec::new();
        if typed {
            said.push(format!("type {} -> {}", old.key_type.name(), new.key_type.name()));
        }
        for keyword in &differing {
            said.push(told(
                keyword,
                old.constraints.get(keyword),
                new.constraints.get(keyword),
            ));
        }
        change.message = format!("`{name}`: {}", said.join("; "));
        for (direction, reading, value, writer) in [
            (Direction::Backward, backward, broken_by_new, &self.before),
            (Direction::Forward, forward, broken_by_old, &self.after),
        ] {
            if reading == Reading::Compatible {
                continue;
            }
            let sent = value.and_then(|value| writer.with(name, value));
            if sent.is_none() {
                let whose = match direction {
                    Direction::Backward => "the older version accepts is accepted by the newer one",
                    Direction::Forward => "the newer version accepts is accepted by the older one",
                };
                change.message.push_str(&format!("; not proved that all that {whose}"));
            }
            change.shown(direction, reading, sent, Effect::Refused);
        }
        Some(change)
    }

    /// A default speaks where a key is left out, so that another one means something else to the same payload (Z-043).
    fn default(&self, old: &KeyDefinition, new: &KeyDefinition, at: &str) -> Option<Change> {
        let same = match (&old.default_value, &new.default_value) {
            (Some(a), Some(b)) => jsonschema::json::cmp::equal(a, b),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        if same {
            return None;
        }
        let name = &new.key_name;
        let mut change = Change::of_key(Kind::DefaultChanged, new, &pointer_to(at, "default_value"));
        let shown = |value: &Option<Value>| value.as_ref().map_or_else(|| "none".to_owned(), short);
        change.message = format!(
            "`{name}`: default {} -> {}",
            shown(&old.default_value),
            shown(&new.default_value)
        );
        if old.required || new.required {
            change.message.push_str("; a required key has no use for one");
            change.class = Class::Wording;
        } else if old.default_value.is_some() {
            change.message.push_str("; who leaves it out means the former one");
            let sent = self.before.without(name);
            change.shown(Direction::Backward, Reading::MayBreak, sent, Effect::ReadOtherwise);
        }
        Some(change)
    }
}

/// How what `writer` accepts is read, and the value that shows it.
fn read(writer: &KeyDefinition, reader: &KeyDefinition) -> (Reading, Option<Value>) {
    // A value of type `null` means omitted, on either side, but for who asks for a key: it is sent where it is required, and
    // is no value of another type.
    let Some(written) = payload::accepted(writer) else {
        let refused = writer.required && reader.required && payload::accepted(reader).is_some();
        return if refused {
            (Reading::Breaking, Some(Value::Null))
        } else {
            (Reading::Compatible, None)
        };
    };
    let asked = payload::accepted(reader).unwrap_or_else(nothing);
    if covers(&asked, &written) {
        return (Reading::Compatible, None);
    }
    match witness::witness(&written, &asked) {
        Some(value) => (Reading::Breaking, Some(value)),
        None => (Reading::MayBreak, None),
    }
}

/// The schema of a key that takes nothing but omission.
fn nothing() -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), Value::String("null".to_owned()))])
}

/// One keyword in words.
fn told(keyword: &str, old: Option<&Value>, new: Option<&Value>) -> String {
    if let (Some(Value::Array(old)), Some(Value::Array(new))) = (old, new) {
        let beyond = |these: &[Value], those: &[Value]| {
            let mut named: Vec<String> = these
                .iter()
                .filter(|value| !those.contains(value))
                .map(ToString::to_string)
                .collect();
            let more = named.len().saturating_sub(NAMED_MAX);
            named.truncate(NAMED_MAX);
            if more > 0 {
                named.push(format!("{more} more"));
            }
            named.join(", ")
        };
        let (gained, lost) = (beyond(new, old), beyond(old, new));
        let mut said = Vec::new();
        if !gained.is_empty() {
            said.push(format!("gains {gained}"));
        }
        if !lost.is_empty() {
            said.push(format!("loses {lost}"));
        }
        if said.is_empty() {
            said.push("in another order".to_owned());
        }
        return format!("`{keyword}` {}", said.join(" and "));
    }
    match (old, new) {
        (None, Some(new)) => format!("`{keyword}` is new: {}", short(new)),
        (Some(old), None) => format!("`{keyword}` is gone: {}", short(old)),
        (Some(old), Some(new)) => format!("`{keyword}` {} -> {}", short(old), short(new)),
        (None, None) => format!("`{keyword}`"),
    }
}

fn short(value: &Value) -> String {
    const BYTES_MAX: usize = 120;
    let text = value.to_string();
    if text.len() <= BYTES_MAX {
        return text;
    }
    format!("{} …", &text[..text.floor_char_boundary(BYTES_MAX)])
}

fn words(old: &KeyDefinition, new: &KeyDefinition, at: &str, changes: &mut Vec<Change>) {
    let name = &new.key_name;
    let mut say = |kind: Kind, member: &str, message: String| {
        let mut change = Change::of_key(kind, new, &pointer_to(at, member));
        change.message = message;
        changes.push(change);
    };
    if old.semantic_description != new.semantic_description {
        let message = format!("`{name}`: another description");
        say(Kind::DescriptionChanged, "semantic_description", message);
    }
    if old.semantic_descriptions != new.semantic_descriptions {
        let message = format!("`{name}`: other translations");
        say(Kind::DescriptionChanged, "semantic_descriptions", message);
    }
    if old.sensitive != new.sensitive {
        let message = format!("`{name}`: another `sensitive`, which says who has to approve a change of it");
        say(Kind::SensitiveChanged, "sensitive", message);
    }
    for member in members(&old.unknown, &new.unknown) {
        let message = format!("`{name}`: `{member}`, which has no meaning here");
        say(Kind::MemberChanged, &member, message);
    }
}
