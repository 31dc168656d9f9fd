//! How conversations end: removed by who has them, over by their age, and their words erased.
//!
//! Invariants: what is over is told to the journal before it is erased; what was erased is read by nobody.

use std::sync::Arc;

use crate::app::background::to_its_end;
use crate::app::conversations::Conversations;
use crate::app::conversations::refused;
use crate::app::end_as;
use crate::app::error::ServiceError;
use crate::app::telemetry::conversations::Talk;
use context::conversation::event::ConversationEvent;
use schema::name::ClientId;

/// Stretches of contents erased in one pass, and conversations let go in one.
const AT_ONCE: usize = 256;

impl Conversations {
    /// Removes a conversation, one's own or as an operator; what was said in it is erased.
    ///
    /// # Errors
    /// [`ServiceError::UnknownConversation`], or what the journal says.
    pub async fn remove(
        self: &Arc<Self>,
        caller: Option<&ClientId>,
        id: &str,
        operator: Option<ClientId>,
    ) -> Result<(), ServiceError> {
        let (conversations, caller, context) = (Arc::clone(self), caller.cloned(), id.to_owned());
        to_its_end(async move {
            {
                let _held = conversations.lock(&context).lock().await;
                let (now, limits) = (conversations.now(), &conversations.options.limits);
                let named = operator.clone();
                let event = conversations
                    .events
                    .state()
                    .end(caller.as_ref(), &context, named, now, limits);
                let event = event.map_err(|refusal| refused(refusal, &context))?;
                conversations.put(event, Vec::new()).await?;
                end_as::log("conversation", &context, "remove", operator.as_ref());
            }
            conversations.erase_gone().await
        })
        .await
    }

    /// Lets go what is over by its age, and erases what nobody can ask for any more or what is older than so many days (0 keeps
    /// it).
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub async fn forget(&self, kept_days: i64) -> Result<(), ServiceError> {
        let now = self.now();
        let limits = &self.options.limits;
        let (over, own) = {
            let book = self.events.state();
            let over: Vec<String> = book.lapsed(now, limits).take(AT_ONCE).collect();
            (over, book.lapsed_own(now, limits))
        };
        for context in over {
            let _held = self.lock(&context).lock().await;
            let still = self.events.state().lapsed(now, limits).any(|lapsed| lapsed == context);
            if still {
                let over = ConversationEvent::Removed {
                    context,
                    operator: None,
                };
                self.let_go(over).await?;
            }
        }
        for (agent, context) in own.into_iter().take(AT_ONCE) {
            let _held = self.lock(agent.as_str()).lock().await;
            let still = self.events.state().kept(&agent, &context, now, limits).is_err();
            if still {
                self.let_go(ConversationEvent::Dropped { agent, context }).await?;
            }
        }
        self.erase_gone().await?;
        let mut erased = self.erasing.lock().await;
        *erased = self.events.erase_older(*erased + 1, kept_days).await?;
        Ok(())
    }

    /// Erases what nobody can ask for any more, as far as one pass goes.
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub(super) async fn erase_gone(&self) -> Result<(), ServiceError> {
        let _alone = self.erasing.lock().await;
        let gone: Vec<_> = {
            let book = self.events.state();
            let last = book.gone.get(AT_ONCE.min(book.gone.len()).saturating_sub(1));
            let through = last.map_or(0, |gone| gone.by);
            book.gone.iter().filter(|gone| gone.by <= through).copied().collect()
        };
        let Some(last) = gone.last().copied() else {
            return Ok(());
        };
        let now = self.now().plus_ms(1);
        for one in &gone {
            self.events.erase(one.records.from, one.records.through, now).await?;
        }
        self.put(ConversationEvent::Erased { through: last.by }, Vec::new())
            .await
    }

    /// Puts on disk that something is over by its age.
    async fn let_go(&self, event: ConversationEvent) -> Result<(), ServiceError> {
        let written = self.events.append(vec![(event, Vec::new())]).await?;
        self.apply(&written, Talk::lapsed);
        Ok(())
    }
}
