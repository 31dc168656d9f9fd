//! What a transport needs of other parts of the edge, as traits: who calls, and the page of metrics.

use crate::app::caller::Caller;
use crate::app::learning::ScenarioStats;
use crate::wire::problem::Problem;

/// Header in which a caller names itself in open mode.
pub const NAME_HEADER: &str = "Otherwise-Client";

/// Header in which a caller says as what it takes part in a session of shared context.
pub const ROLE_HEADER: &str = "Otherwise-Role";

/// Header in which a caller says that it only looks: `none`, and what it reads leaves no receipt.
pub const RECEIPT_HEADER: &str = "Otherwise-Receipt";

/// Header with a key, for callers that cannot send `Authorization`.
pub const KEY_HEADER: &str = "X-API-Key";

/// What of a request's head says who calls. Each header as often as it was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Credentials<'a> {
    pub authorization: Vec<&'a str>,
    pub key: Vec<&'a str>,
    pub name: Vec<&'a str>,
}

/// Knows who calls.
pub trait Authenticator: Send + Sync {
    /// Whether everyone may do everything, so that only this machine may come (docs/design.md §11).
    fn is_open(&self) -> bool;

    /// Establishes the caller.
    ///
    /// # Errors
    /// 401 without a right key; 400 for a name that is none.
    fn caller(&self, credentials: &Credentials<'_>) -> Result<Caller, Problem>;

    /// Returns whether the key that established a caller is still in force, with the same roles.
    fn is_current(&self, caller: &Caller) -> bool;
}

/// How the service is, at the moment of a scrape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Health {
    /// Whether `/readyz` answers 200.
    pub ready: bool,
    /// Whether the store takes appends; nothing can be said of it before it is open.
    pub writable: Option<bool>,
    /// Whether a person or the settings keep the service from writing.
    pub read_only: Option<bool>,
    /// Bytes free where the store writes.
    pub free_bytes: Option<u64>,
}

/// Writes the page of metrics.
pub trait MetricsPage: Send + Sync {
    /// The page in Prometheus' text format, with the census and the health as gauges.
    ///
    /// # Errors
    /// What failed, for the log.
    fn page(&self, census: &[ScenarioStats], health: Health) -> Result<String, String>;
}
