//! A client of Otherwise, the registry of schemas for agents: fetches templates and holds them, submits payloads and repairs them,
//! and is told of changes.
//!
//! ```no_run
//! use otherwise_client::{Options, Otherwise};
//! use serde_json::json;
//!
//! # async fn book() -> Result<(), otherwise_client::Error> {
//! let otherwise = Otherwise::new("http://127.0.0.1:8080", Options { client: Some("ada".to_owned()), ..Options::default() })?;
//! let flights = otherwise.scenario("flight_booking");
//! let wish = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-06-04", "other": "window seat"});
//! let reply = flights.submit(wish).utterance("to Shanghai on 4 June, by the window").await?;
//! println!("{:?}", reply.exchange.submission_id);
//! # Ok(())
//! # }
//! ```
//!
//! Knows the service's HTTP interface and nothing else of it. Invariants: a key travels over https or stays on this machine; one
//! submission has one idempotency key over all its tries; no key of a template whose wording was agreed to reads otherwise unasked.

pub mod address;
mod cache;
pub mod error;
pub mod pin;
mod repair;
pub mod scenario;
pub mod service;
pub mod submission;
pub mod template;
pub mod transport;
pub mod updates;

pub use cache::Form;
pub use error::Error;
pub use error::Problem;
pub use error::Violation;
pub use pin::Pin;
pub use scenario::Scenario;
pub use scenario::Tool;
pub use service::Options;
pub use service::Otherwise;
pub use submission::Reply;
pub use template::Deprecation;
pub use template::Template;
pub use updates::Follower;
pub use updates::Update;
