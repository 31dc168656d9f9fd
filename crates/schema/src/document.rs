//! The effective template as it is served (docs/design.md §8, Z-016, Z-050, Z-055, Z-056, Z-174).
//!
//! Chooses the language and leaves out what was not asked for; never shortens or changes a text.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::closed_list;
use crate::effective::EffectiveKey;
use crate::effective::EffectiveTemplate;
use crate::effective::ServedKey;
use crate::effective::Standing;
use crate::executor;
use crate::key::KeyDefinition;
use crate::key::canonical_digest;
use crate::language::Priorities;
use crate::name::PatchId;

/// Members of a template that are between the publisher and this service: where it is executed, how it evolves. They
/// are served with the base schema to those who may read it, never with the template that clients fetch.
pub(crate) const WITHHELD: [&str; 2] = [executor::MEMBER, "policy"];

impl EffectiveTemplate {
    /// The template as served (docs/design.md §8 without its `patches` member): draft members, `revision`, `language`, keys
    /// with `experimental`, `deprecated` and `patch_id`. Without a preferred language every translation is served;
    /// with one, or a list of them, each key bears the one text that the look-up finds for it, `language` says which
    /// language was found, and `language_fallback` that it was none (Z-174). With `experimental` false, keys and
    /// wordings on trial are left out. `key_digests` holds the digest of each key as it is served.
    pub fn document(&self, preferred_language: Option<&str>, experimental: bool) -> Value {
        let own = self.base.language();
        let found = self.found_language(preferred_language);
        let served = match found {
            Some((_, Some(tag))) => tag,
            Some((_, None)) | None => own,
        };
        let mut document = Map::new();
        let mut say = |name: &str, value: Value| drop(document.insert(name.to_owned(), value));
        say("schema_id", json!(self.base.schema_id));
        say("scenario", json!(self.base.scenario));
        say("version", json!(self.base.version().to_string()));
        say("revision", json!(self.revision));
        say("language", json!(served));
        if let Some((requested, None)) = found {
            say("language_fallback", json!({"requested": requested, "served": served}));
        }
        if let Some(description) = &self.base.description {
            say("description", json!(description));
        }
        let mut keys: Vec<Value> = Vec::new();
        let mut digests = Map::new();
        for key in self.shown_keys(experimental) {
            let (definition, refined_by) = key.worded(preferred_language.map(|_| served), own, experimental);
            digests.insert(definition.key_name.to_string(), json!(definition.digest()));
            keys.push(json!(key.served(definition, refined_by)));
        }
        say("keys", Value::Array(keys));
        say("key_digests", Value::Object(digests));
        for (name, value) in &self.base.unknown {
            if !WITHHELD.contains(&name.as_str()) && !document.contains_key(name) {
                document.insert(name.clone(), value.clone());
            }
        }
        Value::Object(document)
    }

    /// What a client knows the whole template by, which everyone can compute from one: `sha256:` and the SHA-256, in hexadecimal, of
    /// its `key_digests` in the canonical form of RFC 8785. It goes with the language and with what is on trial, as they do, and is
    /// the same in every form.
    pub fn digest(&self, preferred_language: Option<&str>, experimental: bool) -> String {
        canonical_digest(&self.document(preferred_language, experimental)["key_digests"])
    }

    /// The keys that are served: those on trial only to who wants them.
    pub(crate) fn shown_keys(&self, experimental: bool) -> impl Iterator<Item = &EffectiveKey> {
        let shown = move |key: &&EffectiveKey| experimental || key.standing() != Standing::Experimental;
        self.keys.iter().filter(shown)
    }

    /// What was asked for before all else, and the tag of this template's that was found for the whole list.
    pub(crate) fn found_language<'t>(
        &'t self,
        preferred_language: Option<&'t str>,
    ) -> Option<(&'t str, Option<&'t str>)> {
        let list = preferred_language?;
        let priorities = Priorities::parse(list);
        Some((priorities.first().unwrap_or(list), priorities.find(self.languages())))
    }

    /// The tag that a list of languages finds, else what it asks for first: it is served as the list is.
    pub fn resolved_language<'t>(&'t self, preferred_language: &'t str) -> &'t str {
        match self.found_language(Some(preferred_language)) {
            Some((_, Some(tag))) => tag,
            Some((first, None)) => first,
            None => preferred_language,
        }
    }

    /// The template's own language first, then those of its translations.
    fn languages(&self) -> impl Iterator<Item = &str> {
        let translations = self
            .keys
            .iter()
            .flat_map(|key| key.definition.semantic_descriptions.keys().map(String::as_str));
        std::iter::once(self.base.language()).chain(translations)
    }
}

impl EffectiveKey {
    /// The definition as it is shown, and the patch whose wording it bears; `served` is the chosen language, if one was
    /// asked for, and `own` the template's.
    pub(crate) fn worded(
        &self,
        served: Option<&str>,
        own: &str,
        experimental: bool,
    ) -> (KeyDefinition, Option<&(PatchId, Standing)>) {
        let mut definition = self.definition.clone();
        let mut refined_by = self.refined_by.as_ref();
        if let Some(settled) = &self.settled
            && !experimental
        {
            definition
                .semantic_description
                .clone_from(&settled.semantic_description);
            refined_by = settled.refined_by.as_ref();
        }
        closed_list::hide(&mut definition.constraints, &self.unshown(experimental));
        if let Some(served) = served {
            let translations = std::mem::take(&mut definition.semantic_descriptions);
            if !served.eq_ignore_ascii_case(own)
                && let Some(tag) = Priorities::parse(served).find(translations.keys().map(String::as_str))
                && let Some(text) = translations.get(tag)
            {
                definition.semantic_description.clone_from(text);
                refined_by = None;
            }
        }
        (definition, refined_by)
    }

    /// One key as it is served, in these words.
    fn served(&self, mut definition: KeyDefinition, refined_by: Option<&(PatchId, Standing)>) -> ServedKey {
        let refined_by = refined_by.map(|(patch_id, _)| patch_id.clone());
        let served = match &self.patch {
            Some((_, standing)) => ServedKey::standing(definition, Some(*standing)),
            None => {
                if refined_by.is_some() {
                    definition.unknown.shift_remove("refined_by");
                }
                ServedKey::bare(definition)
            }
        };
        ServedKey {
            patch_id: self.patch.as_ref().map(|(patch_id, _)| patch_id.clone()),
            refined_by,
            ..served
        }
    }
}
