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
        let change = |(day, to, reason): &(i64, &str, Reason)| StageChange {
            at: day_at(*day),
            to: (*to).to_owned(),
            reason: reason.clone(),
            by: None,
            reading: None,
            hand: None,
            because: None,
            scope: None,
        };
        Patch {
            history: history.iter().map(change).collect(),
            ..sample::patch(1)
        }
    }

    fn day_at(day: i64) -> At {
        At(day * DAY_MS)
    }

    #[test]
    fn a_key_that_was_only_proposed_or_extended_is_free_z141_z157() {
        let policy = EvolutionPolicy::default();
        let extended = patch(&[
            (0, "experimental", Reason::GateOpened),
            (7, "experimental", Reason::MiddleBand),
            (14, "experimental", Reason::MiddleBand),
        ]);
        assert_eq!(free_from(&extended, &policy), None);
        assert_eq!(end(&extended, day_at(21), policy.grace_s, &policy), day_at(35));
    }

    #[test]
    fn the_third_change_waits_until_the_first_is_a_window_ago_z134_z146_z149() {
        let policy = EvolutionPolicy::default();
        let once = patch(&[(0, "experimental", Reason::GateOpened), (7, "stable", Reason::Promoted)]);
        assert_eq!(free_from(&once, &policy), None, "the second is free");
        assert_eq!(
            end(&once, day_at(14), policy.grace_s, &policy),
            day_at(37),
            "what begins as the second ends as the third"
        );
        assert_eq!(end(&once, day_at(23), policy.grace_s, &policy), day_at(37));
        assert_eq!(
            end(&once, day_at(24), policy.grace_s, &policy),
            day_at(38),
            "its own length"
        );
        let twice = patch(&[
            (0, "experimental", Reason::GateOpened),
            (7, "deprecated", Reason::LowUsage),
            (21, "withdrawn", Reason::GraceOver),
        ]);
        assert_eq!(free_from(&twice, &policy), Some(day_at(37)));
        assert_eq!(end(&twice, day_at(37), policy.trial_s, &policy), day_at(51));
        let back = patch(&[
            (0, "experimental", Reason::GateOpened),
            (7, "deprecated", Reason::LowUsage),
            (21, "withdrawn", Reason::GraceOver),
            (37, "experimental", Reason::Revived),
        ]);
        assert_eq!(
            end_within(&back, day_at(37), policy.trial_s, &policy),
            day_at(51),
            "what begins again in its stage is no change more"
        );
        assert_eq!(end_within(&back, day_at(50), policy.trial_s, &policy), day_at(57));
    }

    #[test]
    fn what_a_person_did_makes_no_rule_wait_z127() {
        let policy = EvolutionPolicy::default();
        let by_hand = patch(&[
            (0, "experimental", Reason::GateOpened),
            (7, "deprecated", Reason::Operator),
            (8, "experimental", Reason::Operator),
            (9, "stable", Reason::Operator),
        ]);
        assert_eq!(free_from(&by_hand, &policy), None);
        assert_eq!(end(&by_hand, day_at(16), policy.grace_s, &policy), day_at(30));
    }
}
