//! What can be said of a submission before any vector: readings of its fragments, covered demand, judgements.

use serde_json::Value;

use crate::evolution::judge;
use crate::evolution::patch::Patch;
use crate::pool::analysis;
use crate::pool::analysis::Analysis;
use crate::pool::analysis::NoDemand;
use crate::pool::assignment::Embedded;
use crate::pool::coverage;
use crate::pool::heads::Heads;
use crate::scenario::command::Digested;
use crate::scenario::command::Digestion;
use crate::scenario::event::Judgement;
use crate::scenario::state::Pending;
use crate::scenario::submission::Sealed;
use schema::effective::EffectiveTemplate;
use schema::effective::KeyChange;
use schema::name::KeyName;
use schema::name::OTHER;
use schema::name::PatchId;
use text::vector::Vector;

/// Bytes of an utterance by which values are judged, as many as of one string of `other`; a longer one is no turn of a talk, and says
/// nothing of one value.
const UTTERANCE_BYTES_MAX: usize = 2_000;

/// Log-odds from which on a fragment asks for something. A little below an even chance: on services that it was not trained on what is let
/// in wrongly comes to no cluster, and what is kept out wrongly is lost.
const DEMAND_MIN: f64 = -0.5;

/// One fragment, read.
#[derive(Clone, Debug, PartialEq)]
pub enum Read {
    NoDemand(NoDemand),
    Covered(KeyName),
    /// To be embedded as it stands.
    Demand(Analysis),
}

/// The readable part of digesting a submission.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prepared {
    /// Parallel to the sealed fragments.
    pub fragments: Vec<Read>,
    pub judgements: Vec<Judgement>,
}

/// Reads fragments and judges values. `template` is the one in force for the submission's client, `patches` are those
/// whose keys the submission carried.
pub fn prepare(pending: &Pending, sealed: &Sealed, template: &EffectiveTemplate, patches: &[Patch]) -> Prepared {
    Prepared {
        fragments: read(&sealed.fragments, template),
        judgements: judgements(pending, sealed, template, patches),
    }
}

/// Reads fragments, one after another.
pub fn read(fragments: &[String], template: &EffectiveTemplate) -> Vec<Read> {
    let each = fragments.iter().map(|text| {
        let analysed = text::analysis::Analysis::of(text);
        match analysis::analyse(&analysed) {
            Err(reason) => Read::NoDemand(reason),
            Ok(read) => match coverage::covering(&analysed, &template.keys) {
                Some(key) => Read::Covered(key),
                None => Read::Demand(read),
            },
        }
    });
    each.collect()
}

/// Judges every patch value of right type that the submission carried.
fn judgements(pending: &Pending, sealed: &Sealed, template: &EffectiveTemplate, patches: &[Patch]) -> Vec<Judgement> {
    let mut judgements = Vec::new();
    each_case(pending, sealed, template, patches, &mut |patch_id, case| {
        if let Some((aligned, basis)) = judge::judge(case) {
            judgements.push(Judgement {
                patch_id: patch_id.clone(),
                aligned,
                basis,
            });
        }
    });
    judgements
}

/// Hands over what there is to judge, one value after another.
pub fn each_case(
    pending: &Pending,
    sealed: &Sealed,
    template: &EffectiveTemplate,
    patches: &[Patch],
    judge: &mut dyn FnMut(&PatchId, &judge::Case<'_>),
) {
    let other = other_strings(sealed);
    for observed in pending.observed.iter().filter(|observed| observed.type_ok) {
        let Some(patch) = patches.iter().find(|patch| patch.patch_id == observed.patch_id) else {
            continue;
        };
        let Some(value) = sealed.payload.get(observed.key.as_str()) else {
            continue;
        };
        let key = match &patch.change {
            KeyChange::Add(key) => Some(key),
            // What makes a list longer answers for what it added, and for no other value.
            KeyChange::Refine { values, .. } if !values.is_empty() && !brings(values, value) => None,
            KeyChange::Refine { key_name, .. } => template.key(key_name).map(|key| &key.definition),
        };
        let Some(key) = key else { continue };
        let utterance = sealed
            .utterance
            .as_deref()
            .filter(|said| said.len() <= UTTERANCE_BYTES_MAX);
        let case = judge::Case {
            key,
            value,
            utterance,
            other: &other,
        };
        judge(&observed.patch_id, &case);
    }
}

/// Whether a value is one of these, or holds one.
fn brings(values: &[String], value: &Value) -> bool {
    match value {
        Value::String(text) => values.contains(text),
        Value::Array(items) => items.iter().any(|item| brings(values, item)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

impl Prepared {
    /// Texts to embed, in the order in which [`Prepared::into_digestion`] takes the vectors.
    pub fn texts(&self, sealed: &Sealed) -> Vec<String> {
        self.fragments
            .iter()
            .zip(&sealed.fragments)
            .filter(|(read, _)| matches!(read, Read::Demand(_)))
            .map(|(_, text)| text.clone())
            .collect()
    }

    /// Ends the digestion: one vector for each text, `None` where the model failed. `heads` tell which of them ask for something; without
    /// them all do.
    pub fn into_digestion(self, of: u64, vectors: Vec<Option<Vector>>, heads: Option<&Heads>) -> Digestion {
        let asks = |vector: &Vector| {
            heads
                .and_then(|heads| heads.demand.score(vector))
                .is_none_or(|score| score >= DEMAND_MIN)
        };
        let mut vectors = vectors.into_iter();
        let fragments = self
            .fragments
            .into_iter()
            .map(|read| match read {
                Read::NoDemand(reason) => Digested::NoDemand(reason),
                Read::Covered(key) => Digested::Covered(key),
                Read::Demand(reading) => match vectors.next().flatten() {
                    Some(vector) if !asks(&vector) => Digested::NoDemand(NoDemand::NothingAsked),
                    Some(vector) => Digested::Embedded(Box::new(Embedded {
                        reading,
                        vector,
                        covered_by: None,
                    })),
                    None => Digested::Failed,
                },
            })
            .collect();
        Digestion {
            of,
            fragments,
            judgements: self.judgements,
        }
    }
}

/// What the payload left in `other`, string by string.
pub fn other_strings(sealed: &Sealed) -> Vec<String> {
    match sealed.payload.get(OTHER) {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => items
            .iter()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
