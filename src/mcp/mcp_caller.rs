//! Who asks, as whoever carries the protocol established it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use rmcp::ErrorData;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::api::scenarios::ScenarioRow;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::reply::TemplateReply;
use crate::wire::calls::Call;
use crate::wire::json_rpc::Error;
use crate::wire::negotiation::Negotiation;
use crate::wire::problem::Problem;
use schema::name::ScenarioKey;

/// The method that calls a tool, and the one that opens a session.
const CALL: &str = "tools/call";
pub const OPENING: &str = "initialize";

/// A caller, and the language that it prefers where it names none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpCaller {
    pub caller: Caller,
    /// BCP 47 tag.
    pub language: Option<String>,
}

impl McpCaller {
    /// Makes one of the service's calls; what broke inside goes to the log.
    pub async fn call(&self, service: &App, call: Call, params: &str) -> Result<String, Problem> {
        let made = call.make(service, &self.caller, params, self.language.as_deref()).await;
        made.map_err(Problem::logged)
    }

    /// A template, or an export of it; what broke inside goes to the log.
    pub async fn template(&self, service: &App, asked: Negotiation) -> Result<TemplateReply, Problem> {
        let fetched = asked.fetch_new(service, &self.caller, self.language.as_deref()).await;
        fetched.map_err(Problem::logged)
    }

    /// The scenarios in force, as `list_scenarios` tells them.
    pub fn scenarios(&self, service: &App) -> Result<Vec<ScenarioRow>, Problem> {
        Ok(service.scenarios(&self.caller, None)?.scenarios)
    }

    /// The row of one of them.
    pub fn scenario(&self, service: &App, name: &str) -> Result<Option<ScenarioRow>, Problem> {
        let Some(wanted) = ScenarioKey::parse(name) else {
            return Ok(None);
        };
        let rows = self.scenarios(service)?;
        Ok(rows.into_iter().find(|row| row.key() == wanted.as_str()))
    }
}

/// A message as it was written: the protocol's library rounds large numbers, drops what stands twice, and takes a message for none
/// where it holds what cannot be read.
#[derive(Clone, Debug)]
pub struct Written {
    text: Arc<str>,
    /// Where the arguments of a call of a tool stand.
    arguments: Option<Range<usize>>,
    /// Whether it asks for another page than the first one of a list.
    pub has_cursor: bool,
    /// Whether it opens a session.
    pub opens: bool,
}

/// As much of a message as is looked at.
#[derive(Deserialize)]
struct Sent<'a> {
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct SentParams<'a> {
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    cursor: Option<IgnoredAny>,
}

impl Written {
    /// A message.
    pub fn of(text: &str) -> Written {
        let sent: Option<Sent<'_>> = serde_json::from_str(text).ok();
        let method = sent.as_ref().map_or("", |sent| &sent.method);
        let params = sent.as_ref().and_then(|sent| sent.params);
        let params: Option<SentParams<'_>> = params.and_then(|params| serde_json::from_str(params.get()).ok());
        let SentParams { arguments, cursor } = params.unwrap_or_default();
        let place = |arguments: &str| {
            let start = (arguments.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
            let range = start..start + arguments.len();
            (text.get(range.clone()) == Some(arguments)).then_some(range)
        };
        Written {
            text: text.into(),
            arguments: arguments
                .filter(|_| method == CALL)
                .and_then(|written| place(written.get())),
            has_cursor: cursor.is_some(),
            opens: method == OPENING,
        }
    }

    /// The arguments of a call of a tool, be they an object or not; `None` where there are none, or where they cannot be told.
    pub fn arguments(&self) -> Option<&str> {
        self.text.get(self.arguments.clone()?)
    }

    /// The message with an empty object for the arguments of a tool, which are read where the call is made and nowhere else.
    pub fn without_arguments(&self) -> Cow<'_, str> {
        match &self.arguments {
            None => Cow::Borrowed(&self.text),
            Some(Range { start, end }) => Cow::Owned(format!("{}{{}}{}", &self.text[..*start], &self.text[*end..])),
        }
    }
}

/// A problem where the protocol wants an error: the number of the one table, the problem document as data.
pub fn refused(problem: impl Into<Problem>) -> ErrorData {
    let Error { number, message, data } = Error::from(&problem.into());
    ErrorData::new(rmcp::model::ErrorCode(number), message, data)
}

#[cfg(test)]
mod tests {
    use super::Written;

    #[test]
    fn a_cursor_is_one_whatever_it_is() {
        for (params, is_one) in [
            (r#"{"cursor":5}"#, true),
            (r#"{"cursor":"a"}"#, true),
            (r#"{"cursor":{}}"#, true),
            (r#"{"cursor":null}"#, false),
            ("{}", false),
            ("null", false),
            ("[]", false),
        ] {
            let written = Written::of(&format!(r#"{{"id":1,"method":"tools/list","params":{params}}}"#));
            assert_eq!(written.has_cursor, is_one, "{params}");
        }
    }

    #[test]
    fn arguments_are_told_as_they_were_written_and_the_rest_without_them() {
        let told = |text: &str| {
            let written = Written::of(text);
            (
                written.arguments().map(str::to_owned),
                written.without_arguments().into_owned(),
            )
        };
        let message = |arguments: &str| {
            format!(
                r#"{{"id":1,"method":"tools/call","params":{{"name":"t","arguments": {arguments} ,"_meta":{{}}}}}}"#
            )
        };
        let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        for arguments in [
            r#"{"a":1,"a":1e400}"#,
            r#"{"a":"\ud800"}"#,
            deep.as_str(),
            r#""{\"a\":1}""#,
            "[]",
            "7",
        ] {
            let (read, rest) = told(&message(arguments));
            assert_eq!((read.as_deref(), rest), (Some(arguments), message("{}")));
        }
        for whole in [
            r#"{"id":1}"#,
            r#"{"method":"tools/call","params":{"name":"t"}}"#,
            r#"{"method":"tools/call","params":{"arguments":null}}"#,
            r#"{"method":"tools/call","params":{"arguments":{},"arguments":{"a":1}}}"#,
            r#"{"method":"prompts/get","params":{"arguments":{"a":1}}}"#,
            "{",
        ] {
            assert_eq!(told(whole), (None, whole.to_owned()));
        }
    }
}
