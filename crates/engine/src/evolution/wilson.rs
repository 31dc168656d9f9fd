//! How sure a measured share is: Wilson's score interval at 95 % (Wilson 1927).
//!
//! Unlike the usual interval around a mean it stays within 0 and 1 and says something at 0 of n and at n of n, where small
//! trials often stand. Pure; knows no ledger.

/// The quantile of the normal distribution for 95 %, two-sided.
const Z: f64 = 1.959_963_984_540_054;

/// The lower and the upper end for `part` of `whole`; `None` where there is nothing to divide by (Z-160). A part that is
/// larger than its whole counts as the whole.
pub fn interval(part: u64, whole: u64) -> Option<[f64; 2]> {
    around(part.min(whole) as f64 / whole as f64, whole)
}

/// The same around a share that was measured on so many.
pub fn around(share: f64, whole: u64) -> Option<[f64; 2]> {
    if whole == 0 || !(0.0..=1.0).contains(&share) {
        return None;
    }
    let n = whole as f64;
    let z2 = Z * Z;
    let centre = share + z2 / (2.0 * n);
    let spread = Z * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    // At both ends the formula gives exactly these, but for rounding.
    let low = if share <= 0.0 { 0.0 } else { (centre - spread) / scale };
    let high = if share >= 1.0 { 1.0 } else { (centre + spread) / scale };
    Some([low.clamp(0.0, share), high.clamp(share, 1.0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_literature_and_the_ends_are_exact_z133_z160() {
        // Newcombe (1998), Statistics in Medicine 17, table I: 81 of 263, 15 of 148, 1 of 29.
        for (part, whole, expected) in [
            (81, 263, [0.2553, 0.3662]),
            (15, 148, [0.0624, 0.1605]),
            (1, 29, [0.0061, 0.1718]),
            (0, 20, [0.0, 0.1611]),
            (0, 10, [0.0, 0.2775]),
            (10, 10, [0.7225, 1.0]),
            (0, 1, [0.0, 0.7935]),
            (1, 1, [0.2065, 1.0]),
        ] {
            let found = interval(part, whole).expect("an interval");
            for (found, expected) in found.into_iter().zip(expected) {
                assert!((found - expected).abs() < 5e-4, "{found} is not {expected}");
                let is_end = expected == 0.0 || (expected - 1.0).abs() < f64::EPSILON;
                assert!(!is_end || found.to_bits() == expected.to_bits());
            }
        }
        assert_eq!((interval(0, 0), interval(3, 0)), (None, None));
        assert_eq!(interval(9, 4), interval(4, 4), "no part is larger than its whole");
    }

    #[test]
    fn it_holds_its_share_and_narrows_with_what_is_seen_z133() {
        let mut wider = f64::INFINITY;
        for whole in [1, 2, 7, 100, 1_000_000_000] {
            for part in [0, whole, whole / 2] {
                let [low, high] = interval(part, whole).expect("an interval");
                let share = part as f64 / whole as f64;
                assert!(
                    0.0 <= low && low <= share && share <= high && high <= 1.0,
                    "{part} of {whole}"
                );
                if part == whole / 2 && part > 0 {
                    assert!(high - low < wider);
                    wider = high - low;
                }
            }
        }
    }
}
