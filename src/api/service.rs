//! The service itself: where to go, whether it writes, whether calls should come, and who did something.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use utoipa::ToSchema;

use schema::act::By;
use schema::act::Method;

/// Why a person does something. The body may be left out.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OperatorReason {
    #[schema(required = false, max_length = 500)]
    pub reason: Option<String>,
}

/// What this is, and where to go.
#[derive(Debug, Serialize, ToSchema)]
pub struct Front {
    pub service: String,
    pub version: String,
    pub description: String,
    /// Addresses by what they are for.
    #[schema(value_type = HashMap<String, String>)]
    pub links: Map<String, Value>,
}

/// Whether the service writes.
#[derive(Debug, Serialize, ToSchema)]
pub struct Standing {
    pub writes: Writes,
    /// Whether the settings keep it read-only.
    pub by_setting: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, format = DateTime)]
    pub since: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = By)]
    pub by: Option<By>,
    /// Null where nothing was said of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Option<String>)]
    pub reason: Option<Option<String>>,
    /// Room on the disk that holds the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub free_bytes: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Writes {
    Open,
    ReadOnly,
    DiskFull,
    Stalled,
    Broken,
}

/// The caller, as the service knows it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Me {
    /// Null for one that names itself by nothing, where the service runs open.
    pub name: Option<String>,
    pub method: Method,
    /// `publisher`, `client`, `operator`, `auditor`.
    pub roles: Vec<String>,
    /// What these roles permit: `publish`, `negotiate`, `submit`, `share`, `inspect`, `audit`, `operate`.
    pub may: Vec<String>,
    /// The program's.
    pub version: String,
    /// The digest of the console's files; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub console: Option<String>,
}

/// The process answers.
#[derive(Debug, Serialize, ToSchema)]
pub struct Alive {
    pub status: String,
}

/// Calls should come.
#[derive(Debug, Serialize, ToSchema)]
pub struct Ready {
    /// `ready`, or `degraded` where scenarios record what is submitted and learn nothing from it, or schema files are left out.
    pub status: String,
    pub writes: Writes,
    /// How many scenarios that are; left out where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub stalled_scenarios: Option<u64>,
    /// Files of the schemas folder that are not published, which the log names; left out where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub schemas_left_out: Option<u64>,
}
