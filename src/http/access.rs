//! What an address asks of who comes, and under which prefixes addresses stand.

use actix_web::http::Method;

use crate::app::caller::Permission;

/// What the addresses under `/v1` may stand under.
pub const PREFIXES: &[&str] = &["/v1", "/v1/namespaces/default"];

/// Who may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anyone, without a key.
    Anyone,
    /// Whoever may do this: asked before a body is read, and by the service again.
    For(Permission),
    /// Whoever may inspect, unless `metrics.public` opens it.
    Scraper,
}

/// What each method at an address wants to do, for who asks before it reads a body.
pub struct Permits(pub Vec<(&'static str, Access)>);

impl Permits {
    /// What a request by this method wants to do, where not anyone may.
    pub fn permission(&self, method: &Method) -> Option<Permission> {
        let method = if *method == Method::HEAD {
            "GET"
        } else {
            method.as_str()
        };
        self.0.iter().find_map(|(known, access)| match access {
            Access::For(permission) if *known == method => Some(*permission),
            Access::For(_) | Access::Anyone | Access::Scraper => None,
        })
    }
}
