//! The union of patterns, made PE by PE: merging the ascending partners of one PE gives its pairs in their final order.
//! Nothing else is kept, so [`MAX_PAIRS`] limits memory.

use super::{
    Demand,
    patterns::{Generator, Pairs, Refusal},
};
use crate::{
    cancel::checked,
    spec::{Fault, Faults, MAX_PAIRS, Objective, Pattern, Spec},
    text::grouped,
};

/// Max PEs whose every pair fits in a demand.
pub const MAX_UNIVERSAL_PES: u32 = {
    let mut pes = 1u64;
    while (pes + 1) * pes / 2 <= MAX_PAIRS as u64 {
        pes += 1;
    }
    pes as u32
};

/// A demand that is built some PEs at a time, for callers that must not block.
pub struct Building<'a> {
    pes: u32,
    universal: bool,
    sources: Vec<Source<'a>>,
    demand: Demand,
    /// Buffers of one PE: its partners by source, and how many of each are merged.
    buffer: Vec<u32>,
    lists: Vec<Vec<(u32, f32)>>,
    next: Vec<usize>,
    /// The next PE.
    pe: u32,
}

impl<'a> Building<'a> {
    /// Begins with the first PE.
    ///
    /// # Errors
    /// A pattern that does not admit the number of PEs, or too many PEs for all pairs.
    pub fn new(spec: &'a Spec) -> Result<Building<'a>, Faults> {
        let sources = sources(spec)?;
        Ok(Building {
            pes: spec.pes,
            universal: spec.objective == Objective::Universal,
            demand: Demand::empty(spec.pes),
            buffer: Vec::new(),
            lists: vec![Vec::new(); sources.len()],
            next: vec![0; sources.len()],
            sources,
            pe: 0,
        })
    }

    /// Adds the pairs of up to `pes` more PEs. Returns `true` if it was the last step.
    ///
    /// # Errors
    /// More than [`MAX_PAIRS`] pairs.
    pub fn step(&mut self, pes: u32) -> Result<bool, Faults> {
        let end = self.pe.saturating_add(pes).min(self.pes);
        for pe in checked(self.pe..end) {
            self.add(pe)?;
        }
        self.pe = end;
        Ok(end == self.pes)
    }

    /// The demand, after the last step.
    pub fn finish(self) -> Demand {
        self.demand.finish()
    }
}

fn sources(spec: &Spec) -> Result<Vec<Source<'_>>, Faults> {
    let mut faults = Vec::new();
    let mut sources = Vec::new();
    for (index, pattern) in spec.patterns.iter().enumerate() {
        match Source::of(pattern, spec.pes) {
            Ok(source) => sources.push(source),
            // Patterns of the job are not written as such.
            Err(Refusal { found, advice, .. }) if index >= spec.own_patterns().len() => {
                faults.push(Fault::new("job", found, advice));
            }
            Err(refusal) => faults.push(refusal.at(&format!("pattern[{index}]"))),
        }
    }
    let universal = spec.objective == Objective::Universal;
    if universal && spec.pes > MAX_UNIVERSAL_PES {
        let expected =
            format!("at most {} nodes for the universal objective", grouped(MAX_UNIVERSAL_PES.into()));
        faults.push(Fault::new("nodes", spec.pes, expected));
    }
    if faults.is_empty() { Ok(sources) } else { Err(Faults(faults)) }
}

/// Upper limit of the number of pairs.
pub(super) fn max_pairs(spec: &Spec) -> u64 {
    let pes = u64::from(spec.pes);
    // A refused pattern has no pairs.
    let of = |pattern: &Pattern| {
        Generator::on(&pattern.kind, spec.pes).map_or(0, |generator| generator.max_pairs())
    };
    let sum = match spec.objective {
        Objective::Universal => u64::MAX,
        _ => spec.patterns.iter().map(of).fold(0, u64::saturating_add),
    };
    sum.min(pes * pes.saturating_sub(1) / 2).min(MAX_PAIRS as u64)
}

/// The pairs of one pattern, with their weight and links.
struct Source<'a> {
    weight: f64,
    links: u8,
    extra: u8,
    pairs: Pairs<'a>,
}

impl Source<'_> {
    fn of(pattern: &Pattern, pes: u32) -> Result<Source<'_>, Refusal> {
        let pairs = Pairs::of(&pattern.kind, pes)?;
        let small = |links: u32| u8::try_from(links).unwrap_or(u8::MAX);
        let (links, extra) = (small(pattern.links), small(pattern.extra));
        Ok(Source { weight: pattern.weight, links, extra, pairs })
    }

    /// Puts the higher partners of `pe` into `found`, ascending, each with its weight. PEs must ascend from 0.
    fn higher(&mut self, pe: u32, buffer: &mut Vec<u32>, found: &mut Vec<(u32, f32)>) {
        found.clear();
        let weight = self.weight;
        // A weight that is positive stays so in single precision.
        let single = |own: f64| ((weight * own) as f32).max(f32::MIN_POSITIVE);
        match &mut self.pairs {
            Pairs::Generated(generator) => {
                generator.higher(pe, buffer);
                found.extend(buffer.iter().map(|&other| (other, single(1.0))));
            }
            Pairs::Weighted(generator, own) => {
                generator.higher(pe, buffer);
                found.extend(buffer.iter().map(|&other| (other, single(own(pe, other)))));
            }
            Pairs::Listed { all, next } => {
                let rest = &all[*next..];
                let here = rest.partition_point(|&(a, ..)| a <= pe);
                found.extend(rest[..here].iter().map(|&(_, b, own)| (b, single(own))));
                *next += here;
            }
        }
    }
}

impl Building<'_> {
    /// Adds the pairs whose lower PE is `pe`.
    fn add(&mut self, pe: u32) -> Result<(), Faults> {
        let Building { sources, lists, next, demand, buffer, .. } = self;
        let wished = sources.iter().any(|source| source.extra > 0);
        for (source, list) in sources.iter_mut().zip(lists.iter_mut()) {
            source.higher(pe, buffer, list);
        }
        next.fill(0);
        let mut expected = pe + 1;
        loop {
            let heads =
                lists.iter().zip(next.iter()).filter_map(|(list, &at)| list.get(at)).map(|&(other, _)| other);
            let first = if self.universal { (expected < self.pes).then_some(expected) } else { heads.min() };
            let Some(other) = first else { break };
            expected = other + 1;
            let (mut weight, mut links, mut extra, mut mask) =
                (if self.universal { 1.0 } else { 0.0 }, 1, 0, 0);
            for (p, (source, list)) in sources.iter().zip(lists.iter()).enumerate() {
                if let Some(&(head, own)) = list.get(next[p])
                    && head == other
                {
                    (weight, links, mask) = (weight + own, source.links.max(links), mask | 1 << p);
                    extra = source.extra.max(extra);
                    next[p] += 1;
                }
            }
            if demand.len() == MAX_PAIRS {
                return Err(Fault::new(
                    "pattern",
                    "",
                    format!("a demand of at most {} pairs", grouped(MAX_PAIRS as u64)),
                )
                .into());
            }
            demand.push(pe, other, weight, links, mask);
            if wished {
                demand.extra.push(extra);
            }
        }
        Ok(())
    }
}
