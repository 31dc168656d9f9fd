//! What a server that learns makes known: patch documents, updates, suggestions, stages (Z-105 … Z-154).
//!
//! Looks at every patch that the template, the updates and the answers to submissions hold. Where a server has none, there is
//! nothing to judge.

use serde_json::Value;

use crate::checks::submissions::taken;
use crate::checks::templates::has_words;
use crate::checks::templates::is_snake_case;
use crate::checks::templates::is_type;
use crate::checks::templates::misfits;
use crate::probe::Probe;
use crate::rules;
use crate::template::Template;
use crate::template::items;
use crate::transcript::Exchange;
use crate::transcript::Transcript;
use crate::verdict::Finding;
use crate::verdict::Verdict;
use crate::verdict::fails;
use crate::verdict::holds;
use crate::verdict::none_wrong;
use crate::verdict::not_applicable;
use crate::verdict::not_tried;
use schema::time::At;

/// The draft's example of a limit (Z-155).
const EXPERIMENTAL_MAX: usize = 10;

rules! {
    "Z-116" (Negotiate Updates Stale) |t, _| each_patch(t, "without a patch_id", |patch| has_words(&patch["patch_id"]));
    "Z-117" (Negotiate Updates Stale) |t, _| each_patch(t, "without a parent_schema_id", |patch| has_words(&patch["parent_schema_id"]));
    "Z-118" (Negotiate Updates Stale) |t, _| each_patch(t, "without a timestamp", |patch| datetime(&patch["timestamp"]).is_some());
    "Z-119" (Negotiate Updates Stale) |t, _| {
        each_patch(t, "without an expiration_date", |patch| datetime(&patch["expiration_date"]).is_some())
    };
    "Z-128" (Negotiate Updates Stale) |t, _| each_patch(t, "expired before it was made", |patch| {
        match (datetime(&patch["timestamp"]), datetime(&patch["expiration_date"])) {
            (Some(from), Some(to)) => to > from,
            (None, _) | (_, None) => true,
        }
    });
    "Z-115" (Negotiate Updates Stale) |t, _| whole_patches(t, "empty", |patch| {
        items(patch, "new_keys").chain(items(patch, "modified_keys")).next().is_some()
    });
    "Z-054-patch" (Negotiate Updates Stale) |t, _| {
        whole_patches(t, "with a new key that is none", |patch| items(patch, "new_keys").all(is_definition))
    };
    "Z-125" (Negotiate Updates Stale) |t, _| {
        whole_patches(t, "with a required key", |patch| items(patch, "new_keys").all(|key| key["required"] != true))
    };
    "Z-108" (Negotiate Updates Stale) |t, _| whole_patches(t, "changing more than wording", |patch| {
        let agreed = ["key_type", "required", "default_value"];
        let worded = |key: &Value| key["key_name"].is_string() && agreed.iter().all(|member| key.get(member).is_none());
        items(patch, "modified_keys").all(worded)
    });
    "Z-142" (Negotiate Updates Stale) |t, _| of_stage(t, "experimental", |key| key["experimental"] == true);
    "Z-145" (Negotiate Updates Stale) |t, _| of_stage(t, "stable", |key| key["experimental"] != true);
    "Z-147" (Negotiate Updates Stale) |t, _| of_stage(t, "deprecated", |key| key["deprecated"] == true);
    "Z-113" (Negotiate Stored Updates) adds_nothing_twice;
    "Z-106" (Negotiate Stored) |t, _| {
        let (base, effective) = base(t)?;
        none_wrong(base.names().filter(|name| effective.key(name).is_none()), "gone")
    };
    "Z-107" (Negotiate Stored) |t, _| changed(t, &["key_type"]);
    "Z-108-base" (Negotiate Stored) |t, _| changed(t, &["required", "default_value"]);
    "Z-155" (Negotiate) |t, _| {
        let keys = t.template()?.keys();
        match keys.iter().filter(|key| key["experimental"] == true).count() {
            0 => not_applicable("no key is on trial"),
            trial => holds(trial <= EXPERIMENTAL_MAX, format!("{trial} keys are on trial")),
        }
    };
    "Z-121" (Updates) |t, probe| {
        let answered = t.answer(probe)?;
        if answered.is_absent() {
            return not_applicable("there are no updates to poll");
        }
        let revision = &answered.body["revision"];
        holds(
            answered.is_success() && answered.body["patches"].is_array() && (revision.is_u64() || revision.is_string()),
            format!("answered {} without revision or patches", answered.summary()),
        )
    };
    "Z-120" (Stale) suggestion_is_one;
    "Z-131" (Stale) |t, _| {
        let suggestion = suggestion(t)?;
        if items(suggestion, "new_keys").chain(items(suggestion, "modified_keys")).next().is_none() {
            return not_applicable("the suggestion holds no key");
        }
        holds(items(suggestion, "patches").next().is_some(), "it names no patches")
    };
    "Z-150" (Negotiate Updates) |t, _| {
        let (withdrawn, template) = (withdrawn(t)?, t.template()?);
        none_wrong(withdrawn.into_iter().filter(|name| template.key(name).is_some()), "advertised")
    };
    "Z-151" (Updates Withdrawn) |t, probe| {
        withdrawn(t)?;
        taken(t, probe)
    };
}

fn datetime(value: &Value) -> Option<At> {
    let text = value.as_str()?;
    // A date alone is a moment too, for an expiration date.
    At::parse(text).or_else(|| At::parse(&format!("{text}T00:00:00Z")))
}

/// A key definition as a client needs it.
fn is_definition(key: &Value) -> bool {
    key["key_name"].as_str().is_some_and(is_snake_case)
        && key["key_type"].as_str().is_some_and(is_type)
        && has_words(&key["semantic_description"])
        && key["required"].is_boolean()
}

/// What stands in any other answer than success is no evidence, whatever it looks like.
fn successful(answered: &Exchange) -> Result<&Value, Finding> {
    if answered.is_success() {
        return Ok(&answered.body);
    }
    not_tried(format!("answered {}", answered.summary()))
}

/// The suggestion beside an accepted answer.
fn suggestion(transcript: &Transcript) -> Result<&Value, Finding> {
    let suggestion = successful(transcript.answer(Probe::Stale)?)?.get("schema_update_suggestion");
    suggestion.map_or_else(|| not_applicable("no answer held a suggestion"), Ok)
}

/// What the updates say.
fn updates(transcript: &Transcript) -> Result<&Value, Finding> {
    let answered = transcript.answer(Probe::Updates)?;
    if answered.is_absent() {
        return not_applicable("there are no updates to poll");
    }
    successful(answered)
}

/// Patches that come with their keys: of the updates, and of a suggestion.
///
/// # Errors
/// Where there are none, and the updates could not be asked for.
fn patches_with_keys(transcript: &Transcript) -> Result<Vec<&Value>, Finding> {
    let updates = updates(transcript);
    let documents = updates.iter().copied().chain(suggestion(transcript).ok());
    let patches: Vec<&Value> = documents.flat_map(|document| items(document, "patches")).collect();
    match updates {
        Err(untried @ Finding::NotTried(_)) if patches.is_empty() => Err(untried),
        Ok(_) | Err(_) => Ok(patches),
    }
}

/// A rule of each patch, wherever it is seen.
fn each_patch(transcript: &Transcript, wrong: &str, rule: fn(&Value) -> bool) -> Verdict {
    let mut patches = patches_with_keys(transcript)?;
    patches.extend(transcript.template()?.patches());
    judged(&patches, wrong, rule)
}

/// A rule of each patch that comes with its keys.
fn whole_patches(transcript: &Transcript, wrong: &str, rule: fn(&Value) -> bool) -> Verdict {
    judged(&patches_with_keys(transcript)?, wrong, rule)
}

fn judged(patches: &[&Value], wrong: &str, rule: fn(&Value) -> bool) -> Verdict {
    if patches.is_empty() {
        return not_applicable("no patch is in force there");
    }
    let mut misfits = misfits(patches, "patch_id", rule);
    misfits.dedup();
    none_wrong(misfits.iter().map(String::as_str), wrong)
}

/// A rule of each key that a patch of this stage adds: as the patch has it, and as the template has it.
fn of_stage(transcript: &Transcript, stage: &str, rule: fn(&Value) -> bool) -> Verdict {
    let patches = patches_with_keys(transcript)?.into_iter();
    let of_stage = patches.filter(|patch| patch["stage"] == stage);
    let mut keys: Vec<&Value> = of_stage.flat_map(|patch| items(patch, "new_keys")).collect();
    let template = transcript.template()?;
    if keys.is_empty() {
        return not_applicable(format!("no patch of the stage {stage} adds a key"));
    }
    let served = keys.iter().filter_map(|key| template.key(key["key_name"].as_str()?));
    let served: Vec<&Value> = served.filter(|key| key.get("patch_id").is_some()).collect();
    keys.extend(served);
    none_wrong(
        misfits(&keys, "key_name", rule).iter().map(String::as_str),
        "wrongly marked",
    )
}

/// The published schema and the template that is made of it.
fn base(transcript: &Transcript) -> Result<(Template<'_>, Template<'_>), Finding> {
    let effective = transcript.template()?;
    let answered = transcript.answer(Probe::Stored)?;
    let id = effective.text("schema_id");
    match answered.template() {
        Some(base) if id.is_some() && base.text("schema_id") == id => Ok((base, effective)),
        Some(_) | None => not_applicable(format!(
            "the published schema cannot be read: answered {}",
            answered.summary()
        )),
    }
}

/// Keys of the published schema that differ from the template in one of these members.
fn changed(transcript: &Transcript, members: &[&str]) -> Verdict {
    let (base, effective) = base(transcript)?;
    let differs = |name: &&str| match (base.key(name), effective.key(name)) {
        (Some(own), Some(served)) => members.iter().any(|member| own[member] != served[member]),
        (None, _) | (_, None) => false,
    };
    none_wrong(
        base.names().filter(differs),
        &format!("with another {}", members.join(" or ")),
    )
}

fn adds_nothing_twice(transcript: &Transcript, _: Probe) -> Verdict {
    let patches: Vec<&Value> = items(updates(transcript)?, "patches").collect();
    if patches.is_empty() {
        return not_applicable("no patch is in force there");
    }
    let mut seen: Vec<&str> = base(transcript).map_or_else(|_| Vec::new(), |(base, _)| base.names().collect());
    let mut twice: Vec<&str> = Vec::new();
    for key in patches.into_iter().flat_map(|patch| items(patch, "new_keys")) {
        let name = key["key_name"].as_str().unwrap_or_default();
        if seen.contains(&name) {
            twice.push(name);
        }
        seen.push(name);
    }
    none_wrong(twice, "added twice")
}

fn suggestion_is_one(transcript: &Transcript, _: Probe) -> Verdict {
    let suggestion = suggestion(transcript)?;
    let lists = ["new_keys", "modified_keys"].map(|member| suggestion.get(member));
    if lists.iter().all(Option::is_none) {
        return fails("it has neither new_keys nor modified_keys");
    }
    if lists.iter().flatten().any(|list| !list.is_array()) {
        return fails("new_keys or modified_keys is no array");
    }
    let broken = items(suggestion, "new_keys").any(|key| !is_definition(key));
    let unnamed = items(suggestion, "modified_keys")
        .any(|key| !key["key_name"].is_string() || !key["semantic_description"].is_string());
    holds(!broken && !unnamed, "a key in it is no key definition")
}

fn withdrawn(transcript: &Transcript) -> Result<Vec<&str>, Finding> {
    let names = items(updates(transcript)?, "withdrawn_keys").filter_map(Value::as_str);
    let names: Vec<&str> = names.collect();
    if names.is_empty() {
        return not_applicable("no key was withdrawn there");
    }
    Ok(names)
}
