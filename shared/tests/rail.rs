//! Tests of rails: planes of a spec, faults, the normal form, the checker.

use shared::{
    analysis::bounds::refuse,
    demand::Demand,
    design::{Breach, check, table},
    form::toml,
    hardware::unsuited,
    resolve::{self, NoFiles, form_of, resolve},
    spec::{self, Spec},
};

/// 10 PEs with 3 NIs on 4-port switches under rails, and more.
fn machine(switches: &str, more: &str) -> String {
    format!(
        "pes = 10\nnis_per_pe = 3\nrail = true\n[[switch]]\nports = 4\n{switches}[[pattern]]\nkind = \"ring\"\n{more}"
    )
}

/// Spec with one NI for all but the first PEs.
fn grouped(first: u32, more: &str) -> String {
    let groups =
        format!("[[pe_group]]\ncount = {first}\nnis = 3\n[[pe_group]]\ncount = {}\nnis = 1\n", 10 - first);
    machine("", more).replace("nis_per_pe = 3\n", "").replace("[[switch]]", &format!("{groups}[[switch]]"))
}

/// A table of these switches, with the others empty.
fn wiring(switches: &[(usize, &str)]) -> String {
    let line = |switch: usize| {
        let members =
            switches.iter().find(|(number, _)| *number == switch).map_or("", |(_, members)| members);
        format!("{switch}: {members}\n")
    };
    (0..9).map(line).collect()
}

fn read(text: &str) -> Result<Spec, spec::Faults> {
    resolve::read(text, &mut NoFiles)
}

fn valid(text: &str) -> Spec {
    read(text).unwrap_or_else(|faults| panic!("{faults}\n{text}"))
}

fn faults(text: &str) -> String {
    read(text).err().map_or_else(String::new, |faults| faults.to_string())
}

#[test]
fn switches_divide_into_planes() {
    let spec = valid(&machine("", ""));
    assert_eq!((spec.planes(), spec.switch_counts()), (3, vec![9]), "3 switches of 4 ports hold 10 nodes");
    let planes: Vec<Option<u32>> = (0..9).map(|switch| spec.plane_of(switch)).collect();
    assert_eq!(planes, [0, 0, 0, 1, 1, 1, 2, 2, 2].map(Some));
    assert_eq!(valid(&machine("count = 12\n", "")).switches_per_plane(), Some(4));
    let free = valid(&machine("", "").replace("rail = true\n", ""));
    assert_eq!((free.plane_of(0), free.switch_counts()), (None, vec![8]));
}

#[test]
fn a_plane_grows_where_ports_are_reserved() {
    let kept = valid(&machine("", "[[keep]]\nswitch = 4\nports = 2\n[[keep]]\nswitch = 5\nports = 1\n"));
    assert_eq!(kept.switch_counts(), [12], "12 ports without 3 hold 9 nodes");
    let folded = valid(&machine("", "[uplink]\nkind = \"folded\"\n").replace("ports = 4", "ports = 20"));
    assert_eq!((folded.switch_counts(), folded.uplink_switch()), (vec![3], Some(2)));
    let usable = folded.usable_ports();
    assert_eq!(usable, [19, 19, 18]);
}

#[test]
fn nodes_with_fewer_nics_have_the_first_planes() {
    let spec = valid(&grouped(4, ""));
    assert_eq!([0, 1, 2].map(|plane| spec.pes_on_plane(plane)), [10, 4, 4]);
}

#[test]
fn faults_name_what_would_do() {
    assert_eq!(
        faults(&machine("count = 10\n", "")),
        "switch[0].count: must be 9 or 12 in all, not 10 switches: under `rail`, each of the 3 planes has equally many \
         switches."
    );
    assert_eq!(
        faults(&machine("count = 7\n", "")),
        "switch[0].count: must be 9 in all, not 7 switches: under `rail`, each of the 3 planes has equally many switches."
    );
    assert_eq!(
        faults(&machine("count = 6\n", "")),
        "switch[0].count: must be at least 10 ports there, one per node \
         with a NIC on the plane, not 2 switches with 8 usable ports in plane 0: for example 9 switches in all."
    );
    assert_eq!(
        faults(&machine("count = 3\n[[switch]]\nports = 8\n", "")),
        "switch[1].count: missing; it must be a count: under `rail`, only a single model may have none."
    );
    let mixed = valid(&machine("count = 3\n[[switch]]\nports = 8\ncount = 6\n", ""));
    assert_eq!(mixed.switches_per_plane(), Some(3));
    assert_eq!(
        faults(&machine("", "").replace("rail = true", "rail = 2")),
        "rail: must be one of `false`, `true`, not 2."
    );
}

#[test]
fn an_existing_wiring_must_keep_rails() {
    let table = |switches| format!("[start]\ntable = '''\n{}'''\n", wiring(switches));
    assert_eq!(faults(&machine("", &table(&[(0, "0 1"), (3, "0 1"), (8, "0 1")]))), "");
    assert_eq!(
        faults(&machine("", &table(&[(0, "0 1"), (2, "1 5")]))),
        "start.table: line 3: node 1 is on switches 0 and 2 of plane 0; with `rail`, it can be on one."
    );
    assert_eq!(
        faults(&grouped(9, &table(&[(4, "1 9")]))),
        "start.table: line 5: node 9 cannot be on switch 4; with `rail` and 1 NIC, it can use switches 0 to 2."
    );
}

#[test]
fn placements_on_one_plane_are_refused() {
    let spec = valid(&machine("", "[[placement]]\npes = \"3\"\nswitches = \"3, 5\"\n"));
    let demand = Demand::build(&spec).unwrap();
    let refusal = refuse(&spec, &demand).expect("two NICs on plane 1");
    assert_eq!(
        refusal.faults[0].to_string(),
        "placement[0].switches: must be at most one switch from 3 to 5 (plane 1) for node 3, or `rail = false`, not 3, 5."
    );
    let spec = valid(&machine("", "[[placement]]\npes = \"3\"\nswitches = \"2, 5\"\n"));
    assert_eq!(refuse(&spec, &Demand::build(&spec).unwrap()), None);
}

#[test]
fn the_normal_form_keeps_rails() {
    let spec = valid(&machine("", ""));
    let form = form_of(&spec);
    let text = toml::write(&form);
    assert!(text.contains("\nrail = true\n"), "{text}");
    assert_eq!(resolve(&form, &mut NoFiles).unwrap(), spec);
    assert_eq!(form_of(&valid(&machine("", "").replace("rail = true", "rail = false"))).rail, "");
}

#[test]
fn a_hardware_search_refuses_rails() {
    let faults = unsuited(&valid(&machine("", "")));
    assert_eq!(
        faults[0].to_string(),
        "rail: hardware searches don't support rails: they leave out switches, which would break up planes."
    );
}

#[test]
fn the_checker_knows_planes() {
    let spec = valid(&machine("", ""));
    let demand = Demand::build(&spec).unwrap();
    let breaches = |switches| check(&spec, &demand, &table::parse(&wiring(switches), 10).unwrap()).breaches;
    assert_eq!(breaches(&[(0, "0 1 2"), (3, "0 1"), (6, "0")]), []);
    assert_eq!(breaches(&[(0, "0 1"), (3, "0")]), [], "idle NICs");
    // The cable on plane 2 would be labelled NIC1.
    let found = breaches(&[(0, "0 1"), (8, "0")]);
    assert_eq!(found, [Breach::Skipped { pe: 0, plane: 1, later: 2 }]);
    assert_eq!(
        found[0].to_string(),
        "node 0 has a cable on plane 2, but none on plane 1; under `rail`, NIC 1 is on plane 1"
    );
    let found = breaches(&[(0, "0 1"), (2, "1 5"), (3, "1")]);
    assert_eq!(found, [Breach::Rail { pe: 1, plane: 0, has: 2, allowed: 1 }]);
    assert_eq!(found[0].to_string(), "node 1 is on 2 switches of plane 0; `rail` allows 1");
    let spec = valid(&grouped(9, ""));
    let demand = Demand::build(&spec).unwrap();
    let found = check(&spec, &demand, &table::parse(&wiring(&[(5, "9")]), 10).unwrap()).breaches;
    assert_eq!(found, [Breach::Rail { pe: 9, plane: 1, has: 1, allowed: 0 }]);
}
