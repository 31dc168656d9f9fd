//! What somebody who wrote a setting's path wrongly may have meant.

use crate::edge::settings::catalogue;

/// The known path that is written most alike.
pub fn path(said: &str) -> &'static str {
    catalogue::all()
        .min_by_key(|setting| distance(setting.path, said))
        .map_or("server.listen", |setting| setting.path)
}

/// The known section that is written most alike.
pub fn section(said: &str) -> &'static str {
    sections()
        .min_by_key(|section| distance(section, said))
        .unwrap_or("server")
}

/// Every section that holds settings, and those that hold something else.
fn sections() -> impl Iterator<Item = &'static str> {
    let of = |path: &'static str| path.match_indices('.').map(move |(at, _)| &path[..at]);
    catalogue::all()
        .flat_map(move |setting| of(setting.path))
        .chain(["principals", "cohorts"])
}

/// Levenshtein distance in bytes, of at most the first 64.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<u8> = a.bytes().take(64).collect();
    let b: Vec<u8> = b.bytes().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(x != y)).min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::path;
    use super::section;

    #[test]
    fn the_nearest_name_is_offered() {
        assert_eq!(path("server.lissten"), "server.listen");
        assert_eq!(path("policy.pool.heat_treshold"), "policy.pool.heat_threshold");
        assert_eq!(path("metrics.keys"), "metrics.keys_max");
        assert_eq!(section("servr"), "server");
        assert_eq!(section("principal"), "principals");
        assert_eq!(section("policy.evolutoin"), "policy.evolution");
    }
}
