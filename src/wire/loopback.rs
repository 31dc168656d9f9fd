//! Loopback names: what Host may say in open mode, so that no web page reaches the service through a
//! visitor's browser (DNS rebinding, cross-site requests).

use std::net::IpAddr;

/// Whether a `Host` header (`name`, `name:port`, `[v6]:port`) names this machine.
pub fn host(value: &str) -> bool {
    let Some(name) = without_port(value) else { return false };
    if name.eq_ignore_ascii_case("localhost") {
        return true;
    }
    let address = name
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(name);
    address.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The name without its port; `None` when what follows is no port.
fn without_port(value: &str) -> Option<&str> {
    let end = if value.starts_with('[') {
        value.find(']')? + 1
    } else {
        value.find(':').unwrap_or(value.len())
    };
    let (name, port) = value.split_at(end);
    let right = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    right.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn loopback_names_are_hosts_with_any_port_and_other_names_are_not() {
        let right = "localhost LOCALHOST:8080 127.0.0.1 127.0.0.1:1 127.9.9.9:65535 [::1] [::1]:8080";
        let wrong = "example.com example.com:8080 localhost.example.com 127.0.0.1.example.com 10.0.0.1 [::2] [::1 [::1]x \
                     localhost: localhost:99999 localhost:8080@evil.com 0.0.0.0 ::1";
        for (values, expected) in [(right, true), (wrong, false)] {
            for value in values.split_whitespace() {
                assert_eq!(host(value), expected, "{value}");
            }
        }
        assert!(!host(""));
    }
}
