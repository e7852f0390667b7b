//! The design/solution map against counting every place.

use crate::common::{sparse, spec, wiring};
use proptest::prelude::*;
use shared::{
    analysis::map::{Cell, MapIndex, Theme, Triangle, Window, colour, under},
    demand::Demand,
    design::Design,
};

const PES: u32 = 23;

/// The cell by its definition: every (row, column) place that falls into it.
fn by_hand(
    demand: &Demand,
    design: Option<&Design>,
    window: Window,
    pixels: u32,
    row: u32,
    column: u32,
) -> Cell {
    let edge = |first: u32, i: u32| (first + i * window.span / pixels).min(PES);
    let nis = design.map(Design::nis);
    let mut cell = Cell::default();
    for a in edge(window.y, row)..edge(window.y, row + 1) {
        for b in (edge(window.x, column)..edge(window.x, column + 1)).filter(|&b| b != a) {
            let pair = demand.index_of(a, b);
            let paths = nis.as_ref().map_or(0, |n| n.shared(a, b).count() as u32);
            cell.requested += u32::from(pair.is_some());
            cell.missing += u32::from(nis.is_some() && pair.is_some_and(|p| paths < demand.links(p)));
            cell.extra += u32::from(pair.is_none() && paths > 0);
            cell.paths += paths;
        }
    }
    cell
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn every_cell_is_the_sum_of_its_places(
        switches in prop::collection::vec(prop::collection::vec(0u32..PES, 0..9), 1..8),
        pairs in prop::collection::btree_set((0u32..PES, 0u32..PES), 1..40),
        wired in any::<bool>(),
        x in 0u32..26, y in 0u32..26, span in 1u32..40, pixels in 1u32..30,
    ) {
        let demand = Demand::from_pairs(PES, pairs.into_iter().filter(|(a, b)| a != b));
        let design = wired.then(|| Design::from_switches(PES, switches));
        let window = Window { x, y, span };
        let tile = MapIndex::new(&demand, design.as_ref()).tile(window, pixels);
        prop_assert_eq!(tile.pixels, pixels.min(span));
        for row in 0..tile.pixels {
            for column in 0..tile.pixels {
                let cell = tile.cells[(row * tile.pixels + column) as usize];
                prop_assert_eq!(cell, by_hand(&demand, design.as_ref(), window, tile.pixels, row, column), "row {} column {}", row, column);
            }
        }
    }
}

#[test]
fn a_pair_is_seen_with_its_patterns_and_switches() {
    let (spec, demand) = spec(
        "pes = 8\nnis_per_pe = 2\n[[switch]]\nports = 6\n[[pattern]]\nkind = 'ring'\n[[pattern]]\nkind = 'torus'\ndims = [4, 2]\nneighbours = 'axis'\nlinks = 2\n",
    );
    let design = wiring("0: 0 1 2 3\n1: 0 1 4 5\n2: 6 7\n", 8);
    let seen = under(&spec, &demand, Some(&design), 1, 0);
    assert_eq!(seen.requested_by, ["ring", "torus 4x2, axis, 2 links"]);
    assert_eq!((seen.links, seen.switches), (2, vec![0, 1]));
    let seen = under(&spec, &demand, Some(&design), 0, 6);
    assert_eq!((seen.requested_by.len(), seen.links, seen.switches.len()), (0, 0, 0));
    assert_eq!(under(&spec, &demand, None, 3, 3), under(&spec, &demand, None, 0, 99));
}

#[test]
fn places_add_up_to_the_machine() {
    let (_, demand) = sparse(10, 1, 4, 3, &[(0, 1)]);
    let tile = MapIndex::new(&demand, None).tile(Window { x: 0, y: 0, span: 16 }, 5);
    let total: u64 =
        (0..5).flat_map(|r| (0..5).map(move |c| (c, r))).map(|(c, r)| tile.places(c, r, 10)).sum();
    assert_eq!(total, 100);
}

#[test]
fn colours_mean_what_they_should() {
    let cell =
        |requested, missing, extra, paths| Cell { requested, missing, extra, paths, ..Cell::default() };
    let light = |c: &Cell, triangle| colour(c, 1, Theme::Light, triangle);
    assert_eq!(light(&cell(0, 0, 0, 0), Triangle::Delivered)[3], 0, "nothing is transparent");
    let [r, g, b, _] = light(&cell(1, 0, 0, 1), Triangle::Requested);
    assert!(r < 40 && g < 40 && b < 40, "requested is black");
    let [r, g, b, _] = light(&cell(1, 1, 0, 0), Triangle::Delivered);
    assert!(r > 180 && g < 60 && b < 60, "missing is red");
    assert_eq!(light(&cell(0, 0, 1, 3), Triangle::Requested)[3], 0, "extra is delivered, not requested");
    let (one, three) =
        (light(&cell(0, 0, 1, 1), Triangle::Delivered), light(&cell(0, 0, 1, 3), Triangle::Delivered));
    assert!(one[1] > one[0] && three[1] > three[0] && three[1] < one[1], "more paths are a deeper green");
    let dark = colour(&cell(1, 0, 0, 1), 1, Theme::Dark, Triangle::Requested);
    assert!(dark[0] > 200, "requested is light on dark");
    let faint = colour(&cell(1, 0, 0, 1), 4096, Theme::Light, Triangle::Requested);
    assert!(faint[0] < 230 && faint[0] > 100, "one pair among thousands is faint but there: {faint:?}");
}

#[test]
fn the_map_of_a_fractional_objective_is_by_weight() {
    let text = "pes = 6\nnis_per_pe = 1\nobjective = 'fractional'\n[[switch]]\nports = 3\ncount = 2\n[[pattern]]\nkind = 'matrix'\n\
        pairs = \"\"\"\n0 1 100\n3 4 1\n0 5 1\n2 5 100\n\"\"\"\n";
    let (spec, demand) = spec(text);
    let design = wiring("0: 0 1 2\n1: 3 4 5\n", 6);
    let index = MapIndex::of(&spec, &demand, Some(&design));
    assert_eq!([(5, 2), (0, 5), (0, 2)].map(|(a, b)| index.share(a, b)), [1.0, 0.01, 0.0]);
    assert_eq!(MapIndex::new(&demand, None).share(0, 5), 1.0, "not by weight");
    let tile = index.tile(Window::all(6), 6);
    let cell = |row: usize, column: usize| tile.cells[6 * row + column];
    assert_eq!((cell(0, 1).weight, cell(0, 1).missing_weight), (1.0, 0.0));
    assert_eq!((cell(0, 5).weight, cell(0, 5).missing_weight), (0.01, 0.01));
    assert_eq!((cell(2, 5).weight, cell(2, 5).missing_weight), (1.0, 1.0));
    let seen = |row, column, half| colour(&cell(row, column), 1, Theme::Light, half);
    let light = |[r, g, b, _]: [u8; 4]| u32::from(r) + u32::from(g) + u32::from(b);
    let [heavy, faint] = [(2, 5), (0, 5)].map(|(row, column)| seen(row, column, Triangle::Delivered));
    assert_eq!(heavy, [208, 16, 32, 255], "the heaviest uncovered pair is full red");
    assert!(faint[0] > faint[1] && light(faint) > light(heavy) + 200, "a light one is pale: {faint:?}");
    assert_eq!(seen(0, 1, Triangle::Delivered), [17, 17, 17, 255]);
    let asked = [(5, 2), (5, 0)].map(|(row, column)| light(seen(row, column, Triangle::Requested)));
    assert!(asked[0] < 60 && asked[1] > 300, "requested pairs are shaded by weight: {asked:?}");
    let whole = MapIndex::of(&spec, &demand, Some(&design)).tile(Window::all(6), 1).cells[0];
    assert!((whole.missing_weight / whole.weight - 101.0 / 202.0).abs() < 1e-6);
    let unweighted = MapIndex::new(&demand, Some(&design)).tile(Window::all(6), 6);
    assert!(unweighted.cells.iter().all(|cell| cell.weight == 0.0));
}
