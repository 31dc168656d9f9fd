//! The description of the HTTP interface (OpenAPI 3.1), made from what stands at each handler.
//!
//! [`document`] takes the table of endpoints and adds what follows from it: the failures of who may come and of what is read or
//! recorded ([`failures`]), and the examples with the answers that the service gave to them ([`examples`]). Serves nothing: that is
//! [`crate::http::docs`]. Invariant: an operation without an example, or an example without an operation, fails a test.

pub mod document;

pub mod examples;

pub mod failures;

pub mod parameters;

#[cfg(test)]
mod tests;
