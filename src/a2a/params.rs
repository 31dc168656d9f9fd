//! The params of the operations, read from JSON text (A2A §3.2). Unknown members are ignored.

use serde_json::Map;
use serde_json::Value;

use crate::api::a2a::AuthenticationInfo;
use crate::api::a2a::SendMessageConfiguration;
use crate::api::a2a::SendMessageRequest;
use crate::api::a2a::TaskPushNotificationConfig;
use crate::app::a2a_tasks::Listed;
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

/// Reads the params of an operation that sends a message.
///
/// # Errors
/// Everything that is wrong with the message, or the first other member; [`ServiceError::UnsupportedMedia`] where no media type
/// that is produced here would be accepted.
pub fn send(params: &str) -> Result<SendMessageRequest, ServiceError> {
    let fields = Fields::read(params, "")?;
    let Some(message) = fields.raw("message") else {
        return Err(FieldFault::new("message", "is required").into());
    };
    let mut request = SendMessageRequest {
        message: Message::read(message, "message")?,
        ..SendMessageRequest::default()
    };
    if let Some(configuration) = fields.raw("configuration") {
        let fields = Fields::read(configuration, "configuration.")?;
        let push = fields.raw("taskPushNotificationConfig");
        let within = fields.place("taskPushNotificationConfig.");
        request.configuration = SendMessageConfiguration {
            accepted_output_modes: output_modes(&fields)?,
            task_push_notification_config: push.map(|push| push_config(push, &within)).transpose()?,
            history_length: messages(&fields)?,
            return_immediately: fields.get("returnImmediately", "true or false")?.unwrap_or(false),
        };
    }
    Ok(request)
}

/// Reads a registration of push notifications.
fn push_config(text: &str, within: &str) -> Result<TaskPushNotificationConfig, FieldFault> {
    let fields = Fields::read(text, within)?;
    let authentication = fields.raw("authentication").map(|text| {
        let fields = Fields::read(text, &fields.place("authentication."))?;
        Ok(AuthenticationInfo {
            scheme: fields.text("scheme")?,
            credentials: fields.text("credentials")?,
        })
    });
    Ok(TaskPushNotificationConfig {
        id: fields.id("id")?,
        task_id: fields.id("taskId")?,
        url: fields.text("url")?,
        token: fields.text("token")?,
        authentication: authentication.transpose()?,
    })
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

/// Reads the params of an operation that names a task by `id`: the task, and how many of its messages are wanted.
pub fn task(params: &str) -> Result<(String, Option<usize>), ServiceError> {
    let fields = Fields::read(params, "")?;
    Ok((required(&fields, "id")?, messages(&fields)?))
}

/// Reads the params of an operation that names a task by `taskId` and, where one is wanted, a registration by `id`.
pub fn push(params: &str, one_is_named: bool) -> Result<(String, String), ServiceError> {
    let fields = Fields::read(params, "")?;
    let config = one_is_named.then(|| required(&fields, "id")).transpose()?;
    Ok((required(&fields, "taskId")?, config.unwrap_or_default()))
}

/// Reads a registration that names its task by `taskId`.
pub fn registration(params: &str) -> Result<TaskPushNotificationConfig, ServiceError> {
    required(&Fields::read(params, "")?, "taskId")?;
    Ok(push_config(params, "")?)
}

/// Reads the params of `ListTasks`.
pub fn list(params: &str) -> Result<Listed, ServiceError> {
    let fields = Fields::read(params, "")?;
    let wrong = |name: &str, what: &str| FieldFault::new(fields.place(name), what);
    let size = fields.count("pageSize")?.map_or(Ok(PAGE_SIZE), |size| {
        let size = usize::try_from(size)
            .ok()
            .filter(|size| (1..=PAGE_SIZE_MAX).contains(size));
        size.ok_or_else(|| wrong("pageSize", &format!("must be between 1 and {PAGE_SIZE_MAX}")))
    })?;
    let given = |name: &str| Ok::<_, FieldFault>(Some(fields.text(name)?).filter(|text| !text.is_empty()));
    let before = given("pageToken")?.map(|token| token.parse());
    let before = before
        .transpose()
        .map_err(|_| wrong("pageToken", "must be the nextPageToken of a page before"))?;
    let phase = given("status")?
        .filter(|name| name != "TASK_STATE_UNSPECIFIED")
        .map(|name| Phase::named(&name).ok_or_else(|| wrong("status", "must be a task state")));
    let after = given("statusTimestampAfter")?.map(|text| {
        At::parse(&text).ok_or_else(|| match At::is_beyond(&text) {
            true => wrong("statusTimestampAfter", &format!("must be {SUPPORTED}")),
            false => wrong("statusTimestampAfter", "must be a moment such as 2026-01-31T12:00:00Z"),
        })
    });
    Ok(Listed {
        filter: Filter {
            context: fields.id("contextId")?,
            phase: phase.transpose()?,
            after: after.transpose()?,
        },
        size,
        before,
        // Whoever wants words of a whole page says how many.
        messages: messages(&fields)?.or(Some(0)),
        artifacts: fields.get("includeArtifacts", "true or false")?.unwrap_or(false),
    })
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

/// The media types that are accepted, where it is said which are: one of them must be produced here.
fn output_modes(fields: &Fields<'_>) -> Result<Vec<String>, ServiceError> {
    const NAME: &str = "acceptedOutputModes";
    let modes: Vec<String> = fields.get(NAME, "a list of media types")?.unwrap_or_default();
    let takes = |mode: &String| {
        let essence = mode.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let family = essence.strip_suffix('*').filter(|family| family.ends_with('/'));
        let is_of =
            |produced: &&str| essence == **produced || family.is_some_and(|family| produced.starts_with(family));
        essence == "*/*" || PRODUCED.iter().any(is_of)
    };
    if modes.is_empty() || modes.iter().any(takes) {
        return Ok(modes);
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
    use super::Phase;
    use super::ServiceError;
    use super::list;
    use super::push;
    use super::registration;
    use super::send;
    use super::task;

    /// The field that is wrong, or `media` where no answer would be accepted.
    fn wrong<T>(read: Result<T, ServiceError>) -> String {
        match read.err().expect("wrong") {
            ServiceError::InvalidMessage(faults) => faults.first().expect("a fault").field.clone(),
            ServiceError::UnsupportedMedia(_) => "media".to_owned(),
            other => panic!("{other}"),
        }
    }

    fn configured(configuration: &str) -> String {
        let message = r#"{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}"#;
        format!(r#"{{"message":{message},"tenant":"x","configuration":{configuration}}}"#)
    }

    #[test]
    fn a_message_is_read_with_how_it_is_to_be_answered() {
        let plain = send(&configured("null")).expect("params").configuration;
        assert_eq!((plain.history_length, plain.return_immediately), (None, false));
        let set = r#"{"historyLength":0,"returnImmediately":true,"taskPushNotificationConfig":{"url":"https://a"}}"#;
        let set = send(&configured(set)).expect("params").configuration;
        assert_eq!((set.history_length, set.return_immediately), (Some(0), true));
        let push = set.task_push_notification_config.expect("a registration");
        assert_eq!(push.url, "https://a");
        for (params, field) in [
            ("{}", "message"),
            (r#"{"message":{}}"#, "message.messageId"),
            (&configured(r#"{"historyLength":-1}"#), "configuration.historyLength"),
            (
                &configured(r#"{"taskPushNotificationConfig":{"url":1}}"#),
                "configuration.taskPushNotificationConfig.url",
            ),
            (
                &configured(r#"{"acceptedOutputModes":[7]}"#),
                "configuration.acceptedOutputModes",
            ),
        ] {
            assert_eq!(wrong(send(params)), field, "{params}");
        }
    }

    #[test]
    fn an_answer_is_of_a_media_type_that_is_accepted_where_any_is_named() {
        for (modes, accepted) in [
            ("null", true),
            ("[]", true),
            (r#"["image/png","Application/JSON; charset=utf-8"]"#, true),
            (r#"["*/*"]"#, true),
            (r#"["text/*"]"#, true),
            (r#"["text/html","image/*"]"#, false),
            (r#"[""]"#, false),
            (r#"["*"]"#, false),
        ] {
            let read = send(&configured(&format!(r#"{{"acceptedOutputModes":{modes}}}"#)));
            assert_eq!(read.is_ok(), accepted, "{modes}");
            assert!(accepted || wrong(read) == "media", "{modes}");
        }
    }

    #[test]
    fn a_page_has_one_to_a_hundred_tasks_and_fifty_where_nothing_is_said() {
        for (params, size) in [("{}", 50), (r#"{"pageSize":1}"#, 1), (r#"{"page_size":100.0}"#, 100)] {
            assert_eq!(list(params).expect("params").size, size, "{params}");
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
        for (params, field) in [
            (r#"{"pageSize":0}"#, "pageSize"),
            (r#"{"pageSize":101}"#, "pageSize"),
            (r#"{"pageSize":"a"}"#, "pageSize"),
            (r#"{"pageToken":"x"}"#, "pageToken"),
            (r#"{"status":"working"}"#, "status"),
            (r#"{"statusTimestampAfter":"today"}"#, "statusTimestampAfter"),
        ] {
            assert_eq!(wrong(list(params)), field, "{params}");
        }
    }

    #[test]
    fn a_task_and_a_registration_are_named() {
        let named = task(r#"{"id":"t","historyLength":2}"#).expect("params");
        assert_eq!(named, ("t".to_owned(), Some(2)));
        assert_eq!(push(r#"{"taskId":"t","id":"c"}"#, true).expect("params").1, "c");
        assert_eq!(push(r#"{"taskId":"t"}"#, false).expect("params").0, "t");
        assert_eq!(wrong(task("{}")), "id");
        assert_eq!(wrong(push(r#"{"taskId":"t"}"#, true)), "id");
        assert_eq!(wrong(registration(r#"{"url":"https://a"}"#)), "taskId");
    }
}
