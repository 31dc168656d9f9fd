//! A client of Otherwise, the registry of schemas for agents: fetches templates and holds them, submits payloads and repairs them,
//! and is told of changes.
//!
//! ```no_run
//! use otherwise_client::{Options, Otherwise, Submit};
//! use serde_json::json;
//!
//! # async fn book() -> Result<(), otherwise_client::Error> {
//! let otherwise = Otherwise::new("http://127.0.0.1:8080", Options { client: Some("ada".to_owned()), ..Options::default() })?;
//! let flights = otherwise.scenario("flight_booking");
//! let wish = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-06-04", "other": "window seat"});
//! let _reply = flights.submit(wish, Submit::default()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! Knows the service's HTTP interface and nothing else of it. Invariants: a key travels over https or stays on this machine; one
//! submission has one idempotency key over all its tries; no key of a template whose wording was agreed to reads otherwise unasked.

pub mod address;
pub mod error;
pub mod scenario;
pub mod service;
pub mod submission;
pub mod template;
pub mod transport;
pub mod updates;

pub use error::Error;
pub use scenario::Scenario;
pub use scenario::Tool;
pub use service::Options;
pub use service::Otherwise;
pub use submission::Repairs;
pub use submission::Submit;
pub use template::Deprecation;
pub use template::Form;
pub use template::Pin;
pub use template::PinState;
pub use template::Template;
pub use updates::Update;
