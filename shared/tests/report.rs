//! The report: what it says on its pages, for small and large machines.

use crate::common::{
    pdf::{contents, fonts, objects, shown},
    sparse, spec, wiring,
};
use shared::{
    demand::Demand,
    design::Design,
    exports::{Bundle, Settings, format},
    spec::Spec,
};
use std::sync::Arc;

const RING: &str =
    "name = \"東京 Ring\"\npes = 4\nnis_per_pe = 1\n[[switch]]\nports = 4\n[[pattern]]\nkind = \"ring\"\n";

/// The texts of each page.
fn report((spec, demand): (Spec, Demand), design: Design, choices: &[&str]) -> (Vec<String>, Vec<u8>) {
    let report = format("report").unwrap();
    let settings = Settings::read(report, choices.iter().copied()).unwrap();
    let bundle = Bundle::new(Arc::new(spec), "", Arc::new(demand), Arc::new(design)).with(settings);
    let mut file = Vec::new();
    bundle.write(report, None, &mut file).unwrap();
    let pages: Vec<String> = shown(&file).into_iter().map(|texts| texts.join("\n")).collect();
    assert_eq!((contents(&file).len(), fonts(&file).len()), (pages.len(), 2));
    (pages, file)
}

#[test]
fn every_chapter_is_there_with_where_it_comes_from() {
    let link = "https://studio.example.org/d/0123456789abcdefghjkmnpqrs";
    let choices = [&format!("link={link}"), "date=2026-11-22"];
    let (pages, _) = report(spec(RING), wiring("0: 0 1 2 3\n", 4), &choices);
    assert!(
        pages[0].starts_with("[U+6771][U+4EAC] Ring\nDate: 2026-11-22 · Link: https://studio"),
        "{}",
        pages[0]
    );
    assert!(pages[0].contains("\nAll 4 requested pairs share a switch.\n"), "{}", pages[0]);
    let all = pages.join("\n");
    for chapter in
        ["Map", "Spec", "Lower bounds", "Figures", "Bill of materials", "Other networks", "Cables", "Labels"]
    {
        assert!(all.contains(&format!("\n{chapter}\n")), "{chapter}: {all}");
    }
    for (page, number) in pages.iter().zip(1..) {
        assert!(page.ends_with(&format!("page {number} of {}", pages.len())), "{page}");
    }
}

#[test]
fn a_wiring_that_misses_pairs_says_so_on_page_one() {
    let (pages, _) = report(spec(RING), wiring("0: 0 1\n1: 2 3\n", 4), &[]);
    assert!(pages[0].contains("\nThis wiring leaves 2 of 4 requested pairs uncovered."), "{}", pages[0]);
    assert!(!pages[0].contains("All 4 requested pairs"), "{}", pages[0]);
}

#[test]
fn a_large_machine_has_a_report_of_a_few_pages_on_either_paper() {
    let machine = || sparse(2000, 2, 1000, 4, &[(0, 1), (5, 1700)]);
    let design = || Design::from_switches(2000, [(0..1000).collect(), (1000..2000).collect::<Vec<u32>>()]);
    for (paper, size) in [("a4", "595.27"), ("letter", "612")] {
        let (pages, file) = report(machine(), design(), &[&format!("paper={paper}")]);
        assert!(pages[0].contains("leaves 1 of 2 requested pairs uncovered"), "{}", pages[0]);
        assert!((4..12).contains(&pages.len()), "{} pages", pages.len());
        let sized = objects(&file)
            .into_iter()
            .filter(|object| String::from_utf8_lossy(object).contains(&format!("/MediaBox [0 0 {size}")));
        assert_eq!(sized.count(), pages.len(), "{paper}");
    }
}
