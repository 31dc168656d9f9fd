//! Asking what is hosted: everything, or what answers a wish, with a label or without.

use serde_json::Value;

use crate::edge::wire::codes::Code;
use crate::edge::wire::params::Params;
use crate::edge::wire::problem::Problem;
use crate::service::caller::Caller;
use crate::service::otherwise::Otherwise;
use crate::service::search::Asked;

/// Scenarios in the answer to a wish where nothing was said, and at most.
const FOUND: u64 = 10;
const FOUND_MAX: u64 = 100;

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    wish: Option<String>,
    label: Option<(String, String)>,
    limit: Option<u64>,
}

impl Listing {
    /// A wish in plain words, a label as `name:value`, and how many answers to a wish are wanted.
    ///
    /// # Errors
    /// `bad_parameter` for a label of another form, and a limit out of its range or without a wish.
    pub fn new(wish: Option<&str>, label: Option<&str>, limit: Option<u64>) -> Result<Listing, Problem> {
        let bad = |what: String| Problem::new(Code::BadParameter, what);
        let label = match label.map(|text| text.split_once(':')) {
            None => None,
            Some(Some((name, value))) => Some((name.to_owned(), value.to_owned())),
            Some(None) => return Err(bad("the parameter label must be name:value".to_owned())),
        };
        if limit.is_some_and(|limit| !(1..=FOUND_MAX).contains(&limit)) {
            return Err(bad(format!("the parameter limit must be 1 to {FOUND_MAX}")));
        }
        if limit.is_some() && wish.is_none() {
            let what = "the parameter limit goes with q; without it everything is listed";
            return Err(bad(what.to_owned()));
        }
        Ok(Listing {
            wish: wish.map(str::to_owned),
            label,
            limit,
        })
    }

    /// Reads `{"q"?, "label"?, "limit"?}`.
    ///
    /// # Errors
    /// As [`Listing::new`]; `bad_request` for a member of another type.
    pub fn of(params: &Params) -> Result<Listing, Problem> {
        Listing::new(params.text("q")?, params.text("label")?, params.whole("limit")?)
    }

    /// What is hosted.
    ///
    /// # Errors
    /// What the service says.
    pub async fn fetch(&self, service: &Otherwise, caller: &Caller) -> Result<Value, Problem> {
        let label = self.label.as_ref();
        let label = label.map(|(name, value)| (name.as_str(), value.as_str()));
        let Some(wish) = &self.wish else {
            return Ok(service.scenarios(caller, label)?);
        };
        let asked = Asked {
            wish,
            label,
            limit: self.limit.unwrap_or(FOUND) as usize,
        };
        Ok(service.search(caller, asked).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::FOUND_MAX;
    use super::Listing;

    #[test]
    fn a_limit_is_held_to_its_range_and_goes_with_a_wish_z015() {
        for (wish, label, limit, right) in [
            (None, None, None, true),
            (Some("w"), Some("team:trains"), Some(1), true),
            (Some("w"), None, Some(FOUND_MAX), true),
            (Some("w"), None, Some(FOUND_MAX + 1), false),
            (Some("w"), None, Some(0), false),
            (None, None, Some(1), false),
            (None, Some("trains"), None, false),
        ] {
            assert_eq!(
                Listing::new(wish, label, limit).is_ok(),
                right,
                "{wish:?} {label:?} {limit:?}"
            );
        }
    }
}
