//! `Accept-Language` (RFC 9110 §12.5.4), the fallback for `preferred_language` (Z-056, Z-174).

/// The tag with the highest weight; the first one among equals. `*` and tags with weight 0 name no language.
pub fn preferred(accept_language: &str) -> Option<&str> {
    let mut best: Option<(&str, u32)> = None;
    for item in accept_language.split(',') {
        let mut parts = item.split(';').map(str::trim);
        let tag = parts.next().unwrap_or_default();
        let weight = parts.next().map_or(Some(1000), weight_of);
        let well_formed = oxilangtag::LanguageTag::parse(tag).is_ok();
        if let Some(weight) = weight
            && well_formed
            && weight > best.map_or(0, |(_, weight)| weight)
        {
            best = Some((tag, weight));
        }
    }
    best.map(|(tag, _)| tag)
}

/// `q=0.8` in thousandths.
fn weight_of(parameter: &str) -> Option<u32> {
    let value = parameter.strip_prefix("q=").or_else(|| parameter.strip_prefix("Q="))?;
    let weight: f64 = value.parse().ok()?;
    // A weight lies between 0 and 1, so the product fits.
    (0.0..=1.0).contains(&weight).then(|| (weight * 1000.0).round() as u32)
}

#[cfg(test)]
mod tests {
    use super::preferred;

    #[test]
    fn the_heaviest_language_is_preferred_z056_z174() {
        assert_eq!(preferred("de"), Some("de"));
        assert_eq!(preferred("en;q=0.5, zh-Hans;q=0.9, de;q=0.9"), Some("zh-Hans"));
        assert_eq!(preferred("fr;q=0, en;q=0.001"), Some("en"));
        assert_eq!(preferred("da, en-gb;q=0.8, en;q=0.7"), Some("da"));
    }

    #[test]
    fn what_names_no_language_is_passed_over_z174() {
        for text in ["", "*", "*;q=0.5", "de;q=0", "de;q=2", "de;q=x", ",,", "en us"] {
            assert_eq!(preferred(text), None, "{text}");
        }
    }
}
