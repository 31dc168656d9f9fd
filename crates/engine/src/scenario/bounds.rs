//! What each number of a policy may be: one table, read where settings are and where a template's `policy` is.
//!
//! Knows no settings file and no template. Invariant (held by a test): its paths are exactly the members of a policy but its
//! cohorts, and within these ranges no sum of moments overflows.

use serde_json::Value;

use crate::evolution::policy::Autonomy;
use crate::evolution::review::Seat;

/// The form and range of one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// `true` or `false`.
    Flag,
    /// A whole number between these, both included.
    Whole(i64, i64),
    /// A number between these, both included.
    Real(f64, f64),
    /// One of these words, the strictest first.
    Word(&'static [&'static str]),
}

impl Range {
    /// The range in words.
    pub fn words(self) -> String {
        match self {
            Range::Flag => "true or false".to_owned(),
            Range::Whole(low, high) => format!("whole number, {low} to {high}"),
            Range::Real(low, high) => format!("number, {low} to {high}"),
            Range::Word(words) => words.join(" or "),
        }
    }

    /// Whether a value is of this form and within the range.
    pub fn holds(self, value: &Value) -> bool {
        match self {
            Range::Flag => value.is_boolean(),
            Range::Whole(low, high) => value.as_i64().is_some_and(|number| (low..=high).contains(&number)),
            Range::Real(low, high) => value.as_f64().is_some_and(|number| (low..=high).contains(&number)),
            Range::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        }
    }

    /// A value of this form as a number: of a flag whether it is set, of a word its place.
    fn number(self, value: &Value) -> f64 {
        match self {
            Range::Flag => f64::from(u8::from(value == true)),
            Range::Whole(..) | Range::Real(..) => value.as_f64().unwrap_or(0.0),
            Range::Word(words) => words.iter().position(|word| value == word).unwrap_or(0) as f64,
        }
    }
}

/// How far a template may go from what the operator set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latitude {
    /// As far as the range allows.
    Free,
    /// The operator's number is a floor; of a flag, that it is set.
    Raise,
    /// The operator's number is a ceiling.
    Lower,
    /// The operator's number is a ceiling, and 0 is above all others.
    Shorten,
    /// Of words: none after the operator's.
    Tighten,
}

impl Latitude {
    /// What a template may only do; `None` where it may do anything.
    pub fn words(self) -> Option<&'static str> {
        match self {
            Latitude::Free => None,
            Latitude::Raise => Some("A template may only make it stricter: raise it, or set it where it is not."),
            Latitude::Lower | Latitude::Shorten => Some("A template may only make it stricter: lower it."),
            Latitude::Tighten => Some("A template may only make it stricter: take a word that stands before it."),
        }
    }
}

/// One number of a policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Section and member, such as `pool.link_min`.
    pub path: &'static str,
    pub range: Range,
    pub latitude: Latitude,
}

impl Bound {
    /// Whether a template's value may stand where the operator's is `own`. Both are within the range.
    pub fn allows(&self, own: &Value, value: &Value) -> bool {
        let endless = |value: f64| if value == 0.0 { f64::INFINITY } else { value };
        let (own, value) = (self.range.number(own), self.range.number(value));
        match self.latitude {
            Latitude::Free => true,
            Latitude::Raise => value >= own,
            Latitude::Lower | Latitude::Tighten => value <= own,
            Latitude::Shorten => endless(value) <= endless(own),
        }
    }
}

const fn bound(path: &'static str, range: Range) -> Bound {
    Bound {
        path,
        range,
        latitude: Latitude::Free,
    }
}

const fn held(path: &'static str, range: Range, latitude: Latitude) -> Bound {
    Bound { path, range, latitude }
}

/// Shares and similarities.
pub const SHARE: Range = Range::Real(0.0, 1.0);
/// Counts that bound memory.
pub const COUNT: Range = Range::Whole(1, 1_000_000_000);
/// Durations, up to a hundred years.
pub const SECONDS: Range = Range::Whole(1, 3_155_760_000);

/// Every number, in the order of the settings.
pub const BOUNDS: &[Bound] = &[
    bound("pool.micro_cosine_min", SHARE),
    bound("pool.link_min", SHARE),
    bound("pool.look_every_fragments", COUNT),
    bound("pool.block_from_micros", COUNT),
    held("pool.micros_max", COUNT, Latitude::Lower),
    bound("pool.heat_half_life_s", SECONDS),
    bound("pool.heat_increment", Range::Real(0.001, 1_000_000.0)),
    bound("pool.extension_weight", Range::Real(1.0, 1_000.0)),
    bound("pool.heat_threshold", Range::Real(0.0, 1_000_000.0)),
    bound("pool.gate_window_s", SECONDS),
    bound("pool.gate_clients_min", COUNT),
    bound("pool.gate_occurrences_min", COUNT),
    bound("pool.gate_occurrence_clients_min", COUNT),
    bound("pool.gate_client_share_max", SHARE),
    bound("pool.gate_cohort_share_max", SHARE),
    bound("pool.fragments_per_submission_max", Range::Whole(1, 1_000)),
    bound("pool.mature_members_min", COUNT),
    bound("evolution.enabled", Range::Flag),
    bound("evolution.personal", Range::Flag),
    held("evolution.autonomy", Range::Word(Autonomy::WORDS), Latitude::Tighten),
    held("evolution.reader", Range::Word(Seat::WORDS), Latitude::Tighten),
    bound("evolution.trial_s", SECONDS),
    bound("evolution.extensions_max", Range::Whole(0, 1_000)),
    bound("evolution.trial_payloads_min", COUNT),
    bound("evolution.trial_judgements_min", COUNT),
    bound("evolution.promote_usage_min", SHARE),
    bound("evolution.promote_alignment_min", SHARE),
    bound("evolution.promote_type_min", SHARE),
    bound("evolution.deprecate_usage_below", SHARE),
    bound("evolution.deprecate_alignment_below", SHARE),
    bound("evolution.deprecate_type_below", SHARE),
    bound("evolution.window_days", Range::Whole(1, 3_650)),
    bound("evolution.grace_s", SECONDS),
    bound("evolution.withdrawn_s", SECONDS),
    bound("evolution.expiration_s", SECONDS),
    bound("evolution.cool_down_s", SECONDS),
    bound("evolution.experimental_max", Range::Whole(0, 1_000)),
    bound("evolution.experimental_per_template_max", Range::Whole(0, 1_000)),
    bound("evolution.personal_max", Range::Whole(0, 1_000_000)),
    held("evolution.example_clients_min", COUNT, Latitude::Raise),
    bound("evolution.suggestions_max", Range::Whole(0, 1_000)),
    bound("evolution.induction_fragments_max", Range::Whole(1, 100_000)),
    held("evolution.model_judge_share", SHARE, Latitude::Lower),
    bound("evolution.audit_share", SHARE),
    bound("evolution.audits_max", Range::Whole(0, 10_000)),
    bound("evolution.backtest_days", Range::Whole(0, 3_650)),
    bound("evolution.backtest_submissions_max", Range::Whole(1, 100_000)),
    held(
        "evolution.examples_kept_days",
        Range::Whole(0, 36_500),
        Latitude::Shorten,
    ),
];

/// The row of a path such as `pool.link_min`.
pub fn find(path: &str) -> Option<&'static Bound> {
    BOUNDS.iter().find(|bound| bound.path == path)
}

/// The range of a path that is in the table, for other tables, which are made when this is compiled.
///
/// # Panics
/// Where there is no such path; so that a table that names one does not compile.
pub const fn range_of(path: &str) -> Range {
    let mut at = 0;
    while at < BOUNDS.len() {
        if same(BOUNDS[at].path.as_bytes(), path.as_bytes()) {
            return BOUNDS[at].range;
        }
        at += 1;
    }
    panic!("there is no number of that name")
}

const fn same(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if left[at] != right[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::BOUNDS;
    use super::Latitude;
    use super::Range;
    use super::SHARE;
    use super::find;
    use super::held;
    use crate::scenario::policy::Policy;

    #[test]
    fn every_number_of_a_policy_has_a_range_that_its_default_is_in_z073() {
        let policy = serde_json::to_value(Policy::default()).expect("a policy");
        let mut paths = BTreeSet::new();
        for section in ["pool", "evolution"] {
            for (name, value) in policy[section].as_object().expect("a section") {
                let path = format!("{section}.{name}");
                let bound = find(&path).unwrap_or_else(|| panic!("no range for {path}"));
                assert!(bound.range.holds(value), "{path}: {value}");
                paths.insert(path);
            }
        }
        assert_eq!(paths.len(), BOUNDS.len());
    }

    #[test]
    fn ranges_include_their_ends_and_nothing_of_another_form() {
        for (range, value, holds) in [
            (Range::Whole(1, 5), json!(1), true),
            (Range::Whole(1, 5), json!(5), true),
            (Range::Whole(1, 5), json!(0), false),
            (Range::Whole(1, 5), json!(6), false),
            (Range::Whole(1, 5), json!(2.0), false),
            (Range::Whole(1, 5), json!("2"), false),
            (Range::Whole(1, 5), json!(u64::MAX), false),
            (Range::Real(0.0, 1.0), json!(1), true),
            (Range::Real(0.0, 1.0), json!(1.001), false),
            (Range::Real(0.0, 1.0), json!(null), false),
            (Range::Flag, json!(true), true),
            (Range::Flag, json!(1), false),
            (Range::Word(&["a", "b"]), json!("b"), true),
            (Range::Word(&["a", "b"]), json!("c"), false),
            (Range::Word(&["a", "b"]), json!(0), false),
        ] {
            assert_eq!(range.holds(&value), holds, "{range:?} {value}");
        }
    }

    #[test]
    fn what_the_operator_set_is_a_floor_or_a_ceiling_z127() {
        let words = Range::Word(&["review", "certain", "auto"]);
        let days = Range::Whole(0, 100);
        for (range, latitude, own, value, allowed) in [
            (days, Latitude::Free, json!(3), json!(1), true),
            (Range::Flag, Latitude::Raise, json!(true), json!(false), false),
            (Range::Flag, Latitude::Raise, json!(false), json!(true), true),
            (days, Latitude::Raise, json!(3), json!(3), true),
            (days, Latitude::Raise, json!(3), json!(2), false),
            (SHARE, Latitude::Lower, json!(0.1), json!(0.1), true),
            (SHARE, Latitude::Lower, json!(0.1), json!(0.2), false),
            (days, Latitude::Shorten, json!(0), json!(30), true),
            (days, Latitude::Shorten, json!(30), json!(0), false),
            (days, Latitude::Shorten, json!(30), json!(31), false),
            (days, Latitude::Shorten, json!(0), json!(0), true),
            (words, Latitude::Tighten, json!("certain"), json!("review"), true),
            (words, Latitude::Tighten, json!("certain"), json!("certain"), true),
            (words, Latitude::Tighten, json!("certain"), json!("auto"), false),
        ] {
            let bound = held("pool.some", range, latitude);
            assert_eq!(bound.allows(&own, &value), allowed, "{latitude:?} {own} {value}");
        }
    }
}
