//! Versions of keys that are gone, so that none is given twice (S-012, S-031): a key that comes back goes on counting.
//!
//! Invariant: at most [`GRAVES_MAX`] keys are remembered each by itself. What had to be forgotten raises the floor above which
//! every new key begins, so that even a forgotten key never repeats a version. A key that was never there before begins at 1 as
//! long as nothing had to be forgotten (S-026).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::domain::context::shared::entry::Reach;
use crate::domain::context::shared::name::Key;
use crate::domain::context::shared::participant::Participant;
use crate::domain::time::At;

/// Keys of one session that are remembered after they are gone.
pub const GRAVES_MAX: usize = 256;

/// A key that is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grave {
    /// Its last version.
    pub version: u64,
    /// The record by which it went.
    pub seq: u64,
    pub at: At,
    /// Who deleted it; `None` where it expired.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by: Option<Participant>,
    /// Who may know of it.
    #[serde(flatten)]
    pub reach: Reach,
}

/// The keys of a session that are gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graves {
    kept: BTreeMap<Key, Grave>,
    floor: u64,
}

impl Graves {
    /// Those of a session whose id was another one's before, which gave no version above this.
    pub fn after(floor: u64) -> Graves {
        Graves {
            kept: BTreeMap::new(),
            floor,
        }
    }

    /// Remembers a key that went. The one that had to be forgotten for it.
    pub fn bury(&mut self, key: Key, grave: Grave) -> Option<(Key, Grave)> {
        self.kept.insert(key, grave);
        if self.kept.len() <= GRAVES_MAX {
            return None;
        }
        // The one that raises the floor least, and of these the oldest.
        let lowest = self.kept.iter().min_by_key(|(_, grave)| (grave.version, grave.seq));
        let key = lowest.map(|(key, _)| key.clone())?;
        let gone = self.kept.remove(&key)?;
        self.floor = self.floor.max(gone.version);
        Some((key, gone))
    }

    /// Forgets a key that has come back. How it went.
    pub fn raise(&mut self, key: &Key) -> Option<Grave> {
        self.kept.remove(key)
    }

    /// How a key went, where it is remembered.
    pub fn of(&self, key: &Key) -> Option<&Grave> {
        self.kept.get(key)
    }

    /// The highest version of all that went.
    pub fn highest(&self) -> u64 {
        let versions = self.kept.values().map(|grave| grave.version);
        versions.max().unwrap_or(0).max(self.floor)
    }

    /// The version that a key would begin with.
    pub fn next_version(&self, key: &Key) -> u64 {
        let last = self
            .kept
            .get(key)
            .map_or(self.floor, |grave| grave.version.max(self.floor));
        last + 1
    }

    /// Every key that is remembered.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Grave)> {
        self.kept.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::vec;
    use proptest::prop_assert;
    use proptest::proptest;

    use super::GRAVES_MAX;
    use super::Grave;
    use super::Graves;
    use super::Key;
    use crate::domain::time::At;

    fn key(n: usize) -> Key {
        Key::parse(&format!("k{n}"), false).expect("a key")
    }

    fn grave(version: u64, seq: u64) -> Grave {
        Grave {
            version,
            seq,
            at: At(0),
            by: None,
            reach: super::Reach::default(),
        }
    }

    #[test]
    fn a_key_that_comes_back_goes_on_and_a_new_one_begins_at_one_s012_s026_s031() {
        let mut graves = Graves::default();
        assert_eq!(graves.next_version(&key(1)), 1);
        graves.bury(key(1), grave(5, 9));
        assert_eq!((graves.next_version(&key(1)), graves.next_version(&key(2))), (6, 1));
    }

    #[test]
    fn what_is_forgotten_raises_the_floor_by_the_least() {
        let mut graves = Graves::default();
        graves.bury(key(0), grave(7, 1));
        for n in 1..=GRAVES_MAX {
            graves.bury(key(n), grave(1, n as u64 + 1));
        }
        assert_eq!(graves.iter().count(), GRAVES_MAX);
        assert_eq!(graves.next_version(&key(0)), 8, "the high one is remembered");
        assert_eq!(
            graves.next_version(&key(1)),
            2,
            "the oldest of the low ones is forgotten, and repeats nothing"
        );
        assert_eq!(graves.next_version(&key(9_999)), 2, "nobody can tell that it is new");
    }

    proptest! {
        #[test]
        fn no_version_of_a_key_is_given_twice_s012(keys in vec(0..600_usize, 1..2_000)) {
            let mut graves = Graves::default();
            let mut last: BTreeMap<usize, u64> = BTreeMap::new();
            for (seq, n) in keys.into_iter().enumerate() {
                let version = graves.next_version(&key(n));
                prop_assert!(version > last.get(&n).copied().unwrap_or(0));
                last.insert(n, version);
                graves.raise(&key(n));
                graves.bury(key(n), grave(version, seq as u64));
            }
        }
    }
}
