//! Networks of switches that are connected to each other directly, with hosts on each: low-diameter networks.
//!
//! Such a network is a [`SwitchGraph`], a number of hosts per switch, and a number of hosts. Hosts are numbered from switch to
//! switch. Fewer hosts than positions are spread evenly.

use super::{
    Fabric, Link,
    fit::within,
    kind::{FitResult, Hops, NetworkKind, Parts, Speeds, SwitchParts},
    parameters::{Numbers, Parameter},
};
use crate::{
    spec::{MAX_PES, MAX_PORTS},
    text::{count, grouped},
};
use std::fmt;

/// Switches and the links between them.
pub(super) trait SwitchGraph: fmt::Debug + Send + Sync + Sized + 'static {
    /// Word before the colon of the text form.
    const NAME: &'static str;

    /// The text form of its own parameters; if those of the hosts follow, with all of them.
    fn text(&self, whole: bool) -> String;

    /// Name for people, without the hosts.
    fn name(&self) -> String;

    /// Hosts per switch if the text does not say.
    fn balanced(&self) -> u32;

    /// Number of switches and max links of each between switches, level by level; the first level has the hosts.
    fn levels(&self) -> Vec<(u32, u32)>;

    /// Number of links between switches.
    fn between(&self) -> u64;

    /// Returns the links between switches.
    fn links(&self) -> Vec<[u32; 2]>;

    /// Links on a shortest path between two switches of the first level; `None` if that takes the graph.
    fn distance(&self, _a: u32, _b: u32) -> Option<u32> {
        None
    }

    /// The largest of these distances; `None` if that takes the graph.
    fn diameter(&self) -> Option<u32> {
        None
    }
}

/// Switches with hosts on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SwitchedNetwork<G> {
    graph: G,
    /// Max hosts per switch.
    each: u32,
    hosts: u32,
}

impl<G: SwitchGraph> SwitchedNetwork<G> {
    /// The network with the hosts that the rest of the text form says: hosts per switch, and hosts.
    pub fn read(graph: G, text: &str) -> Result<SwitchedNetwork<G>, String> {
        let balanced = graph.balanced().max(1);
        let [each, hosts] = Numbers::read(
            text,
            [
                Parameter::new("hosts per switch", 1, MAX_PORTS).or(balanced),
                Parameter::new("hosts (0: as many as fit)", 0, MAX_PES).or(0),
            ],
        )?;
        SwitchedNetwork::new(graph, each, hosts)
    }

    /// `each` hosts per switch, `hosts` in all, or as many as fit if 0.
    pub fn new(graph: G, each: u32, hosts: u32) -> Result<SwitchedNetwork<G>, String> {
        let (hosted, degree) = graph.levels()[0];
        let places = u64::from(hosted) * u64::from(each);
        if each + degree > MAX_PORTS || places > MAX_PES.into() {
            let [ports, hosts] = [MAX_PORTS, MAX_PES].map(|number| grouped(number.into()));
            return Err(format!("at most {ports} ports per switch and {hosts} hosts"));
        }
        let hosts = if hosts == 0 { places } else { hosts.into() };
        // With a host less per switch, they would not fit.
        let least = u64::from(hosted) * u64::from(each - 1) + 1;
        if !(least..=places).contains(&hosts) {
            let [least, places] = [least, places].map(grouped);
            return Err(format!("{least} to {places} hosts with {each} per switch"));
        }
        Ok(SwitchedNetwork { graph, each, hosts: hosts as u32 })
    }

    /// The network of the cheapest graph with room for N hosts: of those with enough ports, the one with the fewest switches.
    pub fn fit(hosts: u32, ports: u32, graphs: impl Iterator<Item = G>) -> FitResult {
        let mut most = 0;
        let mut best: Option<(u64, SwitchedNetwork<G>)> = None;
        for graph in graphs {
            let (hosted, degree) = graph.levels()[0];
            let room = graph.balanced().min(ports.saturating_sub(degree));
            let places = (u64::from(hosted) * u64::from(room)).min(MAX_PES.into());
            most = most.max(places);
            let switches = graph.levels().iter().map(|level| u64::from(level.0)).sum();
            if places < hosts.into() || best.as_ref().is_some_and(|(least, _)| *least <= switches) {
                continue;
            }
            if let Ok(network) = SwitchedNetwork::new(graph, hosts.div_ceil(hosted), hosts) {
                best = Some((switches, network));
            }
        }
        within(hosts, 2, most, |_| best.map(|(_, network)| network))
    }

    /// As [`SwitchedNetwork::fit`], with the other graphs only if none of the preferred ones has room.
    pub fn fit_preferred<I>(hosts: u32, ports: u32, preferred: I, others: I) -> FitResult
    where
        I: Iterator<Item = G>,
    {
        SwitchedNetwork::fit(hosts, ports, preferred).or_else(|_| SwitchedNetwork::fit(hosts, ports, others))
    }

    fn hosted(&self) -> u32 {
        self.graph.levels()[0].0
    }

    /// The switch of a host.
    fn switch_of(&self, host: u32) -> u32 {
        (u64::from(host) * u64::from(self.hosted()) / u64::from(self.hosts)) as u32
    }
}

impl<G: SwitchGraph> NetworkKind for SwitchedNetwork<G> {
    fn text(&self) -> String {
        let all = u64::from(self.hosted()) * u64::from(self.each);
        let own = |whole| format!("{}:{}", G::NAME, self.graph.text(whole));
        match (u64::from(self.hosts) == all, self.each == self.graph.balanced()) {
            (true, true) => own(false),
            (true, false) => format!("{},{}", own(true), self.each),
            (false, _) => format!("{},{},{}", own(true), self.each, self.hosts),
        }
    }

    fn name(&self) -> String {
        let is_full = u64::from(self.hosts) == u64::from(self.hosted()) * u64::from(self.each);
        let up_to = if is_full { "" } else { "up to " };
        format!("{}, {up_to}{} each", self.graph.name(), count(self.each.into(), "host"))
    }

    fn parts(&self) -> Parts {
        let nis = u64::from(self.hosts);
        let switches = |(level, (count, degree)): (usize, (u32, u32))| {
            let ports = degree + if level == 0 { self.each } else { 0 };
            SwitchParts { count, ports, trunks: 0, hub: false }
        };
        Parts {
            hosts: self.hosts,
            nis,
            trunk_nis: 0,
            switches: self.graph.levels().into_iter().enumerate().map(switches).collect(),
            cables: nis + self.graph.between(),
            between: self.graph.between(),
        }
    }

    fn fabric(&self, speeds: Speeds) -> Fabric {
        let (hosts, speed) = (self.hosts, speeds.hosts);
        let own = (0..hosts).map(|host| Link { ends: [host, hosts + self.switch_of(host)], speed });
        let between =
            self.graph.links().into_iter().map(|ends| Link { ends: ends.map(|s| hosts + s), speed });
        Fabric { hosts, switches: self.parts().all_switches(), links: own.chain(between).collect() }
    }

    fn hops(&self, from: u32, to: u32) -> Option<Hops> {
        Some(Hops::new(0, self.graph.distance(self.switch_of(from), self.switch_of(to))? + 1))
    }

    fn extremes(&self) -> Option<[Hops; 2]> {
        // Every switch of the first level has a host, unless there are fewer hosts than switches.
        let farthest = self.graph.diameter().filter(|_| self.hosts >= self.hosted())?;
        let nearest = if self.each > 1 { 1 } else { 2 };
        Some([Hops::new(0, nearest), Hops::new(0, farthest + 1)])
    }
}
