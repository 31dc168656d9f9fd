//! A running service at the other end of a command that a person gives: where it listens, who calls, one call after another.
//!
//! Knows the service's HTTP interface as a caller does. Invariant: a key travels over https, or stays on this machine.

use std::time::Duration;

use clap::Args;
use http::HeaderMap;
use http::Method;
use http::header::AUTHORIZATION;
use http::header::HeaderValue;
use http::header::IF_MATCH;
use otherwise_client::Error;
use otherwise_client::Otherwise;
use otherwise_client::Pin;
use otherwise_client::Scenario;
use otherwise_client::address::Address;
use otherwise_client::address::segment;
use otherwise_client::service::NAME_HEADER;
use otherwise_client::transport::Transport;
use reqwest::RequestBuilder;
use serde_json::Value;
use serde_json::json;
use tokio::runtime::Runtime;

use crate::adapters::outbound::bearer::Place;
use crate::cli;
use crate::cli::ExitStatus;
use crate::cli::output::Report;
use crate::cli::output::Trouble;
use crate::cli::output::fault;
use crate::cli::output::usage;
use schema::name::ClientId;

/// How long one call may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// Rows of a list that are told at most.
const LISTED_MAX: usize = 10_000;

/// Why a name is refused here that a person bears.
const NO_NAME: &str = "--name: the name travels in a header, as every client's does, so that it is 1 to 128 visible ASCII \
                       characters: write kaethe for käthe";

/// Which service, and who calls.
#[derive(Clone, Debug, Args)]
pub struct Whom {
    /// Where the service listens.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub url: String,
    /// Environment variable that holds the caller's key; its roles say what it may do.
    #[arg(long, value_name = "NAME")]
    pub key_env: Option<String>,
    /// Your name, for the record, where the service runs open: visible ASCII, since it travels in a header, as every client's
    /// does; without it the record says `anonymous`. With a key, the key's own name stands on record.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

/// One scenario of a service, and how it is told.
#[derive(Clone, Debug, Args)]
pub struct OfScenario {
    /// The scenario, such as flight_booking.
    #[arg(value_name = "SCENARIO")]
    pub scenario: String,
    #[command(flatten)]
    pub whom: Whom,
    /// Say it as one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// A service at the other end.
pub struct Service {
    runtime: Runtime,
    pub transport: Transport,
}

/// The way to an address, with the key that lies there; where it `is_guarded`, the key travels over https, or on this machine.
///
/// # Errors
/// What is wrong with the words of the command line.
pub fn way(url: &str, key: Option<Place>, name: Option<&str>, is_guarded: bool) -> Result<Transport, Trouble> {
    let address = Address::parse(url, is_guarded && key.is_some());
    let address = address.map_err(|why| usage(format!("--url {why}")))?;
    let mut headers = HeaderMap::new();
    if let Some(place) = key {
        headers.insert(AUTHORIZATION, place.authorization().map_err(usage)?);
    }
    if let Some(name) = name {
        ClientId::parse(name).ok_or_else(|| usage(NO_NAME))?;
        headers.insert(NAME_HEADER, HeaderValue::from_str(name).map_err(|_| usage(NO_NAME))?);
    }
    Transport::new(address, headers, PATIENCE).map_err(fault)
}

impl Whom {
    /// Prepares the calls.
    ///
    /// # Errors
    /// What is wrong with the words of the command line.
    pub fn way(&self) -> Result<Transport, Trouble> {
        let key = self.key_env.clone().map(Place::Environment);
        way(&self.url, key, self.name.as_deref(), true)
    }
}

impl Service {
    /// Prepares the calls.
    ///
    /// # Errors
    /// As [`Whom::way`].
    pub fn open(whom: &Whom) -> Result<Service, Trouble> {
        Ok(Service {
            transport: whom.way()?,
            runtime: cli::runtime()?,
        })
    }

    /// One scenario, whatever its template becomes, or as these versions have it.
    pub fn scenario(&self, name: &str, version: Option<&str>) -> Scenario {
        let pin = version.map_or(Pin::None, |range| Pin::Range(range.to_owned()));
        let mut scenario = Otherwise(self.transport.clone()).scenario(name);
        scenario.pin = pin;
        scenario
    }

    /// Waits for what the client does.
    ///
    /// # Errors
    /// Why it came to nothing.
    pub fn wait<T>(&self, act: impl Future<Output = Result<T, Error>>) -> Result<T, Trouble> {
        self.runtime.block_on(act).map_err(failed)
    }

    /// Reads what lies under a path.
    ///
    /// # Errors
    /// What came instead.
    pub fn get(&self, path: &str) -> Result<Value, Trouble> {
        let (status, body) = self.call(path, None, None)?;
        match status {
            200 => Ok(body),
            status => Err(refused(status, &body)),
        }
    }

    /// `{"waiting"?, name}` of a list that comes in pages, up to so many rows.
    ///
    /// # Errors
    /// What came instead of a page.
    pub fn listed(&self, path: &str, name: &str) -> Result<Value, Trouble> {
        let mut rows: Vec<Value> = Vec::new();
        let mut after = String::new();
        loop {
            let page = self.get(&format!("{path}{after}"))?;
            rows.extend(items(&page, name));
            match page["next"].as_str().filter(|_| rows.len() < LISTED_MAX) {
                Some(next) => after = format!("&after={}", segment(next)),
                None => {
                    let mut listed = json!({name: rows});
                    if let Some(waiting) = page.get("waiting") {
                        listed = json!({"waiting": waiting, name: listed[name].take()});
                    }
                    return Ok(listed);
                }
            }
        }
    }

    /// Makes one call: a reading, or with a body a deed; `seen` is the revision of what it is about. The status and the answer.
    ///
    /// # Errors
    /// The service cannot be reached.
    pub fn call(&self, path: &str, body: Option<String>, seen: Option<u64>) -> Result<(u16, Value), Trouble> {
        let mut request = match body {
            Some(body) => self.transport.send(Method::POST, path, body),
            None => self.transport.get(path),
        };
        if let Some(seen) = seen {
            request = request.header(IF_MATCH, format!("\"{seen}\""));
        }
        self.send(request)
    }

    /// Puts a document under a path. The status and the answer.
    ///
    /// # Errors
    /// The service cannot be reached.
    pub fn put(&self, path: &str, body: String) -> Result<(u16, Value), Trouble> {
        self.send(self.transport.send(Method::PUT, path, body))
    }

    fn send(&self, request: RequestBuilder) -> Result<(u16, Value), Trouble> {
        let answer = self.runtime.block_on(self.transport.call(request));
        let answer = answer.map_err(fault)?;
        Ok((answer.status, answer.json()))
    }
}

/// The answer for a program, and what it says for a person.
pub fn told(answer: Value, lines: impl FnOnce(&Value) -> Vec<String>) -> Report {
    Report {
        lines: lines(&answer),
        document: answer,
        ..Report::default()
    }
}

/// The elements of a member.
pub fn items(document: &Value, name: &str) -> Vec<Value> {
    document[name].as_array().cloned().unwrap_or_default()
}

/// A value of an answer as a line shows it.
pub fn text(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => plain(text),
        other => plain(&other.to_string()),
    }
}

/// A text in one line that steers no terminal: control characters and marks that turn the reading direction are spaces.
pub fn plain(text: &str) -> String {
    let fit = |c: char| {
        !c.is_control() && !matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if fit(c) { c } else { ' ' }).collect()
}

/// An answer that is none to go on with.
pub fn refused(status: u16, body: &Value) -> Trouble {
    let why = plain(&format!("the service answered {status}: {}", detail(body)));
    // What the caller can mend is no fault of the world.
    if (400..500).contains(&status) && status != 429 {
        usage(why)
    } else {
        fault(why)
    }
}

/// Why what the client did came to nothing: what a payload says wrong is a finding, what the caller can mend is usage.
fn failed(error: Error) -> Trouble {
    let why = plain(&error.to_string());
    match &error {
        Error::Refused(problem) | Error::Stale(problem) => refused(problem.status, &problem.document),
        Error::InvalidPayload { .. } | Error::DigestRefused { .. } => Trouble::new(ExitStatus::Findings, why),
        Error::Misused(_) => usage(why),
        Error::Unavailable { .. } | Error::Model(_) => fault(why),
    }
}

/// What a problem says.
pub fn detail(body: &Value) -> String {
    let said = body["detail"].as_str().or_else(|| body["title"].as_str());
    said.unwrap_or("it does not say why").to_owned()
}

#[cfg(test)]
mod tests {
    use super::Service;
    use super::Whom;
    use super::plain;

    #[test]
    fn what_is_shown_steers_no_terminal() {
        assert_eq!(plain("win\u{1b}[2Jdow\n\u{202e}x\u{200f}é"), "win [2Jdow  x é");
    }

    #[test]
    fn a_name_that_no_header_carries_is_refused_with_the_reason() {
        let named = |name: &str| Whom {
            url: "http://127.0.0.1:1".to_owned(),
            key_env: None,
            name: Some(name.to_owned()),
        };
        for name in ["käthe", "two words", ""] {
            let why = Service::open(&named(name)).err().map(|trouble| trouble.why);
            assert!(why.is_some_and(|why| why.contains("visible ASCII")), "{name}");
        }
        assert!(Service::open(&named("kaethe")).is_ok());
    }
}
