//! What was learned and why, and the operator's hand.

use actix_web::CustomizeResponder;
use actix_web::Responder;
use actix_web::http::header;
use actix_web::web::Json;
use actix_web::web::Path;

use crate::api::approvals::Approvals;
use crate::api::evolution::Approved;
use crate::api::evolution::Approving;
use crate::api::evolution::Evidence;
use crate::api::evolution::Ledger;
use crate::api::evolution::Rejecting;
use crate::api::pool::Pool;
use crate::api::scenarios::Freezing;
use crate::api::service::OperatorReason;
use crate::api::templates::Patch;
use crate::api::templates::Patches;
use crate::api::wishes::PoolReview;
use crate::api::wishes::ReaderAnswer;
use crate::api::wishes::Taken;
use crate::app::patch_action::Wanted;
use crate::app::pool_review::Told;
use crate::http::answer;
use crate::http::answer::Answer;
use crate::http::body::Body;
use crate::http::call::Call;
use crate::http::openapi::parameters;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use engine::evolution::operator_action::OperatorAction;
use engine::evolution::operator_action::Scope;

/// Why an operator's action on a patch fails, whichever it is.
const ACTION_FAILS: [Code; 5] = [
    Code::UnknownPatch,
    Code::StageForbids,
    Code::PatchMoved,
    Code::LimitReached,
    Code::ReadOnly,
];

/// What no key holds
///
/// The pool of a scenario: clusters of what is said in `other`, with their heat, hottest first.
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/pool",
    tag = "What was learned",
    params(parameters::Scenario, parameters::Words),
    responses((status = 200, description = "The pool.", body = Pool)),
    extensions(("x-fails" = json!([Code::UnknownScenario])))
)]
pub async fn read_pool(call: Call, scenario: Path<String>) -> Result<Json<Pool>, Problem> {
    let words = call.query(&["words"])?.flag("words")?.unwrap_or(false);
    Ok(Json(call.service()?.pool(&call.caller, &scenario, words).await?))
}

/// What a reader is given
///
/// What clients said that no key holds, each text with an id, for whoever reads it and says which wishes there are. What
/// is personal is masked, what tells a secret is left out, and no client is named.
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/pool:review",
    tag = "What was learned",
    params(parameters::Scenario),
    responses(
        (status = 200, description = "The material, what to do with it, and the schema of the answer.", body = PoolReview),
    ),
    extensions(("x-fails" = json!([Code::UnknownScenario, Code::NoReader])))
)]
pub async fn review_pool(call: Call, scenario: Path<String>) -> Result<Json<PoolReview>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.review_pool(&call.caller, &scenario).await?))
}

/// Say which wishes there are
///
/// A reader's answer. Heat, clients and shares are counted from the ids, so that no answer opens a gate; a word that
/// fewer clients said than `policy.evolution.example_clients_min` is refused; what is sensitive waits for a person; a
/// publisher's key is not touched.
#[utoipa::path(
    post,
    path = "/v1/scenarios/{scenario}/proposals",
    tag = "What was learned",
    params(parameters::Scenario),
    request_body = ReaderAnswer,
    responses((status = 200, description = "What of it holds.", body = Taken)),
    extensions(("x-fails" = json!([Code::UnknownScenario, Code::NoReader, Code::ReadOnly])))
)]
pub async fn propose_keys(call: Call, scenario: Path<String>, body: Body) -> Result<Json<Taken>, Problem> {
    call.query(&[])?;
    let told = body.read(Told::FORM)?;
    Ok(Json(call.service()?.propose_keys(&call.caller, &scenario, told).await?))
}

/// Every patch of a scenario
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/patches",
    tag = "What was learned",
    params(parameters::Scenario),
    responses((status = 200, description = "The patches, whatever their stage.", body = Patches)),
    extensions(("x-fails" = json!([Code::UnknownScenario])))
)]
pub async fn list_patches(call: Call, scenario: Path<String>) -> Result<Json<Patches>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.patches(&call.caller, &scenario)?))
}

/// How learned keys are used
///
/// Usage, alignment, type correctness and adoption of each key over 30 days.
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/ledger",
    tag = "What was learned",
    params(parameters::Scenario),
    responses((status = 200, description = "The ledger.", body = Ledger)),
    extensions(("x-fails" = json!([Code::UnknownScenario])))
)]
pub async fn read_ledger(call: Call, scenario: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.ledger(&call.caller, &scenario)?))
}

/// One patch
///
/// A patch for another client is 404 to a client.
#[utoipa::path(
    get,
    path = "/v1/patches/{patch_id:[^/:]+}",
    tag = "What was learned",
    params(parameters::PatchId),
    responses((status = 200, description = "The patch.", body = Patch, headers(("ETag")))),
    extensions(("x-fails" = json!([Code::UnknownPatch])))
)]
pub async fn read_patch(call: Call, patch_id: Path<String>) -> Result<CustomizeResponder<Json<Patch>>, Problem> {
    call.query(&[])?;
    let patch = call.service()?.patch(&call.caller, &patch_id)?;
    // What `If-Match` is to name, so that nobody decides about what has changed since.
    let tag = format!("\"{}\"", patch.revision);
    Ok(Json(patch).customize().insert_header((header::ETAG, tag)))
}

/// What a patch rests on
#[utoipa::path(
    get,
    path = "/v1/patches/{patch_id}/evidence",
    tag = "What was learned",
    params(parameters::PatchId),
    responses((status = 200, description = "Examples, heat, gate, ledger and history.", body = Evidence)),
    extensions(("x-fails" = json!([Code::UnknownPatch])))
)]
pub async fn read_evidence(call: Call, patch_id: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.evidence(&call.caller, &patch_id)?))
}

/// Put what waits on trial
///
/// With `edit`, the key goes on trial as edited; evidence keeps both. `dry_run` writes nothing.
#[utoipa::path(
    post,
    path = "/v1/patches/{patch_id}:approve",
    tag = "The operator's hand",
    params(parameters::PatchId, parameters::IfMatch, parameters::DryRun),
    request_body = Option<Approving>,
    responses(
        (status = 200, description = "The patch in its new stage; of an edit or a dry run, with what came of it.", body = Approved),
    ),
    extensions(("x-fails" = json!([
        Code::UnknownPatch, Code::StageForbids, Code::NameTaken, Code::PatchMoved, Code::UnfitKey,
        Code::LimitReached, Code::ReadOnly,
    ])))
)]
pub async fn approve_patch(call: Call, patch_id: Path<String>, body: Body) -> Result<Json<Approved>, Problem> {
    let query = call.query(&["dry_run"])?;
    let service = call.service()?;
    let said: Approving = body.read_or_default(r#"{"edit": {…}, "reason": "text"}"#)?;
    let wanted = Wanted {
        edit: said.edit,
        dry_run: query.flag("dry_run")?.unwrap_or_default(),
        ..wanted(&call, OperatorAction::Approve, said.reason)
    };
    Ok(Json(service.operate(&call.caller, &patch_id, wanted).await?))
}

/// Refuse what waits
#[utoipa::path(
    post,
    path = "/v1/patches/{patch_id}:reject",
    tag = "The operator's hand",
    params(parameters::PatchId, parameters::IfMatch),
    request_body = Option<Rejecting>,
    responses((status = 200, description = "The patch in its new stage.", body = Patch)),
    extensions(("x-fails" = json!(ACTION_FAILS)))
)]
pub async fn reject_patch(call: Call, patch_id: Path<String>, body: Body) -> Result<Json<Approved>, Problem> {
    call.query(&[])?;
    let service = call.service()?;
    let said: Rejecting = body.read_or_default(r#"{"scope": "demand" | "key", "reason": "text"}"#)?;
    let wanted = Wanted {
        scope: said.scope,
        ..wanted(&call, OperatorAction::Reject, said.reason)
    };
    Ok(Json(service.operate(&call.caller, &patch_id, wanted).await?))
}

/// Make a key on trial stable
#[utoipa::path(
    post,
    path = "/v1/patches/{patch_id}:promote",
    tag = "The operator's hand",
    params(parameters::PatchId, parameters::IfMatch),
    request_body = Option<OperatorReason>,
    responses((status = 200, description = "The patch in its new stage.", body = Patch)),
    extensions(("x-fails" = json!(ACTION_FAILS)))
)]
pub async fn promote_patch(call: Call, patch_id: Path<String>, body: Body) -> Result<Json<Approved>, Problem> {
    operate(&call, &patch_id, OperatorAction::Promote, &body).await
}

/// Put a stable key on trial again
#[utoipa::path(
    post,
    path = "/v1/patches/{patch_id}:demote",
    tag = "The operator's hand",
    params(parameters::PatchId, parameters::IfMatch),
    request_body = Option<OperatorReason>,
    responses((status = 200, description = "The patch in its new stage.", body = Patch)),
    extensions(("x-fails" = json!(ACTION_FAILS)))
)]
pub async fn demote_patch(call: Call, patch_id: Path<String>, body: Body) -> Result<Json<Approved>, Problem> {
    operate(&call, &patch_id, OperatorAction::Demote, &body).await
}

/// Announce that a key will go
#[utoipa::path(
    post,
    path = "/v1/patches/{patch_id}:deprecate",
    tag = "The operator's hand",
    params(parameters::PatchId, parameters::IfMatch),
    request_body = Option<OperatorReason>,
    responses((status = 200, description = "The patch in its new stage.", body = Patch)),
    extensions(("x-fails" = json!(ACTION_FAILS)))
)]
pub async fn deprecate_patch(call: Call, patch_id: Path<String>, body: Body) -> Result<Json<Approved>, Problem> {
    operate(&call, &patch_id, OperatorAction::Deprecate, &body).await
}

/// Take a key out of the template
#[utoipa::path(
    post,
    path = "/v1/patches/{patch_id}:withdraw",
    tag = "The operator's hand",
    params(parameters::PatchId, parameters::IfMatch),
    request_body = Option<OperatorReason>,
    responses((status = 200, description = "The patch in its new stage.", body = Patch)),
    extensions(("x-fails" = json!(ACTION_FAILS)))
)]
pub async fn withdraw_patch(call: Call, patch_id: Path<String>, body: Body) -> Result<Json<Approved>, Problem> {
    operate(&call, &patch_id, OperatorAction::Withdraw, &body).await
}

/// Bring back what went
#[utoipa::path(
    post,
    path = "/v1/patches/{patch_id}:restore",
    tag = "The operator's hand",
    params(parameters::PatchId, parameters::IfMatch),
    request_body = Option<OperatorReason>,
    responses((status = 200, description = "The patch in its new stage.", body = Patch)),
    extensions(("x-fails" = json!([
        Code::UnknownPatch, Code::StageForbids, Code::NameTaken, Code::PatchMoved, Code::LimitReached,
        Code::ReadOnly,
    ])))
)]
pub async fn restore_patch(call: Call, patch_id: Path<String>, body: Body) -> Result<Json<Approved>, Problem> {
    operate(&call, &patch_id, OperatorAction::Restore, &body).await
}

async fn operate(call: &Call, patch_id: &str, hand: OperatorAction, body: &Body) -> Result<Json<Approved>, Problem> {
    call.query(&[])?;
    let service = call.service()?;
    let wanted = wanted(call, hand, body.reason()?);
    Ok(Json(service.operate(&call.caller, patch_id, wanted).await?))
}

/// A hand with what the call says beside its body.
fn wanted(call: &Call, hand: OperatorAction, reason: Option<String>) -> Wanted {
    Wanted {
        hand,
        reason,
        edit: None,
        scope: Scope::default(),
        seen: call.seen(),
        dry_run: false,
    }
}

/// What waits for a person
///
/// Over all scenarios, longest waiting first, page by page.
#[utoipa::path(
    get,
    path = "/v1/approvals",
    tag = "What was learned",
    params(parameters::ApprovalsLimit, parameters::After),
    responses((status = 200, description = "A page.", body = Approvals)),
    extensions(("x-fails" = json!([Code::BadParameter])))
)]
pub async fn list_approvals(call: Call) -> Result<Json<Approvals>, Problem> {
    let query = call.query(&["limit", "after"])?;
    let page = call
        .service()?
        .approvals(&call.caller, query.number("limit")?, query.text("after"))?;
    Ok(Json(page))
}

/// Stop a scenario's evolution
///
/// Everything is still counted and judged; nothing is proposed or changed.
#[utoipa::path(
    post,
    path = "/v1/scenarios/{scenario}:freeze",
    tag = "The operator's hand",
    params(parameters::Scenario),
    request_body = Option<OperatorReason>,
    responses((status = 200, description = "Whether the scenario stands still.", body = Freezing)),
    extensions(("x-fails" = json!([Code::UnknownScenario, Code::ReadOnly])))
)]
pub async fn freeze_scenario(call: Call, scenario: Path<String>, body: Body) -> Result<Json<Freezing>, Problem> {
    turn(&call, &scenario, true, &body).await
}

/// Let a scenario evolve again
#[utoipa::path(
    post,
    path = "/v1/scenarios/{scenario}:thaw",
    tag = "The operator's hand",
    params(parameters::Scenario),
    request_body = Option<OperatorReason>,
    responses((status = 200, description = "Whether the scenario stands still.", body = Freezing)),
    extensions(("x-fails" = json!([Code::UnknownScenario, Code::ReadOnly])))
)]
pub async fn thaw_scenario(call: Call, scenario: Path<String>, body: Body) -> Result<Json<Freezing>, Problem> {
    turn(&call, &scenario, false, &body).await
}

async fn turn(call: &Call, scenario: &str, stop: bool, body: &Body) -> Result<Json<Freezing>, Problem> {
    call.query(&[])?;
    let service = call.service()?;
    let turned = service
        .freeze(&call.caller, scenario, stop, body.reason()?.as_deref())
        .await?;
    Ok(Json(turned))
}
