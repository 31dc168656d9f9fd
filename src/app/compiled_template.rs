//! An effective template with its validator, and what was rendered of it: the template itself, its exports and the bundle of both.
//!
//! Invariant: what is rendered once for a language, a form and with or without what is on trial is rendered so again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;

use serde_json::Value;
use serde_json::json;
use sha2::Digest;
use sha2::Sha256;

use crate::api::submissions::SchemaStatus;
use crate::api::templates::LeftOut;
use crate::app::lock::locked;
use crate::app::reply::Exported;
use crate::app::reply::TemplateIdentity;
use crate::app::reply::TemplateReply;
use crate::app::reply::Wanted;
use engine::evolution::patch::PatchHead;
use engine::evolution::stage::StageName;
use schema::effective::EffectiveTemplate;
use schema::effective::Standing;
use schema::exchange::other::OtherLimits;
use schema::exchange::validator::Validator;
use schema::export::Form;
use schema::name::KeyName;
use text::name::hexadecimal;

/// Rendered templates kept for one effective template (languages, forms, with and without keys on trial).
const RENDERED_MAX: usize = 64;

/// What tells one rendered template from another: language, with what is on trial, form.
type Rendering = (Option<String>, bool, Option<Form>);

/// What a template says of patches.
#[derive(Clone, Default)]
pub struct Shown {
    /// Those that are laid over its base.
    pub patches: Vec<PatchHead>,
    /// Those that are not, since they change a key which its base has not.
    pub left_out: Vec<(Standing, LeftOut)>,
}

/// An effective template with its validator.
pub struct CompiledTemplate {
    pub effective: EffectiveTemplate,
    pub validator: Validator,
    shown: Shown,
    rendered: Mutex<BTreeMap<Rendering, TemplateReply>>,
}

impl CompiledTemplate {
    pub fn new(
        effective: EffectiveTemplate,
        shown: Shown,
        limits: OtherLimits,
        former_names: &BTreeMap<String, KeyName>,
    ) -> CompiledTemplate {
        let validator = Validator::compile(&effective, limits).knowing(former_names.clone());
        CompiledTemplate {
            effective,
            validator,
            shown,
            rendered: Mutex::new(BTreeMap::new()),
        }
    }

    /// The template as served, or one of its exports, with its entity tag and what it is.
    pub fn render(&self, wanted: Wanted<'_>) -> TemplateReply {
        let Wanted {
            language,
            experimental,
            form,
        } = wanted;
        // Lists that find the same are rendered once.
        let language = language.map(|list| self.effective.resolved_language(list));
        let key = (language.map(str::to_ascii_lowercase), experimental, form);
        let mut rendered = locked(&self.rendered);
        if let Some(reply) = rendered.get(&key) {
            return reply.clone();
        }
        let digest = self.effective.digest(language, experimental);
        let (body, language, exported) = match form {
            None => {
                let document = self.document(language, experimental);
                let language = document["language"].as_str().unwrap_or("en").to_owned();
                (document.to_string(), language, None)
            }
            Some(form) => {
                let export = match form {
                    Form::Bundle => {
                        let template = self.document(language, experimental);
                        self.effective.bundle(template, language, experimental)
                    }
                    form => self.effective.export(form, language, experimental),
                };
                let exported = Exported {
                    form,
                    tokens: export.tokens,
                    lost: export.lost.into(),
                };
                (export.text, export.language, Some(exported))
            }
        };
        let hash = Sha256::digest(body.as_bytes());
        let tag = hexadecimal(&hash[..12]);
        // Two forms may have the same text and are not the same: a tag is of one of them.
        let etag = match form {
            None => format!("\"{tag}\""),
            Some(form) => format!("\"{}-{tag}\"", form.name()),
        };
        let base = &self.effective.base;
        let reply = TemplateReply {
            body: body.into(),
            etag,
            identity: Arc::new(TemplateIdentity {
                schema_id: base.schema_id.to_string(),
                version: base.version().to_string(),
                revision: self.effective.revision,
                digest,
            }),
            language,
            exported,
            status: SchemaStatus::default(),
        };
        if rendered.len() >= RENDERED_MAX {
            rendered.clear();
        }
        rendered.insert(key, reply.clone());
        reply
    }

    /// The template itself.
    fn document(&self, preferred_language: Option<&str>, experimental: bool) -> Value {
        let mut document = self.effective.document(preferred_language, experimental);
        if let Some(members) = document.as_object_mut() {
            let Shown { patches, left_out } = &self.shown;
            let patches = patches
                .iter()
                .filter(|patch| experimental || patch.stage != StageName::Experimental);
            members.insert("patches".to_owned(), json!(patches.collect::<Vec<_>>()));
            let left_out = left_out
                .iter()
                .filter(|(standing, _)| experimental || *standing != Standing::Experimental);
            let left_out: Vec<&LeftOut> = left_out.map(|(_, left_out)| left_out).collect();
            if !left_out.is_empty() {
                members.insert("left_out".to_owned(), json!(left_out));
            }
        }
        document
    }
}
