//! What is hosted, as a list: every scenario in force with what its publisher says of it.
//!
//! Decides nothing about who may ask. Invariant: in the order of the scenarios' names.

use std::sync::Arc;

use crate::api::scenarios::FrozenRow;
use crate::api::scenarios::ScenarioRow;
use crate::app::caller::Caller;
use crate::app::handle::ScenarioHandle;
use crate::app::registry::ScenarioRegistry;
use schema::template;

/// The scenarios in force, or those that bear a label with this value.
pub fn listed(
    registry: &ScenarioRegistry,
    caller: &Caller,
    label: Option<(&str, &str)>,
) -> Vec<(Arc<ScenarioHandle>, ScenarioRow)> {
    let hosted = registry.catalogue.load();
    let mut listed = Vec::new();
    for handle in hosted.scenarios.values() {
        let view = handle.view.load();
        let Some(schema_id) = &view.in_force else { continue };
        let Some(compiled) = view.compiled(schema_id, caller.client.as_ref()) else {
            continue;
        };
        let base = &compiled.effective.base;
        let labels = base.unknown.get(template::LABELS);
        let bears = |(name, value): (&str, &str)| labels.is_some_and(|labels| labels[name] == value);
        if !label.is_none_or(bears) {
            continue;
        }
        let version = base.version();
        let row = ScenarioRow {
            scenario: base.scenario.clone(),
            schema_id: schema_id.to_string(),
            version: format!("{}.{}.{}", version.major, version.minor, version.patch),
            revision: compiled.effective.revision,
            description: base.description.clone(),
            language: base.language.clone().unwrap_or_else(|| "en".to_owned()),
            // What an operator said of it is not for every client.
            frozen: handle
                .state()
                .frozen
                .as_ref()
                .map(|frozen| FrozenRow::new(frozen, caller.sees_all())),
            owner: base.unknown.get(template::OWNER).cloned(),
            labels: labels.cloned(),
            likeness: None,
        };
        listed.push((Arc::clone(handle), row));
    }
    listed
}
