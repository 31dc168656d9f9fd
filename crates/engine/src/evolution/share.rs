//! Each client's own share of a count, and the mean of these: who sends much weighs no more there than who sends little.
//!
//! Whole numbers throughout, so that a mean that equals a threshold of whole millionths equals it exactly. Knows no ledger
//! and no threshold.

/// Clients that one day tells apart beside the anonymous ones; later ones of that day are in the totals alone. So many
/// give a mean to within two points, and a key's ledger stays below some megabytes in the worst month.
pub const CLIENTS_AVERAGED_MAX: usize = 1_000;

/// Parts that one share is counted in, and parts that the mean is told in.
const PARTS: u128 = 1_000_000_000_000;
const PARTS_OF_MEAN: u128 = 1_000_000;

/// A ratio, or nothing where there is nothing to divide by (Z-160).
pub fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The mean of shares, each a part of a whole; nothing where no whole is more than nothing (Z-160).
pub fn mean(shares: impl IntoIterator<Item = (u64, u64)>) -> Option<f64> {
    let (mut sum, mut count) = (0_u128, 0_u128);
    for (part, whole) in shares.into_iter().filter(|(_, whole)| *whole > 0) {
        sum += rounded(u128::from(part.min(whole)) * PARTS, u128::from(whole));
        count += 1;
    }
    (count > 0).then(|| rounded(sum, count * (PARTS / PARTS_OF_MEAN)) as f64 / PARTS_OF_MEAN as f64)
}

/// The same without the client whose own share is the lowest; nothing where there are fewer than two.
pub fn mean_but_lowest(shares: impl IntoIterator<Item = (u64, u64)>) -> Option<f64> {
    let mut shares: Vec<(u64, u64)> = shares.into_iter().filter(|(_, whole)| *whole > 0).collect();
    let by_share = |(part, whole): &(u64, u64)| rounded(u128::from(*part.min(whole)) * PARTS, u128::from(*whole));
    let (lowest, _) = shares.iter().enumerate().min_by_key(|(_, share)| by_share(share))?;
    shares.remove(lowest);
    mean(shares)
}

fn rounded(part: u128, whole: u128) -> u128 {
    (part + whole / 2) / whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_weighs_alike_however_much_it_sends_z135() {
        let one_that_sends_much = std::iter::once((2_000, 2_000));
        let others = std::iter::repeat_n((0, 1), 19);
        assert_eq!(mean(one_that_sends_much.chain(others)), Some(0.05));
    }

    #[test]
    fn a_mean_at_a_threshold_equals_it_z144_z146() {
        for (shares, edge) in [
            (vec![(2, 3), (14, 15)], 0.80),
            (vec![(1, 3), (1, 3), (1, 3)], 0.333_333),
            (vec![(1, 7), (1, 7), (1, 7), (1, 7), (1, 7), (1, 7), (3, 7)], 0.183_673),
            (vec![(1, 20); 19], 0.05),
            (vec![(5, 6), (29, 30)], 0.90),
        ] {
            assert_eq!(mean(shares), Some(edge));
        }
        assert!(mean([(7_999, 10_000)]) < Some(0.80));
    }

    #[test]
    fn one_client_can_be_left_out_and_no_more_z136() {
        assert_eq!(mean_but_lowest([(0, 20), (3, 4), (1, 1)]), Some(0.875));
        assert_eq!(mean_but_lowest([(0, 20), (0, 20), (1, 1)]), Some(0.5));
        assert_eq!(mean_but_lowest([(3, 4), (0, 0)]), None, "of one nobody can be left out");
        assert_eq!(mean_but_lowest([]), None);
    }

    #[test]
    fn a_mean_of_nothing_is_nothing_z160() {
        assert_eq!(mean([]), None);
        assert_eq!(mean([(0, 0), (3, 0)]), None);
        assert_eq!(mean([(0, 0), (1, 2)]), Some(0.5), "who has nothing is not counted");
        // No part is larger than its whole.
        assert_eq!(mean([(9, 3), (u64::MAX, u64::MAX)]), Some(1.0));
    }
}
