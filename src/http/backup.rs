//! `GET /v1/backup`: everything, as a stream of bytes, while the service goes on.
//!
//! The bytes are read by a task of its own, a chunk ahead of whoever takes them. Invariants: a stream that did not come to
//! its end breaks off, so that no caller takes it for whole; a reader that takes nothing for a while loses its place.

use std::pin::Pin;
use std::task::Context;
use std::task::Poll;

use actix_web::HttpResponse;
use actix_web::body::BodySize;
use actix_web::body::MessageBody;
use actix_web::http::header;
use actix_web::web::Bytes;
use tokio::sync::mpsc;

use crate::app::application::App;
use crate::app::backup::Begun;
use crate::http::answer::Answer;
use crate::http::call::Call;
use crate::wire::codes::Code;

/// Everything, as one stream
///
/// Every journal up to one moment, as `otherwise restore` reads it; the service goes on. One at a time.
#[utoipa::path(
    get,
    path = "/v1/backup",
    tag = "The operator's hand",
    responses((status = 200, description = "The backup.", content(("application/octet-stream")))),
    extensions(("x-fails" = json!([Code::Busy, Code::ShuttingDown])))
)]
pub async fn read_backup(call: Call) -> Answer {
    call.query(&[])?;
    let service = call.service()?.clone();
    let begun = service.backup(&call.caller)?;
    let mut response = HttpResponse::Ok();
    response
        .content_type("application/octet-stream")
        .insert_header((header::CONTENT_DISPOSITION, "attachment; filename=\"otherwise.backup\""));
    if call.is_head() {
        return Ok(response.finish());
    }
    let (sender, parts) = mpsc::channel(1);
    tokio::spawn(produce(service, begun, sender));
    Ok(response.body(Stream { parts, ended: false }))
}

/// What comes next.
enum Next {
    Bytes(Vec<u8>),
    /// Everything came before.
    End,
}

/// Reads ahead, until everything was taken, the store fails, or nobody takes what was read.
async fn produce(service: App, begun: Begun, sender: mpsc::Sender<Next>) {
    let Begun {
        mut backup,
        patience,
        place: _place,
    } = begun;
    loop {
        let read = tokio::task::spawn_blocking(move || {
            let chunk = backup.chunk();
            (backup, chunk)
        });
        let Ok((held, chunk)) = read.await else { return };
        backup = held;
        let next = match chunk {
            Ok(Some(bytes)) => Next::Bytes(bytes),
            Ok(None) => Next::End,
            Err(fault) => {
                tracing::error!(%fault, "a backup broke off");
                return;
            }
        };
        let over = matches!(next, Next::End);
        match sender.send_timeout(next, patience).await {
            Ok(()) if over => {
                service.backed_up();
                return;
            }
            Ok(()) => {}
            Err(mpsc::error::SendTimeoutError::Timeout(_)) => {
                tracing::warn!("a backup broke off: its reader took nothing for too long (service.backup_stall_s)");
                return;
            }
            Err(mpsc::error::SendTimeoutError::Closed(_)) => {
                tracing::warn!("a backup broke off: its reader went away");
                return;
            }
        }
    }
}

/// The body of the answer.
struct Stream {
    parts: mpsc::Receiver<Next>,
    ended: bool,
}

impl MessageBody for Stream {
    type Error = std::io::Error;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        self.parts.poll_recv(context).map(|next| match next {
            Some(Next::Bytes(bytes)) => Some(Ok(Bytes::from(bytes))),
            Some(Next::End) => {
                self.ended = true;
                None
            }
            None => {
                self.ended = true;
                Some(Err(std::io::Error::other("the backup broke off")))
            }
        })
    }
}
