//! Identifiers of cable ends in the style of ANSI/TIA-606-C: rack, position and port, as in `A03-17:NIC2` for a PE and `A04-41:05`
//! for a switch. A cable's identifier is both with `/` between them.
//!
//! A rack is a letter for its row (the distinct `y` of the spec's racks) and a number for its place in the row, from 1. Positions
//! count rack units from the bottom: first PEs, then switches. Parts outside racks use their names.

use super::DesignPlan;
use crate::{analysis::lengths, design::Names, spec::Spec};
use std::cmp::Ordering;

/// Names racks and places of a machine.
pub(super) struct Identifiers<'a> {
    spec: &'a Spec,
    names: Names,
    places: lengths::Places<'a>,
    racks: Vec<RackName>,
    /// Digits of a unit.
    width: usize,
}

/// Rack position of a PE or a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The rack, such as `A03`.
    pub rack: String,
    /// The rack unit, from 1 at the bottom, where each PE and each switch takes one.
    pub unit: u32,
}

/// A rack, with the numbers that PEs and switches begin with in it.
struct RackName {
    name: String,
    first_pe: u64,
    first_switch: u64,
    pes: u64,
    switches: u64,
}

impl<'a> Identifiers<'a> {
    /// The identifiers of a plan's machine.
    pub fn of(plan: &'a DesignPlan) -> Identifiers<'a> {
        Identifiers::new(&plan.spec, Names::of(&plan.design))
    }

    /// The identifiers of the parts of a spec.
    pub fn new(spec: &'a Spec, names: Names) -> Identifiers<'a> {
        let racks = racks(spec);
        let highest = racks.iter().map(|rack| rack.pes + rack.switches).max().unwrap_or(0);
        let width = highest.to_string().len().max(2);
        Identifiers { spec, names, places: lengths::Places::of(spec), racks, width }
    }

    /// Rack position of a PE.
    pub fn pe_place(&self, pe: u32) -> Option<Place> {
        let rack = self.rack_of(pe.into(), |rack| rack.first_pe, |rack| rack.pes)?;
        Some(Place { rack: rack.name.clone(), unit: (u64::from(pe) - rack.first_pe + 1) as u32 })
    }

    /// Rack position of a switch.
    pub fn switch_place(&self, switch: u32) -> Option<Place> {
        let rack = self.rack_of(switch.into(), |rack| rack.first_switch, |rack| rack.switches)?;
        let unit = rack.pes + u64::from(switch) - rack.first_switch + 1;
        Some(Place { rack: rack.name.clone(), unit: unit as u32 })
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

    /// Every rack's name, with its PEs and switches, in the spec's order.
    pub fn racks(&self) -> impl Iterator<Item = (&str, u64, u64)> {
        self.racks.iter().map(|rack| (rack.name.as_str(), rack.pes, rack.switches))
    }

    fn written(&self, place: &Place) -> String {
        format!("{}-{:0width$}", place.rack, place.unit, width = self.width)
    }

    fn rack_of(
        &self,
        number: u64,
        first: impl Fn(&RackName) -> u64,
        count: impl Fn(&RackName) -> u64,
    ) -> Option<&RackName> {
        let after = self.racks.partition_point(|rack| first(rack) + count(rack) <= number);
        self.racks.get(after)
    }
}

/// Names of a spec's racks, such as `A03`, in the spec's order.
pub fn rack_names(spec: &Spec) -> Vec<String> {
    racks(spec).into_iter().map(|rack| rack.name).collect()
}

/// Names the racks of a spec: rows by `y`, and in a row places by `x`. Of racks on the same spot the earlier comes first.
fn racks(spec: &Spec) -> Vec<RackName> {
    let mut order: Vec<usize> = (0..spec.racks.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&spec.racks[a], &spec.racks[b]);
        // Neither is NaN, and -0 stands where 0 does.
        a.y.partial_cmp(&b.y)
            .and_then(|row| Some(row.then(a.x.partial_cmp(&b.x)?)))
            .unwrap_or(Ordering::Equal)
    });
    let rows: Vec<&[usize]> = order.chunk_by(|&a, &b| spec.racks[a].y == spec.racks[b].y).collect();
    let longest = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let digits = longest.to_string().len().max(2);
    let mut names = vec![String::new(); spec.racks.len()];
    for (row, members) in rows.into_iter().enumerate() {
        for (at, &rack) in members.iter().enumerate() {
            names[rack] = format!("{}{:0digits$}", letters(row), at + 1);
        }
    }
    let (mut first_pe, mut first_switch) = (0, 0);
    let named = spec.racks.iter().zip(names).map(|(rack, name)| {
        let (pes, switches) = (u64::from(rack.pes), u64::from(rack.switches));
        let named = RackName { name, first_pe, first_switch, pes, switches };
        (first_pe, first_switch) = (first_pe + pes, first_switch + switches);
        named
    });
    named.collect()
}

/// A, B, ... Z, AA, AB, ...
fn letters(row: usize) -> String {
    let mut name = String::new();
    let mut rest = row + 1;
    while rest > 0 {
        rest -= 1;
        name.insert(0, char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    name
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
            ("pe005:NIC0".into(), "sw01:07".into())
        );
        assert_eq!((identifiers.pe_place(0), identifiers.length(0, 0)), (None, None));
    }

    #[test]
    fn rows_go_on_after_z() {
        assert_eq!([0, 25, 26, 701, 702].map(letters), ["A", "Z", "AA", "ZZ", "AAA"]);
    }
}
