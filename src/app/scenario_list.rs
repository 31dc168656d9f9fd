//! Scenarios page by page, sorted by their names or by a figure, with figures or without; and what came to one day by day.
//!
//! Figures are those that are kept (see [`stats`]): a page costs the same whatever ledgers and pools hold. Invariant: while nothing
//! moves, the pages of a list hold each scenario once, in one order; a place is a figure and a name, so that ties are parted by names,
//! and one whose figure moves between two pages may stand on both of them or on neither.

use std::cmp::Reverse;

use strum::EnumString;
use strum::IntoStaticStr;
use strum::VariantNames;

use crate::api::scenarios::ScenarioRow;
use crate::api::scenarios::Scenarios;
use crate::api::stats::ScenarioDays;
use crate::api::stats::ScenarioStats;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::scenarios;
use crate::app::stats;
use engine::evolution::days;
use schema::name::ScenarioKey;

/// Days that are told at most: what a chart shows.
pub const DAYS_MAX: u64 = 120;
/// Days where nobody says how many.
pub const DAYS: u64 = 30;

/// What scenarios are sorted by: by figures the greatest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Sort {
    #[default]
    Name,
    /// What waits for a person.
    Waiting,
    OtherRatio,
    /// Of the last seven days.
    Payloads,
}

impl Sort {
    /// The figure as a number that ascends as it does.
    fn figure(self, stats: &ScenarioStats) -> u64 {
        match self {
            Sort::Name => 0,
            Sort::Waiting => stats.waits,
            // The bits of a number that is not negative ascend as it does; nothing comes after a zero.
            Sort::OtherRatio => stats.other_ratio.map_or(0, |ratio| ratio.to_bits() + 1),
            Sort::Payloads => stats.payloads_7d,
        }
    }
}

/// A place in a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    figure: Reverse<u64>,
    key: ScenarioKey,
}

impl Place {
    /// Reads what [`Place::text`] wrote; `None` for what a list sorted otherwise gave.
    pub fn parse(text: &str, sort: Sort) -> Option<Place> {
        let (figure, name) = match sort {
            Sort::Name => (0, text),
            Sort::Waiting | Sort::OtherRatio | Sort::Payloads => {
                let rest = text.strip_prefix(<&str>::from(sort))?.strip_prefix('.')?;
                let (figure, name) = rest.split_once('.')?;
                (figure.parse().ok()?, name)
            }
        };
        Some(Place {
            figure: Reverse(figure),
            key: ScenarioKey::parse(name)?,
        })
    }

    fn text(&self, sort: Sort) -> String {
        match sort {
            Sort::Name => self.key.to_string(),
            Sort::Waiting | Sort::OtherRatio | Sort::Payloads => {
                format!("{}.{}.{}", <&str>::from(sort), self.figure.0, self.key)
            }
        }
    }
}

/// Which part of the list is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// Only scenarios that bear this label.
    pub label: Option<(&'a str, &'a str)>,
    pub sort: Sort,
    /// Whether each is shown with its figures.
    pub stats: bool,
    pub limit: usize,
    /// The last of the page before.
    pub after: Option<&'a Place>,
}

impl App {
    /// A page of what is hosted.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], also where figures are asked for, if only to sort by, and the caller may not inspect.
    pub fn scenario_page(&self, caller: &Caller, page: Page<'_>) -> Result<Scenarios, ServiceError> {
        caller.require(Permission::Negotiate)?;
        if page.stats || page.sort != Sort::Name {
            caller.require(Permission::Inspect)?;
        }
        let registry = self.registry();
        let clock = registry.deps.clock.as_ref();
        // By names they lie in order already, and one more than the page says whether there is more.
        let (after, max) = match page.sort {
            Sort::Name => (page.after.map(|place| &place.key), page.limit.saturating_add(1)),
            Sort::Waiting | Sort::OtherRatio | Sort::Payloads => (None, usize::MAX),
        };
        let hosted = scenarios::hosted(registry, caller, page.label, after, max);
        let placed = hosted.into_iter().map(|hosted| {
            let figure = match page.sort {
                Sort::Name => 0,
                sort => sort.figure(&stats::kept(&hosted.handle, clock).stats),
            };
            let key = hosted.handle.key.clone();
            let figure = Reverse(figure);
            (Place { figure, key }, hosted)
        });
        let (shown, next) = part(placed.collect(), page.after, page.limit);
        let rows = shown.into_iter().map(|(_, hosted)| ScenarioRow {
            stats: page.stats.then(|| stats::shown(&hosted.handle, clock)),
            ..hosted.row(caller)
        });
        Ok(Scenarios {
            scenarios: rows.collect(),
            next: next.map(|place| place.text(page.sort)),
            ..Scenarios::default()
        })
    }

    /// What came to a scenario on each of the last days, as far back as its ledger is read.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::UnknownScenario`].
    pub fn scenario_days(&self, caller: &Caller, scenario: &str, days: usize) -> Result<ScenarioDays, ServiceError> {
        caller.require(Permission::Inspect)?;
        let handle = self.registry().by_scenario(scenario)?;
        let window_days = handle.view.load().policy.evolution.window_days;
        let days = i64::try_from(days).map_or(window_days, |days| days.min(window_days));
        let state = handle.state();
        Ok(ScenarioDays {
            scenario: handle.key.to_string(),
            days: days::of_scenario(&state.ledger, self.now(&state), days),
        })
    }
}

/// The part of a list after a place, in order, and the place of its last where there is more.
fn part<T>(mut all: Vec<(Place, T)>, after: Option<&Place>, limit: usize) -> (Vec<(Place, T)>, Option<Place>) {
    all.retain(|(place, _)| after.is_none_or(|after| place > after));
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    let more = all.len() > limit;
    all.truncate(limit);
    let next = all.last().filter(|_| more).map(|(place, _)| place.clone());
    (all, next)
}

#[cfg(test)]
mod tests {
    use super::Place;
    use super::Sort;
    use super::part;
    use crate::api::stats::ScenarioStats;
    use schema::name::ScenarioKey;
    use std::cmp::Reverse;

    fn place(figure: u64, name: &str) -> (Place, &str) {
        let key = ScenarioKey::parse(name).expect("a name");
        let figure = Reverse(figure);
        (Place { figure, key }, name)
    }

    fn names<'a>(part: &[(Place, &'a str)]) -> Vec<&'a str> {
        part.iter().map(|(_, name)| *name).collect()
    }

    #[test]
    fn pages_hold_everything_once_in_order_z049() {
        let all: Vec<(Place, &str)> = ["A b", "c", "D"].map(|name| place(0, name)).to_vec();
        let page = |limit: usize, after: Option<&str>| {
            let after = after.map(|text| Place::parse(text, Sort::Name).expect("a place"));
            let (shown, next) = part(all.clone(), after.as_ref(), limit);
            (names(&shown), next.map(|place| place.text(Sort::Name)))
        };
        assert_eq!(page(2, None), (vec!["A b", "c"], Some("c".to_owned())));
        assert_eq!(page(2, Some("c")), (vec!["D"], None));
        assert_eq!(page(1, None).1.as_deref(), Some("a_b"), "in any spelling");
        assert_eq!(page(3, None), (vec!["A b", "c", "D"], None));
    }

    #[test]
    fn the_greatest_come_first_and_ties_are_parted_by_names_over_pages() {
        let all: Vec<(Place, &str)> = [(0, "a"), (7, "z"), (2, "d"), (2, "c"), (2, "b"), (u64::MAX, "m")]
            .map(|(figure, name)| place(figure, name))
            .to_vec();
        let whole = ["m", "z", "b", "c", "d", "a"];
        for limit in 1..=whole.len() {
            let (mut seen, mut after) = (Vec::new(), None::<Place>);
            loop {
                let (shown, next) = part(all.clone(), after.as_ref(), limit);
                seen.extend(names(&shown));
                let Some(next) = next else { break };
                let text = next.text(Sort::Waiting);
                assert_eq!(Place::parse(&text, Sort::Waiting).as_ref(), Some(&next));
                after = Some(next);
            }
            assert_eq!(seen, whole, "pages of {limit}");
        }
    }

    #[test]
    fn a_place_is_of_one_order_alone() {
        let (waiting, _) = place(3, "trip.to_mars");
        let text = waiting.text(Sort::Waiting);
        for sort in [Sort::OtherRatio, Sort::Payloads] {
            assert_eq!(Place::parse(&text, sort), None);
        }
        for text in [
            "",
            "waiting",
            "waiting.",
            "waiting.3",
            "waiting.3.",
            "waiting.-1.a",
            "waiting.x.a",
            "a",
        ] {
            assert_eq!(Place::parse(text, Sort::Waiting), None, "{text}");
        }
        assert_eq!(Place::parse("", Sort::Name), None);
    }

    #[test]
    fn a_share_of_nothing_comes_after_a_share_of_none() {
        let figure = |other_ratio| {
            let stats = ScenarioStats {
                other_ratio,
                ..ScenarioStats::default()
            };
            Sort::OtherRatio.figure(&stats)
        };
        let ascending = [None, Some(0.0), Some(0.1), Some(1.0 / 3.0), Some(0.5), Some(1.0)].map(figure);
        assert!(ascending.is_sorted_by(|one, other| one < other), "{ascending:?}");
    }
}
