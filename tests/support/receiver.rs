//! A webhook's receiver on loopback: answers as well or as badly as a test wants.

use std::time::Duration;

use serde_json::Value;

use crate::support::loopback;
use crate::support::loopback::Heard;
use crate::support::loopback::Loopback;
use crate::support::loopback::Then;

/// What is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Do {
    /// This status, with these headers.
    Answer(u16, &'static str),
    /// Nothing, for so long.
    Hang(Duration),
    /// Half an answer, and closes.
    Die,
}

/// A letter as it came.
#[derive(Clone, Debug)]
pub struct Got {
    pub id: String,
    pub timestamp: String,
    pub signature: String,
    pub content_type: String,
    pub text: String,
    pub body: Value,
}

impl Got {
    fn of(heard: &Heard) -> Got {
        let header = |name| heard.header(name).unwrap_or_default().to_owned();
        Got {
            id: header("webhook-id"),
            timestamp: header("webhook-timestamp"),
            signature: header("webhook-signature"),
            content_type: header("content-type"),
            text: heard.text.clone(),
            body: heard.body.clone(),
        }
    }
}

/// The receiver; its threads end with the process.
pub struct Receiver(Loopback);

impl Receiver {
    /// A receiver that answers the n-th letter (from 0) as `does` says.
    pub fn start(does: impl Fn(usize, &Got) -> Do + Send + Sync + 'static) -> Receiver {
        Receiver(Loopback::start(move |number, heard, out| {
            match does(number, &Got::of(heard)) {
                Do::Answer(status, headers) => loopback::say(out, &loopback::answer(status, headers, "")),
                Do::Hang(time) => {
                    std::thread::sleep(time);
                    Then::Ends
                }
                Do::Die => {
                    loopback::say(out, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhe");
                    Then::Ends
                }
            }
        }))
    }

    /// Its address.
    pub fn url(&self) -> String {
        self.0.url("/hook")
    }

    /// Everything that came so far.
    pub fn got(&self) -> Vec<Got> {
        self.0.heard().iter().map(Got::of).collect()
    }

    /// Waits until so many letters came, and gives them all.
    pub fn wait_for(&self, count: usize) -> Vec<Got> {
        self.0.wait_for(count).iter().map(Got::of).collect()
    }
}
