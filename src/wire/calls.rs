//! The calls that JSON-RPC and MCP share: a name, params as JSON text, a result as JSON text.
//!
//! Each reads its params, makes one call into the service, and gives back what that says. Invariant: no call decides
//! anything of its own, so that the verdict is the same through every transport.

use serde::Serialize;
use strum::EnumString;
use strum::IntoStaticStr;
use strum::VariantArray;

use crate::app::application::App;
use crate::app::batch;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::wire::listing::Listing;
use crate::wire::lone_surrogate;
use crate::wire::negotiation::Negotiation;
use crate::wire::negotiation::pin;
use crate::wire::params::Params;
use crate::wire::problem::Problem;

/// One of them, in the order in which they are listed; its name is the variant's in snake_case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Call {
    ListScenarios,
    GetSchemaTemplate,
    ValidatePayload,
    SubmitPayload,
    GetSchemaUpdates,
    RequestExtension,
    SharedContext,
    ReviewPool,
    ProposeKeys,
}

impl Call {
    /// Every call.
    pub fn all() -> impl Iterator<Item = Call> {
        Call::VARIANTS.iter().copied()
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The call with this name.
    pub fn named(name: &str) -> Option<Call> {
        name.parse().ok()
    }

    /// What a caller must be allowed to do for it; the service asks by itself.
    pub const fn permission(self) -> Permission {
        match self {
            Call::SubmitPayload | Call::ValidatePayload | Call::RequestExtension => Permission::Submit,
            Call::SharedContext => Permission::Share,
            Call::ReviewPool => Permission::Audit,
            Call::ProposeKeys => Permission::Operate,
            Call::GetSchemaTemplate | Call::GetSchemaUpdates | Call::ListScenarios => Permission::Negotiate,
        }
    }

    /// Makes the call. `language` is preferred where the params name none.
    pub async fn make(
        self,
        service: &App,
        caller: &Caller,
        params: &str,
        language: Option<&str>,
    ) -> Result<String, Problem> {
        lone_surrogate::refused(params)?;
        match self {
            Call::GetSchemaTemplate => {
                let asked = Negotiation::of(&Params::parse(params)?)?;
                let ignored = asked.ignored.clone();
                Ok(asked.fetch_new(service, caller, language).await?.told(&ignored))
            }
            Call::SubmitPayload => {
                service.require_delivery(caller, params)?;
                let key = batch::key(params)?;
                Ok(service.submit(caller, params, key.as_deref()).await?.told())
            }
            Call::ValidatePayload => Ok(service.validate(caller, params)?.body),
            Call::GetSchemaUpdates => {
                let params = Params::parse(params)?;
                let since = params.whole("since")?.unwrap_or(0);
                let (scenario, pin) = (params.required("scenario")?, pin(&params)?);
                let news = service.updates(caller, scenario, &pin, since, |_| false)?;
                Ok(news.map(|news| news.body).unwrap_or_default())
            }
            Call::ListScenarios => {
                let asked = Listing::of(&Params::parse(params)?)?;
                Ok(text(&asked.fetch(service, caller).await?))
            }
            Call::ReviewPool => {
                let asked = Params::parse(params)?;
                let material = service.review_pool(caller, asked.required("scenario")?).await?;
                Ok(text(&material))
            }
            Call::ProposeKeys => {
                let mut asked = Params::parse(params)?;
                let scenario = asked.required("scenario")?.to_owned();
                let told = asked.without(&["scenario"]);
                Ok(text(&service.propose_keys(caller, &scenario, told).await?))
            }
            Call::SharedContext => {
                let asked = Params::parse(params)?;
                let session = asked.required("session_id")?;
                let sessions = service.sessions(caller, Permission::Share)?;
                Ok(text(&sessions.act_as_written(caller, session, params).await?))
            }
            Call::RequestExtension => {
                let mut params = Params::parse(params)?;
                let key = params.text("idempotency_key")?.map(str::to_owned);
                let scenario = params.required("scenario")?.to_owned();
                // What is left is the body that HTTP would have brought.
                let body = text(&params.without(&["idempotency_key", "scenario"]));
                let reply = service
                    .request_extension(caller, &scenario, &body, key.as_deref())
                    .await?;
                Ok(reply.told())
            }
        }
    }
}

/// An answer as JSON text.
fn text<T: Serialize>(answer: &T) -> String {
    serde_json::to_string(answer).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Call;
    use crate::api::submissions::SchemaStatus;
    use crate::app::reply::SubmitReply;
    use crate::wire::negotiation::METHOD;

    #[test]
    fn every_call_is_found_by_its_name_z173() {
        assert!(Call::all().all(|call| Call::named(call.name()) == Some(call)));
        assert_eq!(Call::GetSchemaTemplate.name(), METHOD);
        assert_eq!(Call::named("Get_Schema_Template"), None);
    }

    #[test]
    fn an_answer_of_earlier_says_so_where_there_is_no_header_for_it() {
        let stored = |replayed| SubmitReply {
            body: r#"{"payload":{"z":1,"a":2},"exchange":{"status":"accepted"}}"#.to_owned(),
            submission_id: None,
            replayed,
            executor_seconds: 0.0,
            schema: SchemaStatus::default(),
        };
        assert_eq!(stored(false).told(), stored(false).body);
        let reply = stored(true).told();
        assert_eq!(
            reply,
            r#"{"payload":{"z":1,"a":2},"exchange":{"status":"accepted","replayed":true}}"#
        );
    }
}
