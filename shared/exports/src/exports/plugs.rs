//! Cables as people plug them in: from a NIC to a port of a switch, or directly to a NIC of another node.
//!
//! A direct cable is a switch of two ports in the design ([`Spec::cables`](crate::spec::Spec::cables)). No format has such a switch as
//! a device, except those of programs that read the wiring itself.

use super::{DesignPlan, identifiers::Identifiers, uplinks::End};
use crate::design::{far_ni, is_direct_cable};

/// A cable from an NI of a PE to a port of a switch, from 1. If the switch is a direct cable, it ends at an NI of another PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cable {
    pub pe: u32,
    pub ni: u32,
    pub switch: u32,
    pub port: u32,
    /// PE and NI at the other end of a direct cable.
    pub direct: Option<(u32, u32)>,
}

impl DesignPlan {
    /// `true` if a switch is a direct cable between two PEs; see [`Spec::cables`].
    pub(super) fn is_cable(&self, switch: u32) -> bool {
        is_direct_cable(&self.names, &self.design, switch)
    }

    /// The NI at the other end of a direct cable. `None` on switches, and if that end is free.
    pub(super) fn far_ni(&self, pe: u32, switch: u32) -> Option<(u32, u32)> {
        far_ni((&self.names, &self.design, &self.nis), pe, switch)
    }

    /// The cable of an NI, if it has one.
    pub(super) fn cable(&self, pe: u32, ni: u32) -> Option<Cable> {
        Some(self.plug(pe, ni, *self.nis.of(pe).get(ni as usize)?))
    }

    /// The cable of an NI on a switch.
    pub(super) fn plug(&self, pe: u32, ni: u32, switch: u32) -> Cable {
        Cable { pe, ni, switch, port: self.port(switch, pe), direct: self.far_ni(pe, switch) }
    }

    /// The cable of every NI, by PE and NI.
    pub(super) fn plugs(&self) -> impl Iterator<Item = Cable> {
        (0..self.pes()).flat_map(move |pe| (0..).map_while(move |ni| self.cable(pe, ni)))
    }

    /// The cable of an NI, if it is listed with this NI: a direct cable is listed with its lower PE, or not at all if an end is free.
    pub(super) fn listed_cable(&self, pe: u32, ni: u32) -> Option<Cable> {
        self.cable(pe, ni).filter(|cable| match cable.direct {
            Some((far, _)) => pe < far,
            None => !self.is_cable(cable.switch),
        })
    }

    /// Every cable once, by PE and NI.
    pub(super) fn cables(&self) -> impl Iterator<Item = Cable> {
        self.plugs().filter_map(move |cable| self.listed_cable(cable.pe, cable.ni))
    }

    /// Number of [`cables`](DesignPlan::cables).
    pub(super) fn cable_count(&self) -> usize {
        let switches = (0..).zip(self.design.switches());
        switches
            .map(|(switch, members)| if self.is_cable(switch) { members.len() / 2 } else { members.len() })
            .sum()
    }

    /// `true` if all switches are direct cables.
    pub(super) fn has_only_cables(&self) -> bool {
        self.spec.has_only_cables() && (0..self.design.switch_count()).all(|switch| self.is_cable(switch))
    }

    /// Both ends of a cable, from its node.
    pub(super) fn ends(&self, identifiers: &Identifiers, cable: Cable) -> [End; 2] {
        let Cable { pe, ni, switch, port, direct } = cable;
        let nic = |pe, ni| {
            let device = self.pe_name(pe);
            let (label, identifier) = (format!("{device} NIC{ni}"), identifiers.pe_end(pe, ni));
            End { port: self.interface(ni), label, identifier, device }
        };
        let on_switch = || End {
            device: self.switch_name(switch),
            port: self.port_name(port),
            label: self.far_label(pe, switch),
            identifier: identifiers.switch_end(switch, port),
        };
        [nic(pe, ni), direct.map_or_else(on_switch, |(pe, ni)| nic(pe, ni))]
    }

    /// The far end of an NI's cable, such as `sw03 port 5`, or `node001 NIC0` of a direct cable.
    pub(super) fn far_label(&self, pe: u32, switch: u32) -> String {
        match self.far_ni(pe, switch) {
            Some((far, ni)) => format!("{} NIC{ni}", self.pe_name(far)),
            None => format!("{} port {}", self.switch_name(switch), self.port(switch, pe)),
        }
    }

    /// Metres of a cable. `None` where no rack is known.
    pub(super) fn length(&self, identifiers: &Identifiers, cable: Cable) -> Option<f64> {
        match cable.direct {
            Some((far, _)) => identifiers.length_between_pes(cable.pe, far),
            None => identifiers.length(cable.pe, cable.switch),
        }
    }
}
