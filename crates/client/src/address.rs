//! Where a client calls: the address of a service, and what may stand in a path under it.

use std::net::IpAddr;

use http::Uri;
use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

/// All but what RFC 3986 calls unreserved.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// A name as a segment of a path, or a value in a query.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// What is asked beside a path, with the mark before it; nothing where nothing is asked.
pub fn query<const N: usize>(asked: [(&str, Option<&str>); N]) -> String {
    let asked = asked
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name}={}", segment(value?))));
    let asked = asked.collect::<Vec<_>>().join("&");
    if asked.is_empty() { asked } else { format!("?{asked}") }
}

/// The address of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// As it was given, without a slash at its end.
    pub base: String,
    /// Whether it is https.
    pub is_secure: bool,
    /// Whether it names this machine.
    pub is_local: bool,
}

impl Address {
    /// Reads an address. Where something is `guarded`, such as a key, it travels over https, or on this machine.
    /// Fails with what is wrong with it, as the end of a sentence that does not repeat it: it may hold a password.
    pub fn parse(url: &str, guarded: bool) -> Result<Address, &'static str> {
        const WRONG: &str = "must be http://HOST:PORT or https://HOST[:PORT]";
        let uri: Uri = url.parse().map_err(|_| WRONG)?;
        let is_secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            Some(_) | None => return Err(WRONG),
        };
        let authority = uri.authority().ok_or(WRONG)?;
        if uri.query().is_some() || authority.as_str().contains('@') {
            return Err(WRONG);
        }
        let (host, port) = (authority.host(), authority.port_u16());
        // Whether somebody can listen at the port, where one is named.
        if authority.as_str() != host && port.is_none_or(|port| port == 0) {
            return Err("names no port: a port is a number from 1 to 65535");
        }
        let ip = host.trim_matches(['[', ']']).parse::<IpAddr>();
        let is_local = host.eq_ignore_ascii_case("localhost") || ip.is_ok_and(|ip| ip.is_loopback());
        if guarded && !is_secure && !is_local {
            return Err("is no way for a key: a key travels over https only, or to this machine");
        }
        Ok(Address {
            base: url.trim_end_matches('/').to_owned(),
            is_secure,
            is_local,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Address;
    use super::query;
    use super::segment;

    #[test]
    fn what_would_steer_an_address_is_encoded() {
        assert_eq!(segment("flight booking&x=é.p1"), "flight%20booking%26x%3D%C3%A9.p1");
        assert_eq!(segment("a-b_c.d~e/f"), "a-b_c.d~e%2Ff");
        assert_eq!(
            query([("version", Some("^1")), ("q", None), ("after", Some("a b"))]),
            "?version=%5E1&after=a%20b"
        );
        assert_eq!(query([("q", None)]), "");
    }

    #[test]
    fn a_key_travels_over_https_or_on_this_machine() {
        for (url, key, read) in [
            ("http://127.0.0.1:8080/", true, Some(("http://127.0.0.1:8080", false))),
            ("http://localhost:8080", true, Some(("http://localhost:8080", false))),
            (
                "http://schemas.example:8080",
                false,
                Some(("http://schemas.example:8080", false)),
            ),
            ("http://schemas.example:8080", true, None),
            ("https://schemas.example", true, Some(("https://schemas.example", true))),
            ("https://me:secret@schemas.example", false, None),
            ("ftp://schemas.example", false, None),
            ("schemas.example", false, None),
            ("http://127.0.0.1:8080/?x=1", false, None),
            ("http://127.0.0.1:65535", false, Some(("http://127.0.0.1:65535", false))),
            ("http://[::1]:1/a", true, Some(("http://[::1]:1/a", false))),
            ("http://[::1]", false, Some(("http://[::1]", false))),
            ("http://127.0.0.1:65536", false, None),
            ("http://127.0.0.1:99999", false, None),
            ("http://[::1]:0", false, None),
            ("https://schemas.example:0", false, None),
            ("", false, None),
        ] {
            let read = read.map(|(base, secure): (&str, bool)| (base.to_owned(), secure));
            let came = Address::parse(url, key).ok();
            assert_eq!(came.map(|address| (address.base, address.is_secure)), read, "{url}");
        }
    }
}
