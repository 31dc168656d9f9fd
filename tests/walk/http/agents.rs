//! What agents do with each other: shared context, tasks over A2A, conversations, messages, tasks of a master.

use serde_json::Value;
use serde_json::json;

use super::super::Step;
use super::super::Walk;
use super::super::get;
use super::super::post;
use super::HISTORY;
use super::USER;
use super::booking;
use crate::support::receiver::Do;
use crate::support::receiver::Receiver;

pub fn sharing(walk: &mut Walk) {
    fn step<'a>(method: &'a str, path: &'a str, body: Option<Value>) -> Step<'a> {
        Step {
            who: "lead",
            method,
            path,
            headers: &[],
            body,
        }
    }
    walk.chapter(
        "Sharing a context",
        "The agents of one session share a small working memory ([shared-context.md](shared-context.md)). Whoever creates it leads, and says \
         who else takes part.",
    );
    let wanted = json!({"session_id": "incident-42", "config": {"history_versions": 3},
        "participants": [{"principal": "analyst", "roles": ["subagent:analysis"]}]});
    walk.show(&step("POST", "/v1/sessions", Some(wanted)), 201);
    walk.show(&get("lead", "/v1/sessions"), 200);
    walk.silently(&get("lead", "/v1/sessions/incident-42"));
    walk.say("What goes into the agents' system prompts.");
    walk.show(&get("lead", "/v1/sessions/incident-42/prompt"), 200);
    walk.say("The document's form, and an address for each of its actions. Who wrote is set by the service.");
    let write = json!({"action": "write", "key": "problem_summary", "value": "Throughput dropped 30%."});
    walk.show(&step("POST", "/v1/sessions/incident-42/context", Some(write)), 200);
    let value = Some(json!({"value": "Was the change of the pool size intended?"}));
    let put = Step {
        who: "analyst",
        ..step("PUT", "/v1/sessions/incident-42/keys/open_questions", value)
    };
    walk.show(&put, 200);
    walk.show(&get("lead", "/v1/sessions/incident-42/keys"), 200);
    walk.show(&get("lead", "/v1/sessions/incident-42/keys/open_questions"), 200);
    let batch = Some(json!({"keys": ["problem_summary", "decisions_made"]}));
    walk.show(&step("POST", "/v1/sessions/incident-42/keys:read", batch), 200);
    walk.say("To who takes no part there is no such session.");
    walk.show(&get("mallory", "/v1/sessions/incident-42/keys"), 404);
    walk.say("Events say what changed, and no value.");
    walk.listen("lead", "/v1/sessions/incident-42/events?since=0", None);
    walk.met
        .insert(("GET".to_owned(), "/v1/sessions/incident-42/events".to_owned()));
    walk.say("Everything as it stands, kept under a label and brought back.");
    let label = Some(json!({"label": "before_decision"}));
    walk.show(&step("POST", "/v1/sessions/incident-42/snapshots", label), 201);
    walk.show(
        &step("DELETE", "/v1/sessions/incident-42/keys/open_questions", None),
        200,
    );
    walk.show(
        &get("lead", "/v1/sessions/incident-42/keys/open_questions/history"),
        200,
    );
    walk.silently(&get("lead", "/v1/sessions/incident-42/snapshots"));
    walk.silently(&get("lead", "/v1/sessions/incident-42/snapshots/before_decision"));
    walk.show(
        &step(
            "POST",
            "/v1/sessions/incident-42/snapshots/before_decision:rollback",
            None,
        ),
        200,
    );
    walk.silently(&step(
        "DELETE",
        "/v1/sessions/incident-42/snapshots/before_decision",
        None,
    ));
    let more = Some(json!({"principal": "reviewer", "roles": ["subagent:review"]}));
    walk.silently(&step("POST", "/v1/sessions/incident-42/participants", more));
    walk.silently(&step("DELETE", "/v1/sessions/incident-42/participants/reviewer", None));
    walk.say("An operator sees everything, and who wrote what.");
    walk.show(&get("olga", "/v1/sessions/incident-42/inspection"), 200);
    walk.show(&get("olga", "/v1/sessions:audit?session_id=incident-42&limit=3"), 200);
    walk.say("Archived, it can be read and nothing else; deleted, it is gone.");
    walk.show(&step("POST", "/v1/sessions/incident-42:archive", None), 200);
    let late = Some(json!({"value": "too late"}));
    walk.show(&step("PUT", "/v1/sessions/incident-42/keys/scope", late), 409);
    walk.show(&step("DELETE", "/v1/sessions/incident-42", None), 200);
}

pub fn agents(walk: &mut Walk) {
    const VERSION: &[(&str, &str)] = &[("A2A-Version", "1.0")];
    const CONTRACT: &[(&str, &str)] = &[
        ("A2A-Version", "1.0"),
        ("A2A-Extensions", "https://otherwise.dev/a2a/schema-contract/v1"),
    ];
    fn step<'a>(method: &'a str, path: &'a str, body: Option<Value>) -> Step<'a> {
        Step {
            who: "ada",
            method,
            path,
            headers: VERSION,
            body,
        }
    }
    let message = |parts: Value| json!({"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": parts}});
    let wrong = message(json!([{"data": booking(&[("passenger_count", json!("two"))])}]));
    walk.chapter(
        "Other agents",
        "Agents speak A2A 1.0 ([a2a.md](a2a.md)): a card says what there is, a message becomes a task, and what it brings is its \
         artifact.",
    );
    walk.show(&get("", "/.well-known/agent-card.json"), 200);
    walk.show(
        &step(
            "POST",
            "/a2a/message:send",
            Some(message(json!([{"data": booking(&[])}]))),
        ),
        200,
    );
    walk.say("The same over JSON-RPC. A wish in plain words is answered with the template that fits.");
    let call =
        |id: u64, method: &str, params: &Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let wish = message(json!([{"text": "I want to book a flight to Shanghai"}]));
    walk.show(&step("POST", "/a2a", Some(call(1, "SendMessage", &wish))), 200);
    walk.silently(&step("POST", "/a2a/", Some(call(2, "ListTasks", &json!({})))));
    walk.say("A payload that does not fit waits in its task for one that is mended.");
    let waits = walk
        .show(&step("POST", "/a2a/message:send", Some(wrong.clone())), 200)
        .body;
    walk.say("Who activates the [schema contract](a2a-extension.md) is told the same as an error.");
    walk.show(
        &Step {
            headers: CONTRACT,
            ..step("POST", "/a2a/message:send", Some(wrong))
        },
        400,
    );
    let task = format!("/a2a/tasks/{}", waits["task"]["id"].as_str().expect("an id"));
    let pushes = format!("{task}/pushNotificationConfigs");
    walk.say("Somebody may be told of what becomes of the task, by a call of an address of its own.");
    let receiver = Receiver::start(|_, _| Do::Answer(204, ""));
    let config = json!({"id": "desk", "url": receiver.url(), "token": "of-this-task"});
    walk.show(&step("POST", &pushes, Some(config)), 200);
    walk.silently(&step("GET", &pushes, None));
    walk.silently(&step("GET", &format!("{pushes}/desk"), None));
    let mut mended = message(json!([{"data": booking(&[("passenger_count", json!(2))])}]));
    mended["message"]["taskId"] = waits["task"]["id"].clone();
    walk.silently(&step("POST", "/a2a/message:stream", Some(mended)));
    receiver.wait_for(3);
    walk.silently(&step("DELETE", &format!("{pushes}/desk"), None));
    walk.show(&step("GET", &format!("{task}?historyLength=1"), None), 200);
    walk.show(&step("GET", "/a2a/tasks?pageSize=1", None), 200);
    walk.say("It has ended: it can be neither canceled nor followed any more.");
    walk.show(&step("POST", &format!("{task}:cancel"), None), 400);
    for method in ["GET", "POST"] {
        let followed = walk.silently(&step(method, &format!("{task}:subscribe"), None));
        assert_eq!(followed.status, 400, "{}", followed.body);
    }
    walk.silently(&step("GET", "/a2a/extendedAgentCard", None));
    walk.say("An agent of the older version is told which one is spoken.");
    walk.show(
        &Step {
            headers: &[],
            ..step("GET", "/a2a/tasks", None)
        },
        400,
    );
}

pub fn conversing(walk: &mut Walk) {
    let put = |who: &'static str, path: &'static str, body: Value| Step {
        method: "PUT",
        ..post(who, path, Some(body))
    };
    for (path, schema) in [
        ("/v1/schemas/conversation_history_v1", HISTORY),
        ("/v1/schemas/user_context_v1", USER),
    ] {
        walk.silently(&put("paul", path, serde_json::from_str(schema).expect("a template")));
    }
    walk.chapter(
        "Conversations",
        "A coordinator keeps what is said under a context id that is given out here, and declares what of it goes to which agent \
         ([passing-context.md](passing-context.md)).",
    );
    let first = json!({"role": "user", "content": "I am looking for a lightweight laptop under 1,000 dollars."});
    let begun = walk.show(&post("ada", "/v1/conversations", Some(first)), 201).body;
    let at = format!("/v1/conversations/{}", begun["context_id"].as_str().expect("an id"));
    walk.say(
        "Words and typed parts are recorded together. A part whose type or major version is not hosted fails nothing.",
    );
    let turn = json!({"role": "assistant", "parts": [
        {"text": "Here are some options. Option 4 costs 899 dollars."},
        {"data": {"userProfile": {"location": "Ulm"}, "foundItems": {"query": "lightweight laptops", "totalCount": 2}},
         "metadata": {"type": "UserContext", "schemaVersion": "1.0"}},
        {"data": {}, "metadata": {"type": "UserContext", "schemaVersion": "2.0"}}]});
    walk.show(&post("ada", &format!("{at}/turns"), Some(turn)), 201);
    walk.say("What the agent `laptops` gets: the history, and of the user's context what was found.");
    let declared =
        json!({"types": ["ConversationHistory", "UserContext"], "members": {"UserContext": ["/foundItems"]}});
    let recipient = format!("{at}/recipients/laptops");
    let declare = Step {
        method: "PUT",
        ..post("ada", &recipient, Some(declared))
    };
    walk.show(&declare, 200);
    let wanted = json!({"agent": "laptops", "text": "tell me more about option 4"});
    walk.show(&post("ada", &format!("{at}:embed"), Some(wanted)), 200);
    walk.say("The agent itself may fetch the same under the context id; nobody else learns that there is such a conversation.");
    walk.show(&get("laptops", &format!("{at}/context")), 200);
    walk.show(&get("ben", &format!("{at}/context")), 404);
    walk.silently(&Step {
        method: "DELETE",
        ..get("ada", recipient.as_str())
    });
    walk.show(&get("ada", &at), 200);
    walk.silently(&get("ada", "/v1/conversations"));
    walk.say("What is removed is erased.");
    walk.show(
        &Step {
            method: "DELETE",
            ..get("ada", &at)
        },
        200,
    );
}

pub fn messaging(walk: &mut Walk) {
    walk.chapter(
        "Messages between agents",
        "What becomes of a message's parts here, and what an Agent Context Message says to a model \
         ([agent-context-message.md](agent-context-message.md)).",
    );
    let parts = json!([{"data": [{"role": "user", "content": "hi"}],
        "metadata": {"type": "ConversationHistory", "schemaVersion": "1.3"}}]);
    walk.show(
        &post(
            "ada",
            "/v1/messages:check",
            Some(json!({"role": "user", "parts": parts})),
        ),
        200,
    );
    let message = json!({"agentContext": {
        "taskContext": {"taskId": "T123456", "taskName": "Data Analysis Project", "taskProgress": "30%",
            "todoItems": [{"itemId": "I001", "description": "Collect raw sales data from Q1"}]},
        "policyContext": {"policies": [{"policyId": "P002", "rule": "Use TLS 1.2 or higher."}]},
        "securityContext": {"authenticationInfo": {"token": "eyJhbGciOiJIUzy***"}}}});
    walk.show(
        &post("ada", "/v1/messages:render?tokens_max=300", Some(message.clone())),
        200,
    );
    let task = json!({"taskContext": message["agentContext"]["taskContext"]});
    walk.show(&post("ada", "/v1/messages:convert", Some(task)), 200);
    walk.say("An agent says what it offers by MCP when it starts, and is given the policies; who follows it is told of changes.");
    let services = json!({"mcpServiceList": [{"serviceName": "DataFetcher", "version": "1.0.0"}]});
    walk.show(
        &Step {
            method: "PUT",
            ..post("fetcher", "/v1/agents/fetcher/services", Some(services))
        },
        200,
    );
    walk.listen("ada", "/v1/agents/fetcher/services/stream", None);
    walk.silently(&get("ada", "/v1/agents/fetcher/services"));
    walk.silently(&get("ada", "/v1/policies"));
}

pub fn working(walk: &mut Walk) {
    walk.chapter(
        "Working together",
        "A master agent keeps a task, and each agent that it invokes sees its own part and no other \
         ([task-context.md](task-context.md)). What is long lies outside of messages, under the hash of its text.",
    );
    let notes = json!({"content": "Two guests, vegetarian, with a dog. They want to walk everywhere."});
    let stored = walk.show(&post("mara", "/v1/contents", Some(notes)), 201);
    let uri = stored.body["ContextURI"].as_str().expect("an address").to_owned();
    let hotel = json!({
        "AgentID": "hotel-agent", "AgentName": "Hotel booking", "SubTaskID": "hotel", "SubTaskName": "Find a hotel",
        "Dependencies": [], "ContextURI": uri,
        "todoItems": [{"itemId": "1", "description": "Find a hotel near the Colosseum"}],
        "ItemstateUpdates": [], "KeyInformation": [], "Optional": ["LastUpdated"],
    });
    let tour = json!({"TaskContext": {
        "TaskID": "", "UserQuery": "Plan me four days in Rome", "TaskName": "tour plan",
        "TaskDescription": "A hotel for four days in Rome",
        "GoalStatus": [{"Goal": "find a hotel", "Status": "pending"}], "OverallStatus": "",
        "Optional": ["StartTime", "EndTime"],
    }});
    let begun = walk.show(&post("mara", "/v1/tasks", Some(tour)), 201);
    let task = format!(
        "/v1/tasks/{}",
        begun.body["TaskContext"]["TaskID"].as_str().expect("an id")
    );
    let at = format!("{task}/subtasks/hotel");
    walk.say("The hotel agent is sent its part. To everyone else, the task is not there.");
    walk.show(
        &post(
            "mara",
            &format!("{task}/subtasks"),
            Some(json!({"AgentContext": hotel})),
        ),
        201,
    );
    walk.show(&get("hotel-agent", "/v1/tasks?role=agent&state=sent"), 200);
    walk.show(&get("hotel-agent", &task), 404);
    walk.show(&get("hotel-agent", &at), 200);
    walk.show(&get("hotel-agent", &uri), 200);
    let give_back = |said: &str| {
        let mut back = hotel.clone();
        back["ItemstateUpdates"] = json!([{"itemId": "1", "state": 1}]);
        back["KeyInformation"] = json!([{"itemId": "1", "outputabstract": said}]);
        json!({"AgentContext": back})
    };
    let put = |body: Value| Step {
        who: "hotel-agent",
        method: "PUT",
        path: &at,
        headers: &[],
        body: Some(body),
    };
    let evaluate = format!("{at}:evaluate");
    let evaluated = |verified: bool, reason: &str| {
        let body = json!({"verdicts": [{"itemId": "1", "verified": verified, "reason": reason}]});
        post("mara", &evaluate, Some(body))
    };
    walk.say("It gives back what came of it. Its structure is looked at first; the rest is the master's verdict, with its reason.");
    walk.show(&put(give_back("I could not find any hotel there.")), 200);
    walk.show(&post("mara", &evaluate, None), 200);
    walk.show(&evaluated(false, "there is no hotel"), 200);
    walk.say("What was refused is made out anew.");
    walk.show(
        &post("mara", &format!("{at}:resend"), Some(json!({"AgentContext": hotel}))),
        200,
    );
    walk.silently(&put(give_back(
        "Hotel Capo d'Africa, 300 m from the Colosseum, takes dogs",
    )));
    walk.show(&evaluated(true, "near, and dogs are welcome"), 200);
    let goal = json!({"TaskContext": {"GoalStatus": [{"Goal": "find a hotel", "Status": "completed: Capo d'Africa"}]}});
    let patch = Step {
        who: "mara",
        method: "PATCH",
        path: &task,
        headers: &[],
        body: Some(goal),
    };
    walk.show(&patch, 200);
    walk.silently(&get("mara", &task));
    walk.silently(&post("mara", &format!("{task}:close"), None));
    for path in [&task, &uri] {
        let delete = Step {
            who: "mara",
            method: "DELETE",
            path,
            headers: &[],
            body: None,
        };
        walk.show(&delete, 200);
    }
}
