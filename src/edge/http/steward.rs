//! What was learned and why, and the operator's hand.

use actix_web::web::Path;

use crate::domain::scenario::command::Hand;
use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::call::Call;

/// `GET /v1/scenarios/{scenario}/pool`
pub async fn pool(call: Call, scenario: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.pool(&call.caller, &scenario)?))
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
    Ok(answer::document(&call.service()?.patch(&call.caller, &patch_id)?))
}

/// `GET /v1/patches/{patch_id}/evidence`
pub async fn evidence(call: Call, patch_id: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.evidence(&call.caller, &patch_id)?))
}

/// `POST /v1/patches/{patch_id}:approve`
pub async fn approve(call: Call, patch_id: Path<String>) -> Answer {
    operate(&call, &patch_id, Hand::Approve).await
}

/// `POST /v1/patches/{patch_id}:reject`
pub async fn reject(call: Call, patch_id: Path<String>) -> Answer {
    operate(&call, &patch_id, Hand::Reject).await
}

/// `POST /v1/patches/{patch_id}:promote`
pub async fn promote(call: Call, patch_id: Path<String>) -> Answer {
    operate(&call, &patch_id, Hand::Promote).await
}

/// `POST /v1/patches/{patch_id}:deprecate`
pub async fn deprecate(call: Call, patch_id: Path<String>) -> Answer {
    operate(&call, &patch_id, Hand::Deprecate).await
}

/// `POST /v1/patches/{patch_id}:withdraw`
pub async fn withdraw(call: Call, patch_id: Path<String>) -> Answer {
    operate(&call, &patch_id, Hand::Withdraw).await
}

/// `POST /v1/patches/{patch_id}:restore`
pub async fn restore(call: Call, patch_id: Path<String>) -> Answer {
    operate(&call, &patch_id, Hand::Restore).await
}

async fn operate(call: &Call, patch_id: &str, hand: Hand) -> Answer {
    call.query(&[])?;
    let patch = call.service()?.operate(&call.caller, patch_id, hand).await?;
    Ok(answer::document(&patch))
}
