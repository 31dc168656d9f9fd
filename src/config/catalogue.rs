//! Every setting: its path, unit, range and meaning. Defaults are those of the structs.
//!
//! Invariant (held by a test): the paths here are exactly the fields of [`super::Settings`].

pub mod agents;
pub mod calls;
pub mod contexts;
pub mod delivery;
pub mod policy;
pub mod server;
pub mod service;
pub mod sharing;
pub mod tasks;
pub mod watch;

use crate::config::kind::Kind;
use engine::scenario::bounds;

/// One setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Such as `server.listen`.
    pub path: &'static str,
    pub kind: Kind,
    /// Empty where the value has none.
    pub unit: &'static str,
    pub meaning: &'static str,
}

const fn setting(path: &'static str, kind: Kind, unit: &'static str, meaning: &'static str) -> Setting {
    Setting {
        path,
        kind,
        unit,
        meaning,
    }
}

/// Shares and similarities.
const SHARE: Kind = Kind::of(bounds::SHARE);
/// Counts that bound memory.
const COUNT: Kind = Kind::of(bounds::COUNT);
/// Durations, up to a hundred years.
const SECONDS: Kind = Kind::of(bounds::SECONDS);

/// All settings but `[[principals]]`, in the order of the file.
pub fn all() -> impl Iterator<Item = &'static Setting> {
    [
        server::SERVER,
        agents::A2A,
        sharing::SESSIONS,
        contexts::CONTEXTS,
        tasks::TASKS,
        calls::MODEL,
        calls::EXECUTORS,
        server::STORE,
        service::SERVICE,
        delivery::DELIVERY,
        policy::POLICY,
        watch::WATCH,
    ]
    .into_iter()
    .flatten()
}

/// The setting at a path.
pub fn find(path: &str) -> Option<&'static Setting> {
    all().find(|setting| setting.path == path)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::all;
    use crate::config::Settings;

    fn leaves(prefix: &str, value: &Value, into: &mut BTreeMap<String, Value>) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    let path = if prefix.is_empty() {
                        name.clone()
                    } else {
                        format!("{prefix}.{name}")
                    };
                    leaves(&path, value, into);
                }
            }
            leaf => {
                into.insert(prefix.to_owned(), leaf.clone());
            }
        }
    }

    #[test]
    fn the_catalogue_lists_exactly_the_settings() {
        let mut fields = BTreeMap::new();
        leaves(
            "",
            &serde_json::to_value(Settings::default()).expect("plain values"),
            &mut fields,
        );
        let listed: BTreeSet<String> = all().map(|setting| setting.path.to_owned()).collect();
        assert_eq!(listed.len(), all().count());
        assert_eq!(listed, fields.keys().cloned().collect::<BTreeSet<_>>());
    }

    #[test]
    fn every_default_is_within_its_range() {
        let defaults = toml::Table::try_from(Settings::default()).expect("plain values");
        for setting in all() {
            let mut value = &toml::Value::Table(defaults.clone());
            for part in setting.path.split('.') {
                value = &value[part];
            }
            let value = value.clone();
            assert!(setting.kind.check(&value).is_ok(), "{}: {value}", setting.path);
        }
    }
}
