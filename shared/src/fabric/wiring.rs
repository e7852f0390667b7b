//! A design as a network, with its uplink switch if it has one.

use super::{
    Fabric, Link, Switch, SwitchKind,
    kind::{Hops, Kind, Parts, Speeds, SwitchParts},
};
use crate::{design::Design, spec::Spec};

/// The network of a [`Design`]: hosts are its PEs, switches keep their numbers, and an uplink switch that is not folded comes
/// last. Switches without cables have no ports. Spares carry no traffic and are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wiring {
    hosts: u32,
    ports: Vec<u32>,
    /// Host and switch of each cable, by host and then by switch.
    cables: Vec<(u32, u32)>,
    uplink: Option<u32>,
    /// Switches connected to the uplink switch.
    joined: Vec<u32>,
}

impl Wiring {
    /// The network of a design with the switches of its spec. A switch beyond the spec has one port per cable.
    pub fn of(spec: &Spec, design: &Design) -> Wiring {
        let spec = &*spec.grown(design.used_switches());
        let nis = design.nis();
        let cables = (0..design.pes()).flat_map(|pe| nis.of(pe).iter().map(move |&switch| (pe, switch)));
        let folded = spec.uplink_switch().filter(|&uplink| uplink < design.switch_count());
        let uplink = spec.uplink.map(|_| folded.unwrap_or(design.switch_count()));
        let used = |&switch: &u32| Some(switch) != uplink && !design.members(switch).is_empty();
        let joined: Vec<u32> = (0..design.switch_count()).filter(|_| uplink.is_some()).filter(used).collect();
        let ports_of = |switch: u32| match design.members(switch).len() as u32 {
            0 if Some(switch) != uplink => 0,
            cables => spec.model_of(switch).map_or(0, |model| model.ports).max(cables),
        };
        let mut ports: Vec<u32> = (0..design.switch_count()).map(ports_of).collect();
        let spares = spec.uplink.map_or(0, |uplink| uplink.spares);
        if uplink.is_some() && folded.is_none() {
            ports.push(joined.len() as u32 + spares);
        }
        for &switch in &joined {
            let links = design.members(switch).len() as u32 + 1;
            ports[switch as usize] = ports[switch as usize].max(links);
        }
        if let Some(folded) = folded {
            let links = (design.members(folded).len() + joined.len()) as u32 + spares;
            ports[folded as usize] = ports[folded as usize].max(links);
        }
        Wiring { hosts: design.pes(), ports, cables: cables.collect(), uplink, joined }
    }
}

impl Kind for Wiring {
    fn text(&self) -> String {
        "design".into()
    }

    fn parts(&self) -> Parts {
        let switch = |&ports: &u32| SwitchParts { count: 1, ports, trunks: 0, hub: false };
        let nis = self.cables.len() as u64;
        let mut switches: Vec<SwitchParts> = Vec::new();
        for next in self.ports.iter().map(switch) {
            match switches.last_mut().filter(|last| last.ports == next.ports) {
                Some(last) => last.count += 1,
                None => switches.push(next),
            }
        }
        let between = self.joined.len() as u64;
        Parts { hosts: self.hosts, nis, trunk_nis: 0, switches, cables: nis + between, between }
    }

    fn fabric(&self, speeds: Speeds) -> Fabric {
        let speed = speeds.hosts;
        let host = |&(host, switch): &(u32, u32)| Link { ends: [host, self.hosts + switch], speed };
        let up = |&switch: &u32| {
            self.uplink.map(|up| Link { ends: [self.hosts + switch, self.hosts + up], speed })
        };
        let links = self.cables.iter().map(host).chain(self.joined.iter().filter_map(up)).collect();
        let switch = |&ports: &u32| Switch { ports, kind: SwitchKind::Switch };
        Fabric { hosts: self.hosts, switches: self.ports.iter().map(switch).collect(), links }
    }

    /// One switch for hosts that share a switch; other pairs take the graph.
    fn hops(&self, from: u32, to: u32) -> Option<Hops> {
        let of = |host: u32| {
            let first = self.cables.partition_point(|&(other, _)| other < host);
            self.cables[first..]
                .iter()
                .take_while(move |&&(other, _)| other == host)
                .map(|&(_, switch)| switch)
        };
        of(from).any(|switch| of(to).any(|other| other == switch)).then_some(Hops::new(0, 1))
    }
}
