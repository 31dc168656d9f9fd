//! What changed in a session since a record, for those who follow it (Shared Context §7.7, S-083).
//!
//! Read off the state, so that a follower that was away misses no key: what it is told is how each key stands, and several
//! changes of one key in between are told as one. Invariant: nothing is told of what the follower may not read.

use crate::session::name::Key;
use crate::session::name::Label;
use crate::session::participant::Participant;
use crate::session::session::Session;
use schema::time::At;

/// One thing that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A key has another version.
    Written {
        key: Key,
        version: u64,
        incarnation: u64,
        by: Participant,
        at: At,
        tokens: u64,
    },
    /// A key is gone; nobody deleted it where it expired.
    Deleted {
        key: Key,
        version: u64,
        by: Option<Participant>,
        at: At,
    },
    Snapshotted {
        label: Label,
        by: Participant,
        at: At,
    },
    Archived {
        at: At,
    },
    /// Keys went that are remembered no more, or all that there were with the session that had this id before: how it stands is
    /// seen from the list of keys alone.
    Forgotten,
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
    pub fn changes(&self, since: u64, followed: &Followed, who: &Participant, now: At) -> Vec<(u64, Change)> {
        let written = self
            .entries(who, now)
            .filter(|(key, _)| followed.has(key))
            .map(|(key, entry)| {
                let change = Change::Written {
                    key: key.clone(),
                    version: entry.version,
                    incarnation: entry.incarnation,
                    by: entry.by.clone(),
                    at: entry.at,
                    tokens: entry.tokens,
                };
                (entry.seq, change)
            });
        // A key that was closed to the follower is gone for it, and no more is said, also of how it went for others later.
        let closed = self.access_revocations.iter().filter(|(key, _)| !self.tells(key, who));
        let closed = closed.filter_map(|(key, revocations)| Some((key, revocations.last_for(who)?)));
        let buried = self
            .tombstones
            .iter()
            .filter(|(_, tombstone)| tombstone.access.lets_read(who));
        let deleted = buried.chain(closed).filter(|(key, _)| followed.has(key));
        let deleted = deleted.map(|(key, tombstone)| {
            let change = Change::Deleted {
                key: key.clone(),
                version: tombstone.version,
                by: tombstone.by.clone(),
                at: tombstone.at,
            };
            (tombstone.seq, change)
        });
        let kept = self.snapshots.iter().map(|(label, snapshot)| {
            let change = Change::Snapshotted {
                label: label.clone(),
                by: snapshot.by.clone(),
                at: snapshot.at,
            };
            (snapshot.seq, change)
        });
        let archived = self.archived.map(|(seq, at)| (seq, Change::Archived { at }));
        let mut changes: Vec<(u64, Change)> = written.chain(deleted).chain(kept).chain(archived).collect();
        changes.retain(|(seq, _)| *seq > since);
        // Who saw nothing yet misses nothing.
        let lost = Some(self.forgotten.max(self.seq)).filter(|lost| (1..*lost).contains(&since));
        changes.extend(lost.map(|lost| (lost, Change::Forgotten)));
        changes.sort_by_key(|(seq, _)| *seq);
        changes
    }
}

impl Session {
    /// Whether how a key stands, or how it went, is for somebody.
    fn tells(&self, key: &Key, who: &Participant) -> bool {
        let access = match self.entries.get(key) {
            Some(entry) => Some(&entry.access),
            None => self.tombstones.get(key).map(|tombstone| &tombstone.access),
        };
        access.is_some_and(|access| access.lets_read(who))
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
