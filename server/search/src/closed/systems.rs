//! Steiner systems S(2, k, v): v points, lines of k points, every two points on one line. Like planes, but with more NIs per PE
//! than points on a line, so that fewer ports per switch serve as many PEs.
//!
//! Difference families give most of them: the translates of a few base blocks. The others are the lines of a projective or
//! affine space of three dimensions over a finite field.

use super::{
    Trial,
    incidence::{Incidence, Size, may_fit, offer},
};
use spec::{cancel::checked, galois::Galois};

/// A system as base blocks over an abelian group.
struct System {
    /// Points that translations move. Their numbers have these digits, the highest first.
    group: &'static [u32],
    /// Translations are by the multiples of this number.
    step: u32,
    /// Blocks whose different translates are the lines. Point `v - 1` is fixed where a block has the number of points in
    /// `group`.
    blocks: &'static [&'static [u32]],
}

impl System {
    const fn of(group: &'static [u32], blocks: &'static [&'static [u32]]) -> System {
        System { group, step: 1, blocks }
    }

    fn order(&self) -> u32 {
        self.group.iter().product()
    }

    fn points(&self) -> u32 {
        let has_fixed = self.blocks.iter().any(|block| block.contains(&self.order()));
        self.order() + u32::from(has_fixed)
    }

    /// Points on each line.
    fn width(&self) -> u32 {
        self.blocks[0].len() as u32
    }

    fn size(&self) -> Size {
        let through = (self.points() - 1) / (self.width() - 1);
        Size { lines: (self.points() * through / self.width()) as usize, through }
    }

    /// Sum of two points, digit by digit. The fixed point stays.
    fn moved(&self, point: u32, by: u32) -> u32 {
        if point == self.order() {
            return point;
        }
        let (mut sum, mut place) = (0, 1);
        for &radix in self.group.iter().rev() {
            sum += (point / place + by / place) % radix * place;
            place *= radix;
        }
        sum
    }

    fn incidence(&self) -> Incidence {
        let translates = (0..self.order()).step_by(self.step as usize);
        let moved = |block: &[u32], by: u32| {
            let mut line: Vec<u32> = block.iter().map(|&point| self.moved(point, by)).collect();
            line.sort_unstable();
            line
        };
        let mut lines: Vec<Vec<u32>> =
            self.blocks.iter().flat_map(|block| translates.clone().map(|by| moved(block, by))).collect();
        // A block that is a subgroup is equal to some of its translates.
        lines.sort_unstable();
        lines.dedup();
        Incidence::new(self.points() as usize, lines)
    }
}

/// Difference families with up to 16 lines through a point, those with the fewest lines first. An exhaustive search found each.
/// There is none over a cyclic group for S(2,4,25), S(2,4,28) and S(2,5,45). S(2,6,66) has an automorphism of order 39 (Denniston
/// 1978).
const SYSTEMS: [System; 15] = [
    System::of(&[13], &[&[0, 1, 4], &[0, 2, 7]]),
    System::of(&[5, 5], &[&[0, 1, 5, 12], &[0, 2, 8, 17]]),
    System::of(&[19], &[&[0, 1, 4], &[0, 2, 9], &[0, 5, 11]]),
    System::of(&[3, 3, 3], &[&[0, 1, 2, 27], &[0, 3, 9, 13], &[0, 5, 16, 24]]),
    System::of(&[21], &[&[0, 7, 14], &[0, 1, 3], &[0, 4, 12], &[0, 5, 11]]),
    System::of(&[41], &[&[0, 1, 4, 11, 29], &[0, 2, 8, 17, 22]]),
    System::of(&[3, 3, 5], &[&[0, 1, 2, 3, 4], &[0, 5, 11, 17, 37], &[0, 7, 16, 30, 42]]),
    System::of(&[25], &[&[0, 1, 3], &[0, 4, 11], &[0, 5, 13], &[0, 6, 15]]),
    System::of(&[37], &[&[0, 1, 3, 24], &[0, 4, 9, 15], &[0, 7, 17, 25]]),
    System {
        group: &[65],
        step: 5,
        blocks: &[
            &[0, 1, 2, 3, 4, 65],
            &[6, 16, 35, 40, 46, 55],
            &[0, 7, 13, 22, 30, 53],
            &[0, 18, 24, 25, 34, 63],
            &[0, 10, 27, 49, 54, 62],
            &[0, 8, 21, 29, 32, 43],
            &[0, 12, 19, 28, 59, 61],
            &[0, 14, 33, 37, 47, 51],
            &[1, 6, 19, 39, 43, 54],
            &[1, 16, 22, 42, 47, 59],
            &[1, 8, 37, 46, 58, 63],
        ],
    },
    System::of(&[31], &[&[0, 1, 3], &[0, 4, 11], &[0, 5, 15], &[0, 6, 18], &[0, 8, 17]]),
    System::of(&[61], &[&[0, 1, 3, 13, 34], &[0, 4, 9, 23, 45], &[0, 6, 17, 24, 32]]),
    System::of(
        &[91],
        &[&[0, 13, 26, 39, 52, 65, 78], &[0, 1, 4, 16, 23, 64, 74], &[0, 2, 8, 32, 37, 46, 57]],
    ),
    System::of(&[49], &[&[0, 1, 3, 8], &[0, 4, 18, 29], &[0, 6, 21, 33], &[0, 9, 19, 32]]),
    System::of(&[65], &[&[0, 13, 26, 39, 52], &[0, 1, 3, 31, 45], &[0, 4, 10, 19, 57], &[0, 5, 16, 41, 48]]),
];

/// Offers Steiner systems from difference families, then the lines of spaces.
pub(super) fn offer_systems(trial: &mut Trial<'_>) {
    for system in &SYSTEMS {
        if trial.is_over() {
            return;
        }
        if may_fit(trial, system.size()) {
            let name = format!("Steiner system S(2, {}, {})", system.width(), system.points());
            offer(trial, &system.incidence(), &name);
        }
    }
    offer_spaces(trial);
}

fn offer_spaces(trial: &mut Trial<'_>) {
    for q in 2..trial.nis {
        let through = q * q + q + 1;
        if through > trial.nis || trial.is_over() {
            return;
        }
        for projective in [false, true] {
            let lines = ((q * q + u32::from(projective)) * through) as usize;
            if !may_fit(trial, Size { lines, through }) {
                continue;
            }
            let Some(field) = Galois::new(q) else { break };
            let kind = if projective { "projective" } else { "affine" };
            offer(trial, &space(&field, projective), &format!("lines of the {kind} space of order {q}"));
        }
    }
}

/// The lines of the space of three dimensions over a field. The projective space adds a point to each set of parallels, and the
/// lines of the plane of these points.
fn space(field: &Galois, projective: bool) -> Incidence {
    let q = field.order();
    let number = |at: [u32; 3]| at.into_iter().fold(0, |number, digit| number * q + digit);
    // Of the vectors along a line, the one whose first coordinate besides 0 is 1.
    let directions: Vec<[u32; 3]> = [[0, 0, 1]]
        .into_iter()
        .chain((0..q).map(|z| [0, 1, z]))
        .chain((0..q * q).map(|yz| [1, yz / q, yz % q]))
        .collect();
    let affine = q * q * q;
    let mut lines = Vec::new();
    for (&direction, infinite) in directions.iter().zip(affine..) {
        let mut is_on = vec![false; affine as usize];
        for start in checked(0..affine) {
            if is_on[start as usize] {
                continue;
            }
            let from = [start / (q * q), start / q % q, start % q];
            let at = |t| number([0, 1, 2].map(|axis| field.add(from[axis], field.times(t, direction[axis]))));
            let mut line: Vec<u32> = (0..q).map(at).collect();
            line.iter().for_each(|&point| is_on[point as usize] = true);
            line.extend(projective.then_some(infinite));
            lines.push(line);
        }
    }
    if !projective {
        return Incidence::new(affine as usize, lines);
    }
    for normal in &directions {
        let is_in = |direction: &[u32; 3]| {
            let product = |sum, axis| field.add(sum, field.times(normal[axis], direction[axis]));
            [0, 1, 2].into_iter().fold(0, product) == 0
        };
        lines.push((affine..).zip(&directions).filter(|(_, d)| is_in(d)).map(|(point, _)| point).collect());
    }
    Incidence::new(affine as usize + directions.len(), lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Fails unless every two points are on one line and every point is on equally many.
    fn assert_system(incidence: &Incidence, (v, k): (usize, usize), size: Size) {
        let through = size.through as usize;
        assert_eq!((incidence.lines.len(), incidence.through.len()), (size.lines, v), "S(2,{k},{v})");
        assert!(incidence.lines.iter().all(|line| line.len() == k));
        assert!(incidence.through.iter().all(|lines| lines.len() == through));
        let mut pairs = HashSet::new();
        for line in &incidence.lines {
            for (at, a) in line.iter().enumerate() {
                line[at + 1..]
                    .iter()
                    .for_each(|b| assert!(pairs.insert((*a.min(b), *a.max(b))), "S(2,{k},{v})"));
            }
        }
        assert_eq!(pairs.len(), v * (v - 1) / 2, "S(2,{k},{v})");
    }

    #[test]
    fn every_two_points_of_a_difference_family_are_on_one_line() {
        for system in &SYSTEMS {
            let (v, k) = (system.points() as usize, system.width() as usize);
            assert_system(&system.incidence(), (v, k), system.size());
        }
        let lines: Vec<usize> = SYSTEMS.iter().map(|system| system.size().lines).collect();
        assert!(lines.is_sorted(), "{lines:?}");
    }

    #[test]
    fn every_two_points_of_a_space_are_on_one_line() {
        for q in [2, 3, 4, 5, 7] {
            let field = Galois::new(q).expect("a field");
            let through = q * q + q + 1;
            for (projective, v) in [(false, q * q * q), (true, (q * q + 1) * (q + 1))] {
                let lines = ((q * q + u32::from(projective)) * through) as usize;
                let k = q + u32::from(projective);
                let size = Size { lines, through };
                assert_system(&space(&field, projective), (v as usize, k as usize), size);
            }
        }
    }
}
