//! The bearer tokens that executors want: `host=env:NAME` or `host=file:PATH` in the settings, read once at start.
//!
//! Invariants: a token goes to the host it stands for and nowhere else, and is shown to nobody.

use std::path::Path;

use hyper::header::HeaderValue;

use crate::domain::template::executor::ExecutorSpec;
use crate::domain::template::executor::host_and_port;
use crate::edge::outbound::bearer;

/// Where a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Environment(String),
    File(String),
}

/// One entry of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    host: String,
    port: Option<u16>,
    place: Place,
}

/// Every token with the host that it is for.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    held: Vec<(String, Option<u16>, HeaderValue)>,
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
                "executors.tokens: entry {} must be host=env:NAME or host=file:PATH (a host may have a port); never the \
                 token itself",
                number + 1
            )
        })
    });
    read.collect()
}

fn entry(text: &str) -> Option<Entry> {
    let (host, place) = text.split_once('=')?;
    let (host, port) = host_and_port(host.trim())?;
    let (kind, place) = place.trim().split_once(':')?;
    let place = Some(place.trim()).filter(|place| !place.is_empty())?.to_owned();
    let place = match kind {
        "env" => Place::Environment(place),
        "file" => Place::File(place),
        _ => return None,
    };
    Some(Entry { host, port, place })
}

impl Tokens {
    /// Reads every token.
    ///
    /// # Errors
    /// Which place holds none, in a sentence that does not repeat what it holds.
    pub fn open(entries: &[String]) -> Result<Tokens, String> {
        let mut held = Vec::new();
        for Entry { host, port, place } in read(entries)? {
            let value = match place {
                Place::Environment(name) => {
                    let place = format!("the environment variable {name} (executors.tokens)");
                    bearer::authorization(&place, bearer::of_environment(&name))
                }
                Place::File(path) => {
                    let place = format!("the file {path} (executors.tokens)");
                    bearer::authorization(&place, bearer::of_file(Path::new(&path)))
                }
            };
            held.push((host, port, value?));
        }
        Ok(Tokens { held })
    }

    /// The token for an executor: the one for its port before the one for its host.
    pub fn of(&self, executor: &ExecutorSpec) -> Option<&HeaderValue> {
        let for_port = |wanted: Option<u16>| {
            let mut held = self.held.iter();
            held.find(move |(host, port, _)| *host == executor.host && *port == wanted)
        };
        let found = for_port(Some(executor.port)).or_else(|| for_port(None));
        found.map(|(_, _, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Tokens;
    use super::check;
    use crate::domain::template::executor::ExecutorSpec;

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
