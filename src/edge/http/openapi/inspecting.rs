//! What was learned, and why.

use crate::edge::http::openapi::described::Described;
use crate::edge::http::openapi::described::operation;
use crate::edge::http::openapi::parameters;
use crate::edge::http::openapi::shapes::evolution::Approvals;
use crate::edge::http::openapi::shapes::evolution::Evidence;
use crate::edge::http::openapi::shapes::evolution::Ledger;
use crate::edge::http::openapi::shapes::evolution::Pool;
use crate::edge::http::openapi::shapes::template::Patch;
use crate::edge::http::openapi::shapes::template::Patches;
use crate::edge::wire::codes::Code;

/// As the document names it.
pub const GROUP: &str = "What was learned";

/// The operations of the group.
pub fn operations() -> Vec<Described> {
    let of = |method, path, id, summary| operation(GROUP, method, path, id, summary);
    vec![
        of("GET", "/scenarios/{scenario}/pool", "read_pool", "What no key holds")
            .says("The pool of a scenario: clusters of what is said in `other`, with their heat, hottest first.")
            .takes(parameters::scenario())
            .answers::<Pool>(200, "The pool.")
            .fails(&[Code::UnknownScenario]),
        of(
            "GET",
            "/scenarios/{scenario}/patches",
            "list_patches",
            "Every patch of a scenario",
        )
        .takes(parameters::scenario())
        .answers::<Patches>(200, "The patches, whatever their stage.")
        .fails(&[Code::UnknownScenario]),
        of(
            "GET",
            "/scenarios/{scenario}/ledger",
            "read_ledger",
            "How learned keys are used",
        )
        .says("Usage, alignment, type correctness and adoption of each key over 30 days.")
        .takes(parameters::scenario())
        .answers::<Ledger>(200, "The ledger.")
        .fails(&[Code::UnknownScenario]),
        of("GET", "/patches/{patch_id}", "read_patch", "One patch")
            .says("A patch for another client is 404 to a client.")
            .takes(parameters::patch_id())
            .answers::<Patch>(200, "The patch.")
            .fails(&[Code::UnknownPatch]),
        of(
            "GET",
            "/patches/{patch_id}/evidence",
            "read_evidence",
            "What a patch rests on",
        )
        .takes(parameters::patch_id())
        .answers::<Evidence>(200, "Examples, heat, gate, ledger and history.")
        .fails(&[Code::UnknownPatch]),
        of("GET", "/approvals", "list_approvals", "What waits for a person")
            .says("Over all scenarios, longest waiting first, page by page.")
            .takes(parameters::limit(200, 50, "Approvals on the page, at most."))
            .takes(parameters::after())
            .answers::<Approvals>(200, "A page.")
            .fails(&[Code::BadParameter]),
    ]
}
