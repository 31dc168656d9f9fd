//! The bearer tokens that executors want: `host=env:NAME` or `host=file:PATH` in the settings, read once at start. A host may
//! have a port, and a path: then the token is for the addresses at that path and below it.
//!
//! Invariants: a token goes to the host it stands for, below the path it stands for, and nowhere else, and is shown to nobody.

use http::Uri;
use http::header::HeaderValue;

use crate::adapters::outbound::bearer::Place;
use schema::executor::ExecutorSpec;
use schema::executor::host_and_port;

/// One entry of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    scope: Scope,
    place: Place,
}

/// Which addresses a token is for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Scope {
    host: String,
    port: Option<u16>,
    /// `/book`, without a slash at its end; empty for every address of the host.
    path: String,
}

/// Every token with the addresses that it is for.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    held: Vec<(Scope, HeaderValue)>,
}

/// Checks the form of the list; nothing is read.
///
/// # Errors
/// The entry that is none, by its number: what stands in it may be a secret.
pub fn check(entries: &[String]) -> Result<(), String> {
    read(entries).map(|_| ())
}

fn read(entries: &[String]) -> Result<Vec<Entry>, String> {
    let read = entries.iter().enumerate().map(|(number, text)| {
        entry(text).ok_or_else(|| {
            format!(
                "executors.tokens: entry {} must be host=env:NAME or host=file:PATH (a host may have a port and a path); never the \
                 token itself",
                number + 1
            )
        })
    });
    read.collect()
}

fn entry(text: &str) -> Option<Entry> {
    let (scope, place) = text.split_once('=')?;
    let scope = scope.trim();
    let (host, path) = scope.split_at(scope.find('/').unwrap_or(scope.len()));
    let path = path.trim_end_matches('/').to_owned();
    let (host, port) = host_and_port(host)?;
    if !is_plain(&path) || path.contains(['?', '#']) {
        return None;
    }
    let scope = Scope { host, port, path };
    let (kind, place) = place.trim().split_once(':')?;
    let place = Some(place.trim()).filter(|place| !place.is_empty())?.to_owned();
    let place = match kind {
        "env" => Place::Environment(place),
        "file" => Place::File(place),
        _ => return None,
    };
    Some(Entry { scope, place })
}

/// Whether a path means what it says: a server that resolves `..`, or reads an escape as a slash or a dot, would be elsewhere.
fn is_plain(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    !path.contains(['\\', ';'])
        && !path.split('/').any(|segment| matches!(segment, "." | ".."))
        && !["%2e", "%2f", "%5c", "%25"].iter().any(|escape| lower.contains(escape))
}

impl Scope {
    fn holds(&self, executor: &ExecutorSpec, path: &str) -> bool {
        self.host == executor.host
            && self.port.is_none_or(|port| port == executor.port)
            && (self.path.is_empty()
                || is_plain(path)
                    && path
                        .strip_prefix(&self.path)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    }
}

impl Tokens {
    /// Reads every token.
    ///
    /// # Errors
    /// Which place holds none, in a sentence that does not repeat what it holds.
    pub fn open(entries: &[String]) -> Result<Tokens, String> {
        let mut held = Vec::new();
        for Entry { scope, place } in read(entries)? {
            let value = place.authorization();
            held.push((scope, value.map_err(|why| format!("executors.tokens: {why}"))?));
        }
        Ok(Tokens { held })
    }

    /// The token for an executor: one for its port before one for its host alone, and among those the one for the longest path.
    pub fn of(&self, executor: &ExecutorSpec) -> Option<&HeaderValue> {
        let address: Uri = executor.url.parse().ok()?;
        let held = self.held.iter().rev();
        let found = held.filter(|(scope, _)| scope.holds(executor, address.path()));
        found
            .max_by_key(|(scope, _)| (scope.port.is_some(), scope.path.len()))
            .map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Tokens;
    use super::check;
    use schema::executor::ExecutorSpec;

    fn spec(url: &str) -> ExecutorSpec {
        let document = json!({"executor": {"url": url}});
        ExecutorSpec::of(document.as_object().expect("an object")).expect("an executor")
    }

    #[test]
    fn a_token_goes_to_its_host_below_its_path_and_nowhere_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let entry = |scope: &str, key: &str| {
            let file = folder.path().join(key);
            std::fs::write(&file, format!("{key}-secret\n")).expect("written");
            format!("{scope}=file:{}", file.display())
        };
        let entries = [
            entry("agent.example/book/", "book"),
            entry("Agent.example/book/vip", "vip"),
            entry("agent.example:8443/book ", "port"),
            entry("other.example", "all"),
            entry("other.example:8443", "other-port"),
        ];
        let tokens = Tokens::open(&entries).expect("tokens");
        assert!(!format!("{tokens:?}").contains("secret\""), "{tokens:?}");
        for (url, expected) in [
            ("https://agent.example/book", Some("book")),
            ("https://agent.example/book/now?x=1", Some("book")),
            ("https://agent.example/book?x=1", Some("book")),
            ("https://agent.example/book/vip/now", Some("vip")),
            ("https://agent.example:8443/book/vip", Some("port")),
            ("https://agent.example/bookings", None),
            ("https://agent.example/", None),
            ("https://agent.example", None),
            ("https://agent.example/Book", None),
            ("https://agent.example/book/../admin", None),
            ("https://agent.example/book/%2E%2e/admin", None),
            ("https://agent.example/book%2f..%2fadmin", None),
            ("https://agent.example/book/..;/admin", None),
            ("https://agent.example/book/%252e%252e/admin", None),
            ("https://other.example/any/../where", Some("all")),
            ("https://other.example:8443/x", Some("other-port")),
            ("https://other.example:9/x", Some("all")),
            ("https://other.example.evil.example/x", None),
        ] {
            let found = tokens.of(&spec(url)).map(|value| value.to_str().expect("text"));
            let expected = expected.map(|name| format!("Bearer {name}-secret"));
            assert_eq!(found, expected.as_deref(), "{url}");
        }
    }

    #[test]
    fn what_is_no_place_of_a_token_is_named_by_its_number() {
        let right = ["a.example=env:TOKEN", "[::1]:9=file:/x"].map(str::to_owned);
        assert_eq!(check(&right), Ok(()));
        for wrong in [
            "a.example",
            "a.example=s3cret",
            "a.example=env:",
            "=env:X",
            "a.example=url:s3cret",
            "a.example/x/../y=env:X",
            "a.example/x?y=env:X",
            "a.example/%2e=env:X",
            "/x=env:X",
        ] {
            let said = check(&[right[0].clone(), wrong.to_owned()]).expect_err(wrong);
            assert!(said.contains("entry 2") && !said.contains("s3cret"), "{said}");
        }
        for place in ["file:no/such/file", "env:OTHERWISE_TEST_NO_SUCH_TOKEN"] {
            let said = Tokens::open(&[format!("a.example={place}")]).expect_err(place);
            assert!(said.contains(&place[5..]), "{said}");
        }
    }
}
