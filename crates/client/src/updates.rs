//! The stream of changes of one scenario: read, taken up again where it broke off, for as long as somebody follows.
//!
//! Invariant: an event takes no more memory than its limit, and a stream that breaks off loses no change: each try says which came last.

use std::collections::VecDeque;
use std::time::Duration;

use http::HeaderName;
use http::header::ACCEPT;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;
use tokio::task::JoinHandle;

use crate::address::query;
use crate::address::segment;
use crate::cache::TemplateCache;
use crate::error::Error;
use crate::transport::Coming;
use crate::transport::Request;

/// How long is waited before a service is called again that has not said how long.
const FIRST_RETRY: Duration = Duration::from_secs(3);
/// How long a stream may say nothing: eight heartbeats of a service that is set as it comes.
const SILENCE_MAX: Duration = Duration::from_secs(120);
/// Bytes of one event: far more than all patches of a scenario that is full.
const EVENT_BYTES_MAX: usize = 16 << 20;
/// Bytes of a refusal that are read.
const REFUSAL_BYTES_MAX: usize = 64 << 10;

/// What changed since the last update.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Update {
    pub revision: u64,
    #[serde(default)]
    pub schema_id: String,
    /// None where the base changed.
    #[serde(default)]
    pub patches: Vec<Value>,
    #[serde(default)]
    pub withdrawn_keys: Vec<String>,
}

/// One event of a stream.
#[derive(Debug, Default, PartialEq, Eq)]
struct Event {
    id: Option<String>,
    name: String,
    data: String,
    retry: Option<Duration>,
}

/// Events out of bytes that come in any pieces.
#[derive(Debug, Default)]
struct Parser {
    line: Vec<u8>,
    event: Event,
    /// Whether the last line ended with a carriage return, which a line feed may follow.
    returned: bool,
}

impl Parser {
    /// Reads bytes; `None` where an event grows beyond its limit.
    fn read(&mut self, bytes: &[u8]) -> Option<Vec<Event>> {
        let mut events = Vec::new();
        for byte in bytes {
            let follows_return = std::mem::take(&mut self.returned);
            match byte {
                b'\n' if follows_return => {}
                b'\n' | b'\r' => {
                    self.returned = *byte == b'\r';
                    events.extend(self.end_line());
                }
                other => self.line.push(*other),
            }
            if self.line.len() + self.event.data.len() > EVENT_BYTES_MAX {
                return None;
            }
        }
        Some(events)
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        if line.is_empty() {
            return Some(std::mem::take(&mut self.event));
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.event.id = Some(value.to_owned()),
            "event" => self.event.name = value.to_owned(),
            "retry" => self.event.retry = value.parse().ok().map(Duration::from_millis),
            "data" => {
                if !self.event.data.is_empty() {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            _ => {}
        }
        None
    }
}

/// Changes of one scenario, one after another.
pub struct Changes {
    cache: TemplateCache,
    /// The revision that came last.
    last: String,
    coming: Option<Coming>,
    parser: Parser,
    ready: VecDeque<Event>,
    /// How long the service asks to wait before it is called again.
    retry: Duration,
    /// Failures since the last event.
    failed: u32,
}

impl Changes {
    pub(crate) fn new(cache: TemplateCache, revision: u64) -> Changes {
        Changes {
            cache,
            last: revision.to_string(),
            coming: None,
            parser: Parser::default(),
            ready: VecDeque::new(),
            retry: FIRST_RETRY,
            failed: 0,
        }
    }

    /// Waits for the next change, over as many connections as it takes.
    ///
    /// # Errors
    /// The service refuses to be followed.
    pub async fn next(&mut self) -> Result<Update, Error> {
        loop {
            while let Some(event) = self.ready.pop_front() {
                if let Some(update) = self.take(event) {
                    self.cache.outdate();
                    return Ok(update);
                }
            }
            let Some(coming) = self.coming.as_mut() else {
                self.connect().await?;
                continue;
            };
            let came = coming.next().await.ok().flatten();
            match came.and_then(|bytes| self.parser.read(&bytes)) {
                Some(events) => self.ready.extend(events),
                None => {
                    self.coming = None;
                    self.cache.transport.pause(self.retry, self.failed).await;
                }
            }
        }
    }

    /// Reads one event.
    fn take(&mut self, event: Event) -> Option<Update> {
        let Event { id, name, data, retry } = event;
        if let Some(retry) = retry {
            self.retry = retry;
        }
        if let Some(id) = id {
            self.last = id;
            self.failed = 0;
        }
        // A goodbye needs no reading: the connection ends behind it.
        let update = (name == "update").then(|| serde_json::from_str(&data).ok());
        update.flatten()
    }

    /// Connects once, and waits where that failed.
    async fn connect(&mut self) -> Result<(), Error> {
        let (name, version) = (segment(&self.cache.name), query([("version", self.cache.version())]));
        let request = Request::get(format!("/v1/scenarios/{name}/updates/stream{version}"))
            .with(ACCEPT, "text/event-stream")
            .with(HeaderName::from_static("last-event-id"), &self.last);
        let refused = match self.cache.transport.open(request, SILENCE_MAX).await {
            Ok(coming) if coming.status() == 200 => {
                self.coming = Some(coming);
                self.parser = Parser::default();
                return Ok(());
            }
            Ok(coming) => coming.whole(REFUSAL_BYTES_MAX).await.ok(),
            Err(_) => None,
        };
        self.failed = self.failed.saturating_add(1);
        let mut asked_for = self.retry;
        match refused.map(|answer| (answer.problem(), answer.retry_after())) {
            // The service's history is another one than this revision is of.
            Some((problem, _)) if problem.code == "bad_header" && self.failed == 1 => return self.start_anew().await,
            Some((problem, _)) if problem.status != 429 && problem.status < 500 => return Err(Error::Refused(problem)),
            Some((_, retry_after)) => asked_for = asked_for.max(retry_after.unwrap_or_default()),
            None => {}
        }
        self.cache.transport.pause(asked_for, self.failed).await;
        Ok(())
    }

    /// Goes on from the template that there is; whether the pin takes it is a matter of who uses it.
    async fn start_anew(&mut self) -> Result<(), Error> {
        self.cache.outdate();
        match self.cache.fetch().await {
            Ok(_) | Err(Error::DigestRefused { .. }) => {}
            Err(other) => return Err(other),
        }
        self.last = self.cache.revision().unwrap_or_default().to_string();
        Ok(())
    }
}

/// Follows changes in the background until it is closed or dropped.
pub struct Follower(pub(crate) JoinHandle<()>);

impl Follower {
    /// Stops following.
    pub fn close(self) {}
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::EVENT_BYTES_MAX;
    use super::Parser;

    #[test]
    fn an_event_may_come_in_any_pieces_and_ends_with_any_line_end() {
        let text = "retry: 7\r\n\r\n: alive\n\nid:3\revent: update\rdata: a\ndata: b\n\n";
        for size in [1, 2, 3, 100] {
            let mut parser = Parser::default();
            let pieces = text.as_bytes().chunks(size);
            let events: Vec<_> = pieces.flat_map(|piece| parser.read(piece).expect("small")).collect();
            let last = events.last().expect("an event");
            assert_eq!(
                (last.id.as_deref(), last.name.as_str(), last.data.as_str()),
                (Some("3"), "update", "a\nb")
            );
            assert_eq!(events[0].retry.map(|retry| retry.as_millis()), Some(7));
        }
    }

    #[test]
    fn an_event_beyond_its_limit_is_not_read() {
        let mut parser = Parser::default();
        assert!(parser.read(&vec![b'x'; EVENT_BYTES_MAX]).is_some());
        assert!(parser.read(b"x").is_none());
    }
}
