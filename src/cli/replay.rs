//! `otherwise replay`: its arguments, its files, and how it ends; the engine is [`crate::app::replay`].

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::Value;
use serde_json::json;

use crate::adapters::clock::SystemClock;
use crate::adapters::text_file;
use crate::app::pool_review::ModelReader;
use crate::app::pool_review::Reader;
use crate::app::ports::Embedder;
use crate::app::registry;
use crate::app::replay;
use crate::app::replay::Replay;
use crate::app::replay::ReplayFault;
use crate::app::replay::line;
use crate::app::replay::plain;
use crate::bootstrap::BootFault;
use crate::bootstrap::parts;
use crate::cli;
use crate::cli::Ending;
use crate::cli::SettingsArguments;
use crate::cli::output::Voice;
use crate::cli::progress::Progress;
use crate::cli::recorded::Recorded;
use crate::config::Settings;
use crate::metrics::OnEmbed;
use engine::evolution::policy::EvolutionPolicy;
use engine::evolution::review::Seat;
use engine::scenario::event;
use engine::scenario::event::Entry;
use engine::scenario::policy::Policy;
use schema::exchange::length::BodyLimit;
use schema::exchange::other::OtherLimits;
use schema::json_text;
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
#[group(id = "input", required = true, multiple = true)]
pub struct ReplayArguments {
    /// The template that the stream was submitted to.
    #[arg(long, value_name = "T.json", requires = "stream", conflicts_with = "texts")]
    template: Option<PathBuf>,
    /// Submissions, one a line: {"at", "client", "schema_id", "payload", "utterance"?}; `at` is an RFC 3339 moment such as
    /// "2026-05-01T09:00:00Z" and does not run backwards.
    #[arg(long, value_name = "S.jsonl", requires = "template", conflicts_with = "texts")]
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
    /// Settings file (TOML), for the folder of the model and the policies' defaults.
    #[arg(long, env = "OTHERWISE_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder of the embedding model [default: models].
    #[arg(long, value_name = "FOLDER")]
    models: Option<String>,
}

/// What goes in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Submissions to one template.
    Stream { template: PathBuf, stream: PathBuf },
    /// Fragments alone.
    Texts(PathBuf),
}

/// A replay as it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayOrder {
    pub input: Input,
    /// TOML with `[pool]` and `[evolution]`.
    pub policy: Option<PathBuf>,
    /// `None` for standard output.
    pub report: Option<PathBuf>,
    pub journal: Option<PathBuf>,
    pub deliver: bool,
    pub explain: bool,
    pub ask_model: bool,
    pub reader: Option<Recorded>,
    pub settings: Settings,
}

impl ReplayArguments {
    /// The order that these arguments give.
    ///
    /// # Errors
    /// What is wrong with the settings, in a sentence.
    pub fn order(&self) -> Result<ReplayOrder, String> {
        let settings = SettingsArguments {
            config: self.config.clone(),
            models: self.models.clone(),
            ..SettingsArguments::default()
        };
        let input = match (&self.template, &self.stream, &self.texts) {
            (Some(template), Some(stream), None) => Input::Stream {
                template: template.clone(),
                stream: stream.clone(),
            },
            (None, None, Some(texts)) => Input::Texts(texts.clone()),
            _ => return Err("give --template and --stream, or --texts".to_owned()),
        };
        let settings = settings.settings().map_err(|error| error.0)?;
        if let Some(missing) = self.report.as_deref().and_then(missing_folder) {
            return Err(format!("--report: there is no folder {}", missing.display()));
        }
        if self.ask_model && settings.model.url.is_empty() {
            return Err("--ask-model: the settings name no model; set model.url and model.name".to_owned());
        }
        let reader = self.reader.as_deref().map(Recorded::parse).transpose()?;
        Ok(ReplayOrder {
            input,
            reader,
            policy: self.policy.clone(),
            report: self.report.clone(),
            journal: self.journal.clone(),
            deliver: self.deliver,
            explain: self.explain,
            ask_model: self.ask_model,
            settings,
        })
    }
}

/// The folder of a file that is to be written, where it is not there.
fn missing_folder(file: &Path) -> Option<&Path> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty())?;
    (!folder.is_dir()).then_some(folder)
}

/// Runs a replay and says how it went.
pub fn run(arguments: &ReplayArguments) -> Ending {
    let voice = Voice::new("replay", arguments.json);
    let order = match arguments.order() {
        Ok(order) => order,
        Err(error) => return voice.end(Ending::Usage, &error),
    };
    let progress = Progress::standard("replay");
    let replayed = replay(&order, &progress);
    progress.finish();
    match replayed {
        Ok(report) => deliver(&order, report, &voice),
        Err((ending, why)) => voice.end(ending, &why),
    }
}

/// How a replay ended that brought no report, and why, in a sentence.
type Stopped = (Ending, String);

fn asked(why: String) -> Stopped {
    (Ending::Usage, why)
}

fn broke(why: String) -> Stopped {
    (Ending::Fault, why)
}

fn booted(fault: BootFault) -> Stopped {
    (Ending::of(&fault), fault.to_string())
}

/// A line that is none, or a policy that cannot be, is its author's affair.
fn stopped(fault: ReplayFault) -> Stopped {
    match &fault {
        ReplayFault::Line(_) | ReplayFault::Policy(_) => asked(fault.to_string()),
        ReplayFault::Embedder(_) | ReplayFault::Invariant { .. } => broke(fault.to_string()),
    }
}

/// Runs the engine; gives the report.
///
/// # Errors
/// What is wrong with what was given, or what broke.
fn replay(order: &ReplayOrder, progress: &Progress) -> Result<Value, Stopped> {
    let untold: OnEmbed = Arc::new(|_seconds| {});
    let embedder = parts::open_embedder(&order.settings, untold).map_err(booted)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| broke(error.to_string()))?;
    match &order.input {
        Input::Stream { template, stream } => {
            runtime.block_on(replay_stream(order, template, stream, embedder.as_ref(), progress))
        }
        Input::Texts(texts) => runtime.block_on(replay_texts(texts, embedder.as_ref(), progress)),
    }
}

async fn replay_stream(
    order: &ReplayOrder,
    template: &Path,
    stream: &Path,
    embedder: &dyn Embedder,
    progress: &Progress,
) -> Result<Value, Stopped> {
    let document = json_text::read(&read(template)?)
        .map_err(|error| asked(format!("{} is not JSON: {error}", template.display())))?;
    let (template, _) = SchemaTemplate::parse(&document).map_err(|defects| {
        let said: Vec<String> = defects
            .iter()
            .map(|defect| format!("{} {} ({})", defect.pointer, defect.message, defect.requirement))
            .collect();
        let why = format!("{} is no template: {}", template.display(), said.join("; "));
        (Ending::Findings, why)
    })?;
    let text = read(stream)?;
    let lines: Vec<&str> = text.lines().collect();
    let policy = match &order.policy {
        None => Policy {
            pool: order.settings.policy.pool.clone(),
            evolution: order.settings.policy.evolution.clone(),
            cohorts: order.settings.cohorts().map_err(|what| asked(what.to_string()))?,
        },
        Some(path) => toml::from_str(&read(path)?).map_err(|error| asked(format!("{}: {error}", path.display())))?,
    };
    let service = &order.settings.service;
    let policy = match &order.reader {
        None => policy,
        Some(_) => Policy {
            evolution: EvolutionPolicy {
                reader: Seat::Model,
                ..policy.evolution
            },
            ..policy
        },
    };
    let limits = OtherLimits {
        strings_max: service.other_strings_max,
        bytes_max: service.other_bytes_max,
    };
    let stopwatch = SystemClock::new();
    let model = match order.ask_model {
        true => Some(parts::open_model_for_replay(&order.settings).map_err(booted)?),
        false => None,
    };
    let asked = model.as_deref().map(ModelReader);
    let asked = asked.as_ref().map(|reader| reader as &dyn Reader);
    let recorded = order.reader.as_ref().map(|reader| reader as &dyn Reader);
    let total = line::told(&lines).count() as u64;
    let wanted = Replay {
        template: &template,
        lines: &lines,
        policy: &policy,
        limits,
        body: BodyLimit(order.settings.server.body_bytes_max),
        deliver: order.deliver,
        adopt: None,
        explain: order.explain,
        embedder,
        model: model.as_deref(),
        reader: recorded.or(asked),
        stopwatch: &stopwatch,
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
    if let Some(folder) = &order.journal {
        keep(folder, &template, replayed.entries).await?;
    }
    serde_json::to_value(&replayed.report).map_err(|error| broke(error.to_string()))
}

async fn replay_texts(texts: &Path, embedder: &dyn Embedder, progress: &Progress) -> Result<Value, Stopped> {
    let text = read(texts)?;
    let lines: Vec<&str> = text.lines().collect();
    let total = line::told(&lines).count() as u64;
    let report = plain::cluster(&lines, embedder, &|done| progress.at(done as u64, total))
        .await
        .map_err(stopped)?;
    serde_json::to_value(&report).map_err(|error| broke(error.to_string()))
}

/// Writes every entry into a store of its own, as the service would have.
///
/// # Errors
/// Why the folder cannot hold it; one that holds a journal of this scenario is left alone.
pub async fn keep(folder: &Path, template: &SchemaTemplate, entries: Vec<(Entry, Vec<u8>)>) -> Result<(), Stopped> {
    let store = JournalStore::open(folder, StoreOptions::default()).map_err(|fault| broke(fault.to_string()))?;
    let begun = entries.first().map(|(entry, _)| entry.at).unwrap_or_default();
    let name = JournalName(format!("scenario/default/{}", template.scenario_key()));
    if store.head(&name).map_err(|fault| broke(fault.to_string()))?.seq > 0 {
        return Err(asked(format!(
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
        let answer = store
            .append(&name, drafts, None)
            .map_err(|fault| broke(fault.to_string()))?;
        answer
            .await
            .map_err(|error| broke(error.to_string()))?
            .map_err(|fault| broke(fault.to_string()))?;
    }
    // So that the folder is whole by itself: served without a folder of schemas, it holds the scenario all the same.
    registry::enrol(&store, template, begun)
        .await
        .map_err(|error| broke(error.to_string()))?;
    store.close();
    Ok(())
}

fn read(path: &Path) -> Result<String, Stopped> {
    text_file::read(path).map_err(|error| asked(format!("{} cannot be read: {error}", path.display())))
}

/// Writes the report where it was asked for.
fn deliver(order: &ReplayOrder, report: Value, voice: &Voice) -> Ending {
    let Some(path) = &order.report else {
        if voice.json {
            return voice.document(Ending::Well, json!({ "report": report }));
        }
        cli::answer(&format!("{report:#}"));
        return Ending::Well;
    };
    match std::fs::write(path, format!("{report:#}\n")) {
        Ok(()) if voice.json => voice.document(Ending::Well, json!({ "report_file": path })),
        Ok(()) => Ending::Well,
        Err(error) => voice.end(
            Ending::Fault,
            &format!("the report cannot be written to {}: {error}", path.display()),
        ),
    }
}
