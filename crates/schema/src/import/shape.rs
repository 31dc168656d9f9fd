//! What a schema of a source accepts, as a template says it.
//!
//! A type stands at most once, and of `integer` and `number` only one does.

use serde_json::Value;
use serde_json::json;

use crate::constraint::CONSTRAINTS_BYTES_MAX;
use crate::defect::pointer_to;
use crate::import::finding::Effect;
use crate::import::finding::Findings;
use crate::import::kind;
use crate::import::naming;
use crate::json_schema::Schema;
use crate::key::KeyType;
use crate::keyword::Keyword;

/// Every type of a value that nothing is said of.
pub const EVERY: [KeyType; 6] = [
    KeyType::String,
    KeyType::Number,
    KeyType::Boolean,
    KeyType::Array,
    KeyType::Object,
    KeyType::Null,
];

/// Values of these types that meet what is asked of theirs.
#[derive(Clone, Debug)]
pub struct Shape {
    pub types: Vec<KeyType>,
    pub schema: Schema,
    /// What is said of members and elements below, by where they are: `street`, `stops[].city`.
    pub said: Vec<(String, String)>,
    /// Number of examples beyond the room for them.
    pub unsaid: usize,
    pub about: About,
    /// About how long the schema is as JSON.
    bytes: usize,
}

/// What is said about a schema, and where it stands in the source.
#[derive(Clone, Debug, Default)]
pub struct About {
    pub pointer: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub default: Option<Value>,
    pub examples: Vec<Value>,
    /// Finding for a request that need not hold it, since it is `readOnly`.
    pub read_only: Option<Effect>,
}

/// Bytes of what is said below one key: a description has room for fewer.
const SAID_BYTES_MAX: usize = 8 * 1024;
/// Bytes of a member beside its name and what it asks: its type and the punctuation.
const MEMBER_BYTES: usize = 24;

impl Shape {
    /// Values of these types that meet these keywords; nothing is said below.
    pub fn new(types: Vec<KeyType>, schema: Schema, about: About) -> Shape {
        let bytes = schema
            .iter()
            .map(|(name, value)| name.len() + value.to_string().len())
            .sum();
        let (said, unsaid) = (Vec::new(), 0);
        Shape {
            types,
            schema,
            said,
            unsaid,
            about,
            bytes,
        }
    }

    /// Returns its size in bytes.
    pub fn bytes(&self) -> usize {
        let said: usize = self.said.iter().map(|(path, text)| path.len() + text.len()).sum();
        self.bytes + said + MEMBER_BYTES
    }

    /// Whether no type is left out.
    pub fn is_of_every_type(&self) -> bool {
        self.types.len() == EVERY.len()
    }

    /// Takes null out of it where other types are named, and says whether it was in.
    pub fn take_null(&mut self) -> bool {
        let before = self.types.len();
        if before > 1 && !self.is_of_every_type() {
            self.settle_on(|kind| kind != KeyType::Null);
        }
        self.types.len() < before
    }

    /// Leaves out types, and what speaks of them alone.
    pub fn settle_on(&mut self, is_kept: impl Fn(KeyType) -> bool) {
        self.types.retain(|kind| is_kept(*kind));
        let types = &self.types;
        let speaks =
            |name: &str| Keyword::parse(name).is_some_and(|word| types.iter().any(|kind| word.speaks_of(*kind)));
        self.schema.retain(|name, _| speaks(name));
        if let Some(Value::Array(listed)) = self.schema.get_mut("enum") {
            listed.retain(|value| types.iter().any(|kind| kind.holds(value)));
        }
    }

    /// The schema of a value below this one, which names one type or none; what is said of it is kept for the key's own description.
    pub fn nested(&mut self, below: Shape, step: &str, findings: &mut Findings) -> Value {
        let about = &below.about;
        let at = &about.pointer;
        if about.default.as_ref().is_some_and(|default| !default.is_null()) {
            findings.annotation(&pointer_to(at, "default"), "default");
        }
        if !about.examples.is_empty() {
            findings.annotation(&pointer_to(at, "examples"), "examples");
        }
        let own = about.text(step).map(|text| (step.to_owned(), text.clone()));
        let mut written = below.schema;
        let bytes = self.bytes + below.bytes + step.len() + MEMBER_BYTES;
        if bytes > CONSTRAINTS_BYTES_MAX && !written.is_empty() {
            let why = format!(
                "the constraints of a key have at most {CONSTRAINTS_BYTES_MAX} bytes; what is asked here does not fit"
            );
            findings.note(Effect::Unenforced, at, "schema", why);
            written.clear();
        } else {
            self.bytes = bytes;
        }
        let is_free = below.types.len() == EVERY.len() || written.contains_key("enum");
        match below.types.as_slice() {
            [] => {
                let why = "no value is right here, which a template cannot say: any is accepted";
                findings.note(Effect::Unenforced, at, "schema", why);
                written.clear();
            }
            [kind] => drop(written.shift_insert(0, "type".to_owned(), json!(kind.name()))),
            _ if is_free => {}
            several => {
                let names: Vec<&str> = several.iter().map(|kind| kind.name()).collect();
                let head = "a schema below a key names one type or none, so that a value need not be one of";
                findings.note(Effect::Unenforced, at, "type", format!("{head} {}", names.join(", ")));
            }
        }
        let mut room =
            SAID_BYTES_MAX.saturating_sub(self.said.iter().map(|(path, text)| path.len() + text.len()).sum());
        let deeper = below.said.into_iter().map(|(path, text)| {
            let dot = if path.starts_with('[') { "" } else { "." };
            (format!("{step}{dot}{path}"), text)
        });
        self.unsaid += below.unsaid;
        for (path, text) in own.into_iter().chain(deeper) {
            match room.checked_sub(path.len() + text.len()) {
                Some(left) => {
                    room = left;
                    self.said.push((path, text));
                }
                None => self.unsaid += 1,
            }
        }
        Value::Object(written)
    }
}

impl About {
    /// What is said first in schemas that all hold.
    pub fn of<'v>(schemas: impl Iterator<Item = &'v Value> + Clone, at: &str) -> About {
        let first = |name: &str| schemas.clone().find_map(|schema| schema.get(name)).cloned();
        let text = |name: &str| {
            let mut texts = schemas
                .clone()
                .filter_map(|schema| Some(schema.get(name)?.as_str()?.trim().to_owned()));
            texts.find(|text| !text.is_empty())
        };
        let examples = first("examples").and_then(|examples| examples.as_array().cloned());
        About {
            pointer: at.to_owned(),
            title: text("title"),
            description: text("description"),
            default: first("default"),
            examples: examples.unwrap_or_else(|| first("example").into_iter().collect()),
            read_only: None,
        }
    }

    /// The description, or a title that says more than a name.
    pub fn text(&self, name: &str) -> Option<&String> {
        let title = self.title.as_ref().filter(|title| !naming::says_the_same(title, name));
        self.description.as_ref().or(title)
    }

    /// Notes that null is not written: what is optional is left out instead, which means the same where null is the default.
    pub fn null_left_out(&self, was_required: bool, findings: &mut Findings) {
        let at = &self.pointer;
        if was_required {
            let why = "null is said by leaving it out, so that it need not be there";
            findings.note(Effect::Unenforced, at, "required", why);
        }
        let (effect, why) = match self.default == Some(Value::Null) {
            true => (Effect::Changed, "null, which is the default, is said by leaving it out"),
            false => (
                Effect::LeftOut,
                "a null that is sent counts as left out, so that the two are not told apart",
            ),
        };
        findings.note(effect, at, "null", why);
    }
}

/// The types that a schema names; none where it names none, or something else.
pub fn named(members: &Schema) -> Option<Vec<KeyType>> {
    let named = match members.get("type")? {
        Value::Array(named) => named.as_slice(),
        named => std::slice::from_ref(named),
    };
    named.iter().map(|name| kind::parse_type(name.as_str()?)).collect()
}

/// Leaves types that are among others as well, in their order.
pub fn meet(types: &mut Vec<KeyType>, others: Option<Vec<KeyType>>) {
    let Some(others) = others else { return };
    let has_numbers = [&types[..], &others[..]].map(|all| all.contains(&KeyType::Number));
    let mut met = Vec::new();
    for kind in others {
        let is_met = types.contains(&kind)
            || (kind == KeyType::Integer && has_numbers[0])
            || (kind == KeyType::Number && types.contains(&KeyType::Integer));
        let kind = match kind {
            KeyType::Integer if has_numbers == [true, true] => KeyType::Number,
            KeyType::Number if !has_numbers[0] => KeyType::Integer,
            kind => kind,
        };
        if is_met && !met.contains(&kind) {
            met.push(kind);
        }
    }
    *types = met;
}
