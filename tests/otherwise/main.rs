//! Journeys through the whole service, and the contracts of its parts.

mod support;

mod store_contract;
