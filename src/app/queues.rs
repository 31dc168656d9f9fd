//! What waits for people, over all scenarios and page by page: values of patch keys, drawn for an audit, with the words that they came of
//! (Z-137); and proposals, longest waiting first (Z-127, Z-165).
//!
//! Of values the queue holds ids alone; value and words are read from the submission's record when they are shown, and redacted. What
//! retention erased is shown as gone. Decides nothing: drawing and counting are the domain's.

use std::sync::Arc;

use serde_json::Value;
use strum::EnumString;
use strum::IntoStaticStr;
use strum::VariantNames;

use crate::api::audits as api;
use crate::api::audits::Audit;
use crate::api::audits::AuditAnswer;
use crate::api::audits::AuditedKey;
use crate::api::audits::Judge;
use crate::api::audits::Judged;
use crate::api::audits::JudgesOf;
use crate::api::audits::Silent;
use crate::api::audits::Summary;
use crate::api::evolution::Approval;
use crate::api::evolution::ApprovalEvidence;
use crate::api::evolution::Approvals;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::operator;
use crate::app::registry::ScenarioRegistry;
use crate::app::sealed;
use engine::evolution::audit::Agreement;
use engine::evolution::evidence::Tried;
use engine::evolution::explanation;
use engine::evolution::patch::Patch;
use engine::evolution::stage::Stage;
use engine::evolution::wilson;
use engine::scenario::audits::Answered;
use engine::scenario::audits::Audits;
use engine::scenario::audits::Waiting;
use engine::scenario::command::Command;
use engine::scenario::command::Opinion;
use engine::scenario::digest;
use engine::scenario::layer;
use engine::scenario::state::State;
use schema::effective::KeyChange;
use schema::key::KeyDefinition;
use schema::name::PatchId;
use schema::name::ScenarioKey;
use schema::time::At;
use text::redaction;

/// Rows on one page at most.
pub const PAGE_MAX: u64 = 200;
/// Values on a page where nobody says how many.
const VALUES: u64 = 20;
/// Strings of `other` that are shown with a value.
const STRINGS_MAX: usize = 4;

/// How many rows a page has, where so many are asked for.
///
/// # Errors
/// [`ServiceError::BadParameter`] for a limit that is not 1 to [`PAGE_MAX`].
pub fn page_size(asked: Option<u64>, usual: u64) -> Result<usize, ServiceError> {
    let size = asked.unwrap_or(usual);
    let what = || ServiceError::BadParameter(format!("the parameter limit must be 1 to {PAGE_MAX}"));
    let right = (1..=PAGE_MAX).contains(&size);
    right
        .then(|| usize::try_from(size).unwrap_or(usize::MAX))
        .ok_or_else(what)
}

/// The place that `after` stands for, which an earlier page gave as its `next`.
pub fn place<P>(after: Option<&str>, read: impl Fn(&str) -> Option<P>) -> Result<Option<P>, ServiceError> {
    let wrong = || ServiceError::BadParameter("the parameter after must be the `next` of an earlier page".to_owned());
    after.map(|text| read(text).ok_or_else(wrong)).transpose()
}

/// Which part of the queue is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked<'a> {
    pub scenario: Option<&'a str>,
    pub limit: Option<u64>,
    pub after: Option<&'a str>,
}

/// A place in the queue of values: keys on trial first, then by age.
type Place = (u8, At, PatchId, u64);

impl App {
    /// A page of the queue. `after` stands for a place, so that a page is whole whatever was answered meanwhile.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::UnknownScenario`], [`ServiceError::BadParameter`] for a limit that is not 1 to [`PAGE_MAX`] or an `after`
    /// that never was a `next`, or a fault of the journal.
    pub async fn audits(&self, caller: &Caller, asked: Asked<'_>) -> Result<api::Audits, ServiceError> {
        caller.require(Permission::Audit)?;
        let registry = self.registry();
        let limit = page_size(asked.limit, VALUES)?;
        let after = place(asked.after, |text| read_place(registry, text))?;
        let mut places: Vec<(Place, Arc<ScenarioHandle>)> = Vec::new();
        for handle in handles(registry, asked.scenario)? {
            let state = handle.state();
            for waiting in &state.audits.waiting {
                let place = (
                    rank(&state, &waiting.patch_id),
                    waiting.said_at,
                    waiting.patch_id.clone(),
                    waiting.of,
                );
                places.push((place, Arc::clone(&handle)));
            }
        }
        places.sort_by(|(one, _), (other, _)| one.cmp(other));
        let count = places.len();
        places.retain(|(place, _)| after.as_ref().is_none_or(|after| place > after));
        let more = places.len() > limit;
        places.truncate(limit);
        let next = places.last().filter(|_| more);
        let next = next.map(|((rank, at, patch_id, of), _)| format!("{rank}.{}.{}", at.0, id(patch_id, *of)));
        let held = Arc::clone(registry);
        let shown = tokio::task::spawn_blocking(move || {
            let mut shown = Vec::with_capacity(places.len());
            for ((_, _, patch_id, of), handle) in places {
                // One that was answered between the two looks is not shown.
                let waiting = handle.state().audits.waiting(of, &patch_id).cloned();
                if let Some(waiting) = waiting {
                    shown.push(document(&held, &handle, &waiting, None)?);
                }
            }
            Ok::<_, ServiceError>(shown)
        });
        let shown = shown.await??;
        Ok(api::Audits {
            waiting: count as u64,
            audits: shown,
            next,
        })
    }

    /// One value, waiting or answered.
    pub async fn audit(&self, caller: &Caller, audit_id: &str) -> Result<Audit, ServiceError> {
        caller.require(Permission::Audit)?;
        let registry = self.registry();
        let (handle, patch_id, of) = find(registry, audit_id).ok_or(ServiceError::UnknownAudit)?;
        show(registry, handle, patch_id, of).await
    }

    /// Records what a person says; the value as it stands afterwards.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::UnknownAudit`], [`ServiceError::Audited`] when a person said it before, [`ServiceError::BadRequest`] for a
    /// reason that is too long, [`ServiceError::ReadOnly`], or a fault.
    pub async fn answer_audit(
        &self,
        caller: &Caller,
        audit_id: &str,
        said: api::VerdictGiven,
    ) -> Result<Audit, ServiceError> {
        caller.require(Permission::Audit)?;
        let registry = self.registry();
        let because = operator::because(said.reason.as_deref())?;
        let (handle, patch_id, of) = find(registry, audit_id).ok_or(ServiceError::UnknownAudit)?;
        drop(registry.deps.write_gate.pass()?);
        let client = caller.client.as_ref();
        let opinion = Opinion {
            of,
            patch_id: patch_id.clone(),
            verdict: said.verdict,
            by: client.map_or_else(|| "anonymous".to_owned(), ToString::to_string),
            because,
        };
        handle.command(Command::Audit(opinion)).await?;
        show(registry, handle, patch_id, of).await
    }

    /// What the audits of each scenario say of its judges.
    pub fn audits_summary(&self, caller: &Caller, scenario: Option<&str>) -> Result<Summary, ServiceError> {
        caller.require(Permission::Audit)?;
        let registry = self.registry();
        let mut rows = Vec::new();
        for handle in handles(registry, scenario)? {
            let state = handle.state();
            if scenario.is_some() || !state.audits.is_unused() {
                rows.push(told(handle.key.as_str(), &state.audits));
            }
        }
        Ok(Summary { scenarios: rows })
    }
}

fn handles(registry: &ScenarioRegistry, scenario: Option<&str>) -> Result<Vec<Arc<ScenarioHandle>>, ServiceError> {
    match scenario {
        Some(scenario) => Ok(vec![registry.by_scenario(scenario)?]),
        None => Ok(registry.handles()),
    }
}

/// Keys on trial come first: what is decided of them hangs on few values.
fn rank(state: &State, patch_id: &PatchId) -> u8 {
    let on_trial = state
        .patch(patch_id)
        .is_some_and(|patch| matches!(patch.stage, Stage::Experimental(_)));
    u8::from(!on_trial)
}

fn id(patch_id: &PatchId, of: u64) -> String {
    format!("{patch_id}.{of}")
}

fn find(registry: &ScenarioRegistry, audit_id: &str) -> Option<(Arc<ScenarioHandle>, PatchId, u64)> {
    let (patch_id, of) = audit_id.rsplit_once('.')?;
    let (handle, patch_id) = registry.by_patch(patch_id)?;
    let number: u64 = of.parse().ok()?;
    (number.to_string() == of).then_some((handle, patch_id, number))
}

fn read_place(registry: &ScenarioRegistry, next: &str) -> Option<Place> {
    let (rank, rest) = next.split_once('.')?;
    let (at, audit_id) = rest.split_once('.')?;
    let (_, patch_id, of) = find(registry, audit_id)?;
    Some((rank.parse().ok()?, At(at.parse().ok()?), patch_id, of))
}

async fn show(
    registry: &Arc<ScenarioRegistry>,
    handle: Arc<ScenarioHandle>,
    patch_id: PatchId,
    of: u64,
) -> Result<Audit, ServiceError> {
    let (waiting, answered) = {
        let state = handle.state();
        let waiting = state.audits.waiting(of, &patch_id).cloned();
        (waiting, state.audits.answered(of, &patch_id).cloned())
    };
    let value = waiting
        .or_else(|| answered.as_ref().map(|answered| answered.waited.clone()))
        .ok_or(ServiceError::UnknownAudit)?;
    let held = Arc::clone(registry);
    tokio::task::spawn_blocking(move || document(&held, &handle, &value, answered.as_ref())).await?
}

/// A value as it is shown. Reads the journal.
fn document(
    registry: &ScenarioRegistry,
    handle: &ScenarioHandle,
    value: &Waiting,
    answered: Option<&Answered>,
) -> Result<Audit, ServiceError> {
    let kept = sealed::read(registry.deps.journal.as_ref(), &handle.journal, value.of)?;
    let patch = handle.state().patch(&value.patch_id).cloned();
    let patch = patch.ok_or_else(|| ServiceError::UnknownPatch(value.patch_id.to_string()))?;
    let change = patch.change_at(value.of);
    let name = change.key_name();
    let key: Option<KeyDefinition> = match change {
        KeyChange::Add(key) => Some(key.clone()),
        KeyChange::Refine { .. } => {
            let view = handle.view.load();
            let compiled = view.compiled(&kept.submitted.schema_id, kept.submitted.client.as_ref());
            compiled.and_then(|compiled| Some(compiled.effective.key(name)?.definition.clone()))
        }
    };
    // An erased record reads as one in which nothing was said.
    let gone = kept.sealed.payload.is_null();
    let sent = kept.sealed.payload.get(name.as_str());
    let other: Vec<String> = digest::other_strings(&kept.sealed)
        .iter()
        .take(STRINGS_MAX)
        .map(|text| redaction::redacted(text))
        .collect();
    Ok(Audit {
        id: id(&value.patch_id, value.of),
        scenario: handle.key.to_string(),
        patch_id: value.patch_id.to_string(),
        stage: patch.stage.name().to_owned(),
        submission_id: handle.submission_id(value.of),
        said_at: value.said_at.rfc3339(),
        key: AuditedKey {
            key_name: name.to_string(),
            key_type: key.as_ref().map(|key| key.key_type),
            semantic_description: key.as_ref().map(|key| key.semantic_description.clone()),
            constraints: key.map(|key| key.constraints).unwrap_or_default(),
        },
        value: sent.map(redacted).unwrap_or_default(),
        utterance: kept.sealed.utterance.as_deref().map(redaction::redacted),
        other,
        gone,
        judged: value.judged.map(|(aligned, basis)| Judged { aligned, basis }),
        answer: answered.map(
            |Answered {
                 waited: _,
                 verdict,
                 by,
                 at,
                 because,
             }| AuditAnswer {
                verdict: *verdict,
                by: by.clone(),
                at: at.rfc3339(),
                reason: because.clone(),
            },
        ),
    })
}

/// A value fit to be shown; a number that would be redacted as a text is shown as that.
fn redacted(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) => value.clone(),
        Value::Number(number) => {
            let text = number.to_string();
            let shown = redaction::redacted(&text);
            if shown == text {
                value.clone()
            } else {
                Value::String(shown)
            }
        }
        Value::String(text) => Value::String(redaction::redacted(text)),
        Value::Array(items) => Value::Array(items.iter().map(redacted).collect()),
        Value::Object(members) => {
            let shown = members
                .iter()
                .map(|(name, member)| (redaction::redacted(name), redacted(member)));
            Value::Object(shown.collect())
        }
    }
}

fn told(scenario: &str, audits: &Audits) -> JudgesOf {
    let agreements = audits.agreement.iter();
    let judges = agreements.map(|(basis, agreement)| (*basis, judge(agreement)));
    let Agreement {
        right,
        wrong,
        cannot_tell,
        right_called_right: _,
        wrong_called_wrong: _,
    } = audits.silent;
    JudgesOf {
        scenario: scenario.to_owned(),
        waiting: audits.waiting.len() as u64,
        fallen_out: audits.fallen,
        verdicts: audits.verdicts(),
        judges: judges.collect(),
        silent: Silent {
            aligned: right,
            not_aligned: wrong,
            cannot_tell,
        },
    }
}

fn judge(agreement: &Agreement) -> Judge {
    let rate = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let (agreed, told) = (agreement.agreed(), agreement.told());
    let Agreement {
        right,
        wrong,
        cannot_tell,
        right_called_right,
        wrong_called_wrong,
    } = *agreement;
    Judge {
        audited: told,
        cannot_tell,
        agreement: rate(agreed, told),
        agreement_interval: wilson::interval(agreed, told),
        agreement_of: told,
        sensitivity: rate(right_called_right, right),
        sensitivity_interval: wilson::interval(right_called_right, right),
        sensitivity_of: right,
        specificity: rate(wrong_called_wrong, wrong),
        specificity_interval: wilson::interval(wrong_called_wrong, wrong),
        specificity_of: wrong,
    }
}

/// Approvals on a page where nobody says how many.
const APPROVALS: u64 = 50;

/// In which order approvals are listed; those that are alike stand longest waiting first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Order {
    /// Longest waiting first.
    #[default]
    Longest,
    Newest,
    /// Asked for by the most clients first.
    Clients,
    /// Asked for most often first.
    Occurrences,
}

impl Order {
    /// The names of all.
    pub const NAMES: &'static [&'static str] = Order::VARIANTS;

    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What is least of the patch that comes first.
    fn rank(self, patch: &Patch, since: At) -> i64 {
        let most_first = |count: u64| i64::try_from(count).map_or(i64::MIN, |count| -count);
        match self {
            Order::Longest => 0,
            Order::Newest => since.0.saturating_neg(),
            Order::Clients => most_first(patch.gate.clients),
            Order::Occurrences => most_first(patch.gate.occurrences),
        }
    }
}

/// A place in the list of approvals.
type Rank = (i64, At, PatchId);

impl App {
    /// A page of what waits, of one scenario or of all, in this order. `after` stands for a place, so that a page is whole whatever
    /// was approved meanwhile.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::UnknownScenario`], [`ServiceError::BadParameter`] for a limit that is not 1 to
    /// [`PAGE_MAX`], an order that is none, or an `after` that never was a `next` in this order.
    pub fn approvals(&self, caller: &Caller, asked: Asked<'_>, order: Option<&str>) -> Result<Approvals, ServiceError> {
        caller.require(Permission::Inspect)?;
        let registry = self.registry();
        let limit = page_size(asked.limit, APPROVALS)?;
        let order = order.map_or_else(|| Ok(Order::default()), str::parse);
        let order = order.map_err(|_| {
            let names = Order::NAMES.join(", ");
            ServiceError::BadParameter(format!("the parameter sort must be one of {names}"))
        })?;
        let after = place(asked.after, |next| read_patch(next, order))?;
        let handles = match asked.scenario {
            Some(scenario) => vec![registry.by_scenario(scenario)?],
            None => registry.handles(),
        };
        let mut waiting: Vec<Rank> = Vec::new();
        for handle in handles {
            let state = handle.state();
            let waits = |patch: &Patch| {
                let since = patch.awaits_person_since()?;
                Some((order.rank(patch, since), since, patch.patch_id.clone()))
            };
            waiting.extend(state.patches.iter().filter_map(waits));
        }
        waiting.sort();
        let count = waiting.len();
        waiting.retain(|place| after.as_ref().is_none_or(|after| place > after));
        let more = waiting.len() > limit;
        waiting.truncate(limit);
        let next = waiting.last().filter(|_| more);
        let next = next.map(|(rank, since, id)| format!("{}.{rank}.{}.{id}", order.name(), since.0));
        let mut approvals = Vec::with_capacity(waiting.len());
        for (_, _, id) in &waiting {
            let Some(handle) = registry.by_patch(id.as_str()).map(|(handle, _)| handle) else {
                continue;
            };
            let window = handle.view.load().policy.evolution.window_days;
            let state = handle.state();
            let at = registry.deps.clock.now().max(state.at);
            // One that was approved between the two looks is not shown.
            if let Some((patch, since)) = state
                .patch(id)
                .and_then(|patch| Some((patch, patch.awaits_person_since()?)))
            {
                let reading = state.ledger.read(id, at, window);
                let explained = explanation::of(patch, &reading, layer::taken_over_by(&state, patch));
                approvals.push(approval(patch, handle.key.as_str(), since, at, explained));
            }
        }
        Ok(Approvals {
            waiting: count as u64,
            approvals,
            next,
        })
    }
}

fn approval(patch: &Patch, scenario: &str, since: At, at: At, explanation: Vec<String>) -> Approval {
    let published = patch.for_operators();
    let held = patch.held_because();
    let why = match &published.waits_for {
        Some(waits) => waits.detail.clone(),
        None if held.is_empty() => "every proposal of this scenario waits for a person".to_owned(),
        None => held.join("; "),
    };
    Approval {
        patch_id: patch.patch_id.to_string(),
        scenario: scenario.to_owned(),
        why,
        waits_for: published.waits_for,
        sensitive: patch.sensitive.clone(),
        holds: patch.holds.clone(),
        since: since.rfc3339(),
        waits_s: at.since_ms(since) / 1_000,
        audience: patch.audience.clone(),
        new_keys: published.new_keys,
        modified_keys: published.modified_keys,
        evidence: ApprovalEvidence {
            examples: patch.examples.clone(),
            expected_coverage: patch.expected_coverage(),
            occurrences: patch.gate.occurrences,
            clients: patch.gate.clients,
            explanation,
            backtest: patch.backtest.as_deref().map(Tried::of),
        },
    }
}

fn read_patch(next: &str, order: Order) -> Option<Rank> {
    let (rank, rest) = next.strip_prefix(order.name())?.strip_prefix('.')?.split_once('.')?;
    let (since, id) = rest.split_once('.')?;
    let (scenario, number) = id.rsplit_once(".p")?;
    let id = PatchId::numbered(&ScenarioKey::parse(scenario)?, number.parse().ok()?);
    Some((rank.parse().ok()?, At(since.parse().ok()?), id))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::judge;
    use super::redacted;
    use engine::evolution::audit::Agreement;

    #[test]
    fn a_value_is_shown_redacted_whatever_its_form_z169() {
        for (sent, shown) in [
            (json!("window"), json!("window")),
            (json!("ada@example.org"), json!("[email]")),
            (json!(["aisle", "ada@example.org"]), json!(["aisle", "[email]"])),
            (json!({"to": "ada@example.org"}), json!({"to": "[email]"})),
            (json!(3), json!(3)),
            (json!(true), json!(true)),
        ] {
            assert_eq!(redacted(&sent), shown);
        }
        assert!(
            redacted(&json!(4_111_111_111_111_111_u64)).is_string(),
            "a number of a card"
        );
    }

    #[test]
    fn a_judge_of_whom_nothing_is_known_has_no_rates_z137_z160() {
        let told = json!(judge(&Agreement::default()));
        for name in ["agreement", "sensitivity", "specificity"] {
            assert!(told[name].is_null() && told[format!("{name}_interval")].is_null());
        }
        let told = json!(judge(&Agreement {
            right: 4,
            right_called_right: 3,
            wrong: 1,
            wrong_called_wrong: 0,
            cannot_tell: 2,
        }));
        assert_eq!((&told["audited"], &told["cannot_tell"]), (&json!(5), &json!(2)));
        assert_eq!(
            (&told["sensitivity"], &told["specificity"]),
            (&json!(0.75), &json!(0.0))
        );
        assert_eq!((&told["agreement"], &told["agreement_of"]), (&json!(0.6), &json!(5)));
    }
}
