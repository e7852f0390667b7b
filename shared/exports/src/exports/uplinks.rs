//! The switches that join all others, and their cables (Dietz and Mattox 2000, section 2): some from each used switch, and one
//! from each spare node.
//!
//! The cables of a switch are on its last ports. A folded uplink switch has the others and the spares on its first reserved ports.
//! Cables of a switch to the same uplink switch are side by side at both ends, and are one link of a router.

use super::{DesignPlan, identifiers::Identifiers};
use crate::{
    analysis::audit::Uplink,
    design::{Design, Names},
    spec::Spec,
};
use std::{cmp::Reverse, sync::Arc};

/// The uplink switches.
pub(super) struct UplinkPlan {
    /// Number in the design of the only one, if it is folded.
    pub folded: Option<u32>,
    /// All of them; spares are on the first.
    pub switches: Vec<UplinkSwitch>,
    /// All cables, by uplink switch and port.
    pub cables: Vec<UplinkCable>,
}

/// An uplink switch.
pub(super) struct UplinkSwitch {
    /// Number that its colour follows: its own if it is folded, else counted on after the last switch.
    pub number: u32,
    /// Host name.
    pub name: String,
    /// All of its ports, if it is separate: as many as are bought, or else as cables use.
    pub ports: u32,
    /// The plane that it joins, if each has its own.
    pub plane: Option<u32>,
}

/// A cable to an uplink switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UplinkCable {
    /// The other end.
    pub from: UplinkEnd,
    /// Place of the uplink switch in the plan.
    pub to: u32,
    /// Port of the uplink switch, from 1.
    pub port: u32,
}

/// The end of a cable to an uplink switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UplinkEnd {
    /// A port of a switch, from 1.
    Switch { switch: u32, port: u32 },
    /// NIC 0 of a spare node.
    Spare(u32),
}

/// One end of a cable in words.
pub(super) struct End {
    /// Host name of the device.
    pub device: String,
    /// Name of the port or NIC on it.
    pub port: String,
    /// Text on labels, such as `sw03 port 24`.
    pub label: String,
    /// Identifier in the style of TIA-606.
    pub identifier: String,
}

/// Ports of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ports {
    /// All it has.
    pub all: u32,
    /// Ports that NIs may use, which come first.
    pub usable: u32,
}

/// The ports of every switch, in order. A switch that the spec does not allow has as many as are used.
pub(super) fn ports<'a>(spec: &'a Spec, design: &'a Design) -> impl Iterator<Item = Ports> + 'a {
    let mut widths = spec.all_ports();
    let mut usable = spec.usable_ports().into_iter();
    (0..).zip(design.switches()).map(move |(switch, members)| {
        let used = members.len() as u32;
        let joined = ports_to_uplink(spec, design, switch, used > 0);
        let all = widths.next().unwrap_or(0).max(used + joined);
        Ports { all, usable: usable.next().unwrap_or(0).clamp(used, all - joined) }
    })
}

/// The wiring with the folded uplink switch, which tables may leave out if no node is on it.
pub(super) fn with_uplink_switch(spec: &Spec, design: Arc<Design>) -> Arc<Design> {
    match spec.uplink_switch() {
        Some(uplink) if uplink >= design.switch_count() => {
            let empty = design.switch_count()..=uplink;
            let switches = design.switches().map(<[u32]>::to_vec).chain(empty.map(|_| Vec::new()));
            Arc::new(Design::from_switches(design.pes(), switches))
        }
        _ => design,
    }
}

/// Number of ports of a switch that hold cables to or from uplink switches.
fn ports_to_uplink(spec: &Spec, design: &Design, switch: u32, used: bool) -> u32 {
    let Some(uplink) = spec.uplink else { return 0 };
    match spec.uplink_switch() {
        Some(folded) if folded == switch => {
            let others = (0..).zip(design.switches());
            let others = others.filter(|(other, members)| *other != switch && !members.is_empty());
            others.count() as u32 * uplink.links + uplink.spares
        }
        _ if used => uplink.links,
        _ => 0,
    }
}

/// Both ends of every cable to an uplink switch; none if the spec has no uplink.
pub fn uplink_cables(spec: &Spec, design: &Design) -> Vec<Uplink> {
    if spec.uplink.is_none() {
        return Vec::new();
    }
    let spec = &*spec.grown(design.used_switches());
    let design = with_uplink_switch(spec, Arc::new(design.clone()));
    let names = Names::of(spec, &design);
    let Some(uplink) = UplinkPlan::of(spec, &design, &names) else { return Vec::new() };
    let identifiers = Identifiers::new(spec, names.clone());
    let ends = |&cable: &UplinkCable| {
        let [from, to] = uplink.ends(&names, &identifiers, cable).map(|end| (end.device, end.port));
        Uplink { from, to }
    };
    uplink.cables.iter().map(ends).collect()
}

/// The switch with the most nodes per cable to uplink switches, and that ratio. `None` without such cables.
pub fn oversubscription(spec: &Spec, design: &Design) -> Option<(u32, f64)> {
    let spec = &*spec.grown(design.used_switches());
    let spine = spec.spine()?;
    let used = (0..).zip(design.switches()).filter(|(_, members)| !members.is_empty());
    let joined = used.filter(|(switch, _)| spine.folded != Some(*switch));
    let (switch, nodes) =
        joined.map(|(switch, members)| (switch, members.len())).min_by_key(|&(_, nodes)| Reverse(nodes))?;
    Some((switch, nodes as f64 / f64::from(spine.links)))
}

impl UplinkEnd {
    /// The switch, if it is one.
    pub fn switch(self) -> Option<u32> {
        match self {
            UplinkEnd::Switch { switch, .. } => Some(switch),
            UplinkEnd::Spare(_) => None,
        }
    }

    /// The spare node, if it is one.
    pub fn spare(self) -> Option<u32> {
        match self {
            UplinkEnd::Spare(spare) => Some(spare),
            UplinkEnd::Switch { .. } => None,
        }
    }
}

impl DesignPlan {
    /// The uplink switches. `None` if the spec has none.
    pub(super) fn uplink(&self) -> Option<UplinkPlan> {
        UplinkPlan::of(&self.spec, &self.design, &self.names)
    }

    /// The uplink switches that are switches of their own.
    pub(super) fn separate_uplinks(&self) -> Vec<UplinkSwitch> {
        let separate = self.uplink().filter(|uplink| uplink.folded.is_none());
        separate.map_or_else(Vec::new, |uplink| uplink.switches)
    }

    /// Host name of a switch. Separate uplink switches come after the last switch.
    pub(super) fn any_switch_name(&self, switch: u32) -> String {
        match switch.checked_sub(self.design.switch_count()) {
            Some(uplink) => self.names.uplink(uplink),
            None => self.names.switch(switch),
        }
    }
}

impl UplinkPlan {
    /// The uplink switches of a wiring. `None` if the spec has none.
    pub fn of(spec: &Spec, design: &Design, names: &Names) -> Option<UplinkPlan> {
        let (uplink, spine) = (spec.uplink?, spec.spine()?);
        let ports: Vec<Ports> = ports(spec, design).collect();
        let count = design.switch_count();
        let switch = |at: u32| UplinkSwitch {
            number: spine.folded.unwrap_or(count + at),
            name: spine.folded.map_or_else(|| names.uplink(at), |switch| names.switch(switch)),
            ports: uplink.ports.unwrap_or(0),
            plane: (spec.rail && spine.folded.is_none()).then(|| at / spine.each),
        };
        let mut switches: Vec<UplinkSwitch> = (0..spine.switches()).map(switch).collect();
        let mut cables: Vec<UplinkCable> = Vec::new();
        for (from, members) in (0..count).zip(design.switches()) {
            if members.is_empty() || spine.folded == Some(from) {
                continue;
            }
            let first = ports[from as usize].all - spine.links + 1;
            let cable = |(target, port)| {
                let from = UplinkEnd::Switch { switch: from, port };
                UplinkCable { from, to: target, port: 0 }
            };
            cables.extend(spine.targets(from).zip(first..).map(cable));
        }
        let spare = |spare| UplinkCable { from: UplinkEnd::Spare(spare), to: 0, port: 0 };
        cables.extend((0..uplink.spares).map(spare));
        // By switch as before: the sort is stable.
        cables.sort_by_key(|cable| cable.to);
        let first =
            spine.folded.and_then(|switch| ports.get(switch as usize)).map_or(0, |ports| ports.usable);
        for (cables, switch) in cables.chunk_by_mut(|a, b| a.to == b.to).zip(&mut switches) {
            cables.iter_mut().zip(first + 1..).for_each(|(cable, port)| cable.port = port);
            switch.ports = switch.ports.max(cables.len() as u32);
        }
        Some(UplinkPlan { folded: spine.folded, switches, cables })
    }

    /// The uplink switch of a cable.
    pub fn switch_of(&self, cable: UplinkCable) -> &UplinkSwitch {
        &self.switches[cable.to as usize]
    }

    /// The cables of an uplink switch, by its place in the plan, in the order of its ports.
    pub fn cables_of(&self, to: u32) -> impl Iterator<Item = UplinkCable> {
        self.cables.iter().copied().filter(move |cable| cable.to == to)
    }

    /// Spare nodes, by number.
    pub fn spares(&self) -> impl Iterator<Item = u32> {
        self.cables.iter().filter_map(|cable| cable.from.spare())
    }

    /// Both ends of a cable; the uplink switch is the second.
    pub fn ends(&self, names: &Names, identifiers: &Identifiers, cable: UplinkCable) -> [End; 2] {
        let on_switch = |device: String, identifier: String, port: u32| End {
            label: format!("{device} port {port}"),
            port: names.port(port),
            identifier,
            device,
        };
        let from = match cable.from {
            UplinkEnd::Switch { switch, port } => {
                on_switch(names.switch(switch), identifiers.switch_end(switch, port), port)
            }
            UplinkEnd::Spare(spare) => {
                let device = names.spare(spare);
                let (label, identifier) = (format!("{device} NIC0"), format!("{device}:NIC0"));
                End { device, port: names.interface(0), label, identifier }
            }
        };
        let uplink = self.switch_of(cable);
        let identifier = match self.folded {
            Some(switch) => identifiers.switch_end(switch, cable.port),
            None => format!("{}:{:02}", uplink.name, cable.port),
        };
        [from, on_switch(uplink.name.clone(), identifier, cable.port)]
    }

    /// Metres of a cable. `None` if an end is in no known rack, as spares and separate uplink switches are.
    pub fn length(&self, identifiers: &Identifiers, cable: UplinkCable) -> Option<f64> {
        match cable.from {
            UplinkEnd::Switch { switch, .. } => identifiers.length_between_switches(switch, self.folded?),
            UplinkEnd::Spare(_) => None,
        }
    }
}
