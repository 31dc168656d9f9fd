//! A schema beside the others of its scenario: what a publisher is told of it, and whether it may stand there.
//!
//! Compares within the budget of one call, away from the threads that answer and without any lock: whoever records what follows checks
//! that the line is still the one that was read. Decides nothing itself: the rules are the `schema` crate's.

use std::sync::Arc;

use crate::api::schemas::Publication;
use crate::api::schemas::TakenOver;
use crate::app::background;
use crate::app::error::ServiceError;
use crate::app::registry::ScenarioRegistry;
use crate::app::view::ScenarioView;
use engine::evolution::stage::StageName;
use schema::advice::Advice;
use schema::advice::Finding;
use schema::budget::Budget;
use schema::compatibility;
use schema::compatibility::Assessment;
use schema::difference::difference;
use schema::effective::KeyChange;
use schema::key::KeyDefinition;
use schema::lint;
use schema::template::SchemaTemplate;
use serde_json::Value;

/// Schemas of a scenario that are published and not retired.
#[derive(Clone)]
pub struct Line(Option<Arc<ScenarioView>>);

/// A key that was learned, by its patch.
type Learned = (String, StageName, KeyDefinition);

impl Line {
    /// Reads what stands beside a template.
    pub fn read(registry: &ScenarioRegistry, template: &SchemaTemplate) -> Line {
        let handle = registry.scenario(template.scenario_key().as_str());
        Line(handle.map(|handle| handle.view.load_full()))
    }

    /// The templates in order of publication.
    fn all(&self) -> Vec<&SchemaTemplate> {
        let bases = self.0.iter().flat_map(|view| view.bases.values());
        let mut bases: Vec<_> = bases.filter(|base| !base.retired).collect();
        bases.sort_by_key(|base| base.revision);
        bases.into_iter().map(|base| &base.template).collect()
    }

    /// Returns whether the same schemas stand in another one: what an id stands for never changes.
    pub fn is_same(&self, other: &Line) -> bool {
        let ids = |line: &Line| Vec::from_iter(line.all().into_iter().map(|base| base.schema_id.clone()));
        ids(self) == ids(other)
    }

    fn others(&self, template: &SchemaTemplate) -> Vec<&SchemaTemplate> {
        let mut all = self.all();
        all.retain(|other| other.schema_id != template.schema_id);
        all
    }

    /// Describes a template to its publisher; it is `new` or known already.
    ///
    /// # Errors
    /// As [`Line::assess`].
    pub async fn publication(
        self,
        registry: &ScenarioRegistry,
        template: SchemaTemplate,
        new: bool,
        findings: Vec<Finding>,
    ) -> Result<Publication, ServiceError> {
        self.check_room(registry, &template, new)?;
        let (default, learned) = (registry.deps.options.compatibility, learned(registry, &template));
        let compared = background::within_budget(move |budget| {
            let compatibility = compatibility::assess(&template, &self.all(), default, budget);
            let taken_over = taken_over(&template, learned, budget);
            let lint = lint::lint(&template, self.with_twins(&template, new, findings));
            let constrained = template.keys.iter().filter(|key| !key.constraints.is_empty());
            let scores = lint.key_scores.into_iter();
            Publication {
                schema_id: template.schema_id.to_string(),
                scenario: template.scenario.clone(),
                version: template.version().to_string(),
                score: lint.score,
                key_scores: scores.map(|(key_name, score)| (key_name, Value::from(score))).collect(),
                findings: lint.findings,
                constraints: constrained
                    .map(|key| (key.key_name.to_string(), Value::Object(key.constraints.clone())))
                    .collect(),
                compatibility,
                taken_over,
                known: None,
                publishable: None,
                refusal: None,
                would_break: None,
                patches: None,
                template: None,
            }
        });
        compared.await
    }

    /// The template beside the others. A `new` one must find room in its line, since each comparison costs.
    ///
    /// # Errors
    /// [`ServiceError::LimitReached`], or a fault.
    pub async fn assess(
        self,
        registry: &ScenarioRegistry,
        template: SchemaTemplate,
        new: bool,
    ) -> Result<Assessment, ServiceError> {
        self.check_room(registry, &template, new)?;
        let default = registry.deps.options.compatibility;
        let compared =
            background::within_budget(move |budget| compatibility::assess(&template, &self.all(), default, budget));
        compared.await
    }

    fn check_room(
        &self,
        registry: &ScenarioRegistry,
        template: &SchemaTemplate,
        new: bool,
    ) -> Result<(), ServiceError> {
        let (max, major) = (registry.deps.options.line_versions_max, template.version().major);
        let mut line = self.others(template);
        line.retain(|other| other.version().major == major);
        if new && line.len() >= max {
            return Err(ServiceError::LimitReached(format!(
                "a major line has at most {max} schemas that are not retired (service.line_versions_max); retire one, or begin a \
                 new major line"
            )));
        }
        Ok(())
    }

    /// The findings, with those of schemas beside it that have the same version, or, where it is `new`, a higher one.
    fn with_twins(&self, template: &SchemaTemplate, new: bool, mut findings: Vec<Finding>) -> Vec<Finding> {
        let version = template.version();
        if let Some(twin) = self.twin(template) {
            let message = format!(
                "{} has the version {version} too; give this one a version of its own",
                twin.schema_id
            );
            findings.push(Finding::new(Advice::SameVersion, "/version", message));
        }
        let highest = self.others(template).into_iter().max_by_key(|other| other.version());
        if let Some(ahead) = highest.filter(|other| new && other.version() > version) {
            let message = format!(
                "{} has the version {}, and is in force",
                ahead.schema_id,
                ahead.version()
            );
            findings.push(Finding::new(Advice::VersionBehind, "/version", message));
        }
        findings
    }

    /// Another schema of the scenario with the same version.
    fn twin(&self, template: &SchemaTemplate) -> Option<&SchemaTemplate> {
        let mut others = self.others(template).into_iter();
        others.find(|other| other.version() == template.version())
    }

    /// Returns whether a template may stand beside the others; `accepts_unproved` where its owner takes what is neither proved nor shown.
    ///
    /// # Errors
    /// [`ServiceError::VersionTaken`], [`ServiceError::Incompatible`], [`ServiceError::NotProved`].
    pub fn admit(
        &self,
        template: &SchemaTemplate,
        assessment: &Assessment,
        accepts_unproved: bool,
    ) -> Result<(), ServiceError> {
        let schema_id = template.schema_id.to_string();
        if let Some(twin) = self.twin(template) {
            return Err(ServiceError::VersionTaken {
                schema_id,
                version: template.version().to_string(),
                other: twin.schema_id.to_string(),
            });
        }
        let (mode, unproved) = (assessment.mode.name(), assessment.unproved());
        if !assessment.compatible {
            return Err(ServiceError::Incompatible {
                schema_id,
                mode,
                major: template.version().major.saturating_add(1),
                objections: Box::new(assessment.objections()),
            });
        }
        if !accepts_unproved && !unproved.compared.is_empty() {
            let objections = Box::new(unproved);
            return Err(ServiceError::NotProved {
                schema_id,
                mode,
                objections,
            });
        }
        Ok(())
    }
}

/// The keys of patches in force that a template's scenario learned.
fn learned(registry: &ScenarioRegistry, template: &SchemaTemplate) -> Vec<Learned> {
    let Some(handle) = registry.scenario(template.scenario_key().as_str()) else {
        return Vec::new();
    };
    let state = handle.state();
    let in_force = state.patches.iter().filter(|patch| patch.stage.standing().is_some());
    let added = in_force.filter_map(|patch| match &patch.change {
        KeyChange::Add(key) => Some((patch.patch_id.to_string(), StageName::from(&patch.stage), key.clone())),
        KeyChange::Refine { .. } => None,
    });
    added.collect()
}

/// The patches whose key the template has itself: from then on its own definition speaks, and the patch is passed over. With what
/// changes from the learned key to the published one.
fn taken_over(template: &SchemaTemplate, learned: Vec<Learned>, budget: &Budget<'_>) -> Vec<TakenOver> {
    let mut bare = template.clone();
    bare.keys.clear();
    let alone = |key: KeyDefinition| SchemaTemplate {
        keys: vec![key],
        ..bare.clone()
    };
    let learned = learned.into_iter().filter_map(|(patch_id, stage, key)| {
        let own = template.key(&key.key_name)?;
        let optional = KeyDefinition { required: false, ..key };
        Some(TakenOver {
            patch_id,
            stage,
            key_name: own.key_name.to_string(),
            changes: difference(&alone(optional), &alone(own.clone()), budget),
        })
    });
    learned.collect()
}
