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

use crate::a2a::call::Desk;
use crate::a2a::call::Reply;
use crate::a2a::card::Card;
use crate::a2a::extension;
use crate::a2a::failure::Failure;
use crate::a2a::method::Method;
use crate::a2a::params;
use crate::a2a::version;
use crate::app::a2a_tasks::worker::Asking;
use crate::app::application::contract::CONTRACT;
use crate::http::body::Framed;
use crate::http::call;
use crate::http::call::Call;
use crate::http::call::texts;
use crate::wire::lone_surrogate;
use crate::wire::problem::Problem;

/// [`extension::HEADER`] as a header is made of it.
const EXTENSIONS: &str = "a2a-extensions";

/// A request, with its body where it has one.
pub struct Incoming {
    pub request: HttpRequest,
    entered: Result<Entered, Problem>,
}

/// What came in of who may call.
struct Entered {
    call: Call,
    body: Result<Framed, Problem>,
}

impl FromRequest for Incoming {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Incoming, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        // Who calls is known before a byte of the body is read.
        let entered = match call::enter(&request) {
            Ok(call) => {
                let reads = request.method() == HttpMethod::POST;
                Ok((call, reads.then(|| Framed::from_request(&request, payload))))
            }
            Err(problem) => Err(problem),
        };
        Box::pin(async move {
            let entered = match entered {
                Err(problem) => Err(problem),
                Ok((call, None)) => Ok(Entered {
                    call,
                    body: Ok(Framed(String::new())),
                }),
                Ok((call, Some(body))) => Ok(Entered { call, body: body.await }),
            };
            Ok(Incoming { request, entered })
        })
    }
}

impl Incoming {
    /// The body.
    ///
    /// # Errors
    /// Why the call cannot be taken.
    pub fn body(&self) -> Result<&str, Failure> {
        let entered = self
            .entered
            .as_ref()
            .map_err(|problem| Failure::from(problem.clone()))?;
        let body = entered
            .body
            .as_ref()
            .map_err(|problem| Failure::from(problem.clone()))?;
        Ok(&body.0)
    }

    /// Checks which version is spoken. A message in the spelling of version 0.3 is read where no version is said, and nothing else of
    /// that version is (P-017).
    ///
    /// # Errors
    /// That it is another one.
    pub fn speaks(&self, method: Option<Method>, params: &str) -> Result<(), Failure> {
        let said = texts(self.request.headers(), version::HEADER);
        let query = web::Query::<Vec<(String, String)>>::from_query(self.request.query_string());
        let pairs = query.map(web::Query::into_inner).unwrap_or_default();
        let asked = pairs
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case(version::HEADER));
        let said: Vec<&str> = said.into_iter().chain(asked.map(|(_, value)| value.as_str())).collect();
        let said_nothing = said.iter().all(|version| version.trim().is_empty());
        let said = said.into_iter();
        match version::check(said) {
            Err(spoken)
                if spoken == version::UNSAID
                    && said_nothing
                    && method == Some(Method::SendMessage)
                    && params::is_spelt_as_before(params) =>
            {
                Ok(())
            }
            checked => checked.map_err(|spoken| Failure::version(&spoken)),
        }
    }

    /// Whether the schema contract extension is activated.
    pub fn contract(&self) -> bool {
        extension::is_asked_for(texts(self.request.headers(), extension::HEADER).into_iter())
    }

    /// An answer with the extension that it was made by, where it was activated.
    pub fn answered(&self, mut response: HttpResponse) -> HttpResponse {
        if self.contract() {
            let name = HeaderName::from_static(EXTENSIONS);
            response.headers_mut().insert(name, HeaderValue::from_static(CONTRACT));
        }
        response
    }

    /// Makes a call.
    ///
    /// # Errors
    /// Why it was not made, or what the service says.
    pub async fn make(&self, method: Method, params: &str) -> Result<Reply, Failure> {
        let call = self.call()?;
        call.no_idempotency_key(
            "it is a member of the submission, or of the metadata of a typed part, `idempotency_key`",
        )?;
        let mouth = call.state();
        let called = called(&self.request);
        let desk = Desk {
            service: call.service().map_err(Failure::from)?,
            asking: Asking {
                caller: call.caller.clone(),
                language: call.accepted_language(),
                contract: self.contract(),
            },
            card: Card {
                settings: &mouth.card,
                called: &called,
                open: mouth.authenticator.is_open(),
            },
        };
        lone_surrogate::refused(params).map_err(Failure::from)?;
        desk.make(method, params).await
    }

    /// Who calls.
    ///
    /// # Errors
    /// Why nobody may.
    pub fn call(&self) -> Result<&Call, Failure> {
        let entered = self.entered.as_ref();
        entered
            .map(|entered| &entered.call)
            .map_err(|problem| Failure::from(problem.clone()))
    }

    /// Whether a member of `application/a2a+json` is spoken: then the answer is of it too.
    pub fn wants_own_media_type(&self) -> bool {
        let headers = self.request.headers();
        let named = [header::CONTENT_TYPE, header::ACCEPT];
        named
            .iter()
            .flat_map(|name| texts(headers, name.as_str()))
            .any(|value| value.to_ascii_lowercase().contains("application/a2a+json"))
    }
}

/// The address that a request came to: `http://` and its host, which is a loopback name where nothing sound is said.
pub fn called(request: &HttpRequest) -> String {
    let header = texts(request.headers(), "Host").first().copied();
    let host = request.uri().authority().map(|authority| authority.as_str()).or(header);
    let sound = |host: &&str| {
        (1..=255).contains(&host.len())
            && host
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':' | b'[' | b']'))
    };
    format!("http://{}", host.filter(sound).unwrap_or("localhost"))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::called;

    #[test]
    fn an_address_is_told_back_only_where_it_is_one() {
        for (host, told) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("[::1]:8080", "http://[::1]:8080"),
            ("agents.example.com", "http://agents.example.com"),
            ("a/b", "http://localhost"),
            ("a\"b", "http://localhost"),
            ("", "http://localhost"),
        ] {
            let request = TestRequest::default().insert_header(("Host", host)).to_http_request();
            assert_eq!(called(&request), told, "{host}");
        }
    }
}
