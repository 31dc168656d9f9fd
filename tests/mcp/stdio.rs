//! MCP on standard input and output: for a running service, and with a folder of its own.

use std::io::BufRead;
use std::io::BufReader;
use std::io::Read;
use std::io::Write;
use std::process::Stdio;

use serde_json::Value;
use serde_json::json;

use super::FLIGHT;
use super::MODERN;
use super::TEMPLATE;
use super::booking;
use super::meta;
use super::opening;
use super::republish;
use super::started;
use crate::support::child::program;
use crate::support::principal::with_key;
use crate::support::server::Server;
use otherwise::app::caller::Role;
use otherwise::bootstrap::parts::PartsOverride;

/// The program on its standard input and output.
struct Piped {
    child: std::process::Child,
    input: Option<std::process::ChildStdin>,
    output: BufReader<std::process::ChildStdout>,
}

impl Piped {
    fn start(arguments: &[&str]) -> Piped {
        Piped::told_to(arguments, Stdio::null())
    }

    fn told_to(arguments: &[&str], log: Stdio) -> Piped {
        let child = program(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("started");
        Piped::of(child)
    }

    fn of(mut child: std::process::Child) -> Piped {
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("output"));
        Piped {
            child,
            input,
            output: BufReader::new(output),
        }
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.input.as_mut().expect("open"), "{message}").expect("taken");
    }

    fn write(&mut self, line: &str) {
        writeln!(self.input.as_mut().expect("open"), "{line}").expect("taken");
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?} is no message"))
    }

    fn ask(&mut self, id: u64, method: &str, params: &Value) -> Value {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let said = self.next();
        assert_eq!(said["id"], id, "{said}");
        said
    }

    fn open(&mut self) {
        let said = self.ask(0, "initialize", &opening());
        assert_eq!(said["result"]["serverInfo"]["name"], "otherwise", "{said}");
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }

    /// Says nothing more, and waits for the end.
    fn end(mut self) -> Option<i32> {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("text");
        assert_eq!(rest, "", "nothing but messages");
        self.child.wait().expect("ended").code()
    }
}

#[test]
fn a_pipe_leads_to_a_running_service_in_both_revisions() {
    let server = started(|_| {});
    let mut pipe = Piped::start(&["mcp", "--url", server.base(), "--name", "ana"]);
    pipe.open();
    let tools = pipe.ask(1, "tools/list", &json!({}));
    assert_eq!(tools["result"]["tools"].as_array().map(Vec::len), Some(8));
    let wrong = json!({"name": "submit_payload", "arguments": booking(&json!("2"))});
    let refused = pipe.ask(2, "tools/call", &wrong);
    assert_eq!(refused["result"]["isError"], true);
    pipe.ask(3, "resources/subscribe", &json!({ "uri": TEMPLATE }));
    republish(&server);
    let mut told = [pipe.next(), pipe.next()].map(|told| told["method"].clone());
    told.sort_by_key(Value::to_string);
    assert_eq!(
        told,
        ["notifications/resources/updated", "notifications/tools/list_changed"]
    );
    assert_eq!(pipe.end(), Some(0));

    let mut pipe = Piped::start(&["mcp", "--url", server.base(), "--name", "ana"]);
    let discovered = pipe.ask(1, "server/discover", &json!({ "_meta": meta() }));
    assert!(
        discovered["result"]["supportedVersions"].to_string().contains(MODERN),
        "{discovered}"
    );
    let arguments = json!({"scenario": "flight_booking"});
    let params = json!({"name": "get_schema_template", "arguments": arguments, "_meta": meta()});
    let read = pipe.ask(2, "tools/call", &params);
    assert_eq!(read["result"]["structuredContent"]["schema_id"], "flight_booking_v1_1");
    let unknown = pipe.ask(3, "no/such", &json!({ "_meta": meta() }));
    assert_eq!(unknown["error"]["code"], -32601);
    assert_eq!(pipe.end(), Some(0));
    drop(server);
}

#[test]
fn a_request_is_cancelled_and_another_one_answered() {
    let server = started(|_| {});
    let mut pipe = Piped::start(&["mcp", "--url", server.base(), "--name", "ana"]);
    pipe.open();
    let follow = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    pipe.say(&follow);
    pipe.say(&cancelled);
    pipe.say(&json!({"jsonrpc": "2.0", "id": 2, "method": "prompts/list", "params": {}}));
    let mut said = pipe.next();
    if said["id"] == 1 {
        said = pipe.next();
    }
    assert!(said["id"] == 2 && said["result"]["prompts"].is_array(), "{said}");
    assert_eq!(pipe.end(), Some(0));
}

#[test]
fn a_key_is_shown_to_a_service_that_wants_one() {
    let server = Server::start(
        &[],
        |settings| settings.principals = vec![with_key("ana", Role::Client, "k-ana")],
        PartsOverride::default(),
    );
    let started = |key: &str| {
        let mut child = program(&["mcp", "--url", server.base(), "--key-env", "MCP_TEST_KEY"]);
        let child = child
            .env("MCP_TEST_KEY", key)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        Piped::of(child.spawn().expect("started"))
    };
    let mut pipe = started("k-ana");
    pipe.open();
    assert_eq!(pipe.end(), Some(0));
    let mut pipe = started("k-ben");
    let refused = pipe.ask(0, "initialize", &opening());
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    assert_eq!(pipe.end(), Some(0));
}

#[test]
fn a_service_that_is_not_there_is_said_in_an_answer() {
    let mut pipe = Piped::start(&["mcp", "--url", "http://127.0.0.1:1"]);
    let said = pipe.ask(7, "initialize", &opening());
    assert_eq!(said["error"]["code"], -32603, "{said}");
    assert_eq!(pipe.end(), Some(0));
    for arguments in [
        &["mcp", "--url", "nowhere"][..],
        &["mcp", "--url", "http://127.0.0.1:1", "--data", "d"],
        &["mcp", "--key-env", "K"],
        &["mcp", "--listen", "127.0.0.1:0"],
    ] {
        let ended = program(arguments).output().expect("ended");
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_pipe_without_a_service_opens_the_folder_and_keeps_what_it_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let shelf = folder.path().join("schemas");
    std::fs::create_dir(&shelf).expect("made");
    std::fs::write(shelf.join("flight.json"), FLIGHT).expect("written");
    let data = folder.path().join("data").display().to_string();
    let (shelf, models) = (
        shelf.display().to_string(),
        format!("{}/models", env!("CARGO_MANIFEST_DIR")),
    );
    let arguments = ["mcp", "--data", &data, "--schemas", &shelf, "--models", &models];
    let keyed = |passengers: u64| {
        let mut body = booking(&json!(passengers));
        body["idempotency_key"] = json!("trip-1");
        json!({"name": "submit_payload", "arguments": body})
    };
    for again in [false, true] {
        let mut pipe = Piped::start(&arguments);
        pipe.open();
        let said = pipe.ask(1, "tools/call", &keyed(2));
        let exchange = &said["result"]["structuredContent"]["exchange"];
        assert_eq!(exchange["replayed"].as_bool().unwrap_or(false), again, "{said}");
        let other = program(&arguments).output().expect("ended");
        assert_eq!(other.status.code(), Some(3), "the folder is held");
        assert_eq!(pipe.end(), Some(0));
    }
}

#[test]
fn both_forms_refuse_lines_that_are_no_message_and_go_on() {
    let server = started(|_| {});
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data").display().to_string();
    let models = format!("{}/models", env!("CARGO_MANIFEST_DIR"));
    for arguments in [
        &["mcp", "--url", server.base(), "--name", "ana"][..],
        &["mcp", "--data", &data, "--schemas", "", "--models", &models],
    ] {
        let log = folder.path().join("log");
        let file = std::fs::File::create(&log).expect("a file");
        let mut pipe = Piped::told_to(arguments, Stdio::from(file));
        pipe.open();
        for line in [
            "7",
            "{}",
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            r#"{"method":"ping"}"#,
        ] {
            pipe.write(line);
            let said = pipe.next();
            assert_eq!(said["error"]["code"], json!(-32600), "{line}: {said}");
        }
        for (line, id, code) in [
            (r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#, json!(3), -32600),
            (r#"{"jsonrpc":"2.0","id":"a","method":5}"#, json!("a"), -32600),
            (r#"{"jsonrpc":"2.0","id":4}"#, json!(4), -32600),
            (
                r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":7}"#,
                json!(5),
                -32600,
            ),
        ] {
            pipe.write(line);
            let said = pipe.next();
            assert_eq!(
                (&said["id"], &said["error"]["code"]),
                (&id, &json!(code)),
                "{line}: {said}"
            );
        }
        // What is no JSON has no id to answer under, and is passed over.
        pipe.write("{");
        assert!(pipe.ask(4, "tools/list", &json!({}))["result"]["tools"].is_array());
        assert_eq!(pipe.end(), Some(0));
        assert_eq!(Piped::start(arguments).end(), Some(0), "nothing was asked");
        let log = std::fs::read_to_string(&log).expect("a log");
        assert!(!log.contains("ERROR") && !log.contains("\"error\""), "{log}");
    }
}

#[test]
fn a_bridge_opens_its_session_again_when_the_service_was_started_anew() {
    let server = started(|_| {});
    let address = server.base().trim_start_matches("http://").to_owned();
    let mut pipe = Piped::start(&["mcp", "--url", server.base(), "--name", "ana"]);
    pipe.open();
    pipe.ask(1, "resources/subscribe", &json!({ "uri": TEMPLATE }));
    drop(server);
    let server = started(|settings| settings.server.listen = address);
    pipe.say(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}));
    let mut methods = Vec::new();
    let answer = loop {
        let said = pipe.next();
        if said["id"] == 2 {
            break said;
        }
        methods.push(said["method"].as_str().expect("a notification").to_owned());
    };
    assert!(answer["result"]["tools"].is_array(), "{answer}");
    for change in [
        "resources/updated",
        "resources/list_changed",
        "prompts/list_changed",
        "tools/list_changed",
    ] {
        let change = format!("notifications/{change}");
        assert!(
            methods.contains(&change),
            "what changed meanwhile was missed: {methods:?}"
        );
    }
    // It follows what it followed.
    republish(&server);
    let mut told = pipe.next();
    while told["method"] != "notifications/resources/updated" {
        told = pipe.next();
    }
    assert_eq!(told["params"]["uri"], TEMPLATE);
    drop(pipe.input.take());
    assert_eq!(pipe.child.wait().expect("ended").code(), Some(0));
}

#[test]
fn a_bridge_listens_again_when_the_service_was_started_anew() {
    let server = started(|_| {});
    let address = server.base().trim_start_matches("http://").to_owned();
    let mut pipe = Piped::start(&["mcp", "--url", server.base(), "--name", "ana"]);
    let wanted = json!({"resourceSubscriptions": [TEMPLATE], "toolsListChanged": true});
    let params = json!({"notifications": wanted, "_meta": meta()});
    pipe.say(&json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params}));
    assert_eq!(pipe.next()["method"], "notifications/subscriptions/acknowledged");
    drop(server);
    let server = started(|settings| settings.server.listen = address);
    let told = pipe.next();
    assert_eq!(
        told["method"], "notifications/resources/updated",
        "what changed meanwhile was missed: {told}"
    );
    assert_eq!(told["params"]["uri"], TEMPLATE);
    assert_eq!(pipe.next()["method"], "notifications/tools/list_changed");
    republish(&server);
    let mut told = [pipe.next(), pipe.next()].map(|told| told["method"].clone());
    told.sort_by_key(Value::to_string);
    assert_eq!(
        told,
        ["notifications/resources/updated", "notifications/tools/list_changed"]
    );
    drop(pipe.input.take());
    assert_eq!(pipe.child.wait().expect("ended").code(), Some(0));
}

#[test]
fn another_web_server_is_said_to_be_none() {
    let page = crate::support::agent::Agent::start(|_, _| {
        crate::support::agent::Act::Say(
            200,
            "Content-Type: text/html\r\n".to_owned(),
            "<html>welcome</html>".to_owned(),
        )
    });
    let silent = crate::support::agent::Agent::start(|_, _| {
        crate::support::agent::Act::Stall(std::time::Duration::from_secs(60), json!({}))
    });
    for other in [&page, &silent] {
        let url = other.url().trim_end_matches("/book").to_owned();
        let mut pipe = Piped::start(&["mcp", "--url", &url]);
        let begun = std::time::Instant::now();
        let said = pipe.ask(1, "initialize", &opening());
        assert!(begun.elapsed() < std::time::Duration::from_secs(20));
        let told = said["error"]["message"].as_str().expect("why");
        assert!(told.contains("is it the address of the service?"), "{told}");
        assert_eq!(pipe.end(), Some(0));
    }
}
