//! TaskContext: what the master keeps of a task (C-021 … C-033).
//!
//! Read through its [`Form`] first; here stands what a template cannot say: which members are optional, that each goal is named
//! once, and that the goals add up to the overall status. Invariant: [`TaskContext::overall_status`] is
//! always what the goals add up to.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use utoipa::ToSchema;

use crate::task_context::form;
use crate::task_context::form::Form;
use crate::task_context::id::TaskId;
use crate::task_context::status::Status;
use schema::exchange::verdict::Violation;
use schema::exchange::verdict::ViolationCode;
use schema::time::At;

/// Its name on the wire.
pub const TASK_CONTEXT: &str = "TaskContext";

/// Members that may be left out where nothing is said of it (C-030).
const OPTIONAL: [&str; 2] = ["StartTime", "EndTime"];

/// Members that say what was asked for once and for all; the master may change every other.
const FIXED: [&str; 2] = ["UserQuery", "Optional"];

/// One goal with its status.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Goal {
    #[schema(max_length = 400)]
    pub goal: String,
    /// pending, in_progress, blocked, completed, failed or canceled in any spelling, or words of the master's own.
    #[schema(max_length = 400)]
    pub status: String,
    /// What else the master says of it.
    #[serde(flatten)]
    #[schema(ignore)]
    pub more: Map<String, Value>,
}

/// What the master keeps of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct TaskContext {
    /// The master's own, or empty for the service to give one.
    #[serde(rename = "TaskID")]
    pub task_id: String,
    pub user_query: String,
    pub task_name: String,
    pub task_description: String,
    #[schema(max_items = 64)]
    pub goal_status: Vec<Goal>,
    /// What the goals add up to; empty for the service to say.
    pub overall_status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub start_time: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub end_time: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub device_context: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub environment_context: Option<Map<String, Value>>,
    /// Which of StartTime and EndTime may be left out; both where nothing is said.
    #[serde(default = "optional")]
    #[schema(value_type = Option<Vec<String>>, max_items = 2)]
    pub optional: Vec<String>,
    /// Members that the document does not have: kept, and given back.
    #[serde(flatten)]
    #[schema(ignore)]
    pub more: Map<String, Value>,
}

fn optional() -> Vec<String> {
    OPTIONAL.map(str::to_owned).to_vec()
}

impl TaskContext {
    /// Reads a new task's context. Without an id of the master's own, the service gives it one.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn begun(form: &Form, document: &Value) -> Result<TaskContext, Vec<Violation>> {
        let context = TaskContext::read(form, document)?;
        if context.task_id.is_empty() || TaskId::parse(&context.task_id).is_some() {
            return Ok(context);
        }
        let message = "an id has 1 to 64 letters, digits, `.`, `_` and `-`; left empty, the service gives one";
        Err(vec![of("TaskID", "", ViolationCode::BadFormat, message)])
    }

    /// Reads a context.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(form: &Form, document: &Value) -> Result<TaskContext, Vec<Violation>> {
        let mut context: TaskContext = form.parse(document)?;
        let times = [("StartTime", &context.start_time), ("EndTime", &context.end_time)];
        let mut violations = form::times(TASK_CONTEXT, &times, &context.optional);
        violations.extend(context.goals());
        let at = |text: &Option<String>| text.as_deref().and_then(At::parse);
        if let (Some(start), Some(end)) = (at(&context.start_time), at(&context.end_time))
            && end < start
        {
            let message = "`EndTime` must not lie before `StartTime`";
            violations.push(of("EndTime", "", ViolationCode::OutOfRange, message));
        }
        let overall = context.overall();
        let said = context.overall_status.as_str();
        let own = Status::read(said);
        let is_told = own == Some(overall) || own.is_none() || context.goal_status.is_empty();
        if violations.is_empty() && !said.trim().is_empty() && !is_told {
            let message = format!(
                "the goals add up to `{}`: `OverallStatus` says so, or is left empty",
                overall.name()
            );
            violations.push(of("OverallStatus", "", ViolationCode::NotAcceptable, &message));
        }
        if said.trim().is_empty() {
            context.overall_status = overall.name().to_owned();
        } else if own.is_none() {
            // Words of the master's own stand behind what the goals add up to.
            context.overall_status = format!("{}: {said}", overall.name());
        }
        form::none_in(context, violations)
    }

    /// The context with what the master changes: members by their names, goals by theirs. A goal that is new is added; one that
    /// is not named stays as it is.
    ///
    /// # Errors
    /// Everything that is wrong with the changes, or with what would come of them.
    pub fn changed(&self, form: &Form, changes: &Value) -> Result<TaskContext, Vec<Violation>> {
        let Value::Object(changes) = changes else {
            let message = "TaskContext is a JSON object with what is to change";
            return Err(vec![of("", "", ViolationCode::WrongType, message)]);
        };
        let kept = serde_json::to_value(self).unwrap_or_default();
        let mut next = kept.as_object().cloned().unwrap_or_default();
        // What the goals add up to is said anew, unless the master says it.
        next.insert("OverallStatus".to_owned(), Value::String(String::new()));
        let mut violations = Vec::new();
        for (member, value) in changes {
            match form.spelt(member) {
                "TaskID" if value.as_str() == Some(self.task_id.as_str()) => {}
                "TaskID" => {
                    let message = "it is another task's; the task is named by the address";
                    violations.push(of(member, "", ViolationCode::NotAcceptable, message));
                }
                "GoalStatus" => {
                    let goals = next.entry("GoalStatus").or_insert_with(|| Value::Array(Vec::new()));
                    lay_over(goals, value);
                }
                other if FIXED.contains(&other) => {
                    let message = "this member does not change while a task lives";
                    violations.push(of(other, "", ViolationCode::UnknownKey, message));
                }
                other => {
                    next.insert(other.to_owned(), value.clone());
                }
            }
        }
        let next = form::none_in(next, violations)?;
        TaskContext::read(form, &Value::Object(next))
    }

    /// What the goals add up to (C-028).
    pub fn overall(&self) -> Status {
        let goals = self.goal_status.iter();
        Status::overall(&goals.map(|goal| Status::of_goal(&goal.status)).collect::<Vec<_>>())
    }

    fn goals(&self) -> Vec<Violation> {
        let mut violations = Vec::new();
        for (place, goal) in self.goal_status.iter().enumerate() {
            if self.goal_status.iter().take(place).any(|other| other.goal == goal.goal) {
                let below = format!("/{place}/Goal");
                let message = "a goal is named once";
                violations.push(of("GoalStatus", &below, ViolationCode::BadShape, message));
            }
        }
        violations
    }
}

/// Sets the status of each goal that is named, and adds those that are new. What is no goal, and a goal that is named twice, is left
/// to the form to refuse.
fn lay_over(goals: &mut Value, changes: &Value) {
    let (Value::Array(kept), Value::Array(changes)) = (&mut *goals, changes) else {
        *goals = changes.clone();
        return;
    };
    let was = kept.len();
    for (place, change) in changes.iter().enumerate() {
        let named = change.get("Goal").filter(|named| named.is_string());
        let is_named = |goal: &Value| named.is_some() && goal.get("Goal") == named;
        let is_first = !changes.iter().take(place).any(is_named);
        let mut before = kept.iter_mut().take(was);
        match before.find(|goal| is_first && is_named(goal)) {
            Some(goal) => *goal = change.clone(),
            None => kept.push(change.clone()),
        }
    }
}

fn of(member: &str, below: &str, code: ViolationCode, message: &str) -> Violation {
    form::wrong(TASK_CONTEXT, member, below, code, message)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::TaskContext;
    use super::Violation;
    use crate::task_context::form::Form;

    fn read(more: &[(&str, Value)]) -> Result<TaskContext, String> {
        let mut document = json!({"TaskID": "work_1", "UserQuery": "plan me four days in Rome", "TaskName": "tour plan",
               "TaskDescription": "flight, hotel, weather", "OverallStatus": "",
               "GoalStatus": [{"Goal": "flight", "Status": "completed"}, {"Goal": "hotel", "Status": "pending"}]});
        let members = document.as_object_mut().expect("members");
        members.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        TaskContext::begun(&Form::of_task().expect("a form"), &document).map_err(|found| places(&found))
    }

    fn places(violations: &[Violation]) -> String {
        let places = violations
            .iter()
            .map(|one| one.pointer.trim_start_matches("/TaskContext/"));
        places.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_may_be_left_out_is_what_optional_names_and_times_are_in_order_c023_c029_c030_c031() {
        assert_eq!(
            read(&[]).map(|read| read.optional),
            Ok(vec!["StartTime".to_owned(), "EndTime".to_owned()])
        );
        let start = |text: &str| ("StartTime", json!(text));
        let end_only = ("Optional", json!(["EndTime"]));
        for (more, wrong) in [
            (&[end_only.clone()][..], "StartTime"),
            (&[end_only.clone(), start("")], "StartTime"),
            (&[("Optional", json!(["TaskName"]))], "Optional/0"),
            (&[start("this morning")], "StartTime"),
            (
                &[
                    start("2026-05-04T08:00:00Z"),
                    ("EndTime", json!("2026-05-04T07:59:59Z")),
                ],
                "EndTime",
            ),
            (&[("TaskID", json!("no id: it has spaces"))], "TaskID"),
        ] {
            assert_eq!(read(more), Err(wrong.to_owned()), "{more:?}");
        }
        assert!(read(&[end_only, start("2026-05-04T08:00:00Z")]).is_ok());
        assert_eq!(
            read(&[start("")]).map(|read| read.start_time),
            Ok(None),
            "blank is absent"
        );
        assert!(read(&[("TaskID", json!(""))]).is_ok());
    }

    #[test]
    fn the_overall_status_is_what_the_goals_add_up_to_c028_c032_c033() {
        for (said, overall) in [
            ("", Ok("in_progress")),
            ("in_progress: one of two", Ok("in_progress: one of two")),
            ("In Progress", Ok("In Progress")),
            ("half done", Ok("in_progress: half done")),
            ("completed", Err("OverallStatus")),
        ] {
            let read = read(&[("OverallStatus", json!(said))]).map(|read| read.overall_status);
            assert_eq!(read, overall.map(str::to_owned).map_err(str::to_owned), "{said}");
        }
        let goals = |second: Value| ("GoalStatus", json!([{"Goal": "flight", "Status": "completed"}, second]));
        let own = json!({"Goal": "hotel", "Status": "Done", "Owner": "ann"});
        let kept = read(&[goals(own.clone())]).expect("it fits");
        assert_eq!(
            (json!(kept.goal_status)[1].clone(), kept.overall_status.as_str()),
            (own, "completed")
        );
        let twice = goals(json!({"Goal": "flight", "Status": "pending"}));
        assert_eq!(read(&[twice]), Err("GoalStatus/1/Goal".to_owned()));
    }

    #[test]
    fn changes_go_by_the_goals_names_and_leave_the_rest_c032_c064() {
        let before = read(&[]).expect("it fits");
        let changed = |changes: Value| {
            let changed = before.changed(&Form::of_task().expect("a form"), &changes);
            changed.map_err(|found| places(&found))
        };
        let goal = |goal: &str, status: &str| json!({"Goal": goal, "Status": status});
        let goals = |goals: [Value; 2]| json!({"GoalStatus": goals});
        let next = changed(goals([goal("hotel", "completed"), goal("weather", "blocked")])).expect("it fits");
        let statuses: Vec<&str> = next.goal_status.iter().map(|goal| goal.status.as_str()).collect();
        assert_eq!(statuses, ["completed", "completed", "blocked"]);
        assert_eq!(
            (next.overall_status.as_str(), &next.user_query),
            ("blocked", &before.user_query)
        );
        let more = changed(json!({"Priority": 1, "task_name": "tour", "TaskID": "work_1"})).expect("it fits");
        assert_eq!((&json!(more)["Priority"], more.task_name.as_str()), (&json!(1), "tour"));
        for (changes, wrong) in [
            (json!({"UserQuery": "other"}), "UserQuery"),
            (json!({"TaskID": "work_2"}), "TaskID"),
            (json!({"GoalStatus": "x"}), "GoalStatus"),
            (json!({"OverallStatus": "completed"}), "OverallStatus"),
            (json!([]), "/TaskContext"),
            (
                goals([goal("new", "pending"), goal("new", "failed")]),
                "GoalStatus/3/Goal",
            ),
            // Neither of them is lost.
            (
                goals([goal("hotel", "failed"), goal("hotel", "completed")]),
                "GoalStatus/2/Goal",
            ),
        ] {
            assert_eq!(changed(changes.clone()), Err(wrong.to_owned()), "{changes}");
        }
    }
}
