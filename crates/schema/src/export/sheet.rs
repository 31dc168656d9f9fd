//! What every form says: the keys as one client sees them, in one language and in one order.

use serde_json::Map;
use serde_json::Value;

use crate::ecma;
use crate::effective::EffectiveKey;
use crate::effective::EffectiveTemplate;
use crate::effective::Standing;
use crate::export::shape::Shape;
use crate::json_schema::each_pattern;
use crate::key::KeyType;
use crate::keyword::Keyword;
use crate::name::OTHER;

/// A template, made ready to be written in any form.
#[derive(Debug)]
pub struct Sheet<'t> {
    pub schema_id: &'t str,
    pub scenario: &'t str,
    pub description: Option<&'t str>,
    /// BCP 47 tag of the descriptions.
    pub language: String,
    /// Whether a key that the template does not have refuses.
    pub strict: bool,
    /// Required keys, optional keys, each in the template's order; `other` last.
    pub keys: Vec<SheetKey>,
}

/// What a client has to know of how a key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// On trial (Z-142).
    Experimental,
    /// Soon withdrawn (Z-147).
    Deprecated,
}

/// One key.
#[derive(Debug)]
pub struct SheetKey {
    pub name: String,
    pub key_type: KeyType,
    pub required: bool,
    pub default: Option<Value>,
    pub description: String,
    pub constraints: Map<String, Value>,
    pub shape: Shape,
    pub mark: Option<Mark>,
    /// Where its constraints have patterns of another dialect than a form's readers know: such are left out.
    pub foreign: Vec<String>,
}

impl Sheet<'_> {
    /// Reads a template. Without a preferred language it is the template's own.
    pub fn of<'t>(
        template: &'t EffectiveTemplate,
        preferred_language: Option<&'t str>,
        experimental: bool,
    ) -> Sheet<'t> {
        let own = template.base.language();
        let language = match template.found_language(preferred_language) {
            Some((_, Some(tag))) => tag,
            Some((_, None)) | None => own,
        };
        let mut keys: Vec<SheetKey> = template
            .shown_keys(experimental)
            .map(|key| SheetKey::of(key, language, own, experimental))
            .collect();
        keys.sort_by_key(|key| (!key.required, key.name == OTHER));
        Sheet {
            schema_id: template.base.schema_id.as_str(),
            scenario: &template.base.scenario,
            description: template.base.description.as_deref(),
            language: language.to_owned(),
            strict: template.base.strict(),
            keys,
        }
    }
}

/// Takes out the patterns that were stored before patterns were ECMA-262, and are none; gives their places.
fn without_foreign(constraints: &mut Map<String, Value>) -> Vec<String> {
    let mut schema = Value::Object(std::mem::take(constraints));
    let mut foreign = Vec::new();
    each_pattern(&mut schema, "", &mut |at, pattern| {
        if ecma::to_rust(pattern).is_err() {
            foreign.push(at.to_owned());
        }
    });
    for at in &foreign {
        let holder = at.rsplit_once('/').map_or("", |(holder, _)| holder);
        if let Some(Value::Object(members)) = schema.pointer_mut(holder) {
            members.shift_remove(Keyword::Pattern.name());
        }
    }
    if let Value::Object(members) = schema {
        *constraints = members;
    }
    foreign
}

impl SheetKey {
    fn of(key: &EffectiveKey, language: &str, own: &str, experimental: bool) -> SheetKey {
        let (mut definition, _) = key.worded(Some(language), own, experimental);
        let foreign = without_foreign(&mut definition.constraints);
        let name = definition.key_name.to_string();
        let shape = if name == OTHER {
            Shape::Other
        } else {
            Shape::of_key(definition.key_type, &definition.constraints)
        };
        SheetKey {
            key_type: definition.key_type,
            required: definition.required,
            // The default of a required key is never applied; that of a learned one neither, which a client's library would fill in.
            default: definition
                .default_value
                .filter(|_| !definition.required && key.patch.is_none()),
            description: definition.semantic_description,
            constraints: definition.constraints,
            mark: match key.standing() {
                Standing::Experimental => Some(Mark::Experimental),
                Standing::Deprecated => Some(Mark::Deprecated),
                Standing::Stable | Standing::Withdrawn => None,
            },
            name,
            shape,
            foreign,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use crate::effective::EffectiveTemplate;
    use crate::export::FORMS;
    use crate::rule::Rule;
    use crate::template::SchemaTemplate;

    #[test]
    fn a_stored_pattern_of_another_dialect_is_enforced_and_left_out_of_every_form_z048() {
        let of = |pattern: &str| json!({"pattern": pattern, "maxLength": 9});
        let key = |name: &str, key_type: &str, constraints: Value| {
            json!({"key_name": name, "key_type": key_type, "required": true, "semantic_description": "Text.",
                "constraints": constraints})
        };
        // As a journal holds it, which is not read as a publisher's document is.
        let stored = json!({"schema_id": "s_v1", "scenario": "s", "keys": [
            key("plate", "string", of("(?i)^[a-z]{2}$")),
            key("plates", "array", json!({"items": of(r"\Aab")})),
            key("code", "string", of("^[A-Z]{2}$"))]});
        let base: SchemaTemplate = serde_json::from_value(stored).expect("a stored template");
        let rule = Rule::compile(base.keys[0].key_type, &base.keys[0].constraints);
        assert!(rule.accepts(&json!("AB")) && !rule.accepts(&json!("A1")));
        let effective = EffectiveTemplate::compose(&base, &[], 1);
        for form in FORMS {
            let export = effective.export(form, None, true);
            assert!(
                !export.text.contains("(?i)") && !export.text.contains(r"\A"),
                "{}",
                export.text
            );
            let lost: Vec<(&str, &str)> = export
                .lost
                .iter()
                .map(|loss| (loss.key_name.as_str(), loss.pointer.as_str()))
                .collect();
            assert_eq!(
                lost[..2],
                [("plate", "/pattern"), ("plates", "/items/pattern")],
                "{form:?}"
            );
        }
    }
}
