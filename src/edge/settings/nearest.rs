//! What somebody who wrote a setting's path wrongly may have meant.

use crate::edge::settings::catalogue;

/// The known path that is written most alike.
pub fn path(said: &str) -> &'static str {
    catalogue::all()
        .min_by_key(|setting| distance(setting.path, said))
        .map_or("server.listen", |setting| setting.path)
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

    #[test]
    fn the_nearest_name_is_offered() {
        assert_eq!(path("server.lissten"), "server.listen");
        assert_eq!(path("policy.pool.heat_treshold"), "policy.pool.heat_threshold");
        assert_eq!(path("metrics.keys"), "metrics.keys_max");
    }
}
