//! What one domain agent gets of a conversation, as its coordinator declares it (P-024, P-030, P-035).
//!
//! Invariant: what is not declared does not go out. A misspelt member of a declaration is refused, since passing it over could
//! let something out.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use utoipa::ToSchema;

use crate::a2a_task::typed_part::HISTORY;
use crate::a2a_task::typed_part::Spelling;
use crate::a2a_task::typed_part::TYPE_BYTES_MAX;
use crate::fields::Faults;
use crate::fields::FieldFault;
use crate::fields::Fields;
use crate::fields::ID_BYTES_MAX;
use crate::fields::refuse_repeated;
use crate::fields::shown;

/// Types that one agent may get, and pointers of one type.
const TYPES_MAX: usize = 64;
const POINTERS_MAX: usize = 64;
/// Bytes of one pointer.
const POINTER_BYTES_MAX: usize = 256;

const MEMBERS: [&str; 7] = [
    "pattern",
    "types",
    "members",
    "last_turns",
    "summary",
    "sensitive",
    "agent_context_id",
];

/// How context is passed (P-025, P-026, P-027). The embedded one is what is done where nothing is said (P-028).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// In the message itself.
    #[default]
    Embedded,
    /// The agent fetches it under the context id.
    Shared,
    /// The agent keeps its own.
    Own,
}

impl Pattern {
    pub const ALL: [Pattern; 3] = [Pattern::Embedded, Pattern::Shared, Pattern::Own];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::Embedded => "embedded",
            Pattern::Shared => "shared",
            Pattern::Own => "own",
        }
    }
}

/// What one agent gets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipient {
    pub pattern: Pattern,
    /// Types of parts; `ConversationHistory` is what was said.
    pub types: Vec<String>,
    /// For a type, the members that go out, as JSON pointers (RFC 6901); a type that is not here goes out whole.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub members: BTreeMap<String, Vec<String>>,
    /// The last so many turns, also where a summary covers them; `None` for those that none covers yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_turns: Option<usize>,
    pub summary: bool,
    /// Whether what is marked sensitive goes out, and words as they were said.
    pub sensitive: bool,
    /// The context id that this agent gave out itself (P-002).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_context_id: Option<String>,
}

impl Recipient {
    /// Reads a declaration from JSON text.
    ///
    /// # Errors
    /// Everything that is wrong, by its place.
    pub fn read(text: &str) -> Result<Recipient, Vec<FieldFault>> {
        let fields = refuse_repeated(text).and_then(|()| Fields::read(text, ""));
        let fields = fields.map_err(|fault| vec![fault])?;
        let mut faults = Faults::default();
        faults.extend(fields.only(&MEMBERS).err());
        let pattern: Option<Pattern> = faults.take(fields.get("pattern", "embedded, shared or own"));
        let pattern = pattern.unwrap_or_default();
        let mut flag = |name: &str| faults.take(fields.get(name, "true or false"));
        let (summary, sensitive) = (flag("summary"), flag("sensitive"));
        let turns = |turns: u64| usize::try_from(turns).unwrap_or(usize::MAX);
        let recipient = Recipient {
            pattern,
            types: faults.take(types(&fields, pattern)),
            members: faults.take(pointers(&fields)),
            last_turns: faults.take(fields.count("last_turns")).map(turns),
            summary: summary.unwrap_or(true),
            sensitive: sensitive.unwrap_or(false),
            agent_context_id: faults.take(agent_context_id(&fields)),
        };
        if faults.is_empty() {
            faults.extend(beyond(&recipient));
        }
        faults.none_in(recipient)
    }

    /// What is odd about its types: of those of which no template is hosted, and of those that are published in another spelling.
    pub fn doubts(&self, spelt: impl Fn(&str) -> Spelling) -> Vec<String> {
        let doubt = |name: &String| {
            let shown = shown(name);
            match spelt(name) {
                Spelling::Own => None,
                Spelling::Other(other) => Some(format!(
                    "the type `{shown}` is published as `{other}`: a part goes out by its very name, so that none of the type `{other}` does \
                     by this one"
                )),
                Spelling::Unknown(near) => {
                    let near = near.map(|near| format!("; the nearest that is published is `{near}`"));
                    Some(format!(
                        "no template of the type `{shown}` is published here, so that no part of it can be recorded and none goes out{}",
                        near.unwrap_or_default()
                    ))
                }
            }
        };
        self.types.iter().filter_map(doubt).collect()
    }

    /// Whether parts of this type go out.
    pub fn gets(&self, type_name: &str) -> bool {
        self.types.iter().any(|name| name == type_name)
    }

    /// What of a part's data goes out; `None` where nothing of it may.
    pub fn selected(&self, type_name: &str, data: &Value) -> Option<Value> {
        if !self.gets(type_name) {
            return None;
        }
        let Some(pointers) = self.members.get(type_name) else {
            return Some(data.clone());
        };
        let ways: Vec<Vec<String>> = pointers.iter().map(|pointer| steps(pointer)).collect();
        let ways: Vec<&[String]> = ways.iter().map(Vec::as_slice).collect();
        project(data, &ways)
    }
}

fn types(fields: &Fields<'_>, pattern: Pattern) -> Result<Vec<String>, FieldFault> {
    let expected = format!("a list of at most {TYPES_MAX} texts of 1 to {TYPE_BYTES_MAX} bytes");
    let names: Vec<String> = match fields.get("types", &expected)? {
        Some(names) => names,
        // An agent that keeps its own is sent nothing but the query.
        None if pattern == Pattern::Own => Vec::new(),
        None => {
            let what = "must list the types of the parts that it gets, such as ConversationHistory";
            return Err(FieldFault::new("types", what));
        }
    };
    if names.len() > TYPES_MAX || !names.iter().all(|name| (1..=TYPE_BYTES_MAX).contains(&name.len())) {
        return Err(FieldFault::new("types", format!("must be {expected}")));
    }
    Ok(names)
}

fn pointers(fields: &Fields<'_>) -> Result<BTreeMap<String, Vec<String>>, FieldFault> {
    let given: Option<BTreeMap<String, Vec<String>>> = match fields.raw("members") {
        None => return Ok(BTreeMap::new()),
        Some(text) => serde_json::from_str(text).ok(),
    };
    let right = |list: &Vec<String>| list.len() <= POINTERS_MAX && list.iter().all(|pointer| is_pointer(pointer));
    given
        .filter(|types| types.len() <= TYPES_MAX && types.values().all(right))
        .ok_or_else(|| {
            let what = format!(
                "must name for a type a list of at most {POINTERS_MAX} JSON pointers, such as /foundItems, of at most \
                 {POINTER_BYTES_MAX} bytes"
            );
            FieldFault::new("members", what)
        })
}

fn agent_context_id(fields: &Fields<'_>) -> Result<Option<String>, FieldFault> {
    let expected = format!("a text of 1 to {ID_BYTES_MAX} bytes without control characters");
    let id: Option<String> = fields.get("agent_context_id", &expected)?;
    let is_wrong = |id: &String| !(1..=ID_BYTES_MAX).contains(&id.len()) || id.chars().any(char::is_control);
    if id.as_ref().is_some_and(is_wrong) {
        return Err(FieldFault::new("agent_context_id", format!("must be {expected}")));
    }
    Ok(id)
}

/// Types that members are chosen of and that do not go out, so that one of the two lists is not what was meant; and the history,
/// of which none can be chosen.
fn beyond(recipient: &Recipient) -> Vec<FieldFault> {
    let what = "chooses members of a type that is not among `types`, so that nothing of it would go out: name it there as well, \
                or leave it out here";
    let history = "has no members to choose: `last_turns`, `summary` and `sensitive` say what of the history goes out";
    let place = |name: &str| format!("members.{}", shown(name));
    let without = recipient.members.keys().filter(|name| !recipient.gets(name));
    let mut faults: Vec<FieldFault> = without.map(|name| FieldFault::new(place(name), what)).collect();
    if faults.is_empty() && recipient.members.contains_key(HISTORY) {
        faults.push(FieldFault::new(place(HISTORY), history));
    }
    faults
}

fn is_pointer(text: &str) -> bool {
    let escaped = text.split('~').skip(1).all(|after| after.starts_with(['0', '1']));
    (text.is_empty() || text.starts_with('/')) && text.len() <= POINTER_BYTES_MAX && escaped
}

fn steps(pointer: &str) -> Vec<String> {
    let steps = pointer.split('/').skip(1);
    steps.map(|step| step.replace("~1", "/").replace("~0", "~")).collect()
}

/// Whether a step is the number of an item of a list (RFC 6901).
fn is_index(step: &str) -> bool {
    step == "0" || (!step.starts_with('0') && !step.is_empty() && step.chars().all(|c| c.is_ascii_digit()))
}

/// What of a value lies on one of these ways. A way goes through every item of a list, unless its step is the number of one.
fn project(value: &Value, ways: &[&[String]]) -> Option<Value> {
    if ways.iter().any(|way| way.is_empty()) {
        return Some(value.clone());
    }
    let on = |step: &str, is_item: bool| -> Vec<&[String]> {
        let ways = ways.iter().filter_map(|way| match way.split_first() {
            Some((first, rest)) if first == step => Some(rest),
            Some((first, _)) if is_item && !is_index(first) => Some(*way),
            Some(_) | None => None,
        });
        ways.collect()
    };
    match value {
        Value::Object(members) => {
            let kept = members.iter();
            let kept = kept.filter_map(|(name, value)| Some((name.clone(), project(value, &on(name, false))?)));
            let kept: Map<String, Value> = kept.collect();
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        Value::Array(items) => {
            let kept = items.iter().enumerate();
            let kept = kept.filter_map(|(place, item)| project(item, &on(&place.to_string(), true)));
            let kept: Vec<Value> = kept.collect();
            (!kept.is_empty()).then_some(Value::Array(kept))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::POINTER_BYTES_MAX;
    use super::Pattern;
    use super::Recipient;

    fn read(value: &Value) -> Result<Recipient, Vec<String>> {
        Recipient::read(&value.to_string()).map_err(|faults| faults.into_iter().map(|fault| fault.field).collect())
    }

    #[test]
    fn embedding_with_a_summary_and_nothing_sensitive_is_what_is_done_where_nothing_is_said_p028_p035() {
        let plain = read(&json!({"types": ["ConversationHistory"]})).expect("a declaration");
        assert_eq!(
            (plain.pattern, plain.summary, plain.sensitive, plain.last_turns),
            (Pattern::Embedded, true, false, None)
        );
        assert!(read(&json!({"pattern": "own"})).expect("its own").types.is_empty());
    }

    #[test]
    fn a_declaration_that_is_wrong_is_refused_by_its_members_p024_p030() {
        let pointer = |bytes: usize| format!("/{}", "a".repeat(bytes - 1));
        let pointers = json!({"T": ["/a"], "U": ["/b"], "V": []});
        let history = "ConversationHistory";
        for (declared, places) in [
            (json!({}), vec!["types"]),
            (json!([]), vec!["the body"]),
            (json!({"types": [], "sensitve": false}), vec!["sensitve"]),
            (
                json!({"types": "all", "members": {"T": ["a"]}, "last_turns": -1, "summary": 1, "pattern": "push",
                    "agent_context_id": ""}),
                vec![
                    "pattern",
                    "summary",
                    "types",
                    "members",
                    "last_turns",
                    "agent_context_id",
                ],
            ),
            (
                json!({"types": ["T"], "members": {"T": [pointer(POINTER_BYTES_MAX)]}}),
                vec![],
            ),
            (
                json!({"types": ["T"], "members": {"T": [pointer(POINTER_BYTES_MAX + 1)]}}),
                vec!["members"],
            ),
            (json!({"types": ["T"], "members": {"T": ["/a~2"]}}), vec!["members"]),
            // Members of a type that does not go out; a type is its very name.
            (json!({"types": ["T", "U", "V"], "members": pointers}), vec![]),
            (
                json!({"types": [history, "T", "V"], "members": pointers}),
                vec!["members.U"],
            ),
            (
                json!({"types": ["t", "U", "V"], "members": pointers}),
                vec!["members.T"],
            ),
            (json!({"pattern": "own", "members": {"T": ["/a"]}}), vec!["members.T"]),
            (
                json!({"types": [history], "members": {history: []}}),
                vec!["members.ConversationHistory"],
            ),
        ] {
            let told = read(&declared).err().unwrap_or_default();
            assert_eq!(told, places, "{declared}");
        }
    }

    #[test]
    fn nothing_goes_out_but_what_lies_on_a_pointer_p030_p035() {
        let data = json!({"userProfile": {"location": "Ulm", "language": "en"}, "a/b": {"~": 1},
            "found": {"query": "laptops", "items": [{"url": "u1", "itemId": "i1"}, {"url": "u2"}, 7]}});
        for (pointers, selected) in [
            (
                json!(["/userProfile/language", "/found/items/itemId"]),
                Some(json!({"userProfile": {"language": "en"}, "found": {"items": [{"itemId": "i1"}]}})),
            ),
            (json!(["/a~1b/~0"]), Some(json!({"a/b": {"~": 1}}))),
            (json!([""]), Some(data.clone())),
            (
                json!(["/found/items/1"]),
                Some(json!({"found": {"items": [{"url": "u2"}]}})),
            ),
            (
                json!(["/found/items/0", "/found/items/url"]),
                Some(json!({"found": {"items": [{"url": "u1", "itemId": "i1"}, {"url": "u2"}]}})),
            ),
            (json!(["/found/items/3"]), None),
            (json!(["/found/items/01"]), None),
            (json!(["/found/items/-"]), None),
            (json!([]), None),
            (json!(["/userProfile/location/city", "/nowhere"]), None),
        ] {
            let recipient = read(&json!({"types": ["T"], "members": {"T": pointers}})).expect("a declaration");
            assert_eq!(recipient.selected("T", &data), selected, "{pointers}");
        }
        let whole = read(&json!({"types": ["T"]})).expect("a declaration");
        assert_eq!(whole.selected("T", &data), Some(data.clone()));
        assert_eq!(whole.selected("U", &data), None);
    }
}
