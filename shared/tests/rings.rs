//! Rings of groups against brute force and an independent checker.

use shared::{
    analysis::rings::{EFFORT, EXACT, Ring, Rings, rings},
    design::Design,
    random::Rng,
};
use std::collections::BTreeSet;

/// `nics` random NICs per node on switches with `ports` ports.
fn random(rng: &mut Rng, pes: u32, nis: u32, ports: u32) -> Design {
    let mut ends: Vec<u32> = (0..pes).flat_map(|pe| (0..nis).map(move |_| pe)).collect();
    rng.shuffle(&mut ends);
    Design::from_switches(pes, ends.chunks(ports as usize).map(<[u32]>::to_vec))
}

fn share(design: &Design, a: u32, b: u32) -> bool {
    design.switches().any(|members| members.contains(&a) && members.contains(&b))
}

/// Every node once, every hop on a switch of both ends if they share one, and no NIC in two rings.
fn verify(design: &Design, nodes: &[u32], found: &Rings) {
    let mut taken: BTreeSet<(u32, u32)> = BTreeSet::new();
    for Ring { nodes: order, switches } in &found.0 {
        let mut sorted = order.clone();
        sorted.sort_unstable();
        let mut expected = nodes.to_vec();
        expected.sort_unstable();
        assert_eq!(sorted, expected);
        assert_eq!(switches.len(), order.len());
        let mut own: BTreeSet<(u32, u32)> = BTreeSet::new();
        for (hop, switch) in switches.iter().enumerate() {
            let ends = [order[hop], order[(hop + 1) % order.len()]];
            match switch {
                None => assert!(!share(design, ends[0], ends[1]), "{ends:?} share a switch"),
                Some(switch) => {
                    for node in ends {
                        assert!(design.members(*switch).contains(&node), "{node} is not on {switch}");
                        own.insert((node, *switch));
                    }
                }
            }
        }
        assert!(taken.is_disjoint(&own), "a NIC in two rings");
        taken.extend(own);
    }
    assert!(!found.0.is_empty());
    assert!(found.apart() == 0 || found.0.len() == 1);
}

/// Fewest hops without a shared switch over all circular orders.
fn fewest(design: &Design, nodes: &[u32]) -> usize {
    fn best(design: &Design, path: &mut Vec<u32>, left: &mut Vec<u32>, apart: usize, least: &mut usize) {
        let last = path[path.len() - 1];
        if apart >= *least {
            return;
        }
        if left.is_empty() {
            *least = apart + usize::from(!share(design, last, path[0]));
            return;
        }
        for at in 0..left.len() {
            let next = left.remove(at);
            path.push(next);
            best(design, path, left, apart + usize::from(!share(design, last, next)), least);
            path.pop();
            left.insert(at, next);
        }
    }
    let mut least = nodes.len() + 1;
    best(design, &mut vec![nodes[0]], &mut nodes[1..].to_vec(), 0, &mut least);
    least
}

#[test]
fn small_groups_are_as_good_as_brute_force() {
    let mut rng = Rng::new(1, 0);
    let (mut complete, mut several) = (0, 0);
    for round in 0..150 {
        let pes = 6 + round % 6;
        let ports = 2 + rng.below(4);
        let design = random(&mut rng, pes, 1 + round % 6, ports);
        let mut nodes: Vec<u32> = (0..pes).collect();
        rng.shuffle(&mut nodes);
        nodes.truncate(2 + rng.below(pes.min(8) - 1) as usize);
        let found = rings(&design.nis(), &nodes, 3, EFFORT);
        verify(&design, &nodes, &found);
        assert_eq!(found.0[0].apart(), fewest(&design, &nodes), "{design:?} {nodes:?}");
        complete += usize::from(found.apart() == 0);
        several += usize::from(found.0.len() > 1);
    }
    assert!((20..140).contains(&complete) && several > 5, "{complete} complete, {several} with several");
}

#[test]
fn a_switch_with_all_nodes_gives_a_ring_on_one_nic_each() {
    let all: Vec<u32> = (0..6).collect();
    let design =
        Design::from_switches(6, [all.clone(), vec![0, 1, 2], vec![3, 4, 5], all.clone(), all.clone()]);
    let found = rings(&design.nis(), &all, 8, EFFORT);
    verify(&design, &all, &found);
    assert_eq!(found.0.len(), 3);
    assert!(found.0.iter().all(|ring| ring.nodes == all));
    // The last ring also uses the NICs that are left.
    let is_on_one = |ring: &Ring| ring.switches.iter().all(|s| *s == ring.switches[0]);
    assert_eq!(found.0.iter().map(is_on_one).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!(rings(&design.nis(), &all, 2, EFFORT).0.len(), 2);
}

#[test]
fn nodes_that_join_two_switches_close_a_ring() {
    // 0 and 1 are on both switches; the given order has two hops between the others.
    let design = Design::from_switches(6, [vec![0, 1, 2, 4], vec![0, 1, 3, 5]]);
    let nodes = [0, 2, 3, 1, 4, 5];
    let found = rings(&design.nis(), &nodes, 2, EFFORT);
    verify(&design, &nodes, &found);
    assert_eq!(found.apart(), 0);
    let [ring] = &found.0[..] else { panic!("{found:?}") };
    let changes = (0..6).filter(|&hop| ring.switches[hop] != ring.switches[(hop + 1) % 6]).count();
    assert_eq!(changes, 2);
}

#[test]
fn a_missing_hop_is_reported() {
    let design = Design::from_switches(4, [vec![0, 1, 2], vec![2, 3]]);
    let found = rings(&design.nis(), &[0, 1, 2, 3], 1, EFFORT);
    verify(&design, &[0, 1, 2, 3], &found);
    assert_eq!(found.apart(), 1);
    let none = rings(&Design::from_switches(2, [vec![0], vec![1]]).nis(), &[0, 1], 4, EFFORT);
    assert_eq!(none.apart(), 2);
}

/// Hidden among wrong neighbours: a ring of large groups, whose nodes are given in random order.
#[test]
fn large_groups_find_a_hidden_ring() {
    let mut rng = Rng::new(2, 0);
    for (pes, nis, ports) in [(64, 3, 6), (200, 4, 8), (400, 2, 16)] {
        assert!(pes > EXACT as u32);
        let mut circle: Vec<u32> = (0..pes).collect();
        rng.shuffle(&mut circle);
        // Switches along the circle overlap in a node, and the other NICs are on random ones.
        let step = ports as usize - 1;
        let along = (0..pes as usize).step_by(step).map(|at| {
            (at..=at + step).map(|place| circle[place.min(pes as usize) % pes as usize]).collect::<Vec<_>>()
        });
        let more = random(&mut rng, pes, nis - 2, ports);
        let more: Vec<Vec<u32>> = more.switches().map(<[u32]>::to_vec).collect();
        let design = Design::from_switches(pes, along.chain(more));
        let nodes: Vec<u32> = (0..pes).collect();
        let found = rings(&design.nis(), &nodes, 1, EFFORT);
        verify(&design, &nodes, &found);
        assert_eq!(found.apart(), 0, "{pes} nodes");
    }
}

/// Universal designs: all pairs share a switch, so that every order is a ring.
#[test]
fn a_projective_plane_has_rings_of_all_its_nodes() {
    let lines = (0..13).map(|line| [0, 1, 3, 9].map(|point| (line + point) % 13).to_vec());
    let design = Design::from_switches(13, lines);
    let nodes: Vec<u32> = (0..13).collect();
    let found = rings(&design.nis(), &nodes, 4, EFFORT);
    verify(&design, &nodes, &found);
    assert_eq!(found.apart(), 0);
}
