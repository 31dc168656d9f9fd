//! Connections that are held: who has said nothing for longest goes first, so that idle ones keep nobody out.
//!
//! Knows no request: a connection is answering or idle. What is idle is closed for reading alone, so that an answer that is still on its
//! way goes out whole. Invariant: none that is answering is closed.

use std::collections::BTreeMap;
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::task::Context;
use std::task::Poll;
use std::time::Instant;

use actix_web::body::BodySize;
use actix_web::body::BoxBody;
use actix_web::body::MessageBody;
use actix_web::web::Bytes;
use socket2::SockRef;

/// Those of one listener.
#[derive(Debug)]
pub struct Connections {
    /// How many are held before an idle one has to go.
    max: usize,
    began: Instant,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    next: u64,
    by_number: BTreeMap<u64, Arc<Line>>,
}

/// One connection as all threads see it.
#[derive(Debug)]
struct Line {
    /// A handle of its own: closing it closes nothing, and no other connection takes its number while it is here.
    stream: OwnedFd,
    /// Requests that are being answered.
    answering: AtomicUsize,
    /// Milliseconds since the listener began.
    idle_since: AtomicU64,
    is_leaving: AtomicBool,
}

/// A connection as its thread holds it; it is forgotten with it.
#[derive(Debug)]
pub struct Connection {
    connections: Arc<Connections>,
    number: u64,
    line: Arc<Line>,
}

/// A request that is being answered.
#[derive(Debug)]
pub struct Answering {
    connections: Arc<Connections>,
    line: Arc<Line>,
}

impl Connections {
    /// So many are held before idle ones go.
    pub fn at_most(max: usize) -> Arc<Connections> {
        Arc::new(Connections {
            max,
            began: Instant::now(),
            held: Mutex::default(),
        })
    }

    /// Takes note of a new connection; where there are too many, that which has been idle for longest is closed. `None` where the
    /// system has no handle left: then it is served all the same.
    pub fn enter(self: &Arc<Self>, stream: &impl AsFd) -> Option<Connection> {
        let line = Arc::new(Line {
            stream: stream.as_fd().try_clone_to_owned().ok()?,
            answering: AtomicUsize::new(0),
            idle_since: AtomicU64::new(self.now_ms()),
            is_leaving: AtomicBool::new(false),
        });
        let mut held = self.held();
        let number = held.next;
        held.next += 1;
        if held.by_number.len() >= self.max {
            let idle = held.by_number.values().filter(|line| line.is_idle());
            if let Some(longest) = idle.min_by_key(|line| line.idle_since.load(Ordering::SeqCst)) {
                longest.leave();
            }
        }
        held.by_number.insert(number, Arc::clone(&line));
        Some(Connection {
            connections: Arc::clone(self),
            number,
            line,
        })
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    fn is_idle(&self) -> bool {
        self.answering.load(Ordering::SeqCst) == 0 && !self.is_leaving.load(Ordering::SeqCst)
    }

    /// Says to its thread that no more comes.
    fn leave(&self) {
        self.is_leaving.store(true, Ordering::SeqCst);
        if let Err(error) = SockRef::from(&self.stream).shutdown(Shutdown::Read) {
            tracing::debug!(%error, "an idle connection is gone already");
        }
    }
}

impl Connection {
    /// A request of it is answered as long as this is kept.
    pub fn answer(&self) -> Answering {
        self.line.answering.fetch_add(1, Ordering::SeqCst);
        Answering {
            connections: Arc::clone(&self.connections),
            line: Arc::clone(&self.line),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.connections.held().by_number.remove(&self.number);
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.line.idle_since.store(self.connections.now_ms(), Ordering::SeqCst);
        self.line.answering.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A body that goes out, however long that takes.
pub struct GoingOut {
    pub body: BoxBody,
    pub answering: Answering,
}

impl MessageBody for GoingOut {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(context)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;
    use std::net::TcpStream;
    use std::thread::sleep;
    use std::time::Duration;

    use super::Connections;

    /// Both ends of a connection.
    fn pair(listener: &TcpListener) -> (TcpStream, TcpStream) {
        let address = listener.local_addr().expect("an address");
        let near = TcpStream::connect(address).expect("connected");
        (near, listener.accept().expect("accepted").0)
    }

    fn is_over(far: &mut TcpStream) -> bool {
        far.set_nonblocking(true).expect("set");
        far.read(&mut [0]).is_ok_and(|bytes| bytes == 0)
    }

    #[test]
    fn who_is_idle_for_longest_goes_and_nobody_who_is_being_answered() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let connections = Connections::at_most(3);
        let mut near: Vec<TcpStream> = Vec::new();
        let mut far: Vec<TcpStream> = Vec::new();
        let mut held = Vec::new();
        for _ in 0..3 {
            let (one, other) = pair(&listener);
            held.push(connections.enter(&other).expect("a handle"));
            near.push(one);
            far.push(other);
            sleep(Duration::from_millis(3));
        }
        let answering = held[0].answer();
        drop(held[1].answer());
        let (_one, other) = pair(&listener);
        let fourth = connections.enter(&other).expect("a handle");
        let over = |far: &mut Vec<TcpStream>| far.iter_mut().map(is_over).collect::<Vec<_>>();
        assert_eq!(
            over(&mut far),
            [false, false, true],
            "the third has been idle for longest"
        );
        held.pop();
        drop(fourth);
        let fourth = connections.enter(&other).expect("a handle");
        assert_eq!(over(&mut far), [false, false, true], "there is room again");
        let _busy = (held[1].answer(), fourth.answer());
        drop(answering);
        let _fifth = connections.enter(&other).expect("a handle");
        assert_eq!(over(&mut far), [true, false, true], "the first is idle now");
    }
}
