//! What an agent may give back: its own context, with what came of its items (C-036, C-063).

use crate::task_context::agent_context::AgentContext;
use crate::task_context::agent_context::of;
use schema::exchange::violation::Violation;
use schema::exchange::violation::ViolationCode;

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
    use serde_json::json;

    use super::AgentContext;
    use super::returned;
    use crate::task_context::form::Form;

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
