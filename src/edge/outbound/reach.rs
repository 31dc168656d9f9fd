//! Which addresses may be called for somebody who is not trusted with this network (server-side request forgery).
//!
//! Names are resolved first and every address is looked at then, so that a name which changes its mind is caught too.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::net::Ipv6Addr;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;

use hyper_util::client::legacy::connect::dns::GaiResolver;
use hyper_util::client::legacy::connect::dns::Name;
use tower_service::Service;

/// How far calls may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Wherever whoever runs the service says.
    Anywhere,
    /// Public addresses, and those of this machine where that is allowed.
    Public { loopback: bool },
}

impl Reach {
    /// Whether an address may be called.
    pub fn admits(self, address: IpAddr) -> bool {
        match self {
            Reach::Anywhere => true,
            Reach::Public { loopback } => match plain(address) {
                own if own.is_loopback() => loopback,
                IpAddr::V4(v4) => is_public_v4(v4),
                IpAddr::V6(v6) => is_public_v6(v6),
            },
        }
    }

    /// Whether a host that is written as an address may be called; a name is looked at when it is resolved.
    pub fn admits_host(self, host: &str) -> bool {
        let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        bare.unwrap_or(host)
            .parse::<IpAddr>()
            .map_or(true, |address| self.admits(address))
    }
}

/// An address without what it is wrapped in: IPv4 within IPv6, by mapping, NAT64 or 6to4.
fn plain(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else { return address };
    if let Some(v4) = v6.to_ipv4_mapped() {
        return IpAddr::V4(v4);
    }
    let [a, b, c, d, e, f, g, h] = v6.segments();
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        IpAddr::V4(Ipv4Addr::new(a, b, c, d))
    };
    match (a, b) {
        (0x64, 0xff9b) => v4(g, h),
        (0x2002, _) => v4(b, c),
        (0, 0) if (c, d, e, f) == (0, 0, 0, 0) && g != 0 => v4(g, h),
        _ => address,
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let reserved = a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (b == 18 || b == 19));
    !(reserved
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let unique_local = a & 0xfe00 == 0xfc00;
    let link_local = a & 0xffc0 == 0xfe80;
    let site_local = a & 0xffc0 == 0xfec0;
    let documentation = a == 0x2001 && b == 0xdb8;
    !(address.is_unspecified() || address.is_multicast() || unique_local || link_local || site_local || documentation)
}

/// Resolves names and leaves out the addresses that may not be called.
#[derive(Clone, Debug)]
pub struct Screen {
    resolver: GaiResolver,
    reach: Reach,
}

impl Screen {
    /// The machine's resolver within this reach.
    pub fn within(reach: Reach) -> Screen {
        Screen {
            resolver: GaiResolver::new(),
            reach,
        }
    }
}

impl Service<Name> for Screen {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, io::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), io::Error>> {
        self.resolver.poll_ready(context)
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let (resolving, reach) = (self.resolver.call(name), self.reach);
        Box::pin(async move {
            let admitted: Vec<SocketAddr> = resolving.await?.filter(|found| reach.admits(found.ip())).collect();
            if admitted.is_empty() {
                return Err(io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    "no address that may be called",
                ));
            }
            Ok(admitted.into_iter())
        })
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::Reach;

    const PUBLIC: Reach = Reach::Public { loopback: false };

    #[test]
    fn public_addresses_are_reached_and_those_of_networks_within_are_not() {
        for (address, public) in [
            ("8.8.8.8", true),
            ("9.255.255.255", true),
            ("10.0.0.0", false),
            ("10.255.255.255", false),
            ("11.0.0.0", true),
            ("100.63.255.255", true),
            ("100.64.0.0", false),
            ("100.127.255.255", false),
            ("100.128.0.0", true),
            ("127.0.0.1", false),
            ("127.255.255.255", false),
            ("169.253.0.1", true),
            ("169.254.169.254", false),
            ("172.15.255.255", true),
            ("172.16.0.0", false),
            ("172.31.255.255", false),
            ("172.32.0.0", true),
            ("192.0.0.1", false),
            ("192.168.0.1", false),
            ("192.169.0.1", true),
            ("198.18.0.1", false),
            ("198.20.0.1", true),
            ("203.0.113.5", false),
            ("224.0.0.1", false),
            ("240.0.0.1", false),
            ("255.255.255.255", false),
            ("0.0.0.0", false),
            ("2606:4700::1111", true),
            ("::", false),
            ("::1", false),
            ("fc00::1", false),
            ("fdff::1", false),
            ("fe80::1", false),
            ("fec0::1", false),
            ("ff02::1", false),
            ("2001:db8::1", false),
            ("::ffff:10.0.0.1", false),
            ("::ffff:8.8.8.8", true),
            ("::10.0.0.1", false),
            ("64:ff9b::a00:1", false),
            ("64:ff9b::808:808", true),
            ("2002:a00:1::", false),
            ("2002:808:808::", true),
        ] {
            let parsed: IpAddr = address.parse().expect("an address");
            assert_eq!(PUBLIC.admits(parsed), public, "{address}");
            assert!(Reach::Anywhere.admits(parsed), "{address}");
        }
    }

    #[test]
    fn this_machine_is_reached_where_that_is_allowed() {
        let own = Reach::Public { loopback: true };
        for (host, admitted) in [
            ("127.0.0.1", true),
            ("[::1]", true),
            ("::ffff:127.0.0.1", true),
            ("10.0.0.1", false),
            ("[fe80::1]", false),
            ("example.com", true),
        ] {
            assert_eq!(own.admits_host(host), admitted, "{host}");
        }
        assert!(!PUBLIC.admits_host("127.0.0.1") && !PUBLIC.admits_host("[::1]"));
    }
}
