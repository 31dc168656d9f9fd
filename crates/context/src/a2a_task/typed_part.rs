//! Typed parts: which published schema a part means by its `type` and `schemaVersion`, and what its other metadata say (P-008 …
//! P-016, P-020, P-035, P-038).
//!
//! Each type versions by itself; the same major version is safe to process, whatever the minor. Invariants: a version is never
//! stretched over a major; a part that cannot be processed is skipped or refused by itself, with what is hosted instead, and never
//! takes the message with it, unless it says that it must be understood.

use serde_json::Map;
use serde_json::Value;

use crate::fields::FieldFault;
use schema::name::ScenarioKey;
use schema::name::SchemaId;
use schema::template::LABELS;
use schema::template::SchemaTemplate;
use schema::template::Version;

/// The label of a template whose payload is the data of a part: its value names the key that holds the data whole.
pub const LABEL: &str = "part_data";
/// The type of a part that holds what was said.
pub const HISTORY: &str = "ConversationHistory";
/// The version that is written here.
pub const HISTORY_VERSION: &str = "1.0.0";
/// Bytes of a type's name.
pub const TYPE_BYTES_MAX: usize = 128;

/// What a `schemaVersion` must be.
const VERSION_FORM: &str = "MAJOR.MINOR or MAJOR.MINOR.PATCH";

/// The key that a part's data are the value of, where a template is for parts.
pub fn data_key(template: &SchemaTemplate) -> Option<&str> {
    let labels = template.unknown.get(LABELS)?.as_object()?;
    labels.get(LABEL)?.as_str()
}

/// A part's data as the payload of a template: under the key that its label names, or as they are where it has none.
pub fn payload(template: &SchemaTemplate, data: &str) -> String {
    match data_key(template) {
        Some(key) => format!("{{{}:{data}}}", Value::from(key)),
        None => data.to_owned(),
    }
}

/// How a type is spelt beside how it is published. A part is read by a type of any case; to whom it goes is said by its very name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// As it is published.
    Own,
    /// It is published in this spelling.
    Other(String),
    /// Nothing of it is published; this is the nearest that is, where one is near.
    Unknown(Option<String>),
}

/// A schema that is published for what a part names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub schema_id: SchemaId,
    pub scenario: ScenarioKey,
    pub version: Version,
    pub retired: bool,
    /// Whether it is the one that clients are given.
    pub in_force: bool,
    /// Revision of its publication.
    pub published: u64,
    /// Revision of its publication, or of its last retirement or restoration.
    pub changed: u64,
}

impl Known {
    /// Whether it may have taken submissions at a revision: it was published, and not retired for good.
    fn was_open(&self, revision: u64) -> bool {
        self.published <= revision && !(self.retired && self.changed <= revision)
    }
}

/// What a type and version come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    /// This schema reads it.
    Schema(SchemaId),
    /// It is what the work is about, and no submission.
    Context,
    /// Nothing is published under that name.
    Unknown,
    /// The name is known, but no schema of that major version takes submissions; these majors do.
    OtherMajor(Vec<u32>),
}

/// Which word beside a submission says otherwise than the schema that it names itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// Its type is of another scenario, or a schema of another major version.
    Type,
    /// Its version is of another major than this one.
    Version(u32),
}

/// Whether a type and a version, where they are said, agree with the schema that a submission names itself: the same scenario and the
/// same major version, whatever the minor (P-009, P-013, P-014). `typed` is what the type names.
pub fn contradiction(own: &Known, typed: Option<&[Known]>, wanted: Option<Version>) -> Option<Contradiction> {
    let same_major = |version: Version| version.major == own.version.major;
    let mut kin = typed
        .into_iter()
        .flatten()
        .filter(|known| known.scenario == own.scenario)
        .peekable();
    if typed.is_some() && kin.peek().is_none() {
        return Some(Contradiction::Type);
    }
    if wanted.is_some_and(|wanted| !same_major(wanted)) {
        return Some(Contradiction::Version(own.version.major));
    }
    (typed.is_some() && !kin.any(|known| same_major(known.version))).then_some(Contradiction::Type)
}

/// The version that metadata say; `None` where they say none.
///
/// # Errors
/// The form that it has not.
pub fn schema_version(metadata: &Map<String, Value>) -> Result<Option<Version>, &'static str> {
    match metadata.get("schemaVersion") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => version(text).map(Some).ok_or(VERSION_FORM),
        Some(_) => Err(VERSION_FORM),
    }
}

/// Reads `MAJOR.MINOR` or `MAJOR.MINOR.PATCH`; a patch that is left out is 0 (P-015).
fn version(text: &str) -> Option<Version> {
    match text.split('.').count() {
        2 => Version::parse(&format!("{text}.0")),
        3 => Version::parse(text),
        _ => None,
    }
}

/// The schema that reads a part of this version among those that its type names: of the same major the newest that is not
/// retired, or the one in force where no version is said. `pinned` is the revision that the part is to be judged by: then those
/// of that revision count, also one that was retired since, and what was published later does not.
pub fn fit(wanted: Option<Version>, pinned: Option<u64>, known: &[Known]) -> Fit {
    if known.is_empty() {
        return Fit::Unknown;
    }
    let then = pinned.and_then(|revision| {
        known
            .iter()
            .filter(|known| known.was_open(revision))
            .filter(|known| wanted.is_none_or(|wanted| known.version.major == wanted.major))
            .max_by_key(|known| known.version)
    });
    if let Some(then) = then {
        return Fit::Schema(then.schema_id.clone());
    }
    let open = || known.iter().filter(|known| !known.retired);
    let found = match wanted {
        None => open()
            .find(|known| known.in_force)
            .or_else(|| open().max_by_key(|known| known.version)),
        Some(wanted) => open()
            .filter(|known| known.version.major == wanted.major)
            .max_by_key(|known| known.version),
    };
    match found {
        Some(known) => Fit::Schema(known.schema_id.clone()),
        None => {
            let mut majors: Vec<u32> = open().map(|known| known.version.major).collect();
            majors.sort_unstable();
            majors.dedup();
            Fit::OtherMajor(majors)
        }
    }
}

/// What becomes of a part before its data are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Processing {
    /// This schema reads it. What is newer in it is ignored, where its version is newer (P-014).
    By {
        schema_id: SchemaId,
        version: Version,
        newer: bool,
    },
    /// Passed over, with the reason (P-016).
    Skipped(String),
    /// Not processed, with the reason and what is hosted (P-014).
    Refused(String),
}

/// What becomes of a part by its metadata. `known` says what a type names.
pub fn process(metadata: &Map<String, Value>, known: impl Fn(&str) -> Vec<Known>) -> Processing {
    let name = match metadata.get("type") {
        Some(Value::String(name)) if !name.is_empty() && name.len() <= TYPE_BYTES_MAX => name,
        Some(_) => return Processing::Skipped(format!("its type is no text of 1 to {TYPE_BYTES_MAX} bytes")),
        None => return Processing::Skipped("its metadata say no type".to_owned()),
    };
    let wanted = match schema_version(metadata) {
        Ok(wanted) => wanted,
        Err(form) => return Processing::Refused(format!("its schemaVersion is not {form}")),
    };
    let known = known(name);
    match fit(wanted, None, &known) {
        Fit::Unknown | Fit::Context => Processing::Skipped("no schema of its type is hosted".to_owned()),
        Fit::Schema(schema_id) => {
            let hosted = known.iter().find(|known| known.schema_id == schema_id);
            let version = hosted.map_or_else(Version::default, |known| known.version);
            Processing::By {
                newer: wanted.is_some_and(|wanted| wanted > version),
                schema_id,
                version,
            }
        }
        Fit::OtherMajor(_) => {
            let mut hosted: Vec<Version> = known
                .iter()
                .filter(|known| !known.retired)
                .map(|known| known.version)
                .collect();
            hosted.sort_unstable();
            hosted.dedup();
            let hosted: Vec<String> = hosted.iter().map(Version::to_string).collect();
            Processing::Refused(match hosted.as_slice() {
                [] => "every schema of its type is retired".to_owned(),
                hosted => format!(
                    "its major version is not read here; hosted of its type: {}",
                    hosted.join(", ")
                ),
            })
        }
    }
}

/// Whether a part must be understood, so that the message fails with it (P-016).
pub fn is_required(metadata: &Map<String, Value>) -> bool {
    metadata.get("required") == Some(&Value::Bool(true))
}

/// Whether metadata call what they stand beside sensitive (P-035). What is neither yes nor no is taken for yes, since a mistake
/// could let something out.
pub fn is_sensitive(metadata: &Map<String, Value>) -> bool {
    !matches!(metadata.get("sensitive"), None | Some(Value::Null | Value::Bool(false)))
}

/// A flag of metadata that is neither true nor false: passing over it could let something out (P-016, P-035). `place` is where what
/// the metadata belong to stands, such as `message.parts[0].`.
pub fn odd_flag(metadata: &Map<String, Value>, place: &str) -> Option<FieldFault> {
    let odd = ["required", "sensitive"].into_iter().find(|name| {
        let given = metadata.get(*name);
        given.is_some_and(|value| !value.is_boolean() && !value.is_null())
    });
    odd.map(|name| FieldFault::new(format!("{place}metadata.{name}"), "must be true or false"))
}

#[cfg(test)]
mod tests;
