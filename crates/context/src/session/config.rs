//! What a session is created with: its extensions, each on or off (Shared Context §7), and the conventions for its keys (§6.1).

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use utoipa::ToSchema;

use crate::fields::FieldFault;
use crate::session::name::Key;
use crate::session::refusal::SessionRefusal;
use schema::numeral::Numeral;

// Off where the document does not recommend them or its core does without (S-075, S-077, S-079, S-081).
/// The extensions of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Whether one colon may stand in a key.
    #[schema(required = true)]
    pub prefixes: bool,
    /// Whether keys say who may read and write them.
    #[schema(required = true)]
    pub access_control: bool,
    /// Versions of a key that are kept, the current one included; 0 keeps no history.
    #[schema(required = true, value_type = u64)]
    pub history_versions: usize,
    /// Whether a write may say when its key expires.
    #[schema(required = true)]
    pub expiry: bool,
    #[schema(required = true)]
    pub batch_read: bool,
    #[schema(required = true)]
    pub snapshots: bool,
    #[schema(required = true)]
    pub subscriptions: bool,
    #[schema(required = true)]
    pub if_version: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            prefixes: false,
            access_control: false,
            history_versions: 0,
            expiry: false,
            batch_read: true,
            snapshots: true,
            subscriptions: true,
            if_version: true,
        }
    }
}

impl Config {
    /// Reads the extensions out of what a session is created with; `namespace` beside them is left aside.
    ///
    /// # Errors
    /// What is wrong with which member.
    pub fn read(given: Option<&Value>, history_max: usize) -> Result<Config, Vec<FieldFault>> {
        let mut members: Map<String, Value> = match given {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(members)) => members.clone(),
            Some(_) => return Err(vec![FieldFault::new("config", "must be an object")]),
        };
        members.remove("namespace");
        members.retain(|_, value| !value.is_null());
        let mut faults = Vec::new();
        let known = serde_json::to_value(Config::default()).unwrap_or_default();
        for (name, value) in &mut members {
            let right = match known.get(name) {
                None => {
                    let names: Vec<&str> = known
                        .as_object()
                        .into_iter()
                        .flat_map(Map::keys)
                        .map(String::as_str)
                        .collect();
                    let what = format!("is not known; known are {} and namespace", names.join(", "));
                    faults.push(FieldFault::new(within(name), what));
                    continue;
                }
                Some(Value::Bool(_)) => value.is_boolean(),
                Some(_) => {
                    let count = value.as_number().and_then(|number| Numeral::of(number).count());
                    if let Some(count) = count {
                        *value = Value::from(count);
                    }
                    count.is_some_and(|count| count <= history_max as u64)
                }
            };
            if !right {
                let what = match known.get(name) {
                    Some(Value::Bool(_)) => "must be true or false".to_owned(),
                    Some(_) | None => format!("must be a whole number from 0 to {history_max}"),
                };
                faults.push(FieldFault::new(within(name), what));
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        serde_json::from_value(Value::Object(members)).map_err(|_| vec![FieldFault::new("config", "cannot be read")])
    }

    /// Says no where an extension is off.
    ///
    /// # Errors
    /// [`SessionRefusal::ExtensionOff`].
    pub fn require(&self, on: bool, extension: &'static str) -> Result<(), SessionRefusal> {
        if on {
            Ok(())
        } else {
            Err(SessionRefusal::ExtensionOff(extension))
        }
    }

    /// A key that somebody names.
    ///
    /// # Errors
    /// [`SessionRefusal::InvalidKey`].
    pub fn key(&self, text: &str) -> Result<Key, SessionRefusal> {
        Key::parse(text, self.prefixes).ok_or(SessionRefusal::InvalidKey {
            prefixes: self.prefixes,
        })
    }
}

/// A member's place; its name is the caller's own word, so it is cut.
fn within(name: &str) -> String {
    format!("config.{}", name.chars().take(64).collect::<String>().escape_debug())
}

// In which shape its value is expected stands in `content` (S-059).
/// What a key is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Convention {
    pub key: String,
    pub purpose: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(required = false, value_type = String)]
    pub content: Option<String>,
}

/// Conventions that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Group {
    pub title: String,
    pub keys: Vec<Convention>,
}

/// Reads the conventions that a session is created with.
///
/// # Errors
/// That they have another form, are longer than so many bytes, or name what can be no key of this session.
pub fn namespace(given: Option<&Value>, config: &Config, bytes_max: usize) -> Result<Option<String>, FieldFault> {
    let field = "config.namespace";
    let Some(value) = given
        .and_then(|given| given.get("namespace"))
        .filter(|value| !value.is_null())
    else {
        return Ok(None);
    };
    let groups: Vec<Group> = serde_json::from_value(value.clone()).map_err(|_| {
        let what = "must be a list of {\"title\", \"keys\": [{\"key\", \"purpose\", \"content\"}]}, of which content may be left out";
        FieldFault::new(field, what)
    })?;
    for (place, group) in groups.iter().enumerate() {
        let texts = group
            .keys
            .iter()
            .flat_map(|convention| [Some(&convention.purpose), convention.content.as_ref()]);
        let mut texts = texts.flatten().chain([&group.title]);
        if texts.any(|text| text.chars().any(char::is_control)) {
            let what = "must be texts of one line each: they become lines of a system prompt";
            return Err(FieldFault::new(format!("{field}[{place}]"), what));
        }
        for (number, convention) in group.keys.iter().enumerate() {
            if let Err(refusal) = config.key(&convention.key) {
                return Err(FieldFault::new(
                    format!("{field}[{place}].keys[{number}].key"),
                    format!("is no key: {refusal}"),
                ));
            }
        }
    }
    let text = serde_json::to_string(&groups).unwrap_or_default();
    if text.len() > bytes_max {
        return Err(FieldFault::new(field, format!("may have {bytes_max} bytes as JSON")));
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Config;
    use super::namespace;

    #[test]
    fn what_the_document_does_not_recommend_is_off_s075_s077_s079_s081() {
        let config = Config::read(None, 20).expect("a config");
        assert!(!config.prefixes && !config.access_control && !config.expiry && config.history_versions == 0);
        assert!(config.batch_read && config.snapshots && config.subscriptions && config.if_version);
    }

    #[test]
    fn each_extension_is_chosen_by_itself_and_a_wrong_member_is_named() {
        let given = json!({"prefixes": true, "history_versions": 20, "snapshots": null, "namespace": 7});
        let config = Config::read(Some(&given), 20).expect("a config");
        assert!(config.prefixes && config.snapshots && config.history_versions == 20);
        let given = json!({"prefixes": "4711", "history_versions": 21, "ttl": true});
        let faults = Config::read(Some(&given), 20).expect_err("wrong members");
        let fields: Vec<&str> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(fields, ["config.prefixes", "config.history_versions", "config.ttl"]);
        assert!(!format!("{faults:?}").contains("4711"));
        assert!(Config::read(Some(&json!([])), 20).is_err());
    }

    #[test]
    fn conventions_name_keys_of_the_session_and_are_bounded_s059() {
        let given =
            json!({"namespace": [{"title": "State", "keys": [{"key": "inv:phase", "purpose": "where we are"}]}]});
        let prefixed = Config {
            prefixes: true,
            ..Config::default()
        };
        let text = namespace(Some(&given), &prefixed, 1_000).expect("right").expect("some");
        assert!(text.contains("inv:phase"));
        let fault = namespace(Some(&given), &Config::default(), 1_000).expect_err("no prefixes");
        assert_eq!(fault.field, "config.namespace[0].keys[0].key");
        assert!(namespace(Some(&given), &prefixed, text.len()).is_ok());
        assert!(namespace(Some(&given), &prefixed, text.len() - 1).is_err());
        assert_eq!(namespace(Some(&json!({})), &prefixed, 1), Ok(None));
        assert!(namespace(Some(&json!({"namespace": "text"})), &prefixed, 1_000).is_err());
    }
}
