//! Machines to try things on.

use crate::common::{sparse, spec, wiring};
use shared::{
    analysis::routing::{MultiRoutes, link_layer},
    demand::Demand,
    design::{Design, Faults, Names},
    exports::{Bundle, Settings, format},
    spec::Spec,
};
use std::sync::Arc;

const KASY0: (&str, &str) =
    (include_str!("../../../assets/specs/kasy0.toml"), include_str!("../../../assets/wirings/kasy0.txt"));

/// A spec with its demand and a wiring.
pub type Machine = (Spec, Demand, Design);

/// KLAT2's hardware filled in turn: 64 PEs with four NIs, eight switches with 31 of them, one with 8.
pub fn klat2() -> Machine {
    let text = "name = 'KLAT2'\npes = 64\nnis_per_pe = 4\nobjective = 'universal'\n[[switch]]\nports = 31\ncount = 9\n";
    let (spec, demand) = spec(text);
    let cables: Vec<u32> = (0..256).map(|cable| cable % 64).collect();
    (spec, demand, Design::from_switches(64, cables.chunks(31).map(<[u32]>::to_vec)))
}

pub fn kasy0() -> Machine {
    let (spec, demand) = spec(KASY0.0);
    (spec, demand, wiring(KASY0.1, 128))
}

/// A machine from its table alone.
pub fn machine(pes: u32, nis: u32, table: &str) -> Machine {
    let switches = table.lines().count().max(1) as u32;
    let (spec, demand) = sparse(pes, nis, pes.max(2), switches, &[(0, 1)]);
    (spec, demand, wiring(table, pes))
}

pub fn lab() -> Machine {
    machine(8, 3, "0: 0 1 2 3\n1: 4 5 6 7\n2: 0 1 4 5\n3: 2 3 6 7\n4: 0 2 7\n5: 1 3 5\n")
}

/// Switches in a row, each with one PE in common with the next.
pub fn row() -> Machine {
    machine(9, 2, "0: 0 1 2\n1: 2 3 4\n2: 4 5 6\n3: 6 7 8\n")
}

/// Two parts that nothing joins, PE 6 alone on its switch and PE 7 on none.
pub fn parted() -> Machine {
    machine(8, 2, "0: 0 1 2\n1: 2 3\n2: 4 5\n3: 6\n")
}

/// A few cables here and there: each PE on one to `nics` of the switches.
pub fn scattered(seed: u64, pes: u32, nis: u32, switches: u32) -> Machine {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |below: u32| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as u32 % below
    };
    let mut lists = vec![Vec::new(); switches as usize];
    for pe in 0..pes {
        for _ in 0..1 + next(nis) {
            lists[next(switches) as usize].push(pe);
        }
    }
    let (spec, demand) = sparse(pes, nis, pes, switches, &[(0, 1)]);
    (spec, demand, Design::from_switches(pes, lists))
}

/// All of these and more.
pub fn all() -> Vec<Machine> {
    let mut all = vec![klat2(), kasy0(), lab(), row(), parted()];
    all.extend((1..40).map(|seed| scattered(seed, 6 + seed as u32 % 30, 3, 3 + seed as u32 % 11)));
    all
}

pub fn faults(text: &str, design: &Design) -> Faults {
    Faults::parse(text, design, &Names::new(design.pes(), design.switch_count())).unwrap()
}

/// All paths over what works.
pub fn routes((spec, demand, design): &Machine, faults: &Faults) -> MultiRoutes {
    link_layer(spec, demand, design, faults).unwrap()
}

/// Switches that two PEs share over what works, found by looking at every switch.
pub fn shared(design: &Design, faults: &Faults, a: u32, b: u32) -> Vec<u32> {
    let on = |pe: u32, switch: u32| works(design, faults, pe, switch);
    (0..design.switch_count()).filter(|&switch| a != b && on(a, switch) && on(b, switch)).collect()
}

/// Whether a PE's cable to a switch is there and works.
pub fn works(design: &Design, faults: &Faults, pe: u32, switch: u32) -> bool {
    let dead = faults.switches.contains(&switch) || faults.pes.contains(&pe);
    let there = design.members(switch).contains(&pe);
    there && !dead && !faults.nis.contains(&(pe, ni(design, pe, switch)))
}

/// The NI of a PE on a switch that it is on.
pub fn ni(design: &Design, pe: u32, switch: u32) -> u32 {
    (0..switch).filter(|&lower| design.members(lower).contains(&pe)).count() as u32
}

/// A machine's bundle with settings of a format.
pub fn bundle((spec, demand, design): Machine, name: &str, choices: &[&str]) -> Result<Bundle, String> {
    let settings =
        Settings::read(format(name).unwrap(), choices.iter().copied()).map_err(|e| e.to_string())?;
    Ok(Bundle::new(Arc::new(spec), "", Arc::new(demand), Arc::new(design)).with(settings))
}

/// One file of a format, with settings.
pub fn written(machine: Machine, name: &str, pe: Option<u32>, choices: &[&str]) -> Result<String, String> {
    let mut text = String::new();
    let bundle = bundle(machine, name, choices)?;
    bundle.render(format(name).unwrap(), pe, &mut text).map_err(|e| e.to_string())?;
    Ok(text)
}

/// For each PE the lowest that anything joins it with, itself included, by spreading until nothing changes.
pub fn parts(design: &Design, faults: &Faults) -> Vec<u32> {
    let mut lowest: Vec<u32> = (0..design.pes()).collect();
    loop {
        let before = lowest.clone();
        for switch in 0..design.switch_count() {
            let on: Vec<u32> = (0..design.pes()).filter(|&pe| works(design, faults, pe, switch)).collect();
            let least = on.iter().map(|&pe| lowest[pe as usize]).min();
            on.iter().for_each(|&pe| lowest[pe as usize] = least.unwrap_or(pe));
        }
        if lowest == before {
            return lowest;
        }
    }
}
