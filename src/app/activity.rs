//! Looking on: what happens in the scenarios, as it happens, for who inspects; in names and numbers, which say what to load anew.
//!
//! The id of what is told is the moment of its entry, so that every process can go on from it: what was missed is read back from the
//! journals. Scenarios have no order among each other, so that some of what was told just before a break is told twice, and nothing
//! is lost. Where too much was missed, the one who looks is told to load everything (`reset`). Leaves no receipt.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::api::events::Happening;
use crate::app::application::App;
use crate::app::background;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::feed::Counted;
use crate::app::feed::Happened;
use crate::app::feed::News;
use crate::app::handle::ScenarioHandle;
use crate::app::restore;
use crate::app::sessions::watch::Told;
use engine::scenario::activity;
use engine::scenario::activity::Counts;
use schema::name::ScenarioKey;
use schema::time::At;
use store::journal::Journal;
use store::journal::JournalFault;

/// How long before an event others of an earlier moment may still be told, in milliseconds: an entry is told once it is on disk, and
/// one that takes longer is a fault of the store.
const OVERLAP_MS: i64 = 10_000;
/// Records that are read back to go on after a break: those of some minutes, read in some tenths of a second.
const RECORDS_MAX: u64 = 20_000;
/// Records read at once.
const CHUNK: u64 = 512;
/// Scenarios that one round of figures names; where more of them moved, a page loads its list anew at less cost.
const NAMED_MAX: usize = 100;

/// Somebody who looks on.
pub struct ActivityWatch {
    /// One scenario, or all.
    of: Option<ScenarioKey>,
    /// What is told at once.
    first: Vec<Told>,
    /// For scenarios that were read back, up to which entry.
    read: BTreeMap<ScenarioKey, u64>,
    news: Receiver<Arc<News>>,
    /// The id that was told last; no later one is smaller.
    id: u64,
}

/// What was missed, oldest first, and up to which entry of each scenario.
type Missed = (Vec<Happened>, BTreeMap<ScenarioKey, u64>);

impl App {
    /// Looks on at one scenario, or at all: from the event of this id on, or from now on, which begins with `reset`.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::UnknownScenario`].
    pub async fn look_on(
        &self,
        caller: &Caller,
        scenario: Option<&str>,
        after: Option<u64>,
    ) -> Result<ActivityWatch, ServiceError> {
        caller.require(Permission::Inspect)?;
        let registry = self.registry();
        let one = scenario.map(|name| registry.by_scenario(name)).transpose()?;
        // Before anything is read back: what is told meanwhile is known by its place in the journal.
        let news = registry.feed.listen();
        let now = registry.deps.clock.now();
        let of = one.as_ref().map(|handle| handle.key.clone());
        // A later id is one of another clock, or of another history.
        let missed = match after.filter(|after| *after <= id(now)) {
            None => None,
            Some(after) => {
                let handles = one.map_or_else(|| registry.handles(), |handle| vec![handle]);
                let deps = Arc::clone(&registry.deps);
                let from = i64::try_from(after).unwrap_or(i64::MAX);
                let from = At(from.saturating_sub(OVERLAP_MS));
                background::apart(move || missed(deps.journal.as_ref(), &handles, from)).await
            }
        };
        let missed = missed.transpose().unwrap_or_else(|fault| {
            tracing::error!(%fault, "what was missed cannot be read back");
            None
        });
        let mut watch = ActivityWatch {
            of,
            first: Vec::new(),
            read: BTreeMap::new(),
            news,
            id: after.unwrap_or_default(),
        };
        match missed.flatten() {
            Some((happened, read)) => {
                watch.first = happened.iter().map(|happened| watch.happened(happened)).collect();
                watch.read = read;
            }
            None => {
                watch.id = id(now);
                watch.first.push(reset(Some(watch.id)));
            }
        }
        Ok(watch)
    }
}

impl ActivityWatch {
    /// What happened; waits for it. Nothing is lost when this is given up before it answers. `None` when the service is gone.
    pub async fn next(&mut self) -> Option<Vec<Told>> {
        if !self.first.is_empty() {
            return Some(std::mem::take(&mut self.first));
        }
        loop {
            let told = match self.news.recv().await {
                Ok(news) => self.told(&news),
                Err(RecvError::Lagged(_)) => vec![reset(None)],
                Err(RecvError::Closed) => return None,
            };
            if !told.is_empty() {
                return Some(told);
            }
        }
    }

    fn told(&mut self, news: &News) -> Vec<Told> {
        match news {
            News::Happened(happened) => {
                let is_read = self
                    .read
                    .get(&happened.scenario)
                    .is_some_and(|read| happened.seq <= *read);
                let is_told = self.follows(&happened.scenario) && !is_read;
                is_told.then(|| self.happened(happened)).into_iter().collect()
            }
            News::Counted(counted) => self.counted(counted),
        }
    }

    fn follows(&self, scenario: &ScenarioKey) -> bool {
        self.of.as_ref().is_none_or(|of| of == scenario)
    }

    fn happened(&mut self, happened: &Happened) -> Told {
        let Happened {
            scenario,
            seq,
            at,
            what,
        } = happened;
        let data = Happening {
            scenario: Some(scenario.to_string()),
            patch_id: what.patch_id.as_ref().map(ToString::to_string),
            schema_id: what.schema_id.as_ref().map(ToString::to_string),
            revision: Some(*seq),
            counts: None,
        };
        Told::new(Some(self.advance(*at)), what.subject.name(), &data)
    }

    fn counted(&mut self, counted: &Counted) -> Vec<Told> {
        let moved = counted.scenarios.iter().filter(|(scenario, _)| self.follows(scenario));
        let mut moved: Vec<Happening> = moved.map(|(scenario, counts)| stands(scenario, *counts)).collect();
        if moved.len() > NAMED_MAX {
            moved = vec![Happening::default()];
        }
        let id = self.advance(counted.at);
        let told = moved.iter().map(|data| Told::new(Some(id), "stats", data));
        told.collect()
    }

    fn advance(&mut self, at: At) -> u64 {
        self.id = self.id.max(id(at));
        self.id
    }
}

fn stands(scenario: &ScenarioKey, counts: Counts) -> Happening {
    Happening {
        scenario: Some(scenario.to_string()),
        counts: Some(counts),
        ..Happening::default()
    }
}

fn reset(id: Option<u64>) -> Told {
    Told::new(id, "reset", &Happening::default())
}

fn id(at: At) -> u64 {
    u64::try_from(at.0).unwrap_or_default()
}

/// What happened from a moment on; `None` where that is too much. Reads the journals.
fn missed(journal: &dyn Journal, handles: &[Arc<ScenarioHandle>], from: At) -> Result<Option<Missed>, JournalFault> {
    let mut happened = Vec::new();
    let mut read = BTreeMap::new();
    let mut left = RECORDS_MAX;
    for handle in handles {
        let (seq, at) = {
            let state = handle.state();
            (state.seq, state.at)
        };
        if at < from {
            continue;
        }
        read.insert(handle.key.clone(), seq);
        let mut before = seq.saturating_add(1);
        let mut is_over = false;
        while !is_over && before > 1 {
            let first = before.saturating_sub(CHUNK).max(1);
            let count = before - first;
            let Some(rest) = left.checked_sub(count) else {
                return Ok(None);
            };
            left = rest;
            let records = journal.read(&handle.journal, first, usize::try_from(count).unwrap_or(usize::MAX))?;
            is_over = records.first().is_none_or(|record| record.at < from);
            for record in records.iter().filter(|record| record.at >= from) {
                let entry = restore::entry(&handle.journal, record)?;
                happened.extend(activity::of(&entry.event).map(|what| Happened {
                    scenario: handle.key.clone(),
                    seq: entry.seq,
                    at: entry.at,
                    what,
                }));
            }
            before = first;
        }
    }
    happened.sort_by(|one, other| (one.at, &one.scenario, one.seq).cmp(&(other.at, &other.scenario, other.seq)));
    Ok(Some((happened, read)))
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::app::feed::Feed;
    use engine::scenario::activity::Activity;
    use engine::scenario::activity::Subject;

    fn scenario(name: &str) -> ScenarioKey {
        ScenarioKey::parse(name).expect("a name")
    }

    fn happened(seq: u64, at: i64) -> News {
        News::Happened(Happened {
            scenario: scenario("tram"),
            seq,
            at: At(at),
            what: Activity {
                subject: Subject::Scenario,
                patch_id: None,
                schema_id: None,
            },
        })
    }

    fn counted(scenarios: usize) -> News {
        let name = |number| (scenario(&format!("s{number}")), Counts::default());
        News::Counted(Counted {
            at: At(7),
            scenarios: (0..scenarios).map(name).collect(),
        })
    }

    fn watch(feed: &Feed, of: Option<&str>) -> ActivityWatch {
        ActivityWatch {
            of: of.map(scenario),
            first: Vec::new(),
            read: BTreeMap::from([(scenario("tram"), 3)]),
            news: feed.listen(),
            id: 5,
        }
    }

    async fn names(watch: &mut ActivityWatch) -> Vec<(Option<u64>, &'static str)> {
        let told = watch.next().await.expect("something");
        told.iter().map(|told| (told.id, told.event)).collect()
    }

    #[tokio::test]
    async fn what_was_read_back_is_not_told_again_ids_never_fall_and_who_lags_loads_everything() {
        let feed = Feed::default();
        assert!(!feed.is_heard());
        let mut slow = watch(&feed, None);
        for (seq, at) in [(3, 4), (4, 4), (5, 9)] {
            feed.tell(happened(seq, at));
        }
        assert_eq!(names(&mut slow).await, [(Some(5), "scenario")]);
        assert_eq!(names(&mut slow).await, [(Some(9), "scenario")]);
        for seq in 0..2_000 {
            feed.tell(happened(seq + 6, 9));
        }
        assert_eq!(names(&mut slow).await, [(None, "reset")]);
        assert_eq!(names(&mut slow).await, [(Some(9), "scenario")], "what is left of it");
        drop(feed);
        while slow.next().await.is_some() {}
    }

    #[tokio::test]
    async fn figures_of_very_many_scenarios_name_none_but_the_one_that_is_followed() {
        let feed = Feed::default();
        let (mut all, mut one) = (watch(&feed, None), watch(&feed, Some("s3")));
        feed.tell(counted(2));
        feed.tell(counted(NAMED_MAX + 1));
        assert_eq!(names(&mut all).await.len(), 2);
        let many = all.next().await.expect("something");
        assert_eq!((many.len(), many[0].data.as_str()), (1, "{}"));
        let own = one.next().await.expect("something");
        assert!(own.len() == 1 && own[0].data.starts_with(r#"{"scenario":"s3","counts":{"waits":0"#));
    }
}
