//! A publisher who has a schema already: the shell and the service make the same template of it, and it publishes.

use std::path::Path;

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use crate::support::child::program;
use crate::support::server::Server;

/// Real schemas (NOTICE says where each is from), what of each is imported, and whether a payload is judged otherwise.
const REAL: [(&str, &[&str], i32); 10] = [
    ("cloudevents", &["--scenario", "event"], 1),
    ("firebase-connector", &["--scenario", "connector"], 1),
    ("firebase-config", &["--scenario", "deployment"], 1),
    ("runreal-config", &["--scenario", "game_project"], 0),
    ("fastmcp-config", &["--scenario", "mcp_server"], 0),
    ("mcp-fetch", &[], 0),
    ("mcp-memory", &["--tool", "create_relations"], 0),
    ("mcp-github-issue-write", &[], 1),
    ("text-embeddings-inference", &["--operation", "rerank"], 0),
    ("agent-protocol", &["--operation", "POST /store/items/search"], 0),
];

/// The options of a command as a query.
fn query(options: &[&str]) -> String {
    let pairs = options.chunks(2).map(|pair| {
        let name = pair[0].trim_start_matches("--").replace('-', "_");
        format!("{name}={}", pair[1].replace(' ', "%20").replace('/', "%2F"))
    });
    pairs.collect::<Vec<_>>().join("&")
}

#[test]
fn ten_real_schemas_become_templates_that_publish_with_what_is_lost_told() {
    let server = Server::start(&[], |_| {}, PartsOverride::default());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import");
    for (name, options, code) in REAL {
        let file = folder.join(format!("{name}.json"));
        let shown = file.display().to_string();
        let run = |more: &[&str]| {
            let arguments = [&["import", shown.as_str()], options, more].concat();
            program(&arguments).output().expect("the program runs")
        };
        let output = run(&[]);
        let (said, told) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        assert_eq!(output.status.code(), Some(code), "{name}: {told}");
        insta::assert_snapshot!(name, format!("{said}\n{told}"));

        let text = std::fs::read_to_string(&file).expect("a schema");
        let path = format!("/v1/schemas:import?{}", query(options));
        let reply = server.call("POST", path.trim_end_matches('?'), &[], &text);
        assert_eq!(reply.status, 200, "{name}: {}", reply.body);
        let asked: Value = serde_json::from_slice(&run(&["--json"]).stdout).expect("JSON");
        for member in ["template", "findings", "lint"] {
            assert_eq!(reply.body[member], asked[member], "{name}: {member}");
        }
        let template: Value = serde_json::from_str(&said).expect("a template");
        assert_eq!(template, reply.body["template"], "{name}");
        let id = template["schema_id"].as_str().expect("an id");
        assert_eq!(
            server.call("GET", &format!("/v1/schemas/{id}"), &[], "").status,
            404,
            "nothing is published by it"
        );
        let published = server.put(&format!("/v1/schemas/{id}"), &template);
        assert_eq!(published.status, 201, "{name}: {}", published.body);
    }
}

#[test]
fn a_part_of_a_document_or_the_whole_as_one_key_is_imported_by_shell_and_service() {
    let server = Server::start(&[], |_| {}, PartsOverride::default());
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("source.json");
    let letter = json!({"type": "object", "properties": {"grams": {"type": "integer"}}, "required": ["grams"]});
    let text =
        json!({"oneOf": [letter, {"type": "object", "properties": {"litres": {"type": "integer"}}}]}).to_string();
    std::fs::write(&file, &text).expect("written");
    let shown = file.display().to_string();
    for (options, key, code) in [
        (["--pointer", "/oneOf/0"], "grams", 0),
        (["--key", "parcel"], "parcel", 1),
    ] {
        let arguments = [&["import", shown.as_str(), "--scenario", "send"], options.as_slice()].concat();
        let output = program(&arguments).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let template: Value = serde_json::from_slice(&output.stdout).expect("a template");
        assert_eq!(template["keys"][0]["key_name"], key);
        let query = query(&[&["--scenario", "send"], options.as_slice()].concat());
        let reply = server.call("POST", &format!("/v1/schemas:import?{query}"), &[], &text);
        assert_eq!(
            (reply.status, &reply.body["template"]),
            (200, &template),
            "{}",
            reply.body
        );
    }
    let refused = server.call("POST", "/v1/schemas:import?scenario=send", &[], &text);
    let way = "name a part of it with `pointer`, such as /oneOf/0, /oneOf/1, or import it as one key with `key`";
    assert!(refused.detail().contains(way), "{}", refused.detail());
}

#[test]
fn what_cannot_be_imported_is_refused_with_a_sentence_and_an_end_of_its_own() {
    let server = Server::start(&[], |_| {}, PartsOverride::default());
    let folder = tempfile::tempdir().expect("a folder");
    for (text, query, said, code) in [
        ("{", "", "this is not JSON", 2),
        (
            r#"{"type": "object", "type": "array"}"#,
            "",
            "/type is written more than once",
            1,
        ),
        (r#"{"type": "object"}"#, "", "names no scenario", 2),
        (r#"{"type": "string"}"#, "scenario=a", "a payload is an object", 1),
        (
            r#"{"tools": [{"name": "a"}, {"name": "b"}]}"#,
            "",
            "say which tool is meant; there is: a, b",
            2,
        ),
        (
            r#"{"type": "object"}"#,
            "operation=a",
            "`operation` chooses from an OpenAPI document",
            2,
        ),
        (
            r#"{"type": "object", "title": "a"}"#,
            "scenario=a%2Fb",
            "`scenario` has 1 to 128",
            1,
        ),
    ] {
        let reply = server.call("POST", &format!("/v1/schemas:import?{query}"), &[], text);
        assert_eq!(reply.told(), (400, "bad_request"), "{text}");
        assert!(reply.detail().contains(said), "{}", reply.detail());
        let file = folder.path().join("source.json");
        std::fs::write(&file, text).expect("written");
        let shown = file.display().to_string();
        let option = query
            .split_once('=')
            .map(|(name, value)| [format!("--{name}"), value.replace("%2F", "/")]);
        let mut arguments = vec!["import", shown.as_str()];
        arguments.extend(option.iter().flatten().map(String::as_str));
        let output = program(&arguments).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains(said) && output.stdout.is_empty(),
            "{output:?}"
        );
    }
    let unknown = server.call("POST", "/v1/schemas:import?toll=a", &[], "{}");
    assert_eq!(unknown.told(), (400, "unknown_parameter"));
    let large = json!({"title": "a", "type": "object", "description": "x".repeat(300_000)}).to_string();
    assert_eq!(server.call("POST", "/v1/schemas:import", &[], &large).status, 413);
}
