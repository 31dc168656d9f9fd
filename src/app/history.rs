//! What was served earlier: the state as of a moment or a revision, read from the journal anew.
//!
//! Changes nothing and is no cache: one reading at a time, of a bounded number of records. Invariant: what is rendered here
//! has the same bytes as what was served then, since both come from the same entries.

use std::sync::Arc;

use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::pin::Pin;
use crate::app::reply::TemplateReply;
use crate::app::reply::Wanted;
use crate::app::restore;
use crate::app::view::ScenarioView;
use engine::scenario::evolve;
use engine::scenario::state::State;
use schema::time::At;
use store::journal::Journal;
use store::journal::JournalName;

/// Records read at once.
const CHUNK: usize = 2_048;

/// Milliseconds of a second.
const SECOND_MS: i64 = 1_000;

/// Up to where history is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Everything that had happened by then, this millisecond included.
    Moment(At),
    /// Everything that had happened by the end of the second that begins then.
    Second(At),
    /// Everything up to this sequence of the journal.
    Revision(u64),
}

impl Until {
    /// Reads `as_of`: a revision, or an RFC 3339 moment. One without a fraction stands for its whole second: who read the time of a
    /// publication to the second is served what was published in it.
    pub fn parse(text: &str) -> Option<Until> {
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return text.parse().ok().map(Until::Revision);
        }
        let is_exact = text.contains('.');
        At::parse(text).map(if is_exact { Until::Moment } else { Until::Second })
    }

    fn includes(self, seq: u64, at: At) -> bool {
        match self {
            Until::Moment(moment) => at <= moment,
            Until::Second(begin) => at.0 < begin.0.saturating_add(SECOND_MS),
            Until::Revision(revision) => seq <= revision,
        }
    }
}

impl App {
    /// The effective template for a caller as it was, in the form in which it was served; `turns` lets one read at a time.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::BadParameter`] for what is still to come; [`ServiceError::UnknownScenario`], also where nothing was published yet;
    /// what [`ScenarioView::meant`] says of a schema that is named; [`ServiceError::Busy`] while another reading is
    /// under way; [`ServiceError::LimitReached`] where too many records would have to be read; or a fault.
    pub async fn template_as_of(
        &self,
        caller: &Caller,
        scenario: &str,
        pin: Pin,
        wanted: Wanted<'_>,
        until: Until,
    ) -> Result<TemplateReply, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let (registry, turns) = (self.registry(), self.history());
        let handle = registry.by_scenario(scenario)?;
        let now = registry.deps.clock.now().max(handle.state().at);
        let comes = match until {
            Until::Moment(moment) | Until::Second(moment) => moment > now,
            Until::Revision(revision) => !handle.has_applied(revision),
        };
        if comes {
            let what = "the parameter as_of lies in the future: what will be served then is not known";
            return Err(ServiceError::BadParameter(what.to_owned()));
        }
        let (held, turns) = (Arc::clone(registry), Arc::clone(turns));
        let (client, language) = (caller.client.clone(), wanted.language.map(str::to_owned));
        let (experimental, form) = (wanted.experimental, wanted.form);
        let named = format!("{scenario} at that time");
        let read = tokio::task::spawn_blocking(move || {
            let Ok(_turn) = turns.try_acquire() else {
                return Err(ServiceError::Busy { retry_after_s: 1 });
            };
            let deps = &held.deps;
            let state = state(
                deps.journal.as_ref(),
                &handle.journal,
                until,
                deps.options.history_records_max,
            )?;
            let view = ScenarioView::build(&state, &deps.policy, held.limits);
            let schema_id = view.meant(&named, &pin)?;
            Ok(view.compiled(schema_id, client.as_ref()).map(|compiled| {
                compiled.render(Wanted {
                    language: language.as_deref(),
                    experimental,
                    form,
                })
            }))
        });
        read.await??
            .ok_or_else(|| ServiceError::UnknownScenario(format!("{scenario} at that time")))
    }
}

/// The state as it was; a snapshot that is not later is a shortcut.
fn state(journal: &dyn Journal, name: &JournalName, until: Until, records_max: u64) -> Result<State, ServiceError> {
    let shortcut = restore::shortcut(journal, name, |last| until.includes(last.seq, last.at))?;
    let mut state = shortcut.unwrap_or_default().state;
    let mut read = 0;
    loop {
        let records = journal.read(name, state.seq + 1, CHUNK)?;
        if records.is_empty() {
            return Ok(state);
        }
        for record in records {
            if !until.includes(record.seq, record.at) {
                return Ok(state);
            }
            read += 1;
            if read > records_max {
                return Err(ServiceError::LimitReached(format!(
                    "an earlier template is found by reading at most {records_max} records (service.history_records_max)"
                )));
            }
            evolve::evolve(&mut state, &restore::entry(name, &record)?);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Until;
    use schema::time::At;

    #[test]
    fn as_of_is_a_revision_or_a_moment_z105() {
        assert_eq!(Until::parse("17"), Some(Until::Revision(17)));
        assert_eq!(Until::parse("1970-01-01T00:00:02Z"), Some(Until::Second(At(2_000))));
        assert_eq!(
            Until::parse("1970-01-01T01:00:02+01:00"),
            Some(Until::Second(At(2_000)))
        );
        assert_eq!(Until::parse("1970-01-01T00:00:02.000Z"), Some(Until::Moment(At(2_000))));
        for wrong in ["", "-1", "yesterday", "1970-01-01", "99999999999999999999999"] {
            assert_eq!(Until::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_moment_and_a_revision_include_themselves_z105() {
        assert!(Until::Moment(At(5)).includes(9, At(5)) && !Until::Moment(At(5)).includes(9, At(6)));
        let second = Until::Second(At(2_000));
        assert!(second.includes(9, At(2_999)) && !second.includes(9, At(3_000)));
        assert!(Until::Revision(5).includes(5, At(9)) && !Until::Revision(5).includes(6, At(0)));
    }
}
