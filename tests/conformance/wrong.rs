//! For each check of the kit a server that is wrong in that one thing.

use serde_json::Value;
use serde_json::json;

use super::proxy::Asked;
use super::proxy::Change;
use super::proxy::Said;

/// A wrong server: the check that must fail there, and what it does to right answers.
pub type Wrong = (&'static str, Change);

fn negotiated(asked: &Asked<'_>) -> bool {
    asked.path == "/v1/scenarios:negotiate" && asked.heard.body["params"]["scenario"] != "otherwise_conformance_nowhere"
}

fn nowhere(asked: &Asked<'_>) -> bool {
    asked.path == "/v1/scenarios:negotiate" && !negotiated(asked)
}

fn updates(asked: &Asked<'_>) -> bool {
    asked.path.contains("/updates")
}

fn language<'a>(asked: &'a Asked<'_>) -> &'a Value {
    &asked.heard.body["params"]["preferred_language"]
}

/// The payload of a submission, `null` where it is none.
fn payload<'a>(asked: &'a Asked<'_>) -> &'a Value {
    if asked.path.starts_with("/v1/submissions") {
        &asked.heard.body["payload"]
    } else {
        &Value::Null
    }
}

fn is_least(asked: &Asked<'_>) -> bool {
    let payload = payload(asked).as_object();
    payload.is_some_and(|own| own.len() == 2 && own.contains_key("article") && own["article"].is_string())
        && asked.heard.body["schema_id"] != "otherwise_conformance_nowhere_v1"
}

fn other<'a>(asked: &'a Asked<'_>) -> &'a Value {
    &payload(asked)["other"]
}

fn refuse(said: &mut Said) {
    said.instead(422, json!({"code": "no", "detail": "no"}));
}

fn take(said: &mut Said) {
    said.instead(200, json!({"payload": {}}));
}

fn remove(value: &mut Value, member: &str) {
    if let Some(members) = value.as_object_mut() {
        members.remove(member);
    }
}

/// A key of the answer's template.
fn key<'a>(said: &'a mut Said, name: &str) -> &'a mut Value {
    let keys = said.body["keys"].as_array_mut().expect("a template");
    keys.iter_mut().find(|key| key["key_name"] == name).expect("the key")
}

fn drop_key(said: &mut Said, name: &str) {
    let keys = said.body["keys"].as_array_mut().expect("a template");
    keys.retain(|key| key["key_name"] != name);
}

fn add_key(said: &mut Said, key: Value) {
    said.body["keys"].as_array_mut().expect("a template").push(key);
}

fn new_key(name: &str) -> Value {
    json!({"key_name": name, "key_type": "string", "required": false, "semantic_description": "Something that was learned."})
}

fn patch(id: &str, stage: &str, new_keys: Value, modified_keys: Value) -> Value {
    json!({"patch_id": id, "parent_schema_id": "stationery_v1", "timestamp": "2026-05-01T08:00:00Z",
        "expiration_date": "2026-08-01T08:00:00Z", "revision": 7, "stage": stage, "audience": {"kind": "global"},
        "new_keys": new_keys, "modified_keys": modified_keys})
}

fn patches() -> Vec<Value> {
    let marked = |name: &str, mark: &str| {
        let mut key = new_key(name);
        if !mark.is_empty() {
            key[mark] = json!(true);
        }
        key
    };
    let wording = json!([{"key_name": "colours", "semantic_description": "Colours that will do, the best one first, red above all."}]);
    vec![
        patch(
            "s.p1",
            "experimental",
            json!([marked("delivery_day", "experimental")]),
            json!([]),
        ),
        patch("s.p2", "stable", json!([marked("lamp", "")]), wording),
        patch("s.p3", "deprecated", json!([marked("desk", "deprecated")]), json!([])),
    ]
}

/// A right server that has learned: keys on trial, promoted, on their way out and withdrawn.
pub fn learned(asked: &Asked<'_>, said: &mut Said) {
    if updates(asked) {
        said.body["patches"] = json!(patches());
        said.body["withdrawn_keys"] = json!(["ribbon"]);
    }
    let template = negotiated(asked) || asked.path.contains("/template");
    if template && said.status == 200 && said.body["keys"].is_array() {
        let settled = asked.path.contains("experimental=false");
        for mut patch in patches() {
            if settled && patch["stage"] == "experimental" {
                continue;
            }
            for key in patch["new_keys"].as_array().cloned().unwrap_or_default() {
                let mut key = key;
                key["patch_id"] = patch["patch_id"].clone();
                add_key(said, key);
            }
            remove(&mut patch, "new_keys");
            remove(&mut patch, "modified_keys");
            said.body["patches"].as_array_mut().expect("patches").push(patch);
        }
    }
    if asked.heard.body["revision"] == 0 && said.status == 200 {
        said.body["schema_update_suggestion"] = json!({"revision": 7, "new_keys": [new_key("lamp")],
            "modified_keys": [{"key_name": "colours", "semantic_description": "Colours, red above all."}],
            "withdrawn_keys": ["ribbon"], "patches": patches()});
    }
}

/// Takes what the kit's n-th defective template is.
macro_rules! takes_defect {
    ($number:literal) => {
        |asked, said| {
            if asked.method == "PUT" && asked.path.contains(concat!("_bad", $number, "_")) {
                take(said);
            }
        }
    };
}

/// Does something to the negotiated template.
macro_rules! template {
    ($act:expr) => {
        |asked, said| {
            if negotiated(asked) && said.status == 200 {
                let act: fn(&mut Said) = $act;
                act(said);
            }
        }
    };
}

/// Does something to the first, the second or the third patch of the updates.
macro_rules! patch {
    ($place:literal, $act:expr) => {
        |asked, said| {
            if updates(asked) {
                let act: fn(&mut Value) = $act;
                act(&mut said.body["patches"][$place]);
            }
        }
    };
}

/// Refuses a submission of which this is true.
macro_rules! refuses {
    ($of:expr) => {
        |asked, said| {
            let of: fn(&Asked<'_>) -> bool = $of;
            if of(asked) {
                refuse(said);
            }
        }
    };
}

/// Takes a submission of which this is true.
macro_rules! takes {
    ($of:expr) => {
        |asked, said| {
            let of: fn(&Asked<'_>) -> bool = $of;
            if of(asked) {
                take(said);
            }
        }
    };
}

/// One for each check but Z-166, which is about the address.
pub const WRONG: &[Wrong] = &[
    ("Z-028", template!(|said| said.body = json!([]))),
    ("Z-029", template!(|said| remove(&mut said.body, "schema_id"))),
    ("Z-031", template!(|said| said.body["scenario"] = json!(7))),
    ("Z-032", template!(|said| said.body["keys"] = json!({}))),
    ("Z-033", template!(|said| remove(key(said, "article"), "key_name"))),
    (
        "Z-034",
        template!(|said| key(said, "article")["key_name"] = json!("articleName")),
    ),
    ("Z-035", template!(|said| add_key(said, new_key("article")))),
    (
        "Z-036",
        template!(|said| key(said, "price_limit")["key_type"] = json!("float")),
    ),
    (
        "Z-039",
        template!(|said| key(said, "article")["semantic_description"] = json!(" ")),
    ),
    (
        "Z-042",
        template!(|said| key(said, "article")["required"] = json!("yes")),
    ),
    (
        "Z-047",
        template!(|said| key(said, "gift_wrap")["default_value"] = json!("perhaps")),
    ),
    ("Z-062", template!(|said| drop_key(said, "other"))),
    ("Z-058", template!(|said| key(said, "other")["required"] = json!(true))),
    (
        "Z-059-declared",
        template!(|said| key(said, "other")["key_type"] = json!("integer")),
    ),
    (
        "Z-016",
        template!(|said| said.body["scenario"] = json!("somewhere_else")),
    ),
    ("Z-030", |asked, said| {
        if negotiated(asked) && asked.before == 1 {
            key(said, "quantity")["key_type"] = json!("number");
        }
    }),
    ("Z-173", |asked, said| {
        if asked.heard.body.get("jsonrpc").is_some() {
            said.instead(400, json!({"code": "no"}));
        }
    }),
    ("Z-002", |asked, said| {
        if asked.path.ends_with("/template") && said.status == 200 {
            drop_key(said, "article");
        }
    }),
    ("Z-174", |asked, said| {
        if language(asked) == "tlh" {
            said.body["language"] = json!("tlh");
        }
    }),
    ("Z-056", |asked, said| {
        if language(asked) == "de" {
            said.body["language"] = json!("en");
        }
    }),
    ("Z-015", |asked, said| {
        if nowhere(asked) {
            said.instead(
                200,
                json!({"schema_id": "nowhere_v1", "scenario": "nowhere", "keys": []}),
            );
        }
    }),
    ("Z-049", |asked, said| {
        if asked.heard.body["params"]["scenario"]
            .as_str()
            .is_some_and(|name| name.contains(' '))
        {
            said.body["schema_id"] = json!("another_v1");
        }
    }),
    ("Z-182", |_, said| {
        if said.status == 304 {
            said.instead(200, json!({"keys": []}));
        }
    }),
    ("Z-074", |asked, said| {
        if asked.path.contains("experimental=false") {
            let mut key = new_key("trial");
            key["experimental"] = json!(true);
            key["patch_id"] = json!("s.p9");
            add_key(said, key);
        }
    }),
    ("Z-172", |asked, said| {
        if negotiated(asked) {
            said.headers = vec![("content-type".to_owned(), "text/html".to_owned())];
        }
    }),
    ("Z-044", refuses!(is_least)),
    (
        "Z-176",
        refuses!(|asked| payload(asked).get("engraving").is_some_and(Value::is_object)),
    ),
    (
        "Z-004",
        refuses!(|asked| asked.heard.header("connection").is_some_and(|value| value == "close")),
    ),
    ("Z-019", |asked, said| {
        if payload(asked).as_object().is_some_and(serde_json::Map::is_empty) {
            said.instead(422, json!({"detail": "article is missing"}));
        }
    }),
    ("Z-006", takes!(|asked| payload(asked)["article"] == 4711)),
    (
        "Z-045",
        refuses!(|asked| payload(asked).get("colours").is_some_and(Value::is_null)),
    ),
    ("Z-043", |asked, said| {
        if is_least(asked) {
            said.body["payload"]["paper_size"] = json!("a3");
        }
    }),
    ("Z-007", |asked, said| {
        if payload(asked).get("engraving").is_some_and(Value::is_object) {
            said.body["payload"]["article"] = json!("something else");
        }
    }),
    ("Z-023", |asked, said| {
        if payload(asked).get("otherwise_conformance_stranger").is_some() {
            said.body["payload"]["otherwise_conformance_stranger"] = json!("something");
        }
    }),
    ("Z-177", |asked, said| {
        if is_least(asked) {
            said.instead(200, json!("taken"));
        }
    }),
    (
        "Z-060",
        refuses!(|asked| other(asked).as_str().is_some_and(|text| text.starts_with("delivered"))),
    ),
    ("Z-059", refuses!(|asked| other(asked).is_array())),
    ("Z-059-number", takes!(|asked| other(asked).is_number())),
    (
        "Z-063",
        refuses!(|asked| other(asked).as_str().is_some_and(|text| text.len() > 10_000)),
    ),
    ("Z-065", refuses!(|asked| other(asked) == "")),
    (
        "Z-169",
        refuses!(|asked| other(asked).as_str().is_some_and(|text| text.contains("<script>"))),
    ),
    (
        "Z-181",
        takes!(|asked| asked.heard.body["schema_id"] == "otherwise_conformance_nowhere_v1"),
    ),
    ("Z-181-json", |asked, said| {
        if asked.path.starts_with("/v1/submissions") && asked.heard.body.is_null() {
            said.instead(500, json!({"code": "fault"}));
        }
    }),
    ("Z-181-payload", takes!(|asked| payload(asked).is_array())),
    ("Z-181-retired", |_, said| {
        if said.body["code"] == "schema_retired" {
            take(said);
        }
    }),
    ("Z-116", patch!(0, |patch| remove(patch, "patch_id"))),
    ("Z-117", patch!(0, |patch| remove(patch, "parent_schema_id"))),
    ("Z-118", patch!(1, |patch| patch["timestamp"] = json!("yesterday"))),
    ("Z-119", patch!(2, |patch| remove(patch, "expiration_date"))),
    (
        "Z-128",
        patch!(0, |patch| patch["expiration_date"] = json!("2026-04-01T08:00:00Z")),
    ),
    ("Z-115", patch!(0, |patch| patch["new_keys"] = json!([]))),
    (
        "Z-054-patch",
        patch!(0, |patch| remove(&mut patch["new_keys"][0], "semantic_description")),
    ),
    (
        "Z-125",
        patch!(0, |patch| patch["new_keys"][0]["required"] = json!(true)),
    ),
    (
        "Z-108",
        patch!(1, |patch| patch["modified_keys"][0]["key_type"] = json!("string")),
    ),
    (
        "Z-142",
        patch!(0, |patch| remove(&mut patch["new_keys"][0], "experimental")),
    ),
    (
        "Z-145",
        patch!(1, |patch| patch["new_keys"][0]["experimental"] = json!(true)),
    ),
    ("Z-147", template!(|said| remove(key(said, "desk"), "deprecated"))),
    (
        "Z-113",
        patch!(0, |patch| patch["new_keys"][0]["key_name"] = json!("colours")),
    ),
    ("Z-106", template!(|said| drop_key(said, "colours"))),
    (
        "Z-107",
        template!(|said| key(said, "colours")["key_type"] = json!("string")),
    ),
    (
        "Z-108-base",
        template!(|said| key(said, "paper_size")["default_value"] = json!("a3")),
    ),
    (
        "Z-155",
        template!(|said| {
            for number in 0..10 {
                let mut key = new_key(&format!("trial_{number}"));
                key["experimental"] = json!(true);
                key["patch_id"] = json!("s.p9");
                add_key(said, key);
            }
        }),
    ),
    ("Z-121", |asked, said| {
        if updates(asked) {
            remove(&mut said.body, "revision");
        }
    }),
    ("Z-120", |asked, said| {
        if asked.heard.body["revision"] == 0 {
            said.body["schema_update_suggestion"]["new_keys"] = json!([{"key_name": "lamp"}]);
        }
    }),
    ("Z-131", |asked, said| {
        if asked.heard.body["revision"] == 0 {
            remove(&mut said.body["schema_update_suggestion"], "patches");
        }
    }),
    ("Z-150", template!(|said| add_key(said, new_key("ribbon")))),
    ("Z-151", refuses!(|asked| payload(asked).get("ribbon").is_some())),
    ("Z-037-publish", |asked, said| {
        if asked.method == "PUT" && !asked.path.contains("_bad") {
            refuse(said);
        }
    }),
    ("Z-030-again", |asked, said| {
        if asked.method == "PUT" && asked.before == 1 {
            refuse(said);
        }
    }),
    (
        "Z-030-immutable",
        takes!(|asked| asked.method == "PUT" && asked.heard.text.contains("Something else altogether")),
    ),
    (
        "Z-050",
        template!(|said| remove(key(said, "article"), "conformance_note")),
    ),
    ("Z-105", |asked, said| {
        if asked.method == "GET" && asked.path.starts_with("/v1/schemas/") {
            key(said, "article")["semantic_description"] = json!("Another meaning.");
        }
    }),
    ("Z-031-publish", takes_defect!(0)),
    ("Z-032-publish", takes_defect!(1)),
    ("Z-033-publish", takes_defect!(2)),
    ("Z-034-publish", takes_defect!(3)),
    ("Z-035-publish", takes_defect!(4)),
    ("Z-036-publish", takes_defect!(5)),
    ("Z-036-unknown", takes_defect!(6)),
    ("Z-054-publish", takes_defect!(7)),
    ("Z-042-publish", takes_defect!(8)),
    ("Z-058-publish", takes_defect!(9)),
    ("Z-059-publish", takes_defect!(10)),
    ("Z-047-publish", takes_defect!(11)),
];
