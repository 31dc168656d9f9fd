//! Following resources and lists: whoever asked is notified when the template of a scenario changes for it, and when scenarios come and
//! go.
//!
//! A notification says which resource or list changed, not what: reading it is what counts as having received it. Invariant: nobody is
//! notified of what changed for others alone.

use rmcp::ErrorData;
use tokio::sync::watch::Receiver;

use crate::app::application::App;
use crate::app::negotiation::Watch;
use crate::app::scenario_tool::Offered;
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

/// What reads otherwise than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The lists of resources and of prompts, which are made of the same.
    pub hosted: bool,
    /// The list of tools.
    pub tools: bool,
}

/// The lists of resources, prompts and tools as a caller sees them, from now on.
pub struct Lists {
    service: App,
    asker: McpCaller,
    scenario_tools_max: Option<usize>,
    changes: Receiver<u64>,
    told: Read,
}

/// What the lists are made of.
#[derive(Default)]
struct Read {
    /// The name and the description of each scenario.
    hosted: Vec<(String, String)>,
    /// The scenarios that are listed as tools; `None` where there are none, or too many.
    tools: Option<Vec<Offered>>,
}

impl Lists {
    /// Follows them. `scenario_tools_max` is how many scenarios are listed as tools; `None` where scenarios are no tools.
    pub fn follow(service: &App, asker: &McpCaller, scenario_tools_max: Option<usize>) -> Lists {
        let changes = service.list_changes();
        let mut lists = Lists {
            service: service.clone(),
            asker: asker.clone(),
            scenario_tools_max,
            changes,
            told: Read::default(),
        };
        lists.told = lists.now();
        lists
    }

    /// Waits until one of them reads otherwise; `None` when the service is gone.
    pub async fn next(&mut self) -> Option<Changed> {
        loop {
            self.changes.changed().await.ok()?;
            let now = self.now();
            let changed = Changed {
                hosted: now.hosted != self.told.hosted,
                tools: now.tools != self.told.tools,
            };
            self.told = now;
            if changed.hosted || changed.tools {
                return Some(changed);
            }
        }
    }

    fn now(&self) -> Read {
        let rows = self.asker.scenarios(&self.service).unwrap_or_default();
        Read {
            hosted: rows
                .into_iter()
                .map(|row| (row.scenario, row.description.unwrap_or_default()))
                .collect(),
            tools: self.scenario_tools_max.and_then(|tools_max| {
                let offered = self.service.offered(&self.asker.caller).ok()?;
                (offered.len() <= tools_max).then_some(offered)
            }),
        }
    }
}
