//! A service: where it is, who calls, and what it hosts.

use std::sync::Arc;
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
use crate::transport::Request;
use crate::transport::Sleep;
use crate::transport::Transport;

/// Where a client says its name, where the service runs open.
pub const NAME_HEADER: HeaderName = HeaderName::from_static("otherwise-client");
/// How long one call may take unless the caller says otherwise.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Scenarios that a list tells at most: far more than one service hosts.
const SCENARIOS_MAX: usize = 10_000;

/// A service.
#[derive(Clone)]
pub struct Otherwise {
    transport: Transport,
}

/// How a service is called.
pub struct Options {
    /// The key to show.
    pub key: Option<String>,
    /// The name to say, where the service runs open.
    pub client: Option<String>,
    /// How long one try of a call may take.
    pub timeout: Duration,
    /// How it waits between two tries.
    pub sleep: Sleep,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            key: None,
            client: None,
            timeout: TIMEOUT,
            sleep: Arc::new(|pause| Box::pin(tokio::time::sleep(pause))),
        }
    }
}

/// One scenario that a service hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hosted {
    pub scenario: String,
    /// The schema in force.
    pub schema_id: String,
    pub version: String,
    pub revision: u64,
    #[serde(default)]
    pub description: Option<String>,
    #[serde(default)]
    pub language: String,
}

#[derive(Deserialize)]
struct Page {
    scenarios: Vec<Hosted>,
    #[serde(default)]
    next: Option<String>,
}

impl Otherwise {
    /// The service at an address, ready to be called; calls nothing yet.
    ///
    /// # Errors
    /// An address, a key or a name that cannot be.
    pub fn new(url: &str, options: Options) -> Result<Otherwise, Error> {
        let Options {
            key,
            client,
            timeout,
            sleep,
        } = options;
        let address = Address::parse(url, key.is_some());
        let address = address.map_err(|why| Error::Misused(format!("the address {why}")))?;
        let mut headers = HeaderMap::new();
        let bearer = key.map(|key| (AUTHORIZATION, format!("Bearer {key}"), "key"));
        let named = client.map(|name| (NAME_HEADER, name, "client's name"));
        for (header, value, what) in bearer.into_iter().chain(named) {
            let wrong = |_| Error::Misused(format!("the {what} travels in a header: it has to be visible ASCII"));
            let mut value = HeaderValue::from_str(&value).map_err(wrong)?;
            value.set_sensitive(header == AUTHORIZATION);
            headers.insert(header, value);
        }
        let transport = Transport::new(address, headers, timeout)?;
        Ok(Otherwise::over(Transport { sleep, ..transport }))
    }

    /// Calls over a transport that is there.
    pub fn over(transport: Transport) -> Otherwise {
        Otherwise { transport }
    }

    /// One scenario of the service; asks nothing yet.
    pub fn scenario(&self, name: impl Into<String>) -> Scenario {
        Scenario::new(self.transport.clone(), name.into())
    }

    /// What the service hosts: all of it, or what answers a wish in plain words.
    ///
    /// # Errors
    /// Why the service does not tell.
    pub async fn scenarios(&self, query: Option<&str>) -> Result<Vec<Hosted>, Error> {
        let mut hosted: Vec<Hosted> = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let asked = address::query([("q", query), ("after", after.as_deref())]);
            let answer = self
                .transport
                .insist(Request::get(format!("/v1/scenarios{asked}")))
                .await?;
            let page: Page = answer.read()?;
            hosted.extend(page.scenarios);
            after = page.next.filter(|_| hosted.len() < SCENARIOS_MAX);
            if after.is_none() {
                return Ok(hosted);
            }
        }
    }
}
