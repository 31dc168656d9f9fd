//! Following resources: whoever asked is notified when the template of a scenario changes for it.
//!
//! A notification says which resource changed, not what: reading it is what counts as having received it.

use rmcp::ErrorData;

use crate::edge::mcp::asker::Asker;
use crate::edge::mcp::asker::refused;
use crate::edge::mcp::resources;
use crate::edge::wire::problem::Problem;
use crate::service::otherwise::Otherwise;
use crate::service::updates::Watch;

/// A watch over the template that an address names, from now on.
///
/// # Errors
/// When there is no such resource, or the service refuses.
pub fn watch(service: &Otherwise, asker: &Asker, uri: &str) -> Result<Watch, ErrorData> {
    let nowhere = || ErrorData::resource_not_found("there is no such resource", None);
    let scenario = resources::scenario(uri).ok_or_else(nowhere)?;
    let row = asker
        .scenario(service, &scenario)
        .map_err(|problem| refused(&problem))?
        .ok_or_else(nowhere)?;
    let now = row["revision"].as_u64().unwrap_or_default();
    service
        .watch(&asker.caller, &scenario, now)
        .map_err(|error| refused(&Problem::from(error)))
}
