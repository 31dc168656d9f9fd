//! Which addresses may be called for somebody who is not trusted with this network (server-side request forgery).
//!
//! Names are resolved first and every address is looked at then, so that a name which changes its mind is caught too.

use std::future::Future;
use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;

use hyper_util::client::legacy::connect::dns::GaiResolver;
use hyper_util::client::legacy::connect::dns::Name;
use tower_service::Service;

use crate::adapters::outbound::public::is_public;

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

impl Reach {
    /// Whether an address may be called.
    pub fn admits(self, address: IpAddr) -> bool {
        match self {
            Reach::Anywhere => true,
            Reach::Public { loopback } if address.to_canonical().is_loopback() => loopback,
            Reach::Public { loopback: _ } => is_public(address),
        }
    }

    /// Whether a host that is written as an address, in any of the spellings that resolvers take, or that names this machine may
    /// be called; another name is looked at when it is resolved.
    pub fn admits_host(self, host: &str) -> bool {
        written(host).is_none_or(|address| self.admits(address))
    }
}

/// Names of this machine on every machine.
const OWN_NAMES: [&str; 5] = [
    "localhost",
    "localhost.localdomain",
    "localhost6",
    "ip6-localhost",
    "ip6-loopback",
];

/// The address that a host is written as, without asking a resolver.
fn written(host: &str) -> Option<IpAddr> {
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let bare = bare.unwrap_or(host);
    let bare = bare.strip_suffix('.').unwrap_or(bare);
    if let Ok(address) = bare.parse() {
        return Some(address);
    }
    let name = bare.to_ascii_lowercase();
    if OWN_NAMES.contains(&name.as_str()) || name.ends_with(".localhost") {
        return Some(Ipv4Addr::LOCALHOST.into());
    }
    // As inet_aton(3) reads it: one to four numbers, the last of which fills what is left.
    let numbers: Vec<u64> = name.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = numbers.split_last()?;
    let room = 32_u32.checked_sub(8 * u32::try_from(first.len()).ok()?)?;
    if room == 0 || last >> room != 0 || first.iter().any(|byte| *byte > 255) {
        return None;
    }
    let shifted = |(place, byte): (usize, &u64)| byte << (24 - 8 * place);
    let address = first
        .iter()
        .enumerate()
        .map(shifted)
        .fold(*last, |sum, part| sum | part);
    Some(Ipv4Addr::from(u32::try_from(address).ok()?).into())
}

/// A decimal, octal (`0…`) or hexadecimal (`0x…`) number in lower case.
fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None if text.len() > 1 && text.starts_with('0') => (text, 8),
        None => (text, 10),
    };
    let is_digit = |digit: char| digit.is_digit(radix);
    u64::from_str_radix(digits, radix)
        .ok()
        .filter(|_| digits.chars().all(is_digit))
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
    type Error = Box<dyn std::error::Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.resolver.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let (resolving, reach) = (self.resolver.call(name), self.reach);
        Box::pin(async move {
            let admitted: Vec<SocketAddr> = resolving.await?.filter(|found| reach.admits(found.ip())).collect();
            if admitted.is_empty() {
                return Err(Inner.into());
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
    fn other_spellings_of_inner_addresses_are_seen() {
        for inner in [
            "127.0.0.1",
            "127.0.0.1.",
            "[::1]",
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "0X7F.0.0.1",
            "0177.0.0.1",
            "127.1",
            "10.1.513",
            "0",
            "localhost",
            "LOCALHOST.",
            "me.localhost",
            "ip6-localhost",
        ] {
            assert!(!PUBLIC.admits_host(inner), "{inner}");
        }
        for outer in [
            "1.1.1.1",
            "16843009",
            "0x1.1.1.1",
            "hooks.example",
            "x",
            "1.2.3.4.5",
            "256.1.1.1",
            "4294967296",
            "0x",
            "09.1",
            "127.0.0.+1",
        ] {
            assert!(PUBLIC.admits_host(outer), "{outer}");
        }
        assert!(Reach::Public { loopback: true }.admits_host("0x7f.1"));
    }

    #[test]
    fn what_is_public_is_reached_and_nothing_else() {
        for (address, public) in [
            ("8.8.8.8", true),
            ("10.0.0.0", false),
            ("127.0.0.1", false),
            ("::ffff:127.0.0.1", false),
            ("2606:4700::1111", true),
            ("fc00::1", false),
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
