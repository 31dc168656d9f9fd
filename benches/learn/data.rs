//! The evaluation data as it lies in its folder: templates, streams and what was hidden. Reads; changes nothing.

use std::path::Path;
use std::path::PathBuf;

use schema::key::KeyDefinition;
use schema::name::OTHER;
use schema::template::SchemaTemplate;
use serde::Deserialize;
use serde::Deserializer;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

/// A slot that was hidden from a template.
#[derive(Debug, Deserialize)]
pub struct Hidden {
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub is_categorical: bool,
    #[serde(default)]
    pub possible_values: Vec<String>,
    /// Names under which a switch means the opposite.
    #[serde(default)]
    pub negated_names: Vec<String>,
    pub type_guess: Map<String, Value>,
}

/// A value that a line says.
#[derive(Clone, Debug, Deserialize)]
pub struct Said {
    pub slot: String,
    pub text: String,
    pub canonical: String,
}

/// What one line of the stream says.
#[derive(Clone, Debug, Deserialize)]
pub struct Gold {
    /// The slot; where a line says several things, all of them with `+` between.
    #[serde(deserialize_with = "label")]
    pub gold: String,
    #[serde(default)]
    pub values: Vec<Said>,
    /// Its parts, where it says several things.
    #[serde(default)]
    pub fragments: Vec<Fragment>,
}

/// A part of a line.
#[derive(Clone, Debug, Deserialize)]
pub struct Fragment {
    pub text: String,
    #[serde(deserialize_with = "label")]
    pub gold: String,
}

impl Gold {
    /// Each of the things that the line says.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        labels(&self.gold)
    }
}

/// Labels that stand in one.
fn labels(gold: &str) -> impl Iterator<Item = &str> {
    gold.split('+')
}

impl Fragment {
    /// Each of the things that it says.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        labels(&self.gold)
    }
}

/// One label, or a list of them.
fn label<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Labels {
        One(String),
        Several(Vec<String>),
    }
    Ok(match Labels::deserialize(input)? {
        Labels::One(label) => label,
        Labels::Several(labels) => labels.join("+"),
    })
}

#[derive(Debug, Deserialize)]
struct GoldFile {
    hidden: Vec<Hidden>,
    lines: Vec<Gold>,
}

/// One line of the stream.
#[derive(Clone, Debug, Deserialize)]
pub struct Line {
    pub at: String,
    pub client: String,
    pub schema_id: String,
    pub payload: Map<String, Value>,
    #[serde(default)]
    pub utterance: Option<String>,
}

/// One scenario with everything that is known of it.
#[derive(Debug)]
pub struct Scenario {
    pub name: String,
    pub template: SchemaTemplate,
    pub hidden: Vec<Hidden>,
    pub gold: Vec<Gold>,
    pub lines: Vec<Line>,
}

/// The folders of a set of scenarios, by name.
pub fn folders(set: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(set)
        .map(|entries| {
            entries
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| path.join("gold.json").is_file())
                .collect()
        })
        .unwrap_or_default();
    folders.sort();
    folders
}

/// Reads one scenario.
///
/// # Errors
/// The file that is not as it should be, in a sentence.
pub fn scenario(folder: &Path) -> Result<Scenario, String> {
    let read = |name: &str| {
        let path = folder.join(name);
        std::fs::read_to_string(&path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
    };
    let wrong = |name: &str, what: String| format!("{}/{name}: {what}", folder.display());
    let document: Value =
        serde_json::from_str(&read("template.json")?).map_err(|e| wrong("template.json", e.to_string()))?;
    let (template, _) = SchemaTemplate::parse(&document).map_err(|e| wrong("template.json", format!("{e:?}")))?;
    let gold: GoldFile = serde_json::from_str(&read("gold.json")?).map_err(|e| wrong("gold.json", e.to_string()))?;
    let lines = read("stream.jsonl")?
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).map_err(|e| wrong("stream.jsonl", e.to_string())))
        .collect::<Result<Vec<Line>, String>>()?;
    if lines.len() != gold.lines.len() {
        return Err(wrong(
            "gold.json",
            "it has another number of lines than the stream".to_owned(),
        ));
    }
    Ok(Scenario {
        name: folder
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        template,
        hidden: gold.hidden,
        gold: gold.lines,
        lines,
    })
}

impl Line {
    /// What was said: the utterance, or what stands in `other`.
    pub fn utterance(&self) -> &str {
        let other = || self.payload.get(OTHER).and_then(Value::as_str);
        self.utterance.as_deref().or_else(other).unwrap_or_default()
    }
}

impl Scenario {
    /// The first word of the name behind the corpus: `sgd_buses_2` is of `buses`.
    pub fn domain(&self) -> &str {
        let mut parts = self.name.splitn(2, '_');
        let rest = parts.nth(1).unwrap_or(&self.name);
        rest.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_')
    }

    /// Every key that the scenario would have with nothing hidden, without `other`.
    pub fn keys(&self) -> Vec<KeyDefinition> {
        let visible = self
            .template
            .keys
            .iter()
            .filter(|key| key.key_name.as_str() != OTHER)
            .cloned();
        visible.chain(self.hidden.iter().filter_map(Hidden::key)).collect()
    }
}

impl Hidden {
    /// The slot as the key that a person would have written.
    pub fn key(&self) -> Option<KeyDefinition> {
        let key_type = self.type_guess.get("type").and_then(Value::as_str).unwrap_or("string");
        let mut constraints = Map::new();
        if let Some(format) = self.type_guess.get("format") {
            constraints.insert("format".to_owned(), format.clone());
        } else if self.is_categorical && key_type == "string" && !self.possible_values.is_empty() {
            constraints.insert("enum".to_owned(), json!(self.possible_values));
        }
        serde_json::from_value(json!({
            "key_name": self.name, "key_type": key_type, "required": false,
            "semantic_description": self.description, "constraints": constraints,
        }))
        .ok()
    }
}
