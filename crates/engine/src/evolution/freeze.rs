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

    /// A patch after its scenario stood still from the third day on until another.
    fn moved(stage: Stage, cool_until: Option<At>, until: i64) -> Patch {
        let patch = sample::patch(1);
        let mut patch = Patch {
            stage,
            cool_until,
            ..patch
        };
        move_on(&mut patch, day(3), day(until));
        patch
    }

    fn trial(since: i64) -> Stage {
        let (since, until) = (day(since), day(since + 7));
        Stage::Experimental(Trial {
            since,
            until,
            extensions: 1,
        })
    }

    #[test]
    fn every_stage_lasts_longer_by_the_time_that_stood_still_z128_z141_z148_z149_z152() {
        let (since, until) = (day(1), day(8));
        let next_look = until;
        for (stage, due, date, stood) in [
            (trial(1), Some(18), 100, 10),
            (Stage::Stable { since, next_look }, Some(18), 100, 10),
            (Stage::Deprecated { since, until }, Some(18), 90, 10),
            (Stage::Withdrawn { since, until }, Some(18), 90, 10),
            (Stage::Queued { since }, None, 100, 10),
            // One that a person began meanwhile loses only its own part.
            (trial(9), Some(20), 94, 4),
        ] {
            let patch = moved(stage.clone(), None, 13);
            assert_eq!(
                (patch.stage.since(), patch.stage.due()),
                (stage.since(), due.map(day)),
                "{}",
                stage.name()
            );
            assert_eq!(
                (patch.expiration, patch.stood_still_ms),
                (day(date), stood * DAY_MS),
                "{}",
                stage.name()
            );
        }
        let at_once = moved(trial(9), None, 9);
        assert_eq!((at_once.stage, at_once.stood_still_ms), (trial(9), 0));
        // A cool-down that was over stays over.
        for (cools, then) in [(2, 2), (3, 3), (4, 14)] {
            let rejected = Stage::Rejected { since };
            assert_eq!(moved(rejected, Some(day(cools)), 13).cool_until, Some(day(then)));
        }
    }
}
