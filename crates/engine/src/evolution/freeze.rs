//! Time that does not count: what a patch waits for moves on by as long as its scenario stood still.
//!
//! Owns the arithmetic alone; when a scenario stands still is decided elsewhere. Invariant: no moment moves back.

use crate::evolution::patch::Patch;
use crate::evolution::stage::Stage;
use crate::evolution::stage::Trial;
use schema::time::At;

/// Moves on whatever would have come by itself, by the time from `since` to `at` that the patch spent in its stage: the
/// end of its trial, of its grace or of its window, its next look, its date (Z-128, Z-141, Z-148, Z-152), and a cool-down
/// that was not over.
pub fn move_on(patch: &mut Patch, since: At, at: At) {
    let begun = since.max(patch.stage.since());
    let stood_ms = at.since_ms(begun);
    if stood_ms == 0 {
        return;
    }
    match &mut patch.stage {
        Stage::Experimental(Trial { until, .. })
        | Stage::Stable { next_look: until, .. }
        | Stage::Deprecated { until, .. }
        | Stage::Withdrawn { until, .. } => *until = until.plus_ms(stood_ms),
        Stage::Queued { .. }
        | Stage::AwaitingApproval { .. }
        | Stage::Expired { .. }
        | Stage::Lapsed { .. }
        | Stage::Rejected { .. } => {}
    }
    if !patch.stage.has_ended() {
        patch.expiration = patch.expiration.plus_ms(stood_ms);
    }
    if let Some(until) = patch.cool_until.filter(|until| *until > begun) {
        patch.cool_until = Some(until.plus_ms(stood_ms));
    }
    patch.stood_still_ms = patch.stood_still_ms.saturating_add(stood_ms);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolution::patch::sample;
    use schema::time::DAY_MS;

    fn day(n: i64) -> At {
        At(n * DAY_MS)
    }

    fn moved(stage: Stage, cool_until: Option<At>, since: At, at: At) -> Patch {
        let mut patch = Patch {
            stage,
            cool_until,
            ..sample::patch(1)
        };
        move_on(&mut patch, since, at);
        patch
    }

    #[test]
    fn every_stage_lasts_longer_by_the_time_that_stood_still_z128_z141_z148_z152() {
        let (since, until) = (day(1), day(8));
        let lasting = [
            Stage::Experimental(Trial {
                since,
                until,
                extensions: 1,
            }),
            Stage::Stable {
                since,
                next_look: until,
            },
            Stage::Deprecated { since, until },
            Stage::Withdrawn { since, until },
        ];
        for stage in lasting {
            let patch = moved(stage.clone(), None, day(3), day(13));
            assert_eq!(patch.stage.due(), Some(day(18)), "{}", stage.name());
            assert_eq!(patch.stage.since(), since, "it began when it began");
            let date = if stage.has_ended() { 90 } else { 100 };
            assert_eq!(patch.expiration, day(date), "{}", stage.name());
            assert_eq!(patch.stood_still_ms, 10 * DAY_MS);
        }
        let waits = moved(Stage::Queued { since }, None, day(3), day(13));
        assert_eq!((waits.stage, waits.expiration), (Stage::Queued { since }, day(100)));
    }

    #[test]
    fn a_stage_that_a_person_began_meanwhile_loses_only_its_own_part_z141() {
        let trial = Stage::Experimental(Trial {
            since: day(9),
            until: day(16),
            extensions: 0,
        });
        assert_eq!(moved(trial.clone(), None, day(3), day(13)).stage.due(), Some(day(20)));
        let at_once = moved(trial.clone(), None, day(3), day(9));
        assert_eq!((at_once.stage, at_once.stood_still_ms), (trial, 0));
    }

    #[test]
    fn a_cool_down_that_was_over_stays_over_z149() {
        let gone = Stage::Rejected { since: day(1) };
        let cools = |until| moved(gone.clone(), Some(until), day(3), day(13)).cool_until;
        assert_eq!(cools(day(2)), Some(day(2)));
        assert_eq!(cools(day(3)), Some(day(3)));
        assert_eq!(cools(day(4)), Some(day(14)));
    }
}
