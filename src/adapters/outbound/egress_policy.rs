//! Which addresses may be called for somebody who is not trusted with this network (server-side request forgery).
//!
//! Names are resolved first and every address is looked at then, so that a name which changes its mind is caught too.

use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::net::Ipv6Addr;
use std::net::SocketAddr;

use reqwest::Url;
use reqwest::dns::Addrs;
use reqwest::dns::Name;
use reqwest::dns::Resolve;
use reqwest::dns::Resolving;

/// Nothing that may be called stands behind a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name leads to an inner address")]
pub struct Inner;

/// How far calls may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Wherever whoever runs the service says.
    Anywhere,
    /// Public addresses, and those of this machine where that is allowed.
    Public { loopback: bool },
}

/// Names of this machine on every machine.
const OWN_NAMES: [&str; 5] = [
    "localhost",
    "localhost.localdomain",
    "localhost6",
    "ip6-localhost",
    "ip6-loopback",
];

impl Reach {
    /// Whether an address may be called.
    pub fn admits(self, address: IpAddr) -> bool {
        match self {
            Reach::Anywhere => true,
            Reach::Public { loopback } if address.to_canonical().is_loopback() => loopback,
            Reach::Public { loopback: _ } => is_public(address),
        }
    }

    /// Whether a host may be called that is written as an address, in any of the spellings that a URL may have, or that names this
    /// machine; another name is looked at when it is resolved. What no URL may have as its host is not called.
    pub fn admits_host(self, host: &str) -> bool {
        let Ok(url) = Url::parse(&format!("http://{host}/")) else {
            return false;
        };
        let host = url.host_str().unwrap_or_default().trim_end_matches('.');
        if OWN_NAMES.contains(&host) || host.ends_with(".localhost") {
            return self.admits(Ipv4Addr::LOCALHOST.into());
        }
        let address = host.trim_matches(['[', ']']).parse();
        address.map_or(true, |address| self.admits(address))
    }
}

/// Resolves names by the machine's resolver and leaves out the addresses that may not be called.
#[derive(Clone, Copy, Debug)]
pub struct Screen(pub Reach);

impl Resolve for Screen {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            // The port is replaced by the address's own.
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let admitted: Vec<SocketAddr> = found.filter(|found| reach.admits(found.ip())).collect();
            if admitted.is_empty() {
                return Err(Inner.into());
            }
            Ok(Box::new(admitted.into_iter()) as Addrs)
        })
    }
}

/// Whether an address is one of the open internet: not of this machine, this network, or set aside for something else.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let set_aside = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || a == 0
        || a >= 240
        // Shared by carriers, protocol assignments, 6to4 relays, benchmarks.
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19));
    !set_aside
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    if let Some(mapped) = address.to_ipv4_mapped() {
        return is_public_v4(mapped);
    }
    // NAT64 and 6to4 lead to the address within.
    if (a, b, c, d, e, f) == (0x64, 0xff9b, 0, 0, 0, 0) {
        return embedded(g, h);
    }
    if a == 0x2002 {
        return embedded(b, c);
    }
    // The rest of what is routed is 2000::/3, but for Teredo, other tunnels, and documentation.
    (0x2000..0x4000).contains(&a) && !(a == 0x2001 && (b < 0x200 || b == 0xdb8)) && a != 0x3fff
}

#[cfg(test)]
mod tests {
    use super::Reach;
    use super::is_public;

    const PUBLIC: Reach = Reach::Public { loopback: false };

    #[test]
    fn other_spellings_of_inner_addresses_are_seen_and_this_machine_is_reached_where_that_is_allowed() {
        let own = Reach::Public { loopback: true };
        for (hosts, in_public, in_own) in [
            (
                "127.0.0.1 127.0.0.1. [::1] [::ffff:127.0.0.1] 2130706433 0x7f000001 0x7f.1 0X7F.0.0.1",
                false,
                true,
            ),
            (
                "0177.0.0.1 127.1 localhost LOCALHOST. me.localhost ip6-localhost",
                false,
                true,
            ),
            ("10.1.513 10.0.0.1 0 [fe80::1]", false, false),
            ("1.1.1.1 16843009 0x1.1.1.1 hooks.example x 0x.example.com", true, true),
            ("1.2.3.4.5 256.1.1.1 4294967296 0x 09.1", false, false),
        ] {
            for host in hosts.split(' ') {
                assert_eq!(
                    (PUBLIC.admits_host(host), own.admits_host(host)),
                    (in_public, in_own),
                    "{host}"
                );
            }
        }
        assert!(!own.admits_host("a b") && !own.admits_host(""));
    }

    #[test]
    fn inner_addresses_are_told_from_public_ones_at_their_edges() {
        let public = "1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 169.253.255.255 172.15.255.255 172.32.0.0 \
                      192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 ::ffff:1.1.1.1 64:ff9b::101:101 \
                      2002:101:101:: 2001:200::1 2606:4700::1111";
        let inner = "0.0.0.0 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255 169.254.169.254 \
                     172.16.0.0 172.31.255.255 192.0.0.1 192.0.2.1 192.168.0.0 198.18.0.0 224.0.0.1 240.0.0.1 \
                     255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::101:101 2002:7f00:1:: \
                     2001:0:1::1 2001:1ff::1 2001:db8::1 3fff::1 4000::1 fc00::1 fdff::1 fe80::1 fec0::1 ff02::1";
        for (addresses, expected) in [(public, true), (inner, false)] {
            for address in addresses.split(' ') {
                let parsed = address.parse().expect("an address");
                assert_eq!(is_public(parsed), expected, "{address}");
                assert!(Reach::Anywhere.admits(parsed), "{address}");
            }
        }
    }
}
