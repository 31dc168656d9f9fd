//! What is written of a key: its value as the constraints of a template, and its description out of what a source says of it, of its
//! members, and for examples.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::defect::pointer_to;
use crate::export::wording;
use crate::import::finding::Effect;
use crate::import::finding::Findings;
use crate::import::naming;
use crate::import::shape::About;
use crate::import::shape::Facts;
use crate::import::shape::Shape;
use crate::import::shape::is_nothing;
use crate::key::KeyType;
use crate::rule::Rule;

/// Writes the constraints of one key.
pub struct Writer<'f> {
    pub findings: &'f mut Findings,
    /// What is said of members and elements below the key: `street`, `stops[].city`.
    pub said: Vec<(String, String)>,
}

impl Writer<'_> {
    /// The constraints of a value of one type, which is at `path` below the key.
    pub fn facts(&mut self, kind: KeyType, facts: &Facts, path: &str) -> Map<String, Value> {
        let mut written = facts.plain.clone();
        if let Some(items) = facts.items.as_ref().filter(|_| kind == KeyType::Array) {
            let element = self.nested(items, &format!("{path}[]"), "");
            written.insert("items".to_owned(), element);
        }
        let mut required: Vec<&String> = facts.required.iter().collect();
        let mut properties = Map::new();
        for (name, shape) in &facts.members {
            let dot = if path.is_empty() { "" } else { "." };
            let mut shape = shape.clone();
            if shape.take_null() {
                let was_required = required.contains(&name);
                required.retain(|asked| *asked != name);
                self.null_left_out(&shape.about, was_required);
            }
            properties.insert(name.clone(), self.nested(&shape, &format!("{path}{dot}{name}"), name));
        }
        if !properties.is_empty() {
            written.insert("properties".to_owned(), Value::Object(properties));
        }
        if !required.is_empty() {
            written.insert("required".to_owned(), json!(required));
        }
        if let Some(rest) = &facts.rest {
            let path = format!("{path}.*");
            let rest = match is_nothing(&facts.rest) {
                true => Value::Bool(false),
                false => self.nested(rest, path.trim_start_matches('.'), ""),
            };
            written.insert("additionalProperties".to_owned(), rest);
        }
        written
    }

    /// Notes that null is not written: what is optional is left out instead, which means the same where null is the default.
    pub fn null_left_out(&mut self, about: &About, was_required: bool) {
        let at = &about.pointer;
        if was_required {
            let why = "null is said by leaving it out, so that it need not be there";
            self.findings.note(Effect::Unenforced, at, "required", why);
        }
        if about.default == Some(Value::Null) {
            let why = "null, which is the default, is said by leaving it out";
            self.findings.repeat(Effect::Changed, at, "null", why);
        } else {
            let why = "a null that is sent counts as left out, so that the two are not told apart";
            self.findings.repeat(Effect::LeftOut, at, "null", why);
        }
    }

    /// A schema below the key, which names one type or none; what is said of it is kept for the key's own description.
    fn nested(&mut self, shape: &Shape, path: &str, name: &str) -> Value {
        let about = &shape.about;
        let at = &about.pointer;
        let title = about.title.as_ref().filter(|title| !naming::says_the_same(title, name));
        let text = about.description.as_ref().or(title);
        self.said.extend(text.map(|text| (path.to_owned(), text.clone())));
        if about.default.as_ref().is_some_and(|default| !default.is_null()) {
            self.findings.annotation(&pointer_to(at, "default"), "default");
        }
        if !about.examples.is_empty() {
            self.findings.annotation(&pointer_to(at, "examples"), "examples");
        }
        let mut written = Map::new();
        let mut listed = Vec::new();
        let mut lists = 0;
        for (kind, facts) in &shape.kinds {
            written.extend(self.facts(*kind, facts, path));
            listed.extend(facts.listed().into_iter().flatten());
            lists += usize::from(facts.listed().is_some());
        }
        let mut unenforced = |what: &str, why: &str| self.findings.note(Effect::Unenforced, at, what, why);
        match shape.kinds.as_slice() {
            [] => unenforced(
                "schema",
                "no value is right here, which a template cannot say: any is accepted",
            ),
            [(kind, _)] => drop(written.shift_insert(0, "type".to_owned(), json!(kind.name()))),
            kinds if lists == kinds.len() => drop(written.insert("enum".to_owned(), json!(listed))),
            kinds => {
                if written.shift_remove("enum").is_some() {
                    let why =
                        "the values are listed for one of several types, which a schema without a type cannot say";
                    unenforced("enum", why);
                }
                if !shape.is_of_every_type() {
                    let names: Vec<&str> = kinds.iter().map(|(kind, _)| kind.name()).collect();
                    let head = "a schema below a key names one type or none, so that a value need not be one of";
                    unenforced("type", &format!("{head} {}", names.join(", ")));
                }
            }
        }
        Value::Object(written)
    }
}

/// Characters of a description with what is said of members: what is longer is not linted, and every client pays for it.
const CHARS_MAX: usize = 2_000;
/// Examples of one key that are taken over, and characters of one.
const EXAMPLES_MAX: usize = 3;
const EXAMPLE_CHARS_MAX: usize = 100;

/// The description; `said` is what is said of members, by where they are.
pub fn description(
    name: &str,
    about: &About,
    said: &[(String, String)],
    rule: &Rule,
    findings: &mut Findings,
) -> String {
    let text = own(name, about, findings);
    let mut chars = text.chars().count();
    let mut members = Vec::new();
    for (path, told) in said {
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = told.trim_end_matches('.');
        let member = match path.as_str() {
            "[]" => format!("each element: {told}"),
            path => format!("`{path}`: {told}"),
        };
        chars += member.chars().count() + 2;
        members.extend((chars <= CHARS_MAX).then_some(member));
    }
    let left = said.len() - members.len();
    if left > 0 {
        let why = format!(
            "a description has room for {CHARS_MAX} characters; what is said of {left} of its members is left out"
        );
        findings.note(Effect::LeftOut, &about.pointer, "description", why);
    }
    let members = (!members.is_empty()).then(|| format!("In it {}.", members.join("; ")));
    let examples = examples(about, rule, findings);
    let sentences: Vec<String> = members.into_iter().chain(examples).collect();
    wording::joined(&text, &sentences)
}

/// What the source says of the key itself, or its name as words.
fn own(name: &str, about: &About, findings: &mut Findings) -> String {
    let title = about.title.as_ref().filter(|title| !naming::says_the_same(title, name));
    match (&about.description, title) {
        (Some(description), title) => {
            if title.is_some_and(|title| !description.contains(title.as_str())) {
                findings.annotation(&pointer_to(&about.pointer, "title"), "title");
            }
            description.clone()
        }
        (None, Some(title)) => title.clone(),
        (None, None) => {
            let why = "the source does not say what it means: its name stands for a description until you write one";
            findings.repeat(Effect::Changed, &about.pointer, "description", why);
            format!("{}.", naming::words(name))
        }
    }
}

/// Examples as mappings, from what a user would write to the value; arrays and objects as they are.
fn examples(about: &About, rule: &Rule, findings: &mut Findings) -> Option<String> {
    let at = pointer_to(&about.pointer, "examples");
    let mut mappings = Vec::new();
    for example in &about.examples {
        let shown = match example {
            Value::String(text) if text.contains('\'') => format!("\"{text}\" -> \"{text}\""),
            Value::String(text) => format!("'{text}' -> '{text}'"),
            Value::Bool(_) | Value::Number(_) => format!("'{example}' -> {example}"),
            Value::Array(_) | Value::Object(_) | Value::Null => example.to_string(),
        };
        if !rule.accepts(example) {
            let why = "an example that the key refuses is left out";
            findings.note(Effect::LeftOut, &at, "examples", why);
        } else if mappings.len() == EXAMPLES_MAX
            || shown.chars().count() > EXAMPLE_CHARS_MAX
            || shown.contains(char::is_control)
        {
            let why = format!("{EXAMPLES_MAX} examples of at most {EXAMPLE_CHARS_MAX} characters are kept");
            findings.note(Effect::LeftOut, &at, "examples", why);
        } else {
            mappings.push(shown);
        }
    }
    let head = if mappings.len() == 1 { "Example" } else { "Examples" };
    (!mappings.is_empty()).then(|| format!("{head}: {}.", mappings.join("; ")))
}
