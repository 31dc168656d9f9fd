//! What is hosted: scenarios and base schemas.

use actix_web::CustomizeResponder;
use actix_web::HttpRequest;
use actix_web::Responder;
use actix_web::http::StatusCode;
use actix_web::http::header;
use actix_web::web::Json;
use actix_web::web::Path;

use crate::api::clients::Clients;
use crate::api::scenarios::Giving;
use crate::api::scenarios::Ownership;
use crate::api::scenarios::Scenarios;
use crate::api::schemas::Deprecated;
use crate::api::schemas::Deprecating;
use crate::api::schemas::Imported;
use crate::api::schemas::Publication;
use crate::api::schemas::Retirement;
use crate::api::schemas::Versions;
use crate::api::templates::SchemaTemplate;
use crate::app::error::ServiceError;
use crate::app::publishing::Asked;
use crate::http::agents;
use crate::http::answer;
use crate::http::answer::Answer;
use crate::http::body::Body;
use crate::http::call::Call;
use crate::http::openapi::parameters;
use crate::wire::codes::Code;
use crate::wire::listing::Listing;
use crate::wire::problem::Problem;

/// What is hosted
///
/// Every scenario in force, in the order of their names; or, with `q`, those that a wish in plain words is meant for,
/// likest first, and `no_match` rather than a bad guess. `next` is there where the list goes on. Figures, and an order by one of them, are
/// for operators, auditors and publishers; they are kept, and a scenario whose figure moves between two pages may stand on both of them
/// or on neither.
#[utoipa::path(
    get,
    path = "/v1/scenarios",
    tag = "Hosting",
    params(
        parameters::Wish, parameters::ScenariosLimit, parameters::After, parameters::Labelled, parameters::WithStats,
        parameters::ScenariosSort,
    ),
    responses((status = 200, description = "The scenarios.", body = Scenarios)),
    extensions(("x-fails" = json!([Code::Busy])))
)]
pub async fn list_scenarios(call: Call) -> Result<Json<Scenarios>, Problem> {
    let query = call.query(&["label", "q", "limit", "after", "stats", "sort"])?;
    let (wish, label, after) = (query.text("q"), query.text("label"), query.text("after"));
    let asked = Listing::sorted(wish, label, query.number("limit")?, after, query.text("sort"))?;
    let asked = asked.with_stats(query.flag("stats")?.unwrap_or(false));
    Ok(Json(asked.fetch(call.service()?, &call.caller).await?))
}

/// Publish a base schema
///
/// The schema is linted, compared with the others of its major line, and in force at once. The same content again is
/// answered with 200; other content under the same id with 409.
#[utoipa::path(
    put,
    path = "/v1/schemas/{schema_id}",
    tag = "Hosting",
    params(parameters::SchemaId, parameters::AcceptUnproved),
    request_body = SchemaTemplate,
    responses(
        (status = 200, description = "It was published before, with this content.", body = Publication),
        (status = 201, description = "It is published.", body = Publication, headers(("Location"))),
    ),
    extensions(("x-fails" = json!([
        Code::SchemaImmutable, Code::VersionTaken, Code::Incompatible, Code::NotProved, Code::ScenarioOwned, Code::SchemaRetired,
        Code::InvalidTemplate, Code::LimitReached, Code::Busy, Code::ReadOnly,
    ])))
)]
pub async fn publish_schema(
    call: Call,
    schema_id: Path<String>,
    body: Body,
) -> Result<CustomizeResponder<Json<Publication>>, Problem> {
    let unproved = call
        .query(&["accept_unproved"])?
        .flag("accept_unproved")?
        .unwrap_or(false);
    let service = call.service()?;
    let published = service.publish(&call.caller, &schema_id, &body.0, unproved).await?;
    let response = Json(published.publication).customize();
    if !published.created {
        return Ok(response);
    }
    let location = (header::LOCATION, format!("/v1/schemas/{schema_id}"));
    Ok(response.with_status(StatusCode::CREATED).insert_header(location))
}

/// Publish what was learned
///
/// Publishes the base in force with the keys that are stable for everyone, as its next minor version.
#[utoipa::path(
    post,
    path = "/v1/scenarios/{scenario}:rebase",
    tag = "Hosting",
    params(parameters::Scenario, parameters::DryRun),
    responses(
        (status = 200, description = "What would be published; nothing is stored.", body = Publication),
        (status = 201, description = "It is published.", body = Publication),
    ),
    extensions(("x-fails" = json!([
        Code::SchemaImmutable, Code::VersionTaken, Code::Incompatible, Code::NotProved, Code::ScenarioOwned, Code::NothingStable,
        Code::SchemaRetired, Code::InvalidTemplate, Code::LimitReached, Code::Busy, Code::ReadOnly,
    ])))
)]
pub async fn rebase_scenario(call: Call, scenario: Path<String>) -> Result<(Json<Publication>, StatusCode), Problem> {
    let dry_run = call.query(&["dry_run"])?.flag("dry_run")?.unwrap_or(false);
    let publication = call.service()?.rebase(&call.caller, &scenario, dry_run).await?;
    let status = if dry_run { StatusCode::OK } else { StatusCode::CREATED };
    Ok((Json(publication), status))
}

/// Say what publishing would say
///
/// Lint and compatibility; nothing is stored. `refusal` is the problem that publishing would be answered with. `would_break` names
/// the clients whose accepted submissions of the last 30 days it would refuse, with counts and names of keys, as far as that tells no
/// value of one client. It is recorded in the decision log; a publisher may ask for it 60 times an hour.
#[utoipa::path(
    post,
    path = "/v1/schemas:check",
    tag = "Hosting",
    request_body = SchemaTemplate,
    responses((status = 200, description = "What a publisher would be told.", body = Publication)),
    extensions(("x-fails" = json!([Code::InvalidTemplate, Code::LimitReached, Code::Busy])))
)]
pub async fn check_schema(call: Call, body: Body) -> Result<Json<Publication>, Problem> {
    call.query(&[])?;
    let (publication, refusal) = call.service()?.check_schema(&call.caller, &body.0).await?;
    Ok(Json(Publication {
        refusal: refusal.map(|refusal| Problem::from(refusal).document()),
        ..publication
    }))
}

/// Import a schema of another kind
///
/// A template out of a JSON Schema, an operation of an OpenAPI document or a tool, with what was lost or changed on the way. Nothing is
/// published.
#[utoipa::path(
    post,
    path = "/v1/schemas:import",
    tag = "Hosting",
    params(
        parameters::ImportOperation, parameters::ImportTool, parameters::ImportPointer, parameters::ImportKey,
        parameters::ImportScenario, parameters::ImportSchemaId,
    ),
    request_body = serde_json::Value,
    responses((status = 200, description = "The template.", body = Imported)),
    extensions(("x-fails" = json!([])))
)]
pub async fn import_schema(call: Call, body: Body) -> Result<Json<Imported>, Problem> {
    let query = call.query(&["operation", "tool", "pointer", "key", "scenario", "schema_id"])?;
    let text = |name: &str| query.text(name).map(str::to_owned);
    let asked = Asked {
        operation: text("operation"),
        tool: text("tool"),
        pointer: text("pointer"),
        key: text("key"),
        scenario: text("scenario"),
        schema_id: text("schema_id"),
    };
    Ok(Json(call.service()?.import(&call.caller, body.0, asked).await?))
}

/// Read a base schema
///
/// As it was published, retired or not, with `executor` and `policy`. It never changes, and may be kept for a year; `retired` is said
/// of one that is, which is to be asked for again.
#[utoipa::path(
    get,
    path = "/v1/schemas/{schema_id}",
    tag = "Hosting",
    params(parameters::SchemaId, parameters::IfNoneMatch),
    responses(
        (status = 200, description = "The schema.", body = SchemaTemplate, headers(("Deprecation"), ("ETag"), ("Sunset"))),
        (status = 304, description = "What the client holds is it.", headers(("Deprecation"), ("ETag"), ("Sunset"))),
    )
)]
pub async fn read_schema(call: Call, request: HttpRequest, schema_id: Path<String>) -> Answer {
    call.query(&[])?;
    let (schema, status) = call.service()?.schema(&call.caller, &schema_id)?;
    let control = if schema.retired { RETIRED_CACHE } else { SCHEMA_CACHE };
    let text = serde_json::to_string(&schema).map_err(ServiceError::from)?;
    let response = agents::cached(&request, text, control, "application/json");
    Ok(answer::with_status(response, status))
}

/// A year, which is as long as caches keep anything, and not asked for again; by the client itself alone, since who asks needs a key.
const SCHEMA_CACHE: &str = "private, max-age=31536000, immutable";

/// A retired schema may be restored.
const RETIRED_CACHE: &str = "private, no-cache";

/// Retire a base schema
///
/// Submissions by it are refused from now on; the highest version that is left is in force.
#[utoipa::path(
    delete,
    path = "/v1/schemas/{schema_id}",
    tag = "Hosting",
    params(parameters::SchemaId),
    responses((status = 200, description = "It is retired.", body = Retirement)),
    extensions(("x-fails" = json!([Code::ScenarioOwned, Code::ReadOnly])))
)]
pub async fn retire_schema(call: Call, schema_id: Path<String>) -> Result<Json<Retirement>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.retire(&call.caller, &schema_id).await?))
}

/// Restore a retired or deprecated schema
///
/// A retired one where it still keeps what its major line promises.
#[utoipa::path(
    post,
    path = "/v1/schemas/{schema_id}:restore",
    tag = "Hosting",
    params(parameters::SchemaId),
    responses((status = 200, description = "It is neither retired nor deprecated.", body = Retirement)),
    extensions(("x-fails" = json!([
        Code::VersionTaken, Code::Incompatible, Code::ScenarioOwned, Code::LimitReached, Code::Busy, Code::ReadOnly,
    ])))
)]
pub async fn restore_schema(call: Call, schema_id: Path<String>) -> Result<Json<Retirement>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.restore_schema(&call.caller, &schema_id).await?))
}

/// Deprecate a base schema
///
/// Announces that it is to go, by the headers `Deprecation` and `Sunset` of its templates and of submissions by it. Nothing else
/// changes, at the sunset neither: retiring ends it, and restoring lifts the announcement. Another one takes its place.
#[utoipa::path(
    post,
    path = "/v1/schemas/{schema_id}:deprecate",
    tag = "Hosting",
    params(parameters::SchemaId),
    request_body = Option<Deprecating>,
    responses((status = 200, description = "It is deprecated.", body = Deprecated)),
    extensions(("x-fails" = json!([Code::ScenarioOwned, Code::SchemaRetired, Code::ReadOnly])))
)]
pub async fn deprecate_schema(call: Call, schema_id: Path<String>, body: Body) -> Result<Json<Deprecated>, Problem> {
    call.query(&[])?;
    let service = call.service()?;
    let asked: Deprecating = body.read_or_default(r#"{"sunset": "moment", "reason": "text"}"#)?;
    Ok(Json(service.deprecate_schema(&call.caller, &schema_id, &asked).await?))
}

/// The versions of a scenario
///
/// Who published each, and when, whether it is deprecated or retired, how many clients submitted by it last, and which is in force; the
/// highest version first.
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/versions",
    tag = "Hosting",
    params(parameters::Scenario),
    responses((status = 200, description = "The versions.", body = Versions))
)]
pub async fn list_versions(call: Call, scenario: Path<String>) -> Result<Json<Versions>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.versions(&call.caller, &scenario).await?))
}

/// Who uses a scenario
///
/// Its clients in the order of their names: when each was seen last, by which version it submits, how far that is behind, and which keys
/// its newest submissions filled. Names and counts, no values; clients without a name are not in it. `next` is there where the list
/// goes on.
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/clients",
    tag = "Hosting",
    params(parameters::Scenario, parameters::ClientsLimit, parameters::After),
    responses((status = 200, description = "The clients.", body = Clients))
)]
pub async fn list_clients(call: Call, scenario: Path<String>) -> Result<Json<Clients>, Problem> {
    let query = call.query(&["limit", "after"])?;
    let (limit, after) = (query.number("limit")?, query.text("after"));
    Ok(Json(call.service()?.clients(&call.caller, &scenario, limit, after)?))
}

/// Whose a scenario is
///
/// Whoever published its first schema, or was given it; null where it is its next publisher's.
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/owner",
    tag = "Hosting",
    params(parameters::Scenario),
    responses((status = 200, description = "The owner.", body = Ownership))
)]
pub async fn read_owner(call: Call, scenario: Path<String>) -> Result<Json<Ownership>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.owner(&call.caller, &scenario).await?))
}

/// Transfer scenario ownership
///
/// From now on its new owner publishes, retires and restores there, beside operators; null leaves it to the operators alone.
#[utoipa::path(
    put,
    path = "/v1/scenarios/{scenario}/owner",
    tag = "Hosting",
    params(parameters::Scenario),
    request_body = Giving,
    responses((status = 200, description = "The owner.", body = Ownership)),
    extensions(("x-fails" = json!([Code::ReadOnly])))
)]
pub async fn give_scenario(call: Call, scenario: Path<String>, body: Body) -> Result<Json<Ownership>, Problem> {
    call.query(&[])?;
    let given = call.service()?.give_scenario(&call.caller, &scenario, &body.0).await?;
    Ok(Json(given))
}
