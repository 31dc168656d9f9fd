//! What somebody who wrote a setting's path wrongly may have meant.

use crate::config::catalogue;

/// The known path that is written most alike, where one is.
pub fn path(said: &str) -> Option<&'static str> {
    near(said, catalogue::all().map(|setting| setting.path))
}

/// The known section that is written most alike, where one is.
pub fn section(said: &str) -> Option<&'static str> {
    near(said, sections())
}

/// The nearest, where less than half of the last name would have to change, or where it goes on as what was written.
fn near(said: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let last = said.rsplit('.').next().unwrap_or(said);
    // As far as any path goes: what is written beyond tells nothing.
    let written = said.get(..said.floor_char_boundary(64)).unwrap_or_default();
    let (distance, nearest) = known.map(|path| (strsim::levenshtein(path, written), path)).min()?;
    (distance * 2 < last.len() || nearest.starts_with(said)).then_some(nearest)
}

/// Every section that holds settings, and those that hold something else.
fn sections() -> impl Iterator<Item = &'static str> {
    let of = |path: &'static str| path.match_indices('.').map(move |(at, _)| &path[..at]);
    catalogue::all()
        .flat_map(move |setting| of(setting.path))
        .chain(["principals", "cohorts"])
}

#[cfg(test)]
mod tests {
    use super::path;
    use super::section;

    #[test]
    fn the_nearest_name_is_offered() {
        assert_eq!(path("server.lissten"), Some("server.listen"));
        assert_eq!(path("policy.pool.heat_treshold"), Some("policy.pool.heat_threshold"));
        assert_eq!(path("metrics.keys"), Some("metrics.keys_max"));
        assert_eq!(section("servr"), Some("server"));
        assert_eq!(section("principal"), Some("principals"));
        assert_eq!(section("policy.evolutoin"), Some("policy.evolution"));
    }

    #[test]
    fn nothing_is_offered_where_nothing_is_near() {
        assert_eq!(path("server.bogus"), None);
        assert_eq!(path("colour"), None);
        assert_eq!(section("weather"), None);
        assert_eq!(path("servr.listen"), Some("server.listen"));
    }
}
