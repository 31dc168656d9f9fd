//! The stream of a session that hears what is said to it unasked: the newest one, of a client that came back or lost its line.
//!
//! The library writes to the first stream until it is seen to be gone, and leaves a newer one deaf; and it begins the numbers of
//! events with the number of the line before them. Both are put right here. Invariant: one stream of a session is open at most,
//! and no two events of a session have one id.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::task::Context;
use std::task::Poll;
use std::task::Waker;

use bytes::Bytes;
use http_body::Body;
use http_body::Frame;
use http_body_util::combinators::BoxBody;

type Answer = BoxBody<Bytes, Infallible>;

/// What a stream reads from, until it is taken away.
#[derive(Default)]
struct Source {
    answer: Option<Answer>,
    waker: Option<Waker>,
}

/// Ends a stream; it ends by itself when this is dropped.
pub struct Displacing(Arc<Mutex<Source>>);

impl Drop for Displacing {
    fn drop(&mut self) {
        let mut source = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        source.answer = None;
        if let Some(waker) = source.waker.take() {
            waker.wake();
        }
    }
}

/// A stream that a newer one may displace.
pub struct Newest(Arc<Mutex<Source>>);

impl Newest {
    /// A stream, and what ends it.
    pub fn of(answer: Answer) -> (Newest, Displacing) {
        let source = Arc::new(Mutex::new(Source {
            answer: Some(answer),
            waker: None,
        }));
        (Newest(Arc::clone(&source)), Displacing(source))
    }
}

impl Body for Newest {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let mut source = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        source.waker = Some(context.waker().clone());
        let Some(answer) = &mut source.answer else {
            return Poll::Ready(None);
        };
        let told = Pin::new(answer).poll_frame(context);
        told.map(|told| told.map(|frame| frame.map(|frame| frame.map_data(renumbered))))
    }
}

/// An event with the number after its own, so that `Last-Event-ID` names the next one to the library, which tells from the
/// number on that it is given; the line before all events, which says how long to wait, keeps its 0.
fn renumbered(event: Bytes) -> Bytes {
    let Ok(text) = std::str::from_utf8(&event) else {
        return event;
    };
    if text.lines().any(|line| line.starts_with("retry:")) {
        return event;
    }
    let number = |line: &str| line.strip_prefix("id:")?.trim().parse::<u64>().ok();
    if !text.lines().any(|line| number(line).is_some()) {
        return event;
    }
    let lines = text.split('\n').map(|line| match number(line) {
        Some(number) => format!("id: {}", number.saturating_add(1)),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n").into()
}

#[cfg(test)]
mod tests {
    use std::task::Context;
    use std::task::Poll;
    use std::task::Waker;

    use http_body_util::BodyExt;
    use http_body_util::Full;

    use super::Body;
    use super::Bytes;
    use super::Newest;
    use super::Pin;
    use super::renumbered;

    #[test]
    fn events_count_from_one_and_the_line_before_them_is_zero() {
        let of = |text: &'static str| renumbered(Bytes::from_static(text.as_bytes()));
        assert_eq!(of("id: 0\nretry: 3000\ndata:\n\n"), "id: 0\nretry: 3000\ndata:\n\n");
        assert_eq!(of("data: {\"id\": 7}\nid: 0\n\n"), "data: {\"id\": 7}\nid: 1\n\n");
        assert_eq!(of("id:41\ndata: 1\n\n"), "id: 42\ndata: 1\n\n");
        for left in [":\n\n", "data: a\n\n", "id: 3/7\ndata: a\n\n"] {
            assert_eq!(of(left), left);
        }
    }

    #[test]
    fn a_stream_that_is_displaced_ends() {
        let answer = || Full::new(Bytes::from_static(b":\n\n")).boxed();
        let mut context = Context::from_waker(Waker::noop());
        let mut poll = |stream: &mut Newest| match Pin::new(stream).poll_frame(&mut context) {
            Poll::Ready(frame) => frame.is_some(),
            Poll::Pending => panic!("it waits"),
        };
        let (mut stream, displacing) = Newest::of(answer());
        assert!(poll(&mut stream));
        let (mut other, other_displacing) = Newest::of(answer());
        drop(other_displacing);
        assert!(!poll(&mut other));
        drop(displacing);
        assert!(!poll(&mut stream));
    }
}
