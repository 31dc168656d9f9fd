//! What was made of a text before: agents say the same again and again, and templates have the same names with every payload.
//!
//! Invariant: what is made of a text depends on the text alone, so that it makes no difference whether it was remembered.

use quick_cache::sync::Cache;

/// Texts that are remembered, and bytes of one at most: a megabyte or two for each that remembers, and longer than a wish or a name is.
const TEXTS_MAX: usize = 4_096;
const BYTES_MAX: usize = 256;

/// What was made of the texts that came last or most often.
#[derive(Debug)]
pub struct Remembered<V> {
    made: Cache<String, V>,
}

impl<V: Clone> Default for Remembered<V> {
    fn default() -> Remembered<V> {
        Remembered {
            made: Cache::new(TEXTS_MAX),
        }
    }
}

impl<V: Clone> Remembered<V> {
    /// What is made of a text, made anew where it is not remembered.
    pub fn of(&self, text: &str, make: impl FnOnce(&str) -> V) -> V {
        self.of_some(text, |_| true, make)
    }

    /// The same; a text is remembered only where it may be by what was made of it.
    pub fn of_some(&self, text: &str, may: impl FnOnce(&V) -> bool, make: impl FnOnce(&str) -> V) -> V {
        if text.len() > BYTES_MAX {
            return make(text);
        }
        if let Some(made) = self.made.get(text) {
            return made;
        }
        let made = make(text);
        if may(&made) {
            self.made.insert(text.to_owned(), made.clone());
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::BYTES_MAX;
    use super::Remembered;

    #[test]
    fn what_is_short_is_made_once_and_what_is_long_each_time() {
        let (remembered, times) = (Remembered::default(), Cell::new(0));
        let make = |text: &str| {
            times.set(times.get() + 1);
            text.len()
        };
        for (length, made) in [(BYTES_MAX, 1), (BYTES_MAX + 1, 4)] {
            let text = "a".repeat(length);
            for _ in 0..3 {
                assert_eq!(remembered.of(&text, make), length);
            }
            assert_eq!(times.get(), made);
        }
    }
}
