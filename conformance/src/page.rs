//! `docs/conformance-kit.md`, written from the checks themselves.

use crate::check::Check;
use crate::checks::GROUPS;
use crate::not_visible;

/// The page.
pub fn markdown() -> String {
    let mut page = include_str!("page.md").to_owned();
    for (title, checks) in GROUPS {
        page.push_str(&format!(
            "\n### {title}\n\n| id | level | also shows | what holds |\n|---|---|---|---|\n"
        ));
        for Check {
            id, also, level, title, ..
        } in checks
        {
            page.push_str(&format!("| {id} | {} | {} | {title} |\n", level.name(), also.join(" ")));
        }
    }
    page.push_str(
        "\n## Not visible from outside\n\nThese bind a server too; that it keeps to them can be seen by its own tests alone, or by people.\n\n\
         | requirements | why |\n|---|---|\n",
    );
    for (requirements, why) in not_visible::rows() {
        page.push_str(&format!("| {} | {why} |\n", requirements.replace("..", " … ")));
    }
    page
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::markdown;

    #[test]
    fn the_page_of_the_kit_is_up_to_date() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/conformance-kit.md");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&file, markdown()).expect("the page is written");
        }
        let page = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            page == markdown(),
            "docs/conformance-kit.md is out of date; UPDATE_DOCS=1 cargo test --package conformance rewrites it"
        );
    }
}
