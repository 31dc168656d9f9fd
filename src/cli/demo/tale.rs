//! What a demo tells: each decision of the engine about a key, in its own words, by day, and what there is at the end.
//!
//! Reads the report of the replay and decides nothing. Invariant: one seed gives the same lines, but for the seconds.

use serde_json::Value;
use serde_json::json;

use crate::app::replay::Replayed;
use crate::app::replay::report::ReportedDecision;
use crate::app::replay::report::ReportedKey;
use crate::cli::demo::traffic::Booking;
use engine::evolution::patch::Patch;
use engine::evolution::policy::EvolutionPolicy;
use engine::pool::policy::PoolPolicy;
use engine::scenario::decision_log;
use engine::scenario::policy::Policy;
use schema::effective::KeyChange;
use schema::key::KeyDefinition;
use schema::time::At;
use schema::time::DAY_MS;

/// Another seed of which a test holds that its tale is right.
const ANOTHER_SEED: u64 = 3;
const HOUR_S: i64 = 3_600;
const DAY_S: i64 = 24 * HOUR_S;

/// A demo that was run.
pub struct Tale<'a> {
    pub seed: u64,
    pub days: u32,
    pub start: At,
    pub clients: usize,
    pub bookings: &'a [Booking],
    pub policy: &'a Policy,
    pub replayed: &'a Replayed,
    /// Where the journal is kept, if it is.
    pub kept: Option<&'a str>,
}

impl Tale<'_> {
    fn day_of(&self, at: At) -> i64 {
        at.since_ms(self.start) / DAY_MS
    }

    /// Each decision with its day, counted from 0; what a timer decided behind the last line is none of the days'.
    fn decisions(&self) -> impl Iterator<Item = (i64, &ReportedDecision)> {
        let decisions = self.replayed.report.decisions.iter();
        decisions.filter_map(|decision| Some((self.day_of(At::parse(&decision.at)?), decision)))
    }

    /// As lines of JSON: the decisions, then the keys.
    pub fn documents(&self) -> Vec<Value> {
        let mut lines: Vec<Value> = self
            .decisions()
            .map(|(day, decision)| {
                let mut line = json!(decision);
                line["day"] = json!(day + 1);
                line
            })
            .collect();
        let report = &self.replayed.report;
        let keys: Vec<Value> = report.keys.iter().map(document).collect();
        lines.push(json!({
            "payloads": report.lines,
            "refused": report.refused,
            "records": self.replayed.entries.len(),
            "keys": keys,
            "seconds": report.seconds.total,
        }));
        lines
    }

    /// As text.
    pub fn text(&self) -> String {
        let mut text = self.opening();
        for day in 0..i64::from(self.days) {
            let of_day = self.bookings.iter().filter(|booking| self.day_of(booking.at) == day);
            let payloads = of_day.clone().count();
            let wishing = of_day.filter(|booking| !booking.wishes.is_empty()).count();
            let decided = self
                .decisions()
                .filter(|(of, decision)| *of == day && decision.patch_id.is_some());
            let decided: Vec<&ReportedDecision> = decided.map(|(_, decision)| decision).collect();
            if decided.is_empty() {
                continue;
            }
            let date = self.start.plus_ms(day * DAY_MS).date();
            text += &format!(
                "\nDay {}, {date}: {payloads} payloads, {wishing} of them with wishes\n",
                day + 1
            );
            for decision in decided {
                let time = decision.at.get(11..16).unwrap_or_default();
                text += &format!("  {time}  {}\n", decision.says);
                for said in self.described(decision).into_iter().chain(&decision.because) {
                    text += &format!("           {said}\n");
                }
            }
        }
        text + &self.closing()
    }

    /// The description of a key at the moment when it was proposed.
    fn described(&self, decision: &ReportedDecision) -> Option<&String> {
        let patch = self.replayed.state.patch(decision.patch_id.as_ref()?)?;
        match patch.proposed() {
            KeyChange::Add(key) if patch.timestamp.rfc3339() == decision.at => Some(&key.semantic_description),
            KeyChange::Add(_) | KeyChange::Refine { .. } => None,
        }
    }

    fn opening(&self) -> String {
        let PoolPolicy {
            heat_threshold,
            heat_increment,
            heat_half_life_s,
            gate_window_s,
            gate_clients_min,
            gate_occurrences_min,
            ..
        } = &self.policy.pool;
        let EvolutionPolicy {
            trial_s,
            promote_usage_min,
            deprecate_usage_below,
            ..
        } = &self.policy.evolution;
        format!(
            "Otherwise: {} days of a flight-booking service\n\n\
             {} simulated client agents (seed {}) book flights by a template, and say in `other` what no key of it can hold.\n\
             What follows are the engine's own decisions, made as in `otherwise serve` on a clock that runs faster; days without one are left\n\
             out. No person decides anything here, so that what waits for one waits until the end (`otherwise approvals`).\n\n\
             Each wish adds {heat_increment} to the heat of what means the same, and half of it is gone after {} hours. Above \
             {heat_threshold}, said by {gate_clients_min} clients\n(or {gate_occurrences_min} times, by several) within {} days, \
             it becomes a key on trial; one client that says it as often gets a key that it alone sees.\nAfter {} days a key that \
             {:.0} % of the payloads hold, rightly, stays; one below {:.0} % goes; between them its trial goes on.\n",
            self.days,
            self.clients,
            self.seed,
            heat_half_life_s / HOUR_S,
            gate_window_s / DAY_S,
            trial_s / DAY_S,
            promote_usage_min * 100.0,
            deprecate_usage_below * 100.0,
        )
    }

    /// A key that is served or waits.
    fn ended(&self, patch: &Patch, key: &KeyDefinition) -> String {
        let state = &self.replayed.state;
        let reading = state
            .ledger
            .read(&patch.patch_id, state.at, self.policy.evolution.window_days);
        let used = match reading.usage(&patch.audience) {
            Some(usage) if patch.stage.standing().is_some() => format!(", in {:.0} % of the payloads", usage * 100.0),
            _ => String::new(),
        };
        let stage = match patch.stage.name() {
            "awaiting_approval" => "waits for a person",
            "experimental" => "is on trial",
            "stable" => "stays",
            "deprecated" => "goes",
            other => other,
        };
        format!(
            "  `{}` ({}, {}) {stage}, for {}{used}\n           {}\n",
            key.key_name,
            key.key_type.name(),
            patch.patch_id,
            decision_log::people(&patch.audience),
            key.semantic_description
        )
    }

    fn closing(&self) -> String {
        let report = &self.replayed.report;
        let mut text = format!("\nAt the end of day {}\n", self.days);
        let mut gone = Vec::new();
        for patch in &self.replayed.state.patches {
            match &patch.change {
                KeyChange::Add(key) if patch.stage.has_ended() => gone.push(key.key_name.as_str()),
                KeyChange::Add(key) => text += &self.ended(patch, key),
                KeyChange::Refine { .. } => {}
            }
        }
        if self.replayed.state.patches.is_empty() {
            text += "  nothing is learned yet\n";
        }
        if !gone.is_empty() {
            text += &format!("  gone: {}\n", gone.join(", "));
        }
        let folder = self.kept.unwrap_or("tale");
        text += &format!(
            "  {} payloads, {} refused, {} records, {:.1} seconds\n\nWhere to go on\n",
            report.lines,
            report.refused,
            self.replayed.entries.len(),
            report.seconds.total
        );
        let seed = if self.seed == ANOTHER_SEED {
            self.seed + 1
        } else {
            ANOTHER_SEED
        };
        text += &format!("  otherwise demo --seed {seed}\n");
        if self.kept.is_none() {
            text += &format!("  otherwise demo --keep {folder}\n");
        }
        text += &format!("  otherwise verify --data {folder}\n  otherwise serve --data {folder}\n");
        if let Some(patch) = self.replayed.state.patches.first() {
            text += &format!("  curl -s localhost:8080/v1/patches/{}/evidence\n", patch.patch_id);
        }
        text + "Time goes on in a journal that was kept: when it is served later, trials end and keys go that nobody used since.\n"
    }
}

/// A key without the fragments behind it.
fn document(key: &ReportedKey) -> Value {
    let mut key = json!(key);
    if let Some(key) = key.as_object_mut() {
        key.retain(|member, _| !matches!(member.as_str(), "members" | "fragments"));
    }
    key
}
