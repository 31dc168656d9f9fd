//! How each patch stood at any revision, so that what a client was served then can be put together without the journal.
//!
//! What a patch's change was then the patch knows itself; here is only how it stood. Invariant: the sequences of one patch
//! ascend, and no two neighbours say the same.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::evolution::patch::Patch;
use schema::effective::Standing;
use schema::name::PatchId;

/// From which entry on each patch stood how; `None` while it is in no template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standings(BTreeMap<PatchId, Vec<(u64, Option<Standing>)>>);

impl Standings {
    /// Notes how a patch stands since its revision.
    pub fn note(&mut self, patch: &Patch) {
        let standing = patch.stage.standing();
        let noted = self.0.entry(patch.patch_id.clone()).or_default();
        if noted.last().is_none_or(|(_, last)| *last != standing) {
            noted.push((patch.revision, standing));
        }
    }

    /// How a patch stood at a revision; `None` also before it was proposed.
    pub fn at(&self, patch_id: &PatchId, revision: u64) -> Option<Standing> {
        let (_, standing) = self.noted(patch_id, revision)?;
        *standing
    }

    /// The entry by which a patch came to stand as it did at a revision.
    pub fn since(&self, patch_id: &PatchId, revision: u64) -> Option<u64> {
        self.noted(patch_id, revision).map(|(since, _)| *since)
    }

    fn noted(&self, patch_id: &PatchId, revision: u64) -> Option<&(u64, Option<Standing>)> {
        let noted = self.0.get(patch_id)?;
        noted.iter().rev().find(|(since, _)| *since <= revision)
    }
}

#[cfg(test)]
mod tests {
    use super::Standings;
    use crate::evolution::stage::Stage;
    use crate::scenario::sample::Scene;
    use schema::effective::Standing;
    use schema::time::At;

    #[test]
    fn a_patch_stands_as_it_was_noted_last_before_a_revision_z105() {
        let mut scene = Scene::new();
        scene.propose("seat");
        let mut patch = scene.last().clone();
        let id = patch.patch_id.clone();
        let mut standings = Standings::default();
        let queued = Stage::Queued { since: At(0) };
        let stable = Stage::Stable {
            since: At(0),
            next_look: At(0),
        };
        for (revision, stage) in [
            (3, queued),
            (5, stable.clone()),
            (7, stable),
            (9, Stage::Expired { since: At(0) }),
        ] {
            patch.revision = revision;
            patch.stage = stage;
            standings.note(&patch);
        }
        for (revision, standing, since) in [
            (2, None, None),
            (3, None, Some(3)),
            (4, None, Some(3)),
            (5, Some(Standing::Stable), Some(5)),
            (8, Some(Standing::Stable), Some(5)),
            (9, None, Some(9)),
            (u64::MAX, None, Some(9)),
        ] {
            assert_eq!(standings.at(&id, revision), standing, "{revision}");
            assert_eq!(standings.since(&id, revision), since, "{revision}");
        }
    }
}
