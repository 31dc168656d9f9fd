//! What must hold of a scenario after every entry.

use std::collections::BTreeSet;

use engine::evolution::policy::Autonomy;
use engine::evolution::stage::Stage;
use engine::pool::gate::Audience;
use engine::pool::micro::ARRIVALS_MAX;
use engine::pool::micro::EXAMPLES_MAX;
use engine::pool::micro::Micro;
use engine::pool::micro::MicroId;
use engine::pool::micro::centroid;
use engine::pool::source::Source;
use engine::pool::state::Pool;
use engine::scenario::layer;
use engine::scenario::policy::Policy;
use engine::scenario::state::Claim;
use engine::scenario::state::State;
use schema::effective::KeyChange;

/// The first invariant that does not hold, in words.
pub(crate) fn check(state: &State, policy: &Policy) -> Result<(), String> {
    let holds = |holds: bool, what: &str| if holds { Ok(()) } else { Err(what.to_owned()) };
    check_pool(&state.pool)?;
    for (cluster, claims) in &state.claims {
        let audiences: BTreeSet<&Audience> = claims.iter().map(|(audience, _)| audience).collect();
        let known = claims.iter().all(|(_, claim)| match claim {
            Claim::Patched(id) => state.patch(id).is_some(),
            Claim::Inducing { .. } | Claim::Settled { .. } => true,
        });
        let what = format!(
            "cluster {} is claimed twice for one audience, or by no patch",
            cluster.0
        );
        holds(audiences.len() == claims.len() && known, &what)?;
    }
    let mut submissions = state.pending.keys().chain(state.unexecuted.keys());
    holds(
        submissions.all(|seq| *seq <= state.seq),
        "a submission lies beyond the end",
    )?;
    let by_source = state
        .deferred_by_source
        .iter()
        .map(|(source, deferred)| (Some(source), *deferred));
    for (source, deferred) in state
        .deferred
        .map(|deferred| (None, deferred))
        .into_iter()
        .chain(by_source)
    {
        let mut held = state.pending.iter().filter(|(_, pending)| {
            let of = Source::of(pending.client.as_ref());
            source.map_or(!state.deferred_by_source.contains_key(&of), |source| *source == of)
        });
        let last = held.next_back().map_or(0, |(seq, _)| *seq);
        let lies_after = last <= deferred.after && deferred.after <= state.seq && deferred.since <= state.at;
        holds(
            lies_after && (deferred.count > 0 || state.deferred.is_some()),
            "what waits in the journal alone is held as well, or nothing does",
        )?;
    }
    state.audits.check(state.seq, state.erased_through)?;
    patches(state)?;
    let served: BTreeSet<&Audience> = state.patches.iter().map(|patch| &patch.audience).collect();
    for audience in served.into_iter().chain([&Audience::Global]) {
        template_of(state, policy, audience)?;
    }
    Ok(())
}

fn patches(state: &State) -> Result<(), String> {
    let ids: BTreeSet<_> = state.patches.iter().map(|patch| &patch.patch_id).collect();
    if ids.len() != state.patches.len() {
        return Err("two patches have one id".to_owned());
    }
    for patch in &state.patches {
        let begins = |stage: &str| patch.history.iter().position(|change| change.to == stage);
        // The least that waits, whatever the policy was.
        let is_held = Autonomy::Auto.waits(patch.sensitive.is_some(), &patch.holds);
        let begun = begins("experimental");
        let asked = begins("awaiting_approval");
        let wrong = if matches!(&patch.change, KeyChange::Add(key) if key.required) {
            "adds a required key (Z-125)"
        } else if patch.expiration <= patch.timestamp {
            "expires before it was made (Z-119)"
        } else if is_held && begun.is_some_and(|begun| asked.is_none_or(|asked| begun < asked)) {
            "is held and began without a person (Z-127, Z-165)"
        } else if !patch.history.is_sorted_by_key(|change| change.at) {
            "went back in time"
        } else {
            continue;
        };
        return Err(format!("{} {wrong}", patch.patch_id));
    }
    Ok(())
}

/// Under every layer each base key stands as it was, but for its description (Z-106, Z-107, Z-108), no key stands twice
/// (Z-113), and no more is on trial than the guard allows (Z-154).
fn template_of(state: &State, policy: &Policy, audience: &Audience) -> Result<(), String> {
    let to = policy.cohorts.addressed(audience);
    let on_trial = layer::in_force(state, to).filter(|patch| matches!(patch.stage, Stage::Experimental(_)));
    let (all, own): (Vec<_>, Vec<_>) = on_trial.partition(|patch| patch.audience == Audience::Global);
    let limits = &policy.evolution;
    if all.len() > limits.experimental_max {
        return Err(format!("{} keys are on trial for all (Z-154)", all.len()));
    }
    if *audience != Audience::Global && all.len() + own.len() > limits.experimental_per_template_max {
        return Err(format!(
            "too many keys are on trial in the template of {audience:?} (Z-154)"
        ));
    }
    for base in state.bases.values() {
        let keys = layer::effective(state, base, to).keys;
        for own in &base.template.keys {
            let shown = keys.iter().find(|shown| shown.definition.key_name == own.key_name);
            let shown = shown.ok_or_else(|| format!("base key {} is gone (Z-106)", own.key_name))?;
            let mut reworded = shown.definition.clone();
            reworded.semantic_description.clone_from(&own.semantic_description);
            if reworded != *own {
                return Err(format!("base key {} was changed (Z-107)", own.key_name));
            }
        }
        let names: BTreeSet<_> = keys.iter().map(|key| &key.definition.key_name).collect();
        if names.len() != keys.len() {
            return Err(format!(
                "a template of {} has a key twice (Z-113)",
                base.template.schema_id
            ));
        }
    }
    Ok(())
}

/// The first invariant of a pool that does not hold, in words.
///
/// # Errors
/// Names what does not hold: a micro-cluster in no or two clusters, counts that do not add up, negative heat …
pub(crate) fn check_pool(pool: &Pool) -> Result<(), String> {
    let mut homed = BTreeSet::new();
    for (id, cluster) in &pool.clusters {
        let is_home = |micro: &MicroId| homed.insert(*micro) && pool.cluster_of(*micro) == Some(*id);
        let rules = [
            (cluster.id == *id, "is filed under another id"),
            (!cluster.micros.is_empty(), "is empty"),
            (cluster.micros.is_sorted(), "is not in order"),
            (cluster.heat_max_micro >= 0, "was never that cold"),
            (cluster.micros.iter().all(is_home), "holds what is elsewhere as well"),
        ];
        hold(&format!("cluster {}", id.0), &rules)?;
    }
    for micro in pool.micros.values() {
        let rules = rules_of(micro, pool.demand, homed.contains(&micro.id));
        hold(&format!("micro-cluster {}", micro.id.0), &rules)?;
    }
    let members = pool.micros.values().map(|micro| micro.members).sum::<u64>();
    let ids = pool.micros.keys().map(|id| id.0);
    let highest = ids.chain(pool.clusters.keys().map(|id| id.0)).max();
    let rules = [
        (
            members + pool.dropped == pool.demand,
            "members and dropped ones are not all",
        ),
        (
            pool.looked_at <= pool.demand,
            "a reclustering saw more fragments than there are",
        ),
        (
            pool.unsummed <= pool.demand,
            "more fragments without a vector than there are",
        ),
        (
            highest.is_none_or(|highest| highest < pool.next_id),
            "an id lies ahead of the next one",
        ),
    ];
    hold("the pool", &rules)
}

fn rules_of(micro: &Micro, demand: u64, is_homed: bool) -> [(bool, &'static str); 10] {
    let arrivals = micro.arrivals.len();
    [
        (is_homed, "is in no cluster"),
        (micro.members > 0, "has no member"),
        (micro.joined_at_demand <= demand, "was joined in the future"),
        (micro.capped_heat.micro >= 0, "has negative heat"),
        (
            micro.capped_heat.micro <= micro.heat.micro,
            "has capped heat above all heat",
        ),
        (arrivals <= ARRIVALS_MAX, "has too many arrivals"),
        (arrivals as u64 <= micro.members, "has more arrivals than members"),
        (
            micro.arrivals.is_sorted_by_key(|arrival| arrival.at),
            "has arrivals out of order",
        ),
        (
            (1..=EXAMPLES_MAX).contains(&micro.examples.len()),
            "has examples out of bounds",
        ),
        (
            micro.centroid == centroid(&micro.sum),
            "has another centroid than its sum's",
        ),
    ]
}

fn hold(what: &str, rules: &[(bool, &str)]) -> Result<(), String> {
    let broken = rules.iter().find(|(holds, _)| !holds);
    broken.map_or(Ok(()), |(_, fault)| Err(format!("{what}: {fault}")))
}
