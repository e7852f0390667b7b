//! The cable list: one line per cable with the labels and [`identifiers`](super::identifiers) of its ends, and its length if racks are
//! known. After a rewiring it also has which cables stay, move or are unplugged, and after a renumbering the old number of each
//! PE.

use super::{CSV, DesignPlan, Format, Render, Written, escape::field, identifiers::Identifiers, machine};
use crate::design::{Design, NiTable};
use std::{collections::HashMap, fmt};

pub(super) const FORMAT: Format = Format {
    settings: &["palette"],
    ..Format::new(
        "cables",
        "cable list: node, NIC, switch, port, colour, label and identifier of both ends, length, and which cables move",
        CSV,
        Render::Text(render),
    )
};

fn render(plan: &DesignPlan, _: u32, out: &mut dyn fmt::Write) -> Written {
    let changes = Changes::of(plan);
    let numbers = old_numbers(plan);
    let last = if changes.is_some() {
        ",change"
    } else if numbers.is_some() {
        ",was_pe"
    } else {
        ""
    };
    writeln!(out, "pe,ni,switch,port,colour,pe_end,switch_end,pe_id,switch_id,length_m{last}")?;
    let identifiers = Identifiers::of(plan);
    for pe in 0..plan.pes() {
        let name = plan.pe_name(pe);
        let mut gone = changes.as_ref().map(|changes| changes.gone(plan, pe).into_iter());
        for (ni, &switch) in plan.nis.of(pe).iter().enumerate() {
            let port = plan.port(switch, pe);
            let colour = field(&machine::colour(plan, switch).name());
            let switch_name = plan.switch_name(switch);
            write!(out, "{pe},{ni},{switch},{port},{colour},{name} NI{ni},{switch_name} port {port},")?;
            write!(out, "{},{},", identifiers.pe_end(pe, ni as u32), identifiers.switch_end(switch, port))?;
            if let Some(metres) = identifiers.length(pe, switch) {
                write!(out, "{metres:.2}")?;
            }
            if let (Some(changes), Some(gone)) = (&changes, &mut gone) {
                match (changes.was(pe, switch), gone) {
                    (true, _) => out.write_str(",stays")?,
                    (false, gone) => match gone.next() {
                        Some(old) => write!(out, ",moves from {}", plan.switch_name(old))?,
                        None => out.write_str(",new")?,
                    },
                }
            }
            if let Some(numbers) = &numbers {
                out.write_str(",")?;
                numbers[pe as usize].map_or(Ok(()), |old| write!(out, "{old}"))?;
            }
            out.write_str("\n")?;
        }
        for old in gone.into_iter().flatten() {
            let (colour, switch_name) = (field(&machine::colour(plan, old).name()), plan.switch_name(old));
            writeln!(out, "{pe},,{old},,{colour},{name},{switch_name},,,,is unplugged")?;
        }
    }
    Ok(())
}

/// The wiring that was there, where cables of one have been moved.
struct Changes(NiTable);

impl Changes {
    fn of(plan: &DesignPlan) -> Option<Changes> {
        before(plan, false).map(Changes)
    }

    fn was(&self, pe: u32, switch: u32) -> bool {
        self.0.of(pe).binary_search(&switch).is_ok()
    }

    /// Switches that a PE was on and is not on.
    fn gone(&self, plan: &DesignPlan, pe: u32) -> Vec<u32> {
        let stays = |switch: &&u32| plan.nis.of(pe).binary_search(switch).is_ok();
        self.0.of(pe).iter().filter(|switch| !stays(switch)).copied().collect()
    }
}

/// The wiring that was there, if PEs were to be renumbered, or if not.
fn before(plan: &DesignPlan, renumbered: bool) -> Option<NiTable> {
    let fits = plan.design.pes() == plan.spec.pes;
    let start = plan.spec.start.as_ref().filter(|start| fits && start.renumber == renumbered)?;
    Some(Design::from_switches(plan.spec.pes, start.switches.iter().cloned()).nis())
}

/// For each PE the number that it had, where PEs were renumbered; none where nobody was cabled like it. Of PEs that were cabled
/// alike those that can keep their numbers do.
fn old_numbers(plan: &DesignPlan) -> Option<Vec<Option<u32>>> {
    let before = before(plan, true)?;
    let pes = plan.spec.pes;
    let keeps = |pe: u32| before.of(pe) == plan.nis.of(pe);
    let mut free: HashMap<&[u32], Vec<u32>> = HashMap::new();
    for old in (0..pes).rev().filter(|&pe| !keeps(pe)) {
        free.entry(before.of(old)).or_default().push(old);
    }
    let old = |pe: u32| {
        if keeps(pe) { Some(pe) } else { free.get_mut(plan.nis.of(pe)).and_then(Vec::pop) }
    };
    Some((0..pes).map(old).collect())
}
