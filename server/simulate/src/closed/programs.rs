//! The programs of collective operations: the sends and waits of each member of a group.

use work::simulation::{Collective, Settings};

/// Max slices of each half of the buffer along trees.
const MAX_SLICES: u64 = 32;

/// Step of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Send {
        to: u32,
        phase: u32,
        part: Slice,
    },
    /// Wait until this many messages have arrived in the round, from any member.
    Await(u32),
    /// Wait for the message of a phase.
    AwaitPhase(u32),
    End,
}

/// One of `of` parts of the message, which differ by up to one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    pub number: u32,
    pub of: u32,
}

impl Slice {
    pub const WHOLE: Slice = Slice { number: 0, of: 1 };

    /// Bytes of the part.
    pub fn bytes(self, message: u64) -> u64 {
        let start = |number: u32| u128::from(message) * u128::from(number) / u128::from(self.of);
        // A part is not longer than the message.
        (start(self.number + 1) - start(self.number)) as u64
    }
}

/// The programs of a group's members.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Program {
    collective: Collective,
    /// Members.
    pub nodes: u32,
    /// Slices of each half along trees.
    slices: u32,
}

impl Program {
    pub fn new(collective: Collective, nodes: u32, message: u64, settings: &Settings) -> Program {
        // Every part has a byte at least, since a half has as many bytes as frames.
        let slices = super::frames(settings, message / 2).clamp(1, MAX_SLICES) as u32;
        Program { collective, nodes, slices }
    }

    /// Number of messages per round.
    pub fn messages(&self) -> u64 {
        let nodes = u64::from(self.nodes);
        match self.collective {
            Collective::AllToAll | Collective::AllToAllPhases => nodes * (nodes - 1),
            Collective::OneToAll | Collective::OneToAllTree | Collective::AllToOne => nodes - 1,
            Collective::Exchange => nodes,
            Collective::AllReduceTree => 4 * u64::from(self.slices) * (nodes - 1),
            _ => nodes * u64::from(self.ring_steps()),
        }
    }

    /// Messages that a member sends or receives one after the other, at most; those that a member waits for one after the other,
    /// in the longest chain of members. Both per round.
    pub fn chain(&self) -> (u64, u64) {
        let (nodes, depth) = (u64::from(self.nodes), u64::from(self.nodes.next_power_of_two().ilog2()));
        match self.collective {
            Collective::AllToAll | Collective::OneToAll | Collective::AllToOne => (nodes - 1, 1),
            Collective::AllToAllPhases => (nodes - 1, 2 * nodes),
            Collective::OneToAllTree => (depth, depth),
            Collective::Exchange => (1, 1),
            Collective::AllReduceTree => (4 * u64::from(self.slices), 2 * depth),
            _ => (self.ring_steps().into(), self.ring_steps().into()),
        }
    }

    /// Number of phases that [`Op::AwaitPhase`] waits for.
    pub fn phases(&self) -> u32 {
        match self.collective {
            Collective::AllToAllPhases => self.nodes - 1 + self.nodes % 2,
            Collective::AllReduceTree => 6 * self.slices,
            _ => self.ring_steps(),
        }
    }

    /// Numbers of parts into which the message is divided.
    pub fn divisions(&self) -> Vec<u32> {
        match self.collective {
            Collective::AllReduceRing | Collective::ReduceScatter | Collective::AllGather => vec![self.nodes],
            Collective::AllReduceTree => vec![2 * self.slices],
            Collective::AllReduceHierarchical { size } => vec![size, self.nodes],
            _ => vec![1],
        }
    }

    /// Steps of operations in rings; 0 for others.
    fn ring_steps(&self) -> u32 {
        match self.collective {
            Collective::ReduceScatter | Collective::AllGather => self.nodes - 1,
            Collective::AllReduceRing => 2 * (self.nodes - 1),
            Collective::AllReduceHierarchical { size } => 2 * (size - 1) + 2 * (self.nodes / size - 1),
            _ => 0,
        }
    }

    /// Sequences of operations that a member runs at the same time; a round ends with the last one.
    pub fn lanes(&self) -> u32 {
        // Both trees up, then both down, as NCCL splits them (`runTreeSplit`).
        if self.collective == Collective::AllReduceTree { 4 } else { 1 }
    }

    /// Operation number `at` of a member's lane.
    pub fn op(&self, node: u32, lane: u32, at: u32) -> Op {
        let nodes = self.nodes;
        let send = |to| Op::Send { to, phase: 0, part: Slice::WHOLE };
        match self.collective {
            // Each node starts with its neighbour; if all started with node 0, they would queue for it.
            Collective::AllToAll if at < nodes - 1 => send((node + 1 + at) % nodes),
            Collective::AllToAll if at == nodes - 1 => Op::Await(nodes - 1),
            Collective::AllToAllPhases => in_phases(nodes, node, at),
            Collective::OneToAll if node == 0 && at < nodes - 1 => send(at + 1),
            Collective::OneToAll if node > 0 && at == 0 => Op::Await(1),
            Collective::OneToAllTree => along_tree(nodes, node, at),
            Collective::AllToOne if node == 0 && at == 0 => Op::Await(nodes - 1),
            Collective::AllToOne if node > 0 && at == 0 => send(0),
            Collective::Exchange if at == 0 => {
                send(if node < nodes / 2 { node + nodes / 2 } else { node - nodes / 2 })
            }
            Collective::Exchange if at == 1 => Op::Await(1),
            Collective::AllReduceTree => self.along_two_trees(node, lane, at),
            // Each step of a ring is a send and the wait for the message of the member before.
            _ if at / 2 >= self.ring_steps() => Op::End,
            _ if at % 2 == 1 => Op::AwaitPhase(at / 2),
            Collective::AllReduceHierarchical { size } => self.in_subgroups(size, node, at / 2),
            _ => Op::Send {
                to: (node + 1) % nodes,
                phase: at / 2,
                part: Slice { number: passed(node, nodes, at / 2), of: nodes },
            },
        }
    }

    /// The send of a step of a hierarchical all-reduce.
    fn in_subgroups(&self, size: u32, node: u32, step: u32) -> Op {
        let (groups, local, group) = (self.nodes / size, node % size, node / size);
        let across = step.checked_sub(size - 1).filter(|step| *step < 2 * (groups - 1));
        let (to, part) = match across {
            Some(step) => {
                // The chunk that the member holds after the reduce-scatter.
                let chunk = (local + 1) % size;
                let number = chunk * groups + passed(group, groups, step);
                ((group + 1) % groups * size + local, Slice { number, of: self.nodes })
            }
            None => {
                let step = if step < size { step } else { step - 2 * (groups - 1) };
                let part = Slice { number: passed(local, size, step), of: size };
                (group * size + (local + 1) % size, part)
            }
        };
        Op::Send { to, phase: step, part }
    }

    /// Slice by slice up a tree, or down a tree. The root passes on what it has added up.
    fn along_two_trees(&self, node: u32, lane: u32, at: u32) -> Op {
        let (slice, step) = (at / 4, at % 4);
        let (tree, down) = (lane % 2, lane >= 2);
        let place = self.place(tree, node);
        let Ends { parent, children: [lower, upper] } = Ends::of(self.nodes, place);
        if slice >= self.slices || parent.is_none() && !down {
            return Op::End;
        }
        let phase = |from: u32| 3 * (2 * slice + tree) + from;
        let send = |to: Option<u32>, from: u32| match to {
            Some(to) => Op::Send {
                to: self.member(tree, to),
                phase: phase(from),
                part: Slice { number: tree * self.slices + slice, of: 2 * self.slices },
            },
            None => Op::Await(0),
        };
        let wait = |from: Option<u32>, number: u32| match from {
            Some(_) => Op::AwaitPhase(phase(number)),
            None => Op::Await(0),
        };
        // Messages come from the lower child, the upper child, or the parent.
        let adds_up = !down || parent.is_none();
        match step {
            0 if adds_up => wait(lower, 0),
            1 if adds_up => wait(upper, 1),
            0 => wait(parent, 2),
            2 if down => send(lower, 2),
            3 if down => send(upper, 2),
            2 => send(parent, parent.map_or(0, |parent| u32::from(place > parent))),
            _ => Op::Await(0),
        }
    }

    /// Position of a member in a tree: the second one is mirrored, or shifted by one if the number is odd.
    fn place(&self, tree: u32, member: u32) -> u32 {
        match (tree, self.nodes % 2) {
            (0, _) => member,
            (_, 0) => self.nodes - 1 - member,
            _ => (member + self.nodes - 1) % self.nodes,
        }
    }

    fn member(&self, tree: u32, place: u32) -> u32 {
        match (tree, self.nodes % 2) {
            (0, _) => place,
            (_, 0) => self.nodes - 1 - place,
            _ => (place + 1) % self.nodes,
        }
    }

    /// Member to which a member sends in a step drawn by `below`.
    pub fn partner(&self, node: u32, mut below: impl FnMut(u32) -> u32) -> u32 {
        let steps = self.ring_steps();
        match self.collective {
            Collective::AllReduceTree => {
                let tree = below(2);
                let of = |tree| {
                    Ends::of(self.nodes, self.place(tree, node)).parent.map(|to| self.member(tree, to))
                };
                // A root of one tree is a leaf of the other.
                of(tree).or_else(|| of(1 - tree)).unwrap_or(node)
            }
            _ if steps > 0 => match self.op(node, 0, 2 * below(steps)) {
                Op::Send { to, .. } => to,
                _ => node,
            },
            _ => (node + 1 + below(self.nodes - 1)) % self.nodes,
        }
    }
}

/// Number of the chunk that a member of a ring passes on in a step, of a reduce-scatter, an all-gather, or one after the other.
fn passed(node: u32, nodes: u32, step: u32) -> u32 {
    (node + nodes - step % nodes) % nodes
}

/// Parent and children of a position in a binary tree with all positions in order: the parent differs in the lowest set bit
/// and the one above. Position 0 is the root.
struct Ends {
    parent: Option<u32>,
    /// The lower and the upper child.
    children: [Option<u32>; 2],
}

impl Ends {
    fn of(count: u32, place: u32) -> Ends {
        let bit = place & place.wrapping_neg();
        let parent = (place > 0).then(|| {
            let above = place ^ bit | bit << 1;
            if above < count { above } else { place ^ bit }
        });
        let lower = (bit > 1).then(|| place - bit / 2);
        // Steps below the lowest bit; the root has every bit above.
        let top = if place == 0 { count.next_power_of_two() } else { bit };
        let steps = std::iter::successors(Some(top / 2), |step| Some(step / 2)).take_while(|step| *step > 0);
        let upper = steps.map(|step| place + step).find(|upper| *upper < count);
        Ends { parent, children: [lower, upper] }
    }
}

/// All-to-all in phases: each pair meets once. The lower node of a pair sends first, the higher one after receiving.
fn in_phases(nodes: u32, node: u32, at: u32) -> Op {
    let phases = nodes - 1 + nodes % 2;
    let phase = at / 2;
    if phase >= phases {
        return Op::End;
    }
    match partner(nodes, node, phase) {
        // With an odd number of nodes, one node pauses in each phase.
        None => Op::Await(0),
        Some(to) if (node < to) == at.is_multiple_of(2) => Op::Send { to, phase, part: Slice::WHOLE },
        Some(_) => Op::AwaitPhase(phase),
    }
}

/// Partner of a node in a phase, by the circle method of round-robin tournaments.
fn partner(nodes: u32, node: u32, phase: u32) -> Option<u32> {
    let circle = nodes - 1 + nodes % 2;
    let even = nodes.is_multiple_of(2);
    if even && node == circle {
        // The node that would meet itself (2q = phase) meets the node outside the circle.
        let half = u64::from(circle).div_ceil(2);
        return Some((u64::from(phase) * half % u64::from(circle)) as u32);
    }
    let to = (phase + circle - node) % circle;
    match to == node {
        false => Some(to),
        true => even.then_some(circle),
    }
}

/// Binomial tree: node p > 0 receives from p without its highest bit, then sends to p + 2^j for every 2^j above that bit.
fn along_tree(nodes: u32, node: u32, at: u32) -> Op {
    let waits = u32::from(node > 0);
    if at < waits {
        return Op::Await(1);
    }
    let bit = 32 - node.leading_zeros() + at - waits;
    match 1u32.checked_shl(bit).and_then(|bit| node.checked_add(bit)) {
        Some(to) if to < nodes => Op::Send { to, phase: 0, part: Slice::WHOLE },
        _ => Op::End,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn program(collective: Collective, nodes: u32) -> Program {
        Program::new(collective, nodes, 8000, &Settings::default())
    }

    fn op(collective: Collective, nodes: u32, node: u32, at: u32) -> Op {
        program(collective, nodes).op(node, 0, at)
    }

    fn sends(collective: Collective, nodes: u32) -> Vec<(u32, u32)> {
        let ops = |node| (0..).map(move |at| op(collective, nodes, node, at)).take_while(|op| *op != Op::End);
        let to = |op| if let Op::Send { to, .. } = op { Some(to) } else { None };
        (0..nodes).flat_map(|node| ops(node).filter_map(to).map(move |to| (node, to))).collect()
    }

    #[test]
    fn every_node_sends_to_every_other_once() {
        for collective in [Collective::AllToAll, Collective::AllToAllPhases] {
            for nodes in 2..20 {
                let sends = sends(collective, nodes);
                let pairs: BTreeSet<_> =
                    sends.iter().copied().filter(|(a, b)| a != b && *b < nodes).collect();
                assert_eq!((sends.len(), pairs.len()), (pairs.len(), (nodes * (nodes - 1)) as usize));
            }
        }
    }

    #[test]
    fn partners_are_mutual() {
        for nodes in 2..20 {
            for (node, phase) in
                (0..nodes).flat_map(|node| (0..nodes - 1 + nodes % 2).map(move |k| (node, k)))
            {
                let partner = super::partner(nodes, node, phase);
                assert!(
                    partner.is_none_or(|p| super::partner(nodes, p, phase) == Some(node)),
                    "{node} of {nodes}"
                );
                assert!(partner.is_some() || nodes % 2 == 1);
            }
        }
    }

    #[test]
    fn a_tree_reaches_every_node_once() {
        for nodes in 2..40 {
            let sends = sends(Collective::OneToAllTree, nodes);
            let reached: BTreeSet<_> = sends.iter().map(|(_, to)| *to).collect();
            assert_eq!((sends.len(), reached.len()), (nodes as usize - 1, nodes as usize - 1));
            assert!(sends.iter().all(|(from, to)| from < to && to - from == 1 << to.ilog2()));
        }
    }

    /// Who added to each unit of the buffer, by member, after a round in which members run whenever they can.
    fn reduced(program: &Program, units: u32, scattered: bool) -> Vec<Vec<BTreeSet<u32>>> {
        let nodes = program.nodes;
        let own =
            |node, unit| if scattered || unit == node { BTreeSet::from([node]) } else { BTreeSet::new() };
        let mut held: Vec<Vec<BTreeSet<u32>>> =
            (0..nodes).map(|node| (0..units).map(|unit| own(node, unit)).collect()).collect();
        let mut arrived = BTreeMap::new();
        let lanes: Vec<(u32, u32)> =
            (0..nodes).flat_map(|node| (0..program.lanes()).map(move |lane| (node, lane))).collect();
        let (mut at, mut sent, mut goes_on) = (vec![0; lanes.len()], 0, true);
        while std::mem::take(&mut goes_on) {
            for (&(node, lane), at) in lanes.iter().zip(&mut at) {
                match program.op(node, lane, *at) {
                    Op::Send { to, phase, part: Slice { number, of } } => {
                        let range = (number * (units / of)) as usize..((number + 1) * (units / of)) as usize;
                        let parts = (range.clone(), held[node as usize][range].to_vec());
                        assert!(to != node && phase < program.phases());
                        assert!(arrived.insert((to, phase), parts).is_none(), "two messages of one phase");
                        sent += 1;
                    }
                    Op::AwaitPhase(phase) => {
                        let Some((range, parts)) = arrived.remove(&(node, phase)) else { continue };
                        for (held, part) in held[node as usize][range].iter_mut().zip(parts) {
                            held.extend(part);
                        }
                    }
                    Op::Await(count) => assert_eq!(count, 0),
                    Op::End => continue,
                }
                *at += 1;
                goes_on = true;
            }
        }
        assert!(arrived.is_empty() && sent == program.messages(), "{program:?}: {sent}");
        let ends = |(&(node, lane), at): (&(u32, u32), &u32)| program.op(node, lane, *at) == Op::End;
        assert!(lanes.iter().zip(&at).all(ends), "{program:?}");
        held
    }

    #[test]
    fn all_reduces_add_up_everything_everywhere() {
        let hierarchical = |size| Collective::AllReduceHierarchical { size };
        for nodes in 2u32..30 {
            let sizes = (2..=nodes).filter(|size| nodes.is_multiple_of(*size)).map(hierarchical);
            for collective in [Collective::AllReduceRing, Collective::AllReduceTree].into_iter().chain(sizes)
            {
                let program = program(collective, nodes);
                let units = program.divisions().into_iter().max().unwrap();
                let everyone: BTreeSet<u32> = (0..nodes).collect();
                let held = reduced(&program, units, true);
                assert!(held.iter().flatten().all(|unit| *unit == everyone), "{collective} of {nodes}");
            }
        }
    }

    #[test]
    fn halves_of_the_ring_scatter_and_gather() {
        for nodes in 2..20 {
            let scattered = reduced(&program(Collective::ReduceScatter, nodes), nodes, true);
            let whole =
                |units: &Vec<BTreeSet<u32>>| units.iter().position(|unit| unit.len() == nodes as usize);
            let holders: BTreeSet<usize> = scattered.iter().filter_map(whole).collect();
            assert_eq!(holders.len(), nodes as usize);
            let gathered = reduced(&program(Collective::AllGather, nodes), nodes, false);
            let from = |units: &Vec<BTreeSet<u32>>| (0..).zip(units).all(|(unit, set)| *set == [unit].into());
            assert!(gathered.iter().all(from), "{nodes}");
        }
    }

    #[test]
    fn parts_sum_to_the_message() {
        for (message, of) in [(8000, 64), (8001, 7), (5, 5), (u64::MAX, 1000), (1, 1)] {
            let parts: Vec<u64> = (0..of).map(|number| Slice { number, of }.bytes(message)).collect();
            assert_eq!(parts.iter().map(|part| u128::from(*part)).sum::<u128>(), u128::from(message));
            assert!(
                parts
                    .iter()
                    .all(|part| [message / u64::from(of), message.div_ceil(of.into())].contains(part))
            );
        }
    }

    #[test]
    fn slices_are_whole_frames_as_far_as_there_are_some() {
        for (message, slices) in [(2, 1), (1024, 1), (2048, 2), (1 << 20, 32)] {
            let program = Program::new(Collective::AllReduceTree, 4, message, &Settings::default());
            assert_eq!(program.slices, slices, "{message}");
        }
    }
}
