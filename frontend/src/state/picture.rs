//! Small pictures of patterns: their pairs on the map, at the current number of PEs.

use super::words::count;
use shared::{
    demand::{Demand, patterns},
    design::Design,
    spec::{
        Parameters, Pattern, PatternKind, Spec,
        patterns::{
            factorization,
            lattice::{Lattice, Layout, Neighbours, Shape},
        },
    },
};

/// Cells in a row of a picture.
pub const SIDE: usize = 64;
/// Max number of PEs for which kinds in the picker are drawn: drawing must not be slower than choosing.
const MAX_PES: u32 = 1 << 17;

/// Max number of factorizations that are listed.
const MAX_SIZES: usize = 4;

/// A small picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Shade of each cell, row by row: 0 without a pair, 255 if all its pairs are there.
    pub shades: Vec<u8>,
    /// Cells in a row: [`SIDE`], or the number of PEs if that is smaller.
    pub side: usize,
    /// Number of pairs.
    pub pairs: u64,
}

/// Sums pairs into cells.
struct Sum {
    pes: u32,
    side: usize,
    cells: Vec<u32>,
    pairs: u64,
}

impl Sum {
    fn new(pes: u32) -> Sum {
        let side = SIDE.min(pes.max(1) as usize);
        Sum { pes, side, cells: vec![0; side * side], pairs: 0 }
    }

    fn add(&mut self, a: u32, b: u32) {
        let cell = |pe: u32| (u64::from(pe) * self.side as u64 / u64::from(self.pes)) as usize;
        let (a, b) = (cell(a), cell(b));
        self.cells[a * self.side + b] += 1;
        self.cells[b * self.side + a] += 1;
        self.pairs += 1;
    }

    /// A cell with at least one pair stays visible.
    fn finish(self) -> Picture {
        let places = (f64::from(self.pes) / self.side as f64).powi(2);
        let shade = |&count: &u32| match count {
            0 => 0,
            _ => (70.0 + 185.0 * (f64::from(count) / places).min(1.0).sqrt()) as u8,
        };
        Picture { shades: self.cells.iter().map(shade).collect(), side: self.side, pairs: self.pairs }
    }
}

/// One picture per pattern of a spec, drawn some PEs at a time.
pub struct Pictures {
    sums: Vec<Sum>,
    /// The next PE.
    pe: u32,
}

impl Pictures {
    /// Begins with the first PE.
    pub fn new(spec: &Spec) -> Pictures {
        Pictures { sums: spec.patterns.iter().map(|_| Sum::new(spec.pes)).collect(), pe: 0 }
    }

    /// Draws the pairs of up to `nodes` more PEs of the spec's demand. Returns `true` if it was the last step.
    pub fn step(&mut self, demand: &Demand, pes: u32) -> bool {
        let end = self.pe.saturating_add(pes).min(demand.pes());
        for a in self.pe..end {
            for (index, &b) in (demand.first_pair(a)..).zip(demand.higher_of(a)) {
                let mut rest = demand.patterns_of(index);
                while rest != 0 {
                    if let Some(sum) = self.sums.get_mut(rest.trailing_zeros() as usize) {
                        sum.add(a, b);
                    }
                    rest &= rest - 1;
                }
            }
        }
        self.pe = end;
        end == demand.pes()
    }

    /// The pictures, after the last step.
    pub fn finish(self) -> Vec<Picture> {
        self.sums.into_iter().map(Sum::finish).collect()
    }
}

/// The whole demand as one picture.
pub fn of_all(demand: &Demand) -> Picture {
    let mut sum = Sum::new(demand.pes());
    demand.pairs().for_each(|(a, b)| sum.add(a, b));
    sum.finish()
}

/// A wiring: nodes across, switches down.
pub fn of_wiring(design: &Design) -> Picture {
    let (pes, switches) = (u64::from(design.pes().max(1)), u64::from(design.switch_count().max(1)));
    let side = SIDE.min(pes.max(switches) as usize);
    let cell = |number: u32, of: u64| (u64::from(number) * side as u64 / of) as usize;
    let mut cells = vec![0u32; side * side];
    for (switch, members) in (0..).zip(design.switches()) {
        for &pe in members {
            // A row of few switches is as high as several cells.
            let rows = cell(switch, switches)..cell(switch + 1, switches).max(cell(switch, switches) + 1);
            for row in rows.filter(|&row| row < side) {
                cells[row * side + cell(pe, pes)] += 1;
            }
        }
    }
    let most = f64::from(cells.iter().copied().max().unwrap_or(1).max(1));
    let shade =
        |&count: &u32| if count == 0 { 0 } else { (70.0 + 185.0 * (f64::from(count) / most).sqrt()) as u8 };
    Picture { shades: cells.iter().map(shade).collect(), side, pairs: design.cables() as u64 }
}

/// The sizes that a torus or grid without sizes has on a number of PEs, such as `8x6`; `None` for other patterns, and if there are none.
pub fn sizes(kind: &PatternKind, pes: u32) -> Option<String> {
    let Parameters::Lattice(lattice) = &kind.parameters else { return None };
    let Shape::Factorizations { dimensions, all } = lattice.shape else { return None };
    match all {
        false => Some(written(&factorization::balanced(pes, dimensions)?)),
        true => match &factorization::all(pes, dimensions)[..] {
            [] => None,
            few if few.len() <= MAX_SIZES => {
                Some(few.iter().map(|sizes| written(sizes)).collect::<Vec<_>>().join(", "))
            }
            many => Some(count(many.len() as u64, "factorization")),
        },
    }
}

/// [`sizes`] of a pattern as typed.
pub fn sizes_of(form: &patterns::PatternForm, pes: u32) -> Option<String> {
    let dimensions =
        form["dimensions"].trim().parse().ok().filter(|dimensions| (1..=4).contains(dimensions))?;
    let shape = match Layout::of(form) {
        Layout::Sizes => return None,
        layout => Shape::Factorizations { dimensions, all: layout == Layout::All },
    };
    let lattice = Lattice { shape, neighbours: Neighbours::Nearest, weights: Vec::new() };
    sizes(&PatternKind { name: "torus", parameters: Parameters::Lattice(lattice) }, pes)
}

fn written(sizes: &[u32]) -> String {
    sizes.iter().map(u32::to_string).collect::<Vec<_>>().join("x")
}

/// A pattern in a few words with the sizes that it has, such as `torus 2D, balanced: 8x6`.
pub fn title(pattern: &Pattern, pes: u32) -> String {
    let label = patterns::label(pattern);
    sizes(&pattern.kind, pes).map_or_else(|| label.clone(), |sizes| format!("{label}: {sizes}"))
}

/// A pattern in the picker.
///
/// # Errors
/// The reason why it does not fit this number of PEs; empty if it is only too large to draw.
pub fn of_kind(kind: &PatternKind, pes: u32) -> Result<Picture, String> {
    if pes == 0 {
        return Err("a number of nodes first".into());
    }
    patterns::admit(kind, pes).map_err(patterns::Refusal::sentence)?;
    if patterns::entry(kind.name).is_some_and(|entry| entry.complete) {
        return Ok(full(pes));
    }
    if pes > MAX_PES {
        return Err(String::new());
    }
    let mut sum = Sum::new(pes);
    for key in patterns::pairs(kind, pes, "").map_err(|fault| fault.message)? {
        sum.add((key >> 32) as u32, key as u32);
    }
    Ok(sum.finish())
}

fn full(pes: u32) -> Picture {
    let side = SIDE.min(pes as usize);
    let mut shades = vec![255; side * side];
    if side == pes as usize {
        (0..side).for_each(|i| shades[i * side + i] = 0);
    }
    Picture { shades, side, pairs: u64::from(pes) * u64::from(pes - 1) / 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wiring_is_drawn_with_a_cell_per_cable() {
        let small = of_wiring(&Design::from_switches(4, [vec![0, 1], vec![1, 2, 3]]));
        let dark: Vec<bool> = small.shades.iter().map(|&shade| shade > 0).collect();
        let (first, second) = ([true, true, false, false], [false, true, true, true]);
        assert_eq!((small.side, dark), (4, [first, first, second, second].concat()));
        let large = of_wiring(&Design::from_switches(1000, (0..500).map(|s| vec![2 * s, 2 * s + 1])));
        assert_eq!(large.side, SIDE);
        let dark = (0..SIDE * SIDE).filter(|&cell| large.shades[cell] > 0);
        let places: Vec<(usize, usize)> = dark.map(|cell| (cell / SIDE, cell % SIDE)).collect();
        // A row of nodes may end in the middle of a cell.
        assert!(places.iter().all(|(row, column)| row.abs_diff(*column) <= 1) && places.len() >= SIDE);
    }

    #[test]
    fn pictures_are_symmetric_and_count_pairs() {
        for (kind, pes, pairs) in [
            (PatternKind::plain("hypercube"), 128, 448),
            (PatternKind::plain("ring"), 100, 100),
            (PatternKind::plain("all-pairs"), 4096, 8_386_560),
            (PatternKind::plain("bit-reversal"), 256, 120),
        ] {
            let picture = of_kind(&kind, pes).unwrap();
            assert_eq!(picture.pairs, pairs, "{kind:?}");
            let n = picture.side;
            let symmetric = (0..n * n).all(|i| picture.shades[i] == picture.shades[i % n * n + i / n]);
            assert!(symmetric && picture.shades.iter().any(|&s| s > 0), "{kind:?}");
        }
    }

    #[test]
    fn pictures_of_a_spec_are_those_of_its_patterns_in_any_steps() {
        let text = "pes = 128\nnis_per_pe = 3\n[[switch]]\nports = 8\n[[pattern]]\nkind = \"ring\"\n[[pattern]]\nkind = \"hypercube\"\n";
        let spec = shared::resolve::read(text, &mut shared::resolve::NoFiles).unwrap();
        let demand = Demand::build(&spec).unwrap();
        for pes in [7, 50, 1000] {
            let mut pictures = Pictures::new(&spec);
            while !pictures.step(&demand, pes) {}
            let kinds = [PatternKind::plain("ring"), PatternKind::plain("hypercube")];
            let shades =
                |picture: &Picture| picture.shades.iter().map(|&shade| shade > 0).collect::<Vec<_>>();
            for (drawn, kind) in pictures.finish().iter().zip(&kinds) {
                let whole = of_kind(kind, 128).unwrap();
                assert_eq!((drawn.pairs, shades(drawn)), (whole.pairs, shades(&whole)), "{pes} {kind:?}");
            }
        }
    }

    #[test]
    fn factorizations_are_told_as_sizes() {
        let torus = |dimensions, all| {
            let text = format!(
                "dimensions = {dimensions}\nfactorizations = {:?}",
                if all { "all" } else { "balanced" }
            );
            let text = format!(
                "pes = 48\nnis_per_pe = 3\n[[switch]]\nports = 24\n[[pattern]]\nkind = \"torus\"\n{text}\n"
            );
            shared::resolve::read(&text, &mut shared::resolve::NoFiles).unwrap().patterns.remove(0)
        };
        assert_eq!(title(&torus(2, false), 48), "torus 2D, balanced: 8x6");
        assert_eq!(title(&torus(2, true), 48), "torus 2D, all factorizations: 24x2, 16x3, 12x4, 8x6");
        assert_eq!(sizes(&torus(2, true).kind, 4096).as_deref(), Some("6 factorizations"));
        assert_eq!(sizes(&torus(2, false).kind, 47), None);
        assert_eq!(sizes(&PatternKind::plain("ring"), 48), None);
    }

    #[test]
    fn what_cannot_be_had_says_what_can() {
        let reason = of_kind(&PatternKind::plain("hypercube"), 100).unwrap_err();
        assert!(reason.contains("64 or 128"), "{reason}");
        assert!(of_kind(&PatternKind::plain("ring"), 0).is_err());
    }

    #[test]
    fn the_demand_gives_the_same_pictures_as_the_kinds() {
        let demand = Demand::from_pairs(3, [(0, 1), (1, 2)]);
        let picture = of_all(&demand);
        assert_eq!((picture.side, picture.pairs), (3, 2));
        assert_eq!(picture.shades.iter().map(|&s| s > 0).filter(|&s| s).count(), 4);
    }
}
