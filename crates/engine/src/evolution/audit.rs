//! Which judged values are put before a person, and what a person says of one (Z-137).
//!
//! The draw is a hash of scenario, submission and key, so that a replay draws the same. Values of a key on trial and values
//! on which the rules were unsure are drawn rather more. Invariants: whether a value is drawn does not hang on whether it
//! was called right, so that what the audits say of the judge is not skewed; nothing of a sensitive key and no name of a
//! private person is drawn.

use serde::Deserialize;
use serde::Serialize;
use strum::IntoStaticStr;
use strum::VariantArray;
use utoipa::ToSchema;

use crate::evolution::judge::asked;
use crate::evolution::ledger::Basis;
use crate::evolution::patch::Patch;
use crate::evolution::screen::person;
use crate::evolution::stage::Stage;
use schema::effective::KeyChange;

/// How much more often a value is drawn while its key is on trial, and again where the rules were unsure of it; chosen by
/// hand: a trial ends in days, and a doubtful value teaches more.
const ON_TRIAL: f64 = 3.0;
const UNSURE: f64 = 2.0;

/// What a person says of a value.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr, VariantArray, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    Aligned,
    NotAligned,
    CannotTell,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: &'static [Verdict] = Verdict::VARIANTS;

    /// The word that is sent and shown.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether the value is right; `None` when the person cannot tell.
    pub fn aligned(self) -> Option<bool> {
        match self {
            Verdict::Aligned => Some(true),
            Verdict::NotAligned => Some(false),
            Verdict::CannotTell => None,
        }
    }
}

/// What people said of values, beside what one judge had said of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Agreement {
    /// Right by a person's word, and how many of these the judge had called right.
    pub right: u64,
    pub right_called_right: u64,
    /// Wrong by a person's word, and how many of these the judge had called wrong.
    pub wrong: u64,
    pub wrong_called_wrong: u64,
    pub cannot_tell: u64,
}

impl Agreement {
    /// Counts one value; `called` is what the judge had said.
    pub fn count(&mut self, called: Option<bool>, verdict: Verdict) {
        match verdict {
            Verdict::Aligned => {
                self.right += 1;
                self.right_called_right += u64::from(called == Some(true));
            }
            Verdict::NotAligned => {
                self.wrong += 1;
                self.wrong_called_wrong += u64::from(called == Some(false));
            }
            Verdict::CannotTell => self.cannot_tell += 1,
        }
    }

    /// Values of which a person could tell.
    pub fn told(&self) -> u64 {
        self.right + self.wrong
    }

    /// Of these, on how many the judge agrees.
    pub fn agreed(&self) -> u64 {
        self.right_called_right + self.wrong_called_wrong
    }
}

/// Whether the value that a submission gave to a patch's key is drawn. `by` is what judged it; `None` where nothing could
/// be said.
pub fn drawn(of: u64, patch: &Patch, by: Option<Basis>, share: f64) -> bool {
    let key = patch.change.key_name();
    let marked = matches!(&patch.change, KeyChange::Add(key) if key.sensitive.is_some());
    if patch.sensitive.is_some() || marked || person::names_private_people(key) {
        return false;
    }
    let share = share * weight(matches!(patch.stage, Stage::Experimental(_)), by);
    // Another hash than the one by which a model is asked, so that people do not see only what a model saw.
    asked::sampled(of ^ 0x6175_6469_7400_0000, &patch.patch_id, share)
}

fn weight(on_trial: bool, by: Option<Basis>) -> f64 {
    let unsure = matches!(by, None | Some(Basis::Proxy));
    (if on_trial { ON_TRIAL } else { 1.0 }) * (if unsure { UNSURE } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_on_trial_and_unsure_values_weigh_more_z137() {
        let sure = weight(false, Some(Basis::Lexical));
        assert!((sure - 1.0).abs() < f64::EPSILON);
        assert!(weight(true, Some(Basis::Lexical)) > sure);
        assert!(weight(false, None) > sure && weight(false, Some(Basis::Proxy)) > sure);
        assert!(weight(true, None) > weight(true, Some(Basis::Llm)));
    }

    #[test]
    fn a_verdict_is_called_as_in_the_journal_z137() {
        for verdict in Verdict::ALL {
            assert_eq!(serde_json::to_value(verdict).expect("a word"), verdict.name());
        }
        let aligned = Verdict::ALL.iter().map(|verdict| verdict.aligned());
        assert_eq!(aligned.collect::<Vec<_>>(), [Some(true), Some(false), None]);
    }
}
