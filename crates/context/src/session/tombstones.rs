//! What went, so that each of those who follow a session is told of it once: keys that are gone, and keys that are there for others
//! alone (S-076, S-083).
//!
//! Invariants: at most [`TOMBSTONES_MAX`] keys are remembered, those that went last; at most [`REVOCATIONS_MAX`] revocations of a
//! key, and none of somebody whom a later one means, or who may read it now.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::session::entry::KeyAccess;
use crate::session::name::Key;
use crate::session::participant::Participant;
use crate::session::participant::Pattern;
use crate::session::participant::is_everybody;
use schema::time::At;

/// Keys of one session that are remembered after they are gone: what a follower that broke off misses meanwhile; beyond, it lists
/// the keys anew.
pub const TOMBSTONES_MAX: usize = 256;

/// Revocations of one key that are remembered: as many as a list of readers has patterns.
pub const REVOCATIONS_MAX: usize = 16;

/// How a key went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tombstone {
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
    pub access: KeyAccess,
}

/// The keys of a session that are gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tombstones {
    kept: BTreeMap<Key, Tombstone>,
}

impl Tombstones {
    /// Remembers a key that went. The one that had to be forgotten for it.
    pub fn bury(&mut self, key: Key, tombstone: Tombstone) -> Option<(Key, Tombstone)> {
        self.kept.insert(key, tombstone);
        if self.kept.len() <= TOMBSTONES_MAX {
            return None;
        }
        let oldest = self.kept.iter().min_by_key(|(_, tombstone)| tombstone.seq);
        let key = oldest.map(|(key, _)| key.clone())?;
        self.kept.remove_entry(&key)
    }

    /// Forgets a key that has come back. How it went.
    pub fn revive(&mut self, key: &Key) -> Option<Tombstone> {
        self.kept.remove(key)
    }

    /// How a key went, where it is remembered.
    pub fn get(&self, key: &Key) -> Option<&Tombstone> {
        self.kept.get(key)
    }

    /// Every key that is remembered.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Tombstone)> {
        self.kept.iter()
    }
}

/// The revocations of one key, oldest first, each with those who lost it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Kept")]
pub struct AccessRevocations(Vec<Tombstone>);

/// How they lie on disk: snapshots of before had the last one alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum Kept {
    One(Tombstone),
    All(Vec<Tombstone>),
}

impl From<Kept> for AccessRevocations {
    fn from(kept: Kept) -> AccessRevocations {
        match kept {
            Kept::One(tombstone) => AccessRevocations(vec![tombstone]),
            Kept::All(tombstones) => AccessRevocations(tombstones),
        }
    }
}

impl AccessRevocations {
    /// Remembers that a key went for those of `tombstone` that are not among `readers`, who may read it from now on. The one that
    /// had to be forgotten for it.
    pub fn note(&mut self, tombstone: Tombstone, readers: &[Pattern]) -> Option<Tombstone> {
        self.leave_out(&tombstone.access.readable_by);
        self.0.push(tombstone);
        self.leave_out(readers);
        (self.0.len() > REVOCATIONS_MAX).then(|| self.0.remove(0))
    }

    /// What tells somebody that the key went for it.
    pub fn last_for(&self, who: &Participant) -> Option<&Tombstone> {
        self.0.iter().rev().find(|tombstone| tombstone.access.lets_read(who))
    }

    /// Whether none is remembered.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Leaves those out who are told otherwise.
    fn leave_out(&mut self, told: &[Pattern]) {
        if is_everybody(told) {
            self.0.clear();
        }
        self.0.retain_mut(|tombstone| {
            let lost = &mut tombstone.access.readable_by;
            if is_everybody(lost) {
                return true;
            }
            lost.retain(|pattern| !told.iter().any(|other| other.covers(pattern)));
            !lost.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::AccessRevocations;
    use super::REVOCATIONS_MAX;
    use super::Tombstone;
    use super::Tombstones;
    use crate::session::entry::KeyAccess;
    use crate::session::participant::Participant;
    use crate::session::participant::Pattern;
    use schema::time::At;

    fn patterns(texts: &[&str]) -> Vec<Pattern> {
        let parse = |text: &&str| Pattern::parse(text).expect("a pattern");
        texts.iter().map(parse).collect()
    }

    fn tombstone(seq: u64, readers: &[&str]) -> Tombstone {
        Tombstone {
            version: seq,
            seq,
            at: At(0),
            by: None,
            access: KeyAccess {
                readable_by: patterns(readers),
                writable_by: Vec::new(),
            },
        }
    }

    fn told(revocations: &AccessRevocations, name: &str) -> Option<u64> {
        let who = Participant::parse(name).expect("a participant");
        revocations.last_for(&who).map(|tombstone| tombstone.seq)
    }

    #[test]
    fn closing_and_opening_again_and_again_takes_no_room_and_the_oldest_is_forgotten_s083() {
        let mut revocations = AccessRevocations::default();
        for seq in 1..200 {
            let (one, two): (&[&str], &[&str]) = (&["subagent:a", "subagent:b"], &["subagent:b"]);
            let (before, after) = if seq % 2 == 1 { (one, two) } else { (two, one) };
            assert_eq!(revocations.note(tombstone(seq, before), &patterns(after)), None);
        }
        assert_eq!((revocations.0.len(), told(&revocations, "subagent:a")), (1, Some(199)));
        let mut forgotten = Vec::new();
        for n in 0..REVOCATIONS_MAX as u64 + 3 {
            let (before, after) = (format!("subagent:t{n}"), format!("subagent:t{}", n + 1));
            let gone = revocations.note(tombstone(200 + n, &[&before]), &patterns(&[&after]));
            forgotten.extend(gone.map(|tombstone| tombstone.seq));
        }
        assert_eq!(revocations.0.len(), REVOCATIONS_MAX);
        assert_eq!(forgotten, [199, 200, 201, 202]);
    }

    #[test]
    fn one_closing_of_a_snapshot_of_before_is_read_s083() {
        let before = r#"{"version":3,"seq":9,"at":0,"by":"orchestrator","readable_by":["subagent:a"]}"#;
        let read: AccessRevocations = serde_json::from_str(before).expect("a closing");
        assert_eq!(told(&read, "subagent:a"), Some(9));
        let text = serde_json::to_string(&read).expect("JSON");
        assert_eq!(text, format!("[{before}]"));
        assert_eq!(
            serde_json::from_str::<AccessRevocations>(&text).expect("revocations"),
            read
        );
    }

    #[test]
    fn those_of_a_snapshot_of_before_are_read() {
        let before = r#"{"kept":{"scope":{"version":6,"seq":9,"at":0}},"floor":4}"#;
        let read: Tombstones = serde_json::from_str(before).expect("tombstones");
        assert_eq!(read.iter().count(), 1);
    }
}
