//! Networks of IP addresses, as people name them: one address, or a CIDR such as `10.0.0.0/8`.
//!
//! Invariant: an address of IPv4 is the same however it comes, also within one of IPv6 (`::ffff:10.0.0.1`).

use std::net::IpAddr;

/// Addresses whose first bits are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u32,
}

impl Network {
    /// Reads an address, or one with the number of its first bits that tell the network.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Network, &'static str> {
        const NONE: &str = "is neither an IP address nor a network such as 10.0.0.0/8 or fd00::/8";
        let (address, bits) = text
            .split_once('/')
            .map_or((text, None), |(address, bits)| (address, Some(bits)));
        let written: IpAddr = address.parse().map_err(|_| NONE)?;
        let address = written.to_canonical();
        let Some(bits) = bits else {
            return Ok(Network {
                address,
                bits: width(address),
            });
        };
        if bits.is_empty() || !bits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NONE);
        }
        let told: u32 = bits.parse().map_err(|_| NONE)?;
        // What is said of an address of IPv6 that stands for one of IPv4 counts the bits before that, too.
        let before = width(written) - width(address);
        let bits = told
            .checked_sub(before)
            .filter(|bits| *bits <= width(address))
            .ok_or(NONE)?;
        let network = Network { address, bits };
        if network.first(address) == number(address) {
            Ok(network)
        } else {
            Err("has bits of an address behind those of its network: write its first address, or the address alone")
        }
    }

    /// Whether an address is of it.
    pub fn holds(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_ipv4() == self.address.is_ipv4() && self.first(address) == number(self.address)
    }

    /// An address with nothing but the bits of the network.
    fn first(&self, address: IpAddr) -> u128 {
        let behind = width(address) - self.bits;
        number(address)
            .checked_shr(behind)
            .and_then(|bits| bits.checked_shl(behind))
            .unwrap_or(0)
    }
}

const fn width(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::proptest;

    use super::IpAddr;
    use super::Network;
    use super::number;
    use super::width;

    fn holds(network: &str, address: &str) -> bool {
        let network = Network::parse(network).expect("a network");
        network.holds(address.parse().expect("an address"))
    }

    #[test]
    fn a_network_holds_its_addresses_and_no_others_c065_m033() {
        for (network, within, beyond) in [
            ("10.1.2.3", "10.1.2.3", "10.1.2.4"),
            ("10.1.2.3/32", "10.1.2.3", "10.1.2.2"),
            ("10.0.0.0/8", "10.255.255.255", "11.0.0.0"),
            ("172.16.0.0/12", "172.31.255.255", "172.32.0.0"),
            ("192.168.7.128/25", "192.168.7.200", "192.168.7.127"),
            ("0.0.0.0/0", "255.1.2.3", "::1"),
            ("::/0", "fe80::1", "10.0.0.1"),
            ("fd00::/8", "fdff::1", "fe00::1"),
            ("2001:db8::1", "2001:db8::1", "2001:db8::2"),
            ("10.0.0.0/8", "::ffff:10.9.9.9", "::ffff:11.0.0.1"),
            ("::ffff:10.0.0.0/104", "10.9.9.9", "11.0.0.1"),
            ("::ffff:10.1.2.3", "10.1.2.3", "10.1.2.4"),
        ] {
            assert!(holds(network, within), "{network} {within}");
            assert!(!holds(network, beyond), "{network} {beyond}");
        }
    }

    #[test]
    fn what_is_no_network_is_none() {
        for wrong in [
            "",
            "/8",
            "10.0.0.0/",
            "10.0.0.0/33",
            "10.0.0.0/-1",
            "10.0.0.0/+8",
            "10.0.0/8",
            "fd00::/129",
            "10.1.2.3/8",
            "fd00::1/8",
            "localhost",
            "10.0.0.0/8/8",
            "10.0.0.0/255.0.0.0",
            "::ffff:10.0.0.0/8",
            "10.0.0.0 /8",
            "10.0.0.0/99999999999",
        ] {
            assert!(Network::parse(wrong).is_err(), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn an_address_is_of_a_network_if_its_first_bits_are(one: u32, other: u32, bits in 0_u32..=32) {
            let (one, other) = (IpAddr::V4(one.into()), IpAddr::V4(other.into()));
            let network = Network { address: one, bits };
            let network = Network::parse(&format!("{}/{bits}", std::net::Ipv4Addr::from_bits(u32::try_from(network.first(one)).expect("of IPv4")))).expect("a network");
            let same = (number(one) ^ number(other)).leading_zeros() + width(one) >= bits + 128;
            assert_eq!(network.holds(other), same, "{one} {other} /{bits}");
            assert!(network.holds(one));
        }
    }
}
