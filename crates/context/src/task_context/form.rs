//! The published templates of both contexts, and how a document on the wire is checked by them (C-010, C-023 … C-050).
//!
//! A template's keys are in snake case, as those of every template; the document writes its members in Pascal case. Each key says
//! by `wire_name` which member it is, and nothing else translates between the two. Both are read, and so are both spellings that
//! the document uses itself; the document's are written (C-044, C-047, X-04). What is left blank and need not be there is absent, and
//! what nobody knows is kept. Invariant: what comes out fits the template and bears the written spellings alone.

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

/// As published on the shelf.
const TASK: &str = include_str!("../../../../schemas/task_context_v1.json");
const AGENT: &str = include_str!("../../../../schemas/agent_context_v1.json");

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

    /// Checks a document; its members come back in the written spellings, without those that are null.
    ///
    /// # Errors
    /// Everything that is wrong with it, each at its place below `/TaskContext` or `/AgentContext`.
    pub fn read(&self, document: &Value) -> Result<Map<String, Value>, Vec<Violation>> {
        let Value::Object(members) = document else {
            let message = format!("{} is a JSON object", self.context);
            let mut violation = wrong(self.context, "", "", ViolationCode::WrongType, message);
            violation.pointer = format!("/{}", self.context);
            return Err(vec![violation]);
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
        match self
            .validator
            .check(&Value::Object(payload).to_string(), &|_| true, false)
        {
            Ok(verdict) => violations.extend(
                verdict
                    .violations
                    .into_iter()
                    .map(|violation| self.on_the_wire(violation)),
            ),
            Err(_) => {
                let message = format!("{} cannot be read", self.context);
                violations.push(wrong(self.context, "", "", ViolationCode::BadShape, message));
            }
        }
        violations.truncate(VIOLATIONS_MAX);
        if violations.is_empty() {
            spelt.append(&mut unknown);
            Ok(spelt)
        } else {
            Err(violations)
        }
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

/// What is wrong with a time, if anything is: it is RFC 3339.
pub fn no_time(context: &str, member: &str, text: &Option<String>) -> Option<Violation> {
    let text = text.as_deref()?;
    let message = "a time as RFC 3339 such as 2026-05-04T08:00:00Z, or blank";
    At::parse(text)
        .is_none()
        .then(|| wrong(context, member, "", ViolationCode::BadFormat, message))
}

/// A member's name as a segment of a JSON pointer (RFC 6901).
pub fn escaped(member: &str) -> String {
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
               "Optional": ["StartTime", "EndTime"]})
    }

    fn agent() -> Value {
        json!({"AgentID": "hotel", "AgentName": "Hotel", "SubTaskID": "s", "SubTaskName": "n", "Dependencies": [],
               "Context": "two guests", "todoItems": [{"itemId": "1", "description": "find a hotel"}],
               "ItemstateUpdates": [], "KeyInformation": []})
    }

    fn faults(form: &Form, document: &Value) -> Vec<(String, ViolationCode)> {
        let found = form.read(document).expect_err("it is wrong");
        found.into_iter().map(|one| (one.pointer, one.code)).collect()
    }

    #[test]
    fn each_member_of_figure_3_is_asked_for_and_read_c023_c024_c025_c026_c027_c028_c029() {
        let form = Form::of_task().expect("a form");
        let mut whole = task();
        whole["StartTime"] = json!("2026-05-04T08:00:00Z");
        whole["EndTime"] = json!("2026-05-04T09:00:00Z");
        assert_eq!(Value::Object(form.read(&whole).expect("it fits")), whole);
        for member in [
            "TaskID",
            "UserQuery",
            "TaskName",
            "TaskDescription",
            "GoalStatus",
            "OverallStatus",
        ] {
            let mut less = task();
            less.as_object_mut().expect("an object").remove(member);
            assert_eq!(
                faults(&form, &less),
                [(format!("/TaskContext/{member}"), ViolationCode::MissingRequired)]
            );
        }
        let mut odd = task();
        odd["GoalStatus"][0] = json!({"Goal": "g"});
        assert_eq!(faults(&form, &odd)[0].1, ViolationCode::BadShape);
        let says = |odd: &Value, words: &str| {
            let found = form.read(odd).expect_err("it does not fit");
            assert!(found.iter().any(|one| one.message.contains(words)), "{found:?}");
        };
        says(&odd, "a value within it, lacks `Status`");
        odd["GoalStatus"][0] = json!(true);
        says(&odd, "a value within `GoalStatus` is of type object");
        odd["GoalStatus"] = json!("g");
        let found = faults(&form, &odd);
        assert!(
            found.contains(&("/TaskContext/GoalStatus".to_owned(), ViolationCode::WrongType)),
            "{found:?}"
        );
    }

    #[test]
    fn each_member_of_figure_4_is_asked_for_and_read_c037_c038_c039_c040_c042_c045_c046_c048_c050() {
        let form = Form::of_agent().expect("a form");
        let mut whole = agent();
        whole["LastUpdated"] = json!("2026-05-04T08:00:00Z");
        whole["Optional"] = json!(["LastUpdated"]);
        assert_eq!(Value::Object(form.read(&whole).expect("it fits")), whole);
        for member in [
            "AgentID",
            "AgentName",
            "SubTaskID",
            "SubTaskName",
            "Dependencies",
            "todoItems",
            "ItemstateUpdates",
            "KeyInformation",
        ] {
            let mut less = agent();
            less.as_object_mut().expect("an object").remove(member);
            assert_eq!(
                faults(&form, &less),
                [(format!("/AgentContext/{member}"), ViolationCode::MissingRequired)]
            );
        }
        for (state, fits) in [
            (json!(0), true),
            (json!(1), true),
            (json!(2), false),
            (json!("1"), false),
        ] {
            let mut one = agent();
            one["ItemstateUpdates"] = json!([{"itemId": "1", "state": state}]);
            assert_eq!(form.read(&one).is_ok(), fits, "{state}");
        }
        for item in [
            json!({"itemId": "1"}),
            json!({"description": "find a hotel"}),
            json!("find a hotel"),
        ] {
            let mut less = agent();
            less["todoItems"] = json!([item]);
            assert!(form.read(&less).is_err(), "{item}");
        }
    }

    #[test]
    fn both_spellings_are_read_and_one_is_written_c044_c047() {
        let form = Form::of_agent().expect("a form");
        let mut other = agent();
        let states = json!([{"itemId": "1", "state": 1}]);
        other.as_object_mut().expect("an object").remove("ItemstateUpdates");
        other["ItemStateUpdates"] = states.clone();
        assert_eq!(form.read(&other).expect("it fits")["ItemstateUpdates"], states);
        other["ItemstateUpdates"] = json!([]);
        let found = form.read(&other).expect_err("twice");
        assert!(found[0].message.contains("two spellings"), "{found:?}");
        for (value, name) in [
            ("two guests", "Context"),
            ("", "Context"),
            ("Note: two guests", "Context"),
            ("/v1/contents/00", "ContextURI"),
            ("https://example.org/a", "ContextURI"),
        ] {
            let mut slashed = agent();
            slashed.as_object_mut().expect("an object").remove("Context");
            slashed["Context/ContextURI"] = json!(value);
            assert_eq!(form.read(&slashed).expect("it fits")[name], value, "{value}");
        }
    }

    #[test]
    fn what_nobody_knows_and_what_is_undefined_is_kept_c010_c011_c053() {
        let form = Form::of_agent().expect("a form");
        let mut more = agent();
        more["Priority"] = json!({"of": [1, null]});
        more["DeviceContext"] = json!({"screen": {"wide": true}});
        more["EnvironmentContext"] = json!({"place": "Rome"});
        more["todoItems"][0]["hint"] = json!("by foot");
        assert_eq!(Value::Object(form.read(&more).expect("it fits")), more);
        assert_eq!(faults(&form, &json!([]))[0].0, "/AgentContext");
    }

    #[test]
    fn the_templates_own_names_are_read_as_the_documents_x04() {
        let form = Form::of_agent().expect("a form");
        let snake = json!({"agent_id": "hotel", "agent_name": "Hotel", "sub_task_id": "s", "sub_task_name": "n", "dependencies": [],
            "context": "two guests", "todo_items": [{"itemId": "1", "description": "find a hotel"}],
            "itemstate_updates": [], "key_information": []});
        assert_eq!(Value::Object(form.read(&snake).expect("it fits")), agent());
        let mut both = agent();
        both["agent_id"] = json!("hotel");
        assert!(
            form.read(&both).expect_err("twice")[0]
                .message
                .contains("two spellings")
        );
    }

    #[test]
    fn what_the_figures_leave_blank_is_absent_c029_c030_c050() {
        let form = Form::of_task().expect("a form");
        let figure_3 = json!({"TaskID": "", "UserQuery": "", "TaskName": "", "TaskDescription": "",
            "GoalStatus": [{"Goal": "", "Status": ""}, {"Goal": "", "Status": ""}, {"Goal": "", "Status": ""}],
            "OverallStatus": "", "StartTime": "", "EndTime": "", "Optional": ["StartTime", "EndTime"]});
        let read = form.read(&figure_3).expect("as printed");
        assert_eq!(read["GoalStatus"], json!([]));
        assert!(!read.contains_key("StartTime") && !read.contains_key("EndTime"));
        let form = Form::of_agent().expect("a form");
        let mut blank = agent();
        blank["LastUpdated"] = json!(" ");
        blank["ContextURI"] = json!("");
        blank["KeyInformation"] = json!([{"itemId": "", "outputabstract": ""}]);
        blank["ItemstateUpdates"] = json!([{"itemId": "", "state": 0}]);
        assert_eq!(Value::Object(form.read(&blank).expect("it fits")), agent());
        blank["Context"] = json!("");
        blank["ContextURI"] = json!("/v1/contents/00");
        assert!(!form.read(&blank).expect("it fits").contains_key("Context"));
    }

    #[test]
    fn no_value_stands_in_what_is_said_of_it_c066() {
        let form = Form::of_agent().expect("a form");
        let mut odd = agent();
        odd["AgentID"] = json!("a secret name");
        odd["Dependencies"] = json!({"a": "secret"});
        let said = serde_json::to_string(&form.read(&odd).expect_err("wrong")).expect("JSON");
        assert!(!said.contains("secret"), "{said}");
        assert!(said.contains("`AgentID`"), "{said}");
    }

    #[test]
    fn an_address_is_one_of_here_or_absolute_c043() {
        for (text, is) in [
            ("/v1/contents/00", true),
            ("https://example.org/a?b=c", true),
            ("urn:isbn:0451450523", true),
            ("two guests", false),
            ("note: two guests", false),
            ("", false),
            ("/two guests", false),
            ("1a:b", false),
        ] {
            assert_eq!(is_address(text), is, "{text}");
        }
    }
}
