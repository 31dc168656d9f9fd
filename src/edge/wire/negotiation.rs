//! The draft's negotiation request (Z-173, Z-174), bare or wrapped in JSON-RPC members, which are not looked at here.

use serde::Deserialize;
use serde_json::Value;

/// The one method that it names.
pub const METHOD: &str = "get_schema_template";

/// Which template is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Negotiation {
    pub scenario: String,
    /// BCP 47 tag.
    pub preferred_language: Option<String>,
    /// Whether keys on trial are wanted (Z-182); true when nothing is said.
    pub experimental: bool,
}

#[derive(Deserialize)]
struct Message {
    method: String,
    params: Params,
}

#[derive(Deserialize)]
struct Params {
    scenario: String,
    #[serde(default)]
    preferred_language: Option<String>,
    #[serde(default)]
    experimental: Option<bool>,
}

impl Negotiation {
    /// Reads `{"method": "get_schema_template", "params": {"scenario", "preferred_language"?, "experimental"?}}`.
    ///
    /// # Errors
    /// What is missing or has the wrong form, in a sentence that holds no value.
    pub fn parse(text: &str) -> Result<Negotiation, String> {
        let message: Message = serde_json::from_str(text).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            if error.is_data() {
                let place = stranger(text).unwrap_or(place);
                format!(
                    "not a negotiation request ({place}): it is {{\"method\": \"{METHOD}\", \"params\": {{\"scenario\": …, \
                     \"preferred_language\"?: …, \"experimental\"?: …}}}}"
                )
            } else {
                format!("the body is not JSON ({place})")
            }
        })?;
        if message.method != METHOD {
            return Err(format!("unknown method; the one known here is {METHOD}"));
        }
        Ok(Negotiation {
            scenario: message.params.scenario,
            preferred_language: message.params.preferred_language,
            experimental: message.params.experimental.unwrap_or(true),
        })
    }
}

/// The first parameter that is not known, where there is one: most likely a known one under another name. The name is the
/// caller's own word: cut, and without control characters.
fn stranger(text: &str) -> Option<String> {
    let message: Value = serde_json::from_str(text).ok()?;
    let known = ["scenario", "preferred_language", "experimental"];
    let mut names = message.get("params")?.as_object()?.keys();
    let short: String = names
        .find(|name| !known.contains(&name.as_str()))?
        .chars()
        .take(64)
        .collect();
    Some(format!("`{}` is not known", short.escape_debug()))
}

#[cfg(test)]
mod tests {
    use super::Negotiation;

    #[test]
    fn the_drafts_request_is_read_bare_and_wrapped_z173_z174() {
        let expected = Ok(Negotiation {
            scenario: "flight_booking".to_owned(),
            preferred_language: Some("en-US".to_owned()),
            experimental: true,
        });
        let bare =
            r#"{"method":"get_schema_template","params":{"scenario":"flight_booking","preferred_language":"en-US"}}"#;
        let wrapped = r#"{"jsonrpc":"2.0","id":7,"method":"get_schema_template",
                          "params":{"scenario":"flight_booking","preferred_language":"en-US"}}"#;
        assert_eq!(Negotiation::parse(bare), expected);
        assert_eq!(Negotiation::parse(wrapped), expected);
    }

    #[test]
    fn other_requests_are_named_without_their_values_z173() {
        for (text, says) in [
            ("{", "not JSON"),
            ("[]", "not a negotiation request"),
            (r#"{"method":"get_schema_template"}"#, "not a negotiation request"),
            (
                r#"{"method":"get_schema_template","params":{"scenario":4711}}"#,
                "not a negotiation request",
            ),
            (r#"{"method":"drop_4711","params":{"scenario":"x"}}"#, "unknown method"),
        ] {
            let error = Negotiation::parse(text).expect_err(text);
            assert!(error.contains(says), "{text}: {error}");
            assert!(!error.contains("4711"), "{error}");
        }
    }
}
