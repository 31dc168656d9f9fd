//! The service with an agent behind it that does what the A2A compatibility suite asks of it (`tck-*` message ids). For
//! development alone: it is an example, and no part of the program.
//!
//! `cargo run --example a2a_suite_agent -- 127.0.0.1:9999`

use std::sync::Arc;
use std::time::Duration;

use context::a2a_task::message::Artifact;
use context::a2a_task::message::Content;
use context::a2a_task::message::Message;
use context::a2a_task::message::Part;
use context::a2a_task::phase::Phase;
use otherwise::app::a2a_tasks::worker::Asking;
use otherwise::app::a2a_tasks::worker::Done;
use otherwise::app::a2a_tasks::worker::Opening;
use otherwise::app::a2a_tasks::worker::Steps;
use otherwise::app::a2a_tasks::worker::Words;
use otherwise::app::a2a_tasks::worker::Work;
use otherwise::app::a2a_tasks::worker::Worker;
use otherwise::app::error::ServiceError;
use otherwise::bootstrap;
use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use store::journal::Promise;

/// What the suite waits for at most, twice.
const LONG: Duration = Duration::from_secs(4);

struct SuiteAgent;

impl Worker for SuiteAgent {
    fn open<'a>(
        &'a self,
        _: &'a Asking,
        message: &'a Message,
        _: Option<&'a Message>,
    ) -> Promise<'a, Result<Opening, ServiceError>> {
        Box::pin(async move {
            // Any media type is taken: the suite counts the error that CORE-SEND-003 asks for as a failure.
            if message.message_id.starts_with("tck-message-response") {
                let words = Words::of(vec![Part::text("Direct message response")]);
                return Ok(Opening::Answer(words));
            }
            Ok(Opening::Task)
        })
    }

    fn work(&self, work: Work, steps: Steps) -> Promise<'_, ()> {
        Box::pin(async move {
            for batch in scenario(&work.message.message_id) {
                match batch {
                    Act::Wait => tokio::time::sleep(LONG).await,
                    Act::Take(batch) => {
                        if steps.send(batch).await.is_err() {
                            return;
                        }
                    }
                }
            }
        })
    }
}

enum Act {
    Wait,
    Take(Vec<Done>),
}

fn scenario(id: &str) -> Vec<Act> {
    let became = |phase| Act::Take(vec![Done::Became(phase, None)]);
    let said = |phase, text: &str| Act::Take(vec![Done::Became(phase, Some(Words::of(vec![Part::text(text)])))]);
    let file = |content| Part {
        filename: "output.txt".to_owned(),
        ..Part::of(content, "text/plain")
    };
    let produced = |part: Part| produced(part, false, true);
    let streamed = |part: Part| vec![became(Phase::Working), produced(part), became(Phase::Completed)];
    let made = |part: Part| vec![produced(part), became(Phase::Completed)];
    let is = |prefix: &str| id.starts_with(prefix);
    if is("tck-input-required") {
        vec![said(Phase::InputRequired, "Please provide more")]
    } else if is("tck-reject-task") {
        vec![said(Phase::Rejected, "rejected")]
    } else if is("tck-artifact-text") {
        made(Part::text("Generated text content"))
    } else if is("tck-artifact-file-url") {
        made(file(Content::Url("https://example.com/output.txt".to_owned())))
    } else if is("tck-artifact-file") {
        made(file(Content::Raw("SGVsbG8=".to_owned())))
    } else if is("tck-artifact-data") {
        made(Part::data(
            r#"{"key":"value","count":42}"#.to_owned(),
            "application/json",
        ))
    } else if is("tck-stream-001") {
        streamed(Part::text("Stream hello from TCK"))
    } else if is("tck-stream-002") {
        vec![became(Phase::Completed)]
    } else if is("tck-stream-003") {
        streamed(Part::text("Stream task lifecycle"))
    } else if is("tck-stream-ordering-001") {
        streamed(Part::text("Ordered output"))
    } else if is("tck-stream-artifact-text") {
        streamed(Part::text("Streamed text content"))
    } else if is("tck-stream-artifact-file") {
        streamed(file(Content::Raw("SGVsbG8=".to_owned())))
    } else if is("tck-stream-artifact-chunked") {
        vec![
            became(Phase::Working),
            self::produced(Part::text("chunk-1 "), false, false),
            self::produced(Part::text("chunk-2"), true, true),
            became(Phase::Completed),
        ]
    } else if is("test-resubscribe-message-id") {
        vec![became(Phase::Working), Act::Wait, became(Phase::Completed)]
    } else {
        vec![said(Phase::Completed, "Hello from TCK")]
    }
}

fn produced(part: Part, append: bool, last: bool) -> Act {
    let artifact = Artifact {
        artifact_id: "artifact-1".to_owned(),
        name: "output".to_owned(),
        parts: vec![part],
        extensions: Vec::new(),
    };
    Act::Take(vec![Done::Produced { artifact, append, last }])
}

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let mut settings = Settings::default();
    settings.server.listen = arguments.next().unwrap_or_else(|| "127.0.0.1:9999".to_owned());
    if let Some(folder) = arguments.next() {
        settings.data.folder = folder;
    }
    // The suite leaves streams open.
    settings.delivery.streams_per_client_max = settings.delivery.streams_max;
    let parts = PartsOverride {
        worker: Some(Arc::new(SuiteAgent)),
        ..PartsOverride::default()
    };
    let running = bootstrap::start(&settings, parts).map_err(|fault| fault.to_string())?;
    running.block_on(std::future::pending::<()>());
    Ok(())
}
