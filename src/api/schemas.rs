//! What is hosted, what a version of a schema is to the others of its scenario, and what a publisher is told.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::clients::WouldBreak;
use crate::api::problems::ProblemDocument;
use crate::api::templates::SchemaTemplate;
use engine::evolution::stage::StageName;
use schema::act::By;
use schema::advice::Finding;
use schema::compatibility::Assessment;
use schema::difference::change::Change;
use schema::import::finding::ImportFinding;
use schema::name::PatchId;
use schema::template;

/// What a publisher is told of a schema.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Publication {
    pub schema_id: String,
    pub scenario: String,
    pub version: String,
    #[schema(minimum = 0, maximum = 100)]
    pub score: u8,
    /// A score for each key but `other`.
    #[schema(value_type = BTreeMap<String, u8>)]
    pub key_scores: Map<String, Value>,
    pub findings: Vec<Finding>,
    /// What is enforced, by key.
    #[schema(value_type = BTreeMap<String, Value>)]
    pub constraints: Map<String, Value>,
    pub compatibility: Assessment,
    pub taken_over: Vec<TakenOver>,
    /// Of a check: whether the same is published already.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = bool)]
    pub known: Option<bool>,
    /// Of a check: whether publishing it would be answered with success.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = bool)]
    pub publishable: Option<bool>,
    /// Of a check: the problem that publishing it would be answered with.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = ProblemDocument)]
    pub refusal: Option<Value>,
    /// Of a check by whoever may publish it and inspect: whom it would refuse, by what they submitted lately.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = WouldBreak)]
    pub would_break: Option<WouldBreak>,
    /// Of a rebase: the patches that it takes in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Vec<String>)]
    pub patches: Option<Vec<PatchId>>,
    /// Of a rebase: the template that is published.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = SchemaTemplate)]
    pub template: Option<template::SchemaTemplate>,
}

/// A template that was made of another document. Nothing is published.
#[derive(Debug, Serialize, ToSchema)]
pub struct Imported {
    #[schema(value_type = SchemaTemplate)]
    pub template: template::SchemaTemplate,
    pub findings: Vec<ImportFinding>,
    pub lint: ImportLint,
}

/// What the lint says of an imported template.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportLint {
    #[schema(minimum = 0, maximum = 100)]
    pub score: u8,
    pub findings: Vec<Finding>,
}

/// A learned key that the template has itself.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct TakenOver {
    pub patch_id: String,
    pub stage: StageName,
    pub key_name: String,
    pub changes: Vec<Change>,
}

/// A base schema as it was published, retired or not.
#[derive(Debug, Serialize)]
pub struct PublishedSchema {
    #[serde(flatten)]
    pub template: template::SchemaTemplate,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub retired: bool,
}

/// Whether a schema is retired.
#[derive(Debug, Serialize, ToSchema)]
pub struct Retirement {
    pub schema_id: String,
    pub retired: bool,
}

/// How it is announced that a schema is to go. The body may be left out.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Deprecating {
    /// From when on it may be gone: a moment that is still to come.
    #[schema(required = false, format = DateTime)]
    pub sunset: Option<String>,
    #[schema(required = false, max_length = 500)]
    pub reason: Option<String>,
}

/// That a schema is to go.
#[derive(Debug, Serialize, ToSchema)]
pub struct Deprecated {
    pub schema_id: String,
    /// When it was announced first.
    #[schema(format = DateTime)]
    pub deprecated_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, format = DateTime)]
    pub sunset: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub reason: Option<String>,
}

/// The versions of a scenario's schema, the highest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct Versions {
    pub versions: Vec<Version>,
}

/// One version.
#[derive(Debug, Serialize, ToSchema)]
pub struct Version {
    pub schema_id: String,
    pub version: String,
    pub state: VersionState,
    /// Whether it is the one that is served where none is named.
    pub in_force: bool,
    /// Null where its record does not tell any more.
    #[schema(format = DateTime)]
    pub published_at: Option<String>,
    /// Null where nobody is known to have done it.
    pub published_by: Option<By>,
    /// Clients that submitted by it last.
    pub clients: u64,
    /// When it was retired the last time; null where it is not.
    #[schema(format = DateTime)]
    pub retired_at: Option<String>,
    /// When it was announced that it is to go; null where it was not.
    #[schema(format = DateTime)]
    pub deprecated_at: Option<String>,
    /// From when on it may be gone; null where that is not said.
    #[schema(format = DateTime)]
    pub sunset: Option<String>,
    /// Why it is deprecated; null where that is not said.
    pub reason: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VersionState {
    Published,
    /// It works, and is to go.
    Deprecated,
    /// Submissions by it are refused.
    Retired,
}
