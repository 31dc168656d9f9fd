//! The story: what happened, day by day, in words for somebody who meets all of this for the first time.
//!
//! Owns the wording and the order; reads [`Told`] and nothing else, so that the story cannot say what the events do not.
//! Invariant: a term is explained once, where it first matters.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::Value;

use crate::domain::pool::gate::Audience;
use crate::edge::cli::demo::closing;
use crate::edge::cli::demo::closing::Series;
use crate::edge::cli::demo::closing::counted;
use crate::edge::cli::demo::happening::Change;
use crate::edge::cli::demo::happening::DayTold;
use crate::edge::cli::demo::happening::GateShown;
use crate::edge::cli::demo::happening::Happening;
use crate::edge::cli::demo::happening::LedgerShown;
use crate::edge::cli::demo::happening::Proposal;
use crate::edge::cli::demo::happening::Thresholds;
use crate::edge::cli::demo::happening::Told;
use crate::edge::cli::demo::page::Page;
use crate::edge::cli::demo::page::Paint;
use crate::edge::cli::demo::plot;

/// Where words begin, behind time and tag.
const COLUMN: usize = 18;
/// Letters of a bar.
const BAR: usize = 12;

/// Terms that are explained once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Term {
    Heat,
    Gate,
    OwnGate,
    Trial,
    Adoption,
    Deprecation,
    Folding,
}

/// Tells.
pub struct Story<'a> {
    page: Page<'a>,
    /// Where the journal is kept, if it is.
    kept: Option<String>,
    notes: RefCell<Notes>,
}

#[derive(Default)]
struct Notes {
    seed: u64,
    thresholds: Option<Thresholds>,
    /// What happened on the day under way.
    today: Vec<Told>,
    quiet: Vec<(u32, DayTold)>,
    explained: BTreeSet<Term>,
    series: Series,
}

impl<'a> Story<'a> {
    /// Begins on an empty page.
    pub fn new(page: Page<'a>, kept: Option<String>) -> Story<'a> {
        Story {
            page,
            kept,
            notes: RefCell::new(Notes::default()),
        }
    }

    /// Takes the next happening; a day is printed when it is over.
    pub fn hear(&self, told: &Told) {
        let mut notes = self.notes.borrow_mut();
        notes.series.hear(told);
        match &told.what {
            Happening::Began {
                seed,
                days,
                clients,
                template,
                thresholds,
            } => {
                notes.seed = *seed;
                notes.thresholds = Some((**thresholds).clone());
                self.opening(*seed, *days, *clients, template);
            }
            Happening::Day(day) => {
                let today = std::mem::take(&mut notes.today);
                let shown = shown(&today);
                if shown.is_empty() {
                    notes.quiet.push((told.day, (**day).clone()));
                } else {
                    self.quiet(&mut notes);
                    self.day(&mut notes, told.day, day, &shown);
                }
            }
            Happening::Ended(ending) => {
                self.quiet(&mut notes);
                closing::tell(&self.page, &notes.series, ending, notes.seed, self.kept.as_deref());
            }
            Happening::Heard { .. }
            | Happening::Hot { .. }
            | Happening::GateOpened { .. }
            | Happening::Settled { .. }
            | Happening::Proposed(_)
            | Happening::FirstUse { .. }
            | Happening::HalfAdopted { .. }
            | Happening::Staged(_)
            | Happening::Revived { .. } => notes.today.push(told.clone()),
        }
    }

    fn opening(&self, seed: u64, days: u32, clients: u64, template: &Value) {
        let keys = template["keys"].as_array().map_or(0, Vec::len);
        let page = &self.page;
        page.gap();
        page.line(&format!(
            " {}",
            page.paint(
                Paint::Head,
                &format!("Otherwise: {days} days of a flight-booking service")
            )
        ));
        page.gap();
        for words in [
            format!(
                "{clients} client agents book flights for their users, by a template of {keys} keys. What a user says \
                 that no key can hold goes into the key `other`. Otherwise listens to that, and learns the keys that are \
                 missing."
            ),
            format!(
                "Only the clients are simulated (seed {seed}). Each decision below is the engine's own, and each number \
                 was read from its events: the same engine, model and settings as `otherwise serve`, on a clock that runs \
                 faster."
            ),
        ] {
            page.block(" ", 1, Paint::Plain, &words);
            page.gap();
        }
    }

    /// Days on which nothing was decided, in one section.
    fn quiet(&self, notes: &mut Notes) {
        let quiet = std::mem::take(&mut notes.quiet);
        let (Some((first, _)), Some((last, at_last))) = (quiet.first(), quiet.last()) else {
            return;
        };
        let sum = |of: fn(&DayTold) -> u64| quiet.iter().map(|(_, day)| of(day)).sum::<u64>();
        let (payloads, with_other) = (sum(|day| day.payloads), sum(|day| day.with_other));
        let head = if first == last {
            format!("Day {first}")
        } else {
            format!("Days {first} to {last}")
        };
        self.page
            .rule(&head, &format!("{payloads} payloads, {with_other} with other"));
        let used: Vec<String> = at_last
            .keys
            .iter()
            .filter(|key| matches!(key.stage.as_str(), "experimental" | "stable"))
            .map(|key| {
                format!(
                    "`{}` in {} of {} payloads",
                    key.key_name, key.payloads_with_key, key.payloads_of_recipients
                )
            })
            .collect();
        let words = match used.is_empty() {
            true => "Nothing is decided.".to_owned(),
            false => format!("Nothing new is decided. On day {last}: {}.", used.join(", ")),
        };
        self.page.block("   ", 3, Paint::Faint, &words);
        self.page.gap();
    }

    fn day(&self, notes: &mut Notes, number: u32, day: &DayTold, shown: &[&Told]) {
        let right = format!("{} payloads, {} with other", day.payloads, day.with_other);
        self.page.rule(&format!("Day {number}, {}", day.date), &right);
        for told in shown {
            self.happened(notes, told);
        }
        self.page.gap();
    }

    /// A line with its time and a tag, and words behind it.
    fn entry(&self, told: &Told, tag: &str, paint: Paint, words: &str) {
        let time = told.at.get(11..16).unwrap_or_default();
        let tag = self.page.paint(paint, &format!("{tag:<9}"));
        let lead = format!("   {} {tag}", self.page.paint(Paint::Faint, time));
        self.page.block(&lead, COLUMN, Paint::Plain, words);
    }

    /// Words that belong to the line above.
    fn more(&self, paint: Paint, words: &str) {
        self.page.block(&" ".repeat(COLUMN), COLUMN, paint, words);
    }

    fn happened(&self, notes: &mut Notes, told: &Told) {
        match &told.what {
            Happening::Heard { client, fragments } => {
                let said: Vec<String> = fragments.iter().map(|text| format!("“{text}”")).collect();
                self.entry(told, "other", Paint::Plain, &format!("{client}: {}", said.join(", ")));
            }
            Happening::Hot {
                cluster: _,
                heat,
                members,
                clients,
            } => {
                if notes.explained.contains(&Term::Heat) {
                    return;
                }
                let words = format!(
                    "{members} wishes of {} mean the same; together they are {heat:.0} hot.",
                    counted(*clients)
                );
                self.entry(told, "heat", Paint::Warm, &words);
                self.explain(notes, Term::Heat);
            }
            Happening::GateOpened { audience, gate, .. } => self.gate(notes, told, audience, gate),
            Happening::Proposed(proposal) => self.born(notes, told, proposal),
            Happening::FirstUse { key_name, client, .. } => {
                let words = format!("{client} fetched the template, found `{key_name}`, and is the first to fill it.");
                self.entry(told, "used", Paint::Good, &words);
                self.explain(notes, Term::Adoption);
            }
            Happening::HalfAdopted {
                key_name,
                used,
                received,
                ..
            } => {
                let words = format!(
                    "Half of all clients fill `{key_name}` now: {used}, out of {received} that have fetched it."
                );
                self.entry(told, "adopted", Paint::Good, &words);
            }
            Happening::Staged(change) => self.staged(notes, told, change),
            Happening::Revived { says, until, .. } => {
                // A key changes its stage at most twice in the window, so that this trial may end after the story.
                let until = until.as_deref().and_then(|until| until.split_once('T'));
                let until = until.map_or(String::new(), |(day, _)| format!(" It is tried until {day}."));
                self.entry(told, "back", Paint::Good, &format!("{}{until}", sentence(says)));
            }
            Happening::Settled { .. } | Happening::Began { .. } | Happening::Day(_) | Happening::Ended(_) => {}
        }
    }

    fn gate(&self, notes: &mut Notes, told: &Told, audience: &Audience, gate: &GateShown) {
        let words = match audience {
            Audience::Global => format!(
                "The gate opens for everyone: {} asked for the same thing {} times, heat {:.0}.",
                counted(gate.clients),
                gate.occurrences,
                gate.capped_heat
            ),
            Audience::Cohort(cohort) => format!(
                "A gate opens for the cohort {cohort}: {} of its clients asked for the same thing {} times, heat {:.0}.",
                gate.clients, gate.occurrences, gate.capped_heat
            ),
            Audience::Client(client) => format!(
                "A gate opens for {client} alone: it asked for the same thing {} times, heat {:.0}.",
                gate.top_occurrences, gate.top_heat
            ),
        };
        self.entry(told, "gate", Paint::Warm, &words);
        self.explain(notes, Term::Heat);
        self.explain(
            notes,
            match audience {
                Audience::Global | Audience::Cohort(_) => Term::Gate,
                Audience::Client(_) => Term::OwnGate,
            },
        );
    }

    fn born(&self, notes: &mut Notes, told: &Told, proposal: &Proposal) {
        let key = &proposal.patch["new_keys"][0];
        let Some(key_type) = key["key_type"].as_str() else {
            // Better words, or more values, for a key that is there.
            self.entry(told, "refined", Paint::Good, &sentence(&proposal.says));
            return;
        };
        let (paint, whom) = match &proposal.audience {
            Audience::Global => (Paint::Good, "for everyone".to_owned()),
            Audience::Cohort(cohort) => (Paint::Own, format!("for the cohort {cohort} alone")),
            Audience::Client(client) => (Paint::Own, format!("for {client} alone")),
        };
        let name = &proposal.key_name;
        let words = format!(
            "The key `{name}` ({key_type}), {whom}, learned from {} wishes.",
            proposal.members
        );
        self.entry(told, "born", paint, &words);
        if let Some(description) = key["semantic_description"].as_str() {
            self.more(Paint::Strong, description);
        }
        let days = proposal.heat.len();
        let hottest = proposal.heat.iter().copied().fold(0.0, f64::max);
        let first = proposal.heat.iter().position(|heat| *heat > 0.0).unwrap_or(0);
        let spark = plot::spark(&proposal.heat[first..], hottest);
        self.more(
            Paint::Warm,
            &format!("heat │{spark}│ day {} to {days}, {hottest:.0} at most", first + 1),
        );
        let named = proposal.because.iter().find(|said| said.starts_with("It is called"));
        let foretold = proposal.because.last().filter(|_| !proposal.backtest.is_null());
        for said in named.into_iter().chain(foretold) {
            self.more(Paint::Faint, said);
        }
        if proposal.stage == "experimental" {
            self.explain(notes, Term::Trial);
        } else {
            self.more(Paint::Warm, &sentence(&proposal.says));
        }
    }

    fn staged(&self, notes: &mut Notes, told: &Told, change: &Change) {
        let name = &change.key_name;
        let whom = match &change.audience {
            Audience::Global => String::new(),
            Audience::Cohort(cohort) => format!(" of the cohort {cohort}"),
            Audience::Client(client) => format!(" of {client}"),
        };
        let reason = change.reason.as_str().unwrap_or_default();
        match (change.stage.as_str(), reason) {
            ("stable", "promoted") => {
                let words = if change.adds_key {
                    format!("The trial is over: `{name}`{whom} stays. It is a stable key from now on.")
                } else {
                    format!("The trial is over: what was proposed for `{name}`{whom} stays.")
                };
                self.entry(told, "promoted", Paint::Good, &words);
                self.gauges(notes, change.ledger.as_ref());
            }
            ("experimental", "middle_band" | "usage_between" | "clients_disagree" | "too_little_data") => {
                let because = change
                    .says
                    .split_once(": ")
                    .map_or(change.says.as_str(), |(_, because)| because);
                let of = if change.adds_key { "" } else { "what was proposed for " };
                let words = format!("The trial of {of}`{name}`{whom} goes on: {because}.");
                self.entry(told, "extended", Paint::Warm, &words);
                self.gauges(notes, change.ledger.as_ref());
            }
            ("deprecated", "folded") => {
                self.entry(told, "folded", Paint::Warm, &sentence(&change.says));
                self.explain(notes, Term::Folding);
            }
            ("deprecated", _) => {
                self.entry(told, "leaves", Paint::Bad, &sentence(&change.says));
                self.gauges(notes, change.ledger.as_ref());
                self.explain(notes, Term::Deprecation);
            }
            ("withdrawn" | "expired" | "lapsed" | "rejected", _) => {
                self.entry(told, "gone", Paint::Bad, &sentence(&change.says));
            }
            _ => self.entry(told, "stage", Paint::Plain, &sentence(&change.says)),
        }
    }

    /// What a trial is decided by, beside what it must reach.
    fn gauges(&self, notes: &Notes, ledger: Option<&LedgerShown>) {
        let (Some(ledger), Some(edges)) = (ledger, &notes.thresholds) else {
            return;
        };
        for (what, ratio, stays, goes) in [
            ("usage", ledger.usage, edges.promote_usage, edges.deprecate_usage),
            (
                "alignment",
                ledger.alignment,
                edges.promote_alignment,
                edges.deprecate_alignment,
            ),
            (
                "type",
                ledger.type_correctness,
                edges.promote_type,
                edges.deprecate_type,
            ),
        ] {
            let Some(ratio) = ratio else { continue };
            let paint = if ratio >= stays {
                Paint::Good
            } else if ratio < goes {
                Paint::Bad
            } else {
                Paint::Warm
            };
            let bar = self.page.paint(paint, &plot::bar(ratio, BAR));
            let edges = format!("stays at {:.0} %, goes below {:.0} %", stays * 100.0, goes * 100.0);
            self.page.line(&format!(
                "{}{what:<10}{bar} {:>5.1} %  {}",
                " ".repeat(COLUMN),
                ratio * 100.0,
                self.page.paint(Paint::Faint, &edges)
            ));
        }
        let adoption = ledger.adoption.map_or(0.0, |ratio| ratio * 100.0);
        self.more(
            Paint::Faint,
            &format!(
                "over {} payloads of clients that know it; adoption {adoption:.0} % ({} of {})",
                ledger.payloads,
                ledger.used,
                counted(ledger.received)
            ),
        );
    }

    /// Says what a term means, the first time.
    fn explain(&self, notes: &mut Notes, term: Term) {
        if !notes.explained.insert(term) {
            return;
        }
        let Some(numbers) = notes.thresholds.as_ref() else {
            return;
        };
        let words = match term {
            Term::Heat => format!(
                "Heat: wishes that mean the same gather in a cluster; each adds {:.0}, and half of it is gone after {} \
                 hours.",
                numbers.heat_increment, numbers.heat_half_life_hours
            ),
            Term::Gate => format!(
                "Gate: it asks for heat above {:.0} and {} clients within {} days (or {} wishes of several), so no \
                 client changes alone what others see.",
                numbers.heat, numbers.gate_clients, numbers.gate_window_days, numbers.gate_occurrences
            ),
            Term::OwnGate => format!(
                "One's own gate: {} wishes and heat above {:.0} from one client make a key that only this client sees.",
                numbers.gate_occurrences, numbers.heat
            ),
            Term::Trial => format!(
                "Trial: a new key is optional and marked experimental for {} days; then what clients made of it decides.",
                numbers.trial_days
            ),
            Term::Adoption => "Adoption: of the clients that know a key, the share that has filled it.".to_owned(),
            Term::Deprecation => format!(
                "Deprecated: still served and accepted for {} days, marked as leaving, so that nobody breaks.",
                numbers.grace_days
            ),
            Term::Folding => {
                "Folded: two keys turned out to mean the same, and the one with more behind it goes on.".to_owned()
            }
        };
        self.page.aside(COLUMN, &words);
    }
}

/// What is worth a day's section: not a key that was measured and stays, nor a gate that opened for what a key holds.
fn shown(today: &[Told]) -> Vec<&Told> {
    let settled = |gate: &Told, of: u64, whom: &Audience| {
        today.iter().any(|told| match &told.what {
            Happening::Settled { cluster, audience, .. } => told.at == gate.at && *cluster == of && audience == whom,
            _ => false,
        })
    };
    let worth = |told: &&Told| match &told.what {
        Happening::Staged(change) => change.reason != "measured",
        Happening::GateOpened { cluster, audience, .. } => !settled(told, *cluster, audience),
        Happening::Settled { .. } => false,
        Happening::Hot { .. }
        | Happening::Began { .. }
        | Happening::Heard { .. }
        | Happening::Proposed(_)
        | Happening::FirstUse { .. }
        | Happening::HalfAdopted { .. }
        | Happening::Revived { .. }
        | Happening::Day(_)
        | Happening::Ended(_) => true,
    };
    today.iter().filter(worth).collect()
}

/// With a capital letter and a full stop.
fn sentence(says: &str) -> String {
    let mut letters = says.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!(
        "{}{}.",
        first.unwrap_or_default(),
        letters.as_str().trim_end_matches('.')
    )
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use serde_json::json;

    use super::Story;
    use crate::domain::evolution::policy::EvolutionPolicy;
    use crate::domain::pool::gate::Audience;
    use crate::domain::pool::policy::PoolPolicy;
    use crate::edge::cli::demo::happening::DayTold;
    use crate::edge::cli::demo::happening::GateShown;
    use crate::edge::cli::demo::happening::Happening;
    use crate::edge::cli::demo::happening::Thresholds;
    use crate::edge::cli::demo::happening::Told;
    use crate::edge::cli::demo::page::Page;

    fn told(day: u32, what: Happening) -> Told {
        let at = format!("2026-05-{day:02}T09:30:00Z");
        Told { day, at, what }
    }

    fn gate() -> Happening {
        Happening::GateOpened {
            cluster: 1,
            audience: Audience::Global,
            gate: GateShown {
                heat: 70.0,
                capped_heat: 60.0,
                clients: 6,
                occurrences: 9,
                top_occurrences: 2,
                top_heat: 30.0,
            },
            says: String::new(),
        }
    }

    fn day() -> Happening {
        let payloads = 10;
        Happening::Day(Box::new(DayTold {
            payloads,
            ..DayTold::default()
        }))
    }

    #[test]
    fn a_term_is_explained_once_with_the_numbers_of_the_policy_and_quiet_days_share_a_section() {
        let lines = RefCell::new(Vec::new());
        let sink = |line: &str| lines.borrow_mut().push(line.to_owned());
        let story = Story::new(Page::new(80, false, false, &sink), None);
        let pool = PoolPolicy {
            heat_threshold: 47.0,
            ..PoolPolicy::default()
        };
        let began = Happening::Began {
            seed: 1,
            days: 5,
            clients: 7,
            template: json!({"keys": [{}, {}]}),
            thresholds: Box::new(Thresholds::of(&pool, &EvolutionPolicy::default())),
        };
        for (number, what) in [
            (1, began),
            (1, gate()),
            (1, day()),
            (2, gate()),
            (2, day()),
            (3, day()),
            (4, day()),
        ] {
            story.hear(&told(number, what));
        }
        let settled = Happening::Settled {
            cluster: 1,
            audience: Audience::Global,
            says: String::new(),
        };
        for what in [gate(), settled, day()] {
            story.hear(&told(5, what));
        }
        story.hear(&told(6, gate()));
        story.hear(&told(6, day()));
        let lines = lines.borrow();
        let count = |words: &str| lines.iter().filter(|line| line.contains(words)).count();
        assert_eq!(count("Heat: wishes"), 1, "{lines:#?}");
        assert_eq!(count("Gate: it asks for heat above 47 and 5 clients"), 1, "{lines:#?}");
        assert_eq!(
            count("The gate opens for everyone: 6 clients"),
            3,
            "not for what a key holds"
        );
        assert_eq!(count("Days 3 to 5"), 1, "{lines:#?}");
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{lines:#?}");
    }
}
