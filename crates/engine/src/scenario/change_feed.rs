//! Which entries outsiders are told of, and what of them: a base changed, a patch entered a stage, a patch awaits a person.
//!
//! A notice goes to systems that are no clients, so it holds no payload and does not say whose patch it is: a patch for a cohort
//! or one client appears only where it waits for a person, and then without its key. `by` names the operator or publisher who acted.
//! Invariant: topic, stage and revision of a notice depend on the entry alone; the name of the key, and what a patch waits for, are
//! read from the present state, so that an edit in between shows in them.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;
use serde_json::json;
use strum::EnumString;
use strum::IntoStaticStr;
use strum::VariantArray;

use crate::evolution::patch::Patch;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::pool::gate::Audience;
use crate::scenario::event::Entry;
use crate::scenario::event::Event;
use crate::scenario::state::State;
use schema::name::PatchId;
use schema::name::SchemaId;
use schema::time::At;

/// What a notice is about.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, EnumString, IntoStaticStr, VariantArray,
)]
pub enum Topic {
    #[serde(rename = "schema.published")]
    #[strum(serialize = "schema.published")]
    SchemaPublished,
    #[serde(rename = "schema.retired")]
    #[strum(serialize = "schema.retired")]
    SchemaRetired,
    #[serde(rename = "schema.restored")]
    #[strum(serialize = "schema.restored")]
    SchemaRestored,
    #[serde(rename = "schema.deprecated")]
    #[strum(serialize = "schema.deprecated")]
    SchemaDeprecated,
    /// A patch for all is experimental, stable, deprecated, withdrawn or expired now.
    #[serde(rename = "patch.staged")]
    #[strum(serialize = "patch.staged")]
    PatchStaged,
    /// A patch waits for a person: before it begins, or at the end of a trial that its figures leave undecided (Z-127, Z-157, Z-165).
    #[serde(rename = "patch.awaiting_approval")]
    #[strum(serialize = "patch.awaiting_approval")]
    PatchAwaitingApproval,
}

impl Topic {
    pub const ALL: &'static [Topic] = Topic::VARIANTS;

    /// Its name, as it is subscribed to.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The topic of this name.
    pub fn named(name: &str) -> Option<Topic> {
        name.parse().ok()
    }
}

/// What outsiders are told of one entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    pub topic: Topic,
    /// `{"scenario", "revision", "schema_id", "version", "sunset"?, "by"?}` of a base;
    /// `{"scenario", "revision", "patch_id", "parent_schema_id", "stage", "reason"?, "audience": {"kind"}, "key_name"?, "waits_for"?: [code], "by"?}` of
    /// a patch.
    pub data: Value,
}

/// What an event that outsiders may be told of is about.
enum Subject<'e> {
    Base(&'e SchemaId, Topic),
    /// A patch that enters a stage, or that its trial leaves to a person, and why.
    Patch(&'e PatchId, &'e Stage, Option<&'e Reason>),
}

fn subject(event: &Event) -> Option<Subject<'_>> {
    match event {
        Event::BasePublished { template, .. } => Some(Subject::Base(&template.schema_id, Topic::SchemaPublished)),
        Event::BaseRetired { schema_id, by: _ } => Some(Subject::Base(schema_id, Topic::SchemaRetired)),
        Event::BaseRestored { schema_id, by: _ } => Some(Subject::Base(schema_id, Topic::SchemaRestored)),
        Event::BaseDeprecated { schema_id, .. } => Some(Subject::Base(schema_id, Topic::SchemaDeprecated)),
        Event::Proposed { patch } => Some(Subject::Patch(&patch.patch_id, &patch.stage, None)),
        Event::Revived { patch_id, stage, .. } => Some(Subject::Patch(patch_id, stage, Some(&Reason::Revived))),
        Event::Staged {
            patch_id,
            stage,
            reason,
            ..
        } => (reason.enters() || reason.waits_for().is_some()).then_some(Subject::Patch(patch_id, stage, Some(reason))),
        _ => None,
    }
}

/// Whether anyone at all may be told of such an event; what exactly, and whether really, [`of`] says.
pub fn tells(event: &Event) -> bool {
    subject(event).is_some()
}

/// What is told of an entry, by a state at that entry or later.
pub fn of(state: &State, entry: &Entry) -> Option<Notice> {
    let mut notice = match subject(&entry.event)? {
        Subject::Base(schema_id, topic) => {
            let base = state.bases.get(schema_id);
            let version = base.map(|base| base.template.version().to_string());
            let data = json!({
                "scenario": state.scenario, "revision": entry.seq, "schema_id": schema_id, "version": version,
            });
            Notice { topic, data }
        }
        Subject::Patch(patch_id, stage, reason) => staged(state, entry, state.patch(patch_id)?, stage, reason)?,
    };
    if let Event::BaseDeprecated {
        sunset: Some(sunset), ..
    } = &entry.event
    {
        notice.data["sunset"] = json!(sunset.rfc3339());
    }
    if let Some(by) = entry.event.by() {
        notice.data["by"] = json!(by);
    }
    Some(notice)
}

fn staged(state: &State, entry: &Entry, patch: &Patch, stage: &Stage, reason: Option<&Reason>) -> Option<Notice> {
    let undecided = reason.and_then(Reason::waits_for);
    let topic = match stage {
        _ if undecided.is_some() => begins_to_wait(patch, entry.at).then_some(Topic::PatchAwaitingApproval),
        Stage::AwaitingApproval { .. } => Some(Topic::PatchAwaitingApproval),
        // What no client ever sees is told to nobody.
        Stage::Queued { .. } | Stage::Lapsed { .. } | Stage::Rejected { .. } => None,
        _ => Some(Topic::PatchStaged),
    };
    let for_all = patch.audience == Audience::Global;
    let topic = topic.filter(|topic| *topic == Topic::PatchAwaitingApproval || for_all)?;
    // The kind alone: whose a key is, is nobody else's business.
    let kind = match &patch.audience {
        Audience::Global => "global",
        Audience::Cohort(_) => "cohort",
        Audience::Client(_) => "client",
    };
    let mut data = json!({
        "scenario": state.scenario,
        "revision": entry.seq,
        "patch_id": patch.patch_id,
        "parent_schema_id": patch.parent_schema_id,
        "stage": stage.name(),
        "audience": {"kind": kind},
    });
    if let Some(reason) = reason {
        data["reason"] = json!(reason);
    }
    if for_all {
        data["key_name"] = json!(patch.change.key_name());
    }
    if topic == Topic::PatchAwaitingApproval {
        data["waits_for"] = match undecided {
            Some(waits) => json!([waits.code]),
            None => json!(patch.held_by()),
        };
    }
    Some(Notice { topic, data })
}

/// Whether a trial that was found undecided then was not so before: it is found so again after each period.
fn begins_to_wait(patch: &Patch, at: At) -> bool {
    // A change is never kept as earlier than its entry.
    let before = patch.history.iter().take_while(|change| change.at < at).last();
    before.is_none_or(|change| change.reason.waits_for().is_none())
}

#[cfg(test)]
mod tests;
