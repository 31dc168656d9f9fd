//! Texts that wait for a worker, bounded.

use std::collections::VecDeque;
use std::sync::Condvar;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use tokio::sync::oneshot;

use crate::domain::pool::vector::Vector;
use crate::service::ports::EmbedFault;

/// One text, and where its vector goes.
#[derive(Debug)]
pub struct Waiting {
    pub text: String,
    pub reply: oneshot::Sender<Result<Vector, EmbedFault>>,
}

/// The queue that all workers drain.
#[derive(Debug)]
pub struct Queue {
    state: Mutex<State>,
    arrived: Condvar,
    texts_max: usize,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Waiting>,
    closed: bool,
}

impl Queue {
    /// An empty queue.
    pub fn new(texts_max: usize) -> Queue {
        Queue {
            state: Mutex::default(),
            arrived: Condvar::new(),
            texts_max,
        }
    }

    /// Adds all of them or none. A call of more texts than the queue may hold passes when nothing waits.
    ///
    /// # Errors
    /// [`EmbedFault::Busy`] when there is no room, [`EmbedFault::Closed`] after [`Queue::close`].
    pub fn add(&self, texts: Vec<Waiting>) -> Result<(), EmbedFault> {
        let mut state = self.state();
        if state.closed {
            return Err(EmbedFault::Closed);
        }
        if !state.waiting.is_empty() && state.waiting.len() + texts.len() > self.texts_max {
            return Err(EmbedFault::Busy);
        }
        state.waiting.extend(texts);
        drop(state);
        self.arrived.notify_all();
        Ok(())
    }

    /// Waits for texts and takes at most `max`, first come first; `None` once the queue is closed and empty.
    pub fn take(&self, max: usize) -> Option<Vec<Waiting>> {
        let mut state = self.state();
        while state.waiting.is_empty() {
            if state.closed {
                return None;
            }
            state = self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let count = state.waiting.len().min(max);
        Some(state.waiting.drain(..count).collect())
    }

    /// Takes nothing more; what waits is still worked off.
    pub fn close(&self) {
        self.state().closed = true;
        self.arrived.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::Queue;
    use super::Waiting;
    use crate::service::ports::EmbedFault;

    fn waiting(texts: &[&str]) -> Vec<Waiting> {
        let one = |text: &&str| Waiting {
            text: (*text).to_owned(),
            reply: oneshot::channel().0,
        };
        texts.iter().map(one).collect()
    }

    #[test]
    fn a_full_queue_is_busy_and_a_closed_one_is_worked_off() {
        let queue = Queue::new(3);
        assert_eq!(queue.add(waiting(&["a", "b"])), Ok(()));
        assert_eq!(queue.add(waiting(&["c", "d"])), Err(EmbedFault::Busy));
        assert_eq!(queue.add(waiting(&["c"])), Ok(()));
        let texts = |max| {
            queue
                .take(max)
                .map(|taken| taken.into_iter().map(|w| w.text).collect::<String>())
        };
        assert_eq!(texts(2), Some("ab".to_owned()));
        queue.close();
        assert_eq!(queue.add(waiting(&["e"])), Err(EmbedFault::Closed));
        assert_eq!(texts(2), Some("c".to_owned()));
        assert_eq!(texts(2), None);
    }

    #[test]
    fn a_call_larger_than_the_queue_passes_when_nothing_waits() {
        let queue = Queue::new(1);
        assert_eq!(queue.add(waiting(&["a", "b", "c"])), Ok(()));
        assert_eq!(queue.add(waiting(&["d"])), Err(EmbedFault::Busy));
    }
}
