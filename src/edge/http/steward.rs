//! What was learned and why, and the operator's hand.

use actix_web::http::header;
use actix_web::http::header::HeaderValue;
use actix_web::web::Path;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::call::Call;
use crate::edge::http::reason;
use crate::edge::http::reason::reason;
use crate::edge::wire::proposals;
use crate::service::patch_action::Wanted;
use engine::evolution::hand::Hand;
use engine::evolution::hand::Scope;

/// `GET /v1/scenarios/{scenario}/pool?words=`
pub async fn pool(call: Call, scenario: Path<String>) -> Answer {
    let words = call.query(&["words"])?.flag("words")?.unwrap_or(false);
    let told = call.service()?.pool(&call.caller, &scenario, words).await?;
    Ok(answer::document(&told))
}

/// `GET /v1/scenarios/{scenario}/pool:review`
pub async fn review(call: Call, scenario: Path<String>) -> Answer {
    call.query(&[])?;
    let material = call.service()?.review_pool(&call.caller, &scenario).await?;
    Ok(answer::document(&material))
}

/// `POST /v1/scenarios/{scenario}/proposals`
pub async fn propose(call: Call, scenario: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    let Body(text) = body;
    let service = call.service()?;
    let told = proposals::told(&text)?;
    let taken = service.propose_keys(&call.caller, &scenario, told).await?;
    Ok(answer::document(&taken))
}

/// `GET /v1/scenarios/{scenario}/patches`
pub async fn patches(call: Call, scenario: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.patches(&call.caller, &scenario)?))
}

/// `GET /v1/scenarios/{scenario}/ledger`
pub async fn ledger(call: Call, scenario: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.ledger(&call.caller, &scenario)?))
}

/// `GET /v1/patches/{patch_id}`
pub async fn patch(call: Call, patch_id: Path<String>) -> Answer {
    call.query(&[])?;
    let patch = call.service()?.patch(&call.caller, &patch_id)?;
    let mut response = answer::document(&patch);
    // What `If-Match` is to name, so that nobody decides about what has changed since.
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{}\"", patch["revision"])) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    Ok(response)
}

/// `GET /v1/patches/{patch_id}/evidence`
pub async fn evidence(call: Call, patch_id: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.evidence(&call.caller, &patch_id)?))
}

/// `POST /v1/patches/{patch_id}:approve?dry_run=`
pub async fn approve(call: Call, patch_id: Path<String>, body: Body) -> Answer {
    let query = call.query(&["dry_run"])?;
    let service = call.service()?;
    let said = reason::approving(&body)?;
    let wanted = Wanted {
        edit: said.edit,
        dry_run: query.flag("dry_run")?.unwrap_or_default(),
        ..wanted(&call, Hand::Approve, said.reason)
    };
    Ok(answer::document(
        &service.operate(&call.caller, &patch_id, wanted).await?,
    ))
}

/// `POST /v1/patches/{patch_id}:reject`
pub async fn reject(call: Call, patch_id: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    let service = call.service()?;
    let said = reason::rejecting(&body)?;
    let wanted = Wanted {
        scope: said.scope,
        ..wanted(&call, Hand::Reject, said.reason)
    };
    Ok(answer::document(
        &service.operate(&call.caller, &patch_id, wanted).await?,
    ))
}

/// `POST /v1/patches/{patch_id}:promote`
pub async fn promote(call: Call, patch_id: Path<String>, body: Body) -> Answer {
    operate(&call, &patch_id, Hand::Promote, &body).await
}

/// `POST /v1/patches/{patch_id}:demote`
pub async fn demote(call: Call, patch_id: Path<String>, body: Body) -> Answer {
    operate(&call, &patch_id, Hand::Demote, &body).await
}

/// `POST /v1/patches/{patch_id}:deprecate`
pub async fn deprecate(call: Call, patch_id: Path<String>, body: Body) -> Answer {
    operate(&call, &patch_id, Hand::Deprecate, &body).await
}

/// `POST /v1/patches/{patch_id}:withdraw`
pub async fn withdraw(call: Call, patch_id: Path<String>, body: Body) -> Answer {
    operate(&call, &patch_id, Hand::Withdraw, &body).await
}

/// `POST /v1/patches/{patch_id}:restore`
pub async fn restore(call: Call, patch_id: Path<String>, body: Body) -> Answer {
    operate(&call, &patch_id, Hand::Restore, &body).await
}

async fn operate(call: &Call, patch_id: &str, hand: Hand, body: &Body) -> Answer {
    call.query(&[])?;
    let service = call.service()?;
    let wanted = wanted(call, hand, reason(body)?);
    Ok(answer::document(
        &service.operate(&call.caller, patch_id, wanted).await?,
    ))
}

/// A hand with what the call says beside its body.
fn wanted(call: &Call, hand: Hand, reason: Option<String>) -> Wanted {
    Wanted {
        hand,
        reason,
        edit: None,
        scope: Scope::default(),
        seen: call.seen(),
        dry_run: false,
    }
}

/// `GET /v1/approvals?limit=&after=`
pub async fn approvals(call: Call) -> Answer {
    let query = call.query(&["limit", "after"])?;
    let page = call
        .service()?
        .approvals(&call.caller, query.number("limit")?, query.text("after"))?;
    Ok(answer::document(&page))
}

/// `POST /v1/scenarios/{scenario}:freeze`
pub async fn freeze(call: Call, scenario: Path<String>, body: Body) -> Answer {
    turn(&call, &scenario, true, &body).await
}

/// `POST /v1/scenarios/{scenario}:thaw`
pub async fn thaw(call: Call, scenario: Path<String>, body: Body) -> Answer {
    turn(&call, &scenario, false, &body).await
}

async fn turn(call: &Call, scenario: &str, stop: bool, body: &Body) -> Answer {
    call.query(&[])?;
    let service = call.service()?;
    let turned = service
        .freeze(&call.caller, scenario, stop, reason(body)?.as_deref())
        .await?;
    Ok(answer::document(&turned))
}
