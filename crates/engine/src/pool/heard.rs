//! How much was said where no client counts for much: what paces the looks, so that one that says much puts off nobody's.
//!
//! Bounded: as many fragments are counted as make the pace its slowest, each client's first few.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;

use crate::pool::source::Source;

/// Fragments of one client that count: a submission's worth.
const OF_ONE_MAX: u64 = 16;
/// Fragments that are counted: eight times the default of `look_every_fragments`, from which on the pace stays the same.
const ALL_MAX: u64 = 512;

/// Fragments that joined a pool, few of each client.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Heard {
    /// Emptied once enough is counted.
    by_client: BTreeMap<Source, u64>,
    all: u64,
    /// Who said anything since the last look, each once.
    since_look: BTreeSet<Source>,
}

impl Heard {
    /// Counts a fragment that joined.
    pub fn note(&mut self, source: &Source) {
        if self.all < ALL_MAX {
            let own = self.by_client.entry(source.clone()).or_default();
            if *own < OF_ONE_MAX {
                *own += 1;
                self.all += 1;
            }
            if self.all == ALL_MAX {
                self.by_client.clear();
            }
        }
        if (self.since_look.len() as u64) < ALL_MAX {
            self.since_look.insert(source.clone());
        }
    }

    /// The pool was reclustered.
    pub fn looked(&mut self) {
        self.since_look.clear();
    }

    /// Fragments counted, at most [`ALL_MAX`].
    pub fn all(&self) -> u64 {
        self.all
    }

    /// Clients that said anything since the last look.
    pub fn since_look(&self) -> u64 {
        self.since_look.len() as u64
    }

    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        *self == Heard::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schema::name::ClientId;

    fn client(name: &str) -> Source {
        Source::of(ClientId::parse(name).as_ref())
    }

    #[test]
    fn one_client_counts_for_a_submissions_worth_and_once_between_two_looks_z096() {
        let mut heard = Heard::default();
        for _ in 0..1_000 {
            heard.note(&client("loud"));
        }
        assert_eq!((heard.all(), heard.since_look()), (OF_ONE_MAX, 1));
        for n in 0..3 {
            heard.note(&client(&format!("c{n}")));
        }
        heard.note(&Source::of(None));
        assert_eq!((heard.all(), heard.since_look()), (OF_ONE_MAX + 4, 5));
        heard.looked();
        assert_eq!(heard.since_look(), 0);
    }

    #[test]
    fn so_many_are_counted_and_nothing_grows_beyond_z082() {
        let mut heard = Heard::default();
        for n in 0..3 * ALL_MAX {
            heard.note(&client(&n.to_string()));
        }
        assert_eq!((heard.all(), heard.since_look()), (ALL_MAX, ALL_MAX));
        assert!(heard.by_client.is_empty());
    }
}
