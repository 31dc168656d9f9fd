//! How often a key may change its stage by itself: at most twice within the observation window (docs/design.md §7).
//!
//! A key that comes and goes is worse for its clients than one that is tried too long or gone too long: what they fetched
//! yesterday is wrong today. So a stage that begins soon after a change lasts longer, and a key that has gone comes back
//! later. Owns the moments alone; who asks for them decides. What a person does neither waits nor makes others wait.

use crate::evolution::patch::Patch;
use crate::evolution::policy::EvolutionPolicy;
use crate::evolution::stage::Reason;
use schema::time::At;
use schema::time::DAY_MS;
use schema::time::SECOND_MS;

/// Changes of stage by rule within [`EvolutionPolicy::window_days`].
pub const CHANGES_MAX: usize = 2;

/// The moments at which a rule changed the stage, oldest first; an extension is no change, and neither is the proposal.
fn changes(patch: &Patch) -> Vec<At> {
    patch
        .history
        .windows(2)
        .filter_map(|pair| match pair {
            [before, change] => (before.to != change.to && judged(&change.reason)).then_some(change.at),
            _ => None,
        })
        .collect()
}

/// Whether a change was a rule's own: what a person did is none, nor what came of another patch's beginning or end.
fn judged(reason: &Reason) -> bool {
    !matches!(reason, Reason::Operator | Reason::WithKey | Reason::GuardFull)
}

/// The window's end of the change that stands `back` before the last one.
fn window_after(patch: &Patch, back: usize, policy: &EvolutionPolicy) -> Option<At> {
    let changes = changes(patch);
    let at = changes.iter().rev().nth(back)?;
    Some(at.plus_ms(policy.window_days.saturating_mul(DAY_MS)))
}

/// The moment from which a rule may change the stage again; `None` when nothing stands against it.
pub fn free_from(patch: &Patch, policy: &EvolutionPolicy) -> Option<At> {
    window_after(patch, CHANGES_MAX - 1, policy)
}

/// When a stage that a patch is in already, and that goes on from `at`, ends by itself: the same without a change that begins it.
pub fn end_within(patch: &Patch, at: At, length_s: i64, policy: &EvolutionPolicy) -> At {
    let own = at.plus_ms(length_s.saturating_mul(SECOND_MS));
    free_from(patch, policy).map_or(own, |free| own.max(free))
}

/// When a stage that a rule begins at `at` ends by itself: after its own length in seconds, and not before the change
/// that ends it is free.
pub fn end(patch: &Patch, at: At, length_s: i64, policy: &EvolutionPolicy) -> At {
    let own = at.plus_ms(length_s.saturating_mul(SECOND_MS));
    // The change that begins the stage is not in the history yet, so it counts as one more.
    window_after(patch, CHANGES_MAX - 2, policy).map_or(own, |free| own.max(free))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolution::patch::StageChange;
    use crate::evolution::patch::sample;

    fn patch(history: &[(i64, &str, Reason)]) -> Patch {
        let sample = sample::patch(1);
        let change = |(day, to, reason): &(i64, &str, Reason)| StageChange {
            to: (*to).to_owned(),
            ..StageChange::by_rule(day_at(*day), &sample.stage, reason.clone())
        };
        let history = history.iter().map(change).collect();
        Patch {
            history,
            ..sample.clone()
        }
    }

    fn day_at(day: i64) -> At {
        At(day * DAY_MS)
    }

    #[test]
    fn the_third_change_by_rule_waits_until_the_first_is_a_window_ago_z127_z134_z141_z146_z149_z157() {
        let policy = EvolutionPolicy::default();
        let begun = (0, "experimental", Reason::GateOpened);
        let extended = (7, "experimental", Reason::MiddleBand);
        let promoted = (7, "stable", Reason::Promoted);
        let low = (7, "deprecated", Reason::LowUsage);
        let over = (21, "withdrawn", Reason::GraceOver);
        let back = (37, "experimental", Reason::Revived);
        let hand = |day, to| (day, to, Reason::Operator);
        // What begins on a day, with its own length of fourteen days, ends on another.
        for (history, free, ends) in [
            (&[begun.clone(), extended.clone(), extended][..], None, &[(21, 35)][..]),
            // The second is free; what begins as the second ends as the third.
            (&[begun.clone(), promoted], None, &[(14, 37), (23, 37), (24, 38)]),
            (&[begun.clone(), low.clone(), over.clone()], Some(37), &[(37, 51)]),
            // What a person did makes no rule wait.
            (
                &[
                    begun.clone(),
                    hand(7, "deprecated"),
                    hand(8, "experimental"),
                    hand(9, "stable"),
                ],
                None,
                &[(16, 30)],
            ),
        ] {
            let patch = patch(history);
            assert_eq!(free_from(&patch, &policy), free.map(day_at));
            for (from, to) in ends {
                assert_eq!(
                    end(&patch, day_at(*from), policy.grace_s, &policy),
                    day_at(*to),
                    "{from}"
                );
            }
        }
        let back = patch(&[begun, low, over, back]);
        for (from, to) in [(37, 51), (50, 57)] {
            // What begins again in its stage is no change more.
            assert_eq!(end_within(&back, day_at(from), policy.trial_s, &policy), day_at(to));
        }
    }
}
