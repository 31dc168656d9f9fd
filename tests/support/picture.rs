//! The whole state of a scenario as text. Every field is taken apart by name, so that a new one cannot escape the picture.

use std::fmt::Write;

use engine::evolution::explanation;
use engine::evolution::ledger::KeyReading;
use engine::evolution::patch::Patch;
use engine::evolution::patch::StageChange;
use engine::scenario::state::Acquaintance;
use engine::scenario::state::Base;
use engine::scenario::state::Deprecation;
use engine::scenario::state::Dismissal;
use engine::scenario::state::Frozen;
use engine::scenario::state::State;
use schema::act::By;
use schema::time::At;

/// Clusters with fewer members are counted, not drawn.
const MEMBERS_MIN: u64 = 5;

/// Draws a state as it stands at a moment.
pub fn picture(state: &State, at: At) -> String {
    let State {
        seq,
        at: last,
        decided,
        scenario,
        bases,
        patches,
        pool,
        ledger,
        pending,
        deferred,
        deferred_by_source,
        claims,
        acquaintances,
        unexecuted,
        as_said: _,
        trimmed,
        triggers_global,
        triggers_client,
        triggers_cohort,
        frozen,
        erased_through,
        news,
        standings: _,
        audits,
        review,
        refused_by_hand: _,
        clients: users,
        dismissals,
        decisions: _,
    } = state;
    let mut text = String::new();
    for (
        cluster,
        Dismissal {
            since,
            until,
            by,
            reason,
        },
    ) in dismissals
    {
        let (since, until) = (since.rfc3339(), until.rfc3339());
        let reason = reason.as_deref().unwrap_or("-");
        let _ = writeln!(
            text,
            "cluster {} dismissed {since} until {until} by {by}: {reason}",
            cluster.0
        );
    }
    if let Some(asked) = review {
        let _ = writeln!(text, "a reader was asked with {} of demand", asked.demand);
    }
    if !audits.is_unused() {
        let (waiting, answered) = (audits.waiting.len(), audits.answered.len());
        let _ = writeln!(
            text,
            "audits: {waiting} waiting, {answered} answered, {} fallen out, {:?}",
            audits.fallen,
            audits.verdicts()
        );
    }
    if *erased_through > 0 {
        let _ = writeln!(text, "sealed parts erased up to entry {erased_through}");
    }
    if let Some(Frozen { since, by, reason }) = frozen {
        let reason = reason.as_deref().unwrap_or("-");
        let _ = writeln!(text, "frozen since {} by {by}: {reason}", since.rfc3339());
    }
    let name = scenario.as_ref().map_or("-", |scenario| scenario.as_str());
    let _ = writeln!(
        text,
        "{name} at {}, entry {seq}, last decision {decided}, last entry {}",
        at.rfc3339(),
        last.rfc3339()
    );
    for (
        id,
        Base {
            template,
            revision,
            retired,
            deprecated,
            published,
        },
    ) in bases
    {
        let since = if published == revision {
            String::new()
        } else {
            format!(", published at {published}")
        };
        let retired = retired.map_or("in force".to_owned(), |at| format!("retired {}", at.rfc3339()));
        let since = match deprecated {
            None => since,
            Some(Deprecation {
                since: at,
                sunset,
                reason,
            }) => {
                let sunset = sunset.map_or("-".to_owned(), At::rfc3339);
                let reason = reason.as_deref().unwrap_or("-");
                format!("{since}, deprecated {} until {sunset}: {reason}", at.rfc3339())
            }
        };
        let _ = writeln!(
            text,
            "base {id}: {} keys, revision {revision}, {retired}{since}",
            template.keys.len()
        );
    }
    for patch in patches {
        draw(&mut text, patch, &ledger.read(&patch.patch_id, at, 30));
    }
    let (payloads, clients, other) = ledger.totals(at, 30);
    let _ = writeln!(
        text,
        "ledger: {payloads} payloads of {clients} clients in 30 days, other in {}",
        ratio(other)
    );
    let _ = writeln!(text, "ledger days {}, keys {}", ledger.days.len(), ledger.keys.len());
    let _ = writeln!(
        text,
        "pool of {}: {} fragments, looked at {}, {} micro-clusters in {} clusters, next id {}",
        pool.model,
        pool.demand,
        pool.looked_at,
        pool.micros.len(),
        pool.clusters.len(),
        pool.next_id
    );
    if let Some(reembedding) = &pool.reembedding {
        let (model, made) = (&reembedding.model, reembedding.means.len());
        let _ = writeln!(text, "  {made} micro-clusters embedded anew by {model}");
    }
    if pool.unsummed > 0 {
        let _ = writeln!(text, "  {} fragments without a vector", pool.unsummed);
    }
    for cluster in pool
        .clusters
        .values()
        .filter(|cluster| pool.members(cluster.id) >= MEMBERS_MIN)
    {
        let gate = pool.gate(cluster.id, at, &engine::pool::policy::PoolPolicy::default());
        let _ = writeln!(
            text,
            "  cluster {}: {} members in {} micro-clusters, heat {:.1}, {} occurrences of {} clients in 7 days",
            cluster.id.0,
            pool.members(cluster.id),
            cluster.micros.len(),
            units(gate.heat_micro),
            gate.occurrences,
            gate.clients
        );
    }
    for (cluster, claims) in claims {
        for (audience, claim) in claims {
            let _ = writeln!(
                text,
                "claim on {} for {audience:?}: {}",
                cluster.0,
                brief(&format!("{claim:?}"))
            );
        }
    }
    let informed = acquaintances
        .values()
        .filter(
            |Acquaintance {
                 revision,
                 suggested: _,
                 times: _,
             }| *revision > 0,
        )
        .count();
    let _ = writeln!(text, "{informed} of {} clients know of patches", acquaintances.len());
    let _ = writeln!(text, "{} pending", pending.len());
    let beyond: u64 = deferred
        .iter()
        .chain(deferred_by_source.values())
        .map(|deferred| deferred.count)
        .sum();
    if beyond > 0 {
        let _ = writeln!(text, "{beyond} wait in the journal alone");
    }
    if !unexecuted.is_empty() {
        let _ = writeln!(text, "{} not executed yet", unexecuted.len());
    }
    let _ = writeln!(
        text,
        "trimmed on day {}, triggers: {triggers_global} for all, {triggers_client} for one client",
        trimmed.0
    );
    if *triggers_cohort > 0 {
        let _ = writeln!(text, "triggers for one cohort: {triggers_cohort}");
    }
    let _ = writeln!(text, "may be told to others: {} entries", news.len());
    for (id, client) in users.after(None) {
        let filled: Vec<String> = client
            .filled()
            .map(|(key, share)| format!("{key} {share:.2}"))
            .collect();
        let _ = writeln!(
            text,
            "{id} by {} at {}: {} in 7 days, of {} newest other {}, {}",
            client.schema_id,
            client.revision,
            client.submissions(at),
            client.sample(),
            ratio(client.other()),
            filled.join(", ")
        );
    }
    text
}

fn draw(text: &mut String, patch: &Patch, reading: &KeyReading) {
    let Patch {
        patch_id,
        parent_schema_id,
        timestamp,
        expiration,
        revision,
        audience,
        change,
        stage,
        times,
        cool_until,
        cluster,
        members,
        gate,
        examples,
        surfaces,
        sensitive,
        holds,
        coverage_ppm,
        heat_curve,
        credited,
        history,
        grounds,
        backtest,
        stood_still_ms,
        edits,
        read,
    } = patch;
    if let Some(wish) = read {
        let _ = writeln!(text, "  read by {} as {}", wish.by, wish.key_name);
    }
    for edited in edits {
        let by = edited.by.as_ref().map_or("nobody", By::as_str);
        let was = serde_json::to_string(&edited.was).expect("a change serialises");
        let _ = writeln!(text, "  edited at {} by {by}: was {was}", edited.seq);
    }
    if *stood_still_ms > 0 {
        let _ = writeln!(text, "  stood still for {stood_still_ms} ms");
    }
    let _ = writeln!(
        text,
        "patch {patch_id} on {parent_schema_id} for {audience:?}, revision {revision}"
    );
    let _ = writeln!(
        text,
        "  {}",
        serde_json::to_string(change).expect("a change serialises")
    );
    let _ = writeln!(
        text,
        "  {}, proposed {}, expires {}, ended {times} times, cool until {}, cluster {} of {members}, sensitive {}",
        stage.name(),
        timestamp.rfc3339(),
        expiration.rfc3339(),
        cool_until.map_or("-".to_owned(), At::rfc3339),
        cluster.0,
        sensitive.as_deref().unwrap_or("no")
    );
    let _ = writeln!(
        text,
        "  gate: heat {:.1}, {} occurrences of {} clients; expected coverage {} ppm; heat on {} days; credited {credited}",
        units(gate.heat_micro),
        gate.occurrences,
        gate.clients,
        coverage_ppm,
        heat_curve.len()
    );
    if !holds.is_empty() {
        let _ = writeln!(text, "  held by {holds:?}");
    }
    let _ = writeln!(text, "  examples {examples:?}, surfaces {surfaces:?}");
    let _ = writeln!(
        text,
        "  grounds kept: {}, tried on history: {}",
        grounds.is_some(),
        backtest.is_some()
    );
    // The rules alone are the rule.
    for sentence in explanation::of(patch, reading, None) {
        let _ = writeln!(text, "  {sentence}");
    }
    for StageChange {
        at,
        to,
        reason,
        by,
        reading,
        hand,
        because,
        scope,
    } in history
    {
        let read = reading
            .as_ref()
            .map_or(String::new(), |reading| format!("; {}", ratios(reading)));
        let by = by.as_ref().map_or(String::new(), |by| format!(" by {by}"));
        let hand = hand.map_or(String::new(), |hand| format!(", {}", hand.name()));
        let because = because
            .as_deref()
            .map_or(String::new(), |because| format!(": {because}"));
        let scope = scope.map_or(String::new(), |scope| format!(" of the {}", scope.name()));
        let _ = writeln!(
            text,
            "  {} -> {to} ({reason:?}{by}{hand}{scope}{because}{read})",
            at.rfc3339()
        );
    }
    let _ = writeln!(text, "  now {}", ratios(reading));
}

fn ratios(reading: &KeyReading) -> String {
    format!(
        "usage {} ({} of {}), among recipients {}, aligned {} ({} of {}), type {}, adoption {} ({} of {})",
        ratio(reading.usage_frequency),
        reading.payloads_with_key,
        reading.payloads,
        ratio(reading.usage_among_recipients),
        ratio(reading.semantic_alignment_accuracy),
        reading.aligned,
        reading.judged,
        ratio(reading.value_type_correctness),
        ratio(reading.client_adoption_rate),
        reading.used,
        reading.received
    )
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or("undefined".to_owned(), |ratio| format!("{ratio:.3}"))
}

fn units(micro: i64) -> f64 {
    micro as f64 / engine::pool::heat::MICRO as f64
}

fn brief(text: &str) -> String {
    text.chars().take(160).collect()
}
