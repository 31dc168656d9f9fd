//! Server-Sent Events as every stream of this transport sends them: the head of the answer, a place among those that are open, and a
//! reader that is told one thing at a time.
//!
//! What is told is its source's own. Comments keep the connection alive. Invariant: at most one event waits for a reader; one
//! that does not take it in time is let go.

use std::convert::Infallible;
use std::fmt::Display;
use std::future::Future;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::body::BodySize;
use actix_web::body::MessageBody;
use actix_web::http::header;
use actix_web::mime;
use actix_web::web::Bytes;
use tokio::sync::mpsc;
use tokio::sync::watch;
use tokio::time::MissedTickBehavior;

use crate::app::reservations::Reservation;
use crate::app::sessions::watch::Told;
use crate::http::call::Call;
use crate::http::call::Revoked;
use crate::http::streams::StreamLimits;
use crate::wire::problem::Problem;

/// What is said while nothing changes.
const ALIVE: &[u8] = b": alive\n\n";
/// What is said when the service ends, or the reader's key is revoked.
const BYE: &[u8] = b"event: bye\ndata: {}\n\n";
/// How long a reader may take to hear that.
const FAREWELL: Duration = Duration::from_secs(1);

/// What a stream tells.
pub trait Source: Send {
    /// The next events, in their order; waits for them. Nothing may be lost when this is given up before it answers. `None` when
    /// there are no more.
    fn next(&mut self) -> impl Future<Output = Option<Vec<Bytes>>> + Send;

    /// The reader took all that `next` brought last.
    fn given(&mut self) {}

    /// Whether the stream begins with how long to wait before it is opened again, and ends with `bye` when the service does.
    fn has_frame(&self) -> bool {
        true
    }
}

/// Who listens, for as long as it does.
struct Reader {
    events: mpsc::Sender<Bytes>,
    limits: StreamLimits,
    /// Becomes true when streams end.
    ending: watch::Receiver<bool>,
    revoked: Revoked,
    /// Given back when the reader is let go.
    place: Reservation,
}

/// What is told, as events of the wire.
pub fn lines(told: &[Told]) -> Vec<Bytes> {
    let line = |told: &Told| event(told.id, told.event, &told.data);
    told.iter().map(line).collect()
}

/// What some readers of lines take for the end of one.
const BREAKS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

/// What is sent of a stream, with its [`BREAKS`] as JSON writes them otherwise: they stand in the strings of JSON alone, as which all
/// data is told.
pub fn in_lines(bytes: Bytes) -> Bytes {
    match std::str::from_utf8(&bytes) {
        Ok(text) if text.contains(BREAKS) => {
            let escape = |text: String, found: char| text.replace(found, &format!("\\u{:04x}", u32::from(found)));
            Bytes::from(BREAKS.into_iter().fold(text.to_owned(), escape))
        }
        Ok(_) | Err(_) => bytes,
    }
}

/// One event, as the wire has it.
pub fn event(id: Option<u64>, name: &str, data: &impl Display) -> Bytes {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    Bytes::from(format!("{id}event: {name}\ndata: {data}\n\n"))
}

/// Answers with a stream, which its source feeds beside it. A `HEAD` is told what it would be and takes no place.
///
/// # Errors
/// When as many streams as may be are open.
pub fn open(call: &Call, source: impl Source + 'static) -> Result<HttpResponse, Problem> {
    let mut response = HttpResponse::Ok();
    response
        .content_type(mime::TEXT_EVENT_STREAM)
        .insert_header((header::CACHE_CONTROL, "no-store"))
        // Proxies that collect answers before they pass them on must not do so here.
        .insert_header(("X-Accel-Buffering", "no"));
    if call.is_head() {
        return Ok(response.finish());
    }
    let streams = &call.state().streams;
    let place = streams.enter(call.caller.client.as_ref())?;
    let (events, lines) = mpsc::channel(1);
    let reader = Reader {
        events,
        limits: streams.limits,
        ending: streams.ending(),
        revoked: call.revoked(),
        place,
    };
    tokio::spawn(tell(source, reader));
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
        let next = self.get_mut().0.poll_recv(context);
        next.map(|line| line.map(|line| Ok(in_lines(line))))
    }
}

/// Tells until there is no more, the reader is gone or too slow, its key is revoked, or the service ends.
async fn tell(mut source: impl Source, reader: Reader) {
    let Reader {
        events,
        limits,
        mut ending,
        revoked,
        place: _place,
    } = reader;
    tokio::select! {
        biased;
        // An error means that whoever could end it is gone.
        _ = ending.wait_for(|ended| *ended) => {}
        () = revoked => {}
        () = talk(&mut source, &events, limits) => return,
    }
    if source.has_frame() {
        let _ = tokio::time::timeout(FAREWELL, events.send(Bytes::from_static(BYE))).await;
    }
}

/// Tells until there is no more, or the reader is gone or too slow.
async fn talk(source: &mut impl Source, events: &mpsc::Sender<Bytes>, limits: StreamLimits) {
    let mut beat = tokio::time::interval(limits.heartbeat);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut lines = Vec::new();
    if source.has_frame() {
        lines.push(Bytes::from(format!("retry: {}\n\n", limits.retry.as_millis())));
    }
    let mut is_news = false;
    loop {
        for line in lines {
            match tokio::time::timeout(limits.stall, events.send(line)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return,
            }
        }
        if is_news {
            source.given();
        }
        // The first tick comes at once, and after something was said there is no need for one.
        beat.reset();
        tokio::select! {
            biased;
            () = events.closed() => return,
            news = source.next() => match news {
                None => return,
                Some(news) => (lines, is_news) = (news, true),
            },
            _ = beat.tick() => (lines, is_news) = (vec![Bytes::from_static(ALIVE)], false),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::time::Duration;

    use actix_web::web::Bytes;
    use tokio::sync::mpsc;

    use super::Reader;
    use super::Source;
    use super::event;
    use super::in_lines;
    use super::tell;
    use crate::http::streams::StreamLimits;
    use crate::http::streams::Streams;

    const LIMITS: StreamLimits = StreamLimits {
        streams_max: 1,
        per_client_max: 1,
        heartbeat: Duration::from_millis(10),
        retry: Duration::from_secs(1),
        stall: Duration::from_millis(100),
    };

    /// A source of which nothing comes.
    struct Still {
        has_frame: bool,
    }

    impl Source for Still {
        async fn next(&mut self) -> Option<Vec<Bytes>> {
            pending().await
        }

        fn has_frame(&self) -> bool {
            self.has_frame
        }
    }

    /// A source of batches that come at once; it counts those that were taken.
    struct Batches {
        left: Vec<Vec<Bytes>>,
        given: mpsc::UnboundedSender<usize>,
    }

    impl Source for Batches {
        async fn next(&mut self) -> Option<Vec<Bytes>> {
            self.left.pop()
        }

        fn given(&mut self) {
            self.given.send(self.left.len()).expect("somebody counts");
        }
    }

    /// Who listens to a source, and what it hears.
    fn listening(streams: &Streams) -> (Reader, mpsc::Receiver<Bytes>) {
        let (events, lines) = mpsc::channel(1);
        let reader = Reader {
            events,
            limits: streams.limits,
            ending: streams.ending(),
            revoked: Box::pin(pending()),
            place: streams.enter(None).expect("a place"),
        };
        (reader, lines)
    }

    #[tokio::test]
    async fn a_reader_that_takes_nothing_is_let_go_with_one_line_waiting_at_most() {
        let streams = Streams::new(LIMITS);
        let (reader, mut lines) = listening(&streams);
        let telling = tell(Still { has_frame: true }, reader);
        let ended = tokio::time::timeout(Duration::from_secs(20), telling).await;
        assert!(ended.is_ok(), "it is let go");
        assert_eq!(streams.open(), 0);
        assert!(lines.recv().await.is_some());
        assert_eq!(lines.recv().await, None);
    }

    #[tokio::test]
    async fn each_batch_is_given_once_and_the_head_is_none() {
        let streams = Streams::new(StreamLimits {
            heartbeat: Duration::from_secs(60),
            stall: Duration::from_secs(60),
            ..LIMITS
        });
        let (reader, mut lines) = listening(&streams);
        let (given, mut taken) = mpsc::unbounded_channel();
        let batch = |text: &'static str| vec![Bytes::from_static(text.as_bytes()); 2];
        let left = vec![batch("second"), batch("first")];
        let telling = tokio::spawn(tell(Batches { left, given }, reader));
        assert_eq!(lines.recv().await.expect("the head"), "retry: 1000\n\n");
        assert_eq!(lines.recv().await.expect("an event"), "first");
        assert_eq!(lines.recv().await.expect("an event"), "first");
        assert_eq!(taken.recv().await, Some(1));
        assert_eq!(lines.recv().await.expect("an event"), "second");
        assert_eq!(lines.recv().await.expect("an event"), "second");
        assert_eq!(lines.recv().await, None);
        assert_eq!(taken.recv().await, Some(0));
        telling.await.expect("it ends");
    }

    #[tokio::test]
    async fn a_stream_with_a_frame_says_bye_when_the_service_ends_and_one_without_says_nothing() {
        for has_frame in [true, false] {
            let streams = Streams::new(StreamLimits {
                heartbeat: Duration::from_secs(60),
                ..LIMITS
            });
            let (reader, mut lines) = listening(&streams);
            let telling = tokio::spawn(tell(Still { has_frame }, reader));
            let mut heard = Vec::new();
            if has_frame {
                heard.push(lines.recv().await.expect("the head"));
            }
            streams.end();
            while let Some(line) = lines.recv().await {
                heard.push(line);
            }
            telling.await.expect("it ends");
            let expected: &[&str] = match has_frame {
                true => &["retry: 1000\n\n", "event: bye\ndata: {}\n\n"],
                false => &[],
            };
            assert_eq!(heard, expected);
        }
    }

    #[test]
    fn an_event_has_its_id_where_one_can_go_on_from_it() {
        assert_eq!(event(Some(7), "update", &"{}"), "id: 7\nevent: update\ndata: {}\n\n");
        assert_eq!(event(None, "gone", &"{}"), "event: gone\ndata: {}\n\n");
    }

    #[test]
    fn what_may_be_taken_for_the_end_of_a_line_is_written_as_an_escape() {
        let told = in_lines(event(Some(7), "update", &"{\"k\":\"a\u{2028}b\u{2029}\u{85}\"}"));
        assert_eq!(
            told,
            "id: 7\nevent: update\ndata: {\"k\":\"a\\u2028b\\u2029\\u0085\"}\n\n"
        );
        // Neighbours of theirs, and characters that share bytes with them.
        let others = Bytes::from("data: \u{84}\u{86}\u{2027}\u{202a}\u{205}\u{3028}é\n\n");
        assert_eq!(in_lines(others.clone()), others);
    }
}
