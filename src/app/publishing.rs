//! Publishing a base schema: read, lint, compare with the line it continues, register, agree.
//!
//! Decides nothing: the rules are in `domain/template`, what an id stands for is the namespace's. Invariant: what `check`
//! says of a template is what `publish` does with it at that moment, and `check` stores nothing.

use std::sync::Arc;

use serde_json::Value;

use crate::api::schemas::ImportLint;
use crate::api::schemas::Imported;
use crate::api::schemas::Publication;
use crate::api::schemas::PublishedSchema;
use crate::api::schemas::Retirement;
use crate::api::submissions::SchemaStatus;
use crate::app::application::App;
use crate::app::background;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::dependencies::Dependencies;
use crate::app::error::ServiceError;
use crate::app::line::Line;
use crate::app::registry::ScenarioRegistry;
use crate::app::reply::Published;
use crate::app::scenarios;
use crate::app::would_break::would_break;
use engine::namespace::Namespace;
use engine::namespace::NamespaceEvent;
use engine::namespace::NamespaceRefusal;
use engine::namespace::Registered;
use engine::scenario::command::Command;
use engine::scenario::layer;
use engine::scenario::layer::NoRebase;
use engine::scenario::layer::Rebased;
use schema::advice::Advice;
use schema::advice::Finding;
use schema::defect::Defect;
use schema::executor::ExecutorSpec;
use schema::import::Options;
use schema::import::import_text;
use schema::json_text;
use schema::lint;
use schema::name::ScenarioKey;
use schema::name::SchemaId;
use schema::template;
use schema::template::SchemaTemplate;

/// Number of times that a comparison begins anew where the line changed meanwhile.
const ATTEMPTS_MAX: usize = 5;

/// Which part of a document is imported, and what it is called.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub operation: Option<String>,
    pub tool: Option<String>,
    pub pointer: Option<String>,
    pub key: Option<String>,
    pub scenario: Option<String>,
    pub schema_id: Option<String>,
}

impl App {
    /// Publishes a template under its id; the same content again is accepted, and writes nothing, so that it is accepted of a
    /// service that is read-only as well.
    ///
    /// # Errors
    /// [`ServiceError::BadRequest`], [`ServiceError::InvalidTemplate`] with all defects, [`ServiceError::SchemaImmutable`],
    /// [`ServiceError::SchemaRetired`], [`ServiceError::VersionTaken`], [`ServiceError::Incompatible`], [`ServiceError::NotProved`] unless
    /// `accepts_unproved`, [`ServiceError::LimitReached`],
    /// [`ServiceError::ScenarioOwned`], [`ServiceError::Forbidden`], or a fault.
    pub async fn publish(
        &self,
        caller: &Caller,
        schema_id: &str,
        document: &str,
        accepts_unproved: bool,
    ) -> Result<Published, ServiceError> {
        caller.require(Permission::Publish)?;
        let registry = self.registry();
        // That nothing may be written comes before anything else that could be said of a template that is not known yet.
        let closed = registry.deps.write_gate.pass().err();
        let first = |error: ServiceError| closed.clone().unwrap_or(error);
        let Submitted {
            template,
            findings,
            against_new,
        } = read(registry, Some(schema_id), document).await.map_err(first)?;
        for _ in 0..ATTEMPTS_MAX {
            let (created, template, findings) = {
                let namespace = registry.namespace.lock().await;
                let created = registrable(registry, &namespace, &template, caller)
                    .map_err(first)?
                    .is_some();
                let (template, findings) = on_record(&namespace, template.clone(), findings.clone());
                (created, template, findings)
            };
            let agreed = registry.catalogue.load().schemas.contains_key(&template.schema_id);
            if let Some(closed) = closed.clone().filter(|_| created || !agreed) {
                return Err(closed);
            }
            // What was agreed on before stays agreed on: a folder of schemas is published again at every start.
            if created && !against_new.is_empty() {
                return Err(ServiceError::InvalidTemplate(against_new));
            }
            // Compared without the lock, so that other publications go on.
            let line = Line::read(registry, &template);
            let publication = line
                .clone()
                .publication(registry, template.clone(), created, findings)
                .await?;
            if created {
                line.admit(&template, &publication.compatibility, accepts_unproved)?;
            }
            let unproved = accepts_unproved && !publication.compatibility.unproved().compared.is_empty();
            let (app, by, owner) = (self.clone(), caller.by(), caller.owner_name().map(str::to_owned));
            let (caller, may_write) = (caller.clone(), closed.is_none());
            let agreed = background::to_its_end(async move {
                let registry = app.registry();
                let mut namespace = registry.namespace.lock().await;
                let event = registrable(registry, &namespace, &template, &caller)?;
                if event.is_some() != created || !Line::read(registry, &template).is_same(&line) {
                    return Ok(false);
                }
                if let Some(event) = event {
                    let event = event.done_by(&namespace, &by, owner.as_deref());
                    registry.record(&mut namespace, &event).await?;
                }
                if may_write {
                    registry.host(&template.scenario_key())?;
                    let schema_id = &template.schema_id;
                    registry.agree(schema_id, &template, false, Some(&by), unproved).await?;
                }
                Ok(true)
            });
            if agreed.await.map_err(first)? {
                return Ok(Published { created, publication });
            }
        }
        Err(ServiceError::Busy { retry_after_s: 1 })
    }

    /// What publishing a template would say, nothing stored: the members of a published one, with `known` (the same content
    /// is published), `publishable`, `refusal` where it is not, and `would_break`.
    ///
    /// # Errors
    /// [`ServiceError::BadRequest`], [`ServiceError::InvalidTemplate`], and [`ServiceError::LimitReached`] where its line is full,
    /// as publishing it; [`ServiceError::Busy`] while others read history; [`ServiceError::LimitReachedFor`] for a publisher that checks
    /// too often.
    pub async fn check_schema(
        &self,
        caller: &Caller,
        document: &str,
    ) -> Result<(Publication, Option<ServiceError>), ServiceError> {
        caller.require(Permission::Publish)?;
        let registry = self.registry();
        let Submitted {
            template,
            findings,
            against_new,
        } = read(registry, None, document).await?;
        let scenarios_max = registry.deps.options.scenarios_max;
        let (registered, owned, template, findings) = {
            let namespace = registry.namespace.lock().await;
            let owned = scenarios::admit(&namespace, &template.scenario_key(), caller).err();
            let registered = namespace.register(&template, scenarios_max);
            let (template, findings) = match registered {
                Ok(None) => on_record(&namespace, template, findings),
                Ok(Some(_)) | Err(_) => (template, findings),
            };
            (registered, owned, template, findings)
        };
        if !against_new.is_empty() && !matches!(registered, Ok(None)) {
            return Err(ServiceError::InvalidTemplate(against_new));
        }
        let new = matches!(registered, Ok(Some(_)));
        let line = Line::read(registry, &template);
        let publication = line
            .clone()
            .publication(registry, template.clone(), new, findings)
            .await?;
        // A caller that may not publish there is answered nothing about stored submissions.
        let sees = owned.is_none() && caller.may(Permission::Inspect);
        let would_break = if sees {
            would_break(self, caller, &template).await?
        } else {
            None
        };
        let (known, refusal) = match registered {
            Ok(None) => (true, None),
            Ok(Some(_)) | Err(_) if owned.is_some() => (false, owned),
            Err(refusal) => (false, Some(refused(&refusal, template.schema_id.as_str()))),
            Ok(Some(_)) => (false, line.admit(&template, &publication.compatibility, false).err()),
        };
        let publication = Publication {
            known: Some(known),
            publishable: Some(refusal.is_none()),
            would_break,
            ..publication
        };
        Ok((publication, refusal))
    }

    /// A template out of another document, with what was lost or changed on the way; nothing is published.
    ///
    /// # Errors
    /// [`ServiceError::BadRequest`] where no template can be made of it, and [`ServiceError::Forbidden`].
    pub async fn import(&self, caller: &Caller, text: String, asked: Asked) -> Result<Imported, ServiceError> {
        caller.require(Permission::Publish)?;
        let imported = background::within_budget(move |budget| {
            let options = Options {
                operation: asked.operation.as_deref(),
                tool: asked.tool.as_deref(),
                pointer: asked.pointer.as_deref(),
                key: asked.key.as_deref(),
                scenario: asked.scenario.as_deref(),
                schema_id: asked.schema_id.as_deref(),
                budget: Some(budget),
            };
            import_text(&text, &options).map(|imported| {
                let told = lint::lint(&imported.template, imported.advice);
                Imported {
                    template: imported.template,
                    findings: imported.findings,
                    lint: ImportLint {
                        score: told.score,
                        findings: told.findings,
                    },
                }
            })
        });
        let imported = imported.await?;
        imported.map_err(|fault| ServiceError::BadRequest(fault.to_string()))
    }

    /// Publishes the base in force with what is stable for everyone in it, as its next minor version; what publishing it says,
    /// with `patches` (those taken in) and `template`. A dry run stores nothing and says what `check` would.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::ScenarioOwned`], [`ServiceError::NothingStable`],
    /// [`ServiceError::LimitReached`] where there is no further
    /// id, or what publishing says.
    pub async fn rebase(&self, caller: &Caller, scenario: &str, dry_run: bool) -> Result<Publication, ServiceError> {
        caller.require(Permission::Publish)?;
        let registry = self.registry();
        let handle = registry.by_scenario(scenario)?;
        let rebased = {
            let namespace = registry.namespace.lock().await;
            scenarios::admit(&namespace, &handle.key, caller)?;
            layer::rebase(&handle.state(), |schema_id| namespace.schemas.contains_key(schema_id))
        };
        let Rebased { template, patches } = rebased.map_err(|why| match why {
            NoRebase::NoBase => ServiceError::UnknownScenario(scenario.to_owned()),
            NoRebase::NothingStable => ServiceError::NothingStable,
            NoRebase::NoId => ServiceError::LimitReached("no schema id is left for a further minor version".to_owned()),
        })?;
        let document = serde_json::to_string(&template)?;
        let publication = if dry_run {
            let (publication, refusal) = self.check_schema(caller, &document).await?;
            refusal.map_or(Ok(publication), Err)?
        } else {
            self.publish(caller, template.schema_id.as_str(), &document, false)
                .await?
                .publication
        };
        Ok(Publication {
            patches: Some(patches),
            template: Some(template),
            ..publication
        })
    }

    /// A base schema as it was published, and what is told beside it: not which version is in force, since it never changes.
    pub fn schema(&self, caller: &Caller, schema_id: &str) -> Result<(PublishedSchema, SchemaStatus), ServiceError> {
        caller.require(Permission::Negotiate)?;
        let (handle, id) = self.by_schema(schema_id)?;
        let view = handle.view.load();
        let base = view.bases.get(&id);
        base.map(|base| {
            let schema = PublishedSchema {
                template: base.template.clone(),
                retired: base.retired,
            };
            let status = view.status(&id);
            (schema, SchemaStatus { latest: None, ..status })
        })
        .ok_or_else(|| ServiceError::UnknownSchema(schema_id.to_owned()))
    }

    /// Retires a schema: submissions by it are refused from now on (410). One that is retired stays so.
    pub async fn retire(&self, caller: &Caller, schema_id: &str) -> Result<Retirement, ServiceError> {
        self.set_retired(caller, schema_id, true).await
    }

    /// Restores a retired schema, if it still keeps what its line promises, or lifts a deprecation.
    pub async fn restore_schema(&self, caller: &Caller, schema_id: &str) -> Result<Retirement, ServiceError> {
        self.set_retired(caller, schema_id, false).await
    }

    async fn set_retired(&self, caller: &Caller, schema_id: &str, retired: bool) -> Result<Retirement, ServiceError> {
        caller.require(Permission::Publish)?;
        let (handle, id) = self.by_schema(schema_id)?;
        let registry = self.registry();
        drop(registry.deps.write_gate.pass()?);
        let line = match retired {
            true => None,
            false => self.kept_line(caller, &handle.key, &id).await?,
        };
        let mut namespace = registry.namespace.lock().await;
        scenarios::admit(&namespace, &handle.key, caller)?;
        let event = match retired {
            true => namespace.retire(&id),
            false => namespace.restore(&id, registry.deps.options.scenarios_max),
        };
        let event = event.map_err(|refusal| refused(&refusal, id.as_str()))?;
        let (by, is_new) = (caller.by(), event.is_some());
        if let Some(event) = event {
            let is_kept = |(template, line): (SchemaTemplate, Line)| Line::read(registry, &template).is_same(&line);
            if !retired && !line.is_some_and(is_kept) {
                return Err(ServiceError::Busy { retry_after_s: 1 });
            }
            let event = event.done_by(&namespace, &by, None);
            registry.record(&mut namespace, &event).await?;
        }
        let command = if retired { Command::Retire } else { Command::Restore };
        match handle.command_by(command(id.clone()), Some(by)).await {
            // It is on record: the next start does the rest, see [`ScenarioRegistry::agree`].
            Err(ServiceError::ShuttingDown) if is_new => {}
            outcome => outcome?,
        }
        Ok(Retirement {
            schema_id: id.to_string(),
            retired,
        })
    }

    /// A retired schema with the line that it may be restored to; `None` where it is not retired.
    async fn kept_line(
        &self,
        caller: &Caller,
        scenario: &ScenarioKey,
        id: &SchemaId,
    ) -> Result<Option<(SchemaTemplate, Line)>, ServiceError> {
        let registry = self.registry();
        let registered = {
            let namespace = registry.namespace.lock().await;
            scenarios::admit(&namespace, scenario, caller)?;
            namespace.schemas.get(id).filter(|schema| schema.retired).cloned()
        };
        let Some(Registered { template, .. }) = registered else {
            return Ok(None);
        };
        let line = Line::read(registry, &template);
        let assessment = line.clone().assess(registry, template.clone(), true).await?;
        // What its owner accepted when it was published is accepted again.
        line.admit(&template, &assessment, true)?;
        Ok(Some((template, line)))
    }
}

/// A template that is registered already as it is on record, without what the reading said of sentences that were settled then.
fn on_record(
    namespace: &Namespace,
    template: SchemaTemplate,
    mut findings: Vec<Finding>,
) -> (SchemaTemplate, Vec<Finding>) {
    const OF_SENTENCES: [Advice; 2] = [Advice::TakenOver, Advice::NotTakenOver];
    let Some(known) = namespace.schemas.get(&template.schema_id) else {
        return (template, findings);
    };
    let (template, settled) = template.as_on_record(&known.template);
    findings.retain(|finding| !OF_SENTENCES.contains(&finding.rule) || !settled.contains(&finding.pointer));
    (template, findings)
}

/// Why the namespace does not take a schema, for its publisher.
fn refused(refusal: &NamespaceRefusal, schema_id: &str) -> ServiceError {
    let schema_id = schema_id.to_owned();
    match refusal {
        NamespaceRefusal::Immutable => ServiceError::SchemaImmutable(schema_id),
        NamespaceRefusal::Retired => ServiceError::SchemaRetired(schema_id),
        NamespaceRefusal::UnknownSchema => ServiceError::UnknownSchema(schema_id),
        NamespaceRefusal::ScenariosFull { max } => ServiceError::LimitReached(format!(
            "{max} scenarios have a schema that is not retired, which is as many as may be (service.scenarios_max); retire \
             all schemas of one"
        )),
    }
}

/// A template as its publisher sent it.
struct Submitted {
    template: SchemaTemplate,
    findings: Vec<Finding>,
    /// What stands against it where it is not published yet, and never against the same content again: what was agreed on
    /// stays so, whatever the bounds are by now.
    against_new: Vec<Defect>,
}

/// The event that registers a template for a caller who may; `None` where the same content is there already.
///
/// # Errors
/// [`ServiceError::ScenarioOwned`], or why the namespace does not take it.
fn registrable(
    registry: &ScenarioRegistry,
    namespace: &Namespace,
    template: &SchemaTemplate,
    caller: &Caller,
) -> Result<Option<NamespaceEvent>, ServiceError> {
    let registered = namespace.register(template, registry.deps.options.scenarios_max);
    if !matches!(registered, Ok(None)) {
        scenarios::admit(namespace, &template.scenario_key(), caller)?;
    }
    registered.map_err(|refusal| refused(&refusal, template.schema_id.as_str()))
}

/// Reads a template that is to be published, under an id where one is given.
async fn read(registry: &ScenarioRegistry, schema_id: Option<&str>, text: &str) -> Result<Submitted, ServiceError> {
    let (deps, schema_id, text) = (
        Arc::clone(&registry.deps),
        schema_id.map(str::to_owned),
        text.to_owned(),
    );
    background::within_budget(move |_| parse(&deps, schema_id.as_deref(), &text)).await?
}

fn parse(deps: &Dependencies, schema_id: Option<&str>, text: &str) -> Result<Submitted, ServiceError> {
    let document =
        json_text::read(text).map_err(|why| ServiceError::BadRequest(format!("the template is not JSON: {why}")))?;
    let own = document.get("schema_id").and_then(Value::as_str);
    let elsewhere = own.zip(schema_id).filter(|(own, address)| own != address);
    let elsewhere = elsewhere.map(|(_, address)| Defect {
        pointer: "/schema_id".to_owned(),
        requirement: "Z-029".to_owned(),
        message: format!("schema_id differs from the address it was published at, {address}"),
    });
    let taken = document.get("policy").map(|overrides| deps.policy.taking(overrides));
    let (of_policy, more) = taken.map_or_else(Default::default, |taken| (taken.defects, taken.findings));
    let parsed = SchemaTemplate::parse(&document);
    let too_many = parsed.as_ref().ok().and_then(|(template, _)| too_many(deps, template));
    let bounds = of_policy.into_iter().chain(unexecuted(deps, &document)).chain(too_many);
    let texts = deps.options.defects_of_texts(&document);
    let against_new = bounds.chain(json_text::defects(text)).chain(texts);
    match parsed {
        Ok((template, findings)) if elsewhere.is_none() => Ok(Submitted {
            against_new: against_new.chain(deps.options.defects_of_patterns(&findings)).collect(),
            template,
            findings: findings.into_iter().chain(more).collect(),
        }),
        parsed => {
            let defects = parsed.err().unwrap_or_default().into_iter().chain(elsewhere);
            Err(ServiceError::InvalidTemplate(defects.chain(against_new).collect()))
        }
    }
}

/// What stands against the executor that a template names.
fn unexecuted(deps: &Dependencies, document: &Value) -> Vec<Defect> {
    let named = document.as_object().and_then(ExecutorSpec::of);
    let executor = deps.executor.as_ref();
    named
        .zip(executor)
        .map_or_else(Vec::new, |(spec, executor)| executor.objections(&spec))
}

/// What stands against a template of more keys than may be.
fn too_many(deps: &Dependencies, template: &SchemaTemplate) -> Option<Defect> {
    let keys_max = deps.options.template_keys_max;
    (template.keys.len() > keys_max.saturating_add(1)).then(|| Defect {
        pointer: "/keys".to_owned(),
        requirement: "Z-032".to_owned(),
        message: format!("{} (service.template_keys_max)", template::too_many_keys(keys_max)),
    })
}
