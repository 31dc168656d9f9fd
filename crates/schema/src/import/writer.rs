//! What a key's value may be, written as the constraints of a template, and what is said of its members on the way.

use std::collections::BTreeMap;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::defect::pointer_to;
use crate::import::finding::Effect;
use crate::import::finding::Findings;
use crate::import::naming;
use crate::import::shape::About;
use crate::import::shape::Facts;
use crate::import::shape::Rest;
use crate::import::shape::Shape;
use crate::key::KeyType;

/// Writes the constraints of one key.
pub struct Writer<'f> {
    pub findings: &'f mut Findings,
    /// Where in the source each schema of the constraints stands, by its own place in them.
    pub origins: BTreeMap<String, String>,
    /// What is said of members and elements below the key: `street`, `stops[].city`.
    pub said: Vec<(String, String)>,
}

impl<'f> Writer<'f> {
    pub fn new(findings: &'f mut Findings) -> Writer<'f> {
        Writer {
            findings,
            origins: BTreeMap::new(),
            said: Vec::new(),
        }
    }

    /// The constraints of a value of one type; `at` is their place below the key's, `path` what they are of.
    pub fn facts(&mut self, kind: KeyType, facts: &Facts, about: &About, at: &str, path: &str) -> Map<String, Value> {
        self.origins.insert(at.to_owned(), about.pointer.clone());
        let mut written = facts.plain.clone();
        match kind {
            KeyType::Array => {
                if let Some(items) = &facts.items {
                    let path = format!("{path}[]");
                    self.say(&items.about, &path, "");
                    let element = self.nested(items, &pointer_to(at, "items"), &path);
                    written.insert("items".to_owned(), Value::Object(element));
                }
            }
            KeyType::Object => self.members(facts, at, path, &mut written),
            KeyType::String | KeyType::Integer | KeyType::Number | KeyType::Boolean | KeyType::Null => {}
        }
        written
    }

    fn members(&mut self, facts: &Facts, at: &str, path: &str, written: &mut Map<String, Value>) {
        let mut required = facts.required.clone();
        let mut properties = Map::new();
        for (name, shape) in &facts.members {
            let here = pointer_to(&pointer_to(at, "properties"), name);
            let path = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}.{name}")
            };
            let mut shape = shape.clone();
            self.say(&shape.about, &path, name);
            if !shape.is_of_every_type() && shape.take_null() {
                let was_required = required.iter().any(|asked| asked == name);
                required.retain(|asked| asked != name);
                self.null_left_out(&shape.about, was_required);
            }
            let member = self.nested(&shape, &here, &path);
            properties.insert(name.clone(), Value::Object(member));
        }
        if !properties.is_empty() {
            written.insert("properties".to_owned(), Value::Object(properties));
        }
        if !required.is_empty() {
            written.insert("required".to_owned(), json!(required));
        }
        match &facts.rest {
            Rest::Open => {}
            Rest::Closed => drop(written.insert("additionalProperties".to_owned(), Value::Bool(false))),
            Rest::Like(shape) => {
                let path = format!("{path}.*");
                self.say(&shape.about, path.trim_start_matches('.'), "");
                let like = self.nested(shape, &pointer_to(at, "additionalProperties"), &path);
                written.insert("additionalProperties".to_owned(), Value::Object(like));
            }
        }
    }

    /// Notes that null is not written: what is optional is left out instead, which means the same where null is the default.
    pub fn null_left_out(&mut self, about: &About, was_required: bool) {
        if was_required {
            let why = "null is said by leaving it out, so that it need not be there";
            self.findings.note(Effect::Unenforced, &about.pointer, "required", why);
        }
        if about.default == Some(Value::Null) {
            let why = "null, which is the default, is said by leaving it out";
            self.findings.repeat(Effect::Changed, &about.pointer, "null", why);
        } else {
            let why = "a null that is sent counts as left out, so that the two are not told apart";
            self.findings.repeat(Effect::LeftOut, &about.pointer, "null", why);
        }
    }

    /// A schema below the key, which names one type or none.
    fn nested(&mut self, shape: &Shape, at: &str, path: &str) -> Map<String, Value> {
        let about = &shape.about;
        self.origins.insert(at.to_owned(), about.pointer.clone());
        if about.default.as_ref().is_some_and(|default| !default.is_null()) {
            self.findings
                .annotation(&pointer_to(&about.pointer, "default"), "default");
        }
        if !about.examples.is_empty() {
            self.findings
                .annotation(&pointer_to(&about.pointer, "examples"), "examples");
        }
        match shape.kinds.as_slice() {
            [] => {
                let why = "no value is right here, which a template cannot say: any is accepted";
                self.findings.note(Effect::Unenforced, &about.pointer, "schema", why);
                Map::new()
            }
            [(kind, facts)] => {
                let mut written = Map::from_iter([("type".to_owned(), json!(kind.name()))]);
                written.extend(self.facts(*kind, facts, about, at, path));
                written
            }
            kinds => self.of_several_types(shape, kinds, at, path),
        }
    }

    /// A schema without a type: what it asks of values of each of several.
    fn of_several_types(
        &mut self,
        shape: &Shape,
        kinds: &[(KeyType, Facts)],
        at: &str,
        path: &str,
    ) -> Map<String, Value> {
        let lists: Vec<&Vec<Value>> = kinds.iter().filter_map(|(_, facts)| facts.listed()).collect();
        let listed = lists.len() == kinds.len();
        let mut written = Map::new();
        for (kind, facts) in kinds {
            written.extend(self.facts(*kind, facts, &shape.about, at, path));
        }
        if listed {
            let values: Vec<&Value> = lists.into_iter().flatten().collect();
            written.insert("enum".to_owned(), json!(values));
            return written;
        }
        if written.shift_remove("enum").is_some() {
            let why = "the values are listed for one of several types, which a schema without a type cannot say";
            self.findings
                .note(Effect::Unenforced, &shape.about.pointer, "enum", why);
        }
        if !shape.is_of_every_type() {
            let names: Vec<&str> = kinds.iter().map(|(kind, _)| kind.name()).collect();
            let why = format!(
                "a schema below a key names one type or none, so that a value need not be one of {}",
                names.join(", ")
            );
            self.findings
                .note(Effect::Unenforced, &shape.about.pointer, "type", why);
        }
        written
    }

    /// Keeps what is said of a schema below the key, for the key's own description.
    fn say(&mut self, about: &About, path: &str, name: &str) {
        let title = about.title.as_ref().filter(|title| !naming::says_the_same(title, name));
        let text = about.description.as_ref().or(title);
        self.said.extend(text.map(|text| (path.to_owned(), text.clone())));
    }
}
