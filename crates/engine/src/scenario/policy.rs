//! All numbers of one scenario, and what each of them may be: one table, read where settings are and where a template's `policy` is.
//!
//! Invariant (held by a test): the paths of the table are exactly the members of a policy but its cohorts, and within these
//! ranges no sum of moments overflows.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use crate::evolution::policy::Autonomy;
use crate::evolution::policy::EvolutionPolicy;
use crate::evolution::review::Seat;
use crate::pool::cohort::Cohorts;
use crate::pool::policy::PoolPolicy;
use schema::advice::Advice;
use schema::advice::Finding;
use schema::defect::Defect;
use schema::defect::pointer_to;
use schema::nearest::nearest;

/// Where it stands in a template.
const MEMBER: &str = "/policy";
/// What a template may override.
const SECTIONS: [&str; 2] = ["pool", "evolution"];

/// Pool and evolution of one scenario. A template's `policy` member overrides single settings of the service's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    pub pool: PoolPolicy,
    pub evolution: EvolutionPolicy,
    /// Who is in which cohort: the operator's word, which no template overrides (Z-098).
    #[serde(skip_serializing_if = "Cohorts::is_empty")]
    pub cohorts: Cohorts,
}

/// What a policy comes to under a template's `policy`.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// Each number that is neither a defect nor held is the template's; the others are as they were.
    pub policy: Policy,
    /// Members that no template may have: unknown, of another form, or out of their range. They point into the template.
    pub defects: Vec<Defect>,
    /// What the operator's numbers hold, and numbers that contradict each other.
    pub findings: Vec<Finding>,
}

/// Two numbers that cannot both be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// Section and member of each, such as `pool.link_min`.
    pub paths: [&'static str; 2],
    pub message: String,
}

impl Policy {
    /// This policy with the numbers that a template overrides: `{"pool": {...}, "evolution": {...}}` (Z-073). Some may only
    /// be made stricter ([`Latitude`]): what an operator promised of approval,
    /// privacy and memory holds whatever is published.
    pub fn taking(&self, overrides: &Value) -> Taken {
        let own = serde_json::to_value(self).unwrap_or_default();
        let mut merged = own.clone();
        let (mut defects, mut findings, mut named) = (Vec::new(), Vec::new(), Vec::new());
        let mut refuse = |pointer: String, message: String| {
            let requirement = "Z-073".to_owned();
            defects.push(Defect {
                pointer,
                requirement,
                message,
            });
        };
        let sections = overrides.as_object();
        if sections.is_none() {
            refuse(MEMBER.to_owned(), "policy must be an object".to_owned());
        }
        for (section, members) in sections.into_iter().flatten() {
            let place = pointer_to(MEMBER, section);
            let Some(members) = members.as_object().filter(|_| SECTIONS.contains(&section.as_str())) else {
                let what = format!("policy.{section} is no section; there are pool and evolution, each an object");
                refuse(place, what);
                continue;
            };
            for (name, value) in members {
                let place = pointer_to(&place, name);
                let path = format!("{section}.{name}");
                let set = &own[section.as_str()][name.as_str()];
                match find(&path) {
                    None => refuse(place, unknown(section, &path)),
                    Some(bound) if !bound.range.holds(value) => {
                        refuse(place, format!("policy.{path} must be: {}", bound.range.words()));
                    }
                    Some(bound) if !bound.allows(set, value) => {
                        let may = bound.latitude.words().unwrap_or_default();
                        let message = format!("the operator's policy.{path} ({set}) stands. {may}");
                        findings.push(Finding::new(Advice::PolicyHeld, &place, message));
                    }
                    Some(_) => {
                        merged[section.as_str()][name.as_str()] = value.clone();
                        named.push(path);
                    }
                }
            }
        }
        let policy = serde_json::from_value(merged).unwrap_or_else(|error| {
            refuse(MEMBER.to_owned(), format!("policy: {error}"));
            self.clone()
        });
        for Contradiction { paths, message } in policy.contradictions() {
            if let Some(path) = paths.into_iter().find(|path| named.iter().any(|named| named == path)) {
                let place = format!("{MEMBER}/{}", path.replace('.', "/"));
                findings.push(Finding::new(Advice::PolicyContradicts, &place, message));
            }
        }
        Taken {
            policy,
            defects,
            findings,
        }
    }

    /// This policy under a template that is published already: as [`Policy::taking`], and with the word of a time before there
    /// was `evolution.autonomy`, by which every key waited for a person.
    pub fn under(&self, overrides: &Value) -> Policy {
        let mut policy = self.taking(overrides).policy;
        if overrides["evolution"]["approval_required"] == true {
            policy.evolution.autonomy = Autonomy::Review;
        }
        policy
    }

    /// Numbers of which one makes the other senseless, in no order of weight.
    pub fn contradictions(&self) -> Vec<Contradiction> {
        let own = serde_json::to_value(self).unwrap_or_default();
        let number = |path: &str| {
            own.pointer(&format!("/{}", path.replace('.', "/")))
                .and_then(Value::as_f64)
        };
        let told = RELATIONS.iter().filter_map(|(first, must, second, why)| {
            let (one, other) = (number(first)?, number(second)?);
            let holds = match *must {
                "be less" => one < other,
                "not be less" => one >= other,
                _ => one <= other,
            };
            let message = format!("policy.{first} ({one}) must {must} than policy.{second} ({other}){why}");
            let paths = [*first, *second];
            (!holds).then_some(Contradiction { paths, message })
        });
        told.collect()
    }
}

/// How numbers must stand to each other, and why.
const RELATIONS: &[(&str, &str, &str, &str)] = &[
    (
        "evolution.deprecate_usage_below",
        "be less",
        "evolution.promote_usage_min",
        BOTH,
    ),
    (
        "evolution.deprecate_alignment_below",
        "be less",
        "evolution.promote_alignment_min",
        BOTH,
    ),
    (
        "evolution.deprecate_type_below",
        "be less",
        "evolution.promote_type_min",
        BOTH,
    ),
    ("evolution.expiration_s", "not be less", "evolution.trial_s", EARLY),
    ("pool.link_min", "not be greater", "pool.micro_cosine_min", LOOSER),
    (
        "pool.gate_occurrence_clients_min",
        "not be greater",
        "pool.gate_occurrences_min",
        "",
    ),
];
const BOTH: &str = ": no key could be both kept and let go";
const EARLY: &str = ": a patch would expire before its first trial ends (Z-128)";
const LOOSER: &str = ": micro-clusters would be looser than the clusters made of them";

/// That there is no such number, with the one that was probably meant.
fn unknown(section: &str, path: &str) -> String {
    let known = BOUNDS.iter().map(|bound| bound.path);
    let own = known.filter(|known| known.starts_with(section));
    let meant = nearest(path, own).map(|known| format!("; policy.{known} may have been meant"));
    format!("there is no policy.{path}{}", meant.unwrap_or_default())
}

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
    let mut rows = BOUNDS;
    while let [first, rest @ ..] = rows {
        if same(first.path.as_bytes(), path.as_bytes()) {
            return first.range;
        }
        rows = rest;
    }
    panic!("there is no number of that name")
}

const fn same(left: &[u8], right: &[u8]) -> bool {
    match (left, right) {
        ([], []) => true,
        ([one, left @ ..], [other, right @ ..]) => *one == *other && same(left, right),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn every_number_of_a_policy_has_a_range_that_its_default_is_in_z073() {
        let policy = serde_json::to_value(Policy::default()).expect("a policy");
        assert_eq!(policy.get("cohorts"), None);
        let mut paths = BTreeSet::new();
        for section in SECTIONS {
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

    /// Where the defects point, and what they say.
    fn refused(overrides: &Value) -> Vec<(String, String)> {
        let taken = Policy::default().taking(overrides);
        assert_eq!(
            taken.policy,
            Policy::default(),
            "what is refused changes nothing: {overrides}"
        );
        let defects = taken.defects.into_iter();
        defects.map(|defect| (defect.pointer, defect.message)).collect()
    }

    #[test]
    fn what_is_no_member_is_refused_by_its_pointer_z073_z098() {
        for (overrides, place, said) in [
            (
                json!({"pool": {"heat_treshold": 10.0}}),
                "/policy/pool/heat_treshold",
                "policy.pool.heat_threshold may have been meant",
            ),
            (json!({"pond": {}}), "/policy/pond", "pool and evolution"),
            (
                json!({"cohorts": {"fleet": ["a*"]}}),
                "/policy/cohorts",
                "pool and evolution",
            ),
            (json!({"pool": 1}), "/policy/pool", "an object"),
            (json!([]), "/policy", "an object"),
        ] {
            let refused = refused(&overrides);
            assert!(
                matches!(&refused[..], [(at, message)] if at == place && message.contains(said)),
                "{refused:?}"
            );
        }
        let base = Policy {
            cohorts: Cohorts::declare([("fleet", ["bus-*"])]).expect("cohorts"),
            ..Policy::default()
        };
        let taken = base.taking(&json!({"pool": {"heat_threshold": 10}}));
        assert!(taken.defects.is_empty() && taken.findings.is_empty());
        assert!((taken.policy.pool.heat_threshold - 10.0).abs() < f64::EPSILON);
        assert_eq!(taken.policy.evolution, base.evolution.clone());
        assert_eq!(taken.policy.cohorts, base.cohorts);
    }

    #[test]
    fn a_number_out_of_its_range_is_refused_and_its_ends_are_not_z073() {
        for bound in BOUNDS {
            let (section, name) = bound.path.split_once('.').expect("a path");
            let (ends, beyond) = match bound.range {
                Range::Flag => (vec![json!(true)], vec![json!(1)]),
                Range::Whole(low, high) => (
                    vec![json!(low), json!(high)],
                    vec![
                        json!(low - 1),
                        json!(high + 1),
                        json!(2.0),
                        json!(u64::MAX),
                        json!(i64::MIN),
                    ],
                ),
                Range::Real(low, high) => (
                    vec![json!(low), json!(high)],
                    vec![json!(low - 0.001), json!(high + 0.001), json!(f64::MAX)],
                ),
                Range::Word(words) => (vec![json!(words[0])], vec![json!("nonsense"), json!(true)]),
            };
            assert!(ends.iter().all(|end| bound.range.holds(end)), "{}", bound.path);
            for value in beyond.into_iter().chain([json!(null), json!("1")]) {
                let place = format!("/policy/{section}/{name}");
                let message = format!("policy.{} must be: {}", bound.path, bound.range.words());
                assert_eq!(refused(&json!({section: {name: value}})), [(place, message)]);
            }
        }
        let both = json!({"pool": {"heat_half_life_s": 0, "gate_clients_min": 3}});
        let taken = Policy::default().taking(&both);
        // The other one is taken.
        assert_eq!((taken.defects.len(), taken.policy.pool.gate_clients_min), (1, 3));
    }

    #[test]
    fn what_a_template_said_of_approval_before_there_was_autonomy_holds_z127() {
        for (overrides, autonomy) in [
            (json!({"evolution": {"approval_required": true}}), Autonomy::Review),
            (json!({"evolution": {"approval_required": false}}), Autonomy::Certain),
            (json!({"evolution": {"autonomy": "review"}}), Autonomy::Review),
        ] {
            assert_eq!(
                Policy::default().under(&overrides).evolution.autonomy,
                autonomy,
                "{overrides}"
            );
        }
    }

    #[test]
    fn what_the_operator_asks_for_is_no_publishers_to_take_away_z127() {
        let mut base = Policy::default();
        base.evolution.autonomy = Autonomy::Review;
        base.evolution.examples_kept_days = 30;
        let looser = json!({
            "pool": {"micros_max": 20_001},
            "evolution": {
                "autonomy": "auto", "example_clients_min": 2, "examples_kept_days": 0, "model_judge_share": 0.2,
            },
        });
        let taken = base.taking(&looser);
        assert_eq!((taken.policy, taken.defects.len()), (base, 0));
        let rules: Vec<Advice> = taken.findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, [Advice::PolicyHeld; 5]);
        assert!(taken.findings.iter().any(|f| f.pointer == "/policy/evolution/autonomy"));
        let stricter = json!({"evolution": {"autonomy": "review", "example_clients_min": 4}});
        let taken = Policy::default().taking(&stricter);
        let evolution = taken.policy.evolution;
        assert_eq!(evolution.autonomy, Autonomy::Review);
        assert_eq!(evolution.example_clients_min, 4);
        assert!(taken.findings.is_empty());
    }

    #[test]
    fn numbers_that_contradict_each_other_are_told_where_the_template_says_them_z128() {
        let taken = Policy::default().taking(&json!({"evolution": {"trial_s": 3_155_760_000_i64}}));
        let said: Vec<(Advice, &str)> = taken.findings.iter().map(|f| (f.rule, f.pointer.as_str())).collect();
        assert_eq!(said, [(Advice::PolicyContradicts, "/policy/evolution/trial_s")]);
        let early = "policy.evolution.expiration_s (7776000) must not be less than policy.evolution.trial_s (3155760000): a patch \
            would expire before its first trial ends (Z-128)";
        assert_eq!(taken.policy.contradictions()[0].message, early);
    }
}
