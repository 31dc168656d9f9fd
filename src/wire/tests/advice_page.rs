//! The table of advice as a page for people: `docs/lint.md`.

use crate::config::page::assert_page;
use schema::advice::Advice;

/// `docs/lint.md`.
fn markdown() -> String {
    let mut page = String::from(
        "# What a publisher is told\n\n\
         Publishing a template, `POST /v1/schemas:check` and `otherwise lint` answer with a score and findings; nothing is\n\
         refused for them. Each key begins with 100 points and loses what its findings cost, down to 0 (`key_scores`). The\n\
         `score` is the mean over the keys but `other`, less what findings about the template as a whole cost. A finding is\n\
         `{\"rule\", \"requirement\", \"key_name\"?, \"pointer\", \"message\", \"cost\", \"suggestion\"?}`; a suggestion is a JSON Merge\n\
         Patch (RFC 7396) for the key definition, or for the template where there is no `key_name`, and mends the finding. A finding\n\
         without one says in its message what to write or to change. No prose is read: of what a description says, the lint knows the\n\
         markers `Acceptable values:` and `Range:` and the word `format`, in any case, the two sentences of [descriptions.md](descriptions.md), and the\n\
         arrows of mapping examples.\n\
         This page is written from the table in `crates/schema/src/advice.rs`; a test holds the two together\n\
         (`UPDATE_DOCS=1 cargo test --lib advice_page` rewrites it).\n\n\
         | rule | cost | requirement | what is looked for |\n|---|---|---|---|\n",
    );
    for advice in Advice::ALL {
        let row = advice.row();
        page.push_str(&format!(
            "| `{}` | {} | {} | {} |\n",
            row.rule, row.cost, row.requirement, row.meaning
        ));
    }
    page
}

#[test]
fn the_page_of_the_lint_lists_exactly_the_table_z040() {
    assert_page("docs/lint.md", &markdown());
}
