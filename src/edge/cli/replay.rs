//! `otherwise replay`: its arguments and how it ends; the engine is not here.

use std::path::PathBuf;

use clap::Args;

use crate::edge::cli;
use crate::edge::cli::Ending;
use crate::edge::cli::SettingsArguments;
use crate::edge::cli::progress::Progress;
use crate::edge::settings::Settings;

/// What is replayed, and where the report goes.
#[derive(Clone, Debug, Args)]
#[group(id = "input", required = true, multiple = true)]
pub struct ReplayArguments {
    /// The template that the stream was submitted to.
    #[arg(long, value_name = "T.json", requires = "stream", conflicts_with = "texts")]
    template: Option<PathBuf>,
    /// Submissions, one a line: {"at", "client", "schema_id", "payload", "utterance"?}.
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
        Ok(ReplayOrder {
            input,
            policy: self.policy.clone(),
            report: self.report.clone(),
            journal: self.journal.clone(),
            deliver: self.deliver,
            settings: settings.settings().map_err(|error| error.0)?,
        })
    }
}

/// Runs a replay and says how it went.
pub fn run(arguments: &ReplayArguments) -> Ending {
    let order = match arguments.order() {
        Ok(order) => order,
        Err(error) => return cli::end(Ending::Usage, &error),
    };
    let progress = Progress::standard("replay");
    let replayed = replay(&order, &progress);
    progress.finish();
    match replayed {
        Ok(report) => deliver(&order, &report),
        Err(fault) => cli::end(Ending::Fault, &fault),
    }
}

/// Runs the engine; gives the report as JSON text.
///
/// # Errors
/// What broke, in a sentence.
fn replay(order: &ReplayOrder, progress: &Progress) -> Result<String, String> {
    let _ = (order, progress);
    Err("this build has no replay engine".to_owned())
}

/// Writes the report where it was asked for.
fn deliver(order: &ReplayOrder, report: &str) -> Ending {
    match &order.report {
        None => {
            cli::answer(report);
            Ending::Well
        }
        Some(path) => match std::fs::write(path, format!("{report}\n")) {
            Ok(()) => Ending::Well,
            Err(error) => cli::end(
                Ending::Fault,
                &format!("the report cannot be written to {}: {error}", path.display()),
            ),
        },
    }
}
