//! Who may what: roles, principals, callers without keys, whoever runs the service, and how many sessions there may be.

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::Agent;
use super::closed;
use super::written_by;
use crate::support::server::Reply;
use crate::support::server::Server;

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

/// A role says what one may do with keys; who takes part at all is the creator's affair alone, whatever anybody is called.
#[test]
fn who_leads_for_the_creator_opens_keys_and_lets_nobody_in_s007_s009_s076_s086() {
    let server = closed(|_| {}, PartsOverride::default());
    let lead = Agent::new(&server, "lead");
    lead.create(
        &json!({"session_id": "s", "config": {"access_control": true}, "participants": [
        {"principal": "analyst", "roles": ["orchestrator"]}, {"principal": "fixer", "roles": ["subagent:fix"]}]}),
    );
    let (analyst, fixer) = (Agent::new(&server, "analyst"), Agent::new(&server, "fixer"));
    let closed = json!({"action": "write", "key": "k", "value": "v", "readable_by": ["orchestrator"]});
    assert_eq!(analyst.does("s", &closed)["written_by"], "orchestrator");
    assert_eq!(lead.refused("s", &json!({"action": "list_keys"})), "ROLE_NOT_GRANTED");
    assert_eq!(
        fixer.refused("s", &json!({"action": "read", "key": "k"})),
        "KEY_NOT_FOUND"
    );
    for (method, path, body) in [
        (
            "POST",
            "/v1/sessions/s/participants",
            r#"{"principal": "stranger", "roles": ["subagent:x"]}"#,
        ),
        (
            "POST",
            "/v1/sessions/s/participants",
            r#"{"principal": "analyst", "roles": ["orchestrator", "subagent:*"]}"#,
        ),
        ("DELETE", "/v1/sessions/s/participants/fixer", ""),
        ("POST", "/v1/sessions/s:archive", ""),
        ("DELETE", "/v1/sessions/s", ""),
    ] {
        let reply = analyst.call(method, path, body);
        assert_eq!(
            (reply.status, &reply.body["code"]),
            (403, &json!("not_creator")),
            "{method} {path}"
        );
    }
    assert_eq!(
        Agent::new(&server, "stranger")
            .act("s", &json!({"action": "list_keys"}))
            .status,
        404
    );
    let opened = json!({"action": "write", "key": "k", "value": "v", "readable_by": ["subagent:fix"], "writable_by": ["orchestrator"]});
    assert_eq!(analyst.does("s", &opened)["version"], 2, "who leads may open a key");
    assert_eq!(fixer.value("s", "k"), "v");
    let wider = json!({"action": "write", "key": "k", "value": "v", "readable_by": ["*"], "writable_by": ["*"]});
    assert_eq!(fixer.refused("s", &wider), "KEY_FORBIDDEN", "who only reads it may not");
    let shared = json!({"action": "write", "key": "k", "value": "v", "writable_by": ["subagent:fix"]});
    analyst.does("s", &shared);
    assert_eq!(fixer.does("s", &wider)["version"], 4, "who reads and writes it may");
    // What the creator takes back is its own again at once.
    assert_eq!(
        lead.call("DELETE", "/v1/sessions/s/participants/analyst", "").status,
        200
    );
    assert_eq!(
        analyst.refused("s", &json!({"action": "list_keys"})),
        "SESSION_NOT_FOUND"
    );
    assert_eq!(lead.keys("s"), ["k"]);
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
    assert!(rows.iter().all(|row| row["principal"] == "lead"), "{log}");
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
fn the_audit_log_says_what_a_rollback_wrote_and_deleted_s082_s098() {
    let server = closed(|_| {}, PartsOverride::default());
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "s"}));
    lead.write("s", "decided", "one");
    lead.does("s", &json!({"action": "snapshot", "label": "l"}));
    lead.write("s", "decided", "another");
    lead.write("s", "later", "x");
    lead.does("s", &json!({"action": "rollback", "label": "l"}));
    let log = Agent::new(&server, "checker")
        .call("GET", "/v1/sessions:audit?session_id=s", "")
        .body;
    let last = log["entries"].as_array().and_then(|rows| rows.last()).expect("a row");
    assert_eq!(
        (&last["action"], &last["principal"]),
        (&json!("rollback"), &json!("lead"))
    );
    assert_eq!(
        last["changes"],
        json!([
            {"action": "delete", "key": "later", "version": 1, "value_size_tokens": 1},
            {"action": "write", "key": "decided", "version": 3, "value_size_tokens": 1},
        ])
    );
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
    let two =
        json!([{"principal": "analyst", "roles": ["subagent:a"]}, {"principal": "fixer", "roles": ["subagent:b"]}]);
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
