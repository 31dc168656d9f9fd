//! What no key holds: a page of the pool, one cluster, and that a cluster is no wish.

use actix_web::HttpRequest;
use actix_web::web::Json;
use actix_web::web::Path;
use sha2::Digest;
use sha2::Sha256;

use crate::api::pool::Cluster;
use crate::api::pool::ClusterDetail;
use crate::api::pool::Dismissing;
use crate::api::pool::Pool;
use crate::app::error::ServiceError;
use crate::app::pool::Wanted;
use crate::http::answer;
use crate::http::answer::Answer;
use crate::http::body::Body;
use crate::http::call::Call;
use crate::http::openapi::parameters;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use text::name::hexadecimal;

/// What no key holds
///
/// The pool of a scenario: clusters of what is said in `other`, with their heat, hottest first where no other order is asked for, page by
/// page.
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/pool",
    tag = "What was learned",
    params(
        parameters::Scenario,
        parameters::Words,
        parameters::PoolWords,
        parameters::PoolState,
        parameters::PoolSort,
        parameters::PoolLimit,
        parameters::After,
    ),
    responses((status = 200, description = "A page of the pool.", body = Pool))
)]
pub async fn read_pool(call: Call, scenario: Path<String>) -> Result<Json<Pool>, Problem> {
    let query = call.query(&["words", "q", "state", "sort", "limit", "after"])?;
    let wanted = Wanted {
        words: query.flag("words")?.unwrap_or(false),
        q: query.text("q"),
        state: query.text("state"),
        sort: query.text("sort"),
        limit: query.number("limit")?,
        after: query.text("after"),
    };
    Ok(Json(call.service()?.pool(&call.caller, &scenario, wanted).await?))
}

/// One cluster of the pool
///
/// With its heat day by day, what it lacks to become a key, what enough clients said, and the clusters that mean nearly the same. The
/// entity tag stays while no figure of it moves by a whole unit.
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/pool/{cluster:[^/:]+}",
    tag = "What was learned",
    params(parameters::Scenario, parameters::ClusterNumber, parameters::IfNoneMatch),
    responses(
        (status = 200, description = "The cluster.", body = ClusterDetail, headers(("Cache-Control"), ("ETag"))),
        (status = 304, description = "What the client holds is current.", headers(("Cache-Control"), ("ETag"))),
    )
)]
pub async fn read_cluster(call: Call, request: HttpRequest, named: Path<(String, String)>) -> Answer {
    call.query(&[])?;
    let (scenario, cluster) = named.into_inner();
    let told = call.service()?.cluster(&call.caller, &scenario, &cluster).await?;
    let text = |detail: &ClusterDetail| serde_json::to_string(detail).map_err(ServiceError::from);
    let tag = Sha256::digest(text(&in_units(told.clone()))?);
    let tag = format!("W/\"{}\"", hexadecimal(&tag[..12]));
    Ok(answer::cached(
        &request,
        &tag,
        CLUSTER_CACHE,
        "application/json",
        text(&told)?,
    ))
}

/// Kept only by who asked, and asked for again each time.
const CLUSTER_CACHE: &str = "private, no-cache";

/// A cluster without what changes from moment to moment while nothing happens: heat cools.
fn in_units(mut told: ClusterDetail) -> ClusterDetail {
    let Cluster {
        heat,
        capped_heat,
        waits_for,
        ..
    } = &mut told.cluster;
    *heat = heat.round();
    *capped_heat = capped_heat.round();
    // What it says in a sentence stands in the figures.
    if let Some(waits) = waits_for {
        waits.detail.clear();
    }
    for gate in &mut told.gates {
        gate.has = gate.has.round();
    }
    told
}

/// Say that a cluster is no wish
///
/// Nothing is proposed of it for so many days; of a key that was proposed already `:reject` is the end. Said again, it counts anew from
/// then on. Of clusters that become one the largest says whether that is dismissed.
#[utoipa::path(
    post,
    path = "/v1/scenarios/{scenario}/pool/{cluster}:dismiss",
    tag = "Operator actions",
    params(parameters::Scenario, parameters::ClusterNumber),
    request_body = Option<Dismissing>,
    responses((status = 200, description = "The cluster as it stands then.", body = Cluster)),
    extensions(("x-fails" = json!([Code::ReadOnly])))
)]
pub async fn dismiss_cluster(call: Call, named: Path<(String, String)>, body: Body) -> Result<Json<Cluster>, Problem> {
    call.query(&[])?;
    let service = call.service()?;
    let (scenario, cluster) = named.into_inner();
    let said: Dismissing = body.read_or_default(r#"{"reason": "text", "days": 1 to 365}"#)?;
    Ok(Json(service.dismiss(&call.caller, &scenario, &cluster, said).await?))
}
