//! The threads that embed, and the queue between them and those who ask.
//!
//! Knows no cache. Invariant: the queue holds at most `queue_texts_max` texts, and every text that was taken in is
//! answered: with its vector, with a fault, or with [`EmbedFault::Closed`].

use std::panic;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::mpsc;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;
use std::time::Instant;

use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::Semaphore;
use tokio::sync::TryAcquireError;
use tokio::sync::oneshot;

use crate::app::ports::EmbedFault;
use text::vector::Vector;

/// Texts that a thread takes from the queue at a time.
const BATCH_TEXTS_MAX: usize = 32;

/// How long a model that could not be loaded is left alone: each attempt reads all of its files.
const RELOAD_AFTER: Duration = Duration::from_secs(60);

/// Is told the seconds and the number of texts of every batch.
pub type OnEmbed = Arc<dyn Fn(f64, usize) + Send + Sync>;

/// A vector for each text, or why there are none.
pub type Answer = Result<Vec<Vector>, EmbedFault>;

/// What turns texts into vectors on its thread.
pub type Embed = Box<dyn FnMut(&[&str]) -> Answer>;

struct Job {
    texts: Vec<String>,
    reply: oneshot::Sender<Answer>,
    /// Its place in the queue.
    room: OwnedSemaphorePermit,
}

/// Threads that drain one bounded queue, each with its own session.
pub struct Workers {
    /// `None` only while it is being dropped.
    queue: Option<mpsc::Sender<Job>>,
    /// A permit for each text that may wait; closed once nothing is taken in any more.
    room: Arc<Semaphore>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts so many threads, each of which loads the model; returns when all of them have.
    pub fn start(
        count: usize,
        queue_texts_max: usize,
        on_embed: Option<OnEmbed>,
        load: impl Fn() -> Result<Embed, EmbedFault> + Send + Sync + 'static,
    ) -> Result<Workers, EmbedFault> {
        let (queue, jobs) = mpsc::channel::<Job>();
        let room = Arc::new(Semaphore::new(queue_texts_max));
        let shared = Arc::new((Mutex::new(jobs), load, on_embed));
        let (loaded, outcomes) = mpsc::channel();
        let mut workers = Workers {
            queue: Some(queue),
            room: Arc::clone(&room),
            threads: Vec::new(),
        };
        for number in 0..count.max(1) {
            let (room, shared, loaded) = (Arc::clone(&room), Arc::clone(&shared), loaded.clone());
            let thread = thread::Builder::new().name(format!("embed-{number}")).spawn(move || {
                let (jobs, load, on_embed) = &*shared;
                let mut embed = match guarded("it could not be loaded", load) {
                    Ok(embed) => embed,
                    Err(fault) => return drop(loaded.send(Err(fault))),
                };
                let _ = loaded.send(Ok(()));
                drop(loaded);
                // Whoever waits for a job holds the lock meanwhile, and lets go of it with the job.
                let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
                while let Ok(Job {
                    texts,
                    reply,
                    room: place,
                }) = next()
                {
                    drop(place);
                    // An answer that is dropped is that the queue is closed; whoever asked may have gone.
                    if room.is_closed() || reply.is_closed() {
                        continue;
                    }
                    let begun = Instant::now();
                    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                    let _ = reply.send(guarded("it gave up", || embed(&texts)));
                    if let Some(on_embed) = on_embed {
                        on_embed(begun.elapsed().as_secs_f64(), texts.len());
                    }
                }
            });
            let thread = thread.map_err(|error| EmbedFault::Model(format!("its thread did not start: {error}")))?;
            workers.threads.push(thread);
        }
        drop(loaded);
        outcomes.iter().collect::<Result<(), EmbedFault>>()?;
        Ok(workers)
    }

    /// Queues all of the texts or none, spread over the threads; the answers come in their order.
    ///
    /// # Errors
    /// [`EmbedFault::Busy`] when they do not fit the queue, [`EmbedFault::Closed`] after [`Workers::close`].
    pub fn submit(&self, texts: &[String]) -> Result<Vec<oneshot::Receiver<Answer>>, EmbedFault> {
        let queue = self.queue.as_ref().ok_or(EmbedFault::Closed)?;
        let count = u32::try_from(texts.len()).map_err(|_| EmbedFault::Busy)?;
        let room = Arc::clone(&self.room).try_acquire_many_owned(count);
        let mut room = room.map_err(|refused| match refused {
            TryAcquireError::NoPermits => EmbedFault::Busy,
            TryAcquireError::Closed => EmbedFault::Closed,
        })?;
        let share = texts.len().div_ceil(self.threads.len()).clamp(1, BATCH_TEXTS_MAX);
        let jobs = texts.chunks(share).map(|texts| {
            let (reply, answer) = oneshot::channel();
            let room = room.split(texts.len()).ok_or(EmbedFault::Busy)?;
            let texts = texts.to_vec();
            queue.send(Job { texts, reply, room }).map_err(|_| EmbedFault::Closed)?;
            Ok(answer)
        });
        jobs.collect()
    }

    /// Whether nothing is taken in any more.
    pub fn is_closed(&self) -> bool {
        self.room.is_closed()
    }

    /// Takes nothing in from now on; what waits is answered with [`EmbedFault::Closed`], what is under way is finished.
    pub fn close(&self) {
        self.room.close();
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.close();
        drop(self.queue.take());
        for thread in self.threads.drain(..) {
            // A thread that panicked has answered what it held by dropping it.
            let _ = thread.join();
        }
    }
}

/// What loads when it is first asked. Where that fails, what is asked meanwhile is answered with the fault; after
/// [`RELOAD_AFTER`] it is tried again.
pub fn when_asked(load: impl Fn() -> Result<Embed, EmbedFault> + 'static) -> Embed {
    let mut loaded: Option<Embed> = None;
    let mut failed: Option<(Instant, EmbedFault)> = None;
    Box::new(move |texts: &[&str]| {
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

    use super::*;

    /// The vector of a text is its length, so that answers can be told apart; `panic` panics.
    fn stub(texts: &[&str]) -> Answer {
        assert!(!texts.contains(&"panic"), "asked to");
        Ok(texts.iter().map(|text| of(text)).collect())
    }

    fn of(text: &str) -> Vector {
        Vector::quantise(&[text.len() as f32, 1.0]).unwrap()
    }

    fn submit(workers: &Workers, texts: &[&str]) -> Result<Vec<oneshot::Receiver<Answer>>, EmbedFault> {
        workers.submit(&texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>())
    }

    /// What came of each job; the last ones wait for nothing any more.
    fn answers(waiting: Vec<oneshot::Receiver<Answer>>) -> Vec<Option<Answer>> {
        waiting.into_iter().map(|answer| answer.blocking_recv().ok()).collect()
    }

    /// One thread that waits at the barrier before and after every batch.
    fn held(queue_texts_max: usize) -> (Workers, Arc<Barrier>) {
        let barrier = Arc::new(Barrier::new(2));
        let gate = Arc::clone(&barrier);
        let workers = Workers::start(1, queue_texts_max, None, move || {
            let gate = Arc::clone(&gate);
            Ok(Box::new(move |texts: &[&str]| {
                gate.wait();
                gate.wait();
                stub(texts)
            }))
        });
        (workers.unwrap(), barrier)
    }

    #[test]
    fn a_full_queue_answers_busy_takes_all_or_none_and_is_answered_when_it_is_closed_z084() {
        let (workers, barrier) = held(3);
        let begun = submit(&workers, &["a"]).unwrap();
        barrier.wait();
        let waiting = submit(&workers, &["bb", "ccc"]).unwrap();
        assert_eq!(submit(&workers, &["d", "e"]).unwrap_err(), EmbedFault::Busy);
        let last = submit(&workers, &["dddd"]).unwrap();
        assert_eq!(submit(&workers, &["e"]).unwrap_err(), EmbedFault::Busy);
        barrier.wait();
        barrier.wait();
        assert_eq!(answers(begun), [Some(Ok(vec![of("a")]))]);
        workers.close();
        assert_eq!(submit(&workers, &["e"]).unwrap_err(), EmbedFault::Closed);
        barrier.wait();
        assert_eq!(
            answers(waiting),
            [Some(Ok(vec![of("bb"), of("ccc")]))],
            "it was under way"
        );
        assert_eq!(answers(last), [None]);
    }

    #[test]
    fn texts_are_spread_over_the_threads_and_a_panic_costs_no_other_request_its_vectors_z084() {
        let told = Arc::new(Mutex::new(0));
        let sum = Arc::clone(&told);
        let on_embed: OnEmbed = Arc::new(move |_, count| *sum.lock().unwrap() += count);
        let workers = Workers::start(3, 100, Some(on_embed), || Ok(Box::new(stub))).unwrap();
        let texts: Vec<String> = (0..9).map(|n| "x".repeat(n + 1)).collect();
        let jobs = workers.submit(&texts).unwrap();
        assert_eq!(jobs.len(), 3);
        let found: Vec<Vector> = answers(jobs)
            .into_iter()
            .flat_map(|answer| answer.unwrap().unwrap())
            .collect();
        assert_eq!(found, texts.iter().map(|text| of(text)).collect::<Vec<_>>());
        let gave_up = EmbedFault::Model("it gave up".to_owned());
        assert_eq!(answers(submit(&workers, &["panic"]).unwrap()), [Some(Err(gave_up))]);
        assert_eq!(answers(submit(&workers, &["a"]).unwrap()), [Some(Ok(vec![of("a")]))]);
        drop(workers);
        assert_eq!(*told.lock().unwrap(), 11);
    }

    #[test]
    fn a_model_is_loaded_when_first_asked_and_a_failed_attempt_is_not_repeated_at_once_z084() {
        for fails in [false, true] {
            let attempts = Arc::new(Mutex::new(0));
            let counted = Arc::clone(&attempts);
            let workers = Workers::start(1, 8, None, move || {
                let attempts = Arc::clone(&counted);
                Ok(when_asked(move || {
                    *attempts.lock().unwrap() += 1;
                    assert!(!fails, "asked to");
                    Ok(Box::new(stub))
                }))
            });
            let workers = workers.unwrap();
            assert_eq!(*attempts.lock().unwrap(), 0, "nobody has asked");
            for _ in 0..2 {
                let [answer] = answers(submit(&workers, &["a", "bb"]).unwrap()).try_into().unwrap();
                assert_eq!(answer.unwrap().is_err(), fails);
            }
            assert_eq!(*attempts.lock().unwrap(), 1);
        }
    }

    #[test]
    fn a_model_that_cannot_be_loaded_stops_the_start_z084() {
        let fault = EmbedFault::Model("no".to_owned());
        let said = fault.clone();
        assert_eq!(Workers::start(2, 8, None, move || Err(said.clone())).err(), Some(fault));
        let started = Workers::start(1, 8, None, || panic!("asked to"));
        assert!(matches!(started.err(), Some(EmbedFault::Model(_))));
    }
}
