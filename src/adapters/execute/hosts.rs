//! Which hosts may be executors, and which of them may lie inside: on this machine or in its network.

use std::net::IpAddr;

use crate::adapters::outbound::egress_policy::Reach;
use crate::adapters::outbound::egress_policy::is_public;
use schema::executor::ExecutorSpec;
use schema::executor::host_and_port;

/// One entry of a list: `host`, `host:port`, `*.suffix` or `*.suffix:port`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    host: String,
    /// Whether any name that ends so is meant, this one excepted.
    below: bool,
    port: Option<u16>,
}

/// What the operator allows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    /// Empty for any.
    allowed: Vec<Pattern>,
    inner: Vec<Pattern>,
}

/// How far a host that is not listed as an inner one is reached: under public addresses alone.
const PUBLIC: Reach = Reach::Public { loopback: false };

/// Why a host may not be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barred {
    /// It is not in the list.
    NotListed,
    /// It lies inside, and is not in the list of those that may.
    Inner,
}

impl Hosts {
    /// Reads both lists.
    ///
    /// # Errors
    /// The entry that is none, in a sentence that names its setting.
    pub fn read(allowed: &[String], inner: &[String]) -> Result<Hosts, String> {
        let list = |setting: &str, entries: &[String]| {
            let patterns = entries.iter().map(|entry| {
                pattern(entry)
                    .ok_or_else(|| format!("{setting}: `{entry}` must be host, host:port, *.suffix or *.suffix:port"))
            });
            patterns.collect::<Result<Vec<_>, String>>()
        };
        Ok(Hosts {
            allowed: list("executors.hosts", allowed)?,
            inner: list("executors.inner_hosts", inner)?,
        })
    }

    /// How an executor may be reached.
    pub fn way(&self, executor: &ExecutorSpec) -> Result<Reach, Barred> {
        let listed = |list: &[Pattern]| {
            list.iter()
                .any(|pattern| pattern.matches(&executor.host, executor.port))
        };
        if listed(&self.inner) {
            return Ok(Reach::Anywhere);
        }
        if !self.allowed.is_empty() && !listed(&self.allowed) {
            return Err(Barred::NotListed);
        }
        let inside = executor.host == "localhost"
            || executor.host.ends_with(".localhost")
            || executor.host.parse::<IpAddr>().is_ok_and(|address| !is_public(address));
        if inside { Err(Barred::Inner) } else { Ok(PUBLIC) }
    }
}

impl Pattern {
    fn matches(&self, host: &str, port: u16) -> bool {
        let named = if self.below {
            host.strip_suffix(&self.host)
                .is_some_and(|rest| rest.ends_with('.') && rest.len() > 1)
        } else {
            host == self.host
        };
        named && self.port.is_none_or(|own| own == port)
    }
}

fn pattern(entry: &str) -> Option<Pattern> {
    let (below, rest) = match entry.strip_prefix("*.") {
        Some(rest) => (true, rest),
        None => (false, entry),
    };
    let (host, port) = host_and_port(rest)?;
    let named = host.parse::<IpAddr>().is_err();
    (!below || named).then_some(Pattern { host, below, port })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Barred;
    use super::Hosts;
    use super::PUBLIC;
    use super::Reach;
    use schema::executor::ExecutorSpec;

    fn way(allowed: &[&str], inner: &[&str], url: &str) -> Result<Reach, Barred> {
        let owned = |list: &[&str]| list.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>();
        let document = json!({"executor": {"url": url}});
        let spec = ExecutorSpec::of(document.as_object().expect("an object")).expect("an executor");
        Hosts::read(&owned(allowed), &owned(inner)).expect("lists").way(&spec)
    }

    #[test]
    fn inner_hosts_are_called_only_where_they_are_listed_and_a_list_lets_in_no_others() {
        const ANY: &[&str] = &[];
        const LIST: &[&str] = &["Agent.example", "*.shops.example", "one.example:8443", "10.0.0.1"];
        for (allowed, inner, url, expected) in [
            (ANY, ANY, "https://agent.example/", Ok(PUBLIC)),
            (ANY, ANY, "http://127.0.0.1:9/", Err(Barred::Inner)),
            (ANY, ANY, "http://localhost/", Err(Barred::Inner)),
            (ANY, ANY, "https://[::1]/", Err(Barred::Inner)),
            (ANY, ANY, "https://[::ffff:10.0.0.1]/", Err(Barred::Inner)),
            (ANY, ANY, "https://169.254.169.254/latest", Err(Barred::Inner)),
            (ANY, ANY, "https://a.localhost/", Err(Barred::Inner)),
            (ANY, &["127.0.0.1:9"], "http://127.0.0.1:9/", Ok(Reach::Anywhere)),
            (ANY, &["127.0.0.1:9"], "http://127.0.0.1:10/", Err(Barred::Inner)),
            (ANY, &["[::1]"], "http://[::1]:10/", Ok(Reach::Anywhere)),
            (ANY, &["*.corp.example"], "https://a.corp.example/", Ok(Reach::Anywhere)),
            (
                &["a.example"],
                &["b.example"],
                "https://b.example/",
                Ok(Reach::Anywhere),
            ),
            (LIST, ANY, "https://agent.example:444/", Ok(PUBLIC)),
            (LIST, ANY, "https://evilagent.example/", Err(Barred::NotListed)),
            (LIST, ANY, "https://a.b.shops.example/", Ok(PUBLIC)),
            (LIST, ANY, "https://shops.example/", Err(Barred::NotListed)),
            (LIST, ANY, "https://evilshops.example/", Err(Barred::NotListed)),
            (LIST, ANY, "https://one.example:8443/", Ok(PUBLIC)),
            (LIST, ANY, "https://one.example/", Err(Barred::NotListed)),
            (LIST, ANY, "https://10.0.0.1/", Err(Barred::Inner)),
        ] {
            assert_eq!(way(allowed, inner, url), expected, "{url}");
        }
        for wrong in [
            "",
            "*",
            "*.",
            "https://a.example",
            "a.example/x",
            "a.example:0",
            "*.10.0.0.1",
            "a b",
        ] {
            let said = Hosts::read(&[], &[wrong.to_owned()]).expect_err(wrong);
            assert!(said.starts_with("executors.inner_hosts"), "{said}");
        }
    }
}
