//! Operations of the process: metrics, health, problems, and this description.

use crate::edge::http::openapi::described::Described;
use crate::edge::http::openapi::described::Form;
use crate::edge::http::openapi::described::operation;
use crate::edge::http::openapi::parameters;
use crate::edge::http::openapi::shapes::operations::Alive;
use crate::edge::http::openapi::shapes::operations::Front;
use crate::edge::http::openapi::shapes::operations::OpenApiDocument;
use crate::edge::http::openapi::shapes::operations::ProblemMeaning;
use crate::edge::http::openapi::shapes::operations::Problems;
use crate::edge::http::openapi::shapes::operations::Ready;
use crate::edge::wire::codes::Code;

/// As the document names it.
pub const GROUP: &str = "Operations";

/// The operations of the group.
pub fn operations() -> Vec<Described> {
    let of = |path, id, summary| operation(GROUP, "GET", path, id, summary);
    vec![
        of("/", "read_front", "What this is, and where to go").answers::<Front>(200, "Addresses by what they are for."),
        of("/metrics", "read_metrics", "Metrics for Prometheus")
            .says("The text format of Prometheus. Whoever may inspect, or anyone where `metrics.public` says so.")
            .said(200, "The page.", Form::Text("text/plain")),
        of("/healthz", "read_health", "The process answers").answers::<Alive>(200, "It does."),
        of("/readyz", "read_readiness", "Calls should come")
            .answers::<Ready>(200, "They should; `writes` says whether they may write.")
            .fails(&[Code::NotReady, Code::ShuttingDown]),
        of("/problems", "list_problems", "What can go wrong").answers::<Problems>(200, "The table of codes."),
        of("/problems/{code}", "read_problem", "What one problem means")
            .takes(parameters::code())
            .answers::<ProblemMeaning>(200, "The code's row.")
            .fails(&[Code::UnknownProblem]),
        of("/openapi.json", "read_openapi", "This description")
            .takes(parameters::if_none_match())
            .answers::<OpenApiDocument>(200, "OpenAPI 3.1.")
            .with(&["ETag"])
            .said(304, "What the client holds is current.", Form::Nothing)
            .with(&["ETag"]),
        of("/docs", "read_docs", "This description for people")
            .said(308, "To `/docs/`.", Form::Nothing)
            .leads("docs/"),
        of("/docs/{file}", "read_docs_file", "A file of Swagger UI")
            .says("Without a name, the page itself.")
            .takes(parameters::file())
            .said(
                200,
                "The file.",
                Form::Files(&["text/html", "text/css", "text/javascript", "image/png", "text/markdown"]),
            )
            .with(&["Content-Security-Policy"])
            .fails(&[Code::NotFound]),
    ]
}
