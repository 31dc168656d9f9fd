//! What rmcp asks of a server, passed on to what each subject's file says.
//!
//! One for each session, or for each request where the protocol has no sessions. Invariant: a session belongs to the caller
//! that opened it, and to nobody else who knows its id.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::OnceLock;

use rmcp::ErrorData;
use rmcp::RoleServer;
use rmcp::ServerHandler;
use rmcp::model::CallToolRequestParams;
use rmcp::model::CallToolResponse;
use rmcp::model::CustomRequest;
use rmcp::model::CustomResult;
use rmcp::model::ErrorCode;
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
use rmcp::model::ServerCapabilities;
use rmcp::model::ServerConfig;
use rmcp::model::SubscribeRequestParams;
use rmcp::model::SubscriptionFilter;
use rmcp::model::Tool;
use rmcp::model::UnsubscribeRequestParams;
use rmcp::service::NotificationContext;
use rmcp::service::RequestContext;
use rmcp::service::SubscriptionContext;
use tokio::task::AbortHandle;
use tokio::task::JoinSet;

use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::lock::locked;
use crate::mcp::following;
use crate::mcp::following::Listener;
use crate::mcp::mcp_caller::McpCaller;
use crate::mcp::mcp_caller::Written;
use crate::mcp::mcp_caller::refused;
use crate::mcp::mcp_limits::McpLimits;
use crate::mcp::param_errors;
use crate::mcp::prompts;
use crate::mcp::resources;
use crate::mcp::scenario_tools;
use crate::mcp::tools;
use crate::wire::calls::Call;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use schema::name::ClientId;

/// What a model is told of the whole.
const INSTRUCTIONS: &str = "Takes structured requests that are filled by templates. Find the scenario (list_scenarios), read its \
    template (get_schema_template, or the resource), fill a payload from what the user says, and submit it (submit_payload). What \
    no key of the template holds goes into `other` in the user's words: the template learns from it.";

/// The same where scenarios are tools.
const INSTRUCTIONS_WITH_SCENARIOS: &str = "Takes structured requests that are filled by templates. A scenario is a tool of its \
    own: fill its arguments from what the user says, never with an invented value; its description says what becomes of those that \
    the user says nothing of. Where no tool fits, find_scenario or list_scenarios finds the scenario. What no argument holds goes \
    into `other` in the user's words: the template learns from it. If the result is an error with `violations`, apply each `repair` \
    (JSON Patch) that is `lossless`, any other only where the user means that, and correct the rest; then call again.";

/// The service as an MCP server.
pub struct McpServer {
    service: App,
    /// Who asks, where it is always the same; else each request says so.
    itself: Option<McpCaller>,
    owner: OnceLock<Option<ClientId>>,
    /// Tells this session that the lists changed.
    lists: OnceLock<AbortHandle>,
    limits: McpLimits,
    /// By the address that is followed.
    followed: Mutex<BTreeMap<String, AbortHandle>>,
}

impl McpServer {
    /// A server for one caller, or for requests that say who asks, among the extensions of their head.
    pub fn new(service: App, itself: Option<McpCaller>, limits: McpLimits) -> McpServer {
        McpServer {
            service,
            itself,
            owner: OnceLock::new(),
            lists: OnceLock::new(),
            limits,
            followed: Mutex::default(),
        }
    }

    fn asker(&self, extensions: &Extensions) -> Result<McpCaller, ErrorData> {
        let asker = self.itself.clone().or_else(|| carried(extensions));
        let asker = asker.ok_or_else(|| ErrorData::internal_error("nobody asks", None))?;
        if *self.owner.get_or_init(|| asker.caller.client.clone()) != asker.caller.client {
            return Err(ErrorData::invalid_request("another caller opened this session", None));
        }
        Ok(asker)
    }

    /// Tells of every change of the lists, from now on.
    fn tell_lists(&self, asker: McpCaller, listener: Listener) -> impl Future<Output = ()> + use<> {
        following::tell_lists(self.service.clone(), asker, self.limits.scenario_tools_max, listener)
    }
}

impl Drop for McpServer {
    fn drop(&mut self) {
        for followed in locked(&self.followed).values().chain(self.lists.get()) {
            followed.abort();
        }
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let with_scenarios = self.limits.scenario_tools_max.is_some();
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .build();
        if let Some(tools) = &mut capabilities.tools {
            // Without scenarios among them they never do.
            tools.list_changed = with_scenarios.then_some(true);
        }
        let name = Implementation::new("otherwise", env!("CARGO_PKG_VERSION")).with_title("Otherwise");
        ServerConfig::new(capabilities)
            .with_server_info(name)
            .with_instructions(if with_scenarios {
                INSTRUCTIONS_WITH_SCENARIOS
            } else {
                INSTRUCTIONS
            })
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

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let Ok(asker) = self.asker(&context.extensions) else {
            return;
        };
        let follow = self.tell_lists(asker, Listener::Session(context.peer));
        self.lists.get_or_init(|| tokio::spawn(follow).abort_handle());
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let asker = self.asker(&context.extensions)?;
        check_first(&context.extensions)?;
        let mut listed = tools::list(&asker, self.service.seats_a_reader());
        if let Some(tools_max) = self.limits.scenario_tools_max {
            listed.extend(scenario_tools::list(
                &self.service,
                &asker,
                tools_max,
                self.limits.tool_name_max,
            )?);
        }
        Ok(ListToolsResult::with_all_items(listed))
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
        let written = carried::<Written>(&context.extensions);
        let tool = scenario_tools::named(&self.service, &asker, &request.name, self.limits);
        let tool = tool.ok_or_else(tools::none)?;
        let answer = match tools::arguments(request, written.as_ref().and_then(Written::arguments)) {
            Ok(arguments) => tool.call(&self.service, &asker, &arguments, &context.meta).await,
            Err(problem) => Err(problem),
        };
        Ok(scenario_tools::told(answer).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let asker = self.asker(&context.extensions)?;
        check_first(&context.extensions)?;
        let resources = resources::list(&self.service, &asker)?;
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.asker(&context.extensions)?;
        check_first(&context.extensions)?;
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
        check_first(&context.extensions)?;
        let prompts = prompts::list(&self.service, &asker).map_err(refused)?;
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let asker = self.asker(&context.extensions)?;
        let prompt = prompts::get(&self.service, &asker, request).await;
        Ok(prompt.map_err(refused)?.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.asker(&context.extensions)?;
        if let Some(problem) = param_errors::unread(&request.method, request.params.as_ref(), &context.meta) {
            return Err(refused(problem));
        }
        let method: String = request.method.chars().take(64).collect();
        let what =
            format!("the method {method:?} is unknown: tools are called by tools/call, and listed by tools/list");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, what, None))
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let asker = self.asker(&context.extensions)?;
        let watch = following::watch(&self.service, &asker, &request.uri)?;
        let mut followed = locked(&self.followed);
        if !followed.contains_key(&request.uri) && followed.len() >= self.limits.follows_max {
            let what = format!("a session follows at most {} resources", self.limits.follows_max);
            return Err(ErrorData::invalid_request(what, None));
        }
        let listener = Listener::Session(context.peer);
        let task = tokio::spawn(following::tell(watch, request.uri.clone(), listener));
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
        if let Some(followed) = locked(&self.followed).remove(&request.uri) {
            followed.abort();
        }
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // What is in force is so for everyone, and who may not negotiate is refused before this is asked.
        let anyone = McpCaller {
            caller: Caller::client(None),
            language: None,
        };
        let mut accepted = requested.clone();
        if let Some(uris) = &mut accepted.resource_subscriptions {
            uris.truncate(self.limits.follows_max);
            uris.retain(|uri| following::watch(&self.service, &anyone, uri).is_ok());
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let asker = self.asker(&context.request_context().extensions)?;
        let listener = Listener::Subscription(context.sink().clone());
        // They end when this does.
        let mut followers = JoinSet::new();
        for uri in context.accepted().resource_subscriptions.iter().flatten() {
            // It may have been retired since it was accepted.
            if let Ok(watch) = following::watch(&self.service, &asker, uri) {
                followers.spawn(following::tell(watch, uri.clone(), listener.clone()));
            }
        }
        followers.spawn(self.tell_lists(asker, listener));
        context.cancelled().await;
        Ok(())
    }
}

/// Every list is told whole, so that no page but the first one was ever promised. The library drops a cursor that it cannot read.
fn check_first(extensions: &Extensions) -> Result<(), ErrorData> {
    if !carried::<Written>(extensions).is_some_and(|written| written.has_cursor) {
        return Ok(());
    }
    let what = "`cursor` was not given out here: every list is told whole";
    Err(refused(Problem::new(Code::BadRequest, what)))
}

/// What came with a message beside it: among its own extensions, or those of the request that carried it.
fn carried<T: Clone + Send + Sync + 'static>(extensions: &Extensions) -> Option<T> {
    let of_head = || extensions.get::<http::request::Parts>()?.extensions.get::<T>();
    extensions.get::<T>().or_else(of_head).cloned()
}
