//! Complete graphs: each edge a switch, each node a group of PEs (dissertation, chapter 3). The triangle and the tetrahedron
//! are the well-known ones.

use super::{Incidence, Size, Trial, may_fit};

/// Offers those of 3 to NIs + 1 nodes.
pub fn offer(trial: &mut Trial<'_>) {
    for nodes in 3..=trial.nis + 1 {
        if trial.over() {
            return;
        }
        let size = Size { lines: (nodes * (nodes - 1) / 2) as usize, through: nodes - 1 };
        if may_fit(trial, size) {
            let edges = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| vec![a, b]));
            let incidence = Incidence::new(nodes as usize, edges.collect());
            super::offer(trial, &incidence, &format!("complete graph of {nodes} nodes"));
        }
    }
}
