//! The plan and tables of a P-Mesh. NI k of a host is in dimension k. A host has an address on each NI; its name is that of the last
//! dimension, which is routed in dimension order.

use crate::{
    design::Names,
    exports::{
        AVOID, CSV, ExportError, FAILED, Format, Group, HOSTS, NETWORK, Render, Setting, SettingOf, Settings,
        WriteResult,
        address::{block, subnet},
        hosts::list,
    },
    fabric::{
        Sides,
        pmesh::{Addressing, Entry, Net, PMesh, PMeshDetours},
    },
    text::grouped,
};
use ipnet::Ipv4Net;
use std::{fmt, net::Ipv4Addr};

pub(super) const ROOM: SettingOf<Vec<u32>> =
    Setting::new("room", "sides that a P-Mesh may grow to without new addresses for existing nodes")
        .syntax("Room to grow", "sides such as 30x30, none smaller than the network's")
        .read(|text| text.split('x').map(|side| side.trim().parse().map_err(|_| None)).collect());

/// Max switches that files are written for.
const MAX_SWITCHES: u32 = 1 << 16;
/// Max hosts that routes around dead parts are computed for.
const MAX_AROUND: u32 = 2048;

/// A P-Mesh with its addresses.
pub struct PMeshPlan {
    pub kind: String,
    pub mesh: PMesh,
    pub names: Names,
    pub settings: Settings,
    /// Routes around what is dead, where something is.
    pub around: Option<PMeshDetours>,
    addressing: Addressing,
    /// The first of all addresses.
    first: u32,
}

impl PMeshPlan {
    pub fn new(kind: String, mesh: &PMesh, settings: Settings) -> Result<PMeshPlan, ExportError> {
        let switches = mesh.switches();
        if switches > MAX_SWITCHES {
            return Err(ExportError::Switches { kind, switches, max: MAX_SWITCHES });
        }
        let addressing = Addressing::new(&room(mesh, settings.given(&ROOM).map(Vec::as_slice))?);
        let bits = addressing.bits();
        let what = format!("addresses of {kind} take {bits} bits");
        Ok(PMeshPlan {
            first: block(&settings, what, bits)?,
            names: Names::new(mesh.hosts(), switches),
            around: around(mesh, &settings)?,
            mesh: mesh.clone(),
            kind,
            settings,
            addressing,
        })
    }

    /// Description for comments.
    pub fn title(&self) -> String {
        format!("{} ({} hosts, {} switches)", self.kind, self.mesh.hosts(), self.mesh.switches())
    }

    /// Addresses, for comments.
    pub fn describe_addresses(&self) -> String {
        let fields = (0..self.mesh.sides().dimensions()).map(|dimension| {
            let (subnet, host) =
                (self.addressing.subnet_bits(dimension), self.addressing.host_bits(dimension));
            format!("{subnet} of subnet vector and {host} of host in dimension {dimension}")
        });
        let fields: Vec<_> = fields.collect();
        let (first, dimension) = (Ipv4Addr::from_bits(self.first), self.addressing.dimension_bits());
        format!("d.[n].h from {first} on; bits: {dimension} of dimension, {}", fields.join(", "))
    }

    /// A host's address in a dimension.
    pub fn address(&self, host: u32, dimension: usize) -> Ipv4Addr {
        let place = self.mesh.sides().coordinates(host);
        Ipv4Addr::from_bits(self.first + self.addressing.address(dimension, &place) as u32)
    }

    /// A host's address in the last dimension.
    pub fn main_address(&self, host: u32) -> Ipv4Addr {
        self.address(host, self.mesh.sides().dimensions() - 1)
    }

    /// The prefix length of a dimension's subnets.
    pub fn prefix(&self, dimension: usize) -> u8 {
        (32 - self.addressing.host_bits(dimension)) as u8
    }

    /// The hosts that are not dead.
    pub fn live_hosts(&self) -> impl Iterator<Item = u32> {
        (0..self.mesh.hosts()).filter(|&host| !self.is_dead(host))
    }

    pub fn is_dead(&self, host: u32) -> bool {
        self.around.as_ref().is_some_and(|around| around.dead().is_dead(host))
    }

    /// A host's entries for subnets.
    pub fn table(&self, host: u32) -> Box<dyn Iterator<Item = Entry> + '_> {
        match &self.around {
            Some(around) => Box::new(around.table(host)),
            None => Box::new(self.mesh.table(host)),
        }
    }

    /// A host's entries for single addresses: the dimension to send along, and the host there.
    pub fn detours(&self, host: u32) -> impl Iterator<Item = (Ipv4Addr, (usize, u32))> {
        let all = self.around.iter().flat_map(move |around| around.detours(host));
        all.flat_map(|detour| {
            let dimensions = (0..self.mesh.sides().dimensions()).filter(|&dimension| detour.has(dimension));
            dimensions.map(|dimension| (self.address(detour.to, dimension), detour.via()))
        })
    }

    /// The hosts from one to another, each with the dimension along which it is reached; none if there is no way.
    pub fn steps(&self, from: u32, to: u32) -> Option<Vec<(usize, u32)>> {
        match &self.around {
            Some(around) => around.steps(from, to),
            None => Some(self.mesh.steps(from, to).collect()),
        }
    }

    /// `true` if working parts join two hosts on one switch of a dimension.
    pub fn joins(&self, dimension: usize, host: u32, other: u32) -> bool {
        self.around.as_ref().is_none_or(|around| around.joins(dimension, host, other))
    }

    pub fn network(&self, net: Net) -> Ipv4Net {
        let offset = self.addressing.subnet(net.dimension, &self.mesh.sides().coordinates(net.first));
        subnet(self.first + offset as u32, self.prefix(net.dimension))
    }
}

/// Routes around what the settings say is dead.
fn around(mesh: &PMesh, settings: &Settings) -> Result<Option<PMeshDetours>, ExportError> {
    let dead = &settings.faults()?;
    if dead.is_empty() {
        return Ok(None);
    }
    if mesh.hosts() > MAX_AROUND {
        let why = format!(
            "routes around failed parts are computed for up to {} nodes, and this network has {}.",
            grouped(MAX_AROUND.into()),
            grouped(mesh.hosts().into())
        );
        return Err(ExportError::setting("failed", settings.failed(), why));
    }
    let around = mesh.around(dead);
    Ok(Some(around.map_err(|why| ExportError::setting("failed", settings.failed(), why))?))
}

/// The sides that addresses are for.
fn room(mesh: &PMesh, chosen: Option<&[u32]>) -> Result<Sides, ExportError> {
    let Some(chosen) = chosen else { return Ok(mesh.sides().clone()) };
    let own = mesh.sides();
    let words: Vec<_> = chosen.iter().map(u32::to_string).collect();
    let fault = |why: String| ExportError::setting("room", words.join("x"), why);
    let fits =
        chosen.len() == own.dimensions() && chosen.iter().zip(own.sizes()).all(|(room, side)| room >= side);
    if !fits {
        return Err(fault(format!("must have {} sides, none smaller than in {own}.", own.dimensions())));
    }
    Sides::new(chosen).map_err(|why| fault(why.to_string()))
}

pub const CABLES: Format = Format::new(Group::Rack, "cables", "Cable list", CSV, Render::PMesh(cables))
    .read_by(&["pandas 3.1"])
    .purpose("every cable: node, NIC, switch and port; NIC k is in dimension k");

fn cables(plan: &PMeshPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str("pe,ni,switch,port\n")?;
    for host in 0..plan.mesh.hosts() {
        for dimension in 0..plan.mesh.sides().dimensions() {
            let (switch, port) = (plan.mesh.switch_of(host, dimension), plan.mesh.port_of(host, dimension));
            writeln!(out, "{host},{dimension},{switch},{port}")?;
        }
    }
    Ok(())
}

pub const NAMES: Format = Format::new(Group::Nodes, "names", "Hosts file", HOSTS, Render::PMesh(names))
    .purpose("one hosts file for all nodes, each at the address that is routed in dimension order")
    .with(&[&NETWORK, &AVOID, &ROOM]);

fn names(plan: &PMeshPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    let hosts = (0..plan.mesh.hosts()).map(|host| plan.main_address(host));
    list((format!("Hosts of {}", plan.kind), plan.describe_addresses()), &plan.names, hosts, out)
}

pub const ADDRESSES: Format =
    Format::new(Group::Nodes, "addresses", "Addresses", CSV, Render::PMesh(addresses))
        .read_by(&["pandas 3.1"])
        .purpose("address d.[n].h of every NIC, with the node's coordinates")
        .with(&[&NETWORK, &AVOID, &ROOM]);

fn addresses(plan: &PMeshPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str("pe,coordinates,ni,address,prefix\n")?;
    for host in 0..plan.mesh.hosts() {
        let place: Vec<_> = plan.mesh.sides().coordinates(host).iter().map(u32::to_string).collect();
        for dimension in 0..place.len() {
            let (address, prefix) = (plan.address(host, dimension), plan.prefix(dimension));
            writeln!(out, "{host},{},{dimension},{address},{prefix}", place.join(" "))?;
        }
    }
    Ok(())
}

pub const ROUTES: Format = Format::new(Group::Routes, "routes", "Routing tables", CSV, Render::PMesh(routes))
    .read_by(&["pandas 3.1"])
    .purpose("routing table of every node: subnet and NIC, and the address of the next node for subnets that this node is not in")
    .with(&[&NETWORK, &AVOID, &ROOM, &FAILED]);

fn routes(plan: &PMeshPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str("pe,subnet,ni,via\n")?;
    for host in plan.live_hosts() {
        for entry in plan.table(host) {
            let net = plan.network(entry.net);
            match entry.via {
                Some((ni, next)) => writeln!(out, "{host},{net},{ni},{}", plan.address(next, ni))?,
                None => writeln!(out, "{host},{net},{},", entry.net.dimension)?,
            }
        }
        for (address, (ni, next)) in plan.detours(host) {
            writeln!(out, "{host},{address}/32,{ni},{}", plan.address(next, ni))?;
        }
    }
    Ok(())
}

pub const PATHS: Format = Format::new(Group::Routes, "paths", "Paths", CSV, Render::PMesh(paths))
    .read_by(&["pandas 3.1"])
    .purpose("for each pair the forwarding nodes and the switches; in dimension order unless parts of that path failed")
    .with(&[&FAILED])
    .all_pairs();

fn paths(plan: &PMeshPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str("from,to,through,switches\n")?;
    for from in plan.live_hosts() {
        for to in plan.live_hosts().filter(|&to| to != from) {
            if let Some(steps) = plan.steps(from, to) {
                writeln!(out, "{from},{to},{}", way(plan, &steps))?;
            }
        }
    }
    Ok(())
}

/// The hosts that hand on, and the switches.
fn way(plan: &PMeshPlan, steps: &[(usize, u32)]) -> String {
    let through: Vec<_> = steps.iter().map(|(_, next)| next.to_string()).collect();
    let switch = |&(dimension, next): &(usize, u32)| plan.mesh.switch_of(next, dimension).to_string();
    let switches: Vec<_> = steps.iter().map(switch).collect();
    format!("{},{}", through[..through.len() - 1].join(" "), switches.join(" "))
}

pub const LOSSES: Format =
    Format::new(Group::Routes, "losses", "Pairs affected by failed parts", CSV, Render::PMesh(losses))
        .read_by(&["pandas 3.1"])
        .purpose("pairs whose path in dimension order failed, and the path that is left")
        .with(&[&FAILED])
        .all_pairs();

fn losses(plan: &PMeshPlan, _: u32, out: &mut dyn fmt::Write) -> WriteResult {
    out.write_str("from,to,left,through,switches\n")?;
    let Some(around) = &plan.around else { return Ok(()) };
    for from in 0..plan.mesh.hosts() {
        for to in (0..plan.mesh.hosts()).filter(|&to| to != from) {
            if around.dead().is_dead(from) || around.dead().is_dead(to) {
                writeln!(out, "{from},{to},failed node,,")?;
                continue;
            }
            match around.steps(from, to) {
                Some(steps) if plan.mesh.steps(from, to).eq(steps.iter().copied()) => {}
                Some(steps) => writeln!(out, "{from},{to},through,{}", way(plan, &steps))?,
                None => writeln!(out, "{from},{to},nothing,,")?,
            }
        }
    }
    Ok(())
}
