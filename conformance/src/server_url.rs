//! Where the server lies, and whether a key may travel there.

use std::net::IpAddr;

use ureq::http::Uri;

/// The address under which a server's paths lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerUrl {
    /// Without a slash at its end.
    pub base: String,
    /// Whether it is https.
    pub secure: bool,
    /// Whether it lies on this machine.
    pub local: bool,
}

impl ServerUrl {
    /// Reads an address. A key travels over https, or on this machine.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence that does not repeat it.
    pub fn parse(url: &str, with_key: bool) -> Result<ServerUrl, String> {
        let wrong = || "--url must be http://HOST:PORT or https://HOST[:PORT]".to_owned();
        let uri: Uri = url.parse().map_err(|_| wrong())?;
        let authority = uri.authority().ok_or_else(wrong)?;
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            Some(_) | None => return Err(wrong()),
        };
        if uri.query().is_some() || authority.as_str().contains('@') {
            return Err(wrong());
        }
        let portless = authority.as_str() == authority.host();
        if !portless && authority.port_u16().is_none_or(|port| port == 0) {
            return Err("--url: a port is a number from 1 to 65535".to_owned());
        }
        let host = authority.host().trim_matches(['[', ']']);
        let local =
            host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        if with_key && !secure && !local {
            return Err("a key travels over https only, or to this machine".to_owned());
        }
        let base = url.trim_end_matches('/').to_owned();
        Ok(ServerUrl { base, secure, local })
    }
}

#[cfg(test)]
mod tests {
    use super::ServerUrl;

    #[test]
    fn a_key_travels_over_https_or_on_this_machine() {
        for (url, key, read) in [
            (
                "http://127.0.0.1:8080/",
                true,
                Some(("http://127.0.0.1:8080", false, true)),
            ),
            (
                "http://localhost:8080",
                true,
                Some(("http://localhost:8080", false, true)),
            ),
            ("http://[::1]:1/a", true, Some(("http://[::1]:1/a", false, true))),
            (
                "http://a.example:80",
                false,
                Some(("http://a.example:80", false, false)),
            ),
            ("http://a.example:80", true, None),
            ("https://a.example", true, Some(("https://a.example", true, false))),
            ("https://me:secret@a.example", false, None),
            ("ftp://a.example", false, None),
            ("a.example", false, None),
            ("http://127.0.0.1:8080/?x=1", false, None),
            ("http://127.0.0.1:65536", false, None),
            ("http://[::1]:0", false, None),
            ("", false, None),
        ] {
            let read = read.map(|(base, secure, local): (&str, bool, bool)| ServerUrl {
                base: base.to_owned(),
                secure,
                local,
            });
            assert_eq!(ServerUrl::parse(url, key).ok(), read, "{url}");
        }
    }
}
