//! Keys that are gone, so that who follows a session is told of it (S-083).
//!
//! Invariant: at most [`GRAVES_MAX`] keys are remembered, those that went last.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::session::entry::Reach;
use crate::session::name::Key;
use crate::session::participant::Participant;
use schema::time::At;

/// Keys of one session that are remembered after they are gone: what a follower that broke off misses meanwhile; beyond, it lists
/// the keys anew.
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
}

impl Graves {
    /// Remembers a key that went. The one that had to be forgotten for it.
    pub fn bury(&mut self, key: Key, grave: Grave) -> Option<(Key, Grave)> {
        self.kept.insert(key, grave);
        if self.kept.len() <= GRAVES_MAX {
            return None;
        }
        let oldest = self.kept.iter().min_by_key(|(_, grave)| grave.seq);
        let key = oldest.map(|(key, _)| key.clone())?;
        let gone = self.kept.remove(&key)?;
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

    /// Every key that is remembered.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Grave)> {
        self.kept.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::GRAVES_MAX;
    use super::Grave;
    use super::Graves;
    use super::Key;
    use schema::time::At;

    #[test]
    fn the_oldest_is_forgotten_first_s083() {
        let mut graves = Graves::default();
        let key = |n: u64| Key::parse(&format!("k{n}"), false).expect("a key");
        let grave = |seq: u64| Grave {
            version: 1,
            seq,
            at: At(0),
            by: None,
            reach: super::Reach::default(),
        };
        let max = GRAVES_MAX as u64;
        for n in 0..max {
            assert_eq!(graves.bury(key(n), grave(n)), None);
        }
        assert_eq!(graves.bury(key(max), grave(max)), Some((key(0), grave(0))));
        assert_eq!(graves.iter().count(), GRAVES_MAX);
        assert_eq!(graves.raise(&key(max)), Some(grave(max)));
        assert_eq!(graves.of(&key(max)), None);
    }

    #[test]
    fn those_of_a_snapshot_of_before_are_read() {
        let before = r#"{"kept":{"scope":{"version":6,"seq":9,"at":0}},"floor":4}"#;
        let read: Graves = serde_json::from_str(before).expect("graves");
        assert_eq!(read.iter().count(), 1);
    }
}
