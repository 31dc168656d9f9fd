//! What the models' regressions tell of a cluster's fragments, each in the fragments' order.
//!
//! Knows no cluster and counts nothing. Invariant: a model that tells nothing of a question has no scores for it.

use crate::pool::heads::Head;
use crate::pool::heads::Heads;
use text::vector::Vector;

/// By one model, as log-odds; empty where it does not tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// How likely each fragment asks for something.
    pub demand: Vec<f64>,
    /// How likely each fragment orders a model about.
    pub orders: Vec<f64>,
    /// How likely each fragment is a wish for which a person must say yes.
    pub sensitive: Vec<f64>,
}

/// By the model that reads more languages than the pool's own.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Multilingual {
    /// There is none, so that nothing is missed.
    #[default]
    Absent,
    /// It could not read the fragments.
    Unread,
    Read(Told),
}

impl Told {
    /// Of fragments by their vectors, in order.
    pub fn by(heads: &Heads, vectors: &[Vector]) -> Told {
        let each = |head: &Head| vectors.iter().filter_map(|vector| head.score(vector)).collect();
        Told {
            demand: each(&heads.demand),
            orders: each(&heads.orders),
            sensitive: heads.sensitive.as_ref().map(each).unwrap_or_default(),
        }
    }
}
