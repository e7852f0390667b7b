//! A design as a network, with its uplink switches if it has any.

use super::{
    Fabric, Link, Switch, SwitchKind,
    kind::{Hops, NetworkKind, Parts, Speeds, SwitchParts},
};
use crate::{design::Design, spec::Spec};

/// The network of a [`Design`]: hosts are its PEs, switches keep their numbers, and uplink switches that are not folded come
/// last. Switches without cables have no ports. Spares carry no traffic and are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wiring {
    hosts: u32,
    ports: Vec<u32>,
    /// Host and switch of each cable, by host and then by switch.
    cables: Vec<(u32, u32)>,
    /// Switch and uplink switch of each cable between these, by switch.
    uplinks: Vec<(u32, u32)>,
    /// Switches that are direct cables between two hosts; see [`Spec::cables`].
    direct: Vec<bool>,
}

impl Wiring {
    /// The network of a design with the switches of its spec. A switch beyond the spec has one port per cable.
    pub fn of(spec: &Spec, design: &Design) -> Wiring {
        let spec = &*spec.grown(design.used_switches());
        let nis = design.nis();
        let cables = (0..design.pes()).flat_map(|pe| nis.of(pe).iter().map(move |&switch| (pe, switch)));
        let count = design.switch_count();
        let spine = spec.spine();
        let folded = spine.and_then(|spine| spine.folded).filter(|&uplink| uplink < count);
        let used = |&switch: &u32| Some(switch) != folded && !design.members(switch).is_empty();
        let mut uplinks: Vec<(u32, u32)> = Vec::new();
        if let Some(spine) = spine {
            for switch in (0..count).filter(used) {
                let uplink = |target: u32| (switch, folded.unwrap_or(count + target));
                uplinks.extend(spine.targets(switch).map(uplink));
            }
        }
        let ports_of = |switch: u32| match design.members(switch).len() as u32 {
            0 if Some(switch) != folded => 0,
            cables => spec.model_of(switch).map_or(0, |model| model.ports).max(cables),
        };
        let mut ports: Vec<u32> = (0..count).map(ports_of).collect();
        // Ports of an uplink switch come from the spec, or else from the cables.
        let separate = spine.filter(|_| folded.is_none()).map_or(0, |spine| spine.switches());
        let bought = spec.uplink.and_then(|uplink| uplink.ports).unwrap_or(0);
        ports.resize((count + separate) as usize, bought);
        let mut links: Vec<u32> = (0..count).map(|switch| design.members(switch).len() as u32).collect();
        links.resize(ports.len(), 0);
        for &(switch, uplink) in &uplinks {
            links[switch as usize] += 1;
            links[uplink as usize] += 1;
        }
        let first = spine.map(|_| folded.unwrap_or(count)).and_then(|first| links.get_mut(first as usize));
        first.into_iter().for_each(|links| *links += spec.uplink.map_or(0, |uplink| uplink.spares));
        ports.iter_mut().zip(links).for_each(|(ports, links)| *ports = links.max(*ports));
        let direct = spec.cables();
        Wiring { hosts: design.pes(), ports, cables: cables.collect(), uplinks, direct }
    }

    fn is_direct(&self, switch: u32) -> bool {
        self.direct.get(switch as usize).is_some_and(|is_direct| *is_direct)
    }
}

impl NetworkKind for Wiring {
    fn text(&self) -> String {
        "design".into()
    }

    fn name(&self) -> String {
        "this design".into()
    }

    fn parts(&self) -> Parts {
        let switch = |ports: u32| SwitchParts { count: 1, ports, trunks: 0, hub: false };
        let nis = self.cables.len() as u64;
        // A direct cable is in two NICs, and is no switch to buy: it has no ports, as switches without cables.
        let direct = self.cables.iter().filter(|&&(_, switch)| self.is_direct(switch)).count() as u64 / 2;
        let mut switches: Vec<SwitchParts> = Vec::new();
        let bought = (0..).zip(&self.ports).map(|(at, &ports)| if self.is_direct(at) { 0 } else { ports });
        for next in bought.map(switch) {
            match switches.last_mut().filter(|last| last.ports == next.ports) {
                Some(last) => last.count += 1,
                None => switches.push(next),
            }
        }
        let between = self.uplinks.len() as u64;
        Parts { hosts: self.hosts, nis, trunk_nis: 0, switches, cables: nis - direct + between, between }
    }

    fn fabric(&self, speeds: Speeds) -> Fabric {
        let speed = speeds.hosts;
        let host = |&(host, switch): &(u32, u32)| Link { ends: [host, self.hosts + switch], speed };
        let up =
            |&(switch, uplink): &(u32, u32)| Link { ends: [self.hosts + switch, self.hosts + uplink], speed };
        let links = self.cables.iter().map(host).chain(self.uplinks.iter().map(up)).collect();
        let switch = |(number, &ports): (u32, &u32)| Switch {
            ports,
            kind: if self.is_direct(number) { SwitchKind::Cable } else { SwitchKind::Switch },
        };
        Fabric { hosts: self.hosts, switches: (0..).zip(&self.ports).map(switch).collect(), links }
    }

    /// One switch, or a cable, for hosts that share it; other pairs take the graph.
    fn hops(&self, from: u32, to: u32) -> Option<Hops> {
        let of = |host: u32| {
            let first = self.cables.partition_point(|&(other, _)| other < host);
            self.cables[first..]
                .iter()
                .take_while(move |&&(other, _)| other == host)
                .map(|&(_, switch)| switch)
        };
        let shared = of(from).filter(|&switch| of(to).any(|other| other == switch));
        shared.map(|switch| Hops::new(0, u32::from(!self.is_direct(switch)))).min()
    }
}
