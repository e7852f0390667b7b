//! Patterns in a few words.

use crate::spec::{Neighbours, Pattern, PatternKind, Shape};

/// A pattern in a few words, such as `torus 16x8, axis`.
pub fn pattern_label(pattern: &Pattern) -> String {
    let kind = match &pattern.kind {
        PatternKind::Hypercube => "hypercube".into(),
        PatternKind::BitReversal => "bit reversal".into(),
        PatternKind::PerfectShuffle => "perfect shuffle".into(),
        PatternKind::Transpose => "transpose".into(),
        PatternKind::Ring => "ring".into(),
        PatternKind::AllPairs => "all pairs".into(),
        PatternKind::Matrix { file: Some(file), .. } => format!("matrix {file}"),
        PatternKind::Matrix { pairs, file: None, .. } => format!("matrix of {} pairs", pairs.len()),
        PatternKind::Lattice { wrap, shape, neighbours } => lattice(*wrap, shape, *neighbours),
    };
    match pattern.links {
        0 | 1 => kind,
        links => format!("{kind}, {links} links"),
    }
}

fn lattice(wrap: bool, shape: &Shape, neighbours: Neighbours) -> String {
    let name = if wrap { "torus" } else { "grid" };
    let shape = match shape {
        Shape::Dims(dims) => dims.iter().map(u32::to_string).collect::<Vec<_>>().join("x"),
        Shape::Factorizations { dimensions, all: true } => format!("{dimensions}D, all factorisations"),
        Shape::Factorizations { dimensions, all: false } => format!("{dimensions}D, balanced"),
    };
    let neighbours = match neighbours {
        Neighbours::Nearest => "",
        Neighbours::Diagonal => ", diagonal",
        Neighbours::PowerOfTwo => ", power of two",
        Neighbours::Axis => ", axis",
    };
    format!("{name} {shape}{neighbours}")
}
