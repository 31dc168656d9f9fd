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
    use super::interval;

    fn close(found: Option<[f64; 2]>, low: f64, high: f64) {
        let [found_low, found_high] = found.expect("an interval");
        assert!((found_low - low).abs() < 5e-4, "{found_low} is not {low}");
        assert!((found_high - high).abs() < 5e-4, "{found_high} is not {high}");
    }

    #[test]
    fn nothing_of_nothing_has_no_interval_z160() {
        assert_eq!(interval(0, 0), None);
        assert_eq!(interval(3, 0), None);
    }

    #[test]
    fn the_ends_are_exact_and_the_other_side_is_open_z133() {
        close(interval(0, 10), 0.0, 0.2775);
        close(interval(10, 10), 0.7225, 1.0);
        assert_eq!(interval(0, 10).expect("an interval")[0].to_bits(), 0.0_f64.to_bits());
        assert_eq!(interval(10, 10).expect("an interval")[1].to_bits(), 1.0_f64.to_bits());
        close(interval(0, 1), 0.0, 0.7935);
        close(interval(1, 1), 0.2065, 1.0);
    }

    #[test]
    fn figures_are_those_of_the_literature_z133() {
        // Newcombe (1998), Statistics in Medicine 17, table I: 81 of 263, 15 of 148, 1 of 29.
        close(interval(81, 263), 0.2553, 0.3662);
        close(interval(15, 148), 0.0624, 0.1605);
        close(interval(1, 29), 0.0061, 0.1718);
        close(interval(0, 20), 0.0, 0.1611);
    }

    #[test]
    fn it_holds_its_share_and_narrows_with_what_is_seen_z133() {
        for whole in [1, 2, 7, 100, 1_000_000_000] {
            for part in [0, 1, whole / 2, whole] {
                let [low, high] = interval(part, whole).expect("an interval");
                let share = part as f64 / whole as f64;
                assert!(
                    0.0 <= low && low <= share && share <= high && high <= 1.0,
                    "{part} of {whole}"
                );
            }
        }
        let width = |whole: u64| {
            interval(whole / 2, whole)
                .map(|[low, high]| high - low)
                .expect("an interval")
        };
        assert!(width(10) > width(100) && width(100) > width(10_000));
        assert_eq!(interval(9, 4), interval(4, 4), "no part is larger than its whole");
    }
}
