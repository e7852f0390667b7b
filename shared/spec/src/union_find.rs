//! Disjoint sets that only grow together.

/// Disjoint sets of the numbers 0 to n - 1 (Tarjan 1975), each known by one of its members, its root.
#[derive(Clone, Debug)]
pub struct UnionFind {
    parents: Vec<u32>,
}

impl UnionFind {
    /// `count` sets of one number each.
    pub fn new(count: u32) -> UnionFind {
        UnionFind { parents: (0..count).collect() }
    }

    /// The root of a number's set. Halves the path to it.
    pub fn root(&mut self, mut at: u32) -> u32 {
        while self.parents[at as usize] != at {
            let above = self.parents[self.parents[at as usize] as usize];
            self.parents[at as usize] = above;
            at = above;
        }
        at
    }

    /// Joins the sets of two numbers under the lower of their roots, so that the root of a set is its lowest member. `true` if
    /// they were apart.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
        a != b
    }

    /// Joins two sets under the first of their roots.
    pub fn join_under(&mut self, root: u32, other: u32) {
        debug_assert!([root, other].iter().all(|&at| self.parents[at as usize] == at), "both are roots");
        self.parents[other as usize] = root;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_joined_under_their_lowest_member_or_the_chosen_one() {
        let mut sets = UnionFind::new(6);
        let joined = [(4, 5), (5, 2), (4, 2), (0, 3)].map(|(a, b)| sets.join(a, b));
        assert_eq!(joined, [true, true, false, true]);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|at| sets.root(at)), [0, 1, 2, 0, 2, 2]);
        sets.join_under(2, 0);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|at| sets.root(at)), [2, 1, 2, 2, 2, 2]);
    }
}
