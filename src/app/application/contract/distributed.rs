//! TaskContext and AgentContext that come in a message: they go where the same documents go over HTTP (C-015).
//!
//! Invariant: decides nothing of its own about a task; what it says is what `/v1/tasks` says.

use serde_json::Map;
use serde_json::Value;

use crate::app::a2a_tasks::worker::Asking;
use crate::app::a2a_tasks::worker::Words;
use crate::app::application::App;
use crate::app::application::contract::words;
use crate::app::error::ServiceError;
use context::a2a_task::message::Content;
use context::a2a_task::message::Message;
use context::a2a_task::message::Part;
use context::fields::FieldFault;
use context::task_context::agent_context::AGENT_CONTEXT;
use context::task_context::document::TASK_CONTEXT;

/// Of an answer's part.
const VERSION: &str = "1.0";

/// A context in a message.
struct Brought {
    name: &'static str,
    /// The body that HTTP would have brought.
    members: Map<String, Value>,
    task: Option<String>,
}

/// What a message that brings a context is answered with; `None` where it brings none.
///
/// # Errors
/// [`ServiceError::InvalidMessage`] where it brings two, and what `/v1/tasks` says.
pub(super) async fn answered(service: &App, asking: &Asking, message: &Message) -> Result<Option<Words>, ServiceError> {
    let mut brought: Vec<Brought> = message.parts.iter().filter_map(|part| found(part, message)).collect();
    if brought.len() > 1 {
        let what = "must bring one TaskContext or AgentContext at most: send each in a message of its own";
        return Err(FieldFault::new("message.parts", what).into());
    }
    let Some(Brought { name, members, task }) = brought.pop() else {
        return Ok(None);
    };
    if !message.task_id.is_empty() {
        let what = "must be left out beside a TaskContext or AgentContext, which goes on with no task of A2A";
        return Err(FieldFault::new("message.taskId", what).into());
    }
    let (tasks, client) = service.task_contexts(&asking.caller)?;
    let (state, told) = if name == TASK_CONTEXT {
        let begun = tasks.create(client, &Value::Object(members).to_string()).await?;
        (begun.state, serde_json::to_string(&begun))
    } else {
        let document = members.get(AGENT_CONTEXT).unwrap_or(&Value::Null);
        let taken = tasks.take_in(client, task.as_deref(), document).await?;
        (taken.state, serde_json::to_string(&taken))
    };
    let said = format!("The {name} was taken: {state}.");
    let data = Part::data(told?, "application/json").typed(name, VERSION);
    Ok(Some(words(asking, vec![Part::text(&said), data], &[])))
}

/// The context that a part brings: by its type, which the document and the templates spell in two ways, or under its own name.
fn found(part: &Part, message: &Message) -> Option<Brought> {
    let Content::Data(json) = &part.content else {
        return None;
    };
    let type_name = part.metadata.get("type").and_then(Value::as_str);
    let named = type_name.map(|name| match name {
        TASK_CONTEXT | "task_context" | "task_context_v1" => Some(TASK_CONTEXT),
        AGENT_CONTEXT | "agent_context" | "agent_context_v1" => Some(AGENT_CONTEXT),
        _ => None,
    });
    let named = match named {
        Some(of_its_type) => Some(of_its_type?),
        None => None,
    };
    let Ok(Value::Object(mut members)) = serde_json::from_str::<Value>(json) else {
        return None;
    };
    let spellings = [
        (TASK_CONTEXT, TASK_CONTEXT),
        (TASK_CONTEXT, "task_context"),
        (AGENT_CONTEXT, AGENT_CONTEXT),
        (AGENT_CONTEXT, "agent_context"),
    ];
    let wrapped = spellings
        .into_iter()
        .find(|(name, spelt)| members.contains_key(*spelt) && named.is_none_or(|named| named == *name));
    let task = [&members, &part.metadata, &message.metadata]
        .into_iter()
        .find_map(|of| {
            of.get("TaskID")
                .or_else(|| of.get("task_id"))?
                .as_str()
                .map(str::to_owned)
        });
    let (name, members) = match (wrapped, named) {
        (Some((name, spelt)), _) => {
            if let Some(context) = members.remove(spelt) {
                members.insert(name.to_owned(), context);
            }
            (name, members)
        }
        (None, Some(name)) => (name, Map::from_iter([(name.to_owned(), Value::Object(members))])),
        (None, None) => return None,
    };
    Some(Brought { name, members, task })
}
