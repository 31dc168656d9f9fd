//! A submission held against the template in force, or the one that it is pinned to.
//!
//! Records nothing. Invariant: what is shown and kept of a submission holds none of its secrets.

use serde_json::Map;
use serde_json::Value;

use crate::api::submissions::SchemaStatus;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::secrets::Sent;
use crate::app::view::ScenarioView;
use engine::pool::analysis;
use engine::scenario::submission;
use schema::exchange::envelope::Envelope;
use schema::exchange::validator::Validator;
use schema::exchange::verdict::Verdict;
use schema::exchange::verdict::Violation;
use schema::exchange::verdict::ViolationCode;
use schema::exchange::verdict::Warning;
use schema::name::ClientId;
use schema::name::OTHER;
use schema::name::PatchId;
use schema::name::SchemaId;
use schema::staleness::Missed;
use text::secrets;
use text::secrets::prose::MARK;
use text::secrets::words::scrubbed_words;

/// A checked submission that is not on record yet.
#[derive(Clone)]
pub struct Checked {
    pub schema_id: SchemaId,
    pub revision: u64,
    /// With what is to be executed as it was said.
    pub verdict: Verdict,
    /// What is to be executed, without its secrets, where it holds any: what is shown and kept of it.
    pub shown: Option<Map<String, Value>>,
    pub fragments: Vec<String>,
    pub missed: Option<Missed>,
    pub schema: SchemaStatus,
}

impl Checked {
    /// What is shown and kept of what is to be executed.
    pub fn shown(&self) -> Map<String, Value> {
        let shown = self.shown.as_ref().or(self.verdict.normalised.as_ref());
        shown.cloned().unwrap_or_default()
    }
}

/// Whether the revision that a client says it holds may be one of this scenario.
///
/// # Errors
/// [`ServiceError::BadRequest`] for one that lies in the future.
pub fn check_revision(handle: &ScenarioHandle, held: Option<u64>) -> Result<(), ServiceError> {
    if held.is_none_or(|held| handle.has_applied(held)) {
        return Ok(());
    }
    let what =
        "`revision` lies in the future: no template of this scenario has it; fetch the template, and send its revision";
    Err(ServiceError::BadRequest(what.to_owned()))
}

/// Checks a submission.
///
/// # Errors
/// Why it cannot be checked at all; what does not fit stands in the verdict.
pub fn check(
    handle: &ScenarioHandle,
    view: &ScenarioView,
    client: Option<&ClientId>,
    sent: &Sent<'_>,
) -> Result<Checked, ServiceError> {
    let envelope = sent.kept();
    let schema_id = SchemaId::parse(&envelope.schema_id)
        .ok_or_else(|| ServiceError::UnknownSchema(envelope.schema_id.clone().into_owned()))?;
    let base = view
        .bases
        .get(&schema_id)
        .ok_or_else(|| ServiceError::UnknownSchema(schema_id.to_string()))?;
    if base.retired {
        return Err(ServiceError::SchemaRetired(schema_id.to_string()));
    }
    check_revision(handle, envelope.revision)?;
    let compiled = match (envelope.pinned, envelope.revision) {
        (false, _) => view.compiled(&schema_id, client),
        (true, Some(revision)) if view.existed(&schema_id, revision) => view.pinned(&schema_id, client, revision),
        (true, Some(_)) => {
            let what = "`schema_id` was published after `revision`, which it is pinned to: fetch the template, and pin its revision";
            return Err(ServiceError::BadRequest(what.to_owned()));
        }
        (true, None) => {
            let what = "`pinned` goes with `revision`, the one that the payload was made by";
            return Err(ServiceError::BadRequest(what.to_owned()));
        }
    };
    let compiled = compiled.ok_or_else(|| ServiceError::UnknownSchema(schema_id.to_string()))?;
    let judged = |envelope: &Envelope<'_>| judge(handle, client, &compiled.validator, envelope);
    let mut verdict = judged(&sent.said)?;
    let shown = match &sent.clean {
        None => None,
        Some(clean) => {
            // The name of an unknown key may be a secret: what is said of it, and learned, is said of one without.
            let clean = judged(clean)?;
            let is_of_name = |violation: &Violation| violation.code == ViolationCode::UnknownKey;
            verdict.violations.retain(|violation| !is_of_name(violation));
            verdict
                .violations
                .extend(clean.violations.into_iter().filter(is_of_name));
            verdict.warnings = clean.warnings;
            verdict.other = clean.other;
            verdict.unknown = clean.unknown;
            clean.normalised
        }
    };
    let unknown = unknown_members(&envelope.unknown, envelope.unknown_beyond);
    verdict.warnings.extend(unknown);
    verdict.unknown = without_secrets(&compiled.validator, verdict.unknown);
    let unknown = submission::asked_for(&verdict);
    let unknown: Vec<&str> = unknown.map(|(name, _)| name.as_str()).collect();
    let taken = taken_as_other(&unknown);
    verdict.warnings.extend(taken);
    let (fragments, deferred) = submission::fragments_of(&verdict, &view.policy.pool);
    if deferred {
        let message = "other holds more demands than are taken from one submission; the first ones were";
        verdict.warnings.push(Warning::new(OTHER, "other_deferred", message));
    }
    if fragments.iter().any(|fragment| !analysis::is_readable(fragment)) {
        let message = format!(
            "a sentence of more than {} characters is on record and not read; say each wish in one of its own",
            analysis::READ_CHARS_MAX
        );
        verdict.warnings.push(Warning::new(OTHER, "other_unread", message));
    }
    let missed = envelope.revision.and_then(|held| view.missed(&schema_id, client, held));
    Ok(Checked {
        schema: SchemaStatus {
            lenient: verdict.lenient,
            ..view.status(&schema_id)
        },
        schema_id,
        revision: compiled.effective.revision,
        verdict,
        shown,
        fragments,
        missed,
    })
}

/// Keys that one warning names; each has a warning of its own beside it.
const NAMED_MAX: usize = 12;

/// What becomes of what is said under keys that the template does not have, which no answer shows.
fn taken_as_other(unknown: &[&str]) -> Option<Warning> {
    let named = unknown.iter().take(NAMED_MAX).map(|name| format!("`{name}`"));
    let named: Vec<String> = named.collect();
    let says = match unknown.len() {
        1 => "says".to_owned(),
        all if all > NAMED_MAX => format!("and {} more say", all - NAMED_MAX),
        _ => "say".to_owned(),
    };
    (!named.is_empty()).then(|| {
        let message = format!(
            "no key holds what {} {says}: it is executed nowhere and not in the answer, and is read as what stands in `{OTHER}` is; \
             say it under a key of the template, or in words in `{OTHER}`",
            named.join(", ")
        );
        Warning::new(OTHER, "taken_as_other", message)
    })
}

/// What is said of members that nothing here has; `beyond` is how many more there are.
pub fn unknown_members(names: &[String], beyond: usize) -> Vec<Warning> {
    let warning = |key: &str, message: String| Warning::new(key, "unknown_member", message);
    let named = names.iter().map(|name| {
        let message =
            format!("`{name}` is no member here: it is passed over. What belongs to the payload stands in `payload`");
        warning(name, message)
    });
    let more = (beyond > 0).then(|| warning("", format!("{beyond} more members that are none")));
    named.chain(more).collect()
}

/// Holds a payload against a template.
fn judge(
    handle: &ScenarioHandle,
    client: Option<&ClientId>,
    validator: &Validator,
    envelope: &Envelope<'_>,
) -> Result<Verdict, ServiceError> {
    read(handle, client, validator, envelope.payload.get(), envelope.lenient)
        .map_err(|what| ServiceError::BadRequest(format!("payload: {what}")))
}

/// The verdict of a template on a payload of this client.
///
/// # Errors
/// Why it is not JSON, in words.
pub fn verdict(
    handle: &ScenarioHandle,
    client: Option<&ClientId>,
    validator: &Validator,
    payload: &str,
) -> Result<Verdict, String> {
    read(handle, client, validator, payload, false)
}

fn read(
    handle: &ScenarioHandle,
    client: Option<&ClientId>,
    validator: &Validator,
    payload: &str,
    lenient: bool,
) -> Result<Verdict, String> {
    let received = |patch: &PatchId| {
        let state = handle.state();
        let ledger = state.ledger.keys.get(patch);
        client.is_some_and(|client| ledger.is_some_and(|ledger| ledger.is_known_to(client)))
    };
    validator.read(payload, &received, true, lenient)
}

/// What is to be executed of a submission that comes again, by the template that judged it first; `None` where that cannot be told.
pub fn read_again(
    handle: &ScenarioHandle,
    client: Option<&ClientId>,
    said: &Envelope<'_>,
    revision: u64,
) -> Option<Map<String, Value>> {
    let schema_id = SchemaId::parse(&said.schema_id)?;
    let compiled = handle.view.load().pinned(&schema_id, client, revision)?;
    let verdict = judge(handle, client, &compiled.validator, said).ok()?;
    verdict.normalised.filter(|_| verdict.violations.is_empty())
}

/// What is asked for by keys that the template does not have, without secrets: a key of which nothing is known but that it was
/// one asks for nothing, nor does one that was meant to be a secret of the template's own; to learn it would be to ask others
/// for theirs.
pub fn without_secrets(validator: &Validator, unknown: Vec<(String, String)>) -> Vec<(String, String)> {
    let secret =
        |name: &str| secrets::name::is_secret(name) || validator.meant_by(name).is_some_and(secrets::name::is_secret);
    let asked = unknown
        .into_iter()
        .filter(|(name, value)| value != MARK && !secret(name));
    asked
        .map(|(name, value)| match scrubbed_words(&value) {
            Some(scrubbed) => (name, scrubbed),
            None => (name, value),
        })
        .collect()
}
