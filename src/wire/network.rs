//! Networks of IP addresses, as people name them: one address, or a CIDR such as `10.0.0.0/8`.
//!
//! Invariant: an address of IPv4 is the same however it comes, also within one of IPv6 (`::ffff:10.0.0.1`).

use std::net::IpAddr;

use ipnet::IpNet;

/// Addresses whose first bits are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network(IpNet);

impl Network {
    /// Reads an address, or one with the number of its first bits that tell the network.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Network, &'static str> {
        const NONE: &str = "is neither an IP address nor a network such as 10.0.0.0/8 or fd00::/8";
        let alone = |_| text.parse::<IpAddr>().map(IpNet::from);
        let written = text.parse::<IpNet>().or_else(alone).map_err(|_| NONE)?;
        let address = written.addr().to_canonical();
        // What is said of an address of IPv6 that stands for one of IPv4 counts the bits before that, too.
        let before = written.max_prefix_len() - IpNet::from(address).max_prefix_len();
        let bits = written.prefix_len().checked_sub(before).ok_or(NONE)?;
        let network = IpNet::new(address, bits).map_err(|_| NONE)?;
        if network.trunc() == network {
            Ok(Network(network))
        } else {
            Err("has bits of an address behind those of its network: write its first address, or the address alone")
        }
    }

    /// Whether an address is of it.
    pub fn holds(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

#[cfg(test)]
mod tests {
    use super::Network;

    #[test]
    fn a_network_holds_its_addresses_and_no_others_and_what_is_no_network_is_none_c065_m033() {
        for (network, within, beyond) in [
            ("10.1.2.3", "10.1.2.3", "10.1.2.4"),
            ("10.1.2.3/32", "10.1.2.3", "10.1.2.2"),
            ("10.0.0.0/8", "10.255.255.255", "11.0.0.0"),
            ("192.168.7.128/25", "192.168.7.200", "192.168.7.127"),
            ("0.0.0.0/0", "255.1.2.3", "::1"),
            ("::/0", "fe80::1", "10.0.0.1"),
            ("fd00::/8", "fdff::1", "fe00::1"),
            ("10.0.0.0/8", "::ffff:10.9.9.9", "::ffff:11.0.0.1"),
            ("::ffff:10.0.0.0/104", "10.9.9.9", "11.0.0.1"),
            ("::ffff:10.1.2.3", "10.1.2.3", "10.1.2.4"),
        ] {
            let holds = |address: &str| {
                let network = Network::parse(network).expect("a network");
                network.holds(address.parse().expect("an address"))
            };
            assert!(holds(within) && !holds(beyond), "{network}");
        }
        let wrong = "/8 10.0.0.0/ 10.0.0.0/33 10.0.0.0/-1 10.0.0.0/+8 10.0.0/8 fd00::/129 10.1.2.3/8 fd00::1/8 localhost \
                     10.0.0.0/8/8 10.0.0.0/255.0.0.0 ::ffff:10.0.0.0/8 10.0.0.0/99999999999";
        for wrong in wrong.split_whitespace().chain(["", "10.0.0.0 /8"]) {
            assert!(Network::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
