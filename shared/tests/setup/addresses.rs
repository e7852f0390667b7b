//! Addresses: readable where they fit, distinct everywhere, and never the site's.

use crate::common::sparse;
use ipnet::Ipv4Net;
use proptest::prelude::*;
use shared::{
    design::Design,
    exports::{
        ExportError, Settings,
        address::{AVOID, AddressPlan, Mac, NETWORK, PeAddresses},
    },
};
use std::{collections::BTreeSet, net::Ipv4Addr};

/// A machine of switches of three ports with two PEs each.
fn pairs(switches: u32, settings: &Settings) -> Result<AddressPlan, ExportError> {
    let (spec, _) = sparse(2 * switches, 1, 3, switches, &[(0, 1)]);
    let design = Design::from_switches(2 * switches, (0..switches).map(|s| vec![2 * s, 2 * s + 1]));
    AddressPlan::new(&spec, &design, settings)
}

fn settings(network: &str, avoid: &[&str]) -> Settings {
    let network = network.parse().unwrap();
    let avoid = avoid.iter().map(|text| text.parse().unwrap()).collect();
    Settings::default().with(&NETWORK, network).with(&AVOID, avoid)
}

fn all_of(plan: &AddressPlan, switches: u32) -> Vec<Ipv4Addr> {
    (0..switches).flat_map(|s| [1, 2].map(|port| plan.address(s, 2 * s + port - 1, port))).collect()
}

#[test]
fn subnets_are_readable_where_they_fit_and_distinct_everywhere() {
    let plan = pairs(5, &Settings::default()).unwrap();
    assert_eq!((plan.address(4, 7, 3).to_string().as_str(), plan.prefix(4)), ("10.4.0.8", 16));
    assert_eq!(plan.describe(), "10.S.0.0/16 for switch S; the host part is the node number plus 1");

    let plan = pairs(300, &Settings::default()).unwrap();
    assert_eq!((plan.address(299, 599, 2).to_string().as_str(), plan.prefix(299)), ("10.0.9.90", 29));
    assert_eq!(all_of(&plan, 300).into_iter().collect::<BTreeSet<_>>().len(), 600);
    assert_eq!(
        plan.describe(),
        "one subnet per switch in 10.0.0.0/8, since 10.S.0.0/16 holds up to 256 switches and 65533 nodes; the host part is the port \
         on the switch"
    );
}

#[test]
fn other_networks_are_as_readable() {
    let plan = pairs(5, &settings("172.16.0.0/12", &[])).unwrap();
    assert_eq!((plan.address(4, 7, 2).to_string().as_str(), plan.prefix(4)), ("172.20.0.8", 16));
    assert!(plan.describe().starts_with("172.(16+S).0.0/16 for switch S"), "{}", plan.describe());
    let plan = pairs(5, &settings("192.168.0.0/16", &[])).unwrap();
    assert_eq!((plan.address(4, 7, 2).to_string().as_str(), plan.prefix(4)), ("192.168.4.8", 24));
    assert!(plan.describe().starts_with("192.168.S.0/24 for switch S"), "{}", plan.describe());
    // 300 PEs are more than a /24 names.
    let plan = pairs(150, &settings("192.168.0.0/16", &[])).unwrap();
    assert!(
        plan.describe().contains("192.168.0.0/16, since 192.(168+S).0.0/16 holds up to 1 switches"),
        "{}",
        plan.describe()
    );
}

#[test]
fn subnets_go_around_the_sites_networks_and_say_so() {
    let plan = pairs(5, &settings("10.0.0.0/8", &["10.3.7.0/24", "192.168.0.0/16"])).unwrap();
    assert_eq!(plan.address(0, 1, 2).to_string(), "10.0.0.2");
    assert_eq!(
        plan.describe(),
        "one subnet per switch in 10.0.0.0/8, since 10.S.0.0/16 would overlap networks to avoid with 10.3.0.0/16; the host part is \
         the port on the switch; outside 10.3.7.0/24"
    );
    // Beyond the subnets that are used, the site's networks are in nobody's way.
    let plan = pairs(5, &settings("10.0.0.0/8", &["10.5.0.0/16"])).unwrap();
    assert_eq!(
        plan.describe(),
        "10.S.0.0/16 for switch S; the host part is the node number plus 1; outside 10.5.0.0/16"
    );
}

#[test]
fn addresses_without_room_are_refused_with_both_networks_and_what_is_free() {
    let error = pairs(5, &settings("10.20.0.0/16", &["10.0.0.0/8"])).unwrap_err().to_string();
    assert_eq!(
        error,
        "network=10.20.0.0/16: 5 switches with 3 ports need 40 addresses in subnets of their own, and no address is free \
         outside 10.0.0.0/8; use network=172.16.0.0/12 or network=192.168.0.0/16"
    );
    let error = PeAddresses::new(300, &settings("10.20.0.0/24", &[])).unwrap_err().to_string();
    assert_eq!(
        error,
        "network=10.20.0.0/24: 300 nodes need 302 addresses, and 256 are free; use network=10.0.0.0/8 or \
         network=172.16.0.0/12 or network=192.168.0.0/16"
    );
    let (large, _) = sparse(70_000, 1, 4096, 4096, &[(0, 1)]);
    let design = Design::from_switches(70_000, (0..4096).map(|s| vec![s]));
    let error = AddressPlan::new(&large, &design, &Settings::default()).unwrap_err().to_string();
    assert!(error.contains("4096 switches with 4096 ports need 33554432 addresses"), "{error}");
    assert!(error.ends_with("no private network has room"), "{error}");
}

#[test]
fn one_address_a_pe_counts_up_from_the_networks_second() {
    let plan = PeAddresses::new(8, &Settings::default()).unwrap();
    assert_eq!(plan.describe(), "one per node, 10.0.0.1 plus the node number");
    assert_eq!((plan.of(0).to_string(), plan.of(7).to_string()), ("10.0.0.1".into(), "10.0.0.8".into()));
    assert_eq!(plan.networks(), ["10.0.0.0/28".parse::<Ipv4Net>().unwrap()]);
    let plan = PeAddresses::new(300, &settings("10.0.0.0/8", &["10.0.0.128/25"])).unwrap();
    assert_eq!(
        (plan.of(126).to_string(), plan.of(127).to_string()),
        ("10.0.0.127".into(), "10.0.1.0".into())
    );
    let networks: Vec<_> = plan.networks().iter().map(Ipv4Net::to_string).collect();
    assert_eq!(networks, ["10.0.0.0/25", "10.0.1.0/24"]);
}

#[test]
fn mac_addresses_are_read_as_they_are_written() {
    let mac = Mac([0, 0x1b, 0x21, 0x3c, 0xd, 0x5e]);
    assert_eq!(Mac::parse(&mac.to_string()), Some(mac));
    assert_eq!(Mac::parse("00:1B:21:3C:0D:5E"), Some(mac));
    for bad in [
        "",
        "00:1b:21:3c:0d",
        "00:1b:21:3c:0d:5e:01",
        "0:1b:21:3c:0d:5e",
        "00:1b:21:3c:0d:+e",
        "00-1b-21-3c-0d-5e",
    ] {
        assert_eq!(Mac::parse(bad), None, "{bad}");
    }
}

fn network(within: u8) -> impl Strategy<Value = Ipv4Net> {
    (within..=28, any::<u32>()).prop_map(|(prefix, bits)| net(10 << 24 | (bits & 0x0000_ffff), prefix))
}

/// The network of a prefix length that an address is in.
fn net(address: u32, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::from_bits(address), prefix).trunc()
}

fn meet(a: &Ipv4Net, b: &Ipv4Net) -> bool {
    a.contains(b) || b.contains(a)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Networks and avoided ones lie close together, so that most of them meet.
    #[test]
    fn no_address_is_ever_the_sites(
        own in network(16), avoid in prop::collection::vec(network(17), 0..6), switches in 1u32..40
    ) {
        let settings = Settings::default().with(&NETWORK, own).with(&AVOID, avoid.clone());
        if let Ok(plan) = pairs(switches, &settings) {
            let all = all_of(&plan, switches);
            prop_assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
            for s in 0..switches {
                let address = plan.address(s, 2 * s, 1).to_bits();
                let prefix = plan.prefix(s);
                let subnet = net(address, prefix);
                prop_assert!(avoid.iter().all(|site| !meet(site, &subnet)), "{subnet}");
                prop_assert!(meet(&own, &subnet) && own.prefix_len() <= prefix);
            }
        }
        if let Ok(plan) = PeAddresses::new(switches, &settings) {
            let networks = plan.networks();
            for pe in 0..switches {
                let address = net(plan.of(pe).to_bits(), 32);
                prop_assert!(avoid.iter().all(|site| !meet(site, &address)) && meet(&own, &address));
                prop_assert!(pe == 0 || plan.of(pe) > plan.of(pe - 1));
                prop_assert_eq!(networks.iter().filter(|network| meet(network, &address)).count(), 1);
            }
            prop_assert!(networks.iter().all(|network| avoid.iter().all(|site| !meet(site, network))));
        }
    }

    /// A plan is refused only where there is no room: a network twice as large as is needed and clear of the site has it.
    #[test]
    fn what_has_room_is_planned(switches in 1u32..60) {
        let needed = 8 * switches.next_power_of_two();
        let network = net(10 << 24, 32 - needed.ilog2() as u8);
        let site = net(11 << 24, 8);
        let settings = Settings::default().with(&NETWORK, network).with(&AVOID, vec![site]);
        prop_assert!(pairs(switches, &settings).is_ok());
    }
}
