//! Values of a digested submission that the rules judged by a proxy or not at all, and that a model is asked about: a
//! sample of them (docs/design.md §7).
//!
//! Reads the same cases as [`super::digest`]. Asks nobody itself; a value about which no answer comes stays as the rules
//! judged it.

use serde_json::Value;

use crate::evolution::judge;
use crate::evolution::judge::asked;
use crate::evolution::ledger::Basis;
use crate::evolution::patch::Patch;
use crate::pool::source::Source;
use crate::scenario::command::Command;
use crate::scenario::digest;
use crate::scenario::event::Judged;
use crate::scenario::event::Judgement;
use crate::scenario::state::Pending;
use crate::scenario::submission::Sealed;
use schema::effective::EffectiveTemplate;
use schema::name::KeyName;
use schema::name::PatchId;
use schema::question::Question;
use schema::time::At;

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
    digest::each_case(pending, sealed, template, patches, &mut |patch_id, case| {
        let sensitive = patches
            .iter()
            .any(|patch| patch.patch_id == *patch_id && patch.sensitive.is_some());
        if sensitive || !asked::sampled(of, patch_id, share) {
            return;
        }
        let instead = judge::judge(case);
        let Some(question) = asked::question(case, &template.base.scenario, instead.map(|(_, basis)| basis)) else {
            return;
        };
        let key_name = &case.key.key_name;
        match found.iter_mut().find(|asked| asked.key_name == *key_name) {
            Some(asked) => asked.patches.push((patch_id.clone(), instead)),
            None => found.push(Undecided {
                of,
                said_at: pending.at,
                source: Source::of(pending.client.as_ref()),
                key_name: key_name.clone(),
                patches: vec![(patch_id.clone(), instead)],
                question,
            }),
        }
    });
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
