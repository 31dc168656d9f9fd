//! The replies that every transport sends: published schemas, templates, submissions.
//!
//! Knows no service: whoever makes one fills it.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_json::json;

use crate::api::schemas::Publication;
use crate::api::submissions::SchemaStatus;
use crate::app::error::ServiceError;
use crate::app::telemetry::Outcome;
use schema::export::Form;
use schema::export::loss::Loss;

/// What a published schema is answered with.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// False when the same content was published before.
    pub created: bool,
    pub publication: Publication,
}

/// An effective template, ready to send.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateReply {
    /// JSON text.
    pub body: Arc<str>,
    /// Strong entity tag, with its quotes.
    pub etag: String,
    /// One for all whom it is rendered for.
    pub identity: Arc<TemplateIdentity>,
    /// BCP 47 tag of the descriptions.
    pub language: String,
    /// What is known of the text where it is in a form of its own; `None` for the template itself.
    pub exported: Option<Exported>,
    pub status: SchemaStatus,
}

/// What a served template is, in whichever form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TemplateIdentity {
    pub schema_id: String,
    pub version: String,
    /// The last change that the caller sees.
    pub revision: u64,
    /// See [`schema::effective::EffectiveTemplate::digest`].
    pub digest: String,
}

impl TemplateReply {
    /// The body for a transport that has no headers for what is known of it: the template as it is, or an export with what is known of
    /// it. Either with `capabilities` where some of them were not heeded.
    pub fn told(&self, ignored: &[String]) -> String {
        let mut text = self.exported.as_ref().map_or_else(
            || self.body.to_string(),
            |exported| json!(self.export(exported)).to_string(),
        );
        if !ignored.is_empty() && text.ends_with('}') {
            text.pop();
            text.push_str(&format!(",\"capabilities\":{}}}", json!({ "ignored": ignored })));
        }
        text
    }

    fn export<'a>(&'a self, exported: &'a Exported) -> ToldExport<'a> {
        ToldExport {
            format: exported.form.name(),
            media_type: exported.form.media_type(),
            language: &self.language,
            identity: &self.identity,
            tokens: exported.tokens,
            lost: &exported.lost,
            text: &self.body,
        }
    }
}

/// An export with what is known of it; its text need not be JSON.
#[derive(Serialize)]
struct ToldExport<'a> {
    format: &'static str,
    media_type: &'static str,
    language: &'a str,
    #[serde(flatten)]
    identity: &'a TemplateIdentity,
    /// Estimated.
    tokens: u64,
    lost: &'a [Loss],
    text: &'a str,
}

/// What is known of an export beside its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    pub form: Form,
    /// Estimated.
    pub tokens: u64,
    pub lost: Arc<[Loss]>,
}

/// How a template is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// BCP 47.
    pub language: Option<&'a str>,
    /// With what is on trial.
    pub experimental: bool,
    /// `None` for the template itself.
    pub form: Option<Form>,
}

/// The caller holds this already, by its entity tag: nothing of it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held<T>(pub T);

/// An accepted submission, ready to send.
#[derive(Clone, Debug, PartialEq)]
pub struct SubmitReply {
    /// JSON text in the shape `accepted` of docs/design.md §8.
    pub body: String,
    pub submission_id: Option<String>,
    /// Whether this is the stored reply of an earlier call with the same idempotency key.
    pub replayed: bool,
    /// Seconds of the time to this reply that an executor took.
    pub executor_seconds: f64,
    pub schema: SchemaStatus,
}

impl SubmitReply {
    /// A reply that no executor had a part in.
    ///
    /// # Errors
    /// A fault where it cannot be written.
    pub fn new(
        submission_id: Option<String>,
        reply: &impl Serialize,
        schema: SchemaStatus,
    ) -> Result<SubmitReply, ServiceError> {
        Ok(SubmitReply {
            body: serde_json::to_string(reply)?,
            submission_id,
            replayed: false,
            executor_seconds: 0.0,
            schema,
        })
    }

    /// The body for a transport that has no header for it: a stored one says so in its `exchange`.
    pub fn told(self) -> String {
        if !self.replayed {
            return self.body;
        }
        let Ok(mut reply) = serde_json::from_str::<Value>(&self.body) else {
            return self.body;
        };
        say_replayed(&mut reply);
        reply.to_string()
    }
}

/// How a submission or an extension request ended.
pub fn outcome(answer: &Result<SubmitReply, ServiceError>) -> Outcome {
    match answer {
        Ok(reply) if reply.replayed => Outcome::Replayed,
        Ok(_) => Outcome::Accepted,
        Err(error) => error.outcome(),
    }
}

/// Says in the `exchange` of a reply or of a refusal that it is a stored one, for who gets no headers.
pub fn say_replayed(reply: &mut Value) {
    if let Some(members) = reply.get_mut("exchange").and_then(Value::as_object_mut) {
        members.insert("replayed".to_owned(), Value::Bool(true));
    }
}
