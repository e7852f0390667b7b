//! The plan and tables of a mesh or torus with VLANs.
//!
//! Ports of a switch are numbered from 1 in the order of the links: its hosts, then its neighbours by dimension. Hosts have one NI
//! with tagged frames of all VLANs. Switches get static entries for each host in every VLAN: replies may travel in another VLAN
//! than requests, so switches would not learn where a host is.

use crate::{
    design::Names,
    exports::{
        AVOID, CSV, Choice, ExportError, Field, Format, Group, HOSTS, INTERFACE, NETWORK, PORT, Render,
        Setting, SettingOf, Settings, WriteResult,
        address::{Mac, PeAddresses, mac},
        hosts::list,
    },
    fabric::{
        Fabric, Grid, Routing,
        vlan::{MAX_VLANS, Method, Vlans},
    },
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::OnceLock,
};

pub(super) const METHOD: SettingOf<Method> = Setting::new(
    "method",
    "set of VLANs: dor routes in dimension order, partial-dor takes minimal paths with about half as \
     many VLANs",
)
.choice(
    "VLAN method",
    &[
        Choice::new("dor", "dimension order"),
        Choice::new("partial-dor", "minimal paths, about half as many VLANs"),
    ],
)
.or("dor")
.read(|text| Method::ALL.into_iter().find(|method| method.name() == text).ok_or(None));

/// 2 by default, since switches use VLAN 1 for untagged frames.
pub(super) const FIRST_VLAN: SettingOf<u32> =
    Setting::new("first-vlan", "number of the first VLAN; the others follow")
        .field(Field::whole("First VLAN", 1, MAX_VLANS as u64))
        .or("2")
        .parsed();

pub(super) const MOST_VLANS: SettingOf<u32> = Setting::new("most-vlans", "max VLANs per switch")
    .field(Field::whole("Max VLANs", 1, MAX_VLANS as u64))
    .or("4094")
    .parsed();

/// Max switches that files are written for.
const MAX_SWITCHES: u32 = 1024;
/// Max steps on the paths of all pairs of switches, which take memory for each; a mesh of 32x32 has 22 million.
const MAX_STEPS: u64 = 32_000_000;

/// Channel for frames of a VLAN to the hosts of a switch; `None` if they are its own.
type StaticTable = BTreeMap<(u32, u32), Option<u32>>;

/// A port of a switch: its number, what is at the other end, the VLANs as on the wire.
type Port = (usize, String, Vec<u32>);

/// A mesh or torus with its VLANs and addresses.
pub struct VlanPlan {
    pub kind: String,
    pub vlans: Vlans,
    pub names: Names,
    pub settings: Settings,
    addresses: PeAddresses,
    fabric: Fabric,
    /// The channels that leave each switch, by port.
    ports: Vec<Vec<u32>>,
    /// The links between switches of each VLAN, ascending.
    links: Vec<Vec<u32>>,
    /// The table of each switch.
    entries: OnceLock<Vec<StaticTable>>,
}

impl VlanPlan {
    pub fn new(kind: String, grid: &Grid, settings: Settings) -> Result<VlanPlan, ExportError> {
        let switches = grid.switches();
        if switches > MAX_SWITCHES {
            return Err(ExportError::Switches { kind, switches, max: MAX_SWITCHES });
        }
        let vlans = Vlans::new(grid, settings.get(&METHOD), settings.get(&MOST_VLANS))?;
        let plan = VlanPlan {
            kind,
            names: Names::new(grid.hosts(), switches),
            addresses: PeAddresses::new(grid.hosts(), &settings)?,
            fabric: grid.fabric(1),
            ports: grid.fabric(1).leaving().split_off(grid.hosts() as usize),
            links: vlans.trees().iter().map(|tree| tree.links(grid)).collect(),
            vlans,
            settings,
            entries: OnceLock::new(),
        };
        let (first, count) = (plan.vlan(0), plan.vlans.trees().len() as u32);
        if first + count - 1 > MAX_VLANS {
            let why = format!(
                "{count} VLANs from {first} on end at {}; use 1 to {}.",
                first + count - 1,
                MAX_VLANS + 1 - count
            );
            return Err(ExportError::setting("first-vlan", first, why));
        }
        Ok(plan)
    }

    /// Description for comments.
    pub fn title(&self) -> String {
        let grid = self.vlans.grid();
        let (hosts, switches, vlans) = (grid.hosts(), grid.switches(), self.vlans.trees().len());
        format!(
            "{} ({hosts} hosts, {switches} switches, {vlans} VLANs by {})",
            self.kind,
            self.vlans.method()
        )
    }

    /// Addresses, for comments.
    pub fn describe_addresses(&self) -> String {
        self.addresses.describe()
    }

    /// The number that a VLAN has on the wire.
    pub fn vlan(&self, vlan: u32) -> u32 {
        self.settings.get(&FIRST_VLAN) + vlan
    }

    /// The numbers of all VLANs.
    pub fn all_vlans(&self) -> Vec<u32> {
        (0..self.vlans.trees().len() as u32).map(|vlan| self.vlan(vlan)).collect()
    }

    pub fn address(&self, host: u32) -> std::net::Ipv4Addr {
        self.addresses.of(host)
    }

    /// The VLAN, as on the wire, in which one host sends to another.
    pub fn vlan_between(&self, from: u32, to: u32) -> u32 {
        let switch = |host| self.vlans.grid().switch_of(host);
        self.vlan(self.vlans.choice(switch(from), switch(to)))
    }

    /// Name of a port.
    pub fn port(&self, number: usize, default: &str) -> String {
        let port = self.settings.given(&PORT);
        port.map_or_else(|| format!("{default}{number}"), |names| names.of(number as u32))
    }

    /// The ports of a switch, from 1: what is at the other end, and the VLANs as on the wire.
    pub fn ports(&self, switch: u32) -> Result<Vec<Port>, ExportError> {
        let hosts = self.host_vlans(switch)?;
        let each = |(number, &channel): (usize, &u32)| {
            let other = self.fabric.channel_ends(channel).1;
            let vlans = if self.fabric.is_host(other) { hosts.clone() } else { self.link_vlans(channel / 2) };
            (number, self.node(other), vlans)
        };
        Ok((1..).zip(&self.ports[switch as usize]).map(each).collect())
    }

    /// VLANs that hosts of a switch send or get frames in, as on the wire.
    pub fn host_vlans(&self, switch: u32) -> Result<Vec<u32>, ExportError> {
        let comes = self.entries()?[switch as usize].iter().filter(|(_, channel)| channel.is_none());
        let comes = comes.map(|(&(vlan, _), _)| vlan);
        let all = 0..self.vlans.grid().switches();
        let others = all.filter(|&other| other != switch || self.vlans.grid().hosts_per_switch() > 1);
        let goes = others.map(|other| self.vlans.choice(switch, other));
        let all: BTreeSet<_> = comes.chain(goes).collect();
        Ok(all.into_iter().map(|vlan| self.vlan(vlan)).collect())
    }

    fn link_vlans(&self, link: u32) -> Vec<u32> {
        let trees = (0..).zip(&self.links);
        let having = trees.filter(|(_, links)| links.binary_search(&link).is_ok());
        having.map(|(vlan, _)| self.vlan(vlan)).collect()
    }

    /// Static entries of a switch: VLAN as on the wire, MAC address, port.
    pub fn static_entries(
        &self,
        switch: u32,
    ) -> Result<impl Iterator<Item = (u32, Mac, usize)>, ExportError> {
        let each = self.vlans.grid().hosts_per_switch();
        let ports = &self.ports[switch as usize];
        let entry = move |(&(vlan, to), channel): (&(u32, u32), &Option<u32>)| {
            let (channel, vlan) = (*channel, self.vlan(vlan));
            (0..each).map(move |host| {
                let host = to * each + host;
                let out = channel.unwrap_or(self.vlans.grid().channel_to_host(host));
                (vlan, mac(host, 0), port_of(ports, out))
            })
        };
        Ok(self.entries()?[switch as usize].iter().flat_map(entry))
    }

    /// Along the paths of all pairs.
    fn entries(&self) -> Result<&[StaticTable], ExportError> {
        let steps = self.vlans.grid().distances();
        if steps > MAX_STEPS {
            return Err(ExportError::Steps { kind: self.kind.clone(), steps, max: MAX_STEPS });
        }
        Ok(self.entries.get_or_init(|| {
            let grid = self.vlans.grid();
            let mut entries = vec![BTreeMap::new(); grid.switches() as usize];
            let mut channels = Vec::new();
            for from in 0..grid.switches() {
                for to in 0..grid.switches() {
                    if from == to && grid.hosts_per_switch() == 1 {
                        continue;
                    }
                    let vlan = self.vlans.choice(from, to);
                    channels.clear();
                    self.vlans.between(from, to, &mut channels);
                    for &channel in &channels {
                        let at = self.fabric.channel_ends(channel).0 - self.fabric.hosts;
                        entries[at as usize].insert((vlan, to), Some(channel));
                    }
                    entries[to as usize].insert((vlan, to), None);
                }
            }
            entries
        }))
    }

    fn node(&self, node: u32) -> String {
        if self.fabric.is_host(node) {
            self.names.pe(node)
        } else {
            self.names.switch(node - self.fabric.hosts)
        }
    }

    /// Name of a node's end of a link.
    fn end(&self, node: u32, link: usize) -> String {
        if self.fabric.is_host(node) {
            return self.settings.interfaces().of(0);
        }
        let ports = &self.ports[(node - self.fabric.hosts) as usize];
        let [a, _] = self.fabric.links[link].ends;
        self.port(port_of(ports, 2 * link as u32 + u32::from(a != node)), "swp")
    }
}

/// The port, from 1, that a channel leaves by, of those that leave a switch: these ascend.
fn port_of(ports: &[u32], channel: u32) -> usize {
    ports.partition_point(|&own| own < channel) + 1
}

/// Numbers as ranges, as in `2-5 9`, with something between them.
pub fn ranges(numbers: &[u32], between: &str) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let run = |run: &[u32]| match run {
        [first, .., last] => format!("{first}-{last}"),
        single => single.iter().map(u32::to_string).collect(),
    };
    runs.map(run).collect::<Vec<_>>().join(between)
}

pub const CABLES: Format = Format::new(Group::Rack, "cables", "Cable list", CSV, Render::Vlan(cables))
    .read_by(&["pandas 3.1"])
    .purpose("every cable: node or switch and port at both ends")
    .with(&[&INTERFACE, &PORT]);

fn cables(plan: &VlanPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str("a,a_port,b,b_port\n")?;
    for (number, link) in plan.fabric.links.iter().enumerate() {
        let [a, b] = link.ends;
        let (a_port, b_port) = (plan.end(a, number), plan.end(b, number));
        writeln!(out, "{},{a_port},{},{b_port}", plan.node(a), plan.node(b))?;
    }
    Ok(())
}

pub const NAMES: Format = Format::new(Group::Nodes, "names", "Hosts file", HOSTS, Render::Vlan(names))
    .purpose("one hosts file for all nodes, one address per node")
    .with(&[&NETWORK, &AVOID]);

fn names(plan: &VlanPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let hosts = (0..plan.vlans.grid().hosts()).map(|host| plan.address(host));
    list((format!("Hosts of {}", plan.kind), plan.describe_addresses()), &plan.names, hosts, out)
}

pub const VLANS: Format = Format::new(Group::Switches, "vlans", "VLANs", CSV, Render::Vlan(vlans))
    .read_by(&["pandas 3.1"])
    .purpose("every VLAN: its number, its tree as the paper writes it, and its links between switches")
    .with(&[&METHOD, &FIRST_VLAN, &MOST_VLANS]);

fn vlans(plan: &VlanPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str("vlan,tree,links\n")?;
    for (vlan, tree) in (0..).zip(plan.vlans.trees()) {
        write!(out, "{},\"{tree}\",", plan.vlan(vlan))?;
        for (place, link) in plan.links[vlan as usize].iter().enumerate() {
            let [a, b] = plan.fabric.links[*link as usize].ends;
            write!(out, "{}{}-{}", if place == 0 { "" } else { " " }, plan.node(a), plan.node(b))?;
        }
        out.write_char('\n')?;
    }
    Ok(())
}

pub const PATHS: Format = Format::new(Group::Routes, "paths", "Paths", CSV, Render::Vlan(paths))
    .read_by(&["pandas 3.1"])
    .purpose("VLAN of each pair of nodes, and the switches on the path")
    .with(&[&METHOD, &FIRST_VLAN, &MOST_VLANS])
    .all_pairs();

fn paths(plan: &VlanPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str("from,to,vlan,switches\n")?;
    let hosts = plan.vlans.grid().hosts();
    let mut channels = Vec::new();
    for from in 0..hosts {
        for to in (0..hosts).filter(|&to| to != from) {
            channels.clear();
            plan.vlans.path(from, to, 0, &mut channels);
            let vlan = plan.vlan_between(from, to);
            let on_way =
                channels.iter().skip(1).map(|&channel| plan.node(plan.fabric.channel_ends(channel).0));
            let on_way: Vec<_> = on_way.collect();
            writeln!(out, "{},{},{vlan},{}", plan.names.pe(from), plan.names.pe(to), on_way.join(" "))?;
        }
    }
    Ok(())
}
