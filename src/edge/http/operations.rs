//! Operations: metrics, health, and what the problems mean.

use actix_web::HttpRequest;
use actix_web::HttpResponse;
use actix_web::web::Data;
use actix_web::web::Path;
use serde_json::Value;
use serde_json::json;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::call;
use crate::edge::http::call::Call;
use crate::edge::http::mouth::Mouth;
use crate::edge::http::reason::reason;
use crate::edge::wire::codes::Code;
use crate::edge::wire::doors::Health;
use crate::edge::wire::error_page;
use crate::edge::wire::problem::Problem;
use crate::service::app::App;
use crate::service::caller::Permission;
use store::journal::JournalFault;

/// `GET /metrics`: the Prometheus text format.
pub async fn metrics(request: HttpRequest, mouth: Data<Mouth>) -> Answer {
    if !mouth.metrics_public && !call::caller(&mouth, request.headers())?.may(Permission::Inspect) {
        return Err(Problem::new(
            Code::Forbidden,
            "none of the caller's roles may read metrics",
        ));
    }
    let census = mouth.service().map(|service| service.census()).unwrap_or_default();
    let page = mouth.metrics.page(&census, health(&mouth)).map_err(|error| {
        let mut problem = Problem::new(Code::Fault, "the service failed");
        problem.inside = Some(error.into());
        problem
    })?;
    Ok(HttpResponse::Ok().content_type(prometheus::TEXT_FORMAT).body(page))
}

/// What `/readyz` would say, in numbers.
fn health(mouth: &Mouth) -> Health {
    let service = mouth.service().ok();
    Health {
        ready: mouth.is_ready() && service.is_some_and(|service| lasting(service).is_none()),
        writable: service.map(|service| service.broken().is_none()),
        read_only: service.map(App::is_read_only),
        free_bytes: service.and_then(App::free_bytes),
    }
}

/// Why nothing will be recorded until the service is started again. A full disk passes by itself, and reads go on
/// meanwhile, so that calls should still come.
fn lasting(service: &App) -> Option<JournalFault> {
    service
        .broken()
        .filter(|fault| !matches!(fault, JournalFault::DiskFull(_)))
}

/// `GET /healthz`: the process answers.
pub async fn healthz() -> Answer {
    Ok(answer::document(&json!({"status": "ok"})))
}

/// `GET /readyz`: calls should come; `writes` says whether they may write. `degraded` where scenarios learn nothing.
pub async fn readyz(mouth: Data<Mouth>) -> Answer {
    let service = mouth.service()?;
    if !mouth.is_ready() {
        return Err(Problem::new(Code::ShuttingDown, "the service is ending"));
    }
    match lasting(service) {
        None => Ok(answer::document(&match service.count_stalled() {
            0 => json!({"status": "ready", "writes": service.writing()}),
            // The others go on, so that calls should still come; which it is stands in the metrics and in the log.
            stalled => json!({"status": "degraded", "writes": service.writing(), "stalled_scenarios": stalled}),
        })),
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

/// `GET /v1/service`: whether it writes, and who closed it.
pub async fn standing(call: Call) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.standing(&call.caller)?))
}

/// `POST /v1/service:read-only`
pub async fn read_only(call: Call, body: Body) -> Answer {
    set_read_only(&call, true, &body).await
}

/// `POST /v1/service:read-write`
pub async fn read_write(call: Call, body: Body) -> Answer {
    set_read_only(&call, false, &body).await
}

async fn set_read_only(call: &Call, close: bool, body: &Body) -> Answer {
    call.query(&[])?;
    let service = call.service()?;
    let standing = service
        .set_read_only(&call.caller, close, reason(body)?.as_deref())
        .await?;
    Ok(answer::document(&standing))
}

/// `GET /problems`: the whole table.
pub async fn problems() -> Answer {
    let all: Vec<Value> = Code::ALL.iter().map(|code| error_page::document(*code)).collect();
    Ok(answer::document(&json!({"problems": all})))
}

/// `GET /problems/{code}`: what one problem means.
pub async fn problem(code: Path<String>) -> Answer {
    let code = Code::named(&code).ok_or_else(|| Problem::new(Code::UnknownProblem, "no problem has this code"))?;
    Ok(answer::document(&error_page::document(code)))
}
