//! A server that answers as ours does, but for one thing: what it says is passed through a function.

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::Mutex;

use serde_json::Value;

use crate::support::loopback;
use crate::support::loopback::Heard;
use crate::support::loopback::Loopback;
use crate::support::loopback::Then;

/// Headers that are handed on to the service, and back.
const FORTH: [&str; 3] = ["content-type", "if-none-match", "authorization"];
const BACK: [&str; 3] = ["content-type", "etag", "content-language"];

/// What was asked.
pub struct Asked<'a> {
    pub heard: &'a Heard,
    pub method: &'a str,
    pub path: &'a str,
    /// How often the very same was asked before.
    pub before: usize,
}

/// What is answered.
#[derive(Debug)]
pub struct Said {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// `null` for an empty body.
    pub body: Value,
}

impl Said {
    /// Answers this instead.
    pub fn instead(&mut self, status: u16, body: Value) {
        self.status = status;
        self.body = body;
        self.headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    }
}

/// What is done to an answer.
pub type Change = fn(&Asked<'_>, &mut Said);

/// A server before the service at `base`, whose answers go through these functions one after another.
pub fn before(base: &str, changes: &[Change]) -> Loopback {
    let (base, changes) = (base.to_owned(), changes.to_vec());
    let asked_before: Mutex<Vec<String>> = Mutex::default();
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .allow_non_standard_methods(true)
        .build()
        .into();
    let agent = Arc::new(agent);
    Loopback::start(move |_, heard, out| {
        let line = heard.head.lines().next().unwrap_or_default();
        let mut words = line.split(' ');
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let before = {
            let mut asked = asked_before.lock().expect("no panic");
            let key = format!("{line}{}", heard.text);
            let before = asked.iter().filter(|own| **own == key).count();
            asked.push(key);
            before
        };
        let mut said = forward(&agent, &base, method, path, heard);
        let asked = Asked {
            heard,
            method,
            path,
            before,
        };
        for change in &changes {
            change(&asked, &mut said);
        }
        send(out, &said)
    })
}

fn forward(agent: &ureq::Agent, base: &str, method: &str, path: &str, heard: &Heard) -> Said {
    let mut request = ureq::http::Request::builder()
        .method(method)
        .uri(format!("{base}{path}"));
    for name in FORTH {
        if let Some(value) = heard.header(name) {
            request = request.header(name, value);
        }
    }
    let mut response = if heard.text.is_empty() {
        agent.run(request.body(()).expect("a request"))
    } else {
        agent.run(request.body(heard.text.clone()).expect("a request"))
    }
    .expect("the service answers");
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
    let headers = BACK
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), header(name)?.to_owned())));
    let headers: Vec<(String, String)> = headers.collect();
    let text = response.body_mut().read_to_string().unwrap_or_default();
    Said {
        status: response.status().as_u16(),
        headers,
        body: serde_json::from_str(&text).unwrap_or(Value::Null),
    }
}

fn send(out: &mut TcpStream, said: &Said) -> Then {
    let headers: String = said
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let body = if said.body.is_null() {
        String::new()
    } else {
        said.body.to_string()
    };
    loopback::say(out, &loopback::answer(said.status, &headers, &body))
}
