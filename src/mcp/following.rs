//! Following resources: whoever asked is notified when the template of a scenario changes for it, and when scenarios come and
//! go.
//!
//! A notification says which resource changed, not what: reading it is what counts as having received it.

use rmcp::ErrorData;
use tokio::sync::watch::Receiver;

use crate::app::application::App;
use crate::app::negotiation::Watch;
use crate::mcp::mcp_caller::McpCaller;
use crate::mcp::mcp_caller::refused;
use crate::mcp::resources;

/// A watch over the template that an address names, from now on.
///
/// # Errors
/// When there is no such resource, or the service refuses.
pub fn watch(service: &App, asker: &McpCaller, uri: &str) -> Result<Watch, ErrorData> {
    let nowhere = || ErrorData::resource_not_found("there is no such resource", None);
    let scenario = resources::scenario(uri).ok_or_else(nowhere)?;
    asker
        .scenario(service, &scenario)
        .map_err(refused)?
        .ok_or_else(nowhere)?;
    let pin = resources::pin(uri).map_err(refused)?;
    service.watch(&asker.caller, &scenario, pin, None).map_err(refused)
}

/// The lists of resources and prompts as a caller sees them, from now on. The tools are always the same ones.
pub struct Lists {
    service: App,
    asker: McpCaller,
    changes: Receiver<u64>,
    told: Vec<(String, String)>,
}

impl Lists {
    /// Follows them.
    pub fn follow(service: &App, asker: &McpCaller) -> Lists {
        let changes = service.list_changes();
        let mut lists = Lists {
            service: service.clone(),
            asker: asker.clone(),
            changes,
            told: Vec::new(),
        };
        lists.told = lists.now();
        lists
    }

    /// Waits until they read otherwise; `None` when the service is gone.
    pub async fn next(&mut self) -> Option<()> {
        loop {
            self.changes.changed().await.ok()?;
            let now = self.now();
            if now != self.told {
                self.told = now;
                return Some(());
            }
        }
    }

    /// The name and the description of each scenario: both lists are made of these.
    fn now(&self) -> Vec<(String, String)> {
        let rows = self.asker.scenarios(&self.service).unwrap_or_default();
        rows.into_iter()
            .map(|row| (row.scenario, row.description.unwrap_or_default()))
            .collect()
    }
}
