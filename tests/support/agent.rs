//! A server agent's executor on loopback, as good or as bad as a test wants.

use std::time::Duration;

use serde_json::Value;

use crate::support::loopback;
use crate::support::loopback::Heard;
use crate::support::loopback::Loopback;
use crate::support::loopback::Then;

/// What is done with a call.
#[derive(Clone, Debug)]
pub enum Act {
    /// 200 with this document.
    Answer(Value),
    /// A status, headers with their line ends, and a body.
    Say(u16, String, String),
    /// Nothing for so long, then 200 with the document.
    Stall(Duration, Value),
    /// 200 with the document, a byte at a time with so long between two.
    Drip(Duration, Value),
    /// Half of an answer, and the connection is closed.
    Cut,
    /// The connection is closed without a word.
    Hang,
}

/// The executor; its threads end with the process.
pub struct Agent(Loopback);

impl Agent {
    /// An executor that does with the n-th call (from 0) what `act` says.
    pub fn start(act: impl Fn(usize, &Heard) -> Act + Send + Sync + 'static) -> Agent {
        Agent(Loopback::start(move |number, called, out| match act(number, called) {
            Act::Answer(document) => loopback::say(out, &json(&document)),
            Act::Say(status, headers, body) => loopback::say(out, &loopback::answer(status, &headers, &body)),
            Act::Stall(time, document) => {
                std::thread::sleep(time);
                loopback::say(out, &json(&document))
            }
            Act::Drip(time, document) => {
                for byte in json(&document).chars() {
                    std::thread::sleep(time);
                    if loopback::say(out, &byte.to_string()) == Then::Ends {
                        return Then::Ends;
                    }
                }
                Then::GoesOn
            }
            Act::Cut => {
                let half = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{\"ref\"";
                loopback::say(out, half);
                Then::Ends
            }
            Act::Hang => Then::Ends,
        }))
    }

    /// Its address for a template.
    pub fn url(&self) -> String {
        self.0.url("/book")
    }

    /// Every call so far.
    pub fn called(&self) -> Vec<Heard> {
        self.0.heard()
    }

    /// Waits until it was called so often.
    pub fn wait_for(&self, calls: usize) {
        self.0.wait_for(calls);
    }
}

fn json(document: &Value) -> String {
    loopback::answer(200, "Content-Type: application/json\r\n", &document.to_string())
}
