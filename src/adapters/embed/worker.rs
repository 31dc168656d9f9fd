//! The sessions that embed, and the queue between them and those who ask.
//!
//! Knows no cache. Invariant: the queue holds at most `queue_texts_max` texts, and every text that was taken in is
//! answered, with its vector or with a fault.

use std::panic;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

use futures_util::future::try_join_all;
use tokio::sync::Semaphore;
use tokio::sync::SemaphorePermit;
use tokio::task::spawn_blocking;

use crate::adapters::embed::memory;
use crate::app::ports::EmbedFault;
use text::vector::Vector;

/// Texts that a session is given at a time.
const BATCH_TEXTS_MAX: usize = 32;

/// How long a model that could not be loaded is left alone: each attempt reads all of its files.
const RELOAD_AFTER: Duration = Duration::from_secs(60);

/// How long after the last batch memory is given back: what is loaded when it is asked is let go of, which costs the next text the
/// loading, some tenths of a second.
const REST_AFTER: Duration = Duration::from_secs(5);

/// Is told the seconds and the number of texts of every batch.
pub type OnEmbed = Arc<dyn Fn(f64, usize) + Send + Sync>;

/// A vector for each text, or why there are none.
pub type Answer = Result<Vec<Vector>, EmbedFault>;

/// What turns texts into vectors on the thread that calls it. No texts mean that it rests: it lets go of what it can load again.
pub type Embed = Box<dyn FnMut(&[&str]) -> Answer + Send>;

/// Sessions that share one bounded queue.
pub struct Workers {
    count: usize,
    /// A permit for each text that may wait.
    room: Semaphore,
    /// A permit for each session.
    turns: Arc<Semaphore>,
    /// Those at rest.
    idle: Arc<Mutex<Vec<Embed>>>,
    on_embed: Option<OnEmbed>,
    /// Batches so far.
    batches: Arc<AtomicU64>,
}

impl Workers {
    /// Loads the model so many times.
    pub fn start(
        count: usize,
        queue_texts_max: usize,
        on_embed: Option<OnEmbed>,
        load: impl Fn() -> Result<Embed, EmbedFault>,
    ) -> Result<Workers, EmbedFault> {
        let sessions = (0..count).map(|_| guarded("it could not be loaded", &load));
        Ok(Workers {
            count,
            room: Semaphore::new(queue_texts_max),
            turns: Arc::new(Semaphore::new(count)),
            idle: Arc::new(Mutex::new(sessions.collect::<Result<_, _>>()?)),
            on_embed,
            batches: Arc::default(),
        })
    }

    /// Queues all of the texts or none, spread over the sessions, and waits for the vectors.
    ///
    /// # Errors
    /// [`EmbedFault::Busy`] when they do not fit the queue, and what the model fails with.
    pub async fn embed(&self, texts: &[String]) -> Answer {
        let count = u32::try_from(texts.len()).map_err(|_| EmbedFault::Busy)?;
        let mut room = self.room.try_acquire_many(count).map_err(|_| EmbedFault::Busy)?;
        let share = texts.len().div_ceil(self.count).clamp(1, BATCH_TEXTS_MAX);
        let batches = texts
            .chunks(share)
            .map(|texts| self.batch(texts.to_vec(), room.split(texts.len())));
        Ok(try_join_all(batches).await?.concat())
    }

    /// One pass of one session, which goes on where nobody waits for it any more.
    async fn batch(&self, texts: Vec<String>, room: Option<SemaphorePermit<'_>>) -> Answer {
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let turn = turn.map_err(|_| EmbedFault::Closed)?;
        drop(room);
        let (idle, on_embed) = (Arc::clone(&self.idle), self.on_embed.clone());
        let pass = spawn_blocking(move || {
            let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
            // There is one for each turn.
            let mut embed = lock().pop().ok_or(EmbedFault::Closed)?;
            let begun = Instant::now();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let answer = guarded("it gave up", || embed(&texts));
            if let Some(on_embed) = on_embed {
                on_embed(begun.elapsed().as_secs_f64(), texts.len());
            }
            lock().push(embed);
            drop(turn);
            answer
        });
        let answer = pass.await.unwrap_or(Err(EmbedFault::Closed));
        self.rest_later();
        answer
    }

    /// Lets the sessions rest unless another batch comes meanwhile.
    fn rest_later(&self) {
        let (idle, batches) = (Arc::clone(&self.idle), Arc::clone(&self.batches));
        let last = batches.fetch_add(1, Ordering::Relaxed) + 1;
        tokio::spawn(async move {
            tokio::time::sleep(REST_AFTER).await;
            if batches.load(Ordering::Relaxed) != last {
                return;
            }
            let rest = move || {
                for embed in idle.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
                    let _ = embed(&[]);
                }
                memory::give_back();
            };
            let _ = spawn_blocking(rest).await;
        });
    }
}

/// What loads when it is first asked. Where that fails, what is asked meanwhile is answered with the fault; after
/// [`RELOAD_AFTER`] it is tried again.
pub fn when_asked(load: impl Fn() -> Result<Embed, EmbedFault> + Send + 'static) -> Embed {
    let mut loaded: Option<Embed> = None;
    let mut failed: Option<(Instant, EmbedFault)> = None;
    Box::new(move |texts: &[&str]| {
        if texts.is_empty() {
            loaded = None;
            return Ok(Vec::new());
        }
        if let Some(embed) = &mut loaded {
            return embed(texts);
        }
        if let Some((_, fault)) = failed.as_ref().filter(|(since, _)| since.elapsed() < RELOAD_AFTER) {
            return Err(fault.clone());
        }
        match guarded("it could not be loaded", &load) {
            Ok(embed) => loaded.insert(embed)(texts),
            Err(fault) => {
                failed = Some((Instant::now(), fault.clone()));
                Err(fault)
            }
        }
    })
}

/// A panic of a model is a fault of it.
fn guarded<T>(what: &str, act: impl FnOnce() -> Result<T, EmbedFault>) -> Result<T, EmbedFault> {
    panic::catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|_| Err(EmbedFault::Model(what.to_owned())))
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use tokio::task::JoinHandle;

    use super::*;

    /// The vector of a text is its length, so that answers can be told apart; `panic` panics.
    fn stub(texts: &[&str]) -> Answer {
        assert!(!texts.contains(&"panic"), "asked to");
        Ok(texts.iter().map(|text| of(text)).collect())
    }

    fn of(text: &str) -> Vector {
        Vector::quantise(&[text.len() as f32, 1.0]).unwrap()
    }

    /// Asks at once, and waits where nothing else is to be done.
    fn asked(workers: &Arc<Workers>, texts: &[&str]) -> JoinHandle<Answer> {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        let workers = Arc::clone(workers);
        tokio::spawn(async move { workers.embed(&texts).await })
    }

    async fn answer(workers: &Arc<Workers>, texts: &[&str]) -> Answer {
        asked(workers, texts).await.unwrap()
    }

    fn started(count: usize, on_embed: Option<OnEmbed>, load: impl Fn() -> Result<Embed, EmbedFault>) -> Arc<Workers> {
        Arc::new(Workers::start(count, 3 * count, on_embed, load).unwrap())
    }

    #[tokio::test]
    async fn a_full_queue_answers_busy_and_takes_all_or_none_z084() {
        // The one session waits at the barrier before and after every batch.
        let barrier = Arc::new(Barrier::new(2));
        let gate = || {
            let gate = Arc::clone(&barrier);
            spawn_blocking(move || gate.wait())
        };
        let workers = started(1, None, || {
            let gate = Arc::clone(&barrier);
            Ok(Box::new(move |texts: &[&str]| {
                gate.wait();
                gate.wait();
                stub(texts)
            }))
        });
        let begun = asked(&workers, &["a"]);
        gate().await.unwrap();
        let waiting = asked(&workers, &["bb", "ccc"]);
        tokio::task::yield_now().await;
        assert_eq!(answer(&workers, &["d", "e"]).await, Err(EmbedFault::Busy));
        let last = asked(&workers, &["dddd"]);
        tokio::task::yield_now().await;
        assert_eq!(answer(&workers, &["e"]).await, Err(EmbedFault::Busy));
        gate().await.unwrap();
        gate().await.unwrap();
        assert_eq!(begun.await.unwrap(), Ok(vec![of("a")]));
        gate().await.unwrap();
        assert_eq!(waiting.await.unwrap(), Ok(vec![of("bb"), of("ccc")]));
        gate().await.unwrap();
        last.abort();
        gate().await.unwrap();
        assert_eq!(answer(&workers, &["a", "b", "c", "d"]).await, Err(EmbedFault::Busy));
    }

    #[tokio::test]
    async fn texts_are_spread_over_the_sessions_and_a_panic_costs_no_other_request_its_vectors_z084() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&told);
        let on_embed: OnEmbed = Arc::new(move |_, count| heard.lock().unwrap().push(count));
        let workers = started(3, Some(on_embed), || Ok(Box::new(stub)));
        let texts = [
            "x",
            "xx",
            "xxx",
            "xxxx",
            "xxxxx",
            "xxxxxx",
            "xxxxxxx",
            "xxxxxxxx",
            "xxxxxxxxx",
        ];
        assert_eq!(answer(&workers, &texts).await, stub(&texts));
        let gave_up = EmbedFault::Model("it gave up".to_owned());
        for _ in 0..4 {
            assert_eq!(answer(&workers, &["panic"]).await, Err(gave_up.clone()));
        }
        assert_eq!(answer(&workers, &["a"]).await, Ok(vec![of("a")]));
        assert_eq!(*told.lock().unwrap(), [3, 3, 3, 1, 1, 1, 1, 1]);
    }

    #[tokio::test]
    async fn a_model_is_loaded_when_first_asked_and_a_failed_attempt_is_not_repeated_at_once_z084() {
        for fails in [false, true] {
            let attempts = Arc::new(Mutex::new(0));
            let workers = started(1, None, || {
                let attempts = Arc::clone(&attempts);
                Ok(when_asked(move || {
                    *attempts.lock().unwrap() += 1;
                    assert!(!fails, "asked to");
                    Ok(Box::new(stub))
                }))
            });
            assert_eq!(*attempts.lock().unwrap(), 0, "nobody has asked");
            for _ in 0..2 {
                assert_eq!(answer(&workers, &["a", "bb"]).await.is_err(), fails);
            }
            assert_eq!(*attempts.lock().unwrap(), 1);
        }
    }

    #[test]
    fn what_is_loaded_when_asked_is_let_go_of_at_rest_and_loaded_again_z084() {
        let loads = Arc::new(Mutex::new(0));
        let counted = Arc::clone(&loads);
        let mut embed = when_asked(move || {
            *counted.lock().unwrap() += 1;
            Ok(Box::new(stub))
        });
        for (texts, loaded) in [(&[][..], 0), (&["a"], 1), (&["a"], 1), (&[], 1), (&["bb"], 2)] {
            assert_eq!(embed(texts), stub(texts));
            assert_eq!(*loads.lock().unwrap(), loaded, "{texts:?}");
        }
    }

    #[test]
    fn a_model_that_cannot_be_loaded_stops_the_start_z084() {
        let fault = EmbedFault::Model("no".to_owned());
        assert_eq!(
            Workers::start(2, 8, None, || Err(fault.clone())).err(),
            Some(fault.clone())
        );
        let started = Workers::start(1, 8, None, || panic!("asked to"));
        assert!(matches!(started.err(), Some(EmbedFault::Model(_))));
    }
}
