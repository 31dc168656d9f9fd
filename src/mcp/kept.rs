//! Answers of sessions, kept for a client whose line broke while it read one: it goes on after the last event that it heard.
//!
//! The library forgets an answer as soon as it has told it, whether anybody heard it or not. Invariant: what is kept is bounded in
//! bytes and in time, and nobody else's answer is found.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::task::Context;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http_body::Body;
use http_body::Frame;
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use tokio::sync::mpsc;
use tokio::sync::watch;

type Stream = BoxBody<Bytes, Infallible>;

/// The answers that are told now, and those that were told not long ago.
pub struct Kept {
    /// The oldest first.
    answers: Mutex<VecDeque<Answer>>,
    bytes_max: usize,
    lasting: Duration,
}

struct Answer {
    session: String,
    /// Which of the session's answers it is, as the ids of its events end.
    number: String,
    told: watch::Receiver<Told>,
}

/// What was told of an answer until now.
#[derive(Default)]
struct Told {
    events: Vec<Bytes>,
    is_whole: bool,
}

impl Told {
    fn bytes(&self) -> usize {
        self.events.iter().map(Bytes::len).sum()
    }
}

impl Kept {
    /// Room for so many bytes, each answer for so long.
    pub fn new(bytes_max: usize, lasting: Duration) -> Arc<Kept> {
        Arc::new(Kept {
            answers: Mutex::default(),
            bytes_max,
            lasting,
        })
    }

    /// The same answer, which is kept from now on, read to its end whoever listens.
    pub fn keep(self: &Arc<Self>, session: &str, answer: Stream) -> Stream {
        let told = watch::Sender::new(Told::default());
        let heard = told.subscribe();
        tokio::spawn(Arc::clone(self).hear(session.to_owned(), answer, told));
        after(heard, 0)
    }

    /// What comes after an event of a session's answer; `None` where it is not there any more.
    pub fn after(&self, session: &str, event: &str) -> Option<Stream> {
        let (_, number) = event.split_once('/')?;
        let answers = self.locked();
        let answer = answers
            .iter()
            .find(|answer| answer.session == session && answer.number == number)?;
        let known = |told: &Told| told.events.iter().position(|told| id(told) == Some(event));
        let place = known(&answer.told.borrow())?;
        Some(after(answer.told.clone(), place + 1))
    }

    async fn hear(self: Arc<Self>, session: String, mut answer: Stream, told: watch::Sender<Told>) {
        let mut is_kept = false;
        while let Some(Ok(frame)) = answer.frame().await {
            let Ok(event) = frame.into_data() else { continue };
            let number = id(&event).and_then(|id| id.split_once('/'));
            if let Some((_, number)) = number.filter(|_| !is_kept) {
                self.locked().push_back(Answer {
                    session: session.clone(),
                    number: number.to_owned(),
                    told: told.subscribe(),
                });
                is_kept = true;
            }
            told.send_modify(|told| told.events.push(event));
        }
        told.send_modify(|told| told.is_whole = true);
        self.make_room();
        tokio::time::sleep(self.lasting).await;
        let heard = told.subscribe();
        let mut answers = self.locked();
        let place = answers.iter().position(|answer| answer.told.same_channel(&heard));
        if let Some(place) = place {
            answers.remove(place);
        }
    }

    fn make_room(&self) {
        let mut answers = self.locked();
        let mut bytes: usize = answers.iter().map(|answer| answer.told.borrow().bytes()).sum();
        while bytes > self.bytes_max
            && let Some(oldest) = answers.pop_front()
        {
            bytes = bytes.saturating_sub(oldest.told.borrow().bytes());
        }
    }

    fn locked(&self) -> MutexGuard<'_, VecDeque<Answer>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The id that an event bears.
fn id(event: &Bytes) -> Option<&str> {
    let text = std::str::from_utf8(event).ok()?;
    text.lines().find_map(|line| line.strip_prefix("id:")).map(str::trim)
}

/// The events from a place on, as they are told.
fn after(mut heard: watch::Receiver<Told>, mut place: usize) -> Stream {
    let (events, line) = mpsc::channel(1);
    tokio::spawn(async move {
        loop {
            let (new, is_whole) = {
                let told = heard.borrow_and_update();
                (told.events.get(place..).unwrap_or_default().to_vec(), told.is_whole)
            };
            for event in new {
                place += 1;
                if events.send(event).await.is_err() {
                    return;
                }
            }
            if is_whole {
                return;
            }
            tokio::select! {
                changed = heard.changed() => if changed.is_err() { return },
                () = events.closed() => return,
            }
        }
    });
    Line(line).boxed()
}

/// Events as they come.
struct Line(mpsc::Receiver<Bytes>);

impl Body for Line {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let event = self.get_mut().0.poll_recv(context);
        event.map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http_body_util::BodyExt;
    use tokio::sync::mpsc;

    use super::Bytes;
    use super::Kept;
    use super::Line;
    use super::Stream;

    /// An answer that is told by the other end.
    fn answer() -> (mpsc::Sender<Bytes>, Stream) {
        let (events, line) = mpsc::channel(9);
        (events, Line(line).boxed())
    }

    fn event(id: &str) -> Bytes {
        Bytes::from(format!("data: {{}}\nid: {id}\n\n"))
    }

    async fn heard(answer: Option<Stream>) -> String {
        let bytes = answer.expect("an answer").collect().await.expect("read").to_bytes();
        String::from_utf8(bytes.to_vec()).expect("text")
    }

    async fn told(kept: &std::sync::Arc<Kept>, session: &str, number: u8) -> String {
        let (events, line) = answer();
        let stream = kept.keep(session, line);
        for place in 0..3 {
            events.send(event(&format!("{place}/{number}"))).await.expect("told");
        }
        drop(events);
        heard(Some(stream)).await
    }

    #[tokio::test]
    async fn an_answer_goes_on_after_the_event_that_was_heard_whether_it_is_whole_or_not() {
        let kept = Kept::new(9_999, Duration::from_secs(60));
        let (events, line) = answer();
        let stream = kept.keep("s", line);
        events.send(event("0/7")).await.expect("told");
        let mut stream = stream;
        assert!(stream.frame().await.is_some());
        drop(stream);
        let again = kept.after("s", "0/7");
        events.send(event("1/7")).await.expect("told, though nobody listens");
        drop(events);
        assert_eq!(heard(again).await, "data: {}\nid: 1/7\n\n");
        assert_eq!(heard(kept.after("s", "0/7")).await, "data: {}\nid: 1/7\n\n");
        assert_eq!(heard(kept.after("s", "1/7")).await, "");
        for (session, event) in [("t", "0/7"), ("s", "2/7"), ("s", "0/8"), ("s", "0"), ("s", "")] {
            assert!(kept.after(session, event).is_none(), "{session} {event}");
        }
    }

    #[tokio::test]
    async fn what_is_kept_is_bounded_in_bytes_and_in_time() {
        let bytes = 3 * event("0/1").len();
        let kept = Kept::new(2 * bytes, Duration::from_millis(200));
        for number in 1..=3 {
            told(&kept, "s", number).await;
        }
        let is_there = |number: u8| kept.after("s", &format!("0/{number}")).is_some();
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!([1, 2, 3].map(is_there), [false, true, true]);
        tokio::time::sleep(Duration::from_millis(1_000)).await;
        assert_eq!([1, 2, 3].map(is_there), [false, false, false]);
        assert!(kept.locked().is_empty());
    }
}
