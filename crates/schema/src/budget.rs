//! Bounded work: how many steps and bytes one call may take, counted and not timed, so that the same input always ends at the same place.
//!
//! A unit is a step of some ten nanoseconds, or a byte that is held until the call ends: one number bounds both time and memory. Knows
//! no clock; a caller that gave up is seen through a function that the edge passes. Invariant: once spent, a budget grants nothing more.

use std::cell::Cell;

/// Units of one call: under a second of one core, and under 50 MB.
pub const CALL: u64 = 40_000_000;
/// Units between two looks at whether the caller is still there.
const LOOK: u64 = 65_536;

/// Work that is left to one call.
pub struct Budget<'a> {
    left: Cell<u64>,
    /// True if something was refused since it was last asked.
    exceeded: Cell<bool>,
    is_abandoned: Option<&'a dyn Fn() -> bool>,
}

impl Budget<'_> {
    /// A budget of so many units.
    pub fn new(units: u64) -> Budget<'static> {
        Budget {
            left: Cell::new(units),
            exceeded: Cell::new(false),
            is_abandoned: None,
        }
    }

    /// The budget of one call, which ends at once where nobody waits for its result any more.
    pub fn of_call(is_abandoned: &dyn Fn() -> bool) -> Budget<'_> {
        Budget {
            is_abandoned: Some(is_abandoned),
            ..Budget::new(CALL)
        }
    }

    /// Takes units; false where they are more than what is left, and from then on.
    pub fn spend(&self, units: u64) -> bool {
        let before = self.left.get();
        let after = before.checked_sub(units);
        let looks = after.is_none_or(|after| before / LOOK != after / LOOK);
        let after = after.filter(|_| !(looks && self.is_abandoned.is_some_and(|is_abandoned| is_abandoned())));
        self.left.set(after.unwrap_or(0));
        self.exceeded.set(self.exceeded.get() || after.is_none());
        after.is_some()
    }

    /// Takes a unit for each of so many steps or bytes.
    pub fn spend_for(&self, count: usize) -> bool {
        self.spend(u64::try_from(count).unwrap_or(u64::MAX))
    }

    /// Units that are left.
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Notes that something ended for lack of units.
    pub fn exceed(&self) {
        self.exceeded.set(true);
    }

    /// Returns whether something ended for lack of units since this was last called.
    pub fn take_exceeded(&self) -> bool {
        self.exceeded.take()
    }
}

impl Default for Budget<'static> {
    fn default() -> Self {
        Budget::new(CALL)
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;
    use super::LOOK;

    #[test]
    fn units_are_granted_up_to_the_last_one_and_never_again() {
        let budget = Budget::new(10);
        assert!(budget.spend(4) && budget.spend_for(6) && !budget.take_exceeded());
        assert!(!budget.spend(1) && budget.take_exceeded() && !budget.take_exceeded());
        let budget = Budget::new(10);
        assert!(
            !budget.spend(11) && !budget.spend(1),
            "what is refused uses up the rest"
        );
    }

    #[test]
    fn a_call_that_was_abandoned_gets_nothing_more() {
        let budget = Budget::of_call(&|| true);
        assert!(!budget.spend(LOOK) && budget.left() == 0);
    }
}
