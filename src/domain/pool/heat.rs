//! Heat in integer micro-units, halved by a table: the same on every run (Z-089 … Z-092).

use serde::Deserialize;
use serde::Serialize;

use crate::domain::time::At;

/// Micro-units in one unit of heat.
pub const MICRO: i64 = 1_000_000;

/// Heat as it was at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heat {
    /// In millionths of a unit, never negative.
    pub micro: i64,
    pub at: At,
}

impl Heat {
    /// Heat later on: `micro * 2^(-dt / half-life)`, rounded down. `at` earlier than `self.at` changes nothing.
    #[must_use]
    pub fn cooled(self, at: At, half_life_s: i64) -> Heat {
        let _ = (at, half_life_s);
        todo!()
    }

    /// Cooled to `at`, then raised.
    #[must_use]
    pub fn raised(self, at: At, half_life_s: i64, micro: i64) -> Heat {
        let _ = (at, half_life_s, micro);
        todo!()
    }
}

/// Units of heat as micro-units, rounded to the nearest.
pub fn from_units(units: f64) -> i64 {
    let _ = units;
    todo!()
}
