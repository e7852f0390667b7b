//! Rules beyond the limits: PEs that must or must not be on a switch, and a start wiring of which only some cables
//! may move.

use crate::problem::{Problem, genome, useful_names};
use shared::spec::{Spec, Start};

/// Rules of an instance, with renumbered switches.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// (PE, switch) that must be connected, ascending.
    required: Vec<(u32, u32)>,
    /// (PE, switch) that must not be connected, ascending.
    forbidden: Vec<(u32, u32)>,
    /// (PE, switch) of the start wiring, ascending.
    original: Vec<(u32, u32)>,
    /// Cables that may leave the start wiring.
    max_moved: Option<u32>,
}

impl Rules {
    /// The rules of a spec, if it has any. The start wiring counts where the number of moved cables is limited.
    pub fn of(spec: &Spec) -> Option<Rules> {
        let limited = spec.start.as_ref().filter(|start| start.moves.is_some() && !start.renumber);
        (limited.is_some() || !spec.placements.is_empty()).then(|| Rules::build(spec, limited))
    }

    /// The same with the start wiring even where any number of cables may move; `None` without a start wiring.
    pub fn with_originals(spec: &Spec) -> Option<Rules> {
        let start = spec.start.as_ref().filter(|start| !start.renumber)?;
        Some(Rules::build(spec, Some(start)))
    }

    fn build(spec: &Spec, start: Option<&Start>) -> Rules {
        let names = useful_names(spec);
        let compact = |switch: u32| names.binary_search(&switch).ok().map(|s| s as u32);
        let mut rules = Rules { max_moved: start.and_then(|start| start.moves), ..Rules::default() };
        for placement in &spec.placements {
            let pairs = placement.pes.iter().flat_map(|&pe| placement.switches.iter().map(move |&s| (pe, s)));
            let pairs = pairs.filter_map(|(pe, s)| Some((pe, compact(s)?)));
            if placement.on { rules.required.extend(pairs) } else { rules.forbidden.extend(pairs) }
        }
        if let Some(start) = start {
            for (switch, members) in (0..).zip(start.switches.iter()) {
                rules
                    .original
                    .extend(compact(switch).into_iter().flat_map(|s| members.iter().map(move |&pe| (pe, s))));
            }
        }
        for list in [&mut rules.required, &mut rules.forbidden, &mut rules.original] {
            list.sort_unstable();
            list.dedup();
        }
        rules
    }

    /// `true` if a PE must be on a switch.
    pub fn is_required(&self, pe: u32, switch: u32) -> bool {
        self.required.binary_search(&(pe, switch)).is_ok()
    }

    /// `true` if a PE may be on a switch.
    pub fn is_allowed(&self, pe: u32, switch: u32) -> bool {
        self.forbidden.is_empty() || self.forbidden.binary_search(&(pe, switch)).is_err()
    }

    /// `true` if the start wiring has this cable.
    pub fn is_original(&self, pe: u32, switch: u32) -> bool {
        self.original.binary_search(&(pe, switch)).is_ok()
    }

    /// Switches that a PE must be on.
    pub fn required_of(&self, pe: u32) -> impl Iterator<Item = u32> + '_ {
        of(&self.required, pe)
    }

    /// Switches of a PE in the start wiring.
    pub fn originals_of(&self, pe: u32) -> impl Iterator<Item = u32> + '_ {
        of(&self.original, pe)
    }

    /// Number of cables of the start wiring that a genome does not have.
    pub fn moved(&self, problem: &Problem, genome: &[u32]) -> u32 {
        let gone = |&&(pe, switch): &&(u32, u32)| !genome[problem.nis_of(pe)].contains(&switch);
        self.original.iter().filter(gone).count() as u32
    }

    /// Maximum number of moved cables, if limited.
    pub fn max_moved(&self) -> Option<u32> {
        self.max_moved
    }
}

fn of(list: &[(u32, u32)], pe: u32) -> impl Iterator<Item = u32> + '_ {
    let from = list.partition_point(|&(p, _)| p < pe);
    list[from..].iter().take_while(move |&&(p, _)| p == pe).map(|&(_, s)| s)
}

/// The start wiring as a genome.
pub fn start_genome(spec: &Spec) -> Option<Vec<u32>> {
    let start = spec.start.as_ref()?;
    Some(genome(spec, start.switches.iter().map(Vec::as_slice)).0)
}
