//! What is wrong with the params of a method that is known: the protocol's library takes a request whose params it cannot read for
//! one of a method that nobody knows.
//!
//! Knows which members a method must be given, and nothing of what they mean. Invariant: what is said names the member, never what
//! stood in it.

use rmcp::model::ClientJsonRpcMessage;
use rmcp::model::ClientRequest;
use rmcp::model::JsonRpcRequest;
use rmcp::model::RequestMetaObject;
use serde_json::Value;

use crate::mcp::mcp_caller::OPENING;
use crate::wire::codes::Code;
use crate::wire::json_rpc;
use crate::wire::problem::Problem;

/// The methods that are served here, each with the members that it must be given, with dots between the names.
const METHODS: [(&str, &str); 14] = [
    (
        OPENING,
        "protocolVersion capabilities clientInfo clientInfo.name clientInfo.version",
    ),
    ("ping", ""),
    ("server/discover", ""),
    ("tools/list", ""),
    ("tools/call", "name"),
    ("resources/list", ""),
    ("resources/templates/list", ""),
    ("resources/read", "uri"),
    ("resources/subscribe", "uri"),
    ("resources/unsubscribe", "uri"),
    ("prompts/list", ""),
    ("prompts/get", "name"),
    (
        "completion/complete",
        "ref ref.type argument argument.name argument.value",
    ),
    ("subscriptions/listen", "notifications"),
];

/// Methods of sessions: a request that stands for itself, and so says its revision, has none of them (revision 2026-07-28).
const OF_SESSIONS: [&str; 4] = [OPENING, "ping", "resources/subscribe", "resources/unsubscribe"];

/// What is wrong with the params of a request that could not be read; `None` of a method that is not served here.
pub fn unread(method: &str, params: Option<&Value>, meta: &RequestMetaObject) -> Option<Problem> {
    if OF_SESSIONS.contains(&method) && meta.protocol_version().is_some() {
        return None;
    }
    let (_, members) = METHODS.iter().find(|(name, _)| *name == method)?;
    let place = |path: &str| {
        let found = path.split('.').try_fold(params?, |within, name| within.get(name));
        found.filter(|value| !value.is_null())
    };
    let missing = members.split_whitespace().find(|path| place(path).is_none());
    let what = missing.map_or_else(
        || "the params do not fit the method: one of them is of another type".to_owned(),
        |missing| format!("`{missing}` is missing"),
    );
    Some(Problem::new(Code::BadRequest, what))
}

/// The answer to an opening whose params cannot be read; the library waits for an opening then, and finds none.
pub fn of_opening(text: &str) -> Option<String> {
    let read = serde_json::from_str(text).ok()?;
    let ClientJsonRpcMessage::Request(JsonRpcRequest { id, request, .. }) = read else {
        return None;
    };
    let ClientRequest::CustomRequest(unknown) = request else {
        return None;
    };
    let meta = unknown.extensions.get::<RequestMetaObject>().cloned();
    let problem = unread(OPENING, unknown.params.as_ref(), &meta.unwrap_or_default())?;
    let id = serde_json::to_string(&id).ok()?;
    Some(json_rpc::failure(&id, &json_rpc::Error::from(&problem)))
}

#[cfg(test)]
mod tests {
    use rmcp::model::ProtocolVersion;
    use serde_json::json;

    use super::RequestMetaObject;
    use super::of_opening;
    use super::unread;

    #[test]
    fn the_member_that_is_missing_is_named_and_a_request_that_stands_for_itself_has_no_methods_of_sessions() {
        let alone = RequestMetaObject::default();
        let mut modern = RequestMetaObject::default();
        modern.set_protocol_version(ProtocolVersion::V_2026_07_28);
        for (method, params, says, in_both) in [
            ("tools/call", json!({}), "`name` is missing", true),
            (
                "tools/call",
                json!({"name": 4711}),
                "the params do not fit the method",
                true,
            ),
            ("resources/subscribe", json!(null), "`uri` is missing", false),
            ("completion/complete", json!({"ref": {}}), "`ref.type` is missing", true),
            ("subscriptions/listen", json!({}), "`notifications` is missing", true),
            ("tools/list", json!([]), "the params do not fit the method", true),
            ("ping", json!({"_meta": 1}), "the params do not fit the method", false),
        ] {
            let said = unread(method, Some(&params), &alone).expect("a method").detail;
            assert!(
                said.starts_with(says) && !said.contains("4711"),
                "{method} {params}: {said}"
            );
            assert_eq!(unread(method, Some(&params), &modern).is_some(), in_both, "{method}");
        }
        assert!(unread("tools/nothing", None, &alone).is_none());
    }

    #[test]
    fn an_opening_that_cannot_be_read_is_answered_under_its_id() {
        let mut params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}});
        let mut answer = |name: &str, value| {
            params[name] = value;
            let message = json!({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": params});
            of_opening(&message.to_string())
        };
        assert_eq!(answer("capabilities", json!({})), None);
        let odd = answer("capabilities", json!({"roots": 7})).expect("an answer");
        assert!(
            odd.contains("do not fit the method") && odd.contains(r#""id":"a""#),
            "{odd}"
        );
        let missing = answer("clientInfo", json!({"name": "a"})).expect("an answer");
        assert!(
            missing.contains("`clientInfo.version` is missing") && missing.contains("-32602"),
            "{missing}"
        );
    }
}
