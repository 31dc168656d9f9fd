//! What can be said of a submission before any vector: readings of its fragments, covered demand, judgements.

use crate::domain::evolution::judge;
use crate::domain::pool::covered;
use crate::domain::pool::reading;
use crate::domain::pool::reading::NoDemand;
use crate::domain::pool::reading::Reading;
use crate::domain::scenario::event::Judgement;
use crate::domain::scenario::layer;
use crate::domain::scenario::state::Base;
use crate::domain::scenario::state::Pending;
use crate::domain::scenario::state::State;
use crate::domain::scenario::submission::Sealed;
use crate::domain::template::effective::EffectiveTemplate;
use crate::domain::template::effective::KeyChange;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::OTHER;

/// One fragment, read.
#[derive(Clone, Debug, PartialEq)]
pub enum Read {
    NoDemand(NoDemand),
    Covered(KeyName),
    /// To be embedded as it stands.
    Demand(Reading),
}

/// The readable part of digesting a submission.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prepared {
    /// Parallel to the sealed fragments.
    pub fragments: Vec<Read>,
    pub judgements: Vec<Judgement>,
}

/// Words of the service itself: they carry no demand of their own.
pub fn service_words(template: &EffectiveTemplate) -> Vec<String> {
    let base = &template.base;
    let text = format!(
        "{} {}",
        base.scenario.replace(['_', '-'], " "),
        base.description.as_deref().unwrap_or("")
    );
    let mut words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 2)
        .map(str::to_lowercase)
        .collect();
    words.sort();
    words.dedup();
    words
}

/// The template by which a pending submission is read: its base, with the layer now in force for its client.
pub fn template_of(state: &State, pending: &Pending) -> Option<EffectiveTemplate> {
    let base: &Base = state.bases.get(&pending.schema_id)?;
    Some(layer::effective(state, base, pending.client.as_ref()))
}

/// Reads fragments and judges values.
pub fn prepare(state: &State, pending: &Pending, sealed: &Sealed, template: &EffectiveTemplate) -> Prepared {
    let words = service_words(template);
    let fragments = sealed
        .fragments
        .iter()
        .map(|text| match reading::read(text, &words) {
            Err(reason) => Read::NoDemand(reason),
            Ok(read) => match covered::covered_by(text, &read, &template.keys) {
                Some(key) => Read::Covered(key),
                None => Read::Demand(read),
            },
        })
        .collect();
    Prepared {
        fragments,
        judgements: judgements(state, pending, sealed),
    }
}

/// Judges every patch value of right type that the submission carried.
fn judgements(state: &State, pending: &Pending, sealed: &Sealed) -> Vec<Judgement> {
    let other = other_strings(sealed);
    let mut judgements = Vec::new();
    for observed in pending.observed.iter().filter(|observed| observed.type_ok) {
        let Some(patch) = state.patch(&observed.patch_id) else {
            continue;
        };
        let Some(value) = sealed.payload.get(observed.key.as_str()) else {
            continue;
        };
        let key = match &patch.change {
            KeyChange::Add(key) => Some(key),
            KeyChange::Refine {
                key_name,
                semantic_description: _,
            } => state
                .bases
                .get(&pending.schema_id)
                .and_then(|base| base.template.key(key_name)),
        };
        let Some(key) = key else { continue };
        let case = judge::Case {
            key,
            value,
            utterance: sealed.utterance.as_deref(),
            other: &other,
            surfaces: &patch.surfaces,
        };
        if let Some((aligned, basis)) = judge::judge(&case) {
            judgements.push(Judgement {
                patch_id: observed.patch_id.clone(),
                aligned,
                basis,
            });
        }
    }
    judgements
}

fn other_strings(sealed: &Sealed) -> Vec<String> {
    match sealed.payload.get(OTHER) {
        Some(serde_json::Value::String(text)) => vec![text.clone()],
        Some(serde_json::Value::Array(items)) => items
            .iter()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect(),
        Some(
            serde_json::Value::Null
            | serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::Object(_),
        )
        | None => Vec::new(),
    }
}
