//! `Accept` and `Content-Type`: answers are JSON or a stream of events, bodies are JSON.

/// JSON, as `Accept` names it.
pub const JSON: Media = Media {
    range: "application/*",
    exact: "application/json",
};

/// A stream of events, as `Accept` names it.
pub const EVENTS: Media = Media {
    range: "text/*",
    exact: "text/event-stream",
};

/// A media type and the range that it lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Media {
    range: &'static str,
    pub exact: &'static str,
}

/// Whether an `Accept` header (all its values) lets a media type through (RFC 9110 §12.5.1): the most specific range decides.
pub fn takes<'a>(wanted: Media, values: impl Iterator<Item = &'a str>) -> bool {
    let mut said = false;
    let mut best: Option<(u8, bool)> = None;
    for range in values.flat_map(|value| value.split(',')) {
        let mut parts = range.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        if media.is_empty() {
            continue;
        }
        said = true;
        let specific = match media.to_ascii_lowercase().as_str() {
            media if media == wanted.exact => 3,
            media if media == wanted.range => 2,
            "*/*" | "*" => 1,
            _ => continue,
        };
        let refused = parts.any(|parameter| {
            parameter.split_once('=').is_some_and(|(name, q)| {
                name.trim().eq_ignore_ascii_case("q") && q.trim().parse::<f32>().is_ok_and(|q| q <= 0.0)
            })
        });
        if best.is_none_or(|(rank, _)| specific > rank) {
            best = Some((specific, !refused));
        }
    }
    best.map_or(!said, |(_, taken)| taken)
}

/// Whether a `Content-Type` is JSON in UTF-8: `application/json`, or anything that ends in `+json`.
pub fn is_json(content_type: &str) -> bool {
    let mut parts = content_type.split(';').map(str::trim);
    let media = parts.next().unwrap_or_default().to_ascii_lowercase();
    let json = media == "application/json" || (media.starts_with("application/") && media.ends_with("+json"));
    let utf8 = parts.all(|parameter| match parameter.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
            let value = value.trim().trim_matches('"');
            value.eq_ignore_ascii_case("utf-8") || value.eq_ignore_ascii_case("utf8")
        }
        Some(_) | None => true,
    });
    json && utf8
}

#[cfg(test)]
mod tests {
    use super::EVENTS;
    use super::JSON;
    use super::is_json;
    use super::takes;

    fn takes_json<'a>(values: impl Iterator<Item = &'a str>) -> bool {
        takes(JSON, values)
    }

    #[test]
    fn a_stream_of_events_is_acceptable_by_its_own_name() {
        for (value, taken) in [
            ("", true),
            ("*/*", true),
            ("text/event-stream", true),
            ("Text/Event-Stream;q=0.5", true),
            ("text/*", true),
            ("application/json", false),
            ("text/event-stream;q=0", false),
            ("text/event-stream;q=0, text/*", false),
            ("text/html", false),
        ] {
            assert_eq!(takes(EVENTS, std::iter::once(value)), taken, "{value}");
        }
    }

    #[test]
    fn json_is_acceptable_unless_excluded() {
        for value in [
            "",
            "*/*",
            "application/json",
            "text/html, application/*;q=0.1",
            "text/html,*/*;q=0.8",
            "*",
        ] {
            assert!(takes_json(std::iter::once(value)), "{value}");
        }
        for value in [
            "text/html",
            "application/json;q=0",
            "application/json;q=0, */*",
            "text/*",
            "application/xml",
        ] {
            assert!(!takes_json(std::iter::once(value)), "{value}");
        }
        assert!(takes_json(std::iter::empty()));
        assert!(takes_json(["text/html", "application/json"].into_iter()));
    }

    #[test]
    fn bodies_are_json_in_utf8() {
        for value in [
            "application/json",
            "Application/JSON; charset=UTF-8",
            "application/ld+json",
            "application/json;charset=\"utf-8\"",
        ] {
            assert!(is_json(value), "{value}");
        }
        for value in [
            "",
            "text/json",
            "application/x-www-form-urlencoded",
            "application/json; charset=latin1",
            "text/plain",
        ] {
            assert!(!is_json(value), "{value}");
        }
    }
}
