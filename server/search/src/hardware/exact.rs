//! Small wirings by trying everything: a wiring, or the proof that there is none.
//!
//! Picks the uncovered pair that can meet on the fewest switches, and tries each of them. Later branches exclude the
//! switches tried before, so that no wiring is reached twice. Empty switches of equal width are one choice.

use spec::{
    demand::Demand,
    design::Design,
    spec::{Objective, Spec},
};

/// Max nodes.
const MAX_PES: u32 = 24;
/// Max switches.
pub const MAX_SWITCHES: u32 = 32;
/// Max work of one decision, in pairs times switches per step: seconds at most.
const MAX_WORK: u64 = 1 << 25;
/// Steps between two checks for a cancel.
const CHECK: u32 = 1 << 10;

/// Answer to whether hardware suffices.
pub enum Decision {
    /// It does, with this wiring.
    Wiring(Design),
    /// It does not.
    Impossible,
    /// Too large to try everything, or stopped.
    Open,
}

/// `true` if everything may be tried for a spec: small, one link per pair, and no rule about single switches.
pub fn suits(spec: &Spec, demand: &Demand) -> bool {
    let small = spec.pes <= MAX_PES && spec.switch_budget() <= MAX_SWITCHES && spec.pes == demand.pes();
    let bare = spec.placements.is_empty() && spec.kept.is_empty() && spec.start.is_none() && !spec.rail;
    let plain = || (0..demand.len()).all(|pair| demand.links(pair) == 1 && demand.extra(pair) == 0);
    small && bare && spec.uplink_switch().is_none() && spec.objective != Objective::Fractional && plain()
}

/// Decides whether the switches of a spec serve every pair with at most `max_cables` cables.
pub fn decide(spec: &Spec, demand: &Demand, max_cables: u64, go_on: &mut dyn FnMut() -> bool) -> Decision {
    if !suits(spec, demand) {
        return Decision::Open;
    }
    let ports = spec.usable_ports();
    let mut trial = Trial::new(spec, demand, &ports, max_cables, go_on);
    match trial.place() {
        Some(true) => Decision::Wiring(trial.design()),
        Some(false) => Decision::Impossible,
        None => Decision::Open,
    }
}

struct Trial<'a> {
    /// Requested partners of each PE, one bit each.
    partners: Vec<u32>,
    /// PEs on each switch, one bit each.
    on: Vec<u32>,
    ports: Vec<u32>,
    /// Switches of each PE, one bit each.
    switches: Vec<u32>,
    /// Free NIs of each PE.
    free: Vec<u32>,
    /// For each PE and switch, the PEs that it may not meet there, one bit each.
    excluded: Vec<u32>,
    cables: u64,
    steps: u32,
    max_steps: u32,
    go_on: &'a mut dyn FnMut() -> bool,
}

/// A switch on which a pair can meet, and those of the two PEs that it lacks, one bit each.
type Meeting = (usize, u32);

impl<'a> Trial<'a> {
    fn new(
        spec: &Spec,
        demand: &Demand,
        ports: &[u32],
        max_cables: u64,
        go_on: &'a mut dyn FnMut() -> bool,
    ) -> Trial<'a> {
        let pes = spec.pes as usize;
        let each = demand.len() as u64 * ports.len() as u64;
        let mut partners = vec![0; pes];
        for (a, b) in demand.pairs() {
            partners[a as usize] |= 1 << b;
            partners[b as usize] |= 1 << a;
        }
        Trial {
            partners,
            on: vec![0; ports.len()],
            ports: ports.to_vec(),
            switches: vec![0; pes],
            free: spec.nis_per_pe().collect(),
            excluded: vec![0; pes * ports.len()],
            cables: max_cables,
            steps: 0,
            max_steps: u32::try_from(MAX_WORK / each.max(1)).unwrap_or(u32::MAX),
            go_on,
        }
    }

    fn design(&self) -> Design {
        let members = |on: &u32| (0..self.free.len() as u32).filter(|pe| on >> pe & 1 == 1).collect();
        Design::from_switches(self.free.len() as u32, self.on.iter().map(members).collect::<Vec<Vec<u32>>>())
    }

    /// `Some(true)` once every pair meets; `None` if that takes too long.
    fn place(&mut self) -> Option<bool> {
        self.steps += 1;
        if self.steps > self.max_steps || (self.steps.is_multiple_of(CHECK) && !(self.go_on)()) {
            return None;
        }
        let Some((a, b, options)) = self.tightest() else { return Some(true) };
        let mut excluded = 0u32;
        let mut answer = Some(false);
        for (switch, lacking) in options {
            self.plug(switch, lacking);
            answer = self.place();
            if answer == Some(true) {
                return answer;
            }
            self.unplug(switch, lacking);
            if answer.is_none() {
                break;
            }
            // Switches excluded further up stay excluded.
            let alike = self.alike(switch) & !self.excluded_for(a, b);
            self.toggle(a, b, alike);
            excluded |= alike;
        }
        self.toggle(a, b, excluded);
        answer
    }

    /// Switches on which two PEs may not meet.
    fn excluded_for(&self, a: usize, b: usize) -> u32 {
        let switches = self.on.len();
        let is_out = |s: &usize| self.excluded[a * switches + s] >> b & 1 == 1;
        (0..switches).filter(is_out).fold(0, |set, s| set | 1 << s)
    }

    /// Excludes two PEs from meeting on a set of switches, or allows it again.
    fn toggle(&mut self, a: usize, b: usize, set: u32) {
        let switches = self.on.len();
        for switch in (0..switches).filter(|s| set >> s & 1 == 1) {
            self.excluded[a * switches + switch] ^= 1 << b;
            self.excluded[b * switches + switch] ^= 1 << a;
        }
    }

    /// The switch, or all empty switches that are equal to it.
    fn alike(&self, switch: usize) -> u32 {
        if self.on[switch] != 0 {
            return 1 << switch;
        }
        let same = |&s: &usize| self.on[s] == 0 && self.ports[s] == self.ports[switch];
        (0..self.on.len()).filter(same).fold(0, |set, s| set | 1 << s)
    }

    /// The uncovered pair with the fewest options, with its options; none if all pairs meet. A PE that cannot reach its
    /// partners has no option.
    fn tightest(&self) -> Option<(usize, usize, Vec<Meeting>)> {
        let mut best: Option<(usize, usize, Vec<Meeting>)> = None;
        for a in 0..self.free.len() {
            let met =
                (0..self.on.len()).filter(|s| self.switches[a] >> s & 1 == 1).fold(0, |m, s| m | self.on[s]);
            let missing = self.partners[a] & !met;
            if missing != 0 && !self.can_reach(a, missing) {
                let other = missing.trailing_zeros() as usize;
                return Some((a, other, Vec::new()));
            }
            let upward = missing & (u32::MAX << a);
            for b in (a + 1..self.free.len()).filter(|b| upward >> b & 1 == 1) {
                let most = best.as_ref().map_or(usize::MAX, |(.., options)| options.len());
                let options = self.options(a, b, most);
                if options.len() < most {
                    if options.is_empty() {
                        return Some((a, b, options));
                    }
                    best = Some((a, b, options));
                }
            }
        }
        best
    }

    /// `true` unless the ports on the switches of a PE and behind its free NIs are too few for its missing partners.
    fn can_reach(&self, pe: usize, missing: u32) -> bool {
        let room = |s: usize| self.ports[s] - self.on[s].count_ones();
        let (mut own, mut gains) = (0, Vec::with_capacity(self.on.len()));
        for switch in 0..self.on.len() {
            if self.switches[pe] >> switch & 1 == 1 {
                own += room(switch);
            } else if room(switch) > 0 {
                gains.push((self.on[switch] & missing).count_ones() + room(switch) - 1);
            }
        }
        gains.sort_unstable_by(|a, b| b.cmp(a));
        own + gains.iter().take(self.free[pe] as usize).sum::<u32>() >= missing.count_ones()
    }

    /// Switches on which two PEs can meet, fewer than `most` of them, those that take the fewest cables first.
    fn options(&self, a: usize, b: usize, most: usize) -> Vec<Meeting> {
        let mut options: Vec<Meeting> = Vec::new();
        let mut empty = 0u32;
        for switch in 0..self.on.len() {
            let lacking = (1u32 << a | 1 << b) & !self.on[switch];
            let count = lacking.count_ones();
            if self.excluded[a * self.on.len() + switch] >> b & 1 == 1
                || empty >> switch & 1 == 1
                || self.ports[switch] < self.on[switch].count_ones() + count
                || u64::from(count) > self.cables
                || [a, b].iter().any(|&pe| lacking >> pe & 1 == 1 && !self.may_join(pe, switch))
            {
                continue;
            }
            if self.on[switch] == 0 {
                empty |= self.alike(switch);
            }
            options.push((switch, lacking));
            if options.len() >= most {
                break;
            }
        }
        options.sort_by_key(|(_, lacking)| lacking.count_ones());
        options
    }

    /// `true` if a PE has an NI for a switch and no excluded partner there.
    fn may_join(&self, pe: usize, switch: usize) -> bool {
        self.free[pe] > 0 && self.on[switch] & self.excluded[pe * self.on.len() + switch] == 0
    }

    fn plug(&mut self, switch: usize, pes: u32) {
        self.on[switch] |= pes;
        self.cables -= u64::from(pes.count_ones());
        for pe in (0..self.free.len()).filter(|pe| pes >> pe & 1 == 1) {
            self.switches[pe] |= 1 << switch;
            self.free[pe] -= 1;
        }
    }

    fn unplug(&mut self, switch: usize, pes: u32) {
        self.on[switch] &= !pes;
        self.cables += u64::from(pes.count_ones());
        for pe in (0..self.free.len()).filter(|pe| pes >> pe & 1 == 1) {
            self.switches[pe] &= !(1 << switch);
            self.free[pe] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spec::{
        design::check,
        resolve::{self, NoFiles},
    };

    fn decided(text: &str, max_cables: u64) -> Decision {
        let spec = resolve::read(text, &mut NoFiles).unwrap();
        let demand = Demand::build(&spec).unwrap();
        let decision = decide(&spec, &demand, max_cables, &mut || true);
        if let Decision::Wiring(design) = &decision {
            assert!(check(&spec, &demand, design).holds());
            assert!(design.cables() as u64 <= max_cables);
        }
        decision
    }

    fn eight(switches: u32) -> String {
        format!(
            "pes = 8\nnis_per_pe = 3\nobjective = \"universal\"\n[[switch]]\nports = 5\ncount = {switches}\n"
        )
    }

    #[test]
    fn eight_nodes_meet_on_four_switches_of_five_ports_and_not_on_three() {
        assert!(matches!(decided(&eight(4), 20), Decision::Wiring(_)));
        assert!(matches!(decided(&eight(3), 15), Decision::Impossible));
    }

    #[test]
    fn a_limit_of_cables_is_kept() {
        let ring = "pes = 6\nnis_per_pe = 2\nobjective = \"sparse\"\n[[switch]]\nports = 4\ncount = 3\n[[pattern]]\nkind = \"ring\"\n";
        // Two switches of four nodes, which share two.
        assert!(matches!(decided(ring, 8), Decision::Wiring(_)));
        assert!(matches!(decided(ring, 7), Decision::Impossible));
    }

    #[test]
    fn the_fano_plane_is_the_only_wiring_of_seven_nodes_on_seven_switches_of_three_ports() {
        let plane = |count: u32| {
            format!(
                "pes = 7\nnis_per_pe = 3\nobjective = \"universal\"\n[[switch]]\nports = 3\ncount = {count}\n"
            )
        };
        assert!(matches!(decided(&plane(7), 21), Decision::Wiring(_)));
        assert!(matches!(decided(&plane(6), 21), Decision::Impossible));
    }

    #[test]
    fn large_hardware_is_left_open() {
        let large = "pes = 25\nnis_per_pe = 2\nobjective = \"sparse\"\n[[switch]]\nports = 4\ncount = 9\n[[pattern]]\nkind = \"ring\"\n";
        assert!(matches!(decided(large, 50), Decision::Open));
    }
}
