//! Publishing and retiring a base schema: immutable once there (Z-030, Z-105).

use crate::scenario::command::Refusal;
use crate::scenario::event::Event;
use crate::scenario::state::State;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;

/// The same content again is accepted and does nothing; other content under the same id is refused.
///
/// # Errors
/// [`Refusal::SchemaImmutable`].
pub fn publish(state: &State, template: Box<SchemaTemplate>) -> Result<Vec<Event>, Refusal> {
    match state.bases.get(&template.schema_id) {
        None => Ok(vec![Event::BasePublished { template, by: None }]),
        Some(base) if base.template.same_content(&template) => Ok(Vec::new()),
        Some(_) => Err(Refusal::SchemaImmutable(template.schema_id.clone())),
    }
}

/// Retires a schema; a second time does nothing.
///
/// # Errors
/// [`Refusal::UnknownSchema`].
pub fn retire(state: &State, schema_id: SchemaId) -> Result<Vec<Event>, Refusal> {
    match state.bases.get(&schema_id) {
        None => Err(Refusal::UnknownSchema(schema_id)),
        Some(base) if base.retired.is_some() => Ok(Vec::new()),
        Some(_) => Ok(vec![Event::BaseRetired { schema_id, by: None }]),
    }
}

/// Restores a retired schema; one that is not retired stays as it is.
///
/// # Errors
/// [`Refusal::UnknownSchema`].
pub fn restore(state: &State, schema_id: SchemaId) -> Result<Vec<Event>, Refusal> {
    match state.bases.get(&schema_id) {
        None => Err(Refusal::UnknownSchema(schema_id)),
        Some(base) if base.retired.is_none() => Ok(Vec::new()),
        Some(_) => Ok(vec![Event::BaseRestored { schema_id, by: None }]),
    }
}

/// Whether a schema takes submissions.
///
/// # Errors
/// [`Refusal::UnknownSchema`], [`Refusal::SchemaRetired`].
pub fn accepts(state: &State, schema_id: &SchemaId) -> Result<(), Refusal> {
    match state.bases.get(schema_id) {
        None => Err(Refusal::UnknownSchema(schema_id.clone())),
        Some(base) if base.retired.is_some() => Err(Refusal::SchemaRetired(schema_id.clone())),
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests;
