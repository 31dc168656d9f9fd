//! Who calls, and what it may do: for pages that show nothing that would be refused.

use actix_web::web::Json;
use strum::VariantArray;

use crate::api::service::Me;
use crate::app::caller::Permission;
use crate::app::caller::Role;
use crate::http::call::Call;
use crate::http::console;
use crate::wire::problem::Problem;

/// Who am I?
///
/// The caller as the service knows it, with its roles and what they permit. Every caller may ask.
#[utoipa::path(
    get,
    path = "/v1/me",
    tag = "Operations",
    responses((status = 200, description = "The caller.", body = Me))
)]
pub async fn read_me(call: Call) -> Result<Json<Me>, Problem> {
    call.query(&[])?;
    // Who comes before the service is open is told that, and not what it will permit.
    call.service()?;
    let caller = &call.caller;
    let may = Permission::VARIANTS
        .iter()
        .filter(|permission| caller.may(**permission));
    Ok(Json(Me {
        name: caller.client.as_ref().map(ToString::to_string),
        method: caller.origin.method,
        roles: caller.roles.iter().map(|role| Role::name(*role).to_owned()).collect(),
        may: may.map(|permission| Permission::name(*permission).to_owned()).collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        console: call.state().console.then(console::digest),
    }))
}
