//! Words that are too common to tell one thing from another, by two tables of English words, one a line.
//!
//! `tables/empty_words.txt`: closed-class, thanking and confirming words; a text of these alone asks for nothing (Z-065).
//! `tables/stop_words.txt`: words that never name what a number counts. Both were written for this project. Knows nothing of
//! what is asked of a word. Invariant: a word is looked up as it stands, in lower case.

use std::collections::BTreeSet;
use std::sync::LazyLock;

static EMPTY: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| lines(include_str!("tables/empty_words.txt")));
static STOP: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| lines(include_str!("tables/stop_words.txt")));

fn lines(table: &'static str) -> BTreeSet<&'static str> {
    table.lines().filter(|line| !line.is_empty()).collect()
}

/// Whether a word asks for nothing by itself.
pub fn is_empty(word: &str) -> bool {
    EMPTY.contains(word)
}

/// Whether a word names nothing.
pub fn is_stop(word: &str) -> bool {
    STOP.contains(word)
}
