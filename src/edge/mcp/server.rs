//! What rmcp asks of a server, passed on to what each subject's file says.
//!
//! One for each session, or for each request where the protocol has no sessions. Invariant: a session belongs to the caller
//! that opened it, and to nobody else who knows its id.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::OnceLock;
use std::sync::PoisonError;

use rmcp::ErrorData;
use rmcp::RoleServer;
use rmcp::ServerHandler;
use rmcp::model::CallToolRequestParams;
use rmcp::model::CallToolResponse;
use rmcp::model::Extensions;
use rmcp::model::GetPromptRequestParams;
use rmcp::model::GetPromptResponse;
use rmcp::model::Implementation;
use rmcp::model::InitializeRequestParams;
use rmcp::model::InitializeResult;
use rmcp::model::ListPromptsResult;
use rmcp::model::ListResourceTemplatesResult;
use rmcp::model::ListResourcesResult;
use rmcp::model::ListToolsResult;
use rmcp::model::PaginatedRequestParams;
use rmcp::model::ReadResourceRequestParams;
use rmcp::model::ReadResourceResponse;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::model::ServerCapabilities;
use rmcp::model::ServerConfig;
use rmcp::model::SubscribeRequestParams;
use rmcp::model::SubscriptionFilter;
use rmcp::model::Tool;
use rmcp::model::UnsubscribeRequestParams;
use rmcp::service::RequestContext;
use rmcp::service::SubscriptionContext;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::task::JoinSet;

use crate::domain::template::name::ClientId;
use crate::edge::mcp::asker::Asker;
use crate::edge::mcp::following;
use crate::edge::mcp::prompts;
use crate::edge::mcp::resources;
use crate::edge::mcp::tools;
use crate::edge::wire::calls::Call;
use crate::service::otherwise::Otherwise;

/// What a model is told of the whole.
const INSTRUCTIONS: &str = "Takes structured requests that are filled by templates. Find the scenario (list_scenarios), read its \
    template (get_schema_template, or the resource), fill a payload from what the user says, and submit it (submit_payload). What \
    no key of the template holds goes into `other` in the user's words: the template learns from it.";

/// The service as an MCP server.
pub struct McpServer {
    service: Otherwise,
    /// Who asks, where it is always the same; else each request says so.
    itself: Option<Asker>,
    owner: OnceLock<Option<ClientId>>,
    follows_max: usize,
    /// By the address that is followed.
    followed: Mutex<BTreeMap<String, AbortHandle>>,
}

impl McpServer {
    /// A server for requests that say who asks, among the extensions of their head.
    pub fn carried(service: Otherwise, follows_max: usize) -> McpServer {
        McpServer::new(service, None, follows_max)
    }

    /// A server for one caller.
    pub fn of(service: Otherwise, asker: Asker, follows_max: usize) -> McpServer {
        McpServer::new(service, Some(asker), follows_max)
    }

    fn new(service: Otherwise, itself: Option<Asker>, follows_max: usize) -> McpServer {
        McpServer {
            service,
            itself,
            owner: OnceLock::new(),
            follows_max,
            followed: Mutex::default(),
        }
    }

    fn asker(&self, extensions: &Extensions) -> Result<Asker, ErrorData> {
        let carried = || {
            let head = extensions.get::<http::request::Parts>()?;
            head.extensions.get::<Asker>().cloned()
        };
        let asker = self.itself.clone().or_else(carried);
        let asker = asker.ok_or_else(|| ErrorData::internal_error("nobody asks", None))?;
        if *self.owner.get_or_init(|| asker.caller.client.clone()) != asker.caller.client {
            return Err(ErrorData::invalid_request("another caller opened this session", None));
        }
        Ok(asker)
    }

    fn followed(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, AbortHandle>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for McpServer {
    fn drop(&mut self) {
        for followed in self.followed().values() {
            followed.abort();
        }
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .build();
        let name = Implementation::new("otherwise", env!("CARGO_PKG_VERSION")).with_title("Otherwise");
        ServerConfig::new(capabilities)
            .with_server_info(name)
            .with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.asker(&context.extensions)?;
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let asker = self.asker(&context.extensions)?;
        Ok(ListToolsResult::with_all_items(tools::list(&asker)))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        Call::named(name).map(tools::tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let asker = self.asker(&context.extensions)?;
        Ok(tools::call(&self.service, &asker, request).await?.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let asker = self.asker(&context.extensions)?;
        let resources = resources::list(&self.service, &asker)?;
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.asker(&context.extensions)?;
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let asker = self.asker(&context.extensions)?;
        Ok(resources::read(&self.service, &asker, &request.uri).await?.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let asker = self.asker(&context.extensions)?;
        let prompts = prompts::list(&self.service, &asker)?;
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let asker = self.asker(&context.extensions)?;
        Ok(prompts::get(&self.service, &asker, request).await?.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let asker = self.asker(&context.extensions)?;
        let mut watch = following::watch(&self.service, &asker, &request.uri)?;
        let mut followed = self.followed();
        if !followed.contains_key(&request.uri) && followed.len() >= self.follows_max {
            let what = format!("a session follows at most {} resources", self.follows_max);
            return Err(ErrorData::invalid_request(what, None));
        }
        let (peer, uri) = (context.peer.clone(), request.uri.clone());
        let task = tokio::spawn(async move {
            while watch.next().await.is_some() {
                let told = ResourceUpdatedNotificationParam::new(uri.clone());
                if peer.notify_resource_updated(told).await.is_err() {
                    return;
                }
            }
        });
        if let Some(before) = followed.insert(request.uri, task.abort_handle()) {
            before.abort();
        }
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.asker(&context.extensions)?;
        if let Some(followed) = self.followed().remove(&request.uri) {
            followed.abort();
        }
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut uris = requested.resource_subscriptions.clone().unwrap_or_default();
        uris.retain(|uri| resources::scenario(uri).is_some());
        uris.truncate(self.follows_max);
        Some(SubscriptionFilter::builder().resource_subscriptions(uris).build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let asker = self.asker(&context.request_context().extensions)?;
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let (changed, mut news) = mpsc::channel(1);
        // They end when this does.
        let mut followers = JoinSet::new();
        for uri in uris {
            let mut watch = following::watch(&self.service, &asker, &uri)?;
            let changed = changed.clone();
            followers.spawn(async move {
                while watch.next().await.is_some() {
                    if changed.send(uri.clone()).await.is_err() {
                        return;
                    }
                }
            });
        }
        loop {
            tokio::select! {
                biased;
                () = context.cancelled() => return Ok(()),
                uri = news.recv() => {
                    let Some(uri) = uri else { return Ok(()) };
                    if context.sink().notify_resource_updated(uri).await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}
