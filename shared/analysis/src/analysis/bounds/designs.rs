//! Block designs that do not exist.
//!
//! If N PEs all share λ switches pairwise, with η NIs each and η(ρ-1) = λ(N-1), every two PEs share exactly λ switches
//! and every used switch is full. The wiring is then a block design: N points, blocks of ρ, every two points on λ of
//! them, η through each point. Many of these are known not to exist.

/// A design that does not exist: what it would be, and why there is none.
pub(super) struct NonexistentDesign {
    /// In words that follow "and that would be".
    pub what: String,
    pub source: &'static str,
}

/// Proof that no design of `v` points has blocks of `k` with every two points on `lambda` of them; 1 < `k` < `v`,
/// `lambda` at least 1. `None` proves nothing.
pub(super) fn missing(v: u64, k: u64, lambda: u64) -> Option<NonexistentDesign> {
    let through = (lambda * (v - 1)).checked_div(k - 1)?;
    if !(v * through).is_multiple_of(k) {
        let what = format!(
            "{v} nodes with {through} NICs each on full switches, {v}·{through}/{k} of them, not a whole number"
        );
        return Some(NonexistentDesign { what, source: "counting, as for any block design" });
    }
    let plane = if lambda == 1 { plane(v, k) } else { None };
    if let Some((kind, order)) = plane {
        let source = no_plane(order)?;
        let closed = if kind == "an affine" { ", which could be completed to a projective one" } else { "" };
        return Some(NonexistentDesign {
            what: format!("{kind} plane of order {order}{closed}; there is none"),
            source,
        });
    }
    if (v, k, lambda) == (46, 6, 1) {
        let what = "a design of 46 points and 69 blocks of 6; there is none".to_string();
        return Some(NonexistentDesign { what, source: "Houghten et al. 2001, by computer" });
    }
    (through == k && !may_be_symmetric(v, k, lambda)).then(|| NonexistentDesign {
        what: format!(
            "a symmetric design of {v} points and {v} blocks of {k}, every two points on {lambda}; there is none"
        ),
        source: BRUCK_RYSER_CHOWLA,
    })
}

const BRUCK_RYSER_CHOWLA: &str = "Chowla and Ryser 1950";

/// Returns the kind and order of the plane with `v` points and `k` points per line, if these are a plane's parameters.
fn plane(v: u64, k: u64) -> Option<(&'static str, u64)> {
    if v == k * k {
        Some(("an affine", k))
    } else if v == k * (k - 1) + 1 {
        Some(("a projective", k - 1))
    } else {
        None
    }
}

/// Source of the proof that no projective plane of this order exists, and so no affine one.
pub(super) fn no_plane(order: u64) -> Option<&'static str> {
    match order {
        0 | 1 => None,
        10 => Some("Lam et al. 1989, by computer"),
        _ => (!may_be_symmetric(order * order + order + 1, order + 1, 1)).then_some("Bruck and Ryser 1949"),
    }
}

/// The condition of Bruck, Ryser and Chowla on a symmetric design: with n = k-λ, n is a square where v is even; where it is
/// odd, z² = nx² + (-1)^((v-1)/2) λy² has an answer besides 0.
fn may_be_symmetric(v: u64, k: u64, lambda: u64) -> bool {
    let order = k - lambda;
    if v.is_multiple_of(2) {
        return order.isqrt().pow(2) == order;
    }
    let sign = if ((v - 1) / 2).is_multiple_of(2) { 1 } else { -1 };
    is_solvable(order as i64, sign * lambda as i64)
}

/// `true` if z² = ax² + by² has a whole solution other than 0, for `a` above 0: by Hasse and Minkowski, if Hilbert's
/// symbol is 1 for every odd prime that divides a or b. It is 1 for infinity and all other odd primes, and then for 2.
fn is_solvable(a: i64, b: i64) -> bool {
    odd_primes(a.unsigned_abs()).chain(odd_primes(b.unsigned_abs())).all(|p| hilbert(a, b, p as i64))
}

/// `true` if Hilbert's symbol (a, b) is 1 for the odd prime p.
fn hilbert(a: i64, b: i64, p: i64) -> bool {
    let (times_a, rest_a) = without(a, p);
    let (times_b, rest_b) = without(b, p);
    let both = times_a % 2 == 1 && times_b % 2 == 1 && (p - 1) / 2 % 2 == 1;
    let one = times_b % 2 == 1 && !is_residue(rest_a, p);
    let other = times_a % 2 == 1 && !is_residue(rest_b, p);
    !(both ^ one ^ other)
}

/// Exponent of p in a number, and the rest of it.
fn without(mut number: i64, p: i64) -> (u32, i64) {
    let mut times = 0;
    while number % p == 0 {
        (number, times) = (number / p, times + 1);
    }
    (times, number)
}

/// `true` if a number that p does not divide is a square modulo p.
fn is_residue(number: i64, p: i64) -> bool {
    let wanted = number.rem_euclid(p);
    (1..=p / 2).any(|root| root * root % p == wanted)
}

fn odd_primes(number: u64) -> impl Iterator<Item = u64> {
    let mut left = number >> number.trailing_zeros().min(63);
    let mut next = 3;
    std::iter::from_fn(move || {
        while left > 1 {
            if next * next > left {
                return Some(std::mem::replace(&mut left, 1));
            }
            if left.is_multiple_of(next) {
                while left.is_multiple_of(next) {
                    left /= next;
                }
                return Some(next);
            }
            next += 2;
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_that_are_excluded_are_those_of_bruck_and_ryser_and_of_order_10() {
        let orders: Vec<u64> = (0..64).filter(|&order| no_plane(order).is_some()).collect();
        assert_eq!(orders, [6, 10, 14, 21, 22, 30, 33, 38, 42, 46, 54, 57, 62]);
        let is_sum = |n: u64| (0..=n.isqrt()).any(|a| (n - a * a).isqrt().pow(2) == n - a * a);
        for order in (11..400).filter(|order| order % 4 == 1 || order % 4 == 2) {
            assert_eq!(no_plane(order).is_some(), !is_sum(order), "{order}");
        }
        assert!((11..400).filter(|order| order % 4 == 0 || order % 4 == 3).all(|n| no_plane(n).is_none()));
    }

    #[test]
    fn answers_are_found_where_trying_finds_them() {
        for (a, b) in (1..24i64).flat_map(|a| (-24..24i64).map(move |b| (a, b))).filter(|(_, b)| *b != 0) {
            // By Holzer, one with small numbers is there if any is.
            let tried = (0..80i64).any(|x| {
                (0..80i64).any(|y| {
                    let square = a * x * x + b * y * y;
                    (x, y) != (0, 0) && square >= 0 && square.isqrt().pow(2) == square
                })
            });
            assert_eq!(is_solvable(a, b), tried, "z² = {a}x² + {b}y²");
        }
    }

    #[test]
    fn known_symmetric_designs_are_not_excluded_and_others_are() {
        for (v, k, lambda) in [
            (7, 3, 1),
            (11, 5, 2),
            (16, 6, 2),
            (37, 9, 2),
            (56, 11, 2),
            (79, 13, 2),
            (15, 7, 3),
            (25, 9, 3),
            (31, 10, 3),
            (45, 12, 3),
            (71, 15, 3),
            (36, 15, 6),
            (41, 16, 6),
        ] {
            assert!(missing(v, k, lambda).is_none(), "({v}, {k}, {lambda})");
        }
        for (v, k, lambda) in
            [(22, 7, 2), (29, 8, 2), (43, 7, 1), (53, 13, 3), (67, 12, 2), (46, 10, 2), (34, 12, 4)]
        {
            assert!(missing(v, k, lambda).is_some(), "({v}, {k}, {lambda})");
        }
    }

    #[test]
    fn designs_that_exist_are_not_excluded() {
        // Steiner systems that are no planes: triples, quadruples, unitals, those of Denniston.
        for (v, k) in
            [(13, 3), (15, 3), (28, 4), (37, 4), (65, 5), (66, 6), (28, 7), (45, 5), (91, 7), (52, 4)]
        {
            let divides = u64::is_multiple_of(v - 1, k - 1);
            assert!(!divides || missing(v, k, 1).is_none(), "({v}, {k}, 1)");
        }
        // Planes over fields, on both sides.
        for q in [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 25, 27, 49] {
            assert!(missing(q * q, q, 1).is_none() && missing(q * q + q + 1, q + 1, 1).is_none(), "{q}");
        }
        let what = missing(36, 6, 1).expect("order 6");
        assert_eq!(what.source, "Bruck and Ryser 1949");
        assert!(missing(100, 10, 1).is_some_and(|m| m.source.starts_with("Lam")));
        assert!(missing(19, 4, 1).is_some_and(|m| m.what.contains("not a whole number")));
    }
}
