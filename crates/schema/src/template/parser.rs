//! A template as a publisher wrote it, read into one that is right.
//!
//! Knows what holds between keys and of the whole document; each key is read beside its type. Invariant: reading goes on
//! after a defect, and nothing is read into a value that has one.

use std::collections::BTreeMap;

use serde_json::Map;
use serde_json::Value;

use crate::advice::Advice;
use crate::advice::Finding;
use crate::annotation;
use crate::catalogue;
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
use crate::template::RETIRED;
use crate::template::SchemaTemplate;
use crate::template::TEMPLATE_DESCRIPTION_BYTES_MAX;
use crate::template::Version;
use crate::template::takes_over;
use crate::template::too_many_keys;
use crate::template::without_standing;
use crate::unknown;

/// The members that have a field of their own.
const MEMBERS: [&str; 6] = ["schema_id", "scenario", "version", "description", "language", "keys"];

/// The members that have a meaning and no field: switches, the scenario's own numbers, where it is executed and what comes
/// back.
const READ_ELSEWHERE: [&str; 8] = [
    "strict",
    annotation::SWITCH,
    compatibility::MEMBER,
    catalogue::OWNER,
    catalogue::LABELS,
    "policy",
    executor::MEMBER,
    response_schema::MEMBER,
];

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
    if members.contains_key(RETIRED) {
        let message = "whether a schema is retired is not its publisher's to say here; this member is not kept";
        report.finding(Advice::UnknownMember, &pointer_to("", RETIRED), message);
        return read(&Value::Object(without_standing(members)), report);
    }
    let mut read = Members {
        members,
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
    let version = read_text(&mut read, "version", "Z-105", |text| {
        let right = Version::parse(text).is_some();
        (!right).then(|| "`version` is MAJOR.MINOR.PATCH, such as 1.0.0".to_owned())
    });
    let description = read_text(&mut read, "description", "Z-031", |text| {
        (text.len() > TEMPLATE_DESCRIPTION_BYTES_MAX)
            .then(|| format!("`description` has at most {TEMPLATE_DESCRIPTION_BYTES_MAX} bytes"))
    });
    let tag = read_text(&mut read, "language", "Z-041", |text| {
        (!language::is_well_formed(text)).then(|| "`language` is a BCP 47 language tag, such as en or pt-BR".to_owned())
    });
    if let Some(tag) = &tag {
        language::look(tag, &pointer_to("", "language"), report);
    }
    check_switches(members, report);
    check_mode(members, report);
    catalogue::check(members, report);
    executor::check(members, report);
    response_schema::check(members, report);
    let unknown = unknown::take(members, &MEMBERS, &READ_ELSEWHERE, "", report);
    let keys = read_keys(members, takes_over(members), report);
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
    if let Some(stray) = stray_script(text) {
        let message = format!(
            "`scenario` mixes scripts that look alike: {stray:?} (U+{:04X}) is of another script than what stands before it; write \
             it in one, or in Latin beside Chinese, Japanese or Korean",
            u32::from(stray)
        );
        read.report.defect("/scenario", "Z-049", message);
        return None;
    }
    let right = ScenarioKey::parse(text).map(|_| text.to_owned());
    read.hold("scenario", "Z-049", right, || {
        "`scenario` has 1 to 128 bytes of letters, digits, spaces, `_`, `-` and `.`".to_owned()
    })
}

/// A text that may be left out.
fn read_text(
    read: &mut Members<'_, '_>,
    name: &str,
    requirement: &str,
    wrong: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let value = read.members.get(name).filter(|value| !value.is_null())?;
    let text = read.text(name, value, requirement)?;
    let message = wrong(text);
    let right = message.is_none().then(|| text.to_owned());
    read.hold(name, requirement, right, || message.unwrap_or_default())
}

/// Members that switch a behaviour: only a boolean can be meant.
fn check_switches(members: &Map<String, Value>, report: &mut Report) {
    for (name, requirement) in [(annotation::SWITCH, "Z-048"), ("strict", "Z-023")] {
        if members.get(name).is_some_and(|value| !value.is_boolean()) {
            report.defect(&pointer_to("", name), requirement, format!("`{name}` is a boolean"));
        }
    }
}

/// A mode that is not known would promise nothing, in silence.
fn check_mode(members: &Map<String, Value>, report: &mut Report) {
    let Some(value) = members.get(compatibility::MEMBER) else {
        return;
    };
    if value.as_str().and_then(compatibility::Mode::parse).is_none() {
        let message = format!(
            "`{}` is one of {}",
            compatibility::MEMBER,
            compatibility::NAMES.join(", ")
        );
        report.defect(&pointer_to("", compatibility::MEMBER), "Z-105", message);
    }
}

fn read_keys(members: &Map<String, Value>, take_over: bool, report: &mut Report) -> Option<Vec<KeyDefinition>> {
    let mut read = Members {
        members,
        own: &MEMBERS,
        pointer: "",
        report,
    };
    let documents = read.get("keys", "Z-032")?.as_array();
    let documents = read.hold("keys", "Z-032", documents, || {
        "`keys` is an array of key definitions".to_owned()
    })?;
    let is_other = |document: &&Value| document.get("key_name").and_then(Value::as_str) == Some(OTHER);
    if documents.len() - documents.iter().filter(is_other).count().min(1) > KEYS_MAX {
        report.defect("/keys", "Z-032", too_many_keys(KEYS_MAX));
        return None;
    }
    let mut keys = Vec::with_capacity(documents.len() + 1);
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, document) in documents.iter().enumerate() {
        let pointer = format!("/keys/{index}");
        // A name counts as taken whatever else is wrong with its definition.
        if let Some(name) = document.get("key_name").and_then(Value::as_str) {
            match places.get(name) {
                Some(first) => {
                    let message = format!("the key at /keys/{first} has the same name");
                    report.defect(&pointer_to(&pointer, "key_name"), "Z-035", message);
                }
                None => {
                    places.insert(name, index);
                }
            }
        }
        keys.extend(KeyDefinition::read(document, &pointer, take_over, report));
    }
    if !places.contains_key(OTHER)
        && let Some(name) = KeyName::parse(OTHER)
    {
        report.finding(
            Advice::NoOther,
            "/keys",
            "the template has no key `other`; one is added",
        );
        keys.push(other::implicit(name));
    }
    Some(keys)
}
