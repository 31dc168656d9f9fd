//! `otherwise versions`, `deprecate` and `watch`: the versions of a scenario's schema, which are to go, and what becomes of a template.

use std::time::Duration;

use clap::Args;
use otherwise_client::Error;
use otherwise_client::Template;
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
use crate::cli::remote::failed;
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
    /// From when on it may be gone: a date, such as 2027-06-01, or a moment (RFC 3339).
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

/// What is to become of a version that is served: `{"scenario", "schema_id", "version", "deprecated_at", "sunset", "reason", "latest"}`, null
/// where nothing is.
pub fn standing(service: &Service, which: &Which, template: &Template) -> Value {
    let (scenario, schema_id) = (&which.of.scenario, &template.schema_id);
    let (deprecation, mut reason) = (template.deprecation(), Value::Null);
    // The template tells everybody that it is to go, and the versions why, to who may inspect.
    if deprecation.is_some()
        && let Ok(listed) = versions_of(service, scenario)
    {
        let rows = items(&listed, "versions").into_iter();
        let mut own = rows.filter(|row| row["schema_id"] == schema_id.as_str());
        reason = own.next().map(|row| row["reason"].clone()).unwrap_or_default();
    }
    json!({"scenario": scenario, "schema_id": schema_id, "version": template.version, "reason": reason, "latest": template.latest(),
        "deprecated_at": deprecation.as_ref().map(|announced| &announced.since),
        "sunset": deprecation.as_ref().and_then(|announced| announced.sunset.as_ref())})
}

/// That it is to go, and that there is a newer one.
pub fn outlook(standing: &Value) -> Vec<String> {
    let leaves = line_if("deprecated since {deprecated_at}", standing, "deprecated_at");
    let leaves = leaves.map(|leaves| leaves + &goes(standing));
    leaves.into_iter().chain(newer(standing)).collect()
}

fn newer(standing: &Value) -> Option<String> {
    let form = "{latest} is in force: otherwise show {scenario} --version {latest}";
    line_if(form, standing, "latest")
}

/// What is different from before, and what to do about it.
fn news(standing: &Value, before: &Value) -> Vec<String> {
    let mut told = Vec::new();
    if ["deprecated_at", "sunset", "reason"]
        .iter()
        .any(|name| standing[name] != before[name])
    {
        let to = line_if("; move to {latest}", standing, "latest").unwrap_or_default();
        told.push(match standing["deprecated_at"].is_null() {
            true => "stays: it is deprecated no longer".to_owned(),
            false => format!("is deprecated{}{to}", goes(standing)),
        });
    }
    if standing["latest"] != before["latest"] {
        told.extend(newer(standing));
    }
    told
}

/// Lists a scenario's versions.
pub fn versions(arguments: &OfScenario) -> ExitStatus {
    arguments.whom.tell(
        "versions",
        |service| versions_of(service, &arguments.scenario),
        |listed| items(listed, "versions").iter().map(version).collect(),
    )
}

/// What is as long as a date begins with that day in UTC; the service judges whether it is one.
fn moment(sunset: &str) -> String {
    match sunset.len() == "2027-06-01".len() {
        true => format!("{sunset}T00:00:00Z"),
        false => sunset.to_owned(),
    }
}

/// Announces that a schema is to go, or takes that back.
pub fn deprecate(arguments: &DeprecateArguments) -> ExitStatus {
    let (deed, said, becomes) = match arguments.lift {
        true => ("restore", json!({}), "stays"),
        false => (
            "deprecate",
            json!({"sunset": arguments.sunset.as_deref().map(moment), "reason": arguments.reason}),
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
    let mut scenario = which.scenario(service);
    scenario.max_age = Duration::ZERO;
    let (mut changes, template, interrupt) = service.wait(async {
        let template = scenario.template().await?;
        Ok((scenario.changes().await?, template, signal(SignalKind::interrupt())))
    })?;
    let mut interrupt = interrupt.map_err(fault)?;
    let mut revision = template.revision;
    let mut held = standing(service, which, &template);
    loop {
        let woken = service.wait(async {
            let wake = async {
                let update = tokio::select! {
                    update = changes.next() => Some(update?),
                    () = tokio::time::sleep(LOOK_AGAIN) => None,
                };
                let template = match scenario.template().await {
                    // Whoever watches agrees to nothing.
                    Err(Error::DigestRefused { .. }) => {
                        scenario.accept();
                        scenario.template().await
                    }
                    other => other,
                };
                Ok((update, template))
            };
            tokio::select! {
                woken = wake => woken.map(Some),
                _ = interrupt.recv() => Ok(None),
            }
        })?;
        let Some((update, template)) = woken else {
            return Ok(());
        };
        let now = match template {
            Ok(template) => standing(service, which, &template),
            // A service that is not there for a moment is asked again.
            Err(Error::Unavailable { .. }) => held.clone(),
            Err(other) => return Err(failed(other)),
        };
        let mut told = match now["schema_id"] == held["schema_id"] {
            true => news(&now, &held),
            false => {
                let form = "takes the place of {schema_id}: fetch the template, and submit by this one";
                std::iter::once(line(form, &held)).chain(outlook(&now)).collect()
            }
        };
        let is_json = which.of.whom.json;
        if is_json && !told.is_empty() {
            cli::answer(&now.to_string());
        }
        if let Some(update) = &update {
            revision = update.revision;
            told.extend(of_patches(update));
            if is_json {
                cli::answer(&json!(update).to_string());
            }
        }
        let head = format!("{revision}  {}", text(&now["schema_id"]));
        let lines = told.iter().filter(|_| !is_json);
        lines.for_each(|said| cli::answer(&format!("{head}  {}", plain(said))));
        held = now;
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

    use super::news;
    use super::of_patches;
    use super::outlook;
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
        let of = |since: Option<&str>, reason: Option<&str>, latest: Option<&str>| json!({"scenario": "tram", "deprecated_at": since, "sunset": null, "reason": reason, "latest": latest});
        let since = Some("2026-06-01T09:00:00Z");
        let (alone, pinned) = (of(None, None, None), of(None, None, Some("2.0.0")));
        let leaving = of(since, Some("repl\u{7}aced"), Some("2.0.0"));
        let show = "2.0.0 is in force: otherwise show tram --version 2.0.0";
        assert_eq!(
            outlook(&leaving),
            ["deprecated since 2026-06-01T09:00:00Z: repl aced", show]
        );
        assert!(outlook(&alone).is_empty());
        assert_eq!(news(&pinned, &alone), [show]);
        assert_eq!(news(&leaving, &pinned), ["is deprecated: repl aced; move to 2.0.0"]);
        assert_eq!(news(&of(since, None, None), &alone), ["is deprecated"]);
        assert_eq!(news(&pinned, &leaving), ["stays: it is deprecated no longer"]);
        assert!(news(&leaving, &leaving).is_empty());
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
