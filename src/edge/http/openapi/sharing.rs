//! Sessions of shared context: how they begin and end, and what agents do in them.

use crate::edge::http::openapi::described::Described;
use crate::edge::http::openapi::described::Form;
use crate::edge::http::openapi::described::operation;
use crate::edge::http::openapi::parameters;
use crate::edge::http::openapi::shapes::session_audit::ContextAudit;
use crate::edge::http::openapi::shapes::sharing::ContextAction;
use crate::edge::http::openapi::shapes::sharing::ContextAnswer;
use crate::edge::http::openapi::shapes::sharing::Entry;
use crate::edge::http::openapi::shapes::sharing::Grant;
use crate::edge::http::openapi::shapes::sharing::History;
use crate::edge::http::openapi::shapes::sharing::Inspection;
use crate::edge::http::openapi::shapes::sharing::KeyDeleted;
use crate::edge::http::openapi::shapes::sharing::KeyResults;
use crate::edge::http::openapi::shapes::sharing::Keys;
use crate::edge::http::openapi::shapes::sharing::KeysWanted;
use crate::edge::http::openapi::shapes::sharing::Prompt;
use crate::edge::http::openapi::shapes::sharing::RolledBack;
use crate::edge::http::openapi::shapes::sharing::Session;
use crate::edge::http::openapi::shapes::sharing::SessionDeleted;
use crate::edge::http::openapi::shapes::sharing::SessionWanted;
use crate::edge::http::openapi::shapes::sharing::Sessions;
use crate::edge::http::openapi::shapes::sharing::Snapshot;
use crate::edge::http::openapi::shapes::sharing::SnapshotDeleted;
use crate::edge::http::openapi::shapes::sharing::SnapshotTaken;
use crate::edge::http::openapi::shapes::sharing::SnapshotWanted;
use crate::edge::http::openapi::shapes::sharing::Snapshots;
use crate::edge::http::openapi::shapes::sharing::WriteWanted;
use crate::edge::http::openapi::shapes::sharing::Wrote;
use crate::edge::wire::codes::Code;

/// As the document names it.
pub const GROUP: &str = "Sharing";

fn of(method: &'static str, path: &'static str, id: &'static str, summary: &'static str) -> Described {
    operation(GROUP, method, path, id, summary)
}

/// One that knows of a session.
fn within(method: &'static str, path: &'static str, id: &'static str, summary: &'static str) -> Described {
    of(method, path, id, summary)
        .takes(parameters::session_id())
        .fails(&[Code::SessionNotFound])
}

/// One that a participant does.
fn by_role(method: &'static str, path: &'static str, id: &'static str, summary: &'static str) -> Described {
    within(method, path, id, summary)
        .takes(parameters::declared_role())
        .fails(&[Code::RoleNotGranted])
}

/// One on a key.
fn of_key(method: &'static str, path: &'static str, id: &'static str, summary: &'static str) -> Described {
    by_role(method, path, id, summary)
        .takes(parameters::key())
        .fails(&[Code::InvalidKey])
}

/// One on a snapshot that is there.
fn of_snapshot(method: &'static str, path: &'static str, id: &'static str, summary: &'static str) -> Described {
    by_role(method, path, id, summary)
        .takes(parameters::snapshot_label())
        .fails(&[Code::SnapshotNotFound, Code::ExtensionOff, Code::BadRequest])
}

/// The operations of the group.
pub fn operations() -> Vec<Described> {
    [lifecycle(), keys(), snapshots(), watched()].concat()
}

fn lifecycle() -> Vec<Described> {
    vec![
        of("POST", "/sessions", "create_session", "Begin a session")
            .says(
                "An empty store. Whoever creates it leads (`orchestrator`) and says who else takes part, and as what.",
            )
            .body::<SessionWanted>()
            .answers::<Session>(201, "The session.")
            .fails(&[Code::SessionExists, Code::RoleTaken, Code::LimitReached])
            .writes(),
        of("GET", "/sessions", "list_sessions", "The caller's sessions")
            .says("Those that it created, and those in which it takes part, by id.")
            .takes(parameters::limit(500, 50, "Sessions of one page."))
            .takes(parameters::after())
            .answers::<Sessions>(200, "A page.")
            .fails(&[Code::BadParameter]),
        within("GET", "/sessions/{session_id}", "read_session", "One session")
            .answers::<Session>(200, "How it stands."),
        within(
            "POST",
            "/sessions/{session_id}:archive",
            "archive_session",
            "Make a session readable alone",
        )
        .takes(parameters::by_right())
        .answers::<Session>(200, "It is; once more changes nothing.")
        .fails(&[Code::NotCreator, Code::Nameless, Code::BadParameter])
        .writes(),
        within(
            "DELETE",
            "/sessions/{session_id}",
            "delete_session",
            "Do away with a session",
        )
        .says("It is gone at once, and its values are erased from the disk.")
        .takes(parameters::by_right())
        .answers::<SessionDeleted>(200, "It is gone.")
        .fails(&[Code::NotCreator, Code::Nameless, Code::BadParameter])
        .writes(),
        within(
            "POST",
            "/sessions/{session_id}/participants",
            "grant_session",
            "Let a principal take part",
        )
        .says("Or change as what it does. A role is one principal's alone.")
        .body::<Grant>()
        .answers::<Session>(200, "The session.")
        .fails(&[
            Code::NotCreator,
            Code::RoleTaken,
            Code::SessionArchived,
            Code::LimitReached,
        ])
        .writes(),
        within(
            "DELETE",
            "/sessions/{session_id}/participants/{principal}",
            "revoke_session",
            "Let a principal take part no more",
        )
        .takes(parameters::principal())
        .answers::<Session>(200, "The session.")
        .fails(&[Code::NotCreator, Code::ParticipantNotFound])
        .writes(),
        by_role(
            "GET",
            "/sessions/{session_id}/prompt",
            "read_session_prompt",
            "What a system prompt is to say",
        )
        .says(
            "Which session it is and as what the caller takes part, which keys there are, what to write, how to read.",
        )
        .answers::<Prompt>(200, "Three blocks, and all of them as one text."),
    ]
}

fn keys() -> Vec<Described> {
    vec![
        by_role(
            "POST",
            "/sessions/{session_id}/context",
            "act_in_session",
            "An action in the document's form",
        )
        .says(
            "`{\"action\": …}` as the Shared Context Specification has it. Refusals bear `error` with the code in its \
                 spelling.",
        )
        .body::<ContextAction>()
        .answers::<ContextAnswer>(200, "As the action has it.")
        .fails(&[
            Code::SessionArchived,
            Code::KeyNotFound,
            Code::InvalidKey,
            Code::ValueTooLarge,
            Code::StoreFull,
            Code::VersionConflict,
            Code::KeyForbidden,
            Code::ExtensionOff,
            Code::SnapshotNotFound,
            Code::SnapshotExists,
            Code::LimitReached,
        ])
        .writes(),
        by_role(
            "GET",
            "/sessions/{session_id}/keys",
            "list_session_keys",
            "What there is",
        )
        .says("Every key that the caller may read, with its size and never its value.")
        .answers::<Keys>(200, "By name."),
        by_role(
            "POST",
            "/sessions/{session_id}/keys:read",
            "read_session_keys",
            "Read several keys",
        )
        .body::<KeysWanted>()
        .answers::<KeyResults>(200, "In the order in which they were asked for.")
        .fails(&[Code::ExtensionOff]),
        of_key(
            "GET",
            "/sessions/{session_id}/keys/{key}",
            "read_session_key",
            "Read a key",
        )
        .answers::<Entry>(200, "The key with its value.")
        .fails(&[Code::KeyNotFound]),
        of_key(
            "PUT",
            "/sessions/{session_id}/keys/{key}",
            "write_session_key",
            "Write a key",
        )
        .says("Creates or overwrites it. Who wrote it is set by the service.")
        .body::<WriteWanted>()
        .answers::<Wrote>(200, "It is on disk.")
        .fails(&[
            Code::SessionArchived,
            Code::ValueTooLarge,
            Code::StoreFull,
            Code::VersionConflict,
            Code::KeyForbidden,
            Code::ExtensionOff,
        ])
        .writes(),
        of_key(
            "DELETE",
            "/sessions/{session_id}/keys/{key}",
            "delete_session_key",
            "Delete a key",
        )
        .takes(parameters::if_version())
        .takes(parameters::if_incarnation())
        .answers::<KeyDeleted>(200, "It is gone.")
        .fails(&[
            Code::SessionArchived,
            Code::KeyNotFound,
            Code::VersionConflict,
            Code::KeyForbidden,
            Code::ExtensionOff,
            Code::BadParameter,
        ])
        .writes(),
        of_key(
            "GET",
            "/sessions/{session_id}/keys/{key}/history",
            "read_session_key_history",
            "What a key was",
        )
        .takes(parameters::versions())
        .answers::<History>(200, "Oldest first.")
        .fails(&[Code::KeyNotFound, Code::ExtensionOff, Code::BadParameter]),
    ]
}

fn snapshots() -> Vec<Described> {
    vec![
        by_role(
            "GET",
            "/sessions/{session_id}/snapshots",
            "list_session_snapshots",
            "Every snapshot",
        )
        .answers::<Snapshots>(200, "By label.")
        .fails(&[Code::ExtensionOff]),
        by_role(
            "POST",
            "/sessions/{session_id}/snapshots",
            "take_session_snapshot",
            "Keep everything as it stands",
        )
        .body::<SnapshotWanted>()
        .answers::<SnapshotTaken>(201, "It is kept.")
        .fails(&[
            Code::SessionArchived,
            Code::SnapshotExists,
            Code::ExtensionOff,
            Code::LimitReached,
        ])
        .writes(),
        of_snapshot(
            "GET",
            "/sessions/{session_id}/snapshots/{label}",
            "read_session_snapshot",
            "What a snapshot holds",
        )
        .answers::<Snapshot>(200, "With values."),
        of_snapshot(
            "POST",
            "/sessions/{session_id}/snapshots/{label}:rollback",
            "roll_session_back",
            "Put everything back as a snapshot has it",
        )
        .says("Each key that changes gets a new version; what was written since is deleted.")
        .answers::<RolledBack>(200, "What was put back and what was taken out.")
        .fails(&[Code::SessionArchived, Code::KeyForbidden])
        .writes(),
        of_snapshot(
            "DELETE",
            "/sessions/{session_id}/snapshots/{label}",
            "delete_session_snapshot",
            "Forget a snapshot",
        )
        .answers::<SnapshotDeleted>(200, "It is gone.")
        .fails(&[Code::SessionArchived, Code::KeyForbidden])
        .writes(),
    ]
}

fn watched() -> Vec<Described> {
    vec![
        by_role("GET", "/sessions/{session_id}/events", "follow_session", "What changes, as it changes")
            .says(
                "Server-Sent Events without values: `written`, `deleted`, `snapshot`, `archived`; `relist` when more keys went \
                 since than are remembered; `gone` when the session is there no more for the caller; `bye` when the service ends. Several changes of one key may come as one. After a \
                 break, `Last-Event-ID` goes on where it was.",
            )
            .takes(parameters::followed_keys())
            .takes(parameters::since())
            .takes(parameters::last_event_id())
            .said(200, "The stream; it does not end by itself.", Form::Text("text/event-stream"))
            .fails(&[Code::ExtensionOff, Code::BadParameter, Code::LimitReached, Code::Busy, Code::ShuttingDown]),
        within("GET", "/sessions/{session_id}/inspection", "inspect_session", "Everything in a session")
            .says("For whoever runs the service, to find out what went wrong.")
            .answers::<Inspection>(200, "With values."),
        of("GET", "/sessions:audit", "audit_sessions", "Who wrote and deleted what")
            .says("Without values, for as long as the journal: sessions that are gone are in it.")
            .takes(parameters::of_session())
            .takes(parameters::limit(500, 50, "Entries of one page; a page may hold fewer."))
            .takes(parameters::after_record())
            .answers::<ContextAudit>(200, "A page, oldest first.")
            .fails(&[Code::BadParameter, Code::SessionNotFound]),
    ]
}
