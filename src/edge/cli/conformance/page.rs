//! `docs/conformance-kit.md`, written from the checks themselves.

use crate::edge::cli::conformance::check::Check;
use crate::edge::cli::conformance::check::GROUPS;
use crate::edge::cli::conformance::unseen::UNSEEN;

const HEAD: &str = "# The conformance kit

`otherwise conformance --url URL` checks any server that claims draft-zhou-structured-data-schema-interaction, whoever wrote it,
by what can be seen from outside. It is a client: it negotiates, submits, asks for updates, and holds what comes back against the
draft's requirements, whose ids (Z-…) stand in the table below.

```sh
otherwise conformance --url http://127.0.0.1:8080
otherwise conformance --url https://schemas.example --scenario flight_booking --key-file client.key
otherwise conformance --url https://schemas.example --publish --key-file publisher.key --json > report.json
otherwise conformance --url https://schemas.example --only Z-035,Z-060
otherwise conformance --list
```

## How far it goes

| option | what is sent | what stays behind |
|---|---|---|
| none | negotiations and dry runs (`submissions:validate`) for one hosted scenario: the one of `--scenario`, or of the first eight that are listed the one whose template shows most (a patch in force above all) | nothing |
| `--submit --scenario NAME` | the same with real submissions, for a server without dry runs | about fifteen submissions, with texts in `other` |
| `--publish` | a scratch schema under the scenario `otherwise_conformance_…`, real submissions to it, and templates that must be refused; `--scenario` says what the scratch name ends with, and a name that was used before is given another end | the scratch schema, retired; what could not be retired is named |

No one run covers everything. What needs a patch is not applicable to a scratch schema, and what needs publishing is not tried
without it: run the kit with `--publish`, and once more against a scenario that has learned. The report says which scenario was
looked at, and of how many.

A key is read from a file (`--key-file`) or an environment variable (`--key-env`), never from the command line, and travels over
https or on this machine alone. `--publish` wants the roles of a publisher and of a client. At most a hundred requests are sent,
one after another; each may take `--timeout` seconds (10), and 4 MiB of an answer are read. Where a server asks for a pause of up
to five seconds, it is kept once. After three requests in a row without an answer the rest is not sent.

Payloads are made of the template alone: of the mapping examples in its descriptions, its defaults and its constraints. A server
that checks more than its template says may refuse them; such a refusal is a finding about the template.

## The paths

The draft names no paths. Under `--url`, a server answers

| method and path | what | without it |
|---|---|---|
| `POST /v1/scenarios:negotiate` | the draft's message `get_schema_template`, bare; the answer is the template, or a JSON-RPC answer around it | a MUST fails |
| `POST /v1/submissions` | the draft's envelope `{\"schema_id\", \"payload\"}` | with `--publish` or `--submit`, a MUST fails |
| `POST /v1/submissions:validate` | the same, and nothing happens | submissions are not tried |
| `GET /v1/scenarios` | `{\"scenarios\": [{\"scenario\"}]}` | `--scenario` names one |
| `GET /v1/scenarios/{scenario}/template` | the template, with `ETag`, `as_of=`, `experimental=` | not applicable |
| `GET /v1/scenarios/{scenario}/updates?since=` | `{\"revision\", \"patches\", \"withdrawn_keys\"}` | not applicable |
| `GET` · `PUT` · `DELETE /v1/schemas/{schema_id}` | the published schema; publish; retire | not applicable; `--publish` says so |

## What it says

Each check has an id (a requirement's, and a word where there are several for one), a level, a verdict and evidence: what was
sent and what came back, cut to 400 characters, without headers. A **MUST** is the draft's MUST, or follows from one at once. A
**SHOULD** is the draft's SHOULD, or what it describes without such a word. A **MAY** is what the draft leaves open: who offers it
does it in this way, and who does not is *not applicable*.

- `pass`: it holds. `fail`: it does not, and why.
- `not_applicable`: what it is about does not occur there (no patch is in force, no key is required).
- `not_tried`: it may occur and could not be asked for (no key, no dry run, no `--publish`).

Exit codes: 0 no MUST fails, 1 a MUST fails, 2 wrong usage (also where no scenario, no key or no dry run lets a negotiation or any
submission be tried: the report then shows little, and standard error says why), 3 the server does not answer, or answers the first
request with 429 or 5xx. `--json` gives one document:

```
{\"command\": \"conformance\", \"ending\", \"exit_code\", \"url\", \"scenario\", \"listed\", \"published\", \"requests\",
 \"summary\": {\"pass\", \"fail\", \"must_fail\", \"not_applicable\", \"not_tried\"},
 \"checks\": [{\"id\", \"requirements\", \"level\", \"group\", \"title\", \"verdict\", \"why\"?,
             \"evidence\": [{\"asked\", \"sent\"?, \"status\", \"answered\"}]}],
 \"left_behind\"?: [schema_id], \"error\"?}
```

This service passes all, and for every check there is a server in the tests that is wrong in that one thing and fails it
(`tests/conformance.rs`). This page is written from the code (`UPDATE_DOCS=1 cargo test --lib conformance` rewrites it).

## The checks
";

/// The page.
pub fn markdown() -> String {
    let mut page = HEAD.to_owned();
    for group in &GROUPS {
        page.push_str(&format!(
            "\n### {}\n\n| id | level | also shows | what holds |\n|---|---|---|---|\n",
            group.title
        ));
        for Check {
            id, also, level, title, ..
        } in group.checks
        {
            page.push_str(&format!("| {id} | {} | {} | {title} |\n", level.name(), also.join(" ")));
        }
    }
    page.push_str(
        "\n## Not visible from outside\n\nThese bind a server too; that it keeps to them can be seen by its own tests alone, or by people.\n\n\
         | requirements | why |\n|---|---|\n",
    );
    for unseen in UNSEEN {
        page.push_str(&format!(
            "| {} | {} |\n",
            unseen.ranges.join(", ").replace("..", " … "),
            unseen.why
        ));
    }
    page
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_of_the_kit_is_up_to_date() {
        crate::edge::settings::page::assert_page("docs/conformance-kit.md", &super::markdown());
    }
}
