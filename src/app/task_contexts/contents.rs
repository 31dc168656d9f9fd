//! Large contexts outside of messages: stored once under the hash of their text, read by who is told of them (C-051, C-058).

use serde::de::IgnoredAny;
use sha2::Digest;
use sha2::Sha256;

use crate::api::tasks::Content;
use crate::api::tasks::DeletedContent;
use crate::api::tasks::NewContent;
use crate::api::tasks::StoredContent;
use crate::app::error::ServiceError;
use crate::app::task_contexts::CONTENTS;
use crate::app::task_contexts::TaskContextService;
use crate::app::task_contexts::bodies;
use crate::app::telemetry::TaskContextStep;
use context::task_context::event::TaskContextEvent;
use context::task_context::id::ContentId;
use schema::export::tokens;
use schema::json_text;
use schema::name::ClientId;
use text::name::hexadecimal;
use text::secrets;
use text::secrets::Scope;

impl TaskContextService {
    /// Stores a text: `{"content"}`. The same text again is kept
    /// longer. Address, bytes and tokens are those of the text without its secrets, which is what is kept.
    ///
    /// # Errors
    /// [`ServiceError::BadRequest`], [`ServiceError::LimitReached`], or what the journal says.
    pub async fn store(&self, owner: &ClientId, body: &str) -> Result<StoredContent, ServiceError> {
        let NewContent { content: text } = bodies::read(body, "content, a string")?;
        if text.is_empty() {
            return Err(ServiceError::BadRequest("content must not be empty".to_owned()));
        }
        let text = without_secrets(text)?;
        let bytes = text.len() as u64;
        let digest = hexadecimal(&Sha256::digest(text.as_bytes()));
        let id = ContentId::parse(&digest).ok_or_else(|| ServiceError::Fault("a hash that is none".to_owned()))?;
        let limits = &self.limits;
        let held = self.events.lock(CONTENTS).await;
        let seq = {
            let all = self.events.state();
            // Under the lock of contents nobody stores beside this.
            limits.one_more_content(&all, owner, &id, bytes)?;
            all.contents.get(&id).map(|content| content.seq)
        };
        let is_there = seq.map(|seq| self.events.content(seq)).transpose()?.flatten().is_some();
        let until = self.now().plus_ms(limits.content_kept_ms);
        let stored = TaskContextEvent::Stored {
            content: id.clone(),
            owner: owner.clone(),
            bytes,
            until,
            text: !is_there,
            more: 0,
        };
        let sealed = if is_there { Vec::new() } else { text.as_bytes().to_vec() };
        self.record(held, vec![(stored, sealed)], TaskContextStep::asked)
            .await?;
        Ok(StoredContent {
            context_uri: id.uri(),
            bytes,
            tokens: tokens::estimate(&text),
            expires_at: until.rfc3339(),
        })
    }

    /// A text by who may read it.
    ///
    /// # Errors
    /// [`ServiceError::UnknownContent`], or a fault of the journal.
    pub fn content(&self, reader: &ClientId, sha256: &str) -> Result<Content, ServiceError> {
        let id = ContentId::parse(sha256).ok_or(ServiceError::UnknownContent)?;
        let seq = {
            let all = self.events.state();
            let found = self.living(&all).content(reader, &id);
            found.ok_or(ServiceError::UnknownContent)?.seq
        };
        let text = self.events.content(seq)?.ok_or(ServiceError::UnknownContent)?;
        Ok(Content {
            context_uri: id.uri(),
            content: text,
        })
    }

    /// Who stored a text keeps it no longer; it goes on being there where others keep it:
    /// where a context lets the caller read it still, it is not deleted, with the reason, and nothing changes.
    ///
    /// # Errors
    /// [`ServiceError::UnknownContent`] of what the caller did not store, or what the journal says.
    pub async fn release(&self, owner: &ClientId, sha256: &str) -> Result<DeletedContent, ServiceError> {
        let id = ContentId::parse(sha256).ok_or(ServiceError::UnknownContent)?;
        let held = self.events.lock(CONTENTS).await;
        let is_told = {
            let all = self.events.state();
            let own = all
                .contents
                .get(&id)
                .filter(|content| content.is_owned(owner, self.now()));
            own.ok_or(ServiceError::UnknownContent)?;
            self.living(&all).is_told(owner, &id)
        };
        if !is_told {
            let released = TaskContextEvent::Released {
                content: id.clone(),
                owner: owner.clone(),
            };
            let events = vec![(released, Vec::new())];
            self.record(held, events, TaskContextStep::asked).await?;
        }
        let why = "a context of a task of yours names it: it stays as long as that one does, and nothing is changed";
        Ok(DeletedContent {
            context_uri: id.uri(),
            deleted: !is_told,
            why: is_told.then(|| why.to_owned()),
        })
    }
}

/// A text as it is kept. Its words are without secrets by now; one that is a JSON document is also read as such.
fn without_secrets(text: String) -> Result<String, ServiceError> {
    if !text.trim_start().starts_with(['{', '[']) {
        return Ok(text);
    }
    let deep = json_text::check_depth(text.as_bytes());
    deep.map_err(|deep| ServiceError::BadRequest(format!("content: {deep}")))?;
    let is_document = serde_json::from_str::<IgnoredAny>(&text).is_ok();
    Ok(if is_document {
        secrets::scrubbed_whole(&text, Scope::Everywhere)
    } else {
        text
    })
}
