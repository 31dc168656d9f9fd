//! Percent-encoding (RFC 3986 §2.1), of a name in the place of an address and of a value in a header.

use percent_encoding::AsciiSet;
use percent_encoding::CONTROLS;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

/// All but what RFC 3986 calls unreserved.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// What no header's value may hold, and the mark itself.
const HEADER: &AsciiSet = &CONTROLS.add(b' ').add(b'%');

/// A name as a segment of a path, or a value in a query.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// A text as the value of a header.
pub fn header(text: &str) -> String {
    utf8_percent_encode(text, HEADER).to_string()
}

#[cfg(test)]
mod tests {
    use super::header;
    use super::segment;

    #[test]
    fn what_would_steer_an_address_or_break_a_header_is_encoded() {
        assert_eq!(segment("flight booking&x=é.p1"), "flight%20booking%26x%3D%C3%A9.p1");
        assert_eq!(segment("a-b_c.d~e/f"), "a-b_c.d~e%2Ff");
        assert_eq!(header("flight_booking.25"), "flight_booking.25");
        assert_eq!(header("größe%.1"), "gr%C3%B6%C3%9Fe%25.1");
    }
}
