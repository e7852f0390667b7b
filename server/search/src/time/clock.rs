//! The time of a wiring, as a whole and change by change.
//!
//! Bytes of a transfer are spread evenly over the switches that its two nodes share. A channel is one direction of a NIC. A phase
//! takes as long as its busiest channel.

use crate::problem::{NONE, Problem};
use shared::{
    cancel::checked,
    demand::collective::Transfer,
    estimate::timing::{Seconds, Timing},
    spec::Spec,
};

/// Switches that two nodes without a common one count as sharing: slower than any wiring that serves them.
const APART: f64 = 0.25;
/// Exponent, as a power of 2, of the mean over channels that stands for the busiest one.
const EXPONENT: u32 = 5;
/// Seconds that a second of communication counts as beside the step.
const HIDDEN: f64 = 0.02;
/// A step counts as this many parts; smaller differences are none.
const PARTS: f64 = 10_000.0;

/// A transfer in both directions, in one phase.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// The nodes.
    pub ends: [u32; 2],
    /// Bytes from the first to the second, and back.
    pub bytes: [f64; 2],
    /// Number among the phases of all lanes.
    pub phase: u32,
}

impl Flow {
    /// The four channels between two NIs, of a phase whose channels begin at `starts`, with the bytes of their direction.
    pub fn channels(&self, starts: [usize; 2], nis: [usize; 2]) -> [(usize, f64); 4] {
        let ([sent, received], [a, b], [to, back]) = (starts, nis, self.bytes);
        [(sent + a, to), (received + b, to), (sent + b, back), (received + a, back)]
    }
}

/// The traffic of a spec as the search reads it. Read only, shared by all islands.
#[derive(Debug)]
pub struct Clock {
    timing: Timing,
    /// A time that no wiring beats.
    pub bound: Seconds,
    /// All transfers, those of one pair and phase as one.
    pub flows: Vec<Flow>,
    /// Flows of node p: `own[starts[p]..starts[p + 1]]`.
    starts: Vec<u32>,
    own: Vec<u32>,
    /// The lane of each phase.
    lane: Vec<usize>,
}

/// Bytes on every channel, phase by phase: first what NICs send, then what they receive.
pub struct Loads {
    /// NICs of all nodes.
    nis: usize,
    /// Bytes of phase p that NIC i sends: `bytes[2 p nis + i]`, and receives: `bytes[(2 p + 1) nis + i]`.
    pub bytes: Vec<f64>,
}

impl Clock {
    /// The traffic of a spec; `None` without any that has bytes.
    pub fn of(spec: &Spec) -> Option<Clock> {
        let timing = Timing::of(spec)?;
        let bound = timing.bound(spec);
        let (mut flows, mut lane) = (Vec::<Flow>::new(), Vec::new());
        for (number, of) in timing.lanes.iter().enumerate() {
            for groups in &of.phases {
                let phase = lane.len() as u32;
                lane.push(number);
                let ordered = |t: &Transfer| match t.ends {
                    [a, b] if a < b => Flow { ends: [a, b], bytes: t.bytes, phase },
                    [a, b] => Flow { ends: [b, a], bytes: [t.bytes[1], t.bytes[0]], phase },
                };
                let first = flows.len();
                flows.extend(checked(groups.iter().flatten()).map(ordered));
                flows[first..].sort_by_key(|flow| flow.ends);
                let mut kept = first;
                for at in first..flows.len() {
                    let next = flows[at];
                    if kept > first && flows[kept - 1].ends == next.ends {
                        let last = &mut flows[kept - 1].bytes;
                        *last = [last[0] + next.bytes[0], last[1] + next.bytes[1]];
                    } else {
                        flows[kept] = next;
                        kept += 1;
                    }
                }
                flows.truncate(kept);
            }
        }
        let mut starts = vec![0u32; spec.pes as usize + 1];
        let ends = || flows.iter().flat_map(|flow| flow.ends);
        ends().for_each(|end| starts[end as usize + 1] += 1);
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let (mut next, mut own) = (starts.clone(), vec![0; 2 * flows.len()]);
        for (number, flow) in (0..).zip(&flows) {
            for end in flow.ends {
                own[next[end as usize] as usize] = number;
                next[end as usize] += 1;
            }
        }
        Some(Clock { timing, bound, flows, starts, own, lane })
    }

    /// Numbers of a node's flows.
    pub fn flows_of(&self, node: u32) -> &[u32] {
        &self.own[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// Number of phases of all lanes.
    pub fn phases(&self) -> usize {
        self.lane.len()
    }

    /// The times of all lanes put together, from the bytes of each phase's busiest channel.
    pub fn seconds(&self, busiest: &[f64]) -> Seconds {
        let mut lanes: Vec<f64> = self.timing.lanes.iter().map(|lane| lane.latency).collect();
        for (&bytes, &lane) in busiest.iter().zip(&self.lane) {
            lanes[lane] += bytes / self.timing.rate;
        }
        self.timing.total(lanes)
    }

    /// The time of a wiring, given as the switch of every NI.
    pub fn of_wiring(&self, problem: &Problem, genome: &[u32]) -> Seconds {
        self.seconds(&self.loads(problem, genome).busiest())
    }

    /// Bytes on every channel of a wiring.
    pub fn loads(&self, problem: &Problem, genome: &[u32]) -> Loads {
        let nis = problem.nis() as usize;
        let mut loads = Loads { nis, bytes: vec![0.0; 2 * nis * self.phases()] };
        for flow in checked(&self.flows) {
            loads.add(problem, genome, flow);
        }
        loads
    }

    /// Seconds that construction and annealing lower: the step, and a little of the communication that it hides.
    pub fn energy(&self, busiest: &[f64]) -> f64 {
        let seconds = self.seconds(busiest);
        seconds.step + HIDDEN * seconds.communication
    }

    /// What the search lowers: parts of a ten thousandth of the bound above the bound, then microseconds of communication.
    pub fn cost(&self, seconds: Seconds) -> u64 {
        let parts = ((seconds.step - self.bound.step) / self.bound.step.max(1e-12) * PARTS).clamp(0.0, 4e6);
        // The step of a wiring at the bound may differ from it by rounding.
        let parts = (parts + 1e-3) as u64;
        let most = (1u64 << 40) - 1;
        parts << 40 | ((seconds.communication * 1e6) as u64).min(most)
    }
}

impl Loads {
    /// Adds a flow's bytes to the channels of its NICs.
    fn add(&mut self, problem: &Problem, genome: &[u32], flow: &Flow) {
        let starts = self.starts(flow.phase);
        each_share(problem, genome, flow, &mut |nis, share| {
            for (at, bytes) in flow.channels(starts, nis) {
                self.bytes[at] += bytes * share;
            }
        });
    }

    /// Where the channels of a phase begin: those that NICs send on, and those that they receive on.
    pub fn starts(&self, phase: u32) -> [usize; 2] {
        let first = 2 * phase as usize * self.nis;
        [first, first + self.nis]
    }

    /// Number of channels of a phase.
    pub fn channels(&self) -> usize {
        2 * self.nis
    }

    /// Bytes of the busiest channel of each phase.
    pub fn busiest(&self) -> Vec<f64> {
        let most = |bytes: &[f64]| bytes.iter().copied().fold(0.0, f64::max);
        self.bytes.chunks(2 * self.nis.max(1)).map(most).collect()
    }

    /// For each phase, the mean of [powers](power) of the bytes on channels, and its root: close to the busiest channel,
    /// and less if fewer are as busy.
    pub fn smooth(&self) -> Vec<f64> {
        let of = |bytes: &[f64]| {
            let most = bytes.iter().copied().fold(0.0, f64::max);
            let used = bytes.iter().filter(|&&bytes| bytes > 0.0).count().max(1) as f64;
            let sum: f64 = bytes.iter().map(|bytes| power(bytes / most.max(1e-300))).sum();
            most * root(sum / used)
        };
        self.bytes.chunks(2 * self.nis.max(1)).map(of).collect()
    }
}

/// Calls `add` with the NIs of a flow's two nodes on each switch that they share, and the share of the bytes there. Nodes apart
/// have their bytes on all NIs, at a rate that no wiring is as slow as.
pub fn each_share(problem: &Problem, genome: &[u32], flow: &Flow, add: &mut impl FnMut([usize; 2], f64)) {
    let [from, to] = flow.ends.map(|end| problem.nis_of(end));
    let mut shared = 0;
    for a in from.clone() {
        let switch = genome[a];
        shared += u32::from(switch != NONE && genome[to.clone()].contains(&switch));
    }
    if shared == 0 {
        let share = 1.0 / APART;
        from.zip(to).for_each(|(a, b)| add([a, b], share));
        return;
    }
    let share = 1.0 / f64::from(shared);
    for a in from.filter(|&a| genome[a] != NONE) {
        let first = to.start;
        if let Some(at) = genome[to.clone()].iter().position(|&switch| switch == genome[a]) {
            add([a, first + at], share);
        }
    }
}

/// A power so high that the largest of many values decides their sum.
pub fn power(value: f64) -> f64 {
    (0..EXPONENT).fold(value, |value, _| value * value)
}

/// The root of that [power].
pub fn root(value: f64) -> f64 {
    (0..EXPONENT).fold(value, |value, _| value.sqrt())
}
