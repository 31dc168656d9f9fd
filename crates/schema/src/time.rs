//! Time as a parameter: milliseconds since 1970-01-01T00:00:00Z, never read from a clock here.

use jiff::fmt::temporal::Pieces;
use serde::Deserialize;
use serde::Serialize;
use utoipa::ToSchema;

/// Milliseconds in one second.
pub const SECOND_MS: i64 = 1_000;
/// Milliseconds in one hour.
pub const HOUR_MS: i64 = 3_600 * SECOND_MS;
/// Milliseconds in one day.
pub const DAY_MS: i64 = 24 * HOUR_MS;

/// What a moment has to be that is well written and lies beyond what can be counted with.
pub const SUPPORTED: &str = "a moment from 0000-01-01T00:00:00Z to 9999-12-30T22:00:00Z";

/// A moment, in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct At(pub i64);

/// A calendar day in UTC, counted from the Unix epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Day(pub i64);

impl At {
    /// Reads an RFC 3339 moment; fractions below a millisecond are cut.
    pub fn parse(text: &str) -> Option<At> {
        text.parse::<jiff::Timestamp>().ok().map(|t| At(t.as_millisecond()))
    }

    /// Whether a text is a moment, and one that [`SUPPORTED`] leaves out: nothing is wrong with its form.
    pub fn is_beyond(text: &str) -> bool {
        let is_moment = |pieces: Pieces<'_>| pieces.time().is_some() && pieces.offset().is_some();
        At::parse(text).is_none() && Pieces::parse(text).is_ok_and(is_moment)
    }

    /// RFC 3339 in UTC, such as `2026-05-01T00:00:49Z`.
    pub fn rfc3339(self) -> String {
        jiff::Timestamp::from_millisecond(self.0).map_or_else(|_| "9999-12-31T23:59:59Z".to_owned(), |t| t.to_string())
    }

    /// The UTC date, `YYYY-MM-DD`.
    pub fn date(self) -> String {
        self.rfc3339().chars().take_while(|c| *c != 'T').collect()
    }

    /// This moment moved by some milliseconds, held at the ends of the range.
    #[must_use]
    pub fn plus_ms(self, ms: i64) -> At {
        At(self.0.saturating_add(ms))
    }

    /// This moment moved by some seconds, held at the ends of the range.
    #[must_use]
    pub fn plus_s(self, seconds: i64) -> At {
        self.plus_ms(seconds.saturating_mul(SECOND_MS))
    }

    /// Milliseconds from `earlier` to this moment; zero when `earlier` is later.
    pub fn since_ms(self, earlier: At) -> i64 {
        self.0.saturating_sub(earlier.0).max(0)
    }

    /// The UTC day that holds this moment.
    pub fn day(self) -> Day {
        Day(self.0.div_euclid(DAY_MS))
    }
}

impl Day {
    /// The first moment of the day.
    pub fn start(self) -> At {
        At(self.0.saturating_mul(DAY_MS))
    }
}

#[cfg(test)]
mod tests {
    use super::At;
    use super::DAY_MS;
    use super::Day;
    use super::SUPPORTED;

    #[test]
    fn rfc3339_reads_what_it_writes_and_days_begin_at_midnight_utc() {
        let at = At::parse("2026-05-01T00:00:49Z").expect("a moment");
        assert_eq!(at.rfc3339(), "2026-05-01T00:00:49Z");
        assert_eq!(at.date(), "2026-05-01");
        assert_eq!(at.day().start().rfc3339(), "2026-05-01T00:00:00Z");
        assert_eq!(At(-1).day(), Day(-1));
        assert_eq!(At(DAY_MS).since_ms(At(1)), DAY_MS - 1);
        assert_eq!(At(0).since_ms(At(5)), 0);
        assert_eq!(At(5).plus_s(2), At(2_005));
        assert_eq!(At(5).plus_s(i64::MAX), At(i64::MAX));
        assert_eq!(At::parse("2026-05-01T02:00:49+02:00"), Some(at));
    }

    #[test]
    fn a_moment_beyond_what_is_supported_is_told_from_what_is_none() {
        for text in ["0000-01-01T00:00:00Z", "9999-12-30T22:00:00Z"] {
            assert!(SUPPORTED.contains(text) && At::parse(text).is_some(), "{text}");
        }
        for (text, is_beyond) in [
            ("9999-12-30T22:00:01Z", true),
            ("9999-12-31T23:59:59.5+01:00", true),
            ("9999-12-30T22:00:00Z", false),
            ("9999-12-32T00:00:00Z", false),
            ("9999-12-31", false),
            ("9999-12-31T23:59:59", false),
            ("yesterday", false),
        ] {
            assert_eq!(At::is_beyond(text), is_beyond, "{text}");
        }
    }
}
