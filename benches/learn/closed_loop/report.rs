//! The closed loop's figures over all scenarios.

use super::Fate;
use super::SlotFate;
use super::WORTH_MIN;
use crate::table::Table;

/// Adds the figures of all scenarios to the table.
pub fn add(section: &str, fates: &[Fate], table: &mut Table) {
    let sum = |of: &dyn Fn(&Fate) -> usize| fates.iter().map(of).sum::<usize>();
    let slots: Vec<&SlotFate> = fates.iter().flat_map(|fate| &fate.slots).collect();
    let share = |from: f64, to: f64| {
        let among: Vec<&&SlotFate> = slots
            .iter()
            .filter(|slot| slot.covered && slot.expected >= from && slot.expected < to)
            .collect();
        let stable = among.iter().filter(|slot| slot.stable).count();
        (stable, among.len())
    };
    let (stable, all) = share(WORTH_MIN, f64::INFINITY);
    table.row(
        section,
        &format!("covered slots at 15 % or more that end stable ({stable} of {all})"),
        stable as f64 / all.max(1) as f64,
        ">= .85",
    );
    let (stable, all) = share(0.05, WORTH_MIN);
    table.row(
        section,
        &format!("covered slots at 5 to 15 % that end stable ({stable} of {all})"),
        stable as f64 / all.max(1) as f64,
        "",
    );
    let covered = slots.iter().filter(|slot| slot.covered).count();
    table.text(
        section,
        "hidden slots covered by a proposal",
        &format!("{covered} of {}", slots.len()),
        "",
    );
    let (stable, spurious) = (sum(&|fate| fate.stable), sum(&|fate| fate.stable_spurious));
    table.row(
        section,
        &format!("stable keys that are spurious ({spurious} of {stable})"),
        spurious as f64 / stable.max(1) as f64,
        "<= .10",
    );
    let drifted = sum(&|fate| fate.stable_drifted);
    table.text(
        section,
        "stable keys whose cluster ends as something else",
        &format!("{drifted} of {stable}"),
        "",
    );
    let changes = fates.iter().map(|fate| fate.changes_max).max().unwrap_or(0);
    table.text(
        section,
        "most changes of stage of one key in 30 days",
        &changes.to_string(),
        "<= 2",
    );
    table.text(section, "keys promoted and stable", &stable.to_string(), "");
    table.text(
        section,
        "keys deprecated or gone",
        &sum(&|fate| fate.deprecated).to_string(),
        "",
    );
    table.text(
        section,
        "keys on trial at the end",
        &sum(&|fate| fate.on_trial).to_string(),
        "",
    );
    table.text(
        section,
        "keys waiting, lapsed or rejected",
        &sum(&|fate| fate.waiting).to_string(),
        "",
    );
    let (trials, wasted) = (sum(&|fate| fate.trials), sum(&|fate| fate.wasted));
    table.row(
        section,
        &format!("wasted trials ({wasted} of {trials})"),
        wasted as f64 / trials.max(1) as f64,
        "",
    );
    let worthy = wasted - sum(&|fate| fate.hopeless);
    table.row(
        section,
        &format!("wasted trials, without those of slots below 15 % ({worthy} of {trials})"),
        worthy as f64 / trials.max(1) as f64,
        "",
    );
    let foretold: Vec<(f64, f64, f64, bool)> = fates.iter().flat_map(|fate| fate.foretold.iter().copied()).collect();
    let many = foretold.len().max(1) as f64;
    let error = |of: fn(&(f64, f64, f64, bool)) -> f64| foretold.iter().map(of).sum::<f64>() / many;
    table.row(
        section,
        &format!(
            "mean absolute error of the usage foretold ({} verdicts)",
            foretold.len()
        ),
        error(|(usage, _, came, _)| (usage - came).abs()),
        "",
    );
    table.row(
        section,
        "the same, had all that could come with the key done so",
        error(|(_, all, came, _)| (all - came).abs()),
        "",
    );
    let right = foretold.iter().filter(|(_, _, _, right)| *right).count();
    table.row(
        section,
        &format!("verdicts that were foretold ({right} of {})", foretold.len()),
        right as f64 / many,
        "",
    );
    let weeks = fates.iter().map(|fate| fate.weeks.len()).max().unwrap_or(0);
    let by_week: Vec<String> = (0..weeks)
        .map(|week| {
            let of = |part: fn(&(usize, usize)) -> usize| -> usize {
                fates.iter().filter_map(|fate| fate.weeks.get(week).map(part)).sum()
            };
            format!("{:.2}", of(|week| week.1) as f64 / of(|week| week.0).max(1) as f64)
        })
        .collect();
    table.text(section, "share of demand in keys, by week", &by_week.join(" "), "");
}
