//! Operations: metrics, health, and what the problems mean.

use actix_web::HttpRequest;
use actix_web::HttpResponse;
use actix_web::web::Data;
use actix_web::web::Path;
use serde_json::Value;
use serde_json::json;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::call;
use crate::edge::http::mouth::Mouth;
use crate::edge::wire::codes::Code;
use crate::edge::wire::doors::Health;
use crate::edge::wire::error_page;
use crate::edge::wire::problem::Problem;
use crate::service::caller::Deed;
use crate::service::ports::JournalFault;

/// `GET /metrics`: the Prometheus text format.
pub async fn metrics(request: HttpRequest, mouth: Data<Mouth>) -> Answer {
    if !mouth.metrics_public && !call::caller(&mouth, &request)?.may(Deed::Inspect) {
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

/// What `/readyz` would say, in two numbers.
fn health(mouth: &Mouth) -> Health {
    let writable = mouth.service().ok().map(|service| service.broken().is_none());
    Health {
        ready: writable == Some(true) && mouth.is_ready(),
        writable,
    }
}

/// `GET /healthz`: the process answers.
pub async fn healthz() -> Answer {
    Ok(answer::document(&json!({"status": "ok"})))
}

/// `GET /readyz`: calls should come.
pub async fn readyz(mouth: Data<Mouth>) -> Answer {
    let service = mouth.service()?;
    if !mouth.is_ready() {
        return Err(Problem::new(Code::ShuttingDown, "the service is ending"));
    }
    match service.broken() {
        None => Ok(answer::document(&json!({"status": "ready"}))),
        Some(fault) => Err(unready(&fault)),
    }
}

/// A service whose store takes nothing: it still answers what only reads. Anyone may ask, so that what the fault says of
/// files is for the log alone.
fn unready(fault: &JournalFault) -> Problem {
    let what = match fault {
        JournalFault::DiskFull(_) => "the disk is full); free space, then start the service again",
        JournalFault::Busy
        | JournalFault::Moved { .. }
        | JournalFault::TooLarge { .. }
        | JournalFault::Damaged { .. }
        | JournalFault::Truncated { .. }
        | JournalFault::Store(_)
        | JournalFault::Closed => "the log says why); mend that, then start the service again",
    };
    Problem::new(Code::NotReady, format!("the store takes no more appends ({what}"))
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
