//! Asking what is hosted: everything, or what answers a wish, with a label or without.

use strum::VariantNames;

use crate::api::scenarios::Scenarios;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::scenario_list::Page;
use crate::app::scenario_list::Place;
use crate::app::scenario_list::Sort;
use crate::app::scenarios::Asked;
use crate::wire::codes::Code;
use crate::wire::params::Params;
use crate::wire::problem::Problem;

/// Scenarios in the answer to a wish where nothing was said, and at most.
const FOUND: u64 = 10;
const FOUND_MAX: u64 = 100;
/// Scenarios of one page of the whole list, at most and where nothing was said.
const LISTED_MAX: u64 = 1_000;

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    wish: Option<String>,
    label: Option<(String, String)>,
    limit: Option<u64>,
    after: Option<Place>,
    sort: Sort,
    stats: bool,
}

impl Listing {
    /// A wish in plain words, a label as `name:value`, how many are wanted, and the `next` of the page before.
    ///
    /// # Errors
    /// `bad_parameter` for a label of another form, a limit out of its range, and an `after` that is no scenario's name or
    /// stands beside a wish.
    pub fn new(
        wish: Option<&str>,
        label: Option<&str>,
        limit: Option<u64>,
        after: Option<&str>,
    ) -> Result<Listing, Problem> {
        Listing::sorted(wish, label, limit, after, None)
    }

    /// The same in an order of [`Sort`], by its name.
    ///
    /// # Errors
    /// As [`Listing::new`], also for an order that there is not or that stands beside a wish, and an `after` of another order.
    pub fn sorted(
        wish: Option<&str>,
        label: Option<&str>,
        limit: Option<u64>,
        after: Option<&str>,
        sort: Option<&str>,
    ) -> Result<Listing, Problem> {
        let bad = |what: String| Problem::new(Code::BadParameter, what);
        let label = match label.map(|text| text.split_once(':')) {
            None => None,
            Some(Some((name, value))) if !name.is_empty() => Some((name.to_owned(), value.to_owned())),
            Some(_) => return Err(bad("the parameter label must be name:value".to_owned())),
        };
        let most = if wish.is_some() { FOUND_MAX } else { LISTED_MAX };
        if limit.is_some_and(|limit| !(1..=most).contains(&limit)) {
            return Err(bad(format!("the parameter limit must be 1 to {most}")));
        }
        for (name, given) in [("after", after), ("sort", sort)] {
            if given.is_some() && wish.is_some() {
                return Err(bad(format!(
                    "the parameter {name} goes without q: the likest come first"
                )));
            }
        }
        let sort: Option<Sort> = sort
            .map(|name| {
                let what = || {
                    bad(format!(
                        "the parameter sort must be one of {}",
                        Sort::VARIANTS.join(", ")
                    ))
                };
                name.parse().map_err(|_| what())
            })
            .transpose()?;
        let sort = sort.unwrap_or_default();
        let after = after.map(|text| {
            let place = Place::parse(text, sort);
            place.ok_or_else(|| bad("the parameter after must be the next of a page in this order".to_owned()))
        });
        Ok(Listing {
            wish: wish.map(str::to_owned),
            label,
            limit,
            after: after.transpose()?,
            sort,
            stats: false,
        })
    }

    /// The same with the figures of each scenario, or without.
    #[must_use]
    pub fn with_stats(self, stats: bool) -> Listing {
        Listing { stats, ..self }
    }

    /// Reads `{"q"?, "label"?, "limit"?, "after"?}`.
    ///
    /// # Errors
    /// As [`Listing::new`]; `bad_request` for a member of another type.
    pub fn of(params: &Params) -> Result<Listing, Problem> {
        let (wish, label, after) = (params.text("q")?, params.text("label")?, params.text("after")?);
        Listing::new(wish, label, params.whole("limit")?, after)
    }

    /// What is hosted.
    pub async fn fetch(&self, service: &App, caller: &Caller) -> Result<Scenarios, Problem> {
        let label = self.label.as_ref();
        let label = label.map(|(name, value)| (name.as_str(), value.as_str()));
        let Some(wish) = &self.wish else {
            let page = Page {
                label,
                sort: self.sort,
                stats: self.stats,
                limit: self.limit.unwrap_or(LISTED_MAX) as usize,
                after: self.after.as_ref(),
            };
            return Ok(service.scenario_page(caller, page)?);
        };
        let asked = Asked {
            wish,
            label,
            limit: self.limit.unwrap_or(FOUND) as usize,
            stats: self.stats,
        };
        Ok(service.search(caller, asked).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::FOUND_MAX;
    use super::LISTED_MAX;
    use super::Listing;

    #[test]
    fn a_limit_is_held_to_its_range_z015() {
        for (wish, label, limit, after, right) in [
            (None, None, None, None, true),
            (Some("w"), Some("team:trains"), Some(1), None, true),
            (Some("w"), None, Some(FOUND_MAX), None, true),
            (Some("w"), None, Some(FOUND_MAX + 1), None, false),
            (Some("w"), None, Some(0), None, false),
            (Some("w"), None, None, Some("a"), false),
            (None, None, Some(0), None, false),
            (None, None, Some(LISTED_MAX), Some("a"), true),
            (None, None, Some(LISTED_MAX + 1), None, false),
            (None, None, None, Some(""), false),
            (None, Some("trains"), None, None, false),
            (None, Some(":"), None, None, false),
            (None, Some(":trains"), None, None, false),
        ] {
            assert_eq!(
                Listing::new(wish, label, limit, after).is_ok(),
                right,
                "{wish:?} {label:?} {limit:?} {after:?}"
            );
        }
    }

    #[test]
    fn an_order_is_one_that_there_is_and_goes_with_its_own_places_and_without_a_wish() {
        for (wish, sort, after, right) in [
            (None, Some("name"), Some("trip"), true),
            (None, Some("waiting"), None, true),
            (None, Some("waiting"), Some("waiting.3.trip"), true),
            (None, Some("payloads"), Some("waiting.3.trip"), false),
            (None, Some("waiting"), Some("trip"), false),
            (None, Some("other_ratio"), Some("other_ratio.0.trip"), true),
            (None, Some("clients"), None, false),
            (None, Some(""), None, false),
            (Some("w"), Some("name"), None, false),
        ] {
            let asked = Listing::sorted(wish, None, None, after, sort);
            assert_eq!(asked.is_ok(), right, "{wish:?} {sort:?} {after:?}");
        }
    }
}
