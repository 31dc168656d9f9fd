//! MCP on standard input and output: for a running service, and with a folder of its own.

use std::io::BufRead;
use std::io::BufReader;
use std::io::Read;
use std::io::Write;
use std::process::Stdio;

use serde_json::Value;
use serde_json::json;

use super::FLIGHT;
use super::LEGACY;
use super::MODERN;
use super::TEMPLATE;
use super::booking;
use super::republish;
use super::started;
use crate::support::child::program;

/// The program on its standard input and output.
struct Piped {
    child: std::process::Child,
    input: Option<std::process::ChildStdin>,
    output: BufReader<std::process::ChildStdout>,
}

impl Piped {
    fn start(arguments: &[&str]) -> Piped {
        let mut child = program(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
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
        let client = json!({"name": "test", "version": "1"});
        let opening = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client});
        let said = self.ask(0, "initialize", &opening);
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
    assert_eq!(tools["result"]["tools"].as_array().map(Vec::len), Some(7));
    let refused = pipe.ask(
        2,
        "tools/call",
        &json!({"name": "submit_payload", "arguments": booking(&json!("2"))}),
    );
    assert_eq!(refused["result"]["isError"], true);
    pipe.ask(3, "resources/subscribe", &json!({ "uri": TEMPLATE }));
    republish(&server);
    let told = pipe.next();
    assert_eq!(told["method"], "notifications/resources/updated", "{told}");
    assert_eq!(pipe.end(), Some(0));

    let mut pipe = Piped::start(&["mcp", "--url", server.base(), "--name", "ana"]);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": MODERN,
                      "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                      "io.modelcontextprotocol/clientCapabilities": {}});
    let discovered = pipe.ask(1, "server/discover", &json!({ "_meta": meta }));
    assert!(
        discovered["result"]["supportedVersions"]
            .as_array()
            .is_some_and(|all| all.contains(&json!(MODERN))),
        "{discovered}"
    );
    let arguments = json!({"scenario": "flight_booking"});
    let params = json!({"name": "get_schema_template", "arguments": arguments, "_meta": meta});
    let read = pipe.ask(2, "tools/call", &params);
    assert_eq!(
        read["result"]["structuredContent"]["schema_id"], "flight_booking_v1_1",
        "{read}"
    );
    assert_eq!(
        pipe.ask(3, "no/such", &json!({ "_meta": meta }))["error"]["code"],
        -32601
    );
    pipe.input.as_mut().expect("open").write_all(b"{\n").expect("taken");
    assert_eq!(pipe.next()["error"]["code"], -32700);
    assert_eq!(pipe.end(), Some(0));
    drop(server);
}

#[test]
fn a_service_that_is_not_there_is_said_in_an_answer() {
    let mut pipe = Piped::start(&["mcp", "--url", "http://127.0.0.1:1"]);
    let said = pipe.ask(7, "initialize", &json!({}));
    assert_eq!(said["error"]["code"], -32603, "{said}");
    assert_eq!(pipe.end(), Some(0));
    for arguments in [
        &["mcp", "--url", "nowhere"][..],
        &["mcp", "--url", "http://127.0.0.1:1", "--data", "d"],
        &["mcp", "--key-env", "K"],
    ] {
        assert_eq!(
            program(arguments).output().expect("ended").status.code(),
            Some(2),
            "{arguments:?}"
        );
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
        assert_eq!(
            program(&arguments).output().expect("ended").status.code(),
            Some(3),
            "the folder is held"
        );
        assert_eq!(pipe.end(), Some(0));
    }
}
