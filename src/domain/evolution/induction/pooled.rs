//! What induction asks of the pool: typed values of a text, and the text without personal data. The one place that does.

use crate::domain::pool::reading;
use crate::domain::pool::reading::Span;

/// The pool's own eyes.
pub fn eyes() -> Eyes<'static> {
    Eyes {
        spans: &reading::spans,
        redact: &reading::redact,
    }
}

/// How a text is read and made harmless; given from outside so that induction can be watched with other eyes.
#[derive(Clone, Copy)]
pub struct Eyes<'a> {
    /// Typed values, in order, without overlaps.
    pub spans: &'a dyn Fn(&str) -> Vec<Span>,
    /// The text without personal data, marks in brackets in their place.
    pub redact: &'a dyn Fn(&str) -> String,
}
