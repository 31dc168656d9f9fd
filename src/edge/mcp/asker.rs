//! Who asks, as whoever carries the protocol established it.

use std::sync::Arc;

use rmcp::ErrorData;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::domain::template::name::ScenarioKey;
use crate::edge::wire::calls::Call;
use crate::edge::wire::json_rpc::Error;
use crate::edge::wire::problem::Problem;
use crate::service::caller::Caller;
use crate::service::otherwise::Otherwise;

/// A caller, and the language that it prefers where it names none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asker {
    pub caller: Caller,
    /// BCP 47 tag.
    pub language: Option<String>,
}

impl Asker {
    /// Makes one of the service's calls; what broke inside goes to the log.
    ///
    /// # Errors
    /// As [`Call::make`].
    pub async fn call(&self, service: &Otherwise, call: Call, params: &str) -> Result<String, Problem> {
        let made = call.make(service, &self.caller, params, self.language.as_deref()).await;
        if let Some(inside) = made.as_ref().err().and_then(|problem| problem.inside.as_deref()) {
            tracing::error!(inside, "fault in a call");
        }
        made
    }

    /// The scenarios in force, as `list_scenarios` tells them.
    ///
    /// # Errors
    /// As [`Call::make`].
    pub fn scenarios(&self, service: &Otherwise) -> Result<Vec<Value>, Problem> {
        let mut listed = service.scenarios(&self.caller, None)?;
        Ok(match listed["scenarios"].take() {
            Value::Array(rows) => rows,
            _ => Vec::new(),
        })
    }

    /// The row of one of them.
    ///
    /// # Errors
    /// As [`Call::make`].
    pub fn scenario(&self, service: &Otherwise, name: &str) -> Result<Option<Value>, Problem> {
        let Some(wanted) = ScenarioKey::parse(name) else {
            return Ok(None);
        };
        let rows = self.scenarios(service)?;
        Ok(rows.into_iter().find(|row| key(row) == wanted.as_str()))
    }
}

/// A message as it was written: the protocol's library rounds large numbers and drops what stands twice.
#[derive(Clone, Debug)]
pub struct Written(pub Arc<str>);

/// As much of a message as is read again.
#[derive(Deserialize)]
struct Sent<'a> {
    #[serde(borrow)]
    params: Arguments<'a>,
}

#[derive(Deserialize)]
struct Arguments<'a> {
    #[serde(borrow)]
    arguments: &'a RawValue,
}

impl Written {
    /// The arguments of a call of a tool; `None` where they cannot be told.
    pub fn arguments(&self) -> Option<&str> {
        let sent: Sent<'_> = serde_json::from_str(&self.0).ok()?;
        Some(sent.params.arguments.get()).filter(|text| text.starts_with('{'))
    }
}

/// The name by which a row's scenario is looked up.
pub fn key(row: &Value) -> String {
    let name = row["scenario"].as_str().unwrap_or_default();
    ScenarioKey::parse(name).map_or_else(|| name.to_owned(), |key| key.to_string())
}

/// A problem where the protocol wants an error: the number of the one table, the problem document as data.
pub fn refused(problem: &Problem) -> ErrorData {
    let Error { number, message, data } = Error::from(problem);
    ErrorData::new(rmcp::model::ErrorCode(number), message, data)
}

#[cfg(test)]
mod tests {
    use super::Written;

    #[test]
    fn arguments_are_told_as_they_were_written() {
        let told = |text: &str| Written(text.into()).arguments().map(str::to_owned);
        let message = r#"{"id":1,"params":{"name":"t","arguments":{"a":1,"a":1e400}}}"#;
        assert_eq!(told(message).as_deref(), Some(r#"{"a":1,"a":1e400}"#));
        for none in [
            r#"{"id":1}"#,
            r#"{"params":{"name":"t"}}"#,
            r#"{"params":{"arguments":null}}"#,
            "{",
        ] {
            assert_eq!(told(none), None, "{none}");
        }
    }
}
