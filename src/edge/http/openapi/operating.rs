//! The operator's hand: on a patch, on a scenario, on the service.

use crate::edge::http::openapi::described::Described;
use crate::edge::http::openapi::described::Form;
use crate::edge::http::openapi::described::operation;
use crate::edge::http::openapi::parameters;
use crate::edge::http::openapi::shapes::evolution::Approved;
use crate::edge::http::openapi::shapes::evolution::Approving;
use crate::edge::http::openapi::shapes::evolution::Freezing;
use crate::edge::http::openapi::shapes::evolution::Rejecting;
use crate::edge::http::openapi::shapes::operations::Hand;
use crate::edge::http::openapi::shapes::operations::Standing;
use crate::edge::http::openapi::shapes::template::Patch;
use crate::edge::wire::codes::Code;
use engine::evolution::hand::Hand as Permission;

/// As the document names it.
pub const GROUP: &str = "The operator's hand";

/// The operations of the group.
pub fn operations() -> Vec<Described> {
    let of = |method, path, id, summary| operation(GROUP, method, path, id, summary);
    let turn = |path, id, summary| {
        of("POST", path, id, summary)
            .takes(parameters::scenario())
            .body_or_none::<Hand>()
            .answers::<Freezing>(200, "Whether the scenario stands still.")
            .fails(&[Code::UnknownScenario])
            .writes()
    };
    let mut all: Vec<Described> = Permission::ALL.into_iter().map(on_patch).collect();
    all.extend([
        turn(
            "/scenarios/{scenario}:freeze",
            "freeze_scenario",
            "Stop a scenario's evolution",
        )
        .says("Everything is still counted and judged; nothing is proposed or changed."),
        turn(
            "/scenarios/{scenario}:thaw",
            "thaw_scenario",
            "Let a scenario evolve again",
        ),
        of("GET", "/backup", "read_backup", "Everything, as one stream")
            .says(
                "Every journal up to one moment, as `otherwise restore` reads it; the service goes on. One at a time.",
            )
            .said(200, "The backup.", Form::Files(&["application/octet-stream"]))
            .fails(&[Code::Busy, Code::ShuttingDown]),
        of("GET", "/service", "read_service", "Whether the service writes").answers::<Standing>(200, "The standing."),
        switch("/service:read-only", "close_service", "Close the service for writing")
            .says("Reads go on; whatever would be recorded is answered with 503 `read_only`."),
        switch("/service:read-write", "open_service", "Open the service for writing").fails(&[Code::ReadOnlyBySetting]),
    ]);
    all
}

/// What a hand on a patch is called and what it does.
fn on_patch(deed: Permission) -> Described {
    let (path, id, summary) = match deed {
        Permission::Approve => (
            "/patches/{patch_id}:approve",
            "approve_patch",
            "Put what waits on trial",
        ),
        Permission::Reject => ("/patches/{patch_id}:reject", "reject_patch", "Refuse what waits"),
        Permission::Promote => (
            "/patches/{patch_id}:promote",
            "promote_patch",
            "Make a key on trial stable",
        ),
        Permission::Demote => (
            "/patches/{patch_id}:demote",
            "demote_patch",
            "Put a stable key on trial again",
        ),
        Permission::Deprecate => (
            "/patches/{patch_id}:deprecate",
            "deprecate_patch",
            "Announce that a key will go",
        ),
        Permission::Withdraw => (
            "/patches/{patch_id}:withdraw",
            "withdraw_patch",
            "Take a key out of the template",
        ),
        Permission::Restore => ("/patches/{patch_id}:restore", "restore_patch", "Bring back what went"),
    };
    let hand = operation(GROUP, "POST", path, id, summary)
        .takes(parameters::patch_id())
        .takes(parameters::if_match())
        .fails(&[
            Code::UnknownPatch,
            Code::StageForbids,
            Code::LimitReached,
            Code::PatchMoved,
        ])
        .writes();
    let stands = "The patch in its new stage.";
    match deed {
        Permission::Approve => hand
            .says("With `edit`, the key goes on trial as edited; evidence keeps both. `dry_run` writes nothing.")
            .takes(parameters::dry_run())
            .body_or_none::<Approving>()
            .answers::<Approved>(
                200,
                "The patch in its new stage; of an edit or a dry run, with what came of it.",
            )
            .fails(&[Code::UnfitKey, Code::NameTaken]),
        Permission::Reject => hand.body_or_none::<Rejecting>().answers::<Patch>(200, stands),
        Permission::Restore => hand
            .body_or_none::<Hand>()
            .answers::<Patch>(200, stands)
            .fails(&[Code::NameTaken]),
        Permission::Promote | Permission::Demote | Permission::Deprecate | Permission::Withdraw => {
            hand.body_or_none::<Hand>().answers::<Patch>(200, stands)
        }
    }
}

/// Opening goes past what closes, so that neither fails for being closed; a full disk or a full queue stops both.
fn switch(path: &'static str, id: &'static str, summary: &'static str) -> Described {
    operation(GROUP, "POST", path, id, summary)
        .body_or_none::<Hand>()
        .answers::<Standing>(200, "The standing.")
        .writes()
}
