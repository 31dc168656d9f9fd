//! What a reader made of the fragments of a cluster: whoever looked at the texts themselves and said what they mean together.
//!
//! Words of a reader are kept as they were given; what of them may be shown is decided where a key is made of them.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;

use crate::pool::micro::FragmentId;
use schema::key::KeyType;
use schema::key::Sensitive;
use schema::name::KeyName;

/// What a cluster stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heading {
    /// One wish.
    Wish(Box<Wish>),
    /// What a key in force holds already.
    Held(KeyName),
    /// Nothing is asked for.
    Nothing,
}

impl Heading {
    /// The wish, where it is one.
    pub fn wish(&self) -> Option<&Wish> {
        match self {
            Heading::Wish(wish) => Some(wish),
            Heading::Held(_) | Heading::Nothing => None,
        }
    }
}

/// One wish in the words of a reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wish {
    pub key_name: KeyName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub key_type: KeyType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Values that were said; empty where any value may be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<Sensitive>,
    /// The fragments that the reader saw.
    #[serde(default)]
    pub ids: Vec<FragmentId>,
    /// Those of them that want the opposite of what the name of a switch says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<FragmentId>,
    /// Who read it: the name of a model, or of a person.
    pub by: String,
    /// A person made it of a cluster as it is, and read none of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_hand: bool,
}

/// Ids that a wish keeps, one that is denied counted twice since it stands there twice; the newest are kept. With what a reader writes
/// beside them one record of the journal holds them.
const IDS_MAX: usize = 600;

impl Wish {
    /// Takes in what was said of the same wish elsewhere or before; of a fragment that both speak of this one's word stands.
    pub fn also(&mut self, other: &Wish) {
        for id in &other.ids {
            if !self.ids.contains(id) {
                self.ids.push(*id);
                self.denied.extend(other.denied.contains(id).then_some(*id));
            }
        }
        self.bound();
    }

    /// Keeps the newest of its fragments.
    pub fn bound(&mut self) {
        self.ids.sort_unstable();
        let denied: BTreeSet<FragmentId> = self.denied.iter().copied().collect();
        let newest = self.ids.iter().rev();
        let kept = newest.scan(0, |held, id| {
            *held += 1 + usize::from(denied.contains(id));
            (*held <= IDS_MAX).then_some(())
        });
        let kept = kept.count();
        self.ids.drain(..self.ids.len() - kept);
        self.denied.retain(|id| self.ids.binary_search(id).is_ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(ids: impl IntoIterator<Item = u64>, denied: &[u64]) -> Wish {
        let id = |submission| FragmentId { submission, ordinal: 0 };
        Wish {
            key_name: KeyName::parse("quiet_seat").expect("a name"),
            title: None,
            key_type: KeyType::Boolean,
            unit: None,
            values: Vec::new(),
            description: String::new(),
            sensitive: None,
            ids: ids.into_iter().map(id).collect(),
            denied: denied.iter().copied().map(id).collect(),
            by: "ada".to_owned(),
            by_hand: false,
        }
    }

    #[test]
    fn what_was_read_before_stays_known_and_the_last_word_stands_z112() {
        let mut last = wish([1, 5], &[5]);
        last.also(&wish([1, 2, 3], &[1, 3]));
        assert_eq!(last, wish([1, 2, 3, 5], &[5, 3]));
        let most = IDS_MAX as u64;
        // One that is denied takes the place of two.
        for (ids, denied, kept) in [
            (0..most, 0, most),
            (0..most + 1, 0, most),
            (0..most - 1, 1, most - 1),
            (0..most, 1, most - 1),
            (0..most, most, most / 2),
        ] {
            let denied: Vec<u64> = ids.clone().rev().take(denied as usize).collect();
            let mut many = wish([], &[]);
            many.also(&wish(ids.clone(), &denied));
            assert_eq!(
                many.ids.len() as u64,
                kept,
                "of {ids:?}, {} of them denied",
                denied.len()
            );
            assert_eq!(
                many.ids.last().map(|id| id.submission),
                Some(ids.end - 1),
                "the oldest went"
            );
            assert!(many.denied.len() <= many.ids.len());
        }
    }
}
