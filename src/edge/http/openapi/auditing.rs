//! The audit queue.

use crate::edge::http::openapi::described::Described;
use crate::edge::http::openapi::described::operation;
use crate::edge::http::openapi::parameters;
use crate::edge::http::openapi::shapes::auditing::Audit;
use crate::edge::http::openapi::shapes::auditing::Audits;
use crate::edge::http::openapi::shapes::auditing::Said;
use crate::edge::http::openapi::shapes::auditing::Summary;
use crate::edge::wire::codes::Code;

/// As the document names it.
pub const GROUP: &str = "Audits";

/// The operations of the group.
pub fn operations() -> Vec<Described> {
    let of = |method, path, id, summary| operation(GROUP, method, path, id, summary);
    vec![
        of("GET", "/audits", "list_audits", "Values that wait for a person")
            .says("A sample of what clients gave to learned keys: keys on trial first, then the oldest.")
            .takes(parameters::of_scenario())
            .takes(parameters::limit(200, 20, "Values of one page."))
            .takes(parameters::after())
            .answers::<Audits>(200, "One page.")
            .fails(&[Code::BadParameter, Code::UnknownScenario]),
        of("GET", "/audits/{audit_id}", "read_audit", "One value")
            .takes(parameters::audit_id())
            .answers::<Audit>(200, "The value, waiting or answered.")
            .fails(&[Code::UnknownAudit]),
        of(
            "POST",
            "/audits/{audit_id}",
            "answer_audit",
            "Say whether a value is right",
        )
        .says("The first verdict stands, and counts in the judge's place.")
        .takes(parameters::audit_id())
        .body::<Said>()
        .answers::<Audit>(200, "The value with the verdict.")
        .fails(&[Code::UnknownAudit, Code::Audited])
        .writes(),
        of(
            "GET",
            "/audits:summary",
            "summarise_audits",
            "What people say of the judges",
        )
        .takes(parameters::of_scenario())
        .answers::<Summary>(200, "By scenario and basis.")
        .fails(&[Code::UnknownScenario]),
    ]
}
