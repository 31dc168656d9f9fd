//! `otherwise versions`, `deprecate` and `watch`: the versions of a scenario's schema, which are to go, and what becomes of a template.

use std::time::Duration;

use clap::Args;
use otherwise_client::Error;
use otherwise_client::Update;
use otherwise_client::address::segment;
use serde_json::Value;
use serde_json::json;
use tokio::signal::unix::SignalKind;
use tokio::signal::unix::signal;

use crate::cli;
use crate::cli::ExitStatus;
use crate::cli::output::Output;
use crate::cli::output::Trouble;
use crate::cli::output::fault;
use crate::cli::remote::OfScenario;
use crate::cli::remote::Service;
use crate::cli::remote::Which;
use crate::cli::remote::Whom;
use crate::cli::remote::items;
use crate::cli::remote::line;
use crate::cli::remote::line_if;
use crate::cli::remote::plain;
use crate::cli::remote::text;

/// How often the versions are looked at while somebody watches: an announcement changes no template, so that no update tells it.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// Which schema is to go.
#[derive(Clone, Debug, Args)]
pub struct DeprecateArguments {
    /// The schema, such as flight_booking_v1.
    #[arg(value_name = "SCHEMA")]
    schema_id: String,
    #[command(flatten)]
    whom: Whom,
    /// From when on it may be gone (RFC 3339).
    #[arg(long, value_name = "MOMENT", conflicts_with = "lift")]
    sunset: Option<String>,
    /// Why, for those who use it.
    #[arg(long, value_name = "TEXT", conflicts_with = "lift")]
    reason: Option<String>,
    /// Take it back: it stays.
    #[arg(long)]
    lift: bool,
}

/// What is followed.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("json", |json| json.help("One JSON document a line")))]
pub struct WatchArguments {
    #[command(flatten)]
    which: Which,
}

/// What the versions of a scenario say of one of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// Its row.
    own: Value,
    /// The row of the one in force, where that is another.
    newer: Value,
}

impl Standing {
    /// Asks the service.
    ///
    /// # Errors
    /// Why it does not say.
    pub fn ask(service: &Service, which: &Which, schema_id: &str) -> Result<Standing, Trouble> {
        let listed = versions_of(service, &which.of.scenario)?;
        let find = |is: &dyn Fn(&Value) -> bool| items(&listed, "versions").into_iter().find(is).unwrap_or_default();
        Ok(Standing {
            own: find(&|row| row["schema_id"] == schema_id),
            // Who pins no version is served the one in force.
            newer: find(&|row| which.version.is_some() && row["in_force"] == true && row["schema_id"] != schema_id),
        })
    }

    /// That it is to go or is gone, and that there is a newer one.
    pub fn lines(&self, scenario: &str) -> Vec<String> {
        let own = &self.own;
        let state = match own["state"].as_str() {
            Some("deprecated") => Some(line("deprecated since {deprecated_at}", own) + &goes(own)),
            Some("retired") => Some(line("retired since {retired_at}: submissions by it are refused", own)),
            _ => None,
        };
        let version = text(&newer["version"]);
        let newer = format!(
            "{version} is in force: otherwise show {} --version {version}",
            plain(scenario)
        );
        state
            .into_iter()
            .chain((!self.newer.is_null()).then_some(newer))
            .collect()
    }

    /// What is different from before, and what to do about it.
    fn news(&self, before: &Standing, scenario: &str) -> Vec<String> {
        let announced = |standing: &Standing| ["state", "sunset", "reason"].map(|name| standing.own[name].clone());
        let mut told = Vec::new();
        if announced(self) != announced(before) {
            let to = line_if("; move to {version}", &self.newer, "version").unwrap_or_default();
            told.push(match self.own["state"].as_str() {
                Some("deprecated") => format!("is deprecated{}{to}", goes(&self.own)),
                Some("retired") => format!("is retired: submissions by it are refused{to}"),
                _ => "stays: it is deprecated no longer".to_owned(),
            });
        }
        if self.newer["schema_id"] != before.newer["schema_id"] {
            told.extend(self.newer(scenario));
        }
        told
    }
}

/// Lists a scenario's versions.
pub fn versions(arguments: &OfScenario) -> ExitStatus {
    arguments.whom.tell(
        "versions",
        |service| versions_of(service, &arguments.scenario),
        |listed| items(listed, "versions").iter().map(version).collect(),
    )
}

/// Announces that a schema is to go, or takes that back.
pub fn deprecate(arguments: &DeprecateArguments) -> ExitStatus {
    let (deed, said, becomes) = match arguments.lift {
        true => ("restore", json!({}), "stays"),
        false => (
            "deprecate",
            json!({"sunset": arguments.sunset, "reason": arguments.reason}),
            "is deprecated",
        ),
    };
    let path = format!("/v1/schemas/{}:{deed}", segment(&arguments.schema_id));
    arguments.whom.tell(
        "deprecate",
        |service| service.post(&path, &said),
        |answer| vec![format!("{} {becomes}{}", text(&answer["schema_id"]), goes(answer))],
    )
}

fn versions_of(service: &Service, scenario: &str) -> Result<Value, Trouble> {
    service.get(&format!("/v1/scenarios/{}/versions", segment(scenario)))
}

/// When it goes and why, where that is said.
fn goes(row: &Value) -> String {
    let sunset = line_if(", may be gone from {sunset} on", row, "sunset");
    sunset.unwrap_or_default() + &line_if(": {reason}", row, "reason").unwrap_or_default()
}

/// A version in a line.
fn version(row: &Value) -> String {
    let in_force = if row["in_force"] == true { ", in force" } else { "" };
    let (head, tail) = (
        "{version:10} {schema_id}  {state}",
        "  {published_at} by {/published_by/principal}",
    );
    format!("{}{in_force}{}{}", line(head, row), goes(row), line(tail, row))
}

/// Says what changes and what to do about it, as it does, until it is interrupted.
pub fn watch(arguments: &WatchArguments) -> ExitStatus {
    let which = &arguments.which;
    let followed = which.of.whom.open().and_then(|service| follow(which, &service));
    Output::new("watch", which.of.whom.json).ended(followed.map(|()| ExitStatus::Well))
}

fn follow(which: &Which, service: &Service) -> Result<(), Trouble> {
    let name = &which.of.scenario;
    let scenario = which.scenario(service);
    let (mut changes, template, interrupt) = service.wait(async {
        let template = scenario.template().await?;
        Ok((scenario.changes().await?, template, signal(SignalKind::interrupt())))
    })?;
    let mut interrupt = interrupt.map_err(fault)?;
    let (mut revision, mut schema_id) = (template.revision, template.schema_id.clone());
    let mut standing = Standing::ask(service, which, &schema_id)?;
    loop {
        let woken = service.wait(async {
            Ok::<_, Error>(tokio::select! {
                update = changes.next() => Some(Some(update?)),
                () = tokio::time::sleep(LOOK_AGAIN) => Some(None),
                _ = interrupt.recv() => None,
            })
        })?;
        let Some(update) = woken else { return Ok(()) };
        let mut told = Vec::new();
        if let Some(update) = &update {
            revision = update.revision;
            if update.schema_id != schema_id {
                let was = std::mem::replace(&mut schema_id, update.schema_id.clone());
                told.push(format!(
                    "takes the place of {was}: fetch the template, and submit by this one"
                ));
                standing = Standing::default();
            }
            told.extend(of_patches(update));
        }
        // A service that is not there for a moment is asked again; the stream says so where it stays away.
        let now = Standing::ask(service, which, &schema_id).unwrap_or_else(|_| standing.clone());
        let news = if standing == Standing::default() {
            now.lines(name)
        } else {
            now.news(&standing, name)
        };
        match (which.of.whom.json, update) {
            (true, Some(update)) => cli::answer(&json!(update).to_string()),
            (true, None) if !news.is_empty() => {
                cli::answer(&json!({"schema_id": schema_id, "version": now.own, "newer": now.newer}).to_string());
            }
            (true, None) => {}
            (false, _) => told.iter().chain(&news).for_each(|said| {
                cli::answer(&format!("{revision}  {}  {}", plain(&schema_id), plain(said)));
            }),
        }
        standing = now;
    }
}

/// What becomes of keys, and what to do about it.
fn of_patches(update: &Update) -> Vec<String> {
    let mut told = Vec::new();
    for patch in &update.patches {
        let advice = match patch["stage"].as_str() {
            Some("experimental" | "stable") => "fetch the template, and fill what is said",
            Some("deprecated") => "stop filling it",
            _ => "fetch the template",
        };
        let each = [("new_keys", ""), ("modified_keys", " and described anew")];
        for (member, also) in each {
            let keys: Vec<String> = items(patch, member).iter().map(|key| text(&key["key_name"])).collect();
            if !keys.is_empty() {
                let what = line("{stage} ({patch_id})", patch);
                told.push(format!("{} is {what}{also}: {advice}", keys.join(", ")));
            }
        }
    }
    let withdrawn = update.withdrawn_keys.iter();
    told.extend(withdrawn.map(|key| format!("{key} is withdrawn: leave it out")));
    told
}

#[cfg(test)]
mod tests {
    use otherwise_client::Update;
    use serde_json::Value;
    use serde_json::json;

    use super::Standing;
    use super::of_patches;
    use super::version;

    fn row(state: &str, sunset: Option<&str>, reason: Option<&str>) -> Value {
        json!({"version": "1.0.0", "schema_id": "tram_v1", "state": state, "in_force": false, "published_at": "2026-05-01T09:00:00Z",
            "published_by": {"principal": "olga"}, "deprecated_at": "2026-06-01T09:00:00Z", "sunset": sunset, "reason": reason})
    }

    #[test]
    fn a_version_that_is_to_go_is_told_with_when_and_why() {
        let told = version(&row("deprecated", Some("2999-01-01T00:00:00Z"), Some("repl\u{7}aced")));
        let (from, by) = (
            ", may be gone from 2999-01-01T00:00:00Z on: repl aced",
            "2026-05-01T09:00:00Z by olga",
        );
        assert_eq!(told, format!("1.0.0      tram_v1  deprecated{from}  {by}"));
        assert_eq!(
            version(&row("published", None, None)),
            format!("1.0.0      tram_v1  published  {by}")
        );
    }

    #[test]
    fn who_holds_a_version_is_told_what_becomes_of_it_and_where_to_go() {
        let newer = json!({"version": "2.0.0", "schema_id": "tram_v2"});
        let of = |state: &str, reason: Option<&str>, newer: Value| Standing {
            own: row(state, None, reason),
            newer,
        };
        let (well, alone) = (of("published", None, newer.clone()), of("published", None, Value::Null));
        let leaving = of("deprecated", Some("replaced"), newer.clone());
        let show = "2.0.0 is in force: otherwise show tram --version 2.0.0";
        assert_eq!(
            leaving.lines("tram"),
            ["deprecated since 2026-06-01T09:00:00Z: replaced", show]
        );
        assert!(alone.lines("tram").is_empty());
        assert_eq!(well.news(&alone, "tram"), [show]);
        assert_eq!(leaving.news(&well, "tram"), ["is deprecated: replaced; move to 2.0.0"]);
        assert_eq!(well.news(&leaving, "tram"), ["stays: it is deprecated no longer"]);
        let gone = of("retired", None, newer);
        assert_eq!(
            gone.news(&well, "tram"),
            ["is retired: submissions by it are refused; move to 2.0.0"]
        );
        assert!(leaving.news(&leaving, "tram").is_empty());
    }

    #[test]
    fn what_becomes_of_keys_says_what_to_do() {
        let patch = |stage: &str| json!({"patch_id": "tram.p1", "stage": stage, "new_keys": [{"key_name": "pram"}]});
        let wording = json!({"patch_id": "tram.p2", "stage": "stable", "modified_keys": [{"key_name": "zone"}]});
        let update = Update {
            revision: 4,
            schema_id: "tram_v1".to_owned(),
            patches: vec![patch("stable"), patch("deprecated"), wording],
            withdrawn_keys: vec!["old".to_owned()],
        };
        assert_eq!(
            of_patches(&update),
            [
                "pram is stable (tram.p1): fetch the template, and fill what is said",
                "pram is deprecated (tram.p1): stop filling it",
                "zone is stable (tram.p2) and described anew: fetch the template, and fill what is said",
                "old is withdrawn: leave it out",
            ]
        );
    }
}
