//! Tuples of NIs, and the C header that holds them.

use super::{
    machines::{Machine, all, faults, kasy0, klat2, lab, machine, ni, routes, shared, written},
    programs,
};
use shared::{
    analysis::routing::{TupleLayout, advanced},
    design::Design,
    design::{Faults, Path},
};

/// Dietz and Mattox 2000, section 3.3.
#[test]
fn klat2_takes_128_bytes_a_node() {
    let klat2 = klat2();
    let routes = routes(&klat2, &Faults::default());
    let layout = advanced(&routes).layout();
    assert_eq!(layout, TupleLayout { nis: 4, field_bits: 3, word_bits: 16, words: 1 });
    assert_eq!(layout.table_bytes(64), 128);
}

/// The paper's example: 1-3-4-0, first NI in the lowest bits.
#[test]
fn the_papers_tuple_is_packed_by_shifts() {
    let layout = TupleLayout::of(4);
    let path = |ni, other_ni| Path { switch: 0, ni, other_ni };
    let tuple = layout.pack(&[path(0, 0), path(1, 2), path(2, 3)]);
    assert_eq!(tuple, [1 | 3 << 3 | 4 << 6]);
    let others: Vec<Option<u32>> = (0..5).map(|ni| layout.other_ni(&tuple, ni)).collect();
    assert_eq!(others, [Some(0), Some(2), Some(3), None, None]);
}

#[test]
fn every_number_of_nis_has_a_layout_without_overlaps() {
    for nis in 1..=64 {
        let layout = TupleLayout::of(nis);
        assert!(nis < 1 << layout.field_bits && layout.fields_per_word() * layout.words >= nis);
        assert!(layout.words == 1 || layout.word_bits == 64);
        for used in [(0..nis).collect::<Vec<_>>(), (0..nis).step_by(3).collect(), vec![nis - 1]] {
            let path = |&ni: &u32| Path { switch: 0, ni, other_ni: nis - 1 - ni };
            let tuple = layout.pack(&used.iter().map(path).collect::<Vec<_>>());
            assert_eq!(tuple.len(), layout.words as usize);
            for ni in 0..nis {
                let expected = used.contains(&ni).then(|| nis - 1 - ni);
                assert_eq!(layout.other_ni(&tuple, ni), expected, "NI {ni} of {nis}");
            }
        }
    }
}

/// For every destination and own NI, the destination's NI plus 1 or 0, by looking at all switches.
fn fields(design: &Design, faults: &Faults, pe: u32, nis: u32) -> Vec<u32> {
    let mut fields = Vec::new();
    for dest in 0..design.pes() {
        let mut tuple = vec![0; nis as usize];
        for switch in shared(design, faults, pe, dest) {
            tuple[ni(design, pe, switch) as usize] = ni(design, dest, switch) + 1;
        }
        fields.extend(tuple);
    }
    fields
}

#[test]
fn tuples_say_which_nis_share_a_switch() {
    for machine in all() {
        for dead in ["", "sw1 node2 node0.nic0"] {
            let faults = faults(dead, &machine.2);
            let routes = routes(&machine, &faults);
            let tables = advanced(&routes);
            let layout = tables.layout();
            for pe in (0..machine.2.pes()).step_by(5) {
                let mut found = vec![0; (machine.2.pes() * layout.nis) as usize];
                for tuple in tables.tuples(pe) {
                    for ni in 0..layout.nis {
                        let other = layout.other_ni(&tuple.words, ni);
                        found[(tuple.dest * layout.nis + ni) as usize] = other.map_or(0, |ni| ni + 1);
                    }
                }
                assert_eq!(found, fields(&machine.2, &faults, pe, layout.nis), "PE {pe}, dead: {dead}");
            }
        }
    }
}

const MAIN: &str = r#"
#include <stdio.h>
int main(void) {
    printf("%d %d %d\n", FNN_PES, FNN_SELF, (int)sizeof fnn_advanced);
    for (unsigned dest = 0; dest < FNN_PES; dest++)
        for (int ni = 0; ni < FNN_TUPLE_NIS; ni++)
            printf("%u\n", FNN_USES(dest, ni) ? FNN_OTHER_NI(dest, ni) + 1 : 0);
    return 0;
}
"#;

/// 40 PEs on 20 switches, so that tuples take two words.
fn wide() -> Machine {
    let lists = (0..20u32).map(|switch| {
        let on: Vec<String> = (0..40).filter(|pe| pe % 20 != switch).map(|pe| pe.to_string()).collect();
        format!("{switch}: {}\n", on.join(" "))
    });
    machine(40, 20, &lists.collect::<String>())
}

#[test]
fn the_header_compiles_and_says_the_same() {
    let alone = || machine(3, 1, "0: 1 2\n");
    let cases = [
        (klat2(), 0, "", 128),
        (kasy0(), 77, "", 128),
        (lab(), 5, "sw1 node1.nic0", 8),
        (wide(), 7, "", 640),
        (alone(), 0, "", 3),
    ];
    for (machine, pe, dead, bytes) in cases {
        let design = machine.2.clone();
        let nis = (0..design.pes()).map(|pe| design.nis().of(pe).len()).max().unwrap_or(0) as u32;
        let header = written(machine, "advanced", Some(pe), &[&format!("dead={dead}")]).unwrap();
        let Some(printed) = programs::c(&format!("advanced{pe}"), &format!("{header}{MAIN}")) else { return };
        let mut lines = printed.lines();
        assert_eq!(lines.next(), Some(format!("{} {pe} {bytes}", design.pes()).as_str()));
        let found: Vec<u32> = lines.map(|line| line.parse().unwrap()).collect();
        assert_eq!(found, fields(&design, &faults(dead, &design), pe, nis), "PE {pe}\n{header}");
    }
}

#[test]
fn a_header_says_what_is_dead_and_not_served() {
    let header = written(lab(), "advanced", Some(0), &["dead=sw0 sw2"]).unwrap();
    assert!(header.contains("/* Routed around failed parts: sw00 sw02. */"), "{header}");
    assert!(header.contains("/* Requested, but without a path: node001. */"), "{header}");
    let error = written(lab(), "advanced", Some(0), &["dead=sw9"]).unwrap_err();
    assert!(error.contains("there is no switch 9; switches are 0 to 5"), "{error}");
}
