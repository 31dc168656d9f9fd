//! A running service at the other end of a command that a person gives: where it listens, who calls, one call after another, and what
//! it answers in lines.
//!
//! Knows the service's HTTP interface as a caller does. Invariants: a key travels over https, or stays on this machine; and what the
//! service sends steers no terminal.

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
use crate::cli::output::Output;
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

/// Which service, who calls, and who is told what it answers.
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
    /// One JSON document on standard output.
    #[arg(long)]
    pub json: bool,
}

/// One scenario of a service.
#[derive(Clone, Debug, Args)]
pub struct OfScenario {
    /// The scenario, such as flight_booking.
    pub scenario: String,
    #[command(flatten)]
    pub whom: Whom,
}

/// A template of a service.
#[derive(Clone, Debug, Args)]
pub struct Which {
    #[command(flatten)]
    pub of: OfScenario,
    /// The versions that may be served, such as 1.3.0, ^1 or ~1.2 [default: the one in force].
    #[arg(long, value_name = "RANGE")]
    pub version: Option<String>,
    /// Language of the descriptions (BCP 47) [default: the template's own].
    #[arg(long, value_name = "TAG")]
    language: Option<String>,
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
    /// Asks the service, and tells what came of it.
    pub fn report(&self, command: &'static str, ask: impl FnOnce(&Service) -> Result<Report, Trouble>) -> ExitStatus {
        Output::new(command, self.json).report(self.open().and_then(|service| ask(&service)))
    }

    /// Asks the service, and tells what it answers: to a program as it came, to a person in lines.
    pub fn tell(
        &self,
        command: &'static str,
        ask: impl FnOnce(&Service) -> Result<Value, Trouble>,
        lines: impl FnOnce(&Value) -> Vec<String>,
    ) -> ExitStatus {
        self.report(command, |service| Ok(told(ask(service)?, lines)))
    }

    /// Prepares the calls.
    ///
    /// # Errors
    /// What is wrong with the words of the command line.
    pub fn open(&self) -> Result<Service, Trouble> {
        let key = self.key_env.clone().map(Place::Environment);
        Ok(Service {
            transport: way(&self.url, key, self.name.as_deref(), true)?,
            runtime: cli::runtime()?,
        })
    }
}

impl Which {
    /// It as the service has it.
    pub fn scenario(&self, service: &Service) -> Scenario {
        let mut scenario = service.scenario(&self.of.scenario);
        scenario.pin = self.version.clone().map_or(Pin::None, Pin::Range);
        scenario.language.clone_from(&self.language);
        scenario
    }
}

impl Service {
    /// One scenario, whatever its template becomes.
    pub fn scenario(&self, name: &str) -> Scenario {
        let mut scenario = Otherwise(self.transport.clone()).scenario(name);
        scenario.pin = Pin::None;
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
        well(self.send(self.transport.get(path))?)
    }

    /// Does something.
    ///
    /// # Errors
    /// What came instead of its outcome.
    pub fn post(&self, path: &str, said: &Value) -> Result<Value, Trouble> {
        well(self.call(path, said.to_string(), None)?)
    }

    /// The rows of a list that comes in pages, up to so many, in the place of those of its last page.
    ///
    /// # Errors
    /// What came instead of a page.
    pub fn listed(&self, path: &str, name: &str) -> Result<Value, Trouble> {
        let mut rows: Vec<Value> = Vec::new();
        let mut after = String::new();
        loop {
            let mut page = self.get(&format!("{path}{after}"))?;
            rows.extend(items(&page, name));
            let next = page.as_object_mut().and_then(|page| page.shift_remove("next"));
            match next
                .as_ref()
                .and_then(Value::as_str)
                .filter(|_| rows.len() < LISTED_MAX)
            {
                Some(next) => after = format!("&after={}", segment(next)),
                None => {
                    page[name] = json!(rows);
                    return Ok(page);
                }
            }
        }
    }

    /// Sends a document; `seen` is the revision of what it is about. The status and the answer.
    ///
    /// # Errors
    /// The service cannot be reached.
    pub fn call(&self, path: &str, body: String, seen: Option<u64>) -> Result<(u16, Value), Trouble> {
        let request = self.transport.send(Method::POST, path, body);
        self.send(match seen {
            Some(seen) => request.header(IF_MATCH, format!("\"{seen}\"")),
            None => request,
        })
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

/// A line of a form, in which `{member}`, `{/a/pointer}` and `{member:width}` stand for what a document holds there.
pub fn line(form: &str, document: &Value) -> String {
    let parts = form.split(['{', '}']).enumerate();
    let filled = parts.map(|(place, part)| {
        // What lies between two braces has an odd place.
        if place % 2 == 0 {
            return part.to_owned();
        }
        let (name, width) = part.split_once(':').unwrap_or((part, "0"));
        let value = match name.starts_with('/') {
            true => document.pointer(name).map(text),
            false => document.get(name).map(text),
        };
        format!(
            "{:<1$}",
            value.unwrap_or_else(|| text(&Value::Null)),
            width.parse().unwrap_or(0)
        )
    });
    filled.collect()
}

/// A line of a form for each element of a member.
pub fn lines(form: &str, document: &Value, name: &str) -> Vec<String> {
    items(document, name).iter().map(|row| line(form, row)).collect()
}

/// A line of a form, where a member is there.
pub fn line_if(form: &str, document: &Value, name: &str) -> Option<String> {
    document
        .get(name)
        .filter(|value| !value.is_null())
        .map(|_| line(form, document))
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

/// The answer of a success.
fn well((status, answer): (u16, Value)) -> Result<Value, Trouble> {
    match status {
        200 => Ok(answer),
        status => Err(refused(status, &answer)),
    }
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
pub fn failed(error: Error) -> Trouble {
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
    use serde_json::json;

    use super::Whom;
    use super::line;
    use super::plain;

    #[test]
    fn what_is_shown_steers_no_terminal() {
        assert_eq!(plain("win\u{1b}[2Jdow\n\u{202e}x\u{200f}é"), "win [2Jdow  x é");
    }

    #[test]
    fn a_line_shows_what_a_document_holds_and_a_dash_for_what_it_does_not() {
        let row = json!({"id": "a_v1", "by": {"name": "o\u{7}lga"}, "at": null, "sum": 3});
        assert_eq!(line("{id:6}|{/by/name}: {at} {no} {sum}", &row), "a_v1  |o lga: - - 3");
    }

    #[test]
    fn a_name_that_no_header_carries_is_refused_with_the_reason() {
        let named = |name: &str| Whom {
            url: "http://127.0.0.1:1".to_owned(),
            key_env: None,
            name: Some(name.to_owned()),
            json: false,
        };
        for name in ["käthe", "two words", ""] {
            let why = named(name).open().err().map(|trouble| trouble.why);
            assert!(why.is_some_and(|why| why.contains("visible ASCII")), "{name}");
        }
        assert!(named("kaethe").open().is_ok());
    }
}
