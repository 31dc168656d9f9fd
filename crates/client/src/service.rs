//! A service: where it is, who calls, and what it hosts.

use std::fmt;
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
#[derive(Clone, Debug)]
pub struct Otherwise {
    transport: Transport,
}

/// What a client is made of.
pub struct Builder {
    url: String,
    key: Option<String>,
    client: Option<String>,
    timeout: Duration,
    sleep: Option<Sleep>,
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
    /// Calls the service at an address.
    pub fn at(url: impl Into<String>) -> Builder {
        Builder {
            url: url.into(),
            key: None,
            client: None,
            timeout: TIMEOUT,
            sleep: None,
        }
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

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}

impl Builder {
    /// Shows this key.
    #[must_use]
    pub fn key(self, key: impl Into<String>) -> Builder {
        let key = Some(key.into());
        Builder { key, ..self }
    }

    /// Says this name, where the service runs open.
    #[must_use]
    pub fn client(self, name: impl Into<String>) -> Builder {
        let client = Some(name.into());
        Builder { client, ..self }
    }

    /// How long one try of a call may take; 30 s where nothing is said.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Builder {
        Builder { timeout, ..self }
    }

    /// Waits so between tries.
    #[must_use]
    pub fn sleep(self, sleep: Sleep) -> Builder {
        let sleep = Some(sleep);
        Builder { sleep, ..self }
    }

    /// The service, ready to be called; calls nothing yet.
    ///
    /// # Errors
    /// An address, a key or a name that cannot be.
    pub fn build(self) -> Result<Otherwise, Error> {
        let address = Address::parse(&self.url, self.key.is_some())
            .map_err(|why| Error::Misused(format!("the address {why}")))?;
        let mut headers = HeaderMap::new();
        if let Some(key) = &self.key {
            let value = HeaderValue::from_str(&format!("Bearer {key}"));
            let mut value = value.map_err(|_| Error::Misused("the key holds what no header can".to_owned()))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        if let Some(name) = &self.client {
            let value = HeaderValue::from_str(name)
                .ok()
                .filter(|_| name.bytes().all(|byte| byte.is_ascii_graphic()));
            let wrong =
                || Error::Misused("the client's name travels in a header: it has to be visible ASCII".to_owned());
            headers.insert(NAME_HEADER, value.ok_or_else(wrong)?);
        }
        let transport = Transport::new(address, headers, self.timeout)?;
        Ok(Otherwise::over(match self.sleep {
            Some(sleep) => transport.sleeping(sleep),
            None => transport,
        }))
    }
}
