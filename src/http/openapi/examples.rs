//! The examples of the document, in the order in which they can be sent: a story of one service.
//!
//! A test sends them to the real service, where several clients have already asked for a window seat, and holds their answers
//! against the document and against those that stand in `answers.json` (`UPDATE_DOCS=1` rewrites them).

mod agents;

mod conversing;

pub mod written;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

/// The answers that the service gave: JSON documents, or the first lines of a text.
const ANSWERS: &str = include_str!("answers.json");

/// A request.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The operation's id.
    pub operation: &'static str,
    /// Unique within the operation, snake_case.
    pub name: &'static str,
    pub summary: &'static str,
    /// What it is answered with.
    pub status: u16,
    /// Who asks.
    pub who: &'static str,
    /// Parameters by name, wherever they stand.
    pub parameters: Vec<(&'static str, &'static str)>,
    pub body: Option<Value>,
}

impl Ask {
    /// Where its answer stands: `publish_schema/new`.
    pub fn key(&self) -> String {
        format!("{}/{}", self.operation, self.name)
    }

    /// What a parameter is.
    pub fn value(&self, name: &str) -> Option<&'static str> {
        self.parameters
            .iter()
            .find(|(own, _)| *own == name)
            .map(|(_, value)| *value)
    }

    fn with(mut self, name: &'static str, value: &'static str) -> Ask {
        self.parameters.push((name, value));
        self
    }

    fn by(mut self, who: &'static str) -> Ask {
        self.who = who;
        self
    }

    fn sending(mut self, body: Value) -> Ask {
        self.body = Some(body);
        self
    }

    fn answered(mut self, status: u16) -> Ask {
        self.status = status;
        self
    }
}

fn ask(operation: &'static str, name: &'static str, summary: &'static str) -> Ask {
    Ask {
        operation,
        name,
        summary,
        status: 200,
        who: "olga",
        parameters: Vec::new(),
        body: None,
    }
}

/// The answers by [`Ask::key`].
pub fn answers() -> Map<String, Value> {
    serde_json::from_str(ANSWERS).unwrap_or_default()
}

const FLIGHT: &str = "flight_booking";
const BASE: &str = "flight_booking_v1";
const TABLE: &str = "table_booking_v1";
/// What several clients asked for before the story begins.
const SEAT: &str = "flight_booking.p1";

fn table() -> Value {
    json!({
        "schema_id": TABLE,
        "scenario": "table_booking",
        "description": "Books a table in a restaurant.",
        "owner": "Restaurants",
        "labels": {"team": "restaurants"},
        "keys": [
            {"key_name": "day", "key_type": "string", "required": true, "constraints": {"format": "date"},
             "semantic_description": "Day of the visit. Example mapping: 'on May 4th' -> '2026-05-04'."},
            {"key_name": "guests", "key_type": "integer", "required": true,
             "semantic_description": "How many come. Range: 1-12. Example mapping: 'the two of us' -> 2."},
        ],
    })
}

/// What the service gives out by chance, as the examples write it: the task of the story, the webhook, the conversation, the value
/// that waits for a person; and the address of whoever is told, which is another one wherever the story is sent.
const TASK: &str = "work_5f0c2d3f6c1b4b7d9a1e2f3a4b5c6d7e";
const WEBHOOK: &str = "wh_7f1bb5301e1b1bbce2fe7d3381a1c5c1";
const CONTEXT: &str = "ctx_5d0f6a4be0f64d1c9a1b2c3d4e5f6071";
const AUDIT: &str = "flight_booking.p1.26";
pub const DESK: &str = "https://desk.example/otherwise";

/// Where the `Location` of an operation's answer leads in its first example.
pub fn leads_to(operation: &str) -> Option<&'static str> {
    match operation {
        "publish_schema" => Some("/v1/schemas/table_booking_v1"),
        "read_docs" => Some("docs/"),
        _ => None,
    }
}

/// Which answer gives out what: the example, where it stands in its answer, and how the examples write it.
pub const GIVEN_OUT: [(&str, &str, &str); 8] = [
    ("create_task/tour", "/TaskContext/TaskID", TASK),
    ("register_webhook/desk", "/id", WEBHOOK),
    ("open_conversation/first", "/context_id", CONTEXT),
    ("list_audits/first", "/audits/0/id", AUDIT),
    ("send_message/booking", "/task/id", agents::BOOKED),
    ("send_message/booking", "/task/contextId", agents::BOOKED_IN),
    ("send_message/wrong", "/task/id", agents::WAITING),
    ("send_message/wrong", "/task/contextId", agents::WAITING_IN),
];
const NOTES: &str = "Two guests, vegetarian, no smoking. They know the city and want to walk everywhere.";
/// The hash of [`NOTES`].
const NOTES_HASH: &str = "4b4216766fec9d10a6daa4163294aecfc0f1487317932a9be472897f691dfbe9";

fn hotel() -> Value {
    json!({
        "AgentID": "olga", "AgentName": "Hotel agent", "SubTaskID": "hotel", "SubTaskName": "Find a hotel",
        "Dependencies": [], "ContextURI": format!("/v1/contents/{NOTES_HASH}"),
        "todoItems": [{"itemId": "1", "description": "Find a hotel near the Colosseum"}],
        "ItemstateUpdates": [], "KeyInformation": [],
    })
}

fn found() -> Value {
    let mut back = hotel();
    back["ItemstateUpdates"] = json!([{"itemId": "1", "state": 1}]);
    back["KeyInformation"] =
        json!([{"itemId": "1", "outputabstract": "Hotel Capo d'Africa, 300 m from the Colosseum"}]);
    back
}

fn tour() -> Value {
    json!({"TaskContext": {
        "TaskID": "", "UserQuery": "Plan me four days in Rome", "TaskName": "tour plan",
        "TaskDescription": "A hotel for four days in Rome",
        "GoalStatus": [{"Goal": "find a hotel", "Status": "pending"}], "OverallStatus": "",
        "Optional": ["StartTime", "EndTime"],
    }})
}

/// What a master and its agent do; here they are one.
fn working() -> Vec<Ask> {
    let on_task = |operation, name, summary| ask(operation, name, summary).with("task_id", TASK);
    let on_hotel = |operation, name, summary| on_task(operation, name, summary).with("subtask_id", "hotel");
    let is_done =
        json!({"TaskContext": {"GoalStatus": [{"Goal": "find a hotel", "Status": "completed: Capo d'Africa"}]}});
    vec![
        ask("store_content", "notes", "What is known of the guests")
            .sending(json!({"content": NOTES}))
            .answered(201),
        ask("read_content", "notes", "As it was stored").with("sha256", NOTES_HASH),
        ask("create_task", "tour", "A journey is planned")
            .sending(tour())
            .answered(201),
        on_task("send_subtask", "hotel", "One part of it")
            .sending(json!({"AgentContext": hotel()}))
            .answered(201),
        ask("list_tasks", "agent", "What an agent has to do")
            .with("role", "agent")
            .with("state", "sent"),
        ask("follow_tasks", "another", "Another agent's")
            .with("agent", "nobody")
            .answered(404),
        on_hotel("read_subtask", "hotel", "An agent's own subtask"),
        on_hotel("return_subtask", "hotel", "It is done").sending(json!({"AgentContext": found()})),
        on_hotel("evaluate_subtask", "refused", "The master wants more")
            .sending(json!({"verdicts": [{"itemId": "1", "verified": false, "reason": "the price is missing"}]})),
        on_hotel("resend_subtask", "hotel", "It is made out anew").sending(json!({"AgentContext": hotel()})),
        on_hotel("return_subtask", "again", "It is done again").sending(json!({"AgentContext": found()})),
        on_hotel("evaluate_subtask", "hotel", "It is what was asked for"),
        on_task("change_task", "goal", "A goal is reached").sending(is_done),
        on_task("read_task", "tour", "How far it is"),
        ask("list_tasks", "master", "Of a master")
            .with("role", "master")
            .with("limit", "20"),
        on_task("close_task", "tour", "It is over"),
        on_task("delete_task", "tour", "Nobody needs it any more"),
        ask("delete_content", "notes", "Nor this").with("sha256", NOTES_HASH),
    ]
}

fn flight(payload: &Value) -> Value {
    json!({"schema_id": BASE, "payload": payload, "utterance": "fly to Shanghai next Monday, at a window"})
}

/// Every example. A later one may rest on an earlier one.
pub fn story() -> Vec<Ask> {
    let booking =
        json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "other": "a window seat please"});
    let bare = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"});
    let seated = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "window_seat": true});
    let wrong = json!({"origin": "PEK", "departure_date": "2026-05-04", "passenger_count": "two"});
    let on_patch = |operation, summary| ask(operation, "window_seat", summary).with("patch_id", SEAT);
    let because = |reason: &str| json!({"reason": reason});
    let mut story = vec![
        ask("check_schema", "new", "Before a new schema is published").sending(table()),
        ask("publish_schema", "new", "A new schema")
            .with("schema_id", TABLE)
            .sending(table())
            .answered(201),
        ask("publish_schema", "again", "The same once more")
            .with("schema_id", TABLE)
            .sending(table()),
        ask("read_schema", "table", "A schema as it was published").with("schema_id", TABLE),
        ask("list_scenarios", "all", "Everything"),
        ask("list_scenarios", "wish", "By a wish")
            .with("q", "I want to eat out with friends")
            .with("limit", "3"),
        ask("list_scenarios", "labelled", "By a label").with("label", "team:restaurants"),
        ask("retire_schema", "table", "A schema that is not wanted any more").with("schema_id", TABLE),
        ask("restore_schema", "table", "It is wanted again").with("schema_id", TABLE),
        ask("negotiate_template", "draft", "The message of the draft").sending(json!({
            "method": "get_schema_template", "params": {"scenario": "Flight Booking", "preferred_language": "en"},
        })),
        ask("submit", "booking", "A booking with a wish that no key holds")
            .with("Idempotency-Key", "booking-17")
            .sending(flight(&booking)),
        ask("validate_submission", "good", "It would be accepted").sending(flight(&bare)),
        ask(
            "validate_submission",
            "wrong",
            "A key is missing, and another has the wrong type",
        )
        .sending(flight(&wrong))
        .answered(422),
        ask(
            "submit_batch",
            "two",
            "One that is accepted, and one whose schema is unknown",
        )
        .sending(json!({
            "submissions": [flight(&bare), {"schema_id": "nowhere_v1", "payload": {}}],
        })),
        ask("request_extension", "bicycle", "A wish without a payload")
            .with("scenario", FLIGHT)
            .sending(json!({"wishes": ["I want to bring my bicycle"]}))
            .answered(202),
        ask("call_rpc", "template", "The draft's request as JSON-RPC").sending(json!({
            "jsonrpc": "2.0", "id": 7, "method": "get_schema_template",
            "params": {"scenario": "flight_booking", "preferred_language": "en-US"},
        })),
        ask("call_rpc", "batch", "Two calls and a notification").sending(json!([
            {"jsonrpc": "2.0", "id": "a", "method": "validate_payload", "params": flight(&wrong)},
            {"jsonrpc": "2.0", "id": "b", "method": "get_schema_updates", "params": {"scenario": FLIGHT, "since": 1_000}},
            {"jsonrpc": "2.0", "method": "validate_payload", "params": flight(&bare)},
        ])),
        ask("read_agent_card", "card", "For other agents"),
        ask("call_mcp", "no_message", "What is no message of the protocol")
            .sending(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))
            .answered(400),
        ask("listen_mcp", "no_session", "Without a session").answered(400),
        ask("end_mcp", "ended", "One that has ended")
            .with("Mcp-Session-Id", "2f1d7c1e-8a53-4a0e-9b50-6c3f0f0f8b11")
            .answered(404),
        ask("end_mcp", "no_session", "Without a session").answered(400),
        ask("read_pool", "flight", "What travellers want").with("scenario", FLIGHT),
        ask("review_pool", "flight", "What travellers said").with("scenario", FLIGHT),
        ask("propose_keys", "nothing", "A reader sees no wish")
            .with("scenario", FLIGHT)
            .sending(json!({"wishes": [], "held": [], "nothing": [], "by": "a person"})),
        ask("list_wishes", "flight", "What became of mine")
            .with("scenario", FLIGHT)
            .with("limit", "5"),
        ask("list_patches", "flight", "What was learned").with("scenario", FLIGHT),
        ask("list_approvals", "first", "The first page").with("limit", "20"),
        on_patch("approve_patch", "It is wanted").sending(because("asked for daily")),
        ask("reject_patch", "suitcases", "Another one is not")
            .with("patch_id", "flight_booking.p2")
            .sending(because("handled at the airport")),
        ask("submit", "with_the_key", "A payload with the key on trial").sending(flight(&seated)),
        on_patch("read_patch", "A key on trial"),
        on_patch("promote_patch", "It proved itself").sending(because("used by most")),
        on_patch("demote_patch", "Too early").sending(because("its examples are wrong")),
        on_patch("deprecate_patch", "It will go").sending(because("replaced")),
        on_patch("withdraw_patch", "It goes").sending(because("replaced")),
        ask("restore_patch", "back", "It comes back on trial")
            .with("patch_id", SEAT)
            .sending(because("missed by many")),
        ask("promote_patch", "again", "It proved itself after all")
            .with("patch_id", SEAT)
            .sending(because("its examples are right now")),
        on_patch("read_evidence", "Everything that it rests on"),
        on_patch("reject_patch", "Nothing waits any more").answered(409),
        ask("list_updates", "flight", "Since the beginning")
            .with("scenario", FLIGHT)
            .with("since", "0"),
        ask("read_template", "template", "The template")
            .with("scenario", FLIGHT)
            .with("preferred_language", "en")
            .with("experimental", "true"),
        ask("read_template", "before", "As it was at its first revision")
            .with("scenario", FLIGHT)
            .with("as_of", "1"),
        ask("read_template", "typescript", "For a program")
            .with("scenario", FLIGHT)
            .with("format", "typescript"),
        ask("read_ledger", "flight", "How the key is used").with("scenario", FLIGHT),
        ask("rebase_scenario", "dry_run", "What would be published")
            .with("scenario", FLIGHT)
            .with("dry_run", "true"),
        ask("rebase_scenario", "flight", "It is published")
            .with("scenario", FLIGHT)
            .answered(201),
        ask("read_owner", "flight", "Nobody's, until somebody with a key publishes for it").with("scenario", FLIGHT),
        ask("give_scenario", "travel", "The desk for travel keeps it from now on")
            .with("scenario", FLIGHT)
            .sending(json!({"owner": "travel-desk", "reason": "they wrote it"})),
        ask("freeze_scenario", "audit", "For the time of an audit")
            .with("scenario", FLIGHT)
            .sending(because("audit of the third quarter")),
        ask("thaw_scenario", "audit", "The audit is over")
            .with("scenario", FLIGHT)
            .sending(because("nothing was found")),
        ask("read_service", "open", "It writes"),
        ask("close_service", "moving", "While data are moved").sending(because("moving to another disk")),
        ask("open_service", "moved", "They are moved").sending(because("moved to another disk")),
        ask("list_audits", "first", "The first page")
            .with("scenario", FLIGHT)
            .with("limit", "20"),
        ask("read_audit", "waiting", "One that waits for a person").with("audit_id", AUDIT),
        ask("answer_audit", "window", "What a person says of it")
            .with("audit_id", AUDIT)
            .sending(json!({"verdict": "aligned", "reason": "a window was asked for"})),
        ask("answer_audit", "late", "A verdict that comes too late")
            .with("audit_id", AUDIT)
            .sending(json!({"verdict": "not_aligned", "reason": "the aisle was meant"}))
            .answered(409),
        ask("read_audit", "gone", "One that fell out of the queue")
            .with("audit_id", "flight_booking.p1.1")
            .answered(404),
        ask("summarise_audits", "flight", "Of one scenario").with("scenario", FLIGHT),
        ask("create_session", "triage", "A session for two agents, with history")
            .sending(json!({
                "session_id": "incident-42",
                "config": {"history_versions": 5},
                "participants": [{"principal": "analyst", "roles": ["subagent:analysis"]}],
            }))
            .answered(201),
        ask("create_session", "taken", "The same once more")
            .sending(json!({"session_id": "incident-42"}))
            .answered(409),
        ask("list_sessions", "own", "The caller's own").with("limit", "10"),
        ask("read_session", "triage", "How it stands").with("session_id", "incident-42"),
        ask("read_session_prompt", "triage", "For its agents").with("session_id", "incident-42"),
        ask("write_session_key", "summary", "What the work is about")
            .with("session_id", "incident-42")
            .with("key", "problem_summary")
            .sending(json!({"value": "Throughput dropped 30% after the change of February 18."})),
        ask("act_in_session", "write", "The same in the document's form")
            .with("session_id", "incident-42")
            .sending(json!({"action": "write", "key": "open_questions", "value": "Was the change intentional?"})),
        ask("act_in_session", "missing", "A key that is not there")
            .with("session_id", "incident-42")
            .sending(json!({"action": "read", "key": "decisions_made"}))
            .answered(404),
        ask("act_in_session", "list", "What there is")
            .with("session_id", "incident-42")
            .sending(json!({"action": "list_keys"})),
        ask("list_session_keys", "all", "What there is").with("session_id", "incident-42"),
        ask("read_session_key", "summary", "One key")
            .with("session_id", "incident-42")
            .with("key", "problem_summary"),
        ask("read_session_keys", "two", "One that is there, and one that is not")
            .with("session_id", "incident-42")
            .sending(json!({"keys": ["problem_summary", "decisions_made"]})),
        ask("take_session_snapshot", "before", "Before the user decides")
            .with("session_id", "incident-42")
            .sending(json!({"label": "before_decision"}))
            .answered(201),
        ask("list_session_snapshots", "all", "Every snapshot").with("session_id", "incident-42"),
        ask("read_session_snapshot", "before", "What it holds")
            .with("session_id", "incident-42")
            .with("label", "before_decision"),
        ask("delete_session_key", "answered", "The question is answered")
            .with("session_id", "incident-42")
            .with("key", "open_questions"),
        ask("read_session_key_history", "answered", "What it was")
            .with("session_id", "incident-42")
            .with("key", "open_questions")
            .with("versions", "1"),
        ask("roll_session_back", "before", "As it was before")
            .with("session_id", "incident-42")
            .with("label", "before_decision"),
        ask("delete_session_snapshot", "before", "It is not needed any more")
            .with("session_id", "incident-42")
            .with("label", "before_decision"),
        ask("follow_session", "ahead", "From an event that is still to come")
            .with("session_id", "incident-42")
            .with("Last-Event-ID", "999999999")
            .answered(400),
        ask("grant_session", "reviewer", "One more takes part")
            .with("session_id", "incident-42")
            .sending(json!({"principal": "reviewer", "roles": ["subagent:review", "subagent:review:*"]})),
        ask("revoke_session", "reviewer", "It takes part no more")
            .with("session_id", "incident-42")
            .with("principal", "reviewer"),
        ask("inspect_session", "triage", "For whoever runs the service").with("session_id", "incident-42"),
        ask("audit_sessions", "triage", "Who wrote and deleted what")
            .with("session_id", "incident-42")
            .with("limit", "3"),
        ask("archive_session", "triage", "The work is done").with("session_id", "incident-42"),
        ask("delete_session", "triage", "Its creator is gone, and nobody needs it any more")
            .with("session_id", "incident-42")
            .with("as", "operator"),
        ask(
            "stream_updates",
            "ahead",
            "From a revision that the scenario has not reached",
        )
        .with("scenario", FLIGHT)
        .with("Last-Event-ID", "999999999")
        .answered(400),
        ask("list_webhooks", "none", "Nobody is told"),
        ask("register_webhook", "desk", "Another system is told of one scenario")
            .sending(
                json!({"url": DESK, "scenarios": [FLIGHT], "events": ["patch.staged"]}),
            )
            .answered(201),
        ask("test_webhook", "desk", "Whether it is reached").with("webhook_id", WEBHOOK),
        ask("read_webhook", "desk", "How it stands").with("webhook_id", WEBHOOK),
        ask("delete_webhook", "desk", "It is told no more").with("webhook_id", WEBHOOK),
        ask("read_webhook", "gone", "One that was deleted")
            .with("webhook_id", WEBHOOK)
            .answered(404),
        ask("keep_state", "first", "The first time")
            .with("context_id", "ctx-of-the-hotel")
            .sending(json!({"state": {"nights": 2, "guests": ["Ada"]}, "expected_version": 0})),
        ask("read_state", "kept", "What was kept").with("context_id", "ctx-of-the-hotel"),
        ask("delete_state", "kept", "It is not needed any more").with("context_id", "ctx-of-the-hotel"),
        ask("check_message", "unknown", "A type that is not hosted here").sending(json!({"role": "user", "parts": [
            {"text": "tell me more about option 4"},
            {"data": {"size": 4}, "metadata": {"type": "ShoeContext", "schemaVersion": "2.0"}},
        ]})),
        ask("check_message", "sent", "As it is sent, with a file as A2A 0.3 has it").sending(json!({"message": {
            "role": "user", "parts": [
                {"text": "is this the invoice?"},
                {"file": {"uri": "https://files.example/invoice.pdf", "mimeType": "application/pdf", "name": "invoice.pdf"}},
            ],
        }})),
        ask("render_message", "rules", "A task with a rule")
            .with("tokens_max", "400")
            .sending(json!({"agentContext": {
                "taskContext": {"taskName": "Data Analysis Project", "taskProgress": "30%", "goals": ["Analyze Q1 sales data"]},
                "policyContext": {"policies": [{"policyId": "P002", "rule": "Use TLS 1.2 or higher."}]},
                "securityContext": {"authenticationInfo": {"token": "eyJhbGciOiJIUzy***"}},
            }})),
        ask("convert_task_context", "there", "For an agent that speaks the other draft").sending(json!({
            "taskContext": {"taskId": "T123456", "taskProgress": "30%", "goals": ["Analyze Q1 sales data"],
                "todoItems": [{"itemId": "I001", "description": "Collect raw sales data"}]},
        })),
        ask("read_policies", "none", "None are configured"),
        ask("register_services", "first", "An agent that starts")
            .with("agent", "olga")
            .sending(json!({
                "mcpServiceList": [{"serviceName": "DataFetcher", "version": "1.0.0"}],
                "mcpFunctionList": [{"functionName": "fetchData", "description": "Fetches raw data."}],
            })),
        ask("read_services", "first", "What it offers").with("agent", "olga"),
        ask("stream_services", "unknown", "A name that no agent can have")
            .with("agent", "a%20b")
            .with("Last-Event-ID", "1")
            .answered(404),
        ask("read_backup", "all", "Everything"),
        ask("read_metrics", "page", "For Prometheus"),
        ask("read_front", "front", "Where to go"),
        ask("read_health", "alive", "It answers"),
        ask("read_readiness", "ready", "It is ready"),
        ask("list_problems", "all", "All"),
        ask("read_problem", "busy", "One").with("code", "busy"),
        ask("read_openapi", "all", "The whole"),
        ask("read_docs", "page", "To the page").answered(308),
        ask("read_docs_file", "style", "A style sheet").with("file", "swagger-ui.css"),
    ];
    story.extend(conversing::asks());
    story.extend(working());
    story.extend(agents::asks());
    story
}
