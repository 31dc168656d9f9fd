//! What is wrong with the params of a method that is known: the protocol's library takes a request whose params it cannot read for
//! one of a method that nobody knows.
//!
//! Knows which members a method reads and of what type they are, and nothing of what they mean. Invariant: what is said names the
//! member, never what stood in it.

use rmcp::model::ClientJsonRpcMessage;
use rmcp::model::ClientRequest;
use rmcp::model::RequestMetaObject;
use serde_json::Value;

use crate::wire::codes::Code;
use crate::wire::json_rpc;
use crate::wire::problem::Problem;

/// The method that opens a session.
pub const OPENING: &str = "initialize";

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Texts,
    Flag,
    Object,
}

/// Where a member stands, with dots between the names, what it is, and whether it must be there.
type Member = (&'static str, Kind, bool);

const PAGE: &[Member] = &[("cursor", Kind::Text, false)];
const ADDRESS: &[Member] = &[("uri", Kind::Text, true)];

/// The methods that are served here.
const METHODS: [(&str, &[Member]); 14] = [
    (
        OPENING,
        &[
            ("protocolVersion", Kind::Text, true),
            ("capabilities", Kind::Object, true),
            ("clientInfo", Kind::Object, true),
            ("clientInfo.name", Kind::Text, true),
            ("clientInfo.version", Kind::Text, true),
        ],
    ),
    ("ping", &[]),
    ("server/discover", &[]),
    ("tools/list", PAGE),
    (
        "tools/call",
        &[("name", Kind::Text, true), ("arguments", Kind::Object, false)],
    ),
    ("resources/list", PAGE),
    ("resources/templates/list", PAGE),
    ("resources/read", ADDRESS),
    ("resources/subscribe", ADDRESS),
    ("resources/unsubscribe", ADDRESS),
    ("prompts/list", PAGE),
    (
        "prompts/get",
        &[("name", Kind::Text, true), ("arguments", Kind::Object, false)],
    ),
    (
        "completion/complete",
        &[
            ("ref", Kind::Object, true),
            ("ref.type", Kind::Text, true),
            ("argument", Kind::Object, true),
            ("argument.name", Kind::Text, true),
            ("argument.value", Kind::Text, true),
        ],
    ),
    (
        "subscriptions/listen",
        &[
            ("notifications", Kind::Object, true),
            ("notifications.resourceSubscriptions", Kind::Texts, false),
            ("notifications.resourcesListChanged", Kind::Flag, false),
            ("notifications.promptsListChanged", Kind::Flag, false),
            ("notifications.toolsListChanged", Kind::Flag, false),
        ],
    ),
];

/// Methods of sessions: a request that stands for itself, and so says its revision, has none of them (revision 2026-07-28).
const OF_SESSIONS: [&str; 4] = [OPENING, "ping", "resources/subscribe", "resources/unsubscribe"];

/// What is wrong with the params of a request that could not be read; `None` of a method that is not served here.
pub fn unread(method: &str, params: Option<&Value>, meta: &RequestMetaObject) -> Option<Problem> {
    if OF_SESSIONS.contains(&method) && meta.protocol_version().is_some() {
        return None;
    }
    let (_, members) = METHODS.iter().find(|(name, _)| *name == method)?;
    let what = wrong(members, params).unwrap_or_else(|| "the params do not fit the method".to_owned());
    Some(Problem::new(Code::BadRequest, what))
}

/// The answer to an opening whose params cannot be read; the library waits for an opening then, and finds none.
pub fn of_opening(message: &ClientJsonRpcMessage) -> Option<String> {
    let ClientJsonRpcMessage::Request(request) = message else {
        return None;
    };
    let ClientRequest::CustomRequest(unknown) = &request.request else {
        return None;
    };
    if unknown.method != OPENING {
        return None;
    }
    let meta = unknown
        .extensions
        .get::<RequestMetaObject>()
        .cloned()
        .unwrap_or_default();
    let problem = unread(OPENING, unknown.params.as_ref(), &meta)?;
    let id = serde_json::to_string(&request.id).ok()?;
    Some(json_rpc::failure(&id, &json_rpc::Error::from(&problem)))
}

/// The first member that is not as it must be.
fn wrong(members: &[Member], params: Option<&Value>) -> Option<String> {
    let given = |value: &&Value| !value.is_null();
    let params = params.filter(given);
    if params.is_some_and(|params| !params.is_object()) {
        return Some("`params` must be an object".to_owned());
    }
    let place = |path: &str| {
        path.split('.')
            .try_fold(params?, |within, name| within.get(name))
            .filter(given)
    };
    if place("_meta").is_some_and(|meta| !meta.is_object()) {
        return Some("`_meta` must be an object".to_owned());
    }
    members.iter().find_map(|(path, kind, required)| match place(path) {
        None if *required => Some(format!("`{path}` is missing")),
        None => None,
        Some(value) => {
            let (fits, what) = match kind {
                Kind::Text => (value.is_string(), "a text"),
                Kind::Texts => (
                    value.as_array().is_some_and(|all| all.iter().all(Value::is_string)),
                    "a list of texts",
                ),
                Kind::Flag => (value.is_boolean(), "true or false"),
                Kind::Object => (value.is_object(), "an object"),
            };
            (!fits).then(|| format!("`{path}` must be {what}"))
        }
    })
}

#[cfg(test)]
mod tests {
    use rmcp::model::ProtocolVersion;
    use serde_json::Value;
    use serde_json::json;

    use super::RequestMetaObject;
    use super::of_opening;
    use super::unread;

    fn said(method: &str, params: &Value) -> String {
        unread(method, Some(params), &RequestMetaObject::default())
            .expect("a method")
            .detail
    }

    #[test]
    fn the_member_that_is_wrong_is_named_and_nothing_is_quoted() {
        for (method, params, says) in [
            ("tools/call", json!({}), "`name` is missing"),
            ("tools/call", json!({"name": 4711}), "`name` must be a text"),
            ("resources/read", json!({"uri": 4711}), "`uri` must be a text"),
            ("resources/subscribe", json!(null), "`uri` is missing"),
            (
                "prompts/get",
                json!({"name": "a", "arguments": []}),
                "`arguments` must be an object",
            ),
            ("subscriptions/listen", json!({}), "`notifications` is missing"),
            (
                "subscriptions/listen",
                json!({"notifications": "4711"}),
                "`notifications` must be an object",
            ),
            (
                "subscriptions/listen",
                json!({"notifications": {"resourceSubscriptions": ["a", 4711]}}),
                "`notifications.resourceSubscriptions` must be a list of texts",
            ),
            (
                "subscriptions/listen",
                json!({"notifications": {"toolsListChanged": 1}}),
                "`notifications.toolsListChanged` must be true or false",
            ),
            ("tools/list", json!({"cursor": 5}), "`cursor` must be a text"),
            ("tools/list", json!([]), "`params` must be an object"),
            ("ping", json!({"_meta": 1}), "`_meta` must be an object"),
            ("tools/list", json!({"cursor": "a"}), "the params do not fit the method"),
        ] {
            assert_eq!(said(method, &params), says, "{method} {params}");
        }
        assert!(unread("tools/nothing", None, &RequestMetaObject::default()).is_none());
    }

    #[test]
    fn a_request_that_stands_for_itself_has_no_methods_of_sessions() {
        let mut meta = RequestMetaObject::default();
        meta.set_protocol_version(ProtocolVersion::V_2026_07_28);
        for method in ["initialize", "ping", "resources/subscribe", "resources/unsubscribe"] {
            assert!(unread(method, Some(&json!({})), &meta).is_none(), "{method}");
        }
        assert!(unread("tools/call", Some(&json!({})), &meta).is_some());
    }

    #[test]
    fn an_opening_that_cannot_be_read_is_answered_under_its_id() {
        let answer = |params: &Value| {
            let message = json!({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": params});
            of_opening(&serde_json::from_value(message).expect("a message"))
        };
        let whole =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}});
        assert_eq!(answer(&whole), None);
        for missing in ["protocolVersion", "capabilities", "clientInfo"] {
            let mut less = whole.clone();
            less.as_object_mut().expect("an object").shift_remove(missing);
            let told: Value = serde_json::from_str(&answer(&less).expect("an answer")).expect("JSON");
            assert_eq!((&told["error"]["code"], &told["id"]), (&json!(-32602), &json!("a")));
            assert_eq!(told["error"]["message"], format!("`{missing}` is missing"));
        }
        let mut odd = whole;
        odd["capabilities"] = json!({"roots": 7});
        assert!(answer(&odd).is_some_and(|told| told.contains("do not fit the method")));
    }
}
