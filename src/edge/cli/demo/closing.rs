//! The end of the story: every key's days at a glance, the template before and after, and where to go on.
//!
//! Owns how it looks; every number comes out of what was told. Invariant: a column stands for the same day in each row.

use serde_json::Map;
use serde_json::Value;

use crate::domain::pool::gate::Audience;
use crate::edge::cli::demo::happening::Ending;
use crate::edge::cli::demo::happening::Happening;
use crate::edge::cli::demo::happening::Told;
use crate::edge::cli::demo::page::Page;
use crate::edge::cli::demo::page::Paint;
use crate::edge::cli::demo::plot;

/// Where rows of plots begin.
const COLUMN: usize = 14;
/// Letters kept free behind a row.
const BEHIND: usize = 24;
/// Rows of the plot of `other`.
const ROWS: usize = 5;
/// Seeds whose stories a test looks at (`tests/demo.rs`): the one that is told where none is named, and another.
const CHECKED_SEEDS: [u64; 2] = [8, 3];
/// Letters of a command that what it does stands behind; of a longer one, below.
const COMMAND_WIDTH: usize = 36;
/// Keys whose days are shown.
const KEYS_MAX: usize = 8;

/// What became of each key, day by day.
#[derive(Debug, Default)]
pub struct Series {
    keys: Vec<KeySeries>,
    /// Share of each day's payloads that said something in `other`.
    other: Vec<f64>,
}

#[derive(Debug)]
struct KeySeries {
    patch_id: String,
    key_name: String,
    owner: Option<String>,
    stage: String,
    heat: Vec<f64>,
    adoption: Vec<f64>,
    used: u64,
    received: u64,
    /// A letter for each change of stage, by day from 1.
    marks: Vec<(u32, char)>,
}

impl Series {
    /// Notes what belongs to a row.
    pub fn hear(&mut self, told: &Told) {
        match &told.what {
            Happening::Proposed(proposal) if proposal.patch["new_keys"][0].is_object() => {
                let owner = match &proposal.audience {
                    Audience::Global => None,
                    Audience::Cohort(cohort) => Some(cohort.to_string()),
                    Audience::Client(client) => Some(client.to_string()),
                };
                let before = proposal.heat.len().saturating_sub(1);
                self.keys.push(KeySeries {
                    patch_id: proposal.patch_id.clone(),
                    key_name: proposal.key_name.clone(),
                    owner,
                    stage: proposal.stage.clone(),
                    heat: proposal.heat.iter().take(before).copied().collect(),
                    adoption: vec![0.0; before],
                    used: 0,
                    received: 0,
                    marks: vec![(told.day, 'B')],
                });
            }
            Happening::Staged(change) => {
                let mark = match (change.stage.as_str(), change.reason.as_str().unwrap_or_default()) {
                    ("stable", "promoted") => Some('P'),
                    ("experimental", "middle_band" | "usage_between" | "clients_disagree" | "too_little_data") => {
                        Some('E')
                    }
                    ("deprecated", "folded") => Some('F'),
                    ("deprecated", _) => Some('D'),
                    ("withdrawn", _) => Some('W'),
                    _ => None,
                };
                let key = self.keys.iter_mut().find(|key| key.patch_id == change.patch_id);
                if let (Some(key), Some(mark)) = (key, mark) {
                    key.marks.push((told.day, mark));
                }
            }
            Happening::Revived { patch_id, .. } => {
                if let Some(key) = self.keys.iter_mut().find(|key| key.patch_id == *patch_id) {
                    key.marks.push((told.day, 'B'));
                }
            }
            Happening::Day(day) => {
                self.other.push(share(day.with_other, day.payloads));
                for shown in &day.keys {
                    if let Some(key) = self.keys.iter_mut().find(|key| key.patch_id == shown.patch_id) {
                        key.heat.push(shown.heat);
                        key.adoption.push(shown.adoption.unwrap_or(0.0));
                        key.stage.clone_from(&shown.stage);
                        key.used = shown.used;
                        key.received = shown.received;
                    }
                }
            }
            Happening::Proposed(_)
            | Happening::Began { .. }
            | Happening::Heard { .. }
            | Happening::Hot { .. }
            | Happening::GateOpened { .. }
            | Happening::Settled { .. }
            | Happening::FirstUse { .. }
            | Happening::HalfAdopted { .. }
            | Happening::Ended(_) => {}
        }
    }
}

impl Series {
    /// The first key that was born, before all others one for everyone.
    fn first_patch(&self) -> Option<&str> {
        let of_all = self.keys.iter().find(|key| key.owner.is_none());
        of_all.or(self.keys.first()).map(|key| key.patch_id.as_str())
    }
}

fn share(part: u64, whole: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "shown to people")]
    let share = part as f64 / whole.max(1) as f64;
    share
}

/// Tells the end.
pub fn tell(page: &Page<'_>, series: &Series, ending: &Ending, seed: u64, kept: Option<&str>) {
    let days = match series.other.len() {
        1 => "One day".to_owned(),
        days => format!("{days} days"),
    };
    page.rule(&format!("{days} at a glance"), "");
    let columns = page.width.saturating_sub(COLUMN + BEHIND).max(1);
    let scale = Scale::of(series.other.len(), columns);
    page.line(&page.paint(
        Paint::Faint,
        "   B born · E extended · P promoted · D deprecated · F folded · W withdrawn",
    ));
    page.gap();
    for key in series.keys.iter().take(KEYS_MAX) {
        row_of(page, key, &scale);
    }
    let more = series.keys.len().saturating_sub(KEYS_MAX);
    if more > 0 {
        page.line(&page.paint(Paint::Faint, &format!("   and {more} keys more")));
        page.gap();
    }
    demand(page, series, &scale);
    templates(page, ending);
    onward(page, seed, kept, series.first_patch());
    costs(page, ending);
}

/// How days become columns.
struct Scale {
    days: usize,
    /// Letters of one day; 0 where one letter stands for several days.
    wide: usize,
    columns: usize,
}

impl Scale {
    fn of(days: usize, columns: usize) -> Scale {
        let wide = (columns / days.max(1)).min(2);
        Scale { days, wide, columns }
    }

    /// A value for each letter.
    fn spread(&self, values: &[f64]) -> Vec<f64> {
        let mut values = values.to_vec();
        values.resize(self.days, 0.0);
        match self.wide {
            0 => plot::fitted(&values, self.columns),
            wide => values.iter().flat_map(|value| vec![*value; wide]).collect(),
        }
    }

    /// The letter of a day from 1.
    fn place(&self, day: u32) -> usize {
        let day = usize::try_from(day.saturating_sub(1)).unwrap_or(0);
        match self.wide {
            0 => day / self.days.div_ceil(self.columns).max(1),
            wide => day * wide,
        }
    }

    /// Letters put where their days are.
    fn marks(&self, marks: &[(u32, char)], line: char) -> String {
        let ends = marks.iter().map(|(day, _)| self.place(*day)).max().unwrap_or(0);
        let first = marks.iter().map(|(day, _)| self.place(*day)).min().unwrap_or(0);
        let mut row: Vec<char> = (0..=ends).map(|place| if place < first { ' ' } else { line }).collect();
        for (day, mark) in marks {
            if let Some(letter) = row.get_mut(self.place(*day)) {
                *letter = *mark;
            }
        }
        row.into_iter().collect()
    }
}

fn row_of(page: &Page<'_>, key: &KeySeries, scale: &Scale) {
    let paint = if key.owner.is_some() { Paint::Own } else { Paint::Strong };
    let whom = key
        .owner
        .as_ref()
        .map(|owner| format!(", {owner} alone"))
        .unwrap_or_default();
    page.line(&format!(
        "   {}{}",
        page.paint(paint, &key.key_name),
        page.paint(Paint::Faint, &format!(" ({}{whom})", key.stage))
    ));
    let hottest = key.heat.iter().copied().fold(0.0, f64::max);
    // Heat never ends, it only halves: what is left of a single unit is cold.
    let warm: Vec<f64> = key
        .heat
        .iter()
        .map(|heat| if *heat < 1.0 { 0.0 } else { *heat })
        .collect();
    let width = scale.spread(&[]).len();
    let row = |what: &str, paint: Paint, letters: String, behind: String| {
        let letters = format!("{letters:<width$}");
        page.line(&format!(
            "     {what:<9}{}  {}",
            page.paint(paint, &letters),
            page.paint(Paint::Faint, &behind)
        ));
    };
    row(
        "heat",
        Paint::Warm,
        plot::spark(&scale.spread(&warm), hottest),
        format!("{hottest:.0} at most"),
    );
    row(
        "adoption",
        Paint::Good,
        plot::spark(&scale.spread(&key.adoption), 1.0),
        format!("{} of {}", key.used, counted(key.received)),
    );
    row("", Paint::Plain, scale.marks(&key.marks, '·'), String::new());
}

/// So many clients, in words.
pub fn counted(clients: u64) -> String {
    format!("{clients} client{}", if clients == 1 { "" } else { "s" })
}

/// How much is still said in `other`.
fn demand(page: &Page<'_>, series: &Series, scale: &Scale) {
    page.line(&format!(
        "   {}",
        page.paint(Paint::Strong, "payloads that need `other`, of all payloads of the day")
    ));
    let highest = series.other.iter().copied().fold(0.0, f64::max);
    let rows = plot::area(&scale.spread(&series.other), highest, ROWS);
    for (place, row) in rows.iter().enumerate() {
        let label = match place {
            0 => format!("{:.0} %", highest * 100.0),
            _ if place + 1 == ROWS => "0 %".to_owned(),
            _ => String::new(),
        };
        page.line(&format!(
            "     {label:>7} {}",
            page.paint(Paint::Head, &format!("│{row}"))
        ));
    }
    let width = scale.spread(&[]).len();
    let last = if scale.days > 1 {
        format!("day {}", scale.days)
    } else {
        String::new()
    };
    let between = " ".repeat(width.saturating_sub("day 1".len() + last.len()));
    page.line(&page.paint(Paint::Faint, &format!("{}day 1{between}{last}", " ".repeat(COLUMN))));
    page.gap();
}

/// The template before and after, as one list with what differs marked.
fn templates(page: &Page<'_>, ending: &Ending) {
    let before = keys(&ending.before);
    let after = keys(&ending.after);
    page.rule("The template, before and after", "");
    let learned: Vec<&Value> = after.iter().filter(|key| !key["patch_id"].is_null()).collect();
    page.block(
        "   ",
        3,
        Paint::Plain,
        &format!(
            "{} had {} keys. It has {} now, and {} more for single clients.",
            ending.schema_id,
            before.len(),
            after.len(),
            ending.personal.len()
        ),
    );
    page.gap();
    for key in &after {
        let old = before.iter().find(|old| old["key_name"] == key["key_name"]);
        let (mark, paint, note) = match old {
            Some(old) if old == key => (' ', Paint::Faint, required(key).to_owned()),
            Some(_) => ('~', Paint::Warm, "described better".to_owned()),
            None if key["deprecated"] == true => ('-', Paint::Bad, "deprecated, leaves".to_owned()),
            None if key["experimental"] == true => ('+', Paint::Warm, "on trial".to_owned()),
            None => ('+', Paint::Good, "stable".to_owned()),
        };
        key_line(page, mark, paint, key, &note);
    }
    for own in &ending.personal {
        let others = match own.seen_by_others {
            0 => format!("{} alone, 404 to others", own.client),
            some => format!("{}, seen by {some} others", own.client),
        };
        key_line(page, '+', Paint::Own, &own.key, &others);
    }
    page.gap();
    for key in learned.into_iter().chain(ending.personal.iter().map(|own| &own.key)) {
        let (Some(name), Some(text)) = (key["key_name"].as_str(), key["semantic_description"].as_str()) else {
            continue;
        };
        page.block("   ", 5, Paint::Faint, &format!("`{name}`: {text}"));
    }
    page.gap();
}

fn keys(template: &Value) -> Vec<Value> {
    template["keys"].as_array().cloned().unwrap_or_default()
}

fn required(key: &Value) -> &'static str {
    if key["required"] == true { "required" } else { "" }
}

fn key_line(page: &Page<'_>, mark: char, paint: Paint, key: &Value, note: &str) {
    let name = key["key_name"].as_str().unwrap_or_default();
    let key_type = key["key_type"].as_str().unwrap_or_default();
    let row = format!(
        " {mark} {name:<20} {key_type:<8} {:<21} {note}",
        accepted(&key["constraints"])
    );
    page.line(&page.paint(paint, row.trim_end()));
}

/// What a key accepts, in a few letters.
fn accepted(constraints: &Value) -> String {
    let empty = Map::new();
    let constraints = constraints.as_object().unwrap_or(&empty);
    if let Some(values) = constraints.get("enum").and_then(Value::as_array) {
        let values: Vec<String> = values
            .iter()
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .collect();
        let all = values.join(" | ");
        if all.chars().count() <= 21 {
            return all;
        }
        let first: String = values.first().cloned().unwrap_or_default().chars().take(10).collect();
        return format!("{first} | {} more", values.len().saturating_sub(1));
    }
    match (constraints.get("minimum"), constraints.get("maximum")) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("from {least}"),
        (None, Some(most)) => format!("up to {most}"),
        (None, None) => String::new(),
    }
}

/// Another seed of which a test holds that its story is right.
fn another(seed: u64) -> u64 {
    CHECKED_SEEDS.into_iter().find(|other| *other != seed).unwrap_or(seed)
}

/// Where to go on: what was `learned` first can be asked for.
fn onward(page: &Page<'_>, seed: u64, kept: Option<&str>, learned: Option<&str>) {
    page.rule("Where to go on", "");
    let folder = kept.unwrap_or("tale");
    let mut commands = vec![
        (
            format!("otherwise demo --seed {}", another(seed)),
            "other travellers, another story",
        ),
        (
            "otherwise demo --json".to_owned(),
            "every event of it as a line of JSON",
        ),
    ];
    if kept.is_none() {
        commands.push((
            format!("otherwise demo --keep {folder}"),
            "keep the journal of it, and then",
        ));
    }
    commands.push((format!("otherwise verify --data {folder}"), "check every record of it"));
    let serve = format!("otherwise serve --data {folder}");
    match learned {
        Some(patch_id) => {
            let evidence = format!("curl -s localhost:8080/v1/patches/{patch_id}/evidence");
            commands.extend([(serve, "serve it, and read why:"), (evidence, "")]);
        }
        None => commands.push((serve, "serve it")),
    }
    commands.push(("make run".to_owned(), "begin with a service of your own"));
    for (command, what) in commands {
        advise(page, &command, what);
    }
    page.gap();
    for line in [
        "Time goes on in a journal that was kept: served later than its last day, it",
        "finds trials over and keys leaving by the days that went by without payloads.",
        "Where the shell finds no otherwise: cargo install --path . puts it on PATH.",
    ] {
        page.line(&page.paint(Paint::Faint, &format!("   {line}")));
    }
    page.gap();
}

/// A command with what it does; where it is too long for one line, below it, so that it can be copied whole.
fn advise(page: &Page<'_>, command: &str, what: &str) {
    let strong = |command: &str| page.paint(Paint::Strong, command);
    let faint = page.paint(Paint::Faint, what);
    if what.is_empty() {
        page.line(&format!("   {}", strong(command)));
    } else if command.chars().count() > COMMAND_WIDTH {
        page.line(&format!("   {}", strong(command)));
        page.line(&format!("   {:COMMAND_WIDTH$} {faint}", ""));
    } else {
        page.line(&format!("   {} {faint}", strong(&format!("{command:<COMMAND_WIDTH$}"))));
    }
}

/// What it took.
fn costs(page: &Page<'_>, ending: &Ending) {
    page.line(&page.paint(
        Paint::Faint,
        &format!(
            "   {} payloads, {} refused, {} events, {:.1} seconds.",
            ending.payloads, ending.refused, ending.events, ending.seconds
        ),
    ));
    page.gap();
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Scale;
    use super::accepted;

    #[test]
    fn a_day_has_its_column_whatever_the_width() {
        for (days, columns, wide, letters) in [(30, 60, 2, 60), (30, 59, 1, 30), (30, 30, 1, 30), (30, 29, 0, 15)] {
            let scale = Scale::of(days, columns);
            assert_eq!((scale.wide, scale.spread(&[1.0]).len()), (wide, letters), "{columns}");
            assert!(scale.place(30) < letters);
        }
        let scale = Scale::of(4, 4);
        assert_eq!(scale.marks(&[(2, 'B'), (4, 'P')], '·'), " B·P");
        assert_eq!(Scale::of(0, 40).spread(&[]).len(), 0);
    }

    #[test]
    fn what_a_key_accepts_is_short() {
        assert_eq!(accepted(&json!({"enum": ["a", "b"]})), "a | b");
        let long = "x".repeat(30);
        assert_eq!(
            accepted(&json!({"enum": [long, "b", "c"]})),
            format!("{} | 2 more", "x".repeat(10))
        );
        assert_eq!(accepted(&json!({"minimum": 1, "maximum": 9})), "1 to 9");
        assert_eq!(accepted(&json!(null)), "");
    }
}
