//! What learned keys would do to those who trust them, beside how many of the wishes they hold: by set and by language.
//!
//! Both scripts that lie beside the data judge the same reports: `score.py` tells which wishes a key was proposed for, `harm.py`
//! what those that are served would do, and with `--proposals` what a person could approve as it stands. Intervals are 95 % of
//! a bootstrap over scenarios, since a service is what is new, not a line.

use serde_json::Value;

use crate::table::Table;

/// Resamples of a bootstrap: enough for two digits of an interval.
const RESAMPLES: usize = 1_000;
/// What is never to happen to anybody: a wrong value, an inverted one, private words, an order, a sensitive or a publisher's key.
const GRAVE: [&str; 7] = ["H4", "H5", "H6", "H7", "H8", "H10", "H11"];
/// Another thing, the same again, a name that misleads.
const CLUMSY: [&str; 3] = ["H1", "H2", "H3"];

/// What the scripts say of one set of reports.
pub struct Judged {
    pub scored: Value,
    pub harm: Value,
    pub proposals: Value,
}

/// One scenario in figures.
#[derive(Clone, Default)]
struct Row {
    hidden: f64,
    keys: f64,
    covered: f64,
    served: f64,
    harmful: f64,
    grave: f64,
    clumsy: f64,
    right: f64,
    waits_rightly: f64,
    waits_wrongly: f64,
    approvable: f64,
}

/// A share of a sum of rows: what is counted, of what.
type Share<'a> = &'a dyn Fn(&Row) -> (f64, f64);

impl Judged {
    /// The scenarios whose name a group holds.
    fn rows(&self, holds: &dyn Fn(&str) -> bool) -> Vec<Row> {
        let scenarios = |value: &Value| value["scenarios"].as_array().cloned().unwrap_or_default();
        let count = |row: &Value, name: &str| row[name].as_f64().unwrap_or_default();
        let all = |row: &Value, names: &[&str]| names.iter().map(|name| count(row, name)).sum();
        let held = |row: &&Value| row["scenario"].as_str().is_some_and(holds);
        let (scored, harm, proposals) = (
            scenarios(&self.scored),
            scenarios(&self.harm),
            scenarios(&self.proposals),
        );
        let same = |rows: &[Value], name: &Value| rows.iter().find(|row| row["scenario"] == *name).cloned();
        scored
            .iter()
            .filter(held)
            .filter_map(|score| {
                let harm = same(&harm, &score["scenario"])?;
                let proposals = same(&proposals, &score["scenario"])?;
                Some(Row {
                    hidden: count(score, "hidden"),
                    keys: count(score, "keys"),
                    covered: count(score, "covered"),
                    served: count(&harm, "served"),
                    harmful: count(&harm, "harmful"),
                    grave: all(&harm, &GRAVE),
                    clumsy: all(&harm, &CLUMSY),
                    right: count(&harm, "right"),
                    waits_rightly: count(&harm, "waiting"),
                    waits_wrongly: count(&harm, "waiting_wrongly"),
                    approvable: count(&proposals, "right"),
                })
            })
            .collect()
    }

    /// Adds the rows of a group to the table.
    pub fn report(&self, section: &str, holds: &dyn Fn(&str) -> bool, bars: &[(&str, &str)], table: &mut Table) {
        let rows = self.rows(holds);
        let bar = |measure: &str| {
            bars.iter()
                .find(|(name, _)| *name == measure)
                .map_or("", |(_, bar)| bar)
        };
        let f1 = |row: &Row| (2.0 * row.covered, row.hidden + row.keys);
        let approvable = |row: &Row| (row.approvable, row.hidden);
        let well = |row: &Row| (row.right + row.waits_rightly, row.hidden);
        let harmful = |row: &Row| (row.harmful, row.served);
        let clumsy = |row: &Row| (100.0 * row.clumsy, row.served);
        let shares: [(&str, Share<'_>); 5] = [
            ("F1 of all proposals", &f1),
            ("approvable unedited, of hidden", &approvable),
            ("right or rightly waiting, of hidden", &well),
            ("harmful, of served", &harmful),
            ("merged, duplicate, misnamed, of 100 served", &clumsy),
        ];
        for (measure, share) in shares {
            let (low, high) = interval(&rows, share);
            table.text(
                section,
                measure,
                &format!("{:.3} [{low:.2} {high:.2}]", ratio(&rows, share)),
                bar(measure),
            );
        }
        let sum = |of: fn(&Row) -> f64| rows.iter().map(of).sum::<f64>();
        let counts: [(&str, f64); 4] = [
            ("hidden", sum(|row| row.hidden)),
            ("served", sum(|row| row.served)),
            ("served: grave harms", sum(|row| row.grave)),
            ("waiting wrongly", sum(|row| row.waits_wrongly)),
        ];
        for (measure, figure) in counts {
            table.text(section, measure, &format!("{figure:.0}"), bar(measure));
        }
    }

    /// Notes what was found wrong, key by key.
    pub fn particulars(&self, section: &str, table: &mut Table) {
        for row in self.harm["scenarios"].as_array().into_iter().flatten() {
            for key in row["detail"].as_array().into_iter().flatten() {
                table.detail(&format!(
                    "{section} {}: {key}",
                    row["scenario"].as_str().unwrap_or_default()
                ));
            }
        }
    }
}

fn ratio(rows: &[Row], share: Share<'_>) -> f64 {
    let sums = rows
        .iter()
        .map(share)
        .fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    if sums.1 > 0.0 { sums.0 / sums.1 } else { 0.0 }
}

/// The middle 95 % of the ratio over resampled scenarios.
fn interval(rows: &[Row], share: Share<'_>) -> (f64, f64) {
    if rows.is_empty() {
        return (0.0, 0.0);
    }
    let mut random = 27_u64;
    let mut next = |below: usize| {
        // Knuth's constants of MMIX; the upper bits are the random ones.
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(random >> 33).unwrap_or(0) % below
    };
    let mut ratios: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let drawn: Vec<Row> = (0..rows.len()).map(|_| rows[next(rows.len())].clone()).collect();
            ratio(&drawn, share)
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    (ratios[RESAMPLES / 40], ratios[RESAMPLES - 1 - RESAMPLES / 40])
}
