//! What is hosted: scenarios and base schemas.

use crate::edge::http::openapi::described::Described;
use crate::edge::http::openapi::described::operation;
use crate::edge::http::openapi::parameters;
use crate::edge::http::openapi::shapes::publishing::Giving;
use crate::edge::http::openapi::shapes::publishing::Ownership;
use crate::edge::http::openapi::shapes::publishing::Publication;
use crate::edge::http::openapi::shapes::publishing::Retirement;
use crate::edge::http::openapi::shapes::publishing::Scenarios;
use crate::edge::http::openapi::shapes::template::SchemaTemplate;
use crate::edge::wire::codes::Code;

/// As the document names it.
pub const GROUP: &str = "Hosting";

/// The operations of the group.
pub fn operations() -> Vec<Described> {
    let of = |method, path, id, summary| operation(GROUP, method, path, id, summary);
    vec![
        of("GET", "/scenarios", "list_scenarios", "What is hosted")
            .says(
                "Every scenario in force, in the order of their names; or, with `q`, those that a wish in plain words is meant \
                 for, likest first, and `no_match` rather than a bad guess. `next` is there where the list goes on.",
            )
            .takes(parameters::wish())
            .takes(parameters::listed())
            .takes(parameters::after())
            .takes(parameters::label())
            .answers::<Scenarios>(200, "The scenarios.")
            .fails(&[Code::BadParameter, Code::Busy]),
        of("PUT", "/schemas/{schema_id}", "publish_schema", "Publish a base schema")
            .says(
                "The schema is linted, compared with the others of its major line, and in force at once. The same content \
                 again is answered with 200; other content under the same id with 409.",
            )
            .takes(parameters::schema_id())
            .body::<SchemaTemplate>()
            .answers::<Publication>(200, "It was published before, with this content.")
            .answers::<Publication>(201, "It is published.")
            .leads("/v1/schemas/table_booking_v1")
            .fails(&[
                Code::SchemaImmutable,
                Code::ScenarioOwned,
                Code::Incompatible,
                Code::SchemaRetired,
                Code::InvalidTemplate,
                Code::LimitReached,
            ])
            .writes(),
        of("GET", "/schemas/{schema_id}", "read_schema", "Read a base schema")
            .says("As it was published, retired or not, with `executor` and `policy`.")
            .takes(parameters::schema_id())
            .answers::<SchemaTemplate>(200, "The schema.")
            .fails(&[Code::UnknownSchema]),
        of("DELETE", "/schemas/{schema_id}", "retire_schema", "Retire a base schema")
            .says("Submissions by it are refused from now on; the highest version that is left is in force.")
            .takes(parameters::schema_id())
            .answers::<Retirement>(200, "It is retired.")
            .fails(&[Code::UnknownSchema, Code::ScenarioOwned])
            .writes(),
        of(
            "POST",
            "/schemas/{schema_id}:restore",
            "restore_schema",
            "Restore a retired schema",
        )
        .says("Where it still keeps what its major line promises.")
        .takes(parameters::schema_id())
        .answers::<Retirement>(200, "It is not retired.")
        .fails(&[
            Code::UnknownSchema,
            Code::ScenarioOwned,
            Code::Incompatible,
            Code::LimitReached,
        ])
        .writes(),
        of("POST", "/schemas:check", "check_schema", "Say what publishing would say")
            .says("Lint and compatibility; nothing is stored. `refusal` is the problem that publishing would be answered with.")
            .body::<SchemaTemplate>()
            .answers::<Publication>(200, "What a publisher would be told.")
            .fails(&[Code::InvalidTemplate, Code::LimitReached]),
        of(
            "POST",
            "/scenarios/{scenario}:rebase",
            "rebase_scenario",
            "Publish what was learned",
        )
        .says("Publishes the base in force with the keys that are stable for everyone, as its next minor version.")
        .takes(parameters::scenario())
        .takes(parameters::dry_run())
        .answers::<Publication>(200, "What would be published; nothing is stored.")
        .answers::<Publication>(201, "It is published.")
        .fails(&[
            Code::BadParameter,
            Code::UnknownScenario,
            Code::NothingStable,
            Code::SchemaImmutable,
            Code::ScenarioOwned,
            Code::Incompatible,
            Code::SchemaRetired,
            Code::InvalidTemplate,
            Code::LimitReached,
        ])
        .writes(),
        of("GET", "/scenarios/{scenario}/owner", "read_owner", "Whose a scenario is")
            .says("Whoever published its first schema, or was given it; null where it is its next publisher's.")
            .takes(parameters::scenario())
            .answers::<Ownership>(200, "The owner.")
            .fails(&[Code::UnknownScenario]),
        of("PUT", "/scenarios/{scenario}/owner", "give_scenario", "Give a scenario to somebody")
            .says("From now on its new owner publishes, retires and restores there, beside operators; null gives it to nobody.")
            .takes(parameters::scenario())
            .body::<Giving>()
            .answers::<Ownership>(200, "The owner.")
            .fails(&[Code::UnknownScenario])
            .writes(),
    ]
}
