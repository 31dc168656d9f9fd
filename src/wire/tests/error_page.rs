//! The table of codes as a page for people, `docs/errors.md`.

use crate::config::page::assert_page;
use crate::wire::codes::Code;

/// `docs/errors.md`.
fn markdown() -> String {
    let mut page = String::from(
        "# What can go wrong\n\n\
         Every failure is answered as `application/problem+json` (RFC 9457) with a stable `code`. This page is written from\n\
         the table in `src/wire/codes.rs`; a test holds the two together (`UPDATE_DOCS=1 cargo test --lib error_page`\n\
         rewrites it). `number` is the error number on JSON-RPC, where parse errors (-32700) and what is no call (-32600) have\n\
         the standard's own.\n\n\
         What is no HTTP never becomes a request: a head that cannot be read, or HTTP/1.1 without `Host`, is answered with a\n\
         bare 400, one over 128 KiB with 431, and one that does not come within `server.head_timeout_s` with 408. These\n\
         answers have no body, and the connection is closed after them.\n\n\
         | code | status | number | title | meaning |\n|---|---|---|---|---|\n",
    );
    for code in Code::ALL {
        let row = code.row();
        page.push_str(&format!(
            "| `{}` | {} | {} | {} | {} |\n",
            row.code,
            row.status,
            code.json_rpc(),
            row.title,
            row.meaning
        ));
    }
    page
}

#[test]
fn the_page_of_errors_lists_exactly_the_table_z181() {
    assert_page("docs/errors.md", &markdown());
}
