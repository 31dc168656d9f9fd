//! Requirements that bind a server and that nobody can see from outside, with why; so that nobody takes silence for a pass.

/// Each row: ids, or first and last of a range (`Z-082..Z-104`), with commas between; and why they are not checked.
pub fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
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

    use super::requirements;
    use super::rows;
    use crate::checks;

    #[test]
    fn every_requirement_of_a_server_is_checked_or_said_not_to_be_visible() {
        let table = include_str!("../../docs/requirements.tsv");
        let checked: BTreeSet<&str> = checks::all().flat_map(|check| check.requirements()).collect();
        let unseen: Vec<String> = rows().flat_map(|(ids, _)| requirements(ids)).collect();
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
