//! Racks: cables by bundles, default racks, and switches that change places.

use shared::{
    analysis::{
        lengths::total,
        racks::{CableBundle, RackPlan, even_racks, may_swap, with_swapped},
    },
    design::Design,
    resolve::{self, NoFiles},
    spec::Spec,
};

fn spec(more: &str) -> Spec {
    let text = format!(
        "pes = 6\nnis_per_pe = 2\nobjective = \"sparse\"\nmetre_price = 1\n[[switch]]\nports = 4\ncount = 3\n{more}[[pattern]]\nkind = \"ring\"\n"
    );
    resolve::read(&text, &mut NoFiles).unwrap_or_else(|faults| panic!("{faults}"))
}

fn design() -> Design {
    Design::from_switches(6, [vec![0, 1, 2], vec![2, 3, 4], vec![0, 4, 5]])
}

#[test]
fn bundles_add_up_to_all_cables_and_metres() {
    let spec = spec("[[rack]]\npes = 3\nswitches = 2\n[[rack]]\npes = 3\nswitches = 1\nx = 4.0\n");
    let plan = RackPlan::of(&spec, &design()).unwrap();
    assert_eq!(plan.cables, 9);
    assert_eq!(Some(plan.metres), total(&spec, &design()));
    let of = |b: &CableBundle| (b.from, b.to, b.cables);
    assert_eq!(plan.bundles.iter().map(of).collect::<Vec<_>>(), [(0, 0, 4), (0, 1, 1), (1, 0, 2), (1, 1, 2)]);
    assert_eq!(plan.longest, Some(((3, 1), 6.0)));
    let loads: Vec<_> =
        plan.racks.iter().map(|rack| (rack.nodes, rack.switches, rack.inside, rack.outside)).collect();
    assert_eq!(loads, [((0, 3), (0, 2), 4, 3), ((3, 6), (2, 3), 2, 3)]);
}

#[test]
fn default_racks_hold_every_node_and_switch() {
    let spec = spec("");
    assert_eq!(RackPlan::of(&spec, &design()), None);
    for nodes in [1, 2, 4, 5, 6, 7] {
        let racks = even_racks(&spec, nodes);
        assert_eq!(racks.iter().map(|rack| rack.pes).sum::<u32>(), 6);
        assert_eq!(racks.iter().map(|rack| rack.switches).sum::<u32>(), 3);
        let spec = Spec { racks, ..spec.clone() };
        assert_eq!(RackPlan::of(&spec, &design()).unwrap().cables, 9);
    }
}

#[test]
fn switches_change_places_unless_the_spec_names_them() {
    let swapped = with_swapped(&design(), 0, 2);
    assert_eq!(swapped.members(0), [0, 4, 5]);
    assert_eq!(swapped.members(2), [0, 1, 2]);
    assert_eq!(with_swapped(&swapped, 2, 0), design());
    assert_eq!(with_swapped(&design(), 1, 4).members(4), [2, 3, 4]);
    assert!(may_swap(&spec(""), 0, 2) && !may_swap(&spec(""), 1, 1) && !may_swap(&spec(""), 0, 3));
    assert!(!may_swap(&spec("[[keep]]\nswitch = 0\nports = 1\n"), 1, 2));
    assert!(!may_swap(&spec("[uplink]\nkind = \"folded\"\n"), 0, 2));
}
