//! Small machines for tests.

pub mod exhaustive;
pub mod pdf;

use shared::{
    demand::Demand,
    design::{Design, table},
    resolve::{self, NoFiles},
    spec::Spec,
};

/// A spec and its demand from TOML.
pub fn spec(text: &str) -> (Spec, Demand) {
    let spec = resolve::read(text, &mut NoFiles).unwrap_or_else(|faults| panic!("{faults}"));
    let demand = Demand::build(&spec).unwrap_or_else(|faults| panic!("{faults}"));
    (spec, demand)
}

/// A sparse spec on given pairs.
pub fn sparse(pes: u32, nis: u32, ports: u32, switches: u32, pairs: &[(u32, u32)]) -> (Spec, Demand) {
    let list: String = pairs.iter().map(|(a, b)| format!("{a} {b}\n")).collect();
    let text = format!(
        "pes = {pes}\nnis_per_pe = {nis}\n[[switch]]\nports = {ports}\ncount = {switches}\n\
         [[pattern]]\nkind = \"matrix\"\npairs = \"\"\"\n{list}\"\"\"\n"
    );
    spec(&text)
}

/// A wiring from its table.
pub fn wiring(text: &str, pes: u32) -> Design {
    table::parse(text, pes).unwrap_or_else(|faults| panic!("{faults:?}"))
}
