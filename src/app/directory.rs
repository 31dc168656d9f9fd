//! Which agent offers which MCP services: registered by itself, kept, and told to those who follow it (M-019, M-020); and the
//! policies that every agent is given at its start (M-023).
//!
//! Invariant: what followers are told is on disk.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;

use crate::api::messages::OfferedServices;
use crate::api::messages::Policies;
use crate::api::messages::PolicyContext;
use crate::api::messages::RegisteredServices;
use crate::app::caller::Caller;
use crate::app::dependencies::Dependencies;
use crate::app::error::ServiceError;
use crate::app::event_store::EventStore;
use context::message::agent_context;
use context::message::directory::Directory;
use context::message::directory::DirectoryEvent;
use context::message::policy::Policy;
use schema::name::ClientId;

/// The lock under which every registration is decided: it has the name of no agent.
const REGISTERING: &str = "";

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
    pub options: MessageOptions,
    events: Arc<EventStore<Directory>>,
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
        let events = Arc::new(EventStore::open(deps, "agents")?);
        Ok(Arc::new(Services { options, events }))
    }

    /// Registers what an agent offers, which nobody but itself may (M-019); the same again changes nothing. What is kept, with the
    /// policies in force.
    ///
    /// # Errors
    /// [`ServiceError::Nameless`], [`ServiceError::NotItself`], [`ServiceError::InvalidMessage`], [`ServiceError::LimitReached`], or
    /// what the journal says.
    pub async fn register(&self, caller: &Caller, agent: &str, body: &str) -> Result<RegisteredServices, ServiceError> {
        let itself = caller.client.as_ref().ok_or(ServiceError::Nameless)?;
        if itself.as_str() != agent {
            return Err(ServiceError::NotItself);
        }
        let offered = agent_context::read_services(body)?;
        let held = self.events.lock(REGISTERING).await;
        let known = {
            let directory = self.events.state();
            let room = directory.may_register(itself, self.options.agents_max);
            room.map_err(|max| {
                ServiceError::LimitReached(format!("there may be {max} agents that register what they offer"))
            })?;
            directory.agents.get(itself).copied()
        };
        let before = match known {
            Some(known) => self.events.content(known.seq)?,
            None => None,
        };
        let before = before.and_then(|text| serde_json::from_str::<Value>(&text).ok());
        if before.as_ref() != Some(&offered) {
            let agent = itself.clone();
            let event = DirectoryEvent::Registered { agent, more: 0 };
            let events = vec![(event, offered.to_string().into_bytes())];
            self.events.put(held, events, |_| {}).await?;
        }
        let offered = self.offered(itself)?;
        Ok(RegisteredServices {
            agent: offered.agent,
            version: offered.version,
            changed_at: offered.changed_at,
            mcp_context: offered.mcp_context,
            policy_context: self.policies().policy_context,
        })
    }

    /// What an agent of this name offers.
    ///
    /// # Errors
    /// [`ServiceError::UnknownAgent`], or a fault of the journal.
    pub fn offered_by(&self, agent: &str) -> Result<OfferedServices, ServiceError> {
        self.offered(&named(agent)?)
    }

    fn offered(&self, agent: &ClientId) -> Result<OfferedServices, ServiceError> {
        let unknown = || ServiceError::UnknownAgent(agent.as_str().to_owned());
        let known = self.events.state().agents.get(agent).copied().ok_or_else(unknown)?;
        let content = self.events.content(known.seq)?.ok_or_else(unknown)?;
        Ok(OfferedServices {
            agent: agent.as_str().to_owned(),
            version: known.version,
            changed_at: known.at.rfc3339(),
            mcp_context: serde_json::from_str::<Value>(&content).unwrap_or_default(),
        })
    }

    /// Follows an agent: what it offers now is told at once, unless that is the version that the follower has seen; where it has
    /// not registered yet, its first registration is told when it comes (M-020).
    ///
    /// # Errors
    /// [`ServiceError::UnknownAgent`] of what can be no agent's name.
    pub fn follow(self: &Arc<Self>, agent: &str, seen: u64) -> Result<ServicesWatch, ServiceError> {
        let agent = named(agent)?;
        let changes = self.events.follow(agent.as_str(), usize::MAX);
        let too_many = || ServiceError::LimitReached("too many follow this agent".to_owned());
        Ok(ServicesWatch {
            services: Arc::clone(self),
            agent,
            told: seen,
            changes: changes.ok_or_else(too_many)?,
        })
    }

    /// The policies of who runs this service (M-023).
    pub fn policies(&self) -> Policies {
        let policies = self.options.policies.clone();
        Policies {
            policy_context: PolicyContext { policies },
        }
    }

    /// Erases what was said before the oldest registration that is still asked for.
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub async fn tidy(&self) -> Result<(), ServiceError> {
        self.events.tidy(0).await
    }
}

impl ServicesWatch {
    /// What the agent offers next; waits for it. Nothing is lost when this is given up before it answers. `None` when it cannot
    /// be read.
    pub async fn next(&mut self) -> Option<OfferedServices> {
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

fn named(agent: &str) -> Result<ClientId, ServiceError> {
    ClientId::parse(agent).ok_or_else(|| ServiceError::UnknownAgent(agent.to_owned()))
}
