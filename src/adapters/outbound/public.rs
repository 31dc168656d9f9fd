//! Which addresses are public: on the open internet, not of this machine or network, nor set aside for something else.

use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::net::Ipv6Addr;

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
    use super::is_public;

    #[test]
    fn inner_addresses_are_told_from_public_ones_at_their_edges() {
        for (address, public) in [
            ("1.1.1.1", true),
            ("0.0.0.0", false),
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
            ("169.253.255.255", true),
            ("169.254.169.254", false),
            ("172.15.255.255", true),
            ("172.16.0.0", false),
            ("172.31.255.255", false),
            ("172.32.0.0", true),
            ("192.0.0.1", false),
            ("192.0.2.1", false),
            ("192.167.255.255", true),
            ("192.168.0.0", false),
            ("192.169.0.0", true),
            ("198.17.255.255", true),
            ("198.18.0.0", false),
            ("198.20.0.0", true),
            ("223.255.255.255", true),
            ("224.0.0.1", false),
            ("240.0.0.1", false),
            ("255.255.255.255", false),
            ("::", false),
            ("::1", false),
            ("::127.0.0.1", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:1.1.1.1", true),
            ("64:ff9b::7f00:1", false),
            ("64:ff9b::101:101", true),
            ("64:ff9b:1::101:101", false),
            ("2002:7f00:1::", false),
            ("2002:101:101::", true),
            ("2001:0:1::1", false),
            ("2001:1ff::1", false),
            ("2001:200::1", true),
            ("2001:db8::1", false),
            ("2606:4700::1111", true),
            ("3fff::1", false),
            ("4000::1", false),
            ("fc00::1", false),
            ("fdff::1", false),
            ("fe80::1", false),
            ("fec0::1", false),
            ("ff02::1", false),
        ] {
            assert_eq!(is_public(address.parse().expect("an address")), public, "{address}");
        }
    }
}
