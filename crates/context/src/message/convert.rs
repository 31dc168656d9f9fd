//! The task context of this protocol and the TaskContext of the Agent Context Distribution draft, each turned into the other
//! (M-037).
//!
//! Two shapes for two purposes: they are never merged, and what one has no place for is named. Invariant: what both can say
//! comes back as it was.

use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::fields::FieldFault;
use crate::message::agent_context::items;
use crate::message::agent_context::text;
use crate::message::shape;
use crate::message::shape::Member;
use crate::message::shape::Shape;
use crate::task_context::status::Status;

/// What others write where nobody said a status.
const UNSAID: &str = "unknown";

/// Members of the other draft's TaskContext.
const DISTRIBUTED: &[Member] = &[
    row("TaskID", Shape::Text),
    row("UserQuery", Shape::Text),
    row("TaskName", Shape::Text),
    row("TaskDescription", Shape::Text),
    row(
        "GoalStatus",
        Shape::Objects(&[row("Goal", Shape::Text), row("Status", Shape::Free)]),
    ),
    row("OverallStatus", Shape::Text),
    row("StartTime", Shape::Text),
    row("EndTime", Shape::Text),
    row("Optional", Shape::Texts),
];

const fn row(name: &'static str, shape: Shape) -> Member {
    Member {
        name,
        shape,
        required: false,
    }
}

/// A member that could not be carried over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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

/// `taskContext` as a `{"TaskContext": {…}}` that can be begun with. Goals are completed where all of the task is, else pending.
pub fn to_distribution(task: &Map<String, Value>) -> Converted {
    let mut lost = Vec::new();
    let mut lose = |member: &str, why| {
        lost.push(Lost {
            member: member.to_owned(),
            why,
        });
    };
    let progress = text(task, "taskProgress").and_then(shape::percent);
    let goals = items(task, "goals");
    let status = if !goals.is_empty() && progress == Some(100.0) {
        Status::Completed
    } else {
        Status::Pending
    };
    let goals: Vec<Value> = goals
        .iter()
        .map(|goal| json!({"Goal": goal, "Status": status.name()}))
        .collect();
    if text(task, "taskId").is_some_and(|id| !id.is_empty()) {
        lose("taskId", "a TaskID is given by the service that keeps the task");
    }
    if progress.is_some_and(|progress| progress > 0.0) && status == Status::Pending {
        lose(
            "taskProgress",
            "how far a task is follows from the status of its goals there",
        );
    }
    if !items(task, "todoItems").is_empty() {
        lose("todoItems", "to-do items belong to an AgentContext there");
    }
    if !items(task, "statusUpdates").is_empty() {
        lose("statusUpdates", "a TaskContext has no place for single updates");
    }
    for name in task.keys().filter(|name| !is_known(name, shape::TASK)) {
        lose(name, "it is not known in either shape");
    }
    let document = json!({"TaskContext": {
        "TaskID": "",
        "UserQuery": "",
        "TaskName": text(task, "taskName").unwrap_or_default(),
        "TaskDescription": "",
        "GoalStatus": goals,
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
    let mut lost = Vec::new();
    let mut lose = |member: String, why| lost.push(Lost { member, why });
    let text = |name: &str| text(document, name).filter(|text| !text.is_empty());
    let no_place = [
        ("UserQuery", "a taskContext has no place for the user's words"),
        ("TaskDescription", "a taskContext has no description"),
        ("StartTime", "a taskContext has no times but those of updates"),
        ("EndTime", "a taskContext has no times but those of updates"),
    ];
    for (name, why) in no_place {
        if text(name).is_some() {
            lose(name.to_owned(), why);
        }
    }
    let overall = text("OverallStatus").filter(|overall| *overall != UNSAID);
    let status = overall.and_then(Status::read);
    let mut goals = Vec::new();
    for (at, goal) in items(document, "GoalStatus").iter().enumerate() {
        goals.extend(goal.get("Goal").and_then(Value::as_str));
        let said = goal.get("Status").filter(|said| !said.is_null());
        let is_told = |said: &Value| match said.as_str().and_then(Status::read) {
            Some(Status::Completed) => status == Some(Status::Completed),
            Some(other) => other == Status::Pending,
            None => said == UNSAID || said == "",
        };
        if said.is_some_and(|said| !is_told(said)) {
            lose(
                format!("GoalStatus[{at}].Status"),
                "goals have no status of their own there",
            );
        }
    }
    let whole = (status == Some(Status::Completed)).then_some("100%");
    let progress = overall.filter(|overall| shape::percent(overall).is_some()).or(whole);
    if overall.is_some() && progress.is_none() && status != Some(Status::Pending) {
        lose(
            "OverallStatus".to_owned(),
            "taskProgress takes a share such as 30% alone",
        );
    }
    for name in document.keys().filter(|name| !is_known(name, DISTRIBUTED)) {
        lose(name.clone(), "it is not known in either shape");
    }
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
        task.insert("goals".to_owned(), Value::from(goals));
    }
    Ok(Converted {
        document: json!({ "taskContext": task }),
        lost,
    })
}

fn is_known(name: &str, rows: &[Member]) -> bool {
    rows.iter().any(|row| row.name == name)
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
