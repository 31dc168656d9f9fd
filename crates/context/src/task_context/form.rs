//! The published templates of both contexts, and how a document on the wire is checked by them (C-010, C-023 … C-050).
//!
//! A template's keys are in snake case, as those of every template; the document writes its members in Pascal case. Each key says
//! by `wire_name` which member it is, and nothing else translates between the two. Both are read, and so are both spellings that
//! the document uses itself; the document's are written (C-044, C-047, X-04). What is left blank and need not be there is absent, and
//! what nobody knows is kept. Invariant: what comes out fits the template and bears the written spellings alone.

use serde::de::DeserializeOwned;
use serde_json::Map;
use serde_json::Value;

use schema::effective::EffectiveTemplate;
use schema::exchange::other::OtherLimits;
use schema::exchange::validator::Validator;
use schema::exchange::verdict::VIOLATIONS_MAX;
use schema::exchange::verdict::Violation;
use schema::exchange::verdict::ViolationCode;
use schema::name::OTHER;
use schema::template::SchemaTemplate;
use schema::time::At;

/// As published in the schema folder.
const TASK: &str = include_str!("../../../../schemas/task_context_v1.json");
const AGENT: &str = include_str!("../../../../schemas/agent_context_v1.json");

/// Scenarios of the two templates.
pub const SCENARIOS: [&str; 2] = ["task_context", "agent_context"];

/// What a member of both names means: the value says which of the two it is (C-044).
const EITHER: &str = "Context/ContextURI";
/// Other spellings of members, each with the one that is written (C-047).
const SPELLINGS: [(&str, &str); 1] = [("ItemStateUpdates", "ItemstateUpdates")];

/// A context's template, compiled.
#[derive(Debug)]
pub struct Form {
    /// `TaskContext` or `AgentContext`.
    context: &'static str,
    validator: Validator,
    names: Vec<Name>,
}

/// One member of the wire.
#[derive(Debug)]
struct Name {
    wire: String,
    key: String,
    required: bool,
}

impl Form {
    /// The form of a TaskContext.
    ///
    /// # Errors
    /// What is wrong with the template that this program was built with.
    pub fn of_task() -> Result<Form, String> {
        Form::compile("TaskContext", TASK)
    }

    /// The form of an AgentContext.
    ///
    /// # Errors
    /// What is wrong with the template that this program was built with.
    pub fn of_agent() -> Result<Form, String> {
        Form::compile("AgentContext", AGENT)
    }

    fn compile(context: &'static str, text: &str) -> Result<Form, String> {
        let document: Value = serde_json::from_str(text).map_err(|error| format!("{context}: {error}"))?;
        let (base, _) = SchemaTemplate::parse(&document).map_err(|defects| format!("{context}: {defects:?}"))?;
        let mut names = Vec::new();
        for key in base.keys.iter().filter(|key| key.key_name.as_str() != OTHER) {
            let wire = key.unknown.get("wire_name").and_then(Value::as_str);
            let wire = wire.ok_or_else(|| format!("{context}: {} has no wire_name", key.key_name))?;
            names.push(Name {
                wire: wire.to_owned(),
                key: key.key_name.to_string(),
                required: key.required,
            });
        }
        let nothing = OtherLimits {
            strings_max: 0,
            bytes_max: 0,
        };
        Ok(Form {
            context,
            validator: Validator::compile(&EffectiveTemplate::compose(&base, &[], 0), nothing),
            names,
        })
    }

    /// Reads a document that the template fits.
    ///
    /// # Errors
    /// As [`Form::read`].
    pub fn parse<T: DeserializeOwned>(&self, document: &Value) -> Result<T, Vec<Violation>> {
        let members = self.read(document)?;
        serde_json::from_value(Value::Object(members)).map_err(|_| vec![self.unread()])
    }

    /// Checks a document; its members come back in the written spellings, without those that are null.
    ///
    /// # Errors
    /// Everything that is wrong with it, each at its place below `/TaskContext` or `/AgentContext`.
    pub fn read(&self, document: &Value) -> Result<Map<String, Value>, Vec<Violation>> {
        let Value::Object(members) = document else {
            let message = format!("{} is a JSON object", self.context);
            return Err(vec![wrong(self.context, "", "", ViolationCode::WrongType, message)]);
        };
        let mut violations = Vec::new();
        let mut spelt = Map::new();
        let mut unknown = Map::new();
        let mut payload = Map::new();
        let mut bare = None;
        for (member, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            let written = written(member, value);
            let known = |name: &&Name| name.wire == written || name.key == *member;
            let Some(name) = self.names.iter().find(known) else {
                unknown.insert(member.clone(), value.clone());
                continue;
            };
            if !name.required && is_blank(value) {
                bare = bare.or((name.wire == "Context").then_some(name));
                continue;
            }
            let value = filled(value);
            if spelt.insert(name.wire.clone(), value.clone()).is_some() {
                let message = format!("`{}` is given in two spellings; give one", name.wire);
                violations.push(wrong(self.context, &name.wire, "", ViolationCode::BadShape, message));
            }
            payload.insert(name.key.clone(), value);
        }
        // A blank `Context` says that there is nothing to be known, where no address says more.
        if let Some(bare) = bare.filter(|_| !["Context", "ContextURI"].iter().any(|name| spelt.contains_key(*name))) {
            spelt.insert(bare.wire.clone(), Value::String(String::new()));
            payload.insert(bare.key.clone(), Value::String(String::new()));
        }
        let payload = Value::Object(payload).to_string();
        match self.validator.check(&payload, &|_| true, false) {
            Ok(verdict) => {
                let found = verdict.violations.into_iter();
                violations.extend(found.map(|violation| self.on_the_wire(violation)));
            }
            Err(_) => violations.push(self.unread()),
        }
        violations.truncate(VIOLATIONS_MAX);
        spelt.append(&mut unknown);
        none_in(spelt, violations)
    }

    fn unread(&self) -> Violation {
        let message = format!("{} cannot be read", self.context);
        wrong(self.context, "", "", ViolationCode::BadShape, message)
    }

    /// The document's spelling of a member that the template or the document spells otherwise; of any other, its own.
    pub fn spelt<'a>(&'a self, member: &'a str) -> &'a str {
        let found = self.names.iter().find(|name| name.key == member);
        found.map_or(member, |name| name.wire.as_str())
    }

    /// A violation of the template, in the words of the wire.
    fn on_the_wire(&self, mut violation: Violation) -> Violation {
        let Some(name) = self.names.iter().find(|name| name.key == violation.key) else {
            return violation;
        };
        let (before, after) = (
            format!("/payload/{}", name.key),
            format!("/{}/{}", self.context, escaped(&name.wire)),
        );
        violation.pointer = violation.pointer.replacen(&before, &after, 1);
        violation.message = violation
            .message
            .replace(&format!("`{}`", name.key), &format!("`{}`", name.wire));
        for operation in violation.repair.iter_mut().flatten() {
            operation.path = operation.path.replacen(&before, &after, 1);
            operation.from = operation.from.take().map(|from| from.replacen(&before, &after, 1));
        }
        violation.key.clone_from(&name.wire);
        violation
    }
}

/// The spelling that is written, of one that is read.
fn written<'a>(member: &'a str, value: &Value) -> &'a str {
    if member == EITHER {
        let is_address = value.as_str().is_some_and(is_address);
        return if is_address { "ContextURI" } else { "Context" };
    }
    let other = SPELLINGS.iter().find(|(read, _)| *read == member);
    other.map_or(member, |(_, written)| written)
}

/// Whether nothing was filled in.
fn is_blank(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// A list without the entries that figures 3 and 4 print to be filled in: what they name is blank.
fn filled(value: &Value) -> Value {
    let is_filled = |entry: &&Value| {
        let Value::Object(members) = entry else { return true };
        let mut texts = members.values().filter(|value| value.is_string()).peekable();
        texts.peek().is_none() || !texts.all(is_blank)
    };
    match value {
        Value::Array(entries) => entries.iter().filter(is_filled).cloned().collect(),
        other => other.clone(),
    }
}

/// Whether a text is an address and nothing else: one of this service, or an absolute one (RFC 3986 §4.3).
pub fn is_address(text: &str) -> bool {
    let plain = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
    if text.starts_with('/') {
        return plain(text);
    }
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let mut letters = scheme.bytes();
    letters.next().is_some_and(|b| b.is_ascii_alphabetic())
        && letters.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
        && plain(rest)
}

/// A violation of a member of a context, or with no member of the whole; `below` is a JSON pointer from the member on, such as `/0/itemId`.
pub fn wrong(context: &str, member: &str, below: &str, code: ViolationCode, message: impl Into<String>) -> Violation {
    let (key, pointer) = if member.is_empty() {
        (context, format!("/{context}"))
    } else {
        (member, format!("/{context}/{}{below}", escaped(member)))
    };
    Violation {
        key: key.to_owned(),
        pointer,
        code,
        message: message.into(),
        expected: Map::new(),
        received_type: None,
        nearest_key: None,
        repair: None,
    }
}

/// What is wrong with the times of a context: each is RFC 3339, and may be left out where `Optional` names it (C-030, C-050).
pub fn times(context: &str, times: &[(&str, &Option<String>)], optional: &[String]) -> Vec<Violation> {
    let wrong = times.iter().filter_map(|(name, text)| match text {
        Some(text) if At::parse(text).is_some() => None,
        Some(_) => {
            let message = "a time as RFC 3339 such as 2026-05-04T08:00:00Z, or blank";
            Some(wrong(context, name, "", ViolationCode::BadFormat, message))
        }
        None if optional.iter().any(|optional| optional == name) => None,
        None => {
            let message = format!("`{name}` is required, since `Optional` does not name it");
            Some(wrong(context, name, "", ViolationCode::MissingRequired, message))
        }
    });
    wrong.collect()
}

/// What was read, where nothing is wrong with it.
///
/// # Errors
/// Everything that is.
pub fn none_in<T>(read: T, violations: Vec<Violation>) -> Result<T, Vec<Violation>> {
    if violations.is_empty() {
        Ok(read)
    } else {
        Err(violations)
    }
}

/// A member's name as a segment of a JSON pointer (RFC 6901).
fn escaped(member: &str) -> String {
    member.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::Form;
    use super::is_address;
    use schema::exchange::verdict::ViolationCode;

    fn task() -> Value {
        json!({"TaskID": "", "UserQuery": "q", "TaskName": "n", "TaskDescription": "d",
               "GoalStatus": [{"Goal": "g", "Status": "pending"}], "OverallStatus": "",
               "StartTime": "2026-05-04T08:00:00Z", "EndTime": "2026-05-04T09:00:00Z", "Optional": ["StartTime", "EndTime"]})
    }

    fn agent() -> Value {
        json!({"AgentID": "hotel", "AgentName": "Hotel", "SubTaskID": "s", "SubTaskName": "n", "Dependencies": [],
               "Context": "two guests", "todoItems": [{"itemId": "1", "description": "find a hotel"}],
               "ItemstateUpdates": [], "KeyInformation": [], "LastUpdated": "2026-05-04T08:00:00Z", "Optional": ["LastUpdated"]})
    }

    fn with(mut document: Value, member: &str, value: Value) -> Value {
        document[member] = value;
        document
    }

    #[test]
    fn each_member_of_both_figures_is_asked_for_and_read_c023_c024_c025_c026_c027_c028_c029_c037_c038_c039_c040_c042_c045_c046_c048_c050()
     {
        for (form, whole, optional) in [
            (Form::of_task(), task(), &["StartTime", "EndTime", "Optional"][..]),
            (Form::of_agent(), agent(), &["Context", "LastUpdated", "Optional"]),
        ] {
            let form = form.expect("a form");
            assert_eq!(form.read(&whole).map(Value::Object), Ok(whole.clone()));
            for member in whole.as_object().expect("members").keys() {
                let mut less = whole.clone();
                less.as_object_mut().expect("members").remove(member);
                let missing = form
                    .read(&less)
                    .err()
                    .map(|found| (found[0].pointer.clone(), found[0].code));
                let expected = (format!("/{}/{member}", form.context), ViolationCode::MissingRequired);
                assert_eq!(missing, (!optional.contains(&member.as_str())).then_some(expected));
            }
            assert_eq!(
                form.read(&json!([])).expect_err("no object")[0].pointer,
                format!("/{}", form.context)
            );
        }
    }

    #[test]
    fn what_a_member_may_be_is_told_without_what_it_is_c032_c046_c049_c066() {
        let (of_task, of_agent) = (Form::of_task().expect("a form"), Form::of_agent().expect("a form"));
        let state = |state: Value| json!([{"itemId": "1", "state": state}]);
        for (form, document, member, value, says) in [
            (
                &of_task,
                task(),
                "GoalStatus",
                json!([{"Goal": "secret"}]),
                "a value within it, must have `Status`",
            ),
            (
                &of_task,
                task(),
                "GoalStatus",
                json!([true]),
                "a value within `GoalStatus` must be of type object",
            ),
            (&of_task, task(), "GoalStatus", json!("secret"), "`GoalStatus`"),
            (
                &of_agent,
                agent(),
                "ItemstateUpdates",
                state(json!(2)),
                "`ItemstateUpdates`",
            ),
            (
                &of_agent,
                agent(),
                "ItemstateUpdates",
                state(json!("secret")),
                "`ItemstateUpdates`",
            ),
            (
                &of_agent,
                agent(),
                "todoItems",
                json!([{"itemId": "secret"}]),
                "`todoItems`",
            ),
            (&of_agent, agent(), "todoItems", json!(["secret"]), "`todoItems`"),
            (&of_agent, agent(), "AgentID", json!("a secret name"), "`AgentID`"),
            (
                &of_agent,
                agent(),
                "Dependencies",
                json!({"a": "secret"}),
                "`Dependencies`",
            ),
        ] {
            let found = form.read(&with(document, member, value)).expect_err(says);
            assert!(found.iter().any(|one| one.message.contains(says)), "{found:?}");
            assert!(
                !serde_json::to_string(&found).expect("JSON").contains("secret"),
                "{found:?}"
            );
        }
    }

    #[test]
    fn both_spellings_are_read_and_one_is_written_c044_c047_x04() {
        let form = Form::of_agent().expect("a form");
        let states = json!([{"itemId": "1", "state": 1}]);
        let mut other = with(agent(), "ItemStateUpdates", states.clone());
        let found = form.read(&other).expect_err("twice");
        assert!(found[0].message.contains("two spellings"), "{found:?}");
        other.as_object_mut().expect("an object").remove("ItemstateUpdates");
        assert_eq!(form.read(&other).expect("it fits")["ItemstateUpdates"], states);
        let found = form
            .read(&with(agent(), "agent_id", json!("hotel")))
            .expect_err("twice");
        assert!(found[0].message.contains("two spellings"), "{found:?}");
        for (value, name) in [
            ("two guests", "Context"),
            ("", "Context"),
            ("Note: two guests", "Context"),
            ("/v1/contents/00", "ContextURI"),
            ("https://example.org/a", "ContextURI"),
        ] {
            let mut slashed = with(agent(), "Context/ContextURI", json!(value));
            slashed.as_object_mut().expect("an object").remove("Context");
            assert_eq!(form.read(&slashed).expect("it fits")[name], value, "{value}");
        }
        let blank = with(
            with(agent(), "Context", json!("")),
            "ContextURI",
            json!("/v1/contents/00"),
        );
        assert!(!form.read(&blank).expect("it fits").contains_key("Context"));
    }

    #[test]
    fn what_nobody_knows_and_what_is_undefined_is_kept_c010_c011_c053() {
        let form = Form::of_agent().expect("a form");
        let mut more = agent();
        more["DeviceContext"] = json!({"screen": {"wide": true}});
        more["EnvironmentContext"] = json!({"place": "Rome"});
        more["todoItems"][0]["hint"] = json!("by foot");
        more["Priority"] = json!({"of": [1, null]});
        assert_eq!(form.read(&more).map(Value::Object), Ok(more));
    }

    #[test]
    fn an_address_is_one_of_here_or_absolute_c043() {
        for text in ["/v1/contents/00", "https://example.org/a?b=c", "urn:isbn:0451450523"] {
            assert!(is_address(text), "{text}");
        }
        for text in ["two guests", "note: two guests", "", "/two guests", "1a:b"] {
            assert!(!is_address(text), "{text}");
        }
    }
}
