//! Identifiers of cable ends in the style of ANSI/TIA-606-C: rack, position and port, as in `A03-17:NIC2` for a PE and `A04-41:05`
//! for a switch. A cable's identifier is both with `/` between them.
//!
//! A rack is a letter for its row (the distinct `y` of the spec's racks) and a number for its place in the row, from 1. Positions
//! count rack units from the bottom: first PEs, then switches. Parts outside racks use their names.

use super::DesignPlan;
use crate::{
    analysis::lengths,
    design::{Names, RackPlace},
    spec::{Spec, names},
};

/// Names places of a machine.
pub(super) struct Identifiers<'a> {
    spec: &'a Spec,
    names: Names,
    places: lengths::Places<'a>,
    /// Digits of a unit.
    width: usize,
}

impl<'a> Identifiers<'a> {
    /// The identifiers of a plan's machine.
    pub fn of(plan: &'a DesignPlan) -> Identifiers<'a> {
        Identifiers::new(&plan.spec, plan.names.clone())
    }

    /// The identifiers of the parts of a spec.
    pub fn new(spec: &'a Spec, names: Names) -> Identifiers<'a> {
        let highest = names.racks().iter().map(|rack| rack.pes + rack.switches).max().unwrap_or(0);
        let width = highest.to_string().len().max(2);
        Identifiers { spec, names, places: lengths::Places::of(spec), width }
    }

    /// Rack position of a PE.
    pub fn pe_place(&self, pe: u32) -> Option<RackPlace> {
        self.names.pe_place(pe)
    }

    /// Rack position of a switch.
    pub fn switch_place(&self, switch: u32) -> Option<RackPlace> {
        self.names.switch_place(switch)
    }

    /// The end of a cable at a PE, such as `A03-17:NIC2`.
    pub fn pe_end(&self, pe: u32, ni: u32) -> String {
        let place = self.pe_place(pe);
        format!("{}:NIC{ni}", place.map_or_else(|| self.names.pe(pe), |place| self.written(&place)))
    }

    /// The end of a cable at a switch, such as `A04-41:05`.
    pub fn switch_end(&self, switch: u32, port: u32) -> String {
        let place = self.switch_place(switch);
        let name = place.map_or_else(|| self.names.switch(switch), |place| self.written(&place));
        format!("{name}:{port:02}")
    }

    /// Metres of a cable. `None` where no rack is known.
    pub fn length(&self, pe: u32, switch: u32) -> Option<f64> {
        let (from, to) = (self.places.pe(pe)?, self.places.switch(switch)?);
        Some(lengths::between(from, to) + self.spec.cable_slack)
    }

    /// Metres of a cable between two PEs. `None` where no rack is known.
    pub fn length_between_pes(&self, from: u32, to: u32) -> Option<f64> {
        let (from, to) = (self.places.pe(from)?, self.places.pe(to)?);
        Some(lengths::between(from, to) + self.spec.cable_slack)
    }

    /// Metres of a cable between two switches. `None` where no rack is known.
    pub fn length_between_switches(&self, from: u32, to: u32) -> Option<f64> {
        let (from, to) = (self.places.switch(from)?, self.places.switch(to)?);
        Some(lengths::between(from, to) + self.spec.cable_slack)
    }

    /// Every rack's name, with its PEs and switches, in the spec's order.
    pub fn racks(&self) -> impl Iterator<Item = (&str, u64, u64)> {
        self.names.racks().iter().map(|rack| (rack.name.as_str(), rack.pes, rack.switches))
    }

    fn written(&self, place: &RackPlace) -> String {
        format!("{}-{:0width$}", place.rack, place.unit, width = self.width)
    }
}

/// Names of a spec's racks, such as `A03`, in the spec's order.
pub fn rack_names(spec: &Spec) -> Vec<String> {
    names::racks(spec).into_iter().map(|rack| rack.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        demand::Demand,
        design::Design,
        resolve::{self, NoFiles},
    };
    use std::sync::Arc;

    const SPEC: &str =
        "pes = 6\nnis_per_pe = 1\n[[switch]]\nports = 4\ncount = 2\n[[pattern]]\nkind = \"ring\"\n";

    fn plan(racks: &str) -> DesignPlan {
        let text = format!("{SPEC}{racks}");
        let spec = resolve::read(&text, &mut NoFiles).unwrap_or_else(|faults| panic!("{faults}"));
        let demand = Demand::build(&spec).unwrap_or_else(|faults| panic!("{faults}"));
        let design = Design::from_switches(6, [vec![0, 1, 2], vec![3, 4, 5]]);
        DesignPlan::new(Arc::new(spec), text.into(), Arc::new(demand), Arc::new(design), Default::default())
    }

    #[test]
    fn rows_are_letters_and_places_count_from_the_bottom() {
        let plan = plan(
            "[[rack]]\npes = 2\nswitches = 1\nx = 1.2\ny = 3.0\n[[rack]]\npes = 3\nx = 0.6\ny = 3.0\n\
             [[rack]]\npes = 1\nswitches = 1\nx = 0.6\n",
        );
        let identifiers = Identifiers::of(&plan);
        let names: Vec<_> = identifiers.racks().collect();
        assert_eq!(names, [("B02", 2, 1), ("B01", 3, 0), ("A01", 1, 1)]);
        let pes: Vec<String> = (0..6).map(|pe| identifiers.pe_end(pe, 0)).collect();
        assert_eq!(
            pes,
            ["B02-01:NIC0", "B02-02:NIC0", "B01-01:NIC0", "B01-02:NIC0", "B01-03:NIC0", "A01-01:NIC0"]
        );
        assert_eq!(identifiers.switch_end(0, 3), "B02-03:03");
        assert_eq!(identifiers.switch_end(1, 12), "A01-02:12");
        // 0.6 m along, 3 m across, 2 m of slack.
        let length = identifiers.length(0, 1).unwrap();
        assert!((length - 5.6).abs() < 1e-9, "{length}");
    }

    #[test]
    fn without_racks_names_take_the_place() {
        let plan = plan("");
        let identifiers = Identifiers::of(&plan);
        assert_eq!(
            (identifiers.pe_end(5, 0), identifiers.switch_end(1, 7)),
            ("node005:NIC0".into(), "sw01:07".into())
        );
        assert_eq!((identifiers.pe_place(0), identifiers.length(0, 0)), (None, None));
    }
}
