//! Asking what is hosted: everything, or what answers a wish, with a label or without.

use crate::api::scenarios::ScenarioRow;
use crate::api::scenarios::Scenarios;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::scenarios::Asked;
use crate::wire::codes::Code;
use crate::wire::params::Params;
use crate::wire::problem::Problem;
use schema::name::ScenarioKey;

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
    after: Option<ScenarioKey>,
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
        if after.is_some() && wish.is_some() {
            let what = "the parameter after goes without q: the likest come first";
            return Err(bad(what.to_owned()));
        }
        let after = after.map(|name| {
            let key = ScenarioKey::parse(name);
            key.ok_or_else(|| bad("the parameter after must be the next of a page".to_owned()))
        });
        Ok(Listing {
            wish: wish.map(str::to_owned),
            label,
            limit,
            after: after.transpose()?,
        })
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
            return Ok(self.page(service.scenarios(caller, label)?));
        };
        let asked = Asked {
            wish,
            label,
            limit: self.limit.unwrap_or(FOUND) as usize,
        };
        Ok(service.search(caller, asked).await?)
    }

    /// The part of the list that is asked for, with `next` where there is more.
    fn page(&self, mut listed: Scenarios) -> Scenarios {
        let key = |row: &ScenarioRow| ScenarioKey::parse(&row.scenario);
        let rows = &mut listed.scenarios;
        if let Some(after) = &self.after {
            rows.retain(|row| key(row).is_none_or(|key| key > *after));
        }
        let limit = self.limit.unwrap_or(LISTED_MAX) as usize;
        if rows.len() > limit {
            rows.truncate(limit);
            listed.next = rows.last().and_then(key).map(|key| key.to_string());
        }
        listed
    }
}

#[cfg(test)]
mod tests {
    use super::FOUND_MAX;
    use super::LISTED_MAX;
    use super::Listing;
    use crate::api::scenarios::ScenarioRow;
    use crate::api::scenarios::Scenarios;

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
    fn pages_hold_everything_once_in_order_z049() {
        let listed = |names: &[&str], next: Option<&str>| Scenarios {
            scenarios: names
                .iter()
                .map(|name| ScenarioRow {
                    scenario: (*name).to_owned(),
                    ..ScenarioRow::default()
                })
                .collect(),
            next: next.map(str::to_owned),
            ..Scenarios::default()
        };
        let all = listed(&["A b", "c", "D"], None);
        let page = |limit: u64, after: Option<&str>| {
            let asked = Listing::new(None, None, Some(limit), after).expect("a page");
            asked.page(all.clone())
        };
        let first = page(2, None);
        assert_eq!(first, listed(&["A b", "c"], Some("c")));
        assert_eq!(page(2, first.next.as_deref()), listed(&["D"], None));
        assert_eq!(page(1, None).next.as_deref(), Some("a_b"), "in any spelling");
        assert_eq!(page(3, None), all);
    }
}
