//! What must hold after every entry.

use std::collections::BTreeSet;

use crate::evolution::policy::Autonomy;
use crate::evolution::stage::Stage;
use crate::pool::cohort::Addressee;
use crate::pool::gate::Audience;
use crate::scenario::layer;
use crate::scenario::policy::Policy;
use crate::scenario::state::Claim;
use crate::scenario::state::State;
use schema::effective::KeyChange;

impl State {
    /// Checks every invariant.
    ///
    /// # Errors
    /// The first one that does not hold, in words.
    pub fn check(&self, policy: &Policy) -> Result<(), String> {
        self.pool.check()?;
        self.check_patches()?;
        self.check_guard(policy)?;
        self.check_layers(policy)?;
        for (cluster, claims) in &self.claims {
            let audiences: BTreeSet<&Audience> = claims.iter().map(|(audience, _)| audience).collect();
            if audiences.len() != claims.len() {
                return Err(format!("cluster {} is claimed twice for one audience", cluster.0));
            }
            for (_, claim) in claims {
                if let Claim::Patched(id) = claim {
                    self.patch(id)
                        .ok_or_else(|| format!("a claim names {id}, which is no patch"))?;
                }
            }
        }
        if let Some(seq) = self.pending.keys().find(|seq| **seq > self.seq) {
            return Err(format!(
                "pending submission {seq} lies beyond the journal's end {}",
                self.seq
            ));
        }
        if let Some(seq) = self.unexecuted.keys().find(|seq| **seq > self.seq) {
            return Err(format!(
                "unexecuted submission {seq} lies beyond the journal's end {}",
                self.seq
            ));
        }
        self.audits.check(self.seq, self.erased_through)
    }

    fn check_patches(&self) -> Result<(), String> {
        let ids: BTreeSet<_> = self.patches.iter().map(|patch| &patch.patch_id).collect();
        if ids.len() != self.patches.len() {
            return Err("two patches have one id".to_owned());
        }
        for patch in &self.patches {
            if matches!(&patch.change, KeyChange::Add(key) if key.required) {
                return Err(format!("{} adds a required key (Z-125)", patch.patch_id));
            }
            if patch.expiration <= patch.timestamp {
                return Err(format!("{} expires before it was made (Z-119)", patch.patch_id));
            }
            // The least that waits, whatever the policy was.
            if Autonomy::Auto.waits(patch.sensitive.is_some(), &patch.holds) {
                let asked = patch.history.iter().position(|change| change.to == "awaiting_approval");
                let begun = patch.history.iter().position(|change| change.to == "experimental");
                if begun.is_some_and(|begun| asked.is_none_or(|asked| begun < asked)) {
                    return Err(format!(
                        "{} is held and began without a person (Z-127, Z-165)",
                        patch.patch_id
                    ));
                }
            }
            for (previous, next) in patch.history.iter().zip(patch.history.iter().skip(1)) {
                if next.at < previous.at {
                    return Err(format!("{} went back in time", patch.patch_id));
                }
            }
        }
        Ok(())
    }

    /// Z-154: never more on trial than the guard allows.
    fn check_guard(&self, policy: &Policy) -> Result<(), String> {
        let on_trial = |audience: &Audience| {
            self.patches
                .iter()
                .filter(|patch| &patch.audience == audience && matches!(patch.stage, Stage::Experimental(_)))
                .count()
        };
        let global = on_trial(&Audience::Global);
        if global > policy.evolution.experimental_max {
            return Err(format!("{global} keys are on trial for all (Z-154)"));
        }
        for audience in self.audiences_with_keys() {
            let own = match policy.cohorts.addressed(&audience) {
                Addressee {
                    client: Some(_),
                    cohort: Some(cohort),
                } => on_trial(&Audience::Cohort(cohort.clone())),
                Addressee { .. } => 0,
            };
            let total = global + own + on_trial(&audience);
            if total > policy.evolution.experimental_per_template_max {
                return Err(format!(
                    "{total} keys are on trial in the template of one client or cohort (Z-154)"
                ));
            }
        }
        Ok(())
    }

    /// Z-106, Z-107, Z-108: under every layer each base key stands as it was, but for its description.
    fn check_layers(&self, policy: &Policy) -> Result<(), String> {
        let audiences = self.audiences_with_keys();
        let everyone = Audience::Global;
        for base in self.bases.values() {
            for audience in audiences.iter().chain([&everyone]) {
                let effective = layer::effective(self, base, policy.cohorts.addressed(audience));
                for key in &base.template.keys {
                    let found = effective
                        .keys
                        .iter()
                        .find(|shown| shown.definition.key_name == key.key_name);
                    let Some(found) = found else {
                        return Err(format!("base key {} is gone (Z-106)", key.key_name));
                    };
                    let shown = &found.definition;
                    if shown.key_type != key.key_type
                        || shown.required != key.required
                        || shown.default_value != key.default_value
                        || shown.constraints != key.constraints
                    {
                        return Err(format!("base key {} was changed (Z-107)", key.key_name));
                    }
                }
                let names: BTreeSet<_> = effective.keys.iter().map(|key| &key.definition.key_name).collect();
                if names.len() != effective.keys.len() {
                    return Err(format!(
                        "a template of {} has a key twice (Z-113)",
                        base.template.schema_id
                    ));
                }
            }
        }
        Ok(())
    }

    /// Cohorts and clients for which alone there are patches.
    fn audiences_with_keys(&self) -> BTreeSet<Audience> {
        self.patches
            .iter()
            .map(|patch| patch.audience.clone())
            .filter(|audience| *audience != Audience::Global)
            .collect()
    }
}

#[cfg(test)]
mod tests;
