//! Tables of words, one sort a row: the sort, a tab, and words between commas. A sort may have several rows.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

/// A table as it was read.
#[derive(Clone, Debug, Default)]
pub struct Table {
    sorts: BTreeMap<&'static str, BTreeSet<&'static str>>,
}

impl Table {
    /// Reads texts that are part of the program as one table.
    pub fn read(texts: impl IntoIterator<Item = &'static str>) -> Table {
        let mut table = Table::default();
        let lines = texts.into_iter().flat_map(str::lines);
        for (sort, words) in lines.filter_map(|line| line.split_once('\t')) {
            table.sorts.entry(sort).or_default().extend(words.split(", "));
        }
        table
    }

    /// The words of a sort.
    pub fn words(&self, sort: &str) -> impl Iterator<Item = &'static str> + '_ {
        self.sorts.get(sort).into_iter().flatten().copied()
    }

    /// Whether a word is of a sort.
    pub fn holds(&self, sort: &str, word: &str) -> bool {
        self.sorts.get(sort).is_some_and(|words| words.contains(word))
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn a_table_holds_words_by_their_sort() {
        let table = Table::read(["a\tone, two words\nb\tone\n", "# a\na\tthree\n"]);
        assert!(table.holds("a", "two words") && table.holds("a", "three") && table.holds("b", "one"));
        assert!(!table.holds("b", "three") && !table.holds("c", "one"));
    }
}
