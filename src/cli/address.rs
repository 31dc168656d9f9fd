//! Where a command calls: the address of a service, and what may stand in a path under it.

use http::Uri;
use http::uri::Authority;

use crate::wire::loopback;

/// The address without a slash at its end, and whether it is https. A key travels over https, or on this machine.
///
/// # Errors
/// What is wrong with it, in a sentence that does not repeat it.
pub fn base(url: &str, with_key: bool) -> Result<(String, bool), String> {
    let wrong = || "--url must be http://HOST:PORT or https://HOST[:PORT]".to_owned();
    let uri: Uri = url.parse().map_err(|_| wrong())?;
    let authority = uri.authority().ok_or_else(wrong)?;
    let host = authority.as_str();
    if uri.query().is_some() || host.contains('@') {
        return Err(wrong());
    }
    if !has_sound_port(authority) {
        return Err(format!("--url: {PORT_RANGE}"));
    }
    let secure = match uri.scheme_str() {
        Some("https") => true,
        Some("http") if !with_key || loopback::host(host) => false,
        Some("http") => return Err("a key travels over https only, or to this machine".to_owned()),
        Some(_) | None => return Err(wrong()),
    };
    Ok((url.trim_end_matches('/').to_owned(), secure))
}

/// What a port may be, for who named another one.
const PORT_RANGE: &str = "a port is a number from 1 to 65535";

/// Whether somebody can listen at the port, where one is named.
fn has_sound_port(authority: &Authority) -> bool {
    let named = authority.as_str().rsplit('@').next().unwrap_or_default();
    match named.strip_prefix(authority.host()) {
        None | Some("") => true,
        Some(_) => authority.port_u16().is_some_and(|port| port > 0),
    }
}

#[cfg(test)]
mod tests {
    use super::base;

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
            ("http://[::1]:1/a", false, Some(("http://[::1]:1/a", false))),
            ("http://[::1]", false, Some(("http://[::1]", false))),
            ("http://127.0.0.1:65536", false, None),
            ("http://127.0.0.1:99999", false, None),
            ("http://[::1]:0", false, None),
            ("https://schemas.example:0", false, None),
            ("", false, None),
        ] {
            let read = read.map(|(base, secure): (&str, bool)| (base.to_owned(), secure));
            assert_eq!(base(url, key).ok(), read, "{url}");
        }
    }
}
