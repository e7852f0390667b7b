//! Switches as routers, where uplink switches join them (RFC 7938).
//!
//! Each switch is the router of its own subnet, so a broadcast never leaves a switch. Cables from a switch to one uplink switch are a
//! bond (LACP), which is one link with an address at each end. Links to several uplink switches are routes of equal cost (ECMP).
//!
//! BGP has one AS number for all uplink switches of a set, and one for each other switch. A router drops routes with its own AS number
//! in their path. So no route goes up again after it came down: every path has one uplink switch, and no loop can form.

use super::{
    AVOID, DesignPlan, ExportError, FOLDER, FileScope, FileSink, Format, Group, NETWORK, Need, Render,
    WriteResult,
    design::once,
    frr::daemons,
    uplinks::{UplinkCable, UplinkEnd},
};
use ipnet::Ipv4Net;
use std::{
    fmt::{self, Write as _},
    net::Ipv4Addr,
};

/// First private AS number of 32 bits (RFC 6996): of the uplink switches of set 0. Other sets follow.
const FIRST_AS: u32 = 4_200_000_000;
/// AS number of switch 0; other switches follow.
const FIRST_SWITCH_AS: u32 = FIRST_AS + 1000;

/// Keepalive and hold time of BGP in seconds: a switch that hangs is left out of routes after 9 s, and a cable without light at once.
pub(super) const TIMERS: [u32; 2] = [3, 9];
/// Max routes of equal cost.
pub(super) const MAX_PATHS: u32 = 64;

/// Routing of a switch.
pub(super) struct Router {
    /// AS number.
    pub asn: u32,
    /// The address that identifies it.
    pub id: Ipv4Addr,
    /// Address in the subnet of the router's nodes or spares, with the prefix length. `None` without a subnet.
    pub gateway: Option<Ipv4Net>,
    /// Links, in the order of the router's ports.
    pub links: Vec<RouterLink>,
    /// Networks of all switches that it reaches, its own included.
    pub networks: Vec<Ipv4Net>,
}

/// A link to another switch: one cable, or several as a bond.
pub(super) struct RouterLink {
    /// Number of the switch at the other end, which identifies the link.
    far: u32,
    /// Name of that switch.
    pub peer: String,
    /// AS number of that switch.
    pub peer_asn: u32,
    /// Addresses of this end and of the other one, in a /31.
    pub addresses: [Ipv4Addr; 2],
    /// Own ports.
    pub ports: Vec<u32>,
    /// Number of the bond, from 1, if it has several ports.
    pub bond: Option<u32>,
}

impl RouterLink {
    /// The own address.
    pub fn own(&self) -> Ipv4Addr {
        self.addresses[0]
    }

    /// The address of the other end.
    pub fn other(&self) -> Ipv4Addr {
        self.addresses[1]
    }
}

impl Router {
    /// Writes both lines of each neighbour, as FRR and Arista EOS have them.
    pub fn write_neighbours(&self, indent: &str, out: &mut dyn fmt::Write) -> fmt::Result {
        for link in &self.links {
            let (other, peer) = (link.other(), &link.peer);
            writeln!(out, "{indent}neighbor {other} remote-as {}", link.peer_asn)?;
            writeln!(out, "{indent}neighbor {other} description {peer}")?;
        }
        Ok(())
    }

    /// The routing of a switch. Separate uplink switches come after the last switch. `None` without uplink switches, and for a switch
    /// that has no cable to one.
    pub fn of(plan: &DesignPlan, switch: u32) -> Result<Option<Router>, ExportError> {
        let (Some(uplink), Some(spine)) = (plan.uplink(), plan.spec.spine()) else { return Ok(None) };
        let addresses = plan.addresses()?;
        let asn = |number: u32, at: u32| match uplink.switches.get(at as usize) {
            Some(uplink) if uplink.number == number => FIRST_AS + at / spine.each,
            _ => FIRST_SWITCH_AS + number,
        };
        let mut links: Vec<RouterLink> = Vec::new();
        for &UplinkCable { from, to, port } in &uplink.cables {
            let UplinkEnd::Switch { switch: leaf, port: leaf_port } = from else { continue };
            let top = uplink.switches[to as usize].number;
            let Some([low, high]) = addresses.link(leaf, to % spine.each) else { continue };
            let (far, port, addresses) = match switch {
                own if own == leaf => (top, leaf_port, [low, high]),
                own if own == top => (leaf, port, [high, low]),
                _ => continue,
            };
            match links.iter_mut().find(|link| link.far == far) {
                Some(link) => link.ports.push(port),
                None => links.push(RouterLink {
                    far,
                    peer: plan.any_switch_name(far),
                    peer_asn: asn(far, to),
                    addresses,
                    ports: vec![port],
                    bond: None,
                }),
            }
        }
        let at = uplink.switches.iter().position(|uplink| uplink.number == switch);
        let is_uplink = at.is_some();
        if links.is_empty() && !is_uplink {
            return Ok(None);
        }
        (1..).zip(links.iter_mut().filter(|link| link.ports.len() > 1)).for_each(|(number, link)| {
            link.bond = Some(number);
        });
        let is_separate = is_uplink && uplink.folded.is_none();
        let subnet = match at {
            Some(at) if is_separate => addresses.spares().filter(|_| at == 0),
            _ => Some(addresses.subnet(switch)),
        };
        let gateway = |subnet| Ipv4Net::new_assert(super::address::last_host(subnet), subnet.prefix_len());
        let set = at.map_or_else(|| spine.set_of(switch), |at| at as u32 / spine.each);
        let networks = plan.set_networks()?[set as usize].clone();
        Ok(addresses.router(switch).map(|id| Router {
            asn: asn(switch, at.map_or(u32::MAX, |at| at as u32)),
            id,
            gateway: subnet.map(gateway),
            links,
            networks,
        }))
    }

    /// The link that a port belongs to, by its place.
    pub fn link_of(&self, port: u32) -> Option<usize> {
        self.links.iter().position(|link| link.ports.contains(&port))
    }
}

impl DesignPlan {
    /// Networks that the uplink switches of each set join: those of its switches, and of spares. None without uplink switches, and for
    /// a set of one switch.
    fn set_networks(&self) -> Result<&[Vec<Ipv4Net>], ExportError> {
        let compute = || {
            let Some(spine) = self.spec.spine() else { return Ok(Vec::new()) };
            let addresses = self.addresses()?;
            let mut sets: Vec<Vec<Ipv4Net>> = vec![Vec::new(); spine.sets as usize];
            for (switch, members) in (0..).zip(self.design.switches()) {
                if !members.is_empty() || spine.folded == Some(switch) {
                    sets[spine.set_of(switch) as usize].push(addresses.subnet(switch));
                }
            }
            sets[0].extend(addresses.spares());
            let joined =
                |set: &Vec<Ipv4Net>| if set.len() > 1 { Ipv4Net::aggregate(set) } else { Vec::new() };
            Ok(sets.iter().map(joined).collect())
        };
        once(&self.computed.set_networks, compute).map(Vec::as_slice)
    }

    /// Networks that a node reaches over a switch and its uplink switches, besides those it is on. None without uplink switches.
    pub(super) fn networks_beyond(&self, switch: u32) -> Result<&[Ipv4Net], ExportError> {
        let Some(spine) = self.spec.spine() else { return Ok(&[]) };
        Ok(&self.set_networks()?[spine.set_of(switch) as usize])
    }
}

pub(super) const FRR: Format = Format::new(
    Group::Switches,
    "frr-switch",
    "FRR on Linux switches",
    FOLDER,
    Render::Files(frr),
)
.read_by(&["FRR 10.3"])
.needs(Need::Uplink)
.purpose(
    "FRR files per Linux switch of a wiring with uplink switches: BGP between switches, beside linux-switch",
)
.per(FileScope::Switch)
.with(&[&NETWORK, &AVOID]);

/// Kernel settings of a router.
pub(super) const KERNEL: [(&str, u32); 4] = [
    ("net.ipv4.ip_forward", 1),
    ("net.ipv4.fib_multipath_hash_policy", 1),
    ("net.ipv4.conf.all.rp_filter", 0),
    ("net.ipv4.conf.default.rp_filter", 0),
];

fn frr(plan: &DesignPlan, switch: u32, each: &mut FileSink) -> WriteResult {
    each("etc/frr/daemons", &daemons("bgpd"))?;
    each("etc/frr/frr.conf", &bgp(plan, switch)?)?;
    let mut text = format!("# Switch {} of {}.\n", plan.any_switch_name(switch), plan.title());
    text.push_str(
        "# Flows spread over links of equal cost. The two directions of a connection can use different switches.\n",
    );
    KERNEL.iter().try_for_each(|(key, value)| writeln!(text, "{key} = {value}"))?;
    each("etc/sysctl.d/90-crosspoint.conf", &text)
}

fn bgp(plan: &DesignPlan, switch: u32) -> Result<String, ExportError> {
    let name = plan.any_switch_name(switch);
    let mut text =
        format!("! Switch {name} of {}. The script of linux-switch sets addresses.\n", plan.title());
    writeln!(text, "frr defaults datacenter\nhostname {name}\n!")?;
    let Some(router) = Router::of(plan, switch)? else {
        text.push_str("! It has no cable to an uplink switch.\n");
        return Ok(text);
    };
    let [keepalive, hold] = TIMERS;
    writeln!(text, "router bgp {}\n bgp router-id {}\n no bgp ebgp-requires-policy", router.asn, router.id)?;
    writeln!(text, " timers bgp {keepalive} {hold}")?;
    router.write_neighbours(" ", &mut text)?;
    text.push_str(" !\n address-family ipv4 unicast\n");
    if let Some(gateway) = router.gateway {
        writeln!(text, "  network {}", gateway.trunc())?;
    }
    writeln!(text, "  maximum-paths {MAX_PATHS}\n exit-address-family\nexit")?;
    Ok(text)
}
