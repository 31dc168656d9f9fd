//! The task context of this protocol and the TaskContext of the Agent Context Distribution draft, each turned into the other
//! (M-037).
//!
//! Two shapes for two purposes: they are never merged, and what one has no place for is named. Invariant: what both can say
//! comes back as it was.

use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use utoipa::ToSchema;

use crate::fields::FieldFault;
use crate::message::agent_context::items;
use crate::message::agent_context::text;
use crate::message::shape;
use crate::message::shape::Member;
use crate::message::shape::Shape;
use crate::message::shape::may;
use crate::task_context::status::Status;

/// What others write where nobody said a status.
const UNSAID: &str = "unknown";

/// Members of the other draft's TaskContext.
const DISTRIBUTED: &[Member] = &[
    may("TaskID", Shape::Text),
    may("UserQuery", Shape::Text),
    may("TaskName", Shape::Text),
    may("TaskDescription", Shape::Text),
    may(
        "GoalStatus",
        Shape::Objects(&[may("Goal", Shape::Text), may("Status", Shape::Free)]),
    ),
    may("OverallStatus", Shape::Text),
    may("StartTime", Shape::Text),
    may("EndTime", Shape::Text),
    may("Optional", Shape::Texts),
];

/// A member that could not be carried over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = LostMember)]
pub struct Lost {
    pub member: String,
    pub why: &'static str,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    pub document: Value,
    pub lost: Vec<Lost>,
}

fn lost(member: impl Into<String>, why: &'static str) -> Lost {
    let member = member.into();
    Lost { member, why }
}

/// Members that neither shape knows.
fn unknown<'a>(members: &'a Map<String, Value>, known: &'a [Member]) -> impl Iterator<Item = Lost> + 'a {
    let unknown = members.keys().filter(|name| !known.iter().any(|row| row.name == *name));
    unknown.map(|name| lost(name, "it is not known in either shape"))
}

/// `taskContext` as a `{"TaskContext": {…}}` that can be begun with. Goals are completed where all of the task is, else pending.
pub fn to_distribution(task: &Map<String, Value>) -> Converted {
    let progress = text(task, "taskProgress").and_then(shape::percent);
    let goals = items(task, "goals");
    let status = match !goals.is_empty() && progress == Some(100.0) {
        true => Status::Completed,
        false => Status::Pending,
    };
    let begun = progress.is_some_and(|progress| progress > 0.0) && status == Status::Pending;
    let has_id = text(task, "taskId").is_some_and(|id| !id.is_empty());
    let [todo, updates] = ["todoItems", "statusUpdates"].map(|list| !items(task, list).is_empty());
    let no_progress = "how far a task is follows from the status of its goals there";
    let said = [
        ("taskId", has_id, "a TaskID is given by the service that keeps the task"),
        ("taskProgress", begun, no_progress),
        ("todoItems", todo, "to-do items belong to an AgentContext there"),
        (
            "statusUpdates",
            updates,
            "a TaskContext has no place for single updates",
        ),
    ];
    let said = said.into_iter().filter(|(_, is_said, _)| *is_said);
    let mut lost: Vec<Lost> = said.map(|(member, _, why)| lost(member, why)).collect();
    lost.extend(unknown(task, shape::TASK));
    let goals = goals.iter().map(|goal| json!({"Goal": goal, "Status": status.name()}));
    let document = json!({"TaskContext": {
        "TaskID": "",
        "UserQuery": "",
        "TaskName": text(task, "taskName").unwrap_or_default(),
        "TaskDescription": "",
        "GoalStatus": goals.collect::<Vec<_>>(),
        "OverallStatus": status.name(),
        "Optional": ["StartTime", "EndTime"],
    }});
    Converted { document, lost }
}

/// `{"TaskContext": {…}}` as `{"taskContext": {…}}`.
///
/// # Errors
/// Everything that is wrong, by its place.
pub fn from_distribution(document: &Map<String, Value>) -> Result<Converted, Vec<FieldFault>> {
    let faults = shape::faults(&Value::Object(document.clone()), DISTRIBUTED, "TaskContext");
    if !faults.is_empty() {
        return Err(faults);
    }
    let text = |name: &str| text(document, name).filter(|text| !text.is_empty());
    let no_times = "a taskContext has no times but those of updates";
    let no_place = [
        ("UserQuery", "a taskContext has no place for the user's words"),
        ("TaskDescription", "a taskContext has no description"),
        ("StartTime", no_times),
        ("EndTime", no_times),
    ];
    let no_place = no_place.into_iter().filter(|(name, _)| text(name).is_some());
    let mut gone: Vec<Lost> = no_place.map(|(name, why)| lost(name, why)).collect();
    let overall = text("OverallStatus").filter(|overall| *overall != UNSAID);
    let status = overall.and_then(Status::read);
    // Whether the status of a goal follows from that of the whole, or says nothing.
    let is_told = |said: &Value| match said.as_str().and_then(Status::read) {
        Some(Status::Completed) => status == Some(Status::Completed),
        Some(other) => other == Status::Pending,
        None => said.is_null() || said == UNSAID || said == "",
    };
    let goals = items(document, "GoalStatus");
    let untold = (0..goals.len()).filter(|at| !is_told(&goals[*at]["Status"]));
    let no_status = "goals have no status of their own there";
    gone.extend(untold.map(|at| lost(format!("GoalStatus[{at}].Status"), no_status)));
    let whole = (status == Some(Status::Completed)).then_some("100%");
    let progress = overall.filter(|overall| shape::percent(overall).is_some()).or(whole);
    if overall.is_some() && progress.is_none() && status != Some(Status::Pending) {
        gone.push(lost("OverallStatus", "taskProgress takes a share such as 30% alone"));
    }
    gone.extend(unknown(document, DISTRIBUTED));
    let mut task = Map::new();
    let named = [
        ("taskId", text("TaskID")),
        ("taskName", text("TaskName")),
        ("taskProgress", progress),
    ];
    for (name, said) in named {
        task.extend(said.map(|said| (name.to_owned(), Value::from(said))));
    }
    if document.get("GoalStatus").is_some_and(Value::is_array) {
        let goals: Vec<&str> = goals.iter().filter_map(|goal| goal["Goal"].as_str()).collect();
        task.insert("goals".to_owned(), Value::from(goals));
    }
    Ok(Converted {
        document: json!({ "taskContext": task }),
        lost: gone,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Map;
    use serde_json::Value;
    use serde_json::json;

    use super::Converted;
    use super::from_distribution;
    use super::to_distribution;
    use crate::message::agent_context;

    fn members(lost: &Converted) -> Vec<&str> {
        lost.lost.iter().map(|lost| lost.member.as_str()).collect()
    }

    fn back(document: &Value) -> Converted {
        let members: &Map<String, Value> = document["TaskContext"].as_object().expect("an object");
        from_distribution(members).expect("a TaskContext")
    }

    #[test]
    fn what_both_can_say_comes_back_and_the_rest_is_named_m037() {
        let figure = agent_context::read(include_str!("figure_2.json")).expect("a message");
        let mut task = figure.context("taskContext").clone();
        let there = to_distribution(&task);
        assert_eq!(
            members(&there),
            ["taskId", "taskProgress", "todoItems", "statusUpdates"]
        );
        assert_eq!(there.document["TaskContext"]["TaskID"], "");
        assert_eq!(there.document["TaskContext"]["OverallStatus"], "pending");
        let goals = json!([{"Goal": "Analyze Q1 sales data", "Status": "pending"},
            {"Goal": "Generate predictive models", "Status": "pending"}]);
        assert_eq!(there.document["TaskContext"]["GoalStatus"], goals);
        let again = back(&there.document);
        assert_eq!(members(&again), Vec::<&str>::new());
        let expected = json!({"taskName": "Data Analysis Project",
            "goals": ["Analyze Q1 sales data", "Generate predictive models"]});
        assert_eq!(again.document, json!({"taskContext": expected}));
        task.insert("taskProgress".to_owned(), json!("100%"));
        let there = to_distribution(&task);
        assert_eq!(there.document["TaskContext"]["OverallStatus"], "completed");
        assert_eq!(members(&there), ["taskId", "todoItems", "statusUpdates"]);
        let again = back(&there.document);
        assert_eq!(again.document["taskContext"]["taskProgress"], "100%");
        assert_eq!(members(&again), Vec::<&str>::new());
    }

    #[test]
    fn what_the_other_draft_says_beyond_is_named_m037() {
        let document = json!({"TaskContext": {"TaskID": "t", "UserQuery": "q", "TaskName": "n", "TaskDescription": "d",
            "GoalStatus": [{"Goal": "g", "Status": "completed"}, {"Goal": "h"}], "OverallStatus": "in progress",
            "StartTime": "2026-05-01T00:00:00Z", "Owner": "x", "Optional": []}});
        let made = back(&document);
        let expected = [
            "UserQuery",
            "TaskDescription",
            "StartTime",
            "GoalStatus[0].Status",
            "OverallStatus",
            "Owner",
        ];
        assert_eq!(members(&made), expected);
        assert_eq!(made.document["taskContext"]["goals"], json!(["g", "h"]));
        assert!(made.document["taskContext"].get("taskProgress").is_none());
        let wrong = json!({"TaskID": 7, "GoalStatus": [7]});
        let faults = from_distribution(wrong.as_object().expect("an object")).expect_err("wrong");
        let places: Vec<&str> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(places, ["TaskContext.TaskID", "TaskContext.GoalStatus[0]"]);
    }
}
