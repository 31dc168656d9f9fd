//! A running service at the other end of a command that a person gives: where it listens, who calls, one call after another.
//!
//! Knows the service's HTTP interface as a caller does. Invariant: a key travels over https, or stays on this machine.

use std::time::Duration;

use clap::Args;
use http::HeaderMap;
use http::Uri;
use http::header::AUTHORIZATION;
use http::header::CONTENT_TYPE;
use http::header::HeaderValue;
use http::header::IF_MATCH;
use serde_json::Value;
use serde_json::json;
use tokio::runtime::Runtime;

use crate::adapters::outbound::Outbound;
use crate::adapters::outbound::bearer::Place;
use crate::adapters::outbound::egress_policy::Reach;
use crate::cli;
use crate::cli::address::base;
use crate::cli::output::Report;
use crate::cli::output::Trouble;
use crate::cli::output::fault;
use crate::cli::output::usage;
use crate::wire::authenticator::NAME_HEADER;
use crate::wire::percent::segment;
use schema::name::ClientId;

/// How long one call may take, and how much of an answer is read.
const PATIENCE: Duration = Duration::from_secs(30);
const ANSWER_BYTES_MAX: usize = 32 * 1_024 * 1_024;
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
    /// Environment variable that holds the caller's key: an operator's, or for `audit` an auditor's.
    #[arg(long, value_name = "NAME")]
    pub key_env: Option<String>,
    /// Your name, for the record, where the service runs open: visible ASCII, since it travels in a header, as every client's
    /// does; without it the record says `anonymous`. With a key, the key's own name stands on record.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

/// A service at the other end.
pub struct Service {
    runtime: Runtime,
    way: Way,
}

/// The way to a service: where it is, what makes the calls, and what every call bears.
pub struct Way {
    pub base: String,
    /// Whether it is https.
    pub secure: bool,
    pub outbound: Outbound,
    pub headers: HeaderMap,
}

impl Way {
    /// The way to an address, with the key that lies there; where it `is_guarded`, the key travels over https, or on this machine.
    ///
    /// # Errors
    /// What is wrong with the words of the command line.
    pub fn to(url: &str, key: Option<Place>, is_guarded: bool) -> Result<Way, Trouble> {
        let (base, secure) = base(url, is_guarded && key.is_some()).map_err(usage)?;
        let mut headers = HeaderMap::new();
        if let Some(place) = key {
            headers.insert(AUTHORIZATION, place.authorization().map_err(usage)?);
        }
        let open = if secure { Outbound::https } else { Outbound::plain };
        let outbound = open(Reach::Anywhere).map_err(fault)?;
        Ok(Way {
            base,
            secure,
            outbound,
            headers,
        })
    }

    /// The address of a path.
    ///
    /// # Errors
    /// It is none.
    pub fn address(&self, path: &str) -> Result<Uri, Trouble> {
        let address = format!("{}{path}", self.base);
        address.parse().map_err(|_| usage("--url is no address"))
    }
}

impl Whom {
    /// Prepares the calls.
    ///
    /// # Errors
    /// What is wrong with the words of the command line.
    pub fn way(&self) -> Result<Way, Trouble> {
        let mut way = Way::to(&self.url, self.key_env.clone().map(Place::Environment), true)?;
        if let Some(name) = &self.name {
            ClientId::parse(name).ok_or_else(|| usage(NO_NAME))?;
            let value = HeaderValue::from_str(name).map_err(|_| usage(NO_NAME))?;
            way.headers.insert(NAME_HEADER, value);
        }
        Ok(way)
    }
}

impl Service {
    /// Prepares the calls.
    ///
    /// # Errors
    /// As [`Whom::way`].
    pub fn open(whom: &Whom) -> Result<Service, Trouble> {
        let mut way = whom.way()?;
        let json = HeaderValue::from_static("application/json");
        way.headers.insert(CONTENT_TYPE, json);
        let runtime = cli::runtime()?;
        Ok(Service { runtime, way })
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

    /// `{"waiting", name}` of a list that comes in pages, up to so many rows.
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
                None => return Ok(json!({"waiting": page["waiting"], name: rows})),
            }
        }
    }

    /// Makes one call: a reading, or with a body a deed; `seen` is the revision of what it is about. The status and the answer.
    ///
    /// # Errors
    /// The service cannot be reached.
    pub fn call(&self, path: &str, body: Option<String>, seen: Option<u64>) -> Result<(u16, Value), Trouble> {
        let Way {
            base,
            outbound,
            headers,
            ..
        } = &self.way;
        let address = self.way.address(path)?;
        let mut headers = headers.clone();
        if let Some(tag) = seen.and_then(|seen| HeaderValue::from_str(&format!("\"{seen}\"")).ok()) {
            headers.insert(IF_MATCH, tag);
        }
        let call = async {
            match body.map(String::into_bytes) {
                Some(body) => outbound.post(&address, headers, body, ANSWER_BYTES_MAX).await,
                None => outbound.get(&address, headers, ANSWER_BYTES_MAX).await,
            }
        };
        let answered = self
            .runtime
            .block_on(async { tokio::time::timeout(PATIENCE, call).await });
        let late = |_| fault(format!("the service did not answer within {} s", PATIENCE.as_secs()));
        let answer = answered.map_err(late)?;
        let answer = answer.map_err(|error| fault(format!("the service at {base}: {error}")))?;
        Ok((
            answer.status,
            serde_json::from_slice(&answer.body).unwrap_or(Value::Null),
        ))
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
