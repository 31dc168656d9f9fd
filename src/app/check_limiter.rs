//! Limits how often each publisher holds candidates against stored submissions.
//!
//! Knows no candidate. Invariant: what is remembered is bounded by the checks of the last hour.

use std::collections::BTreeMap;

use crate::app::error::ServiceError;
use schema::time::At;
use schema::time::HOUR_MS;

/// Checks that one publisher may make within an hour.
pub const CHECKS_PER_HOUR: usize = 60;

/// Moments of each publisher's checks within the last hour.
#[derive(Debug, Default)]
pub struct CheckLimiter(BTreeMap<String, Vec<At>>);

impl CheckLimiter {
    /// Counts one more check of a publisher.
    ///
    /// # Errors
    /// [`ServiceError::LimitReachedFor`] with the seconds until the oldest check of the hour no longer counts.
    pub fn pass(&mut self, publisher: &str, now: At) -> Result<(), ServiceError> {
        for checks in self.0.values_mut() {
            checks.retain(|at| now.since_ms(*at) < HOUR_MS);
        }
        self.0.retain(|_, checks| !checks.is_empty());
        let checks = self.0.entry(publisher.to_owned()).or_default();
        if let Some(oldest) = checks.first().filter(|_| checks.len() >= CHECKS_PER_HOUR) {
            let left_ms = u64::try_from(HOUR_MS - now.since_ms(*oldest)).unwrap_or_default();
            return Err(ServiceError::LimitReachedFor {
                what: format!(
                    "a publisher may check {CHECKS_PER_HOUR} candidates an hour against stored submissions; wait, or read the \
                     differences with `otherwise diff`"
                ),
                retry_after_s: left_ms.div_ceil(1_000),
            });
        }
        checks.push(now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_publisher_may_check_so_often_within_an_hour_whatever_others_do() {
        let mut limiter = CheckLimiter::default();
        for n in 0..CHECKS_PER_HOUR as i64 {
            assert_eq!(limiter.pass("paul", At(n)), Ok(()));
        }
        let refused = limiter.pass("paul", At(HOUR_MS - 1_500));
        let Err(ServiceError::LimitReachedFor { retry_after_s, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(retry_after_s, 2, "rounded up");
        assert_eq!(limiter.pass("rita", At(HOUR_MS - 1_500)), Ok(()));
        assert_eq!(limiter.pass("paul", At(HOUR_MS)), Ok(()), "the oldest no longer counts");
        assert!(limiter.pass("paul", At(HOUR_MS)).is_err());
    }
}
