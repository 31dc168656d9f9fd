//! Turns that name several slots in one breath: does each slot get its own?
//!
//! Crediting: the stream of a scenario is replayed, then its turns with several slots, moved behind the stream's end. A key
//! that came of the stream stands for the slot of most of its members in the stream, as in the score (purity 0.70, ten
//! members); other keys stand for nothing and are left out. A turn names a slot when its line is a member of a key of that
//! slot at the end: a fragment of it is in the key's cluster or is credited to the key. Recall: of the slots that turns
//! really name and that a key stands for, those named. Precision: of the slots named, those that the turn really names.
//!
//! Learning: the same turns in the stream, by time; the score of what is learned then, over the stream's own lines.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::Path;

use otherwise::app::ports::Embedder;
use otherwise::app::replay::report::Report;
use otherwise::app::replay::report::ReportedKey;
use schema::time::At;
use serde_json::Value;

use crate::data::Scenario;
use crate::rediscovery;
use crate::table::Table;

/// A key is of a slot when most of its members are, as in the score.
const PURITY_MIN: f64 = 0.70;
const MEMBERS_MIN: usize = 10;

/// What was counted over turns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    turns: usize,
    /// Slots that turns name and that a key stands for.
    wanted: usize,
    /// Slots named by keys.
    named: usize,
    /// Of these, those that the turn names.
    right: usize,
}

/// One scenario's.
pub struct Turns {
    scenario: String,
    domain: String,
    counts: Counts,
}

/// Replays the stream and then the turns; what the turns were credited to.
///
/// # Errors
/// What stopped it.
pub async fn credit(scenario: &Scenario, embedder: &dyn Embedder) -> Result<Turns, String> {
    let report = rediscovery::replayed(scenario, &behind(scenario), embedder).await?;
    Ok(Turns {
        scenario: scenario.name.clone(),
        domain: scenario.domain().to_owned(),
        counts: count(scenario, &report),
    })
}

/// Replays the stream with the turns in it and writes the report, in which only the stream's own lines are members.
///
/// # Errors
/// What stopped it.
pub async fn learn(scenario: &Scenario, embedder: &dyn Embedder, folder: &Path) -> Result<(), String> {
    let own = scenario.raw.iter().enumerate().map(|(at, line)| (Some(at), line));
    let turns = scenario.multi.iter().map(|(line, _)| (None, line));
    let mut order: Vec<(At, Option<usize>, &String)> = own
        .chain(turns)
        .map(|(number, line)| (moment(line), number, line))
        .collect();
    order.sort_by_key(|(at, number, _)| (*at, number.is_none(), *number));
    let stream: Vec<String> = order.iter().map(|(_, _, line)| (*line).clone()).collect();
    let mut report = rediscovery::replayed(scenario, &stream, embedder).await?;
    for key in &mut report.keys {
        key.members = key.members.iter().filter_map(|member| order.get(*member)?.1).collect();
        key.members.sort_unstable();
    }
    rediscovery::write(scenario, &report, folder)
}

fn moment(line: &str) -> At {
    serde_json::from_str::<Value>(line)
        .ok()
        .and_then(|line| At::parse(line.get("at")?.as_str()?))
        .unwrap_or_default()
}

/// The stream, and its turns with several slots after it, in their own rhythm.
fn behind(scenario: &Scenario) -> Vec<String> {
    let moments = || scenario.raw.iter().map(|line| moment(line));
    let first = scenario.multi.iter().map(|(line, _)| moment(line)).min();
    let gap = moments().max().unwrap_or_default().since_ms(first.unwrap_or_default());
    let moved = scenario.multi.iter().map(|(line, _)| {
        let Ok(mut document) = serde_json::from_str::<Value>(line) else {
            return line.clone();
        };
        document["at"] = Value::String(moment(line).plus_ms(gap).rfc3339());
        document.to_string()
    });
    scenario.raw.iter().cloned().chain(moved).collect()
}

/// The slot that a key stands for.
fn slot_of<'a>(scenario: &'a Scenario, key: &ReportedKey) -> Option<&'a str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let own = key.members.iter().filter_map(|member| scenario.gold.get(*member));
    for gold in own {
        *counts.entry(gold.gold.as_str()).or_default() += 1;
    }
    let all = counts.values().sum::<usize>();
    let (slot, most) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let hidden = scenario.hidden.iter().any(|hidden| hidden.name == slot);
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let pure = most as f64 >= PURITY_MIN * all as f64;
    (hidden && pure && all >= MEMBERS_MIN).then_some(slot)
}

fn count(scenario: &Scenario, report: &Report) -> Counts {
    let stream = scenario.raw.len();
    let end = scenario.raw.iter().map(|line| moment(line)).max().unwrap_or_default();
    let keys: Vec<(&str, BTreeSet<usize>)> = report
        .keys
        .iter()
        .filter(|key| key.modifies.is_none() && At::parse(&key.induced_at).is_some_and(|at| at <= end))
        .filter_map(|key| Some((slot_of(scenario, key)?, key.members.iter().copied().collect())))
        .collect();
    let held: BTreeSet<&str> = keys.iter().map(|(slot, _)| *slot).collect();
    let mut counts = Counts::default();
    for (number, (_, gold)) in scenario.multi.iter().enumerate() {
        let wanted: BTreeSet<&str> = gold.gold.iter().map(String::as_str).collect();
        let named: BTreeSet<&str> = keys
            .iter()
            .filter(|(_, members)| members.contains(&(stream + number)))
            .map(|(slot, _)| *slot)
            .collect();
        counts.turns += 1;
        counts.wanted += wanted.intersection(&held).count();
        counts.named += named.len();
        counts.right += named.intersection(&wanted).count();
    }
    counts
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.turns += other.turns;
        self.wanted += other.wanted;
        self.named += other.named;
        self.right += other.right;
    }

    #[expect(clippy::cast_precision_loss, reason = "shares")]
    fn shares(&self) -> (f64, f64) {
        let share = |of: usize| self.right as f64 / of.max(1) as f64;
        (share(self.wanted), share(self.named))
    }
}

/// Adds what the turns were credited to.
pub fn report(section: &str, turns: &[Turns], table: &mut Table) {
    let mut all = Counts::default();
    let mut domains: BTreeMap<&str, Counts> = BTreeMap::new();
    for one in turns {
        all.add(&one.counts);
        domains.entry(one.domain.as_str()).or_default().add(&one.counts);
        let (recall, precision) = one.counts.shares();
        table.detail(&format!(
            "{section} {}: recall {recall:.3} precision {precision:.3} {:?}",
            one.scenario, one.counts
        ));
    }
    for (domain, counts) in domains {
        let (recall, precision) = counts.shares();
        table.detail(&format!(
            "{section} {domain}: recall {recall:.3} precision {precision:.3}"
        ));
    }
    let (recall, precision) = all.shares();
    table.text(section, "turns", &all.turns.to_string(), "");
    table.row(section, "slot recall", recall, ">= .78");
    table.row(section, "slot precision", precision, ">= .93");
}
