//! Values of a digested submission that the rules judged by a proxy or not at all, and that a model is asked about: a
//! sample of them (DESIGN §7).
//!
//! Reads the same cases as [`super::digest`]. Asks nobody itself; a value about which no answer comes stays as the rules
//! judged it.

use serde_json::Value;

use crate::domain::evolution::judge;
use crate::domain::evolution::judge::asked;
use crate::domain::evolution::ledger::Basis;
use crate::domain::evolution::patch::Patch;
use crate::domain::evolution::question::Question;
use crate::domain::scenario::command::Command;
use crate::domain::scenario::digest;
use crate::domain::scenario::event::Judged;
use crate::domain::scenario::event::Judgement;
use crate::domain::scenario::state::Pending;
use crate::domain::scenario::submission::Sealed;
use crate::domain::template::effective::EffectiveTemplate;
use crate::domain::template::name::PatchId;
use crate::domain::time::At;

/// A value to ask about.
#[derive(Clone, Debug, PartialEq)]
pub struct Undecided {
    of: u64,
    said_at: At,
    patch_id: PatchId,
    /// What the rules said.
    instead: Option<(bool, Basis)>,
    pub question: Question,
}

/// The values of a submission that are in the sample of that share. `patches` are those whose keys it carried.
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
        if let Some(question) = asked::question(case, &template.base.scenario, instead.map(|(_, basis)| basis)) {
            found.push(Undecided {
                of,
                said_at: pending.at,
                patch_id: patch_id.clone(),
                instead,
                question,
            });
        }
    });
    found
}

impl Undecided {
    /// What the answer of a model ends in; `None` when it could not tell.
    pub fn judged(self, answer: &Value, by: &str) -> Option<Command> {
        let judgement = Judgement {
            patch_id: self.patch_id,
            aligned: asked::answer(answer)?,
            basis: Basis::Llm,
        };
        Some(Command::Judge(Judged {
            of: self.of,
            said_at: self.said_at,
            judgement,
            instead: self.instead,
            by: by.to_owned(),
        }))
    }
}

#[cfg(test)]
mod tests;
