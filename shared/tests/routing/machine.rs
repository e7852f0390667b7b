//! A machine as a plain table of who is on which switch, with everything recomputed the slow way.

use shared::design::{Design, Faults, Names, UnknownParts};

/// Failed parts of a design, by number.
pub fn faults(text: &str, design: &Design) -> Result<Faults, UnknownParts> {
    Faults::parse(text, design, &Names::new(design.pes(), design.switch_count()))
}

/// Which cables work.
pub struct Machine {
    pub pes: usize,
    /// For each PE the switches of all its NIs.
    pub nis: Vec<Vec<usize>>,
    /// For each PE and switch whether a working cable joins them.
    pub on: Vec<Vec<bool>>,
    pub dead: Vec<bool>,
}

impl Machine {
    pub fn new(design: &Design, faults: &Faults) -> Machine {
        let (pes, switches) = (design.pes() as usize, design.switch_count() as usize);
        let is_on = |pe: usize, switch: usize| design.members(switch as u32).contains(&(pe as u32));
        let nis: Vec<Vec<usize>> =
            (0..pes).map(|pe| (0..switches).filter(|&switch| is_on(pe, switch)).collect()).collect();
        let mut on: Vec<Vec<bool>> =
            (0..pes).map(|pe| (0..switches).map(|switch| is_on(pe, switch)).collect()).collect();
        let mut dead = vec![false; pes];
        for &switch in &faults.switches {
            on.iter_mut().for_each(|row| row[switch as usize] = false);
        }
        for &pe in &faults.pes {
            dead[pe as usize] = true;
            on[pe as usize].fill(false);
        }
        for &(pe, ni) in &faults.nis {
            on[pe as usize][nis[pe as usize][ni as usize]] = false;
        }
        Machine { pes, nis, on, dead }
    }

    /// Switches that two PEs share.
    pub fn shared(&self, a: usize, b: usize) -> Vec<usize> {
        (0..self.on[a].len()).filter(|&switch| a != b && self.on[a][switch] && self.on[b][switch]).collect()
    }

    /// Which NI of a PE is on a switch, dead ones counted.
    pub fn ni(&self, pe: usize, switch: usize) -> usize {
        self.nis[pe].iter().filter(|&&lower| lower < switch).count()
    }

    /// Switches to cross from each PE to each other (Floyd, Warshall); none where there is no way.
    pub fn distances(&self) -> Vec<Vec<Option<u32>>> {
        let near = |a: usize, b: usize| match a == b {
            true => Some(0),
            false => (!self.shared(a, b).is_empty()).then_some(1),
        };
        let all = 0..self.pes;
        let mut far: Vec<Vec<Option<u32>>> =
            all.clone().map(|a| all.clone().map(|b| near(a, b)).collect()).collect();
        for over in all.clone() {
            for a in all.clone() {
                for b in all.clone() {
                    if let (Some(to), Some(from)) = (far[a][over], far[over][b]) {
                        far[a][b] = Some(far[a][b].map_or(to + from, |known| known.min(to + from)));
                    }
                }
            }
        }
        far
    }

    /// Every pair, lower PE first.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let pes = self.pes;
        (0..pes).flat_map(move |a| (a + 1..pes).map(move |b| (a, b)))
    }

    /// Pairs of living PEs without a way to each other.
    pub fn unreachable(&self) -> u64 {
        let far = self.distances();
        let apart = |&(a, b): &(usize, usize)| !self.dead[a] && !self.dead[b] && far[a][b].is_none();
        self.pairs().filter(apart).count() as u64
    }
}
