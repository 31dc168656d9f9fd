//! What is published for a moment: a template of its own scenario, and templates that no server may take.

use serde_json::Value;
use serde_json::json;

/// A member that the draft does not know, on the template and on a key (Z-050).
pub const STRANGER: &str = "conformance_note";

/// Names what may be wrong with a template, each with what spoils it.
macro_rules! defects {
    ($template:ident $($name:ident => $spoil:expr;)*) => {
        /// What is wrong with a template that is offered.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Defect {
            $($name,)*
        }

        /// Every defect.
        pub const DEFECTS: &[Defect] = &[$(Defect::$name),*];

        /// A template that no server may take.
        pub fn defective(scenario: &str, defect: Defect) -> Value {
            let mut $template = template(scenario);
            $template["schema_id"] = json!(defective_id(scenario, defect));
            $template["scenario"] = json!(format!("{scenario}_bad"));
            match defect {
                $(Defect::$name => $spoil,)*
            }
            $template
        }
    };
}

defects! { template
    NoScenario => remove(&mut template, "scenario");
    NoKeys => remove(&mut template, "keys");
    NoName => remove(&mut template["keys"][0], "key_name");
    BadName => template["keys"][0]["key_name"] = json!("ArticleName");
    TwinNames => template["keys"][1]["key_name"] = json!("article");
    NoType => remove(&mut template["keys"][0], "key_type");
    BadType => template["keys"][0]["key_type"] = json!("varchar");
    NoDescription => remove(&mut template["keys"][0], "semantic_description");
    NoRequired => remove(&mut template["keys"][0], "required");
    RequiredOther => template["keys"][7]["required"] = json!(true);
    NumericOther => template["keys"][7]["key_type"] = json!("integer");
    MisfitDefault => template["keys"][4]["default_value"] = json!("perhaps");
}

fn remove(value: &mut Value, member: &str) {
    if let Some(members) = value.as_object_mut() {
        members.remove(member);
    }
}

/// The id of the scratch schema.
pub fn schema_id(scenario: &str) -> String {
    format!("{scenario}_v1")
}

/// The id of a template with a defect.
pub fn defective_id(scenario: &str, defect: Defect) -> String {
    format!("{scenario}_bad{}_v1", defect as u8)
}

/// The template: each type once, nothing that a server may not hold by the draft.
pub fn template(scenario: &str) -> Value {
    let mut template: Value = serde_json::from_str(include_str!("scratch.json")).unwrap_or_default();
    template["schema_id"] = json!(schema_id(scenario));
    template["scenario"] = json!(scenario);
    template
}

/// The template with other content under the same id.
pub fn changed(scenario: &str) -> Value {
    let mut template = template(scenario);
    template["keys"][0]["semantic_description"] =
        json!("Something else altogether. Example mapping: 'a stapler' -> 'stapler'.");
    template
}

#[cfg(test)]
mod tests {
    use super::DEFECTS;
    use super::changed;
    use super::defective;
    use super::template;
    use schema::template::SchemaTemplate;

    #[test]
    fn the_scratch_template_is_whole_and_the_others_are_each_defective() {
        assert!(SchemaTemplate::parse(&template("scratch")).is_ok());
        let (one, _) = SchemaTemplate::parse(&template("scratch")).expect("a template");
        let (two, _) = SchemaTemplate::parse(&changed("scratch")).expect("a template");
        assert!(!one.same_content(&two));
        for defect in DEFECTS {
            let defects = SchemaTemplate::parse(&defective("scratch", *defect)).expect_err("a defect");
            assert_eq!(defects.len(), 1, "{defect:?}: {defects:?}");
        }
    }
}
