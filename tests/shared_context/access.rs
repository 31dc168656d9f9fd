//! Who may what: roles, principals, callers without keys, whoever runs the service, and how many sessions there may be.

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::Agent;
use super::closed;
use super::read;
use super::usual;
use super::written_by;
use crate::support::server::Server;

/// What the creator of a session alone may do.
fn of_creators() -> [(&'static str, &'static str, Value); 4] {
    [
        (
            "POST",
            "/v1/sessions/s/participants",
            json!({"principal": "stranger", "roles": ["subagent:x"]}),
        ),
        ("DELETE", "/v1/sessions/s/participants/fixer", Value::Null),
        ("POST", "/v1/sessions/s:archive", Value::Null),
        ("DELETE", "/v1/sessions/s", Value::Null),
    ]
}

#[test]
fn nobody_speaks_as_another_one_s027_s092_s093() {
    let server = usual();
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "s", "participants": [
        {"principal": "analyst", "roles": ["subagent:analysis:1", "subagent:analysis:*"]}]}));
    let write = json!({"action": "write", "key": "k", "value": "v"});
    for (name, role, told) in [
        ("lead", "subagent:own:7", "subagent:own:7"),
        ("lead", "subagent:analysis:1", "role_not_granted"),
        ("analyst", "subagent:analysis:2", "subagent:analysis:2"),
        ("analyst", "orchestrator", "role_not_granted"),
        ("analyst", "subagent:own:7", "role_not_granted"),
        ("stranger", "subagent:analysis:1", "session_not_found"),
        ("analyst", "somebody", "bad_header"),
    ] {
        let speaking = Agent {
            role: Some(role),
            ..Agent::new(&server, name)
        };
        let reply = speaking.act("s", &write).body;
        let code = reply["code"].as_str().unwrap_or(written_by(&reply));
        assert_eq!(code, told, "{name} as {role}");
    }
    let grant = |roles: Value| {
        let body = json!({"principal": "fixer", "roles": roles});
        lead.told("POST", "/v1/sessions/s/participants", &body)
    };
    assert_eq!(grant(json!(["subagent:analysis:9"])), "409 role_taken");
    assert_eq!(grant(json!(["subagent:*"])), "400 bad_request");
    assert_eq!(grant(json!(["subagent:fix"])), "200 ");
    assert_eq!(
        written_by(&Agent::new(&server, "fixer").write("s", "k", "v")),
        "subagent:fix"
    );
}

/// A role says what one may do with keys; who takes part at all is the creator's affair alone, whatever anybody is called.
#[test]
fn who_leads_for_the_creator_lets_nobody_in_s007_s009_s086() {
    let server = usual();
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "s", "participants": [
        {"principal": "analyst", "roles": ["orchestrator"]}, {"principal": "fixer", "roles": ["subagent:fix"]}]}));
    let (analyst, fixer) = (Agent::new(&server, "analyst"), Agent::new(&server, "fixer"));
    assert_eq!(written_by(&analyst.write("s", "k", "v")), "orchestrator");
    assert_eq!(lead.refused("s", &json!({"action": "list_keys"})), "ROLE_NOT_GRANTED");
    assert_eq!(fixer.value("s", "k"), "v", "all are equal");
    for agent in [&analyst, &fixer] {
        for (method, path, body) in of_creators() {
            assert_eq!(agent.told(method, path, &body), "403 not_creator", "{method} {path}");
        }
    }
    assert_eq!(
        Agent::new(&server, "stranger").refused("s", &read("k")),
        "SESSION_NOT_FOUND"
    );
    // What the creator takes back is its own again at once.
    let granted = "/v1/sessions/s/participants/analyst";
    assert_eq!(lead.told("DELETE", granted, &Value::Null), "200 ");
    assert_eq!(lead.told("DELETE", granted, &Value::Null), "404 participant_not_found");
    assert_eq!(analyst.refused("s", &read("k")), "SESSION_NOT_FOUND");
    assert_eq!(lead.keys("s"), ["k"]);
}

#[test]
fn whoever_runs_the_service_sees_contents_and_who_wrote_and_nobody_else_does_s082_s098_s099_s100() {
    let server = usual();
    let [lead, boss, checker] = ["lead", "boss", "checker"].map(|name| Agent::new(&server, name));
    lead.create(&json!({"session_id": "s"}));
    lead.create(&json!({"session_id": "t"}));
    lead.write("s", "k", "a value to be kept");
    lead.write("t", "elsewhere", "v");
    assert_eq!(
        boss.get("/v1/sessions/s/inspection")["contents"][0]["value"],
        "a value to be kept"
    );
    for other in ["lead", "analyst", "checker"] {
        let told = Agent::new(&server, other).told("GET", "/v1/sessions/s/inspection", &Value::Null);
        assert_eq!(told, "403 forbidden", "{other}");
    }
    assert_eq!(boss.refused("s", &read("k")), "SESSION_NOT_FOUND", "it takes no part");
    lead.does("s", &json!({"action": "snapshot", "label": "l"}));
    lead.write("s", "k", "another");
    lead.write("s", "later", "x");
    lead.does("s", &json!({"action": "rollback", "label": "l"}));
    lead.does("s", &json!({"action": "delete", "key": "k"}));
    lead.call("DELETE", "/v1/sessions/s", "");
    assert_eq!(
        boss.told("GET", "/v1/sessions/s/inspection", &Value::Null),
        "404 session_not_found"
    );
    let log = checker.get("/v1/sessions:audit?session_id=s");
    let rows = log["entries"].as_array().expect("entries");
    let actions: Vec<&str> = rows.iter().filter_map(|row| row["action"].as_str()).collect();
    let expected = [
        "create", "write", "snapshot", "write", "write", "rollback", "delete", "remove",
    ];
    assert_eq!(actions, expected, "{log}");
    assert!(
        rows.iter()
            .all(|row| row["principal"] == "lead" && row["at"].is_string()),
        "{log}"
    );
    for (place, version) in [(1, 1), (6, 3)] {
        let row = &rows[place];
        assert_eq!(
            (
                &row["session_id"],
                &row["key"],
                &row["written_by"],
                &row["value_size_tokens"],
                &row["version"]
            ),
            (
                &json!("s"),
                &json!("k"),
                &json!("orchestrator"),
                &json!(5),
                &json!(version)
            )
        );
    }
    assert_eq!(
        rows[5]["changes"],
        json!([
            {"action": "delete", "key": "later", "version": 1, "value_size_tokens": 1},
            {"action": "write", "key": "k", "version": 3, "value_size_tokens": 5},
        ])
    );
    assert!(!log.to_string().contains("to be kept"));
    let page = boss.get("/v1/sessions:audit?limit=2");
    assert_eq!(page["entries"].as_array().map(Vec::len), Some(2));
    let next = boss.get(&format!("/v1/sessions:audit?limit=500&after={}", page["next"]));
    assert_eq!(next["entries"][0]["key"], "k");
    assert_eq!(lead.told("GET", "/v1/sessions:audit", &Value::Null), "403 forbidden");
}

#[test]
fn an_operator_ends_a_session_whose_creator_is_gone_and_reads_nothing_s095_s096_s098() {
    let server = usual();
    let [lead, boss, analyst] = ["lead", "boss", "analyst"].map(|name| Agent::new(&server, name));
    lead.create(
        &json!({"session_id": "s", "participants": [{"principal": "analyst", "roles": ["subagent:analysis"]}]}),
    );
    lead.write("s", "k", "a value to be kept");
    let ends = |agent: &Agent<'_>, method: &str, path: &str| agent.told(method, path, &Value::Null);
    assert_eq!(ends(&boss, "POST", "/v1/sessions/s:archive"), "404 session_not_found");
    assert_eq!(
        ends(&boss, "POST", "/v1/sessions/s:archive?as=master"),
        "400 bad_parameter"
    );
    let (archive, delete) = ("/v1/sessions/s:archive?as=operator", "/v1/sessions/s?as=operator");
    for who in ["lead", "analyst", "fixer", "stranger", "checker"] {
        for (method, path) in [("POST", archive), ("DELETE", delete)] {
            assert_eq!(
                ends(&Agent::new(&server, who), method, path),
                "403 forbidden",
                "{who} {method}"
            );
        }
    }
    let archived = boss.call("POST", archive, "").body;
    assert_eq!(archived["status"], "archived", "{archived}");
    assert!(!archived.to_string().contains("to be kept"), "nothing is read by it");
    assert_eq!(boss.refused("s", &read("k")), "SESSION_NOT_FOUND");
    assert_eq!(
        analyst.value("s", "k"),
        "a value to be kept",
        "who took part still reads it"
    );
    assert_eq!(ends(&boss, "DELETE", delete), "200 ");
    assert_eq!(ends(&boss, "DELETE", delete), "404 session_not_found");
    assert_eq!(lead.refused("s", &read("k")), "SESSION_NOT_FOUND");
    let log = boss.get("/v1/sessions:audit?session_id=s");
    let rows = log["entries"].as_array().expect("entries").iter();
    let by_operator = rows.filter(|row| row["operator"] == "boss" && row.get("principal").is_none());
    let actions: Vec<&Value> = by_operator.map(|row| &row["action"]).collect();
    assert_eq!(actions, ["archive", "remove"], "{log}");
}

#[test]
fn an_operator_deletes_a_task_and_a_conversation_whose_creators_are_gone_c065_p035() {
    let server = usual();
    let (lead, boss) = (Agent::new(&server, "lead"), Agent::new(&server, "boss"));
    let task = json!({"TaskContext": {"TaskID": "t", "UserQuery": "q", "TaskName": "n", "TaskDescription": "d",
        "GoalStatus": [{"Goal": "g", "Status": "pending"}], "OverallStatus": "", "Optional": ["StartTime", "EndTime"]}});
    assert_eq!(lead.told("POST", "/v1/tasks", &task), "201 ");
    let begun = lead
        .call("POST", "/v1/conversations", r#"{"role": "user", "content": "hello"}"#)
        .body;
    let conversation = begun["context_id"].as_str().expect("an id");
    for path in ["/v1/tasks/t".to_owned(), format!("/v1/conversations/{conversation}")] {
        let status = |who: &str, method: &str, by: &str| {
            Agent::new(&server, who).call(method, &format!("{path}{by}"), "").status
        };
        assert_eq!(
            (status("boss", "DELETE", ""), status("boss", "GET", "")),
            (404, 404),
            "{path}: it reads nothing"
        );
        for who in ["lead", "stranger", "checker"] {
            assert_eq!(status(who, "DELETE", "?as=operator"), 403, "{who} {path}");
        }
        assert_eq!(status("lead", "GET", ""), 200, "{path}");
        assert_eq!(
            boss.call("DELETE", &format!("{path}?as=operator"), "").status,
            200,
            "{path}"
        );
        assert_eq!(
            (status("lead", "GET", ""), status("boss", "DELETE", "?as=operator")),
            (404, 404),
            "{path}"
        );
    }
}

#[test]
fn sessions_are_bounded_and_who_can_never_take_part_is_not_let_in_s004_s094() {
    let server = closed(
        |settings| {
            settings.sessions.sessions_max = 3;
            settings.sessions.sessions_per_client_max = 2;
            settings.sessions.participants_max = 1;
        },
        PartsOverride::default(),
    );
    let (lead, other) = (Agent::new(&server, "lead"), Agent::new(&server, "stranger"));
    let with = |names: &[&str]| {
        let participants = names
            .iter()
            .map(|name| json!({"principal": name, "roles": [format!("subagent:{name}")]}));
        json!({"session_id": "a", "participants": participants.collect::<Vec<Value>>()})
    };
    for (agent, body, told) in [
        (&lead, with(&["analyst", "fixer"]), "429 limit_reached"),
        (&lead, with(&["nobody-known"]), "400 bad_request"),
        (&lead, with(&["checker"]), "400 bad_request"),
        (&lead, with(&["analyst"]), "201 "),
        (&lead, json!({"session_id": "b"}), "201 "),
        (&lead, json!({"session_id": "c"}), "429 limit_reached"),
        (&other, json!({"session_id": "a"}), "409 session_exists"),
        (&other, json!({"session_id": "c"}), "201 "),
        (&other, json!({"session_id": "d"}), "429 limit_reached"),
    ] {
        assert_eq!(agent.told("POST", "/v1/sessions", &body), told, "{body}");
    }
    let grant = json!({"principal": "nobody-known", "roles": ["subagent:b"]});
    let reply = lead.call("POST", "/v1/sessions/a/participants", &grant.to_string());
    assert_eq!(
        (reply.status, &reply.body["fields"][0]["field"]),
        (400, &json!("principal"))
    );
}

#[test]
fn without_keys_callers_are_whom_they_name_and_nobody_is_somebody_too_s086() {
    let server = Server::with(&[]);
    let call = |who: &str, role: &str, path: &str, body: &str| {
        let mut headers = vec![("Otherwise-Client", who), ("Otherwise-Role", role)];
        headers.retain(|(_, value)| !value.is_empty());
        let reply = server.call("POST", path, &headers, body);
        let by = written_by(&reply.body).to_owned();
        (reply.status, by)
    };
    assert_eq!(call("ana", "", "/v1/sessions", r#"{"session_id":"a"}"#).0, 201);
    assert_eq!(call("", "", "/v1/sessions", r#"{"session_id":"n"}"#).0, 201);
    let write = r#"{"action":"write","key":"k","value":"v"}"#;
    for (who, role, session, status, by) in [
        ("ana", "subagent:x:1", "a", 200, "subagent:x:1"),
        ("ben", "", "a", 404, ""),
        ("", "", "a", 404, ""),
        ("", "", "n", 200, "orchestrator"),
        ("ana", "", "n", 404, ""),
    ] {
        let told = call(who, role, &format!("/v1/sessions/{session}/context"), write);
        assert_eq!(told, (status, by.to_owned()), "{who} in {session}");
    }
}

#[test]
fn a_value_is_kept_without_what_has_the_form_of_a_token_and_the_answer_says_so_x02() {
    let server = usual();
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "s"}));
    assert!(lead.write("s", "scope", "no secret in it").get("hint").is_none());
    let written = lead.write("s", "access", "call it with Bearer abc.def-123, password=swordfish");
    assert!(
        written["hint"].as_str().is_some_and(|hint| hint.contains("taken out")),
        "{written}"
    );
    assert_eq!(
        lead.value("s", "access"),
        "call it with [redacted], password=[redacted]"
    );
}
