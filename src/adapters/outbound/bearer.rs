//! A bearer token read from where the settings or a command line say: an environment variable, or a file. Shown to nobody.

use std::fmt;
use std::fs;

use http::header::HeaderValue;

/// Bytes of a token: a JSON Web Token with many claims takes less.
const BYTES_MAX: usize = 8_192;

/// Where a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Environment(String),
    File(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Environment(name) => write!(f, "the environment variable {name}"),
            Place::File(path) => write!(f, "the file {path}"),
        }
    }
}

impl Place {
    /// The value of the header `Authorization`, marked as a secret.
    ///
    /// # Errors
    /// That the place holds no key, in a sentence that does not repeat what it holds.
    pub fn authorization(&self) -> Result<HeaderValue, String> {
        let wrong = || format!("{self} holds no key: a line of visible ASCII characters, and nothing else");
        let text = self.read().ok_or_else(wrong)?;
        let key = text.trim();
        let visible = !key.is_empty() && key.len() <= BYTES_MAX && key.bytes().all(|byte| byte.is_ascii_graphic());
        let value = HeaderValue::from_str(&format!("Bearer {key}")).ok();
        let mut value = value.filter(|_| visible).ok_or_else(wrong)?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// What is there, if it is no larger than a token may be.
    fn read(&self) -> Option<String> {
        match self {
            Place::Environment(name) => std::env::var(name).ok(),
            Place::File(path) => {
                let small = fs::metadata(path).ok()?.len() <= 2 * BYTES_MAX as u64;
                small.then(|| fs::read_to_string(path).ok()).flatten()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn a_key_is_one_line_of_visible_characters_and_its_place_is_named_where_it_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("key");
        let in_file = |text: &str| {
            std::fs::write(&file, text).expect("written");
            let value = Place::File(file.display().to_string()).authorization()?;
            assert_eq!(format!("{value:?}"), "Sensitive");
            Ok(value.to_str().expect("text").to_owned())
        };
        assert_eq!(in_file("sk-secret\n"), Ok("Bearer sk-secret".to_owned()));
        assert_eq!(in_file(&"k".repeat(8_192)).expect("a key").len(), 8_199);
        let long = "k".repeat(8_193);
        for wrong in ["", "\n", "sk secret", "sk-secret\nsk-other", "sk-s\u{e9}cret", &long] {
            let said: String = in_file(wrong).expect_err("no key");
            assert!(said.contains("the file ") && !said.contains("secret"), "{said}");
        }
        let variable = Place::Environment("OTHERWISE_TEST_NO_SUCH_KEY".to_owned());
        let said = variable.authorization().expect_err("no key");
        assert!(said.contains("OTHERWISE_TEST_NO_SUCH_KEY"), "{said}");
    }
}
