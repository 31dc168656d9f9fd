//! A running service at the other end of a command that a person gives: where it listens, who calls, one call after another.
//!
//! Knows the service's HTTP interface as a caller does. Invariant: a key travels over https, or stays on this machine.

use std::time::Duration;

use clap::Args;
use hyper::HeaderMap;
use hyper::Uri;
use hyper::header::AUTHORIZATION;
use hyper::header::CONTENT_TYPE;
use hyper::header::HeaderValue;
use hyper::header::IF_MATCH;
use serde_json::Value;

use crate::adapters::outbound::Outbound;
use crate::adapters::outbound::bearer;
use crate::cli::Ending;
use crate::cli::address::base;
use crate::wire::authenticator::NAME_HEADER;
use schema::name::ClientId;

/// How long one call may take, and how much of an answer is read.
const PATIENCE: Duration = Duration::from_secs(30);
const ANSWER_BYTES_MAX: usize = 32 * 1_024 * 1_024;

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

/// Why there is no answer to go on with.
#[derive(Debug, PartialEq, Eq)]
pub struct Trouble {
    pub ending: Ending,
    pub why: String,
}

/// A service at the other end.
pub struct Service {
    runtime: tokio::runtime::Runtime,
    outbound: Outbound,
    base: String,
    headers: HeaderMap,
}

/// What the caller can mend.
pub fn usage(why: String) -> Trouble {
    Trouble {
        ending: Ending::Usage,
        why,
    }
}

/// What the caller cannot mend.
pub fn fault(why: String) -> Trouble {
    Trouble {
        ending: Ending::Fault,
        why,
    }
}

impl Service {
    /// Prepares the calls.
    ///
    /// # Errors
    /// What is wrong with the words of the command line.
    pub fn open(whom: &Whom) -> Result<Service, Trouble> {
        let Whom { url, key_env, name } = whom;
        let (base, secure) = base(url, key_env.is_some()).map_err(usage)?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(variable) = key_env {
            let place = format!("the environment variable {variable}");
            let key = bearer::authorization(&place, bearer::of_environment(variable)).map_err(usage)?;
            headers.insert(AUTHORIZATION, key);
        }
        if let Some(name) = name {
            ClientId::parse(name).ok_or_else(|| usage(NO_NAME.to_owned()))?;
            let value = HeaderValue::from_str(name).map_err(|_| usage(NO_NAME.to_owned()))?;
            headers.insert(NAME_HEADER, value);
        }
        let outbound = if secure { Outbound::https() } else { Outbound::plain() };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| fault(error.to_string()))?;
        Ok(Service {
            runtime,
            outbound: outbound.map_err(fault)?,
            base,
            headers,
        })
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

    /// Makes one call: a reading, or with a body a deed; `seen` is the revision of what it is about. The status and the answer.
    ///
    /// # Errors
    /// The service cannot be reached.
    pub fn call(&self, path: &str, body: Option<String>, seen: Option<u64>) -> Result<(u16, Value), Trouble> {
        let address = format!("{}{path}", self.base);
        let address: Uri = address.parse().map_err(|_| usage("--url is no address".to_owned()))?;
        let mut headers = self.headers.clone();
        if let Some(tag) = seen.and_then(|seen| HeaderValue::from_str(&format!("\"{seen}\"")).ok()) {
            headers.insert(IF_MATCH, tag);
        }
        let answered = self.runtime.block_on(async {
            let call = async {
                match body {
                    Some(body) => {
                        let body = body.into_bytes();
                        self.outbound.post(&address, headers, body, ANSWER_BYTES_MAX).await
                    }
                    None => self.outbound.get(&address, headers, ANSWER_BYTES_MAX).await,
                }
            };
            tokio::time::timeout(PATIENCE, call).await
        });
        let answer = match answered {
            Err(_) => {
                return Err(fault(format!(
                    "the service did not answer within {} s",
                    PATIENCE.as_secs()
                )));
            }
            Ok(Err(error)) => return Err(fault(format!("the service at {}: {error}", self.base))),
            Ok(Ok(answer)) => answer,
        };
        let body = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
        Ok((answer.status, body))
    }
}

/// An answer that is none to go on with.
pub fn refused(status: u16, body: &Value) -> Trouble {
    let why = format!("the service answered {status}: {}", detail(body));
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
