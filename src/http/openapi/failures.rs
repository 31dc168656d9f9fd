//! Which failures follow from an address: from who may come, from its method, and from whether it has a body or records.

use crate::http::access::Access;
use crate::http::openapi::handlers::Described;
use crate::wire::codes::Code;

/// Before anyone is let in: the service may run open, and the address may not have the method.
const EVERYWHERE: &[Code] = &[
    Code::NotEncrypted,
    Code::BadHost,
    Code::BadOrigin,
    Code::MethodNotAllowed,
    Code::Fault,
];

/// Where it is asked who calls.
const WHO: &[Code] = &[Code::Unauthenticated, Code::Forbidden, Code::BadHeader];

/// Where [`crate::http::call::Call`] reads the head.
const HEAD: &[Code] = &[
    Code::UnknownParameter,
    Code::NotAcceptable,
    Code::RateLimited,
    Code::NotReady,
];

/// Where a body is read.
const BODY: &[Code] = &[
    Code::BadRequest,
    Code::NotUtf8,
    Code::TooDeep,
    Code::BodyTimeout,
    Code::TooLarge,
    Code::UnsupportedMediaType,
];

/// Where something is recorded.
const RECORD: &[Code] = &[
    Code::Busy,
    Code::ShuttingDown,
    Code::ReadOnly,
    Code::StoreStalled,
    Code::DiskFull,
];

/// Only of addresses that the A2A protocol describes.
pub const OF_AGENTS: &[Code] = &[Code::UnknownPush, Code::NotCancelable];

/// Every failure of an operation, in the order of the table of codes.
pub fn of(access: Access, described: &Described) -> Vec<Code> {
    let mut all = vec![EVERYWHERE, described.codes.as_slice()];
    match access {
        Access::Anyone => {}
        Access::Scraper => all.push(WHO),
        Access::For(_) => all.extend([WHO, HEAD]),
    }
    if described.path.contains('{') {
        // A segment that cannot be one, such as one with a colon, is no address.
        all.push(&[Code::NotFound]);
    }
    if described.operation.request_body.is_some() {
        all.push(BODY);
    }
    // What may be refused for that records something, and fails as everything fails that does.
    if described.codes.contains(&Code::ReadOnly) {
        all.push(RECORD);
    }
    let all: Vec<Code> = all.concat();
    Code::ALL.iter().copied().filter(|code| all.contains(code)).collect()
}

/// Failures of an address of A2A, in the order of the table of codes: those before anything is read of a call, and with `called`
/// those of the call itself.
pub fn of_agents(path: &str, sends: bool, called: bool) -> Vec<Code> {
    let mut all: Vec<&[Code]> = vec![WHO, &[Code::RateLimited, Code::NotReady, Code::Fault]];
    if sends {
        all.push(BODY);
    }
    if called {
        all.push(&[Code::BadRequest]);
        if sends {
            all.push(RECORD);
        }
        for (part, codes) in OF_CALLS {
            if path.contains(part) {
                all.push(codes);
            }
        }
    }
    let all: Vec<Code> = all.concat();
    Code::ALL.iter().copied().filter(|code| all.contains(code)).collect()
}

/// What may be wrong with a call, by what its address holds.
const OF_CALLS: [(&str, &[Code]); 6] = [
    ("/message:", &[Code::UnknownTask, Code::TaskForbids, Code::LimitReached]),
    ("{task_id}", &[Code::UnknownTask]),
    ("{config_id}", &[Code::UnknownPush]),
    (":cancel", &[Code::NotCancelable]),
    (":subscribe", &[Code::TaskForbids, Code::LimitReached]),
    ("/pushNotificationConfigs", &[Code::LimitReached]),
];
