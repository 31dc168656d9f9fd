//! How well the service learns from real dialogues: the judge, and the loop with clients who take up what they are offered. What is
//! found in a stream, and what learned keys would do to clients, is measured by `tools/learn.py`.
//!
//! `cargo bench --bench learn -- [SECTION …] [--data FOLDER] [--reader FOLDER]`, sections `judge`, `loop`, `wishes` (the loop over plain
//! wishes, of the scenarios that have a folder of a reader's recorded answers in `--reader`, or of all without a reader); all of them
//! when none is named. One table at the end, particulars in `target/learn/`. The data folder is what `--data` or
//! `OTHERWISE_EVALUATION_DATA` names; without it there is nothing to measure, which is no error.

mod closed_loop;
mod data;
mod express;
mod judge;
mod stream;
mod table;

use std::path::Path;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::time::Instant;

use closed_loop::recorded::Recorded;
use data::Scenario;
use engine::evolution::review::Seat;
use engine::scenario::policy::Policy;
use otherwise::adapters::embed::Encoder;
use otherwise::app::pool_review::Reader;
use otherwise::config::service::Models;
use table::Table;
use tokio::runtime::Builder;
use tokio::runtime::Runtime;

const SECTIONS: [&str; 3] = ["judge", "loop", "wishes"];
/// Half-life and window of the gate that suit a stream of some 17 lines a day (`docs/settings.md`): a week and four.
const SLOW_HALF_LIFE_S: i64 = 7 * 86_400;
const SLOW_WINDOW_S: i64 = 28 * 86_400;
/// Usage that promotes and that deprecates where most wishes are few people's, as the settings' page has it.
const FEW_PROMOTE_MIN: f64 = 0.05;
const FEW_DEPRECATE_BELOW: f64 = 0.02;
/// Scenarios at a time.
const THREADS: usize = 2;
/// Texts whose vectors are kept for all sections.
const CACHE_TEXTS_MAX: usize = 65_536;

/// What every section needs.
struct Bench {
    data: PathBuf,
    /// Folders of a reader's recorded answers, one for each scenario.
    reader: Option<PathBuf>,
    embedder: Option<Encoder>,
}

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let Some(folder) = data_folder(&arguments).filter(|folder| folder.is_dir()) else {
        println!("There is no evaluation data, so nothing is measured: --data FOLDER");
        return;
    };
    let named = SECTIONS
        .iter()
        .any(|section| arguments.iter().any(|argument| argument == section));
    let wanted = |section: &str| !named || arguments.iter().any(|argument| argument == section);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let needs_model = SECTIONS.iter().any(|section| *section != "judge" && wanted(section));
    let bench = Bench {
        data: folder,
        reader: named_after(&arguments, "--reader"),
        embedder: needs_model.then(|| embedder(&root.join("models"))).flatten(),
    };
    let mut table = Table::default();
    let rediscovery = scenarios(&bench.data.join("rediscovery"));
    for section in SECTIONS {
        if !wanted(section) {
            continue;
        }
        let begin = Instant::now();
        match section {
            "judge" => judge::run(&rediscovery, &mut table),
            "wishes" => bench.wishes(section, &mut table),
            _ => bench.closed_loop(section, &rediscovery, &Policy::default(), &mut table),
        }
        eprintln!("{section}: {:.0} s", begin.elapsed().as_secs_f64());
    }
    table.print();
    match table.write_details(&root.join("target/learn")) {
        Ok(path) => println!("particulars: {}", path.display()),
        Err(error) => eprintln!("the particulars cannot be written: {error}"),
    }
}

/// What stands behind a flag.
fn named_after(arguments: &[String], flag: &str) -> Option<PathBuf> {
    let at = arguments.iter().position(|argument| argument == flag)?;
    arguments.get(at + 1).filter(|path| !path.is_empty()).map(PathBuf::from)
}

fn data_folder(arguments: &[String]) -> Option<PathBuf> {
    let environment = || std::env::var_os("OTHERWISE_EVALUATION_DATA").map(PathBuf::from);
    named_after(arguments, "--data").or_else(environment)
}

fn scenarios(set: &Path) -> Vec<Scenario> {
    data::folders(set)
        .iter()
        .filter_map(|folder| {
            data::scenario(folder)
                .map_err(|error| eprintln!("left out: {error}"))
                .ok()
        })
        .collect()
}

fn embedder(models: &Path) -> Option<Encoder> {
    let settings = Models {
        folder: models.display().to_string(),
        embed_workers: std::thread::available_parallelism().map_or(1, usize::from),
        embed_cache_max: CACHE_TEXTS_MAX,
        ..Models::default()
    };
    Encoder::open(&settings, None)
        .map_err(|fault| eprintln!("without the embedding model only the judge is measured: {fault}"))
        .ok()
}

/// Each scenario once, two at a time; what came of each, in the order of the scenarios.
fn each<T: Send>(scenarios: &[Scenario], run: &(dyn Fn(&Runtime, &Scenario) -> Result<T, String> + Sync)) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
                while let Some((at, scenario)) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    scenarios.get(at).map(|scenario| (at, scenario))
                } {
                    match run(&runtime, scenario) {
                        Ok(found) => done.lock().expect("no thread panics").push((at, found)),
                        Err(error) => eprintln!("left out: {error}"),
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no thread panics");
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, found)| found).collect()
}

impl Bench {
    /// The loop over plain wishes, with the reader's recorded answers where there are any.
    fn wishes(&self, section: &str, table: &mut Table) {
        let mut policy = Policy::default();
        policy.pool.heat_half_life_s = SLOW_HALF_LIFE_S;
        policy.pool.gate_window_s = SLOW_WINDOW_S;
        if self.reader.is_some() {
            policy.evolution.reader = Seat::Model;
        }
        let mut scenarios = scenarios(&self.data.join("wishes"));
        scenarios.retain(|scenario| self.reader.is_none() || self.recorded(scenario).is_some());
        self.closed_loop(section, &scenarios, &policy, table);
        policy.evolution.promote_usage_min = FEW_PROMOTE_MIN;
        policy.evolution.deprecate_usage_below = FEW_DEPRECATE_BELOW;
        self.closed_loop(&format!("{section}, of few"), &scenarios, &policy, table);
    }

    fn recorded(&self, scenario: &Scenario) -> Option<Recorded> {
        Recorded::open(&self.reader.as_ref()?.join(&scenario.name))
    }

    fn closed_loop(&self, section: &str, scenarios: &[Scenario], policy: &Policy, table: &mut Table) {
        let Some(embedder) = &self.embedder else { return };
        let fates = each(scenarios, &|runtime, scenario| {
            let recorded = self.recorded(scenario);
            let reader = recorded.as_ref().map(|reader| reader as &dyn Reader);
            runtime.block_on(closed_loop::run(scenario, policy, reader, embedder))
        });
        for line in fates.iter().flat_map(|fate| &fate.details) {
            table.detail(line);
        }
        let ends: Vec<_> = fates.iter().map(|fate| fate.ends.clone()).collect();
        closed_loop::ends::add(section, &ends, table);
        closed_loop::report::add(section, &fates, table);
    }
}
