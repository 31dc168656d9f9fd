//! A request of another agent: who makes it, which version it speaks, and its body, or why it cannot be taken.

use std::future::Future;
use std::pin::Pin;

use actix_web::FromRequest;
use actix_web::HttpRequest;
use actix_web::HttpResponse;
use actix_web::dev::Payload;
use actix_web::http::Method as HttpMethod;
use actix_web::http::header;
use actix_web::http::header::HeaderName;
use actix_web::http::header::HeaderValue;
use actix_web::web;

use crate::a2a::call::Handler;
use crate::a2a::call::Method;
use crate::a2a::call::Reply;
use crate::a2a::card::Card;
use crate::a2a::failure::Failure;
use crate::a2a::headers;
use crate::a2a::params;
use crate::app::a2a_tasks::worker::Asking;
use crate::app::application::contract::CONTRACT;
use crate::http::body::Framed;
use crate::http::call;
use crate::http::call::Call;
use crate::http::call::texts;
use crate::wire::lone_surrogate;
use crate::wire::problem::Problem;

/// A request, with its body where it has one.
pub struct Incoming {
    pub request: HttpRequest,
    taken: Result<(Call, String), Problem>,
}

impl FromRequest for Incoming {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Incoming, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        // Who calls is known before a byte of the body is read.
        let entered = call::enter(&request);
        let reads = entered.is_ok() && request.method() == HttpMethod::POST;
        let body = reads.then(|| Framed::from_request(&request, payload));
        Box::pin(async move {
            let taken = match (entered, body) {
                (Ok(call), Some(body)) => body.await.map(|body| (call, body.0)),
                (entered, _) => entered.map(|call| (call, String::new())),
            };
            Ok(Incoming { request, taken })
        })
    }
}

impl Incoming {
    /// Who calls, and the body.
    ///
    /// # Errors
    /// Why the call cannot be taken.
    pub fn taken(&self) -> Result<&(Call, String), Failure> {
        self.taken.as_ref().map_err(|problem| Failure::from(problem.clone()))
    }

    /// Checks which version is spoken. A message in the spelling of version 0.3 is read where no version is said, and nothing else of
    /// that version is (P-017).
    ///
    /// # Errors
    /// That it is another one.
    pub fn speaks(&self, method: Option<Method>, params: &str) -> Result<(), Failure> {
        let query = web::Query::<Vec<(String, String)>>::from_query(self.request.query_string());
        let pairs = query.map(web::Query::into_inner).unwrap_or_default();
        let asked = pairs
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case(headers::VERSION));
        let mut said = texts(self.request.headers(), headers::VERSION);
        said.extend(asked.map(|(_, value)| value.as_str()));
        let said_nothing = said.iter().all(|version| version.trim().is_empty());
        match headers::check_version(said.into_iter()) {
            Err(_) if said_nothing && method == Some(Method::SendMessage) && params::is_spelt_as_before(params) => {
                Ok(())
            }
            checked => checked.map_err(|spoken| Failure::version(&spoken)),
        }
    }

    /// Whether the schema contract extension is activated.
    fn contract(&self) -> bool {
        headers::asks_for_contract(texts(self.request.headers(), headers::EXTENSIONS).into_iter())
    }

    /// An answer with the extension that it was made by, where it was activated.
    pub fn answered(&self, mut response: HttpResponse) -> HttpResponse {
        if self.contract() {
            let name = HeaderName::from_static("a2a-extensions");
            response.headers_mut().insert(name, HeaderValue::from_static(CONTRACT));
        }
        response
    }

    /// Makes a call.
    ///
    /// # Errors
    /// Why it was not made, or what the service says.
    pub async fn make(&self, method: Method, params: &str) -> Result<Reply, Failure> {
        let (call, _) = self.taken()?;
        call.no_idempotency_key(
            "it is a member of the submission, or of the metadata of a typed part, `idempotency_key`",
        )?;
        let state = call.state();
        let called = called(&self.request);
        let handler = Handler {
            service: call.service()?,
            asking: Asking {
                caller: call.caller.clone(),
                language: call.accepted_language(),
                contract: self.contract(),
            },
            card: Card {
                settings: &state.card,
                called: &called,
                open: state.authenticator.is_open(),
            },
        };
        lone_surrogate::refused(params)?;
        handler.call(method, params).await
    }

    /// Whether a member of `application/a2a+json` is spoken: then the answer is of it too.
    pub fn wants_own_media_type(&self) -> bool {
        let named = [header::CONTENT_TYPE, header::ACCEPT];
        let mut values = named
            .iter()
            .flat_map(|name| texts(self.request.headers(), name.as_str()));
        values.any(|value| value.to_ascii_lowercase().contains("application/a2a+json"))
    }
}

/// The address that a request came to: `http://` and its host, which is a loopback name where nothing sound is said.
pub fn called(request: &HttpRequest) -> String {
    let header = texts(request.headers(), "Host").first().copied();
    let host = request.uri().authority().map(|authority| authority.as_str()).or(header);
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    let sound = |host: &&str| (1..=255).contains(&host.len()) && host.bytes().all(is_letter);
    format!("http://{}", host.filter(sound).unwrap_or("localhost"))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::called;

    #[test]
    fn the_address_that_was_called_is_one_whatever_is_said() {
        for (host, at) in [
            ("agents.example:81", "http://agents.example:81"),
            ("[::1]:8080", "http://[::1]:8080"),
            ("evil.example/\"><script>", "http://localhost"),
            ("", "http://localhost"),
        ] {
            let request = TestRequest::get().insert_header(("Host", host)).to_http_request();
            assert_eq!(called(&request), at);
        }
    }
}
