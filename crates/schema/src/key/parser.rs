//! A key definition as a publisher wrote it, read into one that is right (Z-033 … Z-056).
//!
//! Invariant: reading goes on after a defect, and nothing is read into a value that has one.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::json;

use crate::advice::Advice;
use crate::advice::Finding;
use crate::annotation;
use crate::constraint;
use crate::defect::Defect;
use crate::defect::pointer_to;
use crate::key::DESCRIPTION_BYTES_MAX;
use crate::key::KeyDefinition;
use crate::key::KeyType;
use crate::key::Sensitive;
use crate::key::TITLE;
use crate::key::TRANSLATIONS_MAX;
use crate::language;
use crate::members::Members;
use crate::name::KeyName;
use crate::name::OTHER;
use crate::name::RESERVED;
use crate::other;
use crate::report::Report;
use crate::rule::Rule;

/// The members that have a meaning here.
const MEMBERS: [&str; 8] = [
    "key_name",
    "key_type",
    "required",
    "default_value",
    "semantic_description",
    "semantic_descriptions",
    "constraints",
    "sensitive",
];

impl KeyDefinition {
    /// Reads one key definition as a publisher wrote it; constraints in its description are taken over (Z-048).
    ///
    /// # Errors
    /// All defects at once, never only the first.
    pub fn parse(document: &Value) -> Result<(KeyDefinition, Vec<Finding>), Vec<Defect>> {
        let mut report = Report::default();
        let key = KeyDefinition::read(document, "", true, &mut report);
        report.conclude(key)
    }

    /// Reads the definition at `pointer`. `None` when something is wrong with it, which the report then says.
    pub(crate) fn read(document: &Value, pointer: &str, take_over: bool, report: &mut Report) -> Option<KeyDefinition> {
        let Value::Object(members) = document else {
            report.defect(pointer, "Z-032", "a key definition is a JSON object");
            return None;
        };
        let defects_before = report.defects.len();
        let mut read = Members {
            members,
            own: &MEMBERS,
            pointer,
            report,
        };
        let key_name = read_name(&mut read);
        let key_type = read_type(&mut read);
        let required = read.get("required", "Z-042").and_then(|value| {
            let required = value.as_bool();
            read.hold("required", "Z-042", required, || "`required` is a boolean".to_owned())
        });
        let semantic_description = read_description(&mut read);
        let semantic_descriptions = read_translations(&mut read);
        let sensitive = read.stated("sensitive").and_then(|value| {
            let sensitive = Sensitive::deserialize(value).ok();
            read.hold("sensitive", "Z-171", sensitive, || {
                "`sensitive` is one of payment, identity, access_control, personal".to_owned()
            })
        });
        let default_value = read.stated("default_value").cloned();
        let constraints = read.stated("constraints").zip(key_type).map(|(constraints, key_type)| {
            constraint::admit(constraints, key_type, &pointer_to(pointer, "constraints"), read.report)
        });
        let constraints = constraints.unwrap_or_default();
        let unknown = read.unknown(&[TITLE]);
        let mut key = KeyDefinition {
            key_name: key_name?,
            key_type: key_type?,
            required: required?,
            default_value,
            semantic_description: semantic_description?,
            semantic_descriptions,
            constraints,
            sensitive,
            unknown,
        };
        if key.key_name.as_str() == OTHER {
            other::check(&mut key, pointer, report);
        } else {
            check_default(&key, pointer, report);
            if take_over && report.defects.len() == defects_before {
                annotation::take_over(&mut key, pointer, report);
            }
        }
        (report.defects.len() == defects_before).then_some(key)
    }
}

fn read_name(read: &mut Members<'_, '_>) -> Option<KeyName> {
    let value = read.get("key_name", "Z-033")?;
    let text = read.text("key_name", value, "Z-033")?;
    let free = (!RESERVED.contains(&text)).then_some(text);
    let text = read.hold("key_name", "Z-177", free, || {
        format!("`{text}` is a member of every reply and cannot name a key")
    })?;
    read.hold("key_name", "Z-034", KeyName::parse(text), || {
        "`key_name` is snake_case, at most 64 characters, such as `departure_date`".to_owned()
    })
}

fn read_type(read: &mut Members<'_, '_>) -> Option<KeyType> {
    let value = read.get("key_type", "Z-036")?;
    let text = read.text("key_type", value, "Z-036")?;
    if text == "float" {
        let message = "`float` is not a JSON Schema type; it is read and served as `number`";
        let at = pointer_to(read.pointer, "key_type");
        read.report
            .suggestion(Advice::FloatAlias, &at, message, json!({"key_type": "number"}));
        return Some(KeyType::Number);
    }
    read.hold("key_type", "Z-036", KeyType::parse(text), || {
        "`key_type` is one of string, integer, number, boolean, array, object, null; a date is a string with the constraint \
         `\"format\": \"date\"`"
            .to_owned()
    })
}

fn read_description(read: &mut Members<'_, '_>) -> Option<String> {
    const NAME: &str = "semantic_description";
    let value = read.get(NAME, "Z-054")?;
    let text = read.text(NAME, value, "Z-039")?;
    let said = (!text.trim().is_empty()).then_some(text);
    let text = read.hold(NAME, "Z-054", said, || format!("`{NAME}` is empty"))?;
    let short = (text.len() <= DESCRIPTION_BYTES_MAX).then(|| text.to_owned());
    read.hold(NAME, "Z-039", short, || {
        format!("a description has at most {DESCRIPTION_BYTES_MAX} bytes")
    })
}

fn read_translations(read: &mut Members<'_, '_>) -> BTreeMap<String, String> {
    const NAME: &str = "semantic_descriptions";
    const REQUIREMENT: &str = "Z-041";
    let mut translations = BTreeMap::new();
    let Some(stated) = read.stated(NAME) else {
        return translations;
    };
    let few = stated.as_object().filter(|entries| entries.len() <= TRANSLATIONS_MAX);
    let entries = read.hold(NAME, REQUIREMENT, few, || match stated.is_object() {
        true => format!("at most {TRANSLATIONS_MAX} translations"),
        false => format!("`{NAME}` is an object of language tag and text"),
    });
    let report = &mut *read.report;
    for (tag, text) in entries.into_iter().flatten() {
        let here = pointer_to(&pointer_to(read.pointer, NAME), tag);
        if !language::is_well_formed(tag) {
            let message = "a translation stands under a BCP 47 language tag, such as en or pt-BR";
            report.defect(&here, REQUIREMENT, message);
        }
        language::look(tag, &here, report);
        match text.as_str().filter(|text| !text.trim().is_empty()) {
            None => report.defect(&here, REQUIREMENT, "a translation is a string that is not empty"),
            Some(text) if text.len() > DESCRIPTION_BYTES_MAX => {
                let message = format!("a description has at most {DESCRIPTION_BYTES_MAX} bytes");
                report.defect(&here, REQUIREMENT, message);
            }
            Some(text) => drop(translations.insert(tag.clone(), text.to_owned())),
        }
    }
    translations
}

/// A default conforms to its key (Z-047) and is no use to a required one (Z-046).
fn check_default(key: &KeyDefinition, pointer: &str, report: &mut Report) {
    let Some(default) = &key.default_value else {
        return;
    };
    let at = pointer_to(pointer, "default_value");
    if !Rule::compile(key.key_type, &key.constraints).accepts(default) {
        let message = format!(
            "the default does not conform to type {} and the constraints",
            key.key_type.name()
        );
        report.defect(&at, "Z-047", message);
    }
    if key.required {
        let message = "the default of a required key is never applied; leave it out, or make the key optional";
        report.suggestion(Advice::DefaultOfRequired, &at, message, json!({"default_value": null}));
    }
}
