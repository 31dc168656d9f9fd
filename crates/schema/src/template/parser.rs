//! A template as a publisher wrote it, read into one that is right.
//!
//! Knows what holds between keys and of the whole document; each key is read beside its type. Invariant: reading goes on
//! after a defect, and nothing is read into a value that has one.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::advice::Advice;
use crate::advice::Finding;
use crate::annotation;
use crate::compatibility;
use crate::defect::Defect;
use crate::defect::pointer_to;
use crate::executor;
use crate::key::KeyDefinition;
use crate::language;
use crate::members::Members;
use crate::name::KeyName;
use crate::name::OTHER;
use crate::name::ScenarioKey;
use crate::name::SchemaId;
use crate::name::stray_script;
use crate::other;
use crate::report::Report;
use crate::response_schema;
use crate::template::KEYS_MAX;
use crate::template::LABELS;
use crate::template::OWNER;
use crate::template::RETIRED;
use crate::template::SchemaTemplate;
use crate::template::TEMPLATE_DESCRIPTION_BYTES_MAX;
use crate::template::Version;
use crate::template::takes_over;
use crate::template::too_many_keys;

/// The members that have a field of their own.
const MEMBERS: [&str; 6] = ["schema_id", "scenario", "version", "description", "language", "keys"];

/// The members that have a meaning and no field: switches, who answers for it, the scenario's own numbers, where it is executed and
/// what comes back.
const READ_ELSEWHERE: [&str; 9] = [
    "strict",
    "lenient",
    annotation::SWITCH,
    compatibility::MEMBER,
    OWNER,
    LABELS,
    "policy",
    executor::MEMBER,
    response_schema::MEMBER,
];

/// Bytes of an owner.
pub(super) const OWNER_BYTES_MAX: usize = 256;
/// Labels of one schema, bytes of a label's name, and of its value.
pub(super) const LABELS_MAX: usize = 32;
pub(super) const LABEL_NAME_BYTES_MAX: usize = 64;
pub(super) const LABEL_VALUE_BYTES_MAX: usize = 256;

impl SchemaTemplate {
    /// Reads a template as a publisher wrote it.
    ///
    /// # Errors
    /// All defects at once, never only the first.
    pub fn parse(document: &Value) -> Result<(SchemaTemplate, Vec<Finding>), Vec<Defect>> {
        let mut report = Report::default();
        let template = read(document, &mut report);
        report.conclude(template)
    }
}

fn read(document: &Value, report: &mut Report) -> Option<SchemaTemplate> {
    let Value::Object(members) = document else {
        report.defect("", "Z-028", "a schema template is a JSON object");
        return None;
    };
    let mut members = members.clone();
    if members.shift_remove(RETIRED).is_some() {
        let message = "whether a schema is retired is not its publisher's to say here; this member is not kept";
        report.finding(Advice::UnknownMember, &pointer_to("", RETIRED), message);
    }
    let mut read = Members {
        members: &members,
        own: &MEMBERS,
        pointer: "",
        report,
    };
    let schema_id = read.get("schema_id", "Z-029").and_then(|value| {
        let id = value.as_str().and_then(SchemaId::parse);
        read.hold("schema_id", "Z-029", id, || {
            "`schema_id` is a string of 1 to 128 characters out of [A-Za-z0-9._-]".to_owned()
        })
    });
    let scenario = read_scenario(&mut read);
    let is_version = |text: &str| Version::parse(text).is_some();
    let version = read.stated_text("version", "Z-105", is_version, || {
        "`version` is MAJOR.MINOR.PATCH, such as 1.0.0".to_owned()
    });
    let is_short = |text: &str| text.len() <= TEMPLATE_DESCRIPTION_BYTES_MAX;
    let description = read.stated_text("description", "Z-031", is_short, || {
        format!("`description` has at most {TEMPLATE_DESCRIPTION_BYTES_MAX} bytes")
    });
    let tag = read.stated_text("language", "Z-041", language::is_well_formed, || {
        "`language` is a BCP 47 language tag, such as en or pt-BR".to_owned()
    });
    if let Some(tag) = &tag {
        language::look(tag, "/language", read.report);
    }
    check_settings(&mut read);
    executor::check(&members, read.report);
    response_schema::check(&members, read.report);
    let unknown = read.unknown(&READ_ELSEWHERE);
    let keys = read_keys(&mut read);
    Some(SchemaTemplate {
        schema_id: schema_id?,
        scenario: scenario?,
        version,
        description,
        language: tag,
        keys: keys?,
        unknown,
    })
}

fn read_scenario(read: &mut Members<'_, '_>) -> Option<String> {
    let value = read.get("scenario", "Z-031")?;
    let text = read.text("scenario", value, "Z-031")?;
    let stray = stray_script(text);
    let right = ScenarioKey::parse(text).filter(|_| stray.is_none());
    read.hold("scenario", "Z-049", right.map(|_| text.to_owned()), || match stray {
        Some(stray) => format!(
            "`scenario` mixes scripts that look alike: {stray:?} (U+{:04X}) is of another script than what stands before it; write \
             it in one, or in Latin beside Chinese, Japanese or Korean",
            u32::from(stray)
        ),
        None => "`scenario` has 1 to 128 bytes of letters, digits, spaces, `_`, `-` and `.`".to_owned(),
    })
}

/// Looks at the form of what has no field: a switch that is no boolean, or a mode that is not known, would promise nothing in silence,
/// and a listing relies on owner and labels.
fn check_settings(read: &mut Members<'_, '_>) {
    for (name, requirement) in [(annotation::SWITCH, "Z-048"), ("strict", "Z-023"), ("lenient", "Z-019")] {
        let right = read.members.get(name).is_none_or(Value::is_boolean);
        read.hold(name, requirement, right.then_some(()), || {
            format!("`{name}` is a boolean")
        });
    }
    let is_mode = |value: &Value| value.as_str().and_then(compatibility::Mode::parse).is_some();
    let right = read.members.get(compatibility::MEMBER).is_none_or(is_mode);
    read.hold(compatibility::MEMBER, "Z-105", right.then_some(()), || {
        let names = compatibility::NAMES.join(", ");
        format!("`{}` is one of {names}", compatibility::MEMBER)
    });
    let is_short = |text: &str| !text.trim().is_empty() && text.len() <= OWNER_BYTES_MAX;
    let right = read
        .members
        .get(OWNER)
        .is_none_or(|owner| owner.as_str().is_some_and(is_short));
    read.hold(OWNER, "Z-050", right.then_some(()), || {
        format!("`owner` is a text of 1 to {OWNER_BYTES_MAX} bytes")
    });
    let Some(labels) = read.members.get(LABELS) else { return };
    let labels = labels.as_object().filter(|labels| labels.len() <= LABELS_MAX);
    let labels = read.hold(LABELS, "Z-050", labels, || {
        format!("`labels` is an object of at most {LABELS_MAX} names and values")
    });
    for (name, value) in labels.into_iter().flatten() {
        let named = !name.is_empty() && name.len() <= LABEL_NAME_BYTES_MAX && !name.contains(':');
        if !named || value.as_str().is_none_or(|value| value.len() > LABEL_VALUE_BYTES_MAX) {
            let message = format!(
                "a label has a name of 1 to {LABEL_NAME_BYTES_MAX} bytes without `:`, and a text of at most \
                 {LABEL_VALUE_BYTES_MAX} bytes"
            );
            read.report.defect(&pointer_to("/labels", name), "Z-050", message);
        }
    }
}

fn read_keys(read: &mut Members<'_, '_>) -> Option<Vec<KeyDefinition>> {
    let documents = read.get("keys", "Z-032")?.as_array();
    let documents = read.hold("keys", "Z-032", documents, || {
        "`keys` is an array of key definitions".to_owned()
    })?;
    let report = &mut *read.report;
    let name_of = |document: &Value| document.get("key_name").and_then(Value::as_str).map(str::to_owned);
    let is_other = |document: &Value| name_of(document).as_deref() == Some(OTHER);
    let has_other = documents.iter().any(is_other);
    if documents.len() - usize::from(has_other) > KEYS_MAX {
        report.defect("/keys", "Z-032", too_many_keys(KEYS_MAX));
        return None;
    }
    let mut keys = Vec::with_capacity(documents.len() + 1);
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (index, document) in documents.iter().enumerate() {
        let pointer = format!("/keys/{index}");
        // A name counts as taken whatever else is wrong with its definition.
        if let Some(name) = name_of(document) {
            let first = *places.entry(name).or_insert(index);
            if first != index {
                let message = format!("the key at /keys/{first} has the same name");
                report.defect(&pointer_to(&pointer, "key_name"), "Z-035", message);
            }
        }
        keys.extend(KeyDefinition::read(
            document,
            &pointer,
            takes_over(read.members),
            report,
        ));
    }
    if let Some(name) = KeyName::parse(OTHER).filter(|_| !has_other) {
        let message = "the template has no key `other`; one is added";
        report.finding(Advice::NoOther, "/keys", message);
        keys.push(other::implicit(name));
    }
    Some(keys)
}
