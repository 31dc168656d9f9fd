//! Heat in integer micro-units, halved by a table: the same on every run (Z-089 … Z-092).

use serde::Deserialize;
use serde::Serialize;

use schema::time::At;
use schema::time::Day;
use schema::time::SECOND_MS;

/// Micro-units in one unit of heat.
pub const MICRO: i64 = 1_000_000;

/// Units of heat in micro-units.
pub fn units(heat: f64) -> i64 {
    (heat * MICRO as f64).round() as i64
}

/// Heat as it was at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heat {
    /// In millionths of a unit, never negative.
    pub micro: i64,
    pub at: At,
}

/// One in the fixed point of the decay factors.
const ONE_BITS: u32 = 62;

/// `2^(-1/2), 2^(-1/4), 2^(-1/8) …`: with them any fraction of a half-life is a product.
const ROOTS: [u64; 32] = roots();

const fn roots() -> [u64; 32] {
    let mut roots = [0_u64; 32];
    let mut last = 1_u128 << (ONE_BITS - 1);
    let mut index = 0;
    while index < roots.len() {
        last = (last << ONE_BITS).isqrt();
        roots[index] = last as u64;
        index += 1;
    }
    roots
}

/// `micro * 2^(-dt / half-life)`, rounded down; exact at whole half-lives.
pub fn decayed(micro: i64, dt_ms: i64, half_life_s: i64) -> i64 {
    if micro <= 0 || dt_ms <= 0 {
        return micro.max(0);
    }
    let half_life_ms = half_life_s.max(1).saturating_mul(SECOND_MS);
    let halvings = dt_ms / half_life_ms;
    if halvings >= 63 {
        return 0;
    }
    let rest = (dt_ms % half_life_ms) as u128;
    let fraction = ((rest << 32) / half_life_ms as u128) as u32;
    let mut factor = 1_u128 << ONE_BITS;
    for (index, &root) in ROOTS.iter().enumerate() {
        if fraction & (1 << (31 - index)) != 0 {
            factor = (factor * u128::from(root)) >> ONE_BITS;
        }
    }
    ((micro as u128 * factor) >> (ONE_BITS + halvings as u32)) as i64
}

impl Heat {
    /// Heat later on: `micro * 2^(-dt / half-life)`, rounded down. `at` earlier than `self.at` changes nothing.
    #[must_use]
    pub fn cooled(self, at: At, half_life_s: i64) -> Heat {
        Heat {
            micro: decayed(self.micro, at.since_ms(self.at), half_life_s),
            at: self.at.max(at),
        }
    }

    /// Cooled to `at`, then raised.
    #[must_use]
    pub fn raised(self, at: At, half_life_s: i64, micro: i64) -> Heat {
        let cooled = self.cooled(at, half_life_s);
        Heat {
            micro: cooled.micro.saturating_add(micro.max(0)),
            at: cooled.at,
        }
    }
}

/// Days of a heat curve that are kept: a trial with all its extensions, and a window beside it.
const CURVE_DAYS_MAX: usize = 120;

/// Draws a heat curve, the highest heat of each day, oldest first.
pub fn draw(curve: &mut Vec<(Day, i64)>, day: Day, micro: i64) {
    match curve.last_mut() {
        Some((last, highest)) if *last == day => *highest = (*highest).max(micro),
        Some(_) | None => curve.push((day, micro)),
    }
    shorten(curve);
}

/// Adds another heat curve to one, day by day: what was two is told as one.
pub fn add(curve: &mut Vec<(Day, i64)>, other: &[(Day, i64)]) {
    for (day, micro) in other {
        match curve.binary_search_by_key(day, |(day, _)| *day) {
            Ok(place) => curve[place].1 = curve[place].1.saturating_add(*micro),
            Err(place) => curve.insert(place, (*day, *micro)),
        }
    }
    shorten(curve);
}

fn shorten(curve: &mut Vec<(Day, i64)>) {
    curve.drain(..curve.len().saturating_sub(CURVE_DAYS_MAX));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::any;
    use proptest::proptest;

    use super::*;
    use schema::time::DAY_MS;
    use schema::time::HOUR_MS;

    const HALF_LIFE_S: i64 = 86_400;

    fn after_even_arrivals(count: i64, spacing_ms: i64, increment: i64) -> i64 {
        let start = Heat::default();
        (0..count)
            .fold(start, |heat, n| {
                heat.raised(At(n * spacing_ms), HALF_LIFE_S, increment * MICRO)
            })
            .micro
    }

    #[test]
    fn heat_is_exactly_half_after_a_half_life_z091_z092() {
        let heat = Heat {
            micro: 40 * MICRO,
            at: At(5),
        };
        assert_eq!(heat.cooled(At(5 + DAY_MS), HALF_LIFE_S).micro, 20 * MICRO);
        assert_eq!(heat.cooled(At(5 + 3 * DAY_MS), HALF_LIFE_S).micro, 5 * MICRO);
        assert!(heat.cooled(At(5 + DAY_MS - SECOND_MS), HALF_LIFE_S).micro > 20 * MICRO);
        assert!(heat.cooled(At(5 + DAY_MS + SECOND_MS), HALF_LIFE_S).micro < 20 * MICRO);
        let twelve_hours = heat.cooled(At(5 + DAY_MS / 2), HALF_LIFE_S).micro;
        assert!((twelve_hours - 28_284_271).abs() <= 1, "{twelve_hours}");
    }

    #[test]
    fn a_fragment_raises_heat_by_a_fixed_increment_z089_z090() {
        let heat = Heat {
            micro: 40 * MICRO,
            at: At(0),
        };
        assert_eq!(heat.raised(At(0), HALF_LIFE_S, 20 * MICRO).micro, 60 * MICRO);
        assert_eq!(heat.raised(At(DAY_MS), HALF_LIFE_S, 20 * MICRO).micro, 40 * MICRO);
        assert_eq!(
            Heat {
                micro: i64::MAX,
                at: At(0)
            }
            .raised(At(0), HALF_LIFE_S, 1)
            .micro,
            i64::MAX
        );
    }

    #[test]
    fn time_that_runs_backwards_changes_nothing() {
        let heat = Heat { micro: 7, at: At(100) };
        assert_eq!(heat.cooled(At(1), HALF_LIFE_S), heat);
        assert_eq!(decayed(7, 1, 0), 6);
        assert_eq!(decayed(i64::MAX, i64::MAX, 1), 0);
    }

    #[test]
    fn ten_even_fragments_within_seven_days_pass_fifty_with_increment_twenty_alone_z099() {
        let even = 7 * DAY_MS / 10;
        assert!(after_even_arrivals(10, even, 20) > 50 * MICRO);
        assert!(after_even_arrivals(9, 24 * HOUR_MS, 20) < 50 * MICRO);
        assert!(after_even_arrivals(10, even, 10) < 50 * MICRO);
        assert!(after_even_arrivals(200, even, 1) < 50 * MICRO);
        assert!(after_even_arrivals(400, DAY_MS / 36, 1) > 50 * MICRO);
    }

    proptest! {
        #[test]
        fn cooling_is_monotone_and_never_negative_z091(micro in 0..i64::MAX, dt in 0..90 * DAY_MS, more in 0..DAY_MS, half_life in 1..1_000_000_i64) {
            let (soon, late) = (decayed(micro, dt, half_life), decayed(micro, dt + more, half_life));
            assert!(0 <= late && late <= soon && soon <= micro);
        }

        #[test]
        fn any_policy_and_any_time_are_survived(micro in any::<i64>(), dt in any::<i64>(), half_life in any::<i64>()) {
            assert!(decayed(micro, dt, half_life) >= 0);
        }
    }
}
