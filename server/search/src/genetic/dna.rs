//! The genetic material of the dissertation's Sparse search (sections 3.4.1 and 3.4.2): an order of all requested pairs,
//! by which the greedy heuristic breaks its ties.

use crate::dice::Dice;
use serde::{Deserialize, Serialize};

/// An order of all pairs, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dna(Vec<u32>);

impl Dna {
    /// A random order.
    pub fn random(pairs: usize, dice: &mut Dice) -> Dna {
        let mut order: Vec<u32> = (0..pairs as u32).collect();
        dice.shuffle(&mut order);
        Dna(order)
    }

    /// The pairs in order.
    pub fn order(&self) -> &[u32] {
        &self.0
    }

    /// The rank of each pair.
    pub fn ranks(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.0.len()];
        for (rank, &pair) in self.0.iter().enumerate() {
            ranks[pair as usize] = rank as u32;
        }
        ranks
    }

    /// A clone with a random number of point mutations, each an exchange of two ranks, on at most half of the order. The
    /// first one moves the pair that failed, `blame`, in one case of four.
    pub fn point_mutated(&self, blame: Option<usize>, dice: &mut Dice) -> Dna {
        let (mut order, len) = (self.0.clone(), self.0.len() as u32);
        let most = (len / 4).max(1);
        for turn in 0..=dice.below(most) {
            let mut first = dice.below(len) as usize;
            if let Some(pair) = blame.filter(|_| turn == 0 && dice.chance(250)) {
                first = order.iter().position(|&p| p as usize == pair).unwrap_or(first);
            }
            if len > 0 {
                order.swap(first, dice.below(len) as usize);
            }
        }
        Dna(order)
    }

    /// A copy with a block of `other`, at most half of the order, in the block's own place; the rest keeps its relative
    /// order around it.
    pub fn crossed(&self, other: &Dna, dice: &mut Dice) -> Dna {
        let len = self.0.len();
        let block = dice.below(len as u32 / 2 + 1) as usize;
        let start = dice.below((len - block) as u32 + 1) as usize;
        let taken = &other.0[start..start + block];
        let mut is_taken = vec![false; len];
        taken.iter().for_each(|&pair| is_taken[pair as usize] = true);
        let mut order: Vec<u32> = self.0.iter().copied().filter(|&pair| !is_taken[pair as usize]).collect();
        order.splice(start..start, taken.iter().copied());
        Dna(order)
    }
}
