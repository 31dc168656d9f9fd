//! Templates for those who call, and what changed since.

use crate::edge::http::openapi::described::Described;
use crate::edge::http::openapi::described::Form;
use crate::edge::http::openapi::described::operation;
use crate::edge::http::openapi::described::shape;
use crate::edge::http::openapi::parameters;
use crate::edge::http::openapi::shapes::reading::Wishes;
use crate::edge::http::openapi::shapes::template::EffectiveTemplate;
use crate::edge::http::openapi::shapes::template::Negotiation;
use crate::edge::http::openapi::shapes::template::Updates;
use crate::edge::wire::codes::Code;
use crate::service::wishes;

/// As the document names it.
pub const GROUP: &str = "Negotiation";

/// What a template bears, and an export beside that.
const EXPORT_HEADERS: &[&str] = &[
    "ETag",
    "Vary",
    "Content-Language",
    "Otherwise-Export-Tokens",
    "Otherwise-Export-Lost",
];

/// The same, and what was not heeded of what a client can take.
const NEGOTIATED_HEADERS: &[&str] = &[
    "ETag",
    "Vary",
    "Content-Language",
    "Otherwise-Export-Tokens",
    "Otherwise-Export-Lost",
    "Otherwise-Capabilities-Ignored",
];

/// The operations of the group.
pub fn operations() -> Vec<Described> {
    let of = |method, path, id, summary| operation(GROUP, method, path, id, summary);
    vec![
        of(
            "GET",
            "/scenarios/{scenario}/template",
            "read_template",
            "The effective template",
        )
        .says("The base in force with the patches that the caller sees, or an export of it (`format`).")
        .takes(parameters::scenario())
        .takes(parameters::pinned_schema())
        .takes(parameters::pinned_version())
        .takes(parameters::preferred_language())
        .takes(parameters::format())
        .takes(parameters::experimental())
        .takes(parameters::as_of())
        .takes(parameters::if_none_match())
        .takes(parameters::accept_language())
        .said(
            200,
            "The template, or an export of it.",
            Form::TemplateOrExport(shape::<EffectiveTemplate>()),
        )
        .with(EXPORT_HEADERS)
        .said(304, "What the client holds is current.", Form::Nothing)
        .with(&["ETag", "Vary"])
        .fails(&[
            Code::BadParameter,
            Code::UnknownScenario,
            Code::UnknownSchema,
            Code::SchemaRetired,
            Code::LimitReached,
            Code::Busy,
        ]),
        of(
            "POST",
            "/scenarios:negotiate",
            "negotiate_template",
            "The draft's request for a template",
        )
        .says("The same template by the message of the draft, bare or wrapped in JSON-RPC members.")
        .takes(parameters::accept_language())
        .body::<Negotiation>()
        .said(
            200,
            "The template, or an export of it.",
            Form::TemplateOrExport(shape::<EffectiveTemplate>()),
        )
        .with(NEGOTIATED_HEADERS)
        .fails(&[
            Code::BadParameter,
            Code::UnknownScenario,
            Code::UnknownSchema,
            Code::SchemaRetired,
            Code::LimitReached,
            Code::Busy,
        ]),
        of(
            "GET",
            "/scenarios/{scenario}/updates",
            "list_updates",
            "What changed since a revision",
        )
        .takes(parameters::scenario())
        .takes(parameters::since())
        .takes(parameters::if_none_match())
        .answers::<Updates>(200, "Patches and withdrawn keys.")
        .with(&["ETag", "Vary"])
        .said(304, "Nothing changed since the client asked last.", Form::Nothing)
        .with(&["ETag", "Vary"])
        .fails(&[Code::BadParameter, Code::UnknownScenario]),
        of(
            "GET",
            "/scenarios/{scenario}/wishes",
            "list_wishes",
            "What became of my wishes",
        )
        .says(
            "What the calling client said in `other`, newest first, and what became of it. Nothing of any other client is told. Looked \
             through are the last 5,000 records of the scenario.",
        )
        .takes(parameters::scenario())
        .takes(parameters::limit(wishes::PAGE_MAX, wishes::PAGE, "Wishes"))
        .answers::<Wishes>(200, "The wishes.")
        .fails(&[Code::BadRequest, Code::BadParameter, Code::UnknownScenario]),
    ]
}
