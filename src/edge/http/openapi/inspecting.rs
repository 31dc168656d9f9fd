//! What was learned, and why.

use crate::edge::http::openapi::described::Described;
use crate::edge::http::openapi::described::operation;
use crate::edge::http::openapi::parameters;
use crate::edge::http::openapi::shapes::evolution::Approvals;
use crate::edge::http::openapi::shapes::evolution::Evidence;
use crate::edge::http::openapi::shapes::evolution::Ledger;
use crate::edge::http::openapi::shapes::evolution::Pool;
use crate::edge::http::openapi::shapes::reading::Answer;
use crate::edge::http::openapi::shapes::reading::PoolReview;
use crate::edge::http::openapi::shapes::reading::Taken;
use crate::edge::http::openapi::shapes::template::Patch;
use crate::edge::http::openapi::shapes::template::Patches;
use crate::edge::wire::codes::Code;

/// As the document names it.
pub const GROUP: &str = "What was learned";

/// The operations of the group.
pub fn operations() -> Vec<Described> {
    let of = |method, path, id, summary| operation(GROUP, method, path, id, summary);
    let in_scenario = |method, path, id, summary| {
        of(method, path, id, summary)
            .takes(parameters::scenario())
            .fails(&[Code::UnknownScenario])
    };
    let of_patch = |method, path, id, summary| {
        of(method, path, id, summary)
            .takes(parameters::patch_id())
            .fails(&[Code::UnknownPatch])
    };
    vec![
        in_scenario("GET", "/scenarios/{scenario}/pool", "read_pool", "What no key holds")
            .says("The pool of a scenario: clusters of what is said in `other`, with their heat, hottest first.")
            .takes(parameters::words())
            .answers::<Pool>(200, "The pool."),
        in_scenario(
            "GET",
            "/scenarios/{scenario}/pool:review",
            "review_pool",
            "What a reader is given",
        )
        .says(
            "What clients said that no key holds, each text with an id, for whoever reads it and says which wishes there are. What is \
             personal is masked, what tells a secret is left out, and no client is named.",
        )
        .answers::<PoolReview>(200, "The material, what to do with it, and the schema of the answer.")
        .fails(&[Code::NoReader]),
        in_scenario(
            "POST",
            "/scenarios/{scenario}/proposals",
            "propose_keys",
            "Say which wishes there are",
        )
        .says(
            "A reader's answer. Heat, clients and shares are counted from the ids, so that no answer opens a gate; a word that fewer clients \
             said than `policy.evolution.example_clients_min` is refused; what is sensitive waits for a person; a publisher's key is not \
             touched.",
        )
        .body::<Answer>()
        .answers::<Taken>(200, "What of it holds.")
        .fails(&[Code::NoReader])
        .writes(),
        in_scenario(
            "GET",
            "/scenarios/{scenario}/patches",
            "list_patches",
            "Every patch of a scenario",
        )
        .answers::<Patches>(200, "The patches, whatever their stage."),
        in_scenario(
            "GET",
            "/scenarios/{scenario}/ledger",
            "read_ledger",
            "How learned keys are used",
        )
        .says("Usage, alignment, type correctness and adoption of each key over 30 days.")
        .answers::<Ledger>(200, "The ledger."),
        of_patch("GET", "/patches/{patch_id}", "read_patch", "One patch")
            .says("A patch for another client is 404 to a client.")
            .answers::<Patch>(200, "The patch.")
            .with(&["ETag"]),
        of_patch(
            "GET",
            "/patches/{patch_id}/evidence",
            "read_evidence",
            "What a patch rests on",
        )
        .answers::<Evidence>(200, "Examples, heat, gate, ledger and history."),
        of("GET", "/approvals", "list_approvals", "What waits for a person")
            .says("Over all scenarios, longest waiting first, page by page.")
            .takes(parameters::limit(200, 50, "Approvals on the page, at most."))
            .takes(parameters::after())
            .answers::<Approvals>(200, "A page.")
            .fails(&[Code::BadParameter]),
    ]
}
