//! The message that says what the work is about: what becomes of its parts here, and the same as Markdown or in the other draft's
//! shape. Nothing of it is recorded.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::api::messages::CheckedParts;
use crate::api::messages::Converted;
use crate::api::messages::Rendered;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::telemetry::Outcome;
use crate::app::typed;
use context::conversation::turn::Turn;
use context::fields::FieldFault;
use context::fields::refuse_repeated;
use context::message::agent_context;
use context::message::convert;
use context::message::markdown;
use text::secrets;
use text::secrets::Scope;

/// The largest budget of a rendered message.
pub const RENDER_TOKENS_MAX: u64 = 1_000_000;

impl App {
    /// What becomes of each part of a message here (P-038).
    pub fn check_message(&self, caller: &Caller, body: &str) -> Result<CheckedParts, ServiceError> {
        caller.require(Permission::Negotiate)?;
        self.counted("check", || {
            let turn = Turn::looked_at(body)?;
            let client = caller.client.as_ref();
            let (parts, _) = typed::check_all(self.registry(), client, &turn.parts_at, &turn.data)?;
            Ok(CheckedParts { parts })
        })
    }

    /// An Agent Context Message as Markdown within a budget of tokens (M-006).
    pub fn render_message(
        &self,
        caller: &Caller,
        body: &str,
        tokens_max: Option<u64>,
    ) -> Result<Rendered, ServiceError> {
        let services = self.services(caller)?;
        self.counted("render", || {
            let tokens_max = tokens_max.unwrap_or(services.options.render_tokens);
            if !(markdown::TOKENS_MIN..=RENDER_TOKENS_MAX).contains(&tokens_max) {
                let what = format!("tokens_max must be {} to {RENDER_TOKENS_MAX}", markdown::TOKENS_MIN);
                return Err(ServiceError::BadParameter(what));
            }
            let message = agent_context::read(body)?;
            let rendered = markdown::render(&message, tokens_max);
            Ok(Rendered {
                markdown: rendered.markdown,
                tokens: rendered.tokens,
                tokens_max,
                left_out: rendered.left_out,
                redacted: message.redacted,
                guidance: rendered.guidance,
            })
        })
    }

    /// A task context turned into that of the other draft, whichever of the two the body is (M-037).
    pub fn convert_message(&self, caller: &Caller, body: &str) -> Result<Converted, ServiceError> {
        caller.require(Permission::Negotiate)?;
        self.counted("convert", || {
            refuse_repeated(body)?;
            let body = secrets::scrubbed_whole(body, Scope::Everywhere);
            let members: Map<String, Value> =
                serde_json::from_str(&body).map_err(|_| FieldFault::new("the body", "must be a JSON object"))?;
            let converted = match (members.get("taskContext"), members.get("TaskContext")) {
                (Some(_), None) => {
                    let message = agent_context::read(&json!({ "agentContext": members }).to_string())?;
                    convert::to_distribution(message.context("taskContext"))
                }
                (None, Some(Value::Object(task))) => convert::from_distribution(task)?,
                (None, Some(_)) => return Err(FieldFault::new("TaskContext", "must be an object").into()),
                (Some(_), Some(_)) | (None, None) => {
                    let what = "must hold either taskContext or TaskContext";
                    return Err(FieldFault::new("the body", what).into());
                }
            };
            let convert::Converted { document, lost } = converted;
            Ok(Converted { document, lost })
        })
    }

    /// Counts what is done with a message, and how it ends.
    fn counted<T>(
        &self,
        operation: &'static str,
        done: impl FnOnce() -> Result<T, ServiceError>,
    ) -> Result<T, ServiceError> {
        let done = done();
        self.count_message(operation, done.as_ref().err());
        done
    }

    /// Counts that something was done with a message.
    pub fn count_message(&self, operation: &'static str, error: Option<&ServiceError>) {
        let outcome = error.map_or(Outcome::Accepted, ServiceError::outcome);
        self.registry().deps.observer.message(operation, outcome);
    }
}
