//! What an entry of a scenario is to operators: figures in the metrics, and lines in the log.
//!
//! Decides nothing, and says no client's words.

use crate::app::effects;
use crate::app::handle::ScenarioHandle;
use crate::app::ports::Observer;
use crate::app::telemetry::Fate;
use crate::app::telemetry::ReaderOutcome;
use crate::app::telemetry::audience_name;
use crate::app::telemetry::key_changes_of;
use engine::evolution::stage::Reason;
use engine::scenario::event::Entry;
use engine::scenario::event::Event;
use schema::time::At;

/// Counts an entry, and logs what an operator looks for.
pub fn report(handle: &ScenarioHandle, observer: &dyn Observer, entry: &Entry) {
    let scenario = handle.key.as_str();
    for change in key_changes_of(&entry.event) {
        observer.change(scenario, change);
    }
    match &entry.event {
        Event::Digested { placements, .. } => {
            for placement in placements {
                observer.fragment(scenario, Fate::of(placement));
            }
        }
        Event::Triggered { audience, .. } => {
            observer.trigger(scenario, audience_name(audience));
        }
        Event::Proposed { patch } => tracing::info!(
            scenario, patch = %patch.patch_id, stage = patch.stage.name(), "proposed"
        ),
        Event::Reviewed(review) if review.unread => {
            tracing::info!(scenario, by = %review.by, "keys are made of clusters, unread");
        }
        Event::Reviewed(review) => {
            let refused = review.refused.len();
            let outcome = ReaderOutcome::Answered { refused };
            observer.review(scenario, outcome);
            tracing::info!(scenario, by = %review.by, refused, "the pool was read");
        }
        Event::ReviewFailed { why } => {
            observer.review(scenario, ReaderOutcome::Failed);
            tracing::warn!(scenario, why, "the reader gave no answer");
        }
        Event::Revived { patch_id, stage, .. } => {
            tracing::info!(scenario, patch = %patch_id, stage = stage.name(), "revived");
        }
        Event::Edited { patch_id, by, .. } => {
            administered!(info, by.as_ref(), scenario, patch = %patch_id, "edited");
        }
        Event::Staged {
            patch_id,
            stage,
            reason,
            by,
            ..
        } if *reason != Reason::Measured => {
            let state = handle.state();
            let schema_id = state.patch(patch_id).map(|patch| patch.parent_schema_id.to_string());
            administered!(
                info, by.as_ref(), scenario, schema_id, patch = %patch_id, stage = stage.name(), ?reason, "staged"
            );
        }
        Event::Frozen { by, reason } => {
            administered!(info, Some(by), scenario, reason = reason.as_deref(), "frozen")
        }
        Event::Thawed { by, reason } => {
            administered!(info, Some(by), scenario, reason = reason.as_deref(), "thawed")
        }
        Event::Dismissed {
            cluster, by, reason, ..
        } => {
            administered!(
                info,
                Some(by),
                scenario,
                cluster = cluster.0,
                reason = reason.as_deref(),
                "dismissed"
            )
        }
        Event::BasePublished { template, by, unproved } => {
            administered!(info, by.as_ref(), scenario, schema_id = %template.schema_id, unproved, "published");
        }
        Event::BaseRetired { schema_id, by } => administered!(info, by.as_ref(), scenario, %schema_id, "retired"),
        Event::BaseRestored { schema_id, by } => administered!(info, by.as_ref(), scenario, %schema_id, "restored"),
        Event::BaseDeprecated {
            schema_id,
            sunset,
            reason,
            by,
        } => {
            let (sunset, reason) = (sunset.map(At::rfc3339), reason.as_deref());
            administered!(info, by.as_ref(), scenario, %schema_id, sunset, reason, "deprecated");
        }
        Event::SchemaChecked { schema_id, by } => administered!(info, by.as_ref(), scenario, %schema_id, "checked"),
        Event::Reembedded { model, micros } => effects::report_reembedding(&handle.state(), scenario, model, micros),
        Event::Deferred { after, source: _ } => tracing::info!(scenario, after, "more waits to be read than is held"),
        Event::Erased { through } => tracing::info!(scenario, through, "sealed parts were erased"),
        Event::Submitted(_)
        | Event::Continued
        | Event::Executed(_)
        | Event::Redacted { .. }
        | Event::Received { .. }
        | Event::Recalled { .. }
        | Event::Judged(_)
        | Event::Audited(_)
        | Event::Regrouped(_)
        | Event::Rehomed { .. }
        | Event::Settled { .. }
        | Event::Staged { .. }
        | Event::Trimmed { .. } => {}
    }
}
