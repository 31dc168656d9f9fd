//! `otherwise approvals`, `approve` and `reject`: a person decides about the keys that wait in a running service (Z-127, Z-165).
//!
//! Knows the service's HTTP interface and nothing else of it. Invariant: what the service sends cannot steer the terminal, and
//! nothing is decided about a patch that has changed since it was looked at here.

use clap::Args;
use clap::ValueEnum;
use otherwise_client::address::segment;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::output::Output;
use crate::cli::output::Trouble;
use crate::cli::output::usage;
use crate::cli::remote::Service;
use crate::cli::remote::Whom;
use crate::cli::remote::items;
use crate::cli::remote::refused;
use crate::cli::remote::text;
use crate::cli::remote::told;

/// Approvals of one page.
const PAGE: usize = 200;

/// Whose list.
#[derive(Clone, Debug, Args)]
pub struct ApprovalsArguments {
    #[command(flatten)]
    whom: Whom,
    /// Say it as one JSON document.
    #[arg(long)]
    json: bool,
}

/// Which key is let pass, and as what.
#[derive(Clone, Debug, Args)]
pub struct ApproveArguments {
    /// The patch, such as flight_booking.p1.
    #[arg(value_name = "PATCH")]
    id: String,
    #[command(flatten)]
    whom: Whom,
    /// Give the key this name.
    #[arg(long, value_name = "NAME")]
    key_name: Option<String>,
    /// Give it this title; '' takes it away.
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Give it this description.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Give it this type.
    #[arg(long = "type", value_name = "TYPE")]
    key_type: Option<String>,
    /// Give it these constraints, a JSON object such as {"enum": ["a", "b"]}; {} takes all away.
    #[arg(long, value_name = "JSON")]
    constraints: Option<String>,
    /// Why, for the record.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Only say what would come of it.
    #[arg(long)]
    dry_run: bool,
    /// Say it as one JSON document.
    #[arg(long)]
    json: bool,
}

/// What a rejection is about.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum About {
    /// It is no wish: what was said rests until the cool-down is over.
    Demand,
    /// This key is wrong for it: what was said is read anew.
    Key,
}

/// Which key is turned down.
#[derive(Clone, Debug, Args)]
pub struct RejectArguments {
    /// The patch, such as flight_booking.p1.
    #[arg(value_name = "PATCH")]
    id: String,
    #[command(flatten)]
    whom: Whom,
    /// What it is about.
    #[arg(long, value_enum, default_value = "demand")]
    scope: About,
    /// Why, for the record.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Say it as one JSON document.
    #[arg(long)]
    json: bool,
}

/// Lists what waits.
pub fn list(arguments: &ApprovalsArguments) -> ExitStatus {
    let listed = Service::open(&arguments.whom)
        .and_then(|service| service.listed(&format!("/v1/approvals?limit={PAGE}"), "approvals"));
    Output::new("approvals", arguments.json).report(listed.map(|listed| {
        told(listed, |listed| {
            let mut lines = vec![format!("{} waiting", text(&listed["waiting"]))];
            lines.extend(items(listed, "approvals").iter().flat_map(shown));
            lines
        })
    }))
}

/// Lets a key pass.
pub fn approve(arguments: &ApproveArguments) -> ExitStatus {
    let approved = Service::open(&arguments.whom).and_then(|service| {
        let mut said = json!({"reason": arguments.reason});
        if let Some(edit) = edit(arguments)? {
            said["edit"] = edit;
        }
        let dry_run = if arguments.dry_run { "?dry_run=true" } else { "" };
        hand(&service, &arguments.id, &format!("approve{dry_run}"), &said)
    });
    let report = approved.map(|answer| told(answer, |answer| approval(answer, arguments.dry_run)));
    Output::new("approve", arguments.json).report(report)
}

fn approval(answer: &Value, is_dry_run: bool) -> Vec<String> {
    let mut lines = shown(answer.get("patch").unwrap_or(answer));
    let lint = items(answer, "lint");
    lines.extend(
        lint.iter()
            .map(|found| format!("  lint   {}: {}", text(&found["rule"]), text(&found["message"]))),
    );
    let fits = &answer["fits"];
    if fits.is_object() {
        let (right, wishes) = (text(&fits["right"]), text(&fits["wishes"]));
        lines.push(format!("  fits   {right} of {wishes} that asked for it"));
    }
    let wrong = items(fits, "wrong");
    lines.extend(
        wrong
            .iter()
            .map(|wrong| format!("         not {}", text(&wrong["text"]))),
    );
    lines.extend(is_dry_run.then(|| "nothing was written".to_owned()));
    lines
}

/// Turns a key down.
pub fn reject(arguments: &RejectArguments) -> ExitStatus {
    let scope = match arguments.scope {
        About::Demand => "demand",
        About::Key => "key",
    };
    let said = json!({"scope": scope, "reason": arguments.reason});
    let rejected = Service::open(&arguments.whom).and_then(|service| hand(&service, &arguments.id, "reject", &said));
    Output::new("reject", arguments.json).report(rejected.map(|answer| told(answer, shown)))
}

/// Does something to a patch as it is now: one that changes meanwhile is left alone.
///
/// # Errors
/// Why it is not done.
pub fn hand(service: &Service, id: &str, deed: &str, said: &Value) -> Result<Value, Trouble> {
    let address = format!("/v1/patches/{}", segment(id));
    let seen = service.get(&address)?["revision"].as_u64();
    let (status, body) = service.call(&format!("{address}:{deed}"), Some(said.to_string()), seen)?;
    if status == 200 {
        return Ok(body);
    }
    let mut trouble = refused(status, &body);
    for defect in items(&body, "defects") {
        let said = format!("; {}: {}", text(&defect["pointer"]), text(&defect["message"]));
        trouble.why.push_str(&said);
    }
    Err(trouble)
}

/// What the words of the command line replace, if anything.
fn edit(arguments: &ApproveArguments) -> Result<Option<Value>, Trouble> {
    let mut members = Map::new();
    for (name, value) in [
        ("key_name", &arguments.key_name),
        ("semantic_description", &arguments.description),
        ("key_type", &arguments.key_type),
    ] {
        members.extend(value.as_ref().map(|value| (name.to_owned(), json!(value))));
    }
    if let Some(title) = &arguments.title {
        let title = Some(title).filter(|title| !title.is_empty());
        members.insert("title".to_owned(), json!(title));
    }
    if let Some(constraints) = &arguments.constraints {
        let constraints: Map<String, Value> = serde_json::from_str(constraints)
            .map_err(|error| usage(format!("--constraints must be a JSON object: {error}")))?;
        members.insert("constraints".to_owned(), Value::Object(constraints));
    }
    Ok((!members.is_empty()).then_some(Value::Object(members)))
}

/// A patch as a person sees it: one that waits with why, one that was decided with its stage.
pub fn shown(patch: &Value) -> Vec<String> {
    let stage = patch.get("why").or_else(|| patch.get("stage")).map(text);
    let mut lines = vec![format!("{}  ({})", text(&patch["patch_id"]), stage.unwrap_or_default())];
    for key in items(patch, "new_keys").iter().chain(&items(patch, "modified_keys")) {
        let key_type = key.get("key_type").map_or_else(|| "described anew".to_owned(), text);
        lines.push(format!("  key    {} ({key_type})", text(&key["key_name"])));
        let told = ["title", "semantic_description", "constraints"].map(|member| key.get(member));
        lines.extend(
            told.into_iter()
                .flatten()
                .map(|told| format!("         {}", text(told))),
        );
    }
    let said = items(&patch["evidence"], "examples");
    lines.extend(said.iter().map(|said| format!("  said   {}", text(said))));
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::shown;

    #[test]
    fn what_waits_is_shown_with_why_and_steers_no_terminal() {
        let waits = json!({"patch_id": "s.p1", "why": "its name says too little by itself",
            "new_keys": [{"key_name": "seat", "key_type": "string", "title": "Se\u{1b}[2Jat", "semantic_description": "A seat."}],
            "modified_keys": [], "evidence": {"examples": ["by the \u{202e}window"]}});
        let lines = shown(&waits).join("\n");
        assert!(
            lines.starts_with("s.p1  (its name says too little by itself)\n  key    seat (string)"),
            "{lines}"
        );
        assert!(
            lines.contains("Se [2Jat") && lines.contains("  said   by the  window"),
            "{lines}"
        );
        let decided = json!({"patch_id": "s.p1", "stage": "rejected", "new_keys": [],
            "modified_keys": [{"key_name": "seat", "semantic_description": "A seat."}]});
        assert_eq!(shown(&decided)[0], "s.p1  (rejected)");
        assert_eq!(shown(&decided)[1], "  key    seat (described anew)");
    }
}
