//! `docs/conformance-kit.md`, written from the checks themselves.

use crate::check::Check;
use crate::checks;

/// The page.
pub fn markdown() -> String {
    format!("{}{}", include_str!("page.md"), tables())
}

/// Every check by its group, and what is not checked.
pub fn tables() -> String {
    let (mut page, mut last) = (String::new(), "");
    for check in checks::all() {
        if check.group != last {
            last = check.group;
            let head = "| id | level | also shows | what holds |\n|---|---|---|---|";
            page.push_str(&format!("\n### {last}\n\n{head}\n"));
        }
        let Check {
            id, level, also, title, ..
        } = check;
        page.push_str(&format!("| {id} | {level} | {also} | {title} |\n"));
    }
    page.push_str(
        "\n## Not visible from outside\n\nThese bind a server too; that it keeps to them can be seen by its own tests alone, or by people.\n\n\
         | requirements | why |\n|---|---|\n",
    );
    for (requirements, why) in not_visible() {
        page.push_str(&format!("| {} | {why} |\n", requirements.replace("..", " … ")));
    }
    page
}

/// Requirements that bind a server and that nobody can see from outside, so that nobody takes silence for a pass. Each row: ids, or first and
/// last of a range (`Z-082..Z-104`), with commas between; and why they are not checked.
pub fn not_visible() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = include_str!("not_visible.tsv").lines();
    rows.filter_map(|row| row.split_once('\t'))
}

/// Every id of a row.
pub fn requirements(ids: &str) -> Vec<String> {
    let number = |id: &str| id.strip_prefix("Z-").and_then(|number| number.parse::<u16>().ok());
    let each = ids.split(", ").flat_map(|range| {
        let (first, last) = range.split_once("..").unwrap_or((range, range));
        number(first).unwrap_or(1)..=number(last).unwrap_or(0)
    });
    each.map(|number| format!("Z-{number:03}")).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::markdown;
    use super::not_visible;
    use super::requirements;
    use crate::checks;

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

    #[test]
    fn every_requirement_of_a_server_is_checked_or_said_not_to_be_visible() {
        let table = include_str!("../../docs/requirements.tsv");
        let checked: BTreeSet<&str> = checks::all().flat_map(|check| check.requirements()).collect();
        let unseen: Vec<String> = not_visible().flat_map(|(ids, _)| requirements(ids)).collect();
        let distinct: BTreeSet<&str> = unseen.iter().map(String::as_str).collect();
        assert_eq!(distinct.len(), unseen.len(), "one is named twice");
        let rows = table.lines().filter(|line| line.starts_with("Z-"));
        let mut wrong: Vec<String> = Vec::new();
        for row in rows {
            let mut columns = row.split('\t');
            let (id, state) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
            let bound = !matches!(state, "client" | "text");
            match (checked.contains(id), distinct.contains(id)) {
                (true, true) => wrong.push(format!("{id} is both")),
                (false, false) if bound => wrong.push(format!("{id} is neither")),
                (false, true) if !bound => wrong.push(format!("{id} binds no server")),
                (true, false) | (false, true | false) => {}
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join(", "));
    }
}
