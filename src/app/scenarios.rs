//! What is hosted: the list of scenarios, the versions of each, and whose it is: whoever publishes its first schema, until an operator
//! gives it to another.
//!
//! Beside its owner, operators and the service itself change what is published for a scenario. One without an owner is the operators'
//! alone, and the schemas folder owns what it published first. Only proved names count: where the service runs open, everybody is an operator. Who published a version stands in the record
//! of its publication alone, and is read from there. Invariant: what is already as it is asked for stays so, and is on nobody's record.
//!
//! A scenario is found by what it is for: a wish in plain words against the embeddings of what is hosted (docs/design.md §8, `q`).
//! Invariant: what fits nothing is answered `no_match` with an empty list, never with the least bad guess; and not before every scenario
//! was compared.

use std::cmp::Reverse;
use std::ops::Bound;
use std::sync::Arc;

use crate::api::scenarios::FrozenRow;
use crate::api::scenarios::Giving;
use crate::api::scenarios::Ownership;
use crate::api::scenarios::ScenarioRow;
use crate::api::scenarios::Scenarios;
use crate::api::scenarios::SearchOutcome;
use crate::api::schemas::Deprecated;
use crate::api::schemas::Deprecating;
use crate::api::schemas::Version;
use crate::api::schemas::VersionState;
use crate::api::schemas::Versions;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::compiled_template::CompiledTemplate;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::operator;
use crate::app::registry::ScenarioRegistry;
use crate::app::restore;
use crate::app::scenario_index::ScenarioIndex;
use crate::app::stats;
use engine::namespace::Namespace;
use engine::namespace::NamespaceEvent;
use engine::namespace::search;
use engine::namespace::search::Wish;
use engine::scenario::command::Command;
use engine::scenario::event::Event;
use engine::scenario::state::Base;
use schema::act::Method;
use schema::name::ClientId;
use schema::name::ScenarioKey;
use schema::template;
use schema::time::At;
use store::journal::Journal;

/// A scenario in force, with what the caller is served of it.
pub struct Hosted {
    pub handle: Arc<ScenarioHandle>,
    compiled: Arc<CompiledTemplate>,
}

impl Hosted {
    /// As it stands in a list.
    pub fn row(&self, caller: &Caller) -> ScenarioRow {
        let base = &self.compiled.effective.base;
        let version = base.version();
        ScenarioRow {
            scenario: base.scenario.clone(),
            schema_id: base.schema_id.to_string(),
            version: format!("{}.{}.{}", version.major, version.minor, version.patch),
            revision: self.compiled.effective.revision,
            description: base.description.clone(),
            language: base.language.clone().unwrap_or_else(|| "en".to_owned()),
            // What an operator said of it is not for every client.
            frozen: self
                .handle
                .state()
                .frozen
                .as_ref()
                .map(|frozen| FrozenRow::new(frozen, caller.sees_all())),
            owner: base.unknown.get(template::OWNER).cloned(),
            labels: base.unknown.get(template::LABELS).cloned(),
            likeness: None,
            stats: None,
        }
    }
}

/// Scenarios in force in the order of their names, or those that bear a label with this value: so many after one.
pub fn hosted(
    registry: &ScenarioRegistry,
    caller: &Caller,
    label: Option<(&str, &str)>,
    after: Option<&ScenarioKey>,
    max: usize,
) -> Vec<Hosted> {
    let catalogue = registry.catalogue.load();
    let first = after.map_or(Bound::Unbounded, Bound::Excluded);
    let later = catalogue.scenarios.range((first, Bound::Unbounded));
    let hosted = later.filter_map(|(_, handle)| {
        let view = handle.view.load();
        let compiled = view.compiled(view.in_force.as_ref()?, caller.client.as_ref())?;
        let labels = compiled.effective.base.unknown.get(template::LABELS);
        let bears = |(name, value): (&str, &str)| labels.is_some_and(|labels| labels[name] == value);
        label.is_none_or(bears).then(|| Hosted {
            handle: Arc::clone(handle),
            compiled: Arc::clone(&compiled),
        })
    });
    hosted.take(max).collect()
}

/// All of them with their rows.
pub fn listed(
    registry: &ScenarioRegistry,
    caller: &Caller,
    label: Option<(&str, &str)>,
) -> Vec<(Arc<ScenarioHandle>, ScenarioRow)> {
    let hosted = hosted(registry, caller, label, None, usize::MAX).into_iter();
    hosted
        .map(|hosted| {
            let row = hosted.row(caller);
            (hosted.handle, row)
        })
        .collect()
}

impl App {
    /// What is hosted, or what of it bears a label with this value.
    pub fn scenarios(&self, caller: &Caller, label: Option<(&str, &str)>) -> Result<Scenarios, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let listed = listed(self.registry(), caller, label);
        Ok(Scenarios {
            scenarios: listed.into_iter().map(|(_, row)| row).collect(),
            ..Scenarios::default()
        })
    }

    /// The versions of a scenario, the highest first.
    pub async fn versions(&self, caller: &Caller, scenario: &str) -> Result<Versions, ServiceError> {
        caller.require(Permission::Inspect)?;
        let handle = self.registry().by_scenario(scenario)?;
        let deps = Arc::clone(&self.registry().deps);
        tokio::task::spawn_blocking(move || versions(deps.journal.as_ref(), &handle)).await?
    }

    /// Announces that a schema is to go, which is all that it does. What was announced of it before is no more.
    ///
    /// # Errors
    /// [`ServiceError::UnknownSchema`], [`ServiceError::SchemaRetired`], [`ServiceError::ScenarioOwned`], [`ServiceError::BadRequest`]
    /// for a sunset that is no moment to come or a reason that is too long, [`ServiceError::ReadOnly`], or a fault.
    pub async fn deprecate_schema(
        &self,
        caller: &Caller,
        schema_id: &str,
        asked: &Deprecating,
    ) -> Result<Deprecated, ServiceError> {
        caller.require(Permission::Publish)?;
        let (handle, schema_id) = self.by_schema(schema_id)?;
        let registry = self.registry();
        drop(registry.deps.write_gate.pass()?);
        // Held until it is on record, so that nobody retires the schema in between.
        let namespace = registry.namespace.lock().await;
        admit(&namespace, &handle.key, caller)?;
        let sunset = asked.sunset.as_deref().map(|text| {
            let sunset = At::parse(text).filter(|sunset| *sunset > registry.deps.clock.now());
            let what = "sunset must be an RFC 3339 moment that is still to come, such as 2027-05-01T00:00:00Z";
            sunset.ok_or_else(|| ServiceError::BadRequest(what.to_owned()))
        });
        let command = Command::Deprecate {
            schema_id: schema_id.clone(),
            sunset: sunset.transpose()?,
            reason: operator::because(asked.reason.as_deref())?,
        };
        handle.command_by(command, Some(caller.by())).await?;
        let deprecated = handle
            .state()
            .bases
            .get(&schema_id)
            .and_then(|base| base.deprecated.clone());
        let deprecated = deprecated.ok_or_else(|| ServiceError::Fault("a deprecation was not kept".to_owned()))?;
        Ok(Deprecated {
            schema_id: schema_id.to_string(),
            deprecated_at: deprecated.since.rfc3339(),
            sunset: deprecated.sunset.map(At::rfc3339),
            reason: deprecated.reason,
        })
    }
}

fn versions(journal: &dyn Journal, handle: &ScenarioHandle) -> Result<Versions, ServiceError> {
    let mut known: Vec<_> = {
        let state = handle.state();
        let in_force = state.base_in_force().map(|base| base.template.schema_id.clone());
        let used = state.clients.by_schema();
        let of = |(id, base): (&_, &Base)| {
            let deprecated = base.deprecated.as_ref();
            let version = Version {
                schema_id: base.template.schema_id.to_string(),
                version: base.template.version().to_string(),
                state: match (base.retired, deprecated) {
                    (Some(_), _) => VersionState::Retired,
                    (None, Some(_)) => VersionState::Deprecated,
                    (None, None) => VersionState::Published,
                },
                in_force: in_force.as_ref() == Some(id),
                published_at: None,
                published_by: None,
                clients: used.get(id).copied().unwrap_or_default(),
                retired_at: base.retired.map(At::rfc3339),
                deprecated_at: deprecated.map(|deprecated| deprecated.since.rfc3339()),
                sunset: deprecated.and_then(|deprecated| deprecated.sunset).map(At::rfc3339),
                reason: deprecated.and_then(|deprecated| deprecated.reason.clone()),
            };
            (base.template.version(), base.published, version)
        };
        state.bases.iter().map(of).collect()
    };
    known.sort_by_key(|(version, published, _)| Reverse((*version, *published)));
    let mut versions = Vec::with_capacity(known.len());
    for (_, seq, version) in known {
        // A snapshot of before it was kept does not say where the publication stands.
        let record = match seq {
            0 => None,
            seq => journal.read(&handle.journal, seq, 1)?.into_iter().next(),
        };
        let published = record
            .map(|record| restore::entry(&handle.journal, &record))
            .transpose()?;
        versions.push(match published {
            None => version,
            Some(entry) => Version {
                published_at: Some(entry.at.rfc3339()),
                published_by: match &entry.event {
                    Event::BasePublished { by, .. } => by.clone(),
                    _ => None,
                },
                ..version
            },
        });
    }
    Ok(Versions { versions })
}

/// Checks that a caller may change what is published for a scenario: an operator, the service itself, or the owner.
pub fn admit(namespace: &Namespace, scenario: &ScenarioKey, caller: &Caller) -> Result<(), ServiceError> {
    if caller.may(Permission::Operate) || caller.origin.method == Method::System {
        return Ok(());
    }
    namespace
        .admits(scenario, caller.proved())
        .map_err(|owner| ServiceError::ScenarioOwned {
            scenario: scenario.to_string(),
            owner: owner.unwrap_or_else(|| "the operators".to_owned()),
        })
}

/// How an operator says whose a scenario is to be.
const FORM: &str = r#"the body must be {"owner": "name" or null, "reason"?: "text"}"#;

impl App {
    /// Whose a scenario is.
    pub async fn owner(&self, caller: &Caller, scenario: &str) -> Result<Ownership, ServiceError> {
        caller.require(Permission::Inspect)?;
        let handle = self.registry().by_scenario(scenario)?;
        Ok(told(&*self.registry().namespace.lock().await, &handle.key))
    }

    /// Transfers a scenario to the principal of that name, or, with `null`, to the operators.
    ///
    /// # Errors
    /// [`ServiceError::UnknownScenario`], [`ServiceError::BadRequest`] for a body that is something else, [`ServiceError::Forbidden`],
    /// [`ServiceError::ReadOnly`], or a fault.
    pub async fn give_scenario(&self, caller: &Caller, scenario: &str, body: &str) -> Result<Ownership, ServiceError> {
        caller.require(Permission::Operate)?;
        let registry = self.registry();
        let scenario = &registry.by_scenario(scenario)?.key;
        let Giving { owner, reason } =
            serde_json::from_str(body).map_err(|_| ServiceError::BadRequest(FORM.to_owned()))?;
        if owner.as_deref().is_some_and(|owner| ClientId::parse(owner).is_none()) {
            let what = "owner must be the name of a principal: 1 to 128 visible ASCII characters";
            return Err(ServiceError::BadRequest(what.to_owned()));
        }
        let reason = operator::because(reason.as_deref())?;
        drop(registry.deps.write_gate.pass()?);
        let mut namespace = registry.namespace.lock().await;
        if namespace.owners.get(scenario) != owner.as_ref() {
            let by = caller.by();
            administered!(info, Some(&by), %scenario, owner, "given");
            let event = NamespaceEvent::Owned {
                scenario: scenario.clone(),
                owner,
                by,
                reason,
            };
            registry.record(&mut namespace, &event).await?;
        }
        Ok(told(&namespace, scenario))
    }
}

/// Whose a scenario is.
fn told(namespace: &Namespace, scenario: &ScenarioKey) -> Ownership {
    Ownership {
        scenario: scenario.to_string(),
        owner: namespace.owners.get(scenario).cloned(),
    }
}

/// Scenarios that one search embeds itself, so that what was just published is found.
const EMBEDDED_AT_ONCE: usize = 4;

/// A search.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// What is wanted, in plain words.
    pub wish: &'a str,
    /// Only scenarios that bear this label.
    pub label: Option<(&'a str, &'a str)>,
    /// Scenarios in the answer at most.
    pub limit: usize,
    /// Whether each is shown with its figures, which are for those who may inspect.
    pub stats: bool,
}

impl App {
    /// Those that the wish is likeliest meant for, likest first.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::BadParameter`] for an empty or too long wish; [`ServiceError::Busy`]; or a fault of the model.
    pub async fn search(&self, caller: &Caller, asked: Asked<'_>) -> Result<Scenarios, ServiceError> {
        caller.require(Permission::Negotiate)?;
        if asked.stats {
            caller.require(Permission::Inspect)?;
        }
        let registry = self.registry();
        let scenario_index = self.scenario_index();
        let options = &registry.deps.options;
        let wish = asked.wish.trim();
        if wish.is_empty() || wish.chars().count() > options.search_chars_max {
            return Err(ServiceError::BadParameter(format!(
                "the parameter q must hold 1 to {} characters",
                options.search_chars_max
            )));
        }
        scenario_index.open().await;
        let hosted = hosted(registry, caller, asked.label, None, usize::MAX);
        let wish = read(registry, wish).await?;
        let floor = search::floor(options.search_likeness_min, hosted.len());
        let embeddings = embeddings(registry, scenario_index, &hosted).await;
        let mut unread = 0;
        let mut found: Vec<(f64, Hosted)> = Vec::new();
        for (hosted, embedding) in hosted.into_iter().zip(embeddings) {
            let Some(embedding) = embedding else {
                unread += 1;
                continue;
            };
            let likeness = wish.likeness(&embedding);
            if likeness >= floor {
                found.push((likeness, hosted));
            }
        }
        // A stable sort: scenarios that are equally like stay in the order of their names.
        found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        found.truncate(asked.limit);
        let scenarios: Vec<ScenarioRow> = found
            .into_iter()
            .map(|(likeness, hosted)| ScenarioRow {
                likeness: Some(rounded(likeness)),
                stats: asked
                    .stats
                    .then(|| stats::shown(&hosted.handle, registry.deps.clock.as_ref())),
                ..hosted.row(caller)
            })
            .collect();
        let outcome = match (scenarios.is_empty(), unread) {
            (false, _) => SearchOutcome::Match,
            (true, 0) => SearchOutcome::NoMatch,
            (true, _) => SearchOutcome::Reading,
        };
        Ok(Scenarios {
            outcome: Some(outcome),
            likeness_min: Some(rounded(floor)),
            unread: Some(unread),
            scenarios,
            next: None,
        })
    }
}

async fn read(registry: &ScenarioRegistry, wish: &str) -> Result<Wish, ServiceError> {
    let vectors = registry.deps.embedder.embed(vec![wish.to_owned()]).await;
    let vector = vectors?;
    let vector = vector.into_iter().next();
    vector
        .map(|vector| Wish::new(wish, vector))
        .ok_or_else(|| ServiceError::Fault("the embedder returned nothing".to_owned()))
}

async fn embeddings(
    registry: &ScenarioRegistry,
    scenario_index: &ScenarioIndex,
    hosted: &[Hosted],
) -> Vec<Option<Arc<search::ScenarioEmbedding>>> {
    let mut embedded = 0;
    let mut embeddings = Vec::with_capacity(hosted.len());
    for Hosted { handle, compiled: _ } in hosted {
        let mut embedding = scenario_index.current(handle);
        if embedding.is_none() && embedded < EMBEDDED_AT_ONCE {
            embedded += 1;
            scenario_index.embed(handle, registry.deps.embedder.as_ref()).await;
            embedding = scenario_index.current(handle);
        }
        embeddings.push(embedding);
    }
    embeddings
}

/// Three digits: more would promise what the measure does not hold.
fn rounded(likeness: f64) -> f64 {
    (likeness * 1_000.0).round() / 1_000.0
}
