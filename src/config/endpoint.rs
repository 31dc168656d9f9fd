//! Addresses that the service calls: over https, or on this machine.

use http::Uri;

use crate::wire::loopback;

/// Reads the address of a service that is called with a key.
///
/// # Errors
/// What it must do, to follow "must". The address itself is not repeated: somebody may have put a secret into it.
pub fn parse(url: &str) -> Result<Uri, &'static str> {
    let absolute = "be an absolute address such as https://host/v1";
    let uri: Uri = url.parse().map_err(|_| absolute)?;
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Err(absolute);
    };
    if authority.as_str().contains('@') {
        return Err("not hold credentials: they would be seen wherever settings are; name the key's place beside it");
    }
    if url.contains(['?', '#']) {
        return Err("have no query and no fragment: a path is appended to it");
    }
    match scheme {
        "https" => Ok(uri),
        "http" if loopback::host(authority.as_str()) => Ok(uri),
        _ => Err(
            "begin with https://: over http its key and what clients said would travel in the clear; http is for \
                  this machine alone",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn addresses_are_https_or_on_this_machine() {
        for url in [
            "https://api.example.com/v1",
            "https://api.example.com",
            "https://10.0.0.1:8443/v1/",
            "http://127.0.0.1:8000/v1",
            "http://localhost:11434/v1",
            "http://[::1]:8000",
        ] {
            assert!(parse(url).is_ok(), "{url}");
        }
        for (url, what) in [
            ("", "absolute"),
            ("api.example.com/v1", "absolute"),
            ("/v1", "absolute"),
            ("https://", "absolute"),
            ("http://api.example.com/v1", "https://"),
            ("http://10.0.0.1/v1", "https://"),
            ("http://localhost.example.com/v1", "https://"),
            ("ftp://localhost/v1", "https://"),
            ("https://user:secret@api.example.com/v1", "credentials"),
            ("http://127.0.0.1@evil.example/v1", "credentials"),
            ("https://api.example.com/v1?key=secret", "query"),
            ("https://api.example.com/v1#top", "query"),
        ] {
            let said = parse(url).expect_err(url);
            assert!(said.contains(what), "{url}: {said}");
            assert!(!said.contains("secret"));
        }
    }
}
