//! Which agent offers which MCP services: registered by itself, kept, and told to those who follow it (M-019, M-020); and the
//! policies that every agent is given at its start (M-023).
//!
//! Invariant: what followers are told is on disk.

use std::sync::Arc;

use serde_json::Value;
use serde_json::json;
use tokio::sync::Mutex as TokioMutex;
use tokio::sync::watch;

use crate::app::background::to_its_end;
use crate::app::dependencies::Dependencies;
use crate::app::error::ServiceError;
use crate::app::event_store::EventStore;
use context::message::agent_context::McpContext;
use context::message::agent_context::Policy;
use context::message::directory::Directory;
use context::message::directory::DirectoryEvent;
use schema::name::ClientId;

/// What is set of agents and the messages that they send.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageOptions {
    /// Agents that may register what they offer.
    pub agents_max: usize,
    /// Tokens of a rendered message where the caller names none.
    pub render_tokens: u64,
    pub policies: Vec<Policy>,
}

/// Every agent with what it offers.
pub struct Services {
    deps: Arc<Dependencies>,
    pub options: MessageOptions,
    events: EventStore<Directory>,
    /// Held while something is put on disk: up to which record contents were erased.
    writing: TokioMutex<u64>,
    /// Moves with every registration.
    changes: watch::Sender<u64>,
}

/// What an agent offers, at one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    pub version: u64,
    /// `{"agent", "version", "changed_at", "mcpContext"}` as JSON text.
    pub body: String,
}

/// Somebody who follows an agent.
pub struct ServicesWatch {
    services: Arc<Services>,
    agent: ClientId,
    /// The version that was told last.
    told: u64,
    changes: watch::Receiver<u64>,
}

impl Services {
    /// Reads every registration back.
    ///
    /// # Errors
    /// The journal's first fault, named.
    pub fn begin(deps: &Arc<Dependencies>, options: MessageOptions) -> Result<Arc<Services>, ServiceError> {
        let events: EventStore<Directory> = EventStore::open(deps, "agents")?;
        Ok(Arc::new(Services {
            deps: Arc::clone(deps),
            options,
            events,
            writing: TokioMutex::new(0),
            changes: watch::Sender::new(0),
        }))
    }

    /// Registers what an agent offers; the same again changes nothing. What is kept, with the policies in force.
    ///
    /// # Errors
    /// [`ServiceError::LimitReached`], or what the journal says.
    pub async fn register(self: &Arc<Self>, agent: &ClientId, context: &McpContext) -> Result<Value, ServiceError> {
        let content = serde_json::to_string(context).map_err(|error| ServiceError::Fault(error.to_string()))?;
        let (services, agent) = (Arc::clone(self), agent.clone());
        // A caller that hangs up must not leave what is on disk untold: this runs to its end.
        to_its_end(async move {
            let _held = services.writing.lock().await;
            let max = services.options.agents_max;
            services.events.state().may_register(&agent, max).map_err(|max| {
                ServiceError::LimitReached(format!("there may be {max} agents that register what they offer"))
            })?;
            let known = services.events.state().agents.get(&agent).copied();
            let before = match known {
                Some(known) => services.events.content(known.seq)?,
                None => None,
            };
            if before.as_ref() != Some(&content) {
                let event = DirectoryEvent::Registered {
                    agent: agent.clone(),
                    more: 0,
                };
                let written = services.events.append(vec![(event, content.into_bytes())]).await?;
                services.events.apply(&written);
                services.changes.send_modify(|change| *change += 1);
            }
            let offered = services.offered(&agent)?;
            let mut document: Value = serde_json::from_str(&offered.body).unwrap_or_default();
            if let Some(members) = document.as_object_mut() {
                members.insert("policyContext".to_owned(), services.policies()["policyContext"].clone());
            }
            Ok(document)
        })
        .await
    }

    /// What an agent offers.
    ///
    /// # Errors
    /// [`ServiceError::UnknownAgent`], or a fault of the journal.
    pub fn offered(&self, agent: &ClientId) -> Result<Offered, ServiceError> {
        let unknown = || ServiceError::UnknownAgent(agent.as_str().to_owned());
        let known = self.events.state().agents.get(agent).copied().ok_or_else(unknown)?;
        let content = self.events.content(known.seq)?.ok_or_else(unknown)?;
        let context: Value = serde_json::from_str(&content).unwrap_or_default();
        let body = json!({
            "agent": agent, "version": known.version, "changed_at": known.at.rfc3339(), "mcpContext": context,
        });
        Ok(Offered {
            version: known.version,
            body: body.to_string(),
        })
    }

    /// Follows an agent: what it offers now is told at once, unless that is the version that the follower has seen; where it has
    /// not registered yet, its first registration is told when it comes (M-020).
    pub fn follow(self: &Arc<Self>, agent: &ClientId, seen: u64) -> ServicesWatch {
        ServicesWatch {
            services: Arc::clone(self),
            agent: agent.clone(),
            told: seen,
            changes: self.changes.subscribe(),
        }
    }

    /// `{"policyContext": {"policies": […]}}`
    pub fn policies(&self) -> Value {
        json!({"policyContext": {"policies": self.options.policies}})
    }

    /// Erases what was said before the oldest registration that is still asked for.
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub async fn forget(&self) -> Result<(), ServiceError> {
        let needed_from = self.events.state().needed_from().unwrap_or(1);
        if needed_from > 1 {
            let now = self.deps.clock.now().plus_ms(1);
            let mut erased = self.writing.lock().await;
            *erased = self.events.erase(*erased + 1, needed_from - 1, now).await?;
        }
        Ok(())
    }

    /// Keeps a snapshot where one is due.
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub fn keep_up(&self) -> Result<(), ServiceError> {
        self.events.keep_up()
    }
}

impl ServicesWatch {
    /// What the agent offers next; waits for it. Nothing is lost when this is given up before it answers. `None` when it cannot
    /// be read.
    pub async fn next(&mut self) -> Option<Offered> {
        loop {
            // Before it is read: a change after that wakes again.
            self.changes.borrow_and_update();
            match self.services.offered(&self.agent) {
                // Another one than was seen, also a lower one: the follower may have come from another service.
                Ok(offered) if offered.version != self.told => {
                    self.told = offered.version;
                    return Some(offered);
                }
                Ok(_) | Err(ServiceError::UnknownAgent(_)) => {}
                Err(_) => return None,
            }
            self.changes.changed().await.ok()?;
        }
    }
}
