//! The template that is looked at, as it came, and payloads that are made for it.
//!
//! Reads what a server answered without believing it: a member that has another form is passed over here, and found by a rule.

use jsonschema::json::SerdeJson;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::verdict::Finding;
use crate::verdict::not_applicable;
use crate::verdict::not_tried;
use schema::budget::Budget;
use schema::json_schema;
use schema::key::KeyDefinition;
use schema::key::KeyType;
use schema::mapping_example;
use schema::name::OTHER;
use schema::witness;

/// Keys of a template that are looked at: far more than a person agrees on.
const KEYS_MAX: usize = 1_000;

/// A template.
#[derive(Clone, Copy, Debug)]
pub struct Template<'a> {
    pub members: &'a Map<String, Value>,
}

/// The elements of a list.
pub fn items<'a>(document: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    document[member].as_array().into_iter().flatten()
}

impl<'a> Template<'a> {
    /// The template in an answer: the answer itself, or what a JSON-RPC answer holds as its `result`.
    pub fn find(body: &'a Value) -> Option<Template<'a>> {
        let wrapped = body.get("jsonrpc").and_then(|_| body.get("result"));
        let members = wrapped.unwrap_or(body).as_object()?;
        Some(Template { members })
    }

    /// A member that is a text.
    pub fn text(&self, member: &str) -> Option<&'a str> {
        self.members.get(member)?.as_str()
    }

    /// What stands in `keys`, whatever it is.
    pub fn keys(&self) -> Vec<&'a Value> {
        let keys = self.members.get("keys").and_then(Value::as_array);
        keys.into_iter().flatten().take(KEYS_MAX).collect()
    }

    /// The names of the keys.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.keys().into_iter().filter_map(|key| key["key_name"].as_str())
    }

    /// A key by its name.
    pub fn key(&self, name: &str) -> Option<&'a Value> {
        self.keys().into_iter().find(|key| key["key_name"] == name)
    }

    /// The patches that are in force, without their keys.
    pub fn patches(&self) -> impl Iterator<Item = &'a Value> {
        let patches = self.members.get("patches").and_then(Value::as_array);
        patches.into_iter().flatten()
    }

    /// The keys of the schema itself: none that a patch added, and not `other`.
    pub fn own_keys(&self) -> Vec<&'a Value> {
        let own =
            |key: &&Value| key.get("patch_id").is_none() && key["key_name"] != OTHER && key["key_name"].is_string();
        self.keys().into_iter().filter(own).collect()
    }

    /// These members of each of the schema's own keys.
    pub fn contract(&self, members: &[&str]) -> Vec<Vec<&'a Value>> {
        let keys = self.own_keys().into_iter();
        keys.map(|key| members.iter().map(|member| &key[*member]).collect())
            .collect()
    }

    /// The names of the required keys.
    pub fn required(&self) -> Vec<&'a str> {
        let required = self.own_keys().into_iter().filter(|key| key["required"] == true);
        required.filter_map(|key| key["key_name"].as_str()).collect()
    }

    /// A payload with every required key and nothing else.
    ///
    /// # Errors
    /// The key for which no value is found.
    pub fn least(&self) -> Result<Map<String, Value>, Finding> {
        filled(self.own_keys().into_iter().filter(|key| key["required"] == true))
    }

    /// A payload with every key of the schema but `other`.
    ///
    /// # Errors
    /// The key for which no value is found.
    pub fn full(&self) -> Result<Map<String, Value>, Finding> {
        filled(self.own_keys().into_iter())
    }

    /// The least payload with `null` for everything that may be left out.
    ///
    /// # Errors
    /// The key for which no value is found, or that none may be left out.
    pub fn nulls(&self) -> Result<Map<String, Value>, Finding> {
        let mut payload = self.least()?;
        let before = payload.len();
        let own = self.own_keys().into_iter();
        let optional = own.filter(|key| key["required"] == false);
        payload.extend(optional.filter_map(|key| Some((key["key_name"].as_str()?.to_owned(), Value::Null))));
        if payload.len() == before {
            return not_applicable("no key may be left out");
        }
        Ok(payload)
    }

    /// The least payload with a value of another type for one key; its name, and the type that it has.
    ///
    /// # Errors
    /// That there is no such key, or that the payload cannot be made.
    pub fn misfit(&self) -> Result<(Map<String, Value>, &'a str, &'a str), Finding> {
        let mut payload = self.least()?;
        let found = self.own_keys().into_iter().find_map(|key| {
            let (name, key_type) = (key["key_name"].as_str()?, key["key_type"].as_str()?);
            let wrong = match KeyType::parse(key_type)? {
                KeyType::String => json!(4711),
                KeyType::Integer | KeyType::Number => json!("no number at all"),
                KeyType::Boolean => json!("perhaps"),
                KeyType::Array | KeyType::Object => json!(7),
                KeyType::Null => return None,
            };
            Some((name, key_type, wrong))
        });
        let Some((name, key_type, wrong)) = found else {
            return not_applicable("no key has a type that could be missed");
        };
        payload.insert(name.to_owned(), wrong);
        Ok((payload, name, key_type))
    }
}

fn filled<'a>(keys: impl Iterator<Item = &'a Value>) -> Result<Map<String, Value>, Finding> {
    let mut payload = Map::new();
    for key in keys {
        let name = key["key_name"].as_str().unwrap_or_default();
        let Some(value) = value(key) else {
            return not_tried(format!("no value was found that the key {name} surely takes"));
        };
        payload.insert(name.to_owned(), value);
    }
    Ok(payload)
}

/// A value for a key: what its own examples lead to, its default, or one that is made of its constraints.
fn value(document: &Value) -> Option<Value> {
    let Ok((key, _)) = KeyDefinition::parse(document) else {
        // Constraints that cannot be read here are the server's own affair: its examples and its default are still to go by.
        let mut bare = document.clone();
        bare.as_object_mut()?.remove("constraints");
        return examples(&KeyDefinition::parse(&bare).ok()?.0).next();
    };
    let schema = json_schema::key_schema(key.key_type, &key.constraints);
    let accepts = json_schema::compile::<SerdeJson>(&schema).ok()?;
    let example = examples(&key).find(|value| accepts.is_valid(value));
    example.or_else(|| witness::sample(schema.as_object()?, &Map::new(), &Budget::default()))
}

/// Values that the definition itself calls right.
fn examples(key: &KeyDefinition) -> impl Iterator<Item = Value> {
    let shown = mapping_example::targets(key).filter_map(|target| target.value);
    shown.chain(key.default_value.clone()).filter(|value| !value.is_null())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::Template;
    use crate::verdict::Finding;

    fn template() -> Value {
        json!({"schema_id": "a_v1", "keys": [
            {"key_name": "port", "key_type": "string", "required": true,
             "semantic_description": "Acceptable values: dover. Example mapping: 'from Dover' -> 'dover'."},
            {"key_name": "day", "key_type": "string", "required": true, "constraints": {"format": "date"},
             "semantic_description": "The day."},
            {"key_name": "count", "key_type": "integer", "required": false, "default_value": 3,
             "constraints": {"minimum": 3}, "semantic_description": "How many."},
            {"key_name": "cabin", "key_type": "boolean", "required": false, "patch_id": "a.p1",
             "semantic_description": "Added by a patch."},
            {"key_name": "other", "key_type": "string", "required": false, "semantic_description": "What else."}]})
    }

    #[test]
    fn payloads_are_made_of_examples_defaults_and_constraints() {
        let template = template();
        let read = Template::find(&template).expect("a template");
        let full = read.full().expect("a payload");
        assert_eq!(full["port"], "dover");
        assert_eq!(full["count"], 3);
        assert!(full["day"].as_str().is_some_and(|day| day.len() == 10), "{full:?}");
        assert_eq!(full.len(), 3, "neither a patch's key nor `other`");
        assert_eq!(read.least().expect("a payload").len(), 2);
        let nulls = read.nulls().expect("a payload");
        assert_eq!(nulls.get("count"), Some(&Value::Null));
        let (misfit, name, key_type) = read.misfit().expect("a payload");
        assert_eq!((name, key_type, &misfit["port"]), ("port", "string", &json!(4711)));
    }

    #[test]
    fn a_template_is_found_in_a_json_rpc_answer_too_z173() {
        let wrapped = json!({"jsonrpc": "2.0", "id": 1, "result": template()});
        let read = Template::find(&wrapped).expect("a template");
        assert_eq!(read.text("schema_id"), Some("a_v1"));
        assert_eq!(read.required(), ["port", "day"]);
        assert!(Template::find(&json!([])).is_none());
    }

    #[test]
    fn what_cannot_be_made_is_said() {
        let template = json!({"keys": [{"key_name": "a", "key_type": "string", "required": true,
            "constraints": {"minLength": 9, "maxLength": 1}, "semantic_description": "None."}]});
        let read = Template::find(&template).expect("a template");
        assert!(matches!(read.least(), Err(Finding::NotTried(_))), "{:?}", read.least());
        assert!(matches!(read.nulls(), Err(Finding::NotTried(_))));
        let none = json!({"keys": []});
        let read = Template::find(&none).expect("a template");
        assert!(matches!(read.nulls(), Err(Finding::NotApplicable(_))));
        assert!(matches!(read.misfit(), Err(Finding::NotApplicable(_))));
    }
}
