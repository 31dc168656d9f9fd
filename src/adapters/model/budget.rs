//! What a model may cost in one UTC day, in calls and in tokens.
//!
//! What is spent stands in a small file beside the data and is written before a call goes out, so that a restart, or a
//! crash in the middle of a call, never gives a day's budget a second time. It is a file and no event: it belongs to the
//! process, not to a scenario, and nothing is decided by it that a replay would have to decide again. Invariants: a call
//! whose cost cannot be noted is not made; a file that cannot be read counts as a day that is spent.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use serde::Deserialize;
use serde::Serialize;

use crate::adapters::text_file;
use schema::time::At;

/// The file's name in the data folder.
pub const FILE: &str = "model_budget.json";

/// What one day has cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spent {
    /// `YYYY-MM-DD`, in UTC.
    day: String,
    calls: u64,
    tokens: u64,
}

/// The budget of a day and what is spent of it.
#[derive(Debug)]
pub struct Budget {
    calls_per_day: u64,
    tokens_per_day: u64,
    file: Option<PathBuf>,
    spent: Mutex<Spent>,
}

/// Room that one call was given.
#[derive(Debug, PartialEq, Eq)]
pub struct Reservation {
    day: String,
    tokens: u64,
}

impl Budget {
    /// A budget that lives as long as the process.
    pub fn new(calls_per_day: u64, tokens_per_day: u64) -> Budget {
        Budget {
            calls_per_day,
            tokens_per_day,
            file: None,
            spent: Mutex::default(),
        }
    }

    /// A budget whose spending is kept in a folder, made when it is missing.
    pub fn kept(calls_per_day: u64, tokens_per_day: u64, folder: &Path, now: At) -> Budget {
        let file = folder.join(FILE);
        let spent = match std::fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes).ok(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(Spent::default()),
            Err(_) => None,
        };
        let spent = spent.unwrap_or_else(|| {
            tracing::warn!(
                file = %file.display(),
                "what the model has cost today cannot be read, so nothing more is spent today; remove the file to begin anew"
            );
            Spent {
                day: now.date(),
                calls: u64::MAX,
                tokens: u64::MAX,
            }
        });
        Budget {
            file: Some(file),
            spent: Mutex::new(spent),
            ..Budget::new(calls_per_day, tokens_per_day)
        }
    }

    /// Takes a call and so many tokens out of the day's budget, of which only `share` may be spent afterwards. `None` when
    /// there is not enough left, or it cannot be noted.
    pub fn reserve(&self, tokens: u64, share: f64, now: At) -> Option<Reservation> {
        let day = now.date();
        let mut spent = self.today(&day);
        let after = Spent {
            day: day.clone(),
            calls: spent.calls.saturating_add(1),
            tokens: spent.tokens.saturating_add(tokens),
        };
        if after.calls > part(self.calls_per_day, share) || after.tokens > part(self.tokens_per_day, share) {
            return None;
        }
        if let Err(error) = self.keep(&after) {
            tracing::warn!(%error, "the model is not asked: what it costs cannot be noted beside the data");
            return None;
        }
        *spent = after;
        Some(Reservation { day, tokens })
    }

    /// Puts what a call really cost in the place of what was reserved for it.
    pub fn settle(&self, reservation: Reservation, tokens: u64, now: At) {
        let mut spent = self.today(&now.date());
        if spent.day != reservation.day {
            return;
        }
        spent.tokens = spent.tokens.saturating_sub(reservation.tokens).saturating_add(tokens);
        if let Err(error) = self.keep(&spent) {
            tracing::warn!(%error, "what a call to the model cost cannot be noted beside the data");
        }
    }

    /// Calls and tokens left today.
    pub fn left(&self, now: At) -> (u64, u64) {
        let spent = self.today(&now.date());
        (
            self.calls_per_day.saturating_sub(spent.calls),
            self.tokens_per_day.saturating_sub(spent.tokens),
        )
    }

    /// What is spent, nothing on a new day. A clock that was set back does not bring a day's budget again.
    fn today(&self, day: &str) -> MutexGuard<'_, Spent> {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        if spent.day.as_str() < day {
            *spent = Spent {
                day: day.to_owned(),
                ..Spent::default()
            };
        }
        spent
    }

    fn keep(&self, spent: &Spent) -> std::io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        text_file::replace(file, &serde_json::to_vec(spent)?)
    }
}

/// A share of a limit, rounded down; a whole one exactly.
fn part(limit: u64, share: f64) -> u64 {
    if share >= 1.0 {
        return limit;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a limit lies between zero and the limit"
    )]
    let part = (limit as f64 * share.max(0.0)) as u64;
    part.min(limit)
}

#[cfg(test)]
mod tests {
    use super::Budget;
    use super::FILE;
    use schema::time::At;
    use schema::time::DAY_MS;

    const NOON: At = At(20_000 * DAY_MS + DAY_MS / 2);

    #[test]
    fn calls_and_tokens_are_given_up_to_a_share_of_the_days_limit() {
        for (calls, tokens, share, asked, given) in [
            (2, 1_000, 1.0, &[1, 1, 1][..], 2),
            (9, 100, 1.0, &[100], 1),
            (9, 100, 1.0, &[101], 0),
            (0, 100, 1.0, &[1], 0),
            (1, 0, 1.0, &[1], 0),
            (4, 1_000, 0.5, &[1, 1, 1], 2),
            (9, 100, 0.5, &[50], 1),
            (9, 100, 0.5, &[51], 0),
        ] {
            let budget = Budget::new(calls, tokens);
            let reserved = asked.iter().filter_map(|asked| budget.reserve(*asked, share, NOON));
            assert_eq!(reserved.count(), given, "{calls} {tokens} {share} {asked:?}");
        }
    }

    #[test]
    fn a_new_utc_day_begins_anew_and_an_earlier_one_does_not() {
        let budget = Budget::new(1, 100);
        let reserved = budget.reserve(100, 1.0, NOON).expect("room");
        let before_midnight = At(20_001 * DAY_MS - 1);
        assert_eq!(budget.left(before_midnight), (0, 0));
        let midnight = At(20_001 * DAY_MS);
        assert_eq!(budget.left(midnight), (1, 100));
        budget.settle(reserved, 5, midnight);
        assert_eq!(budget.left(midnight), (1, 100), "yesterday's call");
        assert!(budget.reserve(1, 1.0, midnight).is_some());
        assert_eq!(budget.reserve(1, 1.0, NOON), None, "the clock was set back");
    }

    #[test]
    fn a_restart_does_not_give_the_budget_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("data");
        let open = || Budget::kept(2, 100, &data, NOON);
        let reserved = open().reserve(40, 1.0, NOON);
        assert!(reserved.is_some(), "the folder is made");
        assert_eq!(open().left(NOON), (1, 60), "as after a crash in the middle of the call");
        let budget = open();
        let reserved = budget.reserve(40, 1.0, NOON).expect("room");
        budget.settle(reserved, 10, NOON);
        assert_eq!(open().left(NOON), (0, 50));
        assert_eq!(open().left(At(NOON.0 + DAY_MS)), (2, 100));
    }

    #[test]
    fn a_file_that_cannot_be_read_or_written_spends_nothing_more() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(FILE), "{").expect("written");
        let budget = Budget::kept(2, 100, folder.path(), NOON);
        assert_eq!((budget.left(NOON), budget.reserve(1, 1.0, NOON)), ((0, 0), None));
        assert!(
            budget.reserve(1, 1.0, At(NOON.0 + DAY_MS)).is_some(),
            "tomorrow is another day"
        );
        let file = folder.path().join("no_folder");
        std::fs::write(&file, "").expect("written");
        assert_eq!(Budget::kept(2, 100, &file, NOON).reserve(1, 1.0, NOON), None);
    }
}
