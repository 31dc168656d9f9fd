//! Server-Sent Events as every stream of this mouth sends them: the head of the answer, a place among those that are open, and a
//! reader that is told one thing at a time.
//!
//! What is told is the stream's own. Invariant: at most one event waits for a reader.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;

use actix_web::HttpResponse;
use actix_web::body::BodySize;
use actix_web::body::MessageBody;
use actix_web::http::header;
use actix_web::web::Bytes;
use tokio::sync::mpsc;
use tokio::sync::watch;

use crate::edge::http::accept;
use crate::edge::http::call::Call;
use crate::edge::http::streams::Place;
use crate::edge::http::streams::StreamLimits;
use crate::edge::wire::problem::Problem;

/// What is said while nothing changes.
pub const ALIVE: &[u8] = b": alive\n\n";

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
    Ok(response.force_close().body(Lines(lines)))
}

/// The body: what is told, as it is told.
struct Lines(mpsc::Receiver<Bytes>);

impl MessageBody for Lines {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        self.get_mut().0.poll_recv(context).map(|line| line.map(Ok))
    }
}

/// Waits until streams end.
pub async fn ended(ending: &mut watch::Receiver<bool>) {
    // An error means that whoever could end it is gone.
    let _ = ending.wait_for(|ended| *ended).await;
}
