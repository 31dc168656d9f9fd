//! One domain left out at a time: the pool's numbers are chosen on the others, and scored on the one that had no say.
//!
//! What is chosen is the link that serves the other domains best.

use std::collections::BTreeMap;

use engine::scenario::policy::Policy;
use serde_json::Value;

use crate::table::Table;

/// Around the defaults, which come first: where several serve equally, the first is taken.
const LINKS: [f64; 3] = [0.23, 0.20, 0.26];

/// What a candidate is called, and what it brought in each domain.
pub type Tried = (String, BTreeMap<String, Counts>);

/// What was hidden, proposed and found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    hidden: u64,
    keys: u64,
    covered: u64,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.hidden += other.hidden;
        self.keys += other.keys;
        self.covered += other.covered;
    }

    fn precision(self) -> f64 {
        ratio(self.covered, self.keys)
    }

    fn f1(self) -> f64 {
        ratio(2 * self.covered, self.keys + self.hidden)
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The policies to choose from, with what each is called.
pub fn candidates() -> Vec<(String, Policy)> {
    let each = LINKS.iter().map(|&link| {
        let mut policy = Policy::default();
        policy.pool.link_min = link;
        (format!("link {link}"), policy)
    });
    each.collect()
}

/// What the script counted, by the domain of the scenarios.
pub fn by_domain(scored: &Value) -> BTreeMap<String, Counts> {
    let mut domains = BTreeMap::<String, Counts>::new();
    for scenario in scored.get("scenarios").and_then(Value::as_array).into_iter().flatten() {
        let count = |name: &str| scenario[name].as_u64().unwrap_or_default();
        let name = scenario["scenario"].as_str().unwrap_or_default();
        domains.entry(domain(name).to_owned()).or_default().add(Counts {
            hidden: count("hidden"),
            keys: count("keys"),
            covered: count("covered"),
        });
    }
    domains
}

/// `sgd_ride_sharing_2_covered` is of the domain `sgd_ride_sharing`.
fn domain(scenario: &str) -> &str {
    let name = scenario.trim_end_matches("_covered");
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_')
}

/// Chooses for each domain by the others, and adds what came of it. `tried` holds what every candidate brought.
pub fn report(section: &str, tried: &[Tried], bar: &str, table: &mut Table) {
    let Some((_, first)) = tried.first() else { return };
    let mut pooled = Counts::default();
    for left_out in first.keys() {
        let by_others = |counts: &BTreeMap<String, Counts>| {
            let mut others = Counts::default();
            for (_, counts) in counts.iter().filter(|(domain, _)| *domain != left_out) {
                others.add(*counts);
            }
            others.f1()
        };
        let mut chosen: Option<(f64, &Tried)> = None;
        for candidate in tried {
            let f1 = by_others(&candidate.1);
            if chosen.is_none_or(|(most, _)| f1 > most) {
                chosen = Some((f1, candidate));
            }
        }
        let Some((_, (name, counts))) = chosen else { continue };
        let own = counts.get(left_out).copied().unwrap_or_default();
        pooled.add(own);
        table.detail(&format!(
            "{section} {left_out}: {name}; F1 {:.3}, precision {:.3}",
            own.f1(),
            own.precision()
        ));
    }
    for (name, counts) in tried {
        let mut all = Counts::default();
        for counts in counts.values() {
            all.add(*counts);
        }
        table.detail(&format!(
            "{section}, all domains, {name}: F1 {:.4}, precision {:.4}",
            all.f1(),
            all.precision()
        ));
    }
    table.row(section, "f1", pooled.f1(), bar);
    table.row(section, "precision", pooled.precision(), bar);
}
