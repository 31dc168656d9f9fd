//! A flag against what was wished: its telling word, or one that means the same, and whether it was negated.

use crate::domain::evolution::judge::Case;
use crate::domain::evolution::judge::cues;
use crate::domain::evolution::judge::kin;
use crate::domain::evolution::judge::said::Said;
use crate::domain::evolution::lexicon;

/// A flag that is raised though nobody spoke of it was invented; one that is not raised says nothing then.
pub fn judge(value: bool, said: &Said, case: &Case<'_>) -> Option<bool> {
    // The word that tells: `shared` of `shared_ride` (any ride is one), `legroom` of `extra_legroom`.
    let cues = cues(case.key);
    let telling = cues
        .iter()
        .find(|cue| !lexicon::classes().deg.contains_key(cue.as_str()))
        .or(cues.first());
    let contrary = telling.and_then(|cue| said.first_of(&kin::contrary(cue)));
    if let Some(at) = contrary {
        return Some(value == said.negated(at));
    }
    let at = telling
        .and_then(|cue| said.first_of(&kin::of(cue)))
        .or_else(|| case.surfaces.iter().find_map(|surface| said.phrase(surface)));
    match at {
        Some(at) => Some(value != said.negated(at)),
        None => (value && !said.only_answers()).then_some(false),
    }
}
