//! PolarFly: the Erdős–Rényi polarity graph, of diameter 2 with almost as many switches as a degree allows.
//!
//! Switches are the points of the projective plane over the field with q elements: vectors whose first nonzero coordinate is
//! 1. Two of them are connected if their product is 0. The q + 1 points whose product with themselves is 0 have one link less.

use super::{
    kind::{FitResult, KindEntry, Limits},
    parameters::{Numbers, Parameter, split},
    switched::{SwitchGraph, SwitchedNetwork},
};
use crate::{
    galois::{Galois, checked_order},
    text::count,
};

/// Max q: with more, there are too many switches to number their hosts.
const MAX_ORDER: u32 = 1021;

/// The polarity graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PolarFly {
    q: u32,
}

impl PolarFly {
    pub(super) const ENTRY: KindEntry = KindEntry {
        name: PolarFly::NAME,
        title: "PolarFly",
        form: "polarfly:Q[,HOSTS PER SWITCH[,HOSTS]]",
        example: "polarfly:7",
        explanation: "Q x Q + Q + 1 switches, any two of them at most two links apart; Q is a power of a prime.",
        source: "Lakhotia et al. 2022",
        read: |text| {
            let (q, rest) = split(text, 1);
            let [q] = Numbers::read(q, [Parameter::new("order Q", 2, MAX_ORDER)])?;
            Ok(Box::new(SwitchedNetwork::read(PolarFly::new(q)?, rest)?))
        },
        fit: |hosts: u32, limits: &Limits| -> FitResult {
            let graphs = (2..=limits.ports.min(MAX_ORDER)).filter_map(|q| PolarFly::new(q).ok());
            SwitchedNetwork::fit(hosts, limits.ports, graphs)
        },
    };

    fn new(q: u32) -> Result<PolarFly, String> {
        checked_order(q, MAX_ORDER, |_| true).map(|q| PolarFly { q })
    }

    /// The point with that number: (1, y, z), then (0, 1, z), then (0, 0, 1).
    fn point(&self, number: u32) -> [u32; 3] {
        let q = self.q;
        match number {
            _ if number < q * q => [1, number / q, number % q],
            _ if number < q * q + q => [0, 1, number - q * q],
            _ => [0, 0, 1],
        }
    }

    /// Points whose product with a given point is 0, ascending; the given point may be one of them.
    fn orthogonal(&self, field: &Galois, [a, b, c]: [u32; 3]) -> Vec<u32> {
        let q = self.q;
        let all = 0..q;
        // (1, y, z) with a + b y + c z = 0.
        let mut found: Vec<u32> = match (b, c) {
            (_, 1..) => all
                .clone()
                .map(|y| y * q + field.over(field.negative(field.add(a, field.times(b, y))), c))
                .collect(),
            (1.., 0) => {
                let y = field.over(field.negative(a), b);
                all.clone().map(|z| y * q + z).collect()
            }
            (0, 0) => Vec::new(),
        };
        // (0, 1, z) with b + c z = 0.
        match (b, c) {
            (_, 1..) => found.push(q * q + field.over(field.negative(b), c)),
            (0, 0) => found.extend(all.map(|z| q * q + z)),
            _ => {}
        }
        if c == 0 {
            found.push(q * q + q);
        }
        found
    }

    fn field(&self) -> Galois {
        Galois::new(self.q).expect("a field, by construction")
    }
}

impl SwitchGraph for PolarFly {
    const NAME: &'static str = "polarfly";

    fn text(&self, _whole: bool) -> String {
        self.q.to_string()
    }

    fn name(&self) -> String {
        format!("PolarFly, {}", count((self.q * self.q + self.q + 1).into(), "switch"))
    }

    /// Half as many hosts as links, since frames take two links.
    fn balanced(&self) -> u32 {
        self.q.div_ceil(2)
    }

    fn levels(&self) -> Vec<(u32, u32)> {
        vec![(self.q * self.q + self.q + 1, self.q + 1)]
    }

    fn between(&self) -> u64 {
        let q = u64::from(self.q);
        q * (q + 1) * (q + 1) / 2
    }

    fn links(&self) -> Vec<[u32; 2]> {
        let field = self.field();
        let higher = |a: u32| {
            let linked = self.orthogonal(&field, self.point(a));
            linked.into_iter().filter(move |&b| b > a).map(move |b| [a, b])
        };
        (0..self.levels()[0].0).flat_map(higher).collect()
    }

    fn diameter(&self) -> Option<u32> {
        Some(2)
    }
}
