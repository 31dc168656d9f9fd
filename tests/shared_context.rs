//! Sessions of shared context through the real service: the document's cycle, its limits and errors, every extension, and who may
//! what.

mod isolation;

mod kill;

use otherwise::domain::time::At;
use otherwise::edge::boot::parts::PartsOverride;
use otherwise::edge::settings::OneOrMany;
use otherwise::edge::settings::Principal;
use otherwise::edge::settings::Settings;
use otherwise::service::caller::Role;
use serde_json::Value;
use serde_json::json;
use sha2::Digest;
use sha2::Sha256;

use crate::support::clock::VirtualClock;
use crate::support::events;
use crate::support::events::Events;
use crate::support::events::Said;
use crate::support::server::Reply;
use crate::support::server::Server;

/// Who has a key, and which role.
const PRINCIPALS: [(&str, Role); 6] = [
    ("lead", Role::Client),
    ("analyst", Role::Client),
    ("fixer", Role::Publisher),
    ("stranger", Role::Client),
    ("boss", Role::Operator),
    ("checker", Role::Auditor),
];

fn closed(change: impl FnOnce(&mut Settings), parts: PartsOverride) -> Server {
    let principals = PRINCIPALS
        .iter()
        .map(|(name, role)| Principal {
            name: (*name).to_owned(),
            roles: vec![*role],
            key_sha256: OneOrMany::One(sha256(&format!("{name}-key"))),
            disabled: false,
            cohort: None,
        })
        .collect();
    Server::start(
        &[],
        |settings| {
            settings.principals = principals;
            settings.server.client_requests_per_s = 0;
            change(settings);
        },
        parts,
    )
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// One caller, and as what it says that it takes part.
struct Agent<'a> {
    server: &'a Server,
    key: String,
    role: Option<&'static str>,
}

impl<'a> Agent<'a> {
    fn new(server: &'a Server, name: &str) -> Agent<'a> {
        Agent {
            server,
            key: format!("{name}-key"),
            role: None,
        }
    }

    fn speaking(server: &'a Server, name: &str, role: &'static str) -> Agent<'a> {
        Agent {
            role: Some(role),
            ..Agent::new(server, name)
        }
    }

    fn call(&self, method: &str, path: &str, body: &str) -> Reply {
        let mut headers = vec![("X-API-Key", self.key.as_str())];
        headers.extend(self.role.map(|role| ("Otherwise-Role", role)));
        self.server.call(method, path, &headers, body)
    }

    fn create(&self, body: &Value) -> Value {
        let reply = self.call("POST", "/v1/sessions", &body.to_string());
        assert_eq!(reply.status, 201, "{}", reply.body);
        reply.body
    }

    /// An action in the document's form.
    fn act(&self, session: &str, action: &Value) -> Reply {
        self.call("POST", &format!("/v1/sessions/{session}/context"), &action.to_string())
    }

    fn does(&self, session: &str, action: &Value) -> Value {
        let reply = self.act(session, action);
        assert_eq!(reply.status, 200, "{action}: {}", reply.body);
        reply.body
    }

    /// The code, as the document spells it, with which an action is refused.
    fn refused(&self, session: &str, action: &Value) -> String {
        let reply = self.act(session, action);
        assert!(reply.status >= 400, "{action}: {}", reply.body);
        assert!(reply.body["error"]["message"].is_string(), "{}", reply.body);
        reply.body["error"]["code"].as_str().unwrap_or_default().to_owned()
    }

    fn write(&self, session: &str, key: &str, value: &str) -> Value {
        self.does(session, &json!({"action": "write", "key": key, "value": value}))
    }

    fn keys(&self, session: &str) -> Vec<String> {
        let listed = self.does(session, &json!({"action": "list_keys"}));
        let keys = listed["keys"].as_array().expect("keys").iter();
        keys.map(|key| key["key"].as_str().expect("a name").to_owned())
            .collect()
    }

    fn value(&self, session: &str, key: &str) -> String {
        let read = self.does(session, &json!({"action": "read", "key": key}));
        read["value"].as_str().expect("a value").to_owned()
    }
}

/// The next thing that a stream says: its name, its id, its data.
fn told(stream: &mut Events) -> (String, Option<u64>, Value) {
    loop {
        match stream.next() {
            Said::Event { name, id, data } => return (name, id, data),
            Said::Alive | Said::Retry(_) => {}
            Said::End => panic!("the stream ended"),
        }
    }
}

fn written_by(answer: &Value) -> &str {
    answer["written_by"].as_str().unwrap_or_default()
}

#[test]
fn a_value_is_kept_without_what_has_the_form_of_a_token_and_the_answer_says_so_x02() {
    let server = closed(|_| {}, PartsOverride::default());
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "s"}));
    assert!(lead.write("s", "scope", "no secret in it").get("hint").is_none());
    let written = lead.write("s", "access", "call it with Bearer abc.def-123, password=swordfish");
    assert_eq!(written["version"], 1);
    assert!(
        written["hint"].as_str().expect("a hint").contains("taken out"),
        "{written}"
    );
    assert_eq!(
        lead.value("s", "access"),
        "call it with [redacted], password=[redacted]"
    );
}

#[test]
fn who_can_never_take_part_is_not_let_in_s004() {
    let server = closed(|_| {}, PartsOverride::default());
    let lead = Agent::new(&server, "lead");
    let with = |name: &str| json!({"session_id": name, "participants": [{"principal": name, "roles": ["subagent:a"]}]});
    for name in ["nobody-known", "checker"] {
        let reply = lead.call("POST", "/v1/sessions", &with(name).to_string());
        assert_eq!(
            (reply.status, reply.body["fields"][0]["field"].as_str()),
            (400, Some("participants[0].principal"))
        );
    }
    lead.create(&with("analyst"));
    let grant = json!({"principal": "nobody-known", "roles": ["subagent:b"]});
    let reply = lead.call("POST", "/v1/sessions/analyst/participants", &grant.to_string());
    assert_eq!(
        (reply.status, reply.body["fields"][0]["field"].as_str()),
        (400, Some("principal"))
    );
}

#[test]
fn the_documents_cycle_message_by_message_s001_s004_s007_s010_s018_s019_s046_s107() {
    let server = closed(|_| {}, PartsOverride::default());
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "throughput", "participants": [
        {"principal": "analyst", "roles": ["subagent:analysis"]},
        {"principal": "fixer", "roles": ["subagent:remediation"]},
    ]}));
    for (key, value) in [
        ("current_phase", "analysis"),
        (
            "problem_summary",
            "Throughput dropped 30% after config change on Feb 18.",
        ),
        (
            "scope",
            "Identify which config parameter caused degradation. Do not modify production.",
        ),
        (
            "constraints",
            "Read-only access to prod. Staging available for experiments.",
        ),
    ] {
        let written = lead.write("throughput", key, value);
        assert_eq!((written_by(&written), &written["version"]), ("orchestrator", &json!(1)));
        assert_eq!(written["key"], key);
        assert!(At::parse(written["written_at"].as_str().expect("a moment")).is_some());
    }
    let analysis = Agent::new(&server, "analyst");
    assert_eq!(
        analysis.keys("throughput"),
        ["constraints", "current_phase", "problem_summary", "scope"]
    );
    for key in ["problem_summary", "scope", "constraints"] {
        assert!(!analysis.value("throughput", key).is_empty());
    }
    let findings = "Connection pool size reduced from 200 to 20 in Feb 18 config change.\n           Thread starvation under load.";
    assert_eq!(
        written_by(&analysis.write("throughput", "findings_summary", findings)),
        "subagent:analysis"
    );
    analysis.write("throughput", "open_questions", "Was the pool size change intentional?");
    let listed = lead.does("throughput", &json!({"action": "list_keys"}));
    assert_eq!(lead.keys("throughput").len(), 6);
    let question = &listed["keys"][3];
    assert_eq!(
        (question["key"].as_str(), written_by(question)),
        (Some("open_questions"), "subagent:analysis")
    );
    assert!(question.get("value").is_none(), "values are never listed");
    assert_eq!(
        lead.value("throughput", "open_questions"),
        "Was the pool size change intentional?"
    );
    lead.write(
        "throughput",
        "decisions_made",
        "Config change was accidental. User approves revert recommendation.",
    );
    let deleted = lead.does("throughput", &json!({"action": "delete", "key": "open_questions"}));
    assert_eq!(deleted, json!({"deleted": "open_questions", "previous_version": 1}));
    let remediation = Agent::new(&server, "fixer");
    assert!(!remediation.keys("throughput").contains(&"open_questions".to_owned()));
    assert_eq!(
        remediation.value("throughput", "findings_summary"),
        findings,
        "word for word"
    );
    assert!(remediation.value("throughput", "decisions_made").contains("accidental"));
    let read = remediation.does("throughput", &json!({"action": "read", "key": "findings_summary"}));
    let members: Vec<&String> = read.as_object().expect("an object").keys().collect();
    assert_eq!(members, ["key", "value", "written_by", "written_at", "version"]);
    assert_eq!(
        written_by(&remediation.write("throughput", "deliverables_status", "Plan drafted.")),
        "subagent:remediation"
    );
}

#[test]
fn the_six_errors_have_their_codes_words_and_status_s022_s030_s032_s038_s050_s051_s052_s053_s054_s055_s056() {
    let server = closed(|_| {}, PartsOverride::default());
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "s"}));
    let missing = json!({"action": "read", "key": "nothing"});
    let cases = [
        ("KEY_NOT_FOUND", "key_not_found", 404, missing.clone()),
        (
            "KEY_NOT_FOUND",
            "key_not_found",
            404,
            json!({"action": "delete", "key": "nothing"}),
        ),
        (
            "VALUE_TOO_LARGE",
            "value_too_large",
            422,
            json!({"action": "write", "key": "k", "value": "x".repeat(4_001)}),
        ),
        (
            "INVALID_KEY",
            "invalid_key",
            400,
            json!({"action": "write", "key": "a.b", "value": "v"}),
        ),
        (
            "INVALID_KEY",
            "invalid_key",
            400,
            json!({"action": "read", "key": "k".repeat(65)}),
        ),
    ];
    for (spelled, code, status, action) in cases {
        let reply = lead.act("s", &action);
        assert_eq!(
            (reply.status, &reply.body["code"]),
            (status, &json!(code)),
            "{}",
            reply.body
        );
        assert_eq!(reply.body["error"]["code"], spelled);
        assert_eq!(reply.body["error"]["message"], reply.body["detail"]);
    }
    for n in 0..10 {
        lead.write("s", &format!("k{n}"), &"x".repeat(4_000));
    }
    let more = json!({"action": "write", "key": "more", "value": "x"});
    assert_eq!(lead.refused("s", &more), "STORE_FULL");
    assert_eq!(lead.value("s", "k0").len(), 4_000);
    let totals = lead.does("s", &json!({"action": "list_keys"}));
    assert_eq!(
        (&totals["total_size_tokens"], &totals["max_total_tokens"]),
        (&json!(10_000), &json!(10_000))
    );
    assert_eq!(lead.refused("elsewhere", &missing), "SESSION_NOT_FOUND");
    assert_eq!(lead.refused("no%20id", &missing), "SESSION_NOT_FOUND");
    assert_eq!(
        lead.call("POST", "/v1/sessions/s:archive", "").body["status"],
        "archived"
    );
    assert_eq!(
        lead.refused("s", &json!({"action": "write", "key": "k0", "value": "x"})),
        "SESSION_ARCHIVED"
    );
    assert_eq!(
        lead.refused("s", &json!({"action": "delete", "key": "k0"})),
        "SESSION_ARCHIVED"
    );
    assert_eq!(lead.value("s", "k0").len(), 4_000, "it can be read");
    assert_eq!(
        lead.call("DELETE", "/v1/sessions/s", "").body,
        json!({"session_id": "s", "deleted": true})
    );
    assert_eq!(lead.refused("s", &missing), "SESSION_NOT_FOUND");
    let unread = lead.act("s", &json!({"action": "jump"}));
    assert_eq!((unread.status, &unread.body["code"]), (400, &json!("bad_request")));
    assert_eq!(unread.body["fields"][0]["field"], "action");
}

#[test]
fn sizes_are_characters_whatever_the_script_and_large_values_are_spoken_of_s034_s064_s091() {
    let server = closed(|_| {}, PartsOverride::default());
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "s"}));
    for (letter, count, warned, hinted) in [
        ("語", 4_000, true, false),
        ("ö", 3_197, true, false),
        ("ö", 3_196, false, true),
        ("ж", 2_001, false, true),
        ("ж", 2_000, false, false),
    ] {
        let written = lead.write("s", "k", &letter.repeat(count));
        assert_eq!(written.get("warning").is_some(), warned, "{letter} {count}: {written}");
        assert_eq!(written.get("hint").is_some(), hinted, "{letter} {count}: {written}");
        assert_eq!(lead.value("s", "k"), letter.repeat(count));
    }
    let large = json!({"action": "write", "key": "k", "value": "語".repeat(4_001)});
    assert_eq!(lead.refused("s", &large), "VALUE_TOO_LARGE");
}

#[test]
fn addresses_say_what_the_body_form_says_s014_s017_s021_s024_s029_s080_s084() {
    let server = closed(|_| {}, PartsOverride::default());
    let lead = Agent::new(&server, "lead");
    let made = lead.create(&json!({}));
    let id = made["session_id"].as_str().expect("an id").to_owned();
    assert!(id.starts_with("ses_") && id.len() == 36, "{id}");
    let at = |rest: &str| format!("/v1/sessions/{id}{rest}");
    let body = json!({"value": "text", "written_by": "subagent:forged", "key": "other"}).to_string();
    let written = lead.call("PUT", &at("/keys/scope"), &body);
    assert_eq!(
        (written.status, written_by(&written.body)),
        (200, "orchestrator"),
        "who wrote is nobody's to say"
    );
    assert_eq!(written.body["key"], "scope", "the address says which key");
    assert_eq!(
        lead.call("GET", &at("/keys"), "").body,
        lead.does(&id, &json!({"action": "list_keys"}))
    );
    let read = lead.call("GET", &at("/keys/scope"), "");
    assert_eq!(read.headers["Cache-Control"], "no-store");
    assert_eq!(read.body, lead.does(&id, &json!({"action": "read", "key": "scope"})));
    let batch = lead
        .call("POST", &at("/keys:read"), r#"{"keys":["scope","nothing","A"]}"#)
        .body;
    assert_eq!(batch["results"][0]["value"], "text");
    assert_eq!(
        (&batch["results"][1]["key"], &batch["results"][1]["error"]["code"]),
        (&json!("nothing"), &json!("KEY_NOT_FOUND"))
    );
    assert_eq!(batch["results"][2]["error"]["code"], "INVALID_KEY");
    let stale = lead.call("DELETE", &at("/keys/scope?if_version=2"), "");
    assert_eq!((stale.status, &stale.body["current_version"]), (409, &json!(1)));
    let deleted = lead.call("DELETE", &at("/keys/scope?if_version=1"), "");
    assert_eq!(deleted.body, json!({"deleted": "scope", "previous_version": 1}));
    let again = lead.call("PUT", &at("/keys/scope"), r#"{"value":"back"}"#);
    assert_eq!(again.body["version"], 2, "no version is given twice");
    let page = lead.call("GET", "/v1/sessions?limit=1", "").body;
    assert_eq!(page["sessions"][0]["session_id"], id.as_str());
    assert_eq!(lead.call("GET", &at(""), "").body["key_count"], 1);
    assert_eq!(lead.call("GET", "/v1/sessions?limit=0", "").status, 400);
}

#[test]
fn nobody_speaks_as_another_one_s027_s092_s093() {
    let server = closed(|_| {}, PartsOverride::default());
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "s", "participants": [
        {"principal": "analyst", "roles": ["subagent:analysis:1", "subagent:analysis:*"]}]}));
    let says = |name: &str, role: &'static str| {
        let agent = Agent::speaking(&server, name, role);
        let reply = agent.act("s", &json!({"action": "write", "key": "k", "value": "v"}));
        (
            reply.status,
            written_by(&reply.body).to_owned(),
            reply.body["code"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let right = |role: &str| (200, role.to_owned(), String::new());
    let wrong = |status: u16, code: &str| (status, String::new(), code.to_owned());
    assert_eq!(says("lead", "subagent:own:7"), right("subagent:own:7"));
    assert_eq!(says("lead", "subagent:analysis:1"), wrong(403, "role_not_granted"));
    assert_eq!(says("analyst", "subagent:analysis:2"), right("subagent:analysis:2"));
    assert_eq!(says("analyst", "orchestrator"), wrong(403, "role_not_granted"));
    assert_eq!(says("analyst", "subagent:own:7"), wrong(403, "role_not_granted"));
    assert_eq!(says("stranger", "subagent:analysis:1"), wrong(404, "session_not_found"));
    assert_eq!(says("analyst", "somebody"), wrong(400, "bad_header"));
    let grant = |roles: Value| {
        let body = json!({"principal": "fixer", "roles": roles}).to_string();
        lead.call("POST", "/v1/sessions/s/participants", &body)
    };
    assert_eq!(grant(json!(["subagent:analysis:9"])).body["code"], "role_taken");
    assert_eq!(grant(json!(["subagent:*"])).body["fields"][0]["field"], "roles");
    assert_eq!(grant(json!(["subagent:fix"])).status, 200);
    assert_eq!(
        Agent::new(&server, "fixer").write("s", "k", "v")["written_by"],
        "subagent:fix"
    );
    let analyst = Agent::new(&server, "analyst");
    for (method, path, body) in [
        ("POST", "/v1/sessions/s:archive", ""),
        ("DELETE", "/v1/sessions/s", ""),
        (
            "POST",
            "/v1/sessions/s/participants",
            r#"{"principal":"stranger","roles":["subagent:x"]}"#,
        ),
        ("DELETE", "/v1/sessions/s/participants/fixer", ""),
    ] {
        let reply = analyst.call(method, path, body);
        assert_eq!(
            (reply.status, &reply.body["code"]),
            (403, &json!("not_creator")),
            "{method} {path}"
        );
    }
    assert_eq!(
        lead.call("DELETE", "/v1/sessions/s/participants/analyst", "").status,
        200
    );
    assert_eq!(
        analyst.refused("s", &json!({"action": "list_keys"})),
        "SESSION_NOT_FOUND"
    );
    assert_eq!(
        lead.call("DELETE", "/v1/sessions/s/participants/analyst", "").body["code"],
        "participant_not_found"
    );
}

#[test]
fn extensions_are_chosen_session_by_session_s044_s074_s076_s077_s078_s079_s081_s082() {
    let clock = std::sync::Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
    let parts = PartsOverride {
        clock: Some(clock.clone()),
        ..PartsOverride::default()
    };
    let server = closed(|_| {}, parts);
    let lead = Agent::new(&server, "lead");
    lead.create(
        &json!({"session_id": "plain", "config": {"batch_read": false, "snapshots": false, "if_version": false,
        "subscriptions": false}}),
    );
    for (action, code) in [
        (json!({"action": "write", "key": "inv:k", "value": "v"}), "INVALID_KEY"),
        (
            json!({"action": "write", "key": "k", "value": "v", "ttl_s": 5}),
            "EXTENSION_OFF",
        ),
        (
            json!({"action": "write", "key": "k", "value": "v", "readable_by": ["orchestrator"]}),
            "EXTENSION_OFF",
        ),
        (
            json!({"action": "write", "key": "k", "value": "v", "if_version": 0}),
            "EXTENSION_OFF",
        ),
        (json!({"action": "read_batch", "keys": ["k"]}), "EXTENSION_OFF"),
        (json!({"action": "read_history", "key": "k"}), "EXTENSION_OFF"),
        (json!({"action": "snapshot", "label": "l"}), "EXTENSION_OFF"),
        (json!({"action": "list_snapshots"}), "EXTENSION_OFF"),
    ] {
        assert_eq!(lead.refused("plain", &action), code, "{action}");
    }
    assert_eq!(
        lead.call("GET", "/v1/sessions/plain/events", "").body["code"],
        "extension_off"
    );
    lead.create(
        &json!({"session_id": "full", "config": {"prefixes": true, "access_control": true, "history_versions": 2,
        "expiry": true}, "participants": [{"principal": "analyst", "roles": ["subagent:analysis"]}]}),
    );
    let analyst = Agent::new(&server, "analyst");
    for value in ["one", "two", "three"] {
        lead.write("full", "inv:k", value);
    }
    let history = lead.does(
        "full",
        &json!({"action": "read_history", "key": "inv:k", "versions": [1, 2, 3]}),
    );
    assert_eq!(history["history"][0]["value"], "two");
    assert_eq!(
        (&history["history"][1]["version"], &history["not_kept"]),
        (&json!(3), &json!([1]))
    );
    let secret = json!({"action": "write", "key": "secret", "value": "for me", "readable_by": ["orchestrator"]});
    assert_eq!(lead.does("full", &secret)["version"], 1);
    assert_eq!(
        analyst.refused("full", &json!({"action": "read", "key": "secret"})),
        "KEY_NOT_FOUND"
    );
    assert_eq!(analyst.keys("full"), ["inv:k"]);
    let guarded = json!({"action": "write", "key": "shown", "value": "x", "writable_by": ["orchestrator"]});
    lead.does("full", &guarded);
    assert_eq!(analyst.value("full", "shown"), "x");
    assert_eq!(
        analyst.refused("full", &json!({"action": "write", "key": "shown", "value": "y"})),
        "KEY_FORBIDDEN"
    );
    assert_eq!(
        analyst.refused("full", &json!({"action": "delete", "key": "shown"})),
        "KEY_FORBIDDEN"
    );
    let brief = json!({"action": "write", "key": "brief", "value": "soon gone", "ttl_s": 10});
    assert_eq!(lead.does("full", &brief)["expires_at"], "2026-05-01T08:00:10Z");
    lead.does("full", &json!({"action": "snapshot", "label": "before"}));
    clock.advance_ms(10_000);
    assert_eq!(
        lead.refused("full", &json!({"action": "read", "key": "brief"})),
        "KEY_NOT_FOUND"
    );
    server.tick();
    assert_eq!(
        lead.write("full", "brief", "again")["version"],
        2,
        "after it was taken out"
    );
    lead.does("full", &json!({"action": "delete", "key": "inv:k"}));
    let seen = analyst.does("full", &json!({"action": "read_snapshot", "label": "before"}));
    let keys: Vec<&str> = seen["contents"]
        .as_array()
        .expect("keys")
        .iter()
        .filter_map(|key| key["key"].as_str())
        .collect();
    assert_eq!(keys, ["brief", "inv:k", "shown"], "nothing that is not its own");
    assert_eq!(
        analyst.refused("full", &json!({"action": "rollback", "label": "before"})),
        "KEY_FORBIDDEN"
    );
    lead.does("full", &json!({"action": "rollback", "label": "before"}));
    assert_eq!(
        lead.does("full", &json!({"action": "read", "key": "inv:k"}))["version"],
        4
    );
    assert_eq!(lead.value("full", "inv:k"), "three");
    assert_eq!(
        lead.refused("full", &json!({"action": "read", "key": "brief"})),
        "KEY_NOT_FOUND",
        "its time is over"
    );
    assert_eq!(
        lead.does("full", &json!({"action": "list_snapshots"}))["snapshots"][0]["key_count"],
        4
    );
}

#[test]
fn changes_are_followed_without_values_and_from_where_one_was_s083() {
    let server = closed(|settings| settings.sessions.followers_max = 1, PartsOverride::default());
    let lead = Agent::new(&server, "lead");
    lead.create(
        &json!({"session_id": "s", "participants": [{"principal": "analyst", "roles": ["subagent:analysis"]}]}),
    );
    lead.write("s", "before", "x");
    let open = |name: &str, path: &str, last: Option<u64>| {
        let (key, last) = (format!("{name}-key"), last.map(|last| last.to_string()));
        let mut headers = vec![("X-API-Key", key.as_str())];
        headers.extend(last.as_deref().map(|last| ("Last-Event-ID", last)));
        events::open(server.base(), path, &headers)
    };
    let (status, _, _) = open("stranger", "/v1/sessions/s/events", None);
    assert_eq!(status, 404);
    let mut stream = open("lead", "/v1/sessions/s/events?keys=find*,scope", None)
        .2
        .expect("a stream");
    assert_eq!(
        open("lead", "/v1/sessions/s/events", None).0,
        429,
        "one more than may follow"
    );
    Agent::new(&server, "analyst").write("s", "other", "x");
    Agent::new(&server, "analyst").write("s", "findings", "not to be told");
    let (name, first, data) = told(&mut stream);
    assert_eq!(name, "written");
    assert_eq!((&data["key"], &data["version"]), (&json!("findings"), &json!(1)));
    assert_eq!(
        (&data["written_by"], &data["value_size_tokens"]),
        (&json!("subagent:analysis"), &json!(4))
    );
    assert!(data.get("value").is_none());
    drop(stream);
    lead.write("s", "scope", "one");
    lead.write("s", "scope", "two");
    lead.does("s", &json!({"action": "delete", "key": "findings"}));
    let mut stream = loop {
        // The place of the one that was dropped is given back when it is noticed.
        if let Some(stream) = open("lead", "/v1/sessions/s/events?keys=find*,scope", first).2 {
            break stream;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    let (_, _, data) = told(&mut stream);
    assert_eq!(
        (&data["key"], &data["version"]),
        (&json!("scope"), &json!(2)),
        "how it stands"
    );
    let (_, _, data) = told(&mut stream);
    assert_eq!(
        (&data["deleted"], &data["previous_version"]),
        (&json!("findings"), &json!(1))
    );
    lead.call("DELETE", "/v1/sessions/s", "");
    let (gone, _, _) = told(&mut stream);
    assert_eq!(gone, "gone");
}

#[test]
fn prompts_speak_of_the_session_s013_s058_s059_s060() {
    let server = closed(
        |settings| settings.sessions.value_tokens_hinted = 333,
        PartsOverride::default(),
    );
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "usual"}));
    let usual = lead.call("GET", "/v1/sessions/usual/prompt", "").body;
    assert!(
        usual["namespace"]
            .as_str()
            .is_some_and(|text| text.contains("decisions_made"))
    );
    assert!(
        usual["write_discipline"]
            .as_str()
            .is_some_and(|text| text.contains("about 333 tokens"))
    );
    assert!(
        usual["text"]
            .as_str()
            .is_some_and(|text| text.contains("list_keys first"))
    );
    let namespace = json!([{"title": "CAPA", "keys": [{"key": "root_cause", "purpose": "why it happened"}]}]);
    lead.create(&json!({"session_id": "own", "config": {"namespace": namespace},
        "participants": [{"principal": "analyst", "roles": ["subagent:analysis"]}]}));
    let own = Agent::new(&server, "analyst")
        .call("GET", "/v1/sessions/own/prompt", "")
        .body;
    assert!(
        own["namespace"]
            .as_str()
            .is_some_and(|text| text.contains("root_cause: why it happened"))
    );
    assert_eq!(
        Agent::new(&server, "stranger")
            .call("GET", "/v1/sessions/own/prompt", "")
            .status,
        404
    );
}

#[test]
fn whoever_runs_the_service_sees_contents_and_who_wrote_and_nobody_else_does_s098_s099_s100() {
    let server = closed(|_| {}, PartsOverride::default());
    let (lead, boss, checker) = (
        Agent::new(&server, "lead"),
        Agent::new(&server, "boss"),
        Agent::new(&server, "checker"),
    );
    lead.create(&json!({"session_id": "s"}));
    lead.create(&json!({"session_id": "t"}));
    lead.write("s", "k", "a value to be kept");
    lead.write("t", "elsewhere", "v");
    let seen = boss.call("GET", "/v1/sessions/s/inspection", "");
    assert_eq!(
        (seen.status, &seen.body["contents"][0]["value"]),
        (200, &json!("a value to be kept"))
    );
    for other in ["lead", "analyst", "checker"] {
        assert_eq!(
            Agent::new(&server, other)
                .call("GET", "/v1/sessions/s/inspection", "")
                .status,
            403,
            "{other}"
        );
    }
    assert_eq!(
        boss.refused("s", &json!({"action": "read", "key": "k"})),
        "SESSION_NOT_FOUND",
        "it takes no part"
    );
    lead.does("s", &json!({"action": "delete", "key": "k"}));
    lead.call("DELETE", "/v1/sessions/s", "");
    assert_eq!(boss.call("GET", "/v1/sessions/s/inspection", "").status, 404);
    let log = checker.call("GET", "/v1/sessions:audit?session_id=s", "").body;
    let rows = log["entries"].as_array().expect("entries");
    let actions: Vec<&str> = rows.iter().filter_map(|row| row["action"].as_str()).collect();
    assert_eq!(actions, ["create", "write", "delete", "remove"], "{log}");
    for (member, value) in [
        ("session_id", json!("s")),
        ("key", json!("k")),
        ("written_by", json!("orchestrator")),
        ("principal", json!("lead")),
        ("value_size_tokens", json!(5)),
        ("version", json!(1)),
    ] {
        assert_eq!((&rows[1][member], &rows[2][member]), (&value, &value), "{member}");
    }
    assert!(rows[1]["at"].is_string());
    assert!(!log.to_string().contains("to be kept"));
    let page = boss.call("GET", "/v1/sessions:audit?limit=2", "").body;
    assert_eq!(page["entries"].as_array().map(Vec::len), Some(2));
    let next = boss
        .call(
            "GET",
            &format!("/v1/sessions:audit?limit=500&after={}", page["next"]),
            "",
        )
        .body;
    assert_eq!(next["entries"][0]["key"], "k");
    assert_eq!(lead.call("GET", "/v1/sessions:audit", "").status, 403);
}

#[test]
fn sessions_are_bounded_and_wrong_members_are_named_s094() {
    let server = closed(
        |settings| {
            settings.sessions.sessions_max = 3;
            settings.sessions.sessions_per_client_max = 2;
            settings.sessions.participants_max = 1;
        },
        PartsOverride::default(),
    );
    let (lead, other) = (Agent::new(&server, "lead"), Agent::new(&server, "stranger"));
    let create = |agent: &Agent<'_>, body: Value| {
        let reply = agent.call("POST", "/v1/sessions", &body.to_string());
        (reply.status, reply.body["code"].as_str().unwrap_or_default().to_owned())
    };
    let refused = |status: u16, code: &str| (status, code.to_owned());
    let two = json!([{"principal": "a", "roles": ["subagent:a"]}, {"principal": "b", "roles": ["subagent:b"]}]);
    assert_eq!(
        create(&lead, json!({"participants": two})),
        refused(429, "limit_reached")
    );
    assert_eq!(create(&lead, json!({"session_id": "a"})), refused(201, ""));
    assert_eq!(create(&lead, json!({"session_id": "b"})), refused(201, ""));
    assert_eq!(create(&lead, json!({"session_id": "c"})), refused(429, "limit_reached"));
    assert_eq!(
        create(&other, json!({"session_id": "a"})),
        refused(409, "session_exists")
    );
    assert_eq!(create(&other, json!({"session_id": "c"})), refused(201, ""));
    assert_eq!(
        create(&other, json!({"session_id": "d"})),
        refused(429, "limit_reached")
    );
    let wrong = json!({"session_id": "a b", "config": {"snapshots": 4711}, "participants": [{"principal": "x", "roles": ["4711"]}]});
    let reply = lead.call("POST", "/v1/sessions", &wrong.to_string());
    let fields: Vec<&str> = reply.body["fields"]
        .as_array()
        .expect("fields")
        .iter()
        .filter_map(|field| field["field"].as_str())
        .collect();
    assert_eq!(fields, ["session_id", "config.snapshots", "participants[0].roles"]);
    assert!(!reply.body.to_string().contains("4711"));
}

#[test]
fn other_mouths_say_the_same_s007_s014() {
    let server = closed(|_| {}, PartsOverride::default());
    let lead = Agent::new(&server, "lead");
    lead.create(
        &json!({"session_id": "s", "participants": [{"principal": "analyst", "roles": ["subagent:analysis"]}]}),
    );
    let rpc = |name: &str, params: Value| {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "shared_context", "params": params});
        Agent::new(&server, name).call("POST", "/rpc", &call.to_string()).body
    };
    let written = rpc(
        "analyst",
        json!({"session_id": "s", "action": "write", "key": "k", "value": "v"}),
    );
    assert_eq!(written["result"]["written_by"], "subagent:analysis", "{written}");
    assert_eq!(lead.value("s", "k"), "v");
    let refused = rpc("stranger", json!({"session_id": "s", "action": "read", "key": "k"}));
    assert_eq!(refused["error"]["code"], 40_452, "{refused}");
    assert_eq!(refused["error"]["data"]["error"]["code"], "SESSION_NOT_FOUND");
    let nameless = rpc("lead", json!({"action": "list_keys"}));
    assert_eq!(nameless["error"]["code"], -32_602, "{nameless}");
}

#[test]
fn without_keys_callers_are_whom_they_name_and_nobody_is_somebody_too_s086() {
    let server = Server::start(&[], |_| {}, PartsOverride::default());
    let call = |who: &str, role: &str, path: &str, body: &str| {
        let mut headers = vec![("Otherwise-Client", who), ("Otherwise-Role", role)];
        headers.retain(|(_, value)| !value.is_empty());
        server.call("POST", path, &headers, body)
    };
    assert_eq!(call("ana", "", "/v1/sessions", r#"{"session_id":"a"}"#).status, 201);
    assert_eq!(call("", "", "/v1/sessions", r#"{"session_id":"n"}"#).status, 201);
    let write = r#"{"action":"write","key":"k","value":"v"}"#;
    let by = |reply: &Reply| reply.body["written_by"].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        by(&call("ana", "subagent:x:1", "/v1/sessions/a/context", write)),
        "subagent:x:1"
    );
    assert_eq!(call("ben", "", "/v1/sessions/a/context", write).status, 404);
    assert_eq!(call("", "", "/v1/sessions/a/context", write).status, 404);
    assert_eq!(by(&call("", "", "/v1/sessions/n/context", write)), "orchestrator");
    assert_eq!(call("ana", "", "/v1/sessions/n/context", write).status, 404);
}

#[test]
fn a_session_spans_days_and_many_write_one_key_at_once_s005_s015_s042() {
    let clock = std::sync::Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
    let parts = PartsOverride {
        clock: Some(clock.clone()),
        ..PartsOverride::default()
    };
    let server = closed(|_| {}, parts);
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "s", "config": {"history_versions": 20}}));
    lead.write("s", "first", "kept");
    clock.advance_ms(40 * 86_400_000);
    server.tick();
    let versions: std::collections::BTreeSet<u64> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let server = &server;
                scope.spawn(move || {
                    let agent = Agent::new(server, "lead");
                    let write = |n| agent.write("s", "shared", &format!("{writer}.{n}"))["version"].as_u64();
                    (0..5).filter_map(write).collect::<Vec<u64>>()
                })
            })
            .collect();
        writers
            .into_iter()
            .flat_map(|writer| writer.join().expect("a writer"))
            .collect()
    });
    assert_eq!(versions, (1..=20).collect(), "every write happened, one after another");
    let history = lead.does("s", &json!({"action": "read_history", "key": "shared"}));
    let last = history["history"]
        .as_array()
        .and_then(|all| all.last())
        .cloned()
        .expect("a version");
    assert_eq!(
        (&last["version"], &last["value"]),
        (&json!(20), &json!(lead.value("s", "shared")))
    );
    assert_eq!(lead.value("s", "first"), "kept");
}
