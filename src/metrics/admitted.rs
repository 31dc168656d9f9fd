//! Label values that have series of their own: the first so many that were seen.

use std::collections::BTreeSet;
use std::sync::PoisonError;
use std::sync::RwLock;

use crate::metrics::OVERFLOW;

/// A bounded set of label values. What was admitted once stays.
#[derive(Debug)]
pub struct Admitted {
    max: usize,
    values: RwLock<BTreeSet<String>>,
}

impl Admitted {
    /// Room for so many.
    pub fn at_most(max: usize) -> Admitted {
        Admitted {
            max,
            values: RwLock::new(BTreeSet::new()),
        }
    }

    /// The value itself, or `_overflow` when there is no room for it.
    pub fn label<'a>(&self, value: &'a str) -> &'a str {
        let full = {
            // A set is whole between any two calls, so a panic elsewhere leaves nothing half done.
            let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
            if values.contains(value) {
                return value;
            }
            values.len() >= self.max
        };
        if full {
            return OVERFLOW;
        }
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        if values.contains(value) || values.len() < self.max {
            values.insert(value.to_owned());
            value
        } else {
            OVERFLOW
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Admitted;

    #[test]
    fn the_first_so_many_are_admitted() {
        let admitted = Admitted::at_most(2);
        assert_eq!(
            ["a", "b", "c", "a", "c"].map(|v| admitted.label(v)),
            ["a", "b", "_overflow", "a", "_overflow"]
        );
    }
}
