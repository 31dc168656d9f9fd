//! The seat of the reader: the language model that is asked, and whoever reads from outside (Z-096, Z-137).
//!
//! Decides nothing: what of an answer holds is the domain's. Invariants: an answer travels in its command, so that no replay of a
//! journal asks anybody; a reader that gives none is on record with why.

use std::sync::Arc;

use serde_json::Map;
use serde_json::Value;
use tokio::sync::mpsc::Sender;

use crate::api::pool::PoolReview;
use crate::api::pool::ReaderAnswer;
use crate::api::pool::Taken;
use crate::app::background;
use crate::app::background::Done;
use crate::app::caller::Caller;
use crate::app::dependencies::Dependencies;
use crate::app::effects;
use crate::app::error::ServiceError;
use crate::app::handle::ScenarioHandle;
use crate::app::ports::Model;
use engine::evolution::review;
use engine::evolution::review::Seat;
use engine::evolution::review::answer;
use engine::evolution::review::answer::Answer;
use engine::evolution::review::answer::BY_CHARS_MAX;
use engine::evolution::review::material;
use engine::evolution::review::material::Material;
use engine::scenario::command::Command;
use engine::scenario::effect::Effect;
use engine::scenario::inducement::Source;
use engine::scenario::review as gathering;
use schema::question::Use;
use store::journal::Promise;

/// Whoever reads what clients said, and is asked.
pub trait Reader: Send + Sync {
    /// Its name, as it is kept beside what it said.
    fn name(&self) -> &str;

    /// What it says, or why it says nothing, in a word or a sentence that tells nothing of what was said.
    fn read<'a>(&'a self, material: &'a Material) -> Promise<'a, Result<Answer, String>>;
}

/// The configured language model in the seat.
pub struct ModelReader<'m>(pub &'m dyn Model);

impl Reader for ModelReader<'_> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn read<'a>(&'a self, material: &'a Material) -> Promise<'a, Result<Answer, String>> {
        Box::pin(async move {
            if !self.0.takes(Use::Reader) {
                return Err("the settings do not name `reader` among the uses of the model".to_owned());
            }
            let told = self.0.ask(review::question(material)).await;
            let told = told.map_err(|fault| fault.to_string())?;
            let answer = serde_json::from_value::<Answer>(told).ok();
            // Only a person makes a key of a cluster as it is.
            let answer = answer.filter(|answer| answer.wishes.iter().all(|wish| wish.cluster.is_none()));
            answer.ok_or_else(|| "the answer does not follow the schema".to_owned())
        })
    }
}

/// What a reader makes of a material.
pub async fn reviewed(reader: Option<&dyn Reader>, material: &Material) -> Command {
    let Some(reader) = reader else {
        return Command::ReviewFailed {
            why: "no model is configured".to_owned(),
        };
    };
    match reader.read(material).await {
        Ok(answer) => Command::Review {
            answer: Box::new(answer),
            by: reader.name().to_owned(),
            digest: Some(material.digest()),
            tokens: None,
        },
        Err(why) => Command::ReviewFailed { why },
    }
}

/// Asks the model, beside everything else.
pub fn review(handle: &Arc<ScenarioHandle>, deps: &Arc<Dependencies>, done: Sender<Done>) {
    let (handle, deps) = (Arc::clone(handle), Arc::clone(deps));
    let learning = deps.learning.clone();
    background::begin(&learning, vec![Effect::Review], done, async move {
        let Some(material) = gathered(&handle, &deps).await else {
            return Some(Vec::new());
        };
        let seat = deps.model.as_deref().map(ModelReader);
        let reader = seat.as_ref().map(|seat| seat as &dyn Reader);
        Some(vec![reviewed(reader, &material).await])
    });
}

/// What there is to read; `None` without a template in force, or when the process is ending.
async fn gathered(handle: &Arc<ScenarioHandle>, deps: &Arc<Dependencies>) -> Option<Material> {
    let (handle, deps) = (Arc::clone(handle), Arc::clone(deps));
    let gathered = background::apart(move || {
        let wanted = material::wanted(&handle.state().pool);
        let ids = wanted.iter().map(|(fragment, _)| fragment);
        let sources = effects::read_sources(deps.journal.as_ref(), &handle.journal, ids);
        let text = |id| {
            sources
                .get(&id)
                .map(|source: &Source| (source.text.clone(), source.client.clone()))
        };
        let clients_min = handle.view.load().policy.evolution.example_clients_min;
        let said = gathering::said(&wanted, &text, clients_min);
        gathering::material(&handle.state(), said)
    });
    gathered.await?
}

/// The material for whoever reads from outside.
///
/// # Errors
/// [`ServiceError::NoReader`] where the scenario has no seat for a reader from outside, or when the process is ending.
pub async fn material(deps: &Arc<Dependencies>, handle: &Arc<ScenarioHandle>) -> Result<PoolReview, ServiceError> {
    seated(handle)?;
    let material = gathered(handle, deps).await.ok_or(ServiceError::ShuttingDown)?;
    let question = review::question(&material);
    Ok(PoolReview {
        digest: material.digest(),
        instructions: question.system.to_owned(),
        material,
        answer_schema: answer::schema(),
    })
}

/// Takes an answer from outside: what of it holds. Who makes keys of clusters as they are has read nothing and needs no seat.
pub async fn propose(
    deps: &Arc<Dependencies>,
    handle: &Arc<ScenarioHandle>,
    caller: &Caller,
    told: Map<String, Value>,
) -> Result<Taken, ServiceError> {
    let told = serde_json::from_value::<ReaderAnswer>(Value::Object(told)).map_err(|error| {
        let wrong = ServiceError::BadRequest(format!("the answer does not follow its schema: {error}"));
        seated(handle).err().unwrap_or(wrong)
    })?;
    let answer = Answer {
        wishes: told.wishes,
        held: told.held,
        nothing: told.nothing,
    };
    let unread = answer.is_by_hand();
    if !unread {
        seated(handle)?;
    }
    let by = told.by.unwrap_or_else(|| caller.by().as_str().to_owned());
    if by.chars().count() > BY_CHARS_MAX || by.chars().any(char::is_control) {
        return Err(ServiceError::BadRequest(format!(
            "by has at most {BY_CHARS_MAX} characters, none of them a control character"
        )));
    }
    drop(deps.write_gate.pass()?);
    handle
        .command(Command::Review {
            answer: Box::new(answer),
            by,
            digest: told.digest,
            tokens: told.tokens,
        })
        .await?;
    Ok(told_of(handle, unread))
}

/// What the last answer came to, of a reader or by hand.
fn told_of(handle: &ScenarioHandle, unread: bool) -> Taken {
    let state = handle.state();
    let headings = state
        .pool
        .clusters
        .values()
        .filter_map(|cluster| cluster.heading.as_ref());
    let wishes = headings.filter(|heading| heading.wish().is_some()).count();
    let refused = match unread {
        true => &state.refused_by_hand[..],
        false => state.review.as_ref().map_or(&[][..], |asked| &asked.refused),
    };
    Taken {
        wishes: wishes as u64,
        refused: refused.to_vec(),
    }
}

fn seated(handle: &ScenarioHandle) -> Result<(), ServiceError> {
    match handle.view.load().policy.evolution.reader {
        Seat::Outside | Seat::Model => Ok(()),
        Seat::None => Err(ServiceError::NoReader),
    }
}
