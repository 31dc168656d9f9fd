//! All numbers of one scenario.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use crate::domain::evolution::policy::EvolutionPolicy;
use crate::domain::pool::cohort::Cohorts;
use crate::domain::pool::policy::PoolPolicy;

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

impl Policy {
    /// This policy with the settings that a template overrides: `{"pool": {...}, "evolution": {...}}`.
    ///
    /// # Errors
    /// What is unknown or out of place, in words.
    pub fn overridden(&self, overrides: &Value) -> Result<Policy, String> {
        let mut merged = serde_json::to_value(self).map_err(|error| error.to_string())?;
        let Value::Object(sections) = overrides else {
            return Err("policy must be an object".to_owned());
        };
        for (name, section) in sections {
            let Value::Object(settings) = section else {
                return Err(format!("policy.{name} must be an object"));
            };
            let target = merged
                .get_mut(name)
                .filter(|_| name != "cohorts")
                .and_then(Value::as_object_mut)
                .ok_or_else(|| format!("policy.{name} is no section; there are pool and evolution"))?;
            for (key, value) in settings {
                target.insert(key.clone(), value.clone());
            }
        }
        serde_json::from_value(merged).map_err(|error| format!("policy: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Policy;
    use crate::domain::pool::cohort::Cohorts;

    #[test]
    fn a_template_changes_nothing_of_who_is_in_which_cohort_z098() {
        let cohorts = Cohorts::declare([("fleet", ["bus-*"])]).expect("cohorts");
        let base = Policy {
            cohorts,
            ..Policy::default()
        };
        let changed = base
            .overridden(&json!({"pool": {"heat_threshold": 10.0}}))
            .expect("a policy");
        assert_eq!(changed.cohorts, base.cohorts);
        let error = base
            .overridden(&json!({"cohorts": {"night": ["bus-*"]}}))
            .expect_err("not there");
        assert!(error.contains("pool and evolution"), "{error}");
        let text = serde_json::to_string(&Policy::default()).expect("text");
        assert!(!text.contains("cohorts"), "{text}");
    }

    #[test]
    fn a_template_overrides_single_settings_and_unknown_ones_are_refused() {
        let base = Policy::default();
        let changed = base
            .overridden(&json!({"pool": {"heat_threshold": 10.0}}))
            .expect("a policy");
        assert!((changed.pool.heat_threshold - 10.0).abs() < f64::EPSILON);
        assert_eq!(changed.evolution, base.evolution);
        assert!(base.overridden(&json!({"pool": {"heat_treshold": 10.0}})).is_err());
        assert!(base.overridden(&json!({"pond": {}})).is_err());
        assert!(base.overridden(&json!([])).is_err());
        assert!(
            base.overridden(&json!({"cohorts": {"fleet": ["a*"]}})).is_err(),
            "the operator's alone"
        );
    }
}
