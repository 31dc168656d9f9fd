//! What can be said of a submission before any vector: readings of its fragments, covered demand, judgements; and which of its
//! values, judged by a proxy or not at all, a model is asked about: a sample of them (docs/design.md §7).
//!
//! Asks nobody itself; a value about which no answer comes stays as the rules judged it.

use serde_json::Value;

use crate::evolution::judge;
use crate::evolution::judge::asked;
use crate::evolution::ledger::Basis;
use crate::evolution::patch::Patch;
use crate::pool::analysis;
use crate::pool::analysis::Analysis;
use crate::pool::analysis::NoDemand;
use crate::pool::assignment::Embedded;
use crate::pool::coverage;
use crate::pool::heads::Heads;
use crate::pool::source::Source;
use crate::scenario::command::Command;
use crate::scenario::command::Digested;
use crate::scenario::command::Digestion;
use crate::scenario::event::Judged;
use crate::scenario::event::Judgement;
use crate::scenario::submission::Pending;
use crate::scenario::submission::Sealed;
use schema::effective::EffectiveTemplate;
use schema::effective::KeyChange;
use schema::name::KeyName;
use schema::name::OTHER;
use schema::name::PatchId;
use schema::question::Question;
use schema::time::At;
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
    let other = other_strings(sealed);
    let judged = cases(pending, sealed, template, patches, &other).filter_map(|(patch, case)| {
        let (aligned, basis) = judge::judge(&case)?;
        let patch_id = patch.patch_id.clone();
        Some(Judgement {
            patch_id,
            aligned,
            basis,
        })
    });
    judged.collect()
}

/// What there is to judge, one value after another; `other` is what the payload left there.
fn cases<'a>(
    pending: &'a Pending,
    sealed: &'a Sealed,
    template: &'a EffectiveTemplate,
    patches: &'a [Patch],
    other: &'a [String],
) -> impl Iterator<Item = (&'a Patch, judge::Case<'a>)> {
    let said = sealed.utterance.as_deref();
    let utterance = said.filter(|said| said.len() <= UTTERANCE_BYTES_MAX);
    let right_type = pending.observed.iter().filter(|observed| observed.type_ok);
    right_type.filter_map(move |observed| {
        let patch = patches.iter().find(|patch| patch.patch_id == observed.patch_id)?;
        let value = sealed.payload.get(observed.key.as_str())?;
        let key = match &patch.change {
            KeyChange::Add(key) => key,
            // What makes a list longer answers for what it added, and for no other value.
            KeyChange::Refine { values, .. } if !values.is_empty() && !brings(values, value) => return None,
            KeyChange::Refine { key_name, .. } => &template.key(key_name)?.definition,
        };
        let case = judge::Case {
            key,
            value,
            utterance,
            other,
        };
        Some((patch, case))
    })
}

/// Whether a value is one of these, or holds one.
fn brings(values: &[String], value: &Value) -> bool {
    match value {
        Value::String(text) => values.contains(text),
        Value::Array(items) => items.iter().any(|item| brings(values, item)),
        _ => false,
    }
}

impl Prepared {
    /// Texts to embed, in the order in which [`Prepared::into_digestion`] takes the vectors.
    pub fn texts(&self, sealed: &Sealed) -> Vec<String> {
        let read = self.fragments.iter().zip(&sealed.fragments);
        let demand = read.filter(|(read, _)| matches!(read, Read::Demand(_)));
        demand.map(|(_, text)| text.clone()).collect()
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
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// A value to ask about.
#[derive(Clone, Debug, PartialEq)]
pub struct Undecided {
    of: u64,
    said_at: At,
    source: Source,
    key_name: KeyName,
    /// Whose value it is, the patch that added the key and those that refine it, and what the rules said for each.
    patches: Vec<(PatchId, Option<(bool, Basis)>)>,
    pub question: Question,
}

/// The values of a submission that are in the sample of that share, each once. `patches` are those whose keys it carried.
pub fn undecided(
    of: u64,
    pending: &Pending,
    sealed: &Sealed,
    template: &EffectiveTemplate,
    patches: &[Patch],
    share: f64,
) -> Vec<Undecided> {
    let mut found: Vec<Undecided> = Vec::new();
    if share <= 0.0 {
        return found;
    }
    let other = other_strings(sealed);
    for (patch, case) in cases(pending, sealed, template, patches, &other) {
        if patch.sensitive.is_some() || !asked::sampled(of, &patch.patch_id, share) {
            continue;
        }
        let instead = judge::judge(&case);
        let Some(question) = asked::question(&case, &template.base.scenario, instead.map(|(_, basis)| basis)) else {
            continue;
        };
        let key_name = &case.key.key_name;
        let judged = (patch.patch_id.clone(), instead);
        match found.iter_mut().find(|asked| asked.key_name == *key_name) {
            Some(asked) => asked.patches.push(judged),
            None => found.push(Undecided {
                of,
                said_at: pending.at,
                source: Source::of(pending.client.as_ref()),
                key_name: key_name.clone(),
                patches: vec![judged],
                question,
            }),
        }
    }
    found
}

impl Undecided {
    /// What the answer of a model ends in, for each of the patches; nothing when it could not tell.
    pub fn judged(self, answer: &Value, by: &str) -> Vec<Command> {
        let Some(aligned) = asked::answer(answer) else {
            return Vec::new();
        };
        let judged = |(patch_id, instead)| {
            Command::Judge(Judged {
                of: self.of,
                said_at: self.said_at,
                source: Some(self.source.clone()),
                judgement: Judgement {
                    patch_id,
                    aligned,
                    basis: Basis::Llm,
                },
                instead,
                by: by.to_owned(),
            })
        };
        self.patches.into_iter().map(judged).collect()
    }
}

#[cfg(test)]
mod tests;
