//! What happens in all scenarios, told to who looks on while it happens.
//!
//! A bounded channel that no scenario waits for: whoever falls behind loses the oldest news, and learns that it did. Holds names and
//! numbers alone. Knows no scenario and nobody who listens.

use std::sync::Arc;

use tokio::sync::broadcast;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::Sender;

use engine::scenario::activity::Activity;
use engine::scenario::activity::Counts;
use schema::name::ScenarioKey;
use schema::time::At;

/// News that wait for the slowest: some minutes of a busy service, since people and trials make them and no submission does.
const NEWS_MAX: usize = 1_024;

/// Something that happened in a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happened {
    pub scenario: ScenarioKey,
    /// The entry's place in the scenario's journal, and its moment.
    pub seq: u64,
    pub at: At,
    pub what: Activity,
}

/// How the scenarios stand of which figures moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    pub at: At,
    pub scenarios: Vec<(ScenarioKey, Counts)>,
}

/// What is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    Happened(Happened),
    Counted(Counted),
}

/// Where it is told.
#[derive(Clone, Debug)]
pub struct Feed(Sender<Arc<News>>);

impl Default for Feed {
    fn default() -> Feed {
        Feed(broadcast::channel(NEWS_MAX).0)
    }
}

impl Feed {
    /// Whether anybody listens.
    pub fn is_heard(&self) -> bool {
        self.0.receiver_count() > 0
    }

    /// Tells whoever listens.
    pub fn tell(&self, news: News) {
        // An error means that nobody does.
        let _ = self.0.send(Arc::new(news));
    }

    /// Listens from now on.
    pub fn listen(&self) -> Receiver<Arc<News>> {
        self.0.subscribe()
    }
}
