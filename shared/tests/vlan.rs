//! VLANs on meshes and tori, held against the definitions, theorems and examples of Otsuka et al. 2005: all pairs of all sides up
//! to 6x6 and 4x4x4.

use shared::fabric::{
    DimensionOrder, Fabric, Grid, GridShape, Routing,
    vlan::{MAX_VLANS, Method, VlanFault, Vlans},
};

fn grid(shape: GridShape, sides: &[u32]) -> Grid {
    Grid::new(shape, sides, 1).unwrap_or_else(|fault| panic!("{fault}"))
}

fn vlans(grid: &Grid, method: Method) -> Vlans {
    Vlans::new(grid, method, MAX_VLANS).unwrap_or_else(|fault| panic!("{fault}"))
}

/// Every grid of two dimensions up to 6x6, of three up to 4x4x4, and some larger ones with rings of unlike odd length.
fn grids() -> impl Iterator<Item = Grid> {
    let two = (2..=6).flat_map(|x| (2..=6).map(move |y| vec![x, y]));
    let three = (2..=4).flat_map(|x| (2..=4).flat_map(move |y| (2..=4).map(move |z| vec![x, y, z])));
    let more = [vec![3, 5, 7], vec![4, 7, 5], vec![2, 3, 4, 3], vec![3, 3, 5, 4], vec![5, 5, 5]];
    let sides = two.chain(three).chain(more);
    sides.flat_map(|sides| [GridShape::Mesh, GridShape::Torus].map(|shape| grid(shape, &sides)))
}

fn each_set(mut each: impl FnMut(&Vlans, &str)) {
    for grid in grids() {
        for method in Method::ALL {
            each(&vlans(&grid, method), &format!("{:?} {} {method}", grid.shape(), grid.sides()));
        }
    }
}

/// For every switch the channel that leads there from its neighbour nearer to `root`, where only some links may be used; the
/// number of switches that are reached.
fn spread(fabric: &Fabric, leaving: &[Vec<u32>], root: u32, usable: &[bool]) -> (Vec<u32>, u32) {
    let mut came = vec![u32::MAX; fabric.switches.len()];
    let mut edge = vec![root];
    let mut reached = 1;
    while let Some(switch) = edge.pop() {
        for &channel in &leaving[fabric.switch_node(switch) as usize] {
            let next = fabric.channel_ends(channel).1;
            if !usable[channel as usize / 2] || fabric.is_host(next) {
                continue;
            }
            let next = next - fabric.hosts;
            if next != root && came[next as usize] == u32::MAX {
                came[next as usize] = channel;
                reached += 1;
                edge.push(next);
            }
        }
    }
    (came, reached)
}

#[test]
fn every_vlan_is_a_spanning_tree() {
    each_set(|set, what| {
        let fabric = set.grid().fabric(1);
        let leaving = fabric.leaving();
        for tree in set.trees() {
            let links = tree.links(set.grid());
            assert_eq!(links.len() + 1, fabric.switches.len(), "{what}: {tree}");
            let mut usable = vec![false; fabric.links.len()];
            links.iter().for_each(|&link| usable[link as usize] = true);
            assert_eq!(
                spread(&fabric, &leaving, 0, &usable).1 as usize,
                fabric.switches.len(),
                "{what}: {tree}"
            );
        }
    });
}

/// The paths are the trees' own, which are found here by walking the links of each tree; every one of them is minimal.
#[test]
fn every_path_is_minimal_and_the_one_of_its_tree() {
    each_set(|set, what| {
        let fabric = set.grid().fabric(1);
        let leaving = fabric.leaving();
        let usable: Vec<Vec<bool>> = set
            .trees()
            .iter()
            .map(|tree| {
                let mut usable = vec![false; fabric.links.len()];
                tree.links(set.grid()).iter().for_each(|&link| usable[link as usize] = true);
                usable
            })
            .collect();
        for from in 0..fabric.hosts {
            let mut spreads: Vec<Option<Vec<u32>>> = vec![None; usable.len()];
            for to in (0..fabric.hosts).filter(|&to| to != from) {
                let vlan = set.choice(from, to) as usize;
                let came =
                    spreads[vlan].get_or_insert_with(|| spread(&fabric, &leaving, from, &usable[vlan]).0);
                let mut want = vec![2 * to + 1];
                let mut at = to;
                while at != from {
                    want.push(came[at as usize]);
                    at = fabric.channel_ends(came[at as usize]).0 - fabric.hosts;
                }
                want.push(2 * from);
                want.reverse();
                let mut path = Vec::new();
                set.path(from, to, 0, &mut path);
                assert_eq!(path, want, "{what}: {from} to {to}");
                assert_eq!(path.len() as u32, set.grid().distance(from, to) + 2, "{what}: {from} to {to}");
            }
        }
    });
}

/// Theorems 2.1 and 3.1, and what is said below definition 2.5 and in section 3.3 of rows that keep their VLANs.
#[test]
fn paths_are_those_of_dimension_order_where_the_theorems_say_so() {
    each_set(|set, what| {
        let order = DimensionOrder::new(set.grid().clone());
        let row = set.grid().sides().sizes()[0];
        let mut others = 0;
        for from in 0..set.grid().switches() {
            let own = set.trees().iter().position(|tree| {
                // In a row's own tree its line along dimension 0 is whole but for one link of a ring, and other rows have none.
                let links = tree.links(set.grid());
                let along = |switch: u32| {
                    links.contains(
                        &(set.grid().channel(switch, 0, shared::fabric::Way::Up).unwrap_or(u32::MAX) / 2),
                    )
                };
                let rows =
                    (0..set.grid().switches() / row).filter(|other| (0..row).any(|x| along(other * row + x)));
                rows.eq([from / row])
            });
            for to in 0..set.grid().switches() {
                let (mut path, mut want) = (Vec::new(), Vec::new());
                set.between(from, to, &mut path);
                order.between(from, to, &mut want);
                if set.method() == Method::Dor || own.is_some() || from / row == to / row {
                    assert_eq!(path, want, "{what}: {from} to {to}");
                } else {
                    others += u32::from(path != want);
                }
            }
        }
        assert_eq!(others > 0, set.method() == Method::PartialDor, "{what}");
    });
}

#[test]
fn sets_have_the_published_sizes() {
    for dimensions in 1..=4 {
        for side in 2..=6u32 {
            let rows = side.pow(dimensions - 1);
            let sides = vec![side; dimensions as usize];
            let (mesh, torus) = (grid(GridShape::Mesh, &sides), grid(GridShape::Torus, &sides));
            assert_eq!(Vlans::needed(&mesh, Method::Dor), Ok(rows));
            if dimensions > 1 {
                assert_eq!(Vlans::needed(&mesh, Method::PartialDor), Ok(rows / 2 + 1));
            }
            // Rings of two are single links, so that such a torus is a mesh, and half of the trees are the others again.
            let each = if side == 2 { 1 } else { 2 };
            assert_eq!(Vlans::needed(&torus, Method::Dor), Ok(each * rows));
            if dimensions > 1 && side % 2 == 0 {
                assert_eq!(Vlans::needed(&torus, Method::PartialDor), Ok(each * (rows / 2 + 1)));
            } else if dimensions == 2 {
                assert_eq!(Vlans::needed(&torus, Method::PartialDor), Ok(2 * side.div_ceil(2) + 2));
            }
        }
    }
}

/// Of all rows (n - 1) / (2n) go without VLANs, where n is the shortest odd ring but for dimension 0.
#[test]
fn odd_tori_of_more_dimensions_keep_as_few_rows_as_rings_allow() {
    let needed = |sides: &[u32]| Vlans::needed(&grid(GridShape::Torus, sides), Method::PartialDor);
    assert_eq!(needed(&[3, 3, 3]), Ok(2 * (9 - 3) + 2));
    assert_eq!(needed(&[4, 5, 5]), Ok(2 * (25 - 10) + 2));
    assert_eq!(needed(&[4, 5, 7]), Ok(2 * (35 - 14) + 2));
    assert_eq!(needed(&[5, 4, 4]), Ok(16 + 2), "dimension 0 may be odd");
    assert_eq!(needed(&[4, 3, 4]), Ok(2 * (12 - 4) + 2));
}

/// Switches of the path between two places, and the VLAN's name.
fn way(set: &Vlans, from: &[u32], to: &[u32]) -> (String, String) {
    let (fabric, sides) = (set.grid().fabric(1), set.grid().sides());
    let name = |switch: u32| {
        let words: Vec<String> = sides.coordinates(switch).iter().map(u32::to_string).collect();
        format!("({})", words.join(","))
    };
    let mut channels = Vec::new();
    let (from, to) = (sides.place(from), sides.place(to));
    set.between(from, to, &mut channels);
    let nexts = channels.iter().map(|&channel| fabric.channel_ends(channel).1 - fabric.hosts);
    (
        set.trees()[set.choice(from, to) as usize].to_string(),
        std::iter::once(from).chain(nexts).map(name).collect(),
    )
}

#[test]
fn worked_examples() {
    let (mesh, torus) = (grid(GridShape::Mesh, &[4, 4]), grid(GridShape::Torus, &[4, 4]));
    assert_eq!(
        way(&vlans(&mesh, Method::PartialDor), &[0, 0], &[3, 2]),
        ("VL(-,1)".into(), "(0,0)(0,1)(1,1)(2,1)(3,1)(3,2)".into())
    );
    assert_eq!(
        way(&vlans(&torus, Method::Dor), &[0, 0], &[3, 2]),
        ("VL(-:3,0)".into(), "(0,0)(3,0)(3,1)(3,2)".into())
    );
    assert_eq!(
        way(&vlans(&torus, Method::PartialDor), &[0, 3], &[1, 1]),
        ("VL(-:1,0)".into(), "(0,3)(0,0)(1,0)(1,1)".into())
    );
}

/// The sets of figures 3, 4, 7 and 8.
#[test]
fn sets_of_the_figures() {
    let names = |shape, method| {
        let set = vlans(&grid(shape, &[4, 4]), method);
        set.trees().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(GridShape::Mesh, Method::Dor), "VL(-,0) VL(-,1) VL(-,2) VL(-,3)");
    assert_eq!(names(GridShape::Mesh, Method::PartialDor), "VL(-,1) VL(-,3) VL(1,-)");
    assert_eq!(
        names(GridShape::Torus, Method::Dor),
        "VL(-:1,0) VL(-:3,0) VL(-:1,1) VL(-:3,1) VL(-:1,2) VL(-:3,2) VL(-:1,3) VL(-:3,3)"
    );
    assert_eq!(
        names(GridShape::Torus, Method::PartialDor),
        "VL(-:1,0) VL(-:3,0) VL(-:1,2) VL(-:3,2) VL(1,-:1) VL(3,-:3)"
    );
    let set = vlans(&grid(GridShape::Torus, &[4, 4, 4]), Method::PartialDor);
    assert_eq!(set.trees()[0].to_string(), "VL(-:1,0,0|A)");
    assert_eq!(set.trees()[17].to_string(), "VL(3,3,-:3|B)");
}

#[test]
fn limits_are_kept_or_refused_with_what_would_do() {
    let refused = |shape, sides: &[u32], method, most| {
        Vlans::new(&grid(shape, sides), method, most).unwrap_err().to_string()
    };
    let torus = GridShape::Torus;
    assert!(Vlans::new(&grid(torus, &[8, 8]), Method::Dor, 16).is_ok());
    assert_eq!(
        refused(torus, &[8, 8], Method::Dor, 15),
        "8x8 by dor needs 16 VLANs; the limit is 15; 8x8 by partial-dor needs 10"
    );
    assert_eq!(
        refused(torus, &[4, 24], Method::PartialDor, 10),
        "4x24 by partial-dor needs 26 VLANs; the limit is 10; 24x4 by dor needs 8"
    );
    assert_eq!(
        refused(torus, &[8, 8], Method::PartialDor, 9),
        "8x8 by partial-dor needs 10 VLANs; the limit is 9; no set for these sides has fewer than 10"
    );
    assert_eq!(
        refused(GridShape::Mesh, &[16, 16, 16, 16], Method::Dor, u32::MAX),
        "16x16x16x16 by dor needs 4096 VLANs; the limit is 4094; 16x16x16x16 by partial-dor needs 2049"
    );
    let line = Vlans::new(&grid(GridShape::Mesh, &[5]), Method::PartialDor, 9).unwrap_err();
    assert_eq!(line, VlanFault::OneDimension("5".into()));
}
