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

use crate::task_context::form;
use crate::task_context::form::Form;
use crate::task_context::form::is_address;
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
    #[schema(value_type = String, min_length = 1, max_length = 128)]
    pub agent_id: ClientId,
    pub agent_name: String,
    #[serde(rename = "SubTaskID")]
    #[schema(value_type = String, pattern = "^[A-Za-z0-9._-]{1,64}$")]
    pub sub_task_id: SubtaskId,
    pub sub_task_name: String,
    /// Subtasks that come before.
    #[schema(value_type = Vec<String>, max_items = 64)]
    pub dependencies: Vec<SubtaskId>,
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

impl AgentContext {
    /// Reads a context.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(form: &Form, document: &Value) -> Result<AgentContext, Vec<Violation>> {
        let context: AgentContext = form.parse(document)?;
        let times = [("LastUpdated", &context.last_updated)];
        let mut violations = form::times(AGENT_CONTEXT, &times, &context.optional);
        violations.extend(context.names());
        violations.extend(context.one_context());
        violations.extend(context.items());
        form::none_in(context, violations)
    }

    /// The form holds names to what they may be, but for those that lead elsewhere in an address.
    fn names(&self) -> Option<Violation> {
        let mut ids = self.dependencies.iter().chain([&self.sub_task_id]);
        let is_wrong = ids.any(|id| SubtaskId::parse(id.as_str()).is_none());
        let message = "AgentID, SubTaskID and Dependencies are names";
        is_wrong.then(|| wrong("SubTaskID", "", ViolationCode::BadFormat, message))
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

    fn one_context(&self) -> Option<Violation> {
        match (&self.context, &self.context_uri) {
            (Some(_), Some(_)) => {
                let message = "`Context` and `ContextURI` are both given; give one";
                Some(wrong("ContextURI", "", ViolationCode::BadShape, message))
            }
            (None, None) => {
                let message = "one of `Context` and `ContextURI` is required";
                Some(wrong("Context", "", ViolationCode::MissingRequired, message))
            }
            (None, Some(uri)) if !is_address(uri) => {
                let message = "an address of this service such as /v1/contents/{sha256}, or an absolute one";
                Some(wrong("ContextURI", "", ViolationCode::BadFormat, message))
            }
            (_, _) => None,
        }
    }

    fn items(&self) -> Vec<Violation> {
        let todo: Vec<&str> = self.todo_items.iter().map(|item| item.item_id.as_str()).collect();
        let states = self.itemstate_updates.iter().map(|update| update.item_id.as_str());
        let said = self.key_information.iter().map(|said| said.item_id.as_str());
        let mut violations = Vec::new();
        for (member, ids) in [
            ("todoItems", todo.clone()),
            ("ItemstateUpdates", states.collect()),
            ("KeyInformation", said.collect()),
        ] {
            for (place, id) in ids.iter().enumerate() {
                let (code, message) = if ids.iter().take(place).any(|other| other == id) {
                    (ViolationCode::BadShape, "an item is named once here")
                } else if !todo.contains(id) {
                    (ViolationCode::NotAcceptable, "no item of `todoItems` has this id")
                } else {
                    continue;
                };
                violations.push(wrong(member, &format!("/{place}/itemId"), code, message));
            }
        }
        violations
    }
}

/// A violation of a member of the context; `below` is a JSON pointer from the member on.
pub fn wrong(member: &str, below: &str, code: ViolationCode, message: &str) -> Violation {
    form::wrong(AGENT_CONTEXT, member, below, code, message)
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
            wrong(member, "", ViolationCode::NotAcceptable, &message)
        })
        .collect();
    let back = form::none_in(back, violations)?;
    // What nobody here knows of may be left out, and stays as it was sent then.
    let mut more = sent.more.clone();
    more.extend(back.more);
    let mut back = AgentContext { more, ..back };
    if back.context.as_deref() == Some("") {
        back.context.clone_from(&sent.context);
        back.context_uri.clone_from(&sent.context_uri);
    }
    Ok(back)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::AgentContext;
    use super::ClientId;
    use super::SubtaskId;
    use super::returned;
    use crate::task_context::form::Form;

    fn document() -> Value {
        json!({"AgentID": "hotel-agent", "AgentName": "Hotel", "SubTaskID": "hotel", "SubTaskName": "Book a hotel",
               "Dependencies": ["flight"], "Context": "two guests",
               "todoItems": [{"itemId": "1", "description": "find"}, {"itemId": "2", "description": "book"}],
               "ItemstateUpdates": [{"itemId": "1", "state": 1.0}],
               "KeyInformation": [{"itemId": "1", "outputabstract": "Hotel Capo d'Africa"}]})
    }

    /// The context where these members are otherwise, or left out where they are null; or the places of what is wrong.
    fn read(more: &[(&str, Value)]) -> Result<AgentContext, String> {
        let mut document = document();
        let members = document.as_object_mut().expect("members");
        members.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        AgentContext::read(&Form::of_agent().expect("a form"), &document).map_err(|found| {
            let places = found.iter().map(|one| one.pointer.trim_start_matches("/AgentContext/"));
            places.collect::<Vec<_>>().join(" ")
        })
    }

    fn sent() -> AgentContext {
        read(&[]).expect("it fits")
    }

    #[test]
    fn what_a_template_cannot_say_is_told_by_its_place_c041_c043_c044_c046_c049_c050_c051() {
        let context = sent();
        assert_eq!(["1", "2", "3"].map(|id| context.state(id)), [Some(1), None, None]);
        assert_eq!(context.information("1"), Some("Hotel Capo d'Africa"));
        let state = |id: &str| json!({"itemId": id, "state": 1});
        let said = |id: &str| json!([{"itemId": id, "outputabstract": "x"}]);
        let item = json!({"itemId": "1", "description": "find"});
        let uri = |uri: &str| ("ContextURI", json!(uri));
        let (no_context, strict) = (("Context", Value::Null), ("Optional", json!([])));
        for (more, wrong) in [
            (
                &[("ItemstateUpdates", json!([state("3")]))][..],
                "ItemstateUpdates/0/itemId",
            ),
            (
                &[("ItemstateUpdates", json!([state("1"), state("1")]))],
                "ItemstateUpdates/1/itemId",
            ),
            (&[("KeyInformation", said("4"))], "KeyInformation/0/itemId"),
            (&[("todoItems", json!([item, item]))], "todoItems/1/itemId"),
            (&[("SubTaskID", json!(".."))], "SubTaskID"),
            (&[uri("https://example.org/a")], "ContextURI"),
            (&[uri("no address"), no_context.clone()], "ContextURI"),
            (std::slice::from_ref(&no_context), "Context"),
            (std::slice::from_ref(&strict), "LastUpdated"),
            (&[("LastUpdated", json!("just now"))], "LastUpdated"),
            // Blank is absent.
            (&[strict.clone(), ("LastUpdated", json!(""))], "LastUpdated"),
        ] {
            assert_eq!(read(more), Err(wrong.to_owned()), "{more:?}");
        }
        assert!(read(&[uri("https://example.org/a"), no_context]).is_ok());
        assert!(read(&[strict, ("LastUpdated", json!("2026-05-04T08:00:00Z"))]).is_ok());
    }

    #[test]
    fn contents_are_found_wherever_a_context_names_them_c058() {
        let uri = |digit: &str| format!("see /v1/contents/{}", digit.repeat(64));
        let said = json!([{"itemId": "1", "outputabstract": uri("b")}]);
        let refers = read(&[("Context", json!(uri("a"))), ("KeyInformation", said)]).expect("it fits");
        assert_eq!((refers.refers().len(), sent().refers().len()), (2, 0));
    }

    #[test]
    fn an_agent_changes_what_came_of_its_items_and_nothing_else_c036_c053_c063() {
        let mut back = sent();
        (back.itemstate_updates, back.key_information) = (Vec::new(), Vec::new());
        (back.context, back.context_uri) = (None, Some("https://example.org/all-of-it".to_owned()));
        assert_eq!(returned(&sent(), back.clone()), Ok(back));
        let changes: [fn(&mut AgentContext); 8] = [
            |back| back.agent_id = ClientId::parse("b").expect("a name"),
            |back| "B".clone_into(&mut back.agent_name),
            |back| back.sub_task_id = SubtaskId::parse("t").expect("an id"),
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
        // What it was told need not be sent back, and members that nobody knows are kept and may be added to.
        let was = read(&[("Priority", json!(1))]).expect("it fits");
        let back = read(&[("Context", json!("")), ("Mood", json!("good"))]).expect("it fits");
        let kept = returned(&was, back).expect("it is its own");
        assert_eq!(kept.context.as_deref(), Some("two guests"));
        assert_eq!(json!(kept.more), json!({"Priority": 1, "Mood": "good"}));
    }
}
