//! IP and MAC addresses of NIs.
//!
//! Each switch is a subnet (Mattox 2006, section 5.1.1). If they fit, addresses are readable: `10.S.0.0/16` for switch S with
//! PE + 1 as the host part, or `192.168.S.0/24` in a smaller network. Larger machines get compact subnets one after the other,
//! each the least power of two that holds the ports of its switch, with the port as the host part. If all switches are direct cables,
//! each cable has such a subnet, a /30.
//!
//! All addresses are in the setting `network` and outside the networks of the setting `avoid`. Compact subnets are laid around
//! those. Forms with one address per PE ([`PeAddresses`]) keep to the same rule.
//!
//! With uplink switches, each switch is the router of its subnet. Its gateway address is the last one before the broadcast address,
//! which no host has. Behind the subnets follow a /31 for each link to an uplink switch, an address that identifies each switch, and a
//! subnet for spare nodes. The one address of a PE then is the address of its first NI: the subnet tells other switches the way.
//!
//! MAC addresses are computed from PE and NI (Mattox 2006, section 5.1.3, algorithm 11): locally administered, with a last byte
//! that differs between PEs for the hash tables of commodity switches. The algorithm has room for 8 NIs. Here the three high
//! bits of an NI's number go into the second byte, so 64 NIs on 2^20 PEs are distinct and the first 8 NIs keep their addresses.

use super::{ExportError, Setting, SettingOf, Settings};
use crate::{
    design::{Design, NiTable},
    form::{Advice, says},
    spec::Spec,
    text::{grouped, noun},
};
use ipnet::Ipv4Net;
use std::net::Ipv4Addr;

/// Network of all addresses.
pub const NETWORK: SettingOf<Ipv4Net> = Setting::new("network", "network of all addresses")
    .syntax("Network", "an IPv4 network from /8 to /24, such as 10.0.0.0/8")
    .or("10.0.0.0/8")
    .read(|text| match network(text)? {
        net if (8..=24).contains(&net.prefix_len()) => Ok(net),
        net if net.prefix_len() > 24 => Err(Some(says(format!("{net} is too small; use /8 to /24.")))),
        net => Err(Some(says(format!("{net} is too large; use /8 to /24.")))),
    });

/// Networks that addresses must not overlap.
pub const AVOID: SettingOf<Vec<Ipv4Net>> =
    Setting::new("avoid", "networks of the site that addresses must not overlap")
        .words("Networks to avoid", "IPv4 networks such as 10.20.0.0/16, separated with spaces")
        .read(|text| text.split_whitespace().map(network).collect());

/// Reads an IPv4 network of hosts without host bits: neither multicast, loopback nor reserved.
///
/// # Errors
/// What is wrong; `None` if it is no network at all.
pub(super) fn network(text: &str) -> Result<Ipv4Net, Option<Advice>> {
    let net: Ipv4Net = text.parse().map_err(|_| None)?;
    if net.trunc() != net {
        return Err(Some(says(format!("{net} has host bits set; use {}.", net.trunc()))));
    }
    match is_of_hosts(net.network()) {
        true => Ok(net),
        false => Err(Some(says(format!("{net} is not for hosts: it is multicast, loopback or reserved.")))),
    }
}

fn is_of_hosts(address: Ipv4Addr) -> bool {
    (1..=223).contains(&address.octets()[0]) && !address.is_loopback()
}

/// Subnets of the switches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressPlan {
    network: Ipv4Net,
    subnets: Subnets,
    /// Addresses of the links to uplink switches, if there are any.
    routed: Option<RoutedPlan>,
    /// Networks of the site that lie in the network.
    around: Vec<String>,
}

/// Addresses of routers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RoutedPlan {
    /// First address of the links, two for each.
    links: u32,
    /// Uplink switches that a switch has links to.
    each: u32,
    /// First address that identifies a switch, and the number of these.
    routers: u32,
    count: u32,
    /// First address and prefix length of the subnet of spares on a separate uplink switch.
    spares: Option<(u32, u8)>,
}

/// Room for [`RoutedPlan`].
#[derive(Clone, Copy)]
struct RoutedNeeds {
    each: u32,
    links: u64,
    routers: u64,
    /// Spares on a separate uplink switch.
    spares: u32,
    /// Spares on a folded one, which are hosts of its subnet.
    folded_spares: u32,
}

impl RoutedNeeds {
    fn of(spec: &Spec, switches: u32) -> Option<RoutedNeeds> {
        let (uplink, spine) = (spec.uplink?, spec.spine()?);
        let is_folded = spine.folded.is_some();
        Some(RoutedNeeds {
            each: spine.each,
            links: u64::from(switches) * u64::from(spine.each) * 2,
            routers: u64::from(switches) + u64::from(spec.separate_uplinks()),
            spares: if is_folded { 0 } else { uplink.spares },
            folded_spares: if is_folded { uplink.spares } else { 0 },
        })
    }

    /// Addresses of links and routers.
    fn size(&self) -> u64 {
        (self.links + self.routers).next_power_of_two()
    }

    /// Size of the subnet of spares; 0 without.
    fn spares_size(&self) -> u64 {
        if self.spares == 0 { 0 } else { subnet_size(self.spares + 1) }
    }

    /// The addresses from `next` on; none where they do not fit.
    fn place(&self, next: u64, room: &Room) -> Option<RoutedPlan> {
        let links = room.place(next, self.size())?;
        let spares = match self.spares_size() {
            0 => None,
            size => Some((room.place(links + self.size(), size)? as u32, 32 - size.ilog2() as u8)),
        };
        let routers = (links + self.links) as u32;
        Some(RoutedPlan { links: links as u32, each: self.each, routers, count: self.routers as u32, spares })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Subnets {
    /// Subnet S begins S times 2^`bits` into the network; the host is PE + 1.
    Readable { bits: u8 },
    /// Each switch's first address and prefix length; the host is the port.
    /// `why` there are no readable ones; `None` for direct cables.
    Compact { subnets: Vec<(u32, u8)>, why: Option<String> },
}

/// Max switches that one number in an address names.
const MAX_READABLE: u64 = 256;

impl AddressPlan {
    /// Plans subnets for a wiring in the network of the settings, clear of the site's networks.
    ///
    /// # Errors
    /// The subnets do not fit into the network.
    pub fn new(spec: &Spec, design: &Design, settings: &Settings) -> Result<AddressPlan, ExportError> {
        let mut widths = widths(spec, design);
        let needs = RoutedNeeds::of(spec, design.switch_count());
        if needs.is_some() {
            // One more for the gateway.
            widths.iter_mut().for_each(|width| *width += 1);
        }
        let what = || {
            let routed = needs.map_or(0, |needs| needs.size() + needs.spares_size());
            let needed: u64 = widths.iter().map(|&width| subnet_size(width)).sum::<u64>() + routed;
            let (switches, widest) = (widths.len(), widths.iter().max().unwrap_or(&0));
            let noun = noun(switches as u64, spec.switch_noun());
            format!("{switches} {noun} with {widest} ports need {needed} addresses in subnets of their own")
        };
        let only_cables = spec.has_only_cables();
        planned(settings, what, |settings, room| {
            let readable = match only_cables {
                true => Err(None),
                false => readable(design, settings.get(&NETWORK), room, needs).map_err(Some),
            };
            let (subnets, routed) = match readable {
                Ok(plan) => plan,
                Err(why) => compact(&widths, room, why, needs)?,
            };
            Some(AddressPlan { network: settings.get(&NETWORK), subnets, routed, around: met(settings) })
        })
    }

    /// The gateway of a switch's subnet: its last address before the broadcast address.
    pub fn gateway(&self, switch: u32) -> Ipv4Addr {
        last_host(self.subnet(switch))
    }

    /// Addresses of a link: of the switch, and of the uplink switch of that number among those that the switch has links to. `None`
    /// without uplink switches.
    pub fn link(&self, switch: u32, to: u32) -> Option<[Ipv4Addr; 2]> {
        let routed = self.routed?;
        let first = routed.links + (switch * routed.each + to) * 2;
        Some([first + 1, first].map(Ipv4Addr::from_bits))
    }

    /// The address that identifies a switch. Separate uplink switches come after the last switch. `None` without uplink switches.
    pub fn router(&self, switch: u32) -> Option<Ipv4Addr> {
        Some(Ipv4Addr::from_bits(self.routed?.routers + switch))
    }

    /// The networks of links and routers, summed up. None without uplink switches.
    pub fn router_networks(&self) -> Vec<Ipv4Net> {
        let Some(routed) = self.routed else { return Vec::new() };
        let all = (routed.links..routed.routers + routed.count).map(|address| subnet(address, 32)).collect();
        Ipv4Net::aggregate(&all)
    }

    /// The subnet of spares on a separate uplink switch, if there are any.
    pub fn spares(&self) -> Option<Ipv4Net> {
        let (first, prefix) = self.routed?.spares?;
        Some(subnet(first, prefix))
    }

    /// The address of a PE's NI on a switch, where it is on that port.
    pub fn address(&self, switch: u32, pe: u32, port: u32) -> Ipv4Addr {
        Ipv4Addr::from_bits(match &self.subnets {
            Subnets::Readable { bits } => first(self.network) + (switch << bits) + (pe + 1),
            Subnets::Compact { subnets, .. } => subnets[switch as usize].0 + port,
        })
    }

    /// The prefix length of a switch's subnet.
    pub fn prefix(&self, switch: u32) -> u8 {
        match &self.subnets {
            Subnets::Readable { bits } => 32 - bits,
            Subnets::Compact { subnets, .. } => subnets[switch as usize].1,
        }
    }

    /// A switch's subnet.
    pub fn subnet(&self, switch: u32) -> Ipv4Net {
        let address = self.address(switch, 0, 0);
        Ipv4Net::new_assert(address, self.prefix(switch)).trunc()
    }

    /// The plan in words, for comments: what an address is made of, and why it is not the readable plan where it is not.
    pub fn describe(&self) -> String {
        let mut text = match &self.subnets {
            &Subnets::Readable { bits } => {
                format!(
                    "{} for switch S; the host part is the node number plus 1",
                    pattern(self.network, bits)
                )
            }
            Subnets::Compact { why: None, .. } => {
                format!("a /30 per cable in {}, the lower node first", self.network)
            }
            Subnets::Compact { why: Some(why), .. } => {
                format!(
                    "one subnet per switch in {}, since {why}; the host part is the port on the switch",
                    self.network
                )
            }
        };
        if self.routed.is_some() {
            text.push_str("; the gateway is the last address before the broadcast address");
        }
        if !self.around.is_empty() {
            text.push_str(&format!("; outside {}", self.around.join(" ")));
        }
        text
    }
}

/// The last address of a network before its broadcast address.
pub(super) fn last_host(network: Ipv4Net) -> Ipv4Addr {
    Ipv4Addr::from_bits(network.broadcast().to_bits() - 1)
}

/// Subnets that a reader takes apart, of 2^16 or of 2^8 addresses; or why there are none.
fn readable(
    design: &Design,
    network: Ipv4Net,
    room: &Room,
    needs: Option<RoutedNeeds>,
) -> Result<(Subnets, Option<RoutedPlan>), String> {
    let switches = u64::from(design.switch_count());
    let hosts = u64::from(design.pes()) + needs.map_or(0, |needs| needs.folded_spares.into());
    let fits = |&bits: &u8| {
        let subnets = size(network) >> bits;
        switches <= subnets.min(MAX_READABLE) && hosts + 2 < 1 << bits
    };
    let Some(bits) = [16, 8].into_iter().find(fits) else {
        let wide = size(network) >= 1 << 24 || design.pes() > 253 && size(network) >= 1 << 16;
        let bits = if wide { 16 } else { 8 };
        let subnets = (size(network) >> bits).min(MAX_READABLE);
        let pes = (1u64 << bits) - 3;
        return Err(format!("{} holds up to {subnets} switches and {pes} nodes", pattern(network, bits)));
    };
    let part = |switch: u32| subnet(first(network) + (switch << bits), 32 - bits);
    if let Some(part) = (0..design.switch_count()).map(part).find(|&part| !room.has(part)) {
        return Err(format!("{} would overlap networks to avoid with {part}", pattern(network, bits)));
    }
    let subnets = Subnets::Readable { bits };
    let Some(needs) = needs else { return Ok((subnets, None)) };
    match needs.place(u64::from(first(network)) + (switches << bits), room) {
        Some(routed) => Ok((subnets, Some(routed))),
        None => Err(format!("{} leaves no room for links to uplink switches", pattern(network, bits))),
    }
}

/// Readable subnets as people write them, such as `10.S.0.0/16` and `172.(16+S).0.0/16`.
fn pattern(network: Ipv4Net, bits: u8) -> String {
    let [a, b, c, _] = network.network().octets();
    let with = |offset: u8| if offset == 0 { "S".into() } else { format!("({offset}+S)") };
    if bits == 16 { format!("{a}.{}.0.0/16", with(b)) } else { format!("{a}.{b}.{}.0/24", with(c)) }
}

/// Subnets one after the other; none where they do not fit.
fn compact(
    widths: &[u32],
    room: &Room,
    why: Option<String>,
    needs: Option<RoutedNeeds>,
) -> Option<(Subnets, Option<RoutedPlan>)> {
    let mut next = 0;
    let mut subnets = Vec::with_capacity(widths.len());
    for &width in widths {
        let size = subnet_size(width);
        let first = room.place(next, size)?;
        subnets.push((first as u32, 32 - size.ilog2() as u8));
        next = first + size;
    }
    let routed = match needs {
        Some(needs) => Some(needs.place(next, room)?),
        None => None,
    };
    Some((Subnets::Compact { subnets, why }, routed))
}

/// Ports of each switch, as bought or as used, whichever is more.
fn widths(spec: &Spec, design: &Design) -> Vec<u32> {
    let used = design.switches().map(|members| members.len() as u32);
    used.zip(spec.all_ports().chain(std::iter::repeat(0))).map(|(used, ports)| used.max(ports)).collect()
}

/// Two more than ports, for the network's own and the broadcast address.
fn subnet_size(width: u32) -> u64 {
    (u64::from(width) + 2).next_power_of_two()
}

/// The one address of each PE, whichever NI it is reached over (Mattox 2006, section 5.1.2): the addresses of the network from
/// its second on, those of the site left out. With uplink switches, the address of the PE's first NI in the subnet of its switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeAddresses {
    network: Ipv4Net,
    room: Room,
    pes: u32,
    around: Vec<String>,
    on_switches: Option<SwitchAddresses>,
}

/// Addresses in the subnets of switches.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SwitchAddresses {
    /// By PE.
    addresses: Vec<Ipv4Addr>,
    subnets: Vec<Ipv4Net>,
    about: String,
}

impl PeAddresses {
    /// Plans an address for each of `pes` PEs in the network of the settings, clear of the site's networks.
    ///
    /// # Errors
    /// The network has no room for them.
    pub fn new(pes: u32, settings: &Settings) -> Result<PeAddresses, ExportError> {
        let what = || format!("{pes} nodes need {} addresses", u64::from(pes) + 2);
        planned(settings, what, |settings, room| {
            let (network, around, room) = (settings.get(&NETWORK), met(settings), room.clone());
            // The first and the last address of a network are for no host.
            let fits = room.size() >= u64::from(pes) + 2;
            fits.then_some(PeAddresses { network, room, pes, around, on_switches: None })
        })
    }

    /// The addresses of first NIs. `Err` has a PE without a cable.
    pub fn on_switches(
        plan: &AddressPlan,
        (design, nis): (&Design, &NiTable),
        settings: &Settings,
    ) -> Result<PeAddresses, u32> {
        let address = |pe: u32| {
            let &home = nis.of(pe).first().ok_or(pe)?;
            let port = design.members(home).partition_point(|&other| other < pe) as u32 + 1;
            Ok(plan.address(home, pe, port))
        };
        let addresses = (0..design.pes()).map(address).collect::<Result<Vec<_>, u32>>()?;
        let mut homes: Vec<u32> = (0..design.pes()).map(|pe| nis.of(pe)[0]).collect();
        homes.sort_unstable();
        homes.dedup();
        let subnets = Ipv4Net::aggregate(&homes.iter().map(|&home| plan.subnet(home)).collect());
        let about = format!("one per node, on the switch of its NIC 0: {}", plan.describe());
        Ok(PeAddresses {
            network: settings.get(&NETWORK),
            room: Room::new(settings.get(&NETWORK), settings.list(&AVOID)),
            pes: design.pes(),
            around: met(settings),
            on_switches: Some(SwitchAddresses { addresses, subnets, about }),
        })
    }

    /// The address of a PE of the machine.
    pub fn of(&self, pe: u32) -> Ipv4Addr {
        if let Some(on_switches) = &self.on_switches {
            return on_switches.addresses[pe as usize];
        }
        // The room was found large enough when this was made.
        Ipv4Addr::from_bits(self.room.nth(u64::from(pe) + 1).unwrap_or(first(self.network)))
    }

    /// Few networks that hold the addresses of all PEs and none of the site's, ascending.
    pub fn networks(&self) -> Vec<Ipv4Net> {
        if let Some(on_switches) = &self.on_switches {
            return on_switches.subnets.clone();
        }
        let mut found = Vec::new();
        if let Some(last) = self.pes.checked_sub(1) {
            self.cover(self.network, (self.of(0).to_bits(), self.of(last).to_bits()), &mut found);
        }
        found
    }

    /// Halves a network until the halves are clear of the site, and leaves out those without a PE.
    fn cover(&self, part: Ipv4Net, (first, last): (u32, u32), found: &mut Vec<Ipv4Net>) {
        let (begin, end) = (part.network().to_bits(), part.broadcast().to_bits());
        if first > end || last < begin {
            return;
        }
        let middle = begin + (end - begin).div_ceil(2);
        let one_half = last < middle || first >= middle;
        if part.prefix_len() == 32 || !one_half && self.room.has(part) {
            return found.extend(self.room.has(part).then_some(part));
        }
        for half in part.subnets(part.prefix_len() + 1).into_iter().flatten() {
            self.cover(half, (first, last), found);
        }
    }

    /// The plan in words, for comments.
    pub fn describe(&self) -> String {
        if let Some(on_switches) = &self.on_switches {
            return on_switches.about.clone();
        }
        let first = self.of(0);
        if self.around.is_empty() {
            return format!("one per node, {first} plus the node number");
        }
        let around = self.around.join(" ");
        format!("one per node in {}, from {first} on, outside {around}", self.network)
    }
}

/// The first address of a block of 2^`bits` in the network of the settings, clear of the site's networks; `what` needs it.
pub(super) fn block(settings: &Settings, what: String, bits: u32) -> Result<u32, ExportError> {
    let place = |_: &Settings, room: &Room| (bits <= 32).then(|| room.place(0, 1 << bits)).flatten();
    planned(settings, || what, place).map(|first| first as u32)
}

/// The plan of addresses in the free room of a network. The error names private networks that would do, by a test of each.
fn planned<T>(
    settings: &Settings,
    what: impl FnOnce() -> String,
    plan: impl Fn(&Settings, &Room) -> Option<T>,
) -> Result<T, ExportError> {
    let room = Room::new(settings.get(&NETWORK), settings.list(&AVOID));
    plan(settings, &room).ok_or_else(|| {
        let does = |&&network: &&Ipv4Net| {
            let other = settings.clone().with(&NETWORK, network);
            network != settings.get(&NETWORK)
                && plan(&other, &Room::new(network, other.list(&AVOID))).is_some()
        };
        let free: Vec<String> = PRIVATE.iter().filter(does).map(Ipv4Net::to_string).collect();
        let instead = match free.is_empty() {
            true => "no private network has room".into(),
            false => format!("use network={}", free.join(" or network=")),
        };
        let outside = match met(settings) {
            none if none.is_empty() => String::new(),
            site => format!(" outside {}", site.join(" ")),
        };
        let (network, has) = (settings.get(&NETWORK), room.size());
        let why = match has {
            0 => format!("{}, and no address is free{outside}; {instead}", what()),
            _ => format!("{}, and {} are free{outside}; {instead}", what(), grouped(has)),
        };
        ExportError::setting("network", network, why)
    })
}

/// The addresses of a network that no network of the site has.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Room {
    network: Ipv4Net,
    /// Avoided pieces, first and end, ascending and apart.
    taken: Vec<(u64, u64)>,
}

impl Room {
    pub fn new(network: Ipv4Net, avoid: &[Ipv4Net]) -> Room {
        let span = |net: &Ipv4Net| (u64::from(first(*net)), u64::from(first(*net)) + size(*net));
        let mut pieces: Vec<_> = avoid.iter().filter(|net| overlap(net, &network)).map(span).collect();
        pieces.sort_unstable();
        let (own, end) = span(&network);
        let mut taken: Vec<(u64, u64)> = Vec::new();
        for (first, last) in pieces {
            let (first, last) = (first.max(own), last.min(end));
            match taken.last_mut() {
                Some(before) if first <= before.1 => before.1 = before.1.max(last),
                _ => taken.push((first, last)),
            }
        }
        Room { network, taken }
    }

    /// Number of addresses.
    pub fn size(&self) -> u64 {
        size(self.network) - self.taken.iter().map(|(first, end)| end - first).sum::<u64>()
    }

    /// `true` if all addresses of a part of the network are free.
    pub fn has(&self, part: Ipv4Net) -> bool {
        self.place(first(part).into(), size(part)) == Some(first(part).into())
    }

    /// The first multiple of `count`, a power of two, from `from` on where `count` addresses are free.
    pub fn place(&self, from: u64, count: u64) -> Option<u64> {
        let own = u64::from(first(self.network));
        let mut first = from.max(own).next_multiple_of(count);
        let met = self.taken.partition_point(|piece| piece.1 <= first);
        for &(start, end) in &self.taken[met..] {
            if first < end && start < first + count {
                first = end.next_multiple_of(count);
            }
        }
        (first + count <= own + size(self.network)).then_some(first)
    }

    /// The free address of that number, from 0 in ascending order.
    pub fn nth(&self, number: u64) -> Option<u32> {
        let mut address = u64::from(first(self.network)) + number;
        for &(first, end) in &self.taken {
            if first <= address {
                address += end - first;
            }
        }
        let end = u64::from(first(self.network)) + size(self.network);
        (address < end).then_some(address as u32)
    }
}

/// The networks of the site that a network meets, as people read them.
fn met(settings: &Settings) -> Vec<String> {
    let network = settings.get(&NETWORK);
    settings.list(&AVOID).iter().filter(|net| overlap(net, &network)).map(Ipv4Net::to_string).collect()
}

/// `true` if nodes may have addresses in a network.
pub(super) fn may_have_nodes(settings: &Settings, other: &Ipv4Net) -> bool {
    overlap(other, &settings.get(&NETWORK))
        && !settings.list(&AVOID).iter().any(|avoided| avoided.contains(other))
}

/// Networks that are nobody's (RFC 1918), largest first.
const PRIVATE: [Ipv4Net; 3] =
    [subnet(10 << 24, 8), subnet(172 << 24 | 16 << 16, 12), subnet(192 << 24 | 168 << 16, 16)];

/// A network by its first address and prefix length, which fit each other.
pub(super) const fn subnet(first: u32, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::from_bits(first), prefix)
}

/// The first address of a network.
fn first(network: Ipv4Net) -> u32 {
    network.network().to_bits()
}

/// Number of addresses of a network.
fn size(network: Ipv4Net) -> u64 {
    1 << (32 - network.prefix_len())
}

/// `true` if two networks have an address in common.
fn overlap(a: &Ipv4Net, b: &Ipv4Net) -> bool {
    a.contains(b) || b.contains(a)
}

/// Base of computed MAC addresses, whatever the network.
const FIRST: u32 = 10 << 24;

/// The computed MAC address of NI `ni` (0 to 63) of a PE (below 2^20).
pub fn mac(pe: u32, ni: u32) -> Mac {
    let node = (FIRST + pe).to_be_bytes();
    let spread = node[2].wrapping_add(node[3]) ^ ((ni & 7) << 5) as u8;
    Mac([2, node[0] | (ni >> 3 << 4) as u8, node[1], node[2], node[3], spread])
}

/// A MAC address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mac(pub [u8; 6]);

impl Mac {
    /// Reads `00:1b:21:3c:4d:5e`, in small letters or capitals.
    pub fn parse(text: &str) -> Option<Mac> {
        let mut bytes = [0; 6];
        let mut parts = text.split(':');
        for byte in &mut bytes {
            let part = parts.next().filter(|p| p.len() == 2 && p.bytes().all(|b| b.is_ascii_hexdigit()))?;
            *byte = u8::from_str_radix(part, 16).ok()?;
        }
        parts.next().is_none().then_some(Mac(bytes))
    }

    /// `true` if an NI can have it: neither a group address nor zero.
    pub fn is_of_a_host(self) -> bool {
        self.0[0] & 1 == 0 && self.0 != [0; 6]
    }
}

impl std::fmt::Display for Mac {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}
