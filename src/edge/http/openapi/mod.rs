//! The description of the HTTP interface (OpenAPI 3.1), made from the table of addresses.
//!
//! [`document`] puts it together: an operation for each row of [`crate::edge::http::routes`], what its group says of it
//! ([`hosting`], [`negotiating`], [`submitting`], [`calling`], [`inspecting`], [`operating`], [`auditing`],
//! [`sharing`], [`telling`], [`watching`]), the failures that follow
//! ([`hosting`], [`negotiating`], [`submitting`], [`calling`], [`conversing`], [`messaging`],
//! [`inspecting`], [`operating`], [`auditing`], [`telling`], [`watching`]), the failures that follow
//! ([`hosting`], [`negotiating`], [`submitting`], [`calling`], [`inspecting`], [`operating`], [`auditing`], [`telling`], [`working`], [`watching`]), the failures that follow
//! from the row ([`failures`]), and the examples with the answers that the service gave to them ([`examples`]). Serves
//! nothing: that is [`crate::edge::http::docs`]. Invariant: an address without a description, or a description without
//! an address, fails a test.

pub mod agents;

pub mod auditing;

pub mod calling;

pub mod conversing;

pub mod described;

pub mod document;

pub mod examples;

pub mod failures;

pub mod hosting;

pub mod inspecting;

pub mod messaging;

pub mod negotiating;

pub mod operating;

pub mod parameters;

pub mod shapes;

pub mod sharing;

pub mod submitting;

pub mod telling;

pub mod watching;

pub mod working;

use crate::edge::http::openapi::described::Described;

/// What every group says, in the order in which people read it.
pub fn all() -> Vec<Described> {
    [
        hosting::operations(),
        negotiating::operations(),
        submitting::operations(),
        calling::operations(),
        inspecting::operations(),
        operating::operations(),
        auditing::operations(),
        sharing::operations(),
        telling::operations(),
        conversing::operations(),
        messaging::operations(),
        working::operations(),
        watching::operations(),
    ]
    .concat()
}

#[cfg(test)]
mod tests;
