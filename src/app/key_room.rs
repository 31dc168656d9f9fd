//! Room for the idempotency keys of each client, so that no client fills the disk that others need.
//!
//! Lacks the keys, which lie on disk. Invariant: the keys of one client take no room of another one.

use std::collections::BTreeMap;

use crate::app::dependencies::Options;
use schema::time::At;
use schema::time::SECOND_MS;

/// Levels that are held before those are dropped that sank to nothing.
const LEVELS_MIN: usize = 1_024;

/// Level of each client: it rises by the time for which a key is kept and sinks evenly, so that a client that used up its room
/// regains all of it within `service.idempotency_s`.
#[derive(Debug, Default)]
pub struct KeyRoom {
    /// Level in key-milliseconds at a moment, by scope.
    levels: BTreeMap<String, (i128, At)>,
    /// Number of levels at which they are looked through.
    tidy_at: usize,
}

impl KeyRoom {
    /// Takes room for a key that is kept so long.
    ///
    /// # Errors
    /// The milliseconds after which there is room.
    pub fn take(&mut self, scope: &str, kept_ms: i64, options: &Options, now: At) -> Result<(), i128> {
        let rate = options.idempotency_client_keys_max as i128;
        let max = rate * i128::from(kept_ms.max(options.idempotency_s.saturating_mul(SECOND_MS)));
        let left = |(level, at): (i128, At)| (level - rate * i128::from(now.since_ms(at).max(0))).max(0);
        if self.levels.len() >= self.tidy_at {
            self.levels.retain(|_, level| left(*level) > 0);
            self.tidy_at = LEVELS_MIN.max(2 * self.levels.len());
        }
        let before = self.levels.get(scope).copied().map_or(0, left);
        let level = before + i128::from(kept_ms);
        if level > max {
            let over = level - max;
            return Err(over / rate + i128::from(over % rate > 0));
        }
        self.levels.insert(scope.to_owned(), (level, now));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::KeyRoom;
    use crate::app::dependencies::Options;
    use schema::time::At;

    #[test]
    fn a_client_uses_its_room_at_once_and_regains_it_evenly_and_others_have_theirs() {
        let options = Options {
            idempotency_s: 100,
            idempotency_client_keys_max: 4,
            ..Options::default()
        };
        let mut room = KeyRoom::default();
        let mut take = |scope: &str, kept_ms: i64, at: i64| room.take(scope, kept_ms, &options, At(at));
        assert!((0..4).all(|_| take("ana", 100_000, 0).is_ok()));
        assert_eq!(take("ana", 100_000, 0), Err(25_000));
        assert_eq!(take("ben", 100_000, 0), Ok(()));
        assert_eq!(take("ana", 100_000, 24_999), Err(1));
        assert_eq!(take("ana", 100_000, 25_000), Ok(()));
        // A key of a hundredth of the time takes a hundredth of the room.
        assert_eq!(take("ana", 1_000, 25_249), Err(1));
        assert_eq!(take("ana", 1_000, 25_250), Ok(()));
        assert!((0..400).all(|_| take("cem", 1_000, 0).is_ok()));
        assert!(take("cem", 1_000, 0).is_err());
    }

    #[test]
    fn levels_that_sank_to_nothing_are_dropped() {
        let (options, mut room) = (Options::default(), KeyRoom::default());
        for client in 0..100_000_i64 {
            assert!(
                room.take(&client.to_string(), 86_400_000, &options, At(client * 10))
                    .is_ok()
            );
        }
        assert!(room.levels.len() <= 1_024, "{}", room.levels.len());
    }
}
