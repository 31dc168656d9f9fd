//! A client fetches its template in the form that it needs.

use std::collections::BTreeSet;

use schema::export::FORMS;
use schema::export::Form;
use serde_json::Value;
use serde_json::json;

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
        let loses = matches!(form, Form::JsonSchemaStrict | Form::OpenaiTool | Form::Typescript);
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
