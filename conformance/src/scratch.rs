//! What is published for a moment: a template of its own scenario, and templates that no server may take.

use serde_json::Value;
use serde_json::json;

use schema::name::OTHER;

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
    json!({
        "schema_id": schema_id(scenario),
        "scenario": scenario,
        "language": "en",
        "description": "Orders of a stationery shop that does not exist; checks what a server does with a template.",
        STRANGER: {"kept": true},
        "keys": [
            {"key_name": "article", "key_type": "string", "required": true, "default_value": null, STRANGER: "kept",
             "semantic_description": "What is ordered, as free text. Example mapping: 'I need a stapler' -> 'stapler'."},
            {"key_name": "quantity", "key_type": "integer", "required": true,
             "semantic_description": "How many pieces. Range: 1-99. Example mapping: 'two of them' -> 2."},
            {"key_name": "paper_size", "key_type": "string", "required": false, "default_value": "a4",
             "semantic_description": "Format of the paper. Acceptable values: a3, a4, a5. Example mapping: 'the small one' -> 'a5'.",
             "semantic_descriptions": {"de": "Format des Papiers. Beispiel: 'das kleine' -> 'a5'."}},
            {"key_name": "price_limit", "key_type": "number", "required": false, "default_value": null,
             "semantic_description": "The most that a piece may cost. Example mapping: 'not above two fifty' -> 2.5."},
            {"key_name": "gift_wrap", "key_type": "boolean", "required": false, "default_value": false,
             "semantic_description": "Whether it is wrapped as a gift (true or false). Example mapping: 'as a present' -> true."},
            {"key_name": "colours", "key_type": "array", "required": false,
             "semantic_description": "Colours that will do, the best one first. Example mapping: 'red or blue' -> ['red', 'blue']."},
            {"key_name": "engraving", "key_type": "object", "required": false,
             "semantic_description": "Lines of an engraving by their place. Example mapping: 'For Ada on top' -> {\"top\": \"For Ada\"}."},
            {"key_name": OTHER, "key_type": "string", "required": false, "default_value": null,
             "semantic_description": "What no other key can hold, in the user's own words."},
        ],
    })
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
