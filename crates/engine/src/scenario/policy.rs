//! All numbers of one scenario, and what a template's `policy` makes of them.
//!
//! Invariant: within the ranges of its sections no sum of moments overflows.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use crate::bound::Bound;
use crate::evolution::policy::Autonomy;
use crate::evolution::policy::EvolutionPolicy;
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
    /// Such as `policy.pool.link_min`.
    pub paths: [&'static str; 2],
    pub message: String,
}

impl Policy {
    /// This policy with the numbers that a template overrides: `{"pool": {...}, "evolution": {...}}` (Z-073). Some may only
    /// be made stricter ([`Latitude`](crate::bound::Latitude)): what an operator promised of approval,
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
                let path = format!("policy.{section}.{name}");
                let set = &own[section.as_str()][name.as_str()];
                match find(&path) {
                    None => refuse(place, unknown(section, &path)),
                    Some(bound) if !bound.range.holds(value) => {
                        refuse(place, format!("{path} must be: {}", bound.range.words()));
                    }
                    Some(bound) if !bound.allows(set, value) => {
                        let may = bound.latitude.words().unwrap_or_default();
                        let message = format!("the operator's {path} ({set}) stands. {may}");
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
                let place = format!("/{}", path.replace('.', "/"));
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
            let member = path.strip_prefix("policy")?.replace('.', "/");
            own.pointer(&member).and_then(Value::as_f64)
        };
        let told = RELATIONS.iter().filter_map(|(first, must, second, why)| {
            let (one, other) = (number(first)?, number(second)?);
            let holds = match *must {
                "be less" => one < other,
                "not be less" => one >= other,
                _ => one <= other,
            };
            let message = format!("{first} ({one}) must {must} than {second} ({other}){why}");
            let paths = [*first, *second];
            (!holds).then_some(Contradiction { paths, message })
        });
        told.collect()
    }
}

/// How numbers must stand to each other, and why.
const RELATIONS: &[(&str, &str, &str, &str)] = &[
    (
        "policy.evolution.deprecate_usage_below",
        "be less",
        "policy.evolution.promote_usage_min",
        BOTH,
    ),
    (
        "policy.evolution.deprecate_alignment_below",
        "be less",
        "policy.evolution.promote_alignment_min",
        BOTH,
    ),
    (
        "policy.evolution.deprecate_type_below",
        "be less",
        "policy.evolution.promote_type_min",
        BOTH,
    ),
    (
        "policy.evolution.expiration_s",
        "not be less",
        "policy.evolution.trial_s",
        EARLY,
    ),
    (
        "policy.pool.link_min",
        "not be greater",
        "policy.pool.micro_cosine_min",
        LOOSER,
    ),
    (
        "policy.pool.gate_occurrence_clients_min",
        "not be greater",
        "policy.pool.gate_occurrences_min",
        "",
    ),
];
const BOTH: &str = ": no key could be both kept and let go";
const EARLY: &str = ": a patch would expire before its first trial ends (Z-128)";
const LOOSER: &str = ": micro-clusters would be looser than the clusters made of them";

/// That there is no such number, with the one that was probably meant.
fn unknown(section: &str, path: &str) -> String {
    let own = format!("policy.{section}.");
    let known = bounds().map(|bound| bound.path).filter(|known| known.starts_with(&own));
    let meant = nearest(path, known).map(|known| format!("; {known} may have been meant"));
    format!("there is no {path}{}", meant.unwrap_or_default())
}

/// Every number, in the order of the settings.
pub fn bounds() -> impl Iterator<Item = &'static Bound> {
    PoolPolicy::BOUNDS.iter().chain(EvolutionPolicy::BOUNDS)
}

/// The row of a path such as `policy.pool.link_min`.
fn find(path: &str) -> Option<&'static Bound> {
    bounds().find(|bound| bound.path == path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::bound::Range;

    #[test]
    fn every_default_is_in_its_range_and_what_a_template_may_only_make_stricter_is_said_z073_z127() {
        let policy = json!({"policy": Policy::default()});
        for bound in bounds() {
            let default = policy.pointer(&format!("/{}", bound.path.replace('.', "/")));
            assert!(
                default.is_some_and(|default| bound.range.holds(default)),
                "{}",
                bound.path
            );
            match bound.latitude.words() {
                Some(words) => assert!(bound.meaning.ends_with(words), "{}: {words}", bound.path),
                None => assert!(!bound.meaning.contains("A template may only"), "{}", bound.path),
            }
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
        for bound in bounds() {
            let (section, name) = bound.path[7..].split_once('.').expect("a path");
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
                let message = format!("{} must be: {}", bound.path, bound.range.words());
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
