//! The ledger day by day as it is published: what came to a scenario, and what became of one key since its ledger opened.
//!
//! Counts nothing itself. Invariant: each day of a span is told, those on which nothing came as well, oldest first; the days of a
//! key add up to what is read of it over the same window.

use serde::Serialize;
use utoipa::ToSchema;

use crate::evolution::ledger::DayCounts;
use crate::evolution::ledger::DayTotals;
use crate::evolution::ledger::Ledger;
use crate::evolution::ledger::first_day;
use schema::name::PatchId;
use schema::time::At;
use schema::time::Day;

/// What came to a scenario on one day, in UTC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ScenarioDay {
    #[schema(format = Date)]
    pub day: String,
    /// Submissions, accepted and refused, each once.
    pub payloads: u64,
    /// Of them; 0 on days of a time before it was kept.
    pub refused: u64,
    /// Of them, those that said something in `other`.
    pub with_other: u64,
    /// Those with a name, each once.
    pub clients: u64,
}

/// What became of one key on one day, in UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct TrialDay {
    #[schema(format = Date)]
    pub day: String,
    /// Of the scenario, since the key's ledger opened.
    pub payloads: u64,
    /// Of them, those of clients that had received the key.
    pub payloads_of_recipients: u64,
    /// Payloads with the key.
    pub with_key: u64,
    /// Of them, those of clients that had received it.
    pub recipients_with_key: u64,
    /// Payloads whose value conforms to type and constraints.
    pub type_ok: u64,
    /// Values that were judged, on the day that they were sent.
    pub judged: u64,
    pub aligned: u64,
}

/// The last days of a scenario, up to that of `at`.
pub fn of_scenario(ledger: &Ledger, at: At, days: i64) -> Vec<ScenarioDay> {
    let nothing = DayTotals::default();
    let told = |day: Day| {
        let totals = ledger.days.get(&day).unwrap_or(&nothing);
        ScenarioDay {
            day: day.start().date(),
            payloads: totals.payloads,
            refused: totals.refused,
            with_other: totals.with_other,
            clients: totals.count_clients(),
        }
    };
    span(first_day(at, days), at).map(told).collect()
}

/// The days of a key since its ledger opened, within the window that its ratios are read over; none where it never opened.
pub fn of_trial(ledger: &Ledger, patch: &PatchId, at: At, window_days: i64) -> Vec<TrialDay> {
    let Some(own) = ledger.keys.get(patch) else {
        return Vec::new();
    };
    let opened = own.since.day();
    let nothing = DayCounts::default();
    let told = |day: Day| {
        let payloads = ledger.days.get(&day).map_or(0, |totals| totals.payloads);
        let before = if day == opened { own.payloads_before } else { 0 };
        let counts = own.days.get(&day).unwrap_or(&nothing);
        TrialDay {
            day: day.start().date(),
            payloads: payloads.saturating_sub(before),
            payloads_of_recipients: counts.payloads_of_recipients,
            with_key: counts.payloads_with_key,
            recipients_with_key: counts.recipients_with_key,
            type_ok: counts.type_ok,
            judged: counts.judged.values().map(|(_, all)| all).sum(),
            aligned: counts.judged.values().map(|(right, _)| right).sum(),
        }
    };
    span(first_day(at, window_days).max(opened), at).map(told).collect()
}

fn span(first: Day, at: At) -> impl Iterator<Item = Day> {
    (first.0..=at.day().0).map(Day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolution::ledger::Basis;
    use schema::exchange::verdict::Observed;
    use schema::name::ClientId;
    use schema::name::KeyName;
    use schema::name::ScenarioKey;
    use schema::time::DAY_MS;

    fn patch() -> PatchId {
        PatchId::numbered(&ScenarioKey::parse("s").expect("a scenario"), 1)
    }

    /// A submission of a day: whose, with `other`, accepted, with the key.
    fn submit(ledger: &mut Ledger, at: At, client: Option<&str>, with_other: bool, accepted: bool, key: Option<bool>) {
        let client = client.map(|name| ClientId::parse(name).expect("a client"));
        let observed = key.map(|type_ok| Observed {
            patch_id: patch(),
            key: KeyName::parse("seat").expect("a name"),
            type_ok,
        });
        let observed: Vec<Observed> = observed.into_iter().collect();
        ledger.submitted(at, client.as_ref(), with_other, accepted, &observed, &[patch()]);
    }

    fn day(n: i64) -> At {
        At(n * DAY_MS)
    }

    #[test]
    fn each_day_is_told_with_what_came_and_days_with_nothing_too() {
        let mut ledger = Ledger::default();
        submit(&mut ledger, day(1), Some("a"), false, true, None);
        submit(&mut ledger, day(1), Some("a"), true, false, None);
        submit(&mut ledger, day(1), None, false, true, None);
        submit(&mut ledger, day(3), Some("b"), false, false, None);
        let told = |day: &str, (payloads, refused, with_other, clients)| ScenarioDay {
            day: day.to_owned(),
            payloads,
            refused,
            with_other,
            clients,
        };
        assert_eq!(
            of_scenario(&ledger, day(3), 4),
            [
                told("1970-01-01", (0, 0, 0, 0)),
                told("1970-01-02", (3, 1, 1, 1)),
                told("1970-01-03", (0, 0, 0, 0)),
                told("1970-01-04", (1, 1, 0, 1)),
            ]
        );
        assert_eq!(of_scenario(&ledger, day(3), 1).len(), 1);
        assert_eq!(ledger.refused_ratio(day(3), 3), Some(0.5));
        assert_eq!(ledger.refused_ratio(day(9), 3), None, "of nothing");
        assert_eq!((ledger.payloads(day(3), 3), ledger.payloads(day(3), 2)), (4, 1));
    }

    #[test]
    fn the_days_of_a_key_begin_when_it_did_and_add_up_to_its_reading_z135_z158_z162() {
        let mut ledger = Ledger::default();
        submit(&mut ledger, day(2), Some("a"), false, true, None);
        assert_eq!(of_trial(&ledger, &patch(), day(2), 30), [], "it has no ledger yet");
        ledger.open(&patch(), day(2).plus_ms(1));
        let later = |n: i64| day(n).plus_ms(2);
        submit(&mut ledger, later(2), Some("a"), false, true, Some(true));
        submit(&mut ledger, later(2), None, false, true, Some(false));
        submit(&mut ledger, later(4), Some("a"), false, true, None);
        submit(&mut ledger, later(4), Some("b"), false, true, None);
        ledger.judged(&patch(), later(2), None, true, Basis::Lexical);
        ledger.judged(&patch(), later(2), None, false, Basis::Proxy);
        let (first, last) = (
            TrialDay {
                day: "1970-01-03".to_owned(),
                payloads: 2,
                payloads_of_recipients: 1,
                with_key: 2,
                recipients_with_key: 1,
                type_ok: 1,
                judged: 2,
                aligned: 1,
            },
            TrialDay {
                day: "1970-01-05".to_owned(),
                payloads: 2,
                payloads_of_recipients: 1,
                ..TrialDay::default()
            },
        );
        let nothing = TrialDay {
            day: "1970-01-04".to_owned(),
            ..TrialDay::default()
        };
        assert_eq!(
            of_trial(&ledger, &patch(), later(4), 30),
            [first, nothing.clone(), last.clone()]
        );
        assert_eq!(
            of_trial(&ledger, &patch(), later(4), 2),
            [nothing, last],
            "the opening day has left the window"
        );
        for window in [2, 30] {
            let (days, reading) = (
                of_trial(&ledger, &patch(), later(4), window),
                ledger.read(&patch(), later(4), window),
            );
            let sum = |of: fn(&TrialDay) -> u64| days.iter().map(of).sum::<u64>();
            assert_eq!(
                [
                    sum(|day| day.payloads),
                    sum(|day| day.with_key),
                    sum(|day| day.judged),
                    sum(|day| day.aligned)
                ],
                [
                    reading.payloads,
                    reading.payloads_with_key,
                    reading.judged,
                    reading.aligned
                ]
            );
            assert_eq!(sum(|day| day.payloads_of_recipients), reading.payloads_of_recipients);
            assert_eq!(sum(|day| day.type_ok), reading.type_ok);
        }
    }

    #[test]
    fn a_day_of_a_time_before_refusals_were_kept_reads_as_one_without() {
        let old = r#"{"payloads": 3, "with_other": 1, "clients": ["a"]}"#;
        let day: DayTotals = serde_json::from_str(old).expect("a day");
        assert_eq!((day.payloads, day.refused, day.count_clients()), (3, 0, 1));
    }
}
