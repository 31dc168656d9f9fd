//! Operations: metrics, health, what the problems mean, and `GET /v1/backup`: everything, as a stream of bytes, while the service goes on.
//!
//! The bytes of a backup are read by a task of its own, a chunk ahead of whoever takes them. Invariants: a stream that did not come to its
//! end breaks off, so that no caller takes it for whole; a reader that takes nothing for a while loses its place.

use std::pin::Pin;
use std::task::Context;
use std::task::Poll;

use actix_web::HttpRequest;
use actix_web::HttpResponse;
use actix_web::body::BodySize;
use actix_web::body::MessageBody;
use actix_web::http::header;
use actix_web::web::Bytes;
use actix_web::web::Data;
use actix_web::web::Json;
use actix_web::web::Path;
use tokio::sync::mpsc;

use crate::api::problems::ProblemMeaning;
use crate::api::problems::Problems;
use crate::api::service::Alive;
use crate::api::service::OperatorReason;
use crate::api::service::Ready;
use crate::api::service::Standing;
use crate::app::application::App;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::operator::Begun;
use crate::http::answer::Answer;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::call;
use crate::http::call::Call;
use crate::http::openapi::parameters;
use crate::wire::authenticator::Health;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use store::journal::JournalFault;

/// Metrics for Prometheus
///
/// The text format of Prometheus. Whoever may inspect, or anyone where `metrics.public` says so.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "Operations",
    responses((status = 200, description = "The page.", body = String, content_type = "text/plain"))
)]
pub async fn read_metrics(request: HttpRequest, state: Data<AppState>) -> Answer {
    if !state.metrics_public && !call::caller(&state, request.headers())?.may(Permission::Inspect) {
        return Err(Problem::new(
            Code::Forbidden,
            "none of the caller's roles may read metrics",
        ));
    }
    // Ten thousand scenarios are counted for some tenths of a second: beside the worker, which answers others meanwhile.
    let census = match state.service().cloned() {
        Ok(service) => tokio::task::spawn_blocking(move || service.census())
            .await
            .map_err(ServiceError::from)?,
        Err(_starting) => Vec::new(),
    };
    let page = state.metrics.page(&census, health(&state)).map_err(|error| {
        let mut problem = Problem::new(Code::Fault, "the service failed");
        problem.inside = Some(error.into());
        problem
    })?;
    Ok(HttpResponse::Ok().content_type(prometheus::TEXT_FORMAT).body(page))
}

/// What `/readyz` would say, in numbers.
fn health(state: &AppState) -> Health {
    let service = state.service().ok();
    Health {
        ready: state.is_ready() && service.is_some_and(|service| service.lasting_fault().is_none()),
        writable: service.map(|service| service.broken().is_none()),
        read_only: service.map(App::is_read_only),
        free_bytes: service.and_then(App::free_bytes),
    }
}

/// The process answers
#[utoipa::path(
    get,
    path = "/healthz",
    tag = "Operations",
    responses((status = 200, description = "It does.", body = Alive))
)]
pub async fn read_health() -> Json<Alive> {
    Json(Alive {
        status: "ok".to_owned(),
    })
}

/// Calls should come
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "Operations",
    responses((status = 200, description = "They should; `writes` says whether they may write.", body = Ready)),
    extensions(("x-fails" = json!([Code::ShuttingDown, Code::NotReady])))
)]
pub async fn read_readiness(state: Data<AppState>) -> Result<Json<Ready>, Problem> {
    let service = state.service()?;
    if !state.is_ready() {
        return Err(Problem::new(Code::ShuttingDown, "the service is ending"));
    }
    match service.lasting_fault() {
        // The others go on, so that calls should still come; which it is stands in the metrics and in the log.
        None => {
            let some = |count: usize| Some(count as u64).filter(|count| *count > 0);
            let (stalled, left_out) = (some(service.count_stalled()), some(service.schemas_left_out()));
            let degraded = stalled.is_some() || left_out.is_some();
            Ok(Json(Ready {
                status: if degraded { "degraded" } else { "ready" }.to_owned(),
                writes: service.writing(),
                stalled_scenarios: stalled,
                schemas_left_out: left_out,
            }))
        }
        Some(JournalFault::Stalled { after_s }) => Err(Problem::new(
            Code::StoreStalled,
            format!("the store has not answered for {after_s} s; start the service again"),
        )),
        // Anyone may ask, so that what the fault says of files is for the log alone.
        Some(_) => Err(Problem::new(
            Code::NotReady,
            "the store takes no more appends (the log says why); mend that, then start the service again",
        )),
    }
}

/// Whether the service writes
#[utoipa::path(
    get,
    path = "/v1/service",
    tag = "Operator actions",
    responses((status = 200, description = "The standing.", body = Standing))
)]
pub async fn read_service(call: Call) -> Result<Json<Standing>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.standing(&call.caller)?))
}

/// Close the service for writing
///
/// Reads go on; whatever would be recorded is answered with 503 `read_only`.
#[utoipa::path(
    post,
    path = "/v1/service:read-only",
    tag = "Operator actions",
    request_body = Option<OperatorReason>,
    responses((status = 200, description = "The standing.", body = Standing)),
    extensions(("x-fails" = json!([Code::ReadOnly])))
)]
pub async fn close_service(call: Call, body: Body) -> Result<Json<Standing>, Problem> {
    set_read_only(&call, true, &body).await
}

/// Open the service for writing
#[utoipa::path(
    post,
    path = "/v1/service:read-write",
    tag = "Operator actions",
    request_body = Option<OperatorReason>,
    responses((status = 200, description = "The standing.", body = Standing)),
    extensions(("x-fails" = json!([Code::ReadOnlyBySetting, Code::ReadOnly])))
)]
pub async fn open_service(call: Call, body: Body) -> Result<Json<Standing>, Problem> {
    set_read_only(&call, false, &body).await
}

async fn set_read_only(call: &Call, close: bool, body: &Body) -> Result<Json<Standing>, Problem> {
    call.query(&[])?;
    let service = call.service()?;
    let standing = service
        .set_read_only(&call.caller, close, body.reason()?.as_deref())
        .await?;
    Ok(Json(standing))
}

/// What can go wrong
#[utoipa::path(
    get,
    path = "/problems",
    tag = "Operations",
    responses((status = 200, description = "The table of codes.", body = Problems))
)]
pub async fn list_problems() -> Json<Problems> {
    Json(Problems {
        problems: Code::ALL.iter().copied().map(ProblemMeaning::from).collect(),
    })
}

/// What one problem means
#[utoipa::path(
    get,
    path = "/problems/{code}",
    tag = "Operations",
    params(parameters::ProblemCode),
    responses((status = 200, description = "The code's row.", body = ProblemMeaning))
)]
pub async fn read_problem(code: Path<String>) -> Result<Json<ProblemMeaning>, Problem> {
    let code = Code::named(&code).ok_or_else(|| Problem::new(Code::UnknownProblem, "no problem has this code"))?;
    Ok(Json(code.into()))
}

/// Everything, as one stream
///
/// Every journal up to one moment, as `otherwise restore` reads it; the service goes on. One at a time.
#[utoipa::path(
    get,
    path = "/v1/backup",
    tag = "Operator actions",
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
