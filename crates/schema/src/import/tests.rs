//! Imports of real and of drawn schemas: what the template accepts is what the source accepts, but for what is found.

mod bounds;
mod documents;
mod drawn;
mod told;

use jsonschema::Draft;
use proptest::prelude::*;
use proptest::test_runner::RngAlgorithm;
use proptest::test_runner::TestRng;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::ImportFault;
use super::Imported;
use super::Options;
use super::find;
use super::finding::Effect;
use super::import;
use super::source::Dialect;
use super::tests::drawn::instance;
use super::tests::drawn::schema;
use crate::effective::EffectiveTemplate;
use crate::export::Form;
use crate::json_schema::compile;
use crate::rule::Rule;

/// Payloads that are made of each real schema.
const PAYLOADS: u32 = 200;

/// Real schemas (NOTICE says where each is from), and what of each is imported.
const REAL: [(&str, &str, Options<'static>); 10] = [
    (
        "cloudevents",
        include_str!("../../../../tests/import/cloudevents.json"),
        of_scenario("event"),
    ),
    (
        "firebase-connector",
        include_str!("../../../../tests/import/firebase-connector.json"),
        of_scenario("connector"),
    ),
    (
        "firebase-config",
        include_str!("../../../../tests/import/firebase-config.json"),
        of_scenario("deployment"),
    ),
    (
        "runreal-config",
        include_str!("../../../../tests/import/runreal-config.json"),
        of_scenario("project"),
    ),
    (
        "fastmcp-config",
        include_str!("../../../../tests/import/fastmcp-config.json"),
        of_scenario("server"),
    ),
    (
        "mcp-fetch",
        include_str!("../../../../tests/import/mcp-fetch.json"),
        of_tool("fetch"),
    ),
    (
        "mcp-memory",
        include_str!("../../../../tests/import/mcp-memory.json"),
        of_tool("create_relations"),
    ),
    (
        "mcp-github-issue-write",
        include_str!("../../../../tests/import/mcp-github-issue-write.json"),
        of_tool("issue_write"),
    ),
    (
        "text-embeddings-inference",
        include_str!("../../../../tests/import/text-embeddings-inference.json"),
        of_operation("openai_embed"),
    ),
    (
        "agent-protocol",
        include_str!("../../../../tests/import/agent-protocol.json"),
        of_operation("POST /store/items/search"),
    ),
];

const NONE: Options<'static> = Options {
    operation: None,
    tool: None,
    pointer: None,
    key: None,
    scenario: None,
    schema_id: None,
    budget: None,
};

const fn of_scenario(scenario: &'static str) -> Options<'static> {
    Options {
        scenario: Some(scenario),
        ..NONE
    }
}

const fn of_tool(tool: &'static str) -> Options<'static> {
    Options {
        tool: Some(tool),
        ..NONE
    }
}

const fn of_operation(operation: &'static str) -> Options<'static> {
    Options {
        operation: Some(operation),
        ..NONE
    }
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// An imported schema beside its source.
struct Compared {
    imported: Imported,
    source: jsonschema::Validator,
    export: jsonschema::Validator<jsonschema::json::SerdeJson>,
}

impl Compared {
    fn of(source: &Value, draft: Draft, imported: Imported) -> Compared {
        let effective = EffectiveTemplate::compose(&imported.template, &[], 0);
        let export = read(&effective.export(Form::JsonSchema, None, true).text);
        let source = jsonschema::options()
            .with_draft(draft)
            .should_validate_formats(true)
            .should_ignore_unknown_formats(true)
            .offline()
            .build(source);
        Compared {
            imported,
            source: source.expect("a schema"),
            export: compile(&export).expect("a schema"),
        }
    }

    /// The payload as a client of the template sends it, null left out as the service leaves it out; and the same in the source's names.
    fn sent(&self, payload: &Map<String, Value>) -> (Value, Value) {
        let (mut sent, mut own) = (Map::new(), Map::new());
        for (name, value) in payload {
            let keys = self.imported.template.keys.iter();
            let key = keys
                .clone()
                .find(|key| key.title().unwrap_or(key.key_name.as_str()) == name);
            let Some(key) = key else {
                sent.insert(name.clone(), value.clone());
                own.insert(name.clone(), value.clone());
                continue;
            };
            let rule = Rule::compile(key.key_type, &key.constraints);
            let mut value = value.clone();
            rule.leave_out(&mut value);
            if !value.is_null() || key.required || rule.accepts(&value) {
                sent.insert(key.key_name.to_string(), value.clone());
                own.insert(name.clone(), value);
            }
        }
        (Value::Object(sent), Value::Object(own))
    }

    /// Whether a finding of an effect is about a key, or about the whole.
    fn explains(&self, effect: Effect, key_name: Option<&str>) -> bool {
        let mut found = self.imported.findings.iter().filter(|finding| finding.effect == effect);
        found.any(|finding| finding.key_name.is_none() || finding.key_name.as_deref() == key_name)
    }

    /// What source and template say differently of a payload, and no finding explains.
    fn unexplained(&self, payload: &Map<String, Value>) -> Option<String> {
        let (sent, own) = self.sent(payload);
        let payload = Value::Object(payload.clone());
        let first = |path: &str| {
            path.split('/')
                .nth(1)
                .map(|step| step.replace("~1", "/").replace("~0", "~"))
        };
        let (source, export) = (self.source.is_valid(&payload), self.export.is_valid(&sent));
        if source && !export {
            let mut errors = self.export.iter_errors(&sent);
            return errors.find_map(|error| {
                let key = first(error.instance_path().as_str());
                (!self.explains(Effect::Narrowed, key.as_deref()))
                    .then(|| format!("refused: {error} at {}", error.instance_path()))
            });
        }
        if !source && export && !self.source.is_valid(&own) {
            let mut errors = self.source.iter_errors(&own);
            return errors.find_map(|error| {
                let member = first(error.instance_path().as_str());
                let mut keys = self.imported.template.keys.iter();
                let key = keys.find(|key| key.title().or(Some(key.key_name.as_str())) == member.as_deref());
                let key = key.map(|key| key.key_name.as_str());
                // A member that is lacking is told of the whole; which one it is stands in the error's text.
                let lacking = self.imported.template.keys.iter().any(|key| {
                    let own = key.title().unwrap_or(key.key_name.as_str());
                    error.to_string().contains(&format!("\"{own}\" is a required"))
                        && self.explains(Effect::Unenforced, Some(key.key_name.as_str()))
                });
                (!lacking && !self.explains(Effect::Unenforced, key))
                    .then(|| format!("accepted: {error} at {}", error.instance_path()))
            });
        }
        None
    }
}

/// What OpenAPI 3.0 says with `nullable`, as draft 2020-12 has it.
fn nullable(schema: Value) -> Value {
    match schema {
        Value::Array(all) => all.into_iter().map(nullable).collect(),
        Value::Object(mut members) => {
            let is_nullable = members.shift_remove("nullable") == Some(json!(true));
            let plain: Value = members
                .into_iter()
                .map(|(name, value)| (name, nullable(value)))
                .collect();
            if is_nullable {
                json!({"anyOf": [plain, {"type": "null"}]})
            } else {
                plain
            }
        }
        plain => plain,
    }
}

#[test]
fn a_template_accepts_and_refuses_what_its_real_source_does_but_for_what_is_found() {
    let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    for (name, text, options) in REAL {
        let document = read(text);
        let imported = import(&document, &options).expect(name);
        let found = find(&document, &options).expect(name);
        let (_, at) = found.payload.expect("a payload");
        // References lead into the document; what OpenAPI 3.0 writes otherwise no validator reads.
        let mut whole = found.root.0.clone();
        if at != found.root.1 {
            whole["$ref"] = json!(format!("#{at}"));
        }
        let (original, draft) = match found.dialect {
            Dialect::Draft7 => (whole, Draft::Draft7),
            Dialect::Draft2020 => (whole, Draft::Draft202012),
            Dialect::OpenApi30 => (nullable(whole), Draft::Draft202012),
        };
        let compared = Compared::of(&original, draft, imported);
        let (mut accepted, mut refused) = (0, 0);
        for _ in 0..PAYLOADS {
            let made = instance(&original, &original, 0, &mut random);
            let Value::Object(made) = made else { continue };
            let is_right = compared.source.is_valid(&Value::Object(made.clone()));
            *(if is_right { &mut accepted } else { &mut refused }) += 1;
            assert_eq!(compared.unexplained(&made), None, "{name}: {}", Value::Object(made));
        }
        assert!(
            accepted > 20 && refused > 20,
            "{name}: {accepted} right, {refused} wrong"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]
    #[test]
    fn a_template_accepts_and_refuses_what_a_drawn_source_does_but_for_what_is_found(schema in schema(), seed in any::<[u8; 32]>()) {
        let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let imported = match import(&schema, &of_scenario("drawn")) {
            Ok(imported) => imported,
            Err(ImportFault::Unfit(why)) if ["a payload is", "it declares no member"].iter().any(|head| why.starts_with(head)) => return Ok(()),
            Err(fault) => panic!("{fault}: {schema}"),
        };
        let compared = Compared::of(&schema, Draft::Draft202012, imported);
        for _ in 0..12 {
            let Value::Object(made) = instance(&schema, &schema, 0, &mut random) else { continue };
            let unexplained = compared.unexplained(&made);
            prop_assert!(unexplained.is_none(), "{unexplained:?}\n{}\n{}\n{:?}", Value::Object(made), json!(compared.imported.template.keys), compared.imported.findings);
        }
    }
}
