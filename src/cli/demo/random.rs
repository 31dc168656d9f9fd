//! A small seeded generator (SplitMix64): the same numbers for the same seed, on every machine.

/// The generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Begins a sequence.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`; 0 where `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next().checked_rem(n).unwrap_or(0)
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low).saturating_add(1))
    }

    /// True so many times in a hundred.
    pub fn percent(&mut self, share: u64) -> bool {
        self.below(100) < share
    }

    /// One of several; the empty text where there is none.
    pub fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        let place = usize::try_from(self.below(of.len() as u64)).unwrap_or(0);
        of.get(place).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_seed_gives_its_own_sequence_within_bounds() {
        let drawn = |seed: u64| {
            let mut random = Random::new(seed);
            (0..64).map(|_| random.between(3, 5)).collect::<Vec<_>>()
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        assert_eq!(
            [3, 4, 5].map(|n| drawn(1).contains(&n)),
            [true; 3],
            "both ends are reached"
        );
        assert!(drawn(1).iter().all(|n| (3..=5).contains(n)));
        let mut random = Random::new(1);
        assert!((0..64).all(|_| random.percent(100)) && !(0..64).any(|_| random.percent(0)));
        assert_eq!((random.below(0), random.one(&[])), (0, ""));
    }
}
