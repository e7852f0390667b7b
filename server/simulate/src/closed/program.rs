//! What each node does in a round, operation by operation.

use shared::simulation::Collective;

/// One thing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// Send a message.
    Send { to: u32, phase: u32 },
    /// Wait for so many messages a round, whoever sent them.
    Await(u32),
    /// Wait for the message of a phase.
    AwaitPhase(u32),
    /// The round is over.
    End,
}

/// Operation number `at` of a node.
pub(crate) fn op(collective: Collective, nodes: u32, node: u32, at: u32) -> Op {
    let send = |to| Op::Send { to, phase: 0 };
    match collective {
        // Each begins with its neighbour: if all began with node 0, all would wait for it.
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
        _ => Op::End,
    }
}

/// Everybody meets everybody once. The lower node of a pair sends first, the higher one when it has received.
fn in_phases(nodes: u32, node: u32, at: u32) -> Op {
    let phases = nodes - 1 + nodes % 2;
    let phase = at / 2;
    if phase >= phases {
        return Op::End;
    }
    match partner(nodes, node, phase) {
        // With an odd number of nodes one has a pause: its two operations are void.
        None => Op::Await(0),
        Some(to) if (node < to) == at.is_multiple_of(2) => Op::Send { to, phase },
        Some(_) => Op::AwaitPhase(phase),
    }
}

/// Whom a node meets in a phase: the circle method of round-robin tournaments.
fn partner(nodes: u32, node: u32, phase: u32) -> Option<u32> {
    let circle = nodes - 1 + nodes % 2;
    let even = nodes.is_multiple_of(2);
    if even && node == circle {
        // Who would meet himself, 2q = phase, meets the node outside of the circle.
        let half = u64::from(circle).div_ceil(2);
        return Some((u64::from(phase) * half % u64::from(circle)) as u32);
    }
    let to = (phase + circle - node) % circle;
    match to == node {
        false => Some(to),
        true => even.then_some(circle),
    }
}

/// Node p > 0 gets the message from p without its highest bit, and passes it on to p + 2^j for every 2^j above that bit.
fn along_tree(nodes: u32, node: u32, at: u32) -> Op {
    let waits = u32::from(node > 0);
    if at < waits {
        return Op::Await(1);
    }
    let bit = 32 - node.leading_zeros() + at - waits;
    match 1u32.checked_shl(bit).and_then(|bit| node.checked_add(bit)) {
        Some(to) if to < nodes => Op::Send { to, phase: 0 },
        _ => Op::End,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn sends(collective: Collective, nodes: u32) -> Vec<(u32, u32)> {
        let ops = |node| (0..).map(move |at| op(collective, nodes, node, at)).take_while(|op| *op != Op::End);
        let to = |op| if let Op::Send { to, .. } = op { Some(to) } else { None };
        (0..nodes).flat_map(|node| ops(node).filter_map(to).map(move |to| (node, to))).collect()
    }

    #[test]
    fn everybody_sends_to_everybody_once() {
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
    fn partners_are_each_others() {
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
    fn a_tree_reaches_everybody_once() {
        for nodes in 2..40 {
            let sends = sends(Collective::OneToAllTree, nodes);
            let reached: BTreeSet<_> = sends.iter().map(|(_, to)| *to).collect();
            assert_eq!((sends.len(), reached.len()), (nodes as usize - 1, nodes as usize - 1));
            assert!(sends.iter().all(|(from, to)| from < to && to - from == 1 << to.ilog2()));
        }
    }
}
