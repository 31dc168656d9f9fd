//! What a client may choose when it asks for a template: languages, one of several schemas, and names of before.

use serde_json::Value;
use serde_json::json;

use crate::support::server::Reply;
use crate::support::server::Server;

const ME: (&str, &str) = ("Otherwise-Client", "ana");

/// A cup in nine languages.
fn cup(schema_id: &str, version: &str) -> Value {
    json!({"schema_id": schema_id, "scenario": "cup", "version": version, "language": "en", "keys": [
        {"key_name": "size", "key_type": "string", "required": true,
         "semantic_description": "The size of the cup. Acceptable values: small, large.",
         "semantic_descriptions": {"de": "[de]", "fr": "[fr]", "zh-Hans": "[zh-Hans]", "zh-Hant": "[zh-Hant]",
            "pt-BR": "[pt-BR]", "pt-PT": "[pt-PT]", "es-419": "[es-419]", "sr-Latn": "[sr-Latn]"}}]})
}

fn delivery(schema_id: &str, version: &str, place: &str) -> Value {
    json!({"schema_id": schema_id, "scenario": "delivery", "version": version, "compatibility": "none", "keys": [
        {"key_name": "street", "key_type": "string", "required": true,
         "semantic_description": "The street and the number, as said."},
        {"key_name": place, "key_type": "string", "required": true,
         "semantic_description": "The postal code of the address, as said."}]})
}

fn server() -> Server {
    Server::with(&[
        ("cup_v1.json", cup("cup_v1", "1.0.0")),
        ("cup_v1_1.json", cup("cup_v1_1", "1.1.0")),
        ("delivery_v1.json", delivery("delivery_v1", "1.0.0", "postal_code")),
    ])
}

fn template(server: &Server, query: &str, headers: &[(&str, &str)]) -> Reply {
    let headers: Vec<(&str, &str)> = headers.iter().copied().chain([ME]).collect();
    server.call("GET", &format!("/v1/scenarios/cup/template{query}"), &headers, "")
}

fn rpc(server: &Server, params: &Value, headers: &[(&str, &str)]) -> Value {
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "get_schema_template", "params": params});
    let headers: Vec<(&str, &str)> = headers.iter().copied().chain([ME]).collect();
    server.call("POST", "/rpc", &headers, &call.to_string()).body
}

#[test]
fn the_first_language_that_there_is_is_served_by_every_transport_z041_z056_z174() {
    let server = server();
    for (list, tag) in [
        ("ja, fr;q=0.5", "fr"),
        ("fr;q=0.2, de;q=0.8", "de"),
        ("ja, de;q=0", "en"),
        ("en;q=0, *", "de"),
        ("zh-TW", "zh-Hant"),
        ("zh-CN", "zh-Hans"),
        ("zh", "zh-Hans"),
        ("pt", "pt-BR"),
        ("es-MX", "es-419"),
        ("sr", "sr-Latn"),
        ("de-AT", "de"),
    ] {
        let accepted = [("Accept-Language", list)];
        let asked = list.replace(';', "%3B").replace('*', "%2A").replace(' ', "%20");
        let served = [
            template(&server, "", &accepted).body,
            template(&server, &format!("?preferred_language={asked}"), &[]).body,
            rpc(&server, &json!({"scenario": "cup"}), &accepted)["result"].clone(),
            rpc(&server, &json!({"scenario": "cup", "preferred_language": list}), &[])["result"].clone(),
            rpc(
                &server,
                &json!({"scenario": "cup", "preferred_language": list.split(',').collect::<Vec<_>>()}),
                &[],
            )["result"]
                .clone(),
        ];
        for body in served {
            assert_eq!(body["language"], tag, "{list}: {body}");
            if tag != "en" {
                assert_eq!(body["keys"][0]["semantic_description"], format!("[{tag}]"), "{list}");
            }
        }
    }
    let all = template(&server, "", &[("Accept-Language", "*")]).body;
    assert!(all["keys"][0]["semantic_descriptions"].is_object(), "{all}");
    let none = template(&server, "", &[("Accept-Language", "ja, ko;q=0.5")]).body;
    assert_eq!(none["language_fallback"], json!({"requested": "ja", "served": "en"}));
}

#[test]
fn a_schema_that_is_named_is_served_or_what_there_is_is_said_z182() {
    let server = server();
    let schema_of = |reply: &Reply| reply.body["schema_id"].clone();
    assert_eq!(schema_of(&template(&server, "", &[])), "cup_v1_1");
    for (query, schema_id) in [
        ("?schema_id=cup_v1", "cup_v1"),
        ("?version=1.0.0", "cup_v1"),
        ("?schema_id=cup_v1&version=1.0.0", "cup_v1"),
        ("?version=1.1.0", "cup_v1_1"),
        ("?schema_id=cup_v1&format=json-schema", ""),
    ] {
        let reply = template(&server, query, &[]);
        assert_eq!(reply.status, 200, "{query}: {}", reply.body);
        if !schema_id.is_empty() {
            assert_eq!(schema_of(&reply), schema_id, "{query}");
        }
    }
    for query in [
        "?schema_id=cup_v9",
        "?version=2.0.0",
        "?schema_id=cup_v1&version=1.1.0",
        "?schema_id=delivery_v1",
        "?version=%5E2",
        "?schema_id=cup_v9&as_of=1",
    ] {
        let reply = template(&server, query, &[]);
        assert_eq!(reply.told(), (404, "unknown_schema"), "{query}");
        let detail = reply.body["detail"].as_str().expect("a detail");
        assert!(detail.contains("cup_v1 (1.0.0)"), "{query}: {detail}");
    }
    let named = rpc(&server, &json!({"scenario": "cup", "schema_id": "cup_v1"}), &[]);
    assert_eq!(named["result"]["schema_id"], "cup_v1", "{named}");
    let strange = rpc(&server, &json!({"scenario": "cup", "version": "7.0.0"}), &[]);
    assert!(strange["error"].to_string().contains("cup_v1_1 (1.1.0)"), "{strange}");
    let draft = json!({"method": "get_schema_template", "params": {"scenario": "cup", "schema_id": "cup_v1"}});
    let draft = server.call("POST", "/v1/scenarios:negotiate", &[ME], &draft.to_string());
    assert_eq!(schema_of(&draft), "cup_v1", "{}", draft.body);
    assert!(server.delete("/v1/schemas/cup_v1").status < 300);
    let retired = template(&server, "?schema_id=cup_v1", &[]);
    assert_eq!(retired.told(), (410, "schema_retired"));
}

#[test]
fn a_range_of_versions_means_the_highest_that_is_open_by_every_transport_z182() {
    let server = server();
    let mut major = cup("cup_v2", "2.0.0");
    major["keys"][0]["key_name"] = json!("volume");
    assert_eq!(server.put("/v1/schemas/cup_v2", &major).status, 201);
    let meant = |range: &str| -> Vec<Value> {
        let named = json!({"scenario": "cup", "version": range});
        let asked = range
            .replace('^', "%5E")
            .replace(' ', "%20")
            .replace('<', "%3C")
            .replace('>', "%3E");
        let draft = json!({"method": "get_schema_template", "params": named}).to_string();
        let follow = json!({"jsonrpc": "2.0", "id": 1, "method": "get_schema_updates", "params": named}).to_string();
        let updates = format!("/v1/scenarios/cup/updates?version={asked}");
        let answers = [
            template(&server, &format!("?version={asked}"), &[]).body,
            server.call("POST", "/v1/scenarios:negotiate", &[ME], &draft).body,
            rpc(&server, &named, &[])["result"].clone(),
            server.call("GET", &updates, &[ME], "").body,
            server.call("POST", "/rpc", &[ME], &follow).body["result"].clone(),
        ];
        answers.into_iter().map(|answer| answer["schema_id"].clone()).collect()
    };
    for (range, schema_id) in [
        ("^1", "cup_v1_1"),
        ("1", "cup_v1_1"),
        ("~1.0", "cup_v1"),
        ("1.0.0", "cup_v1"),
        (">=1, <2", "cup_v1_1"),
        (">=1, <3", "cup_v2"),
        ("*", "cup_v2"),
    ] {
        assert_eq!(meant(range), vec![json!(schema_id); 5], "{range}");
    }
    assert_eq!(
        template(&server, "?version=%5E1&schema_id=cup_v1", &[]).body["schema_id"],
        "cup_v1"
    );
    for range in ["latest", "v1", "1.0.0.0", "^1%20^2", ""] {
        for path in ["template", "updates", "updates/stream"] {
            let refused = server.call("GET", &format!("/v1/scenarios/cup/{path}?version={range}"), &[ME], "");
            assert_eq!(
                refused.told(),
                (400, "bad_parameter"),
                "{path} {range:?}: {}",
                refused.body
            );
            assert!(refused.detail().contains("such as ^1"), "{}", refused.body);
        }
    }
    // What is retired is skipped, and the one that is named is told of.
    assert!(server.delete("/v1/schemas/cup_v1_1").status < 300);
    assert_eq!(meant("^1"), vec![json!("cup_v1"); 5]);
    assert_eq!(template(&server, "?version=1.1.0", &[]).told(), (410, "schema_retired"));
    assert!(server.delete("/v1/schemas/cup_v1").status < 300);
    for path in ["template", "updates", "updates/stream"] {
        let none = server.call("GET", &format!("/v1/scenarios/cup/{path}?version=%5E1"), &[ME], "");
        assert_eq!(none.told(), (404, "unknown_schema"), "{path}");
        assert!(
            none.detail()
                .contains("of version ^1 in this scenario; there are cup_v2 (2.0.0)"),
            "{}",
            none.body
        );
    }
    // As it was then.
    let then = template(&server, "?version=%5E1&as_of=1", &[]);
    assert_eq!(
        (then.status, then.body["schema_id"].as_str()),
        (200, Some("cup_v1")),
        "{}",
        then.body
    );
    assert_eq!(then.headers["otherwise-latest"], "2.0.0", "it is told as of now");
}

#[test]
fn a_renamed_key_is_told_alike_and_known_by_its_former_name_z019_z023_z105() {
    let server = server();
    let newer = delivery("delivery_v1_1", "1.1.0", "zip");
    let checked = server.call("POST", "/v1/schemas:check", &[], &newer.to_string());
    let changes = &checked.body["compatibility"]["compared"][0]["changes"];
    let class = |changes: &Value| {
        let mut listed = changes.as_array().expect("changes").iter();
        let renamed = listed.find(|change| change["renamed_to"] == "zip");
        renamed.unwrap_or_else(|| panic!("{changes}"))["class"].clone()
    };
    let told_publisher = class(changes);
    let published = server.put("/v1/schemas/delivery_v1_1", &newer);
    assert!(published.status < 300, "{}", published.body);
    let held =
        json!({"schema_id": "delivery_v1", "revision": 1, "payload": {"street": "Main 1", "postal_code": "1010"}});
    let answered = server.call("POST", "/v1/submissions", &[ME], &held.to_string());
    let told_client = class(&answered.body["exchange"]["template_change"]["changes"]);
    assert_eq!(told_client, told_publisher);
    assert_eq!(told_client, "breaking", "both names are required");

    let former = json!({"schema_id": "delivery_v1_1", "payload": {"street": "Main 1", "postal_code": "1010"}});
    let refused = server.call("POST", "/v1/submissions:validate", &[ME], &former.to_string());
    refused.has(
        422,
        json!({
            "violations/0/repair": [{"op": "move", "path": "/payload/zip", "from": "/payload/postal_code", "lossless": true}]
        }),
    );
    let warnings = &refused.body["exchange"]["warnings"];
    assert!(
        warnings.to_string().contains("it is called `zip` now"),
        "{}",
        refused.body
    );
}
