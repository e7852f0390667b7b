//! Finite fields, for the planes and networks that are built from them.

use crate::cancel::checked;

/// Max number of elements.
const MAX_ORDER: u32 = 1 << 16;

/// The field with q elements, a power of a prime. Element `e` is a polynomial over the prime field: its coefficients are the
/// digits of `e` to the base p. 0 and 1 are the field's own. The modulus is the first polynomial for which the powers of x reach
/// all elements but 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Galois {
    prime: u32,
    /// Powers of a primitive element, from 0 to q - 2.
    powers: Vec<u32>,
    /// Exponent of each element; unused for 0.
    exponents: Vec<u32>,
}

/// The prime p and the exponent m, if q is p to the power of m.
fn prime_power(q: u32) -> Option<(u32, u32)> {
    let prime = (2..=q).find(|divisor| q.is_multiple_of(*divisor) || *divisor > q / divisor)?;
    let prime = if q.is_multiple_of(prime) { prime } else { q };
    let mut exponent = 0;
    let mut rest = q;
    while rest.is_multiple_of(prime) {
        (rest, exponent) = (rest / prime, exponent + 1);
    }
    (rest == 1).then_some((prime, exponent))
}

/// The order of a field, if it `suits`.
///
/// # Errors
/// Names the nearest orders that suit, up to `most`.
pub fn checked_order(q: u32, most: u32, suits: impl Fn(u32) -> bool) -> Result<u32, String> {
    let good = |q: &u32| Galois::exists(*q) && suits(*q);
    if good(&q) {
        return Ok(q);
    }
    let (below, above) = ((2..q).rev().find(good), (q..=most).find(good));
    let nearest: Vec<String> = [below, above].into_iter().flatten().map(|q| q.to_string()).collect();
    Err(format!("an order that is a power of a prime, such as {}", nearest.join(" or ")))
}

impl Galois {
    /// `true` if there is a field with q elements.
    pub fn exists(q: u32) -> bool {
        q > 1 && prime_power(q).is_some()
    }

    /// The field with q elements, at most 2^16; `None` if q is no power of a prime.
    pub fn new(q: u32) -> Option<Galois> {
        let (prime, degree) = Some(q).filter(|q| (2..=MAX_ORDER).contains(q)).and_then(prime_power)?;
        // x^m = tail, for the first tail by which x has the order q - 1. In a prime field x is a number: x^1 = tail.
        let powers = checked(1..q).find_map(|tail| powers(prime, degree, q, tail))?;
        let mut exponents = vec![0; q as usize];
        for (exponent, &power) in (0..).zip(&powers) {
            exponents[power as usize] = exponent;
        }
        Some(Galois { prime, powers, exponents })
    }

    /// Number of elements.
    pub fn order(&self) -> u32 {
        self.exponents.len() as u32
    }

    /// A power of the primitive element.
    pub fn power(&self, exponent: u32) -> u32 {
        self.powers[exponent as usize % self.powers.len()]
    }

    /// The sum of two elements.
    pub fn add(&self, a: u32, b: u32) -> u32 {
        add(self.prime, a, b)
    }

    /// The element that adds up to 0 with this one.
    pub fn negative(&self, a: u32) -> u32 {
        scaled(self.prime, a, self.prime - 1)
    }

    /// The product of two elements.
    pub fn times(&self, a: u32, b: u32) -> u32 {
        match (a, b) {
            (0, _) | (_, 0) => 0,
            _ => self.power(self.exponents[a as usize] + self.exponents[b as usize]),
        }
    }

    /// a / b; `b` is not 0.
    pub fn over(&self, a: u32, b: u32) -> u32 {
        match a {
            0 => 0,
            _ => {
                self.power(self.exponents[a as usize] + self.powers.len() as u32 - self.exponents[b as usize])
            }
        }
    }
}

/// 1, x, x^2 and so on in the field with x^degree = tail; `None` if x has not the order q - 1.
fn powers(prime: u32, degree: u32, q: u32, tail: u32) -> Option<Vec<u32>> {
    let lead = prime.pow(degree - 1);
    let mut powers = vec![1];
    let mut element = 1;
    loop {
        let (top, rest) = (element / lead, element % lead);
        element = add(prime, rest * prime, scaled(prime, tail, top));
        match element {
            1 => return (powers.len() as u32 == q - 1).then_some(powers),
            0 => return None,
            _ if powers.len() as u32 == q - 1 => return None,
            _ => powers.push(element),
        }
    }
}

/// The sum, digit by digit.
fn add(prime: u32, mut a: u32, mut b: u32) -> u32 {
    let (mut sum, mut place) = (0, 1);
    while a > 0 || b > 0 {
        sum += (a % prime + b % prime) % prime * place;
        (a, b, place) = (a / prime, b / prime, place * prime);
    }
    sum
}

/// A multiple, digit by digit.
fn scaled(prime: u32, mut a: u32, by: u32) -> u32 {
    let (mut product, mut place) = (0, 1);
    while a > 0 {
        product += a % prime * by % prime * place;
        (a, place) = (a / prime, place * prime);
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_their_axioms() {
        for q in [2, 3, 4, 5, 7, 8, 9, 16, 25, 27, 32, 49, 64] {
            let field = Galois::new(q).expect("a prime power");
            assert_eq!((field.order(), field.powers.len() as u32 + 1), (q, q));
            let all = 0..q;
            for a in all.clone() {
                assert_eq!((field.add(a, 0), field.times(a, 1), field.times(a, 0)), (a, a, 0));
                assert_eq!(field.add(a, field.negative(a)), 0);
                assert_eq!(all.clone().filter(|&b| field.add(a, b) == 0).count(), 1, "minus {a} of {q}");
                let inverses = all.clone().filter(|&b| field.times(a, b) == 1).count();
                assert_eq!(inverses, usize::from(a > 0), "1 / {a} of {q}");
                for b in all.clone() {
                    assert_eq!(field.add(a, b), field.add(b, a));
                    assert_eq!(field.times(a, b), field.times(b, a));
                    assert!(b == 0 || field.times(field.over(a, b), b) == a);
                    for c in all.clone() {
                        assert_eq!(field.add(field.add(a, b), c), field.add(a, field.add(b, c)));
                        assert_eq!(field.times(field.times(a, b), c), field.times(a, field.times(b, c)));
                        let whole = field.times(a, field.add(b, c));
                        assert_eq!(whole, field.add(field.times(a, b), field.times(a, c)), "{q}");
                    }
                }
            }
        }
        for q in [0, 1, 6, 10, 12, 36, 100, 4097, u32::MAX] {
            assert!(Galois::new(q).is_none(), "{q} is no prime power within reach");
        }
    }

    #[test]
    fn fields_have_powers_of_primes_as_sizes() {
        let sizes: Vec<u32> = (0..=32).filter(|&q| Galois::exists(q)).collect();
        assert_eq!(sizes, [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]);
        (0..=128).for_each(|q| assert_eq!(Galois::new(q).is_some(), Galois::exists(q), "{q}"));
    }
}
