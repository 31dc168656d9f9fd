//! `otherwise replay`: its arguments, its files, and how it ends; the engine is [`crate::app::replay`].

use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use serde_json::Value;
use serde_json::json;

use crate::adapters::clock::SystemClock;
use crate::app::pool_review::ModelReader;
use crate::app::pool_review::Reader;
use crate::app::ports::Embedder;
use crate::app::registry;
use crate::app::replay;
use crate::app::replay::Replay;
use crate::app::replay::ReplayFault;
use crate::app::replay::plain;
use crate::app::replay::stream;
use crate::bootstrap::parts;
use crate::cli;
use crate::cli::ExitStatus;
use crate::cli::ModelArguments;
use crate::cli::document;
use crate::cli::output::Output;
use crate::cli::output::Report;
use crate::cli::output::Trouble;
use crate::cli::output::fault;
use crate::cli::output::usage;
use crate::cli::progress::Progress;
use crate::cli::recorded::Recorded;
use crate::config::Settings;
use engine::evolution::review::Seat;
use engine::scenario::event;
use engine::scenario::event::Entry;
use engine::scenario::policy::Policy;
use schema::exchange::other::OtherLimits;
use schema::template::SchemaTemplate;
use store::journal::Draft;
use store::journal::Journal;
use store::journal::JournalName;
use store::journal::Kind;
use store::journal_store::JournalStore;
use store::options::StoreOptions;

/// Entries written with one sync.
const JOURNAL_CHUNK: usize = 64;

/// What is replayed, and where the report goes.
#[derive(Clone, Debug, Args)]
pub struct ReplayArguments {
    /// The template that the stream was submitted to.
    #[arg(
        long,
        value_name = "T.json",
        required_unless_present = "texts",
        conflicts_with = "texts"
    )]
    template: Option<PathBuf>,
    /// Submissions, one a line: {"at", "client", "schema_id", "payload", "utterance"?}; `at` is an RFC 3339 moment such as
    /// "2026-05-01T09:00:00Z" and does not run backwards.
    #[arg(
        long,
        value_name = "S.jsonl",
        required_unless_present = "texts",
        conflicts_with = "texts"
    )]
    stream: Option<PathBuf>,
    /// Fragments to cluster, one a line: {"text", …}; the report then holds clusters alone.
    #[arg(long, value_name = "F.jsonl")]
    texts: Option<PathBuf>,
    /// Policies that differ from the defaults: the sections [pool] and [evolution].
    #[arg(long, value_name = "P.toml", conflicts_with = "texts")]
    policy: Option<PathBuf>,
    /// Where the report is written; standard output when nothing is said.
    #[arg(long, value_name = "R.json")]
    report: Option<PathBuf>,
    /// Folder that is to hold the journal of the replay; nothing is kept when nothing is said.
    #[arg(long, value_name = "DIR", conflicts_with = "texts")]
    journal: Option<PathBuf>,
    /// Deliver templates and suggestions to the clients of the stream, and record receipts.
    #[arg(long, conflicts_with = "texts")]
    deliver: bool,
    /// Tell every decision in the report, in words.
    #[arg(long, conflicts_with = "texts")]
    explain: bool,
    /// Who reads what was said: `record:DIR` writes what a reader would be given into the folder and takes the answers that lie there
    /// already, `play:DIR` takes those alone.
    #[arg(long, value_name = "record:DIR|play:DIR", conflicts_with = "texts")]
    reader: Option<String>,
    /// Ask the language model that the settings name; without this the rules do everything, and two replays give the
    /// same bytes.
    #[arg(long, conflicts_with = "texts")]
    ask_model: bool,
    /// One JSON document on a line of standard output, errors included; it holds the report unless --report does.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: ModelArguments,
}

/// The folder of a file that is to be written, where it is not there.
fn missing_folder(file: &Path) -> Option<&Path> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty())?;
    (!folder.is_dir()).then_some(folder)
}

/// Runs a replay and says how it went.
pub fn run(arguments: &ReplayArguments) -> ExitStatus {
    let progress = Progress::standard("replay");
    let replayed = replay(arguments, &progress);
    progress.finish();
    let report = replayed.and_then(|report| deliver(arguments.report.as_deref(), report));
    Output::new("replay", arguments.json).report(report)
}

/// A line that is none, or a policy that cannot be, is its author's affair.
fn stopped(why: ReplayFault) -> Trouble {
    match &why {
        ReplayFault::Line(_) | ReplayFault::Policy(_) => usage(why.to_string()),
        ReplayFault::Embedder(_) | ReplayFault::Invariant { .. } => fault(why),
    }
}

/// Runs the engine; gives the report.
///
/// # Errors
/// What is wrong with what was given, or what broke.
fn replay(arguments: &ReplayArguments, progress: &Progress) -> Result<Value, Trouble> {
    let settings = arguments.model.settings()?;
    if let Some(missing) = arguments.report.as_deref().and_then(missing_folder) {
        return Err(usage(format!("--report: there is no folder {}", missing.display())));
    }
    if arguments.ask_model && settings.model.url.is_empty() {
        let why = "--ask-model: the settings name no model; set model.url and model.name";
        return Err(usage(why));
    }
    let runtime = cli::runtime()?;
    let open = || parts::open_embedder(&settings, None);
    match (&arguments.template, &arguments.stream, &arguments.texts) {
        (Some(template), Some(stream), None) => {
            let embedder = open()?;
            let replayed = replay_stream((template, stream), arguments, &settings, embedder.as_ref(), progress);
            runtime.block_on(replayed)
        }
        (None, None, Some(texts)) => runtime.block_on(replay_texts(texts, open()?.as_ref(), progress)),
        _ => Err(usage("give --template and --stream, or --texts")),
    }
}

/// A replay of lines as the service with these settings would take them.
pub fn of<'a>(
    settings: &Settings,
    (template, lines): (&'a SchemaTemplate, &'a [&'a str]),
    policy: &'a Policy,
    embedder: &'a dyn Embedder,
    stopwatch: &'a SystemClock,
) -> Replay<'a> {
    Replay {
        template,
        lines,
        policy,
        limits: OtherLimits {
            strings_max: settings.service.other_strings_max,
            bytes_max: settings.service.other_bytes_max,
        },
        body: settings.server.body_bytes_max,
        deliver: false,
        adopt: None,
        explain: false,
        embedder,
        model: None,
        reader: None,
        stopwatch,
    }
}

async fn replay_stream(
    (template, stream): (&Path, &Path),
    arguments: &ReplayArguments,
    settings: &Settings,
    embedder: &dyn Embedder,
    progress: &Progress,
) -> Result<Value, Trouble> {
    let template = document::publishable(template)?;
    let text = document::text(stream)?;
    let lines: Vec<&str> = text.lines().collect();
    let mut policy = match &arguments.policy {
        None => Policy {
            pool: settings.policy.pool.clone(),
            evolution: settings.policy.evolution.clone(),
            cohorts: settings.cohorts()?,
        },
        Some(path) => {
            let policy = toml::from_str(&document::text(path)?);
            policy.map_err(|error| usage(format!("{}: {error}", path.display())))?
        }
    };
    let recorded = arguments
        .reader
        .as_deref()
        .map(Recorded::parse)
        .transpose()
        .map_err(usage)?;
    if recorded.is_some() {
        policy.evolution.reader = Seat::Model;
    }
    let stopwatch = SystemClock::new();
    let model = arguments
        .ask_model
        .then(|| parts::open_model_for_replay(settings))
        .transpose()?;
    let asked = model.as_deref().map(ModelReader);
    let asked = asked.as_ref().map(|reader| reader as &dyn Reader);
    let total = stream::told(&lines).count() as u64;
    let wanted = Replay {
        deliver: arguments.deliver,
        explain: arguments.explain,
        model: model.as_deref(),
        reader: recorded.as_ref().map(|reader| reader as &dyn Reader).or(asked),
        ..of(settings, (&template, &lines), &policy, embedder, &stopwatch)
    };
    let replayed = replay::replay(&wanted, &|done| progress.at(done as u64, total))
        .await
        .map_err(stopped)?;
    if let Some(backwards) = &replayed.backwards {
        cli::tell(&format!("otherwise: {backwards}"));
    }
    if replayed.refused.count > 0 {
        cli::tell(&format!("otherwise: {}", replayed.refused));
    }
    if let Some(folder) = &arguments.journal {
        keep(folder, &template, replayed.entries).await?;
    }
    serde_json::to_value(&replayed.report).map_err(fault)
}

async fn replay_texts(texts: &Path, embedder: &dyn Embedder, progress: &Progress) -> Result<Value, Trouble> {
    let text = document::text(texts)?;
    let lines: Vec<&str> = text.lines().collect();
    let total = stream::told(&lines).count() as u64;
    let report = plain::cluster(&lines, embedder, &|done| progress.at(done as u64, total))
        .await
        .map_err(stopped)?;
    serde_json::to_value(&report).map_err(fault)
}

/// Writes every entry into a store of its own, as the service would have.
///
/// # Errors
/// Why the folder cannot hold it; one that holds a journal of this scenario is left alone.
pub async fn keep(folder: &Path, template: &SchemaTemplate, entries: Vec<(Entry, Vec<u8>)>) -> Result<(), Trouble> {
    let store = JournalStore::open(folder, StoreOptions::default()).map_err(fault)?;
    let begun = entries.first().map(|(entry, _)| entry.at).unwrap_or_default();
    let name = JournalName(format!("scenario/default/{}", template.scenario_key()));
    if store.head(&name).map_err(fault)?.seq > 0 {
        return Err(usage(format!(
            "{} holds a journal of this scenario already",
            folder.display()
        )));
    }
    for chunk in entries.chunks(JOURNAL_CHUNK) {
        let drafts = chunk
            .iter()
            .map(|(entry, sealed)| Draft {
                kind: if entry.event.is_fact() {
                    Kind::Fact
                } else {
                    Kind::Decision
                },
                at: entry.at,
                open: event::write(&entry.event),
                sealed: sealed.clone(),
            })
            .collect();
        let answer = store.append(&name, drafts, None).map_err(fault)?;
        answer.await.map_err(fault)?.map_err(fault)?;
    }
    // So that the folder is whole by itself: served without a folder of schemas, it holds the scenario all the same.
    registry::enrol(&store, template, begun).await.map_err(fault)?;
    store.close();
    Ok(())
}

/// Writes the report where it was asked for.
fn deliver(path: Option<&Path>, report: Value) -> Result<Report, Trouble> {
    let mut told = Report::default();
    match path {
        None => {
            told.lines.push(format!("{report:#}"));
            told.document = json!({ "report": report });
        }
        Some(path) => {
            let written = std::fs::write(path, format!("{report:#}\n"));
            let why = |error| fault(format!("the report cannot be written to {}: {error}", path.display()));
            written.map_err(why)?;
            told.document = json!({ "report_file": path });
        }
    }
    Ok(told)
}
