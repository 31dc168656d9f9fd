//! What a server that learns makes known: patch documents, updates, suggestions, stages (Z-105 … Z-154).
//!
//! Looks at every patch that the template, the updates and the answers to submissions hold. Where a server has none, there is
//! nothing to judge.

use serde_json::Value;

use crate::edge::cli::conformance::check::Check;
use crate::edge::cli::conformance::check::Finding;
use crate::edge::cli::conformance::check::Judged;
use crate::edge::cli::conformance::check::Level;
use crate::edge::cli::conformance::check::check;
use crate::edge::cli::conformance::check::fails;
use crate::edge::cli::conformance::check::holds;
use crate::edge::cli::conformance::check::none_wrong;
use crate::edge::cli::conformance::check::not_applicable;
use crate::edge::cli::conformance::exchange::taken;
use crate::edge::cli::conformance::probe::Probe;
use crate::edge::cli::conformance::scene::Exchange;
use crate::edge::cli::conformance::scene::Scene;
use crate::edge::cli::conformance::subject::Subject;
use crate::edge::cli::conformance::templates::is_snake_case;
use crate::edge::cli::conformance::templates::is_type;
use crate::edge::cli::conformance::templates::misfits;
use schema::time::At;

/// The draft's example of a limit (Z-155).
const EXPERIMENTAL_MAX: usize = 10;

/// Where patches are seen.
const PATCHES: &[Probe] = &[Probe::Negotiate, Probe::Updates, Probe::Stale];
const BASE: &[Probe] = &[Probe::Negotiate, Probe::Stored];
const UPDATES: &[Probe] = &[Probe::Updates];

/// The checks of this group, in the order in which they are told.
pub const CHECKS: &[Check] = &[
    check(
        "Z-116",
        &[],
        Level::Must,
        "every patch has a patch_id",
        PATCHES,
        |scene| {
            each_patch(scene, "without a patch_id", |patch| {
                patch["patch_id"].as_str().is_some_and(|id| !id.is_empty())
            })
        },
    ),
    check(
        "Z-117",
        &[],
        Level::Must,
        "every patch has a parent_schema_id",
        PATCHES,
        |scene| {
            each_patch(scene, "without a parent_schema_id", |patch| {
                patch["parent_schema_id"].as_str().is_some_and(|id| !id.is_empty())
            })
        },
    ),
    check(
        "Z-118",
        &[],
        Level::Must,
        "every patch has a timestamp that is a moment (RFC 3339)",
        PATCHES,
        |scene| {
            each_patch(scene, "without a timestamp", |patch| {
                moment(&patch["timestamp"]).is_some()
            })
        },
    ),
    check(
        "Z-119",
        &[],
        Level::Must,
        "every patch has an expiration_date that is a moment (RFC 3339)",
        PATCHES,
        |scene| {
            each_patch(scene, "without an expiration_date", |patch| {
                moment(&patch["expiration_date"]).is_some()
            })
        },
    ),
    check(
        "Z-128",
        &[],
        Level::May,
        "no patch expires before it was made",
        PATCHES,
        |scene| {
            each_patch(scene, "expired before it was made", |patch| {
                match (moment(&patch["timestamp"]), moment(&patch["expiration_date"])) {
                    (Some(from), Some(to)) => to > from,
                    (None, _) | (_, None) => true,
                }
            })
        },
    ),
    check(
        "Z-115",
        &[],
        Level::Should,
        "no patch is empty: it has new_keys or modified_keys",
        PATCHES,
        |scene| {
            whole_patches(scene, "empty", |patch| {
                list(patch, "new_keys").next().is_some() || list(patch, "modified_keys").next().is_some()
            })
        },
    ),
    check(
        "Z-054-patch",
        &["Z-111"],
        Level::Must,
        "every new key of a patch is a whole key definition",
        PATCHES,
        |scene| {
            whole_patches(scene, "with a new key that is none", |patch| {
                list(patch, "new_keys").all(is_definition)
            })
        },
    ),
    check(
        "Z-125",
        &["Z-080"],
        Level::Should,
        "no patch adds a required key",
        PATCHES,
        |scene| {
            whole_patches(scene, "with a required key", |patch| {
                list(patch, "new_keys").all(|key| key["required"] != true)
            })
        },
    ),
    check(
        "Z-108",
        &["Z-106"],
        Level::Should,
        "a patch changes nothing but the wording of a key that was there before",
        PATCHES,
        |scene| {
            whole_patches(scene, "changing more than wording", |patch| {
                list(patch, "modified_keys").all(|key| {
                    key["key_name"].is_string()
                        && ["key_type", "required", "default_value"]
                            .iter()
                            .all(|member| key.get(member).is_none())
                })
            })
        },
    ),
    check(
        "Z-142",
        &[],
        Level::Must,
        "a key on trial is advertised with experimental: true in its patch",
        PATCHES,
        |scene| of_stage(scene, "experimental", |key| key["experimental"] == true),
    ),
    check(
        "Z-145",
        &["Z-129"],
        Level::Should,
        "a key that was promoted is not experimental any more",
        PATCHES,
        |scene| of_stage(scene, "stable", |key| key["experimental"] != true),
    ),
    check(
        "Z-147",
        &[],
        Level::Should,
        "a key that is on its way out is marked deprecated: true",
        PATCHES,
        |scene| of_stage(scene, "deprecated", |key| key["deprecated"] == true),
    ),
    check(
        "Z-113",
        &["Z-035"],
        Level::Must,
        "no patch adds a key that the schema or another patch has",
        &[Probe::Negotiate, Probe::Stored, Probe::Updates],
        adds_nothing_twice,
    ),
    check(
        "Z-106",
        &["Z-105"],
        Level::Must,
        "patches take no key of the published schema away",
        BASE,
        |scene| {
            let (base, effective) = base(scene)?;
            let gone: Vec<String> = names(&base)
                .filter(|name| effective.key(name).is_none())
                .map(str::to_owned)
                .collect();
            none_wrong(&gone, "gone")
        },
    ),
    check(
        "Z-107",
        &["Z-105"],
        Level::Must,
        "patches change the type of no key of the published schema",
        BASE,
        |scene| changed(scene, &["key_type"]),
    ),
    check(
        "Z-108-base",
        &["Z-105"],
        Level::Should,
        "patches change neither required nor default_value of a key of the published schema",
        BASE,
        |scene| changed(scene, &["required", "default_value"]),
    ),
    check(
        "Z-155",
        &["Z-154"],
        Level::May,
        "no more keys are on trial at once than the draft's example of a limit (10)",
        &[Probe::Negotiate],
        |scene| {
            let keys = scene.subject()?.keys();
            let trial = keys.iter().filter(|key| key["experimental"] == true).count();
            if trial == 0 {
                return not_applicable("no key is on trial");
            }
            holds(trial <= EXPERIMENTAL_MAX, format!("{trial} keys are on trial"))
        },
    ),
    check(
        "Z-121",
        &["Z-008", "Z-025"],
        Level::May,
        "updates come as a revision and a list of patches",
        UPDATES,
        |scene| {
            let answered = scene.answer(Probe::Updates)?;
            if matches!(answered.status, 404 | 405 | 501) {
                return not_applicable("there are no updates to poll");
            }
            let well = answered.is_success()
                && answered.body["patches"].is_array()
                && (answered.body["revision"].is_u64() || answered.body["revision"].is_string());
            holds(
                well,
                format!("answered {} without revision or patches", answered.told()),
            )
        },
    ),
    check(
        "Z-120",
        &["Z-021", "Z-177", "Z-178"],
        Level::May,
        "a schema_update_suggestion holds new_keys or modified_keys, each a list of keys",
        &[Probe::Stale],
        suggestion_is_one,
    ),
    check(
        "Z-131",
        &[],
        Level::May,
        "a schema_update_suggestion says which patches its keys come from",
        &[Probe::Stale],
        |scene| {
            let suggestion = suggestion(scene)?;
            let keys = list(suggestion, "new_keys").chain(list(suggestion, "modified_keys"));
            if keys.count() == 0 {
                return not_applicable("the suggestion holds no key");
            }
            holds(
                suggestion["patches"]
                    .as_array()
                    .is_some_and(|patches| !patches.is_empty()),
                "it names no patches",
            )
        },
    ),
    check(
        "Z-150",
        &["Z-149"],
        Level::Should,
        "a key that was withdrawn is not advertised",
        &[Probe::Negotiate, Probe::Updates],
        |scene| {
            let withdrawn = withdrawn(scene)?;
            let subject = scene.subject()?;
            let shown: Vec<String> = withdrawn
                .into_iter()
                .filter(|name| subject.key(name).is_some())
                .map(str::to_owned)
                .collect();
            none_wrong(&shown, "advertised")
        },
    ),
    check(
        "Z-151",
        &[],
        Level::Must,
        "a key that was withdrawn does not make a payload fail",
        &[Probe::Updates, Probe::Withdrawn],
        |scene| {
            withdrawn(scene)?;
            taken(scene, Probe::Withdrawn)
        },
    ),
];

fn moment(value: &Value) -> Option<At> {
    let text = value.as_str()?;
    // A date alone is a moment too, for an expiration date.
    At::parse(text).or_else(|| At::parse(&format!("{text}T00:00:00Z")))
}

/// The objects of a list.
fn list<'a>(document: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    document[member].as_array().into_iter().flatten()
}

/// A key definition as a client needs it.
fn is_definition(key: &Value) -> bool {
    key["key_name"].as_str().is_some_and(is_snake_case)
        && key["key_type"].as_str().is_some_and(is_type)
        && key["semantic_description"]
            .as_str()
            .is_some_and(|text| !text.trim().is_empty())
        && key["required"].is_boolean()
}

/// The suggestion beside an accepted answer.
fn suggestion(scene: &Scene) -> Result<&Value, Finding> {
    let suggestion = successful(scene.submission(Probe::Stale)?)?.get("schema_update_suggestion");
    suggestion.ok_or_else(|| Finding::NotApplicable("no answer held a suggestion".to_owned()))
}

/// What the updates say.
fn updates(scene: &Scene) -> Result<&Value, Finding> {
    let answered = scene.answer(Probe::Updates)?;
    if matches!(answered.status, 404 | 405 | 501) {
        return Err(Finding::NotApplicable("there are no updates to poll".to_owned()));
    }
    successful(answered)
}

/// What stands in any other answer is no evidence, whatever it looks like.
fn successful(answered: &Exchange) -> Result<&Value, Finding> {
    if answered.is_success() {
        return Ok(&answered.body);
    }
    Err(Finding::NotTried(format!("answered {}", answered.told())))
}

/// Patches that come with their keys: of the updates, and of a suggestion.
///
/// # Errors
/// Where there are none, and the updates could not be asked for.
fn patches_with_keys(scene: &Scene) -> Result<Vec<&Value>, Finding> {
    let told = updates(scene);
    let suggested = suggestion(scene).ok();
    let documents = told.iter().copied().chain(suggested);
    let patches: Vec<&Value> = documents.flat_map(|document| list(document, "patches")).collect();
    match told {
        Err(untried @ Finding::NotTried(_)) if patches.is_empty() => Err(untried),
        Ok(_) | Err(_) => Ok(patches),
    }
}

/// A rule of each patch, wherever it is seen.
fn each_patch(scene: &Scene, wrong: &str, rule: fn(&Value) -> bool) -> Judged {
    let mut patches = patches_with_keys(scene)?;
    let subject = scene.subject()?;
    let told = subject.template.get("patches").and_then(Value::as_array);
    patches.extend(told.into_iter().flatten());
    judged(&patches, wrong, rule)
}

/// A rule of each patch that comes with its keys.
fn whole_patches(scene: &Scene, wrong: &str, rule: fn(&Value) -> bool) -> Judged {
    judged(&patches_with_keys(scene)?, wrong, rule)
}

fn judged(patches: &[&Value], wrong: &str, rule: fn(&Value) -> bool) -> Judged {
    if patches.is_empty() {
        return not_applicable("no patch is in force there");
    }
    let named = |(place, patch): (usize, &&Value)| match patch["patch_id"].as_str() {
        Some(id) => id.to_owned(),
        None => format!("patch {place}"),
    };
    let mut wrong_ones: Vec<String> = patches
        .iter()
        .enumerate()
        .filter(|(_, patch)| !rule(patch))
        .map(named)
        .collect();
    wrong_ones.dedup();
    none_wrong(&wrong_ones, wrong)
}

/// A rule of each key that a patch of this stage adds: as the patch has it, and as the template has it.
fn of_stage(scene: &Scene, stage: &str, rule: fn(&Value) -> bool) -> Judged {
    let patches: Vec<&Value> = patches_with_keys(scene)?
        .into_iter()
        .filter(|patch| patch["stage"] == stage)
        .collect();
    let subject = scene.subject()?;
    let mut keys: Vec<&Value> = patches.iter().flat_map(|patch| list(patch, "new_keys")).collect();
    if keys.is_empty() {
        return not_applicable(format!("no patch of the stage {stage} adds a key"));
    }
    let served: Vec<&Value> = keys
        .iter()
        .filter_map(|key| subject.key(key["key_name"].as_str()?))
        .filter(|key| key.get("patch_id").is_some())
        .collect();
    keys.extend(served);
    none_wrong(&misfits(&keys, rule), "wrongly marked")
}

/// The published schema and the template that is made of it.
fn base(scene: &Scene) -> Result<(Subject<'_>, Subject<'_>), Finding> {
    let effective = scene.subject()?;
    let answered = scene.answer(Probe::Stored)?;
    let base = Subject::of(&answered.body).filter(|base| {
        answered.is_success()
            && base.text("schema_id").is_some()
            && base.text("schema_id") == effective.text("schema_id")
    });
    let base = base.ok_or_else(|| {
        Finding::NotApplicable(format!(
            "the published schema cannot be read: answered {}",
            answered.told()
        ))
    })?;
    Ok((base, effective))
}

fn names<'a>(subject: &Subject<'a>) -> impl Iterator<Item = &'a str> {
    subject.keys().into_iter().filter_map(|key| key["key_name"].as_str())
}

/// Keys of the published schema that differ from the template in one of these members.
fn changed(scene: &Scene, members: &[&str]) -> Judged {
    let (base, effective) = base(scene)?;
    let differs = |name: &&str| {
        let (Some(own), Some(served)) = (base.key(name), effective.key(name)) else {
            return false;
        };
        members.iter().any(|member| own[member] != served[member])
    };
    let changed: Vec<String> = names(&base).filter(differs).map(str::to_owned).collect();
    none_wrong(&changed, &format!("with another {}", members.join(" or ")))
}

fn adds_nothing_twice(scene: &Scene) -> Judged {
    let patches: Vec<&Value> = list(updates(scene)?, "patches").collect();
    if patches.is_empty() {
        return not_applicable("no patch is in force there");
    }
    let mut seen: Vec<&str> = base(scene).map(|(base, _)| names(&base).collect()).unwrap_or_default();
    let mut twice: Vec<String> = Vec::new();
    for key in patches.into_iter().flat_map(|patch| list(patch, "new_keys")) {
        let name = key["key_name"].as_str().unwrap_or_default();
        if seen.contains(&name) {
            twice.push(name.to_owned());
        }
        seen.push(name);
    }
    none_wrong(&twice, "added twice")
}

fn suggestion_is_one(scene: &Scene) -> Judged {
    let suggestion = suggestion(scene)?;
    let lists = ["new_keys", "modified_keys"].map(|member| suggestion.get(member));
    if lists.iter().all(Option::is_none) {
        return fails("it has neither new_keys nor modified_keys");
    }
    if lists.iter().flatten().any(|list| !list.is_array()) {
        return fails("new_keys or modified_keys is no array");
    }
    let broken = list(suggestion, "new_keys").any(|key| !is_definition(key));
    let unnamed = list(suggestion, "modified_keys")
        .any(|key| !key["key_name"].is_string() || !key["semantic_description"].is_string());
    holds(!broken && !unnamed, "a key in it is no key definition")
}

fn withdrawn(scene: &Scene) -> Result<Vec<&str>, Finding> {
    let names: Vec<&str> = list(updates(scene)?, "withdrawn_keys")
        .filter_map(Value::as_str)
        .collect();
    if names.is_empty() {
        return Err(Finding::NotApplicable("no key was withdrawn there".to_owned()));
    }
    Ok(names)
}
