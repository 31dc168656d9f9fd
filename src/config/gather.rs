//! Gathers settings: file, environment, command line, in rising order of precedence. Names what it does not know.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use toml::Table;
use toml::Value;

use crate::config::BadSettings;
use crate::config::Principal;
use crate::config::Settings;
use crate::config::cross;
use crate::config::setting::Setting;
use crate::config::settings;

/// What a variable's name begins with. Only names that also hold `__` are settings: an orchestrator sets variables such
/// as `OTHERWISE_PORT` of its own accord.
pub const PREFIX: &str = "OTHERWISE_";

/// Where settings come from, lowest precedence first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The file's name, for messages, and its text.
    pub file: Option<(String, String)>,
    /// Environment variables; those that are no settings of ours are passed over.
    pub environment: Vec<(String, String)>,
    /// From the command line: (flag, path of the setting, value).
    pub flags: Vec<(&'static str, &'static str, String)>,
}

impl Settings {
    /// Reads, checks and merges.
    ///
    /// # Errors
    /// The first unknown or wrong setting, with where it was written.
    pub fn gather(sources: &Sources) -> Result<Settings, BadSettings> {
        let mut merged = Table::new();
        if let Some((name, text)) = &sources.file {
            let mut table = text
                .parse::<Table>()
                .map_err(|error| BadSettings(format!("{name} cannot be read as TOML: {error}")))?;
            // Read once here, where the file's name is known.
            keep::<Vec<Principal>>(name, "[[principals]]", table.remove("principals"), &mut merged)?;
            keep::<BTreeMap<String, Vec<String>>>(name, "[cohorts]", table.remove("cohorts"), &mut merged)?;
            take(name, "", &table, &mut merged)?;
        }
        for (variable, text) in &sources.environment {
            let Some(rest) = variable.strip_prefix(PREFIX) else {
                continue;
            };
            if rest.contains("__") {
                let path = rest.to_lowercase().replace("__", ".");
                read(variable, &path, text, &mut merged)?;
            }
        }
        for (flag, path, text) in &sources.flags {
            read(flag, path, text, &mut merged)?;
        }
        let settings: Settings = Value::Table(merged).try_into().map_err(|error: toml::de::Error| {
            BadSettings(format!("the settings cannot be read: {}", error.message()))
        })?;
        cross::check(&settings)?;
        Ok(settings)
    }
}

/// Takes over what is no setting but a list or a table of its own, if it can be read as a `T`.
fn keep<T: DeserializeOwned>(
    file: &str,
    section: &str,
    value: Option<Value>,
    merged: &mut Table,
) -> Result<(), BadSettings> {
    let Some(value) = value else { return Ok(()) };
    let read: Result<T, toml::de::Error> = value.clone().try_into();
    read.map_err(|error| BadSettings(format!("{file}: {section} cannot be read: {}", error.message())))?;
    merged.insert(section.trim_matches(['[', ']']).to_owned(), value);
    Ok(())
}

/// Takes over the settings of a table of the file.
fn take(source: &str, prefix: &str, table: &Table, merged: &mut Table) -> Result<(), BadSettings> {
    for (name, value) in table {
        let path = if prefix.is_empty() {
            name.clone()
        } else {
            format!("{prefix}.{name}")
        };
        let section = settings().any(|setting| setting.path.starts_with(&format!("{path}.")));
        match value {
            Value::Table(inner) if section => take(source, &path, inner, merged)?,
            _ if holds_members(value) && find(&path).is_none() => {
                let near = nearest(&path, sections()).map(|near| format!("[{near}]"));
                return Err(unknown(source, &format!("section [{path}]"), near));
            }
            _ if section => return Err(BadSettings(format!("{source}: [{path}] is a section, not a value"))),
            _ => {
                let setting = known(source, &path)?;
                let checked = setting
                    .kind
                    .check(value)
                    .map_err(|range| wrong(source, &path, &range))?;
                put(&path, checked, merged);
            }
        }
    }
    Ok(())
}

/// Takes over one setting given as text.
fn read(source: &str, path: &str, text: &str, merged: &mut Table) -> Result<(), BadSettings> {
    let setting = known(source, path)?;
    let value = setting.kind.read(text).map_err(|range| wrong(source, path, &range))?;
    put(path, value, merged);
    Ok(())
}

fn known(source: &str, path: &str) -> Result<Setting, BadSettings> {
    for (section, written) in [("principals", "as [[principals]]"), ("cohorts", "under [cohorts]")] {
        if path.split('.').next() == Some(section) {
            return Err(BadSettings(format!(
                "{source}: {section} stand in the settings file alone, {written}"
            )));
        }
    }
    find(path).ok_or_else(|| {
        let near = nearest(path, settings().map(|setting| setting.path));
        unknown(source, &format!("setting {path}"), near.map(str::to_owned))
    })
}

fn find(path: &str) -> Option<Setting> {
    settings().find(|setting| setting.path == path)
}

/// Every section that holds settings, and those that hold something else.
fn sections() -> impl Iterator<Item = &'static str> {
    let above = |path: &'static str| path.match_indices('.').map(move |(at, _)| &path[..at]);
    settings()
        .flat_map(move |setting| above(setting.path))
        .chain(["principals", "cohorts"])
}

/// The known name that is written most alike: where less than half of the last part would have to change, or where it goes on as
/// what was written.
fn nearest(written: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let last = written.rsplit('.').next().unwrap_or(written);
    // No path is longer: what is written beyond tells nothing.
    let compared = written.get(..written.floor_char_boundary(64)).unwrap_or_default();
    let (distance, nearest) = known.map(|path| (strsim::levenshtein(path, compared), path)).min()?;
    (distance * 2 < last.len() || nearest.starts_with(written)).then_some(nearest)
}

/// What is not known, with the nearest that is, where one is near.
fn unknown(source: &str, what: &str, near: Option<String>) -> BadSettings {
    let near = near.map_or_else(
        || "docs/settings.md lists all there are".to_owned(),
        |near| format!("the nearest one is {near}"),
    );
    BadSettings(format!("{source}: there is no {what}; {near}"))
}

/// Whether a value is a table, or a list of them, and so stands where a section would.
fn holds_members(value: &Value) -> bool {
    match value {
        Value::Table(_) => true,
        Value::Array(items) => items.iter().any(Value::is_table),
        Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => false,
    }
}

fn wrong(source: &str, path: &str, range: &str) -> BadSettings {
    BadSettings(format!("{source}: {path} must be: {range}"))
}

/// Puts a value at a dotted path. Sections on the way are tables, since only catalogued paths come here.
fn put(path: &str, value: Value, merged: &mut Table) {
    match path.split_once('.') {
        None => {
            merged.insert(path.to_owned(), value);
        }
        Some((section, rest)) => {
            let inner = merged
                .entry(section.to_owned())
                .or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = inner {
                put(rest, value, inner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Sources;
    use crate::config::Settings;
    use schema::name::ClientId;

    fn file(text: &str) -> Sources {
        Sources {
            file: Some(("o.toml".to_owned(), text.to_owned())),
            ..Sources::default()
        }
    }

    fn error(sources: &Sources) -> String {
        Settings::gather(sources).expect_err("a wrong setting").0
    }

    #[test]
    fn flags_win_over_the_environment_and_that_over_the_file() {
        assert_eq!(Settings::gather(&Sources::default()), Ok(Settings::default()));
        let mut sources = file("[server]\nworkers = 1\nbacklog = 7\nkeep_alive_s = 5\n");
        sources.environment = vec![
            ("OTHERWISE_SERVER__WORKERS".to_owned(), "2".to_owned()),
            ("OTHERWISE_SERVER__BACKLOG".to_owned(), "8".to_owned()),
            ("OTHERWISE_POLICY__POOL__LINK_MIN".to_owned(), "0.25".to_owned()),
            ("OTHERWISE_PORT_8080_TCP".to_owned(), "tcp://10.0.0.1:8080".to_owned()),
            ("HOME".to_owned(), "/".to_owned()),
        ];
        sources.flags = vec![("--workers", "server.workers", "3".to_owned())];
        let settings = Settings::gather(&sources).expect("right settings");
        let server = &settings.server;
        assert_eq!((server.workers, server.backlog, server.keep_alive_s), (3, 8, 5));
        assert!((settings.policy.pool.link_min - 0.25).abs() < f64::EPSILON);
    }

    #[test]
    fn a_wrong_or_unknown_setting_is_named_with_where_it_was_written_and_the_nearest_of_its_sort() {
        for (text, what) in [
            ("[log]\nlevel = \"loud\"\n", "log.level"),
            ("[server]\nworkers = \"many\"\n", "server.workers"),
            ("[server]\nbody_bytes_max = 1023\n", "server.body_bytes_max"),
            (
                "[policy.evolution]\npromote_usage_min = 1.5\n",
                "policy.evolution.promote_usage_min",
            ),
            ("[log]\nformat = \"xml\"\n", "log.format"),
            ("[servr]\nlisten = 1", "no section [servr]; the nearest one is [server]"),
            (
                "[policy.evolutoin]\nx = 1",
                "no section [policy.evolutoin]; the nearest one is [policy.evolution]",
            ),
            (
                "[[principal]]\nname = \"a\"",
                "no section [principal]; the nearest one is [principals]",
            ),
            ("[weather]\nx = 1", "no section [weather]; docs/settings.md"),
            (
                "[server]\nlissten = 1",
                "no setting server.lissten; the nearest one is server.listen",
            ),
            (
                "[policy.pool]\nheat_treshold = 1",
                "the nearest one is policy.pool.heat_threshold",
            ),
            ("[metrics]\nkeys = 1", "the nearest one is metrics.keys_max"),
            (
                "[server]\nbogus = 1",
                "no setting server.bogus; docs/settings.md lists all there are",
            ),
            ("colour = 1", "no setting colour; docs/settings.md"),
            ("server = 1", "[server] is a section, not a value"),
            (
                "[[principals]]\nname = \"a\"\nroles = []\nkey = \"x\"\n",
                "[[principals]] cannot be read: ",
            ),
            (
                "[[principals]]\nname = \"a\"\nroles = [\"king\"]\nkey_sha256 = \"x\"\n",
                "[[principals]] cannot be read: ",
            ),
            ("principals = 1\n", "[[principals]] cannot be read: "),
            ("cohorts = 1\n", "[cohorts] cannot be read: "),
            ("[cohorts]\nfleet = \"a\"\n", "[cohorts] cannot be read: "),
        ] {
            let said = error(&file(text));
            assert!(said.starts_with("o.toml: ") && said.contains(what), "{said}");
        }
        assert!(error(&file("[server\n")).contains("o.toml"));
        for (variable, value, what) in [
            ("OTHERWISE_LOG__LEVEL", "loud", "log.level must be: off, error, warn"),
            ("OTHERWISE_SERVER__WORKER", "1", "server.workers"),
            ("OTHERWISE_PRINCIPALS__NAME", "a", "settings file alone"),
            ("OTHERWISE_COHORTS__FLEET", "a", "settings file alone"),
        ] {
            let said = error(&Sources {
                environment: vec![(variable.to_owned(), value.to_owned())],
                ..Sources::default()
            });
            assert!(
                said.starts_with(&format!("{variable}: ")) && said.contains(what),
                "{said}"
            );
        }
        let flag = Sources {
            flags: vec![("--workers", "server.workers", "x".to_owned())],
            ..Sources::default()
        };
        assert!(error(&flag).starts_with("--workers: server.workers"));
    }

    #[test]
    fn principals_and_cohorts_are_read_from_the_file_z098() {
        let key = "0".repeat(64);
        let principal = |cohort: &str| {
            format!(
                "[[principals]]\nname = \"tram-7\"\nroles = [\"client\"]\nkey_sha256 = [\"{key}\"]\ncohort = \"{cohort}\"\n\
                 disabled = true\n"
            )
        };
        let table = "[cohorts]\nfleet = [\"bus-*\", \"van\"]\n";
        let settings = Settings::gather(&file(&format!("{table}{}", principal("rail")))).expect("settings");
        assert!(settings.principals[0].disabled);
        let cohorts = settings.cohorts().expect("cohorts");
        let of = |name: &str| {
            let client = ClientId::parse(name).expect("a client");
            cohorts.of(&client).map(ToString::to_string)
        };
        let found = ["bus-1", "van", "tram-7", "zoe"].map(of);
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(found, [named("fleet"), named("fleet"), named("rail"), None]);
        for (wrong, said) in [
            ("[cohorts]\nFleet = [\"a\"]\n".to_owned(), "[cohorts]: cohort \"Fleet\""),
            (
                format!("[cohorts]\nfleet = [\"tram-7\"]\n{}", principal("rail")),
                "[[principals]] (\"tram-7\"): cohort \"rail\"",
            ),
            (principal("Rail"), "lower-case"),
        ] {
            let text = error(&file(&wrong));
            assert!(text.contains(said), "{text}");
        }
    }
}
