//! Requirements that bind a server and that nobody can see from outside, with why; so that nobody takes silence for a pass.

/// Ids, or first and last of a row (`Z-082..Z-104`), with commas between; and why they are not checked.
pub const NOT_VISIBLE: &[(&str, &str)] = &[
    (
        "Z-040, Z-055, Z-112, Z-180",
        "what a description says, and how well, is for people to read (`otherwise lint` helps with one's own)",
    ),
    (
        "Z-022, Z-051, Z-076, Z-077",
        "the draft gives it no form on the wire, so that every server has its own",
    ),
    (
        "Z-020",
        "what an executor really did is known to the server alone; a result is its own promise",
    ),
    (
        "Z-046, Z-048",
        "a hint to a publisher or a grammar of its own, which a server may have or not",
    ),
    (
        "Z-052, Z-053, Z-067, Z-070, Z-175, Z-179",
        "a figure of the draft: a server hosts its own scenarios",
    ),
    (
        "Z-066, Z-069, Z-071, Z-072, Z-082..Z-104",
        "how demand is gathered and weighed happens inside, over days and many clients",
    ),
    (
        "Z-109, Z-110, Z-114, Z-126, Z-127",
        "how a key is made of demand happens inside; the patch that comes of it is checked",
    ),
    (
        "Z-122..Z-124, Z-130",
        "what is made for one client is for no other to see, and takes that client days",
    ),
    (
        "Z-132..Z-139",
        "measures are the server's own business; the draft does not publish them",
    ),
    (
        "Z-140, Z-141, Z-143, Z-144, Z-146, Z-148, Z-152, Z-153, Z-156..Z-164",
        "trials, decisions and their delays happen inside, over weeks; the stage that a key is said to have is checked",
    ),
    (
        "Z-165, Z-167, Z-171",
        "who must agree, what is kept and how it is sealed shows in the server's own records alone",
    ),
];

/// Every id of a row.
pub fn requirements(row: &str) -> Vec<String> {
    let number = |id: &str| id.strip_prefix("Z-").and_then(|number| number.parse::<u16>().ok());
    let each = row.split(", ").flat_map(|range| {
        let (first, last) = range.split_once("..").unwrap_or((range, range));
        number(first).unwrap_or(1)..=number(last).unwrap_or(0)
    });
    each.map(|number| format!("Z-{number:03}")).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::NOT_VISIBLE;
    use super::requirements;
    use crate::checks;

    #[test]
    fn every_requirement_of_a_server_is_checked_or_said_not_to_be_visible() {
        let table = include_str!("../../docs/requirements.tsv");
        let checked: BTreeSet<&str> = checks::all().flat_map(|check| check.requirements()).collect();
        let rows = NOT_VISIBLE.iter();
        let unseen: Vec<String> = rows.flat_map(|(row, _)| requirements(row)).collect();
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
