//! `Accept` and `Content-Type`: answers are JSON or a stream of events, bodies are JSON.

use actix_web::HttpMessage;
use actix_web::HttpRequest;
use actix_web::http::header;
use actix_web::http::header::Accept;
use actix_web::http::header::Quality;
use actix_web::mime;
use actix_web::mime::Mime;

use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// Whether a request takes this media type for an answer (RFC 9110 §12.5.1): the most specific range decides.
pub fn takes(request: &impl HttpMessage, wanted: &Mime) -> bool {
    let Some(Accept(ranges)) = request.get_header::<Accept>().filter(|ranges| !ranges.is_empty()) else {
        return true;
    };
    let fits = |range: &Mime| match (range.type_(), range.subtype()) {
        (mime::STAR, mime::STAR) => Some(1),
        (group, mime::STAR) => (group == wanted.type_()).then_some(2),
        (group, name) => (group == wanted.type_() && name == wanted.subtype()).then_some(3),
    };
    let ranked = ranges
        .iter()
        .filter_map(|range| Some((fits(&range.item)?, range.quality)));
    ranked.max().is_some_and(|(_, quality)| quality > Quality::ZERO)
}

/// Whether a `Content-Type` is JSON in UTF-8: `application/json`, or anything that ends in `+json`.
fn is_json(content_type: &str) -> bool {
    content_type.parse::<Mime>().is_ok_and(|media| {
        let json = media.subtype() == mime::JSON || media.suffix() == Some(mime::JSON);
        let utf8 = media
            .get_param(mime::CHARSET)
            .is_none_or(|set| set == mime::UTF_8 || set.as_str().eq_ignore_ascii_case("utf8"));
        media.type_() == mime::APPLICATION && json && utf8
    })
}

/// Checks that a body of a length, where there is one, is declared as JSON. Without a type, or with a type of forms, a browser sends it
/// from any page without asking the service first (a preflight).
///
/// # Errors
/// 415 otherwise.
pub fn check_media_type(request: &HttpRequest, length: u64) -> Result<(), Problem> {
    let declared = request.headers().get(header::CONTENT_TYPE);
    let fits = declared.map_or(length == 0, |value| value.to_str().is_ok_and(is_json));
    fits.then_some(()).ok_or_else(|| {
        let what = "the body must be sent with `Content-Type: application/json`";
        Problem::new(Code::UnsupportedMediaType, what)
    })
}

/// Returns the length of a body, where its head gives it.
pub fn declared_length(request: &HttpRequest) -> Option<u64> {
    let length = request.headers().get(header::CONTENT_LENGTH)?;
    length.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use actix_web::mime;
    use actix_web::test::TestRequest;

    use super::is_json;
    use super::takes;

    #[test]
    fn the_most_specific_range_says_whether_an_answer_is_taken() {
        for (accept, json, events) in [
            ("", true, true),
            ("*/*", true, true),
            ("*", true, true),
            ("application/json", true, false),
            ("text/html, application/*;q=0.1", true, false),
            ("text/html,*/*;q=0.8", true, true),
            ("Text/Event-Stream;q=0.5", false, true),
            ("text/*", false, true),
            ("text/html", false, false),
            ("application/xml", false, false),
            ("application/json;q=0, */*", false, true),
            ("text/event-stream;q=0, text/*, application/json;q=0", false, false),
        ] {
            let request = TestRequest::get().insert_header(("Accept", accept)).to_http_request();
            let taken = [mime::APPLICATION_JSON, mime::TEXT_EVENT_STREAM].map(|media| takes(&request, &media));
            assert_eq!(taken, [json, events], "{accept}");
        }
        let two = TestRequest::get()
            .append_header(("Accept", "text/html"))
            .append_header(("Accept", "application/json"));
        assert!(takes(&two.to_http_request(), &mime::APPLICATION_JSON));
    }

    #[test]
    fn bodies_are_json_in_utf8() {
        for (value, right) in [
            ("application/json", true),
            ("Application/JSON; charset=UTF-8", true),
            ("application/ld+json", true),
            ("application/json;charset=\"utf-8\"", true),
            ("", false),
            ("text/json", false),
            ("application/x-www-form-urlencoded", false),
            ("application/json; charset=latin1", false),
            ("text/plain", false),
        ] {
            assert_eq!(is_json(value), right, "{value}");
        }
    }
}
