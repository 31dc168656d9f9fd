//! Which addresses may be called for somebody who is not trusted with this network (server-side request forgery).
//!
//! Names are resolved first and every address is looked at then, so that a name which changes its mind is caught too.

use std::future::Future;
use std::net::IpAddr;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;

use hyper_util::client::legacy::connect::dns::GaiResolver;
use hyper_util::client::legacy::connect::dns::Name;
use tower_service::Service;

use crate::edge::outbound::public::is_public;

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

    /// Whether a host that is written as an address may be called; a name is looked at when it is resolved.
    pub fn admits_host(self, host: &str) -> bool {
        let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        bare.unwrap_or(host)
            .parse::<IpAddr>()
            .map_or(true, |address| self.admits(address))
    }
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
