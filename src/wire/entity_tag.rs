//! `If-None-Match` (RFC 9110 §13.1.2): lists, weak tags and `*`, compared weakly.

/// What the client says it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Held {
    /// Nothing.
    #[default]
    Nothing,
    /// Whatever is current.
    Anything,
    /// These opaque tags, with their quotes and without `W/`.
    Tags(Vec<String>),
}

impl Held {
    /// Reads the header's values. What is no entity tag is passed over: the worst that follows is a full answer.
    pub fn parse<'a>(values: impl Iterator<Item = &'a str>) -> Held {
        let mut tags = Vec::new();
        for value in values {
            if value.trim() == "*" {
                return Held::Anything;
            }
            let mut rest = value;
            while let Some(open) = rest.find('"') {
                let Some(length) = rest[open + 1..].find('"') else {
                    break;
                };
                let end = open + 1 + length + 1;
                tags.push(rest[open..end].to_owned());
                rest = &rest[end..];
            }
        }
        if tags.is_empty() {
            Held::Nothing
        } else {
            Held::Tags(tags)
        }
    }

    /// Whether the current representation is held.
    pub fn holds(&self, etag: &str) -> bool {
        match self {
            Held::Nothing => false,
            Held::Anything => true,
            Held::Tags(tags) => {
                let opaque = etag.strip_prefix("W/").unwrap_or(etag);
                tags.iter().any(|tag| tag == opaque)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Held;

    fn held(value: &str) -> Held {
        Held::parse(std::iter::once(value))
    }

    #[test]
    fn lists_weak_tags_and_the_star_hold_z182() {
        assert!(held(r#""a""#).holds(r#""a""#));
        assert!(held(r#"W/"a""#).holds(r#""a""#));
        assert!(held(r#""x", W/"y,z" ,"a""#).holds(r#""a""#));
        assert!(held(r#""x", "y,z""#).holds(r#""y,z""#));
        assert!(held(" * ").holds(r#""a""#));
        assert!(Held::parse([r#""x""#, r#""a""#].into_iter()).holds(r#""a""#));
    }

    #[test]
    fn what_is_not_held_or_no_tag_does_not_hold_z182() {
        for value in ["", "a", r#""b""#, r#""a"#, r#""A""#, r#""*""#] {
            assert!(!held(value).holds(r#""a""#), "{value}");
        }
    }
}
