//! What is hosted, as a list: every scenario in force with what its publisher says of it.
//!
//! Decides nothing about who may ask. Invariant: in the order of the scenarios' names.

use std::sync::Arc;

use serde_json::Value;
use serde_json::json;

use crate::service::caller::Caller;
use crate::service::handle::ScenarioHandle;
use crate::service::operations;
use crate::service::registry::ScenarioRegistry;
use schema::catalogue;

/// The scenarios in force, or those that bear a label with this value:
/// `{"scenario","schema_id","version","revision","description","language","owner"?,"labels"?,"frozen"?}` each.
pub fn listed(
    registry: &ScenarioRegistry,
    caller: &Caller,
    label: Option<(&str, &str)>,
) -> Vec<(Arc<ScenarioHandle>, Value)> {
    let hosted = registry.catalogue.load();
    let mut listed = Vec::new();
    for handle in hosted.scenarios.values() {
        let view = handle.view.load();
        let Some(schema_id) = &view.in_force else { continue };
        let Some(compiled) = view.compiled(schema_id, caller.client.as_ref()) else {
            continue;
        };
        let base = &compiled.effective.base;
        let labels = base.unknown.get(catalogue::LABELS);
        let bears = |(name, value): (&str, &str)| labels.is_some_and(|labels| labels[name] == value);
        if !label.is_none_or(bears) {
            continue;
        }
        let version = base.version();
        let mut row = json!({
            "scenario": base.scenario,
            "schema_id": schema_id,
            "version": format!("{}.{}.{}", version.major, version.minor, version.patch),
            "revision": compiled.effective.revision,
            "description": base.description,
            "language": base.language.as_deref().unwrap_or("en"),
        });
        let frozen = handle.state().frozen.clone();
        if let (Some(members), Some(frozen)) = (row.as_object_mut(), frozen) {
            // What an operator said of it is not for every client.
            let told = if caller.sees_all() {
                operations::frozen(Some(&frozen))
            } else {
                json!({"since": frozen.since.rfc3339()})
            };
            members.insert("frozen".to_owned(), told);
        }
        for name in catalogue::MEMBERS {
            if let (Some(members), Some(value)) = (row.as_object_mut(), base.unknown.get(name)) {
                members.insert(name.to_owned(), value.clone());
            }
        }
        listed.push((Arc::clone(handle), row));
    }
    listed
}
