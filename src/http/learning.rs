//! What was learned and why, what people look at, and what operators do about it.

use actix_web::CustomizeResponder;
use actix_web::Responder;
use actix_web::http::header;
use actix_web::web::Json;
use actix_web::web::Path;
use serde_json::Map;
use serde_json::Value;

use crate::api::audits::Audit;
use crate::api::audits::Audits;
use crate::api::audits::Summary;
use crate::api::audits::VerdictGiven;
use crate::api::evolution::Approvals;
use crate::api::evolution::Approved;
use crate::api::evolution::Approving;
use crate::api::evolution::Rejecting;
use crate::api::pool::PoolReview;
use crate::api::pool::ReaderAnswer;
use crate::api::pool::Taken;
use crate::api::scenarios::Freezing;
use crate::api::service::OperatorReason;
use crate::api::templates::Patches;
use crate::app::operator::Wanted;
use crate::app::queues::Asked;
use crate::http::body::Body;
use crate::http::call::Call;
use crate::http::openapi::parameters;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use engine::evolution::evidence::Evidence;
use engine::evolution::operator_action::OperatorAction;
use engine::evolution::operator_action::Scope;
use engine::evolution::patch::PublishedPatch;
use engine::evolution::usage::Usage;

/// Why an operator's action on a patch fails, whichever it is.
const ACTION_FAILS: [Code; 5] = [
    Code::StageForbids,
    Code::KeyInBase,
    Code::PatchMoved,
    Code::LimitReached,
    Code::ReadOnly,
];

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
    extensions(("x-fails" = json!([Code::NoReader])))
)]
pub async fn review_pool(call: Call, scenario: Path<String>) -> Result<Json<PoolReview>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.review_pool(&call.caller, &scenario).await?))
}

/// The form of a reader's answer.
const ANSWER: &str =
    r#"{"wishes": […], "held": […], "nothing": […], "by"?: text, "digest"?: text, "tokens"?: a whole number}"#;

/// Say which wishes there are
///
/// A reader's answer. Heat, clients and shares are counted from the ids, so that no answer opens a gate; a word that
/// one client alone said is refused, where `policy.evolution.example_clients_min` is not 1; what is sensitive waits for a
/// person; a publisher's key is not touched. Who reads nothing and makes a key of a whole cluster, by `cluster` instead of `ids`, needs no
/// seat for it: the key is proposed once the cluster's gate is open, however few fragments there are.
#[utoipa::path(
    post,
    path = "/v1/scenarios/{scenario}/proposals",
    tag = "What was learned",
    params(parameters::Scenario),
    request_body = ReaderAnswer,
    responses((status = 200, description = "What of it holds.", body = Taken)),
    extensions(("x-fails" = json!([Code::NoReader, Code::ReadOnly])))
)]
pub async fn propose_keys(call: Call, scenario: Path<String>, body: Body) -> Result<Json<Taken>, Problem> {
    call.query(&[])?;
    let told: Map<String, Value> = body.read(ANSWER)?;
    let told = call.service()?.propose_keys(&call.caller, &scenario, told);
    Ok(Json(told.await?))
}

/// Every patch of a scenario
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/patches",
    tag = "What was learned",
    params(parameters::Scenario),
    responses((status = 200, description = "The patches, whatever their stage.", body = Patches))
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
    responses((status = 200, description = "The ledger.", body = Usage))
)]
pub async fn read_ledger(call: Call, scenario: Path<String>) -> Result<Json<Usage>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.ledger(&call.caller, &scenario)?))
}

/// One patch
///
/// A patch for another client is 404 to a client.
#[utoipa::path(
    get,
    path = "/v1/patches/{patch_id:[^/:]+}",
    tag = "What was learned",
    params(parameters::PatchId),
    responses((status = 200, description = "The patch.", body = PublishedPatch, headers(("ETag"))))
)]
pub async fn read_patch(
    call: Call,
    patch_id: Path<String>,
) -> Result<CustomizeResponder<Json<PublishedPatch>>, Problem> {
    call.query(&[])?;
    let patch = call.service()?.patch(&call.caller, &patch_id)?;
    // What `If-Match` is to name, so that nobody decides about what has changed since.
    let tag = format!("\"{}\"", patch.head.revision);
    Ok(Json(patch).customize().insert_header((header::ETAG, tag)))
}

/// What a patch rests on
#[utoipa::path(
    get,
    path = "/v1/patches/{patch_id}/evidence",
    tag = "What was learned",
    params(parameters::PatchId),
    responses((status = 200, description = "Examples, heat, gate, ledger and history.", body = Evidence))
)]
pub async fn read_evidence(call: Call, patch_id: Path<String>) -> Result<Json<Evidence>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.evidence(&call.caller, &patch_id)?))
}

/// Put what waits on trial
///
/// With `edit`, the key goes on trial as edited; evidence keeps both. `dry_run` writes nothing.
#[utoipa::path(
    post,
    path = "/v1/patches/{patch_id}:approve",
    tag = "Operator actions",
    params(parameters::PatchId, parameters::IfMatch, parameters::DryRun),
    request_body = Option<Approving>,
    responses(
        (status = 200, description = "The patch in its new stage; of an edit or a dry run, with what came of it.", body = Approved),
    ),
    extensions(("x-fails" = json!([
        Code::StageForbids, Code::NameTaken, Code::KeyInBase, Code::PatchMoved, Code::UnfitKey,
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
    tag = "Operator actions",
    params(parameters::PatchId, parameters::IfMatch),
    request_body = Option<Rejecting>,
    responses((status = 200, description = "The patch in its new stage.", body = PublishedPatch)),
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

/// An operator's action on a patch that takes a reason and nothing else.
macro_rules! action {
    (#[doc = $title:tt] $name:ident, $path:tt, $hand:ident, $fails:expr) => {
        #[doc = $title]
        #[utoipa::path(
                            post,
                            path = $path,
                            tag = "Operator actions",
                            params(parameters::PatchId, parameters::IfMatch),
                            request_body = Option<OperatorReason>,
                            responses((status = 200, description = "The patch in its new stage.", body = PublishedPatch)),
                            extensions(("x-fails" = json!($fails)))
                        )]
        pub async fn $name(call: Call, patch_id: Path<String>, body: Body) -> Result<Json<Approved>, Problem> {
            call.query(&[])?;
            let service = call.service()?;
            let wanted = wanted(&call, OperatorAction::$hand, body.reason()?);
            Ok(Json(service.operate(&call.caller, &patch_id, wanted).await?))
        }
    };
}

action!(
    /// Make a key on trial stable
    promote_patch, "/v1/patches/{patch_id}:promote", Promote, ACTION_FAILS
);

action!(
    /// Put a stable key on trial again
    demote_patch, "/v1/patches/{patch_id}:demote", Demote, ACTION_FAILS
);

action!(
    /// Announce that a key will go
    deprecate_patch, "/v1/patches/{patch_id}:deprecate", Deprecate, ACTION_FAILS
);

action!(
    /// Take a key out of the template
    withdraw_patch, "/v1/patches/{patch_id}:withdraw", Withdraw, ACTION_FAILS
);

action!(
    /// Bring back what went
    restore_patch, "/v1/patches/{patch_id}:restore", Restore, [
        Code::StageForbids, Code::NameTaken, Code::KeyInBase, Code::PatchMoved, Code::LimitReached,
        Code::ReadOnly,
    ]
);

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
/// Over all scenarios or of one, longest waiting first or by `sort`, page by page.
#[utoipa::path(
    get,
    path = "/v1/approvals",
    tag = "What was learned",
    params(parameters::OfScenario, parameters::ApprovalsOrder, parameters::ApprovalsLimit, parameters::After),
    responses((status = 200, description = "A page.", body = Approvals)),
    extensions(("x-fails" = json!([Code::UnknownScenario])))
)]
pub async fn list_approvals(call: Call) -> Result<Json<Approvals>, Problem> {
    let query = call.query(&["scenario", "sort", "limit", "after"])?;
    let asked = Asked {
        scenario: query.text("scenario"),
        limit: query.number("limit")?,
        after: query.text("after"),
    };
    let page = call.service()?.approvals(&call.caller, asked, query.text("sort"))?;
    Ok(Json(page))
}

/// Stop a scenario's evolution
///
/// Everything is still counted and judged; nothing is proposed or changed.
#[utoipa::path(
    post,
    path = "/v1/scenarios/{scenario}:freeze",
    tag = "Operator actions",
    params(parameters::Scenario),
    request_body = Option<OperatorReason>,
    responses((status = 200, description = "Whether the scenario stands still.", body = Freezing)),
    extensions(("x-fails" = json!([Code::ReadOnly])))
)]
pub async fn freeze_scenario(call: Call, scenario: Path<String>, body: Body) -> Result<Json<Freezing>, Problem> {
    turn(&call, &scenario, true, &body).await
}

/// Let a scenario evolve again
#[utoipa::path(
    post,
    path = "/v1/scenarios/{scenario}:thaw",
    tag = "Operator actions",
    params(parameters::Scenario),
    request_body = Option<OperatorReason>,
    responses((status = 200, description = "Whether the scenario stands still.", body = Freezing)),
    extensions(("x-fails" = json!([Code::ReadOnly])))
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

/// The form of a verdict.
const VERDICT: &str = r#"{"verdict": "aligned" | "not_aligned" | "cannot_tell", "reason"?: "text"}"#;

/// Values that wait for a person
///
/// A sample of what clients gave to learned keys: keys on trial first, then the oldest.
#[utoipa::path(
    get,
    path = "/v1/audits",
    tag = "Audits",
    params(parameters::OfScenario, parameters::AuditsLimit, parameters::After),
    responses((status = 200, description = "One page.", body = Audits)),
    extensions(("x-fails" = json!([Code::UnknownScenario])))
)]
pub async fn list_audits(call: Call) -> Result<Json<Audits>, Problem> {
    let query = call.query(&["scenario", "limit", "after"])?;
    let asked = Asked {
        scenario: query.text("scenario"),
        limit: query.number("limit")?,
        after: query.text("after"),
    };
    Ok(Json(call.service()?.audits(&call.caller, asked).await?))
}

/// What people say of the judges
#[utoipa::path(
    get,
    path = "/v1/audits:summary",
    tag = "Audits",
    params(parameters::OfScenario),
    responses((status = 200, description = "By scenario and basis.", body = Summary)),
    extensions(("x-fails" = json!([Code::UnknownScenario])))
)]
pub async fn summarise_audits(call: Call) -> Result<Json<Summary>, Problem> {
    let query = call.query(&["scenario"])?;
    let told = call.service()?.audits_summary(&call.caller, query.text("scenario"))?;
    Ok(Json(told))
}

/// One value
#[utoipa::path(
    get,
    path = "/v1/audits/{audit_id}",
    tag = "Audits",
    params(parameters::AuditId),
    responses((status = 200, description = "The value, waiting or answered.", body = Audit))
)]
pub async fn read_audit(call: Call, audit_id: Path<String>) -> Result<Json<Audit>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.audit(&call.caller, &audit_id).await?))
}

/// Say whether a value is right
///
/// The first verdict stands, and counts in the judge's place.
#[utoipa::path(
    post,
    path = "/v1/audits/{audit_id}",
    tag = "Audits",
    params(parameters::AuditId),
    request_body = VerdictGiven,
    responses((status = 200, description = "The value with the verdict.", body = Audit)),
    extensions(("x-fails" = json!([Code::Audited, Code::ReadOnly])))
)]
pub async fn answer_audit(call: Call, audit_id: Path<String>, body: Body) -> Result<Json<Audit>, Problem> {
    call.query(&[])?;
    let service = call.service()?;
    // Who may not audit is told that first.
    service.may_audit(&call.caller)?;
    let answered = service
        .answer_audit(&call.caller, &audit_id, body.read(VERDICT)?)
        .await?;
    Ok(Json(answered))
}
