//! All numbers of one scenario.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use crate::evolution::policy::Autonomy;
use crate::evolution::policy::EvolutionPolicy;
use crate::pool::cohort::Cohorts;
use crate::pool::policy::PoolPolicy;
use crate::scenario::bounds;
use crate::scenario::bounds::BOUNDS;
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
    /// be made stricter ([`Latitude`](crate::scenario::bounds::Latitude)): what an operator promised of approval,
    /// privacy and memory holds whatever is published.
    pub fn taking(&self, overrides: &Value) -> Taken {
        let mut taken = Taken {
            policy: self.clone(),
            defects: Vec::new(),
            findings: Vec::new(),
        };
        let defect = |pointer: String, message: String| Defect {
            pointer,
            requirement: "Z-073".to_owned(),
            message,
        };
        let own = match serde_json::to_value(self) {
            Ok(own) => own,
            Err(error) => {
                taken.defects.push(defect(MEMBER.to_owned(), error.to_string()));
                return taken;
            }
        };
        let Value::Object(sections) = overrides else {
            let message = "policy must be an object".to_owned();
            taken.defects.push(defect(MEMBER.to_owned(), message));
            return taken;
        };
        let mut merged = own.clone();
        let mut named = Vec::new();
        for (section, members) in sections {
            let place = pointer_to(MEMBER, section);
            if !SECTIONS.contains(&section.as_str()) {
                let message = format!("policy.{section} is no section; there are pool and evolution");
                taken.defects.push(defect(place, message));
                continue;
            }
            let Value::Object(members) = members else {
                let message = format!("policy.{section} must be an object");
                taken.defects.push(defect(place, message));
                continue;
            };
            for (name, value) in members {
                let place = pointer_to(&place, name);
                let path = format!("{section}.{name}");
                let Some(bound) = bounds::find(&path) else {
                    taken.defects.push(defect(place, unknown(section, &path)));
                    continue;
                };
                if !bound.range.holds(value) {
                    let message = format!("policy.{path} must be: {}", bound.range.words());
                    taken.defects.push(defect(place, message));
                    continue;
                }
                let set = &own[section.as_str()][name.as_str()];
                if !bound.allows(set, value) {
                    let may = bound.latitude.words().unwrap_or_default();
                    let message = format!("the operator's policy.{path} ({set}) stands. {may}");
                    taken.findings.push(Finding::new(Advice::PolicyHeld, &place, message));
                    continue;
                }
                merged[section.as_str()][name.as_str()] = value.clone();
                named.push(path);
            }
        }
        match serde_json::from_value(merged) {
            Ok(policy) => taken.policy = policy,
            Err(error) => taken
                .defects
                .push(defect(MEMBER.to_owned(), format!("policy: {error}"))),
        }
        for Contradiction { paths, message } in taken.policy.contradictions() {
            if let Some(path) = paths.into_iter().find(|path| named.iter().any(|named| named == path)) {
                let place = format!("{MEMBER}/{}", path.replace('.', "/"));
                taken
                    .findings
                    .push(Finding::new(Advice::PolicyContradicts, &place, message));
            }
        }
        taken
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
        let (pool, evolution) = (&self.pool, &self.evolution);
        let mut found = Vec::new();
        let mut say = |paths: [&'static str; 2], message: String| found.push(Contradiction { paths, message });
        for (paths, low, high) in [
            (
                ["evolution.deprecate_usage_below", "evolution.promote_usage_min"],
                evolution.deprecate_usage_below,
                evolution.promote_usage_min,
            ),
            (
                ["evolution.deprecate_alignment_below", "evolution.promote_alignment_min"],
                evolution.deprecate_alignment_below,
                evolution.promote_alignment_min,
            ),
            (
                ["evolution.deprecate_type_below", "evolution.promote_type_min"],
                evolution.deprecate_type_below,
                evolution.promote_type_min,
            ),
        ] {
            if low >= high {
                let [below, above] = paths;
                say(
                    paths,
                    format!(
                        "policy.{below} ({low}) must be less than policy.{above} ({high}): no key could be both kept and \
                         let go"
                    ),
                );
            }
        }
        if evolution.expiration_s < evolution.trial_s {
            say(
                ["evolution.expiration_s", "evolution.trial_s"],
                format!(
                    "policy.evolution.expiration_s ({}) must not be less than policy.evolution.trial_s ({}): a patch would \
                     expire before its first trial ends (Z-128)",
                    evolution.expiration_s, evolution.trial_s
                ),
            );
        }
        if pool.link_min > pool.micro_cosine_min {
            say(
                ["pool.link_min", "pool.micro_cosine_min"],
                format!(
                    "policy.pool.link_min ({}) must not be greater than policy.pool.micro_cosine_min ({}): micro-clusters \
                     would be looser than the clusters made of them",
                    pool.link_min, pool.micro_cosine_min
                ),
            );
        }
        if pool.gate_occurrence_clients_min > pool.gate_occurrences_min {
            say(
                ["pool.gate_occurrence_clients_min", "pool.gate_occurrences_min"],
                format!(
                    "policy.pool.gate_occurrence_clients_min ({}) must not be greater than \
                     policy.pool.gate_occurrences_min ({})",
                    pool.gate_occurrence_clients_min, pool.gate_occurrences_min
                ),
            );
        }
        found
    }
}

/// That there is no such number, with the one that was probably meant.
fn unknown(section: &str, path: &str) -> String {
    let known = BOUNDS.iter().map(|bound| bound.path);
    let own = known.filter(|known| known.starts_with(section));
    let meant = nearest(path, own).map(|known| format!("; policy.{known} may have been meant"));
    format!("there is no policy.{path}{}", meant.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::Policy;
    use crate::evolution::policy::Autonomy;
    use crate::pool::cohort::Cohorts;
    use crate::scenario::bounds::BOUNDS;
    use crate::scenario::bounds::Range;
    use schema::advice::Advice;

    /// Where the defects point.
    fn refused(overrides: &Value) -> Vec<String> {
        let taken = Policy::default().taking(overrides);
        assert_eq!(
            taken.policy,
            Policy::default(),
            "what is refused changes nothing: {overrides}"
        );
        taken.defects.into_iter().map(|defect| defect.pointer).collect()
    }

    #[test]
    fn a_template_changes_nothing_of_who_is_in_which_cohort_z098() {
        let cohorts = Cohorts::declare([("fleet", ["bus-*"])]).expect("cohorts");
        let base = Policy {
            cohorts,
            ..Policy::default()
        };
        let changed = base.taking(&json!({"pool": {"heat_threshold": 10.0}})).policy;
        assert_eq!(changed.cohorts, base.cohorts);
        let taken = base.taking(&json!({"cohorts": {"night": ["bus-*"]}}));
        assert_eq!(taken.policy, base);
        assert!(
            taken.defects[0].message.contains("pool and evolution"),
            "{:?}",
            taken.defects
        );
        let text = serde_json::to_string(&Policy::default()).expect("text");
        assert!(!text.contains("cohorts"), "{text}");
    }

    #[test]
    fn a_template_overrides_single_settings_and_unknown_ones_are_refused_z073() {
        let taken = Policy::default().taking(&json!({"pool": {"heat_threshold": 10}}));
        assert!((taken.policy.pool.heat_threshold - 10.0).abs() < f64::EPSILON);
        assert_eq!(taken.policy.evolution, Policy::default().evolution);
        assert!(taken.defects.is_empty() && taken.findings.is_empty());
        let misspelt = json!({"pool": {"heat_treshold": 10.0}});
        assert_eq!(refused(&misspelt), ["/policy/pool/heat_treshold"]);
        let message = &Policy::default().taking(&misspelt).defects[0].message;
        assert!(
            message.contains("policy.pool.heat_threshold may have been meant"),
            "{message}"
        );
        assert_eq!(refused(&json!({"pond": {}})), ["/policy/pond"]);
        assert_eq!(refused(&json!({"pool": 1})), ["/policy/pool"]);
        assert_eq!(refused(&json!([])), ["/policy"]);
        assert_eq!(refused(&json!({"cohorts": {"fleet": ["a*"]}})), ["/policy/cohorts"]);
    }

    #[test]
    fn a_number_out_of_its_range_is_refused_by_its_pointer_z073() {
        for bound in BOUNDS {
            let (section, name) = bound.path.split_once('.').expect("a path");
            let beyond = match bound.range {
                Range::Flag => vec![json!(1)],
                Range::Whole(low, high) => vec![json!(low - 1), json!(high + 1), json!(i64::MAX), json!(i64::MIN)],
                Range::Real(low, high) => vec![json!(low - 0.001), json!(high + 0.001), json!(f64::MAX)],
                Range::Word(_) => vec![json!("nonsense"), json!(true)],
            };
            for value in beyond.into_iter().chain([json!(null), json!("1")]) {
                let overrides = json!({section: {name: value}});
                assert_eq!(
                    refused(&overrides),
                    [format!("/policy/{section}/{name}")],
                    "{overrides}"
                );
                let message = &Policy::default().taking(&overrides).defects[0].message;
                assert!(message.contains(&bound.range.words()), "{message}");
            }
        }
        let both = json!({"pool": {"heat_half_life_s": 0, "gate_clients_min": 3}});
        let taken = Policy::default().taking(&both);
        assert_eq!(
            (taken.defects.len(), taken.policy.pool.gate_clients_min),
            (1, 3),
            "the other one is taken"
        );
    }

    #[test]
    fn what_a_template_said_of_approval_before_there_was_autonomy_holds_z127() {
        let said = |overrides: Value| Policy::default().under(&overrides).evolution.autonomy;
        assert_eq!(
            said(json!({"evolution": {"approval_required": true}})),
            Autonomy::Review
        );
        assert_eq!(
            said(json!({"evolution": {"approval_required": false}})),
            Autonomy::Certain
        );
        assert_eq!(said(json!({"evolution": {"autonomy": "review"}})), Autonomy::Review);
        assert_eq!(said(json!({"evolution": {"autonomy": "auto"}})), Autonomy::Certain);
        assert_eq!(
            refused(&json!({"evolution": {"approval_required": true}})),
            ["/policy/evolution/approval_required"]
        );
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
        assert_eq!(taken.policy, base);
        assert!(taken.defects.is_empty());
        let rules: Vec<Advice> = taken.findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, [Advice::PolicyHeld; 5]);
        assert!(taken.findings.iter().any(|f| f.pointer == "/policy/evolution/autonomy"));
        let stricter = json!({"evolution": {"autonomy": "review", "example_clients_min": 4}});
        let taken = Policy::default().taking(&stricter);
        assert!(taken.findings.is_empty());
        assert_eq!(
            (
                taken.policy.evolution.autonomy,
                taken.policy.evolution.example_clients_min
            ),
            (Autonomy::Review, 4)
        );
    }

    #[test]
    fn numbers_that_contradict_each_other_are_told_where_the_template_says_them_z128() {
        let taken = Policy::default().taking(&json!({"evolution": {"trial_s": 3_155_760_000_i64}}));
        let said: Vec<(Advice, &str)> = taken.findings.iter().map(|f| (f.rule, f.pointer.as_str())).collect();
        assert_eq!(said, [(Advice::PolicyContradicts, "/policy/evolution/trial_s")]);
    }
}
