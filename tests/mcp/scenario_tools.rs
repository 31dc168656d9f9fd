//! A tool for each scenario, as hosts of models use it: over HTTP in both revisions and over standard input and output, with a service
//! and with a folder.

use std::time::Duration;

use otherwise::app::caller::Role;
use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use rmcp::model::ServerNotification;
use rmcp::service::Subscription;
use schema::export::safe_name::safe_name_within;
use serde_json::Value;
use serde_json::json;

use super::FLIGHT;
use super::LEGACY;
use super::MODERN;
use super::host::Host;
use super::host::PATIENCE;
use super::host::SILENCE;
use super::host::check;
use crate::support::agent::Act;
use crate::support::agent::Agent;
use crate::support::principal::with_key;
use crate::support::server::Server;

const GENERIC: [&str; 7] = [
    "list_scenarios",
    "get_schema_template",
    "validate_payload",
    "submit_payload",
    "get_schema_updates",
    "request_extension",
    "shared_context",
];

/// What a user said of a flight; a key that nothing is said of is null, as the strict schema wants it.
fn filled(tool: &Value, said: &Value) -> Value {
    let keys = tool["inputSchema"]["properties"].as_object().expect("keys").keys();
    keys.map(|key| (key.clone(), said.get(key).cloned().unwrap_or_default()))
        .collect()
}

fn trip() -> Value {
    json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "cabin_class": "business",
        "passenger_count": 2, "other": "a seat at the window"})
}

/// The whole way of a model: it is listed a tool, calls it wrongly, mends that, and is answered.
fn book(host: &Host) {
    let tools = host.tools();
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(
        (&names[..7], names[7]),
        (&GENERIC[..], "flight_booking"),
        "the generic ones stay, and come first"
    );
    let tool = host.tool("flight_booking");
    let input = &tool["inputSchema"];
    let keys: Vec<&String> = input["properties"].as_object().expect("keys").keys().collect();
    assert_eq!(json!(keys), input["required"], "strict: every key is asked for");
    assert_eq!(input["additionalProperties"], false);
    assert_eq!(input["properties"]["cabin_class"]["anyOf"][1], json!({"type": "null"}));
    assert!(keys.iter().any(|key| *key == "other"));
    let description = tool["description"].as_str().expect("a text");
    let (purpose, rule) = description.split_once('\n').expect("two lines");
    assert_eq!(purpose, "Books a flight.");
    assert!(rule.contains("null for an optional one"), "it is strict: {rule}");
    assert_eq!(tool["title"], "flight_booking");
    let meta = &tool["_meta"];
    let known = ["schema_id", "version", "revision"].map(|name| &meta[format!("dev.otherwise/{name}")]);
    assert_eq!(known, [&json!("flight_booking_v1"), &json!("1.0.0"), &json!(1)]);
    let digest = meta["dev.otherwise/digest"].as_str().expect("a digest");
    assert!(digest.starts_with("sha256:") && digest.len() == 71, "{digest}");

    let mut arguments = filled(&tool, &trip());
    assert_eq!(arguments["return_date"], Value::Null, "nothing was said of it");
    check(input, &arguments);
    arguments["cabin_class"] = json!("busines");
    let problem = host.refused("flight_booking", &arguments, &json!({}));
    let violation = &problem["violations"][0];
    assert_eq!(violation["pointer"], "/cabin_class", "within the arguments: {problem}");
    let repair: json_patch::Patch = serde_json::from_value(violation["repair"].clone()).expect("a patch");
    json_patch::patch(&mut arguments, &repair).expect("it applies to the arguments as they are");
    let booked = host.call("flight_booking", &arguments, &json!({}));
    assert_eq!(booked["isError"], false, "{booked}");
    let answer = &booked["structuredContent"];
    check(&tool["outputSchema"], answer);
    let payload = &answer["payload"];
    assert_eq!(
        (&payload["cabin_class"], payload.get("return_date")),
        (&json!("business"), None)
    );
    assert_eq!(answer["exchange"]["status"], "accepted");
}

fn started(change: impl FnOnce(&mut Settings)) -> Server {
    let mut flight: Value = serde_json::from_str(FLIGHT).expect("a template");
    flight["policy"] = json!({
        "pool": {"look_every_fragments": 4, "gate_occurrences_min": 4, "gate_clients_min": 3, "mature_members_min": 4},
        "evolution": {"autonomy": "review"},
    });
    Server::start(&[("flight_booking_v1.json", flight)], change, PartsOverride::default())
}

#[test]
fn tools_of_long_names_fit_with_the_prefix_of_a_host_and_are_called_by_the_short_ones() {
    let long = |end: &str| {
        format!(
            "{}{end}",
            "reserve_a_table_for_a_party_of_guests_".repeat(2).split_at(57).0
        )
    };
    let named = |name: &str, id: &str| {
        let keys =
            json!([{"key_name": "day", "key_type": "string", "required": true, "semantic_description": "The day."}]);
        (
            format!("{id}.json"),
            json!({"schema_id": id, "scenario": name, "keys": keys}),
        )
    };
    // The last is named as the first is shortened.
    let (one, other) = (long("_a"), long("_b"));
    let taken = safe_name_within(&one, 44);
    let hosted = [
        named(&one, "one_v1"),
        named(&other, "other_v1"),
        named(&taken, "taken_v1"),
    ];
    let schemas: Vec<(&str, Value)> = hosted
        .iter()
        .map(|(file, schema)| (file.as_str(), schema.clone()))
        .collect();
    let server = Server::with(&schemas);
    let host = Host::http(&server, MODERN, "ana");
    let names: Vec<String> = host
        .tools()
        .iter()
        .map(|tool| tool["name"].as_str().expect("a name").to_owned())
        .collect();
    assert!(names.iter().all(|name| name.len() <= 44), "{names:?}");
    for (name, schema_id) in [(safe_name_within(&other, 44), "other_v1"), (taken, "taken_v1")] {
        assert_eq!(
            names.iter().filter(|listed| **listed == name).count(),
            1,
            "{name}: {names:?}"
        );
        let called = host.call(&name, &json!({"day": "monday", "other": null}), &json!({}));
        assert_eq!(
            called["structuredContent"]["exchange"]["schema_id"], schema_id,
            "{called}"
        );
    }
    let roomy = Server::set(&schemas[1..2], |settings| settings.mcp.host_prefix_chars = 0);
    let tools = Host::http(&roomy, MODERN, "ana").tools();
    assert!(
        tools.iter().any(|tool| tool["name"] == other.as_str()),
        "there is room for all of it"
    );
}

#[test]
fn a_scenario_is_a_tool_that_a_model_fills_and_mends_however_it_is_reached_z004_z019_z173() {
    let server = started(|_| {});
    let url = ["mcp", "--url", server.base(), "--name", "ana"];
    for revision in [LEGACY, MODERN] {
        book(&Host::http(&server, revision, "ana"));
        book(&Host::pipe(revision, &url));
    }
    drop(server);
    let folder = tempfile::tempdir().expect("a folder");
    let shelf = folder.path().join("schemas");
    std::fs::create_dir(&shelf).expect("made");
    std::fs::write(shelf.join("flight.json"), FLIGHT).expect("written");
    let [data, shelf] = [folder.path().join("data"), shelf].map(|path| path.display().to_string());
    let models = format!("{}/models", env!("CARGO_MANIFEST_DIR"));
    book(&Host::pipe(
        LEGACY,
        &["mcp", "--data", &data, "--schemas", &shelf, "--models", &models],
    ));
}

#[test]
fn a_call_by_a_schema_that_is_to_go_or_is_not_in_force_says_so_z105() {
    let server = started(|_| {});
    let host = Host::http(&server, MODERN, "ana");
    let schema = json!({"dev.otherwise/schema_id": "flight_booking_v1"});
    let silent = host.call("flight_booking", &trip(), &schema);
    assert_eq!(silent["_meta"], Value::Null, "nothing is to be said of it");
    let path = "/v1/schemas/flight_booking_v1:deprecate";
    let announced = server.call(
        "POST",
        path,
        &[("Otherwise-Client", "paul")],
        r#"{"sunset": "2100-08-01T00:00:00Z"}"#,
    );
    assert_eq!(announced.status, 200, "{}", announced.body);
    super::republish(&server);
    let mut wrong = trip();
    wrong["cabin_class"] = json!("busines");
    for (arguments, is_error) in [(trip(), false), (wrong, true)] {
        let answer = host.call("flight_booking", &arguments, &schema);
        assert_eq!(answer["isError"], is_error, "{answer}");
        let told = ["latest", "deprecation", "sunset"].map(|name| &answer["_meta"][format!("dev.otherwise/{name}")]);
        assert_eq!(
            told,
            [
                &json!("1.1.0"),
                &announced.body["deprecated_at"],
                &json!("2100-08-01T00:00:00Z")
            ]
        );
    }
}

#[test]
fn scenarios_are_tools_of_who_may_submit_and_where_that_is_set() {
    let server = started(|settings| settings.mcp.scenario_tools = false);
    let mut host = Host::http(&server, LEGACY, "ana");
    assert_eq!(host.names(), GENERIC);
    for name in ["flight_booking", "find_scenario"] {
        assert!(host.ask(name, &trip(), &json!({})).expect_err(name).contains("-32602"));
    }
    super::republish(&server);
    host.silent();
    let ben = Host::http(&server, MODERN, "ben");
    assert_eq!(
        ben.listen().acknowledged().tools_list_changed,
        None,
        "they never change"
    );

    let server = started(|settings| settings.principals = vec![with_key("paul", Role::Publisher, "paul-key")]);
    let paul = super::Client::new(&server, MODERN, &[("X-API-Key", "paul-key")]);
    assert_eq!(
        paul.result("tools/list", &json!({}))["tools"].as_array().map(Vec::len),
        Some(4)
    );
    let refused = paul.tool("flight_booking", &trip());
    assert!(super::text(&refused).contains("forbidden"), "{refused}");
}

impl Server {
    /// Says a wish so often that there is a key, and approves it.
    fn learn(&self, clients: &[&str], wishes: [&str; 4]) {
        for (number, wish) in wishes.iter().cycle().take(8).enumerate() {
            let mut payload = trip();
            payload["other"] = json!(wish);
            let body = json!({"schema_id": "flight_booking_v1", "payload": payload}).to_string();
            let client = [("Otherwise-Client", clients[number % clients.len()])];
            let reply = self.call("POST", "/v1/submissions", &client, &body);
            assert_eq!(reply.status, 200, "{}", reply.body);
            self.settle();
        }
        let path = "/v1/scenarios/flight_booking/patches";
        let patches = self.get("olga", path).body["patches"].clone();
        let patch = patches.as_array().and_then(|patches| patches.last()).expect("a patch");
        let path = format!("/v1/patches/{}:approve", patch["patch_id"].as_str().expect("an id"));
        let approved = self.call("POST", &path, &[("Otherwise-Client", "olga")], "");
        assert_eq!(approved.status, 200, "{}", approved.body);
        self.settle();
    }
}

const LEGROOM: [&str; 4] = [
    "extra legroom for my long legs",
    "I need extra legroom",
    "extra legroom as always",
    "please give me extra legroom",
];
const SUITCASE: [&str; 4] = [
    "two suitcases to check in",
    "I have two suitcases to check in",
    "check in three suitcases",
    "please add one suitcase to check in",
];

#[test]
fn a_new_key_is_listed_and_told_to_those_who_get_it_and_to_nobody_else_z121_z122_z123() {
    let server = started(|_| {});
    let mut ida = Host::http(&server, LEGACY, "ida");
    let mut ana = Host::http(&server, LEGACY, "ana");
    let mut bridged = Host::pipe(LEGACY, &["mcp", "--url", server.base(), "--name", "ben"]);
    let cleo = Host::http(&server, MODERN, "cleo");
    let mut listening = cleo.listen();
    let keys = |host: &Host| {
        let tool = host.tool("flight_booking");
        tool["inputSchema"]["properties"].as_object().expect("keys").len()
    };
    let before = keys(&ana);
    server.learn(&["ida"], LEGROOM);
    assert_eq!(ida.told(), 1, "her own key");
    assert_eq!((keys(&ida), keys(&ana)), (before + 1, before));
    ana.silent();
    bridged.silent();
    server.learn(&["a", "b", "c", "d"], SUITCASE);
    for host in [&mut ida, &mut ana, &mut bridged] {
        assert_eq!(host.told(), 1, "a key for all");
    }
    assert_eq!(
        (keys(&ida), keys(&ana), keys(&cleo)),
        (before + 2, before + 1, before + 1)
    );
    let changed = |listening: &mut Subscription| {
        let next = cleo
            .runtime
            .block_on(async { tokio::time::timeout(PATIENCE, listening.next()).await });
        let next = next.expect("it is told").expect("a notification");
        assert!(
            matches!(next, Some(ServerNotification::ToolListChangedNotification(_))),
            "{next:?}"
        );
    };
    changed(&mut listening);
    let silent = cleo
        .runtime
        .block_on(async { tokio::time::timeout(SILENCE, listening.next()).await });
    assert!(silent.is_err(), "ida's key was not cleo's affair: {silent:?}");
    super::republish(&server);
    changed(&mut listening);
    assert_eq!(ana.told(), 1, "another base");
    assert_eq!(server.delete("/v1/schemas/flight_booking_v1_1").status, 200);
    changed(&mut listening);
    assert_eq!(bridged.told(), 2, "published and retired");
}

#[test]
fn a_call_says_by_which_definition_it_was_made_and_what_came_after_is_told_z004_z120_z121() {
    let server = started(|_| {});
    let ana = Host::http(&server, MODERN, "ana");
    let listed = ana.tool("flight_booking");
    let served = server.get("ana", "/v1/scenarios/flight_booking/template");
    let digest = served.headers["otherwise-digest"].to_str().expect("a digest");
    assert_eq!(listed["_meta"]["dev.otherwise/digest"], digest, "as HTTP names it");
    server.learn(&["a", "b", "c", "d"], SUITCASE);
    let told = |meta: &Value| {
        let answer = ana.call("flight_booking", &trip(), meta);
        assert_eq!(answer["isError"], false, "{answer}");
        check(&listed["outputSchema"], &answer["structuredContent"]);
        answer["structuredContent"].clone()
    };
    // All that a definition says of itself may come back.
    let old = told(&listed["_meta"]);
    assert_eq!(old["exchange"]["template_change"]["since"], 1, "{old}");
    let new_key = &old["schema_update_suggestion"]["new_keys"][0]["key_name"];
    let unsaid = told(&json!({}));
    assert_eq!(
        &unsaid["schema_update_suggestion"]["new_keys"][0]["key_name"], new_key,
        "she was given nothing newer"
    );
    let now = ana.tool("flight_booking");
    assert!(
        now["inputSchema"]["properties"]
            .get(new_key.as_str().expect("a name"))
            .is_some()
    );
    assert_ne!(
        now["_meta"]["dev.otherwise/digest"],
        listed["_meta"]["dev.otherwise/digest"]
    );
    server.settle();
    for meta in [&json!({}), &now["_meta"]] {
        let current = told(meta);
        assert_eq!(
            current.get("schema_update_suggestion"),
            None,
            "the list was what she was given last"
        );
        assert_eq!(current["exchange"].get("template_change"), None);
    }
    let again = told(&listed["_meta"]);
    assert_eq!(
        again["exchange"]["template_change"]["class"], "additive",
        "an old call is told all the same"
    );

    let keyed = json!({"dev.otherwise/idempotency_key": "trip-1", "dev.otherwise/utterance": "to Shanghai", "dev.otherwise/language": "en"});
    let first = told(&keyed);
    let second = told(&keyed);
    assert_eq!(second["exchange"]["submission_id"], first["exchange"]["submission_id"]);
    assert_eq!(second["exchange"]["replayed"], true);
    server.call("PUT", "/v1/schemas/tram_v1", &[], &tram(1, &json!({})).to_string());
    for (meta, code, says) in [
        (
            json!({"dev.otherwise/revision": "one"}),
            "bad_request",
            "`revision` must be an integer",
        ),
        (
            json!({"dev.otherwise/revision": 1_000_000}),
            "bad_request",
            "lies in the future",
        ),
        (json!({"dev.otherwise/utterence": "x"}), "bad_request", "utterance"),
        (json!({"dev.otherwise/schema_id": 7}), "bad_request", "is a string"),
        (
            json!({"dev.otherwise/schema_id": "tram_v1"}),
            "unknown_schema",
            "in this scenario",
        ),
        (
            json!({"dev.otherwise/schema_id": "nowhere_v1"}),
            "unknown_schema",
            "nowhere_v1",
        ),
    ] {
        let problem = ana.refused("flight_booking", &trip(), &meta);
        assert_eq!(problem["code"], code, "{problem}");
        assert!(
            problem["detail"].as_str().is_some_and(|detail| detail.contains(says)),
            "{problem}"
        );
    }
    told(&json!({"com.example/utterence": 1, "revision": "another one's"}));
    super::republish(&server);
    assert_eq!(
        told(&listed["_meta"])["exchange"]["schema_id"],
        "flight_booking_v1",
        "as it was listed"
    );
    assert_eq!(told(&json!({}))["exchange"]["schema_id"], "flight_booking_v1_1");
}

#[test]
fn a_version_that_came_since_is_told_once_to_a_call_that_says_no_revision_z004_z120() {
    let server = started(|_| {});
    let url = |name| ["mcp", "--url", server.base(), "--name", name];
    let hosts = [
        Host::http(&server, MODERN, "ana"),
        Host::http(&server, LEGACY, "ben"),
        Host::pipe(MODERN, &url("cleo")),
        Host::pipe(LEGACY, &url("dora")),
    ];
    let (late, early) = (
        Host::http(&server, MODERN, "late"),
        Host::http(&server, MODERN, "early"),
    );
    let told = |host: &Host| {
        let answer = host.call("flight_booking", &trip(), &json!({}))["structuredContent"].clone();
        assert_eq!(answer["exchange"]["status"], "accepted", "{answer}");
        server.settle();
        answer
    };
    for host in hosts.iter().chain([&early]) {
        host.tool("flight_booking");
        assert_eq!(
            told(host).get("schema_update_suggestion"),
            None,
            "it was given what is in force"
        );
    }
    let mut next = server.get("olga", "/v1/schemas/flight_booking_v1").body;
    next["schema_id"] = json!("flight_booking_v1_1");
    next["version"] = json!("1.1.0");
    let keys = next["keys"].as_array_mut().expect("keys");
    keys.retain(|key| key["key_name"] != "cabin_class");
    keys.push(json!({"key_name": "lounge", "key_type": "boolean", "required": false,
        "semantic_description": "Whether the lounge is wanted. Example: 'with lounge' -> true."}));
    keys[0]["semantic_description"] = json!("Where the flight departs. Example: 'from Beijing' -> 'PEK'.");
    let published = server.call("PUT", "/v1/schemas/flight_booking_v1_1", &[], &next.to_string());
    assert_eq!(published.status, 201, "{}", published.body);
    server.settle();
    late.tool("flight_booking");
    server.settle();
    assert_eq!(told(&late).get("schema_update_suggestion"), None, "it was listed anew");
    for host in &hosts {
        let first = told(host);
        assert_eq!(first["exchange"]["schema_id"], "flight_booking_v1_1");
        let new = &first["schema_update_suggestion"];
        assert_eq!(
            (
                &new["new_keys"][0]["key_name"],
                new["new_keys"].as_array().map(Vec::len)
            ),
            (&json!("lounge"), Some(1)),
            "{first}"
        );
        assert_eq!(new["modified_keys"][0]["key_name"], "origin", "{first}");
        assert_eq!(new["withdrawn_keys"], json!(["cabin_class"]), "{first}");
        assert_eq!(new["revision"], first["exchange"]["revision"], "{first}");
        assert_eq!(told(host).get("schema_update_suggestion"), None, "once");
    }
    // The same words by the schema that the caller names: it has chosen that.
    let old = json!({"dev.otherwise/schema_id": "flight_booking_v1"});
    let answer = early.call("flight_booking", &trip(), &old)["structuredContent"].clone();
    assert_eq!(answer.get("schema_update_suggestion"), None, "{answer}");
}

/// A small template of a scenario of its own.
fn tram(number: usize, more: &Value) -> Value {
    let mut template = json!({"schema_id": format!("tram_v{number}"), "scenario": format!("tram {number}"),
        "description": format!("Sells tickets for the tram of line {number}."),
        "keys": [{"key_name": "stop", "key_type": "string", "required": true,
            "semantic_description": "Where to get on. Example: 'at the castle' -> 'castle'."}]});
    for (name, value) in more.as_object().expect("members") {
        template[name] = value.clone();
    }
    template
}

#[test]
fn more_scenarios_than_are_listed_are_found_by_meaning_and_named_apart_z015_z049() {
    let mut shelf = vec![(
        "flight_booking_v1.json".to_owned(),
        serde_json::from_str(FLIGHT).expect("a template"),
    )];
    for number in 1..=64 {
        let more = match number {
            1 => json!({"scenario": "Submit Payload"}),
            2 => json!({"scenario": "réserver un tram"}),
            3 => json!({"scenario": "find_scenario"}),
            _ => json!({}),
        };
        shelf.push((format!("tram_v{number}.json"), tram(number, &more)));
    }
    let shelf: Vec<(&str, Value)> = shelf
        .iter()
        .map(|(name, template)| (name.as_str(), template.clone()))
        .collect();
    let server = Server::start(&shelf, |settings| settings.mcp.tools_max = 64, PartsOverride::default());
    let mut ana = Host::http(&server, LEGACY, "ana");
    assert_eq!(
        ana.names(),
        [&GENERIC[..], &["find_scenario"]].concat(),
        "65 are too many"
    );
    let tool = ana.tool("find_scenario");
    let asked = json!({"q": "I want to book a flight to Shanghai", "limit": 2});
    check(&tool["inputSchema"], &asked);
    let mut found = Value::Null;
    for _ in 0..100 {
        found = ana.call("find_scenario", &asked, &json!({}))["structuredContent"].clone();
        if found["unread"] == 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    check(&tool["outputSchema"], &found);
    let likeliest = &found["tools"][0];
    assert_eq!(
        (&found["outcome"], &likeliest["name"]),
        (&json!("match"), &json!("flight_booking")),
        "{found}"
    );
    assert!(found["tools"].as_array().is_some_and(|tools| tools.len() <= 2));
    let arguments = filled(likeliest, &trip());
    check(&likeliest["inputSchema"], &arguments);
    let booked = ana.call("flight_booking", &arguments, &likeliest["_meta"]);
    check(&likeliest["outputSchema"], &booked["structuredContent"]);
    let nothing = ana.call("find_scenario", &json!({"q": "zzz qqq"}), &json!({}))["structuredContent"].clone();
    assert_eq!(
        (&nothing["outcome"], &nothing["tools"]),
        (&json!("no_match"), &json!([]))
    );
    for (arguments, says) in [
        (json!({}), "`q` is missing"),
        (json!({"q": " "}), "must hold 1 to"),
        (json!({"q": "a tram", "limit": 0}), "1 to 10"),
        (json!({"q": "a tram", "limit": 11}), "1 to 10"),
    ] {
        let problem = ana.refused("find_scenario", &arguments, &json!({}));
        assert!(
            problem["detail"].as_str().is_some_and(|detail| detail.contains(says)),
            "{problem}"
        );
    }
    assert!(ana.call("find_scenario", &json!({"q": "a tram", "limit": 10}), &json!({}))["isError"] == false);
    assert!(
        ana.ask("tram_100", &json!({}), &json!({}))
            .expect_err("none")
            .contains("-32602")
    );

    assert_eq!(server.delete("/v1/schemas/tram_v64").status, 200);
    assert_eq!(ana.told(), 1, "64 are listed whole");
    let names = ana.names().split_off(GENERIC.len());
    assert_eq!((names.len(), names.is_sorted()), (64, true));
    let safe = |name: &String| name.len() <= 64 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    assert!(names.iter().all(safe), "{names:?}");
    for begin in ["submit_payload_", "r_server_un_tram_", "find_scenario_"] {
        let name = names.iter().find(|name| name.starts_with(begin)).expect(begin);
        let answer = ana.call(name, &json!({"stop": "castle", "other": null}), &json!({}));
        assert_eq!(
            answer["structuredContent"]["payload"],
            json!({"stop": "castle"}),
            "{name}"
        );
    }
    assert!(ana.ask("tram_64", &json!({}), &json!({})).is_err(), "it is retired");
}

#[test]
fn a_result_of_an_executor_keeps_what_is_promised_of_it_z020() {
    let agent = Agent::start(|number, _| Act::Answer(json!({"ticket": format!("T{number}"), "seat": {"row": 7}})));
    let schema = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "additionalProperties": false,
        "required": ["ticket"], "properties": {"ticket": {"type": "string"}, "seat": {"$ref": "#/$defs/seat"}},
        "$defs": {"seat": {"type": "object", "properties": {"row": {"type": "integer"}}, "additionalProperties": false}}});
    let promised = json!({"executor": {"url": agent.url()}, "response_schema": schema});
    let bag = json!({"key_name": "extras", "key_type": "object", "required": false, "semantic_description": "Whatever else is to be known."});
    let mut free = tram(2, &json!({"executor": {"url": agent.url()}}));
    free["keys"].as_array_mut().expect("keys").push(bag);
    let shelf = [("tram_v1.json", tram(1, &promised)), ("tram_v2.json", free)];
    let server = Server::set(&shelf, |settings| {
        settings.executors.inner_hosts = vec!["127.0.0.1".to_owned()]
    });
    let ana = Host::http(&server, MODERN, "ana");
    let tool = ana.tool("tram_1");
    let output = &tool["outputSchema"];
    let answer = ana.call("tram_1", &json!({"stop": "castle", "other": null}), &json!({}));
    check(output, &answer["structuredContent"]);
    assert_eq!(answer["structuredContent"]["seat"], json!({"row": 7}));
    assert_eq!(output.get("$schema"), None);
    let compiled = jsonschema::draft202012::new(output).expect("a schema");
    for wrong in ["ticket", "exchange"] {
        let mut less = answer["structuredContent"].clone();
        less.as_object_mut().expect("an object").remove(wrong);
        assert!(!compiled.is_valid(&less), "{wrong} is promised");
    }
    // What the strict form would forbid is taken, so this one is whole.
    let tool = ana.tool("tram_2");
    assert_eq!(tool["inputSchema"]["required"], json!(["stop"]));
    let rule = "Sells tickets for the tram of line 2.\nLeave out what is not required";
    assert!(
        tool["description"]
            .as_str()
            .is_some_and(|description| description.starts_with(rule))
    );
    let asked = json!({"stop": "castle", "extras": {"dog": true}});
    check(&tool["inputSchema"], &asked);
    let answer = ana.call("tram_2", &asked, &json!({}));
    check(&tool["outputSchema"], &answer["structuredContent"]);
    assert_eq!(agent.called().len(), 2);
    assert_eq!(agent.called()[1].body["payload"]["extras"], json!({"dog": true}));
}
