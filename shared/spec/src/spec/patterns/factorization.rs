//! Factorizations: descending factors of at least 2 whose product is the number of PEs (Mattox 2006, section 2.3.1).

/// Every factorization of `pes` into `dimensions` factors, ordered by falling first factor, then second, and so on.
pub fn all(pes: u32, dimensions: u32) -> Vec<Vec<u32>> {
    let divisors: Vec<u32> = (2..=pes.isqrt())
        .filter(|d| pes.is_multiple_of(*d))
        .flat_map(|d| [d, pes / d])
        .chain([pes])
        .filter(|&d| d >= 2)
        .collect();
    let mut descending = divisors;
    descending.sort_unstable_by(|a, b| b.cmp(a));
    descending.dedup();
    let mut found = Vec::new();
    extend(&mut Vec::new(), pes, dimensions, &descending, &mut found);
    found
}

/// The factorization with the smallest sum, as in 16x8x8 for 1,024; on a tie the one whose largest factor is smallest.
pub fn balanced(pes: u32, dimensions: u32) -> Option<Vec<u32>> {
    all(pes, dimensions).into_iter().min_by_key(|dims| (dims.iter().sum::<u32>(), dims.clone()))
}

/// The balanced factorization, or a single dimension if there is none.
pub fn balanced_or_flat(pes: u32, dimensions: u32) -> Vec<u32> {
    balanced(pes, dimensions).unwrap_or_else(|| vec![pes])
}

/// Max number of sizes that [`near`] gives.
const MAX_NEAR: usize = 4;

/// Sizes of a lattice of so many nodes and dimensions, or of fewer dimensions, the most cube-like first.
pub fn near(pes: u32, dimensions: u32) -> Vec<Vec<u32>> {
    let mut sizes =
        (1..=dimensions).rev().map(|count| all(pes, count)).find(|all| !all.is_empty()).unwrap_or_default();
    sizes.sort_by_key(|sizes| (sizes.iter().sum::<u32>(), sizes.clone()));
    sizes.truncate(MAX_NEAR);
    sizes
}

/// `true` if `pes` has at least `dimensions` prime factors, and so a factorization into that many.
pub fn exists(pes: u32, dimensions: u32) -> bool {
    let (mut rest, mut primes, mut d) = (pes, 0, 2);
    while d * d <= rest {
        while rest.is_multiple_of(d) {
            rest /= d;
            primes += 1;
        }
        d += 1;
    }
    dimensions >= 1 && primes + u32::from(rest > 1) >= dimensions
}

/// Appends to `found` every way to complete `chosen` with `left` more factors out of `divisors`, whose product is `rest`.
fn extend(chosen: &mut Vec<u32>, rest: u32, left: u32, divisors: &[u32], found: &mut Vec<Vec<u32>>) {
    if left == 0 {
        if rest == 1 {
            found.push(chosen.clone());
        }
        return;
    }
    for (at, &factor) in divisors.iter().enumerate() {
        // The factors still to come are no larger than this one, nor are the ones tried after it.
        if u64::from(factor).saturating_pow(left) < u64::from(rest) {
            break;
        }
        if rest.is_multiple_of(factor) {
            chosen.push(factor);
            extend(chosen, rest / factor, left - 1, &divisors[at..], found);
            chosen.pop();
        }
    }
}
