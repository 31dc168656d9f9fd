//! What becomes of each hidden slot by the end of the loop: stable, on trial, waiting for what, given up, or never asked for.

use std::collections::BTreeMap;

use engine::evolution::patch::Patch;
use engine::evolution::stage::Stage;
use engine::pool::gate::Audience;
use otherwise::app::replay::Replayed;
use schema::effective::KeyChange;

use super::Meaning;
use super::scored;
use crate::data::Scenario;
use crate::table::Table;

/// The end of one slot: in a word to count by, with particulars behind a colon, and the course of its keys.
#[derive(Clone, Debug)]
pub struct End {
    slot: String,
    word: String,
    keys: Vec<String>,
}

/// The end of every hidden slot.
pub fn of(scenario: &Scenario, meaning: &dyn Fn(&Patch) -> Meaning, replayed: &Replayed) -> Vec<End> {
    let slots = scenario.hidden.iter().map(|hidden| hidden.name.as_str());
    slots.map(|slot| end(scenario, slot, meaning, replayed)).collect()
}

fn end(scenario: &Scenario, slot: &str, meaning: &dyn Fn(&Patch) -> Meaning, replayed: &Replayed) -> End {
    let is_key = |patch: &&Patch| matches!(patch.change, KeyChange::Add(_)) && patch.audience == Audience::Global;
    let all = || replayed.state.patches.iter().filter(is_key);
    let keys: Vec<&Patch> = all()
        .filter(|patch| meaning(patch) == Meaning::Slot(slot.to_owned()))
        .collect();
    let (gone, living): (Vec<&Patch>, Vec<&Patch>) = keys.into_iter().partition(|patch| patch.stage.has_ended());
    let word = match (living.as_slice(), gone.last()) {
        ([one], _) => stands(one),
        ([], Some(gone)) => format!("gone: {}", why(gone)),
        ([], None) => unproposed(scenario, slot, replayed),
        (several, _) => {
            let each: Vec<String> = several.iter().map(|patch| stands(patch)).collect();
            format!("several keys: {}", each.join("; "))
        }
    };
    let named = |patch: &&Patch| format!("{} {}", patch.change.key_name(), course(patch));
    let keys = living.iter().chain(&gone).map(named).collect();
    let slot = slot.to_owned();
    End { slot, word, keys }
}

/// Where a key stands that has not gone.
fn stands(patch: &Patch) -> String {
    match (&patch.stage, patch.waits_for()) {
        (_, Some(waits)) => waits.code.to_owned(),
        (Stage::AwaitingApproval { .. }, None) => format!("waits for approval: {}", patch.held_by().join(" ")),
        (stage, None) => stage.name().to_owned(),
    }
}

/// Why a key has gone, by what ended it and not by the time that went by since.
fn why(patch: &Patch) -> String {
    let left = patch.history.iter().rev().find(|change| {
        let name = change.to.as_str();
        name != "withdrawn" && name != "expired"
    });
    left.map_or_else(String::new, |change| format!("{:?}", change.reason))
}

/// Its stages with the reason and the usage at each.
fn course(patch: &Patch) -> String {
    let each = patch.history.iter().map(|change| {
        let usage = change
            .reading
            .as_ref()
            .and_then(|reading| reading.usage(&patch.audience));
        let usage = usage.map_or_else(String::new, |usage| format!(" {:.1} %", usage * 100.0));
        let day = change.at.rfc3339();
        format!(
            "{} {} {:?}{usage}",
            day.get(5..10).unwrap_or_default(),
            change.to,
            change.reason
        )
    });
    format!("[{}]", each.collect::<Vec<_>>().join(", "))
}

/// Where the demand of a slot without a key lies: in another's key, or in a cluster and for what that waits.
fn unproposed(scenario: &Scenario, slot: &str, replayed: &Replayed) -> String {
    let is_of = |line: &usize| {
        scenario.gold[line % scenario.gold.len()]
            .labels()
            .any(|label| label == slot)
    };
    let of = |members: &[usize]| members.iter().filter(|line| is_of(line)).count();
    let keys = replayed.report.keys.iter().filter(|key| key.modifies.is_none());
    let most_key = keys.max_by_key(|key| of(&key.members));
    let most = replayed
        .report
        .clusters
        .iter()
        .max_by_key(|cluster| of(&cluster.members));
    let in_key = most_key.map_or(0, |key| of(&key.members));
    match (most_key, most) {
        (Some(key), Some(cluster)) if in_key >= of(&cluster.members) => {
            format!("in the key of another: {}", key.key_name)
        }
        (_, Some(cluster)) => {
            let code = cluster.waits_for.as_ref().map(|waits| waits.code);
            let pure = scored(scenario, &cluster.members, 1) == Meaning::Slot(slot.to_owned());
            let mixed = if pure { "" } else { " mixed" };
            format!("no key: {}{mixed}", code.unwrap_or("open"))
        }
        (_, None) => "never said".to_owned(),
    }
}

/// One line for each scenario and the sum, and the course of every key for the file.
pub fn add(section: &str, ends: &[(String, Vec<End>)], table: &mut Table) {
    let mut sum: BTreeMap<&str, usize> = BTreeMap::new();
    for (scenario, ends) in ends {
        let each: Vec<String> = ends.iter().map(|end| format!("{} ({})", end.slot, end.word)).collect();
        println!("{section} {scenario}: {}", each.join(", "));
        for end in ends {
            let kind = end.word.split(':').next().unwrap_or_default();
            *sum.entry(kind).or_default() += 1;
            table.detail(&format!(
                "{section} {scenario} {}: {} {:?}",
                end.slot, end.word, end.keys
            ));
        }
    }
    for (word, many) in sum {
        table.text(section, &format!("slots that end: {word}"), &many.to_string(), "");
    }
}
