//! What changed in a session since a record, for those who follow it (Shared Context §7.7, S-083).
//!
//! Read off the state, so that a follower that was away misses no key: what it is told is how each key stands, and several
//! changes of one key in between are told as one.

use serde::Serialize;
use serde::Serializer;

use crate::session::names::Key;
use crate::session::names::Label;
use crate::session::names::Participant;
use crate::session::working_memory::Session;
use schema::time::At;

/// What stands in [`Change::Relist`].
const RELIST: &str = "keys went that are not remembered any more: list_keys says which ones are there";

/// One thing that changed, as the stream of events writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Change {
    /// A key has another version.
    Written {
        key: Key,
        version: u64,
        incarnation: u64,
        written_by: Participant,
        #[serde(serialize_with = "rfc3339")]
        written_at: At,
        value_size_tokens: u64,
    },
    /// A key is gone.
    Deleted {
        deleted: Key,
        previous_version: u64,
        deleted_by: Option<Participant>,
        #[serde(serialize_with = "rfc3339")]
        deleted_at: At,
    },
    Snapshot {
        snapshot: Label,
        taken_by: Participant,
        #[serde(serialize_with = "rfc3339")]
        taken_at: At,
    },
    Archived {
        #[serde(serialize_with = "rfc3339")]
        archived_at: At,
    },
    /// Keys went that are remembered no more, or all that there were with the session that had this id before:
    /// how it stands is seen from the list of keys alone.
    Relist { message: &'static str },
}

impl Change {
    /// The name of the event.
    pub fn name(&self) -> &'static str {
        match self {
            Change::Written { .. } => "written",
            Change::Deleted { .. } => "deleted",
            Change::Snapshot { .. } => "snapshot",
            Change::Archived { .. } => "archived",
            Change::Relist { .. } => "relist",
        }
    }
}

fn rfc3339<S: Serializer>(at: &At, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&at.rfc3339())
}

/// Which keys are followed: all where there are none; `prefix*` is every key that begins so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followed(Vec<String>);

impl Followed {
    /// Reads keys and beginnings of keys, with commas between them.
    pub fn parse(text: &str) -> Option<Followed> {
        let keys: Vec<String> = text.split(',').map(str::trim).map(str::to_owned).collect();
        let right = keys.iter().all(|key| {
            let begun = key.strip_suffix('*').unwrap_or(key);
            begun.is_empty() && key.ends_with('*')
                || Key::parse(begun.strip_suffix(':').unwrap_or(begun), true).is_some()
        });
        right.then_some(Followed(keys))
    }

    fn has(&self, key: &Key) -> bool {
        self.0.is_empty()
            || self.0.iter().any(|followed| match followed.strip_suffix('*') {
                Some(begun) => key.as_str().starts_with(begun),
                None => followed == key.as_str(),
            })
    }
}

impl Session {
    /// What changed after a record, in order, each with its record.
    pub fn changes(&self, since: u64, followed: &Followed) -> Vec<(u64, Change)> {
        let written = self.entries.iter().filter(|(key, _)| followed.has(key));
        let written = written.map(|(key, entry)| {
            let change = Change::Written {
                key: key.clone(),
                version: entry.version,
                incarnation: entry.incarnation,
                written_by: entry.by.clone(),
                written_at: entry.at,
                value_size_tokens: entry.tokens,
            };
            (entry.seq, change)
        });
        let gone = self.tombstones.iter().filter(|(key, _)| followed.has(key));
        let deleted = gone.map(|(key, tombstone)| {
            let change = Change::Deleted {
                deleted: key.clone(),
                previous_version: tombstone.version,
                deleted_by: tombstone.by.clone(),
                deleted_at: tombstone.at,
            };
            (tombstone.seq, change)
        });
        let taken = self.snapshots.iter().map(|(label, snapshot)| {
            let change = Change::Snapshot {
                snapshot: label.clone(),
                taken_by: snapshot.by.clone(),
                taken_at: snapshot.at,
            };
            (snapshot.seq, change)
        });
        let archived = self
            .archived
            .map(|(seq, archived_at)| (seq, Change::Archived { archived_at }));
        let mut changes: Vec<(u64, Change)> = written.chain(deleted).chain(taken).chain(archived).collect();
        changes.retain(|(seq, _)| *seq > since);
        // Who saw nothing yet misses nothing.
        let lost = Some(self.forgotten.max(self.seq)).filter(|lost| (1..*lost).contains(&since));
        changes.extend(lost.map(|lost| (lost, Change::Relist { message: RELIST })));
        changes.sort_by_key(|(seq, _)| *seq);
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::Followed;
    use super::Key;

    #[test]
    fn keys_are_followed_by_name_or_by_how_they_begin_s083() {
        let key = |text: &str| Key::parse(text, true).expect("a key");
        let followed = Followed::parse("scope, inv:*,find*").expect("keys");
        for (text, told) in [
            ("scope", true),
            ("scopes", false),
            ("inv:a", true),
            ("findings", true),
            ("in", false),
        ] {
            assert_eq!(followed.has(&key(text)), told, "{text}");
        }
        assert!(Followed::default().has(&key("anything")));
        assert!(Followed::parse("*").is_some_and(|all| all.has(&key("anything"))));
        for text in ["", "A", "a,,b", "a b", "a**"] {
            assert_eq!(Followed::parse(text), None, "{text}");
        }
    }
}
