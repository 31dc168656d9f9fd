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

use crate::task_context::form::Form;
use crate::task_context::form::no_time;
use crate::task_context::form::wrong;
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
        let members = form.read(document)?;
        let mut context: TaskContext = serde_json::from_value(Value::Object(members))
            .map_err(|_| vec![of("", "", ViolationCode::BadShape, "TaskContext cannot be read")])?;
        let mut violations = context.left_out();
        violations.extend(context.goals());
        violations.extend(context.times());
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
        if !violations.is_empty() {
            return Err(violations);
        }
        if said.trim().is_empty() {
            context.overall_status = overall.name().to_owned();
        } else if own.is_none() {
            // Words of the master's own stand behind what the goals add up to.
            context.overall_status = format!("{}: {said}", overall.name());
        }
        Ok(context)
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
        let Value::Object(mut next) = kept else {
            return Err(Vec::new());
        };
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
        if !violations.is_empty() {
            return Err(violations);
        }
        TaskContext::read(form, &Value::Object(next))
    }

    /// What the goals add up to (C-028).
    pub fn overall(&self) -> Status {
        let goals = self.goal_status.iter();
        let statuses: Vec<Status> = goals.map(|goal| Status::of_goal(&goal.status)).collect();
        Status::overall(&statuses)
    }

    /// Members that are not there, though `Optional` does not name them (C-030, C-031).
    fn left_out(&self) -> Vec<Violation> {
        let given = [
            ("StartTime", self.start_time.is_some()),
            ("EndTime", self.end_time.is_some()),
        ];
        let missing = given
            .into_iter()
            .filter(|(name, given)| !given && !self.optional.iter().any(|optional| optional == name));
        missing
            .map(|(name, _)| {
                let message = format!("`{name}` is required, since `Optional` does not name it");
                of(name, "", ViolationCode::MissingRequired, &message)
            })
            .collect()
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

    fn times(&self) -> Vec<Violation> {
        let times = [("StartTime", &self.start_time), ("EndTime", &self.end_time)];
        let odd: Vec<Violation> = times
            .into_iter()
            .filter_map(|(name, text)| no_time(TASK_CONTEXT, name, text))
            .collect();
        if !odd.is_empty() {
            return odd;
        }
        let at = |text: &Option<String>| text.as_deref().and_then(At::parse);
        match (at(&self.start_time), at(&self.end_time)) {
            (Some(start), Some(end)) if end < start => {
                let message = "`EndTime` must not lie before `StartTime`";
                vec![of("EndTime", "", ViolationCode::OutOfRange, message)]
            }
            (_, _) => Vec::new(),
        }
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
    wrong(TASK_CONTEXT, member, below, code, message)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::TaskContext;
    use crate::task_context::form::Form;

    fn form() -> Form {
        Form::of_task().expect("a form")
    }

    fn document() -> Value {
        json!({"TaskID": "", "UserQuery": "plan me four days in Rome", "TaskName": "tour plan",
               "TaskDescription": "flight, hotel, weather", "OverallStatus": "",
               "GoalStatus": [{"Goal": "flight", "Status": "completed"}, {"Goal": "hotel", "Status": "pending"}],
               "Optional": ["StartTime", "EndTime"]})
    }

    fn wrong(document: &Value) -> Vec<String> {
        let found = TaskContext::read(&form(), document).expect_err("it is wrong");
        found.into_iter().map(|one| one.pointer).collect()
    }

    #[test]
    fn what_may_be_left_out_is_what_optional_names_c029_c030_c031() {
        let mut task = document();
        assert!(TaskContext::read(&form(), &task).is_ok());
        task["Optional"] = json!(["EndTime"]);
        assert_eq!(wrong(&task), ["/TaskContext/StartTime"]);
        task["StartTime"] = json!("2026-05-04T08:00:00Z");
        assert!(TaskContext::read(&form(), &task).is_ok());
        task["Optional"] = json!(["TaskName"]);
        assert_eq!(
            wrong(&task),
            ["/TaskContext/Optional/0"],
            "no other member may be left out"
        );
        task.as_object_mut().expect("an object").remove("Optional");
        let read = TaskContext::read(&form(), &task).expect("it fits");
        assert_eq!(read.optional, ["StartTime", "EndTime"]);
        task["EndTime"] = json!("2026-05-04T07:59:59Z");
        assert_eq!(wrong(&task), ["/TaskContext/EndTime"]);
    }

    #[test]
    fn the_overall_status_is_what_the_goals_add_up_to_c028_c032_c033() {
        let mut task = document();
        let read = TaskContext::read(&form(), &task).expect("it fits");
        assert_eq!(read.overall_status, "in_progress");
        for (said, fits) in [
            ("in_progress", true),
            ("in_progress: one of two", true),
            ("In Progress", true),
            ("completed", false),
            ("half done", true),
        ] {
            task["OverallStatus"] = json!(said);
            assert_eq!(TaskContext::read(&form(), &task).is_ok(), fits, "{said}");
        }
        let read = TaskContext::read(&form(), &task).expect("it fits");
        assert_eq!(
            read.overall_status, "in_progress: half done",
            "what the goals add up to, and the master's words"
        );
        task["OverallStatus"] = json!("");
        task["GoalStatus"][1]["Status"] = json!("Done");
        task["GoalStatus"][1]["Owner"] = json!("ann");
        let read = TaskContext::read(&form(), &task).expect("it fits");
        assert_eq!(json!(read.goal_status)[1]["Status"], "Done", "as the master says it");
        assert_eq!(json!(read.goal_status)[1]["Owner"], "ann");
        task["GoalStatus"][1] = json!({"Goal": "flight", "Status": "pending"});
        assert_eq!(wrong(&task), ["/TaskContext/GoalStatus/1/Goal"]);
    }

    #[test]
    fn changes_go_by_the_goals_names_and_leave_the_rest_c032_c064() {
        let mut task = document();
        task["TaskID"] = json!("work_1");
        let read = TaskContext::read(&form(), &task).expect("it fits");
        let changes =
            json!({"GoalStatus": [{"Goal": "hotel", "Status": "completed"}, {"Goal": "weather", "Status": "blocked"}]});
        let next = read.changed(&form(), &changes).expect("it fits");
        let statuses: Vec<&str> = next.goal_status.iter().map(|goal| goal.status.as_str()).collect();
        assert_eq!(
            (statuses, next.overall_status.as_str()),
            (vec!["completed", "completed", "blocked"], "blocked")
        );
        assert_eq!(next.user_query, read.user_query);
        let refused = |changes: Value| {
            let found = read.changed(&form(), &changes).expect_err("it is refused");
            found.into_iter().map(|one| one.pointer).collect::<Vec<_>>()
        };
        assert_eq!(refused(json!({"UserQuery": "other"})), ["/TaskContext/UserQuery"]);
        assert_eq!(refused(json!({"TaskID": "work_2"})), ["/TaskContext/TaskID"]);
        let more = read
            .changed(&form(), &json!({"Priority": 1, "task_name": "tour"}))
            .expect("it fits");
        assert_eq!((&json!(more)["Priority"], more.task_name.as_str()), (&json!(1), "tour"));
        assert_eq!(refused(json!({"GoalStatus": "x"})), ["/TaskContext/GoalStatus"]);
        assert_eq!(
            refused(json!({"OverallStatus": "completed"})),
            ["/TaskContext/OverallStatus"]
        );
        assert_eq!(refused(json!([])).len(), 1);
        assert!(read.changed(&form(), &json!({"TaskID": "work_1"})).is_ok());
        let twice = json!({"GoalStatus": [{"Goal": "new", "Status": "pending"}, {"Goal": "new", "Status": "failed"}]});
        assert_eq!(refused(twice), ["/TaskContext/GoalStatus/3/Goal"]);
        let there =
            json!({"GoalStatus": [{"Goal": "hotel", "Status": "failed"}, {"Goal": "hotel", "Status": "completed"}]});
        assert_eq!(
            refused(there),
            ["/TaskContext/GoalStatus/2/Goal"],
            "neither of them is lost"
        );
    }

    #[test]
    fn a_new_task_has_its_masters_id_or_none_c023() {
        let mut task = document();
        assert!(TaskContext::begun(&form(), &task).is_ok());
        task["TaskID"] = json!("T123456");
        assert!(TaskContext::begun(&form(), &task).is_ok());
        task["TaskID"] = json!("no id: it has spaces");
        assert_eq!(
            TaskContext::begun(&form(), &task).expect_err("no id")[0].pointer,
            "/TaskContext/TaskID"
        );
    }

    #[test]
    fn a_time_is_one_or_blank_c029() {
        let mut task = document();
        task["StartTime"] = json!("");
        assert_eq!(TaskContext::read(&form(), &task).expect("it fits").start_time, None);
        task["StartTime"] = json!("this morning");
        assert_eq!(wrong(&task), ["/TaskContext/StartTime"]);
    }
}
