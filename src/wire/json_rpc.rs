//! JSON-RPC 2.0 as an envelope: calls come out of a text, answers go into one. Knows no method.
//!
//! Params and results stay JSON text, so that nothing is read twice and no number is rounded. Invariant: whatever the text
//! holds, each call that has an id is answered once, under that id as it was written.

use serde::Deserialize;
use serde::Deserializer;
use serde::Serialize;
use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;

use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// The text is not JSON.
pub const PARSE_ERROR: i32 = -32700;
/// It is JSON and no call.
pub const INVALID_REQUEST: i32 = -32600;
/// There is no such method.
pub const METHOD_NOT_FOUND: i32 = -32601;
/// The params do not fit the method.
pub const INVALID_PARAMS: i32 = -32602;
/// Something broke inside.
pub const INTERNAL_ERROR: i32 = -32603;

/// The id of what could not be read.
const NO_ID: &str = "null";

impl Code {
    /// The number on JSON-RPC: the standard's own where it has one for the same thing, else the row's.
    pub const fn json_rpc(self) -> i32 {
        match self {
            Code::UnknownMethod => METHOD_NOT_FOUND,
            Code::BadRequest | Code::BadParameter => INVALID_PARAMS,
            Code::Fault => INTERNAL_ERROR,
            other => other.row().number,
        }
    }
}

/// What a text holds.
#[derive(Debug)]
pub enum Message<'a> {
    One(Item<'a>),
    /// At least one, and no more than was allowed.
    Batch(Vec<Item<'a>>),
}

/// One call, or why it is none.
pub type Item<'a> = Result<Request<'a>, Invalid<'a>>;

/// One call.
#[derive(Debug)]
pub struct Request<'a> {
    /// The id as it was written, `null` included; none for a notification, which is not answered.
    pub id: Option<&'a RawValue>,
    pub method: String,
    /// An object or an array.
    pub params: Option<&'a RawValue>,
    /// Whether it says `"jsonrpc": "2.0"`. Without it, and without an id, it is the bare form of the draft (Z-173).
    pub framed: bool,
}

impl Request<'_> {
    /// The id to answer under; `None` for a notification.
    pub fn id(&self) -> Option<&str> {
        self.id.map(RawValue::get)
    }

    /// The params as text; an empty object where there are none.
    pub fn params(&self) -> &str {
        self.params.map_or("{}", RawValue::get)
    }
}

/// What stands where a call should, with the id to answer under.
#[derive(Debug)]
pub struct Invalid<'a> {
    id: Option<&'a RawValue>,
    pub error: Error,
}

impl Invalid<'_> {
    /// The id to answer under: `null` where it cannot be told.
    pub fn id(&self) -> &str {
        self.id.map_or(NO_ID, RawValue::get)
    }
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Error {
    #[serde(rename = "code")]
    pub number: i32,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl Error {
    /// A number and a sentence, without more.
    pub fn new(number: i32, message: impl Into<String>) -> Error {
        Error {
            number,
            message: message.into(),
            data: None,
        }
    }

    /// A bad request that has a standard number of its own.
    pub fn malformed(number: i32, detail: &str) -> Error {
        Error {
            number,
            ..Error::from(&Problem::new(Code::BadRequest, detail))
        }
    }
}

impl From<&Problem> for Error {
    /// The number of the one table, with the problem document as data: what HTTP says in its body and in `Retry-After`.
    fn from(problem: &Problem) -> Error {
        Error {
            number: problem.code.json_rpc(),
            message: problem.detail.clone(),
            data: Some(problem.told()),
        }
    }
}

impl<'a> Message<'a> {
    /// Reads a text. A batch may hold `batch_max` calls.
    ///
    /// # Errors
    /// What is wrong with the text as a whole; it is answered once, under the id `null`.
    pub fn parse(text: &'a str, batch_max: usize) -> Result<Message<'a>, Error> {
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            Error::malformed(PARSE_ERROR, &format!("the text is not JSON ({place})"))
        })?;
        if !raw.get().starts_with('[') {
            return Ok(Message::One(item(raw)));
        }
        let raws: Vec<&RawValue> =
            serde_json::from_str(raw.get()).map_err(|_| Error::malformed(PARSE_ERROR, "the text is not JSON"))?;
        if batch_max <= 1 {
            let what = "batches are not taken here: send one call";
            return Err(Error::malformed(INVALID_REQUEST, what));
        }
        if raws.is_empty() || raws.len() > batch_max {
            let what = format!("a batch holds 1 to {batch_max} calls, this one {}", raws.len());
            return Err(Error::malformed(INVALID_REQUEST, &what));
        }
        Ok(Message::Batch(raws.into_iter().map(item).collect()))
    }
}

/// The members of a call as they stand there.
#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow, default, deserialize_with = "there")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "there")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "there")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "there")]
    params: Option<&'a RawValue>,
}

/// A member that is there, be it `null`.
fn there<'a, D: Deserializer<'a>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

fn item(raw: &RawValue) -> Item<'_> {
    let invalid = |id, what: &str| Invalid {
        id,
        error: Error::malformed(INVALID_REQUEST, what),
    };
    let members: Members<'_> = match raw.get().starts_with('{').then(|| serde_json::from_str(raw.get())) {
        Some(Ok(members)) => members,
        Some(Err(_)) => return Err(invalid(None, "a member of the call is written twice")),
        None => return Err(invalid(None, "a call is a JSON object")),
    };
    // Only what may be an id is sent back as one.
    let is_id = |raw: &&RawValue| matches!(raw.get().as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9' | b'n'));
    let id = members.id.filter(is_id);
    if members.id.is_some() && id.is_none() {
        return Err(invalid(None, "`id` is a string, a number or null"));
    }
    let framed = match members.jsonrpc.map(|raw| serde_json::from_str::<&str>(raw.get())) {
        None => false,
        Some(Ok("2.0")) => true,
        Some(_) => return Err(invalid(id, "`jsonrpc` is \"2.0\"")),
    };
    if !framed && id.is_some() {
        return Err(invalid(id, "`jsonrpc` is missing; it is \"2.0\""));
    }
    let Some(Ok(method)) = members.method.map(|raw| serde_json::from_str::<String>(raw.get())) else {
        return Err(invalid(id, "`method` is missing or no string"));
    };
    // As everywhere, `null` means absent.
    let params = members.params.filter(|raw| raw.get() != "null");
    if params.is_some_and(|raw| !raw.get().starts_with(['{', '['])) {
        return Err(invalid(id, "`params` is an object or an array"));
    }
    Ok(Request {
        id,
        method,
        params,
        framed,
    })
}

/// The answer to a call; `result` is JSON text.
pub fn success(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","result":{result},"id":{id}}}"#)
}

/// The answer to a call that brought no result.
pub fn failure(id: &str, error: &Error) -> String {
    format!(r#"{{"jsonrpc":"2.0","error":{},"id":{id}}}"#, json!(error))
}

/// The answer to a text that holds no call.
pub fn unread(error: &Error) -> String {
    failure(NO_ID, error)
}

/// The answer to a text that whoever reads messages one by one could not read: why it is no message, under its id where that
/// can be told.
pub fn misread(text: &str) -> String {
    let what = match Message::parse(text, 1) {
        Err(error) => return unread(&error),
        Ok(Message::One(Err(invalid))) => return failure(invalid.id(), &invalid.error),
        Ok(Message::Batch(_)) => "batches are not taken here: send one message",
        Ok(Message::One(Ok(request))) => match request.id() {
            Some(id) if id != NO_ID => {
                let what = "the members of the call do not fit its method, or its `id` is no text and no whole number of 64 bits";
                return failure(id, &Error::malformed(INVALID_PARAMS, what));
            }
            _ if !request.framed => "`jsonrpc` is missing; it is \"2.0\"",
            _ => "the members of the message do not fit its method, or its `id` is no string and no number",
        },
    };
    unread(&Error::malformed(INVALID_REQUEST, what))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::Error;
    use super::Message;
    use super::failure;
    use super::misread;
    use super::success;
    use crate::wire::codes::Code;
    use crate::wire::problem::Problem;

    #[test]
    fn a_call_keeps_its_id_and_params_as_they_were_written_z173() {
        for (text, id, params, framed) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"m"}"#, Some("7"), "{}", true),
            (
                r#" {"params":{"a":1e400},"id":"x","method":"m","jsonrpc":"2.0"} "#,
                Some("\"x\""),
                r#"{"a":1e400}"#,
                true,
            ),
            (
                r#"{"jsonrpc":"2.0","id":123456789012345678901234567890.0,"method":"\u006d","params":[]}"#,
                Some("123456789012345678901234567890.0"),
                "[]",
                true,
            ),
            (r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, Some("null"), "{}", true),
            (r#"{"jsonrpc":"2.0","method":"m","params":null}"#, None, "{}", true),
            (r#"{"method":"m","params":{}}"#, None, "{}", false),
        ] {
            let Ok(Message::One(Ok(request))) = Message::parse(text, 3) else {
                panic!("{text} is a call")
            };
            let read = (request.id(), request.method.as_str(), request.params(), request.framed);
            assert_eq!(read, (id, "m", params, framed), "{text}");
        }
    }

    #[test]
    fn what_is_no_call_is_answered_under_its_id_where_that_can_be_told_and_nothing_of_it_is_repeated() {
        for (text, number, id) in [
            ("", -32700, "null"),
            ("secret", -32700, "null"),
            ("{} {}", -32700, "null"),
            (r#"[{"jsonrpc":"2.0"},"#, -32700, "null"),
            (r#"{"secret":1}"#, -32600, "null"),
            ("null", -32600, "null"),
            ("[]", -32600, "null"),
            (r#"{"jsonrpc":"secret","id":1,"method":"m"}"#, -32600, "1"),
            (r#"{"jsonrpc":2.0,"id":1,"method":"m"}"#, -32600, "1"),
            (r#"{"id":1,"method":"secret"}"#, -32600, "1"),
            (r#"{"jsonrpc":"2.0","id":1}"#, -32600, "1"),
            (r#"{"jsonrpc":"2.0","id":1,"method":1}"#, -32600, "1"),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"m","params":"secret"}"#,
                -32600,
                "1",
            ),
            (r#"{"jsonrpc":"2.0","id":{},"method":"m"}"#, -32600, "null"),
            (r#"{"jsonrpc":"2.0","id":true,"method":"m"}"#, -32600, "null"),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#, -32600, "null"),
        ] {
            let (error, under) = match Message::parse(text, 3) {
                Ok(Message::One(Err(invalid))) => (invalid.error.clone(), invalid.id().to_owned()),
                Err(error) => (error, "null".to_owned()),
                Ok(_) => panic!("{text} is no call"),
            };
            assert_eq!((error.number, under.as_str()), (number, id), "{text}");
            assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        }
    }

    #[test]
    fn a_batch_is_bounded_at_its_edge_and_a_bad_item_spoils_no_other() {
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#;
        let batch = |items: &[&str]| format!("[{}]", items.join(","));
        let within = batch(&[call, "1", call]);
        let Ok(Message::Batch(items)) = Message::parse(&within, 3) else {
            panic!("a batch")
        };
        let right: Vec<bool> = items.iter().map(Result::is_ok).collect();
        assert_eq!(right, [true, false, true]);
        let beyond = batch(&[call; 4]);
        let error = Message::parse(&beyond, 3).expect_err("too many");
        assert_eq!(error.number, -32600);
        assert!(error.message.contains("1 to 3 calls, this one 4"), "{}", error.message);
    }

    #[test]
    fn what_could_not_be_read_is_answered_with_why_under_its_id_where_that_can_be_told() {
        for (text, number, id) in [
            ("{", -32700, json!(null)),
            ("[]", -32600, json!(null)),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"m"}]"#, -32600, json!(null)),
            (r#"{"method":"m"}"#, -32600, json!(null)),
            (r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, -32600, json!(null)),
            (r#"{"jsonrpc":"2.0","id":4}"#, -32600, json!(4)),
            (r#"{"jsonrpc":"2.0","id":"a","method":"m"}"#, -32602, json!("a")),
        ] {
            let said: Value = serde_json::from_str(&misread(text)).expect("JSON");
            assert_eq!((&said["error"]["code"], &said["id"]), (&json!(number), &id), "{text}");
            assert!(said["error"]["data"]["code"].is_string(), "{said}");
        }
    }

    #[test]
    fn a_problem_is_an_error_with_its_number_and_its_document_z181() {
        let error = Error::from(&Problem::new(Code::Busy, "a queue is full"));
        assert_eq!((error.number, error.message.as_str()), (50301, "a queue is full"));
        let data = error.data.expect("data");
        assert_eq!((&data["code"], &data["retry_after_s"]), (&json!("busy"), &json!(1)));
        for (code, number) in [
            (Code::BadRequest, -32602),
            (Code::UnknownMethod, -32601),
            (Code::Fault, -32603),
            (Code::InvalidPayload, 42201),
        ] {
            assert_eq!(Error::from(&Problem::new(code, "x")).number, number);
        }
        let answer = success("1.0", r#"{"n":1e400}"#);
        assert_eq!(answer, r#"{"jsonrpc":"2.0","result":{"n":1e400},"id":1.0}"#);
        let text = failure("\"a\"", &Error::new(-32601, "no \"such\" method"));
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let error = json!({"code": -32601, "message": "no \"such\" method"});
        assert_eq!(value, json!({"jsonrpc": "2.0", "error": error, "id": "a"}));
    }
}
