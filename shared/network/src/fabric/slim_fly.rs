//! Slim Fly: the graphs of McKay, Miller and Širáň, of diameter 2.
//!
//! Switches are (0, x, y) and (1, m, c) over the field with q elements. (0, x, y) and (0, x, y') are connected if y - y' is in
//! one set of powers of a primitive element, (1, m, c) and (1, m, c') if c - c' is in another, and (0, x, y) and (1, m, c) if
//! y = m x + c. The sets are Hafner's (2004), as in Besta and Hoefler (2014), section II-B.

use super::{
    kind::{FitResult, KindEntry, Limits},
    parameters::{Numbers, Parameter, split},
    switched::{SwitchGraph, SwitchedNetwork},
};
use crate::{
    galois::{Galois, checked_order},
    text::count,
};

const MAX_ORDER: u32 = 512;

/// A graph with 2 q^2 switches; q is 4 w + delta with delta -1, 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SlimFly {
    q: u32,
}

impl SlimFly {
    pub(super) const ENTRY: KindEntry = KindEntry {
        name: SlimFly::NAME,
        title: "Slim Fly",
        form: "slim-fly:Q[,HOSTS PER SWITCH[,HOSTS]]",
        example: "slim-fly:5",
        explanation: "2 x Q x Q switches, any two of them at most two links apart; Q is a power of a prime.",
        source: "Besta and Hoefler 2014",
        read: |text| {
            let (q, rest) = split(text, 1);
            let [q] = Numbers::read(q, [Parameter::new("order Q", 3, MAX_ORDER)])?;
            Ok(Box::new(SwitchedNetwork::read(SlimFly::new(q)?, rest)?))
        },
        fit: |hosts: u32, limits: &Limits| -> FitResult {
            let graphs = (3..=limits.ports.min(MAX_ORDER)).filter_map(|q| SlimFly::new(q).ok());
            SwitchedNetwork::fit(hosts, limits.ports, graphs)
        },
    };

    fn new(q: u32) -> Result<SlimFly, String> {
        checked_order(q, MAX_ORDER, |q| q > 2 && q % 4 != 2).map(|q| SlimFly { q })
    }

    /// Links of each switch: (3 q - delta) / 2.
    fn degree(&self) -> u32 {
        match self.q % 4 {
            1 => (3 * self.q - 1) / 2,
            3 => (3 * self.q).div_ceil(2),
            _ => 3 * self.q / 2,
        }
    }

    /// The sets of differences among (0, x, y) and among (1, m, c).
    fn differences(&self, field: &Galois) -> [Vec<u32>; 2] {
        let q = self.q;
        let exponents: [Vec<u32>; 2] = match q % 4 {
            3 => {
                let w = q.div_ceil(4);
                let even = |first: u32| (first..2 * w + first).step_by(2);
                [even(0).chain(even(2 * w - 1)).collect(), even(1).chain(even(2 * w)).collect()]
            }
            _ => [(0..q - 1).step_by(2).collect(), (1..q).step_by(2).collect()],
        };
        exponents.map(|exponents| {
            let mut powers: Vec<u32> = exponents.into_iter().map(|exponent| field.power(exponent)).collect();
            powers.sort_unstable();
            powers.dedup();
            powers
        })
    }
}

impl SwitchGraph for SlimFly {
    const NAME: &'static str = "slim-fly";

    fn text(&self, _whole: bool) -> String {
        self.q.to_string()
    }

    fn name(&self) -> String {
        format!("Slim Fly, {}", count((2 * self.q * self.q).into(), "switch"))
    }

    /// Half as many hosts as links, since frames take two links (Besta and Hoefler 2014, section II-B2).
    fn balanced(&self) -> u32 {
        self.degree().div_ceil(2)
    }

    fn levels(&self) -> Vec<(u32, u32)> {
        vec![(2 * self.q * self.q, self.degree())]
    }

    fn between(&self) -> u64 {
        u64::from(self.q) * u64::from(self.q) * u64::from(self.degree())
    }

    fn links(&self) -> Vec<[u32; 2]> {
        let q = self.q;
        let field = Galois::new(q).expect("a field, by construction");
        let sets = self.differences(&field);
        let mut links = Vec::with_capacity(self.between() as usize);
        for (half, set) in (0..).zip(&sets) {
            for row in (0..q).map(|row| half * q * q + row * q) {
                for from in 0..q {
                    let to = set.iter().map(|&difference| field.add(from, difference));
                    links.extend(to.filter(|&to| to > from).map(|to| [row + from, row + to]));
                }
            }
        }
        for x in 0..q {
            for m in 0..q {
                let product = field.times(m, x);
                links.extend((0..q).map(|c| [x * q + field.add(product, c), q * q + m * q + c]));
            }
        }
        links
    }

    fn diameter(&self) -> Option<u32> {
        Some(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The column SF of table 3 in "Insights into DeepSeek-V3" (arXiv 2505.09343). It follows the formulas: there is no field with
    /// 28 elements, so that this network cannot be built.
    #[test]
    fn formulas_give_the_published_counts() {
        let graph = SlimFly { q: 28 };
        let (switches, degree) = graph.levels()[0];
        assert_eq!((switches, degree, graph.balanced(), graph.between()), (1568, 42, 21, 32_928));
        assert_eq!(switches * graph.balanced(), 32_928);
        assert!(SlimFly::new(28).unwrap_err().contains("27 or 29"));
    }
}
