//! For whom keys went that are there for others: who might read a key until it was closed to them, so that each of those who follow
//! is told of it once, whatever became of the key since (S-076, S-083).
//!
//! Knows neither the key nor how it stands. Invariant: at most [`CLOSINGS_MAX`] closings of a key are remembered, and none of
//! somebody whom a later one means, or who may read it now.

use serde::Deserialize;
use serde::Serialize;

use crate::session::graves::Grave;
use crate::session::participant::Participant;
use crate::session::participant::Pattern;
use crate::session::participant::is_everybody;

/// Closings of one key that are remembered.
pub const CLOSINGS_MAX: usize = 16;

/// The closings of one key, oldest first, each with those to whom it was closed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Kept", into = "Vec<Grave>")]
pub struct Closings(Vec<Grave>);

/// How they lie on disk: snapshots of before had the last one alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum Kept {
    One(Grave),
    All(Vec<Grave>),
}

impl From<Kept> for Closings {
    fn from(kept: Kept) -> Closings {
        match kept {
            Kept::One(grave) => Closings(vec![grave]),
            Kept::All(graves) => Closings(graves),
        }
    }
}

impl From<Closings> for Vec<Grave> {
    fn from(closings: Closings) -> Vec<Grave> {
        closings.0
    }
}

impl Closings {
    /// Remembers that a key went for those of `grave` that are not among `readers`, who may read it from now on. The closing that
    /// had to be forgotten for it.
    pub fn note(&mut self, grave: Grave, readers: &[Pattern]) -> Option<Grave> {
        self.leave_out(&grave.reach.readable_by);
        self.0.push(grave);
        self.leave_out(readers);
        (self.0.len() > CLOSINGS_MAX).then(|| self.0.remove(0))
    }

    /// What tells somebody that the key went for it.
    pub fn of(&self, who: &Participant) -> Option<&Grave> {
        self.0.iter().rev().find(|grave| grave.reach.lets_read(who))
    }

    /// Whether none is remembered.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many are remembered.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Leaves those out who are told otherwise.
    fn leave_out(&mut self, told: &[Pattern]) {
        if is_everybody(told) {
            self.0.clear();
        }
        self.0.retain_mut(|grave| {
            let closed = &mut grave.reach.readable_by;
            if is_everybody(closed) {
                return true;
            }
            closed.retain(|pattern| !told.iter().any(|other| other.covers(pattern)));
            !closed.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::CLOSINGS_MAX;
    use super::Closings;
    use super::Grave;
    use super::Participant;
    use super::Pattern;
    use crate::session::entry::Reach;
    use schema::time::At;

    fn patterns(texts: &[&str]) -> Vec<Pattern> {
        let parse = |text: &&str| Pattern::parse(text).expect("a pattern");
        texts.iter().map(parse).collect()
    }

    fn grave(seq: u64, readers: &[&str]) -> Grave {
        Grave {
            version: seq,
            seq,
            at: At(0),
            by: None,
            reach: Reach {
                readable_by: patterns(readers),
                writable_by: Vec::new(),
            },
        }
    }

    fn told(closings: &Closings, name: &str) -> Option<u64> {
        let who = Participant::parse(name).expect("a participant");
        closings.of(&who).map(|grave| grave.seq)
    }

    #[test]
    fn each_is_told_by_the_last_closing_that_means_it_s083() {
        let mut closings = Closings::default();
        assert_eq!(
            closings.note(grave(1, &[]), &patterns(&["subagent:a", "subagent:b"])),
            None
        );
        closings.note(grave(2, &["subagent:a", "subagent:b"]), &patterns(&["subagent:b"]));
        closings.note(grave(3, &["subagent:b"]), &patterns(&["subagent:c"]));
        for (name, seq) in [("subagent:x", 1), ("subagent:a", 2), ("subagent:b", 3)] {
            assert_eq!(told(&closings, name), Some(seq), "{name}");
        }
        assert_eq!(closings.len(), 3);
        closings.note(grave(4, &["subagent:c"]), &patterns(&["subagent:*"]));
        assert_eq!(
            told(&closings, "subagent:a"),
            Some(1),
            "open to them, and asked by nobody"
        );
        assert_eq!(closings.len(), 1, "{closings:?}");
        closings.note(grave(5, &["subagent:*"]), &[]);
        assert!(closings.is_empty(), "everybody may read it");
    }

    #[test]
    fn closing_and_opening_again_and_again_takes_no_room_and_the_oldest_is_forgotten_s083() {
        let mut closings = Closings::default();
        for seq in 1..200 {
            let (one, two): (&[&str], &[&str]) = (&["subagent:a", "subagent:b"], &["subagent:b"]);
            let (before, after) = if seq % 2 == 1 { (one, two) } else { (two, one) };
            assert_eq!(closings.note(grave(seq, before), &patterns(after)), None);
        }
        assert_eq!((closings.len(), told(&closings, "subagent:a")), (1, Some(199)));
        let mut forgotten = Vec::new();
        for n in 0..CLOSINGS_MAX as u64 + 3 {
            let (before, after) = (format!("subagent:t{n}"), format!("subagent:t{}", n + 1));
            let gone = closings.note(grave(200 + n, &[&before]), &patterns(&[&after]));
            forgotten.extend(gone.map(|grave| grave.seq));
        }
        assert_eq!(closings.len(), CLOSINGS_MAX);
        assert_eq!(forgotten, [199, 200, 201, 202]);
    }

    #[test]
    fn one_closing_of_a_snapshot_of_before_is_read_s083() {
        let before = r#"{"version":3,"seq":9,"at":0,"by":"orchestrator","readable_by":["subagent:a"]}"#;
        let read: Closings = serde_json::from_str(before).expect("a closing");
        assert_eq!(told(&read, "subagent:a"), Some(9));
        let text = serde_json::to_string(&read).expect("JSON");
        assert_eq!(text, format!("[{before}]"));
        assert_eq!(serde_json::from_str::<Closings>(&text).expect("closings"), read);
    }
}
