//! Following resources and lists: whoever asked is notified when the template of a scenario changes for it, and when scenarios come and
//! go.
//!
//! A notification says which resource or list changed, not what: reading it is what counts as having received it. Invariant: nobody is
//! notified of what changed for others alone.

use rmcp::ErrorData;
use rmcp::Peer;
use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotification;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::model::ServerNotification;
use rmcp::service::SubscriptionSendError;
use rmcp::service::SubscriptionSink;

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
    let asked = resources::asked(uri).map_err(refused)?.ok_or_else(nowhere)?;
    let found = asker.scenario(service, &asked.scenario).map_err(refused)?;
    found.ok_or_else(nowhere)?;
    let watch = service.watch(&asker.caller, &asked.scenario, asked.pin, None);
    watch.map_err(refused)
}

/// Whom notifications of changes go to.
#[derive(Clone)]
pub enum Listener {
    Session(Peer<RoleServer>),
    Subscription(SubscriptionSink),
}

impl Listener {
    /// Notifies; whether there is still somebody to notify. What a subscription did not ask for is passed over.
    async fn notify(&self, told: ServerNotification) -> bool {
        match self {
            Listener::Session(peer) => peer.send_notification(told).await.is_ok(),
            Listener::Subscription(sink) => match sink.send(told).await {
                Ok(()) | Err(SubscriptionSendError::NotificationNotAccepted(_)) => true,
                Err(_) => false,
            },
        }
    }
}

/// Tells of every change of what is watched, by its address.
pub async fn tell(mut watch: Watch, uri: String, listener: Listener) {
    while watch.next().await.is_some() {
        let told = ResourceUpdatedNotification::new(ResourceUpdatedNotificationParam::new(uri.clone()));
        if !listener
            .notify(ServerNotification::ResourceUpdatedNotification(told))
            .await
        {
            return;
        }
    }
}

/// What the lists of resources, prompts and tools are made of, as a caller sees them.
#[derive(Default)]
struct Lists {
    /// The name and the description of each scenario.
    hosted: Vec<(String, String)>,
    /// The scenarios that are listed as tools; `None` where there are none, or too many.
    tools: Option<Vec<Offered>>,
}

impl Lists {
    fn of(service: &App, asker: &McpCaller, scenario_tools_max: Option<usize>) -> Lists {
        let rows = asker.scenarios(service).unwrap_or_default().into_iter();
        Lists {
            hosted: rows
                .map(|row| (row.scenario, row.description.unwrap_or_default()))
                .collect(),
            tools: scenario_tools_max.and_then(|tools_max| {
                let offered = service.offered(&asker.caller).ok()?;
                (offered.len() <= tools_max).then_some(offered)
            }),
        }
    }
}

/// Tells of every change of the lists. `scenario_tools_max` is how many scenarios are listed as tools; `None` where scenarios are no
/// tools.
pub fn tell_lists(
    service: App,
    asker: McpCaller,
    scenario_tools_max: Option<usize>,
    listener: Listener,
) -> impl Future<Output = ()> {
    // What they are made of is read now, not when somebody first waits.
    let mut changes = service.list_changes();
    let mut known = Lists::of(&service, &asker, scenario_tools_max);
    async move {
        while changes.changed().await.is_ok() {
            let now = Lists::of(&service, &asker, scenario_tools_max);
            let mut news = Vec::new();
            if now.hosted != known.hosted {
                news.push(ServerNotification::ResourceListChangedNotification(Default::default()));
                news.push(ServerNotification::PromptListChangedNotification(Default::default()));
            }
            if now.tools != known.tools {
                news.push(ServerNotification::ToolListChangedNotification(Default::default()));
            }
            known = now;
            for told in news {
                if !listener.notify(told).await {
                    return;
                }
            }
        }
    }
}
