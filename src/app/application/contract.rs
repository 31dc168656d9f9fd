//! What this service answers messages with: submissions become tasks whose result is an artifact, contexts of distributed work
//! go to that work, and wishes are answered with the template that fits.
//!
//! Makes the same calls as every other transport, so that the verdict is the same. Invariant: what was refused is told with all its
//! violations, and the task then waits for a payload that is mended.

pub mod answers;
pub mod distributed;

use std::sync::Arc;
use std::sync::Weak;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;

use crate::api::conversations::PartOutcome;
use crate::api::scenarios::Scenarios;
use crate::api::scenarios::SearchOutcome;
use crate::app::a2a_tasks::worker::Asking;
use crate::app::a2a_tasks::worker::Done;
use crate::app::a2a_tasks::worker::Opening;
use crate::app::a2a_tasks::worker::Steps;
use crate::app::a2a_tasks::worker::Words;
use crate::app::a2a_tasks::worker::Work;
use crate::app::a2a_tasks::worker::Worker;
use crate::app::application::App;
use crate::app::application::Inner;
use crate::app::application::contract::answers::TemplateMembers;
use crate::app::application::contract::answers::answer;
use crate::app::application::contract::answers::answer_request;
use crate::app::application::contract::answers::answer_wish;
use crate::app::application::contract::answers::phase_of;
use crate::app::application::contract::answers::refusal;
use crate::app::batch;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::execution;
use crate::app::execution::Left;
use crate::app::handle::ScenarioHandle;
use crate::app::idempotency;
use crate::app::intake;
use crate::app::registry::ScenarioRegistry;
use crate::app::reply::SubmitReply;
use crate::app::typed::check_all;
use crate::app::typed::known;
use crate::app::typed::named;
use crate::app::used_keys;
use context::a2a_task::asked;
use context::a2a_task::asked::Asked;
use context::a2a_task::asked::Misunderstanding;
use context::a2a_task::asked::Skipped;
use context::a2a_task::asked::Understood;
use context::a2a_task::message::Artifact;
use context::a2a_task::message::Message;
use context::a2a_task::message::Part;
use context::a2a_task::phase::Phase;
use context::fields::FieldFault;
use schema::exchange::envelope::Envelope;
use schema::name::ClientId;
use schema::name::SchemaId;
use store::journal::Promise;

/// The extension that says which template a skill goes by, and what is wrong with a payload (docs/a2a-extension.md).
pub const CONTRACT: &str = "https://otherwise.dev/a2a/schema-contract/v1";

/// Type and version of a part that answers a wish.
pub const ANSWER_TYPE: &str = "TemplateAnswer";

pub const ANSWER_VERSION: &str = "1.0";

/// How often a submission of a task is tried while it is in flight already, or the service is busy, and for how long each.
const PAUSE: Duration = Duration::from_millis(200);

const IN_FLIGHT_MAX: Duration = Duration::from_secs(900);

const BUSY_MAX: Duration = Duration::from_secs(10);

/// Answers for the hosted schemas.
pub struct Contract {
    pub(super) service: Weak<Inner>,
    /// What a failure is called, in the one table of codes.
    pub said: fn(ServiceError) -> Value,
}

impl Contract {
    fn service(&self) -> Result<App, ServiceError> {
        let inner = self.service.upgrade().ok_or(ServiceError::ShuttingDown)?;
        Ok(App { inner })
    }

    async fn opening(
        &self,
        asking: &Asking,
        message: &Message,
        first: Option<&Message>,
    ) -> Result<Opening, ServiceError> {
        let service = self.service()?;
        if let Some(words) = distributed::answered(&service, asking, message).await? {
            return Ok(Opening::Answer(words));
        }
        let Understood {
            asked,
            context,
            mut skipped,
        } = understand(&service.inner.registry, message)?;
        let told = self::context(&service.inner.registry, asking, message, &context, &mut skipped)?;
        let nothing_read = asked == Asked::Nothing && told.iter().all(|told| told.why.is_some());
        if nothing_read && told.iter().any(PartOutcome::is_refused) {
            // To answer it as if it had said nothing would make a turn of what was refused (P-014).
            let all: Vec<(usize, Part)> = message.parts.iter().cloned().enumerate().collect();
            let (told, _) = check_all(
                &service.inner.registry,
                asking.caller.client.as_ref(),
                "message.parts",
                &all,
            )?;
            return Err(ServiceError::NothingTaken(told));
        }
        match asked {
            Asked::Submission(body) => {
                service.require_delivery(&asking.caller, &body)?;
                let envelope = envelope(&body)?;
                // What names no schema that is hosted begins no task.
                let (handle, _) = service.by_schema(&envelope.schema_id)?;
                if envelope.dry_run {
                    idempotency::one_key(&envelope, None)?;
                    let parts = self.tried(&service, asking, &body).await?;
                    return Ok(Opening::Answer(words(asking, parts, &skipped)));
                }
                if first.is_some_and(|first| is_about_another(&service, first, &handle)) {
                    let what =
                        "must go on with the scenario that the task was begun for: begin a new task for another one";
                    return Err(FieldFault::new("message.parts", what).into());
                }
                Ok(Opening::Task)
            }
            Asked::Wish(_) | Asked::Template(..) | Asked::Nothing if !message.task_id.is_empty() => {
                asking.caller.require(Permission::Submit)?;
                Ok(Opening::Task)
            }
            Asked::Wish(wish) => {
                let wanted = TemplateMembers {
                    members: &message.metadata,
                    at: "message.metadata".to_owned(),
                };
                let parts = answer_wish(&service, asking, &wish, wanted.capabilities()?, wanted.pin()?).await?;
                Ok(Opening::Answer(words(asking, parts, &skipped)))
            }
            Asked::Template(place, params) => {
                let wanted = TemplateMembers {
                    members: &params,
                    at: format!("message.parts[{place}].data.params"),
                };
                let parts = answer_request(&service, asking, &wanted)?;
                Ok(Opening::Answer(words(asking, parts, &skipped)))
            }
            Asked::Nothing => {
                let told = Scenarios {
                    outcome: Some(SearchOutcome::NoSubmission),
                    ..Scenarios::default()
                };
                let passed_over: String = skipped
                    .iter()
                    .map(|one| format!(" Part {} was passed over: {}.", one.part, one.why.trim_end_matches('.')))
                    .collect();
                let said =
                    format!("No part of the message holds a submission or words to find a template by.{passed_over}");
                let parts = answer(&said, &json!(told).to_string());
                Ok(Opening::Answer(words(asking, parts, &skipped)))
            }
        }
    }

    /// What a submission would be answered with: it is checked, and leaves nothing behind.
    async fn tried(&self, service: &App, asking: &Asking, body: &str) -> Result<Vec<Part>, ServiceError> {
        match service.submit(&asking.caller, body, None).await {
            Ok(reply) => Ok(vec![
                Part::text("The submission fits. It was checked alone: nothing was recorded."),
                Part::data(reply.body, "application/json"),
            ]),
            // A task would end with it, or wait.
            Err(error) if phase_of(&error) != Phase::Failed => Ok(refusal(&(self.said)(error))),
            Err(fault) => Err(fault),
        }
    }

    async fn carry_out(&self, work: Work, steps: Steps) {
        let last = match self.submitted(&work, &steps).await {
            Ok(done) => done,
            // It is worked at again after the next start; what closes lets go of it.
            Err(ServiceError::ShuttingDown) => std::future::pending().await,
            Err(error) => {
                let phase = match &error {
                    // What goes on waits for the same under a key of its own: a refused submission keeps the one that it had.
                    ServiceError::IdempotencyMismatch if work.turn > 1 => Phase::InputRequired,
                    error => phase_of(error),
                };
                let understood = self
                    .service()
                    .and_then(|app| understand(&app.inner.registry, &work.message));
                let skipped = understood.map(|understood| understood.skipped).unwrap_or_default();
                let words = words(&work.asking, refusal(&(self.said)(error)), &skipped);
                vec![Done::Became(phase, Some(words))]
            }
        };
        // Nobody there means that the client wants no more of it.
        let _ = steps.send(last).await;
    }

    async fn submitted(&self, work: &Work, steps: &Steps) -> Result<Vec<Done>, ServiceError> {
        let service = self.service()?;
        let Understood {
            asked,
            context,
            mut skipped,
        } = understand(&service.inner.registry, &work.message)?;
        self::context(
            &service.inner.registry,
            &work.asking,
            &work.message,
            &context,
            &mut skipped,
        )?;
        let Asked::Submission(body) = asked else {
            let said = "The task waits for a submission: send it as a data part.";
            let words = words(&work.asking, vec![Part::text(said)], &skipped);
            return Ok(vec![Done::Became(Phase::InputRequired, Some(words))]);
        };
        let (handle, schema_id) = schema_of(&service, &body)?;
        let executes = intake::executes(&handle, &service.inner.registry.deps, &schema_id);
        if executes && work.is_redacted && !is_on_record(&service, &handle, work, &body) {
            // What is left of it is not what was said, and another payload is never executed.
            let said =
                "It was cut short by a restart before it was taken, and its secrets are not kept: send it again.";
            let words = words(&work.asking, vec![Part::text(said)], &[]);
            return Ok(vec![Done::Became(Phase::Failed, Some(words))]);
        }
        if executes {
            let _ = steps.send(vec![Done::Became(Phase::Working, None)]).await;
        }
        let reply = match batch::key(&body)? {
            Some(key) => submit(&service, work, &body, Some(&key)).await?.told(),
            // The client knows nothing of the task's own key, and sent it once.
            None if executes => submit(&service, work, &body, Some(&own_key(work))).await?.body,
            None => submit(&service, work, &body, None).await?.body,
        };
        let artifact = Artifact {
            artifact_id: format!("reply-{}", work.turn),
            name: "reply".to_owned(),
            parts: vec![Part::data(reply, "application/json")],
            extensions: extensions(&work.asking),
        };
        let produced = Done::Produced {
            artifact,
            append: false,
            last: true,
        };
        let words = (!skipped.is_empty()).then(|| {
            let said = "Some parts of the message were passed over.";
            words(&work.asking, vec![Part::text(said)], &skipped)
        });
        Ok(vec![produced, Done::Became(Phase::Completed, words)])
    }
}

impl Contract {
    /// Leaves the submission of a message as it is: its executor is not called again.
    async fn leave(&self, work: &Work) -> Result<Left, ServiceError> {
        let service = self.service()?;
        // A message that asks for nothing now has left nothing undone.
        let Ok(Understood {
            asked: Asked::Submission(body),
            ..
        }) = understand(&service.inner.registry, &work.message)
        else {
            return Ok(Left::Undone);
        };
        let (Ok((handle, _)), Ok((scope, key))) = (schema_of(&service, &body), scope_and_key(work, &body)) else {
            return Ok(Left::Undone);
        };
        execution::abandon(&handle, &service.inner.registry.deps, scope, &key).await
    }
}

impl Worker for Contract {
    fn open<'a>(
        &'a self,
        asking: &'a Asking,
        message: &'a Message,
        first: Option<&'a Message>,
    ) -> Promise<'a, Result<Opening, ServiceError>> {
        Box::pin(self.opening(asking, message, first))
    }

    fn work(&self, work: Work, steps: Steps) -> Promise<'_, ()> {
        Box::pin(self.carry_out(work, steps))
    }

    fn give_up<'a>(&'a self, work: &'a Work) -> Promise<'a, Result<Left, ServiceError>> {
        Box::pin(self.leave(work))
    }
}

fn understand(registry: &ScenarioRegistry, message: &Message) -> Result<Understood, ServiceError> {
    let understood = asked::read(message, named(registry), |name| known(registry, name));
    understood.map_err(|misunderstanding| match misunderstanding {
        Misunderstanding::Field(fault) => fault.into(),
        Misunderstanding::MediaType(fault) => ServiceError::UnsupportedMedia(fault),
    })
}

/// What became of each part that says what the work is about; those that cannot be processed are added to what was passed over.
///
/// # Errors
/// [`ServiceError::InvalidMessage`] where one of them must be understood (P-016).
fn context(
    registry: &ScenarioRegistry,
    asking: &Asking,
    message: &Message,
    context: &[usize],
    skipped: &mut Vec<Skipped>,
) -> Result<Vec<PartOutcome>, ServiceError> {
    let parts: Vec<(usize, Part)> = context
        .iter()
        .filter_map(|place| Some((*place, message.parts.get(*place)?.clone())))
        .collect();
    let (told, _) = check_all(registry, asking.caller.client.as_ref(), "message.parts", &parts)?;
    let failed = told.iter().filter_map(|told| {
        Some(Skipped {
            part: usize::try_from(told.part).ok()?,
            why: told.why.clone()?,
        })
    });
    skipped.extend(failed);
    skipped.sort_by_key(|skipped| skipped.part);
    Ok(told)
}

fn envelope(body: &str) -> Result<Envelope<'_>, ServiceError> {
    Envelope::parse(body)
        .map_err(|fault| FieldFault::new("message.parts", format!("hold no submission: {fault}")).into())
}

/// The schema that a submission names.
fn schema_of(service: &App, body: &str) -> Result<(Arc<ScenarioHandle>, SchemaId), ServiceError> {
    service.by_schema(&envelope(body)?.schema_id)
}

/// Whether the message that a task was begun with is about another scenario than this.
fn is_about_another(service: &App, first: &Message, handle: &ScenarioHandle) -> bool {
    let Ok(Understood {
        asked: Asked::Submission(body),
        ..
    }) = understand(&service.inner.registry, first)
    else {
        return false;
    };
    schema_of(service, &body).is_ok_and(|(begun, _)| begun.key != handle.key)
}

/// The idempotency key of a task's submission where its client gave none: a restart in between calls the executor for the same
/// submission again, and not for a second one.
fn own_key(work: &Work) -> String {
    format!("a2a:{}:{}", work.task.as_str(), work.turn)
}

/// The scope and the idempotency key under which a message's submission is on record.
fn scope_and_key<'a>(work: &'a Work, body: &str) -> Result<(&'a str, String), ServiceError> {
    let client = work.asking.caller.client.as_ref();
    let key = batch::key(body)?.unwrap_or_else(|| own_key(work));
    Ok((client.map(ClientId::as_str).unwrap_or_default(), key))
}

fn is_on_record(service: &App, handle: &ScenarioHandle, work: &Work, body: &str) -> bool {
    let Ok((scope, key)) = scope_and_key(work, body) else {
        return false;
    };
    let used = used_keys::last_use(&service.inner.registry.deps, &handle.journal, scope, &key);
    used.is_ok_and(|used| used.is_some())
}

/// Submits, and waits for what passes: for the same submission that is on its way, so that a retry is answered what the first
/// was answered, and for a journal that takes no more at once. At the start, who executes again what was cut short may hold the
/// key for a while.
async fn submit(service: &App, work: &Work, body: &str, key: Option<&str>) -> Result<SubmitReply, ServiceError> {
    let mut waited = Duration::ZERO;
    loop {
        let ended = service.submit(&work.asking.caller, body, key).await;
        let max = match &ended {
            Err(ServiceError::IdempotencyInFlight) => IN_FLIGHT_MAX,
            Err(ServiceError::Busy { .. }) => BUSY_MAX,
            Ok(_) | Err(_) => return ended,
        };
        if waited >= max {
            return ended;
        }
        tokio::time::sleep(PAUSE).await;
        waited += PAUSE;
    }
}

/// An answer in the form that its client asked for, with the names of the parts that were passed over (P-016).
fn words(asking: &Asking, parts: Vec<Part>, skipped: &[Skipped]) -> Words {
    let noted = match asking.contract {
        true => (CONTRACT, json!({"skipped": skipped})),
        false => ("skipped", json!(skipped)),
    };
    let noted = Some(noted).filter(|_| !skipped.is_empty());
    Words {
        parts,
        metadata: noted.into_iter().map(|(name, said)| (name.to_owned(), said)).collect(),
        extensions: extensions(asking),
    }
}

fn extensions(asking: &Asking) -> Vec<String> {
    asking.contract.then(|| CONTRACT.to_owned()).into_iter().collect()
}
