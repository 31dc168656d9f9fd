//! Bases, which are immutable once there (Z-030, Z-105), and once a day: what lies outside every window is forgotten, and what
//! retention lets be erased (Z-167).

use crate::evolution::patch::Patch;
use crate::scenario::command::Refusal;
use crate::scenario::decide::situation::Situation;
use crate::scenario::event::Event;
use crate::scenario::state::Base;
use crate::scenario::state::State;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;
use schema::time::At;
use schema::time::DAY_MS;
use schema::time::Day;
use schema::time::SECOND_MS;

/// Milliseconds for which earlier versions remember an idempotency key: 24 hours.
const IDEMPOTENCY_MS: i64 = DAY_MS;

/// The same content again is accepted and does nothing; other content under the same id is refused.
///
/// # Errors
/// [`Refusal::SchemaImmutable`].
pub fn publish(state: &State, template: Box<SchemaTemplate>, unproved: bool) -> Result<Vec<Event>, Refusal> {
    match state.bases.get(&template.schema_id) {
        None => Ok(vec![Event::BasePublished {
            template,
            by: None,
            unproved,
        }]),
        Some(base) if base.template.same_content(&template) => Ok(Vec::new()),
        Some(_) => Err(Refusal::SchemaImmutable(template.schema_id.clone())),
    }
}

/// Retires a schema; a second time does nothing.
///
/// # Errors
/// [`Refusal::UnknownSchema`].
pub fn retire(state: &State, schema_id: SchemaId) -> Result<Vec<Event>, Refusal> {
    match base(state, &schema_id)?.retired {
        Some(_) => Ok(Vec::new()),
        None => Ok(vec![Event::BaseRetired { schema_id, by: None }]),
    }
}

/// Restores a retired or deprecated schema; one that is neither stays as it is.
///
/// # Errors
/// [`Refusal::UnknownSchema`].
pub fn restore(state: &State, schema_id: SchemaId) -> Result<Vec<Event>, Refusal> {
    let base = base(state, &schema_id)?;
    match base.retired.is_some() || base.deprecated.is_some() {
        true => Ok(vec![Event::BaseRestored { schema_id, by: None }]),
        false => Ok(Vec::new()),
    }
}

/// Announces that a schema is to go; what was announced of it before is no more. The same a second time does nothing.
///
/// # Errors
/// [`Refusal::UnknownSchema`], [`Refusal::SchemaRetired`].
pub fn deprecate(
    state: &State,
    schema_id: SchemaId,
    sunset: Option<At>,
    reason: Option<String>,
) -> Result<Vec<Event>, Refusal> {
    accepts(state, &schema_id)?;
    let known = base(state, &schema_id)?.deprecated.as_ref();
    if known.is_some_and(|known| known.sunset == sunset && known.reason == reason) {
        return Ok(Vec::new());
    }
    Ok(vec![Event::BaseDeprecated {
        schema_id,
        sunset,
        reason,
        by: None,
    }])
}

/// Whether a schema takes submissions.
///
/// # Errors
/// [`Refusal::UnknownSchema`], [`Refusal::SchemaRetired`].
pub fn accepts(state: &State, schema_id: &SchemaId) -> Result<(), Refusal> {
    match base(state, schema_id)?.retired {
        Some(_) => Err(Refusal::SchemaRetired(schema_id.clone())),
        None => Ok(()),
    }
}

fn base<'s>(state: &'s State, schema_id: &SchemaId) -> Result<&'s Base, Refusal> {
    let base = state.bases.get(schema_id);
    base.ok_or_else(|| Refusal::UnknownSchema(schema_id.clone()))
}

/// Trims when a day has begun since the last time and there is anything that could be old.
pub fn trim(now: Situation<'_>) -> Vec<Event> {
    let (state, ago) = (now.state, |ms: i64| now.at.plus_ms(-ms));
    // Patches that ended before this lose their examples and known values; none where they are kept for good.
    let kept_days = now.evolution().examples_kept_days;
    let examples_before = (kept_days > 0).then(|| ago(kept_days.saturating_mul(DAY_MS)));
    let is_over = |before: At| {
        let old = |patch: &Patch| patch.over_since(before) && !(patch.examples.is_empty() && patch.surfaces.is_empty());
        state.patches.iter().any(old)
    };
    let nothing = state.ledger.days.is_empty() && !examples_before.is_some_and(is_over);
    if now.at.day() <= state.trimmed || nothing {
        return Vec::new();
    }
    vec![Event::Trimmed {
        arrivals_before: ago(now.policy.pool.gate_window_s.saturating_mul(SECOND_MS)),
        ledger_before: Day(now.at.day().0 - now.evolution().window_days - 1),
        idempotency_before: ago(IDEMPOTENCY_MS),
        examples_before,
    }]
}

/// Which records have told enough, as (through, before): submissions that are not digested yet and everything after the
/// first of them are kept, so that nothing that was said is lost to the pool. What has waited twice as long as sealed parts
/// are kept goes all the same: a model that never comes back is no reason to keep it. `kept_days` is how long sealed parts are
/// kept, `closed_kept_days` how long those of a scenario of which every schema is retired; 0 is for good.
pub fn erasable(state: &State, at: At, kept_days: i64, closed_kept_days: i64) -> Option<(u64, At)> {
    let ago = |days: i64| at.plus_ms(-days.saturating_mul(DAY_MS));
    let closed = closed_kept_days > 0 && state.closed_since().is_some_and(|since| since <= ago(closed_kept_days));
    let before = match closed {
        // Everything, this moment's own records too.
        true => at.plus_ms(1),
        false if kept_days > 0 => ago(kept_days),
        false => return None,
    };
    let late = before.plus_ms(-(if closed { closed_kept_days } else { kept_days }).saturating_mul(DAY_MS));
    let (through, before) = match state.first_unread() {
        None => (state.seq, before),
        Some((_, since)) if since < late => (state.seq, late),
        Some((first, _)) => (first.saturating_sub(1), before),
    };
    (through > state.erased_through).then_some((through, before))
}

#[cfg(test)]
mod tests;
