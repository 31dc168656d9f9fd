//! What agents that work together know together: how the context of their work travels between them.
//!
//! [`shared`] is the working memory of one session. Pure: no clock, no I/O. It does not know journals, callers' keys or transports.

pub mod shared;
