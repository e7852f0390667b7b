//! Finite fields GF(p^k) by their tables of logarithms.
//!
//! An element is a polynomial over GF(p) of degree below k, written as the number whose digits in base p are its
//! coefficients. A field's modulus is the first polynomial, in that order, by which the powers of x run through all elements
//! but 0; finding it is a matter of trying.

/// A finite field; its elements are 0 to `order - 1`, with 0 and 1 in their usual parts.
#[derive(Clone, Debug)]
pub struct Field {
    prime: u32,
    order: u32,
    /// x^i for i below `order - 1`.
    powers: Vec<u32>,
    /// i for x^i; of 0, unused.
    logs: Vec<u32>,
}

impl Field {
    /// The field of so many elements (2 to 4,096), if there is one: if that is a power of a prime.
    pub fn new(order: u32) -> Option<Field> {
        if !(2..=4096).contains(&order) {
            return None;
        }
        let prime = (2..=order).find(|p| order.is_multiple_of(*p))?;
        let mut rest = order;
        while rest.is_multiple_of(prime) {
            rest /= prime;
        }
        if rest > 1 {
            return None;
        }
        // x^k = tail, a polynomial of lower degree. In a prime field x is a number, and x^1 = tail says which.
        (1..order).find_map(|tail| Field::by(prime, order, tail))
    }

    fn by(prime: u32, order: u32, tail: u32) -> Option<Field> {
        let (mut powers, mut logs) = (Vec::with_capacity(order as usize), vec![u32::MAX; order as usize]);
        let mut power = 1;
        for log in 0..order - 1 {
            if power == 0 || logs[power as usize] != u32::MAX {
                return None;
            }
            logs[power as usize] = log;
            powers.push(power);
            power = times_x(prime, order, tail, power);
        }
        Some(Field { prime, order, powers, logs })
    }

    /// Number of elements.
    pub fn order(&self) -> u32 {
        self.order
    }

    /// The sum of two elements.
    pub fn add(&self, a: u32, b: u32) -> u32 {
        add(self.prime, a, b)
    }

    /// The product of two elements.
    pub fn mul(&self, a: u32, b: u32) -> u32 {
        if a == 0 || b == 0 {
            return 0;
        }
        let log = self.logs[a as usize] + self.logs[b as usize];
        self.powers[(log % (self.order - 1)) as usize]
    }
}

fn add(prime: u32, mut a: u32, mut b: u32) -> u32 {
    let (mut sum, mut place) = (0, 1);
    while a > 0 || b > 0 {
        sum += (a % prime + b % prime) % prime * place;
        (a, b, place) = (a / prime, b / prime, place * prime);
    }
    sum
}

fn times_x(prime: u32, order: u32, tail: u32, a: u32) -> u32 {
    let top = order / prime;
    let (carry, mut product) = (a / top, a % top * prime);
    for _ in 0..carry {
        product = add(prime, product, tail);
    }
    product
}
