//! Placements of weighted graphs against brute force, and of jobs on shuffled wirings.

use shared::{
    analysis::{
        orders::{orders, rank_order},
        placing::{EFFORT, EXACT, place, tree_edges},
    },
    design::{Design, NiTable, table},
    random::Rng,
    resolve::{self, NoFiles},
};

type Edge = (u32, u32, f64);

fn apart(nis: &NiTable, edges: &[Edge], nodes: &[u32]) -> f64 {
    let is_apart = |edge: &&Edge| nis.shared(nodes[edge.0 as usize], nodes[edge.1 as usize]).next().is_none();
    edges.iter().filter(is_apart).map(|edge| edge.2).fold(0.0, |sum, weight| sum + weight)
}

/// Calls `each` with all orders of the nodes.
fn permute(nodes: &mut Vec<u32>, from: usize, each: &mut impl FnMut(&[u32])) {
    if from == nodes.len() {
        return each(nodes);
    }
    for at in from..nodes.len() {
        nodes.swap(from, at);
        permute(nodes, from + 1, each);
        nodes.swap(from, at);
    }
}

#[test]
fn small_placements_are_those_of_brute_force() {
    let mut rng = Rng::new(4, 0);
    let mut better = 0;
    for round in 0..40u32 {
        let pes = 3 + round % 4;
        let switches: Vec<Vec<u32>> = (0..pes).map(|_| (0..3).map(|_| rng.below(pes)).collect()).collect();
        let design = Design::from_switches(pes, switches);
        let edges: Vec<Edge> = (0..2 * pes)
            .map(|_| (rng.below(pes), rng.below(pes), f64::from(1 + rng.below(9))))
            .filter(|(a, b, _)| a != b)
            .collect();
        let (nis, start): (NiTable, Vec<u32>) = (design.nis(), (0..pes).collect());
        let found = place(&design, &nis, &edges, &start, EFFORT);
        assert_eq!(found.apart, apart(&nis, &edges, &found.nodes));
        let mut least = f64::INFINITY;
        permute(&mut start.clone(), 0, &mut |nodes| least = least.min(apart(&nis, &edges, nodes)));
        assert_eq!(found.apart, least, "{design:?} {edges:?}");
        better += u32::from(least < apart(&nis, &edges, &start));
    }
    assert!(better > 5, "{better}");
}

/// A wiring that fits the graph, with its nodes renumbered.
#[test]
fn large_placements_are_never_worse_and_find_most_of_a_shuffled_grid() {
    let mut rng = Rng::new(5, 0);
    let (rows, columns) = (6u32, 8u32);
    let pes = rows * columns;
    assert!(pes > EXACT as u32);
    let mut number: Vec<u32> = (0..pes).collect();
    rng.shuffle(&mut number);
    let of = |row: u32, column: u32| number[(row * columns + column) as usize];
    let across = (0..rows).map(|row| (0..columns).map(|column| of(row, column)).collect::<Vec<_>>());
    let down = (0..columns).map(|column| (0..rows).map(|row| of(row, column)).collect::<Vec<_>>());
    let design = Design::from_switches(pes, across.chain(down));
    let rings = (0..rows)
        .flat_map(|row| (0..columns).map(move |c| (row * columns + c, row * columns + (c + 1) % columns)));
    let lines =
        (1..rows).flat_map(|row| (0..columns).map(move |c| ((row - 1) * columns + c, row * columns + c)));
    let edges: Vec<Edge> = rings.map(|(a, b)| (a, b, 3.0)).chain(lines.map(|(a, b)| (a, b, 1.0))).collect();
    let (nis, start): (NiTable, Vec<u32>) = (design.nis(), (0..pes).collect());
    let found = place(&design, &nis, &edges, &start, EFFORT);
    let mut sorted = found.nodes.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, start);
    assert_eq!(found.apart, apart(&nis, &edges, &found.nodes));
    let given = apart(&nis, &edges, &start);
    assert!(found.apart < 0.4 * given, "{} of {given}", found.apart);
    assert_eq!(place(&design, &nis, &edges, &start, EFFORT), found, "the same again");
}

#[test]
fn trees_have_every_node_and_inner_nodes_of_their_own() {
    for count in 2..20u32 {
        let edges = tree_edges(count);
        assert_eq!(edges.len() as u32, 2 * (count - 1));
    }
}

/// Two data-parallel groups of six nodes, and a pipeline between them, on a wiring of renumbered nodes.
#[test]
fn the_ranks_of_a_job_move_as_nodes() {
    let text = "pes = 12\nnis_per_pe = 2\n[[switch]]\nports = 6\n[job]\nranks_per_pe = 2\ntp = 2\ndp = 6\npp = 2\n\
         [[collective]]\nalong = 'dp'\nbytes = 9e9\n[[collective]]\nalong = 'pp'\nbytes = 1e9\n\
         [[collective]]\nalong = 'tp'\nbytes = 1e9\n";
    let spec = resolve::read(text, &mut NoFiles).unwrap();
    let job = &spec.jobs[0];
    let table = "0: 0 2 4 6 8 10\n1: 1 3 5 7 9 11\n2: 0 1\n3: 2 3\n4: 4 5\n5: 6 7\n6: 8 9\n7: 10 11\n";
    let design = table::parse(table, 12).unwrap();
    let found = rank_order(job, &design);
    let [given, placed] = found.shares();
    assert!(given > 0.4 && placed < 0.5 * given, "{given} {placed}");
    let moved = found.placed(job);
    for rank in 0..job.ranks() {
        assert_eq!(moved.node_of(rank), found.nodes[job.node_of(rank) as usize]);
    }
    let groups = orders(&moved, &design);
    assert_eq!(groups.len(), 2);
    for group in &groups {
        let members = group.members();
        assert_eq!(members.len(), 2 * group.orders.len());
        let mut expected = group.members.clone();
        expected.sort_unstable();
        for (members, switches) in members {
            let mut nodes = members.clone();
            nodes.dedup();
            let hops = nodes.iter().zip(nodes.iter().cycle().skip(1)).zip(&switches);
            for ((from, to), switch) in hops {
                let on = |node: &u32| switch.is_none_or(|switch| design.members(switch).contains(node));
                assert!(on(from) && on(to), "{nodes:?} {switches:?}");
            }
            assert_eq!(switches.len(), nodes.len());
            let mut sorted = members;
            sorted.sort_unstable();
            assert_eq!(sorted, expected);
        }
    }
}
