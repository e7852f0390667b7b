//! Projective and affine planes over finite fields: the designs that meet or come close to Fueredi's bound on pairwise
//! intersecting sets (dissertation, section 2.2).
//!
//! The affine plane of order q has q^2 points and q^2 + q lines of q points, q + 1 through each point; the projective one
//! adds a point to each set of parallels, and a line that joins these points.

use super::{Incidence, Size, Trial, may_fit};
use crate::construct::closed::field::Field;

/// Offers the planes of every order that the NIs allow, smallest first, affine before projective.
pub fn offer(trial: &mut Trial<'_>) {
    for order in 2..trial.nis {
        if trial.over() {
            return;
        }
        for projective in [false, true] {
            let lines = (order * order + order + u32::from(projective)) as usize;
            if !may_fit(trial, Size { lines, through: order + 1 }) {
                continue;
            }
            let Some(field) = Field::new(order) else { break };
            let kind = if projective { "projective" } else { "affine" };
            super::offer(trial, &plane(&field, projective), &format!("{kind} plane of order {order}"));
        }
    }
}

/// The plane over a field. A parabola comes first among the points, for at most two of its points are on any line.
fn plane(field: &Field, projective: bool) -> Incidence {
    let q = field.order();
    // Point (x, x^2 + d) is number d * q + x.
    let mut number = vec![0; (q * q) as usize];
    for x in 0..q {
        for d in 0..q {
            number[(x * q + field.add(field.mul(x, x), d)) as usize] = d * q + x;
        }
    }
    let infinite = |slope: u32| projective.then_some(q * q + slope);
    let mut lines = Vec::new();
    for slope in 0..q {
        for shift in 0..q {
            let on = |x| number[(x * q + field.add(field.mul(slope, x), shift)) as usize];
            lines.push((0..q).map(on).chain(infinite(slope)).collect());
        }
    }
    for x in 0..q {
        lines.push((0..q).map(|y| number[(x * q + y) as usize]).chain(infinite(q)).collect());
    }
    if projective {
        lines.push((q * q..=q * q + q).collect());
    }
    Incidence::new((q * q + if projective { q + 1 } else { 0 }) as usize, lines)
}
