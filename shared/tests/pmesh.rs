//! The P-Mesh, its addresses and its routing tables, held against Nitzberg et al. 1999, section 4.

use shared::fabric::{
    Routing, Sides,
    pmesh::{Addressing, PMesh, PMeshFault},
};
use std::collections::{BTreeMap, BTreeSet};

const ALL_SIDES: [&[u32]; 8] =
    [&[5], &[4, 4], &[2, 7], &[7, 2], &[3, 3, 3], &[2, 3, 2], &[4, 2, 5], &[2, 3, 2, 3]];

fn mesh(sides: &[u32], covers: &[u32]) -> PMesh {
    PMesh::new(sides, covers).unwrap_or_else(|fault| panic!("{fault}"))
}

#[test]
fn every_row_has_a_switch_and_every_host_an_ni_in_each_dimension() {
    for sides in ALL_SIDES {
        let mesh = mesh(sides, &[1]);
        let fabric = mesh.fabric(100);
        assert_eq!(fabric.check(), Ok(()));
        assert_eq!(fabric.links.len(), fabric.hosts as usize * sides.len());
        // The paper: dimension j takes a switch of M_j ports for each row.
        let rows: u32 = sides.iter().map(|side| fabric.hosts / side).sum();
        assert_eq!(fabric.switches.len() as u32, rows);
        let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (number, link) in fabric.links.iter().enumerate() {
            assert_eq!(link.ends[0], (number / sides.len()) as u32);
            members.entry(link.ends[1] - fabric.hosts).or_default().push(link.ends[0]);
        }
        let mut ports = BTreeSet::new();
        for (switch, members) in members {
            assert_eq!(members.len() as u32, fabric.switches[switch as usize].ports);
            let places: Vec<_> = members.iter().map(|&host| mesh.sides().coordinates(host)).collect();
            let varies = |&d: &usize| places.iter().any(|place| place[d] != places[0][d]);
            let dimensions: Vec<usize> = (0..sides.len()).filter(varies).collect();
            let [dimension] = dimensions[..] else { panic!("{sides:?}: {places:?} are no row") };
            assert_eq!(members.len() as u32, sides[dimension], "{sides:?}: a whole row");
            let used = members.iter().map(|&host| (switch, mesh.port_of(host, dimension)));
            ports.extend(used.inspect(|&(_, port)| assert!((1..=sides[dimension]).contains(&port))));
        }
        assert_eq!(ports.len(), fabric.links.len(), "each has a port of its own");
    }
}

#[test]
fn switches_of_several_rows_are_fewer() {
    let mesh = mesh(&[4, 6], &[4, 3]);
    // Six rows of 4 along dimension 0, four rows of 6 along dimension 1; the last of each covers fewer.
    assert_eq!(
        [0, 1].map(|dimension| (mesh.rows(dimension), mesh.switches_along(dimension))),
        [(6, 2), (4, 2)]
    );
    assert_eq!([0, 1].map(|dimension| mesh.ports_along(dimension)), [16, 18]);
    let fabric = mesh.fabric(1);
    assert_eq!(fabric.check(), Ok(()));
    let used: Vec<usize> =
        (0..4).map(|switch| fabric.leaving()[fabric.switch_node(switch) as usize].len()).collect();
    assert_eq!(used, [16, 8, 18, 6]);
    let ports: BTreeSet<_> =
        (0..24).flat_map(|host| [0, 1].map(|d| (mesh.switch_of(host, d), mesh.port_of(host, d)))).collect();
    assert_eq!(ports.len(), 48, "each has a port of its own");
    assert_eq!(PMesh::new(&[4, 6], &[7, 1]), Err(PMeshFault::Rows { dimension: 0, rows: 7, most: 6 }));
    assert_eq!(PMesh::new(&[4, 6], &[1, 1, 1]), Err(PMeshFault::Dimensions { given: 3, dimensions: 2 }));
}

#[test]
fn paths_are_in_dimension_order_and_lead_to_the_end() {
    for sides in ALL_SIDES {
        for covers in [1, 2] {
            let Ok(mesh) = PMesh::new(sides, &[covers]) else { continue };
            let fabric = mesh.fabric(1);
            for from in 0..fabric.hosts {
                for to in 0..fabric.hosts {
                    let (mut path, mut at) = (Vec::new(), from);
                    mesh.path(from, to, 0, &mut path);
                    let mut dimensions = Vec::new();
                    for hop in path.chunks(2) {
                        let (leaves, switch) = fabric.channel_ends(hop[0]);
                        let (out, reaches) = fabric.channel_ends(hop[1]);
                        assert_eq!((leaves, switch), (at, out));
                        dimensions.push(hop[0] / 2 % mesh.dimensions());
                        at = reaches;
                    }
                    assert_eq!(at, to);
                    let (a, b) = (mesh.sides().coordinates(from), mesh.sides().coordinates(to));
                    let differ: Vec<u32> =
                        (0..mesh.dimensions()).filter(|&d| a[d as usize] != b[d as usize]).collect();
                    assert_eq!(dimensions, differ, "{sides:?}: {from} to {to}");
                }
            }
        }
    }
}

/// Section 4.1: bits of dimension, subnet vector and host.
#[test]
fn addresses_take_the_published_bits() {
    let counts = |sides: &[u32]| {
        let addressing = Addressing::new(&Sides::new(sides).unwrap());
        (addressing.dimension_bits(), addressing.subnet_bits(0), addressing.host_bits(0), addressing.bits())
    };
    assert_eq!(counts(&[24, 24]), (1, 5, 5, 11));
    assert_eq!(counts(&[30, 30]), (1, 5, 5, 11));
    assert_eq!(counts(&[1024, 1024]).3, 1 + 10 + 11);
    assert_eq!(counts(&[4, 4, 4]), (2, 4, 3, 9));
    assert_eq!(counts(&[5]), (0, 0, 3, 3));
    assert_eq!(counts(&[12, 24]).3, 1 + 4 + 5);
}

/// Addresses are distinct, in their subnet, and neither its first nor its last; growing up to the room leaves them.
#[test]
fn addresses_are_distinct_and_name_hosts() {
    for sides in ALL_SIDES {
        let mesh = mesh(sides, &[1]);
        let addressing = Addressing::new(mesh.sides());
        let mut seen = BTreeSet::new();
        for host in 0..mesh.hosts() {
            let place = mesh.sides().coordinates(host);
            for dimension in 0..sides.len() {
                let (net, address) =
                    (addressing.subnet(dimension, &place), addressing.address(dimension, &place));
                let last = (1 << addressing.host_bits(dimension)) - 1;
                assert!(address > net && address < net + last, "{sides:?}");
                assert_eq!(net & last, 0, "{sides:?}");
                assert!(address >> addressing.bits() == 0 && seen.insert(address), "{sides:?}");
            }
        }
    }
    // The paper's figure 2: 1 bit, 5 bits, 5 bits; node (x, y) is 0.[y].x and 1.[x].y.
    let addressing = Addressing::new(&Sides::new(&[30, 30]).unwrap());
    assert_eq!(addressing.address(0, &[11, 23]), 23 << 5 | 12);
    assert_eq!(addressing.address(1, &[11, 23]), 1 << 10 | 11 << 5 | 24);
}

/// Hosts forward by nothing but tables and addresses, as the kernel does: every address of every host is reached with at most
/// d - 1 hosts on the way, and the one in the last dimension in dimension order.
#[test]
fn tables_deliver_every_pair() {
    for sides in ALL_SIDES {
        let mesh = mesh(sides, &[1]);
        let addressing = Addressing::new(mesh.sides());
        let last = sides.len() - 1;
        let address = |host, dimension| addressing.address(dimension, &mesh.sides().coordinates(host));
        let owner: BTreeMap<u64, u32> = (0..mesh.hosts())
            .flat_map(|host| (0..sides.len()).map(move |dimension| (host, dimension)))
            .map(|(host, dimension)| (address(host, dimension), host))
            .collect();
        // Of each host: subnets with their bits, and the address to hand on to.
        let tables: Vec<Vec<(u64, u32, Option<u64>)>> = (0..mesh.hosts())
            .map(|host| {
                let row = mesh.table(host).map(|entry| {
                    let first = mesh.sides().coordinates(entry.net.first);
                    let net = addressing.subnet(entry.net.dimension, &first);
                    let bits = addressing.host_bits(entry.net.dimension);
                    let via = entry.via.map(|(dimension, next)| {
                        let row = |host| mesh.switch_of(host, dimension);
                        assert_eq!(row(host), row(next), "{sides:?}: the next host is in a row of this one");
                        address(next, dimension)
                    });
                    (net, bits, via)
                });
                row.collect()
            })
            .collect();
        let entries: u32 = sides.iter().map(|side| mesh.hosts() / side).sum();
        for table in &tables {
            assert_eq!(table.len() as u32, entries);
            assert_eq!(table.iter().filter(|(_, _, via)| via.is_none()).count(), sides.len(), "own rows");
        }
        for from in 0..mesh.hosts() {
            for to in (0..mesh.hosts()).filter(|&to| to != from) {
                for dimension in 0..sides.len() {
                    let goal = address(to, dimension);
                    let (mut at, mut hosts) = (from, vec![]);
                    while at != to {
                        let fits = |(net, bits, _): &&(u64, u32, Option<u64>)| goal >> bits == net >> bits;
                        let [(_, _, via)] = tables[at as usize].iter().filter(fits).collect::<Vec<_>>()[..]
                        else {
                            panic!("{sides:?}: not one entry of {at} for {goal:b}")
                        };
                        at = owner[&via.unwrap_or(goal)];
                        hosts.push(at);
                        assert!(
                            hosts.len() <= sides.len(),
                            "{sides:?}: {from} to {to} in {dimension}: {hosts:?}"
                        );
                    }
                    if dimension == last {
                        let steps: Vec<u32> = mesh.steps(from, to).map(|(_, host)| host).collect();
                        assert_eq!(hosts, steps, "{sides:?}: {from} to {to}");
                    }
                }
            }
        }
    }
}

/// Section 4.2: each node has d n^(d-1) entries.
#[test]
fn tables_have_the_published_size() {
    for (sides, entries) in [(vec![24; 2], 2 * 24), (vec![4; 3], 3 * 16), (vec![3; 4], 4 * 27)] {
        assert_eq!(mesh(&sides, &[1]).table(0).count(), entries);
    }
}
