//! Summaries of conversations: made when they are due, by a language model where one is asked and what it writes is kept, else by the
//! rules (P-032 … P-034).

use std::sync::Arc;

use crate::app::conversations::Conversations;
use crate::app::error::ServiceError;
use crate::app::models;
use context::conversation::event::ConversationEvent;
use context::conversation::index::Conversation;
use context::conversation::summary;
use context::conversation::summary::Item;
use context::conversation::summary::Method;
use context::conversation::summary::Sentence;
use context::conversation::summary::SummaryLimits;
use context::conversation::summary::sentences;
use text::vector::Vector;

impl Conversations {
    /// Summarises what is due (P-032); nothing where nothing is. Where a language model is asked, whoever waits for the same
    /// summary waits for it too; turns go on being recorded.
    ///
    /// # Errors
    /// What the model or the journal says.
    pub async fn summarise(self: &Arc<Self>, id: &str) -> Result<(), ServiceError> {
        // No id holds a blank, so that this is the lock of no conversation.
        let _alone = self.events.lock(&format!("summary of {id}")).await;
        let after = self.options.limits.summarise_after_turns.max(1);
        let due = {
            let index = self.events.state();
            let found = index.conversations.get(id);
            found.filter(|found| found.wants_summary(&self.options.limits)).cloned()
        };
        let Some(conversation) = due else { return Ok(()) };
        let covered = conversation.covered();
        let through = covered + conversation.unsummarised() / after * after;
        let mut replaced = self.summary_items(&conversation)?;
        // What is sensitive is in no summary, since everyone gets the same (P-035); what is kept stands beside it.
        let plain = |place: &usize| {
            let turn = &conversation.turns[*place];
            !turn.sensitive && !turn.keep
        };
        let turns: Vec<usize> = (covered..through).filter(plain).collect();
        replaced.extend(self.said_at(&conversation, &turns)?);
        let limits = self.options.summary.instead_of(replaced.iter().map(Item::said));
        let all: Vec<Sentence> = replaced
            .iter()
            .flat_map(|item| sentences(item.turn, item.role, &item.content))
            .collect();
        let (items, method, model) = self.written_or_taken(&all, limits).await?;
        let content = serde_json::to_vec(&items)?;
        let event = ConversationEvent::Summarised {
            context: id.to_owned(),
            turns: through,
            items: items.len(),
            model,
            method,
            more: 0,
        };
        let held = self.events.lock(id).await;
        let is_still_due = {
            let index = self.events.state();
            let found = index.conversations.get(id);
            found.is_some_and(|found| found.covered() == covered)
        };
        if is_still_due {
            self.put(held, vec![(event, content, None)]).await?;
            self.deps().observer.summary(method);
        }
        Ok(())
    }

    /// Turns at these places as they were said; what was erased is not there any more.
    pub(super) fn said_at(&self, conversation: &Conversation, places: &[usize]) -> Result<Vec<Item>, ServiceError> {
        let mut said = Vec::new();
        for place in places {
            let Some(turn) = conversation.turns.get(*place) else {
                continue;
            };
            let content = self.events.content(turn.records.from)?;
            said.extend(content.map(|content| Item {
                turn: place + 1,
                role: turn.speaker,
                content,
            }));
        }
        Ok(said)
    }

    /// A summary of these sentences, who made it, and by which model.
    async fn written_or_taken(
        &self,
        said: &[Sentence],
        limits: SummaryLimits,
    ) -> Result<(Vec<Item>, Method, String), ServiceError> {
        if let Some(model) = self.deps().model.as_deref()
            && let Some(items) = models::summary(model, said, limits).await
        {
            return Ok((items, Method::Model, model.name().to_owned()));
        }
        let embedder = &self.deps().embedder;
        let texts: Vec<String> = said.iter().map(|sentence| sentence.text.clone()).collect();
        let vectors = match texts.is_empty() {
            true => Vec::new(),
            false => embedder.embed(texts).await?,
        };
        let vectors: Vec<Option<Vector>> = vectors.into_iter().map(Some).collect();
        let items = summary::summarise(said, &vectors, limits);
        Ok((items, Method::Extractive, embedder.model().to_owned()))
    }
}
