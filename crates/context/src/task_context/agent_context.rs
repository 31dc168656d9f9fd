//! AgentContext: what one agent is told of a task, and what it gives back (C-034 … C-053).
//!
//! Read through its [`Form`] first; here stands what a template cannot say: one of Context and ContextURI is given, items are
//! named once, and what is said of items is said of those that there are (C-044, C-049). Invariant: every state and every piece of
//! key information belongs to a todo item.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use utoipa::ToSchema;

use crate::task_context::form::Form;
use crate::task_context::form::is_address;
use crate::task_context::form::no_time;
use crate::task_context::form::wrong;
use crate::task_context::id::ContentId;
use crate::task_context::id::SubtaskId;
use schema::exchange::verdict::Violation;
use schema::exchange::verdict::ViolationCode;
use schema::name::ClientId;
use schema::numeral;

/// Its name on the wire.
pub const AGENT_CONTEXT: &str = "AgentContext";

/// A step that the agent is to take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TodoItem {
    #[serde(rename = "itemId")]
    #[schema(min_length = 1, max_length = 64)]
    pub item_id: String,
    #[schema(min_length = 1, max_length = 2000)]
    pub description: String,
    #[serde(flatten)]
    #[schema(ignore)]
    pub more: Map<String, Value>,
}

/// How far a step is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ItemState {
    #[serde(rename = "itemId")]
    #[schema(min_length = 1, max_length = 64)]
    pub item_id: String,
    /// 0 is not completed, 1 is completed (C-046).
    #[serde(deserialize_with = "numeral::count")]
    #[schema(minimum = 0, maximum = 1)]
    pub state: u8,
    #[serde(flatten)]
    #[schema(ignore)]
    pub more: Map<String, Value>,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct KeyInformation {
    #[serde(rename = "itemId")]
    #[schema(min_length = 1, max_length = 64)]
    pub item_id: String,
    #[schema(max_length = 4000)]
    pub outputabstract: String,
    #[serde(flatten)]
    #[schema(ignore)]
    pub more: Map<String, Value>,
}

/// All that one agent is told of a task, and all that it gives back. `ItemStateUpdates` is read as well, and so is
/// `Context/ContextURI`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct AgentContext {
    /// The name by which the agent calls.
    #[serde(rename = "AgentID")]
    #[schema(min_length = 1, max_length = 128)]
    pub agent_id: String,
    pub agent_name: String,
    #[serde(rename = "SubTaskID")]
    #[schema(pattern = "^[A-Za-z0-9._-]{1,64}$")]
    pub sub_task_id: String,
    pub sub_task_name: String,
    /// Subtasks that come before.
    #[schema(max_items = 64)]
    pub dependencies: Vec<String>,
    /// One of this and ContextURI is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    #[serde(default, rename = "ContextURI", skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2048)]
    pub context_uri: Option<String>,
    #[serde(rename = "todoItems")]
    #[schema(min_items = 1, max_items = 64)]
    pub todo_items: Vec<TodoItem>,
    #[serde(rename = "ItemstateUpdates")]
    #[schema(required = false, max_items = 64)]
    pub itemstate_updates: Vec<ItemState>,
    #[schema(max_items = 64)]
    pub key_information: Vec<KeyInformation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub last_updated: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub device_context: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub environment_context: Option<Map<String, Value>>,
    /// Whether LastUpdated may be left out; it may where nothing is said.
    #[serde(default = "optional")]
    #[schema(value_type = Option<Vec<String>>, max_items = 1)]
    pub optional: Vec<String>,
    /// Members that the document does not have: kept, and given back.
    #[serde(flatten)]
    #[schema(ignore)]
    pub more: Map<String, Value>,
}

fn optional() -> Vec<String> {
    vec!["LastUpdated".to_owned()]
}

/// A context with the names that it is filed under.
#[derive(Clone, Debug, PartialEq)]
pub struct Filed {
    pub context: AgentContext,
    pub subtask: SubtaskId,
    /// The principal that the subtask is for: nobody else reads it (C-041).
    pub agent: ClientId,
    pub after: Vec<SubtaskId>,
}

impl AgentContext {
    /// Reads a context.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(form: &Form, document: &Value) -> Result<AgentContext, Vec<Violation>> {
        let members = form.read(document)?;
        let context: AgentContext = serde_json::from_value(Value::Object(members))
            .map_err(|_| vec![of("", "", ViolationCode::BadShape, "AgentContext cannot be read")])?;
        let mut violations: Vec<Violation> = context.left_out().into_iter().collect();
        violations.extend(no_time(AGENT_CONTEXT, "LastUpdated", &context.last_updated));
        violations.extend(context.one_context());
        violations.extend(context.items());
        if violations.is_empty() {
            Ok(context)
        } else {
            Err(violations)
        }
    }

    /// The context with its names read; the form holds them to what a name may be.
    ///
    /// # Errors
    /// A name that is none.
    pub fn filed(self) -> Result<Filed, Vec<Violation>> {
        let subtask = SubtaskId::parse(&self.sub_task_id);
        let agent = ClientId::parse(&self.agent_id);
        let after: Option<Vec<SubtaskId>> = self.dependencies.iter().map(|id| SubtaskId::parse(id)).collect();
        match (subtask, agent, after) {
            (Some(subtask), Some(agent), Some(after)) => Ok(Filed {
                context: self,
                subtask,
                agent,
                after,
            }),
            (_, _, _) => {
                let message = "AgentID, SubTaskID and Dependencies are names";
                Err(vec![of("SubTaskID", "", ViolationCode::BadFormat, message)])
            }
        }
    }

    /// Contents of this service whose addresses stand anywhere in it (C-058).
    pub fn refers(&self) -> BTreeSet<ContentId> {
        self.referring().into_iter().map(|(_, _, id)| id).collect()
    }

    /// The same, each with the member that it stands in and a JSON pointer from there on.
    pub fn referring(&self) -> Vec<(&'static str, String, ContentId)> {
        let texts = [("Context", &self.context), ("ContextURI", &self.context_uri)];
        let texts = texts
            .into_iter()
            .filter_map(|(member, text)| Some((member, String::new(), text.as_deref()?)));
        let items = self.todo_items.iter().enumerate();
        let items = items.map(|(n, item)| ("todoItems", format!("/{n}/description"), item.description.as_str()));
        let said = self.key_information.iter().enumerate();
        let said = said.map(|(n, said)| {
            (
                "KeyInformation",
                format!("/{n}/outputabstract"),
                said.outputabstract.as_str(),
            )
        });
        let all = texts.chain(items).chain(said);
        all.flat_map(|(member, below, text)| ContentId::within(text).map(move |id| (member, below.clone(), id)))
            .collect()
    }

    /// The state of an item; none was told where there is none.
    pub fn state(&self, item_id: &str) -> Option<u8> {
        let found = self.itemstate_updates.iter().find(|update| update.item_id == item_id);
        found.map(|update| update.state)
    }

    /// What is said to have come of an item.
    pub fn information(&self, item_id: &str) -> Option<&str> {
        let found = self.key_information.iter().find(|said| said.item_id == item_id);
        found.map(|said| said.outputabstract.as_str())
    }

    /// `LastUpdated` may be left out where `Optional` names it (C-050).
    fn left_out(&self) -> Option<Violation> {
        let missing = self.last_updated.is_none() && !self.optional.iter().any(|name| name == "LastUpdated");
        missing.then(|| {
            let message = "`LastUpdated` is required, since `Optional` does not name it";
            of("LastUpdated", "", ViolationCode::MissingRequired, message)
        })
    }

    fn one_context(&self) -> Option<Violation> {
        match (&self.context, &self.context_uri) {
            (Some(_), Some(_)) => {
                let message = "`Context` and `ContextURI` are both given; give one";
                Some(of("ContextURI", "", ViolationCode::BadShape, message))
            }
            (None, None) => {
                let message = "one of `Context` and `ContextURI` is required";
                Some(of("Context", "", ViolationCode::MissingRequired, message))
            }
            (None, Some(uri)) if !is_address(uri) => {
                let message = "an address of this service such as /v1/contents/{sha256}, or an absolute one";
                Some(of("ContextURI", "", ViolationCode::BadFormat, message))
            }
            (_, _) => None,
        }
    }

    fn items(&self) -> Vec<Violation> {
        let todo: Vec<&str> = self.todo_items.iter().map(|item| item.item_id.as_str()).collect();
        let states: Vec<&str> = self
            .itemstate_updates
            .iter()
            .map(|update| update.item_id.as_str())
            .collect();
        let said: Vec<&str> = self.key_information.iter().map(|said| said.item_id.as_str()).collect();
        let mut violations = Vec::new();
        for (member, ids) in [
            ("todoItems", &todo),
            ("ItemstateUpdates", &states),
            ("KeyInformation", &said),
        ] {
            for (place, id) in ids.iter().enumerate() {
                let below = format!("/{place}/itemId");
                if ids.iter().take(place).any(|other| other == id) {
                    violations.push(of(
                        member,
                        &below,
                        ViolationCode::BadShape,
                        "an item is named once here",
                    ));
                } else if !todo.contains(id) {
                    let message = "no item of `todoItems` has this id";
                    violations.push(of(member, &below, ViolationCode::NotAcceptable, message));
                }
            }
        }
        violations
    }
}

pub(in crate::task_context) fn of(member: &str, below: &str, code: ViolationCode, message: &str) -> Violation {
    wrong(AGENT_CONTEXT, member, below, code, message)
}

/// The context as it goes on record, of what was sent and what came back. States, key information, the time, and where the
/// context lies may have changed; all else is what was sent. An empty `Context` leaves what was sent, so that nobody must send
/// it back.
///
/// # Errors
/// Every member that was changed and may not be.
pub fn returned(sent: &AgentContext, back: AgentContext) -> Result<AgentContext, Vec<Violation>> {
    let same = [
        ("AgentID", sent.agent_id == back.agent_id),
        ("AgentName", sent.agent_name == back.agent_name),
        ("SubTaskID", sent.sub_task_id == back.sub_task_id),
        ("SubTaskName", sent.sub_task_name == back.sub_task_name),
        ("Dependencies", sent.dependencies == back.dependencies),
        ("todoItems", sent.todo_items == back.todo_items),
        ("DeviceContext", sent.device_context == back.device_context),
        (
            "EnvironmentContext",
            sent.environment_context == back.environment_context,
        ),
    ];
    let violations: Vec<Violation> = same
        .into_iter()
        .filter(|(_, same)| !same)
        .map(|(member, _)| {
            let message = format!("`{member}` must come back as it was sent");
            of(member, "", ViolationCode::NotAcceptable, &message)
        })
        .collect();
    if !violations.is_empty() {
        return Err(violations);
    }
    // What nobody here knows of may be left out, and stays as it was sent then.
    let mut more = sent.more.clone();
    more.extend(back.more);
    let back = AgentContext { more, ..back };
    if back.context.as_deref() == Some("") {
        return Ok(AgentContext {
            context: sent.context.clone(),
            context_uri: sent.context_uri.clone(),
            ..back
        });
    }
    Ok(back)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::AgentContext;
    use super::returned;
    use crate::task_context::form::Form;

    fn document() -> Value {
        json!({"AgentID": "hotel-agent", "AgentName": "Hotel", "SubTaskID": "hotel", "SubTaskName": "Book a hotel",
               "Dependencies": [], "Context": "two guests",
               "todoItems": [{"itemId": "1", "description": "find"}, {"itemId": "2", "description": "book"}],
               "ItemstateUpdates": [{"itemId": "1", "state": 1}],
               "KeyInformation": [{"itemId": "1", "outputabstract": "Hotel Capo d'Africa"}]})
    }

    fn wrong(document: &Value) -> Vec<String> {
        let form = Form::of_agent().expect("a form");
        let found = AgentContext::read(&form, document).expect_err("it is wrong");
        found.into_iter().map(|one| one.pointer).collect()
    }

    fn read(document: &Value) -> AgentContext {
        AgentContext::read(&Form::of_agent().expect("a form"), document).expect("it fits")
    }

    #[test]
    fn what_is_said_of_items_is_said_of_those_that_there_are_c046_c049() {
        let context = read(&document());
        assert_eq!(
            (context.state("1"), context.state("2"), context.state("3")),
            (Some(1), None, None)
        );
        assert_eq!(context.information("1"), Some("Hotel Capo d'Africa"));
        let mut odd = document();
        odd["ItemstateUpdates"][0]["itemId"] = json!("3");
        assert_eq!(wrong(&odd), ["/AgentContext/ItemstateUpdates/0/itemId"]);
        odd["KeyInformation"][0]["itemId"] = json!("");
        assert_eq!(wrong(&odd).len(), 1, "an empty id is refused by the form");
        odd["KeyInformation"][0]["itemId"] = json!("4");
        assert_eq!(wrong(&odd).len(), 2);
        let mut twice = document();
        twice["todoItems"][1]["itemId"] = json!("1");
        assert_eq!(wrong(&twice), ["/AgentContext/todoItems/1/itemId"]);
        twice = document();
        twice["ItemstateUpdates"] = json!([{"itemId": "1", "state": 1}, {"itemId": "1", "state": 0}]);
        assert_eq!(wrong(&twice), ["/AgentContext/ItemstateUpdates/1/itemId"]);
        let mut float = document();
        float["ItemstateUpdates"][0]["state"] = json!(1.0);
        assert_eq!(
            read(&float).state("1"),
            Some(1),
            "as clients write it that know no other numbers"
        );
    }

    #[test]
    fn one_of_context_and_its_address_is_given_c043_c044_c051() {
        let mut both = document();
        both["ContextURI"] = json!("https://example.org/a");
        assert_eq!(wrong(&both), ["/AgentContext/ContextURI"]);
        both.as_object_mut().expect("an object").remove("Context");
        assert_eq!(read(&both).context_uri.as_deref(), Some("https://example.org/a"));
        both["ContextURI"] = json!("no address");
        assert_eq!(wrong(&both), ["/AgentContext/ContextURI"]);
        both.as_object_mut().expect("an object").remove("ContextURI");
        assert_eq!(wrong(&both), ["/AgentContext/Context"]);
    }

    #[test]
    fn last_updated_may_be_left_out_where_optional_names_it_c050() {
        let mut strict = document();
        strict["Optional"] = json!([]);
        assert_eq!(wrong(&strict), ["/AgentContext/LastUpdated"]);
        strict["LastUpdated"] = json!("");
        assert_eq!(wrong(&strict), ["/AgentContext/LastUpdated"], "blank is absent");
        strict["LastUpdated"] = json!("just now");
        assert_eq!(wrong(&strict), ["/AgentContext/LastUpdated"]);
        strict["LastUpdated"] = json!("2026-05-04T08:00:00Z");
        assert_eq!(read(&strict).last_updated.as_deref(), Some("2026-05-04T08:00:00Z"));
    }

    #[test]
    fn contents_are_found_wherever_a_context_names_them_c058() {
        let mut refers = document();
        refers["Context"] = json!(format!("see /v1/contents/{}", "a".repeat(64)));
        refers["KeyInformation"][0]["outputabstract"] = json!(format!("all of it: /v1/contents/{}", "b".repeat(64)));
        assert_eq!(read(&refers).refers().len(), 2);
        assert_eq!(read(&document()).refers().len(), 0);
    }

    #[test]
    fn four_names_bind_a_context_to_one_subtask_c041() {
        let filed = read(&document()).filed().expect("names");
        assert_eq!((filed.agent.as_str(), filed.subtask.as_str()), ("hotel-agent", "hotel"));
        assert_eq!(filed.context.agent_name, "Hotel");
    }

    fn sent() -> AgentContext {
        let document = json!({"AgentID": "a", "AgentName": "A", "SubTaskID": "s", "SubTaskName": "S", "Dependencies": ["r"],
            "Context": "what is known", "todoItems": [{"itemId": "1", "description": "find"}], "ItemstateUpdates": [],
            "KeyInformation": []});
        AgentContext::read(&Form::of_agent().expect("a form"), &document).expect("it fits")
    }

    #[test]
    fn an_agent_changes_what_came_of_its_items_and_nothing_else_c036_c063() {
        let mut back = sent();
        back.itemstate_updates
            .push(serde_json::from_value(json!({"itemId": "1", "state": 1})).expect("a state"));
        back.context = None;
        back.context_uri = Some("https://example.org/all-of-it".to_owned());
        assert_eq!(returned(&sent(), back.clone()), Ok(back));
        let changes: [fn(&mut AgentContext); 8] = [
            |back| "b".clone_into(&mut back.agent_id),
            |back| "B".clone_into(&mut back.agent_name),
            |back| "t".clone_into(&mut back.sub_task_id),
            |back| "T".clone_into(&mut back.sub_task_name),
            |back| back.dependencies.clear(),
            |back| back.todo_items.clear(),
            |back| back.device_context = Some(serde_json::Map::new()),
            |back| back.environment_context = Some(serde_json::Map::new()),
        ];
        for change in changes {
            let mut back = sent();
            change(&mut back);
            assert_eq!(returned(&sent(), back).expect_err("it was changed").len(), 1);
        }
    }

    #[test]
    fn what_an_agent_was_told_need_not_be_sent_back_c053() {
        let mut back = sent();
        back.context = Some(String::new());
        assert_eq!(
            returned(&sent(), back).expect("it is its own").context.as_deref(),
            Some("what is known")
        );
    }

    #[test]
    fn members_that_nobody_knows_are_kept_and_may_be_added_to_c053() {
        let mut was = sent();
        was.more.insert("Priority".to_owned(), json!(1));
        let mut back = sent();
        back.more.insert("Mood".to_owned(), json!("good"));
        let kept = json!(returned(&was, back).expect("it is its own").more);
        assert_eq!(kept, json!({"Priority": 1, "Mood": "good"}));
    }
}
