//! A stream whose time runs backwards: counted and said, never refused.

/// Lines whose moment lies before that of a line above them. They are taken at the latest moment reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backwards {
    pub lines: usize,
    /// 1-based number of the first.
    pub first: usize,
}

impl std::fmt::Display for Backwards {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Backwards { lines, first } = self;
        write!(
            f,
            "time runs backwards in {lines} of the stream's lines, first in line {first}: each is taken at the latest \
             moment before it; sort the stream by `at` for what really happened"
        )
    }
}

impl Backwards {
    /// Counts a line, by its 0-based number, if its moment lies `before` that of a line above it.
    pub fn note(counted: &mut Option<Backwards>, number: usize, before: bool) {
        if before {
            let first = number + 1;
            counted.get_or_insert(Backwards { lines: 0, first }).lines += 1;
        }
    }
}
