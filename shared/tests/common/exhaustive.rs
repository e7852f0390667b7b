//! Small machines by trying everything.

use shared::{demand::Demand, spec::Spec};

/// Steps after which trying everything is given up.
const MAX_STEPS: u32 = 200_000;

/// Whether some wiring keeps all placements and serves every pair: PEs take sets of switches in turn, and of switches that are alike so far only the
/// first ones are tried. `None` if that takes too long.
pub fn solvable(spec: &Spec, demand: &Demand) -> Option<bool> {
    let widths = spec.usable_ports();
    let on = vec![0; widths.len()];
    (widths.len() <= 12).then_some(())?;
    let named = |on: bool, switch: u32| {
        let by = |pe: u32| {
            spec.placements.iter().any(|p| p.on == on && p.pes.contains(&pe) && p.switches.contains(&switch))
        };
        (0..spec.pes).filter(|&pe| by(pe)).fold(0, |set, pe| set | 1 << pe)
    };
    let places = |on: bool| (0..widths.len() as u32).map(|switch| named(on, switch)).collect::<Vec<u32>>();
    let (must, never) = (places(true), places(false));
    Trial { spec, demand, widths, must, never, sets: Vec::new(), on, steps: 0 }.place()
}

struct Trial<'a> {
    spec: &'a Spec,
    demand: &'a Demand,
    widths: Vec<u32>,
    /// PEs that must be on each switch, a bit each.
    must: Vec<u32>,
    /// PEs that must not be on it.
    never: Vec<u32>,
    /// Switches of each PE placed so far, a bit each.
    sets: Vec<u32>,
    /// PEs on each switch, a bit each.
    on: Vec<u32>,
    steps: u32,
}

impl Trial<'_> {
    fn place(&mut self) -> Option<bool> {
        let pe = self.sets.len() as u32;
        if pe == self.spec.pes {
            return Some(true);
        }
        for set in 0..1u32 << self.widths.len() {
            if set.count_ones() > self.spec.nis_of(pe) || !self.fits(pe, set) || !self.serves(pe, set) {
                continue;
            }
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return None;
            }
            self.put(set, pe);
            self.sets.push(set);
            let found = self.place();
            self.sets.pop();
            self.put(set, pe);
            if found != Some(false) {
                return found;
            }
        }
        Some(false)
    }

    fn put(&mut self, set: u32, pe: u32) {
        (0..self.on.len()).filter(|s| set >> s & 1 == 1).for_each(|s| self.on[s] ^= 1 << pe);
    }

    fn fits(&self, pe: u32, set: u32) -> bool {
        let has = |s: usize| set >> s & 1 == 1;
        let of = |s: usize| (self.widths[s], self.on[s], self.must[s], self.never[s]);
        let alike = |s: usize, t: usize| of(s) == of(t);
        let placed =
            |s: usize| (has(s) || self.must[s] >> pe & 1 == 0) && !(has(s) && self.never[s] >> pe & 1 == 1);
        (0..self.on.len()).all(placed)
            && (0..self.on.len())
                .filter(|&s| has(s))
                .all(|s| self.on[s].count_ones() < self.widths[s] && (0..s).all(|t| has(t) || !alike(s, t)))
    }

    fn serves(&self, pe: u32, set: u32) -> bool {
        let pairs = self.demand.pairs().enumerate().filter(|(_, (_, b))| *b == pe);
        pairs
            .into_iter()
            .all(|(pair, (a, _))| (self.sets[a as usize] & set).count_ones() >= self.demand.links(pair))
    }
}
