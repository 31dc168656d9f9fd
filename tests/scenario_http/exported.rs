//! A client fetches its template in the form that it needs.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use schema::export::FORMS;
use schema::export::Form;
use serde_json::Value;
use serde_json::json;
use sha2::Digest;
use sha2::Sha256;
use text::name::hexadecimal;

use super::FLIGHT;
use super::LEGROOM;
use super::airline;
use super::flight;
use super::name_of;
use super::serve;
use crate::support::child::program;
use crate::support::server::Reply;
use crate::support::server::Server;

const PATH: &str = "/v1/scenarios/flight_booking/template";

fn export(server: &Server, client: &str, query: &str, headers: &[(&str, &str)]) -> Reply {
    let mut all = vec![("Otherwise-Client", client)];
    all.extend(headers);
    server.call("GET", &format!("{PATH}?{query}"), &all, "")
}

fn header<'r>(reply: &'r Reply, name: &str) -> &'r str {
    reply
        .headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// What an answer says that the template in it is: schema, version, revision and digest.
fn identity(reply: &Reply) -> [&str; 4] {
    ["schema-id", "version", "revision", "digest"].map(|name| header(reply, &format!("otherwise-{name}")))
}

/// The digest of a template as anybody computes it: names of keys are ASCII, so that sorted and without white space is canonical.
fn digest_of(template: &Value) -> String {
    let digests: BTreeMap<String, String> =
        serde_json::from_value(template["key_digests"].clone()).expect("a digest a key");
    let canonical = serde_json::to_string(&digests).expect("JSON");
    format!("sha256:{}", hexadecimal(&Sha256::digest(canonical.as_bytes())))
}

#[test]
fn every_answer_says_which_template_it_is_whatever_the_form_and_the_language_z182() {
    let mut template = flight(json!({}));
    template["keys"][0]["semantic_descriptions"] = json!({"de": "Abflugort."});
    let server = serve(template);
    let told = |language: &str| {
        let language = format!("preferred_language={language}");
        let plain = export(&server, "a", &language, &[]);
        let (digest, revision) = (digest_of(&plain.body), plain.body["revision"].to_string());
        let known = ["flight_booking_v1", "1.0.0", revision.as_str(), digest.as_str()];
        assert_eq!(identity(&plain), known);
        let same = export(&server, "a", &language, &[("If-None-Match", header(&plain, "etag"))]);
        assert_eq!((same.status, identity(&same)), (304, known));
        for form in FORMS.iter().copied() {
            let query = format!("{language}&format={}", form.name());
            let reply = export(&server, "a", &query, &[]);
            assert_eq!(identity(&reply), known, "{form:?}");
            let held = export(&server, "a", &query, &[("If-None-Match", header(&reply, "etag"))]);
            assert_eq!((held.status, identity(&held)), (304, known), "{form:?}");
        }
        let earlier = export(&server, "a", &format!("{language}&as_of={revision}"), &[]);
        assert_eq!(identity(&earlier), known);
        digest
    };
    assert_ne!(told("en"), told("de"), "a model is told another text");
    let asked = json!({"method": "get_schema_template", "params": {"scenario": "flight_booking", "format": "gbnf"}});
    let negotiated = server.call("POST", "/v1/scenarios:negotiate", &[], &asked.to_string());
    assert_eq!(identity(&negotiated)[0], "flight_booking_v1");
    // Nothing is said of what is not served.
    let refused = export(&server, "a", "version=9.0.0", &[]);
    assert_eq!(identity(&refused), [""; 4]);
}

#[test]
fn every_form_is_served_ready_to_paste_with_a_tag_of_its_own_z182() {
    let server = serve(flight(json!({})));
    let mut tags = BTreeSet::new();
    for form in FORMS.iter().copied() {
        // What a client accepts otherwise does not matter once it has said the form.
        let reply = export(
            &server,
            "a",
            &format!("format={}", form.name()),
            &[("Accept", "text/html")],
        );
        assert_eq!(reply.status, 200, "{}", reply.body);
        assert_eq!(header(&reply, "content-type"), form.media_type());
        assert!(
            header(&reply, "otherwise-export-tokens")
                .parse::<u64>()
                .is_ok_and(|tokens| tokens > 50)
        );
        assert_eq!(header(&reply, "content-language"), "en");
        let lost = header(&reply, "otherwise-export-lost");
        let loses = matches!(
            form,
            Form::JsonSchemaStrict
                | Form::OpenaiTool
                | Form::OpenaiResponseFormat
                | Form::OpenaiResponsesTool
                | Form::Typescript
        );
        assert_eq!(lost.contains("passenger_count."), loses, "{form:?} {lost}");
        let tag = header(&reply, "etag").to_owned();
        let again = export(
            &server,
            "a",
            &format!("format={}", form.name()),
            &[("If-None-Match", &tag)],
        );
        assert_eq!((again.status, header(&again, "etag")), (304, tag.as_str()));
        assert!(tags.insert(tag));
    }
    let plain = server.call("GET", PATH, &[], "");
    assert!(tags.insert(header(&plain, "etag").to_owned()));
    assert!(plain.headers.get("otherwise-export-tokens").is_none());
    let unlike = export(
        &server,
        "a",
        "format=gbnf",
        &[("If-None-Match", header(&plain, "etag"))],
    );
    assert_eq!(unlike.status, 200, "another form's tag");
}

#[test]
fn one_request_brings_the_template_its_tool_and_its_prompt_with_the_callers_own_key_z122_z182() {
    let server = airline(&json!({}));
    let name = name_of(&server.wanted_by_one("traveller", &LEGROOM));
    for client in ["traveller", "somebody"] {
        let reply = export(&server, client, "format=bundle", &[]);
        let (bundle, own) = (&reply.body, client == "traveller");
        let plain = export(&server, client, "", &[]);
        assert_eq!(bundle["template"], plain.body);
        assert_eq!(bundle["digest"], digest_of(&plain.body));
        assert_eq!(identity(&reply), identity(&plain));
        for (member, form) in [("tool", "mcp-tool"), ("json_schema", "json-schema")] {
            let alone = export(&server, client, &format!("format={form}"), &[]);
            assert_eq!(bundle[member], alone.body, "{form}");
        }
        let prompt = bundle["prompt"].as_str().expect("a text");
        assert_eq!(prompt.contains(&format!("- `{name}`")), own, "{prompt}");
        let patches = bundle["template"]["patches"].as_array().map(Vec::len);
        assert_eq!(patches, Some(usize::from(own)));
        let tag = header(&reply, "etag").to_owned();
        assert_eq!(
            export(&server, client, "format=bundle", &[("If-None-Match", &tag)]).status,
            304
        );
    }
}

#[test]
fn a_client_finds_its_own_key_in_its_exports_and_nobody_else_does_z122_z142() {
    let server = airline(&json!({}));
    let before = server.template_of("traveller")["revision"].clone();
    let name = name_of(&server.wanted_by_one("traveller", &LEGROOM));
    let properties = |client: &str, query: &str| -> Value {
        export(&server, client, &format!("format=json-schema{query}"), &[]).body["properties"].clone()
    };
    let own = &properties("traveller", "")[&name];
    let said = own["description"].as_str().unwrap_or_default();
    assert!(said.contains("Experimental: this key is on trial"), "{own}");
    assert!(properties("somebody", "").get(&name).is_none());
    assert!(properties("traveller", "&experimental=false").get(&name).is_none());
    let earlier = properties("traveller", &format!("&as_of={before}"));
    assert!(
        earlier.get(&name).is_none() && earlier.get("origin").is_some(),
        "{earlier}"
    );
}

#[test]
fn the_shell_writes_the_same_text_with_its_exit_codes() {
    let folder = tempfile::tempdir().expect("a folder");
    let broken = folder.path().join("broken.json");
    std::fs::write(&broken, r#"{"schema_id": "x"}"#).expect("it is written");
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/flight_booking_v1.json");
    let run = |arguments: &[&str]| {
        let output = program(arguments).output().expect("the program runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said, told)
    };
    let (code, said, told) = run(&["export", shipped, "--format", "json-schema-strict"]);
    assert_eq!(code, Some(0));
    assert!(told.contains("lost  passenger_count.minimum (unenforced)"), "{told}");
    let served = export(
        &serve(serde_json::from_str(FLIGHT).expect("a template")),
        "a",
        "format=json-schema-strict",
        &[],
    );
    assert_eq!(serde_json::from_str::<Value>(&said).expect("JSON"), served.body);
    let (code, said, told) = run(&["export", shipped, "--all"]);
    assert_eq!(
        (code, said.lines().count(), told.as_str()),
        (Some(0), FORMS.len() + 1, "")
    );
    let (code, said, _) = run(&["export", shipped, "--all", "--json"]);
    let document: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(
        (code, document["exports"].as_array().map(Vec::len)),
        (Some(0), Some(FORMS.len()))
    );
    let broken = broken.display().to_string();
    assert_eq!(run(&["export", &broken, "--all"]).0, Some(1));
    assert_eq!(run(&["export", "nowhere.json", "--all"]).0, Some(2));
    assert_eq!(run(&["export", shipped, "--format", "yaml"]).0, Some(2));
}
