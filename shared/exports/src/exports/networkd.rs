//! Files of systemd-networkd and of netplan for each node: the same addresses, neighbours and routes as `multipath`, from boot on.
//!
//! networkd finds an NI by its permanent MAC address (setting `macs`), else by its hardware path (`paths`), else by its name
//! (`interface`). For the first two a `.link` file names the NI and sets its computed MAC address, so the order in which
//! interfaces come up does not matter; names must then differ from the kernel's `eth`.
//!
//! A neighbour with one shared switch is a route on that NI. One with several has a route of the loopback interface over all of
//! them, and a route with a metric on each NI: networkd then accepts the neighbour as a gateway.
//!
//! Netplan has no syntax for permanent neighbours and for routes over several NICs. Those are in drop-in files of networkd, as
//! netplan's manual suggests. Netplan finds NICs by permanent MAC address, else by name.

use super::{
    AVOID, DesignPlan, ExportError, FAILED, FOLDER, FileScope, FileSink, Format, Group, INTERFACE, NETWORK,
    Render, WriteResult,
    address::{PeAddresses, mac},
    parts::{HARDWARE_PATHS, MACS},
    ways::{THROUGH, UplinkRoutes, Ways},
};
use crate::design::Path;
use ipnet::Ipv4Net;
use std::{
    fmt::{self, Write},
    net::Ipv4Addr,
};

pub(super) const NETWORKD: Format = Format::new(Group::Nodes, "networkd", "systemd-networkd", FOLDER, Render::Files(networkd))
    .read_by(&["systemd 252"])
    .purpose("systemd-networkd files per node: the configuration of multipath from boot on; finds NICs by MAC address or hardware path")
    .per(FileScope::Node)
    .with(&[&NETWORK, &AVOID, &INTERFACE, &FAILED, &THROUGH, &MACS, &HARDWARE_PATHS]);

fn networkd(plan: &DesignPlan, pe: u32, each: &mut FileSink) -> WriteResult {
    may_name(plan)?;
    let ways = plan.ways(pe)?;
    let sections = Sections::new(plan, pe, &ways)?;
    for &(ni, switch) in &ways.nis {
        let found = NiMatch::by(plan, pe, ni)?;
        let name = format!("etc/systemd/network/10-crosspoint-{}", sections.interface(ni));
        let about = sections.about(ni, switch);
        if let Some(text) = link(&sections, pe, ni, &found) {
            each(&format!("{name}.link"), &format!("{about}{text}"))?;
        }
        let text = network(&sections, pe, (ni, switch), &found)?;
        each(&format!("{name}.network"), &format!("{about}{text}"))?;
    }
    each("etc/systemd/network/10-crosspoint-lo.network", &loopback(&sections)?)?;
    each("etc/sysctl.d/90-crosspoint.conf", &sysctl(plan, pe, &ways)?)
}

/// Identification of an NI before it has its computed MAC address.
pub(super) enum NiMatch {
    PermanentMac(String),
    Path(String),
    Name,
}

/// Checks that NIs may be given names: the kernel's own names are taken by whichever interface comes up first.
pub(super) fn may_name(plan: &DesignPlan) -> WriteResult {
    let settings = &plan.settings;
    let is_kernels = |name: &String| {
        name.strip_prefix("eth").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut names = (0..plan.most_nis() as u32).map(|ni| plan.interface(ni));
    let Some(name) = names
        .find(is_kernels)
        .filter(|_| !settings.list(&MACS).is_empty() || !settings.list(&HARDWARE_PATHS).is_empty())
    else {
        return Ok(());
    };
    let why = format!(
        "with `macs` or `paths`, NICs get new names, and the kernel may already use {name}; choose others, such as interface=ni"
    );
    Err(ExportError::setting("interface", plan.names.interfaces(), why))
}

impl NiMatch {
    pub(super) fn by(plan: &DesignPlan, pe: u32, ni: u32) -> Result<NiMatch, ExportError> {
        if let Some(mac) = plan.permanent_mac(pe, ni)? {
            return Ok(NiMatch::PermanentMac(mac.to_string()));
        }
        let paths = plan.settings.list(&HARDWARE_PATHS);
        match paths.get(ni as usize) {
            Some(path) => Ok(NiMatch::Path(path.clone())),
            None if paths.is_empty() => Ok(NiMatch::Name),
            None => {
                let why =
                    format!("{} has none for NIC {ni}; name one per NIC, from NIC 0 on", plan.pe_name(pe));
                Err(ExportError::setting("paths", paths.join(" "), why))
            }
        }
    }

    /// The line of a `[Match]` section; `None` if only the name is known.
    pub(super) fn by_hardware(&self) -> Option<String> {
        match self {
            NiMatch::PermanentMac(mac) => Some(format!("PermanentMACAddress={mac}")),
            NiMatch::Path(path) => Some(format!("Path={path}")),
            NiMatch::Name => None,
        }
    }
}

/// The `.link` file, if the NIC has a MAC address or a hardware path in the settings.
fn link(sections: &Sections, pe: u32, ni: u32, found: &NiMatch) -> Option<String> {
    let by = found.by_hardware()?;
    let (name, mac) = (sections.interface(ni), mac(pe, ni));
    Some(format!("[Match]\n{by}\n\n[Link]\nName={name}\nMACAddress={mac}\n"))
}

pub(super) const BY_NAME: &str = "# Matched by kernel name, which can change between boots. Export with `macs` or `paths` to avoid that.\n";

fn network(
    sections: &Sections,
    pe: u32,
    (ni, switch): (u32, u32),
    found: &NiMatch,
) -> Result<String, ExportError> {
    let (name, mac) = (sections.interface(ni), mac(pe, ni));
    let mut text = match found {
        NiMatch::Name => {
            format!("{BY_NAME}[Match]\nName={name}\n\n[Link]\nMACAddress={mac}\nRequiredForOnline=no\n")
        }
        _ => format!("[Match]\nMACAddress={mac}\n\n[Link]\nRequiredForOnline=no\n"),
    };
    text.push_str("\n[Network]\nLinkLocalAddressing=no\nIPv6AcceptRA=no\nConfigureWithoutCarrier=yes\n");
    // An NI without any address would drop what comes in from PEs that it has no route back to.
    write!(text, "\n[Address]\nAddress={}\n", sections.address(switch)?)?;
    sections.neighbours(ni, &mut text)?;
    sections.own_routes(ni, &mut text)?;
    Ok(text)
}

fn loopback(sections: &Sections) -> Result<String, ExportError> {
    let mut text = sections.title();
    write!(text, "[Match]\nName=lo\n\n[Address]\nAddress={}/32\n", sections.own)?;
    sections.shared_routes(&mut text)?;
    Ok(text)
}

/// The kernel settings of `multipath`, as systemd-sysctl reads them.
pub(super) fn sysctl(plan: &DesignPlan, pe: u32, ways: &Ways) -> Result<String, ExportError> {
    let mut text = format!("# Network of {} in {}.\n", plan.pe_name(pe), plan.title());
    text.push_str(
        "# Flows between two nodes spread over all paths.\nnet.ipv4.fib_multipath_hash_policy = 1\n",
    );
    text.push_str(
        "# Loose RPF: replies may arrive on a different NIC. NICs without carrier are removed from routes.\n",
    );
    for (ni, _) in &ways.nis {
        let conf = format!("net.ipv4.conf.{}", plan.interface(*ni).replace('.', "/"));
        writeln!(text, "{conf}.rp_filter = 2\n{conf}.ignore_routes_with_linkdown = 1")?;
        if ways.forwards {
            writeln!(text, "{conf}.forwarding = 1")?;
        }
        if !ways.uplinked.is_empty() {
            writeln!(text, "{conf}.arp_announce = 2")?;
        }
    }
    Ok(text)
}

/// Writes sections for one PE.
struct Sections<'a> {
    plan: &'a DesignPlan,
    pe: u32,
    ways: &'a Ways,
    addresses: &'a PeAddresses,
    /// The PE's own address.
    own: Ipv4Addr,
}

impl<'a> Sections<'a> {
    fn new(plan: &'a DesignPlan, pe: u32, ways: &'a Ways) -> Result<Sections<'a>, ExportError> {
        let addresses = plan.pe_addresses()?;
        Ok(Sections { plan, pe, ways, addresses, own: addresses.of(pe) })
    }

    /// Name of an NI.
    fn interface(&self, ni: u32) -> String {
        self.plan.interface(ni)
    }

    /// The address of the NI on a switch, with its prefix length: with uplink switches, its address in the subnet of its gateway.
    fn address(&self, switch: u32) -> Result<Ipv4Net, ExportError> {
        match self.plan.spec.uplink {
            Some(_) => self.plan.subnet_address(self.pe, switch),
            None => Ok(self.own.into()),
        }
    }

    /// Head of a file.
    fn title(&self) -> String {
        let (host, title) = (self.plan.pe_name(self.pe), self.plan.title());
        format!("# Network of {host} in {title}. Addresses: {}.\n", self.addresses.describe())
    }

    /// Head of an NI's file.
    fn about(&self, ni: u32, switch: u32) -> String {
        let (host, title) = (self.plan.pe_name(self.pe), self.plan.title());
        format!("# NIC {ni} of {host} in {title}: to {}.\n", self.plan.far_label(self.pe, switch))
    }

    /// The neighbours of an NI.
    fn neighbours(&self, ni: u32, out: &mut String) -> fmt::Result {
        for neighbour in &self.ways.neighbours {
            for path in neighbour.paths.iter().filter(|path| path.ni == ni) {
                let (address, mac) = (self.addresses.of(neighbour.pe), mac(neighbour.pe, path.other_ni));
                write!(out, "\n[Neighbor]\nAddress={address}\nLinkLayerAddress={mac}\n")?;
            }
        }
        Ok(())
    }

    /// The routes to neighbours of an NI, each with its metric: 0 for the only one to a neighbour, else from 1.
    fn link_routes(&self, ni: u32) -> impl Iterator<Item = (Ipv4Addr, usize)> {
        let routes = self.ways.neighbours.iter().filter_map(move |neighbour| {
            let at = neighbour.paths.iter().position(|path| path.ni == ni)?;
            Some((neighbour.pe, if neighbour.paths.len() == 1 { 0 } else { at + 1 }))
        });
        routes.map(|(pe, metric)| (self.addresses.of(pe), metric))
    }

    /// Routes through the only path to the next PE, where that is this NI's: destination and next PE.
    fn gateway_routes(&self, ni: u32) -> impl Iterator<Item = (Ipv4Addr, Ipv4Addr)> {
        let only = move |next| matches!(self.ways.paths(next), [path] if path.ni == ni);
        let routes = self.ways.through.iter().filter(move |&&(_, next)| only(next));
        routes.map(|&(dest, next)| (self.addresses.of(dest), self.addresses.of(next)))
    }

    /// Routes to networks behind uplink switches, where this NI is the only way to them.
    fn uplinked(&self, ni: u32) -> impl Iterator<Item = (Ipv4Net, Ipv4Addr)> {
        let only =
            move |uplinked: &&UplinkRoutes| matches!(uplinked.gateways[..], [gateway] if gateway.ni == ni);
        let networks = |uplinked: &'a UplinkRoutes| {
            uplinked.networks.iter().map(|&network| (network, uplinked.gateways[0].address))
        };
        self.ways.uplinked.iter().filter(only).flat_map(networks)
    }

    /// The routes that lead over one NI alone.
    fn own_routes(&self, ni: u32, out: &mut String) -> fmt::Result {
        for (to, metric) in self.link_routes(ni) {
            write!(out, "\n[Route]\nDestination={to}/32\nScope=link\nPreferredSource={}\n", self.own)?;
            if metric > 0 {
                writeln!(out, "Metric={metric}")?;
            }
        }
        for (to, next) in self.gateway_routes(ni) {
            let own = self.own;
            write!(
                out,
                "\n[Route]\nDestination={to}/32\nGateway={next}\nGatewayOnLink=yes\nPreferredSource={own}\n"
            )?;
        }
        for (to, gateway) in self.uplinked(ni) {
            write!(out, "\n[Route]\nDestination={to}\nGateway={gateway}\nPreferredSource={}\n", self.own)?;
        }
        Ok(())
    }

    /// The routes that lead over several NIs.
    fn shared_routes(&self, out: &mut String) -> fmt::Result {
        let neighbours = self.ways.neighbours.iter().map(|n| (n.pe, n.pe, &n.paths[..]));
        let through = self.ways.through.iter().map(|&(dest, next)| (dest, next, self.ways.paths(next)));
        neighbours
            .chain(through)
            .filter(|route| route.2.len() > 1)
            .try_for_each(|route| self.shared_route(route, out))?;
        for UplinkRoutes { networks, gateways } in
            self.ways.uplinked.iter().filter(|up| up.gateways.len() > 1)
        {
            for network in networks {
                write!(out, "\n[Route]\nDestination={network}\nPreferredSource={}\n", self.own)?;
                for gateway in gateways {
                    writeln!(out, "MultiPathRoute={}@{}", gateway.address, self.interface(gateway.ni))?;
                }
            }
        }
        Ok(())
    }

    fn shared_route(&self, (dest, next, paths): (u32, u32, &[Path]), out: &mut String) -> fmt::Result {
        let (to, next) = (self.addresses.of(dest), self.addresses.of(next));
        write!(out, "\n[Route]\nDestination={to}/32\nPreferredSource={}\n", self.own)?;
        paths.iter().try_for_each(|path| writeln!(out, "MultiPathRoute={next}@{}", self.interface(path.ni)))
    }
}

pub(super) const NETPLAN: Format = Format::new(
    Group::Nodes,
    "netplan",
    "Netplan",
    FOLDER,
    Render::Files(netplan),
)
.read_by(&["netplan 0.106", "systemd 252"])
.recommended()
.purpose(
    "netplan files per node, with systemd-networkd drop-ins: the configuration of multipath from boot on",
)
.per(FileScope::Node)
.with(&[&NETWORK, &AVOID, &INTERFACE, &FAILED, &THROUGH, &MACS]);

pub(super) fn netplan(plan: &DesignPlan, pe: u32, each: &mut FileSink) -> WriteResult {
    may_name(plan)?;
    let ways = plan.ways(pe)?;
    let sections = Sections::new(plan, pe, &ways)?;
    each("etc/netplan/60-crosspoint.yaml", &yaml(plan, pe, &ways, &sections)?)?;
    let drop_in = |name: &str| format!("etc/systemd/network/10-netplan-{name}.network.d/crosspoint.conf");
    for &(ni, switch) in &ways.nis {
        let mut text = sections.about(ni, switch);
        text.push_str("[Network]\nConfigureWithoutCarrier=yes\n");
        sections.neighbours(ni, &mut text)?;
        each(&drop_in(&sections.interface(ni)), &text)?;
    }
    let mut text = sections.title();
    sections.shared_routes(&mut text)?;
    each(&drop_in("lo"), &text)?;
    each("etc/sysctl.d/90-crosspoint.conf", &sysctl(plan, pe, &ways)?)
}

fn yaml(plan: &DesignPlan, pe: u32, ways: &Ways, sections: &Sections) -> Result<String, ExportError> {
    let mut text = sections.title();
    let own = sections.own;
    text.push_str("network:\n  version: 2\n  renderer: networkd\n  ethernets:\n");
    writeln!(text, "    lo:\n      link-local: []\n      addresses: [{own}/32]")?;
    for &(ni, switch) in &ways.nis {
        let name = sections.interface(ni);
        writeln!(text, "    {name}:")?;
        if let Some(mac) = plan.permanent_mac(pe, ni)? {
            write!(text, "      match: {{macaddress: \"{mac}\"}}\n      set-name: {name}\n")?;
        }
        writeln!(text, "      macaddress: \"{}\"", mac(pe, ni))?;
        text.push_str("      dhcp4: false\n      dhcp6: false\n      accept-ra: false\n      link-local: []\n      optional: true\n");
        // An NI without any address would drop what comes in from PEs that it has no route back to.
        writeln!(text, "      addresses: [{}]", sections.address(switch)?)?;
        yaml_routes(sections, ni, &mut text)?;
    }
    Ok(text)
}

fn yaml_routes(sections: &Sections, ni: u32, text: &mut String) -> WriteResult {
    let mut head = "      routes:\n";
    for (to, metric) in sections.link_routes(ni) {
        let metric = if metric > 0 { format!(", metric: {metric}") } else { String::new() };
        writeln!(text, "{head}        - {{to: {to}/32, scope: link, from: {}{metric}}}", sections.own)?;
        head = "";
    }
    for (to, next) in sections.gateway_routes(ni) {
        writeln!(
            text,
            "{head}        - {{to: {to}/32, via: {next}, on-link: true, from: {}}}",
            sections.own
        )?;
        head = "";
    }
    for (to, gateway) in sections.uplinked(ni) {
        writeln!(text, "{head}        - {{to: {to}, via: {gateway}, from: {}}}", sections.own)?;
        head = "";
    }
    Ok(())
}
