//! The words by which the rules go, read once.
//!
//! Invariant: the table is a constant of the program, and a test reads it.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::domain::context::work::outcome::wording::Phrase;

/// One or more words that mean the same.
pub type Group = Vec<Phrase>;

/// The table, as its file holds it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Say that something was not done, is to be done, or is not known, wherever they stand.
    pub always: Vec<Phrase>,
    /// Say in any form that something went wrong, unless they are denied or the description speaks of them.
    pub troubles: Vec<Phrase>,
    /// What there should be none of: "no problem" is good news.
    pub harms: Vec<Phrase>,
    /// Say that something went wrong, where it was not what the description speaks of.
    pub deeds: Vec<Phrase>,
    /// Verbs that say so in every form but the one in which one is told to do it.
    pub mishaps: Vec<Phrase>,
    /// Say that all is as it was, or why nothing came of it, where a text begins.
    pub lingers: Vec<Phrase>,
    /// Count where a text begins to say something.
    pub at_first: Vec<Phrase>,
    /// Take back what was said.
    pub turns: BTreeSet<String>,
    /// Begin a description to which bad news are an answer.
    pub inquiries: Vec<Phrase>,
    /// Begin a description to which "none" is an answer.
    pub searches: Vec<Phrase>,
    /// Begin with such a verb and are none: "check in".
    pub errands: Vec<Phrase>,
    /// Say "none", which answers such a description.
    pub blanks: BTreeSet<String>,
    /// Begin a description of which a result may tell what was wrong, once it says that it was put right.
    pub mends: Vec<Phrase>,
    pub done: BTreeSet<String>,
    /// Verbs, and those that undo them.
    pub opposites: Vec<(Group, Group)>,
    /// Verbs, and how things stand when they were not done.
    pub states: Vec<(Group, Group)>,
    /// The first against the others, also where something is only to be found out.
    pub degrees: Vec<Group>,
    /// The first against the others.
    pub contrasts: Vec<Group>,
    /// The first against the others, of the same thing.
    pub qualities: Vec<Group>,
    /// Words before another word, one against the other.
    pub places: Vec<(String, String)>,
    /// Days and months: each against the others of its list.
    pub calendar: Vec<Vec<Group>>,
    pub kinds: Vec<Vec<Group>>,
    /// Words before the name of whom or what something is for.
    pub recipients: BTreeSet<String>,
    /// Verbs by which something that is to be so and so is looked for.
    pub locating: Vec<Phrase>,
    /// Verbs whose result is a thing that was not there before.
    pub producing: Vec<Phrase>,
    /// Verbs whose result is a figure.
    pub reckoning: Vec<Phrase>,
    pub comparing: Vec<Phrase>,
    /// Verbs by which things are to be left, or to be seen to be, as they are.
    pub preserving: Vec<Phrase>,
    /// Verbs of what is done before a deed, or of how it is come by: that files were found deletes none.
    pub preparing: Vec<Phrase>,
    /// Verbs of what puts a deed off, where they stand beside its name: "scheduled for deletion".
    pub deferring: Vec<Phrase>,
    pub ending: Ending,
    pub determiners: BTreeSet<String>,
    pub negations: BTreeSet<String>,
    /// Before what may come to be and has not, or what was there before.
    pub suppositions: BTreeSet<String>,
    /// Verbs after which there shall be none.
    pub removals: Vec<Phrase>,
    /// Verbs whose object is in what comes of them, so that a forbidden one must not be.
    pub including: Vec<Phrase>,
    /// Verbs that forbid their object.
    pub avoiding: Vec<Phrase>,
    /// Beside a thing, say that it is not in what came of it.
    pub excluding: BTreeSet<String>,
    pub wholes: BTreeSet<String>,
    pub parts: Vec<Phrase>,
    /// Names of one thing that is made of many.
    pub collectives: BTreeSet<String>,
    /// Before a thing, say that it is a part of all of them.
    pub somes: BTreeSet<String>,
    /// Names of why something happened.
    pub causes: BTreeSet<String>,
    pub bounds: Bounds,
    /// Words that say how many weeks, months or the like from now.
    pub shifts: BTreeMap<String, i32>,
    /// What is so many from now, by how long it is beside the others.
    pub periods: BTreeMap<String, u32>,
    /// Prefixes that take back what follows, where it is known what does.
    pub prefixes: Vec<String>,
    /// Parts of a day, from which hour to which.
    pub daytimes: BTreeMap<String, (u32, u32)>,
    pub numbers: BTreeMap<String, u32>,
    /// Other names of a unit.
    pub units: BTreeMap<String, String>,
    /// Units of one dimension: what is added to a number of them, then by what it is multiplied.
    pub measures: BTreeMap<String, BTreeMap<String, (f64, f64)>>,
}

/// How what was to come to nothing came to something nevertheless.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ending {
    /// Verbs by which something is to come to nothing.
    pub verbs: Vec<Phrase>,
    /// Verbs that say that it was upheld.
    pub upheld: Vec<Phrase>,
    /// Say that it came to nothing in other words, so that what was upheld is the end of it.
    pub signs: Vec<Phrase>,
}

/// Words before a figure that make it a bound.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    pub upper: Vec<Phrase>,
    pub lower: Vec<Phrase>,
    pub loose: Vec<Phrase>,
    /// Bounds of a time of day alone.
    pub until: Vec<Phrase>,
    pub since: Vec<Phrase>,
    /// Those of all these that the bound itself does not keep.
    pub strict: Vec<Phrase>,
}

/// What the file holds; its test says that it can be read.
pub static TABLE: LazyLock<Table> = LazyLock::new(|| read().unwrap_or_default());

fn read() -> Result<Table, serde_json::Error> {
    serde_json::from_str(include_str!("../tables/outcome.json"))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn the_table_can_be_read_and_is_in_lower_case() {
        let table = read().expect("the table");
        assert!(table.opposites.len() > 30 && table.degrees.len() > 20);
        let phrases = table.always.iter().chain(&table.troubles).chain(&table.mishaps);
        let words = phrases.map(|phrase| &phrase.text).chain(&table.done);
        for word in words {
            assert_eq!(word, &word.to_lowercase());
        }
    }
}
