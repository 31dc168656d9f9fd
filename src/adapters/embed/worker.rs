//! The threads that embed, and the queue between them and those who ask.
//!
//! Knows no cache. Invariant: the queue holds at most `queue_texts_max` texts, and every text that was taken in is
//! answered: with its vector, with a fault, or with [`EmbedFault::Closed`].

use std::collections::VecDeque;
use std::panic;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::Condvar;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::sync::mpsc;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;
use std::time::Instant;

use ort::environment::Environment;
use tokio::sync::oneshot;

use crate::adapters::embed::files::ModelFiles;
use crate::adapters::embed::files::ModelFolder;
use crate::adapters::embed::session::Session;
use crate::app::ports::EmbedFault;
use text::vector::Vector;

/// Texts that a thread takes from the queue at a time.
pub const BATCH_TEXTS_MAX: usize = 32;

/// How long a model that could not be loaded is left alone: each attempt reads all of its files.
const RELOAD_AFTER: Duration = Duration::from_secs(60);

/// Is told the seconds and the number of texts of every batch.
pub type OnEmbed = Box<dyn Fn(f64, usize) + Send + Sync>;

/// A text's vector, or why there is none.
pub type Answer = Result<Vector, EmbedFault>;

/// What turns texts into vectors on its thread.
type Embed = Box<dyn FnMut(&[&str]) -> Result<Vec<Vector>, EmbedFault>>;

struct Job {
    text: String,
    reply: oneshot::Sender<Answer>,
}

struct Waiting {
    jobs: VecDeque<Job>,
    closed: bool,
}

struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    texts_max: usize,
    workers: usize,
}

/// Threads that drain one bounded queue, each with its own session.
pub struct Workers {
    queue: Arc<Queue>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts `count` threads, each of which loads the model; returns when all of them have.
    ///
    /// # Errors
    /// What the first of them said that could not.
    pub fn start(
        files: ModelFiles,
        environment: &Environment,
        count: usize,
        queue_texts_max: usize,
        on_embed: Option<OnEmbed>,
    ) -> Result<Workers, EmbedFault> {
        let environment = environment.clone();
        Workers::start_with(count, queue_texts_max, on_embed, move || {
            let mut session = Session::load(files.clone(), &environment)?;
            Ok(Box::new(move |texts: &[&str]| embedded(&mut session, texts)))
        })
    }

    /// Starts one thread, which loads the model when it is first asked for a vector. Where that fails, what is asked meanwhile is
    /// answered with the fault; after [`RELOAD_AFTER`] it is tried again.
    ///
    /// # Errors
    /// When the thread does not start.
    pub fn start_when_asked(
        folder: ModelFolder,
        environment: &Environment,
        queue_texts_max: usize,
        on_embed: Option<OnEmbed>,
    ) -> Result<Workers, EmbedFault> {
        let environment = environment.clone();
        Workers::start_with(1, queue_texts_max, on_embed, move || {
            let (folder, environment) = (folder.clone(), environment.clone());
            Ok(when_asked(move || {
                let files = folder.files().map_err(EmbedFault::Model)?;
                let mut session = Session::load(files, &environment)?;
                Ok(Box::new(move |texts: &[&str]| embedded(&mut session, texts)))
            }))
        })
    }

    /// As [`Workers::start`], with what each thread loads.
    fn start_with(
        count: usize,
        queue_texts_max: usize,
        on_embed: Option<OnEmbed>,
        load: impl Fn() -> Result<Embed, EmbedFault> + Send + Sync + 'static,
    ) -> Result<Workers, EmbedFault> {
        let queue = Arc::new(Queue {
            waiting: Mutex::new(Waiting {
                jobs: VecDeque::new(),
                closed: false,
            }),
            changed: Condvar::new(),
            texts_max: queue_texts_max,
            workers: count.max(1),
        });
        let mut workers = Workers {
            queue: Arc::clone(&queue),
            threads: Vec::new(),
        };
        let load = Arc::new(load);
        let on_embed = Arc::new(on_embed);
        let (loaded, outcomes) = mpsc::channel();
        for number in 0..queue.workers {
            let (queue, load, on_embed) = (Arc::clone(&queue), Arc::clone(&load), Arc::clone(&on_embed));
            let loaded = loaded.clone();
            let thread = thread::Builder::new().name(format!("embed-{number}")).spawn(move || {
                let made = panic::catch_unwind(AssertUnwindSafe(|| load()));
                drop(load);
                match made.unwrap_or_else(|_| Err(EmbedFault::Model("it could not be loaded".to_owned()))) {
                    Ok(embed) => {
                        // The receiver is gone only when another thread failed, and then the queue is closed.
                        let _ = loaded.send(Ok(()));
                        drop(loaded);
                        drain(&queue, embed, &on_embed);
                    }
                    Err(fault) => {
                        let _ = loaded.send(Err(fault));
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

    /// Queues all of the texts or none; the answers come in their order.
    ///
    /// # Errors
    /// [`EmbedFault::Busy`] when they do not fit the queue, [`EmbedFault::Closed`] after [`Workers::close`].
    pub fn submit(&self, texts: &[String]) -> Result<Vec<oneshot::Receiver<Answer>>, EmbedFault> {
        let mut waiting = self.queue.lock();
        if waiting.closed {
            return Err(EmbedFault::Closed);
        }
        if waiting.jobs.len() + texts.len() > self.queue.texts_max {
            return Err(EmbedFault::Busy);
        }
        let mut answers = Vec::with_capacity(texts.len());
        for text in texts {
            let (reply, answer) = oneshot::channel();
            waiting.jobs.push_back(Job {
                text: text.clone(),
                reply,
            });
            answers.push(answer);
        }
        drop(waiting);
        self.queue.changed.notify_all();
        Ok(answers)
    }

    /// Whether nothing is taken in any more.
    pub fn is_closed(&self) -> bool {
        self.queue.lock().closed
    }

    /// Takes nothing in from now on, and answers what waits with [`EmbedFault::Closed`].
    pub fn close(&self) {
        let mut waiting = self.queue.lock();
        waiting.closed = true;
        for job in waiting.jobs.drain(..) {
            // Whoever asked may have gone.
            let _ = job.reply.send(Err(EmbedFault::Closed));
        }
        drop(waiting);
        self.queue.changed.notify_all();
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.close();
        for thread in self.threads.drain(..) {
            // A thread that panicked has answered what it held by dropping it.
            let _ = thread.join();
        }
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for texts; `None` once closed. Takes a thread's fair share, so that a burst is spread over all of them.
    fn take(&self) -> Option<Vec<Job>> {
        let mut waiting = self.lock();
        while waiting.jobs.is_empty() {
            if waiting.closed {
                return None;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        let share = waiting.jobs.len().div_ceil(self.workers).min(BATCH_TEXTS_MAX);
        Some(waiting.jobs.drain(..share).collect())
    }
}

/// What loads when it is first asked.
fn when_asked(load: impl Fn() -> Result<Embed, EmbedFault> + 'static) -> Embed {
    let mut loaded: Option<Embed> = None;
    let mut failed: Option<(Instant, EmbedFault)> = None;
    Box::new(move |texts: &[&str]| {
        if let Some(embed) = &mut loaded {
            return embed(texts);
        }
        if let Some((_, fault)) = failed.as_ref().filter(|(since, _)| since.elapsed() < RELOAD_AFTER) {
            return Err(fault.clone());
        }
        let made = panic::catch_unwind(AssertUnwindSafe(&load));
        match made.unwrap_or_else(|_| Err(EmbedFault::Model("it could not be loaded".to_owned()))) {
            Ok(embed) => loaded.insert(embed)(texts),
            Err(fault) => {
                failed = Some((Instant::now(), fault.clone()));
                Err(fault)
            }
        }
    })
}

fn embedded(session: &mut Session, texts: &[&str]) -> Result<Vec<Vector>, EmbedFault> {
    let floats = session.floats(texts)?;
    floats.iter().map(|floats| quantise(floats)).collect()
}

fn quantise(floats: &[f32]) -> Answer {
    Vector::quantise(floats).ok_or_else(|| EmbedFault::Model("it gave a vector without length".to_owned()))
}

fn drain(queue: &Queue, mut embed: Embed, on_embed: &Option<OnEmbed>) {
    while let Some(mut jobs) = queue.take() {
        jobs.retain(|job| !job.reply.is_closed());
        if jobs.is_empty() {
            continue;
        }
        let begun = Instant::now();
        let texts: Vec<&str> = jobs.iter().map(|job| job.text.as_str()).collect();
        let answers = match attempt(&mut embed, &texts) {
            Ok(vectors) => vectors.into_iter().map(Ok).collect(),
            // One text must not cost the others their vectors.
            Err(_) if texts.len() > 1 => texts.iter().map(|text| alone(&mut embed, text)).collect(),
            Err(fault) => vec![Err(fault)],
        };
        let count = jobs.len();
        for (job, answer) in jobs.into_iter().zip::<Vec<Answer>>(answers) {
            // Whoever asked may have gone meanwhile.
            let _ = job.reply.send(answer);
        }
        if let Some(on_embed) = on_embed {
            on_embed(begun.elapsed().as_secs_f64(), count);
        }
    }
}

fn alone(embed: &mut Embed, text: &str) -> Answer {
    attempt(embed, &[text])?
        .pop()
        .ok_or_else(|| EmbedFault::Model("it gave no vector".to_owned()))
}

/// As many vectors as texts, or a fault; a panic is a fault.
fn attempt(embed: &mut Embed, texts: &[&str]) -> Result<Vec<Vector>, EmbedFault> {
    let vectors = panic::catch_unwind(AssertUnwindSafe(|| embed(texts)))
        .unwrap_or_else(|_| Err(EmbedFault::Model("it gave up".to_owned())))?;
    if vectors.len() == texts.len() {
        Ok(vectors)
    } else {
        Err(EmbedFault::Model("it did not give one vector for each text".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    /// The vector of a text is its length, so that answers can be told apart; `bad` fails, `panic` panics.
    fn of(text: &str) -> Vector {
        Vector::quantise(&[text.len() as f32, 1.0]).unwrap()
    }

    fn stub(texts: &[&str]) -> Result<Vec<Vector>, EmbedFault> {
        assert!(!texts.contains(&"panic"), "asked to");
        if texts.contains(&"bad") {
            return Err(EmbedFault::Model("bad".to_owned()));
        }
        Ok(texts.iter().map(|text| of(text)).collect())
    }

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    /// One thread that waits at the barrier before and after every batch.
    fn held(queue_texts_max: usize) -> (Workers, Arc<Barrier>) {
        let barrier = Arc::new(Barrier::new(2));
        let gate = Arc::clone(&barrier);
        let workers = Workers::start_with(1, queue_texts_max, None, move || {
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
    fn a_full_queue_answers_busy_and_takes_all_or_none_z084() {
        let (workers, barrier) = held(3);
        let begun = workers.submit(&texts(&["a"])).unwrap();
        barrier.wait();
        let waiting = workers.submit(&texts(&["bb", "ccc"])).unwrap();
        assert_eq!(workers.submit(&texts(&["d", "e"])).unwrap_err(), EmbedFault::Busy);
        let last = workers.submit(&texts(&["dddd"])).unwrap();
        assert_eq!(workers.submit(&texts(&["e"])).unwrap_err(), EmbedFault::Busy);
        barrier.wait();
        barrier.wait();
        barrier.wait();
        let answers: Vec<Vector> = begun
            .into_iter()
            .chain(waiting)
            .chain(last)
            .map(|answer| answer.blocking_recv().unwrap().unwrap())
            .collect();
        assert_eq!(answers, ["a", "bb", "ccc", "dddd"].map(of));
    }

    #[test]
    fn closing_answers_what_waits_and_finishes_what_is_under_way_z084() {
        let (workers, barrier) = held(8);
        let mut begun = workers.submit(&texts(&["a"])).unwrap();
        barrier.wait();
        let mut waiting = workers.submit(&texts(&["b"])).unwrap();
        workers.close();
        assert_eq!(workers.submit(&texts(&["c"])).unwrap_err(), EmbedFault::Closed);
        barrier.wait();
        assert_eq!(begun.remove(0).blocking_recv().unwrap(), Ok(of("a")));
        assert_eq!(waiting.remove(0).blocking_recv().unwrap(), Err(EmbedFault::Closed));
    }

    #[test]
    fn a_text_that_fails_or_panics_costs_no_other_its_vector_z084() {
        let told = Arc::new(Mutex::new(0));
        let sum = Arc::clone(&told);
        let on_embed: OnEmbed = Box::new(move |seconds, count| {
            assert!(seconds >= 0.0);
            *sum.lock().unwrap() += count;
        });
        let workers = Workers::start_with(1, 8, Some(on_embed), || Ok(Box::new(stub))).unwrap();
        let answers = workers.submit(&texts(&["a", "bad", "bb", "panic", "ccc"])).unwrap();
        let answers: Vec<Answer> = answers
            .into_iter()
            .map(|answer| answer.blocking_recv().unwrap())
            .collect();
        assert_eq!(answers[0], Ok(of("a")));
        assert_eq!(answers[1], Err(EmbedFault::Model("bad".to_owned())));
        assert_eq!(answers[2], Ok(of("bb")));
        assert_eq!(answers[3], Err(EmbedFault::Model("it gave up".to_owned())));
        assert_eq!(answers[4], Ok(of("ccc")));
        drop(workers);
        assert_eq!(*told.lock().unwrap(), 5);
    }

    #[test]
    fn a_thread_takes_its_share_and_no_more_than_a_batch_z084() {
        let queue = |jobs: usize, workers: usize| {
            let jobs = (0..jobs).map(|_| Job {
                text: String::new(),
                reply: oneshot::channel().0,
            });
            let queue = Queue {
                waiting: Mutex::new(Waiting {
                    jobs: jobs.collect(),
                    closed: false,
                }),
                changed: Condvar::new(),
                texts_max: 1_000,
                workers,
            };
            queue.take().unwrap().len()
        };
        assert_eq!(queue(1, 4), 1);
        assert_eq!(queue(9, 4), 3);
        assert_eq!(queue(BATCH_TEXTS_MAX, 1), BATCH_TEXTS_MAX);
        assert_eq!(queue(BATCH_TEXTS_MAX + 1, 1), BATCH_TEXTS_MAX);
    }

    #[test]
    fn a_model_is_loaded_when_first_asked_and_a_failed_attempt_is_not_repeated_at_once_z084() {
        let attempts = Arc::new(Mutex::new(0));
        let open = |fails: bool| {
            let attempts = Arc::clone(&attempts);
            *attempts.lock().unwrap() = 0;
            let workers = Workers::start_with(1, 8, None, move || {
                let attempts = Arc::clone(&attempts);
                Ok(when_asked(move || {
                    *attempts.lock().unwrap() += 1;
                    assert!(!fails, "asked to");
                    Ok(Box::new(stub))
                }))
            });
            workers.unwrap()
        };
        let ask = |workers: &Workers| -> Vec<Answer> {
            let answers = workers.submit(&texts(&["a", "bb"])).unwrap();
            answers
                .into_iter()
                .map(|answer| answer.blocking_recv().unwrap())
                .collect()
        };
        let workers = open(false);
        assert_eq!(*attempts.lock().unwrap(), 0, "nobody has asked");
        for _ in 0..2 {
            assert_eq!(ask(&workers), [Ok(of("a")), Ok(of("bb"))]);
        }
        assert_eq!(*attempts.lock().unwrap(), 1);
        let workers = open(true);
        for _ in 0..2 {
            let answers = ask(&workers);
            assert!(answers.iter().all(|answer| matches!(answer, Err(EmbedFault::Model(_)))));
        }
        assert_eq!(*attempts.lock().unwrap(), 1);
    }

    #[test]
    fn a_model_that_cannot_be_loaded_stops_the_start_z084() {
        let fault = EmbedFault::Model("no".to_owned());
        let said = fault.clone();
        let started = Workers::start_with(2, 8, None, move || Err(said.clone()));
        assert_eq!(started.err(), Some(fault));
        let started = Workers::start_with(1, 8, None, || panic!("asked to"));
        assert!(matches!(started.err(), Some(EmbedFault::Model(_))));
    }
}
