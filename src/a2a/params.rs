//! The params of the operations, read from JSON text (A2A §3.2). Unknown members are ignored.

use serde_json::Map;
use serde_json::Value;

use crate::app::a2a_tasks::documents::Listed;
use crate::app::a2a_tasks::push_notifications::PushConfig;
use crate::app::error::ServiceError;
use context::a2a_task::decide::Filter;
use context::a2a_task::decide::PAGE_SIZE;
use context::a2a_task::decide::PAGE_SIZE_MAX;
use context::a2a_task::message;
use context::a2a_task::message::Message;
use context::a2a_task::phase::Phase;
use context::fields::FieldFault;
use context::fields::Fields;
use schema::time::At;
use schema::time::SUPPORTED;

/// Media types of what is answered.
pub const PRODUCED: [&str; 2] = ["application/json", "text/plain"];

/// What `SendMessage` and `SendStreamingMessage` are sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    pub message: Message,
    pub push: Option<PushConfig>,
    /// The last messages that are wanted back; `None` for all.
    pub messages: Option<usize>,
    pub return_immediately: bool,
}

/// A task, and a registration of it where one is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub task: String,
    pub config: String,
    pub messages: Option<usize>,
}

impl Send {
    /// Reads the params.
    ///
    /// # Errors
    /// Everything that is wrong with the message, or the first other member; [`ServiceError::UnsupportedMedia`] where no media type
    /// that is produced here would be accepted.
    pub fn read(params: &str) -> Result<Send, ServiceError> {
        let fields = Fields::read(params, "")?;
        let Some(message) = fields.raw("message") else {
            return Err(FieldFault::new("message", "is required").into());
        };
        let message = Message::read(message, "message")?;
        let mut send = Send {
            message,
            push: None,
            messages: None,
            return_immediately: false,
        };
        if let Some(configuration) = fields.raw("configuration") {
            let fields = Fields::read(configuration, "configuration.")?;
            check_output_modes(&fields)?;
            send.messages = messages(&fields)?;
            let immediately = fields.get("returnImmediately", "true or false")?;
            send.return_immediately = immediately.unwrap_or(false);
            let push = fields.raw("taskPushNotificationConfig");
            let place = fields.place("taskPushNotificationConfig");
            send.push = push.map(|push| PushConfig::read(push, &place)).transpose()?;
        }
        Ok(send)
    }
}

/// Whether the message among these params is spelt as version 0.3 spells it.
pub fn is_spelt_as_before(params: &str) -> bool {
    let fields = Fields::read(params, "");
    let message = fields.as_ref().ok().and_then(|fields| fields.raw("message"));
    message.is_some_and(message::is_spelt_as_before)
}

/// Reads a body to whose members a path adds.
///
/// # Errors
/// When it is no object, or a member is given twice.
pub fn object(body: &str) -> Result<Map<String, Value>, ServiceError> {
    Fields::read(body, "")?;
    serde_json::from_str(body).map_err(|_| FieldFault::new("the body", "must be a JSON object").into())
}

/// Reads the params of an operation that names a task by `id`.
///
/// # Errors
/// The first member that is wrong.
pub fn task(params: &str) -> Result<Named, ServiceError> {
    let fields = Fields::read(params, "")?;
    Ok(Named {
        task: required(&fields, "id")?,
        config: String::new(),
        messages: messages(&fields)?,
    })
}

/// Reads the params of an operation that names a task by `taskId` and, where one is wanted, a registration by `id`.
///
/// # Errors
/// The first member that is wrong.
pub fn push(params: &str, one_is_named: bool) -> Result<Named, ServiceError> {
    let fields = Fields::read(params, "")?;
    let config = if one_is_named {
        required(&fields, "id")?
    } else {
        String::new()
    };
    Ok(Named {
        task: required(&fields, "taskId")?,
        config,
        messages: None,
    })
}

/// Reads a registration that names its task by `taskId`.
///
/// # Errors
/// The first member that is wrong.
pub fn registration(params: &str) -> Result<PushConfig, ServiceError> {
    let fields = Fields::read(params, "")?;
    required(&fields, "taskId")?;
    Ok(PushConfig::read(params, "")?)
}

/// Reads the params of `ListTasks`.
///
/// # Errors
/// The first member that is wrong.
pub fn list(params: &str) -> Result<Listed, ServiceError> {
    let fields = Fields::read(params, "")?;
    let wrong = |name: &str, what: String| FieldFault::new(fields.place(name), what);
    let size = match fields.count("pageSize")? {
        None => PAGE_SIZE,
        Some(size) => usize::try_from(size)
            .ok()
            .filter(|size| (1..=PAGE_SIZE_MAX).contains(size))
            .ok_or_else(|| wrong("pageSize", format!("must be between 1 and {}", PAGE_SIZE_MAX)))?,
    };
    let token = fields.text("pageToken")?;
    let before = match token.as_str() {
        "" => None,
        token => Some(
            token
                .parse()
                .map_err(|_| wrong("pageToken", "must be the nextPageToken of a page before".to_owned()))?,
        ),
    };
    let status = fields.text("status")?;
    let phase = match status.as_str() {
        "" | "TASK_STATE_UNSPECIFIED" => None,
        name => Some(Phase::named(name).ok_or_else(|| wrong("status", "must be a task state".to_owned()))?),
    };
    let after = fields.text("statusTimestampAfter")?;
    let after = match after.as_str() {
        "" => None,
        text => Some(At::parse(text).ok_or_else(|| {
            let what = if At::is_beyond(text) {
                format!("must be {SUPPORTED}")
            } else {
                "must be a moment such as 2026-01-31T12:00:00Z".to_owned()
            };
            wrong("statusTimestampAfter", what)
        })?),
    };
    Ok(Listed {
        filter: Filter {
            context: fields.id("contextId")?,
            phase,
            after,
        },
        size,
        before,
        // Whoever wants words of a whole page says how many.
        messages: messages(&fields)?.or(Some(0)),
        artifacts: fields.get("includeArtifacts", "true or false")?.unwrap_or(false),
    })
}

/// Query parameters as params: numbers and flags by their own types, as a body would hold them. What is neither known nor of
/// its type stays text, for the reader to say so.
pub fn of_query<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Map<String, Value> {
    let mut params = Map::new();
    for (name, value) in pairs {
        let value = match name {
            "pageSize" | "page_size" | "historyLength" | "history_length" => {
                value.parse::<i64>().map_or_else(|_| Value::from(value), Value::from)
            }
            "includeArtifacts" | "include_artifacts" => {
                value.parse::<bool>().map_or_else(|_| Value::from(value), Value::from)
            }
            _ => Value::from(value),
        };
        params.insert(name.to_owned(), value);
    }
    params
}

/// `historyLength`: the last messages that are wanted; `None` for all.
fn messages(fields: &Fields<'_>) -> Result<Option<usize>, FieldFault> {
    let what = || {
        FieldFault::new(
            fields.place("historyLength"),
            format!("must be a whole number from 0 to {}", i32::MAX),
        )
    };
    let Some(count) = fields.count("historyLength")? else {
        return Ok(None);
    };
    // What the protocol's definition gives room for.
    let count = i32::try_from(count).ok().and_then(|count| usize::try_from(count).ok());
    count.map(Some).ok_or_else(what)
}

/// Whether an answer would be accepted, where it is said what is: whoever says nothing accepts anything.
fn check_output_modes(fields: &Fields<'_>) -> Result<(), ServiceError> {
    const NAME: &str = "acceptedOutputModes";
    let modes = fields.get::<Vec<String>>(NAME, "a list of media types")?;
    let modes = modes.unwrap_or_default();
    let takes = |mode: &String, produced: &str| {
        let essence = mode.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let family = essence.strip_suffix('*').filter(|family| family.ends_with('/'));
        essence == produced || essence == "*/*" || family.is_some_and(|family| produced.starts_with(family))
    };
    if modes.is_empty()
        || modes
            .iter()
            .any(|mode| PRODUCED.iter().any(|produced| takes(mode, produced)))
    {
        return Ok(());
    }
    let what = format!("must name one of what is produced here: {}", PRODUCED.join(", "));
    Err(ServiceError::UnsupportedMedia(FieldFault::new(
        fields.place(NAME),
        what,
    )))
}

fn required(fields: &Fields<'_>, name: &str) -> Result<String, FieldFault> {
    let text = fields.id(name)?;
    if text.is_empty() {
        return Err(FieldFault::new(fields.place(name), "is required"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::Phase;
    use super::Send;
    use super::ServiceError;
    use super::list;
    use super::of_query;
    use super::push;
    use super::registration;
    use super::task;

    fn field(error: ServiceError) -> String {
        match error {
            ServiceError::InvalidMessage(faults) => faults.first().expect("a fault").field.clone(),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn a_message_is_read_with_how_it_is_to_be_answered() {
        let message = r#"{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}"#;
        let send = Send::read(&format!(r#"{{"message":{message},"tenant":"x"}}"#)).expect("params");
        assert_eq!((send.messages, send.return_immediately, send.push), (None, false, None));
        let configuration =
            r#"{"historyLength":0,"returnImmediately":true,"taskPushNotificationConfig":{"url":"https://a"}}"#;
        let send = Send::read(&format!(r#"{{"message":{message},"configuration":{configuration}}}"#)).expect("params");
        assert_eq!((send.messages, send.return_immediately), (Some(0), true));
        assert_eq!(send.push.expect("a registration").url, "https://a");
        for (params, wrong) in [
            ("{}", "message"),
            (r#"{"message":{}}"#, "message.messageId"),
            (
                &format!(r#"{{"message":{message},"configuration":{{"historyLength":-1}}}}"#),
                "configuration.historyLength",
            ),
            (
                &format!(r#"{{"message":{message},"configuration":{{"taskPushNotificationConfig":{{"url":1}}}}}}"#),
                "configuration.taskPushNotificationConfig.url",
            ),
        ] {
            assert_eq!(field(Send::read(params).expect_err("wrong")), wrong, "{params}");
        }
    }

    #[test]
    fn an_answer_is_of_a_media_type_that_is_accepted_where_any_is_named() {
        let send = |modes: &str| {
            let message = r#"{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}"#;
            Send::read(&format!(
                r#"{{"message":{message},"configuration":{{"acceptedOutputModes":{modes}}}}}"#
            ))
        };
        for accepted in [
            "null",
            "[]",
            r#"["text/plain"]"#,
            r#"["image/png","Application/JSON; charset=utf-8"]"#,
            r#"["*/*"]"#,
            r#"["application/*"]"#,
            r#"["text/*"]"#,
        ] {
            assert!(send(accepted).is_ok(), "{accepted}");
        }
        for refused in [r#"["image/png"]"#, r#"["text/html","image/*"]"#, r#"[""]"#, r#"["*"]"#] {
            let error = send(refused).expect_err("refused");
            assert!(matches!(error, ServiceError::UnsupportedMedia(_)), "{refused}: {error}");
        }
        for wrong in [r#""text/plain""#, "[7]"] {
            assert_eq!(
                field(send(wrong).expect_err("wrong")),
                "configuration.acceptedOutputModes"
            );
        }
    }

    #[test]
    fn a_page_has_one_to_a_hundred_tasks_and_fifty_where_nothing_is_said() {
        let size = |params: &str| list(params).map(|listed| listed.size).map_err(field);
        assert_eq!(size("{}"), Ok(50));
        assert_eq!(size(r#"{"pageSize":1}"#), Ok(1));
        assert_eq!(size(r#"{"pageSize":100.0}"#), Ok(100));
        for wrong in [r#"{"pageSize":0}"#, r#"{"pageSize":101}"#, r#"{"pageSize":"a"}"#] {
            assert_eq!(size(wrong), Err("pageSize".to_owned()), "{wrong}");
        }
        let listed = list(
            r#"{"pageToken":"7","status":"TASK_STATE_WORKING","statusTimestampAfter":"2026-01-31T12:00:00Z",
                              "contextId":"c","includeArtifacts":true,"historyLength":3}"#,
        )
        .expect("params");
        assert_eq!(
            (listed.before, listed.filter.phase, listed.artifacts),
            (Some(7), Some(Phase::Working), true)
        );
        for (params, wrong) in [
            (r#"{"pageToken":"x"}"#, "pageToken"),
            (r#"{"status":"working"}"#, "status"),
            (r#"{"statusTimestampAfter":"today"}"#, "statusTimestampAfter"),
        ] {
            assert_eq!(field(list(params).expect_err("wrong")), wrong);
        }
    }

    #[test]
    fn a_query_is_read_as_a_body_is() {
        let params = of_query([("pageSize", "5"), ("includeArtifacts", "true"), ("contextId", "7")].into_iter());
        assert_eq!(
            Value::Object(params.clone()).to_string(),
            r#"{"pageSize":5,"includeArtifacts":true,"contextId":"7"}"#
        );
        assert_eq!(list(&Value::Object(params).to_string()).expect("params").size, 5);
        let params = of_query([("pageSize", "five")].into_iter());
        assert_eq!(
            field(list(&Value::Object(params).to_string()).expect_err("wrong")),
            "pageSize"
        );
    }

    #[test]
    fn a_task_and_a_registration_are_named() {
        assert_eq!(
            task(r#"{"id":"t","historyLength":2}"#).expect("params").messages,
            Some(2)
        );
        assert_eq!(field(task("{}").expect_err("wrong")), "id");
        assert_eq!(push(r#"{"taskId":"t","id":"c"}"#, true).expect("params").config, "c");
        assert_eq!(field(push(r#"{"taskId":"t"}"#, true).expect_err("wrong")), "id");
        assert_eq!(push(r#"{"taskId":"t"}"#, false).expect("params").task, "t");
        assert_eq!(
            field(registration(r#"{"url":"https://a"}"#).expect_err("wrong")),
            "taskId"
        );
    }
}
