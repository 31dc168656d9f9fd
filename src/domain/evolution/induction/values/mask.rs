//! Which fragments of a cluster hold something, as bits.

/// Fragments that one mask can tell apart.
pub const FRAGMENTS_MAX: usize = 256;

/// Which fragments hold something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mask([u64; FRAGMENTS_MAX / 64]);

impl Mask {
    /// Puts the fragment at a place among them.
    pub fn set(&mut self, at: usize) {
        if let Some(word) = self.0.get_mut(at / 64) {
            *word |= 1 << (at % 64);
        }
    }

    /// Whether the fragment at a place is among them.
    pub fn has(&self, at: usize) -> bool {
        self.0.get(at / 64).is_some_and(|word| word & (1 << (at % 64)) != 0)
    }

    /// How many fragments.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn with(&self, other: &Mask, join: impl Fn(u64, u64) -> u64) -> Mask {
        let mut joined = Mask::default();
        for ((to, a), b) in joined.0.iter_mut().zip(self.0).zip(other.0) {
            *to = join(a, b);
        }
        joined
    }

    /// Those of both.
    pub fn and(&self, other: &Mask) -> Mask {
        self.with(other, |a, b| a & b)
    }

    /// Those of either.
    pub fn or(&self, other: &Mask) -> Mask {
        self.with(other, |a, b| a | b)
    }

    /// Those that the other has not.
    pub fn without(&self, other: &Mask) -> Mask {
        self.with(other, |a, b| a & !b)
    }
}
