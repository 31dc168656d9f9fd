//! Which hosted scenario a wish in plain words means, if any (docs/design.md §8, `q`).
//!
//! A scenario is known by what its template says of itself: name, description, keys, their values and examples. A wish is known by its vector and its
//! words. Vectors come from outside; so does who may see what. Invariant: the same wish and template have the same
//! likeness, whatever else is hosted; only the floor rises with the number of scenarios.

use std::collections::BTreeSet;

use text::phrase;
use text::phrase::Phrase;

use schema::closed_list;
use schema::effective::EffectiveTemplate;
use schema::mapping_example;
use schema::name::OTHER;
use text::closed;
use text::vector::Cosine;
use text::vector::Vector;

/// Keys that take part; a template may have more.
const KEYS_MAX: usize = 64;
/// Characters of a key's description that take part.
const KEY_CHARS_MAX: usize = 200;
/// Examples that take part, and characters of one.
const SAID_MAX: usize = 32;
const SAID_CHARS_MAX: usize = 120;
/// Values that take part by their words.
const VALUES_MAX: usize = 256;
/// Keys that are averaged: a wish names some of what a service knows, never all.
const BEST_KEYS: usize = 3;
/// What each part weighs; together one. Measured with everyday requests against small catalogues, see `docs/search.md`.
const HEAD: f64 = 0.35;
const WHOLE: f64 = 0.22;
const KEYS: f64 = 0.1;
const SAID: f64 = 0.2;
const WORDS: f64 = 0.13;
/// How much nearer an example may be than what the service says that it is: one that merely mentions another matter, as those of
/// a service for everybody do, says little of what it is for.
const AHEAD: f64 = 0.3;
/// How much the floor rises each time the number of scenarios doubles: the more there are, the likelier it is that one of
/// them resembles a wish by chance.
const RISE: f64 = 0.013;

/// What a template says of itself, as texts that a model reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScenarioText {
    /// Its name, its description, and both together.
    pub heads: Vec<String>,
    /// Name, description and the names of its keys, in one breath.
    pub whole: String,
    /// Each key's name with what it means.
    pub keys: Vec<String>,
    /// What users say in the examples of its keys.
    pub said: Vec<String>,
    /// The listed values of its keys, which the model does not read: a value alone resembles too much.
    pub values: Vec<String>,
}

/// A scenario's texts as a model reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioEmbedding {
    heads: Vec<Vector>,
    whole: Vector,
    keys: Vec<Vector>,
    said: Vec<Vector>,
    words: BTreeSet<String>,
}

/// A request in plain words, read by the same model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    vector: Vector,
    words: BTreeSet<String>,
}

impl ScenarioText {
    /// The texts of what a caller is served. Withdrawn keys and `other` say nothing of what a service is for.
    pub fn of(template: &EffectiveTemplate) -> ScenarioText {
        let name = spoken(template.base.scenario_key().as_str());
        let keys: Vec<_> = template
            .keys
            .iter()
            .map(|key| &key.definition)
            .filter(|key| key.key_name.as_str() != OTHER)
            .take(KEYS_MAX)
            .collect();
        let names: Vec<String> = keys.iter().map(|key| spoken(key.key_name.as_str())).collect();
        let mut heads = vec![name.clone()];
        let mut whole = name.clone();
        if let Some(description) = &template.base.description {
            heads.push(description.clone());
            heads.push(format!("{name}: {description}"));
            whole = format!("{whole}. {description}");
        }
        if !names.is_empty() {
            whole = format!("{whole}. {}", names.join("; "));
        }
        let mut said: Vec<String> = Vec::new();
        let examples = keys
            .iter()
            .flat_map(|key| mapping_example::shown(&key.semantic_description));
        for example in examples {
            let saying: String = example.said.chars().take(SAID_CHARS_MAX).collect();
            if said.len() < SAID_MAX && !said.contains(&saying) {
                said.push(saying);
            }
        }
        let listed = keys.iter().filter_map(|key| closed_list::values(&key.constraints));
        let values = listed.flatten().take(VALUES_MAX).map(spoken).collect();
        let keys = names
            .iter()
            .zip(&keys)
            .map(|(name, key)| format!("{name}: {}", first_sentence(&key.semantic_description)))
            .collect();
        ScenarioText {
            heads,
            whole,
            keys,
            said,
            values,
        }
    }

    /// All its texts that a model reads: heads, whole, keys, what is said.
    pub fn texts(&self) -> Vec<String> {
        let whole = std::iter::once(&self.whole);
        let texts = self.heads.iter().chain(whole).chain(&self.keys).chain(&self.said);
        texts.cloned().collect()
    }

    /// The embedding with one vector for each of [`ScenarioText::texts`], in order; `None` when their number differs.
    pub fn read(&self, vectors: Vec<Vector>) -> Option<ScenarioEmbedding> {
        if vectors.len() != self.heads.len() + 1 + self.keys.len() + self.said.len() {
            return None;
        }
        let mut vectors = vectors.into_iter();
        let heads = vectors.by_ref().take(self.heads.len()).collect();
        let whole = vectors.next()?;
        let keys = vectors.by_ref().take(self.keys.len()).collect();
        let texts = self.texts();
        let words = texts
            .iter()
            .chain(&self.values)
            .flat_map(|text| content(text))
            .collect();
        Some(ScenarioEmbedding {
            heads,
            whole,
            keys,
            said: vectors.collect(),
            words,
        })
    }
}

impl Wish {
    /// A text and its vector.
    pub fn new(text: &str, vector: Vector) -> Wish {
        Wish {
            vector,
            words: content(text).collect(),
        }
    }

    /// How well a scenario answers the wish, 0 to 1.
    pub fn likeness(&self, scenario: &ScenarioEmbedding) -> f64 {
        let near = |vector: &Vector| share(self.vector.cosine(vector));
        let head = scenario.heads.iter().map(near).fold(0.0, f64::max);
        let mut keys: Vec<f64> = scenario.keys.iter().map(near).collect();
        keys.sort_by(|one, other| other.total_cmp(one));
        keys.truncate(BEST_KEYS);
        let keys = if keys.is_empty() {
            head
        } else {
            keys.iter().sum::<f64>() / keys.len() as f64
        };
        let whole = near(&scenario.whole);
        let said = scenario.said.iter().map(near).reduce(f64::max).unwrap_or(head);
        let said = said.min(head.max(whole) + AHEAD);
        let shared = self.words.intersection(&scenario.words).count();
        let words = shared as f64 / self.words.len().max(1) as f64;
        HEAD * head + WHOLE * whole + KEYS * keys + SAID * said + WORDS * words
    }
}

/// The likeness below which nothing is a match, among so many scenarios; `least` is the one for a single scenario.
pub fn floor(least: f64, scenarios: usize) -> f64 {
    least + RISE * (scenarios.max(1) as f64).log2()
}

/// A cosine as 0 to 1; what points away from each other has nothing in common.
fn share(cosine: Cosine) -> f64 {
    cosine.value().clamp(0.0, 1.0)
}

/// `flight_booking` as it is said.
fn spoken(name: &str) -> String {
    name.split('_')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn first_sentence(description: &str) -> String {
    let end = description.find(". ").unwrap_or(description.len());
    description[..end].chars().take(KEY_CHARS_MAX).collect()
}

/// Stems of the words that mean something by themselves.
fn content(text: &str) -> impl Iterator<Item = String> {
    let words: Vec<String> = Phrase::read(text).words().to_vec();
    let means = |word: &String| word.len() > 2 && !closed::is_common(word);
    words
        .into_iter()
        .filter(means)
        .filter_map(|word| phrase::content(&word))
}

#[cfg(test)]
mod tests;
