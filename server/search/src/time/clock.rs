//! The time of a wiring, as a whole and change by change.
//!
//! The job's library chooses the switches of a transfer among those that its two nodes share, or else of those that uplink switches
//! join. A channel is one direction of a NIC, or of the uplinks of a switch, which share its bytes evenly. A phase takes as long as its
//! busiest channel. Wirings are [in order](in_order).

use crate::{
    problem::{NONE, Problem, useful_names},
    wiring::{Genome, Wiring},
};
use analysis::analysis::library::{Devices, IDLE, Library, choose};
use spec::{
    cancel::checked,
    demand::collective::Transfer,
    spec::{Spec, job::Dimension},
};
use work::estimate::timing::{Seconds, Timing};

/// Switches that a transfer which the library does not connect counts as having: slower than any wiring that serves it.
const APART: f64 = 0.25;
/// Exponent, as a power of 2, of the mean over channels that stands for the busiest one.
const EXPONENT: u32 = 5;
/// Seconds that a second of communication counts as beside the step.
const HIDDEN: f64 = 0.02;
/// The bounds on a step and on its communication count as this many parts each; smaller differences are none.
const PARTS: f64 = 10_000.0;
/// Max parts, and devices, that are told apart.
const MAX_PARTS: f64 = (1 << 20) as f64;

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
    /// `true` if uplink switches serve pairs without a shared switch.
    pub serves_over_uplinks: bool,
}

/// Bytes on every channel, phase by phase.
pub struct Loads {
    /// NICs of all nodes.
    nis: usize,
    /// Switches, if they have uplinks.
    switches: usize,
    /// Bytes of the channels of each phase: those that NICs send, that they receive, up from switches, and down to them; those of
    /// uplinks divided by their number.
    pub bytes: Vec<f64>,
    /// What goes otherwise than over one switch.
    pub misses: Misses,
}

/// What goes otherwise than over one switch, over all flows and directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Misses {
    /// Devices that the library does not reach.
    pub broken: u64,
    /// Flows over uplink switches, by the lane of their phase; the last count has all further lanes.
    pub over: [u32; LANES],
}

/// Lanes that are told apart: one for each dimension of a job.
pub const LANES: usize = Dimension::ALL.len();

impl Misses {
    /// Adds others, or takes them away.
    pub fn shift(&mut self, others: Misses, sign: f64) {
        if sign < 0.0 {
            self.broken -= others.broken;
            self.over.iter_mut().zip(others.over).for_each(|(over, other)| *over -= other);
        } else {
            self.broken += others.broken;
            self.over.iter_mut().zip(others.over).for_each(|(over, other)| *over += other);
        }
    }
}

impl Clock {
    /// The traffic of a spec; `None` without any that has bytes.
    pub fn of(spec: &Spec) -> Option<Clock> {
        let mut timing = Timing::of(spec).filter(|timing| !timing.lanes.is_empty())?;
        let names = useful_names(spec);
        let compact = |switch: u32| names.binary_search(&switch).map_or(u32::MAX, |at| at as u32);
        timing.spine = timing.spine.map(|spine| spine.numbered(names.len() as u32, compact));
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
        let serves_over_uplinks = spec.serves_over_uplinks();
        Some(Clock { timing, bound, flows, starts, own, lane, serves_over_uplinks })
    }

    /// `true` if a pair that shares a switch may still not connect, by the places of its switches among those of both nodes.
    pub fn is_selective(&self) -> bool {
        self.timing.library == Library::Nccl
    }

    /// `true` if every pair of a wiring is served: by a shared switch, or over uplink switches.
    pub fn serves_all(&self, wiring: &Wiring) -> bool {
        wiring.cost() == 0 || self.serves_over_uplinks
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
    pub fn seconds(&self, busiest: &[f64], misses: &Misses) -> Seconds {
        let latency = |lane: usize| match misses.over[lane.min(LANES - 1)] {
            0 => self.timing.latency,
            _ => self.timing.latency_over,
        };
        let lanes = self.timing.lanes.iter().enumerate();
        let mut lanes: Vec<f64> = lanes.map(|(at, lane)| lane.messages * latency(at)).collect();
        for (&bytes, &lane) in busiest.iter().zip(&self.lane) {
            lanes[lane] += bytes / self.timing.rate;
        }
        self.timing.total(lanes)
    }

    /// Bytes on every channel of a wiring.
    pub fn loads(&self, problem: &Problem, genome: &[u32]) -> Loads {
        let nis = problem.nis() as usize;
        let switches = self.switches(problem);
        let bytes = vec![0.0; 2 * (nis + switches) * self.phases()];
        let mut loads = Loads { nis, switches, bytes, misses: Misses::default() };
        let ordered = in_order(problem, genome);
        for flow in checked(&self.flows) {
            let bytes = &mut loads.bytes;
            let misses = self.spread(problem, &ordered, flow, &mut |at, more| bytes[at] += more);
            loads.misses.shift(misses, 1.0);
        }
        loads
    }

    /// Number of switches that have channels.
    fn switches(&self, problem: &Problem) -> usize {
        self.timing.spine.map_or(0, |_| problem.switches() as usize)
    }

    /// Seconds that construction and annealing lower: the step, and a little of the communication that it hides.
    pub fn energy(&self, busiest: &[f64], misses: &Misses) -> f64 {
        let seconds = self.seconds(busiest, misses);
        seconds.step + HIDDEN * seconds.communication
    }

    /// What the search lowers: devices that the library does not reach, then parts of the bound above the bound on the step, then those
    /// of communication.
    pub fn cost(&self, loads: &Loads) -> u64 {
        let seconds = self.seconds(&loads.busiest(), &loads.misses);
        let parts = |seconds: f64, bound: f64| {
            // A wiring at the bound may differ from it by rounding.
            let parts = (seconds - bound) / bound.max(1e-12) * PARTS + 1e-3;
            parts.clamp(0.0, MAX_PARTS - 2.0) as u64
        };
        let broken = loads.misses.broken.min(MAX_PARTS as u64 - 1);
        let step = parts(seconds.step, self.bound.step);
        // Never 0, since equal times are told apart by their loss.
        let communication = 1 + parts(seconds.communication, self.bound.communication);
        broken << 40 | step << 20 | communication
    }

    /// `true` if the library reaches all devices, by the [cost](Clock::cost).
    pub fn is_connected(cost: u64) -> bool {
        cost >> 40 == 0
    }

    /// `true` if no wiring is faster or communicates less, by the [cost](Clock::cost).
    pub fn is_least(cost: u64) -> bool {
        cost <= 1
    }

    /// What a wiring loses by the worst failure of one switch: devices that the library no longer reaches, then microseconds of
    /// communication. `None` if `spend` says to stop; it gets the number of flows that were evaluated.
    pub fn loss(&self, problem: &Problem, genome: &[u32], mut spend: impl FnMut(u64) -> bool) -> Option<u64> {
        let mut genome = in_order(problem, genome);
        let mut loads = self.loads(problem, &genome);
        let before = loads.busiest();
        let mut members = vec![Vec::new(); problem.switches() as usize];
        for (ni, &switch) in genome.iter().enumerate().filter(|(_, switch)| **switch != NONE) {
            members[switch as usize].push(ni);
        }
        let (mut worst, mut journal) = (0, Vec::new());
        for members in members {
            let owners: Vec<u32> = members.iter().map(|&ni| problem.owner(ni as u32)).collect();
            let flows =
                owners.iter().flat_map(|&node| self.flows_of(node).iter().map(move |&flow| (node, flow)));
            // Flows between two members once. Others lose nothing if the library takes all shared switches.
            let once = |&(node, flow): &(u32, u32)| {
                let [a, b] = self.flows[flow as usize].ends;
                let is_member = |node| owners.binary_search(&node).is_ok();
                if is_member(a) && is_member(b) {
                    node == a
                } else {
                    self.is_selective() || self.serves_over_uplinks
                }
            };
            let flows: Vec<u32> = flows.filter(once).map(|(_, flow)| flow).collect();
            let (misses, switch) = (loads.misses, members.first().map_or(NONE, |&ni| genome[ni]));
            for sign in [-1.0, 1.0] {
                for &flow in &flows {
                    let bytes = &mut loads.bytes;
                    let more = self.spread(problem, &genome, &self.flows[flow as usize], &mut |at, more| {
                        journal.push((at, bytes[at]));
                        bytes[at] = (bytes[at] + sign * more).max(0.0);
                    });
                    loads.misses.shift(more, sign);
                }
                members.iter().for_each(|&ni| genome[ni] = if sign < 0.0 { IDLE } else { switch });
            }
            // Other channels keep their bytes.
            let mut after = before.clone();
            for &(at, _) in &journal {
                let phase = &mut after[at / loads.channels()];
                *phase = phase.max(loads.bytes[at]);
            }
            let microseconds = self.seconds(&after, &loads.misses).communication * 1e6;
            let lost = loads.misses.broken.saturating_sub(misses.broken).min((1 << 23) - 1);
            worst = worst.max(lost << 40 | (microseconds as u64).min((1 << 40) - 1));
            while let Some((at, bytes)) = journal.pop() {
                loads.bytes[at] = bytes;
            }
            loads.misses = misses;
            if !spend(2 * flows.len() as u64) {
                return None;
            }
        }
        Some(worst)
    }

    /// Calls `add` with each channel of a flow and its bytes there; returns what goes otherwise than over one switch. The bytes for
    /// devices that the library does not reach are on all NIs of both nodes, at a rate that no wiring is as slow as.
    pub fn spread(
        &self,
        problem: &Problem,
        genome: &[u32],
        flow: &Flow,
        add: &mut impl FnMut(usize, f64),
    ) -> Misses {
        let nis = flow.ends.map(|end| problem.nis_of(end));
        let (count, switches) = (problem.nis() as usize, self.switches(problem));
        let sent = 2 * flow.phase as usize * (count + switches);
        let (received, uplinks) = (sent + count, sent + 2 * count);
        let spine = self.timing.spine.as_ref();
        let mut misses = Misses::default();
        for ([from, to], bytes) in [([0, 1], flow.bytes[0]), ([1, 0], flow.bytes[1])] {
            let [from, to] = [&nis[from], &nis[to]];
            let ends = [&genome[from.clone()], &genome[to.clone()]];
            let on_nis = |own, other, share, add: &mut dyn FnMut(usize, f64)| {
                if bytes > 0.0 {
                    add(sent + from.start + own, bytes * share);
                    add(received + to.start + other, bytes * share);
                }
            };
            let mut is_over = false;
            let library = self.timing.library;
            let reach = choose(library, Devices::Pairs, spine, ends, |[own, other], share| {
                on_nis(own, other, share, add);
                let Some(spine) = spine.filter(|_| ends[0][own] != ends[1][other] && bytes > 0.0) else {
                    return;
                };
                is_over = true;
                for (way, switch) in spine.ends([ends[0][own], ends[1][other]]) {
                    add(uplinks + way * switches + switch as usize, bytes * share / f64::from(spine.links));
                }
            });
            misses.over[self.lane[flow.phase as usize].min(LANES - 1)] += u32::from(is_over);
            if reach.connected < reach.devices {
                let missing = reach.devices - reach.connected;
                misses.broken += u64::from(missing);
                let share = f64::from(missing) / f64::from(reach.devices) / APART;
                (0..from.len().min(to.len())).for_each(|at| on_nis(at, at, share, add));
            }
        }
        misses
    }
}

impl Loads {
    /// Number of channels of a phase.
    pub fn channels(&self) -> usize {
        2 * (self.nis + self.switches)
    }

    /// The NIC of a channel, by its place among those of a phase, or else the switch.
    pub fn end_of(&self, channel: usize) -> Result<usize, usize> {
        match channel.checked_sub(2 * self.nis) {
            None => Ok(channel % self.nis),
            Some(uplinks) => Err(uplinks % self.switches),
        }
    }

    /// Bytes of the busiest channel of each phase.
    pub fn busiest(&self) -> Vec<f64> {
        let most = |bytes: &[f64]| bytes.iter().copied().fold(0.0, f64::max);
        self.bytes.chunks(self.channels().max(1)).map(most).collect()
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
        self.bytes.chunks(self.channels().max(1)).map(of).collect()
    }
}

/// A wiring with the NIs of every node in the order of their switches, unconnected ones last: as designs number them.
pub fn in_order(problem: &Problem, genome: &[u32]) -> Genome {
    let mut ordered = genome.to_vec();
    (0..problem.pes()).for_each(|node| ordered[problem.nis_of(node)].sort_unstable());
    ordered
}

/// A power so high that the largest of many values decides their sum.
pub fn power(value: f64) -> f64 {
    (0..EXPONENT).fold(value, |value, _| value * value)
}

/// The root of that [power].
pub fn root(value: f64) -> f64 {
    (0..EXPONENT).fold(value, |value, _| value.sqrt())
}
