//! Messages between agents: what becomes of their parts here, and what they say as Markdown or in the other draft's shape.

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::call::Call;

/// `POST /v1/messages:check`
pub async fn check(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    let told = call.service()?.check_message(&call.caller, &body.0)?;
    Ok(answer::document(&told))
}

/// `POST /v1/messages:render?tokens_max=`
pub async fn render(call: Call, body: Body) -> Answer {
    let tokens_max = call.query(&["tokens_max"])?.number("tokens_max")?;
    let told = call.service()?.render_message(&call.caller, &body.0, tokens_max)?;
    Ok(answer::document(&told))
}

/// `POST /v1/messages:convert`
pub async fn convert(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    let told = call.service()?.convert_message(&call.caller, &body.0)?;
    Ok(answer::document(&told))
}

/// `GET /v1/policies`
pub async fn policies(call: Call) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.policies(&call.caller)?))
}
