//! The stream of changes of one scenario: read, taken up again where it broke off, for as long as somebody follows.
//!
//! Invariant: an event takes no more memory than its limit, and a stream that breaks off loses no change: each try says which came last.

use std::time::Duration;

use http::header::ACCEPT;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use crate::address::query;
use crate::address::segment;
use crate::error::Error;
use crate::scenario::Scenario;
use crate::transport::Coming;
use crate::transport::jitter;

/// How long is waited before a service is called again that has not said how long.
const FIRST_RETRY: Duration = Duration::from_secs(3);
/// The longest pause that the service's own settings can ask for.
const RETRY_MAX: Duration = Duration::from_secs(3_600);
/// How long a stream may say nothing: eight heartbeats of a service that is set as it comes.
const SILENCE_MAX: Duration = Duration::from_secs(120);
/// Bytes of one event: far more than all patches of a scenario that is full.
const EVENT_BYTES_MAX: usize = 16 << 20;

/// What changed since the last update.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Update {
    pub revision: u64,
    pub schema_id: String,
    /// None where the base changed.
    pub patches: Vec<Value>,
    pub withdrawn_keys: Vec<String>,
}

/// Events out of bytes that come in any pieces.
#[derive(Debug, Default)]
struct Events {
    bytes: Vec<u8>,
    /// How many of them end no event.
    seen: usize,
}

impl Events {
    /// Takes bytes; whether what is not read yet is within the limit of one event.
    fn push(&mut self, bytes: &[u8]) -> bool {
        // A line ends with a line feed, with or without a carriage return before it.
        self.bytes.extend(bytes.iter().filter(|byte| **byte != b'\r'));
        self.bytes.len() <= EVENT_BYTES_MAX
    }

    /// The lines of the next event, which an empty one ends.
    fn next(&mut self) -> Option<String> {
        let end = self.bytes[self.seen..].windows(2).position(|two| two == b"\n\n");
        let Some(end) = end.map(|end| self.seen + end) else {
            self.seen = self.bytes.len().saturating_sub(1);
            return None;
        };
        self.seen = 0;
        let event: Vec<u8> = self.bytes.drain(..end + 2).collect();
        Some(String::from_utf8_lossy(&event).into_owned())
    }
}

/// Changes of one scenario, one after another.
pub struct Changes {
    scenario: Scenario,
    /// The revision that came last.
    last: String,
    coming: Option<Coming>,
    events: Events,
    /// How long the service asks to wait before it is called again.
    retry: Duration,
    /// Failures since the last event.
    failed: u32,
}

impl Scenario {
    /// Follows the template's changes, one after another, over as many connections as it takes.
    /// Fails where none is held and none can be fetched.
    pub async fn changes(&self) -> Result<Changes, Error> {
        let revision = match self.revision() {
            Some(revision) => revision,
            None => self.template().await?.revision,
        };
        Ok(Changes {
            scenario: self.clone(),
            last: revision.to_string(),
            coming: None,
            events: Events::default(),
            retry: FIRST_RETRY,
            failed: 0,
        })
    }
}

impl Changes {
    /// Waits for the next change, over as many connections as it takes.
    /// Fails where the service refuses to be followed.
    pub async fn next(&mut self) -> Result<Update, Error> {
        loop {
            while let Some(event) = self.events.next() {
                if let Some(update) = self.take(&event) {
                    self.scenario.outdate();
                    return Ok(update);
                }
            }
            let Some(coming) = self.coming.as_mut() else {
                self.connect().await?;
                continue;
            };
            let came = coming.next().await.ok().flatten();
            if !came.is_some_and(|bytes| self.events.push(&bytes)) {
                self.coming = None;
                self.pause(Duration::ZERO).await;
            }
        }
    }

    /// Reads one event; a goodbye needs no reading, as the connection ends behind it.
    fn take(&mut self, event: &str) -> Option<Update> {
        let (mut is_update, mut data) = (false, String::new());
        for line in event.lines() {
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "id" => (self.last, self.failed) = (value.to_owned(), 0),
                "event" => is_update = value == "update",
                "retry" => self.retry = value.parse().map_or(self.retry, Duration::from_millis),
                "data" => data += value,
                _ => {}
            }
        }
        is_update.then(|| serde_json::from_str(&data).ok()).flatten()
    }

    /// Connects once, and waits where that failed.
    async fn connect(&mut self) -> Result<(), Error> {
        let (name, version) = (&self.scenario.name, self.scenario.pin.version());
        let (name, version) = (segment(name), query([("version", version)]));
        let transport = &self.scenario.transport;
        let request = transport.get(&format!("/v1/scenarios/{name}/updates/stream{version}"));
        let request = request
            .header(ACCEPT, "text/event-stream")
            .header("Last-Event-ID", &self.last);
        let refused = match transport.open(request, SILENCE_MAX).await {
            Ok(coming) if coming.status() == 200 => {
                (self.coming, self.events) = (Some(coming), Events::default());
                return Ok(());
            }
            Ok(coming) => {
                let whole = coming.whole(EVENT_BYTES_MAX);
                let in_time = tokio::time::timeout(transport.timeout, whole).await;
                in_time.ok().and_then(Result::ok)
            }
            Err(_) => None,
        };
        self.failed = self.failed.saturating_add(1);
        let mut asked_for = Duration::ZERO;
        if let Some(answer) = refused {
            let problem = answer.problem();
            if problem.code() == "bad_header" && self.failed == 1 {
                // The service's history is another one than this revision is of.
                self.scenario.fetch().await?;
                self.last = self.scenario.revision().unwrap_or_default().to_string();
                return Ok(());
            }
            if problem.status != 429 && problem.status < 500 {
                return Err(Error::Refused(problem));
            }
            asked_for = answer.retry_after();
        }
        self.pause(asked_for).await;
        Ok(())
    }

    /// Waits before the next connection.
    async fn pause(&self, asked_for: Duration) {
        let pause = asked_for
            .max(self.retry)
            .min(RETRY_MAX)
            .saturating_add(jitter(self.failed));
        (self.scenario.transport.sleep)(pause).await;
    }
}

#[cfg(test)]
mod tests {
    use super::EVENT_BYTES_MAX;
    use super::Events;

    #[test]
    fn an_event_may_come_in_any_pieces_and_ends_with_any_line_end() {
        let text = "retry: 7\r\n\r\n: alive\n\nid:3\r\nevent: update\ndata: a\r\n\r\nid: 4\n";
        for size in [1, 2, 3, 100] {
            let mut events = Events::default();
            let mut came = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                assert!(events.push(piece));
                came.extend(std::iter::from_fn(|| events.next()));
            }
            assert_eq!(
                came,
                ["retry: 7\n\n", ": alive\n\n", "id:3\nevent: update\ndata: a\n\n"],
                "{size}"
            );
        }
    }

    #[test]
    fn an_event_beyond_its_limit_is_not_read() {
        let mut events = Events::default();
        assert!(events.push(&vec![b'x'; EVENT_BYTES_MAX]));
        assert!(!events.push(b"x"));
    }
}
