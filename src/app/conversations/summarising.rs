//! Summaries of conversations: made when they are due (P-032 … P-034).

use std::sync::Arc;

use crate::app::conversations::Conversations;
use crate::app::error::ServiceError;
use context::conversation::event::ConversationEvent;
use context::conversation::index::Conversation;
use context::conversation::summary;
use context::conversation::summary::Item;
use context::conversation::summary::Method;
use context::conversation::summary::Sentence;
use context::conversation::summary::sentences;
use text::vector::Vector;

impl Conversations {
    /// Summarises what is due (P-032); nothing where nothing is. Whoever waits for the same summary waits for it too; turns go on
    /// being recorded.
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
        let embedder = &self.deps().embedder;
        let texts: Vec<String> = all.iter().map(|sentence| sentence.text.clone()).collect();
        let vectors = match texts.is_empty() {
            true => Vec::new(),
            false => embedder.embed(texts).await?,
        };
        let vectors: Vec<Option<Vector>> = vectors.into_iter().map(Some).collect();
        let items = summary::summarise(&all, &vectors, limits);
        let content = serde_json::to_vec(&items).map_err(|error| ServiceError::Fault(error.to_string()))?;
        let event = ConversationEvent::Summarised {
            context: id.to_owned(),
            turns: through,
            items: items.len(),
            model: embedder.model().to_owned(),
            method: Method::Extractive,
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
}
