//! What a version of a schema is to the others of its scenario.

use serde_json::Value;
use utoipa::ToSchema;

use crate::api::templates::CompatibilityMode;

/// What a version is to the others of its scenario.
#[derive(ToSchema)]
pub struct Assessment {
    pub mode: CompatibilityMode,
    /// The schema whose `compatibility` rules; null where it is the service's setting.
    pub set_by: Option<String>,
    pub compatible: bool,
    pub compared: Vec<Comparison>,
}

/// A version beside another.
#[derive(ToSchema)]
pub struct Comparison {
    pub schema_id: String,
    pub version: String,
    pub enforced: bool,
    pub compatible: bool,
    pub changes: Vec<Change>,
}

/// One difference.
#[derive(ToSchema)]
pub struct Change {
    /// Such as `key_added` or `narrowed`.
    pub kind: String,
    #[schema(required = false)]
    pub key_name: String,
    pub pointer: String,
    pub class: ChangeClass,
    pub backward: Reading,
    pub forward: Reading,
    pub message: String,
    #[schema(required = false)]
    pub renamed_to: String,
    /// Payloads that show it.
    pub examples: Vec<ChangeExample>,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum ChangeClass {
    Wording,
    Additive,
    MayBreak,
    Breaking,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Reading {
    Compatible,
    MayBreak,
    Breaking,
}

/// A payload that one version accepts, and what the other makes of it.
#[derive(ToSchema)]
pub struct ChangeExample {
    pub direction: Direction,
    pub effect: Effect,
    #[schema(value_type = Object)]
    pub payload: Value,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Direction {
    Backward,
    Forward,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Effect {
    Refused,
    PassedOver,
    ReadOtherwise,
}
