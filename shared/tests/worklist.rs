//! The working order: the same cables in all its forms, with a box for each of the two at every one.

use crate::common::{sparse, spec, wiring};
use shared::{
    design::Design,
    exports::{Bundle, format},
};
use std::{collections::BTreeSet, sync::Arc};

fn render(bundle: &Bundle, name: &str) -> String {
    let mut text = String::new();
    bundle.render(format(name).unwrap(), None, &mut text).unwrap();
    text
}

fn bundle(racks: &str) -> Bundle {
    let text = format!(
        "name = \"<b>Lab</b>\"\npes = 6\nnis_per_pe = 2\nobjective = \"sparse\"\n[[switch]]\nports = 6\ncount = 3\n\
         [[pattern]]\nkind = \"ring\"\n{racks}"
    );
    let (spec, demand) = spec(&text);
    Bundle::new(
        Arc::new(spec),
        text,
        Arc::new(demand),
        Arc::new(wiring("0: 0 1 2 3\n1: 2 3 4 5\n2: 0 1 4 5\n", 6)),
    )
}

const RACKS: &str = "[[rack]]\npes = 3\nswitches = 1\n[[rack]]\npes = 3\nswitches = 2\n";

#[test]
fn every_form_has_every_cable_and_two_boxes_for_it() {
    for racks in ["", RACKS] {
        let bundle = bundle(racks);
        let list = render(&bundle, "cables");
        let cables: BTreeSet<&str> = list.lines().skip(1).map(|line| &line[..7]).collect();
        let csv = render(&bundle, "worklist-csv");
        let named: Vec<String> =
            csv.lines().skip(1).map(|l| l.split(',').skip(2).collect::<Vec<_>>().join(",")).collect();
        let ours: BTreeSet<&str> = named.iter().map(|line| &line[..7]).collect();
        assert_eq!((named.len(), &ours), (12, &cables), "{csv}");
        let numbers: Vec<usize> =
            csv.lines().skip(1).map(|l| l.split(',').nth(1).unwrap().parse().unwrap()).collect();
        assert_eq!(numbers, (1..=12).collect::<Vec<_>>());
        let text = render(&bundle, "worklist-text");
        assert_eq!(
            (text.matches("A [ ] node").count(), text.matches("B [ ] sw").count()),
            (12, 12),
            "{text}"
        );
        let html = render(&bundle, "worklist");
        assert_eq!(html.matches("class=\"box\"").count(), 24);
        assert!(html.contains("&lt;b&gt;Lab") && !html.contains("<script"), "{html}");
    }
}

#[test]
fn parts_say_where_the_two_stand() {
    let text = render(&bundle(RACKS), "worklist-text");
    assert!(
        text.contains("12 cables in 4 parts.") && text.contains("A at rack A01, B at rack A02"),
        "{text}"
    );
    assert!(text.contains("node000 NIC0 (A01-01:NIC0)"), "{text}");
    let text = render(&bundle(""), "worklist-text");
    assert!(
        text.contains("12 cables in 3 parts.") && text.contains("Part 2 of 3: B at sw01, A along the nodes"),
        "{text}"
    );
}

#[test]
fn a_machine_without_cables_has_an_empty_list() {
    let (spec, demand) = sparse(2, 1, 2, 1, &[(0, 1)]);
    let bundle =
        Bundle::new(Arc::new(spec), "", Arc::new(demand), Arc::new(Design::from_switches(2, [Vec::new()])));
    assert_eq!(render(&bundle, "worklist-csv").lines().count(), 1);
    assert!(render(&bundle, "worklist").contains("0 cables in 0 parts"));
}
