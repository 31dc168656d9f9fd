//! The task context of this protocol and the TaskContext of the Agent Context Distribution draft, each turned into the other
//! (M-037).
//!
//! Two shapes for two purposes: they are never merged, and what one has no place for is named. Invariant: what both can say
//! comes back as it was.

use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::domain::context::message::agent_context::TaskContext;
use crate::domain::context::message::shape;
use crate::domain::context::message::shape::Member;
use crate::domain::context::message::shape::Shape;
use crate::domain::task::field::FieldFault;

/// What a goal's status is where nobody said it.
pub const UNSAID: &str = "unknown";

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

/// `taskContext` as `{"TaskContext": {…}}`.
pub fn to_distribution(task: &TaskContext) -> Converted {
    let mut lost = Vec::new();
    let mut lose = |member: &str, why| {
        lost.push(Lost {
            member: member.to_owned(),
            why,
        });
    };
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let goals: Vec<Value> = task
        .goals
        .iter()
        .flatten()
        .map(|goal| json!({"Goal": goal, "Status": UNSAID}))
        .collect();
    if task.todo_items.iter().flatten().next().is_some() {
        lose("todoItems", "to-do items belong to an AgentContext there");
    }
    if task.status_updates.iter().flatten().next().is_some() {
        lose("statusUpdates", "a TaskContext has no place for single updates");
    }
    for name in task.more.keys() {
        lose(name, "it is not known in either shape");
    }
    let document = json!({"TaskContext": {
        "TaskID": text(&task.task_id),
        "UserQuery": "",
        "TaskName": text(&task.task_name),
        "TaskDescription": "",
        "GoalStatus": goals,
        "OverallStatus": task.task_progress.clone().unwrap_or_else(|| UNSAID.to_owned()),
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
    let text = |name: &str| {
        let text = document.get(name).and_then(Value::as_str);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
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
    let mut goals = Vec::new();
    let listed = document.get("GoalStatus").and_then(Value::as_array);
    for (at, goal) in listed.into_iter().flatten().enumerate() {
        goals.extend(goal.get("Goal").and_then(Value::as_str).map(str::to_owned));
        let said = goal.get("Status").filter(|status| !status.is_null());
        if said.is_some_and(|status| status != UNSAID && status != "") {
            lose(
                format!("GoalStatus[{at}].Status"),
                "goals have no status of their own there",
            );
        }
    }
    let overall = text("OverallStatus").filter(|overall| overall != UNSAID);
    let progress = overall.clone().filter(|overall| shape::percent(overall).is_some());
    if overall.is_some() && progress.is_none() {
        lose(
            "OverallStatus".to_owned(),
            "taskProgress takes a share such as 30% alone",
        );
    }
    for name in document.keys() {
        if !DISTRIBUTED.iter().any(|member| member.name == name) {
            lose(name.clone(), "it is not known in either shape");
        }
    }
    let task = TaskContext {
        task_id: text("TaskID"),
        task_name: text("TaskName"),
        task_progress: progress,
        goals: listed.map(|_| goals),
        ..TaskContext::default()
    };
    Ok(Converted {
        document: json!({ "taskContext": task }),
        lost,
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
    use crate::domain::context::message::agent_context;

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
        let task = figure.message.agent_context.task_context.expect("a task");
        let there = to_distribution(&task);
        assert_eq!(members(&there), ["todoItems", "statusUpdates"]);
        assert_eq!(there.document["TaskContext"]["TaskID"], "T123456");
        assert_eq!(there.document["TaskContext"]["OverallStatus"], "30%");
        let goals = json!([{"Goal": "Analyze Q1 sales data", "Status": "unknown"},
            {"Goal": "Generate predictive models", "Status": "unknown"}]);
        assert_eq!(there.document["TaskContext"]["GoalStatus"], goals);
        let again = back(&there.document);
        assert_eq!(members(&again), Vec::<&str>::new());
        let expected = json!({"taskId": "T123456", "taskName": "Data Analysis Project", "taskProgress": "30%",
            "goals": ["Analyze Q1 sales data", "Generate predictive models"]});
        assert_eq!(again.document, json!({"taskContext": expected}));
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
