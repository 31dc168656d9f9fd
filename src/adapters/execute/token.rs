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
    fn a_token_goes_to_its_host_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |name: &str, text: &str| {
            let file = folder.path().join(name);
            std::fs::write(&file, text).expect("written");
            file.display().to_string()
        };
        let (one, two) = (put("one", "one-secret\n"), put("two", "two-secret"));
        let entries = [
            format!("Agent.example=file:{one}"),
            format!("agent.example:8443 = file:{two}"),
        ];
        let tokens = Tokens::open(&entries).expect("tokens");
        let of = |url: &str| {
            tokens
                .of(&spec(url))
                .map(|value| value.to_str().expect("text").to_owned())
        };
        assert_eq!(of("https://agent.example/x").as_deref(), Some("Bearer one-secret"));
        assert_eq!(of("https://agent.example:8443/x").as_deref(), Some("Bearer two-secret"));
        assert_eq!(of("https://agent.example:9/x").as_deref(), Some("Bearer one-secret"));
        assert_eq!(of("https://other.example/x"), None);
        assert_eq!(of("https://agent.example.evil.example/x"), None);
        assert!(!format!("{tokens:?}").contains("secret\""), "{tokens:?}");
    }

    #[test]
    fn a_token_for_a_path_goes_to_what_lies_below_it_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |name: &str| {
            let file = folder.path().join(name);
            std::fs::write(&file, name).expect("written");
            file.display().to_string()
        };
        let entries = [
            format!("agent.example/book/=file:{}", put("book")),
            format!("agent.example/book/vip=file:{}", put("vip")),
            format!("agent.example:8443/book=file:{}", put("port")),
            format!("other.example=file:{}", put("all")),
        ];
        let tokens = Tokens::open(&entries).expect("tokens");
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
        ] {
            let found = tokens
                .of(&spec(url))
                .map(|value| value.to_str().expect("text").to_owned());
            assert_eq!(found, expected.map(|name| format!("Bearer {name}")), "{url}");
        }
        for wrong in [
            "a.example/x/../y=env:X",
            "a.example/x?y=env:X",
            "a.example/%2e=env:X",
            "/x=env:X",
        ] {
            assert!(check(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_no_place_of_a_token_is_named_by_its_number() {
        assert_eq!(
            check(&["a.example=env:TOKEN".to_owned(), "[::1]:9=file:/x".to_owned()]),
            Ok(())
        );
        for wrong in [
            "a.example",
            "a.example=s3cret",
            "a.example=env:",
            "=env:X",
            "a.example=url:s3cret",
        ] {
            let said = check(&["a.example=env:X".to_owned(), wrong.to_owned()]).expect_err(wrong);
            assert!(said.contains("entry 2") && !said.contains("s3cret"), "{said}");
        }
        let said = Tokens::open(&["a.example=file:no/such/file".to_owned()]).expect_err("no file");
        assert!(said.contains("no/such/file"), "{said}");
        let said = Tokens::open(&["a.example=env:OTHERWISE_TEST_NO_SUCH_TOKEN".to_owned()]).expect_err("no variable");
        assert!(said.contains("OTHERWISE_TEST_NO_SUCH_TOKEN"), "{said}");
    }
}
