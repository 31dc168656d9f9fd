//! `otherwise patches`, `evidence`, `approvals`, `approve`, `reject`, `promote`, `dismiss` and `review`: what a running service learned,
//! what waits for a person there, and what a person says of it (Z-096, Z-127, Z-137, Z-165).
//!
//! Invariant: nothing is decided about a patch that has changed since it was looked at here.

use std::path::PathBuf;

use clap::Args;
use otherwise_client::address::query;
use otherwise_client::address::segment;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::app::queues::Order;
use crate::cli::ExitStatus;
use crate::cli::document;
use crate::cli::output::Trouble;
use crate::cli::output::usage;
use crate::cli::remote::OfScenario;
use crate::cli::remote::Service;
use crate::cli::remote::Whom;
use crate::cli::remote::items;
use crate::cli::remote::line;
use crate::cli::remote::line_if;
use crate::cli::remote::lines;
use crate::cli::remote::refused;
use crate::cli::remote::text;

/// Approvals of one page.
const PAGE: usize = 200;

/// Whose list, and of what.
#[derive(Clone, Debug, Args)]
pub struct ApprovalsArguments {
    /// Of this scenario alone.
    #[arg(long, value_name = "SCENARIO")]
    scenario: Option<String>,
    /// Longest waiting first, newest first, or what was asked for by the most clients or most often.
    #[arg(long, value_parser = Order::NAMES.to_vec(), default_value = Order::default().name())]
    sort: String,
    #[command(flatten)]
    whom: Whom,
}

/// Which patch.
#[derive(Clone, Debug, Args)]
pub struct OfPatch {
    /// The patch, such as flight_booking.p1.
    #[arg(value_name = "PATCH")]
    id: String,
    #[command(flatten)]
    whom: Whom,
}

/// What is decided about a patch.
#[derive(Clone, Debug, Args)]
pub struct Decision {
    #[command(flatten)]
    of: OfPatch,
    /// Why, for the record.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Which key is let pass, and as what.
#[derive(Clone, Debug, Args)]
pub struct ApproveArguments {
    #[command(flatten)]
    decision: Decision,
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
    /// Give it this default, a JSON value such as "none" in quotes; null takes it away.
    #[arg(long, value_name = "JSON")]
    default: Option<String>,
    /// Only say what would come of it.
    #[arg(long)]
    dry_run: bool,
}

/// Which key is turned down.
#[derive(Clone, Debug, Args)]
pub struct RejectArguments {
    #[command(flatten)]
    decision: Decision,
    /// What it is about: `demand`, it is no wish and what was said rests until the cool-down is over; `key`, this key is wrong for
    /// it and what was said is read anew.
    #[arg(long, value_parser = ["demand", "key"], default_value = "demand")]
    scope: String,
}

/// Which cluster is no wish.
#[derive(Clone, Debug, Args)]
pub struct DismissArguments {
    #[command(flatten)]
    of: OfScenario,
    /// The cluster's number in the scenario's pool.
    cluster: u64,
    /// Days for which nothing is proposed of it.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(i64).range(1..=365))]
    days: i64,
    /// Why, for the record.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Whose pool, and what is said of it.
#[derive(Clone, Debug, Args)]
pub struct ReviewArguments {
    #[command(flatten)]
    of: OfScenario,
    /// A file with the answer, by the schema that came with the material; without it the material is written, with what to do.
    #[arg(long, value_name = "A.json")]
    answer: Option<PathBuf>,
}

/// Lists a scenario's patches.
pub fn list(arguments: &OfScenario) -> ExitStatus {
    let path = format!("/v1/scenarios/{}/patches", segment(&arguments.scenario));
    arguments.whom.tell(
        "patches",
        |service| service.get(&path),
        |listed| match items(listed, "patches").as_slice() {
            [] => vec!["nothing was learned yet".to_owned()],
            patches => patches.iter().flat_map(shown).collect(),
        },
    )
}

/// Says what a patch rests on.
pub fn evidence(arguments: &OfPatch) -> ExitStatus {
    let path = format!("/v1/patches/{}/evidence", segment(&arguments.id));
    arguments.whom.tell("evidence", |service| service.get(&path), grounds)
}

/// Lists what waits.
pub fn approvals(arguments: &ApprovalsArguments) -> ExitStatus {
    let limit = PAGE.to_string();
    let asked = [
        ("limit", Some(limit.as_str())),
        ("sort", Some(arguments.sort.as_str())),
        ("scenario", arguments.scenario.as_deref()),
    ];
    let path = format!("/v1/approvals{}", query(asked));
    arguments.whom.tell(
        "approvals",
        |service| service.listed(&path, "approvals"),
        |listed| {
            let mut told = vec![line("{waiting} waiting", listed)];
            told.extend(items(listed, "approvals").iter().flat_map(shown));
            told
        },
    )
}

/// Lets a key pass.
pub fn approve(arguments: &ApproveArguments) -> ExitStatus {
    let dry_run = query([("dry_run", arguments.dry_run.then_some("true"))]);
    let ask = |service: &Service| {
        let edit = Some(edit(arguments)?).filter(|edit| !edit.is_empty());
        let said = edit.map_or_else(|| json!({}), |edit| json!({ "edit": edit }));
        decide(service, &arguments.decision, &format!("approve{dry_run}"), said)
    };
    arguments.decision.of.whom.tell("approve", ask, |answer| {
        let mut told = shown(answer.get("patch").unwrap_or(answer));
        told.extend(lines("  lint   {rule}: {message}", answer, "lint"));
        told.extend(line_if(
            "  fits   {/fits/right} of {/fits/wishes} that asked for it",
            answer,
            "fits",
        ));
        told.extend(lines("         not {text}", &answer["fits"], "wrong"));
        told.extend(arguments.dry_run.then(|| "nothing was written".to_owned()));
        told
    })
}

/// Turns a key down.
pub fn reject(arguments: &RejectArguments) -> ExitStatus {
    let RejectArguments { decision, scope } = arguments;
    let ask = |service: &Service| decide(service, decision, "reject", json!({ "scope": scope }));
    decision.of.whom.tell("reject", ask, shown)
}

/// Keeps a key whose trial has not ended.
pub fn promote(decision: &Decision) -> ExitStatus {
    let ask = |service: &Service| decide(service, decision, "promote", json!({}));
    decision.of.whom.tell("promote", ask, shown)
}

/// Notes that a cluster is no wish.
pub fn dismiss(arguments: &DismissArguments) -> ExitStatus {
    let DismissArguments {
        of,
        cluster,
        days,
        reason,
    } = arguments;
    let path = format!("/v1/scenarios/{}/pool/{cluster}:dismiss", segment(&of.scenario));
    let ask = |service: &Service| service.post(&path, &json!({"days": days, "reason": reason}));
    of.whom.tell("dismiss", ask, |cluster| {
        vec![line("cluster {id} is dismissed until {/dismissed/until}", cluster)]
    })
}

/// Writes what a reader is given of a pool, or hands a reader's answer in.
pub fn review(arguments: &ReviewArguments) -> ExitStatus {
    let scenario = format!("/v1/scenarios/{}", segment(&arguments.of.scenario));
    let Some(file) = &arguments.answer else {
        let ask = |service: &Service| service.get(&format!("{scenario}/pool:review"));
        // What strangers said goes to a file or a pipe as JSON, where no character of it steers a terminal.
        return arguments
            .of
            .whom
            .tell("review", ask, |material| vec![format!("{material:#}")]);
    };
    let ask = |service: &Service| service.post(&format!("{scenario}/proposals"), &document::json(file)?.1);
    arguments.of.whom.tell("review", ask, |taken| {
        let mut told = vec![line("{wishes} wishes read", taken)];
        told.extend(lines("  refused {at}: {why}", taken, "refused"));
        told
    })
}

/// Does something to a patch as it is now: one that changes meanwhile is left alone.
fn decide(service: &Service, decision: &Decision, deed: &str, mut said: Value) -> Result<Value, Trouble> {
    let address = format!("/v1/patches/{}", segment(&decision.of.id));
    let seen = service.get(&address)?["revision"].as_u64();
    said["reason"] = json!(decision.reason);
    let (status, body) = service.call(&format!("{address}:{deed}"), said.to_string(), seen)?;
    if status == 200 {
        return Ok(body);
    }
    let mut trouble = refused(status, &body);
    trouble
        .why
        .push_str(&lines("; {pointer}: {message}", &body, "defects").concat());
    Err(trouble)
}

/// What the words of the command line replace.
fn edit(arguments: &ApproveArguments) -> Result<Map<String, Value>, Trouble> {
    let text = |text: &Option<String>| text.as_ref().map(|text| json!(text));
    let title = arguments
        .title
        .as_ref()
        .map(|title| json!(Some(title).filter(|title| !title.is_empty())));
    let constraints = arguments
        .constraints
        .as_deref()
        .map(serde_json::from_str::<Map<String, Value>>);
    let constraints = constraints.transpose();
    let constraints = constraints.map_err(|error| usage(format!("--constraints must be a JSON object: {error}")))?;
    let default = arguments
        .default
        .as_deref()
        .map(serde_json::from_str::<Value>)
        .transpose();
    let default = default.map_err(|error| usage(format!("--default must be a JSON value: {error}")))?;
    let members = [
        ("default_value", default),
        ("key_name", text(&arguments.key_name)),
        ("semantic_description", text(&arguments.description)),
        ("key_type", text(&arguments.key_type)),
        ("title", title),
        ("constraints", constraints.map(Value::Object)),
    ];
    let replaced = members
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Ok(replaced.collect())
}

/// A patch as a person sees it: one that waits with why, one that was decided with its stage.
fn shown(patch: &Value) -> Vec<String> {
    let waits = patch.get("why").is_some();
    let mut told = vec![line(
        if waits {
            "{patch_id}  ({why})"
        } else {
            "{patch_id}  ({stage})"
        },
        patch,
    )];
    for key in items(patch, "new_keys").iter().chain(&items(patch, "modified_keys")) {
        let own = line_if("  key    {key_name} ({key_type})", key, "key_type");
        told.push(own.unwrap_or_else(|| line("  key    {key_name} (described anew)", key)));
        told.extend(line_if("         {title}", key, "title"));
        told.extend(line_if("         {semantic_description}", key, "semantic_description"));
        told.extend(line_if("         {constraints}", key, "constraints"));
    }
    let said = items(&patch["evidence"], "examples");
    told.extend(said.iter().map(|said| format!("  said   {}", text(said))));
    told
}

/// Evidence in lines: why there is such a key, what was said, how it is used, and what became of it.
fn grounds(evidence: &Value) -> Vec<String> {
    let mut told = vec![line("{patch_id}  {key_name} ({stage})", evidence)];
    for (label, member) in [("why", "explanation"), ("said", "examples")] {
        let said = items(evidence, member);
        told.extend(said.iter().map(|said| format!("  {label:<6} {}", text(said))));
    }
    let figures = [
        ("usage_frequency", "used"),
        ("semantic_alignment_accuracy", "aligned"),
        ("value_type_correctness", "of the right type"),
        ("client_adoption_rate", "adopted"),
    ];
    let figures = figures.map(|(name, word)| {
        let share = evidence["ledger"][name].as_f64();
        let share = share.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", share * 100.0));
        format!("{word} {share}")
    });
    let payloads = line("{/ledger/payloads} payloads", evidence);
    told.push(format!("  trial  {}, of {payloads}", figures.join(", ")));
    told.extend(lines("  {at}  {to}: {reason}", evidence, "history"));
    told
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::grounds;
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

    #[test]
    fn evidence_says_why_and_how_it_is_used_and_steers_no_terminal() {
        let evidence = json!({"patch_id": "tram.p1", "key_name": "pram", "stage": "experimental", "explanation": ["Five asked."],
            "examples": ["a pr\u{1b}am"], "ledger": {"payloads": 12, "usage_frequency": 0.25, "client_adoption_rate": null},
            "history": [{"at": "2026-05-01T09:00:00Z", "to": "experimental", "reason": "gate"}]});
        assert_eq!(
            grounds(&evidence),
            [
                "tram.p1  pram (experimental)",
                "  why    Five asked.",
                "  said   a pr am",
                "  trial  used 25 %, aligned -, of the right type -, adopted -, of 12 payloads",
                "  2026-05-01T09:00:00Z  experimental: gate",
            ]
        );
    }
}
