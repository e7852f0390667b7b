//! The switch that joins all others, and its cables (LCPC paper, section 2): one from each used switch, and one from each spare node.
//!
//! The cable of a switch is on its last port. A folded uplink switch has the others and the spares on its first reserved ports. A
//! separate one has as many ports as cables.

use super::{DesignPlan, colours::Colour, identifiers::Identifiers};
use crate::{
    analysis::audit::Uplink,
    design::{Design, Names},
    spec::Spec,
};
use std::sync::Arc;

/// The uplink switch.
pub(super) struct UplinkPlan {
    /// Number that its colour follows: its own if it is folded, else the one after the last switch.
    pub number: u32,
    /// Number in the design; `None` if it is a switch of its own.
    pub folded: Option<u32>,
    /// Its host name.
    pub name: String,
    /// Its cables, by port.
    pub cables: Vec<UplinkCable>,
}

/// A cable to the uplink switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UplinkCable {
    /// The other end.
    pub from: Joined,
    /// Port of the uplink switch, from 1.
    pub port: u32,
}

/// The end of a cable to the uplink switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joined {
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
    /// As on labels, such as `sw03 port 24`.
    pub label: String,
    /// Identifier in the style of TIA-606.
    pub identifier: String,
}

/// Ports of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ports {
    /// All it has.
    pub all: u32,
    /// Those that NIs may use, which come first.
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

/// Number of ports that cables to or of the uplink switch need on a switch.
fn ports_to_uplink(spec: &Spec, design: &Design, switch: u32, used: bool) -> u32 {
    let Some(uplink) = spec.uplink else { return 0 };
    match spec.uplink_switch() {
        Some(folded) if folded == switch => {
            let others = (0..).zip(design.switches());
            let others = others.filter(|(other, members)| *other != switch && !members.is_empty());
            others.count() as u32 + uplink.spares
        }
        _ => used.into(),
    }
}

/// Both ends of every cable to the uplink switch; none if the spec has no uplink switch.
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

impl DesignPlan {
    /// The uplink switch. `None` if the spec has none.
    pub(super) fn uplink(&self) -> Option<UplinkPlan> {
        UplinkPlan::of(&self.spec, &self.design, &self.names)
    }

    /// The uplink switch, if it is a switch of its own.
    pub(super) fn separate_uplink(&self) -> Option<UplinkPlan> {
        self.uplink().filter(|uplink| uplink.folded.is_none())
    }

    /// Host name of a switch. A separate uplink switch comes after the last switch.
    pub(super) fn any_switch_name(&self, switch: u32) -> String {
        match switch == self.design.switch_count() {
            true => self.names.uplink(),
            false => self.names.switch(switch),
        }
    }

    /// Colour of the cables to the uplink switch.
    pub(super) fn uplink_colour(&self, uplink: &UplinkPlan) -> Colour {
        self.colour(uplink.number)
    }
}

impl UplinkPlan {
    /// The uplink switch of a wiring. `None` if the spec has none.
    pub fn of(spec: &Spec, design: &Design, names: &Names) -> Option<UplinkPlan> {
        let uplink = spec.uplink?;
        let folded = spec.uplink_switch();
        let ports: Vec<Ports> = ports(spec, design).collect();
        let first = folded.and_then(|switch| ports.get(switch as usize)).map_or(0, |ports| ports.usable);
        let switches = (0..).zip(design.switches().zip(&ports));
        let switches = switches
            .filter(|(switch, (members, _))| folded != Some(*switch) && !members.is_empty())
            .map(|(switch, (_, ports))| Joined::Switch { switch, port: ports.all });
        let all = switches.chain((0..uplink.spares).map(Joined::Spare));
        Some(UplinkPlan {
            number: folded.unwrap_or_else(|| design.switch_count()),
            folded,
            name: folded.map_or_else(|| names.uplink(), |switch| names.switch(switch)),
            cables: all.zip(first + 1..).map(|(from, port)| UplinkCable { from, port }).collect(),
        })
    }

    /// Number of ports of a separate uplink switch: those that cables use.
    pub fn ports(&self) -> u32 {
        self.cables.len() as u32
    }

    /// Switches with a cable to it.
    pub fn switches(&self) -> impl Iterator<Item = u32> {
        self.cables.iter().filter_map(|cable| match cable.from {
            Joined::Switch { switch, .. } => Some(switch),
            Joined::Spare(_) => None,
        })
    }

    /// Spare nodes, by number.
    pub fn spares(&self) -> impl Iterator<Item = u32> {
        self.cables.iter().filter_map(|cable| match cable.from {
            Joined::Spare(spare) => Some(spare),
            Joined::Switch { .. } => None,
        })
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
            Joined::Switch { switch, port } => {
                on_switch(names.switch(switch), identifiers.switch_end(switch, port), port)
            }
            Joined::Spare(spare) => {
                let device = names.spare(spare);
                let (label, identifier) = (format!("{device} NIC0"), format!("{device}:NIC0"));
                End { device, port: names.interface(0), label, identifier }
            }
        };
        let identifier = match self.folded {
            Some(switch) => identifiers.switch_end(switch, cable.port),
            None => format!("{}:{:02}", self.name, cable.port),
        };
        [from, on_switch(self.name.clone(), identifier, cable.port)]
    }

    /// Metres of a cable. `None` if an end is in no known rack, as spares and a separate uplink switch are.
    pub fn length(&self, identifiers: &Identifiers, cable: UplinkCable) -> Option<f64> {
        match cable.from {
            Joined::Switch { switch, .. } => identifiers.length_between_switches(switch, self.folded?),
            Joined::Spare(_) => None,
        }
    }
}
