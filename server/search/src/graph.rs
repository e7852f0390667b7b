//! The demand as the search reads it: partner number i of a PE is bit i of that PE's words. Both directions of each
//! pair are stored, and each knows the bit of the other, so a change on one side is cheap to repeat on the other.

use spec::{cancel::checked, demand::Demand};

/// PEs between two calls of `go_on` in long loops.
const ASK_EVERY: u32 = 1 << 12;

/// Quantity that a search minimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// Number of missing links.
    Cover,
    /// Weight of the missing links: the fractional objective.
    Weight,
    /// Missing links and, [`Graph::required_value`] times cheaper, missing extra links.
    Extra,
}

/// Minimum value of a required link, in extra links.
const MIN_REQUIRED_VALUE: u32 = 256;
/// Total weight of the heaviest PE's pairs, as integers; the lightest pair gets at least 1.
const MAX_PE_WEIGHT: f64 = (1 << 30) as f64;

/// Partners of every PE. Read only, shared by all islands.
#[derive(Debug)]
pub struct Graph {
    /// Number of PEs.
    pub pes: u32,
    /// Partners of p: `starts[p]..starts[p + 1]`.
    starts: Vec<usize>,
    partners: Vec<u32>,
    /// For each entry of `partners`, the bit of this PE in the partner's words.
    mirrors: Vec<u32>,
    /// Number of the first pair whose lower PE is p.
    first_pair: Vec<usize>,
    /// Words of p: `words[p]..words[p + 1]`.
    words: Vec<usize>,
    /// For each level from 2, words of pairs that want at least that many links.
    wants: Vec<Vec<u64>>,
    /// Words of `wants` without extra links; empty if there are no extra links.
    required: Vec<Vec<u64>>,
    /// Quantity that the search minimises.
    pub aim: Aim,
    /// Value of a required link, in extra links.
    pub required_value: u32,
    /// For each entry of `partners`, the value of each link of its pair; empty if all are equal.
    values: Vec<u32>,
    /// Value of all wanted links together, if the aim is weight.
    pub total: u64,
    /// Mean value of a link: the unit of temperatures.
    pub scale: f64,
    /// Maximum number of partners of a PE.
    pub max_partners: usize,
    /// `true` if every pair is requested, so that bits follow from PE numbers.
    pub complete: bool,
    /// Number of requested pairs.
    pub pairs: u64,
}

impl Graph {
    /// Reads a demand whose pairs count the same; `None` if `go_on` said no.
    pub fn new(demand: &Demand, go_on: &mut dyn FnMut() -> bool) -> Option<Graph> {
        Graph::with_aim(demand, Aim::Cover, go_on)
    }

    /// Reads a demand; `None` if `go_on` said no.
    pub fn with_aim(demand: &Demand, aim: Aim, go_on: &mut dyn FnMut() -> bool) -> Option<Graph> {
        let pes = demand.pes();
        let mut starts = vec![0usize; pes as usize + 1];
        for pe in checked(0..pes) {
            starts[pe as usize + 1] += demand.higher_of(pe).len();
            demand.higher_of(pe).iter().for_each(|&q| starts[q as usize + 1] += 1);
            if pe % ASK_EVERY == 0 && !go_on() {
                return None;
            }
        }
        for pe in 0..pes as usize {
            starts[pe + 1] += starts[pe];
        }
        let (partners, mirrors) = both_directions(demand, &starts, go_on)?;
        let mut words = vec![0; pes as usize + 1];
        let mut max_partners = 0;
        for pe in 0..pes as usize {
            let degree = starts[pe + 1] - starts[pe];
            max_partners = max_partners.max(degree);
            // At least one, so that PEs with few partners all have the same number.
            words[pe + 1] = words[pe] + degree.div_ceil(64).max(1);
        }
        let pairs = demand.len() as u64;
        let all = u64::from(pes) * u64::from(pes.saturating_sub(1)) / 2;
        let complete = pairs == all;
        let first_pair = (0..pes).map(|pe| demand.first_pair(pe)).chain([demand.len()]).collect();
        let (wants, required, values) = (Vec::new(), Vec::new(), Vec::new());
        let scale = 1.0;
        let mut graph = Graph {
            pes,
            starts,
            partners,
            mirrors,
            first_pair,
            words,
            wants,
            required,
            aim,
            required_value: MIN_REQUIRED_VALUE,
            values,
            total: 0,
            scale,
            max_partners,
            complete,
            pairs,
        };
        graph.read_wants(demand, go_on)?;
        match aim {
            Aim::Weight => graph.read_weights(demand),
            Aim::Extra => graph.read_required_value(demand),
            Aim::Cover => {}
        }
        Some(graph)
    }

    /// Integer value of a single link: its pair's weight per wanted link, as finely as sums of 32 bits allow.
    fn read_weights(&mut self, demand: &Demand) {
        let each = |pair: usize| f64::from(demand.weight(pair)) / f64::from(demand.links(pair).max(1));
        let of = |pe: u32| (0..self.degree(pe)).map(|bit| f64::from(demand.weight(self.pair(pe, bit)))).sum();
        let max: f64 = checked(0..self.pes).map(of).fold(f64::MIN_POSITIVE, f64::max);
        let whole = |pair: usize| ((each(pair) / max * MAX_PE_WEIGHT).round() as u32).max(1);
        let mut values = vec![0; self.partners.len()];
        let (mut total, mut wanted) = (0.0, 0);
        for pe in checked(0..self.pes) {
            for bit in 0..self.degree(pe) {
                let pair = self.pair(pe, bit);
                let value = whole(pair);
                values[self.starts[pe as usize] + bit] = value;
                total += f64::from(value);
                wanted += u64::from(value) * u64::from(demand.links(pair));
            }
        }
        (self.values, self.total) = (values, wanted / 2);
        self.scale = (total / self.partners.len().max(1) as f64).max(1.0);
    }

    /// More than one swap of two NIs can gain in extra links, as far as sums of 32 bits allow.
    fn read_required_value(&mut self, demand: &Demand) {
        let of = |pe: u32, links: &dyn Fn(usize) -> u32| -> u64 {
            (0..self.degree(pe)).map(|bit| u64::from(links(self.pair(pe, bit)))).sum()
        };
        let max =
            |links: &dyn Fn(usize) -> u32| checked(0..self.pes).map(|pe| of(pe, links)).max().unwrap_or(0);
        let (extra, wants) = (max(&|pair| demand.extra(pair)), max(&|pair| demand.links(pair)));
        let bearable = ((1 << 30) / wants.max(1)).max(u64::from(MIN_REQUIRED_VALUE));
        self.required_value = (2 * extra + 1).clamp(u64::from(MIN_REQUIRED_VALUE), bearable) as u32;
    }

    fn read_wants(&mut self, demand: &Demand, go_on: &mut dyn FnMut() -> bool) -> Option<()> {
        let total = *self.words.last().unwrap_or(&0);
        for pe in checked(0..self.pes) {
            if pe % ASK_EVERY == 0 && !go_on() {
                return None;
            }
            let lower = self.degree(pe) - demand.higher_of(pe).len();
            for at in 0..demand.higher_of(pe).len() {
                let pair = demand.first_pair(pe) + at;
                let links = demand.links(pair) as usize;
                let extra = if self.aim == Aim::Extra { demand.extra(pair) as usize } else { 0 };
                let other = self.partners(pe)[lower + at];
                let mirror = self.mirrors(pe)[lower + at] as usize;
                for (pe, bit) in [(pe, lower + at), (other, mirror)] {
                    let (word, mask) = (self.words[pe as usize] + bit / 64, 1 << (bit % 64));
                    mark(&mut self.wants, links + extra, total, word, mask);
                    if self.aim == Aim::Extra {
                        mark(&mut self.required, links, total, word, mask);
                    }
                }
            }
        }
        Some(())
    }

    /// Maximum number of links that a pair wants; at least 1.
    pub fn levels(&self) -> usize {
        self.wants.len() + 1
    }

    /// `true` if links have different values.
    pub fn weighted(&self) -> bool {
        self.aim != Aim::Cover
    }

    /// Value of link number `level` (from 1) of a pair.
    pub fn value(&self, pe: u32, bit: usize, level: usize) -> u32 {
        match self.aim {
            Aim::Cover => 1,
            Aim::Weight => self.values[self.starts[pe as usize] + bit],
            Aim::Extra => {
                let at = self.words[pe as usize] + bit / 64;
                let must = level == 1
                    || self.required.get(level - 2).is_some_and(|plane| plane[at] >> (bit % 64) & 1 == 1);
                if must { self.required_value } else { 1 }
            }
        }
    }

    /// Word `w` of a PE: partners that require at least `level` links, without extra ones.
    pub fn requiring(&self, pe: u32, w: usize, level: usize) -> u64 {
        match level {
            1 => self.full(pe, w),
            _ if self.aim != Aim::Extra => self.wanting(pe, w, level),
            _ => self.required.get(level - 2).map_or(0, |plane| plane[self.words[pe as usize] + w]),
        }
    }

    /// Number of partners of a PE.
    pub fn degree(&self, pe: u32) -> usize {
        self.starts[pe as usize + 1] - self.starts[pe as usize]
    }

    /// Partners of a PE, ascending: bit i is `partners(pe)[i]`.
    pub fn partners(&self, pe: u32) -> &[u32] {
        &self.partners[self.starts[pe as usize]..self.starts[pe as usize + 1]]
    }

    /// For each partner of a PE, the bit of the PE in the partner's words.
    pub fn mirrors(&self, pe: u32) -> &[u32] {
        &self.mirrors[self.starts[pe as usize]..self.starts[pe as usize + 1]]
    }

    /// Partner number `skip` of a PE among those whose bits are set in its words, given by `word`.
    pub fn partner_among(&self, pe: u32, mut skip: u32, word: impl Fn(usize) -> u64) -> Option<u32> {
        for w in 0..self.words(pe) {
            let mut word = word(w);
            let here = word.count_ones();
            if skip < here {
                (0..skip).for_each(|_| word &= word - 1);
                return Some(self.partners(pe)[w * 64 + word.trailing_zeros() as usize]);
            }
            skip -= here;
        }
        None
    }

    /// Number, among all pairs, of a PE's pair with its partner `bit`.
    pub fn pair(&self, pe: u32, bit: usize) -> usize {
        let other = self.partners(pe)[bit];
        let (low, bit) = if pe < other { (pe, bit) } else { (other, self.mirrors(pe)[bit] as usize) };
        let first = self.first_pair[low as usize];
        let higher = self.first_pair[low as usize + 1] - first;
        first + bit - (self.degree(low) - higher)
    }

    /// Number of words of a PE.
    pub fn words(&self, pe: u32) -> usize {
        self.words[pe as usize + 1] - self.words[pe as usize]
    }

    /// Start of a PE's words in an array with the words of all PEs.
    pub fn first_word(&self, pe: u32) -> usize {
        self.words[pe as usize]
    }

    /// Number of words of all PEs.
    pub fn all_words(&self) -> usize {
        *self.words.last().unwrap_or(&0)
    }

    /// Word `w` of a PE with every partner's bit set.
    pub fn full(&self, pe: u32, w: usize) -> u64 {
        let bits = self.degree(pe) - w * 64;
        if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
    }

    /// Word `w` of a PE: partners that want at least `level` links (from 1).
    pub fn wanting(&self, pe: u32, w: usize, level: usize) -> u64 {
        match level {
            1 => self.full(pe, w),
            _ => self.wants[level - 2][self.words[pe as usize] + w],
        }
    }

    /// Links that partner `bit` of a PE wants.
    pub fn links(&self, pe: u32, bit: usize) -> u32 {
        let wanted = |plane: &&Vec<u64>| plane[self.words[pe as usize] + bit / 64] >> (bit % 64) & 1 == 1;
        1 + self.wants.iter().take_while(wanted).count() as u32
    }

    /// Bit of `other` among the partners of `pe`, if it is one.
    pub fn bit_of(&self, pe: u32, other: u32) -> Option<usize> {
        if !self.complete {
            return self.partners(pe).binary_search(&other).ok();
        }
        (pe != other).then(|| other as usize - usize::from(other > pe))
    }
}

/// Index of a PE outside a [`PeSet`].
const ABSENT: u32 = u32::MAX;

/// A set of PEs with random picks. Their order depends on all changes so far.
#[derive(Clone, Debug)]
pub(crate) struct PeSet {
    pes: Vec<u32>,
    /// Index of each PE in `pes`, or [`ABSENT`].
    places: Vec<u32>,
}

impl PeSet {
    pub fn empty(pes: u32) -> PeSet {
        PeSet { pes: Vec::new(), places: vec![ABSENT; pes as usize] }
    }

    /// Replaces the set by these distinct PEs, in this order.
    pub fn reset(&mut self, pes: &[u32]) {
        self.pes.clear();
        self.places.fill(ABSENT);
        pes.iter().for_each(|&pe| self.set(pe, true));
    }

    pub fn list(&self) -> &[u32] {
        &self.pes
    }

    /// Adds or removes a PE.
    #[inline]
    pub fn set(&mut self, pe: u32, inside: bool) {
        let place = self.places[pe as usize];
        if inside && place == ABSENT {
            self.places[pe as usize] = self.pes.len() as u32;
            self.pes.push(pe);
        } else if !inside && place != ABSENT {
            self.pes.swap_remove(place as usize);
            if let Some(&moved) = self.pes.get(place as usize) {
                self.places[moved as usize] = place;
            }
            self.places[pe as usize] = ABSENT;
        }
    }
}

/// Marks a pair in the planes of levels 2 to `links`.
fn mark(planes: &mut Vec<Vec<u64>>, links: usize, total: usize, word: usize, mask: u64) {
    while planes.len() + 1 < links {
        planes.push(vec![0; total]);
    }
    planes.iter_mut().take(links.saturating_sub(1)).for_each(|plane| plane[word] |= mask);
}

type Directions = (Vec<u32>, Vec<u32>);

fn both_directions(demand: &Demand, starts: &[usize], go_on: &mut dyn FnMut() -> bool) -> Option<Directions> {
    let mut next = starts.to_vec();
    let total = *starts.last().unwrap_or(&0);
    let (mut partners, mut mirrors) = (vec![0; total], vec![0; total]);
    // Pairs ascend, so each PE gets its lower partners first and then its higher ones.
    for low in checked(0..demand.pes()) {
        if low % ASK_EVERY == 0 && !go_on() {
            return None;
        }
        for &high in demand.higher_of(low) {
            let (l, h) = (low as usize, high as usize);
            let (at, back) = (next[l], next[h]);
            (partners[at], partners[back]) = (high, low);
            (mirrors[at], mirrors[back]) = ((back - starts[h]) as u32, (at - starts[l]) as u32);
            next[l] += 1;
            next[h] += 1;
        }
    }
    Some((partners, mirrors))
}
