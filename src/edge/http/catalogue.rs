//! What is hosted: scenarios and base schemas.

use actix_web::http::StatusCode;
use actix_web::http::header;
use actix_web::http::header::HeaderValue;
use actix_web::web::Path;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::call::Call;
use crate::edge::wire::listing::Listing;
use crate::edge::wire::problem::Problem;

/// `GET /v1/scenarios?label=name:value&q=&limit=`
pub async fn scenarios(call: Call) -> Answer {
    let query = call.query(&["label", "q", "limit", "after"])?;
    let (wish, label, after) = (query.text("q"), query.text("label"), query.text("after"));
    let asked = Listing::new(wish, label, query.number("limit")?, after)?;
    Ok(answer::document(&asked.fetch(call.service()?, &call.caller).await?))
}

/// `PUT /v1/schemas/{schema_id}`: 201 when it is new, 200 when the same was published before.
pub async fn publish(call: Call, schema_id: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    let published = call.service()?.publish(&call.caller, &schema_id, &body.0).await?;
    if !published.created {
        return Ok(answer::document(&published.document));
    }
    let mut response = answer::json(StatusCode::CREATED, published.document.to_string());
    if let Ok(location) = HeaderValue::try_from(format!("/v1/schemas/{schema_id}")) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// `POST /v1/scenarios/{scenario}:rebase?dry_run=`: 201 when something was published.
pub async fn rebase(call: Call, scenario: Path<String>) -> Answer {
    let dry_run = call.query(&["dry_run"])?.flag("dry_run")?.unwrap_or(false);
    let told = call.service()?.rebase(&call.caller, &scenario, dry_run).await?;
    let status = if dry_run { StatusCode::OK } else { StatusCode::CREATED };
    Ok(answer::json(status, told.to_string()))
}

/// `POST /v1/schemas:check`: what publishing would say; `refusal` is the problem that it would be answered with.
pub async fn check(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    let (mut told, refusal) = call.service()?.check_schema(&call.caller, &body.0).await?;
    if let (Some(members), Some(refusal)) = (told.as_object_mut(), refusal) {
        members.insert("refusal".to_owned(), Problem::from(refusal).document());
    }
    Ok(answer::document(&told))
}

/// `GET /v1/schemas/{schema_id}`
pub async fn schema(call: Call, schema_id: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.schema(&call.caller, &schema_id)?))
}

/// `DELETE /v1/schemas/{schema_id}`
pub async fn retire(call: Call, schema_id: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(
        &call.service()?.retire(&call.caller, &schema_id).await?,
    ))
}

/// `POST /v1/schemas/{schema_id}:restore`
pub async fn restore(call: Call, schema_id: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(
        &call.service()?.restore_schema(&call.caller, &schema_id).await?,
    ))
}

/// `GET /v1/scenarios/{scenario}/owner`
pub async fn owner(call: Call, scenario: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.owner(&call.caller, &scenario).await?))
}

/// `PUT /v1/scenarios/{scenario}/owner`: `{"owner": "name" | null, "reason"?}`
pub async fn give(call: Call, scenario: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    let given = call.service()?.give_scenario(&call.caller, &scenario, &body.0).await?;
    Ok(answer::document(&given))
}
