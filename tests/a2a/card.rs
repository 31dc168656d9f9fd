//! The agent card: what everyone sees, and what who may call does.

use otherwise::app::caller::Role;
use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;
use sha2::Digest;
use sha2::Sha256;

use super::ADA;
use super::CONTRACT;
use super::VERSION;
use super::closed;
use super::rest;
use super::result;
use super::server;
use crate::support::server::Server;

const CARD: &str = "/.well-known/agent-card.json";

fn skills(card: &Value) -> Vec<&str> {
    let skills = card["skills"].as_array().expect("a list").iter();
    skills.map(|skill| skill["id"].as_str().expect("an id")).collect()
}

#[test]
fn an_open_service_shows_its_scenarios_with_the_digest_of_each_template_and_again_only_when_they_changed() {
    let server = server();
    let card = server.call("GET", CARD, &[], "");
    assert_eq!(card.headers["cache-control"], "private, max-age=300");
    assert_eq!(skills(&card.body), ["find-template", "flight_booking", "table_booking"]);
    let url = &card.body["supportedInterfaces"][0]["url"];
    assert_eq!(*url, format!("{}/a2a", server.base()));
    let extension = &card.body["capabilities"]["extensions"][0];
    assert_eq!(extension["uri"], CONTRACT);
    for (scenario, contract) in extension["params"]["skills"].as_object().expect("skills") {
        let path = format!("/v1/scenarios/{scenario}/template");
        assert_eq!(contract["template"], format!("{}{path}", server.base()));
        let (_, text) = server.call_with_text("GET", &path, &[], "");
        let digest = Sha256::digest(text.as_bytes());
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(contract["digest"], format!("sha-256:{digest}"), "{scenario}");
    }
    let tag = card.headers["etag"].to_str().expect("a tag");
    let held = server.call("GET", CARD, &[("If-None-Match", tag)], "");
    assert_eq!(
        (held.status, &held.body, &held.headers["etag"]),
        (304, &Value::Null, &card.headers["etag"])
    );
    assert_eq!(server.call("HEAD", CARD, &[], "").status, 200);
    let body = json!({"schema_id": "ferry_v1", "scenario": "ferry", "keys": [
        {"key_name": "port", "key_type": "string", "required": true, "semantic_description": "Port of departure."}]});
    let published = server.call("PUT", "/v1/schemas/ferry_v1", &[ADA], &body.to_string());
    assert_eq!(published.status, 201, "{}", published.body);
    let anew = server.call("GET", CARD, &[("If-None-Match", tag)], "");
    assert_eq!((anew.status, skills(&anew.body).len()), (200, 4));
}

#[test]
fn a_closed_service_shows_its_scenarios_to_who_may_call_or_to_everyone_up_to_so_many() {
    let change = |settings: &mut Settings| settings.a2a.public_url = "https://agents.example.com".to_owned();
    let server = closed(&[("ada", Role::Client)], change);
    let card = server.call("GET", CARD, &[], "");
    assert_eq!((card.status, skills(&card.body)), (200, vec!["find-template"]));
    assert_eq!(card.headers["cache-control"], "public, max-age=300");
    let url = &card.body["supportedInterfaces"][1]["url"];
    assert_eq!(url, "https://agents.example.com/a2a");
    assert!(card.body["securitySchemes"]["bearer"].is_object());
    let stranger = server.call("GET", "/a2a/extendedAgentCard", &[VERSION], "");
    let told = (stranger.status, &stranger.body["error"]["status"]);
    assert_eq!(told, (401, &json!("UNAUTHENTICATED")));
    let key = ("X-API-Key", "ada-key");
    let extended = rest(&server, key, "GET", "/extendedAgentCard", &Value::Null).body;
    assert_eq!(skills(&extended), ["find-template", "flight_booking", "table_booking"]);
    assert_eq!(extended, result(&server, key, "GetExtendedAgentCard", &json!({})));
    let shown = |max: usize| {
        let change = |settings: &mut Settings| (settings.a2a.public_skills, settings.a2a.skills_max) = (true, max);
        let server: Server = closed(&[("ada", Role::Client)], change);
        skills(&server.call("GET", CARD, &[], "").body).len()
    };
    assert_eq!([shown(0), shown(1), shown(3)], [1, 2, 3]);
}
