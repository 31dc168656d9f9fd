//! Who may do what over HTTP: every address by every role, without a key, with a wrong one, with the right one.

use otherwise::app::caller::Permission;
use otherwise::app::caller::Role;
use otherwise::app::caller::allowed;
use otherwise::http::access::Access;
use otherwise::http::routes::ENDPOINTS;
use regex::Captures;
use regex::Regex;
use serde_json::Value;
use serde_json::json;

use crate::support::principal::with_key;
use crate::support::server::Server;

const ROLES: [(Role, &str); 4] = [
    (Role::Publisher, "publisher"),
    (Role::Client, "client"),
    (Role::Operator, "operator"),
    (Role::Auditor, "auditor"),
];

fn key_of(name: &str) -> String {
    format!("{name}-key")
}

fn template() -> Value {
    json!({"schema_id": "trip_v1", "scenario": "trip", "keys": [
        {"key_name": "origin", "key_type": "string", "required": true, "semantic_description": "City of departure."}]})
}

fn server() -> Server {
    let principals = ROLES.iter().map(|(role, name)| with_key(name, *role, &key_of(name)));
    let schemas = [("trip_v1.json", template())];
    Server::set(&schemas, |settings| settings.principals = principals.collect())
}

/// A name that no agent can have, so that no stream of its own opens; who registers services asks under its own.
const AGENT: &str = "n%C3%B6";

/// What is asked for exists nowhere, so that no call changes what the next one finds.
fn path_of(pattern: &str) -> String {
    let segment = Regex::new(r"\{(\w+)[^}]*\}").expect("a pattern");
    let value = |found: &Captures<'_>| match &found[1] {
        "patch_id" => "nowhere.p1".to_owned(),
        "audit_id" => "nowhere.p1.1".to_owned(),
        "schema_id" => "nowhere_v1".to_owned(),
        "agent" => AGENT.to_owned(),
        "sha256" => "0".repeat(64),
        "code" => "busy".to_owned(),
        "file" => "index.html".to_owned(),
        _ => "nowhere".to_owned(),
    };
    let path = segment.replace_all(pattern, value).into_owned();
    // A stream of everything has no end.
    match pattern {
        "/v1/events" | "/v1/namespaces/default/events" => format!("{path}?scenario=nowhere"),
        _ => path,
    }
}

fn may(role: Role, access: Access) -> bool {
    match access {
        Access::Anyone => true,
        Access::For(deed) => allowed(role, deed),
        Access::Scraper => allowed(role, Permission::Inspect),
    }
}

#[test]
fn every_role_may_do_what_the_table_says_and_nothing_else() {
    let server = server();
    let ours = ENDPOINTS.iter().filter(|endpoint| !endpoint.path.starts_with("/a2a"));
    let addresses = ours.flat_map(|endpoint| endpoint.patterns().into_iter().map(move |pattern| (pattern, endpoint)));
    for (pattern, address) in addresses {
        let path = path_of(&pattern);
        let body = match address.method {
            "POST" | "PUT" | "PATCH" => "{}",
            _ => "",
        };
        let what = format!("{} {path}", address.method);
        for headers in [&[][..], &[("Authorization", "Bearer wrong")], &[("X-API-Key", "wrong")]] {
            let reply = server.call(address.method, &path, headers, body);
            if address.access == Access::Anyone {
                let leads_on = address.path == "/docs";
                assert_eq!(reply.status, if leads_on { 308 } else { 200 }, "{what}");
            } else {
                assert_eq!(reply.status, 401, "{what} with {headers:?}");
                assert_eq!(reply.body["code"], "unauthenticated", "{what}");
                assert!(reply.headers.contains_key("WWW-Authenticate"), "{what}");
            }
        }
        for (role, name) in ROLES {
            let key = key_of(name);
            let path = match address.method {
                "PUT" => path.replace(AGENT, name),
                _ => path.clone(),
            };
            let reply = server.call(address.method, &path, &[("X-API-Key", &key)], body);
            if may(role, address.access) {
                let status = reply.status;
                assert!(!matches!(status, 401 | 403 | 500), "{what} as {name}: {status}");
            } else {
                assert_eq!(reply.status, 403, "{what} as {name}: {}", reply.body);
                assert_eq!(reply.body["code"], "forbidden", "{what} as {name}");
            }
        }
    }
}

#[test]
fn agents_come_with_a_key_and_every_role_may_ask() {
    let server = server();
    for address in ENDPOINTS.iter().filter(|endpoint| endpoint.path.starts_with("/a2a")) {
        let path = path_of(&address.path);
        let what = format!("{} {path}", address.method);
        let body = match address.method {
            "POST" if path == "/a2a" => r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}"#,
            "POST" => "{}",
            _ => "",
        };
        let version = ("A2A-Version", "1.0");
        for headers in [&[version][..], &[version, ("X-API-Key", "wrong")]] {
            let reply = server.call(address.method, &path, headers, body);
            assert_eq!(reply.status, 401, "{what} with {headers:?}");
            assert!(reply.headers.contains_key("WWW-Authenticate"), "{what}");
        }
        for (_, name) in ROLES {
            let key = key_of(name);
            let status = server
                .call(address.method, &path, &[version, ("X-API-Key", &key)], body)
                .status;
            assert!(matches!(status, 200 | 400 | 404), "{what} as {name}: {status}");
        }
    }
}

#[test]
fn in_closed_mode_a_name_in_a_header_changes_nothing_z104() {
    let server = server();
    let key = key_of("client");
    let headers = [("X-API-Key", key.as_str()), ("Otherwise-Client", "somebody else")];
    assert_eq!(server.call("GET", "/v1/scenarios", &headers, "").status, 200);
}

#[test]
fn nothing_is_taken_that_did_not_come_over_tls_where_proxies_are_named_c065_m033() {
    let start = |proxies: &[&str]| {
        let named: Vec<String> = proxies.iter().map(|proxy| (*proxy).to_owned()).collect();
        let change = |settings: &mut otherwise::config::Settings| settings.server.tls_proxies = named;
        Server::set(&[("trip_v1.json", template())], change)
    };
    let here = start(&["10.1.2.3", "127.0.0.1"]);
    let call = |server: &Server, path: &str, said: &[&str]| {
        let mut headers = vec![("Otherwise-Client", "ana")];
        headers.extend(said.iter().map(|said| ("X-Forwarded-Proto", *said)));
        let reply = server.call("GET", path, &headers, "");
        (reply.status, reply.body["code"].as_str().unwrap_or_default().to_owned())
    };
    let refused = (403, "not_encrypted".to_owned());
    for path in ["/v1/scenarios", "/v1/tasks", "/mcp", "/.well-known/agent-card.json"] {
        for plain in [&[][..], &["http"], &["https, http"], &["https", "http"], &[""]] {
            assert_eq!(call(&here, path, plain), refused, "{path} {plain:?}");
        }
    }
    for secure in [&["https"][..], &["HTTPS"], &["https, https"], &["https", "https"]] {
        assert_eq!(call(&here, "/v1/scenarios", secure).0, 200, "{secure:?}");
    }
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(call(&here, path, &[]).0, 200, "{path} says nothing of what agents do");
    }
    let elsewhere = start(&["10.1.2.3"]);
    // Anybody could say so who does not come by the proxy.
    assert_eq!(call(&elsewhere, "/v1/scenarios", &["https"]), refused);
    let around = start(&["10.0.0.0/8", "127.0.0.0/30"]);
    assert_eq!(call(&around, "/v1/scenarios", &["https"]).0, 200);
    assert_eq!(call(&around, "/v1/scenarios", &[]), refused);
    let beside = start(&["127.0.0.4/30"]);
    assert_eq!(call(&beside, "/v1/scenarios", &["https"]), refused);
    let usual = start(&[]);
    assert_eq!(call(&usual, "/v1/scenarios", &[]).0, 200);
}
