//! A service: where it is, who calls, and what it hosts.

use std::time::Duration;

use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::header::HeaderName;
use http::header::HeaderValue;
use serde::Deserialize;
use serde::Serialize;

use crate::address;
use crate::address::Address;
use crate::error::Error;
use crate::scenario::Scenario;
use crate::transport::Sleep;
use crate::transport::Transport;

/// Where a client says its name, where the service runs open.
pub const NAME_HEADER: HeaderName = HeaderName::from_static("otherwise-client");
/// How long one try of a call may take unless the caller says otherwise.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Scenarios that a list tells at most: far more than one service hosts.
const SCENARIOS_MAX: usize = 10_000;

/// A service, and how it is called.
#[derive(Clone)]
pub struct Otherwise(pub Transport);

/// How a service is called.
#[derive(Default)]
pub struct Options {
    /// The key to show.
    pub key: Option<String>,
    /// The name to say, where the service runs open.
    pub client: Option<String>,
    /// How long one try of a call may take; 30 s where nothing is said.
    pub timeout: Option<Duration>,
    /// How it waits between two tries, instead of by the clock.
    pub sleep: Option<Sleep>,
}

/// One scenario that a service hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hosted {
    pub scenario: String,
    /// The schema in force.
    pub schema_id: String,
    pub version: String,
    pub revision: u64,
    pub description: Option<String>,
    #[serde(default)]
    pub language: String,
}

impl Otherwise {
    /// The service at an address, ready to be called; calls nothing yet.
    /// Fails where an address, a key or a name cannot be.
    pub fn new(url: &str, options: Options) -> Result<Otherwise, Error> {
        let address = Address::parse(url, options.key.is_some());
        let address = address.map_err(|why| Error::Misused(format!("the address {why}")))?;
        let mut headers = HeaderMap::new();
        let bearer = options.key.map(|key| (AUTHORIZATION, format!("Bearer {key}"), "key"));
        let named = options.client.map(|name| (NAME_HEADER, name, "client's name"));
        for (header, value, what) in bearer.into_iter().chain(named) {
            let wrong = |_| Error::Misused(format!("the {what} travels in a header: it has to be visible ASCII"));
            let mut value = HeaderValue::from_str(&value).map_err(wrong)?;
            value.set_sensitive(header == AUTHORIZATION);
            headers.insert(header, value);
        }
        let mut transport = Transport::new(address, headers, options.timeout.unwrap_or(TIMEOUT))?;
        transport.sleep = options.sleep.unwrap_or(transport.sleep);
        Ok(Otherwise(transport))
    }

    /// One scenario of the service; asks nothing yet.
    pub fn scenario(&self, name: impl Into<String>) -> Scenario {
        Scenario::new(self.0.clone(), name.into())
    }

    /// What the service hosts: all of it, or what answers a wish in plain words.
    pub async fn scenarios(&self, query: Option<&str>) -> Result<Vec<Hosted>, Error> {
        let mut hosted: Vec<Hosted> = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let asked = address::query([("q", query), ("after", after.as_deref())]);
            let request = self.0.get(&format!("/v1/scenarios{asked}"));
            let answer = self.0.insist(request).await?;
            if answer.status != 200 {
                return Err(Error::Refused(answer.problem()));
            }
            let page = answer.json();
            let rows = Vec::deserialize(&page["scenarios"]);
            let mut rows = rows.map_err(|error| answer.unreadable(&error))?;
            let goes_on = !rows.is_empty();
            hosted.append(&mut rows);
            let next = page["next"]
                .as_str()
                .filter(|_| goes_on && hosted.len() < SCENARIOS_MAX);
            after = next.map(str::to_owned);
            if after.is_none() {
                return Ok(hosted);
            }
        }
    }
}
