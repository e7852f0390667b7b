//! Maximum flow by shortest augmenting paths in layers (Dinic 1970), and the cut that proves it.

use std::collections::VecDeque;

/// A network: node 0 is the source, node 1 the sink.
pub(super) struct Network {
    /// Arcs out of each node, by number.
    out: Vec<Vec<usize>>,
    /// Where each arc ends, and what it still takes; an arc's reverse is its neighbour number.
    arcs: Vec<(usize, u64)>,
}

pub(super) const SOURCE: usize = 0;
pub(super) const SINK: usize = 1;

impl Network {
    /// No arcs yet, and so many nodes besides source and sink, from number 2 on.
    pub(super) fn new(nodes: usize) -> Network {
        Network { out: vec![Vec::new(); nodes + 2], arcs: Vec::new() }
    }

    pub(super) fn join(&mut self, from: usize, to: usize, most: u64) {
        self.out[from].push(self.arcs.len());
        self.arcs.push((to, most));
        self.out[to].push(self.arcs.len());
        self.arcs.push((from, 0));
    }

    /// Sends as much as goes; returns how much, and the nodes on the source's side of a smallest cut.
    pub(super) fn send(&mut self) -> (u64, Vec<bool>) {
        let mut sent = 0;
        loop {
            let layers = self.layers();
            if layers[SINK] == usize::MAX {
                return (sent, layers.iter().map(|&layer| layer < usize::MAX).collect());
            }
            let mut next = vec![0; self.out.len()];
            loop {
                let more = self.augment(&layers, &mut next);
                if more == 0 {
                    break;
                }
                sent += more;
            }
        }
    }

    /// How many arcs each node is from the source; the largest number where it is out of reach.
    fn layers(&self) -> Vec<usize> {
        let mut layers = vec![usize::MAX; self.out.len()];
        layers[SOURCE] = 0;
        let mut queue = VecDeque::from([SOURCE]);
        while let Some(node) = queue.pop_front() {
            for &arc in &self.out[node] {
                let (to, left) = self.arcs[arc];
                if left > 0 && layers[to] == usize::MAX {
                    layers[to] = layers[node] + 1;
                    queue.push_back(to);
                }
            }
        }
        layers
    }

    /// Sends along one path; 0 if there is none left. `next` is the arc that each node tries first.
    fn augment(&mut self, layers: &[usize], next: &mut [usize]) -> u64 {
        let mut path: Vec<usize> = Vec::new();
        let mut node = SOURCE;
        while node != SINK {
            let Some(&arc) = self.out[node].get(next[node]) else {
                // A dead end: its way in is not tried again.
                let Some(back) = path.pop() else { return 0 };
                node = self.arcs[back ^ 1].0;
                next[node] += 1;
                continue;
            };
            let (to, left) = self.arcs[arc];
            if left > 0 && layers[to] == layers[node] + 1 {
                path.push(arc);
                node = to;
            } else {
                next[node] += 1;
            }
        }
        let most = path.iter().map(|&arc| self.arcs[arc].1).min().unwrap_or(0);
        for arc in path {
            self.arcs[arc].1 -= most;
            self.arcs[arc ^ 1].1 += most;
        }
        most
    }
}
