//! One server agent's namespace as a value: which schema ids exist, and for which scenario (Z-030).
//!
//! What a schema says lies in its scenario's journal; here lies only that its id is taken, and by what content. Here
//! lies too whether a person closed the service for writing, which concerns all scenarios.

pub mod search;

pub mod webhook;

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;

use crate::namespace::webhook::Removal;
use crate::namespace::webhook::Webhook;
use crate::namespace::webhook::WebhookId;
use schema::act::By;
use schema::name::ScenarioKey;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;
use schema::time::At;

/// Owner of scenarios whose first schema came from the schemas folder. The space keeps it apart from every principal's name
/// ([`ClientId`](schema::name::ClientId)), so that no caller can own what the folder owns.
pub const SCHEMAS_FOLDER: &str = "schemas folder";

/// A schema id that is taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Registered {
    pub scenario: ScenarioKey,
    pub template: SchemaTemplate,
    pub retired: bool,
}

/// The state of a namespace: a view of its journal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Namespace {
    pub seq: u64,
    pub schemas: BTreeMap<SchemaId, Registered>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes_closed: Option<WritesClosed>,
    #[serde(default)]
    pub webhooks: BTreeMap<WebhookId, Webhook>,
    /// The principal that alone may publish, retire, restore and check for a scenario, beside operators. A scenario that has schemas
    /// and no owner is the operators' alone, as are those of journals from before owners were recorded.
    #[serde(default)]
    pub owners: BTreeMap<ScenarioKey, String>,
}

/// What can happen to a namespace. Read forever.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamespaceEvent {
    SchemaRegistered {
        template: Box<SchemaTemplate>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<By>,
        /// Whose its scenario is from now on, where it was nobody's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        owner: Option<String>,
    },
    SchemaRetired {
        schema_id: SchemaId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<By>,
    },
    SchemaRestored {
        schema_id: SchemaId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<By>,
    },
    /// An operator gave a scenario to a principal, or left it to the operators.
    Owned {
        scenario: ScenarioKey,
        owner: Option<String>,
        by: By,
        reason: Option<String>,
    },
    /// The sealed part of the record is the webhook's secret.
    WebhookRegistered {
        webhook_id: WebhookId,
        webhook: Webhook,
    },
    WebhookRemoved {
        webhook_id: WebhookId,
        removal: Removal,
    },
    /// A person let nothing be written any more.
    WritesClosed {
        at: At,
        by: By,
        reason: Option<String>,
    },
    /// A person let it be written again.
    WritesOpened {
        at: At,
        by: By,
        reason: Option<String>,
    },
}

/// Writing, closed by a person until a person opens it, whatever starts in between.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WritesClosed {
    pub since: At,
    pub by: By,
    /// What the person said of it.
    pub reason: Option<String>,
}

/// Why a namespace says no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamespaceRefusal {
    UnknownSchema,
    /// The id is taken by other content.
    Immutable,
    /// The id is taken by the same content, which was retired: it stays so until it is restored (Z-105).
    Retired,
    /// As many scenarios as may be have a schema that is not retired.
    ScenariosFull {
        max: usize,
    },
}

impl Namespace {
    /// Whether a template may be registered; `None` when the same content is there already.
    ///
    /// # Errors
    /// [`NamespaceRefusal::Immutable`], [`NamespaceRefusal::Retired`], [`NamespaceRefusal::ScenariosFull`].
    pub fn register(
        &self,
        template: &SchemaTemplate,
        scenarios_max: usize,
    ) -> Result<Option<NamespaceEvent>, NamespaceRefusal> {
        match self.schemas.get(&template.schema_id) {
            Some(registered) if !registered.template.same_content(template) => Err(NamespaceRefusal::Immutable),
            Some(registered) if registered.retired => Err(NamespaceRefusal::Retired),
            Some(_) => Ok(None),
            None => {
                self.has_room(&template.scenario_key(), scenarios_max)?;
                Ok(Some(NamespaceEvent::SchemaRegistered {
                    template: Box::new(template.clone()),
                    by: None,
                    owner: None,
                }))
            }
        }
    }

    /// Whether a schema may be retired; `None` when it is already.
    ///
    /// # Errors
    /// [`NamespaceRefusal::UnknownSchema`].
    pub fn retire(&self, schema_id: &SchemaId) -> Result<Option<NamespaceEvent>, NamespaceRefusal> {
        match self.schemas.get(schema_id) {
            None => Err(NamespaceRefusal::UnknownSchema),
            Some(registered) if registered.retired => Ok(None),
            Some(_) => Ok(Some(NamespaceEvent::SchemaRetired {
                schema_id: schema_id.clone(),
                by: None,
            })),
        }
    }

    /// Whether a scenario has a schema that is not retired, or may have its first. One whose schemas are all retired takes
    /// nobody's room.
    fn has_room(&self, scenario: &ScenarioKey, max: usize) -> Result<(), NamespaceRefusal> {
        let standing = self.schemas.values().filter(|registered| !registered.retired);
        let taken: BTreeSet<&ScenarioKey> = standing.map(|registered| &registered.scenario).collect();
        let has_room = taken.contains(scenario) || taken.len() < max;
        has_room.then_some(()).ok_or(NamespaceRefusal::ScenariosFull { max })
    }

    /// Whether a schema may be restored; `None` when it is not retired.
    ///
    /// # Errors
    /// [`NamespaceRefusal::UnknownSchema`], [`NamespaceRefusal::ScenariosFull`].
    pub fn restore(
        &self,
        schema_id: &SchemaId,
        scenarios_max: usize,
    ) -> Result<Option<NamespaceEvent>, NamespaceRefusal> {
        match self.schemas.get(schema_id) {
            None => Err(NamespaceRefusal::UnknownSchema),
            Some(registered) if !registered.retired => Ok(None),
            Some(registered) => {
                self.has_room(&registered.scenario, scenarios_max)?;
                Ok(Some(NamespaceEvent::SchemaRestored {
                    schema_id: schema_id.clone(),
                    by: None,
                }))
            }
        }
    }

    /// Checks that a principal that is no operator may change what is published for a scenario: its owner, or any publisher before
    /// its first schema.
    ///
    /// # Errors
    /// The owner, another one; `None` where the scenario has schemas and no owner.
    pub fn admits(&self, scenario: &ScenarioKey, principal: Option<&str>) -> Result<(), Option<String>> {
        match self.owners.get(scenario) {
            Some(owner) if principal == Some(owner) => Ok(()),
            Some(owner) => Err(Some(owner.clone())),
            None if self.schemas.values().any(|known| known.scenario == *scenario) => Err(None),
            None => Ok(()),
        }
    }

    /// Whether one more webhook may be registered; `None` when there are as many as may be.
    pub fn register_webhook(&self, id: WebhookId, webhook: Webhook, webhooks_max: usize) -> Option<NamespaceEvent> {
        let full = self.webhooks.len() >= webhooks_max;
        (!full).then_some(NamespaceEvent::WebhookRegistered {
            webhook_id: id,
            webhook,
        })
    }

    /// The removal of a webhook; `None` when there is none of this id.
    pub fn remove_webhook(&self, id: &str, removal: Removal) -> Option<NamespaceEvent> {
        let webhook_id = self.webhooks.keys().find(|known| known.as_str() == id)?.clone();
        Some(NamespaceEvent::WebhookRemoved { webhook_id, removal })
    }

    /// Applies one event.
    pub fn evolve(&mut self, seq: u64, event: &NamespaceEvent) {
        self.seq = seq;
        match event {
            NamespaceEvent::SchemaRegistered { template, by: _, owner } => {
                if let Some(owner) = owner {
                    self.owners.insert(template.scenario_key(), owner.clone());
                }
                let registered = Registered {
                    scenario: template.scenario_key(),
                    template: (**template).clone(),
                    retired: false,
                };
                self.schemas.insert(template.schema_id.clone(), registered);
            }
            NamespaceEvent::SchemaRetired { schema_id, by: _ }
            | NamespaceEvent::SchemaRestored { schema_id, by: _ } => {
                if let Some(registered) = self.schemas.get_mut(schema_id) {
                    registered.retired = matches!(event, NamespaceEvent::SchemaRetired { .. });
                }
            }
            NamespaceEvent::Owned { scenario, owner, .. } => {
                self.owners.remove(scenario);
                self.owners.extend(owner.clone().map(|owner| (scenario.clone(), owner)));
            }
            NamespaceEvent::WebhookRegistered { webhook_id, webhook } => {
                self.webhooks.insert(webhook_id.clone(), webhook.clone());
            }
            NamespaceEvent::WebhookRemoved { webhook_id, removal: _ } => {
                self.webhooks.remove(webhook_id);
            }
            NamespaceEvent::WritesClosed { at, by, reason } => {
                self.writes_closed.get_or_insert_with(|| WritesClosed {
                    since: *at,
                    by: by.clone(),
                    reason: reason.clone(),
                });
            }
            NamespaceEvent::WritesOpened { .. } => self.writes_closed = None,
        }
    }
}

impl NamespaceEvent {
    /// The same, done by a caller. A scenario without an owner is `owner`'s from the first schema on that `owner` publishes there.
    pub fn done_by(mut self, namespace: &Namespace, who: &By, owner: Option<&str>) -> NamespaceEvent {
        match &mut self {
            NamespaceEvent::SchemaRegistered {
                template,
                by,
                owner: whose,
            } => {
                *by = Some(who.clone());
                let is_free = !namespace.owners.contains_key(&template.scenario_key());
                *whose = owner.filter(|_| is_free).map(str::to_owned);
            }
            NamespaceEvent::SchemaRetired { by, .. } | NamespaceEvent::SchemaRestored { by, .. } => {
                *by = Some(who.clone());
            }
            _ => {}
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn template(id: &str, scenario: &str, described: &str) -> SchemaTemplate {
        let document = json!({"schema_id": id, "scenario": scenario, "keys": [
            {"key_name": "origin", "key_type": "string", "required": true, "semantic_description": described}]});
        SchemaTemplate::parse(&document).expect("a template").0
    }

    fn register(namespace: &mut Namespace, template: &SchemaTemplate, max: usize) -> Result<bool, NamespaceRefusal> {
        let event = namespace.register(template, max)?;
        if let Some(event) = &event {
            namespace.evolve(namespace.seq + 1, event);
        }
        Ok(event.is_some())
    }

    #[test]
    fn an_id_stands_for_one_content_within_a_namespace_z030_x01() {
        let mut ours = Namespace::default();
        assert_eq!(register(&mut ours, &template("a_v1", "a", "From."), 9), Ok(true));
        // Again.
        assert_eq!(register(&mut ours, &template("a_v1", "a", "From."), 9), Ok(false));
        let other = template("a_v1", "a", "To.");
        assert_eq!(register(&mut ours, &other, 9), Err(NamespaceRefusal::Immutable));
        let elsewhere = template("a_v1", "b", "From.");
        assert_eq!(register(&mut ours, &elsewhere, 9), Err(NamespaceRefusal::Immutable));
        // Another server agent's.
        assert_eq!(register(&mut Namespace::default(), &other, 9), Ok(true));
    }

    #[test]
    fn a_scenario_without_an_owner_is_the_operators_alone() {
        let mut ours = Namespace::default();
        let key = ScenarioKey::parse("a").expect("a name");
        assert_eq!(ours.admits(&key, Some("paul")), Ok(()), "before its first schema");
        // As a journal from before owners were recorded, or one of open mode, has it.
        assert_eq!(register(&mut ours, &template("a_v1", "a", "From."), 9), Ok(true));
        for principal in [None, Some("paul"), Some("")] {
            assert_eq!(ours.admits(&key, principal), Err(None), "{principal:?}");
        }
        ours.owners.insert(key.clone(), "paul".to_owned());
        assert_eq!(ours.admits(&key, Some("paul")), Ok(()));
        assert_eq!(ours.admits(&key, Some("rita")), Err(Some("paul".to_owned())));
        assert_eq!(ours.admits(&key, None), Err(Some("paul".to_owned())));
        assert_eq!(
            schema::name::ClientId::parse(SCHEMAS_FOLDER),
            None,
            "no principal has this name"
        );
    }

    #[test]
    fn scenarios_are_bounded_and_versions_of_one_are_not() {
        let mut ours = Namespace::default();
        assert_eq!(register(&mut ours, &template("a_v1", "a b", "From."), 1), Ok(true));
        assert_eq!(register(&mut ours, &template("a_v2", "A-B", "From."), 1), Ok(true));
        let full = register(&mut ours, &template("c_v1", "c", "From."), 1);
        assert_eq!(full, Err(NamespaceRefusal::ScenariosFull { max: 1 }));
        assert_eq!(register(&mut ours, &template("c_v1", "c", "From."), 2), Ok(true));
    }

    #[test]
    fn a_scenario_whose_schemas_are_all_retired_makes_room_until_it_comes_back() {
        let mut ours = Namespace::default();
        let [first, second] = ["a_v1", "a_v2"].map(|id| SchemaId::parse(id).expect("an id"));
        for id in [&first, &second] {
            register(&mut ours, &template(id.as_str(), "a", "From."), 1).expect("registered");
        }
        let other = template("c_v1", "c", "From.");
        for (id, full) in [(&first, true), (&second, false)] {
            let event = ours.retire(id).expect("it may").expect("an event");
            ours.evolve(ours.seq + 1, &event);
            assert_eq!(ours.register(&other, 1).is_err(), full);
        }
        register(&mut ours, &other, 1).expect("registered");
        assert_eq!(ours.restore(&first, 1), Err(NamespaceRefusal::ScenariosFull { max: 1 }));
        let later = template("a_v3", "a", "From.");
        assert_eq!(
            ours.register(&later, 1),
            Err(NamespaceRefusal::ScenariosFull { max: 1 })
        );
        assert!(ours.restore(&first, 2).is_ok_and(|event| event.is_some()));
    }

    #[test]
    fn a_schema_is_retired_once_and_its_id_stays_taken_z030_z181() {
        let mut ours = Namespace::default();
        let id = SchemaId::parse("a_v1").expect("an id");
        assert_eq!(ours.retire(&id), Err(NamespaceRefusal::UnknownSchema));
        register(&mut ours, &template("a_v1", "a", "From."), 9).expect("registered");
        let event = ours.retire(&id).expect("it may").expect("an event");
        let retired = NamespaceEvent::SchemaRetired {
            schema_id: id.clone(),
            by: None,
        };
        assert_eq!(event, retired);
        ours.evolve(2, &event);
        assert!(ours.schemas[&id].retired);
        assert_eq!(ours.retire(&id), Ok(None));
        let same = template("a_v1", "a", "From.");
        // The same content does not bring it back.
        assert_eq!(register(&mut ours, &same, 9), Err(NamespaceRefusal::Retired));
        let other = template("a_v1", "a", "To.");
        assert_eq!(register(&mut ours, &other, 9), Err(NamespaceRefusal::Immutable));
        let event = ours.restore(&id, 1).expect("it may").expect("an event");
        ours.evolve(3, &event);
        assert!(!ours.schemas[&id].retired);
        assert_eq!(ours.restore(&id, 1), Ok(None));
        assert_eq!(register(&mut ours, &same, 9), Ok(false));
        let nobody = SchemaId::parse("b_v1").expect("an id");
        assert_eq!(ours.restore(&nobody, 1), Err(NamespaceRefusal::UnknownSchema));
    }
}
