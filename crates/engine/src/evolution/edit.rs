//! A person's edit of a key that waits: which members are replaced, and the change that comes of it.
//!
//! Reads what was written as a publisher's words are read. Knows no scenario: whether a name is free is decided with it at hand.
//! Invariant: what comes of an edit stays optional (Z-125). A learned key has a default only where a person wrote it here.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::evolution::backtest;
use crate::evolution::backtest::Backtest;
use schema::defect::Defect;
use schema::defect::pointer_to;
use schema::effective::KeyChange;
use schema::key::KeyDefinition;
use schema::key::KeyType;

/// What a person may replace.
pub const MEMBERS: [&str; 6] = [
    "key_name",
    "title",
    "semantic_description",
    "key_type",
    "constraints",
    "default_value",
];
/// The one of them that a refinement has.
const WORDING: &str = "semantic_description";
/// Where it stands in a body.
const MEMBER: &str = "/edit";

/// An edit as it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// Members of the definition; `null` takes one away.
    members: Map<String, Value>,
    /// What the history foretells for what comes of it, where that was asked.
    pub backtest: Option<Box<Backtest>>,
}

impl Edit {
    /// Reads an edit.
    ///
    /// # Errors
    /// What is wrong with its form, in words.
    pub fn parse(document: &Value) -> Result<Edit, String> {
        let members = document.as_object().filter(|members| !members.is_empty());
        let members = members.ok_or_else(|| format!("edit must be an object of {}", MEMBERS.join(", ")))?;
        match members.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
            Some(unknown) => Err(format!("edit may hold {}, not {unknown}", MEMBERS.join(", "))),
            None => Ok(Edit {
                members: members.clone(),
                backtest: None,
            }),
        }
    }

    /// What a change becomes by it.
    ///
    /// # Errors
    /// All that a publisher would be told against such a definition.
    pub fn apply(&self, change: &KeyChange) -> Result<KeyChange, Vec<Defect>> {
        match change {
            KeyChange::Add(key) => self.applied(key).map(KeyChange::Add),
            KeyChange::Refine {
                key_name,
                semantic_description: _,
                values,
                closes,
            } => {
                let others = self.members.keys().filter(|name| *name != WORDING);
                let wording_alone = |name: &String| Defect {
                    pointer: pointer_to(MEMBER, name),
                    requirement: "Z-114".to_owned(),
                    message: "a refinement changes the description of a key and nothing else".to_owned(),
                };
                let refused: Vec<Defect> = others.map(wording_alone).collect();
                if !refused.is_empty() {
                    return Err(refused);
                }
                let wording = self.members.get(WORDING);
                let read =
                    read(&json!({"key_name": key_name, "key_type": "string", "required": false, WORDING: wording}))?;
                Ok(KeyChange::Refine {
                    key_name: key_name.clone(),
                    semantic_description: read.semantic_description,
                    values: values.clone(),
                    closes: *closes,
                })
            }
        }
    }

    fn applied(&self, key: &KeyDefinition) -> Result<KeyDefinition, Vec<Defect>> {
        let mut document = serde_json::to_value(key).unwrap_or_default();
        if let Some(definition) = document.as_object_mut() {
            if self.members.contains_key("key_type") {
                definition.shift_remove("default_value");
            }
            definition.insert("required".to_owned(), json!(false));
            for (name, value) in &self.members {
                match value {
                    Value::Null => definition.shift_remove(name),
                    value => definition.insert(name.clone(), value.clone()),
                };
            }
        }
        let mut edited = read(&document)?;
        let says = |name: &str| self.members.contains_key(name);
        if !says(WORDING) && !says("constraints") && !says("key_type") {
            // Nobody meant the words that were proposed to close a list.
            edited.constraints.clone_from(&key.constraints);
        }
        Ok(edited)
    }
}

/// The known values of a change that still are values of what it became.
pub fn surfaces(was: &KeyChange, is: &KeyChange, surfaces: &[String]) -> Vec<String> {
    let (KeyChange::Add(was), KeyChange::Add(is)) = (was, is) else {
        return surfaces.to_vec();
    };
    let read_from_words = matches!(is.key_type, KeyType::String | KeyType::Integer | KeyType::Number);
    let fits = |text: &&String| (read_from_words || is.key_type == was.key_type) && backtest::fits(is, text);
    surfaces.iter().filter(fits).cloned().collect()
}

/// What differs between two changes, by member.
pub fn differing(was: &KeyChange, is: &KeyChange) -> Vec<&'static str> {
    let members = |change: &KeyChange| match change {
        KeyChange::Add(key) => serde_json::to_value(key).unwrap_or_default(),
        KeyChange::Refine {
            semantic_description, ..
        } => json!({WORDING: semantic_description}),
    };
    let (was, is) = (members(was), members(is));
    MEMBERS
        .into_iter()
        .filter(|name| was.get(name) != is.get(name))
        .collect()
}

fn read(document: &Value) -> Result<KeyDefinition, Vec<Defect>> {
    KeyDefinition::parse(document)
        .map(|(key, _told)| key)
        .map_err(|defects| defects.into_iter().map(within_edit).collect())
}

/// A defect of a definition, by its place in the body.
pub fn within_edit(defect: Defect) -> Defect {
    Defect {
        pointer: format!("{MEMBER}{}", defect.pointer),
        ..defect
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::evolution::patch::sample;
    use schema::name::KeyName;

    /// What a proposed seat preference becomes, or where the defects point.
    fn edited(edit: &Value) -> Result<Value, Vec<String>> {
        let change = Edit::parse(edit).expect("an edit").apply(&sample::patch(1).change);
        match change {
            Ok(KeyChange::Add(key)) => Ok(serde_json::to_value(key).expect("a key")),
            Ok(KeyChange::Refine { .. }) => panic!("no refinement"),
            Err(defects) => Err(defects.into_iter().map(|defect| defect.pointer).collect()),
        }
    }

    #[test]
    fn an_edit_replaces_what_it_names_and_may_write_a_default_z111_z125_z127_z178() {
        let named = edited(&json!({"key_name": "seat", "title": "Seat"})).expect("a key");
        assert_eq!(named["key_name"], "seat");
        assert_eq!(named["title"], "Seat");
        assert_eq!(named["constraints"], json!({"enum": ["window", "aisle", "none"]}));
        assert_eq!(
            (&named["required"], &named["default_value"]),
            (&json!(false), &json!("none"))
        );
        for (default, left) in [(json!("aisle"), Some(json!("aisle"))), (Value::Null, None)] {
            let written = edited(&json!({"default_value": default})).expect("a key");
            assert_eq!(written.get("default_value").cloned(), left);
        }
        let unfit = edited(&json!({"default_value": "roof"}));
        assert_eq!(unfit, Err(vec!["/edit/default_value".to_owned()]));
        let typed = json!({"key_type": "boolean", "constraints": null, "semantic_description": "Whether a window seat is wanted."});
        let typed = edited(&typed).expect("a key");
        assert_eq!(&typed["key_type"], &json!("boolean"));
        assert_eq!((typed.get("constraints"), typed.get("default_value")), (None, None));
    }

    #[test]
    fn what_a_publisher_may_not_write_no_person_may_z034_z048() {
        for (edit, place) in [
            (json!({"key_name": "Seat Wish"}), "/edit/key_name"),
            (json!({"key_name": "exchange"}), "/edit/key_name"),
            (json!({"semantic_description": " "}), "/edit/semantic_description"),
            (json!({"semantic_description": null}), "/edit"),
            (json!({"key_type": "date"}), "/edit/key_type"),
        ] {
            assert_eq!(edited(&edit), Err(vec![place.to_owned()]), "{edit}");
        }
        assert!(edited(&json!({"constraints": {"pattern": 7}})).is_err());
        for form in [json!({}), json!([]), json!({"required": true}), json!(null)] {
            assert!(Edit::parse(&form).is_err(), "{form}");
        }
    }

    #[test]
    fn a_refinement_takes_another_wording_and_nothing_else_z114() {
        let refinement = KeyChange::Refine {
            key_name: KeyName::parse("seat").expect("a name"),
            semantic_description: "A seat.".to_owned(),
            values: Vec::new(),
            closes: false,
        };
        let apply = |edit: Value| Edit::parse(&edit).expect("an edit").apply(&refinement);
        let worded = apply(json!({"semantic_description": "The seat that is wanted."})).expect("a change");
        assert_eq!(differing(&refinement, &worded), ["semantic_description"]);
        let defects = apply(json!({"key_name": "chair"})).expect_err("a defect");
        assert_eq!(defects[0].pointer, "/edit/key_name");
    }

    #[test]
    fn known_values_that_are_none_of_the_new_type_are_dropped_z137() {
        let was = sample::patch(1).change;
        let said = ["window".to_owned(), "row 12".to_owned()];
        let left = |edit: Value| {
            let is = Edit::parse(&edit).expect("an edit").apply(&was).expect("a change");
            surfaces(&was, &is, &said)
        };
        assert_eq!(left(json!({"title": "Seat"})), ["window"]);
        let wording = "The seat that is wanted.";
        let open = json!({"constraints": {}, "semantic_description": wording});
        assert_eq!(left(open), said);
        let row = json!({"key_type": "integer", "constraints": {}, "semantic_description": wording});
        assert_eq!(left(row), ["row 12"]);
        let flag = json!({"key_type": "boolean", "constraints": {}, "semantic_description": wording});
        assert!(left(flag).is_empty());
    }
}
