//! Meshes and tori of switches, and dimension order on them, held against the definitions by themselves.

use shared::fabric::{DimensionOrder, Fabric, Grid, GridFault, GridShape, Routing, SidesFault, Way};
use std::collections::VecDeque;

const SHAPES: [GridShape; 2] = [GridShape::Mesh, GridShape::Torus];
const ALL_SIDES: [&[u32]; 9] =
    [&[2], &[5], &[2, 2], &[3, 4], &[4, 3], &[2, 5], &[3, 2, 4], &[5, 3, 2], &[2, 3, 2, 3]];

fn grid(shape: GridShape, sides: &[u32], hosts: u32) -> Grid {
    Grid::new(shape, sides, hosts).unwrap_or_else(|fault| panic!("{fault}"))
}

/// Links on the shortest way from one node to every other, through switches alone.
fn distances(fabric: &Fabric, from: u32) -> Vec<u32> {
    let leaving = fabric.leaving();
    let mut distance = vec![u32::MAX; fabric.nodes() as usize];
    distance[from as usize] = 0;
    let mut edge = VecDeque::from([from]);
    while let Some(node) = edge.pop_front() {
        for &channel in &leaving[node as usize] {
            let next = fabric.channel_ends(channel).1;
            if distance[next as usize] == u32::MAX {
                distance[next as usize] = distance[node as usize] + 1;
                if !fabric.is_host(next) {
                    edge.push_back(next);
                }
            }
        }
    }
    distance
}

#[test]
fn links_join_exactly_the_neighbours() {
    for shape in SHAPES {
        for sides in ALL_SIDES {
            let grid = grid(shape, sides, 2);
            let fabric = grid.fabric(1000);
            assert_eq!(fabric.check(), Ok(()));
            let mut want: Vec<[u32; 2]> = Vec::new();
            for a in 0..grid.switches() {
                for b in 0..a {
                    let (at, to) = (grid.sides().coordinates(a), grid.sides().coordinates(b));
                    let apart: Vec<usize> = (0..sides.len()).filter(|&d| at[d] != to[d]).collect();
                    let [d] = apart[..] else { continue };
                    let steps = at[d].abs_diff(to[d]);
                    if steps == 1 || shape == GridShape::Torus && steps == sides[d] - 1 {
                        want.push([b + fabric.hosts, a + fabric.hosts]);
                    }
                }
            }
            want.extend((0..fabric.hosts).map(|host| [host, fabric.hosts + host / 2]));
            want.sort_unstable();
            let mut have: Vec<[u32; 2]> = fabric.links.iter().map(|link| link.ends).collect();
            have.iter_mut().for_each(|ends| ends.sort_unstable());
            have.sort_unstable();
            assert_eq!(have, want, "{shape:?} {sides:?}");
            let most = (0..grid.switches()).map(|s| fabric.leaving()[fabric.switch_node(s) as usize].len());
            assert_eq!(most.max(), Some(fabric.switches[0].ports as usize), "{shape:?} {sides:?}");
        }
    }
}

/// Links in the agreed order: by dimension, then by the switch that they lead up from.
#[test]
fn links_stand_in_order() {
    let ends = |shape, sides: &[u32]| {
        let fabric = grid(shape, sides, 1).fabric(1);
        fabric
            .links
            .iter()
            .skip(fabric.hosts as usize)
            .map(|link| link.ends.map(|end| end - fabric.hosts))
            .collect::<Vec<_>>()
    };
    assert_eq!(ends(GridShape::Mesh, &[3, 2]), [[0, 1], [1, 2], [3, 4], [4, 5], [0, 3], [1, 4], [2, 5]]);
    assert_eq!(
        ends(GridShape::Torus, &[3, 2]),
        [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [0, 3], [1, 4], [2, 5]]
    );
}

#[test]
fn channels_lead_where_they_say() {
    for shape in SHAPES {
        for sides in ALL_SIDES {
            let grid = grid(shape, sides, 3);
            let fabric = grid.fabric(1);
            for switch in 0..grid.switches() {
                for dimension in 0..sides.len() {
                    for way in [Way::Up, Way::Down] {
                        let ends =
                            grid.channel(switch, dimension, way).map(|channel| fabric.channel_ends(channel));
                        let next = grid.neighbour(switch, dimension, way);
                        let want = next.map(|next| (fabric.switch_node(switch), fabric.switch_node(next)));
                        assert_eq!(ends, want, "{shape:?} {sides:?}: {switch} along {dimension} {way:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn dimension_order_is_minimal_and_in_order() {
    for shape in SHAPES {
        for sides in ALL_SIDES {
            let grid = grid(shape, sides, 2);
            let (fabric, routing) = (grid.fabric(1), DimensionOrder::new(grid.clone()));
            for from in 0..fabric.hosts {
                let distance = distances(&fabric, from);
                for to in (0..fabric.hosts).filter(|&to| to != from) {
                    let mut path = Vec::new();
                    routing.path(from, to, 0, &mut path);
                    assert_eq!(
                        path.len() as u32,
                        distance[to as usize],
                        "{shape:?} {sides:?}: {from} to {to}"
                    );
                    let mut at = from;
                    let mut dimensions = Vec::new();
                    for channel in path {
                        let (leaves, reaches) = fabric.channel_ends(channel);
                        assert_eq!(leaves, at);
                        if !fabric.is_host(at) && !fabric.is_host(reaches) {
                            let at = |node| grid.sides().coordinates(node - fabric.hosts);
                            dimensions.push(at(leaves).iter().zip(at(reaches)).position(|(a, b)| *a != b));
                        }
                        at = reaches;
                    }
                    assert_eq!(at, to);
                    assert!(dimensions.is_sorted(), "{shape:?} {sides:?}: {from} to {to}: {dimensions:?}");
                    let between = grid.distance(grid.switch_of(from), grid.switch_of(to));
                    assert_eq!(between as usize, dimensions.len());
                }
            }
            let mut path = Vec::new();
            routing.path(1, 1, 0, &mut path);
            assert!(path.is_empty());
        }
    }
}

/// Half way around a ring, both ways are as long, and up is taken.
#[test]
fn half_way_around_goes_up() {
    let grid = grid(GridShape::Torus, &[4, 4], 1);
    assert_eq!(grid.shorter(1, 3, 1), (Way::Up, 2));
    assert_eq!(grid.shorter(0, 0, 3), (Way::Down, 1));
    assert_eq!((grid.steps_up(0, 0, 3), grid.steps_up(0, 3, 0)), (Some(3), Some(1)));
}

#[test]
fn what_is_no_grid_is_told() {
    let fault = |sides: &[u32], hosts| Grid::new(GridShape::Mesh, sides, hosts).unwrap_err();
    assert_eq!(fault(&[], 1), SidesFault::None.into());
    assert_eq!(fault(&[4, 1], 1), SidesFault::Short { dimension: 1, side: 1 }.into());
    assert_eq!(
        fault(&[1 << 16, 1 << 16], 1).to_string(),
        "at most 1,048,576 positions (65536x65536 has more)"
    );
    assert_eq!(fault(&[4, 4], 0), GridFault::Hosts { hosts: 0, switches: 16, most: 65536 });
    assert_eq!(fault(&[1024, 1024], 2).to_string(), "1 to 1 hosts on each of the 1048576 switches, not 2");
}

#[test]
fn distances_of_all_pairs_add_up() {
    for sides in ALL_SIDES {
        for shape in SHAPES {
            let grid = grid(shape, sides, 1);
            let all = 0..grid.switches();
            let each = all.clone().flat_map(|a| all.clone().map(move |b| (a, b)));
            let sum: u64 = each.map(|(a, b)| u64::from(grid.distance(a, b))).sum();
            assert_eq!(grid.distances(), sum, "{shape:?} {sides:?}");
        }
    }
}
