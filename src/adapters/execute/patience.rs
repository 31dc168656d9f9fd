//! How long is waited before another attempt: twice as long each time, not all at one moment, and never less than asked for.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The pause before the second attempt, at most, and before any.
const FIRST_MS: u64 = 200;
const MAX_MS: u64 = 5_000;

/// Numbers that differ from process to process and from call to call.
#[derive(Debug)]
pub struct Jitter(AtomicU64);

impl Jitter {
    /// Numbers that follow from a seed.
    pub fn seeded(seed: u64) -> Jitter {
        Jitter(AtomicU64::new(seed))
    }

    /// The next one, anywhere in 64 bits (SplitMix64).
    pub fn next(&self) -> u64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut z = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// The pause after so many attempts: between half of the step and the whole of it, and what the executor asks for at least.
pub fn pause(attempts: u64, asked_s: Option<u64>, chance: u64) -> Duration {
    let doublings = u32::try_from(attempts.saturating_sub(1)).unwrap_or(u32::MAX).min(16);
    let step = FIRST_MS.saturating_mul(1 << doublings).min(MAX_MS);
    let own = Duration::from_millis(step / 2 + chance % (step / 2 + 1));
    own.max(Duration::from_secs(asked_s.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use super::Jitter;
    use super::pause;

    #[test]
    fn pauses_grow_to_a_bound_and_keep_to_what_is_asked() {
        for (attempts, low, high) in [
            (1, 100, 200),
            (2, 200, 400),
            (3, 400, 800),
            (9, 2_500, 5_000),
            (u64::MAX, 2_500, 5_000),
        ] {
            assert_eq!(pause(attempts, None, 0), Duration::from_millis(low));
            assert_eq!(pause(attempts, None, high - low), Duration::from_millis(high));
            for chance in [7, u64::MAX] {
                let within = Duration::from_millis(low)..=Duration::from_millis(high);
                assert!(within.contains(&pause(attempts, None, chance)), "{attempts} {chance}");
            }
        }
        assert_eq!(pause(1, Some(3), 5), Duration::from_secs(3));
        assert_eq!(pause(9, Some(1), 0), Duration::from_millis(2_500));
    }

    #[test]
    fn chances_differ() {
        let jitter = Jitter::seeded(1);
        let drawn: BTreeSet<u64> = (0..1_000).map(|_| jitter.next()).collect();
        assert_eq!(drawn.len(), 1_000);
        assert_ne!(Jitter::seeded(1).next(), Jitter::seeded(2).next());
    }
}
