//! Whatever transport a submission comes through, the verdict is the same: 1,000 generated submissions, each by all four.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::support::random::Random;
use crate::support::server::Reply;
use crate::support::server::Server;

const SUBMISSIONS: u64 = 1_000;
const SEED: u64 = 20_261_121;
const WHO: (&str, &str) = ("Otherwise-Client", "ana");

/// What is said of a submission, without what belongs to one record or one carrier.
#[derive(Debug, PartialEq)]
enum Verdict {
    Accepted(Value),
    Refused(Value),
    /// It cannot be judged at all, and why.
    Unjudged(String),
}

/// Why a submission cannot be judged, in the words that every transport has for it; A2A says before it where the submission stood.
fn unjudged(said: &str) -> Verdict {
    let said = said.rsplit_once("hold no submission: ").map_or(said, |(_, why)| why);
    Verdict::Unjudged(said.to_owned())
}

/// Templates whose keys are of every type; none of them learns.
fn server() -> Server {
    let keys = json!([
        {"key_name": "from", "key_type": "string", "required": true, "semantic_description": "Where from."},
        {"key_name": "seats", "key_type": "integer", "required": true, "constraints": {"minimum": 1, "maximum": 9},
         "semantic_description": "How many travel."},
        {"key_name": "class", "key_type": "string", "required": false, "default_value": "economy",
         "constraints": {"enum": ["economy", "business"]}, "semantic_description": "Cabin class."},
        {"key_name": "price", "key_type": "number", "required": false, "semantic_description": "What it may cost."},
        {"key_name": "flexible", "key_type": "boolean", "required": false, "semantic_description": "Whether other days do."},
        {"key_name": "stops", "key_type": "array", "required": false, "constraints": {"items": {"type": "string"}, "maxItems": 2},
         "semantic_description": "Where to stop."},
        {"key_name": "contact", "key_type": "object", "required": false, "semantic_description": "Whom to call."},
    ]);
    let template = |id: &str, strict: bool| json!({"schema_id": id, "scenario": id, "keys": keys, "policy": {"evolution": {"enabled": false}}, "strict": strict, "lenient": true});
    let schemas = [
        ("open.json", template("open_v1", false)),
        ("strict.json", template("strict_v1", true)),
    ];
    Server::set(&schemas, |settings| settings.server.client_requests_per_s = 0)
}

/// Values right and wrong. Numbers stay where every carrier keeps them.
fn value(random: &mut Random) -> Value {
    match random.below(12) {
        0 => json!(null),
        1 => json!(true),
        2 => json!("PEK"),
        3 => json!("business"),
        4 => json!("3"),
        5 => json!(""),
        6 => json!(random.below(12)),
        7 => json!(random.below(1_000) as f64 / 8.0),
        8 => json!(["SHA", "HKG"]),
        9 => json!([1, null, {"a": []}]),
        10 => json!({"name": "Ada", "phone": "+49 30 1234"}),
        _ => json!("ein Fensterplatz — 靠窗 \u{1F6EB}"),
    }
}

fn submission(random: &mut Random) -> Value {
    let mut payload = Map::new();
    let right = [
        ("from", json!("PEK")),
        ("seats", json!(random.between(1, 9))),
        ("class", json!("business")),
        ("price", json!(random.below(1_000) as f64 / 8.0)),
        ("flexible", json!(true)),
        ("stops", json!(["SHA"])),
        ("contact", json!({"name": "Ada"})),
        ("other", json!("a window seat please")),
    ];
    for (place, (key, right)) in right.into_iter().enumerate() {
        let required = place < 2;
        if if required { !random.one_in(12) } else { random.one_in(2) } {
            payload.insert(key.to_owned(), if random.one_in(12) { value(random) } else { right });
        }
    }
    if random.one_in(8) {
        payload.insert("not_there".to_owned(), value(random));
    }
    let schema_id = if random.one_in(3) { "strict_v1" } else { "open_v1" };
    let mut submission = json!({"schema_id": schema_id, "payload": payload});
    if random.one_in(4) {
        // From before the first publication up to one in the future; pinned to it or not, or pinned to none.
        submission["revision"] = json!(random.below(5));
        if random.one_in(2) {
            submission["pinned"] = json!(random.one_in(2));
        }
    } else if random.one_in(40) {
        submission["pinned"] = json!(true);
    }
    if random.one_in(3) {
        submission["handling"] = json!(if random.one_in(4) { "strict" } else { "lenient" });
    }
    if random.one_in(20) {
        let half = if random.one_in(2) { "schema_id" } else { "payload" };
        submission.as_object_mut().expect("an object").shift_remove(half);
    }
    if random.one_in(4) {
        submission["utterance"] = json!("two of us to Shanghai");
    }
    submission
}

/// The document of an accepted or a refused submission, made comparable.
fn verdict(document: &Value) -> Verdict {
    let mut document = document.clone();
    if let Some(exchange) = document["exchange"].as_object_mut() {
        exchange.shift_remove("submission_id");
    }
    if document.get("violations").is_none() {
        return match document["detail"].as_str() {
            Some(why) => unjudged(why),
            None => Verdict::Accepted(document),
        };
    }
    Verdict::Refused(
        json!({"code": document["code"], "violations": document["violations"], "exchange": document["exchange"]}),
    )
}

/// What was answered as the document that HTTP gives, from within the envelope of its transport.
fn document(path: &str, said: &str) -> Verdict {
    let mut events = said
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .map(str::trim);
    let text = events.rfind(|data| !data.is_empty()).unwrap_or(said);
    let answer: Value = serde_json::from_str(text).expect("JSON");
    let at = |place: &str| answer.pointer(place);
    match path {
        "/rpc" => verdict(
            at("/result")
                .or(at("/error/data"))
                .unwrap_or_else(|| panic!("{answer}")),
        ),
        "/mcp" => {
            let text = at("/result/content/0/text").and_then(Value::as_str);
            verdict(&serde_json::from_str(text.unwrap_or_else(|| panic!("{answer}"))).expect("a document"))
        }
        "/a2a/message:send" => {
            let why = at("/error/details/1/fieldViolations/0/description").and_then(Value::as_str);
            let said = at("/task/artifacts/0/parts/0/data").or(at("/task/status/message/parts/1/data"));
            match (why, said) {
                (Some(why), _) => unjudged(why),
                (None, Some(said)) => verdict(said),
                (None, None) => panic!("{answer}"),
            }
        }
        _ => verdict(&answer),
    }
}

/// What a transport is sent: address, headers, body.
type Sent = (&'static str, Vec<(&'static str, &'static str)>, String);

/// What each transport is sent for a submission that is JSON text.
fn each_transport(submission: &str) -> [Sent; 4] {
    let tool = format!(
        r#"{{"name":"submit_payload","arguments":{submission},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
            "io.modelcontextprotocol/clientInfo":{{"name":"test","version":"1"}},"io.modelcontextprotocol/clientCapabilities":{{}}}}}}"#
    );
    let call =
        |method: &str, params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
    [
        ("/v1/submissions", vec![WHO], submission.to_owned()),
        ("/rpc", vec![WHO], call("submit_payload", submission)),
        (
            "/mcp",
            vec![
                WHO,
                ("Accept", "application/json, text/event-stream"),
                ("MCP-Protocol-Version", "2026-07-28"),
                ("Mcp-Method", "tools/call"),
                ("Mcp-Name", "submit_payload"),
            ],
            call("tools/call", &tool),
        ),
        (
            "/a2a/message:send",
            vec![WHO, ("A2A-Version", "1.0")],
            format!(r#"{{"message":{{"messageId":"m","role":"ROLE_USER","parts":[{{"data":{submission}}}]}}}}"#),
        ),
    ]
}

#[test]
fn every_transport_gives_the_same_verdict_on_the_same_submission_z002_z017_z036() {
    let server = server();
    let mut random = Random::new(SEED);
    let (mut accepted, mut refused, mut unjudged) = (0, 0, 0);
    for _ in 0..SUBMISSIONS {
        let submission = submission(&mut random).to_string();
        let [by_http, others @ ..] = each_transport(&submission).map(|(path, headers, body)| {
            let (_, said) = server.call_with_text("POST", path, &headers, &body);
            (path, document(path, &said))
        });
        for (path, said) in others {
            assert_eq!(said, by_http.1, "{path}: {submission}");
        }
        match by_http.1 {
            Verdict::Accepted(_) => accepted += 1,
            Verdict::Refused(_) => refused += 1,
            Verdict::Unjudged(_) => unjudged += 1,
        }
    }
    let tried = format!("{accepted} accepted, {refused} refused, {unjudged} not judged");
    assert!(accepted > 100 && refused > 100 && unjudged > 20, "{tried}");
}

#[test]
fn a_name_that_is_written_twice_is_warned_about_by_every_transport_z019() {
    let server = server();
    let submission =
        r#"{"schema_id":"open_v1","payload":{"from":"PEK","seats":1,"contact":{"name":"Ada","name":"Bob"}}}"#;
    for (path, headers, body) in each_transport(submission) {
        let (_, said) = server.call_with_text("POST", path, &headers, &body);
        assert!(said.contains("repeated_key") && said.contains("Bob"), "{path}: {said}");
    }
}

#[test]
fn what_is_only_tried_has_no_idempotency_key_at_any_transport() {
    let server = server();
    const SAYS: &str = "`dry_run` puts nothing on record, so an idempotency key can mean nothing";
    let dry = r#"{"schema_id":"open_v1","payload":{"from":"PEK","seats":1},"dry_run":true}"#;
    let keyed = dry.replace("true}", r#"true,"idempotency_key":"k"}"#);
    for (path, headers, body) in each_transport(&keyed) {
        let (_, said) = server.call_with_text("POST", path, &headers, &body);
        assert!(said.contains(SAYS), "{path}: {said}");
    }
    let header = [WHO, ("Idempotency-Key", "k")];
    let by_header = server.call("POST", "/v1/submissions", &header, dry).body;
    assert!(by_header["detail"].to_string().contains(SAYS), "{by_header}");
    let checked = server.call("POST", "/v1/submissions:validate", &header, dry).body;
    assert_eq!(checked["code"], "bad_header", "{checked}");
    let batch = format!(r#"{{"submissions":[{keyed},{dry}]}}"#);
    let items = server.call("POST", "/v1/submissions:batch", &[WHO], &batch).body["items"].clone();
    assert_eq!([&items[0]["status"], &items[1]["status"]], [&json!(400), &json!(200)]);
}

#[test]
fn a_client_says_through_http_json_rpc_and_mcp_what_it_can_take_and_is_told_what_was_not_heeded_z182() {
    let server = server();
    let params = r#"{"scenario":"open_v1","capabilities":{"formats":["protobuf","markdown","gbnf"],"streaming":true}}"#;
    let negotiate = |params: &str| format!(r#"{{"method":"get_schema_template","params":{params}}}"#);
    let ask = |params: &str| server.call_with_text("POST", "/v1/scenarios:negotiate", &[WHO], &negotiate(params));
    let header = |reply: &Reply, name: &str| {
        let value = reply.headers.get(name)?.to_str().expect("text");
        Some(value.to_owned())
    };
    const IGNORED: &str = "otherwise-capabilities-ignored";
    let (reply, by_http) = ask(params);
    assert!(header(&reply, "content-type").is_some_and(|kind| kind.starts_with("text/markdown")));
    assert_eq!(header(&reply, IGNORED).as_deref(), Some("formats.protobuf, streaming"));
    let framed = format!(r#"{{"jsonrpc":"2.0","id":1,{}"#, &negotiate(params)[1..]);
    let by_rpc = server.call("POST", "/rpc", &[WHO], &framed).body["result"].clone();
    assert_eq!(
        (&by_rpc["format"], &by_rpc["text"]),
        (&json!("markdown"), &json!(by_http))
    );
    assert_eq!(
        by_rpc["capabilities"],
        json!({"ignored": ["formats.protobuf", "streaming"]})
    );
    let [_, _, (path, mut headers, call), _] = each_transport(params);
    headers.retain(|(name, _)| *name != "Mcp-Name");
    headers.push(("Mcp-Name", "get_schema_template"));
    let call = call.replace("\"submit_payload\"", "\"get_schema_template\"");
    let (_, by_mcp) = server.call_with_text("POST", path, &headers, &call);
    for says in [
        r#""format":"markdown""#,
        r#""ignored":["formats.protobuf","streaming"]"#,
    ] {
        assert!(by_mcp.contains(says), "{by_mcp}");
    }
    // What is heeded whole, and what a format says already, is told nothing of.
    let (reply, _) = ask(r#"{"scenario":"open_v1","capabilities":{"formats":["template"]}}"#);
    assert_eq!(
        (&reply.body["schema_id"], header(&reply, IGNORED)),
        (&json!("open_v1"), None)
    );
    let (reply, _) = ask(r#"{"scenario":"open_v1","format":"json-schema","capabilities":{"formats":["gbnf"]}}"#);
    assert_eq!(reply.body["type"], "object", "{}", reply.body);
    let (reply, _) = ask(r#"{"scenario":"open_v1","capabilities":["gbnf"]}"#);
    assert_eq!((reply.status, &reply.body["code"]), (400, &json!("bad_request")));
    assert!(reply.body["detail"].to_string().contains("`capabilities`"));
}
