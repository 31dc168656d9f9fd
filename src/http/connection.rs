//! A connection whose offers to speak another protocol are passed over (RFC 9110 §7.8: a server may ignore them).
//!
//! actix answers `Connection: Upgrade` with the same and closes, whatever is offered: clients that offer `h2c` with every request,
//! as Java's does, lose requests by that. Where such an offer stands in the head of a request, one letter of it is overwritten
//! before actix reads it. Invariant: only heads are changed, and only there; where it is not certain that a head begins, the rest
//! of the connection is passed through as it comes.

use std::io::Result;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;

use actix_web::rt::net::TcpStream;
use tokio::io::AsyncRead;
use tokio::io::AsyncWrite;
use tokio::io::ReadBuf;

/// A line of a head is looked at up to here: what frames a request and what offers another protocol is far shorter.
const LINE_BYTES_MAX: usize = 1024;

/// What stands in the place of an offer's last letter: a token of no meaning.
const BLANK: u8 = b'-';

/// A connection as actix reads it.
pub struct Connection {
    stream: TcpStream,
    requests: Requests,
}

impl Connection {
    /// A connection that has just been accepted.
    pub fn new(stream: TcpStream) -> Connection {
        Connection {
            stream,
            requests: Requests::default(),
        }
    }

    /// What it reads from and writes to.
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }
}

impl AsyncRead for Connection {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        let connection = self.get_mut();
        let held = buffer.filled().len();
        let read = Pin::new(&mut connection.stream).poll_read(context, buffer);
        if let Some(new) = buffer.filled_mut().get_mut(held..) {
            connection.requests.pass(new);
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

/// What the next byte of a connection belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    RequestLine,
    Header,
    /// So many bytes of a body of known length are left.
    Body(u64),
    ChunkSize,
    /// So many bytes of a chunk are left, with the end of its line.
    Chunk(u64),
    Trailer,
    /// Where heads begin is not known any more.
    Unknown,
}

/// How the head that is being read says that its body is framed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Framing {
    #[default]
    None,
    Length(u64),
    Chunked,
    /// In a way that is not read here.
    Unclear,
}

/// The requests of one connection, byte by byte.
#[derive(Debug, Default)]
struct Requests {
    place: Place,
    framing: Framing,
    /// The line so far, as far as it is looked at.
    line: Vec<u8>,
    is_cut: bool,
}

impl Requests {
    /// Takes note of what came, and blanks what offers another protocol.
    fn pass(&mut self, bytes: &mut [u8]) {
        let mut at = 0;
        while at < bytes.len() {
            match self.place {
                Place::Unknown => return,
                Place::Body(left) | Place::Chunk(left) => {
                    let passed = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len() - at);
                    let left = left - passed as u64;
                    self.place = match self.place {
                        Place::Body(_) if left == 0 => Place::RequestLine,
                        Place::Body(_) => Place::Body(left),
                        _ if left == 0 => Place::ChunkSize,
                        _ => Place::Chunk(left),
                    };
                    at += passed;
                }
                Place::RequestLine | Place::Header | Place::ChunkSize | Place::Trailer => {
                    self.pass_one(&mut bytes[at]);
                    at += 1;
                }
            }
        }
    }

    /// Takes one byte of a line.
    fn pass_one(&mut self, byte: &mut u8) {
        if *byte == b'\n' {
            self.end_line();
        } else if self.line.len() == LINE_BYTES_MAX {
            self.is_cut = true;
        } else {
            self.line.push(*byte);
            if self.place == Place::Header && offers_another(&self.line) {
                *byte = BLANK;
            }
        }
    }

    fn end_line(&mut self) {
        let line = self.line.strip_suffix(b"\r").unwrap_or(&self.line);
        self.place = match self.place {
            // Blank lines before a request are passed over.
            Place::RequestLine if line.is_empty() => Place::RequestLine,
            Place::RequestLine => {
                // An older version frames bodies otherwise, and after CONNECT there are no requests.
                let plain = !self.is_cut && line.ends_with(b" HTTP/1.1") && !line.starts_with(b"CONNECT ");
                self.framing = if plain { Framing::None } else { Framing::Unclear };
                Place::Header
            }
            Place::Header if line.is_empty() => match self.framing {
                Framing::None | Framing::Length(0) => Place::RequestLine,
                Framing::Length(length) => Place::Body(length),
                Framing::Chunked => Place::ChunkSize,
                Framing::Unclear => Place::Unknown,
            },
            Place::Header => {
                self.framing = framed(self.framing, line, self.is_cut);
                Place::Header
            }
            Place::ChunkSize => match chunk_size(line) {
                Some(0) => Place::Trailer,
                // The end of the line after it belongs to it.
                Some(size) => size.checked_add(2).map_or(Place::Unknown, Place::Chunk),
                None => Place::Unknown,
            },
            Place::Trailer if line.is_empty() => Place::RequestLine,
            Place::Trailer => Place::Trailer,
            other @ (Place::Body(_) | Place::Chunk(_) | Place::Unknown) => other,
        };
        self.line.clear();
        self.is_cut = false;
    }
}

/// Name and value of a header's line, as far as it has come.
fn header(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let (name, value) = line.split_at(colon);
    Some((name, value.get(1..)?.trim_ascii()))
}

/// Whether the last token of a line makes it an offer of another protocol.
fn offers_another(line: &[u8]) -> bool {
    // Most bytes are none that one of them ends with.
    if !matches!(line, [b'c' | b'C' | b'u' | b'U', .., b'e' | b'E' | b't' | b'T']) {
        return false;
    }
    let Some((name, value)) = header(line) else {
        return false;
    };
    let last = value
        .rsplit(|byte| *byte == b',')
        .next()
        .unwrap_or_default()
        .trim_ascii();
    (name.eq_ignore_ascii_case(b"connection") && last.eq_ignore_ascii_case(b"upgrade"))
        || (name.eq_ignore_ascii_case(b"upgrade") && last.eq_ignore_ascii_case(b"websocket"))
}

/// What a header adds to what is known of the framing. Whatever actix refuses may be anything here: the connection ends with it.
fn framed(framing: Framing, line: &[u8], is_cut: bool) -> Framing {
    let Some((name, value)) = header(line) else {
        return framing;
    };
    if name.eq_ignore_ascii_case(b"transfer-encoding") {
        let chunked = value.eq_ignore_ascii_case(b"chunked") && framing != Framing::Unclear;
        return if chunked && !is_cut {
            Framing::Chunked
        } else {
            Framing::Unclear
        };
    }
    if !name.eq_ignore_ascii_case(b"content-length") {
        return framing;
    }
    let length = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
    match (framing, length) {
        (Framing::None, Some(length)) if !is_cut => Framing::Length(length),
        // Chunks frame it then, whatever length is said.
        (Framing::Chunked, Some(_)) => Framing::Chunked,
        (Framing::None | Framing::Length(_) | Framing::Chunked | Framing::Unclear, _) => Framing::Unclear,
    }
}

/// The size of a chunk, without what may stand behind it.
fn chunk_size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|byte| *byte == b';').next()?.trim_ascii();
    let text = std::str::from_utf8(digits).ok()?;
    u64::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::LINE_BYTES_MAX;
    use super::Requests;

    /// What actix reads of it, whether it comes at once or byte by byte.
    fn read(sent: &str) -> String {
        let mut whole = sent.as_bytes().to_vec();
        Requests::default().pass(&mut whole);
        let mut pieces = sent.as_bytes().to_vec();
        let mut requests = Requests::default();
        pieces.chunks_mut(1).for_each(|piece| requests.pass(piece));
        assert_eq!(whole, pieces, "in pieces");
        String::from_utf8(whole).expect("text")
    }

    const OFFER: &str = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";
    const PASSED_OVER: &str = "Connection: Upgrad-, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";

    #[test]
    fn an_offer_is_blanked_in_every_head_and_nothing_else_is_changed() {
        let body = "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n";
        let request = |offer: &str| {
            format!(
                "POST /v1/submissions HTTP/1.1\r\nHost: x\r\n{offer}Content-Length: {}\r\n\r\n{body}",
                body.len()
            )
        };
        let chunked = |offer: &str| {
            format!(
                "POST / HTTP/1.1\r\n{offer}transfer-encoding: Chunked\r\n\r\n{:x};a=b\r\n{body}\r\n0\r\nUpgrade: websocket\r\n\r\n",
                body.len()
            )
        };
        let empty = |offer: &str| format!("\r\nGET / HTTP/1.1\r\n{offer}content-length:0\r\n\r\n");
        let all = |offer: &str| {
            [
                request(offer),
                chunked(offer),
                empty(offer),
                request(offer),
                empty(offer),
            ]
            .concat()
        };
        assert_eq!(read(&all(OFFER)), all(PASSED_OVER));
        let socket = |last: &str, kind: &str| {
            all(&format!(
                "connection:keep-alive,upgrad{last}\r\nUPGRADE: websocke{kind}\r\n"
            ))
        };
        assert_eq!(read(&socket("e", "t")), socket("-", "-"));
    }

    #[test]
    fn what_offers_nothing_stays_as_it_is() {
        for line in [
            "Connection: keep-alive",
            "Connection: close",
            "Upgrade-Insecure-Requests: 1",
            "Upgrade: h2c",
            "X-Connection: upgrade",
            "Cookie: upgrade",
        ] {
            let sent = format!("GET /upgrade HTTP/1.1\r\n{line}\r\n\r\n");
            assert_eq!(read(&sent), sent);
        }
    }

    #[test]
    fn where_a_head_may_not_begin_everything_passes() {
        let next = format!("GET / HTTP/1.1\r\n{OFFER}\r\n");
        for unclear in [
            "POST / HTTP/1.0\r\nContent-Length: 1\r\n\r\n",
            "CONNECT x:1 HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: one\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        ] {
            let sent = format!("{unclear}{next}");
            assert_eq!(read(&sent), sent);
        }
        let long = |length: usize| {
            format!(
                "GET /{} HTTP/1.1\r\n\r\n",
                "x".repeat(length - "GET / HTTP/1.1\r".len())
            )
        };
        let at = long(LINE_BYTES_MAX);
        assert_ne!(read(&format!("{at}{next}")), format!("{at}{next}"));
        let beyond = long(LINE_BYTES_MAX + 1);
        assert_eq!(read(&format!("{beyond}{next}")), format!("{beyond}{next}"));
    }
}
