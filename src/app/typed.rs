//! Typed parts beside what is hosted: which template a part's type and version name, and whether its data fit it (P-038).
//!
//! The same templates and the same check as for submissions; nothing is recorded here. Invariant: what a part holds of secrets is
//! out of it before anybody keeps it.

use std::sync::Arc;

use crate::api::conversations::PartOutcome;
use crate::api::conversations::PartStatus;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::registry::ScenarioRegistry;
use context::a2a_task::message::Content;
use context::a2a_task::message::Part;
use context::a2a_task::typed_part;
use context::a2a_task::typed_part::Fit;
use context::a2a_task::typed_part::HISTORY;
use context::a2a_task::typed_part::Known;
use context::a2a_task::typed_part::Processing;
use context::a2a_task::typed_part::Spelling;
use context::fields::FieldFault;
use schema::name::ClientId;
use schema::name::SchemaId;
use schema::nearest::nearest;
use schema::template::Version;
use text::secrets;
use text::secrets::Scope;

/// Beginnings of the ids of the schemas whose parts may carry a token to whom they are addressed to (M-029): the Agent Context
/// Message, and its security context alone.
const CARRYING: [&str; 2] = ["agent_context_message_v", "message_security_context_v"];

/// Violations and warnings that are said of one part.
const SAID_MAX: usize = 8;

/// A part that can be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    pub type_name: String,
    /// As its sender says it.
    pub version: String,
    /// JSON text without secrets.
    pub data: String,
    /// The same as it was sent, where it may carry a token to whom it is addressed to (M-029) and something was taken out.
    pub carried: Option<String>,
    /// Whether its sender marks it so (P-035).
    pub sensitive: bool,
}

/// The schemas that a type names: the one of that id, or those of that scenario (P-038).
pub fn known(registry: &ScenarioRegistry, name: &str) -> Vec<Known> {
    let of = |handle: &Arc<ScenarioHandle>, only: Option<&SchemaId>| {
        let view = handle.view.load();
        let bases = view.bases.iter().filter(|(id, _)| only.is_none_or(|only| only == *id));
        let known = bases.map(|(id, base)| Known {
            schema_id: id.clone(),
            scenario: handle.key.clone(),
            version: base.template.version(),
            retired: base.retired,
            in_force: view.in_force.as_ref() == Some(id),
            published: base.published,
            changed: base.revision,
        });
        known.collect::<Vec<Known>>()
    };
    let catalogue = registry.catalogue.load();
    let by_id = SchemaId::parse(name).and_then(|id| {
        let handle = catalogue.by_schema(&id)?;
        Some(of(handle, Some(&id)))
    });
    by_id
        .or_else(|| Some(of(&registry.scenario(name)?, None)))
        .unwrap_or_default()
}

/// How a type is spelt beside the scenario or schema that it names; and what is nearest to one that names none.
pub fn spelling(registry: &ScenarioRegistry, name: &str) -> Spelling {
    let catalogue = registry.catalogue.load();
    if name == HISTORY || SchemaId::parse(name).is_some_and(|id| catalogue.schemas.contains_key(&id)) {
        return Spelling::Own;
    }
    if let Some(handle) = registry.scenario(name) {
        let published = spelt(&handle);
        return match published.iter().any(|published| published == name) {
            true => Spelling::Own,
            false => published.into_iter().next().map_or(Spelling::Own, Spelling::Other),
        };
    }
    let published: Vec<String> = catalogue.scenarios.values().flat_map(|handle| spelt(handle)).collect();
    let ids = catalogue.schemas.keys().map(SchemaId::as_str);
    let near = nearest(name, published.iter().map(String::as_str).chain(ids));
    Spelling::Unknown(near.map(str::to_owned))
}

/// How a scenario is spelt in its schemas, first in the one in force.
fn spelt(handle: &ScenarioHandle) -> Vec<String> {
    let view = handle.view.load();
    let mut bases: Vec<_> = view.bases.iter().collect();
    bases.sort_by_key(|(id, _)| view.in_force.as_ref() != Some(*id));
    let mut spelt: Vec<String> = Vec::new();
    for (_, base) in bases {
        if !spelt.contains(&base.template.scenario) {
            spelt.push(base.template.scenario.clone());
        }
    }
    spelt
}

/// Which schema a type and a version come to.
pub fn named(registry: &ScenarioRegistry) -> impl Fn(&str, Option<Version>, Option<u64>) -> Fit {
    move |name, version, pinned| {
        if is_for_parts(registry, name) {
            return Fit::Context;
        }
        typed_part::fit(version, pinned, &known(registry, name))
    }
}

/// Whether every schema that a type names is one for parts, so that a part of it is no submission.
pub fn is_for_parts(registry: &ScenarioRegistry, name: &str) -> bool {
    let known = known(registry, name);
    let catalogue = registry.catalogue.load();
    let for_parts = |known: &Known| {
        let handle = catalogue.by_schema(&known.schema_id);
        handle.is_some_and(|handle| {
            let view = handle.view.load();
            let base = view.bases.get(&known.schema_id);
            base.is_some_and(|base| typed_part::data_key(&base.template).is_some())
        })
    };
    !known.is_empty() && known.iter().all(for_parts)
}

/// What becomes of each part, and what of them can be kept. `at` is where the parts stand in what was sent.
///
/// # Errors
/// [`ServiceError::InvalidMessage`] where a part that must be understood is not (P-016), or where it is not plain whether it must
/// be or whether it is sensitive.
pub fn check_all(
    registry: &ScenarioRegistry,
    client: Option<&ClientId>,
    at: &str,
    parts: &[(usize, Part)],
) -> Result<(Vec<PartOutcome>, Vec<Taken>), ServiceError> {
    let (mut told, mut taken) = (Vec::new(), Vec::new());
    for (place, part) in parts {
        if let Some(odd) = typed_part::odd_flag(&part.metadata, &format!("{at}[{place}].")) {
            return Err(odd.into());
        }
        let (one, kept) = check(registry, client, *place, part);
        if let Some(why) = one.why.as_ref().filter(|_| typed_part::is_required(&part.metadata)) {
            let what = format!("must be understood, but {why}");
            return Err(FieldFault::new(format!("{at}[{place}].metadata.type"), what).into());
        }
        told.push(one);
        taken.extend(kept);
    }
    Ok((told, taken))
}

/// What becomes of one part.
fn check(
    registry: &ScenarioRegistry,
    client: Option<&ClientId>,
    place: usize,
    part: &Part,
) -> (PartOutcome, Option<Taken>) {
    let type_name = part.type_name().filter(|name| name.len() <= typed_part::TYPE_BYTES_MAX);
    let mut told = PartOutcome {
        part: place as u64,
        type_name: type_name.map(str::to_owned),
        outcome: PartStatus::Processed,
        schema_id: None,
        version: None,
        why: None,
        warnings: Vec::new(),
    };
    match taken(registry, client, part, &mut told) {
        Ok(taken) => (told, Some(taken)),
        Err((outcome, why)) => {
            told.outcome = outcome;
            told.why = Some(why);
            (told, None)
        }
    }
}

/// What of a part can be kept, while what is told of it is filled in.
fn taken(
    registry: &ScenarioRegistry,
    client: Option<&ClientId>,
    part: &Part,
    told: &mut PartOutcome,
) -> Result<Taken, (PartStatus, String)> {
    let skipped = |why: &str| (PartStatus::Skipped, why.to_owned());
    let sent = match &part.content {
        Content::Data(data) => data,
        Content::Text(_) => return Err(skipped("it holds no data")),
        Content::Raw(_) | Content::Url(_) => return Err(skipped("it holds a file, and files are not read here")),
    };
    let spelt = part.type_name().map(|name| spelling(registry, name));
    let (schema_id, version, newer) = match typed_part::process(&part.metadata, |name| known(registry, name)) {
        Processing::By {
            schema_id,
            version,
            newer,
        } => (schema_id, version, newer),
        Processing::Refused(why) => return Err((PartStatus::Refused, why)),
        Processing::Skipped(why) => {
            return Err(match spelt {
                Some(Spelling::Unknown(Some(near))) => {
                    skipped(&format!("{why}; the nearest that is hosted is `{near}`"))
                }
                Some(Spelling::Own | Spelling::Other(_) | Spelling::Unknown(None)) | None => skipped(&why),
            });
        }
    };
    told.schema_id = Some(schema_id.as_str().to_owned());
    told.version = Some(version.to_string());
    let said = part.metadata.get("schemaVersion").filter(|said| !said.is_null());
    if said.is_none() {
        let what = format!("its metadata say no schemaVersion: it is read as {version}");
        told.warnings.push(what);
    }
    if let Some(Spelling::Other(published)) = spelt {
        told.warnings.push(format!(
            "its type is published as `{published}`: it goes to those agents alone that are declared to get it by the very name that it bears"
        ));
    }
    if newer {
        let what = "it is of a newer version than is hosted: what is new in it is ignored";
        told.warnings.push(what.to_owned());
    }
    let data = secrets::scrubbed_whole(sent, Scope::Everywhere);
    let warnings = fits(registry, client, &schema_id, &data).map_err(|why| (PartStatus::Refused, why))?;
    told.warnings.extend(warnings);
    let carries = CARRYING.iter().any(|name| schema_id.as_str().starts_with(name)) && data != *sent;
    let said = said.and_then(|said| said.as_str());
    Ok(Taken {
        carried: carries.then(|| sent.clone()),
        type_name: told.type_name.clone().unwrap_or_default(),
        version: said.map_or_else(|| version.to_string(), str::to_owned),
        data,
        sensitive: typed_part::is_sensitive(&part.metadata),
    })
}

/// What a conversation keeps of its parts: not its own history, which is what was said in it.
pub fn without_history(told: &mut [PartOutcome], taken: &mut Vec<Taken>) {
    taken.retain(|one| one.type_name != HISTORY);
    for one in told.iter_mut() {
        if one.type_name.as_deref() == Some(HISTORY) && one.outcome == PartStatus::Processed {
            one.outcome = PartStatus::Skipped;
            one.why = Some("the history of a conversation is what was said in it: send turns".to_owned());
        }
    }
}

/// Whether data fit a schema: warnings, or why not, without any value.
fn fits(
    registry: &ScenarioRegistry,
    client: Option<&ClientId>,
    schema_id: &SchemaId,
    data: &str,
) -> Result<Vec<String>, String> {
    let gone = || "its schema is not hosted any more".to_owned();
    let catalogue = registry.catalogue.load();
    let handle = catalogue.by_schema(schema_id).ok_or_else(gone)?;
    let view = handle.view.load();
    let base = view.bases.get(schema_id).ok_or_else(gone)?;
    let compiled = view.compiled(schema_id, client).ok_or_else(gone)?;
    let payload = typed_part::payload(&base.template, data);
    // Keys on trial never refuse here: a part is no submission, and counts for no key.
    let verdict = compiled.validator.check(&payload, &|_| false, false)?;
    if !verdict.accepted() {
        let said = verdict.violations.into_iter().take(SAID_MAX);
        let said: Vec<String> = said.map(|violation| violation.message).collect();
        return Err(format!("its data do not fit {schema_id}: {}", said.join("; ")));
    }
    let warnings = verdict.warnings.into_iter().take(SAID_MAX);
    Ok(warnings.map(|warning| warning.message).collect())
}
