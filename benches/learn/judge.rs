//! How often the judge is right: every value that the streams say, and three wrong ones beside each.
//!
//! A judgement that is not made counts as wrong in `strict`, and is left out of sensitivity and specificity, which are
//! those of the published ratio.

use std::collections::BTreeMap;

use engine::evolution::judge;
use engine::evolution::ledger::Basis;
use schema::key::KeyDefinition;
use serde_json::Value;

use crate::data::Said;
use crate::data::Scenario;
use crate::express;
use crate::express::Form;
use crate::table::Table;

/// What kind of case it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Right,
    /// Another value of the same slot.
    Another,
    /// What was said, in the key of a sibling slot.
    Sibling,
    /// A value of a slot of which the utterance does not speak.
    Unsaid,
}

const WRONG: [Kind; 3] = [Kind::Another, Kind::Sibling, Kind::Unsaid];

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    right: u32,
    wrong: u32,
    silent: u32,
}

type Tallies = BTreeMap<Kind, Tally>;

impl Tally {
    fn add(&mut self, expected: bool, judged: Option<bool>) {
        match judged {
            Some(judged) if judged == expected => self.right += 1,
            Some(_) => self.wrong += 1,
            None => self.silent += 1,
        }
    }

    fn rate(self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.wrong).max(1))
    }

    fn strict(self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.wrong + self.silent).max(1))
    }

    fn silent(self) -> f64 {
        f64::from(self.silent) / f64::from((self.right + self.wrong + self.silent).max(1))
    }
}

/// The four kinds with equal weight for the three wrong ones.
fn balanced(tallies: &Tallies, rate: fn(Tally) -> f64) -> (f64, f64) {
    let of = |kind: Kind| tallies.get(&kind).copied().map(rate);
    let wrong: Vec<f64> = WRONG.into_iter().filter_map(of).collect();
    let specificity = wrong.iter().sum::<f64>() / wrong.len().max(1) as f64;
    (of(Kind::Right).unwrap_or(0.0), specificity)
}

/// Runs all cases of all scenarios and adds the figures to the table.
pub fn run(scenarios: &[Scenario], table: &mut Table) {
    let mut all = Tallies::new();
    let mut by_domain: BTreeMap<String, Tallies> = BTreeMap::new();
    for scenario in scenarios {
        let mut tallies = Tallies::new();
        cases(scenario, &mut |kind, key, value, utterance| {
            let judged = ask(key, value, utterance);
            tallies.entry(kind).or_default().add(kind == Kind::Right, judged);
            if judged != Some(kind == Kind::Right) {
                table.detail(&format!(
                    "judge {} {kind:?} judged {judged:?}: {} = {value} in {utterance:?}",
                    scenario.name, key.key_name
                ));
            }
        });
        table.detail(&format!("judge {}: {}", scenario.name, words(&tallies)));
        for (kind, tally) in tallies {
            for sum in [
                all.entry(kind),
                by_domain.entry(scenario.domain().to_owned()).or_default().entry(kind),
            ] {
                let sum = sum.or_default();
                sum.right += tally.right;
                sum.wrong += tally.wrong;
                sum.silent += tally.silent;
            }
        }
    }
    for (domain, tallies) in &by_domain {
        table.detail(&format!("judge {domain}: {}", words(tallies)));
    }
    let (sensitivity, specificity) = balanced(&all, Tally::rate);
    let (strict_right, strict_wrong) = balanced(&all, Tally::strict);
    let worst = by_domain
        .values()
        .map(|tallies| {
            let (right, wrong) = balanced(tallies, Tally::strict);
            (right + wrong) / 2.0
        })
        .fold(1.0_f64, f64::min);
    table.row(
        "judge",
        "balanced accuracy, silence counted as wrong",
        (strict_right + strict_wrong) / 2.0,
        "",
    );
    table.row(
        "judge",
        "balanced accuracy of what was judged",
        (sensitivity + specificity) / 2.0,
        "",
    );
    table.row("judge", "sensitivity", sensitivity, "");
    table.row("judge", "specificity", specificity, "");
    for kind in WRONG {
        let tally = all.get(&kind).copied().unwrap_or_default();
        table.row("judge", &format!("specificity, {}", described(kind)), tally.rate(), "");
    }
    let silent = all.values().map(|tally| tally.silent()).sum::<f64>() / all.len().max(1) as f64;
    table.row("judge", "share not judged", silent, "");
    table.row("judge", "strict, worst domain", worst, "");
}

fn described(kind: Kind) -> &'static str {
    match kind {
        Kind::Right => "right values",
        Kind::Another => "another value of the slot",
        Kind::Sibling => "the value of a sibling",
        Kind::Unsaid => "a slot nobody spoke of",
    }
}

fn words(tallies: &Tallies) -> String {
    let (right, wrong) = balanced(tallies, Tally::strict);
    let each: Vec<String> = tallies
        .iter()
        .map(|(kind, tally)| format!("{kind:?} {}/{}/{}", tally.right, tally.wrong, tally.silent))
        .collect();
    format!(
        "strict {:.3} (right/wrong/silent: {})",
        (right + wrong) / 2.0,
        each.join(", ")
    )
}

fn ask(key: &KeyDefinition, value: &Value, utterance: &str) -> Option<bool> {
    let case = judge::Case {
        key,
        value,
        utterance: Some(utterance),
        other: &[],
    };
    judge::judge(&case).and_then(|(aligned, basis)| (basis == Basis::Lexical).then_some(aligned))
}

/// Takes a case: its kind, the key, its value, what was said.
type Each<'a> = dyn FnMut(Kind, &KeyDefinition, &Value, &str) + 'a;

/// All cases of a scenario, one right and at most three wrong ones a line.
fn cases(scenario: &Scenario, each: &mut Each<'_>) {
    let keys = scenario.keys();
    let said: Vec<(usize, &Said)> = scenario
        .gold
        .iter()
        .enumerate()
        .filter_map(|(line, gold)| Some((line, gold.values.iter().find(|value| value.slot == gold.gold)?)))
        .collect();
    let find = |name: &str| keys.iter().find(|key| key.key_name.as_str() == name);
    for (number, (line, value)) in said.iter().enumerate() {
        let utterance = scenario.lines[*line].utterance();
        let Some(key) = find(&value.slot) else { continue };
        let canonical = number % 2 == 1;
        let mut put = |kind: Kind, key: &KeyDefinition, value: &Said| {
            let Some(value) = express::express(value, key, canonical) else {
                return false;
            };
            each(kind, key, &value, utterance);
            true
        };
        if !put(Kind::Right, key, value) {
            continue;
        }
        // Neighbours in the list are other people's; the step makes them differ from line to line.
        let count = said.len();
        let elsewhere = |step: usize| (0..count).map(move |ahead| (number + step + ahead) % count.max(1));
        let another = elsewhere(7 + number % 11).map(|at| said[at].1).find(|other| {
            other.slot == value.slot
                && !other.canonical.eq_ignore_ascii_case(&value.canonical)
                && !other.text.eq_ignore_ascii_case(&value.text)
        });
        if let Some(another) = another {
            put(Kind::Another, key, another);
        }
        let mentioned = |name: &str| scenario.gold[*line].values.iter().any(|value| value.slot == name);
        let mut siblings: Vec<&KeyDefinition> = keys
            .iter()
            .filter(|other| other.key_name != key.key_name && !mentioned(other.key_name.as_str()))
            .filter(|other| matches!(express::form(other), Form::Free) || express::form(other) == express::form(key))
            .collect();
        // One of the same form first: they are the ones that are mixed up.
        siblings.sort_by_key(|other| {
            let turn = (number + other.key_name.as_str().len()) % 5;
            (
                express::form(other) != express::form(key),
                turn,
                other.key_name.as_str().to_owned(),
            )
        });
        for sibling in siblings {
            if put(Kind::Sibling, sibling, value) {
                break;
            }
        }
        let unsaid = elsewhere(3 + number % 13)
            .map(|at| said[at].1)
            .find(|other| !mentioned(&other.slot));
        if let Some(unsaid) = unsaid
            && let Some(key) = find(&unsaid.slot)
        {
            put(Kind::Unsaid, key, unsaid);
        }
    }
}
