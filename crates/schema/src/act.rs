//! Who did something that is administered: published, approved, froze. On record with the act itself, so that there is none without it.
//!
//! Owns the shape alone; who may do what is the service's. Invariant: a key is named, never said, and what was written before more
//! than a name was kept is still read.

use std::fmt;

use serde::Deserialize;
use serde::Serialize;
use utoipa::ToSchema;

/// By what a caller was known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// By a key of its own.
    ApiKey,
    /// By what it says of itself, which nobody checked.
    #[default]
    Open,
    /// The service itself, or whoever runs it.
    System,
}

impl Method {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Method::ApiKey => "api_key",
            Method::Open => "open",
            Method::System => "system",
        }
    }
}

/// Who did something, known by what, in which request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(from = "Written")]
pub struct By {
    pub principal: String,
    /// Null of a time before it was kept, as the two after it.
    pub method: Option<Method>,
    /// What the key is called: the first digits of its `key_sha256`.
    pub key: Option<String>,
    pub request_id: Option<String>,
}

/// As it may stand in a journal.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Name(String),
    Whole {
        principal: String,
        #[serde(default)]
        method: Option<Method>,
        #[serde(default)]
        key: Option<String>,
        #[serde(default)]
        request_id: Option<String>,
    },
}

impl From<Written> for By {
    fn from(written: Written) -> By {
        match written {
            Written::Name(principal) => By::from(principal.as_str()),
            Written::Whole {
                principal,
                method,
                key,
                request_id,
            } => By {
                principal,
                method,
                key,
                request_id,
            },
        }
    }
}

/// Somebody of whom no more than the name is known.
impl From<&str> for By {
    fn from(name: &str) -> By {
        By {
            principal: name.to_owned(),
            method: None,
            key: None,
            request_id: None,
        }
    }
}

impl By {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.principal
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.principal)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::By;
    use super::Method;

    #[test]
    fn what_was_written_as_a_name_is_still_read_z169() {
        let read = |value| serde_json::from_value::<By>(value).expect("somebody");
        assert_eq!(read(json!("olga")), By::from("olga"));
        let whole = By {
            method: Some(Method::ApiKey),
            key: Some("1f2e3d4c".to_owned()),
            request_id: Some("abc-1".to_owned()),
            ..By::from("olga")
        };
        let written = json!({"principal": "olga", "method": "api_key", "key": "1f2e3d4c", "request_id": "abc-1"});
        assert_eq!(json!(whole), written);
        assert_eq!(read(written), whole);
        assert_eq!(read(json!({"principal": "olga"})), By::from("olga"));
        for method in [Method::ApiKey, Method::Open, Method::System] {
            assert_eq!(json!(method), method.name());
        }
    }
}
