//! The walk through everything: every address and every command, used once against the real service, with what it said.
//!
//! What is walked is written to `docs/walk.md`; the page must be what the service says today (`UPDATE_DOCS=1` rewrites it).

mod http;

mod shell;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use engine::evolution::review::Seat;
use otherwise::http::routes::ENDPOINTS;
use regex::Regex;
use schema::time::At;
use serde_json::Value;
use serde_json::json;

use crate::support::child::program;
use crate::support::clock::VirtualClock;
use crate::support::events;
use crate::support::events::Said;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::under;

const HEAD: &str = "# A walk through everything\n\n\
    Every address and every command once, in the order in which one would meet them, with what the service said. A test walks \
    this way against the real service at every change and compares (`UPDATE_DOCS=1 cargo test --test otherwise walk` rewrites \
    the page). What is long is cut, which the service does not do: `…` stands for it.\n";
/// Members of an answer that are no two times the same, or not on every machine.
const UNSTEADY: [&str; 6] = ["likeness", "free_bytes", "latency_s", "seconds", "waiting", "delivered"];
const TEXT_MAX: usize = 150;
const ITEMS_MAX: usize = 2;

/// Who walks, and what was met.
struct Walk {
    server: Server,
    clock: Arc<VirtualClock>,
    page: String,
    met: BTreeSet<(String, String)>,
}

/// One call.
struct Step<'a> {
    who: &'a str,
    method: &'a str,
    path: &'a str,
    headers: &'a [(&'a str, &'a str)],
    body: Option<Value>,
}

impl Walk {
    /// The service with these templates, at a moment that the walk moves on.
    fn begin(schemas: &[(&str, Value)]) -> Walk {
        let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
        let parts = under(&clock);
        Walk {
            server: Server::start(
                schemas,
                |settings| {
                    settings.policy.evolution.reader = Seat::Outside;
                    // The digest of its files would be another one with each change of the page.
                    settings.console.enabled = false;
                },
                parts,
            ),
            clock,
            page: String::new(),
            met: BTreeSet::new(),
        }
    }

    fn chapter(&mut self, title: &str, text: &str) {
        let _ = write!(self.page, "\n## {title}\n\n{text}\n");
    }

    fn say(&mut self, text: &str) {
        let _ = write!(self.page, "\n{text}\n");
    }

    /// Makes a call, shows it and what came, and gives it back. `status` is what it must be answered with.
    fn show(&mut self, step: &Step<'_>, status: u16) -> Reply {
        let reply = self.silently(step);
        assert_eq!(reply.status, status, "{} {}: {}", step.method, step.path, reply.body);
        let mut asked = "$ curl -s".to_owned();
        if step.method != "GET" {
            let _ = write!(asked, " -X {}", step.method);
        }
        let _ = write!(asked, " 'localhost:8080{}'", step.path);
        for (name, value) in [("Otherwise-Client", step.who)].iter().chain(step.headers) {
            if !value.is_empty() {
                let _ = write!(asked, " -H '{name}: {value}'");
            }
        }
        if let Some(body) = &step.body {
            let body = shortened(body).to_string().replace('\'', r"'\''");
            let _ = write!(asked, " \\\n    -H 'Content-Type: application/json' -d '{body}'");
        }
        let shown = if reply.body.is_null() {
            String::new()
        } else {
            format!(
                "{}\n",
                serde_json::to_string_pretty(&shortened(&reply.body)).expect("JSON")
            )
        };
        let _ = write!(self.page, "\n```\n{asked}\n# {status}\n{shown}```\n");
        reply
    }

    /// Opens a stream, shows the first event that comes, and leaves; gives the event's id.
    fn listen(&mut self, who: &str, path: &str, after: Option<u64>) -> Option<u64> {
        self.met.insert(("GET".to_owned(), path.to_owned()));
        let mut headers = vec![("Otherwise-Client", who)];
        let after = after.map(|id| id.to_string());
        headers.extend(after.as_deref().map(|id| ("Last-Event-ID", id)));
        let (status, _, events) = events::open(self.server.base(), path, &headers);
        let mut events = events.unwrap_or_else(|| panic!("{path}: {status}"));
        let event = loop {
            match events.next() {
                Said::Event { name, id, data } => break (name, id, data),
                Said::Alive | Said::Retry(_) => {}
                Said::End => panic!("{path} ended"),
            }
        };
        let (name, id, data) = event;
        let shown: String = headers
            .iter()
            .map(|(name, value)| format!(" -H '{name}: {value}'"))
            .collect();
        let line = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
        let _ = write!(
            self.page,
            "\n```\n$ curl -sN 'localhost:8080{path}'{shown}\n# 200\n{line}event: {name}\ndata: {}\n```\n",
            shortened(&data)
        );
        id
    }

    /// Makes a call that the page does not show.
    fn silently(&mut self, step: &Step<'_>) -> Reply {
        let path = step.path.split('?').next().unwrap_or_default().to_owned();
        self.met.insert((step.method.to_owned(), path));
        let mut headers = vec![("Otherwise-Client", step.who)];
        headers.retain(|(_, who)| !who.is_empty());
        headers.extend(step.headers);
        let body = step.body.as_ref().map(ToString::to_string).unwrap_or_default();
        let reply = self.server.call(step.method, step.path, &headers, &body);
        self.server.settle();
        reply
    }

    /// Addresses that the walk did not come by.
    fn missed(&self) -> Vec<String> {
        let segment = Regex::new(r"\{[^}]*\}").expect("a constant");
        let mut missed = Vec::new();
        for address in ENDPOINTS.iter() {
            let pattern = format!("^{}$", segment.replace_all(&address.path, "[^/]+"));
            let pattern = Regex::new(&pattern).expect("a path");
            if !self
                .met
                .iter()
                .any(|(method, path)| method == address.method && pattern.is_match(path))
            {
                missed.push(format!("{} {}", address.method, address.path));
            }
        }
        missed
    }
}

fn get<'a>(who: &'a str, path: &'a str) -> Step<'a> {
    Step {
        who,
        method: "GET",
        path,
        headers: &[],
        body: None,
    }
}

fn post<'a>(who: &'a str, path: &'a str, body: Option<Value>) -> Step<'a> {
    Step {
        who,
        method: "POST",
        path,
        headers: &[],
        body,
    }
}

/// A value with texts and lists cut that are longer than these.
pub fn shortened_to(text_max: usize, items_max: usize, value: &Value) -> Value {
    let within = |value: &Value| shortened_to(text_max, items_max, value);
    match value {
        Value::String(text) if text.chars().count() > text_max => {
            json!(text.chars().take(text_max).chain(['…']).collect::<String>())
        }
        Value::Array(items) if items.len() > items_max + 1 => {
            let mut kept: Vec<Value> = items.iter().take(items_max).map(within).collect();
            kept.push(json!(format!("… {} more", items.len() - items_max)));
            Value::Array(kept)
        }
        Value::Array(items) => Value::Array(items.iter().map(within).collect()),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), within(value)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// As this page cuts.
fn shortened(value: &Value) -> Value {
    shortened_to(TEXT_MAX, ITEMS_MAX, value)
}

/// A page without what may differ from run to run.
fn steady(page: &str) -> String {
    let members = Regex::new(&format!(r#""({})": ([0-9.]+|true|false)"#, UNSTEADY.join("|"))).expect("a constant");
    let requests = Regex::new(r#""request_id": "[^"]*""#).expect("a constant");
    let seconds = Regex::new(r"\d+(\.\d+)? (ms|s)\b").expect("a constant");
    let chance =
        Regex::new(r"(wh|task|work|ctx|msg|push)_[0-9a-z]{8,}|sha-256:[0-9a-f]+|whsec_[0-9A-Za-z+/=]+|127\.0\.0\.1:\d+|as of \S+|SHA-256 [0-9a-f]+|\d+ bytes")
            .expect("a constant");
    let page = members.replace_all(page, "\"$1\": …");
    let page = requests.replace_all(&page, "\"request_id\": …");
    let page = chance.replace_all(&page, "…");
    seconds.replace_all(&page, "… $2").into_owned()
}

#[test]
fn the_walk_comes_by_every_address_and_command_and_the_page_shows_it() {
    let mut walk = http::walk();
    assert_eq!(walk.missed(), Vec::<String>::new(), "docs/walk.md does not show these");
    shell::walk(&mut walk);
    let page = format!("{HEAD}{}", walk.page);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/walk.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).expect("written");
        return;
    }
    let kept = std::fs::read_to_string(&path).expect("the page");
    let (kept, said) = (steady(&kept), steady(&page));
    let differs = kept.lines().zip(said.lines()).find(|(kept, said)| kept != said);
    assert!(
        kept == said,
        "docs/walk.md is out of date at {differs:?}; rewrite it with UPDATE_DOCS=1 cargo test --test otherwise walk"
    );
}
