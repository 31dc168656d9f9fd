//! Imports every schema of the JSON-Schema-Test-Suite and compares verdicts: `cargo run -p schema --example import_suite -- SUITE`.
//!
//! A disagreement is an instance that the template accepts and the suite refuses, or the other way round; it counts as undeclared
//! where the import reports no finding with that effect.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use schema::effective::EffectiveTemplate;
use schema::exchange::other::OtherLimits;
use schema::exchange::validator::Validator;
use schema::import::Options;
use schema::import::finding::Effect;
use schema::import::finding::ImportFinding;
use schema::import::import;
use schema::template::SchemaTemplate;
use serde_json::Value;
use serde_json::json;

const DRAFTS: [(&str, &str); 3] = [
    ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
    ("draft7", "http://json-schema.org/draft-07/schema#"),
    ("draft4", "http://json-schema.org/draft-04/schema#"),
];

/// Counts of one draft.
#[derive(Default)]
struct Tally(BTreeMap<&'static str, usize>);

impl Tally {
    fn add(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }
}

fn main() {
    let suite = std::env::args().nth(1).expect("usage: import_suite SUITE");
    for (draft, dialect) in DRAFTS {
        for folder in ["", "optional", "optional/format"] {
            let mut tally = Tally::default();
            let folder = Path::new(&suite).join("tests").join(draft).join(folder);
            let mut files: Vec<_> = fs::read_dir(&folder)
                .expect("a folder of the suite")
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
                .collect();
            files.sort();
            for file in files {
                let groups: Value = serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
                for group in groups.as_array().into_iter().flatten() {
                    compare(&file, dialect, group, &mut tally);
                }
            }
            println!("{}: {:?}", folder.display(), tally.0);
        }
    }
}

/// Imports the schema of one group and compares the verdict on each instance: the whole as one key, and its members as keys where
/// the instance is an object. A schema that names no type is given that of the instance, since a key has one, and the finding that
/// says so would hide what else differs.
fn compare(file: &Path, dialect: &str, group: &Value, tally: &mut Tally) {
    let limits = OtherLimits {
        strings_max: 1,
        bytes_max: 1,
    };
    let file = file.file_name().unwrap_or_default().display();
    tally.add("schemas");
    for test in group["tests"].as_array().into_iter().flatten() {
        let instance = &test["data"];
        let mut schema = group["schema"].clone();
        if let Value::Object(members) = &mut schema {
            members.entry("$schema").or_insert(json!(dialect));
            if !group["schema"].to_string().contains(r##""$ref":"#""##) && !members.contains_key("$ref") {
                members.entry("type").or_insert(json!(type_of(instance)));
            }
        }
        for key in [Some("v"), None]
            .into_iter()
            .filter(|key| key.is_some() || instance.is_object())
        {
            let options = Options {
                scenario: Some("suite"),
                key,
                ..Options::default()
            };
            tally.add("instances");
            let Ok(imported) = import(&schema, &options) else {
                tally.add("refused");
                continue;
            };
            let payload = match key {
                Some(key) => json!({key: instance}),
                None => named(instance, &imported.template),
            };
            let validator = Validator::compile(&EffectiveTemplate::compose(&imported.template, &[], 0), limits);
            let verdict = validator.check(&payload.to_string(), &|_| true, false);
            let accepted = verdict.is_ok_and(|verdict| verdict.accepted());
            let effect = match (accepted, test["valid"] == true) {
                (true, false) => Effect::Unenforced,
                (false, true) => Effect::Narrowed,
                _ => continue,
            };
            let declares = |finding: &ImportFinding| {
                finding.effect == effect || ["format", "$schema"].contains(&finding.what.as_str())
            };
            let has_null = instance
                .as_object()
                .is_some_and(|members| members.values().any(Value::is_null));
            if imported.findings.iter().any(declares) {
                tally.add("declared");
            } else if accepted && key.is_none() && has_null {
                tally.add("null left out");
            } else {
                tally.add("undeclared");
                let (of, what) = (&group["description"], &test["description"]);
                println!(
                    "{file}: {of} / {what}: {key:?}, accepted {accepted}\n    {}",
                    group["schema"]
                );
            }
        }
    }
}

/// The members of an instance by the names of their keys.
fn named(instance: &Value, template: &SchemaTemplate) -> Value {
    let name_of = |member: &String| {
        let key = template
            .keys
            .iter()
            .find(|key| key.title().unwrap_or(key.key_name.as_str()) == member);
        key.map_or_else(|| member.clone(), |key| key.key_name.to_string())
    };
    let members = instance.as_object().into_iter().flatten();
    Value::Object(members.map(|(name, value)| (name_of(name), value.clone())).collect())
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
