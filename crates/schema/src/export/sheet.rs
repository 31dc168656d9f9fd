//! What every form says: the keys as one client sees them, in one language and in one order.

use serde_json::Map;
use serde_json::Value;

use crate::effective::EffectiveKey;
use crate::effective::EffectiveTemplate;
use crate::export::shape::Shape;
use crate::key::KeyType;
use crate::name::OTHER;

/// Keys that are named where a template has no description: what it is for shows in the first ones, and the schema has them all.
const NAMED_MAX: usize = 12;

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
    /// Whether it is on trial (Z-142) or soon withdrawn (Z-147).
    pub mark: Option<&'static str>,
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

    /// What a tool is for: the template's description, else its scenario in words and the names of its keys, the required ones first.
    pub fn purpose(&self) -> String {
        if let Some(description) = self.description.filter(|description| !description.trim().is_empty()) {
            return description.to_owned();
        }
        let keys = self.keys.iter().filter(|key| key.name != OTHER);
        let word = |key: &SheetKey| match key.required {
            true => key.name.clone(),
            false => format!("{} (optional)", key.name),
        };
        let words: Vec<String> = keys.map(word).collect();
        let scenario = self.scenario.replace('_', " ");
        let named = words.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
        match words.len() {
            0 => format!("Takes requests for {scenario}."),
            all if all > NAMED_MAX => format!("Takes requests for {scenario}: {named} and {} more.", all - NAMED_MAX),
            _ => format!("Takes requests for {scenario}: {named}."),
        }
    }
}

impl SheetKey {
    fn of(key: &EffectiveKey, language: &str, own: &str, experimental: bool) -> SheetKey {
        let (definition, _) = key.worded(Some(language), own, experimental);
        let name = definition.key_name.to_string();
        let shape = if name == OTHER {
            Shape::Other
        } else {
            Shape::of_key(definition.key_type, &definition.constraints)
        };
        SheetKey {
            key_type: definition.key_type,
            required: definition.required,
            // The default of a required key is never applied. That of a learned key is the service's to fill in: a client's library
            // would send it, and a trial would count that as use.
            default: definition
                .default_value
                .filter(|_| !definition.required && key.patch.is_none()),
            description: definition.semantic_description,
            constraints: definition.constraints,
            mark: key.standing().mark(),
            name,
            shape,
        }
    }
}
