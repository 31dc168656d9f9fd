//! Settings: one TOML file, over it the environment, over both the command line.
//!
//! Each setting is defined once, in a `section!`, here, of the app or of the engine: name, default, range, unit and meaning;
//! structs, the example file and the page follow. Invariant: [`Settings`] that came out of [`Settings::gather`] are within their
//! ranges and do not contradict each other.

pub mod agents;
pub mod cross;
pub mod endpoint;
pub mod gather;
pub mod page;
pub mod service;
pub mod setting;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::app::caller::Role;
use crate::app::dependencies::Options;
use crate::config::setting::Setting;
use engine::evolution::policy::EvolutionPolicy;
use engine::pool::cohort::Cohorts;
use engine::pool::policy::PoolPolicy;
use engine::scenario::policy::bounds;

/// Everything that can be set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub server: service::Server,
    pub rpc: service::Rpc,
    pub a2a: agents::A2a,
    pub tasks: agents::Tasks,
    pub mcp: service::Mcp,
    pub sessions: agents::Sessions,
    pub conversations: agents::Conversations,
    pub messages: agents::Messages,
    pub data: service::Data,
    pub schemas: service::Schemas,
    pub models: service::Models,
    pub model: agents::Model,
    pub executors: agents::Executors,
    pub store: service::Store,
    pub service: Options,
    pub policy: Policies,
    pub delivery: service::Delivery,
    pub log: service::Log,
    pub metrics: service::Metrics,
    pub console: service::Console,
    /// Cohort -> clients and patterns of clients' names; those of principals are named beside these.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub cohorts: BTreeMap<String, Vec<String>>,
    /// Who may call; nobody listed means open mode.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub principals: Vec<Principal>,
}

impl Settings {
    /// Who is in which cohort: as `[cohorts]` and the principals say (Z-098).
    ///
    /// # Errors
    /// What cannot be, with the place: a name, a client in two cohorts, too many.
    pub fn cohorts(&self) -> Result<Cohorts, BadSettings> {
        let mut cohorts = Cohorts::declare(&self.cohorts).map_err(|what| BadSettings(format!("[cohorts]: {what}")))?;
        for principal in &self.principals {
            if let Some(cohort) = &principal.cohort {
                cohorts
                    .add(cohort, &principal.name)
                    .map_err(|what| BadSettings(format!("[[principals]] ({:?}): {what}", principal.name)))?;
            }
        }
        Ok(cohorts)
    }
}

/// All settings but `[cohorts]` and `[[principals]]`, in the order of the pages.
pub fn settings() -> impl Iterator<Item = Setting> {
    let first = [
        service::Server::SETTINGS,
        service::Rpc::SETTINGS,
        service::Mcp::SETTINGS,
        service::Data::SETTINGS,
        service::Schemas::SETTINGS,
        service::Models::SETTINGS,
        agents::A2a::SETTINGS,
        agents::Sessions::SETTINGS,
        agents::Conversations::SETTINGS,
        agents::Messages::SETTINGS,
        agents::Tasks::SETTINGS,
        agents::Model::SETTINGS,
        agents::Executors::SETTINGS,
        service::Store::SETTINGS,
    ];
    let of_service = Options::BOUNDS.iter().map(Setting::from);
    let of_rules = bounds().map(Setting::from);
    let last = [
        service::Log::SETTINGS,
        service::Metrics::SETTINGS,
        service::Console::SETTINGS,
    ];
    let delivery = service::Delivery::SETTINGS.iter().copied();
    let first = first.into_iter().flatten().copied().chain(of_service).chain(delivery);
    first.chain(of_rules).chain(last.into_iter().flatten().copied())
}

/// The numbers of the domain, for every scenario whose template does not set its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policies {
    pub pool: PoolPolicy,
    pub evolution: EvolutionPolicy,
}

/// Who may call (docs/design.md §11).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Principal {
    pub name: String,
    pub roles: Vec<Role>,
    /// SHA-256 of each of its keys, in hexadecimal.
    pub key_sha256: OneOrMany,
    /// The cohort that the client is in (Z-098).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cohort: Option<String>,
    #[serde(default)]
    pub disabled: bool,
}

/// One text, or a list of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    /// All of them.
    pub fn all(&self) -> &[String] {
        match self {
            OneOrMany::One(one) => std::slice::from_ref(one),
            OneOrMany::Many(many) => many,
        }
    }
}

/// Why there are no settings: a sentence that names the place and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSettings(pub String);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use toml::Value;

    use super::Settings;
    use super::settings;

    fn leaves(prefix: &str, value: &Value, into: &mut BTreeSet<String>) {
        match value {
            Value::Table(members) => {
                for (name, value) in members {
                    leaves(&format!("{prefix}.{name}"), value, into);
                }
            }
            _ => {
                into.insert(prefix.trim_start_matches('.').to_owned());
            }
        }
    }

    #[test]
    fn the_settings_listed_are_the_fields_and_each_default_is_within_its_range() {
        let defaults = Value::Table(toml::Table::try_from(Settings::default()).expect("plain values"));
        let mut fields = BTreeSet::new();
        leaves("", &defaults, &mut fields);
        let listed: BTreeSet<String> = settings().map(|setting| setting.path.to_owned()).collect();
        assert_eq!(listed.len(), settings().count());
        assert_eq!(listed, fields);
        for setting in settings() {
            let value = setting.path.split('.').fold(&defaults, |value, part| &value[part]);
            assert!(setting.kind.check(value).is_ok(), "{}: {value}", setting.path);
        }
    }
}
