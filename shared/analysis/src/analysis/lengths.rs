//! Length of cables: along and across the row of racks, plus the slack of every cable.

use crate::{
    design::Design,
    spec::{Rack, Spec},
};

/// Metres of the cable from a PE to a switch; `None` where one of them stands in no rack.
pub fn length(spec: &Spec, pe: u32, switch: u32) -> Option<f64> {
    Places::of(spec).length(Places::pe, pe, switch)
}

/// Metres of all cables of a wiring, those to a folded uplink switch included; `None` without racks.
pub fn total(spec: &Spec, design: &Design) -> Option<f64> {
    if spec.racks.is_empty() {
        return None;
    }
    let places = Places::of(spec);
    let uplink = spec.uplink_switch();
    let links = spec.uplink.map_or(0.0, |uplink| uplink.links.into());
    let (mut metres, cables) = (0.0, spec.cables());
    for (switch, members) in (0..).zip(design.switches()) {
        if let (Some(true), [from, to]) = (cables.get(switch as usize), members) {
            metres += places
                .pe(*from)
                .zip(places.pe(*to))
                .map_or(0.0, |(from, to)| between(from, to) + places.slack);
            continue;
        }
        metres += members.iter().filter_map(|&pe| places.length(Places::pe, pe, switch)).sum::<f64>();
        if let Some(uplink) = uplink.filter(|&uplink| uplink != switch && !members.is_empty()) {
            metres += links * places.length(Places::switch, switch, uplink).unwrap_or(0.0);
        }
    }
    Some(metres)
}

/// Positions of PEs and switches, by number.
pub struct Places<'a> {
    racks: &'a [Rack],
    slack: f64,
    /// The first PE and the first switch after each rack.
    ends: Vec<(u64, u64)>,
}

impl<'a> Places<'a> {
    /// The racks of a spec.
    pub fn of(spec: &'a Spec) -> Places<'a> {
        let ends = spec.racks.iter().scan((0, 0), |end, rack| {
            *end = (end.0 + u64::from(rack.pes), end.1 + u64::from(rack.switches));
            Some(*end)
        });
        Places { racks: &spec.racks, slack: spec.cable_slack, ends: ends.collect() }
    }

    /// The rack of a PE.
    pub fn pe(&self, pe: u32) -> Option<&'a Rack> {
        self.rack_of_pe(pe).map(|rack| &self.racks[rack])
    }

    /// The rack of a switch.
    pub fn switch(&self, switch: u32) -> Option<&'a Rack> {
        self.rack_of_switch(switch).map(|rack| &self.racks[rack])
    }

    /// Number of the rack of a PE.
    pub fn rack_of_pe(&self, pe: u32) -> Option<usize> {
        Some(self.ends.partition_point(|end| end.0 <= u64::from(pe))).filter(|&rack| rack < self.racks.len())
    }

    /// Number of the rack of a switch.
    pub fn rack_of_switch(&self, switch: u32) -> Option<usize> {
        Some(self.ends.partition_point(|end| end.1 <= u64::from(switch)))
            .filter(|&rack| rack < self.racks.len())
    }

    /// Metres of a cable to a switch, from what `place` finds the rack of.
    fn length(&self, place: impl Fn(&Self, u32) -> Option<&'a Rack>, from: u32, switch: u32) -> Option<f64> {
        let (from, to) = (place(self, from)?, self.switch(switch)?);
        Some(between(from, to) + self.slack)
    }
}

/// Metres from one rack to another, along the row and across it; a cable is longer by its slack.
pub fn between(from: &Rack, to: &Rack) -> f64 {
    (from.x - to.x).abs() + (from.y - to.y).abs()
}
