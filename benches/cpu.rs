//! The CPU that a process uses, by group of its threads, as `/proc` tells it.

use std::collections::BTreeMap;
use std::fs;

/// The groups, by how a thread's name begins.
const GROUPS: [(&str, &str); 5] = [
    ("actix-", "workers"),
    ("committer", "committer"),
    ("sled", "store"),
    ("learn", "learning"),
    ("embed", "embedding"),
];
/// The threads of no group: the runtime of actors, deliveries and housekeeping.
const REST: &str = "actors";
/// `/proc` counts in hundredths of a second, whatever the kernel's own tick.
const US_PER_TICK: u64 = 10_000;

/// The CPU that each thread has used so far, in ticks.
pub struct Usage(BTreeMap<String, (&'static str, u64)>);

impl Usage {
    pub fn read(process: u32) -> Self {
        let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten();
        let read = threads.flatten().filter_map(|thread| {
            let stat = fs::read_to_string(thread.path().join("stat")).ok()?;
            let (head, fields) = stat.rsplit_once(") ")?;
            let (_, name) = head.split_once('(')?;
            // The state is the third field of the line, the time in user and in system mode the 14th and the 15th.
            let ticks = fields
                .split(' ')
                .skip(11)
                .take(2)
                .filter_map(|field| field.parse::<u64>().ok());
            let group = GROUPS.iter().find(|(begin, _)| name.starts_with(begin));
            let used = (group.map_or(REST, |(_, group)| group), ticks.sum());
            Some((thread.file_name().to_string_lossy().into_owned(), used))
        });
        Usage(read.collect())
    }
}

/// What the requests of several rounds cost in CPU, by group.
#[derive(Default)]
pub struct Cost {
    rounds: Vec<BTreeMap<&'static str, f64>>,
}

impl Cost {
    /// Adds a round: what was used between two readings, for so many requests.
    pub fn add(&mut self, before: &Usage, after: &Usage, requests: u64) {
        let mut used: BTreeMap<&'static str, u64> = BTreeMap::new();
        for (thread, (group, ticks)) in &after.0 {
            let earlier = before.0.get(thread).map_or(0, |(_, ticks)| *ticks);
            *used.entry(group).or_default() += ticks.saturating_sub(earlier) * US_PER_TICK;
        }
        #[expect(clippy::cast_precision_loss, reason = "microseconds a request")]
        let each = used
            .into_iter()
            .map(|(group, us)| (group, us as f64 / requests.max(1) as f64));
        self.rounds.push(each.collect());
    }

    /// The median round of each group and of the sum, with the middle half of the sum.
    pub fn line(&self) -> String {
        let sums: Vec<f64> = self.rounds.iter().map(|round| round.values().sum()).collect();
        let groups = GROUPS.iter().map(|(_, group)| *group).chain([REST]);
        let each: Vec<String> = groups
            .map(|group| {
                (
                    group,
                    self.rounds
                        .iter()
                        .map(|round| round.get(group).copied().unwrap_or_default()),
                )
            })
            .map(|(group, values)| (group, quarter(&values.collect::<Vec<f64>>(), 2)))
            // A tenth of a microsecond is what the clock tells apart in a round of a second.
            .filter(|(_, us)| *us >= 0.1)
            .map(|(group, us)| format!("{group} {us:.1}"))
            .collect();
        let [low, median, high] = [1, 2, 3].map(|quarters| quarter(&sums, quarters));
        format!(
            "{median:.1} us of CPU a request, middle half {low:.1} to {high:.1} ({})",
            each.join(", ")
        )
    }
}

/// The value at so many quarters of all.
pub fn quarter(values: &[f64], quarters: usize) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let place = values.len() * quarters / 4;
    values
        .get(place.min(values.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}
