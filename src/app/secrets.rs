//! What is sent, without its secrets, before anything is kept of it (C-065, M-033, X-02): one rule for all transports. What an executor
//! gets is what was said.
//!
//! What a template declares is that template's affair; of everything else, whatever has the name or the form of a secret is taken
//! out. Knows no journal. Invariant: what comes out means what went in, but for the secrets.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;

use serde_json::Map;
use serde_json::Value;

use crate::app::caller::Caller;
use crate::app::compiled_template::CompiledTemplate;
use crate::app::registry::ScenarioRegistry;
use crate::app::typed::named;
use context::a2a_task::asked;
use context::a2a_task::asked::Carried;
use context::a2a_task::asked::SAID_OF_IT;
use context::a2a_task::message::Content;
use context::a2a_task::message::Message;
use schema::exchange::envelope::Envelope;
use schema::exchange::envelope::EnvelopeFault;
use schema::exchange::validator::UNKNOWN_MAX;
use schema::name::ClientId;
use schema::name::OTHER;
use schema::name::SchemaId;
use text::secrets;
use text::secrets::Scope;
use text::secrets::words::scrubbed_words;

/// The member of a submission that its template reads.
const PAYLOAD: &str = "payload";

/// The body of a submission: as it was said, which its executor gets, and without its secrets, which is kept, shown and learned
/// from.
#[derive(Clone, Debug)]
pub struct Body<'a> {
    said: Cow<'a, str>,
    /// `None` where it holds no secret, or cannot be read: then nothing is kept of it.
    clean: Option<String>,
    /// True where the request prefers a lenient reading; the submission may have a preference of its own.
    lenient: bool,
}

/// The same, read.
#[derive(Debug)]
pub struct Sent<'a> {
    pub said: Envelope<'a>,
    pub clean: Option<Envelope<'a>>,
}

impl<'a> Body<'a> {
    /// Reads a submission of a caller and looks for secrets in it.
    pub fn of(
        registry: &ScenarioRegistry,
        caller: &Caller,
        body: &'a str,
    ) -> (Body<'a>, Result<Envelope<'a>, EnvelopeFault>) {
        let said = Envelope::parse(body);
        let clean = said.as_ref().ok().and_then(|envelope| {
            let declares = declared(registry, caller.client.as_ref(), &envelope.schema_id);
            secrets::scrubbed_beside(body, Some(PAYLOAD), &declares)
        });
        let body = Body {
            said: Cow::Borrowed(body),
            clean: clean.map(|scrubbed| scrubbed.text),
            lenient: caller.origin.lenient,
        };
        (body, said)
    }

    /// The text that may be kept.
    pub fn kept(&self) -> &str {
        self.clean.as_deref().unwrap_or(&self.said)
    }

    /// Both, read.
    ///
    /// # Errors
    /// Why it is no submission.
    pub fn sent(&self) -> Result<Sent<'_>, EnvelopeFault> {
        self.sent_as(Envelope::parse(&self.said))
    }

    /// Both, where what was said is read already.
    ///
    /// # Errors
    /// As [`Body::sent`].
    pub fn sent_as<'b>(&'b self, said: Result<Envelope<'b>, EnvelopeFault>) -> Result<Sent<'b>, EnvelopeFault> {
        let preferred = |envelope: Envelope<'b>| Envelope {
            lenient: envelope.lenient || self.lenient,
            ..envelope
        };
        Ok(Sent {
            said: preferred(said?),
            clean: self.clean.as_deref().map(Envelope::parse).transpose()?.map(preferred),
        })
    }

    /// One that lives as long as it is needed.
    pub fn into_owned(self) -> Body<'static> {
        Body {
            said: Cow::Owned(self.said.into_owned()),
            ..self
        }
    }
}

impl Sent<'_> {
    /// What may be kept.
    pub fn kept(&self) -> &Envelope<'_> {
        self.clean.as_ref().unwrap_or(&self.said)
    }
}

/// A message without its secrets.
pub fn out_of_message(registry: &ScenarioRegistry, client: Option<&ClientId>, mut message: Message) -> Message {
    for part in &mut message.parts {
        let carried = asked::carried(part, named(registry));
        scrub(&mut part.metadata);
        match &mut part.content {
            Content::Text(text) => {
                if let Some(scrubbed) = scrubbed_words(text) {
                    *text = scrubbed;
                }
            }
            Content::Data(json) => {
                let scrubbed = match &carried {
                    Some(Carried::Envelope(schema_id)) => {
                        secrets::scrubbed_beside(json, Some(PAYLOAD), &declared(registry, client, schema_id))
                    }
                    Some(Carried::Payload(schema_id)) => {
                        secrets::scrubbed_beside(json, None, &declared(registry, client, schema_id.as_str()))
                    }
                    None => secrets::scrubbed(json, Scope::Everywhere),
                };
                if let Some(scrubbed) = scrubbed {
                    *json = scrubbed.text;
                }
            }
            Content::Raw(_) | Content::Url(_) => {}
        }
    }
    scrub(&mut message.metadata);
    message
}

/// Metadata, of which what is said of a submission stays.
fn scrub(metadata: &mut Map<String, Value>) {
    if metadata.is_empty() {
        return;
    }
    let text = Value::Object(metadata.clone()).to_string();
    let scrubbed = secrets::scrubbed_beside(&text, None, &|name| SAID_OF_IT.contains(&name));
    if let Some(scrubbed) = scrubbed
        && let Ok(Value::Object(members)) = serde_json::from_str(&scrubbed.text)
    {
        *metadata = members;
    }
}

/// Returns whether a name is a key of a schema for a client, or is meant to be one; also of a schema that takes nothing any more.
fn declared(registry: &ScenarioRegistry, client: Option<&ClientId>, schema_id: &str) -> impl Fn(&str) -> bool {
    let catalogue = registry.catalogue.load();
    let compiled = SchemaId::parse(schema_id).and_then(|id| {
        let handle = catalogue.by_schema(&id)?;
        handle.view.load().compiled(&id, client)
    });
    declared_by(compiled)
}

/// Returns whether a name is a key of a compiled template, or is meant to be one. Of names that are no keys, no more are held against all keys
/// than the validator looks at.
pub fn declared_by(compiled: Option<Arc<CompiledTemplate>>) -> impl Fn(&str) -> bool {
    let near_left = Cell::new(UNKNOWN_MAX);
    move |name| {
        let declares = |compiled: &Arc<CompiledTemplate>| {
            let known = compiled.validator.has(name);
            if !known && near_left.get() == 0 {
                return false;
            }
            if !known {
                near_left.set(near_left.get() - 1);
            }
            known || compiled.validator.meant_by(name).is_some()
        };
        // What is said in `other` is no template's, whatever key it resembles.
        name != OTHER && compiled.as_ref().is_some_and(declares)
    }
}
