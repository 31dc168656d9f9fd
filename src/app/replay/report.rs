//! What a replay reports (docs/design.md §9): proposals, clusters, decisions, where the time went; and which value of a key a text says, as
//! far as words tell.
//!
//! Judges nothing: who gathers it is [`replay`](crate::app::replay). Invariant: where two values stand apart in a text, neither is said.

use serde::Serialize;
use serde_json::Value;

use crate::app::replay::stream::Refusal;
use engine::evolution::patch::Patch;
use engine::evolution::patch::StageChange;
use engine::evolution::stage::Reason;
use engine::evolution::stage::Waiting;
use engine::pool::cohort::Cohorts;
use engine::pool::gate::Audience;
use engine::pool::rationale::Certainty;
use engine::pool::rationale::NameSource;
use engine::scenario::layer;
use engine::scenario::state::State;
use schema::effective::KeyChange;
use schema::effective::Standing;
use schema::key::KeyDefinition;
use schema::mapping_example;
use schema::mapping_example::Shown;
use schema::name::KeyName;
use schema::name::PatchId;
use text::clause::Words;

/// A proposal in a report.
#[derive(Debug, PartialEq, Serialize)]
pub struct ReportedKey {
    pub key_name: KeyName,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub key_type: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraints: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_value: Option<Value>,
    pub semantic_description: String,
    /// What the description shows, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<ReportedExample>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modifies: Option<KeyName>,
    pub stage: &'static str,
    /// Why a person had to look at it before it began; nothing where nobody had to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<Waiting>,
    pub audience: Audience,
    pub induced_at: String,
    /// Which of the ways to a name led to this one; none where nobody noted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_from: Option<NameSource>,
    /// How many of the fragments bear it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certainty: Option<Certainty>,
    /// Who put words to the wish: the name of a model, or of a person; none where the engine alone did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_by: Option<String>,
    /// What a person has to decide about it while it is on trial.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<Waiting>,
    /// What became of it, in order.
    pub stages: Vec<ReportedStage>,
    /// The lines that asked for it.
    pub members: Vec<usize>,
    /// The texts in these lines that lie in its cluster.
    pub fragments: Vec<ReportedFragment>,
}

/// A change of stage in a report.
#[derive(Debug, PartialEq, Serialize)]
pub struct ReportedStage {
    pub at: String,
    pub to: String,
    pub reason: Reason,
    /// Who decided, where a person did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// What a description shows: this text says that value.
#[derive(Debug, PartialEq, Serialize)]
pub struct ReportedExample {
    pub text: String,
    pub value: String,
    /// The first line with a fragment that says the text, the key's own before others'; none where nobody says it as it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// What was said in a line, as the engine read it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ReportedFragment {
    pub line: usize,
    pub text: String,
    /// The value of the key that the text says in its examples' or its known values' words; none where that is not clear.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

impl ReportedKey {
    /// A change as it stands at the end, with what it was learned from; `first_said` is the first line in which anybody says a text.
    pub fn of(
        state: &State,
        patch: &Patch,
        members: Vec<usize>,
        mut fragments: Vec<ReportedFragment>,
        first_said: &dyn Fn(&str) -> Option<usize>,
    ) -> ReportedKey {
        let served = served(state, patch);
        let (definition, described, modifies) = match &patch.change {
            KeyChange::Add(key) => {
                let definition = served.as_ref().unwrap_or(key);
                (Some(definition), &definition.semantic_description, None)
            }
            KeyChange::Refine {
                key_name,
                semantic_description,
                ..
            } => (served.as_ref(), semantic_description, Some(key_name.clone())),
        };
        let shown = mapping_example::shown(described);
        let own = |text: &str| {
            fragments
                .iter()
                .find(|said| said.text.contains(text))
                .map(|said| said.line)
        };
        let examples = shown.iter().map(|example| ReportedExample {
            text: example.said.to_owned(),
            value: example.value.to_owned(),
            line: own(example.said).or_else(|| first_said(example.said)),
        });
        let examples = examples.collect();
        let known = Known::of(&shown, &patch.surfaces);
        for said in &mut fragments {
            said.value = known.value_in(&said.text);
        }
        ReportedKey {
            key_name: patch.change.key_name().clone(),
            title: definition.and_then(KeyDefinition::title).map(str::to_owned),
            key_type: definition
                .and_then(|key| serde_json::to_value(key.key_type).ok())
                .unwrap_or_else(|| Value::String("string".to_owned())),
            constraints: definition
                .filter(|key| !key.constraints.is_empty())
                .map(|key| Value::Object(key.constraints.clone())),
            default_value: definition.and_then(|key| key.default_value.clone()),
            semantic_description: described.clone(),
            examples,
            modifies,
            stage: patch.stage.name(),
            held: patch.held_for(),
            audience: patch.audience.clone(),
            induced_at: patch.timestamp.rfc3339(),
            name_from: patch.grounds.as_ref().map(|grounds| grounds.name.source),
            certainty: patch.grounds.as_ref().and_then(|grounds| grounds.certainty),
            read_by: patch.read_by().map(str::to_owned),
            waits_for: patch.waits_for(),
            stages: patch.history.iter().map(ReportedStage::of).collect(),
            members,
            fragments,
        }
    }
}

impl ReportedStage {
    fn of(change: &StageChange) -> ReportedStage {
        ReportedStage {
            at: change.at.rfc3339(),
            to: change.to.clone(),
            reason: change.reason.clone(),
            by: change.by.as_ref().map(|by| by.principal.clone()),
        }
    }
}

/// The key of a patch as it is served: the one that it adds, or the one that it refines, whoever added that.
fn served(state: &State, patch: &Patch) -> Option<KeyDefinition> {
    let base = state.base_in_force()?;
    let template = layer::effective(state, base, Cohorts::default().addressed(&patch.audience));
    let own = |(id, _): &(PatchId, Standing)| *id == patch.patch_id;
    let mut keys = template.keys.into_iter().chain(template.withdrawn);
    let key = keys.find(|key| match &patch.change {
        KeyChange::Add(_) => key.patch.as_ref().is_some_and(own),
        KeyChange::Refine { key_name, .. } => key.definition.key_name == *key_name,
    });
    key.map(|key| key.definition)
}

/// A cluster in a report.
#[derive(Debug, PartialEq, Serialize)]
pub struct ReportedCluster {
    pub id: u64,
    pub members: Vec<usize>,
    pub heat_max: f64,
    /// Why nothing came of it at the end of the stream; none where a key did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<Waiting>,
}

/// A decision in a report.
#[derive(Debug, PartialEq, Serialize)]
pub struct ReportedDecision {
    /// 0-based line of the stream after which it was made; nothing before the first.
    pub line: Option<usize>,
    pub at: String,
    /// The key that it is about; none where it is about a cluster, or about everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch_id: Option<PatchId>,
    pub says: String,
    /// Why, or how it compares with what was foretold, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
}

/// Where the time went.
#[derive(Debug, Default, PartialEq, Serialize)]
pub struct Seconds {
    pub embed: f64,
    pub engine: f64,
    pub total: f64,
}

/// The report of docs/design.md §9.
#[derive(Debug, PartialEq, Serialize)]
pub struct Report {
    pub scenario: String,
    pub lines: usize,
    /// Lines whose payload fits.
    pub accepted: usize,
    /// Lines whose payload does not, and what is said in their `other` counts all the same; and lines that are not taken at all.
    pub refused: usize,
    /// The first of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<Refusal>,
    pub keys: Vec<ReportedKey>,
    pub clusters: Vec<ReportedCluster>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<ReportedDecision>,
    pub seconds: Seconds,
}

/// What a key is known to be said by.
pub struct Known<'a> {
    /// Words and the value that they say.
    said: Vec<(Words, &'a str)>,
    /// Values that are said by themselves, in whatever words a number has.
    values: &'a [String],
}

impl<'a> Known<'a> {
    /// By what its examples show, and by the values that were read.
    pub fn of(shown: &[Shown<'a>], values: &'a [String]) -> Known<'a> {
        let shown = shown.iter().map(|example| (Words::read(example.said), example.value));
        let by_itself = values.iter().map(|value| (Words::read(value), value.as_str()));
        Known {
            said: shown.chain(by_itself).collect(),
            values,
        }
    }

    /// The value in a text: of "front" and "front row" the longer is meant.
    pub fn value_in(&self, text: &str) -> Option<String> {
        let text = Words::read(text);
        let found: Vec<&(Words, &str)> = self
            .said
            .iter()
            .filter(|(words, _)| !text.runs(words).is_empty())
            .collect();
        let Some((longest, value)) = found.iter().max_by_key(|(words, _)| words.len()) else {
            let numbers = text.numbers();
            let mut read = numbers.iter().filter(|number| self.values.contains(&number.value));
            return read
                .next()
                .filter(|_| read.next().is_none())
                .map(|number| number.value.clone());
        };
        let is_one = |(words, other): &&(Words, &str)| other == value || !longest.runs(words).is_empty();
        found.iter().all(is_one).then(|| (*value).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::Known;
    use super::ReportedFragment;
    use super::ReportedKey;
    use crate::app::scene::Scene;
    use crate::app::scene::candidate_of;
    use crate::app::scene::key_name;
    use engine::evolution::patch::Patch;
    use engine::pool::gate::Audience;
    use engine::pool::hold::Hold;
    use schema::effective::KeyChange;
    use schema::mapping_example;

    fn reported(scene: &Scene, patch: &Patch, texts: &[&str]) -> Value {
        let said = texts.iter().enumerate().map(|(line, text)| ReportedFragment {
            line,
            text: (*text).to_owned(),
            value: None,
        });
        let lines = (0..texts.len()).collect();
        let of_others = |text: &str| (text == "said by others").then_some(40);
        let key = ReportedKey::of(&scene.state, patch, lines, said.collect(), &of_others);
        serde_json::to_value(key).expect("a key")
    }

    fn seat() -> (Scene, Patch) {
        let mut scene = Scene::new();
        let key = json!({"key_name": "seat_preference", "title": "Sitzplatz", "key_type": "array", "required": false,
            "semantic_description": "Seat. Examples: 'by the glass' -> window; 'said by others' -> aisle; 'said by nobody' -> aisle."});
        let id = scene.propose_for(&Audience::Global, candidate_of(&key));
        let patch = scene.patch(&id).clone();
        (scene, patch)
    }

    #[test]
    fn a_key_is_told_with_its_examples_lines_values_and_what_held_it() {
        let (scene, mut patch) = seat();
        patch.surfaces = vec!["aisle".to_owned()];
        patch.sensitive = Some("payment_details".to_owned());
        patch.holds = vec![Hold::Name];
        let key = reported(&scene, &patch, &["anything", "a seat by the glass", "the aisle"]);
        assert_eq!((&key["title"], key.get("read_by")), (&json!("Sitzplatz"), None));
        assert_eq!(
            key["examples"],
            json!([
                {"text": "by the glass", "value": "window", "line": 1},
                {"text": "said by others", "value": "aisle", "line": 40},
                {"text": "said by nobody", "value": "aisle"},
            ])
        );
        assert_eq!(
            key["fragments"],
            json!([
                {"line": 0, "text": "anything"},
                {"line": 1, "text": "a seat by the glass", "value": "window"},
                {"line": 2, "text": "the aisle", "value": "aisle"},
            ])
        );
        assert_eq!(
            key["held"],
            json!([
                {"code": "sensitive", "detail": "its meaning is sensitive (payment details)"},
                {"code": "name", "detail": "its name says too little by itself"},
            ])
        );
    }

    #[test]
    fn a_refinement_is_told_with_the_key_that_it_refines_as_that_is_served() {
        let (scene, mut patch) = seat();
        for (name, key_type, title) in [
            ("seat_preference", "array", json!("Sitzplatz")),
            ("legroom", "boolean", Value::Null),
        ] {
            patch.change = KeyChange::Refine {
                key_name: key_name(name),
                semantic_description: "Better words. Examples: 'so' -> true.".to_owned(),
                values: Vec::new(),
                closes: false,
            };
            let key = reported(&scene, &patch, &["so"]);
            assert_eq!((&key["key_type"], &key["modifies"]), (&json!(key_type), &json!(name)));
            assert_eq!(key["title"], title);
            assert_eq!(key["semantic_description"], "Better words. Examples: 'so' -> true.");
            assert_eq!(key["examples"], json!([{"text": "so", "value": "true", "line": 0}]));
        }
    }

    fn value(text: &str) -> Option<String> {
        let shown = mapping_example::shown("Seat. Examples: 'by the glass' -> window; 'a front seat' -> front.");
        let values = ["front", "front row", "aisle", "2", "15:30"].map(str::to_owned);
        Known::of(&shown, &values).value_in(text)
    }

    #[test]
    fn a_text_says_the_value_that_its_words_led_to_or_that_stands_in_it() {
        for (text, says) in [
            ("somewhere by the glass", Some("window")),
            ("An AISLE seat", Some("aisle")),
            ("the front row", Some("front row")),
            ("a front seat please", Some("front")),
            ("two of them", Some("2")),
            ("at half past three, 15:30", Some("15:30")),
            ("aisle, or by the glass", None),
            ("in the middle", None),
            ("12 of them", None),
        ] {
            assert_eq!(value(text).as_deref(), says, "{text}");
        }
    }
}
