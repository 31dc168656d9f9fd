//! Server-Sent Events as every stream of this mouth sends them: the head of the answer, a place among those that are open, and a
//! reader that is told one thing at a time.
//!
//! What is told is the stream's own. Invariant: at most one event waits for a reader.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::body::BodySize;
use actix_web::body::MessageBody;
use actix_web::http::header;
use actix_web::web::Bytes;
use tokio::sync::mpsc;
use tokio::sync::watch;
use tokio::time::Sleep;

use crate::edge::http::accept;
use crate::edge::http::call::Call;
use crate::edge::http::streams::Place;
use crate::edge::http::streams::StreamLimits;
use crate::edge::wire::problem::Problem;

/// What is said while nothing changes.
pub const ALIVE: &[u8] = b": alive\n\n";

/// What is sent to feel whether a reader is there, and after which pauses again.
const FELT: &[u8] = b":\n\n";
const FEELING: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(2)];

/// Who listens, for as long as it does.
pub struct Reader {
    pub events: mpsc::Sender<Bytes>,
    pub limits: StreamLimits,
    /// Becomes true when streams end.
    pub ending: watch::Receiver<bool>,
    /// Given back when the reader is let go.
    pub place: Place,
}

/// Answers with a stream, which `tell` feeds beside it. A `HEAD` is told what it would be and takes no place.
///
/// # Errors
/// When as many streams as may be are open.
pub fn open<F>(call: &Call, tell: impl FnOnce(Reader) -> F) -> Result<HttpResponse, Problem>
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut response = HttpResponse::Ok();
    response
        .content_type(accept::EVENTS.exact)
        .insert_header((header::CACHE_CONTROL, "no-store"))
        // Proxies that collect answers before they pass them on must not do so here.
        .insert_header(("X-Accel-Buffering", "no"));
    if call.is_head() {
        return Ok(response.finish());
    }
    let streams = &call.mouth().streams;
    let place = streams.enter(call.caller.client.as_ref())?;
    let (events, lines) = mpsc::channel(1);
    tokio::spawn(tell(Reader {
        events,
        limits: streams.limits,
        ending: streams.ending(),
        place,
    }));
    // What has ended is not to be waited for as an idle connection.
    Ok(response.force_close().body(Lines {
        lines,
        pulse: Pulse::default(),
    }))
}

/// The body: what is told, as it is told.
struct Lines {
    lines: mpsc::Receiver<Bytes>,
    pulse: Pulse,
}

impl MessageBody for Lines {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        let body = self.get_mut();
        match body.lines.poll_recv(context) {
            Poll::Ready(line) => {
                body.pulse.told();
                Poll::Ready(line.map(Ok))
            }
            Poll::Pending => body.pulse.poll(context).map(|comment| Some(Ok(comment))),
        }
    }
}

/// Feels whether a reader is still there. The listener lets a client close its own half and go on reading, and learns that it
/// closed both only when what it writes fails. A body that has nothing to say is asked anew when something came of its
/// connection: then a few comments are sent, the second of which fails where nobody is there.
#[derive(Default)]
pub struct Pulse {
    /// Whether it had nothing to say when it was asked before.
    silent: bool,
    sent: usize,
    again: Option<Pin<Box<Sleep>>>,
}

impl Pulse {
    /// Something was told.
    pub fn told(&mut self) {
        *self = Pulse::default();
    }

    /// There is nothing to tell: a comment to feel with, where something may have come of the connection.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<Bytes> {
        let stirred = match &mut self.again {
            Some(again) => again.as_mut().poll(context).is_ready(),
            None => self.silent && self.sent == 0,
        };
        self.silent = true;
        if !stirred {
            return Poll::Pending;
        }
        let pause = FEELING.get(self.sent);
        self.again = pause.map(|pause| Box::pin(tokio::time::sleep(*pause)));
        self.sent += 1;
        Poll::Ready(Bytes::from_static(FELT))
    }
}

/// Waits until streams end.
pub async fn ended(ending: &mut watch::Receiver<bool>) {
    // An error means that whoever could end it is gone.
    let _ = ending.wait_for(|ended| *ended).await;
}

#[cfg(test)]
mod tests {
    use std::task::Context;
    use std::task::Poll;
    use std::task::Waker;

    use super::FEELING;
    use super::FELT;
    use super::Pulse;

    fn comments(pulse: &mut Pulse) -> usize {
        let mut context = Context::from_waker(Waker::noop());
        let mut comments = 0;
        while let Poll::Ready(comment) = pulse.poll(&mut context) {
            assert_eq!(comment, FELT);
            comments += 1;
        }
        comments
    }

    #[tokio::test]
    async fn who_is_asked_again_without_news_feels_a_few_times_whether_anybody_is_there() {
        let mut pulse = Pulse::default();
        assert_eq!(comments(&mut pulse), 0, "nothing to say yet");
        assert_eq!(comments(&mut pulse), 1, "something came of the connection");
        assert_eq!(comments(&mut pulse), 0, "it waits a while");
        for pause in FEELING {
            tokio::time::sleep(pause * 3 / 2).await;
            assert_eq!(comments(&mut pulse), 1);
        }
        assert_eq!(comments(&mut pulse), 0, "no more until something was told");
        pulse.told();
        assert_eq!([comments(&mut pulse), comments(&mut pulse)], [0, 1]);
    }
}
