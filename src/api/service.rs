//! Health, the service's standing, and problems.

use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::ToSchema;

use crate::api::callers::By;

/// Why a person does something. The body may be left out.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OperatorReason {
    #[schema(required = false, max_length = 500)]
    pub reason: Option<String>,
}

/// What this is, and where to go.
#[derive(ToSchema)]
pub struct Front {
    pub service: String,
    pub version: String,
    pub description: String,
    /// Addresses by what they are for.
    pub links: BTreeMap<String, String>,
}

/// Whether the service writes.
#[derive(ToSchema)]
pub struct Standing {
    pub writes: Writes,
    /// Whether the settings keep it read-only.
    pub by_setting: bool,
    #[schema(required = false, format = DateTime)]
    pub since: String,
    #[schema(required = false)]
    pub by: By,
    #[schema(required = false)]
    pub reason: Option<String>,
    /// Room on the disk that holds the data.
    #[schema(required = false)]
    pub free_bytes: u64,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Writes {
    Open,
    ReadOnly,
    DiskFull,
    Stalled,
    Broken,
}

/// The process answers.
#[derive(ToSchema)]
pub struct Alive {
    pub status: String,
}

/// Calls should come.
#[derive(ToSchema)]
pub struct Ready {
    /// `ready`, or `degraded` where scenarios record what is submitted and learn nothing from it.
    pub status: String,
    pub writes: Writes,
    /// How many scenarios that are; left out where there are none.
    #[schema(required = false)]
    pub stalled_scenarios: u64,
}

/// The description of the interface.
#[derive(ToSchema)]
pub struct OpenApiDocument {
    pub openapi: String,
    #[schema(value_type = Object)]
    pub info: Value,
    #[schema(value_type = Object)]
    pub paths: Value,
    #[schema(required = false)]
    pub servers: Vec<Value>,
    #[schema(required = false, value_type = Object)]
    pub components: Value,
    #[schema(required = false)]
    pub tags: Vec<Value>,
    #[schema(required = false)]
    pub security: Vec<Value>,
}
