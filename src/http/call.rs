//! One call: who makes it, what its head says, and the service it goes to.

use std::future::Ready;
use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::FromRequest;
use actix_web::HttpMessage;
use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::http::header;
use actix_web::http::header::AsHeaderName;
use actix_web::http::header::EntityTag;
use actix_web::http::header::Header;
use actix_web::http::header::HeaderMap;
use actix_web::http::header::IfMatch;
use actix_web::http::header::IfNoneMatch;
use actix_web::mime;
use actix_web::mime::Mime;
use actix_web::web;

use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::http::accept;
use crate::http::access::PREFIXES;
use crate::http::access::Permits;
use crate::http::app_state::AppState;
use crate::http::middleware::RequestId;
use crate::http::query::Query;
use crate::wire::authenticator::Credentials;
use crate::wire::authenticator::KEY_HEADER;
use crate::wire::authenticator::NAME_HEADER;
use crate::wire::authenticator::RECEIPT_HEADER;
use crate::wire::authenticator::ROLE_HEADER;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use context::session::names::Participant;
use schema::language::Priorities;

/// An established caller with its request's head. Always the first argument of a handler, so that who calls is known
/// before a body is read.
pub struct Call {
    pub caller: Caller,
    state: web::Data<AppState>,
    request: HttpRequest,
}

impl Call {
    /// The service.
    ///
    /// # Errors
    /// `not_ready` until it is open.
    pub fn service(&self) -> Result<&App, Problem> {
        self.state.service()
    }

    /// The query, with these parameters.
    ///
    /// # Errors
    /// As [`Query::read`].
    pub fn query(&self, known: &[&str]) -> Result<Query, Problem> {
        Query::read(self.request.query_string(), known)
    }

    /// Counts the further items of a batch, of which the first was counted with the request.
    ///
    /// # Errors
    /// 429 when they are too many.
    pub fn count_further(&self, items: usize) -> Result<(), Problem> {
        let rate = self.state.rate.as_ref();
        rate.map_or(Ok(()), |rate| rate.pass_rest(&self.caller, items))
    }

    /// Whether only the head of the answer is wanted.
    pub fn is_head(&self) -> bool {
        self.request.method() == Method::HEAD
    }

    /// Whether the client holds what bears this entity tag, see [`holds`].
    pub fn holds(&self, etag: &str) -> bool {
        holds(&self.request, etag)
    }

    /// The revisions that `If-Match` says the caller has before it: none where it is not sent, or takes any. What is no tag of ours
    /// matches nothing.
    pub fn seen(&self) -> Option<Vec<u64>> {
        let is_sent = self.request.headers().contains_key(header::IF_MATCH);
        match is_sent.then(|| IfMatch::parse(&self.request))? {
            Ok(IfMatch::Any) => None,
            Ok(IfMatch::Items(tags)) => Some(tags.iter().filter_map(|tag| tag.tag().parse().ok()).collect()),
            Err(_) => Some(Vec::new()),
        }
    }

    /// Completes when the caller's key is no longer in force, or its roles have changed.
    pub fn revoked(&self) -> Revoked {
        let mut rechecks = self.state.streams.rechecks();
        let (authenticator, caller) = (Arc::clone(&self.state.authenticator), self.caller.clone());
        Box::pin(async move {
            while authenticator.is_current(&caller) {
                if rechecks.changed().await.is_err() {
                    return;
                }
            }
        })
    }

    /// What the handlers share.
    pub fn state(&self) -> &AppState {
        &self.state
    }

    /// `Last-Event-ID`: the revision that a stream broke off at.
    ///
    /// # Errors
    /// 400 when it is no revision, or given twice.
    pub fn last_event_id(&self) -> Result<Option<u64>, Problem> {
        let values = texts(self.request.headers(), "Last-Event-ID");
        let wrong = || Problem::new(Code::BadHeader, "Last-Event-ID must be the id of an event: a revision");
        match values.as_slice() {
            [] => Ok(None),
            [id] if id.bytes().all(|b| b.is_ascii_digit()) => id.parse().map(Some).map_err(|_| wrong()),
            [_, ..] => Err(wrong()),
        }
    }

    /// The languages of `Accept-Language`, where it names any; each header field continues the list.
    pub fn accepted_language(&self) -> Option<String> {
        let list = texts(self.request.headers(), "Accept-Language").join(",");
        Priorities::parse(&list).chooses().then_some(list)
    }

    /// Where `Idempotency-Key` could only be passed over.
    ///
    /// # Errors
    /// 400 when it is there; `instead` says where the key belongs.
    pub fn no_idempotency_key(&self, instead: &str) -> Result<(), Problem> {
        if self.request.headers().contains_key("Idempotency-Key") {
            let what = format!("Idempotency-Key does not count here: {instead}");
            return Err(Problem::new(Code::BadHeader, what));
        }
        Ok(())
    }

    /// `Idempotency-Key`: 1 to 255 visible ASCII characters, once.
    ///
    /// # Errors
    /// 400 otherwise.
    pub fn idempotency_key(&self) -> Result<Option<&str>, Problem> {
        let wrong = || {
            Problem::new(
                Code::BadHeader,
                "Idempotency-Key must be 1 to 255 visible ASCII characters, given once",
            )
        };
        let mut values = self.request.headers().get_all("Idempotency-Key");
        let Some(value) = values.next() else { return Ok(None) };
        let key = value.to_str().map_err(|_| wrong())?;
        let right = (1..=255).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic());
        if right && values.next().is_none() {
            Ok(Some(key))
        } else {
            Err(wrong())
        }
    }
}

/// A wait for the end of a caller's rights, see [`Call::revoked`].
pub type Revoked = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A call that is answered with a stream of events.
pub struct Listening(pub Call);

impl FromRequest for Listening {
    type Error = Problem;
    type Future = Ready<Result<Listening, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(establish(request, &mime::TEXT_EVENT_STREAM).map(Listening))
    }
}

impl FromRequest for Call {
    type Error = Problem;
    type Future = Ready<Result<Call, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(establish(request, &mime::APPLICATION_JSON))
    }
}

/// A call by whoever makes it, in whatever form it wants to be answered.
///
/// # Errors
/// As [`caller`], 429 when it comes too often, 403 where none of its roles may do this, and 415 for a body that is not JSON.
pub fn enter(request: &HttpRequest) -> Result<Call, Problem> {
    let state = app_state(request)?;
    let mut caller = caller(&state, request.headers())?;
    if let Some(client) = &caller.client {
        tracing::Span::current().record("client", client.as_str());
    }
    caller.origin.request_id = request.extensions().get().map(|RequestId(id)| Arc::clone(id));
    if let Some(rate) = &state.rate {
        rate.pass(&caller)?;
    }
    let permission = request
        .app_data::<Permits>()
        .and_then(|permits| permits.permission(request.method()));
    if permission.is_some_and(|permission| !caller.may(permission)) {
        return Err(Problem::from(ServiceError::Forbidden));
    }
    // Also where no handler reads the body.
    if let Some(length @ 1..) = accept::declared_length(request) {
        accept::check_media_type(request, length)?;
    }
    Ok(Call {
        caller,
        state,
        request: request.clone(),
    })
}

fn establish(request: &HttpRequest, answer: &Mime) -> Result<Call, Problem> {
    let call = enter(request)?;
    if !names_a_form(request) && !accept::takes(request, answer) {
        let what = format!("the answer here is {answer}");
        return Err(Problem::new(Code::NotAcceptable, what));
    }
    Ok(call)
}

/// Whether the address or the query says in which form the answer comes: then `Accept` is not asked.
fn names_a_form(request: &HttpRequest) -> bool {
    let is_backup = |prefix: &&str| request.path().strip_prefix(*prefix) == Some("/backup");
    if PREFIXES.iter().any(is_backup) {
        return true;
    }
    request.path().ends_with("/template")
        && request
            .query_string()
            .split('&')
            .any(|pair| pair.starts_with("format="))
}

/// Who calls, as what it says that it takes part in a session, and whether it only looks.
///
/// # Errors
/// As [`crate::wire::authenticator::Authenticator::caller`]; 400 for a role that is none; as [`looks_only`].
pub fn caller(state: &AppState, headers: &HeaderMap) -> Result<Caller, Problem> {
    let mut caller = state.authenticator.caller(&Credentials {
        authorization: texts(headers, &header::AUTHORIZATION),
        key: texts(headers, KEY_HEADER),
        name: texts(headers, NAME_HEADER),
    })?;
    caller.speaks_as = role(&texts(headers, ROLE_HEADER))?;
    caller.origin.looks_only = looks_only(&caller, &texts(headers, RECEIPT_HEADER))?;
    caller.origin.lenient = prefers_lenient(&texts(headers, "Prefer"));
    Ok(caller)
}

/// Whether the caller asks that what it reads leaves no receipt.
///
/// # Errors
/// 400 for anything but `none`; 403 for who may not inspect, whose receipts are what trials are judged by: a header that is not
/// heeded is told.
fn looks_only(caller: &Caller, said: &[&str]) -> Result<bool, Problem> {
    match said {
        [] => Ok(false),
        ["none"] if caller.may(Permission::Inspect) => Ok(true),
        ["none"] => {
            let what = format!("{RECEIPT_HEADER}: none is for who may inspect; leave it out");
            Err(Problem::new(Code::Forbidden, what))
        }
        _ => {
            let what = format!("{RECEIPT_HEADER} must be none, given once, or be left out");
            Err(Problem::new(Code::BadHeader, what))
        }
    }
}

/// Returns true where the first `handling` among the preferences of a request is `lenient` (RFC 7240); others are passed over.
fn prefers_lenient(preferences: &[&str]) -> bool {
    let each = preferences.iter().flat_map(|list| list.split(','));
    let named = each.filter_map(|one| one.split(';').next()?.split_once('='));
    let mut handling = named.filter(|(name, _)| name.trim().eq_ignore_ascii_case("handling"));
    handling
        .next()
        .is_some_and(|(_, value)| value.trim().trim_matches('"').eq_ignore_ascii_case("lenient"))
}

fn role(said: &[&str]) -> Result<Option<Participant>, Problem> {
    let wrong = || {
        let what = format!("{ROLE_HEADER} must be orchestrator, subagent:TASK or subagent:TASK:ID, given once");
        Problem::new(Code::BadHeader, what)
    };
    match said {
        [] => Ok(None),
        [role] => Participant::parse(role).map(Some).ok_or_else(wrong),
        [_, _, ..] => Err(wrong()),
    }
}

/// What the handlers share.
///
/// # Errors
/// A fault when the application was put together without it.
pub fn app_state(request: &HttpRequest) -> Result<web::Data<AppState>, Problem> {
    request.app_data::<web::Data<AppState>>().cloned().ok_or_else(|| {
        let mut problem = Problem::new(Code::Fault, "the service failed");
        problem.inside = Some("the application was built without its state".into());
        problem
    })
}

/// Whether the client says that it holds what bears this entity tag (`If-None-Match`, compared weakly).
pub fn holds(request: &HttpRequest, etag: &str) -> bool {
    match request.get_header::<IfNoneMatch>() {
        None => false,
        Some(IfNoneMatch::Any) => true,
        Some(IfNoneMatch::Items(tags)) => etag
            .parse()
            .is_ok_and(|etag: EntityTag| tags.iter().any(|tag| tag.weak_eq(&etag))),
    }
}

/// Every value of a header; one that is not visible ASCII counts as empty, which no check takes.
pub fn texts(headers: &HeaderMap, name: impl AsHeaderName) -> Vec<&str> {
    headers
        .get_all(name)
        .map(|value| value.to_str().unwrap_or_default())
        .collect()
}
